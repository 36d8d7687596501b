//! Combines the outcome of the author, the checks, the review and the triage into one judgment: the worst counts.
//! Evidence comes before opinion, and doubt never approves. An author's claim that the work is complete never counts; its claim
//! that the work is not finished always counts, since that only costs a revision.

use std::cmp::Reverse;

use crate::agents::wording;
use crate::history::{Reviews, Round, StatedFailure};
use crate::phase_state::PhaseState;
use crate::stated_failure::{named_failure, words_beside_failure};
use model::event::{Claim, ClaimStatus, ExecOutcome, Reading, Reviewed};
use model::finding::{Finding, Severity};
use model::phase::Step;
use model::policy::{CheckWhen, DiscussWhen, OnFail, OnPartial, VERIFICATION_FAILED};
use model::text::one_line;
use model::verdict::{Grade, Judgment, ReadAs, Verdict};

/// The hint for an author that asked a person although no person can answer.
const HINT_NOT_TO_ASK: &str =
    "Do not ask interactively: nobody answers. Decide yourself and say what you decided.";

/// How often in a row an author has to say that it is blocked before the phase counts as blocked.
const MOST_BLOCKED: u32 = 2;

/// The most characters of an author's words in a ruling.
const LONGEST_WORDS: usize = 160;

/// The most characters of a reviewer's summary in the record of a round.
const LONGEST_SUMMARY: usize = 300;

/// The hint for an author whose work the judge rejected without an answer.
const HINT_WITHOUT_WORDS: &str = "The judge of the quality criteria said nothing, and that is no approval. Look \
     through the work yourself: is anything missing, shortened, put off or claimed without a proof?";

/// A judgment and what led to it, for people.
pub(crate) type JudgmentWithReason = (Judgment, String);

impl PhaseState {
    /// Returns the judgment of what this phase has shown.
    pub(crate) fn judgment(&self) -> JudgmentWithReason {
        if let Some(step) = self.evidence.broken {
            return self.broken_judgment(step);
        }
        if let Some(judged) = self.evidence_judgment().or_else(|| self.unfinished_judgment()) {
            return judged;
        }
        if self.lacks_decision() {
            return (Judgment::Redo, "no decision about the run was made".into());
        }
        if self.def.policy.triage {
            return self.triage_judgment();
        }
        match self.reading() {
            Some(reading) if self.def.policy.llm_judge => {
                self.judgment_of_judge(self.reviews_judgment(reading))
            }
            Some(reading) => self.reviews_judgment(reading),
            None if self.def.policy.review.is_some() => self.judgment_without_reading(),
            None => (Judgment::Approve, "all checks passed".into()),
        }
    }

    fn broken_judgment(&self, step: Step) -> JudgmentWithReason {
        if self.asked_interactively(step) && !self.def.policy.triage {
            return (Judgment::Revise, format!("{step}: {}", wording(ExecOutcome::BlockedOnPrompt).reason));
        }
        let ended = self.ended_of(step);
        let outcome = ended.map_or(ExecOutcome::Crashed, |ended| ended.outcome);
        let why = ended.and_then(|ended| ended.reason.as_ref()).unwrap_or(&wording(outcome).reason);
        (Judgment::Redo, format!("{step}: {why}"))
    }

    /// Tells whether the author's latest call waited for an answer of a person.
    fn asked_interactively(&self, step: Step) -> bool {
        let work = self.evidence.work.as_ref().filter(|work| work.step == step);
        work.is_some_and(|work| work.ended.outcome == ExecOutcome::BlockedOnPrompt)
    }

    /// Returns the engine's hint about the author's last call, for its revision.
    pub fn hint(&self) -> String {
        let asked = self.evidence.work.as_ref().is_some_and(|work| self.asked_interactively(work.step));
        let mut parts = Vec::new();
        if asked {
            parts.push(HINT_NOT_TO_ASK.to_owned());
        } else if self.was_rejected_without_answer() {
            parts.push(HINT_WITHOUT_WORDS.to_owned());
        }
        parts.extend(self.unfinished_hint());
        parts.join("\n\n")
    }

    /// Returns what a reviewer that does not approve says of it, in one line; nothing where it says nothing.
    pub(crate) fn refusal_summary(&self) -> Option<String> {
        let reading = self.reading().filter(|reading| !reading.judgment.approves())?;
        // Of an object without a summary the author gets the whole, which says no more than the record; before it may stand a seat.
        let words = words_beside_failure(&reading.feedback);
        let words: Vec<&str> =
            words.into_iter().take_while(|line| !line.trim_start().starts_with('{')).collect();
        let line = one_line(&words.join(" "), LONGEST_SUMMARY);
        let is_seat = line.starts_with('[') && line.ends_with(']') && !line.contains(' ');
        let says_something = !line.is_empty() && !is_seat;
        says_something.then_some(line)
    }

    /// Returns what failed, as a reviewer states it that does not approve. The category of a finding counts only where the reviewer
    /// stops the phase: elsewhere it says what the finding is about.
    pub(crate) fn stated_failure(&self) -> Option<StatedFailure> {
        let reading = self.reading().filter(|reading| !reading.judgment.approves())?;
        let findings = if reading.judgment == Judgment::Block { &reading.findings[..] } else { &[] };
        let (kind, command) = named_failure(&reading.feedback, findings);
        Some(StatedFailure { kind: kind?, command: command.map(str::to_owned) })
    }

    /// Returns the reviewer's words, for the author that revises.
    pub fn feedback(&self) -> String {
        self.reading().map(|reading| reading.feedback.clone()).unwrap_or_default()
    }

    /// Returns what the checks demand; nothing when they let the phase go on.
    pub(crate) fn evidence_judgment(&self) -> Option<JudgmentWithReason> {
        self.failure_judgment().or_else(|| self.missing_judgment())
    }

    /// Returns the strictest of what the failed checks demand, and all of them by name, the strictest first.
    fn failure_judgment(&self) -> Option<JudgmentWithReason> {
        let failed = self.evidence.results().filter_map(|result| {
            let judgment = self.judgment_of_demand(result.demand(&self.def.policy))?;
            Some((judgment, format!("check {}: {}", result.check, result.summary)))
        });
        let mut failed: Vec<JudgmentWithReason> = failed.collect();
        failed.sort_by_key(|(judgment, _)| Reverse(*judgment));
        let (strictest, _) = *failed.first()?;
        let reasons: Vec<String> = failed.into_iter().map(|(_, why)| why).collect();
        Some((strictest, reasons.join("; ")))
    }

    /// A check that gave no result is not a passed one; after a failure the later ones may be missing.
    fn missing_judgment(&self) -> Option<JudgmentWithReason> {
        let results = self.evidence.checks.as_ref()?;
        let has_result = |id: &String| results.iter().any(|result| result.check == *id);
        let rule = self.def.policy.checks.iter().find(|rule| !has_result(&rule.id))?;
        Some((Judgment::Block, format!("check {} gave no result", rule.id)))
    }

    fn judgment_of_demand(&self, demand: OnFail) -> Option<Judgment> {
        let outcome = self.evidence.work.as_ref().map(|work| work.ended.outcome);
        let partial = outcome == Some(ExecOutcome::Partial);
        match demand {
            OnFail::Note => None,
            OnFail::Stop => Some(Judgment::Block),
            _ if partial && self.def.policy.partial == OnPartial::Redo => Some(Judgment::Redo),
            OnFail::Redo => Some(Judgment::Redo),
            OnFail::Format if self.has_format_redos_left() => Some(Judgment::Redo),
            OnFail::Format | OnFail::Continue | OnFail::Revise => Some(Judgment::Revise),
        }
    }

    /// Tells whether the checks demand nothing but that the author finishes what is left. Where a triage decides, rounds are
    /// counted whatever is demanded.
    pub(crate) fn is_unfinished_only(&self) -> bool {
        if self.def.policy.triage {
            return false;
        }
        let demands = self.evidence.results().map(|result| result.demand(&self.def.policy));
        let mut demands = demands.filter(|demand| *demand != OnFail::Note).peekable();
        demands.peek().is_some() && demands.all(|demand| demand == OnFail::Continue)
    }

    /// Tells whether a check of the answer's form failed.
    pub(crate) fn has_format_failure(&self) -> bool {
        self.evidence.results().any(|result| result.demand(&self.def.policy) == OnFail::Format)
    }

    fn has_format_redos_left(&self) -> bool {
        self.counters.format_redos < self.def.policy.limits.max_format_redo
    }

    /// Tells whether the author is to be asked for the right form of its answer only.
    pub(crate) fn needs_format_redo(&self) -> bool {
        self.has_format_failure() && self.has_format_redos_left()
    }

    /// Tells whether a phase that decides about the run has not done so, while its checks let it go on.
    pub(crate) fn lacks_decision(&self) -> bool {
        self.def.decides && self.evidence.evaluation.is_none() && self.evidence_judgment().is_none()
    }

    /// Returns what the reviews of the round demand: the strictest of what each states, and of what they name together.
    /// `reading` is the merged review, or the review that has just come in.
    pub(crate) fn reviews_judgment(&self, reading: &Reading) -> JudgmentWithReason {
        let Reviews { opinions, current, .. } = &self.reviews;
        let heard = if self.all_have_answered() { opinions.as_slice() } else { current.as_slice() };
        let mut judged: Vec<JudgmentWithReason> =
            heard.iter().filter_map(|review| self.opinion_judgment(review)).collect();
        let readable = reading.read_as != ReadAs::Default;
        if readable || opinions.len() > 1 {
            // What a critical finding of the first reviewer means is in its own opinion.
            judged.extend(self.findings_demand(reading, Judgment::Revise));
            let readings = heard.iter().filter_map(|review| review.reading.as_ref());
            judged.extend(readings.filter_map(|reading| self.grades_demand(reading)));
        }
        let strictest = judged.into_iter().reduce(stricter);
        strictest.unwrap_or((Judgment::Unverifiable, "no review".into()))
    }

    /// Returns a judgment in the words of the policy, which stop in another one where a check stops the phase; nothing where a step
    /// broke, and where the policy has no words.
    pub(crate) fn decision(&self, judgment: Judgment) -> Option<String> {
        let rule = self.def.policy.review.as_ref()?;
        let stated = if self.is_stopped_by_checks() {
            VERIFICATION_FAILED
        } else {
            self.reading().map_or("", |reading| &reading.stated)
        };
        self.evidence.broken.is_none().then(|| rule.word_for(judgment, stated).to_owned())
    }

    /// Returns what the review of this round amounts to, with its triage once there is one.
    pub(crate) fn judgment_of_review(&self) -> Option<Judgment> {
        let reading = self.reading()?;
        let (judgment, _) =
            if self.has_triage_table() { self.triage_judgment() } else { self.reviews_judgment(reading) };
        Some(judgment)
    }

    /// Returns the grade that goes with a judgment: the worst that the reviewer gave, and none that would mean less. Nothing where
    /// nobody reviewed, or where the work could not be verified.
    pub(crate) fn grade(&self, judgment: Judgment) -> Option<Grade> {
        let stated = self.reading()?.worst_grade();
        if self.decision(judgment).as_deref() == Some(VERIFICATION_FAILED) {
            return None;
        }
        let of_map = self.def.policy.review.as_ref()?.grade_map.grade_for(judgment);
        stated.map(|stated| self.shown_grade(stated, judgment)).max(of_map)
    }

    fn is_stopped_by_checks(&self) -> bool {
        self.evidence_judgment().is_some_and(|(judgment, _)| judgment == Judgment::Block)
    }

    /// Returns what one review demands by itself.
    pub(crate) fn opinion_judgment(&self, opinion: &Reviewed) -> Option<JudgmentWithReason> {
        let reading = opinion.reading.as_ref()?;
        let judged = self.review_judgment(reading, opinion);
        let judged = self.require_every_grade(judged, opinion.seat.as_deref(), reading);
        let (judgment, why) = self.require_every_answer(judged, opinion);
        let why = opinion.seat.as_ref().map_or_else(|| why.clone(), |seat| format!("{seat}: {why}"));
        Some((judgment, why))
    }

    /// An object that approves has to grade each viewpoint that it was asked for, where grades decide. A line of a
    /// verdict has no place for grades.
    fn require_every_grade(
        &self,
        judged: JudgmentWithReason,
        seat: Option<&str>,
        reading: &Reading,
    ) -> JudgmentWithReason {
        let decide = self.def.policy.review.as_ref().is_some_and(|rule| !rule.grade_map.is_empty());
        let lacks = |viewpoint: &&String| !reading.grades(viewpoint);
        let missing: Vec<&str> = self.viewpoints_of(seat).iter().filter(lacks).map(String::as_str).collect();
        let is_object = matches!(reading.read_as, ReadAs::Schema | ReadAs::Json);
        if !judged.0.approves() || !decide || !is_object || missing.is_empty() {
            return judged;
        }
        (Judgment::Unverifiable, format!("{}, and gives no grade for {}", judged.1, missing.join(", ")))
    }

    /// An approval has to answer each question of the checks.
    fn require_every_answer(&self, judged: JudgmentWithReason, opinion: &Reviewed) -> JudgmentWithReason {
        match self.lack_of_answers(opinion) {
            Some(lack) if judged.0.approves() => {
                (Judgment::Unverifiable, format!("{}, and {lack}", judged.1))
            }
            _ => judged,
        }
    }

    fn review_judgment(&self, reading: &Reading, opinion: &Reviewed) -> JudgmentWithReason {
        if reading.read_as == ReadAs::Default {
            return (Judgment::Unverifiable, format!("the review cannot be read: {}", reading.reason));
        }
        let on_critical = self.meaning_of_critical(opinion.seat.as_deref());
        let demands = [self.findings_demand(reading, on_critical), self.grades_demand(reading)];
        let stated = self.stated_judgment(reading, opinion.ended.truncated);
        demands.into_iter().flatten().fold(stated, stricter)
    }

    /// Returns what the reviewer states. An approval that contradicts its own verdict, or was cut off, is none.
    fn stated_judgment(&self, reading: &Reading, truncated: bool) -> JudgmentWithReason {
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
    pub(crate) fn approves(&self, word: &str) -> bool {
        let map = self.def.policy.review.as_ref().map(|rule| &rule.verdict_map);
        map.and_then(|map| map.get(word)).is_some_and(|judgment| judgment.approves())
    }

    /// Returns what a critical finding of a reviewer means. That of a second reviewer asks for changes and no more; a viewpoint that is
    /// split off belongs to the first review.
    fn meaning_of_critical(&self, seat: Option<&str>) -> Judgment {
        let Some(rule) = &self.def.policy.review else { return Judgment::Revise };
        let is_split = |seat: &str| rule.split && rule.viewpoints.iter().any(|viewpoint| viewpoint == seat);
        if seat.is_none_or(is_split) { rule.on_critical.max(Judgment::Revise) } else { Judgment::Revise }
    }

    /// Findings tighten a verdict and never loosen it.
    fn findings_demand(&self, reading: &Reading, on_critical: Judgment) -> Option<JudgmentWithReason> {
        let rule = self.def.policy.review.as_ref()?;
        let worst = reading.worst()?;
        if worst == Severity::Critical {
            Some((on_critical, "a critical finding".into()))
        } else if worst >= rule.blocking {
            Some((Judgment::Revise, format!("a {} finding", worst.as_str())))
        } else {
            None
        }
    }

    /// Grades tighten a verdict and never loosen it; a missing grade demands nothing.
    fn grades_demand(&self, reading: &Reading) -> Option<JudgmentWithReason> {
        let rule = self.def.policy.review.as_ref()?;
        let of_viewpoints = reading.viewpoints.iter().map(|(name, grade)| (*grade, Some(name)));
        let all = of_viewpoints.chain(reading.grade.map(|grade| (grade, None)));
        let (grade, viewpoint) = all.max_by_key(|(grade, _)| *grade)?;
        let why =
            viewpoint.map_or_else(|| format!("grade {grade}"), |name| format!("grade {grade} for {name}"));
        Some((rule.grade_map.judgment(grade)?, why))
    }

    pub(crate) fn triage_judgment(&self) -> JudgmentWithReason {
        let Some(triage) = &self.evidence.triage else { return (Judgment::Unverifiable, "no triage".into()) };
        let Some(table) = triage.table else {
            let why = triage.unread.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            return (Judgment::Unverifiable, format!("the triage does not count{why}"));
        };
        let discuss = (Judgment::Discuss, format!("{} findings need a discussion", table.needs_discussion));
        if table.needs_discussion > 0 && self.def.policy.discuss == DiscussWhen::AtOnce {
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

    /// Names the rounds whose questions no person has answered. A later round that does not ask again answers nothing.
    pub(crate) fn open_questions(&self) -> Option<String> {
        let since = self.counters.rounds.saturating_sub(1) as usize;
        let from = self.history.rounds.len().saturating_sub(since);
        let asked = |round: &&Round| round.table.is_some_and(|table| table.needs_discussion > 0);
        let rounds: Vec<String> =
            self.history.rounds[from..].iter().filter(asked).map(|round| round.n.to_string()).collect();
        (!rounds.is_empty())
            .then(|| format!("what round {} left to be discussed is not answered", rounds.join(", ")))
    }

    /// Returns why a triage does not settle the review of its round: that review leaves a question of the checks open; or its table
    /// has no findings, and the review demands something, or cannot be read, and names no finding that could be judged.
    pub(crate) fn unanswered_review(&self) -> Option<String> {
        let judged = self.evidence.triage.as_ref().and_then(|triage| triage.table)?.findings();
        if let Some(lack) = self.reviews.current.as_ref().and_then(|review| self.lack_of_answers(review)) {
            return Some(format!("the review {lack}"));
        }
        let reading = self.reading().filter(|reading| judged == 0 && reading.findings.is_empty())?;
        if reading.read_as == ReadAs::Default {
            return Some(format!("the review cannot be read: {}", reading.reason));
        }
        (!reading.judgment.approves())
            .then(|| format!("the reviewer states {}, and names no finding", reading.stated))
    }

    /// Returns the hint for a triage that is called again because its answer did not count.
    pub fn triage_hint(&self) -> String {
        let unread = self.evidence.triage.as_ref().filter(|triage| triage.round == self.round);
        let why = unread.and_then(|triage| triage.unread.as_ref());
        why.map_or_else(String::new, |why| {
            format!(
                "Your answer does not count: {why}. What you edited is still edited; judge each finding again."
            )
        })
    }

    /// Adds to a reason that files hold fixes which nobody has reviewed.
    pub(crate) fn with_unreviewed_fixes(&self, why: &str) -> String {
        if !self.def.policy.triage || !self.triage_changed_files() {
            return why.to_owned();
        }
        format!("{why}; the fixes of round {} are in the files, and nobody has reviewed them", self.round)
    }

    /// Tells whether the author's claim alone leads to a ruling: the policy runs its checks only when the author declares the work
    /// complete.
    pub(crate) fn skips_checks(&self) -> bool {
        self.def.policy.check_when == CheckWhen::OnDeclaration && self.unfinished_claim().is_some()
    }

    /// Returns what the author's claim demands; nothing when it does not say that the work is unfinished.
    pub(crate) fn unfinished_judgment(&self) -> Option<JudgmentWithReason> {
        let claim = self.unfinished_claim()?;
        let (judgment, says) = match claim.status {
            ClaimStatus::Blocked if self.counters.blocked >= MOST_BLOCKED => {
                (Judgment::Block, "says again that it is blocked")
            }
            ClaimStatus::Blocked => (Judgment::Revise, "says that it is blocked"),
            ClaimStatus::Incomplete | ClaimStatus::Completed => {
                (Judgment::Revise, "says that it is not finished")
            }
        };
        Some((judgment, format!("the author {says}{}", quote_summary(claim))))
    }

    /// Returns the hint for an author that said it was not finished.
    pub(crate) fn unfinished_hint(&self) -> Option<String> {
        let claim = self.unfinished_claim()?;
        let demand = match claim.status {
            ClaimStatus::Blocked => {
                "You said that you are blocked. Find another way, or say what a person has to do."
            }
            ClaimStatus::Incomplete | ClaimStatus::Completed => {
                "You said yourself that it is not finished. Finish what is missing."
            }
        };
        Some(format!("{demand} {}", claim.summary.trim()))
    }

    /// Returns the finding that the author declared what our checks refute: on record for people, asks for nothing itself.
    pub(crate) fn false_claim(&self) -> Option<Finding> {
        let claim = self.evidence.work.as_ref()?.claim.as_ref()?;
        let failed: Vec<&str> = self.failed_checks().map(|result| result.check.as_str()).collect();
        let refuted = claim.status == ClaimStatus::Completed && !failed.is_empty();
        let issue =
            format!("the author says that it is complete, and these checks failed: {}", failed.join(", "));
        refuted.then(|| Finding::new(Severity::Minor, "early_termination", issue))
    }

    /// Returns what the author says of its latest work, where it says that it is not finished.
    pub(crate) fn unfinished_claim(&self) -> Option<&Claim> {
        let claim = self.evidence.work.as_ref()?.claim.as_ref()?;
        (claim.status != ClaimStatus::Completed).then_some(claim)
    }

    /// Tells whether the judge ended without an answer: that rejects the work. A judge whose call broke is called again.
    pub(crate) fn is_rejection_without_answer(&self, reviewed: &Reviewed) -> bool {
        let ended = matches!(reviewed.ended.outcome, ExecOutcome::Done | ExecOutcome::NoOutput);
        self.def.policy.llm_judge && ended && reviewed.reading.is_none()
    }

    /// Returns a judgment as it counts in a policy with a judge: what the judge leaves open is a rejection.
    pub(crate) fn judgment_of_judge(&self, judged: JudgmentWithReason) -> JudgmentWithReason {
        let (judgment, why) = judged;
        let open = matches!(judgment, Judgment::Unverifiable | Judgment::Discuss);
        // A judge whose approval is doubtful or leaves a question open is asked again; it has not rejected.
        let is_asked_again = self.doubtful_review().is_some() || self.leaves_questions_open();
        if judgment == Judgment::Unverifiable && is_asked_again {
            return (Judgment::Redo, why);
        }
        (if open { Judgment::Revise } else { judgment }, why)
    }

    /// Returns the judgment of a policy with a judge when there is no reading.
    pub(crate) fn judgment_without_reading(&self) -> JudgmentWithReason {
        if self.was_rejected_without_answer() {
            return (Judgment::Revise, "the judge said nothing".to_owned());
        }
        (Judgment::Unverifiable, "no review".to_owned())
    }

    fn was_rejected_without_answer(&self) -> bool {
        self.reviews.current.as_ref().is_some_and(|review| self.is_rejection_without_answer(review))
    }

    /// Tells whether the judge itself asks to be asked again, or approves and leaves a question of the checks open.
    pub(crate) fn judge_asks_again(&self) -> bool {
        let asks = |reading: &Reading| reading.judgment == Judgment::Redo || reading.doubt.is_some();
        let came_to_a_reading = self.evidence.broken.is_none() && self.evidence_judgment().is_none();
        let asks = self.reading().is_some_and(asks) || self.leaves_questions_open();
        self.def.policy.llm_judge && came_to_a_reading && asks
    }

    /// Tells whether this reviewer may be asked to clarify an approval that its own text contradicts: once a round, where the limits
    /// allow it.
    /// With triage the author judges all that the review says.
    pub fn may_be_asked_to_clarify(&self, seat: Option<&str>) -> bool {
        let policy = &self.def.policy;
        let most = if policy.llm_judge { policy.limits.max_redo } else { policy.limits.max_unreadable };
        most > 0 && !policy.triage && self.doubt_of(seat).is_none()
    }

    /// Returns the text that contradicts an approval of this reviewer in this round; nothing where there is none.
    pub fn doubt_of(&self, seat: Option<&str>) -> Option<&str> {
        let doubted = self.reviews.doubts.get(&seat.map(str::to_owned))?;
        doubted.reading.as_ref()?.doubt.as_deref()
    }

    /// Returns the review that contradicts itself and whose reviewer has to be asked to clarify it. Reviews that could not be read
    /// do not use up this question.
    pub(crate) fn review_to_clarify(&self) -> Option<&Reviewed> {
        self.doubtful_review().filter(|review| self.may_be_asked_to_clarify(review.seat.as_deref()))
    }

    /// Returns the current review if it contradicts itself.
    pub(crate) fn doubtful_review(&self) -> Option<&Reviewed> {
        self.reviews.current.as_ref().filter(|review| review.round == self.round && is_doubtful(review))
    }
}

/// Returns the stricter one, the first of equals.
fn stricter(one: JudgmentWithReason, other: JudgmentWithReason) -> JudgmentWithReason {
    if other.0 > one.0 { other } else { one }
}

/// Returns the author's words on one line, after a colon.
fn quote_summary(claim: &Claim) -> String {
    let short = one_line(&claim.summary, LONGEST_WORDS);
    if short.is_empty() { short } else { format!(": {short}") }
}

fn is_doubtful(review: &Reviewed) -> bool {
    review.reading.as_ref().is_some_and(|reading| reading.doubt.is_some())
}
