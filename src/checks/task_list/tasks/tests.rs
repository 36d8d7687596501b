//! Tasks of plans, and plans in which only ticks changed.

use super::*;

#[test]
fn a_task_is_an_item_with_a_box() {
    let text = "# Tasks\n- [x] 1. Read\n  - [ ] 1.1 Write (P)\n* [X] done\n1. [ ] count\n- [] none\n- [y] none\n- [x](link)\n- plain\n```text\n- [ ] quoted\n```\n";
    let tasks: Vec<_> = read_tasks(text).into_iter().map(|task| (task.line, task.title, task.done)).collect();
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
