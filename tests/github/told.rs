//! The parts of what people are told that tests compare: one line, one heading, the outputs of a job.

use std::collections::BTreeMap;

use regex::Regex;

use super::run::Scene;
use crate::support::filtered;

/// Returns a text without what differs from run to run, and with a sign for each zero-width space.
pub fn steady(text: &str) -> String {
    let rules = [
        ("scripted:/[^ ]*/", "scripted:[FOLDER]/"),
        (r"\| (\d+m)?\d+s \|", "| [DURATION] |"),
        ("\u{200b}", "[ZWSP]"),
    ];
    rules.iter().fold(filtered(text), |text, (pattern, by)| {
        Regex::new(pattern).expect("a constant").replace_all(&text, *by).into_owned()
    })
}

/// Returns the one line of a text that holds some words, without its indent and what differs from run to run.
#[track_caller]
pub fn line_with(text: &str, words: &str) -> String {
    let found = lines_with(text, words);
    assert_eq!(found.len(), 1, "lines with {words:?} in\n{text}");
    found.concat()
}

/// Returns the lines of a text that hold some words, each without its indent and what differs from run to run.
pub fn lines_with(text: &str, words: &str) -> Vec<String> {
    text.lines().filter(|line| line.contains(words)).map(|line| steady(line.trim())).collect()
}

/// Returns the heading of a progress comment, which says where the run is.
#[track_caller]
pub fn heading(comment: &str) -> String {
    line_with(comment, "### ai-workflow")
}

/// Returns the first line of our part of a pull request, which closes the issue.
#[track_caller]
pub fn closing_line(request: &str) -> String {
    let ours = request.split("<!-- ai-workflow:begin -->\n").nth(1).unwrap_or_else(|| panic!("{request}"));
    ours.lines().next().unwrap_or_default().to_owned()
}

/// Reads the outputs of a step as the runner does: a name, a delimiter, the value up to that.
pub fn outputs(text: &str) -> BTreeMap<String, String> {
    let mut lines = text.lines();
    let mut found = BTreeMap::new();
    while let Some(line) = lines.next() {
        let (name, delimiter) = line.split_once("<<").expect("a name and a delimiter");
        let value: Vec<&str> = lines.by_ref().take_while(|line| *line != delimiter).collect();
        found.insert(name.to_owned(), value.join("\n"));
    }
    found
}

impl Scene {
    /// Returns the heading of the one comment.
    #[track_caller]
    pub(super) fn heading(&self) -> String {
        heading(&self.comment())
    }
}
