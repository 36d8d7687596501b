//! Combines the outcome of the author, the checks, the review and the triage into one judgment: the worst counts.
//! Evidence comes before opinion, and doubt never approves.

use super::recovery::is_to_be_told;
use super::state::PhaseState;
use super::triage::unread;
use model::event::{CheckStatus, ExecOutcome, Reading, Reviewed};
use model::finding::Severity;
use model::phase::Step;
use model::policy::{Discuss, OnFail, OnUnavailable, Partial};
use model::verdict::{Judgment, ReadAs, Verdict};

/// What an author is told that asked a person while nobody was there.
const HINT_NOT_TO_ASK: &str =
    "Do not ask interactively: nobody answers. Decide yourself and say what you decided.";

/// A judgment and what led to it, for people.
pub(super) type Judged = (Judgment, String);

impl PhaseState {
    /// Returns the judgment of what this phase has shown.
    pub(super) fn judgment(&self) -> Judged {
        if let Some(step) = self.evidence.broken {
            return self.broken_judgment(step);
        }
        if let Some(judged) = self.evidence_judgment().or_else(|| self.unfinished_judgment()) {
            return judged;
        }
        if self.undecided() {
            return (Judgment::Redo, "no decision about the run was made".into());
        }
        if self.def.policy.triage {
            return self.triage_judgment();
        }
        match self.reading() {
            Some(reading) if self.def.policy.llm_judge => self.as_judge(self.reviews_judgment(reading)),
            Some(reading) => self.reviews_judgment(reading),
            None if self.def.policy.review.is_some() => self.without_reading(),
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
        self.evidence
            .work
            .as_ref()
            .is_some_and(|work| work.step == step && is_to_be_told(step, work.ended.outcome))
    }

    /// Returns what we say ourselves about the author's last call, before it revises.
    pub fn hint(&self) -> String {
        let step = self.evidence.work.as_ref().map(|work| work.step);
        let asked = step.is_some_and(|step| self.asked_interactively(step));
        let hint = asked.then_some(HINT_NOT_TO_ASK).or_else(|| self.judge_hint());
        let parts = [hint.map(str::to_owned), self.unfinished_hint()];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the reviewer's words, for the author that revises.
    pub fn feedback(&self) -> String {
        self.reading().map(|reading| reading.feedback.clone()).unwrap_or_default()
    }

    /// Returns what the checks demand; nothing when they let the phase go on.
    pub(super) fn evidence_judgment(&self) -> Option<Judged> {
        self.failure_judgment().or_else(|| self.missing_judgment())
    }

    fn failure_judgment(&self) -> Option<Judged> {
        let failed = self.evidence.checks.iter().flatten().filter_map(|result| {
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
        let results = self.evidence.checks.as_ref()?;
        let has_result = |id: &String| results.iter().any(|result| result.check == *id);
        let rule = self.def.policy.checks.iter().find(|rule| !has_result(&rule.id))?;
        Some((Judgment::Block, format!("check {} gave no result", rule.id)))
    }

    fn failure_means(&self, check: &str) -> Option<Judgment> {
        let partial =
            self.evidence.work.as_ref().is_some_and(|work| work.ended.outcome == ExecOutcome::Partial);
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
        self.evidence
            .checks
            .iter()
            .flatten()
            .any(|result| result.status == CheckStatus::Fail && failed(&result.check))
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
        self.def.decides && self.evidence.evaluation.is_none() && self.evidence_judgment().is_none()
    }

    /// Returns what the reviews of the round demand: the strictest of what each states, and of what they name together.
    /// `reading` is what they say together, or what the one says that is heard now.
    pub(super) fn reviews_judgment(&self, reading: &Reading) -> Judged {
        let each: Vec<Judged> = match self.due() {
            None => {
                self.reviews.opinions.iter().filter_map(|opinion| self.opinion_judgment(opinion)).collect()
            }
            Some(_) => {
                self.reviews.current.iter().filter_map(|review| self.opinion_judgment(review)).collect()
            }
        };
        let readable = reading.read_as != ReadAs::Default;
        let demands = [self.findings_demand(reading), self.grades_demand(reading)];
        let together = demands.into_iter().flatten().filter(|_| readable || self.reviews.opinions.len() > 1);
        let strictest = each.into_iter().chain(together).reduce(stricter);
        strictest.unwrap_or((Judgment::Unverifiable, "no review".into()))
    }

    /// Returns what one review demands by itself.
    pub(super) fn opinion_judgment(&self, opinion: &Reviewed) -> Option<Judged> {
        let reading = opinion.reading.as_ref()?;
        let judged = self.review_judgment(reading, opinion.ended.truncated);
        let (judgment, why) = self.with_every_grade(judged, opinion.seat.as_deref(), reading);
        let why = opinion.seat.as_ref().map_or_else(|| why.clone(), |seat| format!("{seat}: {why}"));
        Some((judgment, why))
    }

    /// An object that approves has to grade each viewpoint that it was asked for, where grades decide (B-09). A line of a
    /// verdict has no place for grades.
    fn with_every_grade(&self, judged: Judged, seat: Option<&str>, reading: &Reading) -> Judged {
        let decide = self.def.policy.review.as_ref().is_some_and(|rule| !rule.grade_map.is_empty());
        let lacks = |viewpoint: &&String| !reading.grades(viewpoint);
        let missing: Vec<&str> = self.viewpoints_of(seat).iter().filter(lacks).map(String::as_str).collect();
        let is_object = matches!(reading.read_as, ReadAs::Schema | ReadAs::Json);
        if !judged.0.approves() || !decide || !is_object || missing.is_empty() {
            return judged;
        }
        (Judgment::Unverifiable, format!("{}, and gives no grade for {}", judged.1, missing.join(", ")))
    }

    fn review_judgment(&self, reading: &Reading, truncated: bool) -> Judged {
        if reading.read_as == ReadAs::Default {
            return (Judgment::Unverifiable, format!("the review cannot be read: {}", reading.reason));
        }
        let demands = [self.findings_demand(reading), self.grades_demand(reading)];
        demands.into_iter().flatten().fold(self.stated(reading, truncated), stricter)
    }

    /// Returns what the reviewer states. An approval that contradicts its own verdict, or was cut off, is none.
    fn stated(&self, reading: &Reading, truncated: bool) -> Judged {
        let word = if reading.stated.is_empty() { reading.result.as_str() } else { &reading.stated };
        if !reading.judgment.approves() && self.approves(word) {
            (reading.judgment, format!("the reviewer states {word} ({})", reading.reason))
        } else if !reading.judgment.approves() {
            (reading.judgment, format!("the reviewer states {word}"))
        } else if reading.result == Verdict::Fail {
            (Judgment::Revise, format!("the reviewer states {word}, and that it fails"))
        } else if truncated {
            (Judgment::Unverifiable, format!("the reviewer states {word}, but the answer was cut off"))
        } else {
            (reading.judgment, format!("the reviewer states {word}"))
        }
    }

    /// Tells whether a word by itself is an approval.
    fn approves(&self, word: &str) -> bool {
        let map = self.def.policy.review.as_ref().map(|rule| &rule.verdict_map);
        map.and_then(|map| map.get(word)).is_some_and(|judgment| judgment.approves())
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

    /// Grades tighten a verdict and never loosen it; a grade that nobody gave demands nothing.
    fn grades_demand(&self, reading: &Reading) -> Option<Judged> {
        let rule = self.def.policy.review.as_ref()?;
        let of_viewpoints = reading.viewpoints.iter().map(|(name, grade)| (*grade, Some(name)));
        let all = of_viewpoints.chain(reading.grade.map(|grade| (grade, None)));
        let (grade, viewpoint) = all.max_by_key(|(grade, _)| *grade)?;
        let why =
            viewpoint.map_or_else(|| format!("grade {grade}"), |name| format!("grade {grade} for {name}"));
        Some((rule.grade_map.of(grade)?, why))
    }

    pub(super) fn triage_judgment(&self) -> Judged {
        let Some(triage) = &self.evidence.triage else { return (Judgment::Unverifiable, "no triage".into()) };
        let Some(table) = triage.table else {
            return (Judgment::Unverifiable, unread(triage));
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
        } else if let Some(questions) = self.open_questions() {
            (Judgment::Discuss, questions)
        } else if triage.ended.truncated {
            (Judgment::Unverifiable, "the triage answer was cut off".into())
        } else if let Some(why) = self.unanswered_review() {
            (Judgment::Unverifiable, why)
        } else {
            (Judgment::Approve, "no finding needs a fix or a discussion".into())
        }
    }
}

/// Returns the stricter one, the first of equals.
fn stricter(one: Judged, other: Judged) -> Judged {
    if other.0 > one.0 { other } else { one }
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
        ExecOutcome::ProviderFailed => "the provider failed",
        ExecOutcome::QuotaExhausted => "quota or credit is used up",
        ExecOutcome::SignedOut => "the agent is not signed in",
        ExecOutcome::ModelUnknown => "the model is not known to this account",
        ExecOutcome::ContextTooLong => "the prompt is longer than the model can read",
        ExecOutcome::Refused => "the model refuses",
        ExecOutcome::LimitReached => "a limit of turns or cost was reached",
        ExecOutcome::OverBudget => "it used up what it might spend",
        ExecOutcome::NotStarted => "it could not be started",
        ExecOutcome::Cancelled => "it was stopped",
    }
}
