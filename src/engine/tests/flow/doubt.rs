//! An approval beside which its reviewer names something severe: one question to the same reviewer, then its object counts.

use model::event::{Entry, Fact, PauseChoice, RunOutcome};
use model::phase::Step;
use model::policy::{PanelReviewer, PhaseDef, Policy};
use model::verdict::Verdict;

use super::judge::{judged, rejects};
use super::policies::{agreement, doc_review, phase, phase_review};
use super::world::{Review, Script, World, doubtful, fails, name, no_answer, passes, unreadable};

fn play_in(policy: Policy, reviews: &[Review]) -> World {
    World::play(phase("planning", policy), Script { reviews: reviews.to_vec(), ..Script::default() })
}

fn play(reviews: &[Review]) -> World {
    play_in(phase_review(), reviews)
}

/// Who was called for each review, and the session that was continued.
fn reviewers(world: &World) -> Vec<(Option<&str>, &str, Option<&str>)> {
    let calls = world.entries.iter().filter_map(|entry| match &entry.fact {
        Fact::StepStarted(call) if call.step == Step::Review => Some(call),
        _ => None,
    });
    calls.map(|call| (call.seat.as_deref(), call.agent.as_str(), call.resumes.as_deref())).collect()
}

#[test]
fn confirmed_approval_counts_after_one_more_call() {
    let world = play(&[doubtful(), passes()]);
    assert_eq!(world.history(), ["redo", "advance"]);
    let rule = "the reviewer states PASS (doubtful: beside it stands `Must fix: the lock`); asked which of both holds";
    assert_eq!(world.first().history.rulings[0].rule, rule);
    let counters = &world.first().counters;
    assert_eq!((counters.passes, counters.revisions, counters.rounds, counters.reviews), (1, 0, 1, 1));
    assert_eq!(world.first().history.rounds[0].verdict, Some(Verdict::Pass));
}

#[test]
fn withdrawn_approval_leads_to_a_revision() {
    let world = play(&[doubtful(), fails(), passes()]);
    assert_eq!(world.history(), ["redo", "revise", "advance"]);
}

#[test]
fn doubtful_approval_without_a_second_answer_does_not_approve() {
    let unread = play(&[doubtful(), unreadable(), unreadable(), passes()]);
    assert_eq!(unread.history(), ["redo", "redo", "revise", "advance"]);
    let silent = play(&[doubtful(), no_answer()]);
    assert!(!silent.history().contains(&"advance"), "{:?}", silent.told());
    let late = play(&[doubtful(), no_answer(), passes()]);
    assert_eq!((late.history(), reviewers(&late).len()), (vec!["redo", "redo", "advance"], 3));
}

#[test]
fn earlier_unreadable_answer_does_not_prevent_the_confirmation_question() {
    assert_eq!(play(&[unreadable(), doubtful(), passes()]).history(), ["redo", "redo", "advance"]);
    assert_eq!(play(&[doubtful(), unreadable(), passes()]).history(), ["redo", "redo", "advance"]);
    let worn = play(&[unreadable(), doubtful(), unreadable(), passes()]);
    assert_eq!(worn.history(), ["redo", "redo", "revise", "advance"]);
    let again = play(&[doubtful(), doubtful(), doubtful(), passes()]);
    assert_eq!(
        again.history(),
        ["redo", "redo", "revise", "advance"],
        "a doubt that comes again is only unreadable"
    );
}

#[test]
fn confirmation_question_goes_to_the_session_of_the_review() {
    let def = PhaseDef { reviewers: vec!["one".into(), "other".into()], ..phase("planning", phase_review()) };
    let script = Script { reviews: vec![doubtful(), fails(), passes()], ..Script::default() };
    let mut world = World::new(agreement(vec![def])).script(&name("planning"), script);
    world.sessions = true;
    world.execute();
    let expected = [(None, "one", None), (None, "one", Some("review-1")), (None, "one", None)];
    assert_eq!(reviewers(&world), expected);
}

#[test]
fn confirmation_question_is_asked_once_per_round_and_stays_open() {
    let world = play(&[doubtful(), no_answer(), passes()]);
    let seen: Vec<(bool, bool)> = world
        .entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| matches!(&entry.fact, Fact::StepStarted(call) if call.step == Step::Review))
        .map(|(index, _)| world.cut(index))
        .map(|before| (before.first().doubt_of(None).is_some(), before.first().may_be_asked_to_clarify(None)))
        .collect();
    assert_eq!(seen, [(false, true), (true, false), (true, false)]);
    let next = play(&[doubtful(), fails(), passes()]);
    let revised = next.entries.iter().position(|entry| matches!(entry.fact, Fact::Checked(_)));
    assert!(revised.is_some());
    assert_eq!((next.first().doubt_of(None), next.first().may_be_asked_to_clarify(None)), (None, true));
}

#[test]
fn open_confirmation_question_survives_edits_by_a_person() {
    let world = play(&[doubtful(), passes()]);
    let is_review = |fact: &Fact| matches!(fact, Fact::StepStarted(call) if call.step == Step::Review);
    let reviews: Vec<usize> = world
        .entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| is_review(&entry.fact))
        .map(|(at, _)| at)
        .collect();
    let mut before = world.cut(reviews[1]);
    let changed = vec!["README.md".to_owned()];
    before.record(Fact::ChangedByHand {
        phase: name("planning"),
        tree: "t-by-hand".into(),
        changed,
        after_kill: false,
    });
    assert_eq!(before.first().doubt_of(None), Some("Must fix: the lock"));
    assert!(!before.first().may_be_asked_to_clarify(None), "it is asked once");
}

/// A run that waits for a person, because the reviewer that was asked which of both holds says nothing.
fn left_open(next: Review) -> World {
    let world = play(&[doubtful(), no_answer(), no_answer(), no_answer(), next]);
    assert_eq!(world.run().outcome, RunOutcome::Paused, "{:?}", world.told());
    world
}

#[test]
fn continue_repeats_the_confirmation_question_and_uses_its_answer() {
    let mut takes_back = left_open(fails());
    assert_eq!(takes_back.first().doubt_of(None), Some("Must fix: the lock"));
    takes_back.answer(PauseChoice::Continue, "");
    assert_eq!(takes_back.history()[3..5], ["pause", "revise"], "{:?}", takes_back.told());
    let mut confirms = left_open(passes());
    assert_eq!(confirms.answer(PauseChoice::Continue, ""), RunOutcome::Completed);
    assert_eq!(confirms.first().counters.revisions, 0);
}

#[test]
fn acceptance_by_a_person_closes_the_confirmation_question() {
    let mut world = left_open(fails());
    assert_eq!(world.answer(PauseChoice::Accept, "looked at the lock"), RunOutcome::Completed);
    assert!(world.first().person.accepted_by.is_some());
    assert_eq!(reviewers(&world).len(), 4, "nobody is asked any more");
}

#[test]
fn edits_by_a_person_get_a_new_review_without_the_old_question() {
    let mut world = left_open(passes());
    let before = world.entries.len();
    assert_eq!(world.answer(PauseChoice::Edited, ""), RunOutcome::Completed);
    let asked = |index: usize| world.cut(index).first().doubt_of(None).is_some();
    let review = |entry: &Entry| matches!(&entry.fact, Fact::StepStarted(call) if call.step == Step::Review);
    let at = world.entries.iter().skip(before).position(review).expect("a review") + before;
    assert!(!asked(at), "the files are others now");
}

#[test]
fn only_the_doubtful_reviewer_of_a_panel_is_asked_again() {
    let seat = PanelReviewer {
        name: "second".into(),
        agents: vec!["second-agent".into()],
        ..PanelReviewer::default()
    };
    let def = PhaseDef { panel: vec![seat], ..phase("planning", phase_review()) };
    let script = Script { reviews: vec![passes(), doubtful(), passes()], ..Script::default() };
    let world = World::play(def, script);
    assert_eq!(world.history(), ["redo", "advance"]);
    let seats: Vec<Option<&str>> = reviewers(&world).iter().map(|(seat, ..)| *seat).collect();
    assert_eq!(seats, [None, Some("second"), Some("second")]);
}

#[test]
fn objection_of_a_second_reviewer_counts_when_it_stays_silent_later() {
    let seat = PanelReviewer {
        name: "second".into(),
        agents: vec!["second-agent".into()],
        ..PanelReviewer::default()
    };
    let def = PhaseDef { panel: vec![seat], ..phase("planning", phase_review()) };
    let mut reviews = vec![passes(), doubtful()];
    reviews.extend([no_answer(), no_answer(), no_answer(), passes()]);
    let world = World::play(def, Script { reviews, ..Script::default() });
    assert_eq!(world.history(), ["redo", "redo", "redo", "leave_out", "revise", "advance"]);
}

#[test]
fn doubtful_criteria_judge_is_asked_again_within_its_own_limit() {
    assert_eq!(play_in(judged(), &[doubtful(), passes()]).history(), ["redo", "advance"]);
    assert_eq!(
        play_in(judged(), &[doubtful(), rejects(), passes()]).history(),
        ["redo", "revise", "advance"]
    );
    let mut once = judged();
    once.limits.max_redo = 1;
    let asked = play_in(once, &[no_answer(), doubtful(), passes()]);
    assert_eq!(asked.history(), ["redo", "redo", "advance"], "what broke before uses up no question");
    assert!(!play_in(judged(), &[doubtful(), no_answer()]).history().contains(&"advance"));
}

#[test]
fn doubt_is_off_without_repeat_calls_and_under_author_triage() {
    let may_doubt = |policy| {
        let world = play_in(policy, &[passes()]);
        let first = world.entries.iter().position(|entry| matches!(entry.fact, Fact::PhaseStarted { .. }));
        world.cut(first.expect("a phase") + 1).first().may_be_asked_to_clarify(None)
    };
    let mut never = phase_review();
    never.limits.max_unreadable = 0;
    assert_eq!([may_doubt(phase_review()), may_doubt(never), may_doubt(doc_review())], [true, false, false]);
}
