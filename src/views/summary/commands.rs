//! What a person writes into a comment on the issue to move a run on: the commands of GitHub, beside those of a terminal.

use super::{answers, next_command, next_command_after, raised};
use engine::{Run, Status};
use model::event::{Choice, Escalation, Outcome, PauseReason};

/// Returns how a pause is answered: where the issue is on a server by a comment, and at a terminal in any case.
pub(super) fn answered_with(run: &Run, escalation: &Escalation, at_terminal: &[String]) -> String {
    let at_terminal = at_terminal.join("\n    ");
    let in_comment = if run.started.issue.is_on_a_server() { in_comment(escalation) } else { Vec::new() };
    if in_comment.is_empty() {
        return format!("Answer with one of:\n\n    {at_terminal}\n");
    }
    let when = when(run, escalation);
    let in_comment = in_comment.join("\n    ");
    format!(
        "Answer with one of these in a comment{when}:\n\n    {in_comment}\n\n\
         <details><summary>At a terminal</summary>\n\n    {at_terminal}\n\n</details>\n"
    )
}

/// Returns from when on an answer helps; nothing where it does at once. What agents may cost is set where the jobs are, not by
/// whoever may comment.
fn when(run: &Run, escalation: &Escalation) -> String {
    if escalation.reason == PauseReason::Budget {
        let higher = raised(run);
        let (key, most) = higher.split_once('=').unwrap_or((&higher, ""));
        let variable = key.to_uppercase().replace('.', "__");
        return format!(
            ", once the job has `AI_WORKFLOW_{variable}: {most}` (from our workflow's `env`; for `usd` there the \
             repository's variable `AI_WORKFLOW_BUDGET_USD` is enough)"
        );
    }
    escalation.until.map_or(String::new(), |until| format!(", from {until} on"))
}

/// What was changed by hand, and a phase that is to fail, are told at a terminal only.
fn in_comment(escalation: &Escalation) -> Vec<String> {
    let written = |text: &str| format!("/ai-workflow {text}");
    match escalation.reason {
        PauseReason::OnRequest => vec![written("resume")],
        reason if reason.passes_by_itself() => vec![written("run")],
        _ => escalation.options.iter().filter_map(|choice| command(*choice)).map(written).collect(),
    }
}

fn command(choice: Choice) -> Option<&'static str> {
    match choice {
        Choice::Continue => Some("answer your advice"),
        Choice::Accept => Some("accept why"),
        Choice::Edited | Choice::GiveUp => None,
    }
}

/// Returns what comes next where a run failed, in one line.
pub(super) fn after_failure(run: &Run) -> Option<String> {
    if !matches!(run.outcome, Outcome::Failed | Outcome::Incomplete) {
        return None;
    }
    let at_terminal = format!("`{}`", next_command(run));
    let failed = run.phases.iter().find(|phase| phase.status == Status::Failed);
    Some(match failed.filter(|_| run.started.issue.is_on_a_server()) {
        Some(phase) => format!(
            "**Next:** a comment `/ai-workflow retry {}` has it tried once more; at a terminal {at_terminal} does.",
            phase.name()
        ),
        None => format!("**Next:** {at_terminal}"),
    })
}

/// Returns how a run that comes to `outcome` is run again, in one line.
pub(super) fn again(run: &Run, outcome: Outcome) -> Option<String> {
    let number = run.started.issue.number;
    let written = |text: &str| Some(format!("/ai-workflow {text}"));
    let (in_comment, at_terminal) = match outcome {
        Outcome::Running => (written("run"), next_command_after(run, outcome)),
        Outcome::Paused => {
            let pause = run.paused.as_ref()?;
            (in_comment(pause).into_iter().next(), answers(run, pause).into_iter().next()?)
        }
        Outcome::Failed | Outcome::Incomplete => {
            let failed = run.phases.iter().find(|phase| phase.status == Status::Failed);
            let in_comment = failed.and_then(|phase| written(&format!("retry {}", phase.name())));
            (in_comment, next_command_after(run, outcome))
        }
        Outcome::Completed => {
            let first = run.phases.iter().find(|phase| phase.commit.is_some())?.name();
            let goes_on = next_command_after(run, Outcome::Running);
            let back = format!("ai-workflow rollback --issue {number} --to-phase {first} --reason \"why\"");
            (written(&format!("retry {first}")), format!("{back} && {goes_on}"))
        }
        // For good.
        Outcome::Cancelled => return None,
    };
    let in_comment = in_comment.filter(|_| run.started.issue.is_on_a_server());
    let in_comment = in_comment
        .map_or(String::new(), |words| format!("a comment `{words}` on issue #{number}, or at a terminal "));
    Some(format!("**Run again:** {in_comment}`{at_terminal}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use content_parser::slash_command;

    #[test]
    fn what_is_offered_in_a_comment_is_understood_as_it_stands() {
        for reason in [
            PauseReason::Budget,
            PauseReason::Quota,
            PauseReason::Outage,
            PauseReason::JobLimit,
            PauseReason::RateLimit,
            PauseReason::OnRequest,
            PauseReason::Exhausted,
        ] {
            let options = vec![Choice::Continue, Choice::Accept, Choice::Edited, Choice::GiveUp];
            let until = Some(jiff::Timestamp::UNIX_EPOCH);
            let (question, report) = (String::new(), Vec::new());
            let asked = Escalation { reason, phase: None, question, options, report, until };
            let offered = in_comment(&asked);
            assert!(!offered.is_empty(), "{reason:?}");
            for line in offered {
                assert!(matches!(slash_command(&line), Some(Ok(_))), "{line}");
            }
        }
    }
}
