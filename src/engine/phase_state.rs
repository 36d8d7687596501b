//! The state of a phase: its status, the position in its steps, and everything else that is known of it. Answers questions about
//! that; what a fact changes in it is implemented in `transitions`. Nothing here is accepted from an agent: counters, statuses and verdicts are
//! computed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fix_tasks::FixTasks;
use crate::history::{CallState, FallbackChain, History, Reviews};
use crate::ledger::{Ledger, check_identity};
use model::event::{
    CallEnd, CheckResult, CheckStatus, Claim, DocumentSeen, Evaluation, Reading, Reopened, Reviewed, Triaged,
    UsageTotal, Worked,
};
use model::finding::Finding;
use model::phase::{PhaseName, Step};
use model::policy::{OnFail, PanelReviewer, PhaseDef, ReviewRule};

/// The status of a phase, as `metadata.json` shows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::Display)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum Status {
    #[default]
    Pending,
    InProgress,
    Completed,
    Failed,
    Paused,
    Skipped,
}

impl Status {
    /// Tells whether nothing is left to do in the phase.
    pub fn satisfies(self) -> bool {
        matches!(self, Self::Completed | Self::Skipped)
    }
}

/// The position of a phase in its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum StepPosition {
    /// Not begun.
    #[strum(to_string = "not begun")]
    Idle,
    /// The step comes next.
    #[strum(to_string = "ready for {0}")]
    Ready(Step),
    /// The call is under way, or was when the runner died.
    #[strum(to_string = "working at {0}")]
    Working(Step),
    /// A ruling comes next.
    #[strum(to_string = "ready for a ruling")]
    Deciding,
    /// The ruling was to advance: the commit comes next.
    #[strum(to_string = "ready for the commit")]
    Closing,
    /// The phase is over or paused.
    #[strum(to_string = "closed")]
    Closed,
}

/// The state of a phase.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseState {
    /// The phase as agreed, with the agents that were asked for since.
    pub def: PhaseDef,
    /// Its status as people see it.
    pub status: Status,
    /// Why it failed or waits, as a code such as `retry_limit` or `E_NO_DELIVERABLE`.
    pub reason: Option<String>,
    /// It failed with its work kept, not approved.
    pub incomplete: bool,
    /// Why it was skipped: `preset`, a flag, or `failed:` and the phase that failed.
    pub skipped_because: Option<String>,
    /// Its position in its steps.
    pub position: StepPosition,
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
    /// The tasks of the authors.
    pub tasks: FixTasks,
    /// The agent calls it made.
    pub calls: CallState,
    /// What the work and the checks of the round show.
    pub evidence: Evidence,
    /// What the reviewers of the round said.
    pub reviews: Reviews,
    /// What it did to the files and the branch.
    pub files: PhaseFiles,
    /// What a person decided about it.
    pub person: PersonDecisions,
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
    /// The approved documents of other phases as the checks of this round saw them.
    pub documents: BTreeMap<PhaseName, DocumentSeen>,
    /// The triage of this round.
    pub triage: Option<Triaged>,
    /// The agent that made the latest triage.
    pub triaged_by: String,
    /// When it came in.
    pub triaged_at: Option<Timestamp>,
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
    /// The author was stopped, and the files are as it left them.
    pub author_was_stopped: bool,
    /// What stopped calls of the author changed; the next call of the author takes it over.
    pub(crate) left_by_stopped: BTreeSet<String>,
    /// Approved documents of other phases that its latest call changed, and that were put back.
    pub put_back: BTreeSet<String>,
    /// Paths that the triage changed since the last review that could be read.
    pub changed_after_review: BTreeSet<String>,
    /// The approved deliverable of the phase, or what a later phase that may change it made of it: the SHA-256 of its content.
    pub deliverable: Option<String>,
    /// The later phase with whose commit a person changed the approved deliverable.
    pub edited_with: Option<PhaseName>,
    /// The commit of the phase.
    pub commit: Option<String>,
    /// The first commit of the phase, when it was opened again after that.
    pub first_commit: Option<String>,
}

/// What a person, or the one that opened the phase again, decided about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PersonDecisions {
    /// A person opened its gate.
    pub gate_opened: bool,
    /// What a person answered, for the next prompt.
    pub advice: Option<String>,
    /// The person who accepted the work instead of a reviewer.
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
    /// Those of the revisions that only finish what is left.
    pub continuations: u32,
    /// Redos in a row, by step; a judged pass resets them.
    pub redos: BTreeMap<Step, u32>,
    /// How often in a row the author was called for the form of its answer only, or for a missing decision.
    pub format_redos: u32,
    /// Unreadable answers in a row.
    pub unreadable: u32,
    /// How often in a row the author said that it is blocked.
    pub blocked: u32,
    /// How often an approval was void because the files had changed.
    pub voided: u32,
}

impl Evidence {
    /// Returns the results of this round.
    pub(crate) fn results(&self) -> impl Iterator<Item = &CheckResult> {
        self.checks.iter().flatten()
    }
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
            position: StepPosition::Idle,
            round: 1,
            started_at: None,
            completed_at: None,
            counters: Counters::default(),
            history: History::default(),
            ledger: Ledger::default(),
            tasks: FixTasks::default(),
            calls: CallState::default(),
            evidence: Evidence::default(),
            reviews: Reviews::default(),
            files: PhaseFiles::default(),
            person: PersonDecisions::default(),
        }
    }

    /// Tells whether a later phase may build on this one: completed, or left out by choice.
    pub fn is_met(&self) -> bool {
        self.status == Status::Completed || (self.status == Status::Skipped && self.is_left_out_by_choice())
    }

    /// Tells whether the phase was left out by a preset or a flag, not because another one failed.
    pub fn is_left_out_by_choice(&self) -> bool {
        self.skipped_because.as_ref().is_some_and(|because| !because.starts_with("failed:"))
    }

    /// Tells whether the agent and model that made the work also reviewed it. Says nothing of scripts.
    pub fn is_reviewed_by_its_author(&self) -> bool {
        self.reviews.current.as_ref().is_some_and(|review| self.is_by_its_author(review))
    }

    /// Returns the seats of the panel whose reviewer is the agent and model that made the work.
    pub fn seats_of_its_author(&self) -> impl Iterator<Item = &str> {
        let own = self.reviews.opinions.iter().filter(|opinion| self.is_by_its_author(opinion));
        own.filter_map(|opinion| opinion.seat.as_deref())
    }

    fn is_by_its_author(&self, review: &Reviewed) -> bool {
        let Some(work) = &self.evidence.work else { return false };
        let model = |ended: &CallEnd| {
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
        match self.position {
            StepPosition::Ready(step) | StepPosition::Working(step) => Some(step),
            StepPosition::Idle | StepPosition::Deciding | StepPosition::Closing | StepPosition::Closed => {
                None
            }
        }
    }

    /// Tells whether no author is at work: the step has not begun, or its call was stopped and recorded its changes.
    pub fn is_author_idle(&self) -> bool {
        matches!(self.position, StepPosition::Ready(_))
            || (self.files.author_was_stopped && matches!(self.position, StepPosition::Working(_)))
    }

    /// Returns how many calls of a step were made in the present round.
    pub(crate) fn attempts_at(&self, step: Step) -> u32 {
        self.calls.attempts.get(&(self.round, step)).copied().unwrap_or(0)
    }

    /// Returns how the latest call of a step ended.
    pub(crate) fn ended_of(&self, step: Step) -> Option<&CallEnd> {
        match step {
            Step::Review => self.reviews.current.as_ref().map(|review| &review.ended),
            Step::Triage => self.evidence.triage.as_ref().map(|triage| &triage.ended),
            Step::Answer => self.reviews.exchange.as_ref()?.reply.as_ref().map(|reply| &reply.ended),
            Step::Execute | Step::Revise | Step::Check => self.evidence.work.as_ref().map(|work| &work.ended),
        }
    }

    /// Returns the results of checks that demand a revision, a stop or a redo.
    pub fn failed_checks(&self) -> impl Iterator<Item = &CheckResult> {
        let failed = self.evidence.results().filter(|result| result.status == CheckStatus::Fail);
        failed.filter(|result| result.demand(&self.def.policy) != OnFail::Note)
    }

    /// Returns what a failure of the check means in this phase's policy.
    pub fn on_fail(&self, check: &str) -> OnFail {
        let rule = self.def.policy.checks.iter().find(|rule| rule.id == check);
        rule.map_or(OnFail::Revise, |rule| rule.on_fail)
    }

    /// Returns the findings of the latest review.
    pub fn findings(&self) -> &[Finding] {
        self.reading().map_or(&[], |reading| &reading.findings)
    }

    /// Returns the identities of everything that is open after the present round.
    pub fn open(&self) -> BTreeSet<String> {
        let findings = self.findings().iter().map(Finding::fingerprint);
        let checks = self.failed_checks().map(check_identity);
        findings.chain(checks).collect()
    }

    /// Returns how many of the rounds allowed are used, and how many are allowed.
    /// In a policy with triage rounds are counted, else revisions; those that only finish what is left have a limit of their own.
    pub fn used_of_limit(&self) -> (u32, u32) {
        let (limits, counters) = (&self.def.policy.limits, &self.counters);
        if self.is_unfinished_only() {
            return (counters.continuations, limits.max_continuations);
        }
        let revisions = counters.revisions.saturating_sub(counters.continuations);
        let used = if self.def.policy.triage { counters.rounds } else { revisions };
        (used, self.person.granted.unwrap_or(limits.max_revisions))
    }

    /// Returns what the phase has spent, all its steps together.
    pub fn spent(&self) -> UsageTotal {
        self.calls.usage.values().fold(UsageTotal::default(), |mut sum, step| {
            sum.add(step);
            sum
        })
    }

    /// Tells whether files changed after the review of this round, so that no reviewer has seen them as they are.
    pub(crate) fn triage_changed_files(&self) -> bool {
        let Some(triage) = &self.evidence.triage else { return false };
        let reviewed = self.reviews.current.as_ref().map(|review| &review.tree);
        !triage.changed.is_empty() || reviewed != Some(&triage.tree)
    }

    pub(crate) fn complete_step(&mut self, step: Step) {
        if !self.evidence.completed_steps.contains(&step) {
            self.evidence.completed_steps.push(step);
        }
    }

    /// Ends a step after which the phase waits for its ruling.
    pub(crate) fn decide_after(&mut self, step: Step) {
        self.complete_step(step);
        self.position = StepPosition::Deciding;
    }

    pub(crate) fn has_triage_table(&self) -> bool {
        self.evidence.triage.as_ref().is_some_and(|triage| triage.table.is_some())
    }

    /// Returns when the review of this round came in; nothing before that.
    pub fn reviewed_at(&self) -> Option<Timestamp> {
        self.reading().and(self.reviews.answered_at)
    }

    /// Returns when the triage of this round came in with a table that could be read.
    pub fn triaged_at(&self) -> Option<Timestamp> {
        if self.has_triage_table() { self.evidence.triaged_at } else { None }
    }

    pub(crate) fn reading(&self) -> Option<&Reading> {
        self.reviews.current.as_ref().and_then(|review| review.reading.as_ref())
    }

    /// Returns the chain for a step: that of the seat that is due, its own, else the author's or the reviewer's.
    pub fn chain(&self, step: Step) -> &[String] {
        match self.seat_due() {
            Some(seat) if step == Step::Review && !seat.agents.is_empty() => &seat.agents,
            _ if self.has_own_chain(step) => &self.def.step_agents[&step],
            _ if step == Step::Review => &self.def.reviewers,
            _ => &self.def.agents,
        }
    }

    pub(crate) fn has_own_chain(&self, step: Step) -> bool {
        self.def.step_agents.get(&step).is_some_and(|own| !own.is_empty())
    }

    fn chain_of(&self, step: Step) -> FallbackChain {
        match self.seat_of(step) {
            Some(seat) => FallbackChain::Seat(seat.to_owned()),
            None if self.has_own_chain(step) => FallbackChain::Step(step),
            None if step == Step::Review => FallbackChain::Reviewer,
            None => FallbackChain::Author,
        }
    }

    pub(crate) fn turn(&self, step: Step) -> usize {
        self.calls.turns.get(&self.chain_of(step)).copied().unwrap_or(0)
    }

    /// Sets the place of the next agent in the step's chain.
    pub(crate) fn set_turn(&mut self, step: Step, turn: usize) {
        self.calls.turns.insert(self.chain_of(step), turn);
    }

    /// Returns the seats of the panel, where the policy has a reviewer whose verdict counts.
    pub fn seats(&self) -> &[PanelReviewer] {
        let policy = &self.def.policy;
        let counts = policy.review.is_some() && !policy.triage && !policy.llm_judge;
        if counts { &self.def.panel } else { &[] }
    }

    /// Returns what the first reviewer, or the one on this seat, grades.
    pub fn viewpoints_of(&self, seat: Option<&str>) -> &[String] {
        match seat {
            None => self.def.policy.review.as_ref().map_or(&[], ReviewRule::own_viewpoints),
            Some(name) => {
                let seat = self.seats().iter().find(|seat| seat.name == name);
                seat.map_or(&[], |seat| &seat.viewpoints)
            }
        }
    }

    fn has_answered(&self, seat: Option<&str>) -> bool {
        self.reviews.opinions.iter().any(|opinion| opinion.seat.as_deref() == seat)
    }

    /// Tells whether every reviewer has answered or was left out in this round.
    pub(crate) fn all_have_answered(&self) -> bool {
        self.has_answered(None) && self.seat_due().is_none()
    }

    /// Returns the seat that is due; nothing when the first reviewer is due or no reviewer is.
    pub fn seat_due(&self) -> Option<&PanelReviewer> {
        let is_settled = |name| self.has_answered(Some(name)) || self.reviews.left_out.contains_key(name);
        let due = self.seats().iter().find(|seat| !is_settled(seat.name.as_str()));
        if self.has_answered(None) { due } else { None }
    }

    /// Returns the name of the seat whose call of this step comes next or is under way.
    pub(crate) fn seat_of(&self, step: Step) -> Option<&str> {
        let seat = if step == Step::Review { self.seat_due() } else { None };
        seat.map(|seat| seat.name.as_str())
    }

    /// Tells whether the round can do without the answer that is due.
    pub(crate) fn is_dispensable(&self, step: Step) -> bool {
        step == Step::Review && self.seat_due().is_some_and(|seat| !seat.required)
    }
}

/// Names the limit that is reached and how much of it is used.
pub fn limit_reached(phase: &PhaseState) -> String {
    let (used, most) = phase.used_of_limit();
    let passes = if used < most { most_passes(phase) } else { None };
    match passes {
        Some(limit) => format!("passes {}/{limit}", phase.counters.passes),
        None => format!("{}s {used}/{most}", unit(phase)),
    }
}

/// Returns what of the phase's own limit is used, how much there is, and what it counts.
pub fn used_of_phase(phase: &PhaseState) -> (u32, u32, &'static str) {
    let (used, most) = phase.used_of_limit();
    match most_passes(phase) {
        Some(passes) => (phase.counters.passes, passes, "passes"),
        None if phase.is_unfinished_only() => (used, most, "continuations"),
        None if phase.def.policy.triage => (used, most, "rounds"),
        None => (used, most, "revisions"),
    }
}

/// Returns the word for what the limit of this policy counts.
pub(crate) fn unit(phase: &PhaseState) -> &'static str {
    match phase.def.policy.triage {
        _ if phase.is_unfinished_only() => "continuation",
        true => "round",
        false => "revision",
    }
}

/// Tells whether the author may not be called again.
pub(crate) fn passes_exhausted(phase: &PhaseState) -> bool {
    most_passes(phase).is_some_and(|most| phase.counters.passes >= most)
}

/// Returns the limit of passes; revisions that a person granted beyond the policy add to it.
fn most_passes(phase: &PhaseState) -> Option<u32> {
    let limits = &phase.def.policy.limits;
    let more = phase.person.granted.map_or(0, |granted| granted.saturating_sub(limits.max_revisions));
    limits.max_passes.map(|most| most.saturating_add(more))
}
