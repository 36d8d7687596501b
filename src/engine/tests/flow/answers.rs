//! The finer answers to a pause: a number of rounds, files changed by hand, and why something is accepted.

use model::event::{Answered, ClaimStatus, Escalation, Fact, PauseChoice, PauseReason, Ruling, RunOutcome};
use model::phase::Step;
use model::policy::{Policy, UnapprovedEnd};
use model::verdict::{Judgment, Verdict};
use views::summary::{Documents, UnreviewedFiles, pull_request};

use super::policies::{doc_review, phase, phase_review, quality_gate, retake};
use super::world::{Script, World, claims, crashes, done, fails, no_answer, passes, states, table};

fn asks_at_its_limit(policy: Policy) -> Policy {
    let mut policy = policy;
    policy.outcomes.exhausted = UnapprovedEnd::Pause;
    policy
}

/// A phase that nobody approves, paused at its limit.
fn exhausted() -> World {
    let script = Script { reviews: vec![fails()], ..Script::default() };
    World::play(phase("planning", asks_at_its_limit(phase_review())), script)
}

fn go_on(world: &mut World, rounds: u32) -> RunOutcome {
    world.record(Fact::Answered(Answered {
        rounds: Some(rounds),
        ..Answered::new(PauseChoice::Continue, "", "alice")
    }));
    world.play_on()
}

fn calls(world: &World, step: Step) -> usize {
    world.count(|fact| matches!(fact, Fact::StepStarted(started) if started.step == step))
}

#[test]
fn a_person_grants_exactly_the_stated_number_of_revisions() {
    let rules = [1, 2, 7].map(|rounds| {
        let mut world = exhausted();
        let before = calls(&world, Step::Revise);
        assert_eq!(go_on(&mut world, rounds), RunOutcome::Paused);
        assert_eq!(calls(&world, Step::Revise) - before, rounds as usize);
        world.last_rule().to_owned()
    });
    insta::assert_snapshot!(rules.join("\n"), @"
    the reviewer states FAIL; revisions 1/1 used; on exhausted: pause
    the reviewer states FAIL; revisions 2/2 used; on exhausted: pause
    the reviewer states FAIL; revisions 7/7 used; on exhausted: pause
    ");
}

#[test]
fn rounds_granted_for_a_document_review_count_review_rounds() {
    let script = Script { triages: vec![table(1, 0, 0)], ..Script::default() };
    let mut world = World::play(phase("document_review", asks_at_its_limit(doc_review())), script);
    let before = world.first().history.rounds.len();
    assert_eq!(go_on(&mut world, 2), RunOutcome::Paused);
    assert_eq!(world.first().history.rounds.len() - before, 2);
}

#[test]
fn pass_limit_does_not_cut_granted_revisions() {
    let checks = vec![vec![("q2_todo".into(), model::event::CheckStatus::Fail)]];
    let mut world = World::play(phase("planning", quality_gate()), Script { checks, ..Script::default() });
    let before = calls(&world, Step::Revise);
    assert_eq!(go_on(&mut world, 5), RunOutcome::Paused);
    assert_eq!(calls(&world, Step::Revise) - before, 5);
}

#[test]
fn granted_revisions_expire_with_the_next_answer_or_a_reopening() {
    let mut world = exhausted();
    assert_eq!(go_on(&mut world, 1), RunOutcome::Paused);
    let before = calls(&world, Step::Revise);
    assert_eq!(world.answer(PauseChoice::Continue, ""), RunOutcome::Paused);
    assert_eq!(calls(&world, Step::Revise) - before, 3, "a fresh set");
    assert_eq!(go_on(&mut world, 1), RunOutcome::Paused);
    world.reopen("planning", Step::Execute, model::event::ReopenedBy::Retry);
    assert_eq!(world.first().used_of_limit().1, 3);
}

#[test]
fn files_edited_by_a_person_are_checked_and_reviewed_and_use_no_revision() {
    let reviews = vec![fails(), fails(), fails(), fails(), passes()];
    let script = Script { reviews, ..Script::default() };
    let mut world = World::play(phase("planning", asks_at_its_limit(phase_review())), script);
    let (authors, reviews) = (calls(&world, Step::Revise), calls(&world, Step::Review));
    let changed = vec!["src/by_hand.rs".to_owned()];
    world.record(Fact::Answered(Answered { changed, ..Answered::new(PauseChoice::Edited, "", "alice") }));
    assert!(world.first().files.changed.contains("src/by_hand.rs"), "it will be in the commit");
    assert_eq!(world.play_on(), RunOutcome::Completed);
    assert_eq!((calls(&world, Step::Revise), calls(&world, Step::Review)), (authors, reviews + 1));
    assert_eq!(world.first().counters.revisions, 3);
    assert_eq!(world.first().person.accepted_by, None, "nobody took a responsibility");
}

#[test]
fn unapproved_edits_by_a_person_lead_to_the_same_question() {
    let mut world = exhausted();
    let authors = calls(&world, Step::Revise);
    assert_eq!(world.answer(PauseChoice::Edited, ""), RunOutcome::Paused);
    assert_eq!(calls(&world, Step::Revise), authors, "no limit began anew");
    assert_eq!(world.run().paused.as_ref().map(|asked| asked.reason), Some(PauseReason::Exhausted));
}

#[test]
fn edits_by_a_person_replace_a_blocked_claim_of_the_author() {
    let script = Script { work: vec![claims(ClaimStatus::Blocked)], ..Script::default() };
    let mut policy = phase_review();
    policy.outcomes.blocked = UnapprovedEnd::Pause;
    let mut world = World::play(phase("planning", policy), script);
    assert_eq!(world.run().outcome, RunOutcome::Paused);
    assert_eq!(calls(&world, Step::Review), 0);
    assert_eq!(world.answer(PauseChoice::Edited, ""), RunOutcome::Completed);
    assert_eq!(calls(&world, Step::Review), 1);
}

#[test]
fn edits_by_a_person_replace_a_crashed_author_or_reviewer() {
    let mut policy = retake();
    policy.outcomes.agent_failed = UnapprovedEnd::Pause;
    let approve = || states("APPROVE", Verdict::Pass, Judgment::Approve);
    let script = Script { work: vec![crashes()], reviews: vec![approve()], ..Script::default() };
    let mut world = World::play(phase("planning", policy), script);
    assert_eq!(world.answer(PauseChoice::Edited, ""), RunOutcome::Completed);
    let reviews = vec![no_answer(), no_answer(), no_answer(), approve()];
    let script = Script { work: vec![done()], reviews, ..Script::default() };
    let mut world = World::play(phase("planning", retake()), script);
    assert_eq!(world.answer(PauseChoice::Edited, ""), RunOutcome::Completed);
}

#[test]
fn acceptance_records_the_person_and_the_reason() {
    let mut world = exhausted();
    assert_eq!(world.answer(PauseChoice::Accept, "a known limit"), RunOutcome::Completed);
    assert_eq!(world.first().person.accepted_by.as_deref(), Some("alice"));
    assert_eq!(world.first().person.accepted_because.as_deref(), Some("a known limit"));
    let (_, body) =
        pull_request(world.run(), RunOutcome::Completed, &UnreviewedFiles::default(), Documents::Kept);
    let told: Vec<&str> = body.lines().filter(|line| line.contains("accepted by alice")).collect();
    insta::assert_snapshot!(told.join("\n"), @"
    | planning | ✓ completed | FAIL by json | 4 | 3 | accepted by alice: a known limit |
    - planning · **accepted by alice, not by a reviewer**: a known limit
    ");
}

#[test]
fn question_of_an_older_version_accepts_edits_by_a_person() {
    let asked = |options| Escalation {
        reason: PauseReason::Exhausted,
        phase: None,
        question: String::new(),
        options,
        report: vec![],
        until: None,
    };
    assert!(
        asked(vec![PauseChoice::Continue, PauseChoice::Accept, PauseChoice::GiveUp])
            .takes(PauseChoice::Edited)
    );
    assert!(!asked(vec![PauseChoice::Continue, PauseChoice::GiveUp]).takes(PauseChoice::Edited), "a gate");
}

#[test]
fn answers_in_logs_of_older_versions_round_trip() {
    let text = r#"{"choice": "continue", "text": "", "by": "alice"}"#;
    let answer: Answered = serde_json::from_str(text).expect("an answer");
    assert_eq!(answer, Answered::new(PauseChoice::Continue, "", "alice"));
    assert_eq!(serde_json::to_string(&answer).expect("text"), text.replace(": ", ":").replace(", ", ","));
}

#[test]
fn question_at_a_limit_offers_every_answer() {
    let world = exhausted();
    let rulings = world.rulings("planning");
    let Some(Ruling::Pause { escalation }) = rulings.last().map(|ruled| ruled.ruling.clone()) else {
        panic!("it pauses");
    };
    let all = [PauseChoice::Continue, PauseChoice::Edited, PauseChoice::Accept, PauseChoice::GiveUp];
    assert_eq!(escalation.options, all);
}
