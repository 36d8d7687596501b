//! A scripted world: it answers what the engine decides with facts, and nothing else moves it.
//! A script is keyed by phase, step and the number of answers that came to an end, so a crash cannot shift it.

use std::collections::BTreeMap;
use std::fmt;

use engine::{Action, Call, Decision, PhaseState, Run, State, Status, apply, decide, fold};
use model::event::{
    AnswerJudgment, Answered, CallEnd, CheckResult, CheckStatus, Checked, Claim, ClaimStatus,
    DifficultyAssessed, DocumentSeen, Entry, Evaluation, EvaluationDecision, ExecOutcome, Fact, PauseChoice,
    Place, Reading, Reopened, ReopenedBy, Replied, ReviewAnswer, Reviewed, Ruled, Ruling, RunOutcome,
    RunRequested, RunStarted, StepStarted, TriageTable, Triaged, Usage, Worked,
};
use model::finding::{Disposition, Finding, Severity};
use model::issue::Issue;
use model::phase::{PhaseName, Step};
use model::policy::{Agreement, Budget, CheckMode, Difficulty, PhaseDef};
use model::verdict::{Grade, Judgment, ReadAs, Verdict};

/// When a limit that ended a call is said to be gone, counted from that call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Resets {
    Unsaid,
    After(i64),
    /// At a time that no run of ours reaches.
    FarAway,
}

/// How long the runs wait for a provider that fails.
pub const OUTAGE_SECONDS: u64 = 1_800;

/// How the author's call ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    pub outcome: ExecOutcome,
    pub resets: Resets,
    pub changes: bool,
    pub claim: Option<ClaimStatus>,
    /// What it tells later authors, where it claims something.
    pub notices: Vec<String>,
    pub decision: Option<EvaluationDecision>,
}

/// How the reviewer's call ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    pub outcome: ExecOutcome,
    pub resets: Resets,
    pub reading: Option<Reading>,
    /// The files were changed by somebody since the checks.
    pub moved: bool,
    pub truncated: bool,
}

/// How the author's call ends that answers questions.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    pub outcome: ExecOutcome,
    pub text: Option<String>,
}

/// How the triage call ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Triage {
    pub outcome: ExecOutcome,
    pub table: Option<TriageTable>,
    pub changes: bool,
}

/// What happens in one phase, each list by the number of its answers; the last one repeats.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    pub work: Vec<Work>,
    /// The checks that do not pass, round by round.
    pub checks: Vec<Vec<(String, CheckStatus)>>,
    pub reviews: Vec<Review>,
    pub replies: Vec<Reply>,
    pub triages: Vec<Triage>,
    /// Whether the files changed between the approval and the commit.
    pub voids: Vec<bool>,
}

/// What a person does when the run halts.
#[derive(Debug, Clone, PartialEq)]
pub enum Human {
    Answer(PauseChoice),
    /// Opens the phase with this index again.
    Reopen(usize, Step),
}

impl Default for Script {
    fn default() -> Self {
        Self {
            work: vec![done()],
            checks: vec![vec![]],
            reviews: vec![passes()],
            replies: vec![replies("so it is meant")],
            triages: vec![table(0, 0, 0)],
            voids: vec![false],
        }
    }
}

pub fn done() -> Work {
    Work {
        outcome: ExecOutcome::Done,
        resets: Resets::Unsaid,
        changes: true,
        claim: None,
        notices: vec![],
        decision: None,
    }
}

pub fn ends(outcome: ExecOutcome) -> Work {
    Work { outcome, changes: outcome == ExecOutcome::Partial, ..done() }
}

pub fn crashes() -> Work {
    ends(ExecOutcome::Crashed)
}

pub fn decides(decision: EvaluationDecision) -> Work {
    Work { decision: Some(decision), ..done() }
}

pub fn claims(claim: ClaimStatus) -> Work {
    Work { claim: Some(claim), ..done() }
}

pub fn passes() -> Review {
    states("PASS", Verdict::Pass, Judgment::Approve)
}

pub fn fails() -> Review {
    states("FAIL", Verdict::Fail, Judgment::Revise)
}

/// A review whose word the policy maps to this judgment.
pub fn states(word: &str, result: Verdict, judgment: Judgment) -> Review {
    let reading = Reading {
        result,
        judgment,
        stated: word.into(),
        read_as: ReadAs::Json,
        reason: "an object".into(),
        doubt: None,
        feedback: format!("feedback of {word}"),
        suggestions: vec![],
        findings: vec![],
        questions: vec![],
        grade: None,
        viewpoints: BTreeMap::default(),
        answers: BTreeMap::default(),
    };
    Review {
        outcome: ExecOutcome::Done,
        resets: Resets::Unsaid,
        reading: Some(reading),
        moved: false,
        truncated: false,
    }
}

/// A review that holds no readable verdict.
pub fn unreadable() -> Review {
    let mut review = states("", Verdict::Fail, Judgment::Unverifiable);
    if let Some(reading) = &mut review.reading {
        reading.read_as = ReadAs::Default;
        reading.reason = "no marker".into();
    }
    review
}

/// A review that approves, and beside which its reviewer names something severe.
pub fn doubtful() -> Review {
    let mut review = states("PASS", Verdict::Fail, Judgment::Unverifiable);
    if let Some(reading) = &mut review.reading {
        reading.doubt = Some("Must fix: the lock".into());
        reading.reason = "doubtful: beside it stands `Must fix: the lock`".into();
    }
    review
}

pub fn no_answer() -> Review {
    Review {
        outcome: ExecOutcome::TimedOut,
        resets: Resets::Unsaid,
        reading: None,
        moved: false,
        truncated: false,
    }
}

pub fn replies(text: &str) -> Reply {
    Reply { outcome: ExecOutcome::Done, text: Some(text.into()) }
}

/// An answer that broke, or says nothing.
pub fn no_reply(outcome: ExecOutcome) -> Reply {
    Reply { outcome, text: None }
}

impl Review {
    pub fn asking(mut self, question: &str) -> Self {
        let reading = self.reading.as_mut().expect("a review that was read");
        reading.questions.push(question.into());
        self
    }

    /// Answers these questions of the checks with fine.
    pub fn answering(mut self, ids: &[&str]) -> Self {
        let reading = self.reading.as_mut().expect("a review that was read");
        let answer = ReviewAnswer { judgment: AnswerJudgment::Fine, reason: "the issue asks for it".into() };
        reading.answers.extend(ids.iter().map(|id| ((*id).to_owned(), answer.clone())));
        self
    }

    pub fn with(mut self, severity: Severity, issue: &str) -> Self {
        let reading = self.reading.as_mut().expect("a review that was read");
        reading.findings.push(finding(severity, issue));
        self
    }
}

pub fn finding(severity: Severity, issue: &str) -> Finding {
    Finding {
        severity,
        category: "quality".into(),
        file: Some("src/lib.rs".into()),
        line: None,
        issue: issue.into(),
        suggestion: None,
        auto_fixable: false,
        disposition: Disposition::Open,
        in_scope: true,
    }
}

/// A triage that fixes what it says has to be fixed.
pub fn table(fix_required: u32, no_fix_needed: u32, needs_discussion: u32) -> Triage {
    let table = TriageTable { fix_required, no_fix_needed, needs_discussion };
    Triage { outcome: ExecOutcome::Done, table: Some(table), changes: fix_required > 0 }
}

pub fn no_table() -> Triage {
    Triage { outcome: ExecOutcome::Done, table: None, changes: false }
}

pub fn sure_of(difficulty: Difficulty) -> DifficultyAssessed {
    DifficultyAssessed {
        agent: String::new(),
        difficulty: Some(difficulty),
        confidence: Some(0.9),
        reason: "one function".into(),
        ended: ended(ExecOutcome::Done),
    }
}

pub fn name(text: &str) -> PhaseName {
    text.parse().expect("a phase name")
}

/// The run so far, and what will happen in it.
#[derive(Clone)]
pub struct World {
    pub entries: Vec<Entry>,
    pub state: State,
    pub scripts: BTreeMap<PhaseName, Script>,
    pub humans: Vec<Human>,
    /// Seconds that passed while nothing happened.
    pub later: i64,
    /// The calls of authors tell their sessions; a call that continues one stays in it.
    pub sessions: bool,
    /// What each call reads.
    pub input_tokens: u64,
    /// What each call costs.
    pub cost_usd: Option<f64>,
    /// What the difficulty is found to be.
    pub assessed: Option<DifficultyAssessed>,
    /// What the author of a phase, the first one, does to the document of another phase, the second one.
    pub tampering: BTreeMap<(PhaseName, PhaseName), DocumentSeen>,
    /// The phase that writes no document.
    pub unwritten: Option<PhaseName>,
    /// No run may need more entries than this.
    pub limit: usize,
}

/// What a failing property needs to show: what was agreed, what will happen, and what has happened.
impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for phase in &self.run().phases {
            writeln!(f, "{} decides: {} {:?}", phase.name(), phase.def.decides, phase.def.policy)?;
            writeln!(f, "{:?}", self.scripts.get(phase.name()))?;
        }
        writeln!(f, "{:?}", self.humans)?;
        self.told().iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl World {
    /// Begins a run that nobody has asked for yet.
    pub fn new(agreement: Agreement) -> Self {
        let mut world = Self {
            entries: vec![],
            state: State::default(),
            scripts: BTreeMap::new(),
            humans: vec![],
            later: 0,
            sessions: false,
            input_tokens: 1_000,
            cost_usd: Some(0.25),
            assessed: None,
            tampering: BTreeMap::new(),
            unwritten: None,
            limit: 2_000,
        };
        world.record(Fact::RunStarted(Box::new(started(agreement))));
        world
    }

    /// Begins a run of one phase and plays it to its end.
    pub fn play(def: PhaseDef, script: Script) -> Self {
        let name = def.name.clone();
        let mut world = Self::new(super::policies::agreement(vec![def])).script(&name, script);
        world.execute();
        world
    }

    pub fn script(mut self, phase: &PhaseName, script: Script) -> Self {
        self.scripts.insert(phase.clone(), script);
        self
    }

    pub fn run(&self) -> &Run {
        self.state.run.as_ref().expect("a run that began")
    }

    pub fn phase(&self, text: &str) -> &PhaseState {
        self.run().phase(&name(text)).expect("a phase of the run")
    }

    /// The first phase.
    pub fn first(&self) -> &PhaseState {
        &self.run().phases[0]
    }

    /// Asks for everything and plays until the run halts.
    pub fn execute(&mut self) -> RunOutcome {
        self.ask(RunRequested::default())
    }

    pub fn execute_only(&mut self, phase: &str, ignore_needs: bool) -> RunOutcome {
        self.ask(RunRequested { only: Some(name(phase)), ignore_needs, ..RunRequested::default() })
    }

    pub fn execute_with(&mut self, budget: Budget) -> RunOutcome {
        self.ask(RunRequested { budget: Some(budget), ..RunRequested::default() })
    }

    pub fn ask(&mut self, asked: RunRequested) -> RunOutcome {
        let outage_seconds = asked.outage_seconds.or(Some(OUTAGE_SECONDS));
        self.record(Fact::RunRequested(RunRequested { outage_seconds, ..asked }));
        self.play_on()
    }

    pub fn answer(&mut self, choice: PauseChoice, text: &str) -> RunOutcome {
        self.record(Fact::Answered(Answered::new(choice, text, "alice")));
        self.play_on()
    }

    pub fn reopen(&mut self, phase: &str, step: Step, by: ReopenedBy) -> RunOutcome {
        self.record(Fact::Reopened(Reopened { phase: name(phase), step, reason: "once more".into(), by }));
        self.play_on()
    }

    /// Plays until the run halts.
    pub fn play_on(&mut self) -> RunOutcome {
        loop {
            assert!(self.entries.len() <= self.limit, "the run does not end: {:#?}", self.tail());
            match decide(&self.state) {
                Decision::Record(fact) => self.record(*fact),
                Decision::Perform(action) => self.perform(action),
                Decision::Halt(outcome) => return outcome,
            }
        }
    }

    /// Plays until nobody has anything left to say about it.
    pub fn play_with_humans(&mut self) -> RunOutcome {
        loop {
            let outcome = self.play_on();
            let said = self.count(|fact| matches!(fact, Fact::Answered(_) | Fact::Reopened(_)));
            let Some(human) = self.humans.get(said).cloned() else { return outcome };
            let fact = self.said(&human, outcome);
            self.record(fact);
        }
    }

    /// A person can only answer what was asked, and reopen what was not left out.
    fn said(&self, human: &Human, outcome: RunOutcome) -> Fact {
        match human {
            Human::Answer(choice) if outcome == RunOutcome::Paused => {
                let offered = self.run().paused.as_ref().is_some_and(|asked| asked.takes(*choice));
                let choice = if offered { *choice } else { PauseChoice::Continue };
                Fact::Answered(Answered::new(choice, "advice", "alice"))
            }
            Human::Answer(_) => self.reopened(0, Step::Execute),
            Human::Reopen(index, step) => self.reopened(*index, *step),
        }
    }

    fn reopened(&self, index: usize, step: Step) -> Fact {
        let phases = &self.run().phases;
        let phase = phases[index % phases.len()].name().clone();
        Fact::Reopened(Reopened { phase, step, reason: "once more".into(), by: ReopenedBy::Retry })
    }

    /// The same world, in which nothing depends on how long a crash took.
    pub fn timeless(mut self) -> Self {
        let unsaid = |resets: &mut Resets| {
            if matches!(resets, Resets::After(_)) {
                *resets = Resets::Unsaid;
            }
        };
        for script in self.scripts.values_mut() {
            script.work.iter_mut().for_each(|work| unsaid(&mut work.resets));
            script.reviews.iter_mut().for_each(|review| unsaid(&mut review.resets));
        }
        self
    }

    /// Forgets everything after the first `length` entries, as a crash does, and folds what is left.
    pub fn cut(&self, length: usize) -> Self {
        let entries = self.entries[..length].to_vec();
        let state = fold(&entries).expect("a prefix of a log folds");
        Self { entries, state, ..self.clone() }
    }

    pub fn record(&mut self, fact: Fact) {
        let entry = self.entry(fact);
        let applied = apply(&mut self.state, &entry);
        assert_eq!(applied, Ok(()), "{:#?}\n{:#?}", entry.fact, self.tail());
        self.entries.push(entry);
    }

    pub fn entry(&self, fact: Fact) -> Entry {
        Entry { seq: self.entries.len() as u64 + 1, at: self.now(), fact }
    }

    /// Every fact takes a second, and every pause of the test and of the run its time.
    fn now(&self) -> jiff::Timestamp {
        let facts = i64::try_from(self.entries.len()).expect("a short log");
        let time = 1_700_000_001 + facts + self.later + self.waited();
        jiff::Timestamp::from_second(time).expect("a time of our days")
    }

    /// Returns the seconds that the run has waited for providers.
    fn waited(&self) -> i64 {
        let wait = |entry: &Entry| match &entry.fact {
            Fact::Ruled(Ruled { ruling: Ruling::Wait { until, .. }, .. }) => {
                until.duration_since(entry.at).as_secs()
            }
            _ => 0,
        };
        self.entries.iter().map(wait).sum()
    }

    fn tail(&self) -> Vec<String> {
        let told = self.told();
        told[told.len().saturating_sub(12)..].to_vec()
    }

    /// One line for each fact after the first.
    pub fn told(&self) -> Vec<String> {
        let line = |entry: &Entry| match &entry.fact {
            Fact::Ruled(ruled) => format!("{} {}: {}", ruled.round, ruled.ruling.word(), ruled.rule),
            fact => format!("{fact:?}").chars().take(160).collect(),
        };
        self.entries.iter().skip(1).map(|entry| format!("{}: {}", entry.seq, line(entry))).collect()
    }

    pub fn count(&self, wanted: impl Fn(&Fact) -> bool) -> usize {
        self.entries.iter().filter(|entry| wanted(&entry.fact)).count()
    }

    /// Rulings of a phase in their order.
    pub fn rulings(&self, text: &str) -> Vec<Ruled> {
        let of_phase = |entry: &Entry| match &entry.fact {
            Fact::Ruled(ruled) if ruled.phase.as_str() == text => Some(ruled.clone()),
            _ => None,
        };
        self.entries.iter().filter_map(of_phase).collect()
    }

    /// The words of all rulings of the first phase.
    pub fn history(&self) -> Vec<&'static str> {
        self.first().history.rulings.iter().map(|past| past.ruling.word()).collect()
    }

    /// The text that `explain` shows for the latest ruling of the first phase.
    pub fn last_rule(&self) -> &str {
        self.first().history.rulings.last().map_or("", |past| &past.rule)
    }

    pub fn perform(&mut self, action: Action) {
        match action {
            Action::StartPhase(phase) => {
                self.record(Fact::PhaseStarted { phase, tree: self.tree(), by_hand: vec![] });
            }
            Action::Assess(assess) => self.assess(*assess),
            Action::CallAgent(call) => self.call(*call),
            Action::RunChecks { phase, round } => self.check(phase, round),
            Action::Commit(phase) => self.commit(phase),
            Action::Publish => {
                self.record(Fact::Published { pr_number: None, pr_url: "243.pr.md".into() });
            }
        }
    }

    fn assess(&mut self, assess: Call) {
        let assessed = self.assessed.clone().unwrap_or_else(|| sure_of(Difficulty::Moderate));
        self.record(Fact::Assessed(Box::new(DifficultyAssessed { agent: assess.agent, ..assessed })));
    }

    fn call(&mut self, call: Call) {
        self.record(Fact::StepStarted(StepStarted {
            phase: call.phase.clone(),
            step: call.step,
            round: call.round,
            attempt: call.attempt,
            agent: call.agent.clone(),
            review_id: None,
            prompt: "0".repeat(64),
            template: String::new(),
            prompt_bytes: 0,
            resumes: call.resumes.as_ref().map(|resume| resume.session.clone()),
            seat: call.seat.clone(),
        }));
        let fact = match call.step {
            Step::Review => self.review(call),
            Step::Triage => self.triage(call),
            Step::Answer => self.reply(call),
            Step::Execute | Step::Revise | Step::Check => self.work(call),
        };
        self.record(fact);
    }

    fn work(&self, call: Call) -> Fact {
        let work = self.next(&call.phase, |script| &script.work, |fact| matches!(fact, Fact::Worked(_)));
        let claim = work.claim.map(|status| Claim {
            status,
            next_action: None,
            summary: String::new(),
            notices: work.notices.clone(),
            files: vec![],
        });
        let evaluation =
            work.decision.clone().map(|decision| Evaluation { decision, remaining_tasks: vec![] });
        let session = self.session(&call);
        Fact::Worked(Worked {
            phase: call.phase,
            step: call.step,
            round: call.round,
            attempt: call.attempt,
            ended: CallEnd { session, ..self.ended(work.outcome, work.resets) },
            tree: self.tree_after(work.changes),
            changed: changed(work.changes),
            put_back: vec![],
            claim,
            evaluation,
        })
    }

    fn ended(&self, outcome: ExecOutcome, resets: Resets) -> CallEnd {
        let resets_at = match resets {
            Resets::Unsaid => None,
            Resets::After(seconds) => Some(self.now() + jiff::SignedDuration::from_secs(seconds)),
            Resets::FarAway => Some(far_away()),
        };
        let ended = ended(outcome);
        let input_tokens = Some(self.input_tokens);
        let usage = Usage { input_tokens, cost_usd: self.cost_usd, ..ended.usage };
        CallEnd { resets_at, usage, ..ended }
    }

    fn session(&self, call: &Call) -> Option<String> {
        let continued = call.resumes.as_ref().map(|resume| resume.session.clone());
        let fresh = || format!("session-{}", self.count(|fact| matches!(fact, Fact::Worked(_))) + 1);
        self.sessions.then(|| continued.unwrap_or_else(fresh))
    }

    fn check(&mut self, phase: PhaseName, round: u32) {
        let script = self.next(&phase, |script| &script.checks, |fact| matches!(fact, Fact::Checked(_)));
        let policy = &self.run().phase(&phase).expect("a phase of the run").def.policy;
        let status = |id: &String| {
            let odd = script.iter().find(|(check, _)| check == id);
            odd.map_or(CheckStatus::Pass, |(_, status)| *status)
        };
        let mut results: Vec<_> =
            policy.checks.iter().map(|rule| ask(result(&rule.id, status(&rule.id)))).collect();
        if policy.check_mode == CheckMode::FirstFailure {
            let failed = results.iter().position(|result| result.status == CheckStatus::Fail);
            results.truncate(failed.map_or(results.len(), |index| index + 1));
        }
        let documents = self.documents_beside(&phase);
        self.record(Fact::Checked(Checked { phase, round, results, tree: self.tree(), documents }));
    }

    fn review(&self, call: Call) -> Fact {
        let review =
            self.next(&call.phase, |script| &script.reviews, |fact| matches!(fact, Fact::Reviewed(_)));
        let mut ended = self.ended(review.outcome, review.resets);
        ended.truncated = review.truncated;
        let reviews = self.count(|fact| matches!(fact, Fact::Reviewed(_)));
        ended.session = self.sessions.then(|| format!("review-{}", reviews + 1));
        let (phase, seat) = (call.phase, call.seat);
        Fact::Reviewed(Reviewed {
            phase: phase.clone(),
            round: call.round,
            attempt: call.attempt,
            reviewer: call.agent,
            ended,
            reading: review.reading.map(|reading| self.graded(&phase, seat.as_deref(), reading)),
            tree: self.tree_after(review.moved),
            seat,
        })
    }

    /// Grades what a reviewer is asked to grade, where the script grades nothing: nothing to object to.
    fn graded(&self, phase: &PhaseName, seat: Option<&str>, mut reading: Reading) -> Reading {
        let asked = self.run().phase(phase).expect("a phase").viewpoints_of(seat);
        if reading.viewpoints.is_empty() {
            reading.viewpoints = asked.iter().map(|viewpoint| (viewpoint.clone(), Grade::A)).collect();
        }
        reading
    }

    fn reply(&self, call: Call) -> Fact {
        let reply = self.next(&call.phase, |script| &script.replies, |fact| matches!(fact, Fact::Replied(_)));
        let session = self.session(&call);
        Fact::Replied(Replied {
            phase: call.phase,
            round: call.round,
            attempt: call.attempt,
            ended: CallEnd { session, ..self.ended(reply.outcome, Resets::Unsaid) },
            text: reply.text.filter(|_| reply.outcome.ended()),
        })
    }

    fn triage(&self, call: Call) -> Fact {
        let triage =
            self.next(&call.phase, |script| &script.triages, |fact| matches!(fact, Fact::Triaged(_)));
        Fact::Triaged(Triaged {
            phase: call.phase,
            round: call.round,
            attempt: call.attempt,
            ended: ended(triage.outcome),
            table: triage.table,
            unread: None,
            judgments: vec![],
            tree: self.tree_after(triage.changes),
            changed: changed(triage.changes),
            put_back: vec![],
        })
    }

    /// The documents of the other completed phases, after what the author of this one did to them.
    pub fn documents_beside(&self, name: &PhaseName) -> BTreeMap<PhaseName, DocumentSeen> {
        let completed = self.run().phases.iter().filter(|phase| phase.status == Status::Completed);
        let others = completed.filter(|phase| phase.name() != name);
        let seen = |other: &PhaseState| {
            let untouched = DocumentSeen { digest: other.files.deliverable.clone(), changed_by: None };
            let tampered = self.tampering.get(&(name.clone(), other.name().clone())).cloned();
            (other.name().clone(), tampered.unwrap_or(untouched))
        };
        others.map(seen).collect()
    }

    fn commit(&mut self, phase: PhaseName) {
        let closing = |fact: &Fact| matches!(fact, Fact::Committed { .. } | Fact::ApprovalVoided { .. });
        let void = self.next(&phase, |script| &script.voids, closing);
        self.record(if void {
            Fact::ApprovalVoided { phase, reason: "the files changed".into() }
        } else {
            let mut documents: BTreeMap<_, _> = self
                .documents_beside(&phase)
                .into_iter()
                .filter_map(|(other, seen)| Some((other, seen.digest?)))
                .collect();
            if self.unwritten.as_ref() != Some(&phase) {
                documents.insert(phase.clone(), format!("{phase} at {}", self.tree()));
            }
            Fact::Committed { phase, commit: self.tree(), documents }
        });
    }

    fn next<T: Clone>(
        &self,
        phase: &PhaseName,
        list: impl Fn(&Script) -> &Vec<T>,
        kind: impl Fn(&Fact) -> bool,
    ) -> T {
        let index = self.count(|fact| kind(fact) && phase_of(fact) == Some(phase));
        let default = Script::default();
        let list = list(self.scripts.get(phase).unwrap_or(&default));
        list[index.min(list.len() - 1)].clone()
    }

    /// The files, named by how often they were changed.
    fn tree(&self) -> String {
        format!("tree-{}", self.changes())
    }

    fn tree_after(&self, changes: bool) -> String {
        format!("tree-{}", self.changes() + u64::from(changes))
    }

    fn changes(&self) -> u64 {
        let number = |tree: &str| tree.trim_start_matches("tree-").parse::<u64>().expect("our own name");
        self.entries.iter().fold(0, |now, entry| match &entry.fact {
            Fact::Worked(Worked { tree, .. })
            | Fact::Triaged(Triaged { tree, .. })
            | Fact::Reviewed(Reviewed { tree, .. }) => number(tree),
            Fact::ApprovalVoided { .. } => now + 1,
            _ => now,
        })
    }
}

fn ended(outcome: ExecOutcome) -> CallEnd {
    let usage = Usage {
        input_tokens: Some(1_000),
        output_tokens: Some(200),
        cost_usd: Some(0.25),
        ..Usage::default()
    };
    CallEnd { outcome, millis: 30_000, usage, simulated: true, ..CallEnd::default() }
}

pub fn far_away() -> jiff::Timestamp {
    jiff::Timestamp::from_second(2_000_000_000).expect("a time of our days")
}

fn changed(changes: bool) -> Vec<String> {
    if changes { vec!["src/lib.rs".into()] } else { vec![] }
}

pub fn result(check: &str, status: CheckStatus) -> CheckResult {
    CheckResult {
        check: check.into(),
        status,
        pattern: None,
        summary: format!("{check} was looked at"),
        evidence: String::new(),
        params: BTreeMap::default(),
        places: vec![],
        asks: false,
    }
}

/// The check whose places the reviewer has to answer.
pub const SUSPECT: &str = "suspect";

/// What that check asks where it fails: `S1` and `S2`.
pub fn ask(result: CheckResult) -> CheckResult {
    let place = |line| Place {
        file: Some("tests/total.rs".into()),
        line: Some(line),
        what: "an assert is gone".into(),
        suggestion: None,
    };
    let asks = result.check == SUSPECT && result.status == CheckStatus::Fail;
    CheckResult { places: if asks { vec![place(3), place(9)] } else { vec![] }, asks, ..result }
}

pub fn phase_of(fact: &Fact) -> Option<&PhaseName> {
    match fact {
        Fact::Worked(Worked { phase, .. })
        | Fact::Checked(Checked { phase, .. })
        | Fact::Reviewed(Reviewed { phase, .. })
        | Fact::Triaged(Triaged { phase, .. })
        | Fact::Replied(Replied { phase, .. })
        | Fact::StepStarted(StepStarted { phase, .. })
        | Fact::Ruled(Ruled { phase, .. })
        | Fact::PhaseStarted { phase, .. }
        | Fact::ReviewStands { phase, .. }
        | Fact::PhaseSkipped { phase, .. }
        | Fact::ApprovalVoided { phase, .. }
        | Fact::Committed { phase, .. } => Some(phase),
        _ => None,
    }
}

fn started(agreement: Agreement) -> RunStarted {
    let issue = Issue {
        number: 243.try_into().expect("a number"),
        title: "Totals are wrong".into(),
        body: "They are.".into(),
        labels: vec![],
        author: "alice".into(),
        open: true,
        url: String::new(),
        discussion: model::issue::Discussion::default(),
    };
    RunStarted {
        format: model::event::FORMAT,
        run_id: "0".repeat(32),
        version: "0.1.0".into(),
        issue,
        issue_digest: "0".repeat(64),
        repository: "owner/name".into(),
        branch: "ai-workflow/issue-243".into(),
        base_branch: "main".into(),
        base_commit: "0".repeat(40),
        language: "en".into(),
        strays: vec![],
        agreement,
    }
}
