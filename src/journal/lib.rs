//! Records facts, in one place: append and sync, fold, rewrite the view, pass the fact to the reporters. Decides nothing and
//! touches nothing but the run's own files.
#![warn(missing_docs)]
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

pub mod store;

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::store::StoreError;
use crate::store::log::{Log, LogContents, LogCopy, read_file};
use crate::store::view::{self, ViewOnDisk};
use engine::{InvalidFact, State, apply, check_fits, fold};
use model::event::{Entry, Fact};
use model::phase::PhaseName;
use model::redact::{Masked, Masker};

/// Why a fact could not be recorded or a run not be opened.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Something is wrong with the files of the run.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A fact does not follow from those before it.
    #[error("{log}: {misfit}")]
    DoesNotFit {
        /// The log as messages name it.
        log: String,
        /// Which fact, and why.
        misfit: InvalidFact,
    },
    /// A person changed the view of the run.
    #[error("{0} was edited by hand: its digest is wrong")]
    Edited(String),
    /// The view of the run knows facts that the log does not have: the log is written first, so it was taken back.
    #[error("{log} has {facts} facts, and {view} knows {known}: the log was taken back to an earlier state")]
    TakenBack {
        /// The log as messages name it.
        log: String,
        /// How many facts it has.
        facts: u64,
        /// The view as messages name it.
        view: String,
        /// How many facts the view knows.
        known: u64,
    },
}

/// Returns how many facts the view in a run's folder knows; none where there is no view, or one that was edited.
pub fn facts_known_to_view(folder: &Path) -> Result<u64, JournalError> {
    Ok(match view::check_file(&view::path(folder))? {
        ViewOnDisk::Good { seq } => seq,
        ViewOnDisk::Missing | ViewOnDisk::Edited => 0,
    })
}

/// Refuses a log that has fewer facts than the view beside it knows. No crash leaves that: a fact is on the disk before the view
/// is written.
pub fn refuse_log_behind(folder: &Path, facts: u64, known: u64) -> Result<(), JournalError> {
    if known <= facts {
        return Ok(());
    }
    let log = folder.join("events.jsonl").display().to_string();
    let view = view::path(folder).display().to_string();
    Err(JournalError::TakenBack { log, facts, view, known })
}

/// Returns the time as facts carry it: UTC, whole milliseconds. Durations and time limits are not measured with it.
pub fn now() -> Timestamp {
    Timestamp::from_millisecond(Timestamp::now().as_millisecond()).unwrap_or(Timestamp::MAX)
}

/// Shows what happens in a run: on a terminal, in a comment, as lines of a log. It never fails the run.
pub trait Reporter {
    /// Shows one fact and the state of the run after it.
    fn report(&mut self, entry: &Entry, state: &State);

    /// Shows the last line that the agent printed.
    fn progress(&mut self, _line: &Masked) {}
}

/// The log of one run, its state, and its reporters.
pub struct Journal {
    log: Log,
    state: State,
    masker: Masker,
    folder: PathBuf,
    reporters: Vec<Box<dyn Reporter>>,
}

impl Journal {
    /// Opens the log in a run's folder, folds it and rebuilds the view. A torn last line is dropped with a
    /// warning. A log that has fewer facts than the view knows is refused.
    pub fn open(folder: &Path, masker: Masker) -> Result<Self, JournalError> {
        let path = folder.join("events.jsonl");
        let (log, LogContents { entries, torn, .. }) = Log::open(&path)?;
        if let Some(torn) = torn {
            tracing::warn!("{}: {torn}", path.display());
        }
        let misfit = |misfit| JournalError::DoesNotFit { log: path.display().to_string(), misfit };
        let state = fold(&entries).map_err(misfit)?;
        let journal = Self { log, state, masker, folder: folder.to_owned(), reporters: Vec::new() };
        journal.rebuild_view()?;
        Ok(journal)
    }

    /// Keeps a copy of the log from now on.
    pub fn keep_copy(&mut self, copy: LogCopy) {
        self.log.keep_copy(copy);
    }

    /// Adds a reporter, which gets every fact from now on.
    pub fn add_reporter(&mut self, reporter: Box<dyn Reporter>) {
        self.reporters.push(reporter);
    }

    /// Returns the state of the run.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the chain hash of the last fact.
    pub fn chain(&self) -> &str {
        self.log.chain()
    }

    /// Returns number and chain of every fact since the latest ruling on a phase; one of them announced its commit.
    pub fn chains_since_ruling(&self, phase: &PhaseName) -> Result<Vec<(u64, String)>, JournalError> {
        let entries = read_file(&self.folder.join("events.jsonl"))?.entries;
        let is_it = |entry: &Entry| matches!(&entry.fact, Fact::Ruled(ruled) if ruled.phase == *phase);
        let first = entries.iter().rposition(is_it).unwrap_or(entries.len());
        let numbers = entries.iter().map(|entry| entry.seq);
        Ok(numbers.zip(self.log.chains()?).skip(first).collect())
    }

    /// Returns the folder of the run, `.ai-workflow/issue-N`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes one fact. A fact that does not fit is our bug and is not written.
    pub fn record(&mut self, fact: Fact) -> Result<(), JournalError> {
        self.record_all(&[fact])
    }

    /// Writes facts that belong together; the first ones of a log are there together or not at all.
    pub fn record_all(&mut self, facts: &[Fact]) -> Result<(), JournalError> {
        let at = now();
        let misfit = |misfit| JournalError::DoesNotFit { log: "events.jsonl".into(), misfit };
        self.check_all_fit(at, facts).map_err(misfit)?;
        let written = self.log.append(at, facts, &self.masker)?;
        for entry in &written {
            apply(&mut self.state, entry).map_err(misfit)?;
        }
        self.write_view()?;
        for entry in &written {
            for reporter in &mut self.reporters {
                reporter.report(entry, &self.state);
            }
        }
        Ok(())
    }

    /// Tells why facts could not be folded one after the other. A single one, as nearly all are, needs no copy of the state.
    fn check_all_fit(&self, at: Timestamp, facts: &[Fact]) -> Result<(), InvalidFact> {
        let entry = |seq: u64, fact: &Fact| Entry { seq: seq + 1, at, fact: fact.clone() };
        if let [fact] = facts {
            return check_fits(&self.state, &entry(self.state.seq, fact));
        }
        let mut tried = self.state.clone();
        for fact in facts {
            let entry = entry(tried.seq, fact);
            apply(&mut tried, &entry)?;
        }
        Ok(())
    }

    /// Shows the last line that an agent printed.
    pub fn progress(&mut self, line: &Masked) {
        for reporter in &mut self.reporters {
            reporter.progress(line);
        }
    }

    /// Checks that only this process wrote to the log; tells whether it had to be put back.
    pub fn verify_or_restore(&mut self) -> Result<bool, JournalError> {
        Ok(self.log.verify_or_restore()?)
    }

    fn rebuild_view(&self) -> Result<(), JournalError> {
        let path = view::path(&self.folder);
        match view::check_file(&path)? {
            ViewOnDisk::Edited => return Err(JournalError::Edited(path.display().to_string())),
            ViewOnDisk::Good { seq } => refuse_log_behind(&self.folder, self.state.seq, seq)?,
            ViewOnDisk::Missing => {}
        }
        self.write_view()
    }

    fn write_view(&self) -> Result<(), JournalError> {
        Ok(view::write(&self.folder, &self.state, self.log.chain(), &self.masker)?)
    }
}
