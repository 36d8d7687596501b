//! What we write under a command: a line, or a report in a box. Each begins with a mark, so that it is written once.

use model::issue::IssueNumber;

/// The longest report, in characters; a comment of GitHub takes a little more.
const LONGEST: usize = 60_000;

/// Returns the mark and the text under a command that is not obeyed.
pub(super) fn command_reply(comment: u64, why: &str) -> (String, String) {
    let marker = format!("<!-- ai-workflow:reply v1 comment={comment} -->");
    let body = format!("{marker}\n😕 {why}\n");
    (marker, body)
}

/// Returns the mark of a report on the run of an issue.
pub(super) fn report_marker(issue: IssueNumber, kind: &str) -> String {
    format!("<!-- ai-workflow:{kind} v1 issue={issue} -->")
}

/// Returns a report as a comment. In its box nothing is Markdown, and no box ends early.
pub(super) fn report_reply(marker: &str, text: &str) -> String {
    let text: String = text.replace("```", "'''").chars().take(LONGEST).collect();
    format!("{marker}\n```text\n{}\n```\n", text.trim_end())
}
