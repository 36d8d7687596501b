//! Combines the outcome of the author, the checks, the review and the triage into one judgment: the worst counts.
//! Evidence comes before opinion, and doubt never approves.

use super::recovery::is_to_be_told;
use super::state::PhaseState;
use crate::event::{CheckStatus, ExecOutcome, Reading};
use crate::finding::Severity;
use crate::phase::Step;
use crate::policy::{Discuss, OnFail, OnUnavailable, Partial};
use crate::verdict::{Judgment, ReadAs, Verdict};

/// What an author is told that asked a person while nobody was there.
const HINT_NOT_TO_ASK: &str =
    "Do not ask interactively: nobody answers. Decide yourself and say what you decided.";

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
        if self.undecided() {
            return (Judgment::Redo, "no decision about the run was made".into());
        }
        if self.def.policy.triage {
            return self.triage_judgment();
        }
        match self.reading() {
            Some(reading) => self.review_judgment(reading),
            None if self.def.policy.review.is_some() => (Judgment::Unverifiable, "no review".into()),
            None => (Judgment::Approve, "all checks passed".into()),
        }
    }

    fn broken_judgment(&self, step: Step) -> Judged {
        if self.asked_interactively(step) && !self.def.policy.triage {
            return (Judgment::Revise, format!("{step}: {}", broke(ExecOutcome::BlockedOnPrompt)));
        }
        let ended = self.ended_of(step);
        let reason = ended.and_then(|ended| ended.reason.clone());
        let why = reason.unwrap_or_else(|| ended.map_or("it broke", |ended| broke(ended.outcome)).into());
        (Judgment::Redo, format!("{step}: {why}"))
    }

    /// Tells whether the author's latest call waited for an answer that nobody gives.
    fn asked_interactively(&self, step: Step) -> bool {
        self.work.as_ref().is_some_and(|work| work.step == step && is_to_be_told(step, work.ended.outcome))
    }

    /// Returns what the author should read before it revises.
    pub fn feedback(&self) -> String {
        let step = self.work.as_ref().map(|work| work.step);
        let asked = step.is_some_and(|step| self.asked_interactively(step));
        let hint = asked.then_some(HINT_NOT_TO_ASK);
        let reading = self.reading().map(|reading| reading.feedback.as_str());
        hint.into_iter().chain(reading).collect::<Vec<_>>().join("\n\n")
    }

    /// Returns what the checks demand; nothing when they let the phase go on.
    pub(super) fn evidence_judgment(&self) -> Option<Judged> {
        self.failure_judgment().or_else(|| self.missing_judgment())
    }

    fn failure_judgment(&self) -> Option<Judged> {
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

    /// A check that gave no result is not a passed one; after a failure the later ones may be missing.
    fn missing_judgment(&self) -> Option<Judged> {
        let results = self.checks.as_ref()?;
        let has_result = |id: &String| results.iter().any(|result| result.check == *id);
        let rule = self.def.policy.checks.iter().find(|rule| !has_result(&rule.id))?;
        Some((Judgment::Block, format!("check {} gave no result", rule.id)))
    }

    fn failure_means(&self, check: &str) -> Option<Judgment> {
        let partial = self.work.as_ref().is_some_and(|work| work.ended.outcome == ExecOutcome::Partial);
        match self.on_fail(check) {
            OnFail::Note => None,
            OnFail::Stop => Some(Judgment::Block),
            _ if partial && self.def.policy.partial == Partial::Redo => Some(Judgment::Redo),
            OnFail::Redo => Some(Judgment::Redo),
            OnFail::Format if self.format_redos_left() => Some(Judgment::Redo),
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

    fn format_redos_left(&self) -> bool {
        self.counters.format_redos < self.def.policy.limits.max_format_redo
    }

    /// Tells whether the author is to be asked for the right form of its answer only.
    pub(super) fn format_redo_left(&self) -> bool {
        self.format_failed() && self.format_redos_left()
    }

    /// Tells whether a phase that decides about the run has not done so, while its checks let it go on.
    pub(super) fn undecided(&self) -> bool {
        self.def.decides && self.evaluation.is_none() && self.evidence_judgment().is_none()
    }

    pub(super) fn review_judgment(&self, reading: &Reading) -> Judged {
        if reading.read_as == ReadAs::Default {
            return (Judgment::Unverifiable, format!("the review cannot be read: {}", reading.reason));
        }
        let stated = self.stated(reading);
        match self.findings_demand(reading) {
            Some(demand) if demand.0 > stated.0 => demand,
            _ => stated,
        }
    }

    /// Returns what the reviewer states. An approval that contradicts its own verdict, or was cut off, is none.
    fn stated(&self, reading: &Reading) -> Judged {
        let word = if reading.stated.is_empty() { reading.result.as_str() } else { &reading.stated };
        let truncated = self.review.as_ref().is_some_and(|review| review.ended.truncated);
        if !reading.judgment.approves() {
            (reading.judgment, format!("the reviewer states {word}"))
        } else if reading.result == Verdict::Fail {
            (Judgment::Revise, format!("the reviewer states {word}, and that it fails"))
        } else if truncated {
            (Judgment::Unverifiable, format!("the reviewer states {word}, but the answer was cut off"))
        } else {
            (reading.judgment, format!("the reviewer states {word}"))
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
        let discuss = (Judgment::Discuss, format!("{} findings need a discussion", table.needs_discussion));
        if table.needs_discussion > 0 && self.def.policy.discuss == Discuss::AtOnce {
            discuss
        } else if table.fix_required > 0 {
            (Judgment::Revise, format!("{} findings required a fix", table.fix_required))
        } else if self.triage_changed_files() {
            (Judgment::Revise, "files changed after the review, so nobody has reviewed them".into())
        } else if table.needs_discussion > 0 {
            discuss
        } else if triage.ended.truncated {
            (Judgment::Unverifiable, "the triage answer was cut off".into())
        } else {
            (Judgment::Approve, "no finding needs a fix or a discussion".into())
        }
    }
}

fn broke(outcome: ExecOutcome) -> &'static str {
    match outcome {
        ExecOutcome::Done | ExecOutcome::Partial | ExecOutcome::NoOutput => "it ended without an answer",
        ExecOutcome::TimedOut => "it took too long",
        ExecOutcome::Idle => "it fell silent",
        ExecOutcome::BlockedOnPrompt => "it waited for an answer that nobody gives",
        ExecOutcome::RateLimited => "its provider limits the rate",
        ExecOutcome::Crashed => "it broke",
        ExecOutcome::Overloaded => "the provider is overloaded",
        ExecOutcome::QuotaExhausted => "quota or credit is used up",
        ExecOutcome::SignedOut => "the agent is not signed in",
        ExecOutcome::ModelUnknown => "the model is not known to this account",
        ExecOutcome::ContextTooLong => "the prompt is longer than the model can read",
        ExecOutcome::Refused => "the model refuses",
        ExecOutcome::LimitReached => "a limit of turns or cost was reached",
        ExecOutcome::NotStarted => "it could not be started",
        ExecOutcome::Cancelled => "it was stopped",
    }
}
