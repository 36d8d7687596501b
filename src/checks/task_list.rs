//! Every task of the plan is ticked: the boxes of the lists that the settings name, else of the plans of the run. A plan without
//! boxes demands nothing, unless the settings ask for this check themselves; a list that is named and is not there, cannot be
//! read or has no tasks proves nothing. That the work behind a tick was done is for others to see.

use std::collections::BTreeSet;

use super::{Change, CheckResult, CheckStatus, Site, at, if_failed, judged, own_lines, passed, result};
use model::policy::{CheckSettings, Policy, check_id};

pub(super) const ID: &str = "task_list";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let named = &site.settings.task_lists;
    let lists: BTreeSet<&String> = if named.is_empty() { site.plans.iter() } else { named.iter() }.collect();
    let unavailable = |why: &str| result(ID, CheckStatus::Unavailable, why);
    let (mut count, mut open) = (0, Vec::new());
    for list in lists {
        let Ok(text) = git::regular_file::read_text(&site.worktree.join(list)) else {
            return unavailable(&format!("the task list {list} cannot be read"));
        };
        let tasks = read_tasks(&text);
        count += tasks.len();
        open.extend(tasks.into_iter().filter(|task| !task.2).map(|(line, title, _)| at(list, line, title)));
    }
    if count == 0 && is_asked_for(site.settings) {
        return unavailable("no task list: neither `checks.task_lists` nor a plan of this run has tasks");
    }
    if count == 0 {
        return passed(ID, "no plan of this run has a task with a box");
    }
    let clean = format!("all {count} tasks are ticked");
    let judged = judged(ID, "tasks-open", open, "a task is not ticked", &clean);
    if_failed(judged, [("code", CODE.into())])
}

/// Why a phase fails whose tasks stay open.
const CODE: &str = "tasks_open";

fn is_asked_for(settings: &CheckSettings) -> bool {
    !settings.task_lists.is_empty() || settings.enabled.iter().any(|name| check_id(name) == ID)
}

/// Returns the lists whose tasks a phase with this policy has to tick; `plans` are those of the run.
pub fn task_lists(policy: &Policy, settings: &CheckSettings, plans: Vec<String>) -> Vec<String> {
    if !policy.checks.iter().any(|rule| rule.id == ID) {
        return Vec::new();
    }
    if settings.task_lists.is_empty() { plans } else { settings.task_lists.clone() }
}

/// Tells whether a document was changed by ticks alone.
pub(super) fn is_only_ticked(site: &Site<'_>, plan: &str) -> bool {
    let ticks = |change: &Change| Some(only_ticks(change.old_text()?, change.new_text()?));
    site.changes.iter().filter(|change| change.path == plan).any(|change| ticks(change) == Some(true))
}

pattern!(
    ITEM,
    r"^(?P<before>\s*(?:[-*+]|\d{1,4}[.)])\s+\[)(?P<tick>[ xX])(?P<after>\]\s+(?P<title>\S.*?))\s*$"
);

/// Returns the tasks of a text, items of lists with a box: the line, what is to be done, and whether it is ticked. What is quoted
/// is none.
fn read_tasks(text: &str) -> Vec<(usize, String, bool)> {
    let task = |(line, text): (usize, &str)| {
        let found = ITEM.captures(text)?;
        Some((line, found["title"].to_owned(), &found["tick"] != " "))
    };
    own_lines(text).into_iter().filter_map(task).collect()
}

/// Tells whether two texts differ in nothing but tasks that are done now.
pub fn only_ticks(before: &str, after: &str) -> bool {
    let is_kept = |(old, new): (&str, &str)| old == new || is_ticked(old, new);
    before.lines().count() == after.lines().count() && before.lines().zip(after.lines()).all(is_kept)
}

fn is_ticked(before: &str, after: &str) -> bool {
    let (Some(old), Some(new)) = (ITEM.captures(before), ITEM.captures(after)) else { return false };
    old["before"] == new["before"] && old["after"] == new["after"] && &old["tick"] == " "
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gist};

    const PLAN: &str = ".ai-workflow/issue-1/00_planning/output/planning.md";

    fn planned(text: &str) -> Scene {
        let mut scene = Scene::new().on_disk(PLAN, text);
        scene.plans.push(PLAN.to_owned());
        scene
    }

    #[test]
    fn every_task_of_the_plan_has_to_be_ticked() {
        let open = planned("- [x] 1. Read\n  - [ ] 1.1 Write\n").shown_to(examine);
        assert_eq!((gist(&open), open.pattern.as_deref()), (format!("{PLAN}:2"), Some("tasks-open")));
        assert!(open.summary.contains("1.1 Write"), "{}", open.summary);
        let done = planned("- [x] 1. Read\n  - [X] 1.1 Write\n").shown_to(examine);
        assert_eq!((done.status, done.summary.as_str()), (CheckStatus::Pass, "all 2 tasks are ticked"));
    }

    #[test]
    fn a_list_without_tasks_or_out_of_sight_is_no_list_that_is_done() {
        let asked_for = |mut scene: Scene| {
            scene.settings.enabled.push(ID.into());
            gist(&scene.shown_to(examine))
        };
        assert_eq!(asked_for(planned("# Plan\nno boxes\n")), "unavailable");
        assert_eq!(asked_for(Scene::new()), "unavailable");
        let mut gone = planned("- [x] all\n");
        gone.settings.task_lists.push("docs/tasks.md".into());
        assert_eq!(gist(&gone.shown_to(examine)), "unavailable");
        let named = gone.on_disk("docs/tasks.md", "- [ ] one\n");
        assert_eq!(gist(&named.shown_to(examine)), "docs/tasks.md:1");
    }

    #[test]
    fn a_plan_without_boxes_leaves_nothing_to_check() {
        for scene in [planned("# Plan\n1. no boxes\n"), Scene::new()] {
            let result = scene.shown_to(examine);
            assert_eq!(result, passed(ID, "no plan of this run has a task with a box"));
        }
        let mut unreadable = Scene::new();
        unreadable.plans.push(PLAN.to_owned());
        assert_eq!(gist(&unreadable.shown_to(examine)), "unavailable");
    }

    #[test]
    fn a_task_is_an_item_with_a_box() {
        let text = "# Tasks\n- [x] 1. Read\n  - [ ] 1.1 Write (P)\n* [X] done\n1. [ ] count\n- [] none\n- [y] none\n- [x](link)\n- plain\n```text\n- [ ] quoted\n```\n";
        let expected =
            [(2, "1. Read", true), (3, "1.1 Write (P)", false), (4, "done", true), (5, "count", false)];
        assert_eq!(read_tasks(text), expected.map(|(line, title, done)| (line, title.to_owned(), done)));
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
