//! The open findings of a phase in lines for people: ids, severity, place, and how they stand; the trend above them.

use engine::{Listed, PhaseState, Run, Status};
use model::finding::Disposition;

/// More findings than this are counted.
const MOST: usize = 10;

/// Returns the open findings of a phase, the trend first; nothing when none are open.
pub fn finding_lines(phase: &PhaseState) -> Vec<String> {
    let mut open: Vec<&Listed> = phase.ledger.open().collect();
    if open.is_empty() {
        return Vec::new();
    }
    open.sort_by_key(|listed| std::cmp::Reverse(listed.finding.severity));
    let more = open.len().saturating_sub(MOST);
    let head = format!("open findings: {}{}", open.len(), trend(phase));
    let more = (more > 0).then(|| format!("… and {more} more"));
    std::iter::once(head).chain(open.into_iter().take(MOST).map(line)).chain(more).collect()
}

/// Returns what was approved all the same, because it was new where nothing had changed since the review before.
pub(super) fn beyond(run: &Run) -> Vec<String> {
    let completed = run.phases.iter().filter(|phase| phase.status == Status::Completed);
    let of_phase = |phase: &PhaseState| {
        let beyond: Vec<&Listed> = phase.ledger.open().filter(|listed| !listed.finding.in_scope).collect();
        beyond.into_iter().map(|listed| format!("{}: {}", phase.name(), line(listed))).collect::<Vec<_>>()
    };
    completed.flat_map(of_phase).collect()
}

fn trend(phase: &PhaseState) -> String {
    let counts: Vec<String> = phase.ledger.counts().map(|count| count.to_string()).collect();
    let trend = phase.ledger.trend();
    trend.map_or_else(String::new, |trend| format!(", {} ({})", trend.as_str(), counts.join(", ")))
}

/// Returns a finding in one line.
pub fn line(listed: &Listed) -> String {
    let it = listed.told();
    let place = match (&it.file, it.line) {
        (Some(file), Some(line)) => format!(" {file}:{line}"),
        (Some(file), None) => format!(" {file}"),
        (None, _) => String::new(),
    };
    let scope = if it.in_scope { "" } else { ", out of scope" };
    let disposition = match listed.disposition {
        Disposition::Open => String::new(),
        disposition => format!(", {}", disposition.words()),
    };
    let since = listed.first_round;
    let (id, severity, standing) = (listed.id, it.severity.as_str(), listed.standing.as_str());
    format!("{id} {severity}{place}: {} ({standing}, since round {since}{disposition}{scope})", it.issue)
}
