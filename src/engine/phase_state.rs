//! Where a phase stands: its status, its step pointer, its rounds and what is counted against its limits.
//! Nothing here is accepted from an agent; counters, statuses and verdicts are computed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::approval::{Approval, Bound};
use super::exchange::Exchange;
use super::fix_tasks::FixTasks;
use super::ledger::{Ledger, check_identity};
use super::opinion::Opinion;
use super::stage::{Stage, Status};
use model::event::{
    CheckResult, CheckStatus, Claim, Ended, Evaluation, Reopened, Reviewed, Spent, TriageTable, Triaged,
    Usage, Worked,
};
use model::finding::Finding;
use model::phase::{PhaseName, Step};
use model::policy::{OnFail, PhaseDef};
use model::verdict::{Grade, Judgment, ReadAs, Verdict};

/// Where a phase stands.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseState {
    pub def: PhaseDef,
    pub status: Status,
    /// Why it failed or waits, as a code such as `retry_limit` or `E_NO_DELIVERABLE`.
    pub reason: Option<String>,
    /// It failed with its work kept, not approved.
    pub incomplete: bool,
    pub skipped_because: Option<String>,
    pub stage: Stage,
    /// A person opened its gate.
    pub let_in: bool,
    /// The round under way, from 1; numbers go on counting after a reopening.
    pub round: u32,
    pub rounds: Vec<Round>,
    /// How many of them are from before the phase was opened again.
    pub(super) earlier_rounds: usize,
    /// Everything that was ever found in the phase.
    pub ledger: Ledger,
    /// What the authors were given to repair.
    pub tasks: FixTasks,
    /// Every ruling, redos included.
    pub past: Vec<Past>,
    pub counters: Counters,
    /// Which agent of the chain is author, and which is reviewer.
    pub author: usize,
    pub reviewer: usize,
    /// The same for steps with a chain of their own.
    pub own_turns: BTreeMap<Step, usize>,
    /// The same for the seats of the panel.
    pub seat_turns: BTreeMap<String, usize>,
    /// The agent that was called last.
    pub caller: String,
    /// The agent that made the latest work.
    pub worked_by: String,
    /// What the sessions of the authors have used.
    pub sessions: BTreeMap<String, Usage>,
    /// The last call continued a session.
    pub resumed: bool,
    /// Approvals of this round whose reviewers were asked what they meant, by their seats.
    pub doubts: BTreeMap<Option<String>, Reviewed>,
    /// When the last call ended.
    pub ended_at: Option<Timestamp>,
    /// Agent calls by round and step.
    pub calls: BTreeMap<(u32, Step), u32>,
    /// The digest of the latest prompt, by step.
    pub prompts: BTreeMap<Step, String>,
    /// The digest of the templates of the latest prompt, by step, as far as it was told.
    pub templates: BTreeMap<Step, String>,
    /// The documents that were made of its answers.
    pub documents: Vec<MadeDocument>,
    /// What its calls have used, by step.
    pub usage: BTreeMap<Step, Spent>,
    /// Milliseconds to wait before the next call.
    pub delay_ms: u64,
    /// The step that broke, when the ruling is about that.
    pub broken: Option<Step>,
    pub work: Option<Worked>,
    /// What the author declared about the latest work that came to an end, and the round of that.
    pub declared: Option<(u32, Claim)>,
    pub checks: Option<Vec<CheckResult>>,
    /// The reviews of this round that came to an end, the first reviewer's first.
    pub opinions: Vec<Reviewed>,
    /// The seats that this round does without, and why.
    pub left_out: BTreeMap<String, String>,
    /// What a reviewer of this round asked the author.
    pub exchange: Option<Exchange>,
    /// The review that is looked at: the latest call's, and what all opinions amount to once everybody has answered.
    pub review: Option<Reviewed>,
    pub triage: Option<Triaged>,
    /// The latest verdict, whatever became of it.
    pub bound: Option<Bound>,
    /// The review that let the phase advance, as long as no later round ended in another way.
    pub approval: Option<Approval>,
    /// The files as they stand, as far as the facts know.
    pub tree: String,
    /// Its author was stopped, and they stand as it left them.
    pub stopped: bool,
    /// What stopped calls of the author changed; the one that takes them up answers for it.
    pub(super) left_by_stopped: BTreeSet<String>,
    /// Where the branch stood when it began.
    pub began_at: String,
    /// Paths the authors of this phase changed since it began.
    pub changed: BTreeSet<String>,
    /// Paths that its commits put on the branch.
    pub on_branch: BTreeSet<String>,
    /// Those of them that a person changed meanwhile.
    pub by_hand: BTreeSet<String>,
    pub evaluation: Option<Evaluation>,
    /// How often an approval was void because the files had changed.
    pub voided: u32,
    /// What a person answered, for the next prompt.
    pub advice: Option<String>,
    /// Who took the responsibility instead of a reviewer.
    pub accepted_by: Option<String>,
    /// Why, in that person's words.
    pub accepted_because: Option<String>,
    /// The revisions (with triage: rounds) that a person granted instead of a fresh set.
    pub granted: Option<u32>,
    /// Why the phase was opened again, for the next prompt.
    pub reopened: Option<Reopened>,
    pub completed_steps: Vec<Step>,
    pub commit: Option<String>,
    /// The first commit of the phase, when it was opened again after that.
    pub earlier: Option<String>,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
}

/// A pass of the cycle that ended in a judgment.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    pub n: u32,
    /// Nothing when a failed check ended the round.
    pub verdict: Option<Verdict>,
    pub read_as: Option<ReadAs>,
    /// The grade the reviewer gave, where the policy uses grades.
    pub grade: Option<Grade>,
    pub judgment: Judgment,
    pub ruling: &'static str,
    /// Those of the reviewer, and a claim of completion that our checks refute.
    pub findings: Vec<Finding>,
    /// The checks that did not pass, those that are only noted included.
    pub failed: Vec<CheckResult>,
    /// Identities of what was open: findings and failed checks.
    pub open: BTreeSet<String>,
    /// Agent calls that made and judged this round: its execute or revise, its review and triage, redone ones too.
    pub attempts: u32,
    /// Whether the work judged in this round changed any file.
    pub changed_files: bool,
    pub standstill: Option<String>,
    /// What each reviewer came to, where there are several.
    pub opinions: Vec<Opinion>,
    /// What a reviewer asked the author.
    pub exchange: Option<Exchange>,
    /// What the triage counted, where its table could be read.
    pub table: Option<TriageTable>,
}

/// One ruling of a phase's history.
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    pub round: u32,
    pub judgment: Judgment,
    pub ruling: &'static str,
    pub rule: String,
}

/// A document that was made of an answer, in a phase with triage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeDocument {
    /// The step that answered: a review, or an author's reply to it.
    pub step: Step,
    pub round: u32,
    pub attempt: u32,
    /// SHA-256 of its text.
    pub digest: String,
}

/// What is counted against the limits (DESIGN §5).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counters {
    /// Every execute and revise begun, redone ones too; an interrupted call that is taken up again counts once.
    pub passes: u32,
    /// Rounds opened, the present one included.
    pub rounds: u32,
    /// Reviews that produced a verdict; with triage: tables that could be read.
    pub reviews: u32,
    /// Revisions begun; with triage also the rounds whose triage changed files.
    pub revisions: u32,
    /// Redos in a row, by step; a judged pass resets them.
    pub redos: BTreeMap<Step, u32>,
    pub format_redos: u32,
    /// Unreadable answers in a row.
    pub unreadable: u32,
    /// How often in a row the author said that it is blocked.
    pub blocked: u32,
}

impl PhaseState {
    /// Makes the state of a phase that has not begun.
    pub fn new(def: PhaseDef) -> Self {
        Self {
            def,
            status: Status::Pending,
            reason: None,
            incomplete: false,
            skipped_because: None,
            stage: Stage::Idle,
            let_in: false,
            round: 1,
            rounds: Vec::new(),
            earlier_rounds: 0,
            ledger: Ledger::default(),
            tasks: FixTasks::default(),
            past: Vec::new(),
            counters: Counters::default(),
            author: 0,
            reviewer: 0,
            own_turns: BTreeMap::new(),
            seat_turns: BTreeMap::new(),
            caller: String::new(),
            worked_by: String::new(),
            sessions: BTreeMap::new(),
            doubts: BTreeMap::new(),
            resumed: false,
            ended_at: None,
            calls: BTreeMap::new(),
            prompts: BTreeMap::new(),
            templates: BTreeMap::new(),
            documents: Vec::new(),
            usage: BTreeMap::new(),
            delay_ms: 0,
            broken: None,
            work: None,
            declared: None,
            checks: None,
            opinions: Vec::new(),
            left_out: BTreeMap::new(),
            exchange: None,
            review: None,
            triage: None,
            bound: None,
            approval: None,
            tree: String::new(),
            stopped: false,
            left_by_stopped: BTreeSet::new(),
            began_at: String::new(),
            changed: BTreeSet::new(),
            on_branch: BTreeSet::new(),
            by_hand: BTreeSet::new(),
            evaluation: None,
            voided: 0,
            advice: None,
            accepted_by: None,
            accepted_because: None,
            granted: None,
            reopened: None,
            completed_steps: Vec::new(),
            commit: None,
            earlier: None,
            started_at: None,
            completed_at: None,
        }
    }

    /// Remembers the document that was made of an answer; a later one of the same name takes its place.
    pub(super) fn remember_document(&mut self, step: Step, round: u32, attempt: u32, ended: &Ended) {
        let Some(digest) = ended.document.clone() else { return };
        let is_review = |step: Step| step == Step::Review;
        self.documents.retain(|made| made.round != round || is_review(made.step) != is_review(step));
        self.documents.push(MadeDocument { step, round, attempt, digest });
    }

    /// Tells whether a later phase may build on this one: completed, or left out by choice.
    pub fn is_met(&self) -> bool {
        self.status == Status::Completed || (self.status == Status::Skipped && self.left_out_by_choice())
    }

    /// Tells whether the phase was left out by a preset or a flag, not because another one failed.
    pub fn left_out_by_choice(&self) -> bool {
        self.skipped_because.as_ref().is_some_and(|because| !because.starts_with("failed:"))
    }

    /// Tells whether the agent and model that made the work also reviewed it. Says nothing of scripts.
    pub fn reviewed_by_its_author(&self) -> bool {
        self.review.as_ref().is_some_and(|review| self.is_by_its_author(review))
    }

    /// Returns the seats of the panel on which the agent and model sat that made the work.
    pub fn seats_of_its_author(&self) -> impl Iterator<Item = &str> {
        let own = self.opinions.iter().filter(|opinion| self.is_by_its_author(opinion));
        own.filter_map(|opinion| opinion.seat.as_deref())
    }

    fn is_by_its_author(&self, review: &Reviewed) -> bool {
        let Some(work) = &self.work else { return false };
        let model = |ended: &Ended| {
            let program = ended.program.as_ref()?;
            Some((program.name.clone(), program.model.clone()?))
        };
        let same = match (model(&work.ended), model(&review.ended)) {
            (Some(author), Some(reviewer)) => author == reviewer,
            _ => self.worked_by == review.reviewer,
        };
        same && !work.ended.simulated
    }

    /// Returns the rounds since the phase was opened last; what earlier ones came to holds no more.
    pub fn current_rounds(&self) -> &[Round] {
        self.rounds.get(self.earlier_rounds..).unwrap_or_default()
    }

    /// Returns the name of the phase.
    pub fn name(&self) -> &PhaseName {
        &self.def.name
    }

    /// Returns the step that is under way or comes next.
    pub fn current_step(&self) -> Option<Step> {
        match self.stage {
            Stage::Ready(step) | Stage::Working(step) => Some(step),
            Stage::Idle | Stage::Deciding | Stage::Closing | Stage::Closed => None,
        }
    }

    /// Tells whether nobody who writes is at work: the step has not begun, or was stopped and has told what it left.
    pub fn author_rests(&self) -> bool {
        matches!(self.stage, Stage::Ready(_)) || (self.stopped && matches!(self.stage, Stage::Working(_)))
    }

    /// Returns how the latest call of a step ended.
    pub(super) fn ended_of(&self, step: Step) -> Option<&Ended> {
        match step {
            Step::Review => self.review.as_ref().map(|review| &review.ended),
            Step::Triage => self.triage.as_ref().map(|triage| &triage.ended),
            Step::Answer => self.exchange.as_ref()?.reply.as_ref().map(|reply| &reply.ended),
            Step::Execute | Step::Revise | Step::Check => self.work.as_ref().map(|work| &work.ended),
        }
    }

    /// Returns the results of checks that demand a revision, a stop or a redo.
    pub fn failed_checks(&self) -> impl Iterator<Item = &CheckResult> {
        self.checks.iter().flatten().filter(|result| {
            let noted = self.on_fail(&result.check) == OnFail::Note;
            result.status == CheckStatus::Fail && !noted
        })
    }

    /// Returns what a failure of the check means in this phase's policy.
    pub fn on_fail(&self, check: &str) -> OnFail {
        self.def
            .policy
            .checks
            .iter()
            .find(|rule| rule.id == check)
            .map_or(OnFail::Revise, |rule| rule.on_fail)
    }

    /// Returns the findings of the latest review.
    pub fn findings(&self) -> &[Finding] {
        self.review
            .as_ref()
            .and_then(|review| review.reading.as_ref())
            .map_or(&[], |reading| &reading.findings)
    }

    /// Returns the identities of everything that is open after the present round.
    pub fn open(&self) -> BTreeSet<String> {
        let findings = self.findings().iter().map(Finding::fingerprint);
        let checks = self.failed_checks().map(check_identity);
        findings.chain(checks).collect()
    }

    /// Returns how many of the rounds allowed are used, and how many are allowed.
    /// In a policy with triage rounds are counted, else revisions.
    pub fn used_of_limit(&self) -> (u32, u32) {
        let used = if self.def.policy.triage { self.counters.rounds } else { self.counters.revisions };
        (used, self.granted.unwrap_or(self.def.policy.limits.max_revisions))
    }
}
