//! The run that this process works on: its first facts, its log, its worktree, and the latest snapshot of its files. Performs no
//! action of the engine and publishes nothing.

use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::error::{Result, RunError};
use checks::Memory;
use engine::{PhaseState, Run, fold};
use forge::ForgeError;
use git::{InnerFolders, RunWorkspace, Snapshot, Tree};
use journal::Journal;
use journal::store::common_dir::DaySpending;
use journal::store::folders::RunFolder;
use journal::store::job::JobFileGuard;
use model::event::{CallEnd, Entry, Fact, RunStarted, SpentOnDay, UsageTotal};
use model::phase::PhaseName;
use model::policy::Budget;
use model::redact::Masker;
use process::{Stop, Urgency};

/// A run whose locks this process holds, with everything that a step of it reads and writes on this machine.
pub struct ActiveRun {
    /// The list of facts.
    pub journal: Journal,
    /// The worktree of the run, and its history.
    pub space: RunWorkspace,
    /// The folder of the run in the worktree.
    pub folder: RunFolder,
    /// Hides secrets in texts before they leave the process.
    pub masker: Masker,
    /// Whether this process was asked to stop.
    pub stop: Stop,
    /// The files through which a step of a job controls the GitHub Actions runner.
    pub job_files: JobFileGuard,
    /// The files after the last program that ran; nothing when they may have changed since.
    pub(super) snapshot: Option<Snapshot>,
    /// Where repositories inside the worktree can be; nothing before that was needed.
    pub(super) inner_folders: Option<InnerFolders>,
    /// An agent of the cycle was called.
    pub(super) has_called_agent: bool,
    /// The results of the repository's commands so far.
    pub(super) commands: Memory,
}

impl ActiveRun {
    /// Returns a run without a snapshot, before the first agent call of this process.
    pub fn new(
        (journal, space, folder): (Journal, RunWorkspace, RunFolder),
        masker: Masker,
        stop: Stop,
        job_files: JobFileGuard,
    ) -> Self {
        let (snapshot, inner_folders, has_called_agent, commands) = Default::default();
        Self {
            journal,
            space,
            folder,
            masker,
            stop,
            job_files,
            snapshot,
            inner_folders,
            has_called_agent,
            commands,
        }
    }

    pub(super) fn run(&self) -> Result<&Run> {
        self.journal.state().run.as_ref().ok_or_else(|| RunError::Bug("the run has not begun".into()))
    }

    pub(super) fn phase(&self, name: &PhaseName) -> Result<&PhaseState> {
        let found = self.run()?.phase(name);
        found.ok_or_else(|| RunError::Bug(format!("the run has no phase {name}")))
    }

    pub(super) fn record(&mut self, fact: Fact) -> Result<()> {
        Ok(self.journal.record(fact)?)
    }

    pub(super) fn note(&mut self, kind: &str, text: String) -> Result<()> {
        self.record(Fact::Noted { kind: kind.to_owned(), text })
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stop.urgency() > Urgency::Running
    }

    /// Waits for a server, which can take minutes, unless the process is stopped first. Then a later process finds the effect.
    pub(super) async fn wait_unless_stopped<T>(
        &self,
        effect: impl Future<Output = Result<T, ForgeError>>,
    ) -> Result<Option<T>> {
        let mut stop = self.stop.clone();
        tokio::select! {
            biased;
            done = effect => Ok(Some(done?)),
            _ = stop.wait_beyond(Urgency::Running) => Ok(None),
        }
    }

    /// Waits, but no longer than until the process is asked to stop.
    pub(super) async fn sleep(&self, time: Duration) {
        _ = tokio::time::timeout(time, self.stop.clone().wait_beyond(Urgency::Running)).await;
    }

    /// Returns the latest snapshot, after taking a new one if the files may have changed; `since` is the tree to compare with.
    pub(super) fn ensure_snapshot(&mut self, since: Option<&Tree>) -> Result<&Snapshot> {
        if self.snapshot.is_none() {
            let seen = self.space.snapshots().take(since)?;
            self.note_folders(&seen);
            self.snapshot = Some(seen);
        }
        self.snapshot.as_ref().ok_or_else(|| RunError::Bug("a look saw nothing".into()))
    }

    /// Notes where a snapshot shows that repositories inside the worktree can be.
    pub(super) fn note_folders(&mut self, seen: &Snapshot) {
        if let Some(inner) = &mut self.inner_folders {
            inner.add(seen);
        }
    }

    /// Returns where repositories inside the worktree can be. `tree` is what it holds.
    pub(super) fn ensure_inner_folders(&mut self, tree: &Tree) -> Result<&InnerFolders> {
        if self.inner_folders.is_none() {
            let mut inner = InnerFolders::of(&self.space, tree)?;
            inner.add(self.ensure_snapshot(Some(tree))?);
            self.inner_folders = Some(inner);
        }
        self.inner_folders.as_ref().ok_or_else(|| RunError::Bug("no folder was listed".into()))
    }

    /// Adds an ended call to the day's list.
    pub(super) fn append_spending(&self, ended: &CallEnd) -> Result<()> {
        let spent = UsageTotal { calls: 1, ..UsageTotal::of(ended) };
        let run = self.run()?.started.run_id.clone();
        Ok(DaySpending { run, spent }.append(self.space.workspace().common(), current_day())?)
    }

    /// Records what other runs have spent today if the amount is new; tells whether it is.
    pub(super) fn record_spending_elsewhere(&mut self) -> Result<bool> {
        let run = self.run()?;
        if run.spending.scopes.day == Budget::default() {
            return Ok(false);
        }
        let day = current_day();
        let spent = DaySpending::sum_of_others(self.space.workspace().common(), day, &run.started.run_id)?;
        let found = SpentOnDay { day, spent };
        let known = run.spending.elsewhere.filter(|known| known.day == day).map(|known| known.spent);
        let is_news = known.unwrap_or_default() != spent;
        if is_news {
            self.record(Fact::SpentElsewhere(found))?;
        }
        Ok(is_news)
    }
}

fn current_day() -> Date {
    journal::now().to_zoned(TimeZone::UTC).date()
}

/// Writes the first facts of a run in one step, because a part of them would begin another run. `skipped` holds the phases that
/// are left out, with the reasons.
pub fn begin(journal: &mut Journal, started: RunStarted, skipped: Vec<(PhaseName, String)>) -> Result<()> {
    Ok(journal.record_all(&build_first_facts(started, skipped))?)
}

/// Returns the state of a run right after its beginning, so that errors are found before it begins. Writes nothing.
pub fn planned_run(started: RunStarted, skipped: Vec<(PhaseName, String)>, at: Timestamp) -> Result<Run> {
    let facts = (1..).zip(build_first_facts(started, skipped));
    let entries: Vec<Entry> = facts.map(|(seq, fact)| Entry { seq, at, fact }).collect();
    let state = fold(&entries).map_err(|error| RunError::Bug(error.to_string()))?;
    state.run.ok_or_else(|| RunError::Bug("the first facts begin no run".to_owned()))
}

fn build_first_facts(started: RunStarted, skipped: Vec<(PhaseName, String)>) -> Vec<Fact> {
    let skipped = skipped.into_iter().map(|(phase, because)| Fact::PhaseSkipped { phase, because });
    std::iter::once(Fact::RunStarted(Box::new(started))).chain(skipped).collect()
}
