//! What is left of a triage: questions that earlier rounds asked, and fixes that nobody has reviewed.
//! What its table amounts to is `judge`'s.

use super::history::Round;
use super::state::PhaseState;
use model::event::Triaged;
use model::verdict::ReadAs;

impl PhaseState {
    /// Names the rounds whose questions no person has answered. A later round that does not ask again answers nothing.
    pub(super) fn open_questions(&self) -> Option<String> {
        let since = self.counters.rounds.saturating_sub(1) as usize;
        let from = self.history.rounds.len().saturating_sub(since);
        let asked = |round: &&Round| round.table.is_some_and(|table| table.needs_discussion > 0);
        let rounds: Vec<String> =
            self.history.rounds[from..].iter().filter(asked).map(|round| round.n.to_string()).collect();
        (!rounds.is_empty())
            .then(|| format!("what round {} left to be discussed is not answered", rounds.join(", ")))
    }

    /// Says why a table that judges nothing does not answer the review of its round: that one demands something, or
    /// cannot be read, and names no finding that could be judged.
    pub(super) fn unanswered_review(&self) -> Option<String> {
        let judged = self.evidence.triage.as_ref().and_then(|triage| triage.table)?.findings();
        let reading = self.reading().filter(|reading| judged == 0 && reading.findings.is_empty())?;
        if reading.read_as == ReadAs::Default {
            return Some(format!("the review cannot be read: {}", reading.reason));
        }
        (!reading.judgment.approves())
            .then(|| format!("the reviewer states {}, and names no finding", reading.stated))
    }

    /// Returns what the triage is told that is asked again because its table could not be read.
    pub fn triage_hint(&self) -> String {
        let unread = self.evidence.triage.as_ref().filter(|triage| triage.round == self.round);
        let why = unread.and_then(|triage| triage.unread.as_ref());
        why.map_or_else(String::new, |why| {
            format!(
                "Your table cannot be read: {why}. What you edited is still edited; judge each finding again."
            )
        })
    }

    /// Adds to a reason that files hold fixes which nobody has reviewed.
    pub(super) fn with_unreviewed_fixes(&self, why: &str) -> String {
        if !self.def.policy.triage || !self.triage_changed_files() {
            return why.to_owned();
        }
        format!("{why}; the fixes of round {} are in the files, and nobody has reviewed them", self.round)
    }
}

/// Says why a triage counts for nothing.
pub(super) fn unread(triage: &Triaged) -> String {
    let why = triage.unread.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    format!("the triage table cannot be read{why}")
}
