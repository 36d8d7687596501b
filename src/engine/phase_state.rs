//! Where a phase stands: its status, its step pointer, its rounds and what is counted against its limits.
//! Nothing here is accepted from an agent; counters, statuses and verdicts are computed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::calls::Calls;
use super::fix_tasks::FixTasks;
use super::history::History;
use super::ledger::{Ledger, check_identity};
use super::reviews::Reviews;
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
    /// The phase as agreed, with the agents that were asked for since.
    pub def: PhaseDef,
    /// Its status for everybody.
    pub status: Status,
    /// Why it failed or waits, as a code such as `retry_limit` or `E_NO_DELIVERABLE`.
    pub reason: Option<String>,
    /// It failed with its work kept, not approved.
    pub incomplete: bool,
    /// Why it was skipped: `preset`, a flag, or `failed:` and the phase that failed.
    pub skipped_because: Option<String>,
    /// Its step pointer.
    pub stage: Stage,
    /// The round under way, from 1; numbers go on counting after a reopening.
    pub round: u32,
    /// When it began, the last time.
    pub started_at: Option<Timestamp>,
    /// When it was completed or failed.
    pub completed_at: Option<Timestamp>,
    /// What is counted against its limits.
    pub counters: Counters,
    /// The rounds that ended, and every ruling.
    pub history: History,
    /// Everything that was ever found in the phase.
    pub ledger: Ledger,
    /// What the authors were given to repair.
    pub tasks: FixTasks,
    /// The agent calls it made.
    pub calls: Calls,
    /// What the work and the checks of the round show.
    pub evidence: Evidence,
    /// What the reviewers of the round said.
    pub reviews: Reviews,
    /// What it did to the files and the branch.
    pub files: PhaseFiles,
    /// What a person decided about it.
    pub person: PersonInput,
}

/// What the author, the checks and the triage show, which a ruling follows from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// The step that broke, when the ruling is about that.
    pub broken: Option<Step>,
    /// The author's latest call that was not stopped.
    pub work: Option<Worked>,
    /// The agent that made the latest work.
    pub author: String,
    /// What the author declared about the latest work that came to an end, and the round of that.
    pub claim: Option<(u32, Claim)>,
    /// The decision about the run, in a phase that decides.
    pub evaluation: Option<Evaluation>,
    /// The results of this round; nothing before they have run.
    pub checks: Option<Vec<CheckResult>>,
    /// The triage of this round.
    pub triage: Option<Triaged>,
    /// The steps of the round that came to their end.
    pub completed_steps: Vec<Step>,
}

/// What a phase did to the files and the branch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhaseFiles {
    /// The files as they stand, as far as the facts know: the id of a tree.
    pub tree: String,
    /// The commit at which the branch stood when the phase began.
    pub began_at: String,
    /// Paths the authors of this phase changed since it began.
    pub changed: BTreeSet<String>,
    /// Paths that its commits put on the branch.
    pub on_branch: BTreeSet<String>,
    /// Those of the changed paths that a person changed meanwhile.
    pub by_hand: BTreeSet<String>,
    /// The author was stopped, and the files stand as it left them.
    pub author_was_stopped: bool,
    /// What stopped calls of the author changed; the one that takes them up answers for it.
    pub(crate) left_by_stopped: BTreeSet<String>,
    /// The commit of the phase.
    pub commit: Option<String>,
    /// The first commit of the phase, when it was opened again after that.
    pub first_commit: Option<String>,
}

/// What a person, or whoever opened the phase again, decided about a phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PersonInput {
    /// A person opened its gate.
    pub gate_opened: bool,
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
}

/// What is counted against the limits.
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
    /// How often in a row the author was asked for the form of its answer only, or for a missing decision.
    pub format_redos: u32,
    /// Unreadable answers in a row.
    pub unreadable: u32,
    /// How often in a row the author said that it is blocked.
    pub blocked: u32,
    /// How often an approval was void because the files had changed.
    pub voided: u32,
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
            round: 1,
            started_at: None,
            completed_at: None,
            counters: Counters::default(),
            history: History::default(),
            ledger: Ledger::default(),
            tasks: FixTasks::default(),
            calls: Calls::default(),
            evidence: Evidence::default(),
            reviews: Reviews::default(),
            files: PhaseFiles::default(),
            person: PersonInput::default(),
        }
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
        self.reviews.current.as_ref().is_some_and(|review| self.is_by_its_author(review))
    }

    /// Returns the seats of the panel on which the agent and model sat that made the work.
    pub fn seats_of_its_author(&self) -> impl Iterator<Item = &str> {
        let own = self.reviews.opinions.iter().filter(|opinion| self.is_by_its_author(opinion));
        own.filter_map(|opinion| opinion.seat.as_deref())
    }

    fn is_by_its_author(&self, review: &Reviewed) -> bool {
        let Some(work) = &self.evidence.work else { return false };
        let model = |ended: &Ended| {
            let program = ended.program.as_ref()?;
            Some((program.name.clone(), program.model.clone()?))
        };
        let same = match (model(&work.ended), model(&review.ended)) {
            (Some(author), Some(reviewer)) => author == reviewer,
            _ => self.evidence.author == review.reviewer,
        };
        same && !work.ended.simulated
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
        matches!(self.stage, Stage::Ready(_))
            || (self.files.author_was_stopped && matches!(self.stage, Stage::Working(_)))
    }

    /// Returns how the latest call of a step ended.
    pub(super) fn ended_of(&self, step: Step) -> Option<&Ended> {
        match step {
            Step::Review => self.reviews.current.as_ref().map(|review| &review.ended),
            Step::Triage => self.evidence.triage.as_ref().map(|triage| &triage.ended),
            Step::Answer => self.reviews.exchange.as_ref()?.reply.as_ref().map(|reply| &reply.ended),
            Step::Execute | Step::Revise | Step::Check => self.evidence.work.as_ref().map(|work| &work.ended),
        }
    }

    /// Returns the results of checks that demand a revision, a stop or a redo.
    pub fn failed_checks(&self) -> impl Iterator<Item = &CheckResult> {
        self.evidence.checks.iter().flatten().filter(|result| {
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
        self.reviews
            .current
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
        (used, self.person.granted.unwrap_or(self.def.policy.limits.max_revisions))
    }
}
