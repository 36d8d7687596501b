//! The corners: policies with half of the stages, standstill, approvals that are void, codes of failures.

use std::collections::BTreeMap;

use engine::{Action, Decision, Status, apply, decide};
use model::event::{CheckStatus, Checked, Fact, PauseChoice, PauseReason, Ruling, RunOutcome};
use model::finding::Severity;
use model::phase::Step;
use model::policy::{CheckRule, OnFail, OnUnavailable, Policy};
use model::verdict::{Judgment, Verdict};

use super::policies::{phase, phase_review, policy, quality_gate};
use super::world::{Review, Script, Work, World, done, fails, name, passes, result};

fn play(policy: Policy, script: Script) -> World {
    World::play(phase("design", policy), script)
}

fn without_checks() -> Policy {
    Policy { checks: vec![], ..phase_review() }
}

fn checks(rounds: &[(&str, CheckStatus)]) -> Vec<Vec<(String, CheckStatus)>> {
    let mut all: Vec<_> = rounds.iter().map(|(check, status)| vec![((*check).to_owned(), *status)]).collect();
    all.push(vec![]);
    all
}

#[test]
fn a_policy_without_checks_goes_straight_to_the_review() {
    let world = play(without_checks(), Script { reviews: vec![fails(), passes()], ..Script::default() });
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.count(|fact| matches!(fact, Fact::Checked(_))), 0);
}

#[test]
fn review_without_checks_covers_the_files_as_they_are() {
    let moved = Review { moved: true, ..passes() };
    assert_eq!(
        play(without_checks(), Script { reviews: vec![moved], ..Script::default() }).history(),
        ["advance"]
    );
}

#[test]
fn a_policy_without_a_review_needs_a_check_that_passed() {
    assert_eq!(play(quality_gate(), Script::default()).history(), ["advance"]);
    let all = ["q1_files", "q2_todo", "q3_omission"];
    let skipped = vec![all.iter().map(|check| ((*check).to_owned(), CheckStatus::Skipped)).collect()];
    let world = play(quality_gate(), Script { checks: skipped, ..Script::default() });
    assert_eq!(world.history(), ["pause"]);
    assert_eq!(
        world.last_rule(),
        "all checks passed; not approved: neither a check nor a review that passed looked at it; on blocked: pause"
    );
}

#[test]
fn a_policy_that_begins_with_the_review_calls_no_author_first() {
    let mut policy = without_checks();
    policy.entry = model::policy::FirstStep::Review;
    let world = play(policy, Script { reviews: vec![fails(), passes()], ..Script::default() });
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.first().counters.passes, 1);
}

#[test]
fn check_with_on_fail_note_does_not_block() {
    let mut policy = phase_review();
    policy.checks[0].on_fail = OnFail::Note;
    policy.checks[0].on_unavailable = OnUnavailable::Note;
    for status in [CheckStatus::Fail, CheckStatus::Unavailable] {
        let world =
            play(policy.clone(), Script { checks: checks(&[("deliverable", status)]), ..Script::default() });
        assert_eq!(world.history(), ["advance"]);
        assert_eq!(world.first().failed_checks().count(), 0);
    }
}

#[test]
fn check_listed_twice_must_pass_both_rules() {
    let mut policy = phase_review();
    policy.checks[0].on_fail = OnFail::Note;
    let again = CheckRule { on_fail: OnFail::Revise, ..policy.checks[0].clone() };
    policy.checks.push(again);
    let failed = checks(&[("deliverable", CheckStatus::Fail)]);
    let world = play(policy, Script { checks: failed, ..Script::default() });
    assert!(!world.history().contains(&"advance"), "{:?}", world.history());
}

#[test]
fn check_without_a_result_does_not_count_as_passed() {
    let full = play(phase_review(), Script::default());
    let checked = full.entries.iter().position(|entry| matches!(entry.fact, Fact::Checked(_)));
    let mut world = full.cut(checked.expect("checks"));
    let tree = "tree-1".to_owned();
    let fact = Checked { phase: name("design"), round: 1, results: vec![], tree, documents: BTreeMap::new() };
    world.record(Fact::Checked(fact));
    assert_eq!(world.play_on(), RunOutcome::Paused);
    assert_eq!(world.last_rule(), "check deliverable gave no result; on blocked: pause");
}

#[test]
fn failed_check_not_listed_by_the_policy_leads_to_a_revision() {
    let full = play(phase_review(), Script::default());
    let checked = full.entries.iter().position(|entry| matches!(entry.fact, Fact::Checked(_)));
    let mut world = full.cut(checked.expect("checks"));
    let results = vec![result("deliverable", CheckStatus::Pass), result("extra", CheckStatus::Fail)];
    let fact = Checked {
        phase: name("design"),
        round: 1,
        results,
        tree: "tree-1".into(),
        documents: BTreeMap::new(),
    };
    world.record(Fact::Checked(fact));
    world.play_on();
    assert_eq!(world.history(), ["revise", "advance"]);
}

#[test]
fn failure_reason_is_the_code_of_the_failed_check() {
    for by_pattern in [true, false] {
        let mut world = World::new(super::policies::agreement(vec![phase("design", phase_review())]));
        world.record(Fact::RunRequested(model::event::RunRequested::default()));
        while world.run().outcome == RunOutcome::Running {
            match decide(&world.state) {
                Decision::Perform(Action::RunChecks { phase, round }) => {
                    let mut failed = result("deliverable", CheckStatus::Fail);
                    if by_pattern {
                        failed.pattern = Some("E_NO_DELIVERABLE".into());
                    } else {
                        failed.params.insert("code".into(), "E_NO_DELIVERABLE".into());
                    }
                    let tree = world.first().files.tree.clone();
                    world.record(Fact::Checked(Checked {
                        phase,
                        round,
                        results: vec![failed],
                        tree,
                        documents: BTreeMap::new(),
                    }));
                }
                _ => advance_by_one(&mut world),
            }
        }
        assert_eq!(world.first().reason.as_deref(), Some("E_NO_DELIVERABLE"));
        assert_eq!(world.first().counters.revisions, 3);
        assert_eq!(world.count(|fact| matches!(fact, Fact::Reviewed(_))), 0);
    }
}

/// Plays everything but the checks.
fn advance_by_one(world: &mut World) {
    match decide(&world.state) {
        Decision::Record(fact) => world.record(*fact),
        Decision::Perform(action) => world.perform(action),
        Decision::Halt(outcome) => panic!("the run halts as {outcome:?}"),
    }
}

#[test]
fn standstill_is_shown_and_does_not_end_the_phase_by_default() {
    let same = fails().with(Severity::Major, "line 12 panics");
    let world = play(phase_review(), Script { reviews: vec![same], ..Script::default() });
    assert_eq!(world.history(), ["revise", "revise", "revise", "fail"]);
    let seen: Vec<_> = world.first().history.rounds.iter().map(|round| round.standstill.clone()).collect();
    let same = Some("the same 1 problems for 3 rounds".to_owned());
    assert_eq!(seen, [None, None, same.clone(), same]);
}

fn named(problems: &[&str]) -> Review {
    problems.iter().fold(fails(), |review, problem| review.with(Severity::Major, problem))
}

#[test]
fn growing_or_mostly_equal_problem_lists_are_standstill() {
    let grow = vec![named(&["a"]), named(&["a", "b"]), named(&["a", "b", "c"]), passes()];
    let world = play(phase_review(), Script { reviews: grow, ..Script::default() });
    let third = world.first().history.rounds[2].standstill.as_deref();
    assert_eq!(third, Some("problems grow for 3 rounds: 1, 2, 3"));
    let most = |extra| named(&["a", "b", "c", "d", "e", "f", "g", extra]);
    let mostly = vec![most("x"), most("y"), most("z"), passes()];
    let world = play(phase_review(), Script { reviews: mostly, ..Script::default() });
    assert_eq!(
        world.first().history.rounds[2].standstill.as_deref(),
        Some("mostly the same problems for 3 rounds")
    );
    let other = vec![named(&["a"]), named(&["b"]), named(&["c"]), passes()];
    let world = play(phase_review(), Script { reviews: other, ..Script::default() });
    assert_eq!(world.first().history.rounds[2].standstill, None);
    assert_eq!(world.first().history.rounds[3].standstill, None);
}

#[test]
fn a_revision_that_changed_nothing_is_shown_unless_it_passes() {
    let idle = Work { changes: false, ..done() };
    let script =
        Script { work: vec![done(), idle], reviews: vec![fails(), fails(), passes()], ..Script::default() };
    let world = play(phase_review(), script);
    let seen: Vec<_> = world.first().history.rounds.iter().map(|round| round.standstill.as_deref()).collect();
    assert_eq!(seen, [None, Some("the revision changed no file"), None]);
    let changed: Vec<_> = world.first().history.rounds.iter().map(|round| round.changed_files).collect();
    assert_eq!(changed, [true, false, false]);
}

#[test]
fn stop_on_stall_pauses_and_counts_again_after_an_answer() {
    let mut stopping = phase_review();
    stopping.stop_on_stall = true;
    stopping.limits.max_revisions = 9;
    let same = fails().with(Severity::Major, "the same problem");
    let mut world = play(stopping, Script { reviews: vec![same], ..Script::default() });
    assert_eq!(world.history(), ["revise", "revise", "pause"]);
    assert_eq!(world.first().reason.as_deref(), Some("stalled"));
    world.answer(PauseChoice::Continue, "try the other way");
    assert_eq!(world.history()[3..], ["revise", "revise", "pause"]);
}

#[test]
fn approval_of_changed_files_is_voided_and_reviewed_again() {
    let world = play(phase_review(), Script { voids: vec![true, false], ..Script::default() });
    assert_eq!(world.run().outcome, RunOutcome::Completed);
    assert_eq!(world.history(), ["advance", "advance"]);
    assert_eq!(world.count(|fact| matches!(fact, Fact::Checked(_) | Fact::Reviewed(_))), 4);
    assert_eq!(world.first().counters.passes, 1);
    assert_eq!(world.first().reason, None);
    let voided = |entry: &model::event::Entry| matches!(entry.fact, Fact::ApprovalVoided { .. });
    let after = world.entries.iter().position(voided).expect("a void approval") + 1;
    let world = world.cut(after);
    assert_eq!(
        world.first().evidence.completed_steps,
        [Step::Execute],
        "check and review have to be done again"
    );
    assert_eq!(world.first().reason.as_deref(), Some("the files changed"));
}

#[test]
fn files_that_keep_changing_after_approval_pause_for_a_person() {
    let mut world = play(phase_review(), Script { voids: vec![true], ..Script::default() });
    assert_eq!(world.history(), ["advance", "advance", "advance", "pause"]);
    let asked = world.run().paused.as_ref().expect("a question");
    assert_eq!(asked.reason, PauseReason::Blocked);
    assert_eq!(
        asked.question,
        "design is blocked: the files changed after the approval 3 times. \
         Repair the cause and go on, accept it, or give up?"
    );
    world.answer(PauseChoice::Continue, "");
    assert_eq!(world.history()[4..], ["advance", "advance", "advance", "pause"]);
}

#[test]
fn failed_checks_under_a_triage_policy_are_repaired_by_the_author() {
    let text = r#"
entry = "review"
triage = true
checks = [{ id = "spelling" }]
limits = { max_revisions = 4 }
outcomes = { exhausted = "pause" }
review.verdict_map = {}
"#;
    let script = Script { checks: checks(&[("spelling", CheckStatus::Fail)]), ..Script::default() };
    assert_eq!(play(policy(text), script).history(), ["revise", "advance"]);
    let never = Script { checks: vec![vec![("spelling".into(), CheckStatus::Fail)]], ..Script::default() };
    let world = play(policy(text), never);
    assert_eq!(world.history(), ["revise", "revise", "revise", "pause"]);
    assert_eq!(
        world.last_rule(),
        "check spelling: spelling was looked at; rounds 4/4 used; on exhausted: pause"
    );
}

#[test]
fn backoff_doubles_up_to_a_limit() {
    let mut patient = phase_review();
    (patient.limits.max_redo, patient.limits.backoff_ms) = (40, u64::MAX / 2);
    let world =
        play(patient.clone(), Script { reviews: vec![super::world::no_answer()], ..Script::default() });
    let delays = |world: &World| -> Vec<u64> {
        let rulings = world.rulings("design").into_iter();
        let delay = |ruled: model::event::Ruled| match ruled.ruling {
            Ruling::Redo { delay_ms, .. } => Some(delay_ms),
            _ => None,
        };
        rulings.filter_map(delay).collect()
    };
    assert_eq!(delays(&world), [30_000; 40]);
    patient.limits.backoff_ms = 1_000;
    let world = play(patient, Script { reviews: vec![super::world::no_answer()], ..Script::default() });
    assert_eq!(delays(&world)[..6], [1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
}

#[test]
fn discuss_judgment_pauses_and_quotes_the_reviewers_verdict() {
    let discuss = super::world::states("QUESTION", Verdict::Fail, Judgment::Discuss);
    let world = play(phase_review(), Script { reviews: vec![discuss], ..Script::default() });
    assert_eq!(world.history(), ["pause"]);
    assert_eq!(
        world.run().paused.as_ref().map(|asked| asked.question.as_str()),
        Some(
            "design needs a decision by a person: the reviewer states QUESTION. What should be done about it?"
        )
    );
}

#[test]
fn notes_and_costs_are_recorded_in_the_state() {
    let mut world = play(phase_review(), Script::default());
    world.record(Fact::Noted { kind: "issue_edited".into(), text: "the pinned text is used".into() });
    assert_eq!(world.run().notes, [("issue_edited".to_owned(), "the pinned text is used".to_owned())]);
    assert!(world.run().simulated);
    let spent = world.run().spending.total;
    assert_eq!((spent.calls, spent.input_tokens, spent.output_tokens, spent.millis), (2, 2_000, 400, 60_000));
    assert!((spent.cost_usd - 0.5).abs() < 1e-9);
    assert_eq!(world.first().status, Status::Completed);
    assert_eq!(world.run().publication.pull_request, Some((None, "243.pr.md".to_owned())));
}

#[test]
fn decisions_are_deterministic() {
    let world = play(phase_review(), Script { reviews: vec![fails(), passes()], ..Script::default() });
    for length in 1..=world.entries.len() {
        let state = world.cut(length).state;
        if let Decision::Record(fact) = decide(&state) {
            let mut next = state.clone();
            let entry = world.cut(length).entry(*fact);
            assert_eq!(apply(&mut next, &entry), Ok(()));
        }
        assert_eq!(decide(&state), decide(&state));
    }
}
