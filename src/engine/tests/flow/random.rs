//! Random agreements, scripts, people and facts for the properties.

use std::collections::BTreeMap;

use model::event::{
    Answered, CallEnd, CheckStatus, Checked, Claim, ClaimStatus, DifficultyAssessed, Escalation, Evaluation,
    EvaluationDecision, ExecOutcome, Fact, PauseChoice, PauseReason, Reopened, ReopenedBy, Replied, Reviewed,
    Ruled, Ruling, RunOutcome, RunRequested, SpentOnDay, StepStarted, TriageTable, Triaged, Usage,
    UsageTotal, Worked,
};
use model::finding::Severity;
use model::phase::{PhaseName, Step};
use model::policy::{
    Budget, CheckMode, CheckRule, CheckWhen, Difficulty, DiscussWhen, FirstStep, Gate, GradeMap, OnFail,
    OnPartial, OnUnavailable, OnUnreadable, PanelReviewer, PhaseDef, Policy, PolicyLimits, ReviewRule,
    TaskRule, UnapprovedEnd, UnapprovedEnds,
};
use model::verdict::{Grade, Judgment, Verdict};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::policies::{agreement, chain, phase};
use super::world::{
    Human, Reply, Resets, Review, SUSPECT, Script, Triage, Work, World, done, no_answer, result, states,
    table, unreadable,
};

const CHECKS: [&str; 4] = ["build", "tests", "lint", SUSPECT];
pub const PHASES: [&str; 3] = ["planning", "design", "evaluation"];

/// A world whose people say something at most a few times.
pub fn world() -> impl Strategy<Value = World> {
    let agents = (1..3_usize, 1..3_usize, option::weighted(0.2, (step(), 1..3_usize)), gate(), panel());
    let phases = vec((policy(), script(), agents), 1..4);
    let humans = vec(human(), 0..4);
    let budget = option::weighted(0.15, 1..12_u32);
    (phases, humans, any::<bool>(), any::<bool>(), budget).prop_map(
        |(phases, humans, decides, sessions, budget)| {
            let count = phases.len();
            let defs = phases.iter().enumerate().map(
                |(index, (policy, _, (agents, reviewers, own, gate, panel)))| PhaseDef {
                    decides: decides && index + 1 == count,
                    agents: named("author", *agents),
                    reviewers: named("reviewer", *reviewers),
                    gate: *gate,
                    panel: panel.clone(),
                    step_agents: own.iter().map(|(step, count)| (*step, named("own", *count))).collect(),
                    ..phase(PHASES[index], policy.clone())
                },
            );
            let mut agreed = agreement(chain(defs));
            agreed.budget = budget.map(budget_of).unwrap_or_default();
            let mut world = World::new(agreed);
            world.limit = bound(&world, humans.len());
            world.humans = humans;
            world.sessions = sessions;
            phases.into_iter().enumerate().fold(world, |world, (index, (_, script, ..))| {
                let phase = PHASES[index].parse().expect("a phase name");
                world.script(&phase, script)
            })
        },
    )
}

/// A call that a crash interrupts costs nothing, so a limit in dollars is the same whatever crashes.
fn budget_of(quarters: u32) -> Budget {
    Budget { usd: Some(f64::from(quarters) * 0.25), ..Budget::default() }
}

/// Most phases have no second opinion, some have two.
fn panel() -> impl Strategy<Value = Vec<PanelReviewer>> {
    let seats = vec((0..3_usize, any::<bool>()), 1..3).prop_map(|seats| {
        let seat = |(index, (agents, required)): (usize, (usize, bool))| PanelReviewer {
            name: format!("seat-{index}"),
            agents: named(&format!("second-{index}"), agents),
            viewpoints: vec![],
            required,
        };
        seats.into_iter().enumerate().map(seat).collect()
    });
    prop_oneof![2 => Just(vec![]), 1 => seats]
}

fn gate() -> impl Strategy<Value = Gate> {
    prop_oneof![8 => Just(Gate::Go), 1 => Just(Gate::Ask), 1 => Just(Gate::NoGo)]
}

fn named(role: &str, count: usize) -> Vec<String> {
    (0..count).map(|index| format!("{role}-{index}")).collect()
}

/// How many entries a run can need, from its limits alone.
fn bound(world: &World, humans: usize) -> usize {
    let agreed = &world.run().started.agreement;
    let lives = (humans + 1) * (agreed.max_cycles as usize + 1);
    let phases: usize = agreed.phases.iter().map(phase_bound).sum();
    10 + lives * (phases + 10)
}

fn phase_bound(def: &PhaseDef) -> usize {
    let limits = &def.policy.limits;
    let own = def.step_agents.values().map(Vec::len).max().unwrap_or(0);
    let seats = def.panel.iter().map(|seat| seat.agents.len()).max().unwrap_or(0);
    let agents = def.agents.len().max(def.reviewers.len()).max(own).max(seats);
    let redos = agents * (limits.max_redo as usize + 1);
    let again = (limits.max_format_redo + limits.max_unreadable) as usize + 2;
    let voided = 4;
    let rounds = (limits.max_revisions + limits.max_continuations) as usize + 2 + voided;
    let checks = limits.max_redo as usize + 1;
    let steps = 6;
    rounds * (steps + def.panel.len()) * checks * (redos + again) * 3 + 10
}

pub fn policy() -> impl Strategy<Value = Policy> {
    let shape = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let rules = (vec(check_rule(), 0..5), option::weighted(0.8, review_rule()));
    (shape, rules, limits(), outcomes()).prop_map(|(shape, (rules, review), limits, outcomes)| {
        let (entry, declared, first, partial, discuss, stall) = shape;
        let checks = rules.into_iter().zip(CHECKS).map(|(rule, id)| CheckRule { id: id.into(), ..rule });
        Policy {
            required: Vec::new(),
            review_loop: false,
            revise_prompt: model::policy::RevisePrompt::default(),
            entry: if entry { FirstStep::Execute } else { FirstStep::Review },
            check_when: if declared { CheckWhen::OnDeclaration } else { CheckWhen::EveryPass },
            check_mode: if first { CheckMode::FirstFailure } else { CheckMode::All },
            checks: checks.collect(),
            triage: review.is_some() && !entry,
            llm_judge: review.is_some() && entry && !stall,
            review,
            partial: if partial { OnPartial::Redo } else { OnPartial::Checks },
            discuss: if discuss { DiscussWhen::AtOnce } else { DiscussWhen::AfterFixes },
            limits,
            outcomes,
            stop_on_stall: stall,
        }
    })
}

fn check_rule() -> impl Strategy<Value = CheckRule> {
    let on_fail = select(vec![
        OnFail::Revise,
        OnFail::Continue,
        OnFail::Stop,
        OnFail::Redo,
        OnFail::Format,
        OnFail::Note,
    ]);
    let on_unavailable = select(vec![OnUnavailable::Block, OnUnavailable::Note]);
    (on_fail, on_unavailable).prop_map(|(on_fail, on_unavailable)| CheckRule {
        id: String::new(),
        on_fail,
        on_unavailable,
    })
}

fn review_rule() -> impl Strategy<Value = ReviewRule> {
    let blocking = select(vec![Severity::Minor, Severity::Major, Severity::Critical]);
    let on_critical = select(vec![Judgment::Revise, Judgment::Block, Judgment::Approve]);
    let materiality = option::of(0..3_u32);
    let tasks = select(vec![TaskRule::Blocking, TaskRule::All]);
    let questions = select(vec![None, Some(false), Some(true), Some(true)]);
    (blocking, on_critical, materiality, tasks, questions).prop_map(
        |(blocking, on_critical, materiality_after_round, tasks, questions)| ReviewRule {
            questions,
            on_critical,
            blocking,
            materiality_after_round,
            tasks,
            grade_map: GradeMap {
                c: Some(Judgment::Revise),
                d: Some(Judgment::Block),
                ..GradeMap::default()
            },
            ..ReviewRule::of_words(std::collections::BTreeMap::default())
        },
    )
}

fn limits() -> impl Strategy<Value = PolicyLimits> {
    let redos = (0..3_u32, 0..3_u32, 0..3_u32);
    (option::of(1..5_u32), 0..4_u32, redos, option::of(1..3_u32)).prop_map(
        |(max_passes, max_revisions, (max_redo, max_format_redo, max_unreadable), max_tries)| PolicyLimits {
            max_tries,
            max_passes,
            max_revisions,
            max_redo,
            max_format_redo,
            max_continuations: 2,
            max_unreadable,
            backoff_ms: 1_000,
        },
    )
}

fn outcomes() -> impl Strategy<Value = UnapprovedEnds> {
    let ending = || select(vec![UnapprovedEnd::Fail, UnapprovedEnd::Pause, UnapprovedEnd::Incomplete]);
    let unreadable = select(vec![OnUnreadable::Revise, OnUnreadable::Pause, OnUnreadable::Fail]);
    (ending(), ending(), ending(), unreadable, ending(), ending(), ending()).prop_map(
        |(exhausted, blocked, discuss, unreadable, no_answer, agent_failed, stalled)| UnapprovedEnds {
            exhausted,
            blocked,
            discuss,
            unreadable,
            no_answer,
            agent_failed,
            stalled,
        },
    )
}

fn script() -> impl Strategy<Value = Script> {
    let voids = vec(prop::bool::weighted(0.15), 1..5);
    let opinions = (vec(review(), 1..6), vec(reply(), 1..4), vec(triage(), 1..6));
    (vec(work(), 1..6), vec(checks(), 1..6), opinions, voids).prop_map(
        |(work, checks, (reviews, replies, triages), voids)| Script {
            work,
            checks,
            reviews,
            replies,
            triages,
            voids,
        },
    )
}

fn outcome() -> impl Strategy<Value = ExecOutcome> {
    prop_oneof![
        6 => Just(ExecOutcome::Done),
        2 => select(vec![ExecOutcome::Partial, ExecOutcome::NoOutput]),
        2 => select(vec![
            ExecOutcome::TimedOut,
            ExecOutcome::Idle,
            ExecOutcome::BlockedOnPrompt,
            ExecOutcome::RateLimited,
            ExecOutcome::Crashed,
            ExecOutcome::NotStarted,
            ExecOutcome::Overloaded,
            ExecOutcome::ProviderFailed,
            ExecOutcome::QuotaExhausted,
            ExecOutcome::SignedOut,
            ExecOutcome::ModelUnknown,
            ExecOutcome::ContextTooLong,
            ExecOutcome::Refused,
            ExecOutcome::LimitReached,
            ExecOutcome::OverBudget,
        ]),
    ]
}

fn resets() -> impl Strategy<Value = Resets> {
    select(vec![Resets::Unsaid, Resets::FarAway, Resets::After(2), Resets::After(600)])
}

fn claim() -> impl Strategy<Value = ClaimStatus> {
    select(vec![ClaimStatus::Completed, ClaimStatus::Incomplete, ClaimStatus::Blocked])
}

fn run_decision() -> impl Strategy<Value = EvaluationDecision> {
    select(vec![
        EvaluationDecision::Pass,
        EvaluationDecision::Pass,
        EvaluationDecision::PassWithIssues,
        EvaluationDecision::FailPhase("planning".into()),
        EvaluationDecision::FailPhase("1".into()),
        EvaluationDecision::FailPhase("evaluation".into()),
        EvaluationDecision::Abort,
    ])
}

fn work() -> impl Strategy<Value = Work> {
    (
        outcome(),
        resets(),
        prop::bool::weighted(0.8),
        option::weighted(0.3, claim()),
        option::weighted(0.8, run_decision()),
    )
        .prop_map(|(outcome, resets, changes, claim, decision)| Work {
            outcome,
            resets,
            changes,
            notices: claim.iter().map(|_| "told".to_owned()).collect(),
            claim,
            decision,
        })
}

fn checks() -> impl Strategy<Value = Vec<(String, CheckStatus)>> {
    let status =
        select(vec![CheckStatus::Fail, CheckStatus::Fail, CheckStatus::Skipped, CheckStatus::Unavailable]);
    let odd = (select(CHECKS.to_vec()), status).prop_map(|(check, status)| (check.to_owned(), status));
    prop_oneof![3 => Just(vec![]), 2 => vec(odd, 1..3)]
}

fn judgment() -> impl Strategy<Value = Judgment> {
    select(vec![
        Judgment::Approve,
        Judgment::ApproveWithNotes,
        Judgment::Discuss,
        Judgment::Revise,
        Judgment::Unverifiable,
        Judgment::Redo,
        Judgment::Block,
    ])
}

fn severity() -> impl Strategy<Value = Severity> {
    select(vec![Severity::Info, Severity::Minor, Severity::Major, Severity::Critical])
}

fn review() -> impl Strategy<Value = Review> {
    let answered =
        (verdict(), judgment(), vec((severity(), "[a-d]"), 0..3)).prop_map(|(result, judgment, findings)| {
            let review = states("WORD", result, judgment);
            findings.iter().fold(review, |review, (severity, issue)| review.with(*severity, issue))
        });
    let grade = prop_oneof![6 => Just(None), 2 => Just(Some(Grade::A)), 1 => Just(Some(Grade::D))];
    let passing = (vec((severity(), "[a-d]"), 0..2), grade).prop_map(|(findings, grade)| {
        let mut review = states("PASS", Verdict::Pass, Judgment::Approve);
        review.reading.iter_mut().for_each(|reading| reading.grade = grade);
        findings.iter().fold(review, |review, (severity, issue)| review.with(*severity, issue))
    });
    let kinds = prop_oneof![4 => passing, 4 => answered, 1 => Just(unreadable()), 1 => Just(no_answer())];
    let asks = prop::bool::weighted(0.3);
    let answers = select(vec![&["S1", "S2"][..], &["S1", "S2"], &["S2"], &[]]);
    (kinds, outcome(), resets(), prop::bool::weighted(0.1), prop::bool::weighted(0.1), (asks, answers))
        .prop_map(|(mut review, outcome, resets, moved, truncated, (asks, answers))| {
            if review.reading.is_some() {
                review = review.answering(answers);
            }
            if let Some(reading) = review.reading.as_mut().filter(|_| asks) {
                reading.questions.push("why?".into());
            }
            let outcome = if review.reading.is_some() { outcome } else { review.outcome };
            Review { outcome, resets, moved, truncated, ..review }
        })
}

fn reply() -> impl Strategy<Value = Reply> {
    (outcome(), option::weighted(0.8, Just("so it is".to_owned())))
        .prop_map(|(outcome, text)| Reply { outcome, text })
}

fn verdict() -> impl Strategy<Value = Verdict> {
    select(vec![Verdict::Pass, Verdict::PassWithSuggestions, Verdict::Fail])
}

fn triage() -> impl Strategy<Value = Triage> {
    let counts =
        (0..2_u32, 0..2_u32, 0..2_u32).prop_map(|(fix, no_fix, discuss)| table(fix, no_fix, discuss));
    let odd = (outcome(), option::of((0..2_u32, 0..2_u32, 0..2_u32)), any::<bool>()).prop_map(
        |(outcome, counts, changes)| {
            let table = counts.map(|(fix_required, no_fix_needed, needs_discussion)| TriageTable {
                fix_required,
                no_fix_needed,
                needs_discussion,
            });
            Triage { outcome, table, changes }
        },
    );
    prop_oneof![counts, odd]
}

fn human() -> impl Strategy<Value = Human> {
    let step = select(vec![Step::Execute, Step::Review, Step::Revise]);
    prop_oneof![
        choice().prop_map(Human::Answer),
        (0..3_usize, step).prop_map(|(index, step)| Human::Reopen(index, step)),
    ]
}

fn choice() -> impl Strategy<Value = PauseChoice> {
    select(vec![PauseChoice::Continue, PauseChoice::Accept, PauseChoice::GiveUp, PauseChoice::Edited])
}

fn some_phase() -> impl Strategy<Value = PhaseName> {
    select(vec!["planning", "design", "evaluation", "nowhere"])
        .prop_map(|name| name.parse().expect("a phase name"))
}

fn step() -> impl Strategy<Value = Step> {
    select(vec![Step::Execute, Step::Check, Step::Review, Step::Triage, Step::Revise, Step::Answer])
}

fn ended() -> impl Strategy<Value = CallEnd> {
    let outcome = prop_oneof![9 => outcome(), 1 => Just(ExecOutcome::Cancelled)];
    (outcome, option::of(".*"), 0..100_000_u64, option::of(0.0..9.0_f64), any::<bool>()).prop_map(
        |(outcome, reason, millis, cost_usd, flag)| CallEnd {
            outcome,
            reason,
            millis,
            usage: Usage { input_tokens: Some(millis), cost_usd, ..Usage::default() },
            truncated: flag,
            simulated: !flag,
            ..CallEnd::default()
        },
    )
}

fn escalation() -> impl Strategy<Value = Escalation> {
    let reason = select(vec![
        PauseReason::Exhausted,
        PauseReason::Blocked,
        PauseReason::Budget,
        PauseReason::Quota,
        PauseReason::Outage,
    ]);
    (reason, option::of(some_phase()), vec(choice(), 0..3)).prop_map(|(reason, phase, options)| Escalation {
        reason,
        phase,
        question: "what now?".into(),
        options,
        report: vec!["a line".into()],
        until: Some(jiff::Timestamp::UNIX_EPOCH),
    })
}

fn ruling() -> impl Strategy<Value = Ruling> {
    prop_oneof![
        Just(Ruling::Advance),
        Just(Ruling::Revise),
        (step(), 0..9_u64, any::<bool>()).prop_map(|(step, delay_ms, next_agent)| Ruling::Redo {
            step,
            delay_ms,
            next_agent,
            takes_over: None,
        }),
        escalation().prop_map(|escalation| Ruling::Pause { escalation }),
        any::<bool>().prop_map(|incomplete| Ruling::Fail { reason: "retry_limit".into(), incomplete }),
        some_phase().prop_map(|phase| Ruling::Reopen { phase }),
        Just(Ruling::LeaveOut { seat: "seat-0".into() }),
        step().prop_map(|step| Ruling::Wait { step, until: jiff::Timestamp::UNIX_EPOCH }),
    ]
}

type Place = (PhaseName, Step, u32, u32);

fn place() -> impl Strategy<Value = Place> {
    (some_phase(), step(), 0..4_u32, 0..4_u32)
}

/// Any fact but the first, about a phase that exists or not.
pub fn fact() -> impl Strategy<Value = Fact> {
    prop_oneof![
        (option::of(some_phase()), any::<bool>()).prop_map(|(only, ignore_needs)| Fact::RunRequested(
            RunRequested { only, ignore_needs, budget: None, ..RunRequested::default() }
        )),
        (some_phase(), select(vec!["preset", "failed:planning"]))
            .prop_map(|(phase, because)| Fact::PhaseSkipped { phase, because: because.into() }),
        some_phase().prop_map(|phase| Fact::PhaseStarted { phase, tree: "tree-9".into(), by_hand: vec![] }),
        place().prop_map(step_started),
        (place(), ended(), work()).prop_map(|(place, ended, work)| worked(place, ended, work)),
        (place(), checks()).prop_map(|(place, odd)| checked(place, &odd)),
        (place(), ended(), review()).prop_map(|(place, ended, review)| reviewed(place, ended, review)),
        (place(), ended(), reply()).prop_map(|(place, ended, reply)| replied(place, ended, reply)),
        (place(), ended(), triage()).prop_map(|(place, ended, triage)| triaged(place, ended, &triage)),
        (place(), judgment(), ruling()).prop_map(|(place, judgment, ruling)| ruled(place, judgment, ruling)),
        some_phase().prop_map(|phase| Fact::ApprovalVoided { phase, reason: "moved".into() }),
        some_phase().prop_map(|phase| Fact::Committed {
            phase,
            commit: "c".repeat(40),
            documents: BTreeMap::new()
        }),
        option::of(1..9_u64).prop_map(|pr_number| Fact::Published { pr_number, pr_url: "pull".into() }),
        escalation().prop_map(|escalation| Fact::Paused { escalation }),
        (choice(), ".*").prop_map(|(choice, text)| Fact::Answered(Answered::new(choice, &text, "bob"))),
        (some_phase(), step(), select(vec![ReopenedBy::Retry, ReopenedBy::Rollback, ReopenedBy::Evaluation]))
            .prop_map(|(phase, step, by)| Fact::Reopened(Reopened { phase, step, reason: "why".into(), by })),
        Just(Fact::Interrupted { signal: "SIGTERM".into() }),
        Just(Fact::Cancelled { by: "bob".into() }),
        Just(Fact::Noted { kind: "note".into(), text: "text".into() }),
        (option::of(difficulty()), option::of(-1.0..2.0_f64), ended())
            .prop_map(|(difficulty, confidence, ended)| assessed(difficulty, confidence, ended)),
        (0.0..9.0_f64, 0..9_u64).prop_map(|(cost_usd, calls)| spent_elsewhere(cost_usd, calls)),
        select(vec![RunOutcome::Completed, RunOutcome::Failed, RunOutcome::Paused, RunOutcome::Running])
            .prop_map(|outcome| Fact::Finished { outcome }),
    ]
}

fn difficulty() -> impl Strategy<Value = Difficulty> {
    select(vec![Difficulty::Simple, Difficulty::Moderate, Difficulty::Complex])
}

fn assessed(difficulty: Option<Difficulty>, confidence: Option<f64>, ended: CallEnd) -> Fact {
    let (agent, reason) = ("author".into(), "so it seems".into());
    Fact::Assessed(Box::new(DifficultyAssessed { agent, difficulty, confidence, reason, ended }))
}

fn spent_elsewhere(cost_usd: f64, calls: u64) -> Fact {
    let day = jiff::civil::date(1970, 1, 1);
    Fact::SpentElsewhere(SpentOnDay { day, spent: UsageTotal { cost_usd, calls, ..UsageTotal::default() } })
}

fn step_started((phase, step, round, attempt): Place) -> Fact {
    let (agent, prompt) = ("author".into(), "0".repeat(64));
    Fact::StepStarted(StepStarted {
        phase,
        step,
        round,
        attempt,
        agent,
        review_id: Some("id".into()),
        prompt,
        template: String::new(),
        prompt_bytes: u64::from(round),
        resumes: None,
        seat: (attempt > 2).then(|| "seat-0".into()),
    })
}

fn worked((phase, step, round, attempt): Place, ended: CallEnd, work: Work) -> Fact {
    let claim = work.claim.map(|status| Claim {
        status,
        next_action: None,
        summary: "s".into(),
        notices: vec![],
        files: vec![],
    });
    let evaluation = work.decision.map(|decision| Evaluation { decision, remaining_tasks: vec![] });
    let changed = if work.changes { vec!["a".into()] } else { vec![] };
    let tree = "tree-9".into();
    Fact::Worked(Worked {
        phase,
        step,
        round,
        attempt,
        ended,
        tree,
        changed,
        put_back: vec![],
        claim,
        evaluation,
    })
}

fn checked((phase, _, round, _): Place, odd: &[(String, CheckStatus)]) -> Fact {
    let results = odd.iter().map(|(check, status)| result(check, *status)).collect();
    Fact::Checked(Checked { phase, round, results, tree: "tree-9".into(), documents: BTreeMap::new() })
}

fn reviewed((phase, _, round, attempt): Place, ended: CallEnd, review: Review) -> Fact {
    let (reviewer, tree) = ("reviewer".into(), "tree-9".into());
    Fact::Reviewed(Reviewed {
        phase,
        round,
        attempt,
        reviewer,
        ended,
        reading: review.reading,
        tree,
        seat: (attempt > 2).then(|| "seat-0".into()),
    })
}

fn replied((phase, _, round, attempt): Place, ended: CallEnd, reply: Reply) -> Fact {
    Fact::Replied(Replied { phase, round, attempt, ended, text: reply.text })
}

fn triaged((phase, _, round, attempt): Place, ended: CallEnd, triage: &Triage) -> Fact {
    let changed = if triage.changes { vec!["a".into()] } else { vec![] };
    Fact::Triaged(Triaged {
        phase,
        round,
        attempt,
        ended,
        table: triage.table,
        unread: None,
        judgments: vec![],
        put_back: vec![],
        tree: "tree-9".into(),
        changed,
    })
}

fn ruled((phase, _, round, _): Place, judgment: Judgment, ruling: Ruling) -> Fact {
    Fact::Ruled(Ruled { phase, round, judgment, ruling, rule: "a rule".into(), standstill: None })
}

/// A script in which everything goes well.
pub fn clean() -> Script {
    Script { work: vec![Work { decision: Some(EvaluationDecision::Pass), ..done() }], ..Script::default() }
}
