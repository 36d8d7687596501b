//! The first facts of a run: where it starts from, what is pinned, what is left out by choice.

use jiff::Timestamp;

use crate::error::{Result, RunError};
use engine::{Run, fold};
use journal::Journal;
use model::event::{Entry, Fact, RunStarted};
use model::phase::PhaseName;

/// Writes the first facts of a run, together: half of them would be another run. `skipped` are the phases that are left out,
/// and why.
pub fn begin(journal: &mut Journal, started: RunStarted, skipped: Vec<(PhaseName, String)>) -> Result<()> {
    Ok(journal.record_all(&first_facts(started, skipped))?)
}

/// Returns a run as it is when it has begun, so that what is refused of it is known before. Writes nothing.
pub fn planned_run(started: RunStarted, skipped: Vec<(PhaseName, String)>, at: Timestamp) -> Result<Run> {
    let facts = (1..).zip(first_facts(started, skipped));
    let entries: Vec<Entry> = facts.map(|(seq, fact)| Entry { seq, at, fact }).collect();
    let state = fold(&entries).map_err(|error| RunError::Bug(error.to_string()))?;
    state.run.ok_or_else(|| RunError::Bug("the first facts begin no run".to_owned()))
}

fn first_facts(started: RunStarted, skipped: Vec<(PhaseName, String)>) -> Vec<Fact> {
    let skipped = skipped.into_iter().map(|(phase, because)| Fact::PhaseSkipped { phase, because });
    std::iter::once(Fact::RunStarted(Box::new(started))).chain(skipped).collect()
}
