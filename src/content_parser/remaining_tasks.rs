//! Reads the tasks that an evaluation leaves where it lists them in Markdown instead of an object.
//! Does not decide whether they count.

use super::folded::folded;
use super::quoted::Quoted;
use super::{clipped, head};
use model::event::RemainingTask;

const MOST: usize = 200;
/// A line longer than this, in bytes, is cut.
const LONGEST: usize = 4_000;

const TITLES: [&str; 9] = [
    "remaining tasks",
    "remaining issues",
    "remaining work",
    "open issues",
    "follow-up tasks",
    "残タスク",
    "残課題",
    "残作業",
    "残りのタスク",
];

/// Returns the items below a title such as `## Remaining tasks`, up to the next heading.
pub(super) fn listed(text: &str) -> Vec<RemainingTask> {
    let quoted = Quoted::new(text);
    let mut tasks = Vec::new();
    let mut below = false;
    for line in quoted.own_lines() {
        let line = head(line, LONGEST);
        if is_title(line) {
            below = true;
        } else if line.trim_start().starts_with('#') {
            below = false;
        } else if below && tasks.len() < MOST {
            tasks.extend(item(line));
        }
    }
    tasks
}

/// Tells whether a line is a heading or a bold label with one of the titles, and a number at most.
fn is_title(line: &str) -> bool {
    let folded = folded(line);
    let marked = folded.trim_start().starts_with(['#', '*']) || folded.trim_end().ends_with(':');
    let bare =
        folded.trim_matches(|c: char| c.is_whitespace() || "#*_:.()".contains(c) || c.is_ascii_digit());
    marked && TITLES.contains(&bare.to_lowercase().as_str())
}

/// Reads an item that is still to be done.
fn item(line: &str) -> Option<RemainingTask> {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let bullet = ["- ", "* ", "+ ", "・"].iter().find_map(|bullet| line.strip_prefix(bullet));
    let number = || numbered.strip_prefix(". ").or(numbered.strip_prefix(") "));
    let item = bullet.or_else(|| number().filter(|_| numbered.len() < line.len()))?.trim();
    let item = item.strip_prefix("[ ]").unwrap_or(item).trim();
    let done = item.starts_with("[x]") || item.starts_with("[X]");
    let none = ["", "none", "なし", "特になし", "n/a", "-"];
    let bare = item.trim_end_matches(['.', '。']).to_lowercase();
    let task = || RemainingTask {
        task: clipped(item, 500).to_owned(),
        phase: String::new(),
        priority: String::new(),
    };
    (!done && !none.contains(&bare.as_str())).then(task)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(text: &str) -> Vec<String> {
        listed(text).into_iter().map(|task| task.task).collect()
    }

    #[test]
    fn items_below_the_title_are_tasks() {
        let text = "# e\n- no task\n## 5. Remaining Tasks (3)\n- [ ] one\n- [x] done\n* two\n1. three\n\nprose\n\n## Else\n- no\n";
        assert_eq!(tasks(text), ["one", "two", "three"]);
        assert_eq!(tasks("**残タスク**:\n- 一つ\n- なし\n"), ["一つ"]);
        assert_eq!(tasks("Remaining tasks:\n1) one\n"), ["one"]);
    }

    #[test]
    fn other_lists_are_none() {
        for text in
            ["- one", "## Tasks\n- one", "The remaining tasks\n- one", "## Remaining tasks\n\nNone.\n- None"]
        {
            assert_eq!(tasks(text), [""; 0], "{text}");
        }
        assert_eq!(tasks("```\n## Remaining tasks\n- one\n```\nx"), [""; 0]);
    }
}
