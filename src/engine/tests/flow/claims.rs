//! What an author says about itself: never evidence for it, always believed against it.

use engine::Status;
use model::event::{CheckStatus, ClaimStatus, Fact, PauseChoice, PauseReason, RunOutcome};
use model::phase::Step;
use model::policy::Policy;

use super::policies::{completion, phase, phase_review, quality_gate, retake};
use super::world::{Script, Work, World, claims, done};

fn play(policy: Policy, work: Vec<Work>) -> World {
    World::play(phase("implementation", policy), Script { work, ..Script::default() })
}

fn incomplete() -> Work {
    claims(ClaimStatus::Incomplete)
}

fn blocked() -> Work {
    claims(ClaimStatus::Blocked)
}

fn reviews(world: &World) -> usize {
    world.count(|fact| matches!(fact, Fact::StepStarted(call) if call.step == Step::Review))
}

#[test]
fn work_its_author_calls_unfinished_is_revised_under_every_policy() {
    for policy in [phase_review(), quality_gate(), retake(), completion()] {
        let reviewed = usize::from(policy.review.is_some());
        let world = play(policy, vec![incomplete(), done()]);
        assert_eq!(world.history(), ["revise", "advance"]);
        assert_eq!(reviews(&world), reviewed, "no reviewer is paid for what its author calls unfinished");
        let rule = &world.first().history.rulings[0].rule;
        assert!(rule.starts_with("the author says that it is not finished; revision 1/"), "{rule}");
    }
}

#[test]
fn never_finished_work_ends_at_the_revision_limit_without_approval() {
    let world = play(phase_review(), vec![incomplete()]);
    assert_eq!(world.history(), ["revise", "revise", "revise", "fail"]);
    assert_eq!(world.first().reason.as_deref(), Some("retry_limit"));
    let mut world = play(quality_gate(), vec![incomplete()]);
    assert_eq!(world.history(), ["revise", "revise", "pause"]);
    assert_eq!(
        world.answer(PauseChoice::Accept, ""),
        RunOutcome::Completed,
        "a person may take the responsibility"
    );
}

#[test]
fn failed_check_takes_priority_over_the_authors_claim() {
    let checks = vec![vec![("q2_todo".to_owned(), CheckStatus::Fail)], vec![]];
    let work = vec![incomplete(), done()];
    let script = Script { work, checks, ..Script::default() };
    let world = World::play(phase("implementation", quality_gate()), script);
    assert_eq!(world.first().history.rulings[0].rule, "check q2_todo: q2_todo was looked at; revision 1/2");
}

#[test]
fn next_prompt_quotes_the_authors_statement_of_unfinished_work() {
    let world = play(quality_gate(), vec![incomplete(), done()]);
    let ruled = world.entries.iter().position(|entry| matches!(entry.fact, Fact::Ruled(_)));
    let world = world.cut(ruled.expect("a ruling"));
    assert!(world.first().hint().starts_with("You said yourself that it is not finished."));
}

#[test]
fn blocked_author_is_retried_once_and_then_a_person_is_asked() {
    let world = play(phase_review(), vec![blocked(), done()]);
    assert_eq!(world.history(), ["revise", "advance"]);
    let world = play(phase_review(), vec![blocked(), incomplete(), blocked(), done()]);
    assert_eq!(world.history(), ["revise", "revise", "revise", "advance"], "not in a row");
    let mut world = play(phase_review(), vec![blocked(), blocked(), done()]);
    assert_eq!(world.history(), ["revise", "pause"]);
    let asked = world.run().paused.as_ref().expect("a question");
    assert_eq!(asked.reason, PauseReason::Blocked);
    insta::assert_snapshot!(asked.question, @"implementation is blocked: the author says again that it is blocked. Repair the cause and go on, accept it, or give up?");
    assert_eq!(world.answer(PauseChoice::Continue, "the key is in the vault"), RunOutcome::Completed);
    assert_eq!(
        world.history(),
        ["revise", "pause", "revise", "advance"],
        "what the person says reaches the author"
    );
}

#[test]
fn completion_claim_counts_only_with_passing_checks() {
    let (seen, unseen) = (CheckStatus::Pass, CheckStatus::Fail);
    for (declared, outside, expected) in [
        (Some(ClaimStatus::Completed), unseen, "revise"),
        (Some(ClaimStatus::Completed), seen, "advance"),
        (None, unseen, "revise"),
        (None, seen, "advance"),
        // The older system completes an author that says it is not finished; we believe it.
        (Some(ClaimStatus::Incomplete), seen, "revise"),
    ] {
        let first = Work { claim: declared, ..done() };
        let script = Script {
            work: vec![first, claims(ClaimStatus::Completed)],
            checks: vec![vec![("git_clean".into(), outside)], vec![]],
            ..Script::default()
        };
        let world = World::play(phase("implementation", completion()), script);
        assert_eq!(world.history()[0], expected, "{declared:?} {outside:?}");
    }
}

#[test]
fn log_records_the_completion_claim_and_the_check_results() {
    let checks = vec![vec![("tests_pass".to_owned(), CheckStatus::Fail)], vec![]];
    let script = Script { work: vec![claims(ClaimStatus::Completed)], checks, ..Script::default() };
    let world = World::play(phase("implementation", completion()), script);
    let told: Vec<_> = world
        .entries
        .iter()
        .filter_map(|entry| match &entry.fact {
            Fact::Worked(worked) => worked.claim.as_ref().map(|claim| format!("declared {:?}", claim.status)),
            Fact::Checked(checked) => {
                let failed = checked.results.iter().any(|result| result.status == CheckStatus::Fail);
                Some(format!("saw {}", if failed { "a failure" } else { "none" }))
            }
            Fact::Ruled(ruled) => Some(ruled.ruling.word().to_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(
        told,
        ["declared Completed", "saw a failure", "revise", "declared Completed", "saw none", "advance"]
    );
}

#[test]
fn false_completion_claim_is_recorded_as_a_finding() {
    let checks = vec![vec![("q2_todo".to_owned(), CheckStatus::Fail)], vec![]];
    let script = Script { work: vec![claims(ClaimStatus::Completed)], checks, ..Script::default() };
    let world = World::play(phase("implementation", quality_gate()), script);
    let findings: Vec<_> = world.first().history.rounds.iter().map(|round| round.findings.clone()).collect();
    assert_eq!((findings[0].len(), findings[1].len()), (1, 0));
    assert_eq!(findings[0][0].category, "early_termination");
    assert_eq!(findings[0][0].issue, "the author says that it is complete, and these checks failed: q2_todo");
    assert!(
        world.first().history.rounds[0].open.iter().all(|open| open.starts_with("check:")),
        "it asks for nothing"
    );
}

#[test]
fn format_failure_repeats_the_call_and_completion_failure_revises() {
    for (failing, expected) in [("format", ["redo", "advance"]), ("tests_pass", ["revise", "advance"])] {
        let checks = vec![vec![(failing.to_owned(), CheckStatus::Fail)], vec![]];
        let script = Script { checks, ..Script::default() };
        let world = World::play(phase("implementation", completion()), script);
        assert_eq!(world.history(), expected);
        assert_eq!(world.first().status, Status::Completed);
    }
}

#[test]
fn after_a_completion_claim_only_the_failed_checks_are_requested() {
    let checks = vec![vec![("tests_pass".to_owned(), CheckStatus::Fail)], vec![]];
    let work = vec![claims(ClaimStatus::Completed), claims(ClaimStatus::Completed)];
    let script = Script { work, checks, ..Script::default() };
    let world = World::play(phase("implementation", completion()), script);
    let ruled = world.entries.iter().position(|entry| matches!(entry.fact, Fact::Ruled(_)));
    let before = world.cut(ruled.expect("a ruling"));
    let failed: Vec<_> = before.first().failed_checks().map(|result| result.check.as_str()).collect();
    assert_eq!((failed, before.first().hint().as_str()), (vec!["tests_pass"], ""));
}
