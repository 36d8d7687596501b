//! Combines the outcome of the author, the checks, the review and the triage into one judgment: the worst counts.
//! Evidence comes before opinion, and doubt never approves.

use super::state::PhaseState;
use crate::event::{CheckStatus, ExecOutcome, Reading};
use crate::finding::Severity;
use crate::phase::Step;
use crate::policy::{Discuss, OnFail, OnUnavailable, Partial};
use crate::verdict::{Judgment, ReadAs};

/// A judgment and what led to it, for people.
pub(super) type Judged = (Judgment, String);

impl PhaseState {
    /// Returns the judgment of what this phase has shown.
    pub(super) fn judgment(&self) -> Judged {
        if let Some(step) = self.broken {
            return self.broken_judgment(step);
        }
        if self.declared_unfinished() {
            return (Judgment::Revise, "the author says that it is not finished".into());
        }
        if let Some(judged) = self.evidence_judgment() {
            return judged;
        }
        if self.def.policy.triage {
            return self.triage_judgment();
        }
        match self.review.as_ref().and_then(|review| review.reading.as_ref()) {
            Some(reading) => self.review_judgment(reading),
            None if self.def.policy.review.is_some() => (Judgment::Unverifiable, "no review".into()),
            None => (Judgment::Approve, "all checks passed".into()),
        }
    }

    fn broken_judgment(&self, step: Step) -> Judged {
        let ended = match step {
            Step::Review => self.review.as_ref().map(|review| &review.ended),
            Step::Triage => self.triage.as_ref().map(|triage| &triage.ended),
            Step::Execute | Step::Revise | Step::Check | Step::Answer => {
                self.work.as_ref().map(|work| &work.ended)
            }
        };
        let why = ended.and_then(|ended| ended.reason.clone()).unwrap_or_else(|| "it broke".into());
        let asked_a_person = ended.is_some_and(|ended| ended.outcome == ExecOutcome::BlockedOnPrompt);
        if asked_a_person && matches!(step, Step::Execute | Step::Revise) {
            (Judgment::Revise, format!("{step} waited for an answer that nobody gives: {why}"))
        } else {
            (Judgment::Redo, format!("{step}: {why}"))
        }
    }

    /// Returns what the checks demand; nothing when they let the phase go on.
    pub(super) fn evidence_judgment(&self) -> Option<Judged> {
        let failed = self.checks.iter().flatten().filter_map(|result| {
            let meaning = match result.status {
                CheckStatus::Pass | CheckStatus::Skipped => None,
                CheckStatus::Fail => self.failure_means(&result.check),
                CheckStatus::Unavailable => self.unavailable_means(&result.check),
            };
            meaning.map(|judgment| (judgment, format!("check {}: {}", result.check, result.summary)))
        });
        failed.max_by_key(|(judgment, _)| *judgment)
    }

    fn failure_means(&self, check: &str) -> Option<Judgment> {
        let partial = self.work.as_ref().is_some_and(|work| work.ended.outcome == ExecOutcome::Partial);
        match self.on_fail(check) {
            OnFail::Note => None,
            _ if partial && self.def.policy.partial == Partial::Redo => Some(Judgment::Redo),
            OnFail::Stop => Some(Judgment::Block),
            OnFail::Redo => Some(Judgment::Redo),
            OnFail::Format if self.counters.format_redos < self.def.policy.limits.max_format_redo => {
                Some(Judgment::Redo)
            }
            OnFail::Format | OnFail::Revise => Some(Judgment::Revise),
        }
    }

    fn unavailable_means(&self, check: &str) -> Option<Judgment> {
        let rule = self.def.policy.checks.iter().find(|rule| rule.id == check);
        match rule.map_or(OnUnavailable::Block, |rule| rule.on_unavailable) {
            OnUnavailable::Block => Some(Judgment::Block),
            OnUnavailable::Note => None,
        }
    }

    /// Tells whether a check of the answer's form failed.
    pub(super) fn format_failed(&self) -> bool {
        let failed = |check: &str| self.on_fail(check) == OnFail::Format;
        self.checks.iter().flatten().any(|result| result.status == CheckStatus::Fail && failed(&result.check))
    }

    fn review_judgment(&self, reading: &Reading) -> Judged {
        if reading.read_as == ReadAs::Default {
            return (Judgment::Unverifiable, format!("the review cannot be read: {}", reading.reason));
        }
        let stated = (reading.judgment, format!("the reviewer states {}", reading.stated));
        match self.findings_demand(reading) {
            Some(demand) if demand.0 > stated.0 => demand,
            _ => stated,
        }
    }

    /// Findings tighten a verdict and never loosen it.
    fn findings_demand(&self, reading: &Reading) -> Option<Judged> {
        let rule = self.def.policy.review.as_ref()?;
        let worst = reading.worst()?;
        if worst == Severity::Critical {
            Some((rule.on_critical.max(Judgment::Revise), "a critical finding".into()))
        } else if worst >= rule.blocking {
            Some((Judgment::Revise, format!("a {} finding", worst.as_str())))
        } else {
            None
        }
    }

    fn triage_judgment(&self) -> Judged {
        let Some(triage) = &self.triage else { return (Judgment::Unverifiable, "no triage".into()) };
        let Some(table) = triage.table else {
            return (Judgment::Unverifiable, "the triage table cannot be read".into());
        };
        let discuss = (Judgment::Discuss, format!("{} findings need discussion", table.needs_discussion));
        if table.needs_discussion > 0 && self.def.policy.discuss == Discuss::AtOnce {
            discuss
        } else if table.fix_required > 0 {
            (Judgment::Revise, format!("{} findings required a fix", table.fix_required))
        } else if !triage.changed.is_empty() {
            (Judgment::Revise, "the triage changed files, which nobody has reviewed yet".into())
        } else if table.needs_discussion > 0 {
            discuss
        } else {
            (Judgment::Approve, "no finding needs a fix or a discussion".into())
        }
    }
}
