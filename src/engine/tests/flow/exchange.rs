//! Questions of a reviewer to the author: at most one exchange a round, then the same reviewer's second verdict counts.

use engine::{Status, StepPosition};
use model::event::{ExecOutcome, Fact, PauseReason, Replied, Reviewed, RunOutcome, StepStarted};
use model::finding::Severity;
use model::phase::Step;
use model::policy::{Budget, PanelReviewer, PhaseDef, Policy};
use model::verdict::{ReadAs, Verdict};

use super::policies::{agreement, doc_review, phase, phase_review, quality_gate, retake};
use super::world::{
    Reply, Review, Script, World, fails, no_answer, no_reply, passes, replies, table, unreadable,
};

fn asks(review: Review) -> Review {
    review.asking("Is 0 meant?")
}

fn seat(name: &str) -> PanelReviewer {
    PanelReviewer { name: name.into(), agents: vec![format!("{name}-agent")], ..PanelReviewer::default() }
}

fn with(panel: &[PanelReviewer]) -> PhaseDef {
    PhaseDef { panel: panel.to_vec(), ..phase("implementation", phase_review()) }
}

fn play(reviews: &[Review]) -> World {
    play_on(&[], reviews, replies("yes, it is"))
}

fn play_on(panel: &[PanelReviewer], reviews: &[Review], reply: Reply) -> World {
    let script = Script { reviews: reviews.to_vec(), replies: vec![reply], ..Script::default() };
    World::play(with(panel), script)
}

/// The calls in their order: the step, and the seat of a review.
fn calls(world: &World) -> Vec<String> {
    let of = |fact: &Fact| match fact {
        Fact::StepStarted(StepStarted { step, seat, .. }) => {
            Some(seat.as_ref().map_or_else(|| step.to_string(), |seat| format!("{step} {seat}")))
        }
        _ => None,
    };
    world.entries.iter().filter_map(|entry| of(&entry.fact)).collect()
}

fn exchanges(world: &World) -> Vec<Option<&str>> {
    let told = world.first().history.rounds.iter().filter_map(|round| round.exchange.as_ref());
    told.map(engine::Exchange::answer).collect()
}

#[test]
fn author_answers_a_question_and_the_same_reviewer_judges_again() {
    for (first, second, ruling, verdict) in [
        (asks(fails()), passes(), "advance", Verdict::Pass),
        (asks(passes()), fails(), "revise", Verdict::Fail),
    ] {
        let world = play(&[first, second, passes()]);
        assert_eq!(calls(&world)[..4], ["execute", "review", "answer", "review"]);
        assert_eq!((world.history()[0], world.first().history.rounds[0].verdict), (ruling, Some(verdict)));
        assert_eq!(
            (exchanges(&world), world.first().history.rounds[0].attempts),
            (vec![Some("yes, it is")], 4)
        );
    }
}

#[test]
fn question_and_answer_create_no_task_no_open_finding_and_no_pass() {
    let world = play(&[asks(fails()).with(Severity::Major, "0 is odd"), passes()]);
    let phase = world.first();
    assert_eq!((phase.tasks.all().len(), phase.ledger.open().count()), (0, 0));
    let counters = &phase.counters;
    assert_eq!((counters.passes, counters.rounds, counters.reviews, counters.revisions), (1, 1, 1, 0));
    assert_eq!((phase.position, phase.status), (StepPosition::Closed, Status::Completed));
    assert_eq!(
        (phase.calls.usage[&Step::Answer].calls, world.run().spending.total.calls),
        (1, 4),
        "the call is counted"
    );
}

#[test]
fn one_question_is_answered_per_round_and_later_ones_are_recorded() {
    let world = play(&[asks(fails()), asks(fails()), asks(fails()), passes()]);
    let round = ["review", "answer", "review"];
    let expected = [&["execute"][..], &round, &["revise"], &round].concat();
    assert_eq!(
        (calls(&world), world.history()),
        (expected.iter().map(ToString::to_string).collect(), vec!["revise", "advance"])
    );
    let asked = |fact: &Fact| matches!(fact, Fact::Reviewed(Reviewed { reading: Some(reading), .. }) if !reading.questions.is_empty());
    assert_eq!((world.count(asked), exchanges(&world).len()), (3, 2));
}

#[test]
fn first_verdict_counts_when_the_author_gives_no_answer() {
    let silent =
        [ExecOutcome::TimedOut, ExecOutcome::Crashed, ExecOutcome::NoOutput, ExecOutcome::QuotaExhausted];
    for (outcome, ruling) in
        silent.into_iter().flat_map(|outcome| [(outcome, "advance"), (outcome, "revise")])
    {
        let first = if ruling == "advance" { passes() } else { fails() };
        let world = play_on(&[], &[asks(first), passes()], no_reply(outcome));
        let next = if ruling == "advance" { None } else { Some("revise".to_owned()) };
        assert_eq!((world.history()[0], calls(&world).get(3).cloned()), (ruling, next), "{outcome:?}");
        assert_eq!((world.run().outcome, exchanges(&world)), (RunOutcome::Completed, vec![None]));
        assert!(world.first().counters.redos.is_empty());
    }
}

#[test]
fn first_reviewer_with_a_question_is_answered_and_asked_again() {
    let panel = [seat("one"), seat("two")];
    let world = play_on(&panel, &[passes(), asks(fails()), passes()], replies("yes"));
    let expected = ["execute", "review", "review one", "answer", "review one", "review two"];
    assert_eq!((calls(&world), world.history()), (expected.map(str::to_owned).to_vec(), vec!["advance"]));
    let chief = play_on(&panel, &[asks(passes()), passes(), asks(passes())], replies("yes"));
    let expected = ["execute", "review", "answer", "review", "review one", "review two"];
    assert_eq!((calls(&chief), chief.history()), (expected.map(str::to_owned).to_vec(), vec!["advance"]));
}

#[test]
fn verdict_of_a_second_reviewer_counts_when_it_is_silent_after_the_answer() {
    let world = play_on(
        &[seat("one")],
        &[passes(), asks(fails()), no_answer(), no_answer(), no_answer(), passes()],
        replies("yes"),
    );
    assert_eq!(world.history(), ["redo", "redo", "leave_out", "revise", "advance"]);
    let rule = &world.rulings("implementation")[2].rule;
    assert!(rule.ends_with("one is left out, and what it stated at first counts"), "{rule}");
    assert_eq!(world.first().history.rounds[0].verdict, Some(Verdict::Fail));
}

#[test]
fn first_reviewer_silent_after_the_answer_pauses_the_run() {
    let world = play(&[asks(passes()), no_answer()]);
    let waits = world.run().paused.as_ref().map(|asked| asked.reason);
    assert_eq!(
        (waits, world.history()),
        (Some(PauseReason::ReviewerUnavailable), vec!["redo", "redo", "pause"])
    );
}

#[test]
fn questions_of_an_unreadable_review_are_not_asked() {
    let world = play(&[asks(unreadable()), passes()]);
    assert_eq!(calls(&world), ["execute", "review", "review"]);
    let again = play(&[asks(fails()), unreadable(), passes()]);
    assert_eq!((calls(&again).len(), again.history()), (5, vec!["redo", "advance"]));
    assert_eq!(again.first().history.rounds[0].read_as, Some(ReadAs::Json));
}

/// The same policy, in which nobody answers questions.
fn without(policy: Policy) -> Policy {
    let mut policy = policy;
    policy.review.as_mut().expect("a review").questions = Some(false);
    policy
}

#[test]
fn questions_are_not_asked_without_a_counting_review_or_when_disabled() {
    let judge = || {
        let mut policy = Policy { llm_judge: true, review: phase_review().review, ..quality_gate() };
        policy.checks.clear();
        policy
    };
    for (policy, asked) in [
        (phase_review(), 1),
        (retake(), 1),
        (without(phase_review()), 0),
        (without(retake()), 0),
        (doc_review(), 0),
        (judge(), 0),
    ] {
        let script =
            Script { reviews: vec![asks(passes())], triages: vec![table(0, 0, 0)], ..Script::default() };
        let world = World::play(phase("design", policy), script);
        assert_eq!(world.count(|fact| matches!(fact, Fact::Replied(_))), asked);
        assert_eq!(world.run().outcome, RunOutcome::Completed);
    }
}

#[test]
fn question_goes_to_the_session_of_the_agent_that_did_the_work() {
    let def = PhaseDef { agents: vec!["a".into(), "b".into()], ..with(&[]) };
    let crashes = super::world::crashes();
    let work = vec![crashes.clone(), crashes.clone(), crashes, super::world::done()];
    let script = Script { work, reviews: vec![asks(passes()), passes()], ..Script::default() };
    let name = def.name.clone();
    let mut world = World::new(agreement(vec![def])).script(&name, script);
    world.sessions = true;
    world.execute();
    let answers = world.entries.iter().find_map(|entry| match &entry.fact {
        Fact::StepStarted(call) if call.step == Step::Answer => {
            Some((call.agent.clone(), call.resumes.clone()))
        }
        _ => None,
    });
    assert_eq!(answers, Some(("b".to_owned(), Some("session-4".to_owned()))));
    let of_reviewer = |fact: &Fact| matches!(fact, Fact::StepStarted(call) if call.step == Step::Review && call.resumes.is_some());
    assert_eq!(world.count(of_reviewer), 0, "a reviewer always begins anew");
}

#[test]
fn budget_pause_before_an_answer_does_not_repeat_the_question() {
    let def = with(&[]);
    let script = Script { reviews: vec![asks(passes()), passes()], ..Script::default() };
    let name = def.name.clone();
    let mut agreed = agreement(vec![def]);
    agreed.budget.calls = Some(2);
    let mut world = World::new(agreed).script(&name, script);
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert_eq!(world.run().paused.as_ref().map(|asked| asked.reason), Some(PauseReason::Budget));
    assert_eq!(world.first().position, StepPosition::Ready(Step::Answer));
    assert_eq!(world.execute_with(Budget { calls: Some(9), ..Budget::default() }), RunOutcome::Completed);
    assert_eq!(calls(&world), ["execute", "review", "answer", "review"]);
}

#[test]
fn crash_during_a_question_repeats_at_most_the_interrupted_call() {
    let full = play_on(&[seat("one")], &[asks(fails()), passes(), passes()], replies("yes"));
    for length in 2..full.entries.len() {
        let mut resumed = full.cut(length);
        resumed.play_on();
        let under_way = matches!(full.entries[length - 1].fact, Fact::StepStarted(_));
        assert_eq!(calls(&resumed).len(), calls(&full).len() + usize::from(under_way), "after {length}");
        let replied = |fact: &Fact| matches!(fact, Fact::Replied(Replied { text: Some(_), .. }));
        assert_eq!((resumed.count(replied), resumed.history()), (1, full.history()));
    }
}

#[test]
fn cancelled_answer_is_requested_again() {
    let full = play(&[asks(passes()), passes()]);
    let at = full.entries.iter().position(|entry| matches!(entry.fact, Fact::Replied(_))).expect("an answer");
    let mut world = full.cut(at);
    let Fact::Replied(mut replied) = full.entries[at].fact.clone() else { panic!("an answer") };
    (replied.ended.outcome, replied.text) = (ExecOutcome::Cancelled, None);
    world.record(Fact::Replied(replied));
    assert_eq!(world.first().position, StepPosition::Working(Step::Answer));
    world.play_on();
    assert_eq!(calls(&world), ["execute", "review", "answer", "answer", "review"]);
}
