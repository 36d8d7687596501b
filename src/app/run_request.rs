//! What is asked for now: scope, limits, agents, and where the branch stands. Written down as a fact before anything happens.

use crate::agent_choice::{Reason, check_chain, choose_chains};
use crate::bundle::TRIED_AGAIN;
use crate::failure::Failure;
use crate::locked_run::LockedRun;
use crate::pinned_settings::{changed_limits, repository_settings_digest};
use crate::project::Project;
use crate::setting_overrides::seen_from;
use engine::{Run, Stage, Status, over_budget, unmet_needs};
use git::CommitId;
use model::event::{Asked, Fact, Reopened, ReopenedBy};
use model::issue::IssueNumber;
use model::phase::{PhaseName, Step};

/// What `execute` is asked for.
#[derive(Debug, Clone)]
pub struct ExecuteRequest {
    /// The issue of the run.
    pub issue: IssueNumber,
    /// One phase, or nothing for all that are left.
    pub phase: Option<PhaseName>,
    /// Open a failed phase again.
    pub retry_failed: bool,
    /// Do not look at whether earlier phases are completed.
    pub skip_dependency_check: bool,
    /// Warn about unmet needs and go on.
    pub ignore_dependencies: bool,
    /// Somebody is at the terminal; else a default spending limit counts.
    pub is_attended: bool,
}

/// Records what `execute` was asked for.
pub fn record_request(
    project: &Project,
    locked: &mut LockedRun,
    request: &ExecuteRequest,
) -> Result<(), Failure> {
    let asked = asked(project, locked)?;
    if let Some(name) = &request.phase {
        check_needs(locked.run()?, name, request.skip_dependency_check, request.ignore_dependencies)?;
    }
    if request.retry_failed {
        reopen_failed(locked)?;
    }
    let run = locked.run()?;
    if let (Some(escalation), None) = (&run.paused, &asked.budget)
        && over_budget(&run.spending.budget, &run.spending.total).is_some()
    {
        tracing::warn!("{}", escalation.question);
    }
    let ignore_needs = request.skip_dependency_check || request.ignore_dependencies;
    Ok(locked.journal.record(Fact::Asked(Asked { only: request.phase.clone(), ignore_needs, ..asked }))?)
}

/// Refuses what `execute` cannot be asked for of this run. Writes nothing, and leaves warnings to whoever asks.
pub fn refuse_request(project: &Project, run: &Run, request: &ExecuteRequest) -> Result<(), Failure> {
    check_agents(project, run)?;
    if let Some(name) = &request.phase {
        let unchecked = request.skip_dependency_check || request.ignore_dependencies;
        check_needs(run, name, unchecked, false)?;
    }
    if request.retry_failed { failed_phase(run).map(drop) } else { Ok(()) }
}

/// After an answer: the whole run, with the agents given now.
pub fn record_whole_run(project: &Project, locked: &mut LockedRun) -> Result<(), Failure> {
    let asked = asked(project, locked)?;
    Ok(locked.journal.record(Fact::Asked(asked))?)
}

/// Records that one phase is asked for, or only some steps of it.
pub fn record_phase(
    project: &Project,
    locked: &mut LockedRun,
    only: PhaseName,
    steps: Vec<Step>,
) -> Result<(), Failure> {
    let asked = asked(project, locked)?;
    check_needs(locked.run()?, &only, false, false)?;
    Ok(locked.journal.record(Fact::Asked(Asked { only: Some(only), steps, ..asked }))?)
}

/// Refuses what one phase of this run cannot be asked for. Writes nothing.
pub fn refuse_phase(project: &Project, run: &Run, only: &PhaseName) -> Result<(), Failure> {
    check_agents(project, run)?;
    check_needs(run, only, false, false)
}

/// Refuses agents that could not be called.
pub fn check_agents(project: &Project, run: &Run) -> Result<(), Failure> {
    explicit_agents(project, run).map(drop)
}

/// Everything but the scope.
fn asked(project: &Project, locked: &LockedRun) -> Result<Asked, Failure> {
    let run = locked.run()?;
    let Explicit { agents, reviewers, told } = explicit_agents(project, run)?;
    told.iter().for_each(Reason::log);
    let (budget, budget_scopes) = changed_limits(project, run);
    let (head, settings) = (current_head(locked)?, Some(repository_settings_digest(project)));
    let content_head = content_head(locked, head.as_deref())?;
    let auto_model = project.settings.auto_model;
    let outage_seconds = Some(project.settings.limits.outage_seconds);
    Ok(Asked {
        budget,
        budget_scopes,
        outage_seconds,
        auto_model,
        agents,
        reviewers,
        settings,
        head,
        content_head,
        ..Asked::default()
    })
}

/// The agent that an interrupted call belonged to may have committed; what it committed is folded in, so the branch
/// counts as standing where we left it, unless it is known that a person moved it since. In every other case it stands where
/// it stands.
fn current_head(locked: &LockedRun) -> Result<Option<String>, Failure> {
    let run = locked.run()?;
    if !run.has_begun() && run.asked.settings.is_none() {
        return Ok(None);
    }
    let tip =
        locked.space.workspace().branches().find(&run.started.branch)?.map(|branch| branch.tip.to_string());
    if !run.has_begun() {
        // A run that halted before its first phase left the end of its log on the branch.
        return Ok(tip.filter(|tip| *tip != run.branch.head));
    }
    let interrupted = run.phases.iter().any(|phase| matches!(phase.stage, Stage::Working(_)));
    let closing = run.phases.iter().any(|phase| phase.stage == Stage::Closing);
    if interrupted || closing {
        let known = CommitId::try_from(run.branch.head.as_str())?;
        let by_people = locked.space.run_branch().moved_by_people(&run.started.run_id, &known)?;
        return Ok(Some(by_people.unwrap_or(known).to_string()));
    }
    Ok(tip)
}

/// The end of the log that an earlier process put on the branch changes nothing that was reviewed.
fn content_head(locked: &LockedRun, head: Option<&str>) -> Result<Option<String>, Failure> {
    let run = locked.run()?;
    if head.is_none() || head == Some(run.branch.content_head.as_str()) {
        return Ok(None);
    }
    let below = locked.space.run_branch().below_records(&run.started.run_id)?;
    Ok(below.map(|commit| commit.to_string()))
}

fn reopen_failed(locked: &mut LockedRun) -> Result<(), Failure> {
    let phase = failed_phase(locked.run()?)?;
    let reason = TRIED_AGAIN.to_owned();
    Ok(locked.journal.record(Fact::Reopened(Reopened {
        phase,
        step: Step::Execute,
        reason,
        by: ReopenedBy::Retry,
    }))?)
}

fn failed_phase(run: &Run) -> Result<PhaseName, Failure> {
    let failed = run.phases.iter().find(|phase| phase.status == Status::Failed);
    failed
        .map(|phase| phase.name().clone())
        .ok_or_else(|| Failure::usage("no phase of this run has failed").hint("leave `--retry-failed` out"))
}

fn check_needs(run: &Run, name: &PhaseName, skip: bool, ignore: bool) -> Result<(), Failure> {
    let phase = run.phase(name).ok_or_else(|| {
        Failure::usage(format!("this run has no phase `{name}`"))
            .hint(format!("`ai-workflow status --issue {}` lists its phases", run.started.issue.number))
    })?;
    if phase.status == Status::Skipped {
        return Err(Failure::usage(format!("the phase {name} is left out of this run"))
            .hint(format!("it was left out by {}", phase.skipped_because.as_deref().unwrap_or("choice"))));
    }
    let unmet: Vec<String> = unmet_needs(run, phase).iter().map(ToString::to_string).collect();
    if unmet.is_empty() || skip {
        return Ok(());
    }
    let are = if unmet.len() == 1 { "is" } else { "are" };
    let told = format!("{name} needs {}, which {are} not completed", unmet.join(", "));
    if ignore {
        tracing::warn!("{told}; going on as asked");
        return Ok(());
    }
    Err(Failure::usage(told)
        .hint(format!("run `--phase {}` first, or go on with `--ignore-dependencies`", unmet[0])))
}

/// Agents that are asked for now, and why these.
#[derive(Default)]
struct Explicit {
    agents: Vec<String>,
    reviewers: Vec<String>,
    told: Vec<Reason>,
}

/// Agents given on the command line count from now on; the pinned ones stay otherwise.
fn explicit_agents(project: &Project, run: &Run) -> Result<Explicit, Failure> {
    let chain = |text: &str| -> Vec<String> {
        let seen = seen_from(text, &project.here);
        seen.split(',').map(|spec| project.relative_spec(spec)).collect()
    };
    let overrides = &project.overrides;
    let agents = overrides.agent.as_deref().map(chain).unwrap_or_default();
    let given = match (overrides.reviewer.is_empty(), project.settings.reviewer.0.is_empty()) {
        (false, _) => Some(chain(&overrides.reviewer.join(","))),
        // Named in the settings: the pinned ones stay.
        (true, false) => Some(Vec::new()),
        (true, true) => None,
    };
    let (agents, reviewers) = choose_chains(project, &agents, given.as_deref())?;
    let told: Vec<Reason> = agents.reasons.into_iter().chain(reviewers.reasons).collect();
    let (agents, reviewers) = (agents.agents, reviewers.agents);
    let pinned = run.phases.iter().find(|phase| !phase.status.satisfies()).map(|phase| &phase.def);
    let same = pinned.is_some_and(|def| def.agents == agents && def.reviewers == reviewers);
    if same {
        return Ok(Explicit::default());
    }
    check_chain(project, &agents)?;
    check_chain(project, &reviewers)?;
    Ok(Explicit { agents, reviewers, told })
}
