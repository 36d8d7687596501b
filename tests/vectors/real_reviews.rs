//! Real reviews and replies, where they lie beside this repository, are read as their peer or a person reads them.

use content_parser::{Terms, default_words, read_review, read_triage};
use model::event::Reading;
use model::verdict::{ReadAs, Verdict};
use serde_json::json;

use crate::support::beside;

fn read(text: &str) -> Reading {
    let words = default_words();
    read_review(text, &Terms { review_id: None, require_review_id: false, words: &words, beyond: &[] })
}

/// Returns the cases of a vector file.
fn vectors(name: &str) -> Vec<serde_json::Value> {
    let Some(folder) = beside("AI_WORKFLOW_VECTORS", "../shared/vectors") else { return Vec::new() };
    let text = std::fs::read_to_string(folder.join(name)).expect("a vector file");
    let file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    file["cases"].as_array().expect("cases").clone()
}

#[test]
fn real_reply_tables_match_their_expected_counts() {
    for case in vectors("003_reply_tables_real.json") {
        let table = read_triage(case["input"]["reply_md"].as_str().expect("a reply"), None);
        let read = table.map(|table| json!([table.fix_required, table.needs_discussion]));
        let expected = json!([case["expected"]["fixRequired"], case["expected"]["needsDiscussion"]]);
        assert_eq!(read, Ok(expected), "{}", case["name"]);
    }
}

#[test]
fn real_inspection_lines_match_their_expected_verdict() {
    for case in vectors("003_inspection_lines_real.json") {
        let reading = read(case["input"]["line"].as_str().expect("a line"));
        let read = (reading.read_as, if reading.result == Verdict::Pass { "go" } else { "nogo" });
        assert_eq!(read, (ReadAs::GoNogo, case["expected"].as_str().expect("a word")), "{}", case["name"]);
    }
}

#[test]
fn no_real_review_is_read_more_leniently_than_its_label() {
    let Some(folder) = beside("AI_WORKFLOW_CORPUS", "../shared/corpus/verdicts") else { return };
    let labels = std::fs::read_to_string(folder.join("labels.tsv")).expect("the list of labels");
    let (mut lenient, mut strict, mut total) = (Vec::new(), Vec::new(), 0);
    for row in labels.lines().skip(1) {
        let mut cells = row.split('\t');
        let (file, label) = (cells.next().expect("a file"), cells.next().expect("a label"));
        let bytes = std::fs::read(folder.join(file)).expect("a review of the list");
        let reading = read(&String::from_utf8_lossy(&bytes));
        let labelled = match label {
            "PASS" => Verdict::Pass,
            "PASS_WITH_SUGGESTIONS" => Verdict::PassWithSuggestions,
            _ => Verdict::Fail,
        };
        total += 1;
        let told = || format!("{file} {label}: {} ({}; {})", reading.result, reading.read_as, reading.reason);
        match reading.result.cmp(&labelled) {
            std::cmp::Ordering::Less => lenient.push(told()),
            std::cmp::Ordering::Greater => strict.push(told()),
            std::cmp::Ordering::Equal => {}
        }
    }
    assert!(total > 0, "the list is empty");
    assert_eq!(lenient, Vec::<String>::new());
    assert!(strict.len() <= 2, "{} of {total} read as stricter: {strict:#?}", strict.len());
}
