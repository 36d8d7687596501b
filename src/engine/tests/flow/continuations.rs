//! Tasks that are left open send the author back to finish them, on a limit of their own.

use engine::{Status, limit_reached};
use model::event::{CheckStatus, RunOutcome};
use model::policy::{CheckRule, OnFail, OnUnavailable, Policy};

use super::policies::{phase, phase_review, quality_gate};
use super::world::{Script, World, fails, passes};

const OPEN: &[&str] = &["task_list"];
const RED: &[&str] = &["tests"];
const BOTH: &[&str] = &["task_list", "tests"];

fn with_tasks(mut policy: Policy) -> Policy {
    for (id, on_fail) in [("task_list", OnFail::Continue), ("tests", OnFail::Revise)] {
        policy.checks.push(CheckRule { id: id.into(), on_fail, on_unavailable: OnUnavailable::Block });
    }
    policy
}

/// Plays rounds in which these checks fail; the last one repeats.
fn play(policy: Policy, rounds: &[&[&str]], script: Script) -> World {
    let failing =
        |round: &&[&str]| round.iter().map(|check| ((*check).to_owned(), CheckStatus::Fail)).collect();
    let checks = rounds.iter().map(failing).collect();
    World::play(phase("implementation", with_tasks(policy)), Script { checks, ..script })
}

#[test]
fn open_tasks_send_the_author_back_seven_times_and_then_the_phase_fails() {
    let world = play(phase_review(), &[OPEN], Script::default());
    assert_eq!(world.history(), [vec!["revise"; 7], vec!["fail"]].concat());
    assert_eq!(world.run().outcome, RunOutcome::Failed);
    let phase = world.first();
    assert_eq!((phase.status, limit_reached(phase)), (Status::Failed, "continuations 7/7".to_owned()));
    let rules: Vec<&str> = phase.history.rulings.iter().map(|ruled| ruled.rule.as_str()).collect();
    insta::assert_snapshot!([rules[0], rules[6], rules[7]].join("\n"), @"
    check task_list: task_list was looked at; continuation 1/7
    check task_list: task_list was looked at; continuation 7/7
    check task_list: task_list was looked at; continuations 7/7 used; on exhausted: fail
    ");
}

#[test]
fn finishing_tasks_uses_no_revision() {
    let reviews = vec![fails(), fails(), fails(), passes()];
    let rounds: &[&[&str]] = &[OPEN, OPEN, OPEN, OPEN, &[], OPEN, &[]];
    let world = play(phase_review(), rounds, Script { reviews, ..Script::default() });
    assert_eq!(world.run().outcome, RunOutcome::Completed, "{:#?}", world.told());
    assert_eq!((world.first().counters.revisions, world.first().counters.continuations), (8, 5));
}

#[test]
fn open_tasks_beside_another_failure_are_an_ordinary_revision() {
    let world = play(phase_review(), &[BOTH], Script::default());
    assert_eq!(world.history(), ["revise", "revise", "revise", "fail"]);
    let world = play(phase_review(), &[OPEN, RED, OPEN, BOTH, RED, BOTH, RED], Script::default());
    assert_eq!(world.history(), [vec!["revise"; 5], vec!["fail"]].concat());
    assert_eq!(world.first().counters.continuations, 2);
}

#[test]
fn a_policy_that_limits_passes_stays_at_its_limit() {
    let world = play(quality_gate(), &[OPEN], Script::default());
    assert_eq!(world.history(), ["revise", "revise", "pause"]);
}
