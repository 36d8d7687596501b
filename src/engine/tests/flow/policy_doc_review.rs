//! The policy doc-review: review and triage, seven rounds, the table alone counts.

use engine::{Status, fold};
use model::event::{ExecOutcome, PauseChoice, PauseReason, RunOutcome};
use model::finding::Severity;
use model::phase::Step;
use model::policy::DiscussWhen;
use model::verdict::{ReadAs, Verdict};

use super::policies::{doc_review, phase};
use super::world::{Script, Triage, World, fails, no_answer, no_table, table, unreadable};

fn play(triages: &[Triage]) -> World {
    play_script(Script { triages: triages.to_vec(), reviews: vec![fails()], ..Script::default() })
}

fn play_script(script: Script) -> World {
    World::play(phase("document_review", doc_review()), script)
}

/// Fixes until the round, in which the table is as given.
fn at_round(round: usize, last: Triage) -> World {
    let mut triages = vec![table(1, 0, 0); round - 1];
    triages.push(last);
    play(&triages)
}

#[test]
fn required_fixes_start_the_next_round() {
    let world = play(&[table(2, 1, 0), table(0, 3, 0)]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.first().history.rulings[0].rule, "2 findings required a fix; round 1/7");
    assert_eq!(world.first().round, 2);
    assert_eq!(world.first().counters.passes, 0);
}

#[test]
fn seventh_round_without_approval_pauses_the_run() {
    let world = play(&[table(1, 0, 0)]);
    assert_eq!(world.history(), ["revise", "revise", "revise", "revise", "revise", "revise", "pause"]);
    assert_eq!((world.first().status, world.run().outcome), (Status::Paused, RunOutcome::Paused));
    assert_eq!(world.first().used_of_limit(), (7, 7));
    assert_eq!(world.first().counters.revisions, 7);
    assert_eq!(world.last_rule(), "1 findings required a fix; rounds 7/7 used; on exhausted: pause");
}

#[test]
fn question_after_the_last_round_names_its_unreviewed_fixes() {
    let told = |world: &World| world.run().paused.clone().expect("a question").question;
    let world = play(&[table(1, 0, 0)]);
    assert!(world.first().history.rounds[6].changed_files);
    insta::assert_snapshot!(told(&world), @"document_review is not approved and has used rounds 7/7: 1 findings required a fix; the fixes of round 7 are in the files, and nobody has reviewed them. Go on, accept it as it is, or give up?");
    let unfixed = play(&[Triage { changes: false, ..table(1, 0, 0) }]);
    assert!(!told(&unfixed).contains("the fixes of round"), "{}", told(&unfixed));
}

#[test]
fn continue_after_the_last_round_starts_an_eighth_round() {
    let mut triages = vec![table(1, 0, 0); 7];
    triages.push(table(0, 1, 0));
    let mut world = play(&triages);
    assert_eq!(world.answer(PauseChoice::Continue, "fixed by hand"), RunOutcome::Completed);
    assert_eq!(
        world.first().history.rounds.last().map(|round| (round.n, round.verdict)),
        Some((8, Some(Verdict::Pass)))
    );
}

#[test]
fn triage_without_fixes_or_questions_approves() {
    for round in [1, 7] {
        let world = at_round(round, table(0, 2, 0));
        assert_eq!(world.run().outcome, RunOutcome::Completed, "round {round}");
        assert_eq!(world.first().history.rounds.len(), round);
        assert_eq!(world.first().history.rounds[round - 1].read_as, Some(ReadAs::Table));
    }
}

#[test]
fn failed_review_whose_findings_need_no_fix_is_approved() {
    let review = fails().with(Severity::Critical, "the limit is missing").with(Severity::Major, "a typo");
    let script = Script { reviews: vec![review], triages: vec![table(0, 2, 0)], ..Script::default() };
    let world = play_script(script);
    assert_eq!((world.history(), world.run().outcome), (vec!["advance"], RunOutcome::Completed));
    assert_eq!(world.first().history.rounds[0].verdict, Some(Verdict::Pass));
}

#[test]
fn discussion_question_stays_open_until_a_person_answers() {
    let mut world = play(&[table(1, 0, 1), table(1, 0, 0), table(0, 1, 0), table(0, 1, 0)]);
    assert_eq!(world.history(), ["revise", "revise", "pause"]);
    let rule = "what round 1 left to be discussed is not answered; on discuss: pause";
    assert_eq!(world.last_rule(), rule);
    assert_eq!(world.answer(PauseChoice::Continue, "the second"), RunOutcome::Completed);
    assert_eq!(world.first().history.rounds.len(), 4);
    let mut accepted = play(&[table(1, 0, 1), table(0, 1, 0)]);
    assert_eq!(accepted.answer(PauseChoice::Accept, ""), RunOutcome::Completed);
}

#[test]
fn open_discussion_questions_pause_the_run() {
    for (round, questions) in [(1, 1), (3, 5), (7, 1)] {
        let world = at_round(round, table(0, 0, questions));
        assert_eq!(world.run().paused.as_ref().map(|asked| asked.reason), Some(PauseReason::Discuss));
        assert_eq!(world.history().last(), Some(&"pause"));
    }
}

#[test]
fn advice_of_a_person_reaches_the_triage_of_the_next_round() {
    let mut world = play(&[table(0, 0, 1), table(0, 1, 0)]);
    world.answer(PauseChoice::Continue, "keep the name");
    let reviewed =
        world.entries.iter().rposition(|entry| matches!(&entry.fact, model::event::Fact::Reviewed(_)));
    let before_triage = world.cut(reviewed.expect("a review") + 1);
    assert_eq!(before_triage.first().current_step(), Some(Step::Triage));
    assert_eq!(before_triage.first().person.advice.as_deref(), Some("keep the name"));
    assert_eq!(world.run().outcome, RunOutcome::Completed);
}

#[test]
fn required_fixes_take_priority_over_discussion_questions() {
    for (round, last, ruling) in [
        (1, table(1, 0, 0), "revise"),
        (2, table(3, 0, 2), "revise"),
        (6, table(1, 0, 0), "revise"),
        (7, table(1, 0, 0), "pause"),
        (7, table(4, 0, 4), "pause"),
    ] {
        let world = at_round(round, last);
        assert_eq!(world.first().history.rulings[round - 1].ruling.word(), ruling, "round {round}");
    }
    let mut policy = doc_review();
    policy.discuss = DiscussWhen::AtOnce;
    let script = Script { triages: vec![table(1, 0, 1)], ..Script::default() };
    assert_eq!(World::play(phase("document_review", policy), script).history(), ["pause"]);
}

#[test]
fn agent_failure_in_review_or_triage_fails_the_phase() {
    let silent = Triage { outcome: ExecOutcome::NoOutput, ..no_table() };
    let crashed = Triage { outcome: ExecOutcome::Crashed, ..no_table() };
    for (script, reason) in [
        (Script { reviews: vec![no_answer()], ..Script::default() }, "reviewer_unavailable"),
        (Script { triages: vec![crashed], ..Script::default() }, "agent_failed"),
        (Script { triages: vec![silent], ..Script::default() }, "agent_failed"),
    ] {
        let world = play_script(script);
        assert_eq!(world.history(), ["redo", "redo", "fail"]);
        assert_eq!((world.first().status, world.first().reason.as_deref()), (Status::Failed, Some(reason)));
    }
}

#[test]
fn missing_triage_table_is_requested_once_more_and_then_pauses() {
    let world = play(&[no_table()]);
    assert_eq!(world.history(), ["redo", "pause"]);
    assert_eq!(world.run().paused.as_ref().map(|asked| asked.reason), Some(PauseReason::Unreadable));
    assert_eq!(play(&[no_table(), table(0, 1, 0)]).history(), ["redo", "advance"]);
}

#[test]
fn interrupted_review_resumes_after_the_last_finished_round() {
    let full = play(&[table(1, 0, 0), table(1, 0, 0), table(0, 1, 0)]);
    for length in 1..full.entries.len() {
        let mut world = full.cut(length);
        let finished = world.first().history.rounds.clone();
        if world.first().status == Status::InProgress
            && world.first().position != engine::StepPosition::Closing
        {
            assert_eq!(world.first().round as usize, finished.len() + 1, "{length}");
        }
        world.execute();
        assert_eq!(world.first().history.rounds[..finished.len()], finished);
        assert_eq!(world.first().history.rounds.len(), 3);
        assert_eq!(fold(&world.entries), Ok(world.state.clone()));
    }
}

#[test]
fn only_a_round_without_fixes_questions_and_changes_approves() {
    for (fix_required, needs_discussion, changes) in
        [(0, 0, false), (0, 0, true), (0, 1, false), (0, 1, true), (1, 0, false), (1, 0, true), (2, 1, true)]
    {
        let triage = Triage { changes, ..table(fix_required, 1, needs_discussion) };
        let world = play(&[triage]);
        let clean = fix_required + needs_discussion == 0 && !changes;
        assert_eq!(world.history()[0] == "advance", clean, "{fix_required} {needs_discussion} {changes}");
    }
}

#[test]
fn triage_table_overrides_the_reviewers_verdict() {
    for review in [fails(), super::world::passes(), unreadable()] {
        let script = Script { reviews: vec![review], triages: vec![table(0, 1, 0)], ..Script::default() };
        assert_eq!(play_script(script).history(), ["advance"]);
    }
}

#[test]
fn empty_triage_table_does_not_settle_a_failed_or_unreadable_review() {
    let nothing =
        |reviews| play_script(Script { reviews, triages: vec![table(0, 0, 0)], ..Script::default() });
    for (review, why) in [
        (unreadable(), "the review cannot be read: no marker"),
        (fails(), "the reviewer states FAIL, and names no finding"),
    ] {
        let world = nothing(vec![review.clone()]);
        assert_eq!(world.history(), ["redo", "pause"], "{why}");
        assert!(world.last_rule().starts_with(why), "{}", world.last_rule());
        assert_eq!(world.run().paused.as_ref().map(|asked| asked.reason), Some(PauseReason::Unreadable));
        let again = nothing(vec![review, super::world::passes()]);
        assert_eq!(again.history(), ["redo", "advance"], "{why}");
        assert_eq!(
            again.first().calls.attempts.get(&(1, Step::Review)),
            Some(&2),
            "the review is asked again"
        );
    }
    assert_eq!(nothing(vec![super::world::passes()]).history(), ["advance"]);
}

#[test]
fn required_fixes_that_are_not_made_prevent_approval() {
    let unfixed = Triage { changes: false, ..table(1, 0, 0) };
    let world = play(&[unfixed]);
    assert_eq!(world.history().len(), 7);
    assert_eq!(world.run().outcome, RunOutcome::Paused);
    assert_eq!(world.first().history.rounds[0].standstill.as_deref(), Some("the revision changed no file"));
    assert_eq!(world.first().counters.revisions, 0);
}

#[test]
fn triage_that_changes_files_cannot_approve_its_own_round() {
    let sly = Triage { changes: true, ..table(0, 1, 0) };
    assert_eq!(play(&[sly, table(0, 1, 0)]).history(), ["revise", "advance"]);
    let unread = Triage { changes: true, ..no_table() };
    let world = play(&[unread, table(0, 1, 0), table(0, 1, 0)]);
    assert_eq!(world.history(), ["redo", "revise", "advance"]);
    assert_eq!(world.first().counters.revisions, 1);
    assert!(world.first().history.rounds[0].changed_files);
}
