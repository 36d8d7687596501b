//! The turn of one process on a run: works until the run halts, with the reporters that show it to people, the signals that
//! stop it, and the comments that steer it. Decides nothing about the run and prints nothing: whoever watches is handed in.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use crate::environment::runtime;
use crate::failure::{Failure, FailureKind, Result};
use crate::forge_connection;
use crate::github_job;
use crate::locked_run::LockedRun;
use crate::project::Project;
use crate::refresh_comment_and_label::refresh;
use crate::signals;
use crate::steering::Steering;
use engine::Run;
use forge::Forge;
use git::CommitId;
use journal::store::common_dir::FinalizedRun;
use journal::{Journal, Reporter};
use model::event::{Fact, Outcome, PauseReason};
use model::policy::Agreement;
use process::{self, Stop, StopHandle, Urgency};
use runner::report::{CommentTask, LabelTask, LocalComment, MovedComment, PACE, github_comment, state_label};
use runner::{
    ActiveRun, AgentContext, JobRole, PauseConditions, PendingRequest, PhaseRunner, Publisher, Push, RunError,
};
use settings::PushWhen;
use views::prompt::rehearse;
use views::summary::status_word;

/// What the halt of a run counts as: nothing where all went well, else the sort of failure that scripts are told of.
pub type Halt = Option<FailureKind>;

/// How a run came to its halt, or why it could not be worked on.
pub type HaltResult = Result<Halt, Failure>;

/// Somebody who watches a run while it is worked on.
pub trait RunObserver {
    /// Returns what is shown each fact of the run.
    fn reporter(&self) -> Box<dyn Reporter>;

    /// Shows what is going to happen.
    fn begins(&self, project: &Project, locked: &LockedRun);

    /// Nothing is worked on any more.
    fn ends(&self);

    /// Shows how a run came to its halt.
    fn halted(&self, locked: &LockedRun, halt: Halt);

    /// Shows the question of a run that waits for a person.
    fn asks(&self, run: &Run);

    /// Shows a run that is over and whose log is gone.
    fn finalized(&self, record: &FinalizedRun);

    /// Hands lines to the runner of the job that we are in.
    fn job_commands(&self, lines: &[String]);

    /// Returns the number by which scripts know how a run came to its halt.
    fn exit_code(&self, halt: Halt) -> u8;
}

/// What the turn of a process begins with.
#[derive(Debug, Default)]
pub struct TurnStart {
    /// A fact that is recorded first, so that everybody is shown it.
    pub first: Option<Fact>,
    /// The commit up to which a process that publishes may publish.
    pub judged: Option<CommitId>,
}

/// How the turn of a process ended that was not stopped.
pub struct TurnEnd {
    /// The run.
    pub locked: LockedRun,
    /// How the run stands.
    pub outcome: Outcome,
    /// An agent was called.
    pub has_called: bool,
    /// Checks of the server that failed were taken up.
    pub took_up_red_checks: bool,
}

/// The turn of this process on a run.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// The repository.
    pub project: &'a Project,
    /// Who watches.
    pub observer: &'a dyn RunObserver,
}

impl Turn<'_> {
    /// Works on a run until it halts, shows it to people while it does, and ends the turn of this process.
    pub fn run_to_halt(self, mut locked: LockedRun, start: TurnStart) -> Result<TurnEnd> {
        let Self { project, observer } = self;
        let TurnStart { first, judged } = start;
        let (calls, rounds) = (locked.run()?.spending.total.calls, locked.run()?.feedback.ci_rounds);
        locked.locks.begin_work();
        locked.space.run_branch().remember_tip()?;
        let agreement = &locked.run()?.started.agreement;
        refuse_broken_templates(project, agreement)?;
        let prompts = template_overrides(project, agreement);
        let runtime = runtime()?;
        let (handle, stop) = Stop::new();
        let signal = Arc::new(OnceLock::new());
        process::adopt_orphans();
        if project.role != JobRole::Publish {
            observer.begins(project, &locked);
        }
        let forge = forge_connection::of_run(project, locked.run()?)?;
        let push = if project.role == JobRole::Work { Push::Never } else { self.push(&forge) };
        let request = PendingRequest::default();
        let is_job = forge.is_remote() && forge_connection::in_ci();
        let minutes = if is_job { project.settings.github.job_minutes } else { None };
        let steering = self.steering(locked.run()?, &forge, &request, &handle);
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
            moved_comment: MovedComment::default(),
        };
        let pauses = PauseConditions::after(minutes, request);
        let mut runner = PhaseRunner::new(active, programs, publisher, pauses, Arc::clone(&signal));
        runner.active.journal.add_reporter(observer.reporter());
        let ended = runtime.block_on(async {
            let watch = signals::watch(handle, signal)?;
            let label = self.label(&mut runner.active.journal, &forge);
            let comment = self.comment(&mut runner.active.journal, forge);
            if let Some(comment) = &comment {
                runner.publisher.moved_comment = comment.moved.clone();
            }
            match (first, &runner.active.journal.state().run) {
                (Some(fact), _) => runner.active.journal.record(fact)?,
                (None, Some(run)) if project.role == JobRole::Both && run.outcome != Outcome::Running => {
                    refresh(project, run).await;
                }
                (None, _) => {}
            }
            // Where nothing is pushed no request is opened.
            if push != Push::Never || project.role == JobRole::Work {
                let mut stop = runner.active.stop.clone();
                tokio::select! {
                    biased;
                    checked = github_job::check_token(project, &mut runner.active.journal, &runner.publisher.forge) => checked?,
                    _ = stop.beyond(Urgency::Running) => {}
                }
            }
            let steering = match steering {
                Some(steering) => Some(steering.begin().await),
                None => None,
            };
            let ended = runner.run().await.map_err(Failure::from);
            watch.abort();
            if let Some(steering) = steering {
                steering.end(has_paused_on_request(&runner.active.journal)).await;
            }
            if let (Err(failure), Some(run)) = (&ended, &runner.active.journal.state().run) {
                if let Some(comment) = &comment {
                    comment.stopped(run, &self.why_stopped(failure));
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
        observer.ends();
        let ActiveRun { journal, space, folder, .. } = runner.active;
        let locked = LockedRun { journal, space, folder, locks };
        let outcome = match ended {
            Ok(outcome) => outcome,
            Err(failure) => return Err(self.stopped(&locked, failure)),
        };
        let run = locked.run()?;
        let has_called = run.spending.total.calls > calls;
        let took_up_red_checks = run.feedback.ci_rounds > rounds;
        Ok(TurnEnd { locked, outcome, has_called, took_up_red_checks })
    }

    /// Says where a run stands that was stopped by an error, and reports it to the job that we may be in.
    fn stopped(self, locked: &LockedRun, failure: Failure) -> Failure {
        if let Some(current) = locked.journal.state().run.as_ref().and_then(Run::current) {
            tracing::info!("Phase {}: Stopped at {}", current.name(), status_word(current));
        }
        let report = locked.report(self.observer.exit_code(Some(failure.kind)));
        self.observer.job_commands(&github_job::report(locked, Some(&failure)));
        failure.with_report(Some(report))
    }

    /// Returns why a run was stopped, for people on the server. What concerns the machine alone stays there.
    fn why_stopped(self, failure: &Failure) -> String {
        match failure.kind {
            FailureKind::Forge | FailureKind::Interrupted => failure.with_first_hint(),
            kind => {
                let code = self.observer.exit_code(Some(kind));
                format!("an error on the machine that worked on it, with exit code {code}")
            }
        }
    }

    /// In a job nobody is at the keyboard, so people steer the run by comments on its issue.
    fn steering(
        self,
        run: &Run,
        forge: &Forge,
        request: &PendingRequest,
        stop: &StopHandle,
    ) -> Option<Steering> {
        let project = self.project;
        let Forge::Github(github) = forge else { return None };
        let works =
            forge_connection::in_ci() && run.outcome == Outcome::Running && project.role != JobRole::Publish;
        works.then(|| Steering {
            github: github.clone(),
            keys: project.settings.github.clone(),
            number: run.started.issue.number,
            since: project.as_of.as_ref().map_or_else(journal::now, |event| event.at),
            request: request.clone(),
            stop: stop.clone(),
            seen: BTreeSet::new(),
            pauses: Arc::default(),
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

    /// Without a wish: a server gets the branch, in a job after each phase, because the job's disk is gone afterwards.
    fn push(self, forge: &Forge) -> Push {
        let unsaid = match (forge.is_remote(), forge_connection::in_ci()) {
            (false, _) => PushWhen::Never,
            (true, true) => PushWhen::Phase,
            (true, false) => PushWhen::Halt,
        };
        match self.project.settings.push.unwrap_or(unsaid) {
            PushWhen::Phase => Push::Phase,
            PushWhen::Halt => Push::Halt,
            PushWhen::Never => Push::Never,
        }
    }
}

fn has_paused_on_request(journal: &Journal) -> bool {
    let run = journal.state().run.as_ref();
    let escalation = run.filter(|run| run.outcome == Outcome::Paused).and_then(|run| run.paused.as_ref());
    escalation.is_some_and(|escalation| escalation.reason == PauseReason::OnRequest)
}

/// Returns the templates of the repository that a run is filled with, those of its registry included.
fn template_overrides(project: &Project, agreement: &Agreement) -> BTreeMap<String, String> {
    project.templates(agreement.phases.iter().filter_map(|phase| phase.c3l.as_ref()))
}

/// Refuses a repository's own templates that could not be filled, before an agent is paid.
pub fn refuse_broken_templates(project: &Project, agreement: &Agreement) -> Result<()> {
    let own = template_overrides(project, agreement);
    if own.is_empty() {
        return Ok(());
    }
    rehearse(&agreement.phases, &agreement.patterns, &own)
        .map_err(|error| Failure::from(RunError::from(error)))
}
