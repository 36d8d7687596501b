//! The policy completion: a declaration starts the checks, the first failure is repaired, three passes.

use engine::Status;
use model::event::{CheckStatus, ClaimStatus, Fact, RunOutcome};
use model::policy::OnFail;

use super::policies::{completion, phase};
use super::world::{Script, World, claims, crashes, done};

fn play(checks: &[&[(&str, CheckStatus)]]) -> World {
    play_with(completion(), checks)
}

fn play_with(policy: model::policy::Policy, checks: &[&[(&str, CheckStatus)]]) -> World {
    let owned = |round: &&[(&str, CheckStatus)]| {
        round.iter().map(|(check, status)| ((*check).to_owned(), *status)).collect()
    };
    let script = Script { checks: checks.iter().map(owned).collect(), ..Script::default() };
    World::play(phase("implementation", policy), script)
}

#[test]
fn failed_format_check_repeats_the_call_and_uses_no_revision() {
    let world = play(&[&[("format", CheckStatus::Fail)], &[]]);
    assert_eq!(world.history(), ["redo", "advance"]);
    assert_eq!(
        world.first().history.rulings[0].rule,
        "check format: format was looked at; asked for the form again 1/2"
    );
    assert_eq!(world.first().counters.revisions, 0);
}

#[test]
fn failed_completion_check_is_revised_and_passing_checks_complete_the_run() {
    let world = play(&[&[("tests_pass", CheckStatus::Fail)], &[]]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.run().outcome, RunOutcome::Completed);
}

#[test]
fn format_redos_are_limited_to_two_and_share_the_pass_limit() {
    let wrong: &[(&str, CheckStatus)] = &[("format", CheckStatus::Fail)];
    let world = play(&[wrong]);
    assert_eq!(world.history(), ["redo", "redo", "fail"]);
    assert_eq!(world.first().counters.passes, 3);
    let mut patient = completion();
    patient.limits.max_passes = None;
    let world = play_with(patient.clone(), &[wrong]);
    assert_eq!(world.history(), ["redo", "redo", "revise", "revise", "fail"]);
    let world = play_with(patient, &[wrong, wrong, wrong, &[], wrong]);
    assert_eq!(world.history(), ["redo", "redo", "revise", "advance"]);
}

#[test]
fn checks_stop_at_the_first_failure_and_its_rule_decides() {
    let world = play(&[&[("git_clean", CheckStatus::Fail), ("tests_pass", CheckStatus::Fail)], &[]]);
    let results = world.entries.iter().find_map(|entry| match &entry.fact {
        Fact::Checked(checked) => Some(checked.results.iter().map(|result| result.check.clone()).collect()),
        _ => None,
    });
    assert_eq!(results, Some(vec!["format".to_owned(), "git_clean".to_owned()]));
    assert_eq!(world.history(), ["revise", "advance"]);
    assert!(world.first().history.rulings[0].rule.starts_with("check git_clean"));
}

#[test]
fn failed_check_with_skip_rule_does_not_block() {
    let world = play(&[&[("lint", CheckStatus::Fail)]]);
    assert_eq!(world.history(), ["advance"]);
}

#[test]
fn failed_or_unavailable_check_with_stop_rule_fails_the_phase() {
    let mut policy = completion();
    policy.checks[2].on_fail = OnFail::Stop;
    for status in [CheckStatus::Fail, CheckStatus::Unavailable] {
        let world = play_with(policy.clone(), &[&[("tests_pass", status)]]);
        assert_eq!(world.history(), ["fail"]);
        assert_eq!(
            (world.first().status, world.first().reason.as_deref()),
            (Status::Failed, Some("blocked"))
        );
    }
}

#[test]
fn retry_limit_fails_the_phase_after_three_passes() {
    let world = play(&[&[("tests_pass", CheckStatus::Fail)]]);
    assert_eq!(world.history(), ["revise", "revise", "fail"]);
    assert_eq!(world.first().reason.as_deref(), Some("retry_limit"));
}

#[test]
fn unfinished_author_is_revised_without_running_checks() {
    let work = vec![claims(ClaimStatus::Incomplete), claims(ClaimStatus::Completed)];
    let world = World::play(phase("implementation", completion()), Script { work, ..Script::default() });
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(
        world.first().history.rulings[0].rule,
        "the author says that it is not finished; revision 1/2"
    );
    assert_eq!(world.count(|fact| matches!(fact, Fact::Checked(_))), 1);
}

#[test]
fn work_without_a_completion_claim_is_checked() {
    let world = World::play(
        phase("implementation", completion()),
        Script { work: vec![done()], ..Script::default() },
    );
    assert_eq!(world.count(|fact| matches!(fact, Fact::Checked(_))), 1);
    assert_eq!(world.history(), ["advance"]);
}

#[test]
fn check_with_on_fail_redo_is_redone_up_to_the_limit_then_revised() {
    let mut policy = completion();
    policy.checks[1].on_fail = OnFail::Redo;
    policy.limits.max_passes = None;
    let world = play_with(policy, &[&[("git_clean", CheckStatus::Fail)]]);
    let over = ["redo", "redo", "revise"];
    assert_eq!(world.history(), [&over[..], &over[..], &["redo", "redo", "fail"]].concat());
    assert_eq!(world.first().counters.revisions, 2);
    let rounds: Vec<_> = world.first().history.rounds.iter().map(|round| (round.n, round.attempts)).collect();
    assert_eq!(
        rounds,
        [(1, 3), (2, 3), (3, 3)],
        "a redo is an attempt, and a revise belongs to the round before"
    );
}

#[test]
fn reviewer_is_not_called_while_a_check_fails() {
    let mut policy = completion();
    policy.review = super::policies::phase_review().review;
    let world = play_with(policy, &[&[("git_clean", CheckStatus::Fail)], &[]]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.count(|fact| matches!(fact, Fact::Reviewed(_))), 1);
    assert_eq!(world.count(|fact| matches!(fact, Fact::Checked(_))), 2);
}

#[test]
fn third_failure_fails_the_phase_and_each_phase_counts_anew() {
    let wrong: &[(&str, CheckStatus)] = &[("tests_pass", CheckStatus::Fail)];
    let world = play(&[wrong, wrong, wrong]);
    assert_eq!(world.history(), ["revise", "revise", "fail"]);
    let phases = ["planning", "implementation"].map(|name| phase(name, completion()));
    let mut world = World::new(super::policies::agreement(super::policies::chain(phases)));
    for name in ["planning", "implementation"] {
        let failing =
            |failed: bool| if failed { vec![("tests_pass".to_owned(), CheckStatus::Fail)] } else { vec![] };
        let checks = [true, true, false].map(failing).to_vec();
        world = world.script(&super::world::name(name), Script { checks, ..Script::default() });
    }
    assert_eq!(world.execute(), RunOutcome::Completed, "two failures in each phase are not four");
}

#[test]
fn format_failures_have_their_own_counter_that_a_pass_resets() {
    let mut policy = completion();
    policy.limits.max_passes = None;
    let (form, tests) = (&[("format", CheckStatus::Fail)][..], &[("tests_pass", CheckStatus::Fail)][..]);
    let world = play_with(policy, &[form, form, tests, form, form, &[]]);
    assert_eq!(world.history(), ["redo", "redo", "revise", "redo", "redo", "advance"]);
}

#[test]
fn completion_claim_survives_a_later_crashed_call() {
    let script = Script {
        work: vec![claims(ClaimStatus::Completed), crashes()],
        checks: vec![vec![("tests_pass".to_owned(), CheckStatus::Fail)]],
        ..Script::default()
    };
    let world = World::play(phase("implementation", completion()), script);
    let declared = world.first().evidence.claim.as_ref().expect("it was declared");
    assert_eq!((declared.0, declared.1.status), (1, ClaimStatus::Completed));
    assert!(
        world.first().evidence.work.as_ref().is_some_and(|work| work.claim.is_none()),
        "the last call broke"
    );
}
