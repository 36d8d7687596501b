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
fn task_text_names_file_and_numbers_its_findings_with_line_and_suggestion() {
    let expected = "T1 src/a.rs, major, tried once and not solved\n   1. L12: it panics → return None (F3, major)\n   \
                    2. L12: it panics (F5, minor)";
    assert_eq!(tasks(&[a_task(Some("src/a.rs"), 1)]), expected);
}

#[test]
fn waiting_tasks_are_listed_in_one_line_each() {
    let waiting = [a_task(Some("src/a.rs"), 0), a_task(None, 0)];
    assert_eq!(
        list_waiting_tasks(&waiting),
        "- T1 src/a.rs: 2 problems, major\n- T1 no file named: 2 problems, major"
    );
}

#[test]
fn open_findings_are_listed_with_their_ids() {
    let told = super::list_findings(&[named("F3", Severity::Major, None)]);
    assert_eq!(told, "F3: major, src/a.rs:12, quality\n   it panics");
}
