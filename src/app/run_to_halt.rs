//! The turn of one process on a run: works until the run halts, with the reporters that show it to people, the signals that
//! stop it, and the comments that steer it; shows how it stands then, reports that to the job that this may be, and starts
//! another job where the run waits for one. Decides which exit code a halt has, and when the branch is pushed.
//! Prints nothing: the caller gives the observer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::bundle::VerifiedBundle;
use crate::cancel::CancelRequest;
use crate::environment::{runtime, watch_signals};
use crate::failure::{Failure, FailureKind, Halt, HaltResult, Result};
use crate::forge_connection;
use crate::github_job::{self, JobProgress};
use crate::locked_run::LockedRun;
use crate::project::Project;
use crate::steering::CommentWatcher;
use engine::{PhaseState, Run, apply};
use forge::Forge;
use git::CommitId;
use journal::store::common_dir::FinalizedRun;
use journal::{Journal, Reporter};
use model::event::{Entry, ExecOutcome, Fact, PauseReason, RunOutcome};
use model::policy::Agreement;
use process::{self, Stop, StopHandle, Urgency};
use runner::report::{
    CommentTask, LabelTask, LocalComment, PACE, ReplacedComment, github_comment, refresh_comment,
    refresh_label, state_label,
};
use runner::{
    ActiveRun, AgentContext, JobRole, PauseConditions, PendingRequest, PhaseRunner, Publisher, RunError,
};
use settings::PushWhen;
use views::prompt::check_templates;
use views::summary::status_word;

/// Shows a run while a process works on it.
pub trait RunObserver {
    /// Returns the reporter that gets each fact of the run.
    fn reporter(&self) -> Box<dyn Reporter>;

    /// Shows what is going to happen.
    fn show_start(&self, project: &Project, locked: &LockedRun);

    /// Takes away what is shown only while the run is worked on.
    fn clear_progress(&self);

    /// Shows how a run came to its halt.
    fn show_halt(&self, locked: &LockedRun, halt: Halt);

    /// Shows the question of a run that waits for a person.
    fn show_question(&self, run: &Run);

    /// Shows a run that is over and whose log is gone.
    fn show_finalized(&self, record: &FinalizedRun);

    /// Hands lines to the runner of the job that we are in.
    fn write_job_commands(&self, lines: &[String]);
}

/// How the work of this process on a run ended, when it was not stopped.
pub(crate) struct DriveOutcome {
    /// The run.
    pub locked: LockedRun,
    /// How the run stands.
    pub outcome: RunOutcome,
    /// An agent was called.
    pub has_called: bool,
    /// Checks of the server that failed were taken up.
    pub took_up_red_checks: bool,
}

/// Works on a run in this process until the run halts.
#[derive(Clone, Copy)]
pub(crate) struct RunDriver<'a> {
    /// The repository.
    pub project: &'a Project,
    /// Who watches.
    pub observer: &'a dyn RunObserver,
}

impl RunDriver<'_> {
    /// Drives the run until it halts and shows how it ended.
    pub(crate) fn drive(self, locked: LockedRun) -> HaltResult {
        let end = self.run_to_halt(locked, None, None)?;
        if self.project.role == JobRole::Both {
            let done = if end.has_called { JobProgress::Worked } else { JobProgress::Idle };
            github_job::start_again(self.project, &end.locked, done);
        }
        Ok(self.show_halt(&end.locked, end.outcome))
    }

    /// Publishes what another process worked on, as far as it was judged, and shows how the run stands.
    pub(crate) fn publish(self, locked: LockedRun, bundle: &VerifiedBundle) -> HaltResult {
        let end = self.run_to_halt(locked, None, Some(bundle.tip.clone()))?;
        // The process that publishes reads the checks of the server, and calls no agent.
        if end.took_up_red_checks && end.outcome == RunOutcome::Running {
            github_job::start_again(self.project, &end.locked, JobProgress::RedChecks);
        } else if bundle.asks_for_more {
            github_job::start_again(self.project, &end.locked, JobProgress::Worked);
        }
        Ok(self.show_halt(&end.locked, end.outcome))
    }

    /// Writes down what ends the run's turn, and shares it: the comment, the branch, the pull request.
    pub(crate) fn share(self, locked: LockedRun, last: Fact) -> Result<()> {
        let end = self.run_to_halt(locked, Some(last), None)?;
        show(self.observer, &end.locked, None);
        Ok(())
    }

    /// Shows how a run came to this outcome, and returns what that counts as.
    pub(crate) fn show_halt(self, locked: &LockedRun, outcome: RunOutcome) -> Halt {
        let halt = halt_of(self.project, locked.run(), outcome);
        show(self.observer, locked, halt);
        halt
    }

    /// Works on a run until it halts, shows it to people while it does, and ends the turn of this process. The first fact is
    /// recorded at once, so that every reporter gets it; a process that publishes may publish up to the judged commit.
    pub(crate) fn run_to_halt(
        self,
        mut locked: LockedRun,
        first: Option<Fact>,
        judged: Option<CommitId>,
    ) -> Result<DriveOutcome> {
        let Self { project, observer } = self;
        let (calls, rounds) = (locked.run().spending.total.calls, locked.run().feedback.ci_rounds);
        locked.locks.begin_work();
        locked.space.run_branch().remember_tip()?;
        let agreement = &locked.run().started.agreement;
        refuse_broken_templates(project, agreement)?;
        let prompts = template_overrides(project, agreement);
        let runtime = runtime()?;
        let (handle, stop) = Stop::new();
        let signal = Arc::new(OnceLock::new());
        process::adopt_orphans();
        if project.role != JobRole::Publish {
            observer.show_start(project, &locked);
        }
        let forge = forge_connection::of_run(project, locked.run())?;
        let push = if project.role == JobRole::Work { PushWhen::Never } else { push_when(project, &forge) };
        let request = PendingRequest::default();
        let is_job = forge.is_remote() && forge_connection::in_ci();
        let minutes = if is_job { project.settings.github.job_minutes } else { None };
        let mut steering = self.steering(locked.run(), &forge, &request, &handle);
        let LockedRun { journal, space, folder, locks } = locked;
        let active =
            ActiveRun::new((journal, space, folder), project.masker.clone(), stop, github_job::seal());
        let checkout = project.root().to_owned();
        let programs =
            AgentContext { profiles: project.settings.agents.clone(), prompts, checkout: checkout.clone() };
        let publisher = Publisher {
            forge: forge.clone(),
            push,
            role: project.role,
            judged,
            github: project.settings.github.clone(),
            credentials: forge.is_remote().then(forge_connection::credentials).flatten(),
            checkout,
            moved_comment: ReplacedComment::default(),
        };
        let pauses = PauseConditions::after(minutes, request);
        let mut runner = PhaseRunner::new(active, programs, publisher, pauses, Arc::clone(&signal));
        runner.active.journal.add_reporter(observer.reporter());
        let ended = runtime.block_on(async {
            let watch = watch_signals(handle, signal)?;
            let label = self.label(&mut runner.active.journal, &forge);
            let comment = self.comment(&mut runner.active.journal, forge);
            if let Some(comment) = &comment {
                runner.publisher.moved_comment = comment.moved.clone();
            }
            match (first, &runner.active.journal.state().run) {
                (Some(fact), _) => runner.active.journal.record(fact)?,
                (None, Some(run)) if project.role == JobRole::Both && run.outcome != RunOutcome::Running => {
                    refresh(project, run).await;
                }
                (None, _) => {}
            }
            // Where nothing is pushed no request is opened.
            if push != PushWhen::Never || project.role == JobRole::Work {
                let mut stop = runner.active.stop.clone();
                tokio::select! {
                    biased;
                    checked = github_job::check_token(project, &mut runner.active.journal, &runner.publisher.forge) => checked?,
                    _ = stop.wait_beyond(Urgency::Running) => {}
                }
            }
            let ended = match &mut steering {
                Some(steering) => steering.watch_during(Box::pin(runner.run())).await,
                None => runner.run().await,
            };
            watch.abort();
            if let Some(steering) = steering {
                steering.confirm_pauses(has_paused_on_request(&runner.active.journal)).await;
            }
            let ended = ended.map_err(Failure::from);
            if let (Err(failure), Some(run)) = (&ended, &runner.active.journal.state().run) {
                if let Some(comment) = &comment {
                    comment.stopped(run, &Self::why_stopped(failure));
                }
                if let Some(label) = &label {
                    label.stopped(run);
                }
            }
            if let Some(comment) = comment {
                comment.end().await;
            }
            if let Some(label) = label {
                label.end().await;
            }
            Ok::<_, Failure>(ended)
        })?;
        observer.clear_progress();
        let ActiveRun { journal, space, folder, .. } = runner.active;
        let locked = LockedRun { journal, space, folder, locks };
        let outcome = match ended {
            Ok(outcome) => outcome,
            Err(failure) => return Err(self.stopped(&locked, failure)),
        };
        let run = locked.run();
        let has_called = run.spending.total.calls > calls;
        let took_up_red_checks = run.feedback.ci_rounds > rounds;
        Ok(DriveOutcome { locked, outcome, has_called, took_up_red_checks })
    }

    /// Says where a run stands that was stopped by an error, and reports it to the job that we may be in.
    fn stopped(self, locked: &LockedRun, failure: Failure) -> Failure {
        if let Some(current) = locked.run().current() {
            tracing::info!("Phase {}: Stopped at {}", current.name(), status_word(locked.run(), current));
        }
        let failure = self.cancelled_by_other(locked, failure);
        let report = Some(Box::new(locked.report(Some(failure.kind))));
        self.observer.write_job_commands(&github_job::report(locked, Some(&failure)));
        Failure { report, ..failure }
    }

    /// Returns how the run ends where another process stopped this one to cancel it: it is written down once this one has ended.
    fn cancelled_by_other(self, locked: &LockedRun, failure: Failure) -> Failure {
        if failure.kind != FailureKind::Interrupted {
            return failure;
        }
        let Some(by) = CancelRequest::read(self.project, locked.folder.issue()) else { return failure };
        let mut state = locked.journal.state().clone();
        let entry = Entry { seq: state.seq + 1, at: journal::now(), fact: Fact::Cancelled { by } };
        match (apply(&mut state, &entry), &state.run) {
            (Ok(()), Some(run)) => {
                let message = "stopped, because another process cancels the run; nothing finished is lost";
                Failure::new(FailureKind::Interrupted, message).of_ended(run)
            }
            _ => failure,
        }
    }

    /// Returns why a run was stopped, for people on the server. What concerns the machine alone stays there.
    fn why_stopped(failure: &Failure) -> String {
        match failure.kind {
            FailureKind::Forge | FailureKind::Interrupted => failure.with_first_hint(),
            kind => {
                let code = kind.exit_code();
                format!("an error on the machine that worked on it, with exit code {code}")
            }
        }
    }

    /// Returns the watcher of comments in a job, where people can steer the run only by comments on its issue.
    fn steering(
        self,
        run: &Run,
        forge: &Forge,
        request: &PendingRequest,
        stop: &StopHandle,
    ) -> Option<CommentWatcher> {
        let project = self.project;
        let Forge::Github(github) = forge else { return None };
        let works = forge_connection::in_ci()
            && run.outcome == RunOutcome::Running
            && project.role != JobRole::Publish;
        works.then(|| CommentWatcher {
            github: github.clone(),
            keys: project.settings.github.clone(),
            number: run.started.issue.number,
            since: project.as_of.as_ref().map_or_else(journal::now, |event| event.at),
            request: request.clone(),
            stop: stop.clone(),
            seen: BTreeSet::new(),
            pauses: BTreeSet::new(),
        })
    }

    /// Has the progress comment kept up to date; on a server by a task that has to be ended.
    fn comment(self, journal: &mut Journal, forge: Forge) -> Option<CommentTask> {
        if self.project.role == JobRole::Work {
            return None;
        }
        let masker = self.project.masker.clone();
        match forge {
            Forge::Local(local) => {
                journal.add_reporter(Box::new(LocalComment::new(local, masker)));
                None
            }
            Forge::Github(github) => {
                let (reporter, task) = github_comment(github, masker, PACE);
                journal.add_reporter(Box::new(reporter));
                Some(task)
            }
        }
    }

    /// Has the label set that tells where the run stands, on a server and if that is wanted.
    fn label(self, journal: &mut Journal, forge: &Forge) -> Option<LabelTask> {
        let Forge::Github(github) = forge else { return None };
        if !self.project.settings.github.state_labels || self.project.role == JobRole::Work {
            return None;
        }
        let (mut reporter, task) = state_label(github.clone());
        // What happened where nothing may be written was shown nobody, nor what a job that was cut off came to.
        if let (JobRole::Publish, Some(run)) = (self.project.role, &journal.state().run) {
            reporter.show(run);
        }
        journal.add_reporter(Box::new(reporter));
        Some(task)
    }
}

/// Returns when to push. Unless the settings say it, a server gets the branch, in a job after each phase, because the job's disk
/// is gone afterwards.
pub(crate) fn push_when(project: &Project, forge: &Forge) -> PushWhen {
    let unsaid = match (forge.is_remote(), forge_connection::in_ci()) {
        (false, _) => PushWhen::Never,
        (true, true) => PushWhen::Phase,
        (true, false) => PushWhen::Halt,
    };
    project.settings.push.unwrap_or(unsaid)
}

/// Returns what the halt of a run counts as.
pub(crate) fn halt_of(project: &Project, run: &Run, outcome: RunOutcome) -> Halt {
    match outcome {
        RunOutcome::Completed | RunOutcome::Running => None,
        RunOutcome::Failed if never_started(run) => Some(FailureKind::NoAgent),
        RunOutcome::Failed | RunOutcome::Incomplete => Some(FailureKind::PhaseFailed),
        RunOutcome::Paused if project.settings.no_wait => Some(FailureKind::PhaseFailed),
        RunOutcome::Paused => Some(FailureKind::Waiting),
        RunOutcome::Cancelled => Some(FailureKind::Interrupted),
    }
}

/// Tells whether the run failed because no program could be started at all.
fn never_started(run: &Run) -> bool {
    let missing = |agent: &String| {
        run.agents.unusable.get(agent).is_some_and(|unusable| unusable.outcome == ExecOutcome::NotStarted)
    };
    let not_started = |phase: &PhaseState| {
        phase.reason.as_deref() == Some("agent_failed") && phase.def.agents.iter().all(missing)
    };
    run.phases.iter().any(not_started)
}

/// Reports how a run stands to the job that we may be in, and shows it: that is the last that people read.
pub(crate) fn show(observer: &dyn RunObserver, locked: &LockedRun, halt: Halt) {
    observer.write_job_commands(&github_job::report(locked, None));
    observer.show_halt(locked, halt);
}

fn has_paused_on_request(journal: &Journal) -> bool {
    let run = journal.state().run.as_ref();
    let escalation = run.filter(|run| run.outcome == RunOutcome::Paused).and_then(|run| run.paused.as_ref());
    escalation.is_some_and(|escalation| escalation.reason == PauseReason::OnRequest)
}

/// Returns the templates of the repository that a run is filled with, those of its registry included.
fn template_overrides(project: &Project, agreement: &Agreement) -> BTreeMap<String, String> {
    project.templates(agreement.phases.iter().filter_map(|phase| phase.c3l.as_ref()))
}

/// Refuses a repository's own templates that could not be filled, before an agent is paid.
pub(crate) fn refuse_broken_templates(project: &Project, agreement: &Agreement) -> Result<()> {
    let own = template_overrides(project, agreement);
    if own.is_empty() {
        return Ok(());
    }
    check_templates(&agreement.phases, &agreement.patterns, &own)
        .map_err(|error| Failure::from(RunError::from(error)))
}

/// A command that has nothing else to do waits no longer for it.
const LONGEST: Duration = Duration::from_secs(60);

/// Does it where nothing else is to be done.
pub(crate) fn refresh_now(project: &Project, run: &Run) {
    match runtime() {
        Ok(runtime) => runtime.block_on(refresh(project, run)),
        Err(failure) => tracing::warn!("{}", failure.message),
    }
}

/// Brings comment and label to what the log says, if this log is the newest.
pub(crate) async fn refresh(project: &Project, run: &Run) {
    let Ok(Forge::Github(github)) = forge_connection::of_run(project, run) else { return };
    if project.role == JobRole::Work {
        return;
    }
    match is_newest(project, run) {
        Ok(true) => {}
        Ok(false) => return,
        Err(failure) => {
            return tracing::warn!("The progress comment and label were not updated: {}", failure.message);
        }
    }
    let written = async {
        refresh_comment(&github, &project.masker, run).await?;
        if project.settings.github.state_labels { refresh_label(&github, run).await } else { Ok(()) }
    };
    match tokio::time::timeout(LONGEST, written).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!("The progress comment or label may not be up to date: {error}"),
        Err(_) => tracing::warn!("The progress comment or label may not be up to date: it took too long"),
    }
}

/// Another machine may have gone on with the run; then its comment stays.
fn is_newest(project: &Project, run: &Run) -> Result<bool> {
    if project.workspace.origin().address()?.is_none() {
        return Ok(true);
    }
    let branch = &run.started.branch;
    let Some(here) = project.workspace.branches().find(branch)? else { return Ok(false) };
    match forge_connection::fetch(project, branch)? {
        Some(tip) => Ok(project.workspace.history().is_ancestor(&tip, &here.tip)?),
        None => Ok(true),
    }
}
