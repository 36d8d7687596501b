//! What is asked for now: scope, limits, agents, and where the branch stands. Written down as a fact before anything happens.

use crate::agent_choice::{AgentChain, ChoiceReason, check_chain, choose_chains};
use crate::bundle::TRIED_AGAIN;
use crate::failure::{Failure, Result};
use crate::kept_settings::{changed_limits, repository_settings_digest};
use crate::locked_run::LockedRun;
use crate::project::{Project, seen_from};
use engine::{Run, Status, StepPosition, over_budget, unmet_needs};
use git::CommitId;
use model::event::{Fact, RunRequested};
use model::issue::IssueNumber;
use model::phase::{PhaseName, Step};

/// What `execute` is asked for.
#[derive(Debug, Clone)]
pub struct ExecuteRequest {
    /// The issue of the run.
    pub issue: IssueNumber,
    /// Open a failed phase again.
    pub retry_failed: bool,
    /// Do not look at whether earlier phases are completed.
    pub skip_dependency_check: bool,
    /// Warn about unmet needs and go on.
    pub ignore_dependencies: bool,
    /// The one phase that is asked for; nothing for all.
    pub phase: Option<PhaseName>,
}

impl ExecuteRequest {
    /// Asks for all phases that are left.
    pub fn all_of(issue: IssueNumber) -> Self {
        let (skip_dependency_check, ignore_dependencies) = (false, false);
        Self { issue, phase: None, retry_failed: false, skip_dependency_check, ignore_dependencies }
    }
}

/// Records what `execute` was asked for.
pub(crate) fn record_request(
    project: &Project,
    locked: &mut LockedRun,
    request: &ExecuteRequest,
) -> Result<()> {
    let asked = current_request(project, locked)?;
    if let Some(name) = &request.phase {
        check_needs(locked.run(), name, request.skip_dependency_check, request.ignore_dependencies)?;
    }
    if request.retry_failed {
        let phase = failed_phase(locked.run())?;
        locked.reopen(phase, TRIED_AGAIN)?;
    }
    let run = locked.run();
    if let (Some(escalation), None) = (&run.paused, &asked.budget)
        && over_budget(&run.spending.budget, &run.spending.total).is_some()
    {
        tracing::warn!("{}", escalation.question);
    }
    let ignore_needs = request.skip_dependency_check || request.ignore_dependencies;
    locked.record(Fact::RunRequested(RunRequested { only: request.phase.clone(), ignore_needs, ..asked }))
}

/// Refuses what `execute` cannot be asked for of this run. Writes nothing, and leaves warnings to whoever asks.
pub(crate) fn refuse_request(project: &Project, run: &Run, request: &ExecuteRequest) -> Result<()> {
    check_agents(project, run)?;
    if let Some(name) = &request.phase {
        let unchecked = request.skip_dependency_check || request.ignore_dependencies;
        check_needs(run, name, unchecked, false)?;
    }
    if request.retry_failed { failed_phase(run).map(drop) } else { Ok(()) }
}

/// After an answer: the whole run, with the agents given now.
pub(crate) fn record_whole_run(project: &Project, locked: &mut LockedRun) -> Result<()> {
    let asked = current_request(project, locked)?;
    locked.record(Fact::RunRequested(asked))
}

/// Records that one phase is asked for, or only some steps of it.
pub(crate) fn record_phase(
    project: &Project,
    locked: &mut LockedRun,
    only: PhaseName,
    steps: Vec<Step>,
) -> Result<()> {
    let asked = current_request(project, locked)?;
    check_needs(locked.run(), &only, false, false)?;
    locked.record(Fact::RunRequested(RunRequested { only: Some(only), steps, ..asked }))
}

/// Refuses what one phase of this run cannot be asked for. Writes nothing.
pub(crate) fn refuse_phase(project: &Project, run: &Run, only: &PhaseName) -> Result<()> {
    check_agents(project, run)?;
    check_needs(run, only, false, false)
}

/// Refuses agents that could not be called.
pub(crate) fn check_agents(project: &Project, run: &Run) -> Result<()> {
    explicit_agents(project, run).map(drop)
}

/// Everything but the scope.
fn current_request(project: &Project, locked: &LockedRun) -> Result<RunRequested> {
    let run = locked.run();
    let (agents, reviewers) = explicit_agents(project, run)?;
    agents.reasons.iter().chain(&reviewers.reasons).for_each(ChoiceReason::log);
    let (budget, budget_scopes) = changed_limits(project, run);
    let head = current_head(locked)?;
    Ok(RunRequested {
        budget,
        budget_scopes,
        outage_seconds: Some(project.settings.limits.outage_seconds),
        auto_model: project.settings.auto_model,
        agents: agents.agents,
        reviewers: reviewers.agents,
        settings: Some(repository_settings_digest(project)),
        content_head: content_head(locked, head.as_deref())?,
        head,
        ..RunRequested::default()
    })
}

/// Returns the commit that the branch counts as standing on, or nothing where the log says it already.
///
/// It is the tip of the branch, but in a phase that was interrupted: there an agent may have committed, and its commits are taken
/// into the phase. The branch then counts as standing on the last commit that is known, or on the one to which a person moved it.
fn current_head(locked: &LockedRun) -> Result<Option<String>> {
    let run = locked.run();
    if !run.has_begun() && run.asked.settings.is_none() {
        return Ok(None);
    }
    let tip =
        locked.space.workspace().branches().find(&run.started.branch)?.map(|branch| branch.tip.to_string());
    if !run.has_begun() {
        // A run that halted before its first phase left the end of its log on the branch.
        return Ok(tip.filter(|tip| *tip != run.branch.head));
    }
    let interrupted = run.phases.iter().any(|phase| matches!(phase.position, StepPosition::Working(_)));
    let closing = run.phases.iter().any(|phase| phase.position == StepPosition::Closing);
    if interrupted || closing {
        let known = CommitId::try_from(run.branch.head.as_str())?;
        let by_people = locked.space.run_branch().find_moved_tip(&run.started.run_id, &known)?;
        return Ok(Some(by_people.unwrap_or(known).to_string()));
    }
    Ok(tip)
}

/// The end of the log that an earlier process put on the branch changes nothing that was reviewed.
fn content_head(locked: &LockedRun, head: Option<&str>) -> Result<Option<String>> {
    let run = locked.run();
    if head.is_none() || head == Some(run.branch.content_head.as_str()) {
        return Ok(None);
    }
    let below = locked.space.run_branch().find_below_records(&run.started.run_id)?;
    Ok(below.map(|commit| commit.to_string()))
}

fn failed_phase(run: &Run) -> Result<PhaseName> {
    let failed = run.phases.iter().find(|phase| phase.status == Status::Failed);
    failed
        .map(|phase| phase.name().clone())
        .ok_or_else(|| Failure::usage("no phase of this run has failed").hint("leave `--retry-failed` out"))
}

fn check_needs(run: &Run, name: &PhaseName, skip: bool, ignore: bool) -> Result<()> {
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

/// Returns the authors and the reviewers that are given on the command line, which count from now on; none where the pinned
/// ones stay.
fn explicit_agents(project: &Project, run: &Run) -> Result<(AgentChain, AgentChain)> {
    let chain = |text: &str| -> Vec<String> {
        let seen = seen_from(text, &project.here);
        seen.split(',').map(|spec| project.relative_spec(spec)).collect()
    };
    let overrides = &project.overrides;
    let agents = overrides.agent.as_deref().map(chain).unwrap_or_default();
    let given = match (overrides.reviewer.is_empty(), project.settings.reviewer.is_empty()) {
        (false, _) => Some(chain(&overrides.reviewer.join(","))),
        // Named in the settings: the pinned ones stay.
        (true, false) => Some(Vec::new()),
        (true, true) => None,
    };
    let (agents, reviewers) = choose_chains(project, &agents, given.as_deref())?;
    let pinned = run.phases.iter().find(|phase| !phase.status.satisfies()).map(|phase| &phase.def);
    if pinned.is_some_and(|def| def.agents == agents.agents && def.reviewers == reviewers.agents) {
        return Ok(<(AgentChain, AgentChain)>::default());
    }
    check_chain(project, &agents.agents)?;
    check_chain(project, &reviewers.agents)?;
    Ok((agents, reviewers))
}
