//! Seed 001, policy retake: build and tests first, then an independent reviewer; three retakes, then a person.

use ai_workflow::event::{CheckStatus, Choice, ExecOutcome, Outcome, PauseReason};
use ai_workflow::finding::Severity;
use ai_workflow::flow::Status;
use ai_workflow::verdict::{Judgment, Verdict};

use super::policies::{phase, retake};
use super::world::{Review, Script, World, states};

fn approve() -> Review {
    states("APPROVE", Verdict::Pass, Judgment::Approve)
}

fn request_changes() -> Review {
    states("REQUEST_CHANGES", Verdict::Fail, Judgment::Revise)
}

fn stop(word: &str) -> Review {
    states(word, Verdict::Fail, Judgment::Block)
}

fn play(reviews: &[Review]) -> World {
    let script = Script { reviews: reviews.to_vec(), ..Script::default() };
    World::play(phase("implementation", retake()), script)
}

fn checked(check: &str, status: CheckStatus) -> World {
    let checks = vec![vec![(check.into(), status)], vec![]];
    let script = Script { checks, reviews: vec![approve()], ..Script::default() };
    World::play(phase("implementation", retake()), script)
}

#[test]
fn b_08_each_word_has_its_ruling() {
    for (review, history) in [
        (approve(), vec!["advance"]),
        (request_changes(), vec!["revise", "advance"]),
        (stop("REJECT"), vec!["pause"]),
        (stop("STOP"), vec!["pause"]),
    ] {
        assert_eq!(play(&[review.clone(), approve()]).history(), history, "{review:?}");
    }
}

#[test]
fn b_08_reject_and_stop_leave_the_repair_to_a_person() {
    for word in ["REJECT", "STOP"] {
        let world = play(&[stop(word)]);
        let asked = world.run().paused.as_ref().expect("a question");
        assert_eq!(asked.reason, PauseReason::Blocked);
        assert_eq!(
            asked.question,
            format!(
                "implementation is blocked: the reviewer states {word}. \
                 Repair the cause and go on, accept it, or give up?"
            )
        );
        assert_eq!((world.first().status, world.first().counters.revisions), (Status::Paused, 0));
    }
}

#[test]
fn b_08_after_a_reject_a_person_repairs_and_everything_is_looked_at_again() {
    let mut world = play(&[stop("REJECT"), approve()]);
    assert_eq!(world.answer(Choice::Continue, "repaired by hand"), Outcome::Completed);
    assert_eq!(world.history(), ["pause", "advance"]);
    assert_eq!(world.first().rounds.iter().map(|round| round.n).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn b_09_an_approval_needs_no_finding_that_blocks() {
    for (severity, ruling) in [
        (Severity::Info, "advance"),
        (Severity::Minor, "advance"),
        (Severity::Major, "revise"),
        (Severity::Critical, "pause"),
    ] {
        let world = play(&[approve().with(severity, "a problem"), approve()]);
        assert_eq!(world.history()[0], ruling, "{severity:?}");
    }
}

#[test]
fn b_09_an_approval_needs_build_and_tests() {
    for check in ["build", "tests"] {
        assert_eq!(checked(check, CheckStatus::Pass).history(), ["advance"]);
        assert_eq!(checked(check, CheckStatus::Fail).history(), ["revise", "advance"]);
    }
}

#[test]
fn b_10_a_major_finding_is_a_retake() {
    let world = play(&[request_changes().with(Severity::Major, "a problem"), approve()]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.first().counters.revisions, 1);
}

#[test]
fn b_11_a_critical_finding_stops_whatever_the_word_was() {
    for review in [approve(), request_changes(), stop("REJECT")] {
        let world = play(&[review.with(Severity::Critical, "a hole")]);
        assert_eq!(world.history(), ["pause"]);
        assert_eq!(world.first().rounds[0].verdict, Some(Verdict::Fail));
        assert_eq!(world.first().reason.as_deref(), Some("blocked"));
    }
}

#[test]
fn b_12_a_check_that_cannot_run_stops_at_once_and_names_itself() {
    for check in ["build", "tests"] {
        let world = checked(check, CheckStatus::Unavailable);
        assert_eq!(world.history(), ["pause"]);
        assert_eq!(world.last_rule(), format!("check {check}: {check} was looked at; on blocked: pause"));
        assert_eq!(world.first().counters.revisions, 0);
    }
}

#[test]
fn b_12_failed_tests_beat_findings_and_no_reviewer_is_paid() {
    let world = checked("tests", CheckStatus::Fail);
    assert_eq!(world.first().rounds[0].verdict, None);
    assert_eq!(world.first().rounds[0].attempts, 1);
}

#[test]
fn b_15_three_retakes_are_counted_then_a_person_is_asked() {
    for retakes in 0..=3 {
        let mut reviews = vec![request_changes(); retakes];
        reviews.push(approve());
        let world = play(&reviews);
        assert_eq!(world.run().outcome, Outcome::Completed);
        assert_eq!(world.first().counters.revisions as usize, retakes);
    }
    let world = play(&[request_changes()]);
    assert_eq!(world.history(), ["revise", "revise", "revise", "pause"]);
    assert_eq!(world.first().reason.as_deref(), Some("exhausted"));
    assert_eq!(
        world.last_rule(),
        "the reviewer states REQUEST_CHANGES; revisions 3/3 used; on exhausted: pause"
    );
}

#[test]
fn b_15_build_failures_and_requests_share_one_counter() {
    let checks = vec![vec![("build".into(), CheckStatus::Fail)], vec![]];
    let script = Script { checks, reviews: vec![request_changes()], ..Script::default() };
    let world = World::play(phase("implementation", retake()), script);
    assert_eq!(world.history(), ["revise", "revise", "revise", "pause"]);
    assert_eq!(world.first().counters.reviews, 3);
}

#[test]
fn a_partial_author_does_not_hide_a_check_that_stops() {
    let mut policy = retake();
    policy.checks[0].on_fail = ai_workflow::policy::OnFail::Stop;
    policy.partial = ai_workflow::policy::Partial::Redo;
    let checks = vec![vec![("build".into(), CheckStatus::Fail)]];
    let work = vec![super::world::ends(ExecOutcome::Partial)];
    let world = World::play(phase("implementation", policy), Script { work, checks, ..Script::default() });
    assert_eq!(world.history(), ["pause"]);
}
