//! The hand: decide → perform → record, until halt. The only place where the world is touched.
//! Holds no state of its own that a crash could cost: resume is the first line of the loop.

mod assess;
mod begin;
mod call;
mod commit;
mod compose;
mod day;
mod inlined;
mod publish;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::agent::Profile;
use crate::check::{self, Site};
use crate::event::{CheckResult, CheckStatus, Checked, Escalation, Fact, Outcome, PauseReason};
use crate::flow::{Action, Decision, PhaseState, Run, decide};
use crate::forge::{Forge, ForgeError};
use crate::journal::{Journal, JournalError};
use crate::phase::{PhaseName, Step};
use crate::policy::Entry;
use crate::process::{Stop, Urgency};
use crate::prompt::PromptError;
use crate::redact::Masker;
use crate::store::StoreError;
use crate::store::folders::RunFolder;
use crate::summary::deliverable_path;
use crate::workspace::{self, CommitId, IssueSpace, Snapshot, Tree};

pub use begin::{Beginning, begin};

/// Why a run stops before its halt. Whatever was finished is in the log.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Workspace(#[from] workspace::Error),
    #[error(transparent)]
    Forge(#[from] ForgeError),
    #[error(transparent)]
    Prompt(#[from] PromptError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("interrupted")]
    Interrupted,
    #[error("{0}")]
    Bug(String),
}

/// When the branch is pushed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Push {
    #[default]
    Never,
    /// When the run halts.
    Halt,
    /// After each phase.
    Phase,
}

/// Everything the hand works with.
pub struct PhaseRunner {
    pub journal: Journal,
    /// The checkout that the run was started from; the worktree may be another one.
    pub checkout: PathBuf,
    pub space: IssueSpace,
    pub folder: RunFolder,
    pub forge: Forge,
    pub profiles: BTreeMap<String, Profile>,
    /// Prompt templates of the repository, by path below `prompts/`.
    pub prompts: BTreeMap<String, String>,
    pub masker: Masker,
    pub stop: Stop,
    pub push: Push,
    /// The name of the signal behind a stop.
    pub signal: std::sync::Arc<std::sync::OnceLock<&'static str>>,
    /// The files as we saw them after the last thing that ran; nothing when somebody may have touched them.
    pub seen: Option<Snapshot>,
}

impl PhaseRunner {
    /// Works until nothing is left to do.
    pub async fn run(&mut self) -> Result<Outcome, RunError> {
        loop {
            if self.stopping() {
                return self.interrupted();
            }
            match decide(self.journal.state()) {
                Decision::Halt(outcome) => return self.halted(outcome),
                Decision::Record(fact) => self.journal.record(*fact)?,
                Decision::Perform(action) => self.perform(action).await?,
            }
        }
    }

    async fn perform(&mut self, action: Action) -> Result<(), RunError> {
        match action {
            Action::StartPhase(phase) => self.start_phase(phase),
            // What changes the state is decided about again before anything is paid for.
            Action::Assess(_) | Action::CallAgent(_) if self.saw_spending_elsewhere()? => Ok(()),
            Action::Assess(assess) => self.assess(&assess).await,
            Action::CallAgent(call) => self.call(&call).await,
            Action::RunChecks { phase, round } => self.run_checks(&phase, round).await,
            Action::Commit(phase) => self.commit(&phase),
            Action::Publish => self.publish().await,
        }
    }

    fn interrupted(&mut self) -> Result<Outcome, RunError> {
        let signal = self.signal.get().copied().unwrap_or("a signal").to_owned();
        self.journal.record(Fact::Interrupted { signal })?;
        Err(RunError::Interrupted)
    }

    pub(crate) fn stopping(&self) -> bool {
        self.stop.urgency() > Urgency::Running
    }

    fn halted(&mut self, outcome: Outcome) -> Result<Outcome, RunError> {
        self.commit_record(outcome)?;
        if self.push == Push::Halt {
            self.push()?;
        }
        Ok(outcome)
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
        let tree = match self.seen.take() {
            Some(last) => last.tree.to_string(),
            None => self.look(None)?.tree.to_string(),
        };
        Ok(self.journal.record(Fact::PhaseStarted { phase: name, tree })?)
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
            options: vec![crate::event::Choice::Continue, crate::event::Choice::GiveUp],
            report: vec![],
            until: None,
        }))
    }

    /// Looks at the files unless nobody can have touched them since the last look; `since` tells what to compare with.
    fn look(&mut self, since: Option<&Tree>) -> Result<&Snapshot, RunError> {
        if self.seen.is_none() {
            self.seen = Some(self.space.snapshot(since)?);
        }
        self.seen.as_ref().ok_or_else(|| RunError::Bug("a look saw nothing".into()))
    }

    async fn run_checks(&mut self, name: &PhaseName, round: u32) -> Result<(), RunError> {
        let before = Tree::try_from(self.phase(name)?.tree.as_str())?;
        let changed = self.changed_now(name, &before)?;
        let committable = self.committable(name, &before)?;
        let results = self.examine(name, &changed, committable).await?;
        if self.stopping() {
            return Ok(());
        }
        if results.iter().any(ran_a_command) {
            self.seen = None;
        }
        let tree = self.look(Some(&before))?.tree.to_string();
        let fact = Checked { phase: name.clone(), round, results, tree };
        Ok(self.journal.record(Fact::Checked(fact))?)
    }

    /// What the authors changed and did not take back; for a phase that was opened again also what it committed before
    /// and what still stands.
    fn changed_now(&mut self, name: &PhaseName, before: &Tree) -> Result<BTreeSet<String>, RunError> {
        let phase = self.phase(name)?;
        let (changed, earlier) = (phase.changed.clone(), phase.earlier.clone());
        let seen = self.look(Some(before))?;
        let mut now: BTreeSet<String> =
            changed.into_iter().filter(|path| seen.uncommitted.contains_key(path)).collect();
        let code = now.iter().any(|path| !path.starts_with(".ai-workflow/"));
        if let (false, Some(commit)) = (code, earlier) {
            now.extend(self.space.workspace().still_changed_by(&CommitId::try_from(commit.as_str())?)?);
        }
        Ok(now)
    }

    /// Tells whether git knows the deliverable or would take it into a commit.
    fn committable(&mut self, name: &PhaseName, before: &Tree) -> Result<bool, RunError> {
        let output = self.folder.deliverable(&self.phase(name)?.def);
        if self.look(Some(before))?.uncommitted.contains_key(&output) {
            return Ok(true);
        }
        Ok(!self.space.workspace().tracked_below(&output)?.is_empty())
    }

    async fn examine(
        &mut self,
        name: &PhaseName,
        changed: &BTreeSet<String>,
        committable: bool,
    ) -> Result<Vec<CheckResult>, RunError> {
        let run =
            self.journal.state().run.as_ref().ok_or_else(|| RunError::Bug("the run has not begun".into()))?;
        let phase = run.phase(name).ok_or_else(|| RunError::Bug(format!("the run has no phase {name}")))?;
        let output = deliverable_path(run, phase);
        let site = Site {
            worktree: self.folder.root(),
            phase: &phase.def,
            output: &output,
            committable,
            // A phase opened again for a review or a revision may keep the deliverable it has.
            began: phase
                .started_at
                .filter(|_| phase.completed_steps.contains(&Step::Execute))
                .unwrap_or(run.created_at),
            changed,
            evaluation: phase.evaluation.as_ref(),
            protected: &run.started.agreement.protected,
            commands: &run.started.agreement.commands,
            time: &run.started.agreement.time,
            masker: &self.masker,
        };
        Ok(check::run(&site, &mut self.stop).await)
    }
}

/// A command may leave files behind; one that is not configured was not run.
fn ran_a_command(result: &CheckResult) -> bool {
    check::runs_a_command(&result.check) && result.status != CheckStatus::Skipped
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
