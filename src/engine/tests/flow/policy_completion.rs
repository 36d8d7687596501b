//! The policy completion: a declaration starts the checks, the first failure is repaired, three passes.

use engine::Status;
use model::event::{CheckStatus, ClaimStatus, Fact, Outcome};
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
fn c_02_a_wrong_form_is_asked_for_again_and_uses_no_revision() {
    let world = play(&[&[("format", CheckStatus::Fail)], &[]]);
    assert_eq!(world.history(), ["redo", "advance"]);
    assert_eq!(
        world.first().history.rulings[0].rule,
        "check format: format was looked at; asked for the form again 1/2"
    );
    assert_eq!(world.first().counters.revisions, 0);
}

#[test]
fn c_02_a_failed_completion_is_a_revision_and_both_passing_is_the_end() {
    let world = play(&[&[("tests_pass", CheckStatus::Fail)], &[]]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.run().outcome, Outcome::Completed);
}

#[test]
fn c_02_format_redos_are_two_and_share_the_passes() {
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
fn c_04_the_checks_stop_at_the_first_failure_and_its_pattern_is_what_counts() {
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
fn c_24_skip_is_reported_and_goes_on() {
    let world = play(&[&[("lint", CheckStatus::Fail)]]);
    assert_eq!(world.history(), ["advance"]);
}

#[test]
fn c_24_abort_and_a_missing_permission_end_the_phase() {
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
fn c_24_retry_is_used_up_after_three_passes() {
    let world = play(&[&[("tests_pass", CheckStatus::Fail)]]);
    assert_eq!(world.history(), ["revise", "revise", "fail"]);
    assert_eq!(world.first().reason.as_deref(), Some("retry_limit"));
}

#[test]
fn an_author_that_is_not_finished_is_sent_on_without_checks() {
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
fn an_author_that_declares_nothing_is_checked() {
    let world = World::play(
        phase("implementation", completion()),
        Script { work: vec![done()], ..Script::default() },
    );
    assert_eq!(world.count(|fact| matches!(fact, Fact::Checked(_))), 1);
    assert_eq!(world.history(), ["advance"]);
}

#[test]
fn a_check_that_wants_the_work_done_over_is_redone_then_revised() {
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
fn c_23_a_reviewer_is_not_paid_while_the_state_is_wrong() {
    let mut policy = completion();
    policy.review = super::policies::phase_review().review;
    let world = play_with(policy, &[&[("git_clean", CheckStatus::Fail)], &[]]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.count(|fact| matches!(fact, Fact::Reviewed(_))), 1);
    assert_eq!(world.count(|fact| matches!(fact, Fact::Checked(_))), 2);
}

#[test]
fn c_23_the_third_failure_ends_and_a_success_clears_the_counter() {
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
    assert_eq!(world.execute(), Outcome::Completed, "two failures in each phase are not four");
}

#[test]
fn c_23_the_form_has_a_counter_of_its_own_that_a_good_form_clears() {
    let mut policy = completion();
    policy.limits.max_passes = None;
    let (form, tests) = (&[("format", CheckStatus::Fail)][..], &[("tests_pass", CheckStatus::Fail)][..]);
    let world = play_with(policy, &[form, form, tests, form, form, &[]]);
    assert_eq!(world.history(), ["redo", "redo", "revise", "redo", "redo", "advance"]);
}

#[test]
fn c_17_a_declaration_is_carried_over_a_call_that_broke() {
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
