//! `execute --dry-run`: what would happen, without calling anybody or writing anything.
//! Refuses what a real run would refuse.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Answer;
use super::show::show;
use app::agreement::ProjectCommand;
use app::begin::{self, RunPlan};
use app::project::Project;
use app::run_location::locate;
use app::run_location::{RunView, view};
use app::run_request::ExecuteRequest;
use engine::Run;
use model::event::branch_of;
use model::phase::PhaseName;
use model::policy::PhaseDef;
use views::summary::{counted, next_command, padded, plain, status_word};

/// Shows what `execute` with these arguments would do.
pub(super) fn run(project: &Project, as_json: bool, request: &ExecuteRequest) -> Answer {
    if locate(project, request.issue)?.has_log() {
        let seen = view(project, request.issue)?;
        return Ok(seen.state.run.as_ref().map_or(0, |run| going_on(&seen, run, as_json)));
    }
    let plan = begin::plan(project, request)?;
    show(as_json, &value(&plan), &lines(project, &plan));
    Ok(0)
}

/// Tells what is left of a run that has begun.
fn going_on(seen: &RunView, run: &Run, as_json: bool) -> u8 {
    let left = run.phases.iter().filter(|phase| !phase.status.satisfies());
    let names: Vec<&str> = left.clone().map(|phase| phase.name().as_str()).collect();
    let lines = left.fold(String::new(), |mut text, phase| {
        let _ = writeln!(text, "  {}{}", padded(phase.name().as_str(), 21), status_word(phase));
        text
    });
    let next = next_command(run);
    let value = json!({
        "issue": run.started.issue.number, "begun": true, "outcome": run.outcome, "facts": seen.state.seq,
        "left": names, "next": next,
    });
    let head = format!("the run of issue {} has begun: {}", run.started.issue.number, run.outcome.as_str());
    let words = format!("{head}\n\n{lines}\nnext: {next}\nNothing was called and nothing written.\n");
    show(as_json, &value, &words);
    0
}

fn value(plan: &RunPlan) -> Value {
    let phases = plan.started.agreement.phases.iter().map(|phase| {
        json!({
            "phase": phase.name, "skipped_because": skipped(&plan.skipped, phase), "policy": phase.policy_name,
            "agent": phase.agents, "reviewer": phase.reviewers, "panel": phase.panel, "max_revisions": phase.policy.limits.max_revisions,
            "calls_at_best": calls_at_best(phase), "calls_at_worst": calls_at_worst(phase),
        })
    });
    let commands = plan
        .commands
        .iter()
        .map(|used| json!({"key": used.key, "line": used.line, "detected_because": used.detected_by}));
    json!({
        "issue": plan.started.issue.number, "title": plan.started.issue.title, "begun": false,
        "branch": branch_of(plan.started.issue.number), "base_branch": plan.base.branch, "base_commit": plan.base.commit.to_string(),
        "phases": phases.collect::<Vec<_>>(), "commands": commands.collect::<Vec<_>>(), "budget": plan.started.agreement.budget, "limits": plan.started.agreement.time,
    })
}

fn lines(project: &Project, plan: &RunPlan) -> String {
    let issue = &plan.started.issue;
    let where_to = if project.settings.worktree { " in a worktree of its own" } else { "" };
    let mut text = format!(
        "#{} {}\n{} from {}{where_to}\n\n",
        issue.number,
        plain(&issue.title),
        branch_of(issue.number),
        plan.base.branch
    );
    for phase in &plan.started.agreement.phases {
        let _ = writeln!(text, "  {}{}", padded(phase.name.as_str(), 21), what(plan, phase));
    }
    if !plan.commands.is_empty() {
        let _ = write!(text, "\ncommands\n{}", command_lines(&plan.commands));
    }
    let run = plan.started.agreement.phases.iter().filter(|phase| skipped(&plan.skipped, phase).is_none());
    let (best, worst) =
        run.fold((0, 0), |sum, phase| (sum.0 + calls_at_best(phase), sum.1 + calls_at_worst(phase)));
    let cap =
        plan.started.agreement.budget.usd.map_or(String::new(), |usd| format!(", at most {usd:.2} USD"));
    let _ = writeln!(
        text,
        "\n{best} to {} (redos of broken calls apart){cap}\nNothing was called and nothing written.",
        counted(worst.into(), "agent call")
    );
    text
}

fn what(plan: &RunPlan, phase: &PhaseDef) -> String {
    if let Some(why) = skipped(&plan.skipped, phase) {
        return format!("left out ({why})");
    }
    let (best, worst) = (calls_at_best(phase), calls_at_worst(phase));
    let calls = padded(&format!("{best} to {worst} calls"), 15);
    format!(
        "{}{calls}{} by {}",
        padded(&phase.policy_name, 14),
        phase.output,
        plain(&phase.agents.join(", then "))
    )
}

fn skipped<'a>(left_out: &'a [(PhaseName, String)], phase: &PhaseDef) -> Option<&'a str> {
    left_out.iter().find(|(name, _)| *name == phase.name).map(|(_, why)| why.as_str())
}

fn calls_at_best(phase: &PhaseDef) -> u32 {
    let seats = u32::try_from(phase.panel.len()).unwrap_or(u32::MAX);
    1 + if phase.policy.review.is_some() { 1 + seats } else { 0 }
}

fn calls_at_worst(phase: &PhaseDef) -> u32 {
    let most = phase.policy.limits.max_revisions;
    if phase.policy.triage { 2 * most } else { calls_at_best(phase) * (most + 1) }
}

/// Returns the commands line by line.
fn command_lines(commands: &[ProjectCommand]) -> String {
    let mut text = String::new();
    for command in commands {
        let (key, line, why) = (padded(&command.key, 21), plain(&command.line), plain(&command.why()));
        let _ = writeln!(text, "  {key}{line} ({why})");
    }
    text
}
