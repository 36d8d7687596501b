//! `execute`: begins a run, resumes it or goes on with it, whatever there is to do, until it halts.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::Answer;
use super::arguments::{Execute, SettingFlags};
use super::door::{Door, log_to, runtime};
use super::failure::{Failure, Kind};
use super::hold::{Hold, open_journal, take};
use super::{announce, begin_run, dry_run, signals};
use crate::agent::{AgentSpec, Stop, usable};
use crate::config::PushWhen;
use crate::event::{Asked, Fact, Outcome, Reopened, ReopenedBy};
use crate::flow::{PhaseState, Run, Status, over_budget, unmet_needs};
use crate::forge::{Forge, LocalForge};
use crate::phase::{PhaseName, Step};
use crate::phase_runner::{PhaseRunner, Push};
use crate::policy::Budget;
use crate::report::{LocalComment, LogLines, Terminal};

/// Runs the command.
pub(super) fn run(arguments: &Execute) -> Answer {
    if arguments.skip_dependency_check && arguments.ignore_dependencies {
        return Err(Failure::usage("--skip-dependency-check and --ignore-dependencies exclude each other"));
    }
    let terminal = Terminal::new();
    log_to(&terminal);
    let door = Door::open(&arguments.settings)?;
    let only = wanted_phase(&door, &arguments.phase)?;
    if arguments.dry_run {
        return dry_run::run(&door, arguments);
    }
    let mut hold = hold_run(&door, arguments)?;
    match nothing_to_do(&hold, arguments)? {
        // A crash or a refused push may have come between the last fact and its commit or its push.
        Some(0) => return drive(&door, hold, &terminal, arguments.json),
        Some(code) => return Ok(finish(&hold, arguments.json, code)),
        None => {}
    }
    ask(&door, &mut hold, arguments, only)?;
    drive(&door, hold, &terminal, arguments.json)
}

/// Reads `--phase`: nothing for all.
fn wanted_phase(door: &Door, text: &str) -> Result<Option<PhaseName>, Failure> {
    if text == "all" {
        return Ok(None);
    }
    let known: Vec<String> = door.settings.phase_names().into_iter().map(|name| name.to_string()).collect();
    if let Some(name) = text.parse().ok().filter(|_| known.iter().any(|name| name == text)) {
        return Ok(Some(name));
    }
    let failure = Failure::usage(format!("there is no phase `{text}`"));
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    Err(match crate::config::suggestion(text, names.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!("the phases are: all, {}", names.join(", "))),
    })
}

fn hold_run(door: &Door, arguments: &Execute) -> Result<Hold, Failure> {
    let issue = arguments.issue;
    let (lock, found) = take(door, issue)?;
    if let Some((space, folder)) = found {
        let journal = open_journal(door, &folder)?;
        if journal.state().run.is_some() {
            let hold = Hold { journal, space, folder, lock };
            same_preset(door, &hold)?;
            return Ok(hold);
        }
    }
    begin_run::begin_run(door, issue, lock)
}

/// What was agreed at the start stays; another preset is another run.
fn same_preset(door: &Door, hold: &Hold) -> Result<(), Failure> {
    let (wanted, pinned) = (door.settings.preset.as_deref(), hold.run()?.started.agreement.preset.as_deref());
    match wanted {
        Some(wanted) if pinned != Some(wanted) => {
            let pinned = pinned.unwrap_or("full");
            Err(Failure::usage(format!("this run was begun with preset `{pinned}`, not `{wanted}`"))
                .hint("go on without `--preset`, or remove the run with `ai-workflow cleanup`"))
        }
        _ => Ok(()),
    }
}

/// Returns the exit code of a run that `execute` alone cannot move.
fn nothing_to_do(hold: &Hold, arguments: &Execute) -> Result<Option<u8>, Failure> {
    let run = hold.run()?;
    let number = run.started.issue.number;
    match run.outcome {
        Outcome::Running => Ok(None),
        Outcome::Completed => {
            tracing::info!("The run of issue #{number} is completed; nothing is left to do");
            Ok(Some(0))
        }
        Outcome::Failed | Outcome::Incomplete if arguments.retry_failed => Ok(None),
        Outcome::Failed | Outcome::Incomplete => {
            announce::failed_run(run);
            Ok(Some(Kind::PhaseFailed as u8))
        }
        Outcome::Cancelled => Err(Failure::usage(format!("the run of issue #{number} was cancelled"))
            .hint(format!("remove it with `ai-workflow cleanup --issue {number}` and begin anew"))),
        Outcome::Paused => Ok(waits_for_a_person(run).then(|| {
            announce::question(run);
            Kind::Waiting as u8
        })),
    }
}

/// A pause for a quota, a budget or a time is looked at again; a question to a person is not.
fn waits_for_a_person(run: &Run) -> bool {
    run.paused.as_ref().is_some_and(|escalation| !escalation.reason.passes_by_itself())
}

/// Records what is asked for now: scope, limits, agents, and where the branch stands.
fn ask(door: &Door, hold: &mut Hold, arguments: &Execute, only: Option<PhaseName>) -> Result<(), Failure> {
    if arguments.retry_failed {
        reopen_failed(hold)?;
    }
    let run = hold.run()?;
    if let Some(name) = &only {
        check_needs(run, name, arguments)?;
    }
    let budget = raised_budget(door, run);
    if let (Some(escalation), None) = (&run.paused, &budget)
        && over_budget(&run.budget, &run.spent).is_some()
    {
        tracing::warn!("{}", escalation.question);
    }
    let (agents, reviewers) = explicit_agents(door, run, &arguments.settings);
    for spec in agents.iter().chain(&reviewers) {
        check_usable(door, spec)?;
    }
    let head = current_head(hold)?;
    let asked = Asked {
        only,
        ignore_needs: arguments.skip_dependency_check || arguments.ignore_dependencies,
        budget,
        agents,
        reviewers,
        head,
    };
    Ok(hold.journal.record(Fact::Asked(asked))?)
}

/// After an answer: the whole run, with the agents given now.
pub(super) fn ask_again(door: &Door, hold: &mut Hold, flags: &SettingFlags) -> Result<(), Failure> {
    let run = hold.run()?;
    let budget = raised_budget(door, run);
    let (agents, reviewers) = explicit_agents(door, run, flags);
    agents.iter().chain(&reviewers).try_for_each(|spec| check_usable(door, spec))?;
    let head = current_head(hold)?;
    let asked = Asked { only: None, ignore_needs: false, budget, agents, reviewers, head };
    Ok(hold.journal.record(Fact::Asked(asked))?)
}

/// The agent that an interrupted call belonged to may have committed; what it committed is folded in, so the branch
/// counts as standing where we left it. In every other case it stands where it stands.
fn current_head(hold: &Hold) -> Result<Option<String>, Failure> {
    let run = hold.run()?;
    let interrupted = run.phases.iter().any(|phase| matches!(phase.stage, crate::flow::Stage::Working(_)));
    let closing = run.phases.iter().any(|phase| phase.stage == crate::flow::Stage::Closing);
    if interrupted || closing {
        return Ok(Some(run.head.clone()));
    }
    let tip = hold.space.workspace().branch(&run.started.branch)?.map(|branch| branch.tip.to_string());
    Ok(tip)
}

fn reopen_failed(hold: &mut Hold) -> Result<(), Failure> {
    let failed = hold
        .run()?
        .phases
        .iter()
        .find(|phase| phase.status == Status::Failed)
        .map(|phase| phase.name().clone());
    let Some(phase) = failed else {
        return Err(Failure::usage("no phase of this run has failed").hint("leave `--retry-failed` out"));
    };
    let reason = "tried again".to_owned();
    Ok(hold.journal.record(Fact::Reopened(Reopened {
        phase,
        step: Step::Execute,
        reason,
        by: ReopenedBy::Retry,
    }))?)
}

fn check_needs(run: &Run, name: &PhaseName, arguments: &Execute) -> Result<(), Failure> {
    let phase = run.phase(name).ok_or_else(|| Failure::usage(format!("this run has no phase `{name}`")))?;
    let unmet: Vec<String> = unmet_needs(run, phase).iter().map(ToString::to_string).collect();
    if unmet.is_empty() || arguments.skip_dependency_check {
        return Ok(());
    }
    let told = format!(
        "{name} needs {}, which {} not completed",
        unmet.join(", "),
        if unmet.len() == 1 { "is" } else { "are" }
    );
    if arguments.ignore_dependencies {
        tracing::warn!("{told}; going on as asked");
        return Ok(());
    }
    Err(Failure::usage(told)
        .hint(format!("run `--phase {}` first, or go on with `--ignore-dependencies`", unmet[0])))
}

/// Returns the budget of today's settings when it differs from the one in force.
fn raised_budget(door: &Door, run: &Run) -> Option<Budget> {
    let wanted = begin_run::budget(door);
    (wanted != run.budget).then_some(wanted)
}

/// Agents given on the command line count from now on; the pinned ones stay otherwise.
fn explicit_agents(door: &Door, run: &Run, flags: &SettingFlags) -> (Vec<String>, Vec<String>) {
    let chain = |text: &str| -> Vec<String> {
        let seen = super::door::seen_from(text, &door.here);
        seen.split(',').map(|spec| begin_run::relative(door, spec)).collect()
    };
    let agents = flags.agent.as_deref().map(chain).unwrap_or_default();
    let reviewers = match (&flags.reviewer[..], &flags.agent) {
        ([], Some(_)) => agents.clone(),
        ([], None) => Vec::new(),
        (given, _) => chain(&given.join(",")),
    };
    let pinned = run.phases.iter().find(|phase| !phase.status.satisfies()).map(|phase| &phase.def);
    let same = pinned.is_some_and(|def| def.agents == agents && def.reviewers == reviewers);
    if same { (Vec::new(), Vec::new()) } else { (agents, reviewers) }
}

/// Refuses an agent whose program is not there.
pub(super) fn check_usable(door: &Door, spec: &str) -> Result<(), Failure> {
    let parsed: AgentSpec = spec.parse().map_err(|error| Failure::usage(format!("{error}")))?;
    usable(&parsed.seen_from(door.root()), &door.profiles()).map_err(|error| {
        Failure::new(Kind::NoAgent, format!("the agent `{spec}` cannot be used: {error}")).hint(error.hint())
    })
}

/// Drives the run until it halts and tells how it ended.
pub(super) fn drive(door: &Door, hold: Hold, terminal: &Terminal, json: bool) -> Answer {
    let runtime = runtime()?;
    let (handle, stop) = Stop::new();
    let signal = Arc::new(OnceLock::new());
    let checkout = door.root().to_owned();
    let forge = LocalForge::new(&checkout);
    let Hold { mut journal, space, folder, lock } = hold;
    announce::beginning(&journal, &checkout);
    journal.tell(Box::new(LogLines::default()));
    journal.tell(Box::new(terminal.clone()));
    journal.tell(Box::new(LocalComment::new(forge.clone(), door.masker.clone())));
    let mut runner = PhaseRunner {
        journal,
        checkout,
        space,
        folder,
        forge: Forge::Local(forge),
        profiles: door.profiles(),
        prompts: door.prompts(),
        masker: door.masker.clone(),
        stop,
        push: push(door),
        signal: Arc::clone(&signal),
        seen: None,
    };
    let ended = runtime.block_on(async {
        let watch = signals::watch(handle, signal)?;
        let ended = runner.run().await;
        watch.abort();
        ended.map_err(Failure::from)
    });
    terminal.finish();
    let PhaseRunner { journal, space, folder, .. } = runner;
    let hold = Hold { journal, space, folder, lock };
    let outcome = ended.inspect_err(|_| announce::stopped(&hold.journal))?;
    let code = exit_code(hold.run()?, outcome, door.settings.no_wait);
    Ok(finish(&hold, json, code))
}

fn push(door: &Door) -> Push {
    match door.settings.push {
        Some(PushWhen::Phase) => Push::Phase,
        Some(PushWhen::Halt) => Push::Halt,
        Some(PushWhen::Never) | None => Push::Never,
    }
}

/// Returns the exit code of a halt (DESIGN §6).
fn exit_code(run: &Run, outcome: Outcome, no_wait: bool) -> u8 {
    match outcome {
        Outcome::Completed | Outcome::Running => 0,
        Outcome::Failed if never_started(run) => Kind::NoAgent as u8,
        Outcome::Failed | Outcome::Incomplete => Kind::PhaseFailed as u8,
        Outcome::Paused if no_wait => Kind::PhaseFailed as u8,
        Outcome::Paused => Kind::Waiting as u8,
        Outcome::Cancelled => Kind::Interrupted as u8,
    }
}

/// Tells whether the run failed because no program could be started at all.
fn never_started(run: &Run) -> bool {
    let not_started = |phase: &PhaseState| {
        let last = phase.work.as_ref().map(|work| work.ended.outcome);
        phase.reason.as_deref() == Some("agent_failed") && last == Some(crate::event::ExecOutcome::NotStarted)
    };
    run.phases.iter().any(not_started)
}

/// Prints the last lines, or the JSON report.
fn finish(hold: &Hold, json: bool, code: u8) -> u8 {
    announce::ending(&hold.journal, hold.folder.root(), code, json);
    code
}

/// Returns where a linked worktree for an issue goes: beside the checkout.
pub(super) fn worktree_path(door: &Door, issue: crate::issue::IssueNumber) -> PathBuf {
    let root = door.root();
    let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    root.with_file_name(format!("{name}-issue-{issue}"))
}
