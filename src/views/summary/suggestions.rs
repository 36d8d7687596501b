//! What the reviewers of completed phases leave to others: their suggestions, and the minor and info findings of their approvals.
//! They concern every author of a later phase, since each is shown the documents and may read and change the files that the
//! findings are about; and whoever reviews the pull request. Demands nothing.

use std::collections::BTreeSet;

use crate::text::{place, shorten};
use engine::{LedgerFinding, PhaseState, Run, Status};
use model::finding::{Disposition, Severity};
use model::phase::PhaseName;
use model::verdict::ReadAs;

/// The longest suggestion, in characters.
const LONGEST: usize = 400;

/// Returns the suggestions of the completed phases before a phase, or of all phases, each text once: those of the latest phase
/// first, so that a limit cuts off the oldest.
pub fn suggestions<'a>(run: &'a Run, before: Option<&PhaseName>) -> Vec<(&'a PhaseName, String)> {
    let earlier = run.phases.iter().take_while(|phase| Some(phase.name()) != before);
    let is_told = |phase: &&PhaseState| before.is_none() || phase.status == Status::Completed;
    let told: Vec<&PhaseState> = earlier.filter(is_told).collect();
    let mut seen = BTreeSet::new();
    let all = told.into_iter().rev().flat_map(|phase| of_phase(phase).map(|text| (phase.name(), text)));
    all.filter(|(_, text)| seen.insert(text.clone())).collect()
}

fn of_phase(phase: &PhaseState) -> impl Iterator<Item = String> {
    let reading = phase.reviews.current.as_ref().and_then(|review| review.reading.as_ref());
    let readable = reading.filter(|reading| reading.read_as != ReadAs::Default);
    let stated = readable.into_iter().flat_map(|reading| &reading.suggestions);
    let remarks = phase.ledger.open().filter(|listed| is_remark_of_approval(phase, listed)).map(remark);
    stated.map(|text| shorten(text.trim(), LONGEST)).chain(remarks)
}

/// Tells whether the phase is completed and its approving review names a finding that is minor or less, whatever its triage says:
/// what the documents need no fix for may still help a later author. What is out of scope has a list of its own.
fn is_remark_of_approval(phase: &PhaseState, listed: &LedgerFinding) -> bool {
    let approving = phase.history.rounds.last().map(|round| round.n);
    let is_mild = listed.finding.severity <= Severity::Minor && listed.finding.in_scope;
    is_mild
        && phase.status == Status::Completed
        && !listed.is_of_checks()
        && Some(listed.last_round) == approving
}

fn remark(listed: &LedgerFinding) -> String {
    let finding = listed.with_latest_wording();
    let place = place(finding.file.as_deref(), finding.line);
    let place = place.map_or(String::new(), |place| format!(" {place}"));
    let how = finding.suggestion.map_or(String::new(), |how| format!(" → {how}"));
    let judged = if listed.disposition == Disposition::NoFix { " (the triage: no fix needed)" } else { "" };
    shorten(&format!("{}{place}: {}{how}{judged}", finding.severity.as_str(), finding.issue), LONGEST)
}
