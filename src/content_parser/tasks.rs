//! Reads the tasks of a plan: list items with a box, `- [ ] 1.2 Title` or `* [x] Title`, at any depth. An id is not needed:
//! a task without one is left to do all the same. What is quoted is no task.

use std::sync::LazyLock;

use regex::Regex;

use super::quoted::Quoted;

/// A task of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// From 1.
    pub line: usize,
    /// What is to be done.
    pub title: String,
    /// Whether the box is ticked.
    pub done: bool,
}

static ITEM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?P<before>\s*(?:[-*+]|\d{1,4}[.)])\s+\[)(?P<tick>[ xX])(?P<after>\]\s+(?P<title>\S.*?))\s*$",
    )
    .expect("the pattern is a constant")
});

/// Returns the tasks of a text.
pub fn read_tasks(text: &str) -> Vec<Task> {
    let quoted = Quoted::new(text);
    let task = |(line, text): (usize, &str)| {
        let found = ITEM.captures(text)?;
        Some(Task { line, title: found["title"].to_owned(), done: &found["tick"] != " " })
    };
    quoted.numbered_lines().filter_map(task).collect()
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
mod tests {
    use super::*;

    #[test]
    fn a_task_is_an_item_with_a_box() {
        let text = "# Tasks\n- [x] 1. Read\n  - [ ] 1.1 Write (P)\n* [X] done\n1. [ ] count\n- [] none\n- [y] none\n- [x](link)\n- plain\n```text\n- [ ] quoted\n```\n";
        let tasks: Vec<_> =
            read_tasks(text).into_iter().map(|task| (task.line, task.title, task.done)).collect();
        let expected =
            [(2, "1. Read", true), (3, "1.1 Write (P)", false), (4, "done", true), (5, "count", false)];
        assert_eq!(tasks, expected.map(|(line, title, done)| (line, title.to_owned(), done)));
    }

    #[test]
    fn a_plan_is_not_rewritten_by_what_is_only_ticked() {
        let plan = "# Plan\n- [ ] one\n- [x] two\n";
        assert!(only_ticks(plan, "# Plan\n- [x] one\n- [x] two\n") && only_ticks(plan, plan));
        for other in [
            "# Plan\n- [x] one, smaller\n- [x] two\n",
            "# Plan\n- [x] one\n- [ ] two\n",
            "# Plan\n- [x] one\n",
            "# Another\n- [x] one\n- [x] two\n",
            "# Plan\n- [x] one\n- [x] two\n- [x] three\n",
        ] {
            assert!(!only_ticks(plan, other), "{other}");
        }
    }
}
