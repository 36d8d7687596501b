//! What the reviewers of completed phases leave to others: their suggestions, and the minor and info findings of their approvals.
//! They concern every author of a later phase, since each is shown the documents and may read and change the files that the
//! findings are about; and whoever reviews the pull request. Demands nothing.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::text::place;
use engine::{LedgerFinding, PhaseState, Run, Status};
use model::finding::{Disposition, Severity};
use model::phase::PhaseName;
use model::text::shorten;
use model::verdict::ReadAs;

/// The longest suggestion, in characters.
const LONGEST: usize = 400;

/// The suggestions of a run, those that are listed and how many there are besides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suggestions<'a> {
    /// Each with the phase in which it was made.
    pub listed: Vec<(&'a PhaseName, String)>,
    /// How many more there are, in which phases, and which file has them; nothing where all are listed.
    pub more: Option<String>,
}

/// Returns the suggestions of the completed phases before a phase, or of all phases, each text once: those of the phases that change
/// code first, then those of the latest phase. Where there are too many, each phase keeps its first ones.
pub fn suggestions<'a>(run: &'a Run, before: Option<&PhaseName>, most: usize) -> Suggestions<'a> {
    let earlier = run.phases.iter().take_while(|phase| Some(phase.name()) != before);
    let is_told = |phase: &&PhaseState| before.is_none() || phase.status == Status::Completed;
    let mut phases: Vec<&PhaseState> = earlier.filter(is_told).collect();
    phases.reverse();
    phases.sort_by_key(|phase| !phase.def.changes_code);
    let mut seen = BTreeSet::new();
    let mut new = |phase| of_phase(phase).filter(|text| seen.insert(text.clone())).collect::<Vec<String>>();
    let told: Vec<(&PhaseName, Vec<String>)> =
        phases.into_iter().map(|phase| (phase.name(), new(phase))).collect();
    let shares = share(&told.iter().map(|(_, texts)| texts.len()).collect::<Vec<_>>(), most);
    let more = describe_rest(run, &told, &shares);
    let listed = told.into_iter().zip(shares);
    let listed =
        listed.flat_map(|((name, texts), kept)| texts.into_iter().take(kept).map(move |text| (name, text)));
    Suggestions { listed: listed.collect(), more }
}

/// Shares so many places among these numbers, one after the other in turns.
fn share(wanted: &[usize], places: usize) -> Vec<usize> {
    let mut shares = vec![0; wanted.len()];
    let mut left = places.min(wanted.iter().sum());
    while left > 0 {
        for (share, wanted) in shares.iter_mut().zip(wanted) {
            if *share < *wanted && left > 0 {
                *share += 1;
                left -= 1;
            }
        }
    }
    shares
}

fn describe_rest(run: &Run, told: &[(&PhaseName, Vec<String>)], shares: &[usize]) -> Option<String> {
    let left = told.iter().zip(shares).map(|((name, texts), kept)| (name, texts.len() - kept));
    let left: Vec<_> = left.filter(|(_, number)| *number > 0).collect();
    let all: usize = left.iter().map(|(_, number)| number).sum();
    let phases: Vec<String> = left.iter().map(|(name, number)| format!("{name} {number}")).collect();
    let file = format!(".ai-workflow/issue-{}/events.jsonl", run.started.issue.number);
    (all > 0).then(|| format!("… and {all} more ({}); the log `{file}` has all of them", phases.join(", ")))
}

fn of_phase(phase: &PhaseState) -> impl Iterator<Item = String> {
    let reading = phase.reviews.current.as_ref().and_then(|review| review.reading.as_ref());
    let readable = reading.filter(|reading| reading.read_as != ReadAs::Default);
    let stated = readable.into_iter().flat_map(|reading| &reading.suggestions);
    let mut remarks: Vec<&LedgerFinding> =
        phase.ledger.open().filter(|listed| is_remark_of_approval(phase, listed)).collect();
    remarks.sort_by_key(|listed| Reverse(listed.finding.severity));
    let remarks = remarks.into_iter().map(remark);
    remarks.chain(stated.map(|text| shorten(text.trim(), LONGEST)))
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

#[cfg(test)]
mod tests;
