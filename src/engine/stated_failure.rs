//! What failed, as a reviewer names it in a review that refuses: the kind of the failure and the command. Whether the work could be
//! verified is decided in `judge`.

use model::event::failure_type;
use model::finding::{Finding, worst_first};

/// What stands before the kind of a failure in a line of a review.
const LABELS_OF_FAILURE: [&str; 7] = [
    "failure type",
    "failure_type",
    "type of failure",
    "kind of failure",
    "失敗種別",
    "失敗の種別",
    "失敗の種類",
];

/// What stands before the command that failed.
const LABELS_OF_COMMAND: [&str; 8] = [
    "command",
    "failed command",
    "failed_command",
    "failing command",
    "コマンド",
    "実行コマンド",
    "失敗コマンド",
    "失敗したコマンド",
];

/// What a kind of a failure is called where it is not called by its name.
const WORDS_FOR_FAILURES: [(&str, &str); 5] = [
    ("テスト", "test_failure"),
    ("ビルド", "build_failure"),
    ("コンパイル", "build_failure"),
    ("リント", "lint_failure"),
    ("環境", "environment_error"),
];

/// Returns the kind of a failure and the command that failed, as a reviewer names them: the category of a finding is the kind, and
/// its text names the command in backquotes; else lines such as `Failure type: build_failure` and `Command: make build`, or rows of a
/// table.
pub(crate) fn named_failure<'r>(
    answer: &'r str,
    findings: &'r [Finding],
) -> (Option<&'static str>, Option<&'r str>) {
    let findings = worst_first(findings);
    let kind = findings.iter().find_map(|finding| failure_type(&finding.category));
    let command = findings.iter().find_map(|finding| finding.issue.split('`').nth(1));
    (kind.or_else(|| labelled_kind(answer)), command.or_else(|| labelled(answer, &LABELS_OF_COMMAND)))
}

fn labelled_kind(answer: &str) -> Option<&'static str> {
    let value = labelled(answer, &LABELS_OF_FAILURE)?.to_lowercase();
    let word = value.split(['(', '（', ',', '、', '.', ';']).next().unwrap_or_default().trim();
    let in_japanese = || WORDS_FOR_FAILURES.iter().find(|(known, _)| word.contains(known));
    failure_type(&word.replace([' ', '-'], "_")).or_else(|| in_japanese().map(|(_, kind)| *kind))
}

/// Returns the lines of a review; where it names the kind of a failure, without those that name the failure: they are told by
/// themselves.
pub(crate) fn words_beside_failure(answer: &str) -> Vec<&str> {
    let is_named = labelled_kind(answer).is_some();
    answer.lines().filter(|line| !is_named || !names_failure(line)).collect()
}

/// Tells whether a line names the kind of a failure or the command that failed.
fn names_failure(line: &str) -> bool {
    value_of_line(line, &LABELS_OF_FAILURE).is_some() || value_of_line(line, &LABELS_OF_COMMAND).is_some()
}

fn labelled<'t>(text: &'t str, labels: &[&str]) -> Option<&'t str> {
    text.lines().find_map(|line| value_of_line(line, labels))
}

/// Returns what stands behind a label in a line of its own or in the row of a table; of code in backquotes what is inside them.
fn value_of_line<'t>(line: &'t str, labels: &[&str]) -> Option<&'t str> {
    let row = line.trim().strip_prefix('|').and_then(|row| row.split_once('|'));
    let (label, value) = row.or_else(|| line.split_once([':', '：']))?;
    let value = if row.is_some() { value.split('|').next()? } else { value };
    let label = label.trim_matches(|c: char| c.is_whitespace() || "*_`#>-•:：".contains(c)).to_lowercase();
    let value = value.trim_matches(|c: char| c.is_whitespace() || c == '*');
    let value = value.strip_prefix('`').and_then(|code| code.split('`').next()).unwrap_or(value);
    let says_something = !["", "-", "none", "n/a", "なし"].contains(&value.to_lowercase().as_str());
    (labels.contains(&label.as_str()) && says_something).then_some(value)
}
