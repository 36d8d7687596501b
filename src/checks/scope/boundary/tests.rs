//! Boundaries of plans, read and refused.

use super::*;

#[test]
fn the_last_scope_of_a_plan_counts() {
    let text = "# Plan\n{\"scope\": {\"paths\": [\"old/\"]}}\ntext\n```json\n{\"scope\": {\"paths\": [\"src/**\", \".\"], \"max_files\": 20}}\n```\n";
    let expected =
        Scope { paths: Some(vec!["src/**".into(), "**".into()]), max_files: Some(20), max_lines: None };
    assert_eq!(read_scope(text), Ok(Some(expected)));
}

#[test]
fn what_is_no_boundary_sets_none() {
    for text in [
        "",
        "the scope is small",
        r#"{"scope": "read:user"}"#,
        r#"{"scope": {"name": "global"}}"#,
        r#"in code: `{"scope": "x"`"#,
    ] {
        assert_eq!(read_scope(text), Ok(None), "{text}");
    }
}

#[test]
fn a_boundary_that_cannot_be_read_or_contradicts_itself_is_an_error() {
    for (text, part) in [
        (r#"{"scope": {"paths": ["src/**"], "max_files": 20"#, "no JSON"),
        (r#"{"scope": {"paths": ["src/**",]}}"#, "no JSON"),
        (r#"{"scope": {"paths": ["a"], "paths": ["b"]}}"#, "twice"),
        (r#"{"scope": {"paths": []}}"#, "empty"),
        (r#"{"scope": {"paths": "src"}}"#, "no list"),
        (r#"{"scope": {"paths": [1]}}"#, "no text"),
        (r#"{"scope": {"paths": ["../x"]}}"#, "`../x`"),
        (r#"{"scope": {"paths": ["/etc"]}}"#, "`/etc`"),
        (r#"{"scope": {"max_files": 0}}"#, "max_files"),
        (r#"{"scope": {"max_lines": "many"}}"#, "max_lines"),
        (r#"{"scope": {"max_lines": 5, "except": ["a"]}}"#, "`except`"),
    ] {
        let error = read_scope(text).expect_err(text);
        assert!(error.contains(part), "{text}: {error}");
    }
}
