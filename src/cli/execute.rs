//! `execute`: begins a run, resumes it or goes on with it. With `--dry-run` it shows what would happen, without calling anybody
//! or writing anything, and refuses what a real run would refuse.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::CommandResult;
use super::arguments::ExecuteArgs;
use super::observer::{TerminalObserver, show_finalized};
use super::output::show;
use app::begin::RunPlan;
use app::dry_run::{DryRun, calls_at_best, calls_at_worst, dry_run};
use app::execute::{execute, phase_named};
use app::failure::{Failure, exit_code};
use app::project::Project;
use app::run_location::RunView;
use app::run_request::ExecuteRequest;
use model::issue::run_branch_name;
use model::policy::PhaseDef;
use views::summary::{counted, next_command, pad, plain, status_word};

/// Runs the command.
pub(super) fn run(arguments: &ExecuteArgs) -> CommandResult {
    let &ExecuteArgs { issue, retry_failed, skip_dependency_check, ignore_dependencies, .. } = arguments;
    if skip_dependency_check && ignore_dependencies {
        return Err(Failure::usage("--skip-dependency-check and --ignore-dependencies exclude each other")
            .hint("the first does not look, the second looks, warns and goes on: give one of them"));
    }
    let observer = TerminalObserver::new(arguments.common.json);
    let project = crate::project::open(&arguments.common.settings)?;
    let phase = phase_named(&project, issue, &arguments.phase)?;
    let request = ExecuteRequest { issue, retry_failed, skip_dependency_check, ignore_dependencies, phase };
    if arguments.dry_run {
        return show_dry_run(&project, &request, arguments.common.json);
    }
    Ok(exit_code(execute(&project, &observer, &request)?))
}

/// Shows what `execute` would do.
fn show_dry_run(project: &Project, request: &ExecuteRequest, json: bool) -> CommandResult {
    match dry_run(project, request)? {
        DryRun::Finalized(record) => {
            show_finalized(&record, json);
            Ok(0)
        }
        DryRun::Begun(view) => show_begun(&view, json),
        DryRun::New(plan) => show(json, &value(&plan), &lines(project, &plan)),
    }
}

/// Shows what is left of a run that has begun.
fn show_begun(view: &RunView, json: bool) -> CommandResult {
    let run = view.run();
    let (number, outcome, next) = (run.started.issue.number, run.outcome, next_command(run));
    let mut names = Vec::new();
    let mut text = format!("the run of issue {number} has begun: {}\n\n", outcome.as_str());
    for phase in run.phases.iter().filter(|phase| !phase.status.satisfies()) {
        let name = phase.name().as_str();
        names.push(name);
        let _ = writeln!(text, "  {}{}", pad(name, 21), status_word(run, phase));
    }
    let _ = writeln!(text, "\nnext: {next}\nNothing was called and nothing written.");
    let value = json!({
        "issue": number, "begun": true, "outcome": outcome, "facts": view.state.seq, "left": names, "next": next,
    });
    show(json, &value, &text)
}

fn value(plan: &RunPlan) -> Value {
    let (started, agreement) = (&plan.started, &plan.started.agreement);
    let phases = agreement.phases.iter().map(|phase| {
        json!({
            "phase": phase.name, "skipped_because": plan.skip_reason(phase), "policy": phase.policy_name,
            "agent": phase.agents, "reviewer": phase.reviewers, "panel": phase.panel, "max_revisions": phase.policy.limits.max_revisions,
            "calls_at_best": calls_at_best(phase), "calls_at_worst": calls_at_worst(phase),
        })
    });
    let commands = plan
        .commands
        .iter()
        .map(|used| json!({"key": used.key, "line": used.line, "detected_because": used.detected_by}));
    json!({
        "issue": started.issue.number, "title": started.issue.title, "begun": false,
        "branch": run_branch_name(started.issue.number), "base_branch": plan.base.branch, "base_commit": plan.base.commit.to_string(),
        "phases": phases.collect::<Vec<_>>(), "commands": commands.collect::<Vec<_>>(), "budget": agreement.budget, "limits": agreement.time,
    })
}

fn lines(project: &Project, plan: &RunPlan) -> String {
    let (issue, agreement) = (&plan.started.issue, &plan.started.agreement);
    let (branch, base) = (run_branch_name(issue.number), &plan.base.branch);
    let where_to = if project.settings.worktree { " in a worktree of its own" } else { "" };
    let mut text = format!("#{} {}\n{branch} from {base}{where_to}\n\n", issue.number, plain(&issue.title));
    for phase in &agreement.phases {
        let what = if let Some(why) = plan.skip_reason(phase) {
            format!("left out ({why})")
        } else {
            phase_line(phase)
        };
        let _ = writeln!(text, "  {}{what}", pad(phase.name.as_str(), 21));
    }
    if !plan.commands.is_empty() {
        text.push_str("\ncommands\n");
    }
    for command in &plan.commands {
        let (key, line, why) = (pad(&command.key, 21), plain(&command.line), plain(&command.why()));
        let _ = writeln!(text, "  {key}{line} ({why})");
    }
    let cap = agreement.budget.usd.map_or(String::new(), |usd| format!(", at most {usd:.2} USD"));
    let (best, worst) = plan.calls();
    let worst = counted(worst.into(), "agent call");
    let _ = writeln!(
        text,
        "\n{best} to {worst} (redos of broken calls and of open tasks apart){cap}\nNothing was called and nothing written."
    );
    text
}

fn phase_line(phase: &PhaseDef) -> String {
    let calls = format!("{} to {} calls", calls_at_best(phase), calls_at_worst(phase));
    let (policy, calls) = (pad(&phase.policy_name, 14), pad(&calls, 15));
    format!("{policy}{calls}{} by {}", phase.output, plain(&phase.agents.join(", then ")))
}
