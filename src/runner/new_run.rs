//! The first facts of a run: where it starts from, what is pinned, what is left out by choice.
//! Refuses what would mix the user's work with the run's.

use jiff::Timestamp;

use crate::digest::{digest, nonce};
use crate::error::RunError;
use engine::{Run, fold};
use journal::Journal;
use model::event::{Entry, FORMAT, Fact, RunStarted};
use model::issue::Issue;
use model::phase::PhaseName;
use model::policy::Agreement;

/// Everything that is pinned when a run begins.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// The issue as it is pinned.
    pub issue: Issue,
    /// The name of the repository, `owner/name` on GitHub.
    pub repository: String,
    /// The branch of the run.
    pub branch: String,
    /// The branch that the run starts from, and that its work is for.
    pub base_branch: String,
    /// The commit that the run starts from.
    pub base_commit: String,
    /// The language of deliverables and comments.
    pub language: String,
    /// Files that were untracked before the run, and are never committed.
    pub strays: Vec<String>,
    /// Phases, limits and checks, as agreed on.
    pub agreement: Agreement,
    /// Phases left out, and why.
    pub skipped: Vec<(PhaseName, String)>,
}

/// Writes the first facts of a run, together: half of them would be another run.
pub fn begin(journal: &mut Journal, new: NewRun) -> Result<(), RunError> {
    Ok(journal.record_all(&first_facts(new))?)
}

/// Returns a run as it is when it has begun, so that what is refused of it is known before. Writes nothing.
pub fn planned_run(new: NewRun, at: Timestamp) -> Result<Run, RunError> {
    let facts = (1..).zip(first_facts(new));
    let entries: Vec<Entry> = facts.map(|(seq, fact)| Entry { seq, at, fact }).collect();
    let state = fold(&entries).map_err(|error| RunError::Bug(error.to_string()))?;
    state.run.ok_or_else(|| RunError::Bug("the first facts begin no run".to_owned()))
}

fn first_facts(new: NewRun) -> Vec<Fact> {
    let issue = &new.issue;
    let issue_digest = digest(&format!("{}\0{}", issue.title, issue.body));
    let started = Fact::RunStarted(Box::new(RunStarted {
        format: FORMAT,
        run_id: nonce(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        issue_digest,
        issue: new.issue,
        repository: new.repository,
        branch: new.branch,
        base_branch: new.base_branch,
        base_commit: new.base_commit,
        language: new.language,
        strays: new.strays,
        agreement: new.agreement,
    }));
    let skipped = new.skipped.into_iter().map(|(phase, because)| Fact::PhaseSkipped { phase, because });
    std::iter::once(started).chain(skipped).collect()
}
