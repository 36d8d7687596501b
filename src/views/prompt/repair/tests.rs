//! Tests of how findings and tasks are written.

use super::*;

use model::finding::{Disposition, Finding};

fn named(id: &str, severity: Severity, suggestion: Option<&str>) -> NamedFinding {
    let finding = Finding {
        severity,
        category: "quality".into(),
        file: Some("src/a.rs".into()),
        line: Some(12),
        issue: "it panics".into(),
        suggestion: suggestion.map(str::to_owned),
        auto_fixable: false,
        disposition: Disposition::Open,
        in_scope: true,
    };
    NamedFinding { id: id.into(), finding }
}

fn a_task(file: Option<&str>, tried: usize) -> PromptTask {
    let items = vec![named("F3", Severity::Major, Some("return None")), named("F5", Severity::Minor, None)];
    PromptTask { id: "T1".into(), file: file.map(str::to_owned), tried, items }
}

#[test]
fn b_14_a_task_names_its_file_and_numbers_line_issue_and_suggestion() {
    let expected = "T1 src/a.rs, major, tried once and not solved\n   1. L12: it panics → return None (F3, major)\n   \
                    2. L12: it panics (F5, minor)";
    assert_eq!(tasks(&[a_task(Some("src/a.rs"), 1)]), expected);
}

#[test]
fn what_waits_is_told_in_a_line() {
    let waiting = [a_task(Some("src/a.rs"), 0), a_task(None, 0)];
    assert_eq!(later(&waiting), "- T1 src/a.rs: 2 problems, major\n- T1 no file named: 2 problems, major");
}

#[test]
fn an_open_finding_is_told_with_its_id() {
    let told = super::named(&[named("F3", Severity::Major, None)]);
    assert_eq!(told, "F3: major, src/a.rs:12, quality\n   it panics");
}
