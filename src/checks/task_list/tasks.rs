//! Reads the tasks of a plan: items of a list with a box. What is quoted is no task.

use std::sync::LazyLock;

use content_parser::own_lines;
use regex::Regex;

/// A task of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Task {
    /// From 1.
    pub line: usize,
    /// What is to be done.
    pub title: String,
    /// Whether the box is ticked.
    pub done: bool,
}

static ITEM: LazyLock<Regex> = LazyLock::new(|| {
    let item =
        r"^(?P<before>\s*(?:[-*+]|\d{1,4}[.)])\s+\[)(?P<tick>[ xX])(?P<after>\]\s+(?P<title>\S.*?))\s*$";
    Regex::new(item).expect("the pattern is ours")
});

/// Returns the tasks of a text.
pub(super) fn read_tasks(text: &str) -> Vec<Task> {
    let task = |(line, text): (usize, &str)| {
        let found = ITEM.captures(text)?;
        Some(Task { line, title: found["title"].to_owned(), done: &found["tick"] != " " })
    };
    own_lines(text).into_iter().filter_map(task).collect()
}

/// Tells whether two texts differ in nothing but tasks that are done now.
pub fn only_ticks(before: &str, after: &str) -> bool {
    let (mut old, mut new) = (before.lines(), after.lines());
    loop {
        match (old.next(), new.next()) {
            (None, None) => return true,
            (Some(old), Some(new)) if old == new || is_ticked(old, new) => {}
            _ => return false,
        }
    }
}

fn is_ticked(before: &str, after: &str) -> bool {
    let (Some(old), Some(new)) = (ITEM.captures(before), ITEM.captures(after)) else { return false };
    old["before"] == new["before"] && old["after"] == new["after"] && &old["tick"] == " "
}

#[cfg(test)]
mod tests;
