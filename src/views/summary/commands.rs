//! The commands that move a run on, as a person types them at a terminal or writes them into a comment on the issue.

use engine::{LimitMeasure, LimitScope, PhaseState, Run, Shortage, Status, shortage};
use model::event::{Escalation, PauseChoice, PauseReason, RunOutcome};
use model::phase::Step;

/// Returns the one command that comes next.
pub fn next_command(run: &Run) -> String {
    next_command_after(run, run.outcome)
}

fn next_command_after(run: &Run, outcome: RunOutcome) -> String {
    let number = run.started.issue.number;
    match outcome {
        RunOutcome::Running => format!("ai-workflow execute --phase all --issue {number}"),
        RunOutcome::Completed => format!("ai-workflow finalize --issue {number}"),
        RunOutcome::Failed | RunOutcome::Incomplete => {
            format!("ai-workflow execute --phase all --issue {number} --retry-failed")
        }
        RunOutcome::Paused => {
            let first = run.paused.as_ref().and_then(|pause| answer_commands(run, pause).into_iter().next());
            first.unwrap_or_else(|| format!("ai-workflow status --issue {number}"))
        }
        RunOutcome::Cancelled => format!("ai-workflow cleanup --issue {number}"),
    }
}

/// Returns the commands that answer a pause at a terminal.
pub(super) fn answer_commands(run: &Run, escalation: &Escalation) -> Vec<String> {
    let number = run.started.issue.number;
    let resume = |flags: &str| format!("ai-workflow resume --issue {number} {flags}");
    let again = format!("ai-workflow execute --phase all --issue {number}");
    let flags = |choice: &PauseChoice| match choice {
        PauseChoice::Continue => "--answer \"your advice\"",
        PauseChoice::Accept => "--accept --reason \"why\"",
        PauseChoice::Edited => "--edited",
        PauseChoice::GiveUp => "--give-up",
    };
    match escalation.reason {
        PauseReason::Budget => vec![format!("{again} --set {}", raised_limit(run))],
        PauseReason::OnRequest => vec![resume("--continue")],
        reason if reason.passes_by_itself() => vec![match escalation.until {
            Some(until) => format!("{again}    # from {until} on"),
            None => again,
        }],
        _ => escalation.options.iter().map(|choice| resume(flags(choice))).collect(),
    }
}

/// Returns the limit that leaves too little, doubled, as a setting.
fn raised_limit(run: &Run) -> String {
    let phase = run.paused.as_ref().and_then(|pause| run.phase(pause.phase.as_ref()?));
    let short = phase.and_then(|phase| shortage(run, phase, phase.current_step().unwrap_or(Step::Execute)));
    let Some(Shortage { limit, reserve }) = short else {
        let usd = run.spending.budget.usd.unwrap_or(run.spending.total.cost_usd);
        return format!("budget.usd={:.2}", usd.max(0.5) * 2.0);
    };
    let table = match limit.scope {
        LimitScope::Run => "budget",
        LimitScope::Step => "budget.step",
        LimitScope::Phase(_) => "budget.phase",
        LimitScope::Day => "budget.day",
    };
    let (key, needed) = (limit.measure, limit.most.max(limit.used + reserve));
    match limit.measure {
        LimitMeasure::Usd => format!("{table}.{key}={:.2}", needed.max(0.5) * 2.0),
        _ => format!("{table}.{key}={}", (needed.max(1.0) * 2.0).ceil()),
    }
}

/// Returns the comments that answer a pause. What was changed by hand, and a phase that is to fail, is answered at a terminal only.
pub fn answer_comments(escalation: &Escalation) -> Vec<String> {
    let words = |choice: &PauseChoice| match choice {
        PauseChoice::Continue => Some(comment("answer your advice")),
        PauseChoice::Accept => Some(comment("accept why")),
        PauseChoice::Edited | PauseChoice::GiveUp => None,
    };
    match escalation.reason {
        PauseReason::OnRequest => vec![comment("resume")],
        reason if reason.passes_by_itself() => vec![comment("run")],
        _ => escalation.options.iter().filter_map(words).collect(),
    }
}

fn comment(words: &str) -> String {
    format!("/ai-workflow {words}")
}

/// Returns from when on an answer helps; nothing where it does at once. What agents may cost is set where the jobs are, not by
/// a person who may comment.
pub(super) fn when_to_answer(run: &Run, escalation: &Escalation) -> String {
    if escalation.reason == PauseReason::Budget {
        let limit = raised_limit(run);
        let (key, most) = limit.split_once('=').unwrap_or((&limit, ""));
        let variable = key.to_uppercase().replace('.', "__");
        return format!(
            ", once the job has `AI_WORKFLOW_{variable}: {most}` (from our workflow's `env`; for `usd` there the \
             repository's variable `AI_WORKFLOW_BUDGET_USD` is enough)"
        );
    }
    escalation.until.map_or(String::new(), |until| format!(", from {until} on"))
}

fn failed_phase(run: &Run) -> Option<&PhaseState> {
    run.phases.iter().find(|phase| phase.status == Status::Failed)
}

/// Returns what comes next where a run failed, in one line.
pub(super) fn after_failure(run: &Run) -> Option<String> {
    if !matches!(run.outcome, RunOutcome::Failed | RunOutcome::Incomplete) {
        return None;
    }
    let at_terminal = format!("`{}`", next_command(run));
    Some(match failed_phase(run) {
        Some(phase) if run.started.issue.is_on_a_server() => format!(
            "**Next:** a comment `/ai-workflow retry {}` has it tried once more; at a terminal {at_terminal} does.",
            phase.name()
        ),
        _ => format!("**Next:** {at_terminal}"),
    })
}

/// Returns how a run that comes to `outcome` is run again, in one line; nothing for one that was cancelled for good.
pub(super) fn again(run: &Run, outcome: RunOutcome) -> Option<String> {
    let number = run.started.issue.number;
    let (in_comment, at_terminal) = match outcome {
        RunOutcome::Running => (Some(comment("run")), next_command_after(run, outcome)),
        RunOutcome::Paused => {
            let pause = run.paused.as_ref()?;
            (answer_comments(pause).into_iter().next(), answer_commands(run, pause).into_iter().next()?)
        }
        RunOutcome::Failed | RunOutcome::Incomplete => {
            let retry = failed_phase(run).map(|phase| comment(&format!("retry {}", phase.name())));
            (retry, next_command_after(run, outcome))
        }
        RunOutcome::Completed => {
            let first = run.phases.iter().find(|phase| phase.files.commit.is_some())?.name();
            let execute = next_command_after(run, RunOutcome::Running);
            let rollback =
                format!("ai-workflow rollback --issue {number} --to-phase {first} --reason \"why\"");
            (Some(comment(&format!("retry {first}"))), format!("{rollback} && {execute}"))
        }
        RunOutcome::Cancelled => return None,
    };
    let in_comment = match in_comment {
        Some(words) if run.started.issue.is_on_a_server() => {
            format!("a comment `{words}` on issue #{number}, or at a terminal ")
        }
        _ => String::new(),
    };
    Some(format!("**Run again:** {in_comment}`{at_terminal}`"))
}
