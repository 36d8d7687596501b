//! Tests of `view`.

use std::fs;

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn sealed() -> String {
    serde_json::to_string_pretty(&seal(json!({"engine": {"seq": 7}, "outcome": "failed"}))).expect("text")
}

#[test]
fn view_text_is_classified_as_missing_good_or_edited() {
    assert_eq!(check_view(b""), ViewOnDisk::Missing);
    assert_eq!(check_view(&[0; 4096]), ViewOnDisk::Missing);
    assert_eq!(check_view(sealed().as_bytes()), ViewOnDisk::Good { seq: 7 });
    for edited in [
        sealed().replace("failed", "completed"),
        sealed().replace('{', "{\"outcome\": \"failed\","),
        "not JSON".to_owned(),
        "{}".to_owned(),
        seal(json!({"engine": {"seq": "7"}})).to_string(),
        "[".repeat(100_000),
    ] {
        assert_eq!(check_view(edited.as_bytes()), ViewOnDisk::Edited, "{}", &edited[..edited.len().min(60)]);
    }
}

proptest! {
    #[test]
    fn truncated_view_is_never_good(cut in 1..sealed().len()) {
        prop_assert_eq!(check_view(&sealed().as_bytes()[..cut]), ViewOnDisk::Edited);
    }
}

#[test]
fn view_file_is_classified_and_an_oversized_one_counts_as_edited() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("metadata.json");
    assert_eq!(check_file(&path).expect("no file"), ViewOnDisk::Missing);
    fs::write(&path, sealed()).expect("a good one");
    assert_eq!(check_file(&path).expect("a good one"), ViewOnDisk::Good { seq: 7 });
    File::create(&path).and_then(|file| file.set_len(LONGEST_VIEW + 1)).expect("a huge one");
    assert_eq!(check_file(&path).expect("a huge one"), ViewOnDisk::Edited);
    assert!(check_file(folder.path()).is_err());
}

#[test]
fn seal_detects_every_edit() {
    let sealed =
        seal(json!({"engine": {"seq": 3}, "outcome": "failed", "phases": [{"a": null}, true, -1, 2, 0.5]}));
    assert!(is_sealed(&sealed));
    let mut edited = sealed.clone();
    edited["outcome"] = json!("completed");
    assert!(!is_sealed(&edited));
    let mut unsealed = sealed;
    unsealed["engine"] = json!({"seq": 3});
    assert!(!is_sealed(&unsealed));
}

#[test]
fn sealing_is_idempotent() {
    let sealed = seal(json!({"engine": {"seq": 3}, "x": 1}));
    assert_eq!(seal(sealed.clone()), sealed);
}

#[test]
fn document_without_an_engine_object_is_not_sealed() {
    assert!(is_sealed(&seal(json!({}))));
    assert!(!is_sealed(&seal(json!([1]))));
    assert!(!is_sealed(&seal(json!({"engine": "x"}))));
}

#[test]
fn duplicate_json_keys_are_refused_at_any_depth() {
    assert_eq!(
        read_value(r#"{"a": [{"b": 1.5}, null, -2, "x", true]}"#).map(|v| v["a"][2].clone()),
        Some(json!(-2))
    );
    assert_eq!(read_value(r#"{"a": [{"b": 1, "b": 1}]}"#), None);
    assert_eq!(read_value("{\"a\": 1"), None);
}

proptest! {
    #[test]
    fn seal_remains_valid_after_serialization(cost in -1e9..1e9f64, text in ".*") {
        let sealed = seal(json!({"engine": {"seq": 1}, "cost": cost, "text": text}));
        for written in [sealed.to_string(), serde_json::to_string_pretty(&sealed).expect("a value is text")] {
            let read = read_value(&written).expect("it is JSON");
            prop_assert!(is_sealed(&read), "{written}");
        }
    }
}
