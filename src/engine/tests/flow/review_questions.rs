//! What the checks ask the reviewer: an approval that leaves one of it open is unreadable, whatever the policy.

use std::collections::BTreeMap;

use engine::PhaseState;
use model::event::{CheckStatus, Checked, Fact, PauseChoice};
use model::phase::Step;
use model::policy::{OnFail, PanelReviewer, PhaseDef, Policy, UnapprovedEnd};
use model::verdict::{Judgment, Verdict};

use super::approved_phase::{approved_tree, commits, is_left_out, looked_at_again, until_under};
use super::judge::judged;
use super::policies::{doc_review, phase, phase_review, with_checks};
use super::world::{
    Review, SUSPECT, Script, World, ask, doubtful, fails, name, no_answer, passes, result, unreadable,
};

/// A policy of this name whose check asks.
fn asking(policy: &str) -> Policy {
    with_checks(policy, &[(SUSPECT, OnFail::Note)])
}

fn suspected(reviews: &[Review]) -> Script {
    let checks = vec![vec![(SUSPECT.to_owned(), CheckStatus::Fail)]];
    Script { checks, reviews: reviews.to_vec(), ..Script::default() }
}

fn play_in(policy: Policy, reviews: &[Review]) -> World {
    World::play(phase("planning", policy), suspected(reviews))
}

fn play(reviews: &[Review]) -> World {
    play_in(asking("phase-review"), reviews)
}

fn answers() -> Review {
    passes().answering(&["S1", "S2"])
}

/// Returns the ids and who answered them.
fn told(phase: &PhaseState) -> Vec<(String, Vec<String>)> {
    let all = phase.answered_questions().into_iter();
    all.map(|one| (one.question.id, one.answers.into_iter().map(|(who, _)| who).collect())).collect()
}

#[test]
fn answered_approval_advances() {
    let world = play(&[answers()]);
    assert_eq!(world.history(), ["advance"]);
    let by_reviewer = |id: &str| (id.to_owned(), vec!["reviewer".to_owned()]);
    assert_eq!(told(world.first()), [by_reviewer("S1"), by_reviewer("S2")]);
}

#[test]
fn approval_without_answers_is_asked_again_once_and_then_unreadable() {
    let world = play(&[passes(), passes(), answers()]);
    assert_eq!(world.history(), ["redo", "revise", "advance"]);
    let rules: Vec<&str> = world.first().history.rulings.iter().map(|ruled| ruled.rule.as_str()).collect();
    let lack = "the reviewer states PASS, and leaves S1, S2 unanswered";
    assert_eq!(rules[0], format!("{lack}; asked again 1/1"));
    assert!(rules[1].starts_with(&format!("{lack}; asked again 1/1; ")), "{}", rules[1]);
    let rulings = &world.first().history.rulings;
    assert_eq!((rulings[0].judgment, rulings[1].judgment), (Judgment::Unverifiable, Judgment::Unverifiable));
    assert_eq!(world.first().history.rounds[0].verdict, Some(Verdict::Fail));
}

#[test]
fn late_answers_count() {
    assert_eq!(play(&[passes(), answers()]).history(), ["redo", "advance"]);
    assert_eq!(play(&[passes().answering(&["S2"]), answers()]).history(), ["redo", "advance"]);
    assert_eq!(play(&[passes(), no_answer(), answers()]).history(), ["redo", "redo", "advance"]);
    let half = play(&[passes().answering(&["S1"]), passes().answering(&["S2"]), answers()]);
    assert_eq!(half.history(), ["redo", "revise", "advance"], "each answer is a whole one");
}

#[test]
fn doubtful_and_unreadable_answers_do_not_replace_answers() {
    assert_eq!(play(&[doubtful(), answers()]).history(), ["redo", "advance"]);
    assert_eq!(play(&[doubtful(), passes(), answers()]).history(), ["redo", "redo", "advance"]);
    assert_eq!(play(&[unreadable(), passes(), answers()]).history(), ["redo", "revise", "advance"]);
}

#[test]
fn denial_needs_no_answers() {
    assert_eq!(play(&[fails(), answers()]).history(), ["revise", "advance"]);
}

#[test]
fn checks_that_ask_nothing_need_no_answers() {
    let none = Script { reviews: vec![passes()], ..Script::default() };
    assert_eq!(World::play(phase("planning", asking("phase-review")), none).history(), ["advance"]);
    assert_eq!(play_in(phase_review(), &[passes()]).history(), ["advance"]);
}

#[test]
fn next_prompt_names_what_the_last_answer_left_open() {
    let world = play(&[passes().answering(&["S1"]), no_answer(), answers()]);
    let is_call = |fact: &Fact| matches!(fact, Fact::StepStarted(call) if call.step == Step::Review);
    let calls = world.entries.iter().enumerate().filter(|(_, entry)| is_call(&entry.fact));
    let open: Vec<Vec<String>> = calls.map(|(at, _)| world.cut(at).first().left_unanswered(None)).collect();
    assert_eq!(open, [vec![], vec!["S2".to_owned()], vec!["S2".to_owned()]], "also after a call that broke");
    assert_eq!(world.first().left_unanswered(Some("second")), Vec::<String>::new());
}

#[test]
fn second_reviewers_need_not_answer_and_their_answers_are_taken() {
    let seat = PanelReviewer {
        name: "second".into(),
        agents: vec!["second-agent".into()],
        ..PanelReviewer::default()
    };
    let def = || PhaseDef { panel: vec![seat.clone()], ..phase("planning", asking("phase-review")) };
    let silent = World::play(def(), suspected(&[answers(), passes()]));
    assert_eq!(silent.history(), ["advance"]);
    let helps = World::play(def(), suspected(&[answers(), passes().answering(&["S2"])]));
    let who = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let expected =
        [("S1".to_owned(), who(&["reviewer"])), ("S2".to_owned(), who(&["reviewer", "second-agent"]))];
    assert_eq!(told(helps.first()), expected);
    let alone = World::play(def(), suspected(&[passes(), answers(), answers(), answers()]));
    assert_eq!(alone.history()[0], "redo", "the first reviewer answers all of them itself");
}

#[test]
fn judge_is_asked_again_within_its_own_limit() {
    let mut policy = judged();
    policy.checks.clone_from(&asking("phase-review").checks);
    assert_eq!(play_in(policy.clone(), &[answers()]).history(), ["advance"]);
    assert_eq!(play_in(policy.clone(), &[passes(), answers()]).history(), ["redo", "advance"]);
    policy.limits.max_redo = 1;
    assert_eq!(play_in(policy, &[passes(), passes(), answers()]).history(), ["redo", "revise", "advance"]);
}

#[test]
fn triage_does_not_answer_for_the_reviewer() {
    let mut policy = doc_review();
    policy.checks.clone_from(&asking("phase-review").checks);
    assert_eq!(play_in(policy.clone(), &[answers()]).history(), ["advance"]);
    assert_eq!(play_in(policy.clone(), &[passes(), answers()]).history(), ["redo", "advance"]);
    assert!(!play_in(policy, &[passes()]).history().contains(&"advance"));
}

#[test]
fn person_may_accept_what_nobody_answered() {
    let mut policy = asking("phase-review");
    policy.limits.max_revisions = 0;
    policy.outcomes.exhausted = UnapprovedEnd::Pause;
    let mut world = play_in(policy, &[passes()]);
    assert!(!world.history().contains(&"advance"), "{:?}", world.told());
    world.answer(PauseChoice::Accept, "looked at both");
    assert!(world.history().contains(&"advance"), "{:?}", world.told());
    assert_eq!(told(world.first()), [("S1".to_owned(), vec![]), ("S2".to_owned(), vec![])]);
}

#[test]
fn approval_stands_only_for_the_questions_that_it_answers() {
    let approved = || {
        let script = Script { reviews: vec![passes()], ..Script::default() };
        until_under(asking("phase-review"), script, commits)
    };
    let mut same = approved();
    let tree = approved_tree(&same);
    looked_at_again(&mut same, &tree);
    assert!(is_left_out(&same));
    let mut asked = approved();
    asked.record(Fact::ApprovalVoided { phase: name("planning"), reason: "moved".into() });
    let results = vec![ask(result(SUSPECT, CheckStatus::Fail))];
    let (phase, round) = (name("planning"), asked.first().round);
    asked.record(Fact::Checked(Checked { phase, round, results, tree, documents: BTreeMap::new() }));
    assert!(!is_left_out(&asked), "nobody answered what is asked now");
}
