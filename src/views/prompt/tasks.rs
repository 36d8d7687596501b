//! Writes what a revision is to repair: the tasks file by file in their order, what waits for the next revision, and the
//! findings that a review is to look at first.

use super::clean::line;
use super::input::{NamedFinding, Task};
use super::lists::{entry, indented};
use model::finding::Severity;

/// More findings than this help no reader; the rest is counted.
const MOST: usize = 60;

/// Returns the tasks, each with its file and its items.
pub(super) fn tasks(tasks: &[Task]) -> String {
    tasks.iter().map(task).collect::<Vec<_>>().join("\n")
}

fn task(task: &Task) -> String {
    let tried = match task.tried {
        0 => String::new(),
        1 => ", tried once and not solved".to_owned(),
        often => format!(", tried {often} times and not solved"),
    };
    let items = task.items.iter().take(MOST).enumerate().map(|(index, it)| item(index + 1, it));
    let head = format!("{} {}, {}{tried}", task.id, file(task), worst(task).as_str());
    let more = task.items.len().saturating_sub(MOST);
    let more = (more > 0).then(|| format!("   … and {more} more"));
    std::iter::once(head).chain(items).chain(more).collect::<Vec<_>>().join("\n")
}

/// Returns a finding as seed 001 tells it: line, issue, suggestion.
fn item(number: usize, named: &NamedFinding) -> String {
    let it = &named.finding;
    let place = it.line.map(|line| format!("L{line}: ")).unwrap_or_default();
    let remedy = it.suggestion.as_deref().map(|text| format!(" → {}", indented(text))).unwrap_or_default();
    format!("   {number}. {place}{}{remedy} ({}, {})", indented(&it.issue), named.id, it.severity.as_str())
}

/// Returns the tasks that wait, a line each.
pub(super) fn later(tasks: &[Task]) -> String {
    let line = |task: &Task| {
        let problems = if task.items.len() == 1 { "problem" } else { "problems" };
        format!("- {} {}: {} {problems}, {}", task.id, file(task), task.items.len(), worst(task).as_str())
    };
    let mut lines: Vec<String> = tasks.iter().take(MOST).map(line).collect();
    if tasks.len() > MOST {
        lines.push(format!("… and {} more", tasks.len() - MOST));
    }
    lines.join("\n")
}

/// Returns findings with their ids, the worst first.
pub(super) fn named(findings: &[NamedFinding]) -> String {
    let mut sorted: Vec<&NamedFinding> = findings.iter().collect();
    sorted.sort_by_key(|named| std::cmp::Reverse(named.finding.severity));
    let mut text: Vec<String> =
        sorted.iter().take(MOST).map(|named| entry(&format!("{}:", named.id), &named.finding)).collect();
    if sorted.len() > MOST {
        text.push(format!("… and {} more", sorted.len() - MOST));
    }
    text.join("\n")
}

fn file(task: &Task) -> String {
    task.file.as_deref().map_or_else(|| "no file named".to_owned(), line)
}

fn worst(task: &Task) -> Severity {
    task.items.iter().map(|named| named.finding.severity).max().unwrap_or(Severity::Info)
}

#[cfg(test)]
mod tests {
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

    fn a_task(file: Option<&str>, tried: usize) -> Task {
        let items =
            vec![named("F3", Severity::Major, Some("return None")), named("F5", Severity::Minor, None)];
        Task { id: "T1".into(), file: file.map(str::to_owned), tried, items }
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
        assert_eq!(
            later(&waiting),
            "- T1 src/a.rs: 2 problems, major\n- T1 no file named: 2 problems, major"
        );
    }

    #[test]
    fn an_open_finding_is_told_with_its_id() {
        let told = super::named(&[named("F3", Severity::Major, None)]);
        assert_eq!(told, "F3: major, src/a.rs:12, quality\n   it panics");
    }
}
