//! The first facts of a run: where it starts from, what is pinned, what is left out by choice.
//! Refuses what would mix the user's work with the run's.

use jiff::Timestamp;

use super::{RunError, digest, nonce};
use engine::{Run, fold};
use journal::Journal;
use model::event::{Entry, FORMAT, Fact, RunStarted};
use model::issue::Issue;
use model::phase::PhaseName;
use model::policy::Agreement;

/// Everything that is pinned when a run begins.
#[derive(Debug, Clone)]
pub struct NewRun {
    pub issue: Issue,
    pub repository: String,
    pub branch: String,
    pub base_branch: String,
    pub base_commit: String,
    pub language: String,
    pub strays: Vec<String>,
    pub agreement: Agreement,
    /// Phases left out, and why.
    pub skipped: Vec<(PhaseName, String)>,
}

/// Writes the first facts of a run, together: half of them would be another run.
pub fn begin(journal: &mut Journal, beginning: NewRun) -> Result<(), RunError> {
    Ok(journal.record_all(&first_facts(beginning))?)
}

/// Returns a run as it is when it has begun, so that what is refused of it is known before. Writes nothing.
pub fn planned_run(beginning: NewRun, at: Timestamp) -> Result<Run, RunError> {
    let facts = (1..).zip(first_facts(beginning));
    let entries: Vec<Entry> = facts.map(|(seq, fact)| Entry { seq, at, fact }).collect();
    let state = fold(&entries).map_err(|error| RunError::Bug(error.to_string()))?;
    state.run.ok_or_else(|| RunError::Bug("the first facts begin no run".to_owned()))
}

fn first_facts(beginning: NewRun) -> Vec<Fact> {
    let issue = &beginning.issue;
    let issue_digest = digest(&format!("{}\0{}", issue.title, issue.body));
    let started = Fact::RunStarted(Box::new(RunStarted {
        format: FORMAT,
        run_id: nonce(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        issue_digest,
        issue: beginning.issue,
        repository: beginning.repository,
        branch: beginning.branch,
        base_branch: beginning.base_branch,
        base_commit: beginning.base_commit,
        language: beginning.language,
        strays: beginning.strays,
        agreement: beginning.agreement,
    }));
    let skipped = beginning.skipped.into_iter().map(|(phase, because)| Fact::PhaseSkipped { phase, because });
    std::iter::once(started).chain(skipped).collect()
}
