//! A provider that fails: another agent takes over, else it is asked again after growing pauses, then the run pauses. It
//! never fails a run and uses up no limit.

use engine::{Action, Decision, Status, StepPosition, decide};
use model::event::{ExecOutcome, Fact, PauseChoice, PauseReason, Ruling, RunOutcome, RunRequested};
use model::phase::Step;
use model::policy::{PanelReviewer, PhaseDef, Policy, PolicyLimits};

use super::policies::{doc_review, phase, phase_review};
use super::world::{
    OUTAGE_SECONDS, Resets, Review, Script, Work, World, crashes, done, ends, far_away, no_answer, passes,
};

const OUTAGES: [ExecOutcome; 3] =
    [ExecOutcome::RateLimited, ExecOutcome::Overloaded, ExecOutcome::ProviderFailed];

fn with_agents(agents: &[&str]) -> PhaseDef {
    PhaseDef { agents: agents.iter().map(ToString::to_string).collect(), ..phase("planning", phase_review()) }
}

fn played(agents: &[&str], work: Vec<Work>) -> World {
    World::play(with_agents(agents), Script { work, ..Script::default() })
}

fn resets(outcome: ExecOutcome, resets: Resets) -> Work {
    Work { resets, ..ends(outcome) }
}

fn overloaded() -> Work {
    ends(ExecOutcome::Overloaded)
}

/// The authors that were called, in their order.
fn authors(world: &World) -> Vec<&str> {
    let started = world.entries.iter().filter_map(|entry| match &entry.fact {
        Fact::StepStarted(started) if started.step == Step::Execute => Some(started.agent.as_str()),
        _ => None,
    });
    started.collect()
}

/// The seconds of each wait, in their order.
fn waits(world: &World) -> Vec<i64> {
    let wait = world.entries.windows(2).filter_map(|pair| match &pair[1].fact {
        Fact::Ruled(ruled) => match ruled.ruling {
            Ruling::Wait { until, .. } => Some(until.duration_since(pair[0].at).as_secs()),
            _ => None,
        },
        _ => None,
    });
    wait.collect()
}

/// Why the run waits, and how many seconds from its last call on.
fn paused(world: &World) -> (PauseReason, Option<i64>) {
    let asked = world.run().paused.as_ref().expect("a pause");
    let last =
        world.entries.iter().rev().find(|entry| matches!(entry.fact, Fact::Worked(_) | Fact::Reviewed(_)));
    let from = last.expect("a call").at;
    (asked.reason, asked.until.map(|until| until.duration_since(from).as_secs()))
}

#[test]
fn provider_failures_are_retried_with_growing_delays_and_use_no_limit() {
    let limits = PolicyLimits { max_passes: Some(1), max_redo: 0, max_revisions: 0, ..phase_review().limits };
    for outcome in OUTAGES {
        let def = phase("planning", Policy { limits: limits.clone(), ..phase_review() });
        let mut work = vec![ends(outcome); 7];
        work.push(done());
        let world = World::play(def, Script { work, ..Script::default() });
        assert_eq!(world.run().outcome, RunOutcome::Completed, "{outcome:?}");
        assert_eq!(waits(&world), [5, 10, 20, 40, 80, 120, 120], "{outcome:?}");
        let counters = &world.first().counters;
        assert_eq!((counters.passes, counters.revisions, counters.redos.len()), (1, 0, 0), "{outcome:?}");
        assert_eq!((world.first().history.rounds.len(), &world.run().agents.outage), (1, &None));
    }
    let world = played(&["claude"], vec![overloaded(), done()]);
    assert_eq!(world.history(), ["wait", "advance"]);
    assert_eq!(
        world.first().history.rulings[0].rule,
        "execute: the provider is overloaded; asked again in 5 s"
    );
}

#[test]
fn provider_failure_beyond_the_outage_limit_pauses_until_a_time() {
    let seconds = i64::try_from(OUTAGE_SECONDS).expect("a small number");
    let mut world = played(&["claude"], vec![overloaded()]);
    assert_eq!(world.run().outcome, RunOutcome::Paused);
    assert_eq!(paused(&world), (PauseReason::Outage, Some(seconds)));
    let (calls, last) = (authors(&world).len(), world.entries.len());
    assert!(waits(&world).iter().sum::<i64>() < seconds, "the calls take their time, too");
    assert!((15..25).contains(&calls), "{calls}");
    let phase = world.first();
    assert_eq!((phase.status, phase.position), (Status::InProgress, StepPosition::Ready(Step::Execute)));
    assert_eq!((phase.counters.passes, phase.counters.redos.len()), (0, 0));
    let asked = world.run().paused.clone().expect("a pause");
    let until = asked.until.expect("a time");
    let question = format!(
        "planning cannot go on while the provider of its agents (claude) fails (execute: the provider is overloaded). \
         Execute again from {until} on, or go on now if it works again."
    );
    assert_eq!((asked.question, asked.options), (question, vec![PauseChoice::Continue]));

    assert_eq!(world.execute(), RunOutcome::Paused, "the time is still ahead");
    assert_eq!(world.entries.len(), last + 1, "nobody is asked");
    world.later = seconds;
    assert_eq!(world.execute(), RunOutcome::Paused, "it fails on");
    assert_eq!(authors(&world).len(), 2 * calls, "and is waited for as before");
    world.later *= 2;
    world.scripts.values_mut().for_each(|script| script.work = vec![done()]);
    assert_eq!(world.execute(), RunOutcome::Completed);
    assert_eq!(world.first().counters.passes, 1);
}

#[test]
fn answer_or_another_agent_ends_the_outage_pause_at_once() {
    let waiting = || played(&["claude"], vec![resets(ExecOutcome::RateLimited, Resets::FarAway), done()]);
    assert_eq!(waiting().run().paused.as_ref().and_then(|asked| asked.until), Some(far_away()));
    let mut answered = waiting();
    assert_eq!(answered.answer(PauseChoice::Continue, ""), RunOutcome::Completed);
    let mut others = waiting();
    let codex = RunRequested { agents: vec!["codex".into()], ..RunRequested::default() };
    assert_eq!(others.ask(codex), RunOutcome::Completed);
    assert_eq!(authors(&others), ["claude", "codex"]);
}

#[test]
fn reset_time_stated_by_the_provider_is_waited_for() {
    let limited = |seconds| resets(ExecOutcome::RateLimited, Resets::After(seconds));
    let world = played(&["claude"], vec![limited(240), limited(600), limited(3), limited(-9), done()]);
    assert_eq!(waits(&world), [240, 600, 20, 40]);
    assert_eq!(world.run().outcome, RunOutcome::Completed);
    let mut late = played(&["claude"], vec![limited(7_200), done()]);
    assert_eq!((waits(&late), paused(&late)), (vec![], (PauseReason::Outage, Some(7_200))));
    assert_eq!(late.execute(), RunOutcome::Paused);
    late.later = 7_200;
    assert_eq!(late.execute(), RunOutcome::Completed);
}

#[test]
fn next_agent_takes_over_in_an_outage_and_the_first_is_retried_when_all_fail() {
    for outcome in OUTAGES {
        let world = played(&["claude", "codex"], vec![ends(outcome), done()]);
        assert_eq!(world.history(), ["redo", "advance"], "{outcome:?}");
        assert_eq!(authors(&world), ["claude", "codex"], "{outcome:?}");
        assert_eq!(world.first().counters.passes, 1, "{outcome:?}");
    }
    let world = played(&["claude", "codex"], vec![overloaded(), overloaded(), overloaded(), done()]);
    assert_eq!(world.history(), ["redo", "wait", "redo", "advance"]);
    assert_eq!(authors(&world), ["claude", "codex", "claude", "codex"]);
    let told: Vec<_> = world.run().agents.fallbacks.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["claude has an overloaded provider; codex takes over"], "once");
}

#[test]
fn provider_outage_is_waited_for_whatever_error_the_last_agent_has() {
    for (outcome, calls) in [
        (ExecOutcome::SignedOut, 1),
        (ExecOutcome::NotStarted, 1),
        (ExecOutcome::ModelUnknown, 1),
        (ExecOutcome::Refused, 1),
        (ExecOutcome::QuotaExhausted, 1),
        (ExecOutcome::Crashed, 3),
    ] {
        let broken = (0..calls).map(|_| ends(outcome));
        let work = [overloaded()].into_iter().chain(broken).chain([done()]).collect();
        let world = played(&["claude", "codex"], work);
        assert_eq!(waits(&world), [5], "{outcome:?}");
        assert_eq!(authors(&world)[1 + calls..], ["claude"], "{outcome:?}");
        assert_eq!(world.run().outcome, RunOutcome::Completed, "{outcome:?}");
    }
    let quota = resets(ExecOutcome::QuotaExhausted, Resets::After(3_600));
    let world = played(&["claude", "codex"], vec![quota, overloaded(), done()]);
    assert_eq!((waits(&world), authors(&world)), (vec![5], vec!["claude", "codex", "codex"]));
}

#[test]
fn crashes_between_outages_use_redos_until_the_phase_fails() {
    let work = vec![overloaded(), crashes(), overloaded(), crashes(), done()];
    let world = played(&["claude"], work);
    assert_eq!(world.history(), ["wait", "redo", "wait", "redo", "advance"]);
    let work = vec![overloaded(), crashes(), crashes(), crashes()];
    let world = played(&["claude"], work);
    assert_eq!(world.history(), ["wait", "redo", "redo", "fail"]);
    let work = vec![overloaded(), ends(ExecOutcome::SignedOut)];
    assert_eq!(played(&["claude"], work).history(), ["wait", "fail"]);
}

#[test]
fn provider_outages_in_review_and_triage_are_waited_for_under_every_policy() {
    let outage = Review { outcome: ExecOutcome::ProviderFailed, ..no_answer() };
    for policy in [phase_review(), doc_review()] {
        let script = Script { reviews: vec![outage.clone(), outage.clone(), passes()], ..Script::default() };
        let world = World::play(phase("planning", policy.clone()), script);
        assert_eq!(world.history(), ["wait", "wait", "advance"]);
        let script = Script { reviews: vec![outage.clone()], ..Script::default() };
        let world = World::play(phase("planning", policy), script);
        assert_eq!((world.run().outcome, paused(&world).0), (RunOutcome::Paused, PauseReason::Outage));
    }
    let mut triage = super::world::table(0, 0, 0);
    let good = triage.clone();
    (triage.outcome, triage.table) = (ExecOutcome::Overloaded, None);
    let script = Script { triages: vec![triage, good], ..Script::default() };
    let world = World::play(phase("document_review", doc_review()), script);
    assert_eq!(world.history(), ["wait", "advance"]);
}

#[test]
fn optional_panel_reviewer_in_an_outage_is_left_out_after_the_wait() {
    let seat =
        PanelReviewer { name: "one".into(), agents: vec!["second".into()], ..PanelReviewer::default() };
    let outage = Review { outcome: ExecOutcome::Overloaded, ..no_answer() };
    let play = |reviews, required| {
        let def = PhaseDef {
            panel: vec![PanelReviewer { required, ..seat.clone() }],
            ..phase("planning", phase_review())
        };
        World::play(def, Script { reviews, ..Script::default() })
    };
    assert_eq!(play(vec![passes(), outage.clone(), passes()], false).history(), ["wait", "advance"]);
    let world = play(vec![passes(), outage.clone()], false);
    assert_eq!(world.history().iter().rev().take(3).collect::<Vec<_>>(), [&"advance", &"leave_out", &"wait"]);
    assert_eq!(paused(&play(vec![passes(), outage], true)).0, PauseReason::Outage);
}

/// Returns the milliseconds that the run waits before its next call.
fn delay(world: &World) -> u64 {
    match decide(&world.state) {
        Decision::Perform(Action::CallAgent(call)) => call.delay_ms,
        other => panic!("no call: {other:?}"),
    }
}

#[test]
fn crash_during_an_outage_wait_loses_nothing_and_a_new_request_ends_the_wait() {
    let full = played(&["claude"], vec![overloaded(), overloaded(), done()]);
    let rules = |entry: &model::event::Entry| matches!(entry.fact, Fact::Ruled(_));
    let first = full.entries.iter().position(rules).expect("a wait");
    let mut crashed = full.cut(first + 1);
    assert_eq!(delay(&crashed), 4_000, "of five seconds one has passed");
    assert_eq!(crashed.play_on(), RunOutcome::Completed);
    assert_eq!(crashed.entries, full.entries);
    let mut asked = full.cut(first + 1);
    asked.record(Fact::Interrupted { signal: "SIGTERM".into() });
    asked.record(Fact::RunRequested(RunRequested {
        outage_seconds: Some(OUTAGE_SECONDS),
        ..RunRequested::default()
    }));
    assert_eq!(delay(&asked), 0);
    assert_eq!(asked.play_on(), RunOutcome::Completed);
    assert_eq!(waits(&asked), [5, 5], "the pauses begin anew");
    let worked = full.entries.iter().position(|entry| matches!(entry.fact, Fact::Worked(_))).expect("work");
    assert_eq!(full.cut(worked + 1).execute(), RunOutcome::Completed, "the crash came before the ruling");
}
