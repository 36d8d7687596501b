//! The approved documents of a run: which phase may change the document of another one, and whether a commit holds them as
//! they were approved. A person may change every document; nobody else may remove one.

use std::collections::{BTreeMap, BTreeSet};

use crate::phase_state::{PhaseState, Status};
use crate::run::Run;
use model::event::{DocumentChange, DocumentSeen};
use model::phase::PhaseName;

impl Run {
    /// Keeps the documents of a commit as those that are approved from now on. One that is missing in it was accepted so.
    pub(crate) fn keep_documents(&mut self, name: &PhaseName, committed: &BTreeMap<PhaseName, String>) {
        let edited = self.phase(name).map(|phase| list_edited(self, phase, committed)).unwrap_or_default();
        for phase in &mut self.phases {
            if edited.contains(phase.name()) {
                phase.files.edited_with = Some(name.clone());
            }
            phase.files.deliverable = committed.get(phase.name()).cloned();
        }
    }
}

/// Returns the phases whose approved document is another one in a commit, neither repaired and reviewed nor only ticked: a person
/// changed it, or accepted it so.
fn list_edited(
    run: &Run,
    phase: &PhaseState,
    committed: &BTreeMap<PhaseName, String>,
) -> BTreeSet<PhaseName> {
    let is_edited = |other: &PhaseState, approved: &str| {
        let is_other = committed.get(other.name()).is_some_and(|digest| digest != approved);
        let seen = phase.evidence.documents.get(other.name());
        let is_ticked = seen.is_some_and(|seen| seen.changed_by == Some(DocumentChange::Ticks));
        is_other && !is_ticked && (!may_change(phase, other) || phase.person.accepted_by.is_some())
    };
    let edited = approved_beside(run, phase).filter(|(other, approved)| is_edited(other, approved));
    edited.map(|(other, _)| other.name().clone()).collect()
}

/// Tells whether a phase may change the approved document of another one: a phase with triage reviews all of them and repairs
/// what is wrong in them.
pub fn may_change(phase: &PhaseState, other: &PhaseState) -> bool {
    phase.def.policy.triage && !other.def.stores_review_documents()
}

/// Returns the phase whose approved document the checks of this round did not find as it may be; nothing when every document
/// stands. A phase without checks is judged by its commit.
pub(crate) fn find_lost<'a>(run: &'a Run, phase: &PhaseState) -> Option<&'a PhaseName> {
    if phase.def.policy.checks.is_empty() {
        return None;
    }
    let seen = &phase.evidence.documents;
    let mut approved = approved_beside(run, phase);
    approved
        .find(|(other, digest)| !stands(phase, other, digest, seen.get(other.name())))
        .map(|(other, _)| other.name())
}

fn stands(phase: &PhaseState, other: &PhaseState, approved: &str, seen: Option<&DocumentSeen>) -> bool {
    let Some(DocumentSeen { digest: Some(digest), changed_by }) = seen else { return false };
    digest == approved || changed_by.is_some() || may_change(phase, other)
}

/// Returns the other completed phases whose approved document is known, with its digest.
fn approved_beside<'a>(run: &'a Run, phase: &PhaseState) -> impl Iterator<Item = (&'a PhaseState, &'a str)> {
    let completed = run.phases.iter().filter(|other| other.status == Status::Completed);
    let others = completed.filter(|other| other.name() != phase.name());
    others.filter_map(|other| Some((other, other.files.deliverable.as_deref()?)))
}

/// Refuses a commit that does not hold the documents that the checks saw. What a person accepted is theirs.
pub(crate) fn validate_commit(
    run: &Run,
    phase: &PhaseState,
    committed: &BTreeMap<PhaseName, String>,
) -> Result<(), String> {
    if phase.person.accepted_by.is_some() {
        return Ok(());
    }
    for (other, approved) in approved_beside(run, phase) {
        let seen = phase.evidence.documents.get(other.name()).and_then(|seen| seen.digest.as_deref());
        if committed.get(other.name()).map(String::as_str) != Some(seen.unwrap_or(approved)) {
            return Err(format!("the commit does not hold the approved document of {}", other.name()));
        }
    }
    Ok(())
}
