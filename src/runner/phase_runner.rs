//! The loop of a run: decide, perform, record, until halt. Each action is in the module of its subject. This module holds only
//! the order of the actions and how a turn ends: by itself, because a person asks, or because the time of the job is over. It never
//! interrupts work that has begun.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::active_run::ActiveRun;
use crate::error::{Result, RunError};
use crate::prompt::{AgentContext, DiffCache};
use crate::publisher::{JobRole, Publisher};
use crate::{
    agent_call, documents, evidence, manual_changes, phase_commit, pull_request, records, remote_checks,
    unapproved_documents, unfinished_work,
};
use engine::{
    Action, Decision, StepPosition, decide, job_limit_pause, pause, pause_on_request, rate_limit_pause,
};
use forge::ForgeError;
use git::Tree;
use model::event::{Escalation, Fact, PauseChoice, PauseReason, RunOutcome};
use model::phase::PhaseName;
use model::policy::FirstStep;
use settings::PushWhen;
use views::summary::deliverable_path;

/// Drives one run in one process. Everything that a crash could cost is in the log and on disk.
pub struct PhaseRunner {
    /// The run: its log and files.
    pub active: ActiveRun,
    /// Where it is published.
    pub publisher: Publisher,
    programs: AgentContext,
    pauses: PauseConditions,
    /// The name of the signal behind a stop.
    signal: Arc<OnceLock<&'static str>>,
    diffs: DiffCache,
}

impl PhaseRunner {
    /// Returns a runner that has done nothing yet. `signal` is set to the name of a signal that stops the run.
    pub fn new(
        active: ActiveRun,
        programs: AgentContext,
        publisher: Publisher,
        pauses: PauseConditions,
        signal: Arc<OnceLock<&'static str>>,
    ) -> Self {
        Self { active, publisher, programs, pauses, signal, diffs: DiffCache::default() }
    }

    /// Works until the run halts or the process has to stop. Files that are not committed by then are kept.
    ///
    /// # Errors
    ///
    /// Fails where the run cannot go on; what was finished is in the log, and the next process goes on from there.
    pub async fn run(&mut self) -> Result<RunOutcome> {
        let ended = match self.work().await {
            // A job that publishes does not change the run, so that the same job can be started again.
            Err(RunError::Forge(ForgeError::Limited { action, until }))
                if self.publisher.role != JobRole::Publish =>
            {
                self.wait_for_server(action, until).await
            }
            ended => ended,
        };
        if matches!(ended, Ok(_) | Err(RunError::Interrupted)) {
            if let Err(error) = unfinished_work::keep_trees(&self.active, &self.publisher) {
                tracing::warn!("git may remove the files of the phase under way when it clears up: {error}");
            }
            self.active.space.run_branch().remember_resting_tip()?;
        }
        ended
    }

    async fn work(&mut self) -> Result<RunOutcome> {
        self.publisher.ensure_progress_comment(&mut self.active).await?;
        loop {
            self.publisher.record_replaced_comment(&mut self.active)?;
            if self.active.is_stopping() {
                return self.end_stopped_turn().await;
            }
            let decision = decide(self.active.journal.state());
            if let Some(outcome) = self.publisher.role.find_handover_outcome(&decision) {
                return self.hand_over(outcome).await;
            }
            match decision {
                Decision::Halt(outcome) => {
                    let (active, publisher) = (&mut self.active, &self.publisher);
                    pull_request::publish_draft(active, publisher).await?;
                    if outcome != RunOutcome::Completed
                        || !remote_checks::feed_back(active, publisher).await?
                    {
                        return self.end_turn(outcome).await;
                    }
                }
                Decision::Record(fact) => self.record(*fact)?,
                Decision::Perform(action) => self.perform(action).await?,
            }
        }
    }

    /// Records a fact. A ruling may be the verdict of a check.
    fn record(&mut self, fact: Fact) -> Result<()> {
        let is_ruling = matches!(fact, Fact::Ruled(_));
        self.active.record(fact)?;
        if is_ruling { records::export_result(&self.active) } else { Ok(()) }
    }

    async fn perform(&mut self, action: Action) -> Result<()> {
        let (active, publisher, programs) = (&mut self.active, &self.publisher, &self.programs);
        match action {
            Action::StartPhase(phase) => self.start_phase(phase),
            // The new amount may change the decision, so the engine decides again before the call costs money.
            Action::Assess(_) | Action::CallAgent(_) if active.record_spending_elsewhere()? => Ok(()),
            Action::Assess(call) => agent_call::assess(active, programs, &call).await,
            Action::CallAgent(call) => {
                self.pauses.has_worked = true;
                agent_call::call(active, programs, &mut self.diffs, &call).await
            }
            Action::RunChecks { phase, round } => {
                evidence::run_checks(active, publisher, &phase, round).await
            }
            Action::Commit(phase) => {
                phase_commit::commit(active, &mut self.diffs, &phase)?;
                pull_request::share_phase(active, publisher).await
            }
            Action::Publish => pull_request::publish(active, publisher).await,
        }
    }

    /// Begins a phase, unless the run has to wait before it.
    fn start_phase(&mut self, name: PhaseName) -> Result<()> {
        let active = &mut self.active;
        if let Some(escalation) = self.pauses.pause_before(&name) {
            return active.record(Fact::Paused { escalation });
        }
        documents::put_back_missing(active, &name)?;
        if unapproved_documents::put_back(active, &name)? {
            active.snapshot = None;
        }
        if let Some(escalation) = find_missing_documents(active, &name)? {
            return active.record(Fact::Paused { escalation });
        }
        // Nothing ran since the last snapshot, so its tree is still true; its differences from HEAD are older than our commit.
        let (tree, by_hand) = if let Some(last) = active.snapshot.take() {
            (last.tree, Vec::new())
        } else {
            let approved = find_approved_tree(active, &name)?;
            let seen = active.ensure_snapshot(approved.as_ref())?.clone();
            let edited = unapproved_documents::list_edited(active, &name)?;
            documents::warn_of_edits(active, &name, &edited)?;
            (seen.tree.clone(), manual_changes::list_before_phase(active, &seen, &edited)?)
        };
        active.record(Fact::PhaseStarted { phase: name, tree: tree.to_string(), by_hand })
    }

    /// Ends a turn that was stopped: cancels the run if a person asked for that, else leaves it resumable.
    async fn end_stopped_turn(&mut self) -> Result<RunOutcome> {
        if let Some(SteeringRequest::Cancel { by }) = self.pauses.request.latest_request() {
            self.active.record(Fact::Cancelled { by })?;
            pull_request::publish_draft(&mut self.active, &self.publisher).await?;
            return self.end_turn(RunOutcome::Cancelled).await;
        }
        let signal = self.signal.get().copied().unwrap_or("a signal").to_owned();
        self.active.record(Fact::Interrupted { signal })?;
        if let Err(error) = self.keep_unfinished().await {
            tracing::warn!("What there is so far cannot be shared: {error}");
        }
        Err(RunError::Interrupted)
    }

    /// Pushes what is finished, because the disk of a job is deleted with the job. Does nothing while the commit of a phase is
    /// announced and not made: a record must not be taken for that commit.
    async fn keep_unfinished(&mut self) -> Result<()> {
        let is_closing =
            self.active.run()?.phases.iter().any(|phase| phase.position == StepPosition::Closing);
        if self.publisher.push != PushWhen::Phase || is_closing {
            return Ok(());
        }
        self.keep_end_of_log(RunOutcome::Running).await
    }

    /// Ends the turn of a process that leaves the rest to another one. When only the publication is left, the branch holds all
    /// but the fact of its last commit, which the next process finds by itself.
    async fn hand_over(&mut self, outcome: RunOutcome) -> Result<RunOutcome> {
        if self.publisher.role == JobRole::Work && outcome == RunOutcome::Running {
            return Ok(outcome);
        }
        pull_request::publish_draft(&mut self.active, &self.publisher).await?;
        self.end_turn(outcome).await
    }

    /// Ends a turn when the rate limit of the server lasts longer than the run waits: the run is paused. The limit does not
    /// hold for git, so the branch and the files of the phase under way are still pushed. The next process writes the comment and
    /// the pull request.
    async fn wait_for_server(&mut self, action: &'static str, until: Timestamp) -> Result<RunOutcome> {
        let run = self.active.run()?;
        let phase = run.current().map(|phase| phase.name().clone());
        let error = ForgeError::Limited { action, until };
        match run.outcome {
            RunOutcome::Running => {
                let escalation = rate_limit_pause(phase.as_ref(), action, until);
                self.active.record(Fact::Paused { escalation })?;
                self.end_turn(RunOutcome::Paused).await
            }
            // The steps after the completion are still to be done.
            RunOutcome::Completed => {
                self.keep_end_of_log(RunOutcome::Completed).await?;
                Err(error.into())
            }
            outcome => {
                tracing::warn!("The progress comment or pull request could not be updated: {error}");
                self.end_turn(outcome).await
            }
        }
    }

    async fn end_turn(&mut self, outcome: RunOutcome) -> Result<RunOutcome> {
        pull_request::answer_threads(&mut self.active, &self.publisher, outcome).await?;
        pull_request::request_review(&mut self.active, &self.publisher, outcome).await?;
        self.keep_end_of_log(outcome).await?;
        Ok(outcome)
    }

    /// Commits the end of the log, and shares the files that are not approved yet, so that the next process finds both.
    async fn keep_end_of_log(&mut self, outcome: RunOutcome) -> Result<()> {
        unfinished_work::share(&mut self.active, &self.publisher, outcome).await?;
        phase_commit::commit_log(&mut self.active, &self.publisher, outcome)?;
        if self.publisher.push == PushWhen::Never { Ok(()) } else { self.publisher.push(&self.active).await }
    }
}

/// Returns the files that were approved, where the phase was opened again with its approval and this machine still knows them. A
/// snapshot since then shows whether they are the same; one of its own would also hold the log that was committed meanwhile.
fn find_approved_tree(active: &ActiveRun, name: &PhaseName) -> Result<Option<Tree>> {
    let Some(approval) = &active.phase(name)?.reviews.approval else { return Ok(None) };
    let tree = Tree::try_from(approval.review.tree.as_str())?;
    Ok(if active.space.snapshots().has_index_of(&tree) { Some(tree) } else { None })
}

/// Returns the pause of a phase that begins with a review, when a document that it reviews is missing.
fn find_missing_documents(active: &ActiveRun, name: &PhaseName) -> Result<Option<Escalation>> {
    let (run, phase) = (active.run()?, active.phase(name)?);
    if phase.def.policy.entry != FirstStep::Review {
        return Ok(None);
    }
    let needed = phase.def.needs.iter().filter_map(|need| run.phase(need));
    let paths = needed
        .filter(|need| need.skipped_because.is_none() && !need.def.stores_review_documents())
        .map(|need| deliverable_path(run, need));
    let missing: Vec<String> = paths.filter(|path| !active.folder.root().join(path).is_file()).collect();
    if missing.is_empty() {
        return Ok(None);
    }
    let question = format!("{name} has nothing to review: {} is missing.", missing.join(", "));
    let options = vec![PauseChoice::Continue, PauseChoice::GiveUp];
    Ok(Some(Escalation { options, ..pause(PauseReason::Blocked, Some(name), question) }))
}

/// What a person asks of a run that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SteeringRequest {
    /// Wait before the next phase.
    Pause {
        /// Who asks.
        by: String,
    },
    /// Cancel the run at once; the caller that submits it also stops the work.
    Cancel {
        /// Who asks.
        by: String,
    },
}

/// The request that waits for the run to see it. All clones share it.
#[derive(Debug, Clone, Default)]
pub struct PendingRequest(Arc<Mutex<Option<SteeringRequest>>>);

impl PendingRequest {
    /// Submits a request, which replaces an earlier one. A pause never replaces a cancellation.
    pub fn submit(&self, request: SteeringRequest) {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*pending, Some(SteeringRequest::Cancel { .. })) {
            *pending = Some(request);
        }
    }

    /// Returns the request that is in force now.
    pub(super) fn latest_request(&self) -> Option<SteeringRequest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Ends the turn of a process between two phases.
#[derive(Debug, Clone, Default)]
pub struct PauseConditions {
    /// The latest request of a person.
    pub request: PendingRequest,
    /// When the job's time for beginning phases is over, and how many minutes it had.
    pub until: Option<(Instant, u64)>,
    /// An agent was called in this turn. Until then the time limit has no effect, so that every job makes progress.
    pub(super) has_worked: bool,
}

impl PauseConditions {
    /// Returns the conditions of a job that has so many minutes.
    pub fn after(minutes: Option<u64>, request: PendingRequest) -> Self {
        let until = minutes.and_then(|minutes| {
            let time = Duration::from_secs(minutes.saturating_mul(60));
            Some((Instant::now().checked_add(time)?, minutes))
        });
        Self { request, until, has_worked: false }
    }

    /// Returns why the run waits before a phase.
    pub(super) fn pause_before(&self, phase: &PhaseName) -> Option<Escalation> {
        if let Some(SteeringRequest::Pause { by }) = self.request.latest_request() {
            return Some(pause_on_request(Some(phase), &by));
        }
        let (_, minutes) = self.until.filter(|(until, _)| self.has_worked && Instant::now() >= *until)?;
        Some(job_limit_pause(phase, minutes))
    }
}
