//! The hand: decide → perform → record, until halt. The only place where the world is touched.
//! Holds no state of its own that a crash could cost: resume is the first line of the loop.

mod announce;
mod assess;
mod by_hand;
mod call;
mod checking;
mod ci;
mod commit;
mod compose;
mod day;
mod documents;
mod feedback;
mod follow_up;
mod inlined;
mod job_role;
mod keep;
mod narrow;
mod new_run;
mod pause_conditions;
mod present;
mod publish;
mod rate_limit;
mod remote_checks;
mod share_work;
mod shown;
mod unreviewed;
mod world;

use std::collections::BTreeMap;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::report::MovedComment;
use agents::Profile;
use engine::{Action, Decision, PhaseState, Run, Stage, decide};
use forge::{Forge, ForgeError};
use git::{CommitId, Credentials, RunWorkspace, Snapshot, Tree};
use journal::store::StoreError;
use journal::store::folders::RunFolder;
use journal::store::job::JobFileGuard;
use journal::{Journal, JournalError};
use model::event::{Escalation, Fact, Outcome, PauseReason};
use model::object_id::BadObjectId;
use model::phase::PhaseName;
use model::policy::Entry;
use model::redact::Masker;
use process::{Stop, Urgency};
use settings::GithubKeys;
use views::prompt::PromptError;
use views::summary::deliverable_path;

pub use commit::{phase_message, record_end, record_message, settle_commit};
pub use job_role::JobRole;
pub use new_run::{NewRun, begin, planned_run};
pub use pause_conditions::{PauseConditions, PendingRequest, SteeringRequest};
pub use share_work::has_shared_work;
pub use shown::Shown;
pub use unreviewed::{base_of, unreviewed};

/// Why a run stops before its halt. Whatever was finished is in the log.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Workspace(#[from] git::Error),
    #[error(transparent)]
    Forge(#[from] ForgeError),
    #[error(transparent)]
    Prompt(#[from] PromptError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("interrupted")]
    Interrupted,
    #[error("E_BUNDLE_HEADS: {branch} holds more than what was judged, and is not pushed")]
    Unjudged { branch: String },
    #[error("the branch has lost {path}, which was approved")]
    DocumentLost { path: String, commit: String },
    #[error("{0}")]
    Bug(String),
}

impl From<BadObjectId> for RunError {
    fn from(error: BadObjectId) -> Self {
        Self::Workspace(error.into())
    }
}

/// When the branch is pushed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Push {
    #[default]
    Never,
    /// When the run halts.
    Halt,
    /// After each phase, too.
    Phase,
}

/// Everything the hand works with.
pub struct PhaseRunner {
    pub journal: Journal,
    /// The checkout that the run was started from; the worktree may be another one.
    pub checkout: PathBuf,
    pub space: RunWorkspace,
    pub folder: RunFolder,
    pub forge: Forge,
    pub profiles: BTreeMap<String, Profile>,
    /// Prompt templates of the repository, by path below `prompts/`.
    pub prompts: BTreeMap<String, String>,
    pub masker: Masker,
    pub stop: Stop,
    pub push: Push,
    /// What others do is left to them.
    pub role: JobRole,
    /// Where the branch stood when the work of another process was found good.
    pub judged: Option<CommitId>,
    /// What the run does on GitHub.
    pub github: GithubKeys,
    /// What git may use for a push where it has nothing of its own.
    pub credentials: Option<Credentials>,
    /// The name of the signal behind a stop.
    pub signal: std::sync::Arc<std::sync::OnceLock<&'static str>>,
    /// What ends this turn between two phases.
    pub pauses: PauseConditions,
    /// The files as we saw them after the last thing that ran; nothing when somebody may have touched them.
    pub seen: Option<Snapshot>,
    /// An agent of the cycle was called.
    pub has_called: bool,
    /// What a reviewer was shown last.
    pub shown: Option<Shown>,
    /// What the commands of the repository have shown so far.
    pub commands: checks::Memory,
    /// Where the comment is that took the place of a deleted one.
    pub moved_comment: MovedComment,
    /// The files by which a step tells the runner of its job something.
    pub job: JobFileGuard,
}

impl PhaseRunner {
    /// Works until nothing is left to do, or the turn ends otherwise; what is not committed by then is kept.
    pub async fn run(&mut self) -> Result<Outcome, RunError> {
        let ended = match self.work().await {
            // Who publishes leaves the run as it is handed over, and is started again as it was.
            Err(RunError::Forge(ForgeError::Limited { action, until })) if self.role != JobRole::Publish => {
                self.waits_for_server(action, until).await
            }
            ended => ended,
        };
        if matches!(ended, Ok(_) | Err(RunError::Interrupted))
            && let Err(error) = self.keep_files()
        {
            tracing::warn!("git may remove the files of the phase under way when it clears up: {error}");
        }
        if matches!(ended, Ok(_) | Err(RunError::Interrupted)) {
            self.space.run_branch().remember_resting_tip()?;
        }
        ended
    }

    async fn work(&mut self) -> Result<Outcome, RunError> {
        self.announce().await?;
        loop {
            self.note_moved_comment()?;
            if self.stopping() {
                if self.ends_for_good()? {
                    self.show_what_there_is().await?;
                    return self.halted(Outcome::Cancelled).await;
                }
                return self.interrupted().await;
            }
            let decision = decide(self.journal.state());
            if let Some(outcome) = self.handed_over(&decision) {
                return self.hand_over(outcome).await;
            }
            match decision {
                Decision::Halt(outcome) => {
                    self.show_what_there_is().await?;
                    if !self.takes_up_red_checks(outcome).await? {
                        return self.halted(outcome).await;
                    }
                }
                Decision::Record(fact) => self.journal.record(*fact)?,
                Decision::Perform(action) => self.perform(action).await?,
            }
        }
    }

    async fn perform(&mut self, action: Action) -> Result<(), RunError> {
        match action {
            Action::StartPhase(phase) if self.waits_before(&phase)? => Ok(()),
            Action::StartPhase(phase) => self.start_phase(phase),
            // What changes the state is decided about again before anything is paid for.
            Action::Assess(_) | Action::CallAgent(_) if self.saw_spending_elsewhere()? => Ok(()),
            Action::Assess(assess) => self.assess(&assess).await,
            Action::CallAgent(call) => {
                self.pauses.worked = true;
                self.call(&call).await
            }
            Action::RunChecks { phase, round } => self.run_checks(&phase, round).await,
            Action::Commit(phase) => {
                self.commit(&phase)?;
                self.share().await
            }
            Action::Publish => self.publish().await,
        }
    }

    async fn interrupted(&mut self) -> Result<Outcome, RunError> {
        let signal = self.signal.get().copied().unwrap_or("a signal").to_owned();
        self.journal.record(Fact::Interrupted { signal })?;
        if let Err(error) = self.leave_what_there_is().await {
            tracing::warn!("What there is so far cannot be shared: {error}");
        }
        Err(RunError::Interrupted)
    }

    /// The disk of a job is gone when the job is. An announced commit is not there yet, and a record must not pass for it.
    async fn leave_what_there_is(&mut self) -> Result<(), RunError> {
        let is_closing = self.run_state()?.phases.iter().any(|phase| phase.stage == Stage::Closing);
        if self.push != Push::Phase || is_closing {
            return Ok(());
        }
        self.share_work(Outcome::Running).await?;
        self.commit_record(Outcome::Running)?;
        self.push().await
    }

    pub(crate) fn stopping(&self) -> bool {
        self.stop.urgency() > Urgency::Running
    }

    async fn halted(&mut self, outcome: Outcome) -> Result<Outcome, RunError> {
        self.answer_threads(outcome).await?;
        self.present(outcome).await?;
        self.keep_end(outcome).await?;
        Ok(outcome)
    }

    /// Brings the end of the log, and what is not approved yet, to where the next process finds it.
    async fn keep_end(&mut self, outcome: Outcome) -> Result<(), RunError> {
        self.share_work(outcome).await?;
        self.commit_record(outcome)?;
        if self.push == Push::Never { Ok(()) } else { self.push().await }
    }

    pub(crate) fn run_state(&self) -> Result<&Run, RunError> {
        self.journal.state().run.as_ref().ok_or_else(|| RunError::Bug("the run has not begun".into()))
    }

    pub(crate) fn phase(&self, name: &PhaseName) -> Result<&PhaseState, RunError> {
        let found = self.run_state()?.phase(name);
        found.ok_or_else(|| RunError::Bug(format!("the run has no phase {name}")))
    }

    fn start_phase(&mut self, name: PhaseName) -> Result<(), RunError> {
        if let Some(escalation) = self.missing_documents(&name)? {
            return Ok(self.journal.record(Fact::Paused { escalation })?);
        }
        // Nothing ran since the last look, so its tree still stands; what differs from HEAD is from before our commit.
        let (tree, by_hand) = if let Some(last) = self.seen.take() {
            (last.tree, Vec::new())
        } else {
            let seen = self.look(None)?.clone();
            (seen.tree.clone(), self.left_by_people(&seen)?)
        };
        Ok(self.journal.record(Fact::PhaseStarted { phase: name, tree: tree.to_string(), by_hand })?)
    }

    /// A phase that begins with a review needs the documents it is about.
    fn missing_documents(&self, name: &PhaseName) -> Result<Option<Escalation>, RunError> {
        let (run, phase) = (self.run_state()?, self.phase(name)?);
        if phase.def.policy.entry != Entry::Review {
            return Ok(None);
        }
        let needed = phase.def.needs.iter().filter_map(|need| run.phase(need));
        let paths =
            needed.filter(|need| need.skipped_because.is_none()).map(|need| deliverable_path(run, need));
        let missing: Vec<String> = paths.filter(|path| !self.folder.root().join(path).is_file()).collect();
        Ok((!missing.is_empty()).then(|| Escalation {
            reason: PauseReason::Blocked,
            phase: Some(name.clone()),
            question: format!("{name} has nothing to review: {} is missing.", missing.join(", ")),
            options: vec![model::event::Choice::Continue, model::event::Choice::GiveUp],
            report: vec![],
            until: None,
        }))
    }

    /// Looks at the files unless nobody can have touched them since the last look; `since` tells what to compare with.
    fn look(&mut self, since: Option<&Tree>) -> Result<&Snapshot, RunError> {
        if self.seen.is_none() {
            self.seen = Some(self.space.snapshots().take(since)?);
        }
        self.seen.as_ref().ok_or_else(|| RunError::Bug("a look saw nothing".into()))
    }
}

/// Returns an id that nobody can guess: 128 random bits in hex.
pub fn nonce() -> String {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    hex(&bytes)
}

/// Returns the SHA-256 of a text in hex.
pub fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
