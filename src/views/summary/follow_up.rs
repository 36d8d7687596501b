//! What an evaluation left for later, told where people look for it: in the pull request, and in an issue of its own.

use std::fmt::Write as _;

use super::{quoted, titled};
use engine::Run;
use model::event::{Evaluation, RunDecision};

/// The most tasks that are listed; the evaluation's document has all of them.
const MOST_TASKS: usize = 100;
/// What stands for the tasks where the evaluation named none: somebody has to look.
const UNNAMED: &str = "The evaluation decided PASS_WITH_ISSUES and names no task; its document says why.";

/// Returns what is left for later, one line each. An evaluation that found something and names none of it is told, too.
pub(super) fn remaining_tasks(run: &Run) -> Vec<String> {
    let evaluations = || run.phases.iter().filter_map(|phase| phase.evaluation.as_ref());
    let silent = |found: &Evaluation| {
        found.decision == RunDecision::PassWithIssues && found.remaining_tasks.is_empty()
    };
    if evaluations().any(silent) {
        return vec![UNNAMED.into()];
    }
    let tasks = evaluations().flat_map(|found| &found.remaining_tasks);
    tasks
        .map(|task| format!("{} ({} {})", quoted(&task.task), quoted(&task.priority), quoted(&task.phase)))
        .collect()
}

/// Tells whether the run is through and its evaluation passed it with issues.
pub fn wants_follow_up(run: &Run) -> bool {
    let with_issues = |found: &Evaluation| found.decision == RunDecision::PassWithIssues;
    run.phases.iter().all(|phase| phase.status.satisfies())
        && run.phases.iter().filter_map(|phase| phase.evaluation.as_ref()).any(with_issues)
}

/// Returns title and body of the follow-up issue.
pub fn follow_up(run: &Run) -> (String, String) {
    let issue = &run.started.issue;
    let title = format!("[Follow-up] #{}: {}", issue.number, titled(&issue.title));
    let tasks = remaining_tasks(run);
    let mut body = format!("{}\nParent issue: #{}\n\n", follow_up_marker(run), issue.number);
    let _ =
        writeln!(body, "The evaluation of `{}` passed with issues. Left for later:\n", run.started.branch);
    for task in tasks.iter().take(MOST_TASKS) {
        let _ = writeln!(body, "- [ ] {task}");
    }
    if tasks.len() > MOST_TASKS {
        let _ = writeln!(
            body,
            "\n… and {} more: the document of the evaluation has all.",
            tasks.len() - MOST_TASKS
        );
    }
    (title.chars().take(200).collect(), body)
}

/// Returns the mark by which the follow-up issue of a run is found again.
pub fn follow_up_marker(run: &Run) -> String {
    format!("<!-- ai-workflow:follow-up v1 issue={} run={} -->", run.started.issue.number, run.started.run_id)
}

/// Returns the section of the pull request about what is left for later; nothing where nothing is.
pub(super) fn left_for_later(run: &Run) -> String {
    let mut section: String = remaining_tasks(run).iter().map(|task| format!("- {task}\n")).collect();
    if let Some((number, _)) = &run.follow_up {
        let _ = write!(section, "\nFollow-up issue: #{number}\n");
    }
    if section.is_empty() {
        section
    } else {
        format!("\n## Left for later\n\n{}", section.trim_start_matches('\n'))
    }
}
