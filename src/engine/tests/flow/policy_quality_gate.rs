//! The policy quality-gate: checks judge, not the executor; three passes, two of them redos at most.

use engine::{Action, Decision, Status, decide};
use model::event::{CheckStatus, ClaimStatus, ExecOutcome, Fact, PauseChoice, PauseReason, RunOutcome};
use model::policy::{CheckRule, UnapprovedEnd};
use serde_json::json;
use views::metadata::metadata;

use super::policies::{phase, phase_review, quality_gate};
use super::world::{Script, Work, World, claims, crashes, done, ends, fails, no_answer, passes, unreadable};

const TODO: &str = "todo";
const CLEAN: &str = "clean";
const ERROR: &str = "error";
const INCOMPLETE: &str = "incomplete";

/// Plays outputs as the vectors of the older system write them.
fn outputs(outputs: &[&str]) -> Script {
    let work = outputs.iter().map(|output| match *output {
        ERROR => crashes(),
        INCOMPLETE => ends(ExecOutcome::Partial),
        _ => claims(ClaimStatus::Completed),
    });
    let checked = outputs.iter().filter(|output| **output != ERROR);
    let checks = checked.map(|output| match *output {
        TODO | INCOMPLETE => vec![("q2_todo".into(), CheckStatus::Fail)],
        _ => vec![],
    });
    let checks: Vec<_> = checks.collect();
    let checks = if checks.is_empty() { vec![vec![]] } else { checks };
    Script { work: work.collect(), checks, ..Script::default() }
}

fn play(script: &[&str]) -> World {
    World::play(phase("implementation", quality_gate()), outputs(script))
}

#[test]
fn quality_gate_iteration_is_execute_then_check_then_ruling() {
    let world = play(&[TODO, CLEAN]);
    let words = world.entries.iter().filter_map(|entry| match &entry.fact {
        Fact::StepStarted(call) => Some(call.step.as_str()),
        Fact::Checked(_) => Some("judge"),
        Fact::Ruled(ruled) => Some(ruled.ruling.word()),
        _ => None,
    });
    let words: Vec<_> = words.collect();
    assert_eq!(words, ["execute", "judge", "revise", "revise", "judge", "advance"]);
}

#[test]
fn completion_claim_of_the_author_does_not_approve() {
    let world = play(&[TODO]);
    assert_eq!(world.history(), ["revise", "revise", "pause"]);
    assert_ne!(world.first().status, Status::Completed);
}

#[test]
fn every_quality_gate_check_must_pass() {
    for check in ["q1_files", "q2_todo", "q3_omission"] {
        for (status, expected) in [
            (CheckStatus::Fail, "revise"),
            (CheckStatus::Unavailable, "pause"),
            (CheckStatus::Skipped, "advance"),
            (CheckStatus::Pass, "advance"),
        ] {
            let checks = vec![vec![(check.to_owned(), status)], vec![]];
            let script = Script { checks, ..Script::default() };
            let world = World::play(phase("implementation", quality_gate()), script);
            assert_eq!(world.history()[0], expected, "{check} {status:?}");
        }
    }
}

#[test]
fn failed_check_leads_to_a_revision() {
    let world = play(&[TODO, CLEAN]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.first().counters.passes, 2);
    assert_eq!(world.run().outcome, RunOutcome::Completed);
    let verdicts: Vec<_> = world.first().history.rounds.iter().map(|round| round.verdict).collect();
    assert_eq!(verdicts, [None, None]);
}

#[test]
fn transient_error_is_redone_and_counted_as_an_attempt() {
    let world = play(&[ERROR, CLEAN]);
    assert_eq!(world.history(), ["redo", "advance"]);
    assert_eq!(world.first().counters.passes, 2);
    assert_eq!(world.first().calls.attempts.values().sum::<u32>(), 2);
    assert_eq!(world.first().history.rounds[0].attempts, 2);
    assert_eq!((world.first().history.rounds.len(), world.first().counters.revisions), (1, 0));
}

#[test]
fn redo_delays_of_a_step_grow() {
    let world = play(&[ERROR, ERROR, CLEAN]);
    let delays = (0..world.entries.len()).filter_map(|length| match decide(&world.cut(length).state) {
        Decision::Perform(Action::CallAgent(call)) => Some((call.attempt, call.delay_ms)),
        _ => None,
    });
    let mut delays: Vec<_> = delays.collect();
    delays.dedup();
    assert!([(2, 1_000), (3, 2_000)].iter().all(|wanted| delays.contains(wanted)), "{delays:?}");
}

#[test]
fn partial_work_with_a_failed_check_is_redone() {
    let world = play(&[INCOMPLETE, CLEAN]);
    assert_eq!(world.history(), ["redo", "advance"]);
}

#[test]
fn quality_gate_defaults_are_three_passes_one_second_and_pause() {
    let policy = quality_gate();
    assert_eq!(policy.limits.max_passes, Some(3));
    assert_eq!(policy.limits.backoff_ms, 1_000);
    assert_eq!(policy.outcomes.exhausted, UnapprovedEnd::Pause);
}

#[test]
fn pass_limit_pauses_for_a_person() {
    let world = play(&[TODO]);
    let asked = world.run().paused.as_ref().expect("a question");
    assert_eq!(asked.reason, PauseReason::Exhausted);
    assert_eq!(
        asked.question,
        "implementation is not approved and has used revisions 2/2: check q2_todo: q2_todo was looked at. \
         Go on, accept it as it is, or give up?"
    );
    assert_eq!(
        asked.options,
        [PauseChoice::Continue, PauseChoice::Edited, PauseChoice::Accept, PauseChoice::GiveUp]
    );
    assert_eq!(
        asked.report,
        [
            "round 1: no verdict, 1 findings, 1 failed check, revise",
            "round 2: no verdict, 1 findings, 1 failed check, revise",
            "round 3: check q2_todo: q2_todo was looked at, now",
            "check q2_todo: q2_todo was looked at",
        ]
    );
    assert_eq!((world.first().status, world.run().outcome), (Status::Paused, RunOutcome::Paused));
    assert_eq!(world.first().counters.passes, 3);
}

#[test]
fn on_exhausted_incomplete_fails_the_phase_and_marks_the_run_incomplete() {
    let mut policy = quality_gate();
    policy.outcomes.exhausted = UnapprovedEnd::Incomplete;
    let world = World::play(phase("implementation", policy), outputs(&[TODO]));
    assert_eq!(world.history(), ["revise", "revise", "fail"]);
    assert_eq!((world.first().status, world.run().outcome), (Status::Failed, RunOutcome::Incomplete));
    assert!(world.first().incomplete);
}

#[test]
fn configured_pass_limit_sets_the_number_of_passes() {
    let mut policy = quality_gate();
    (policy.limits.max_passes, policy.limits.max_revisions) = (Some(5), 4);
    let world = World::play(phase("implementation", policy), outputs(&[TODO]));
    assert_eq!(world.first().counters.passes, 5);
}

#[test]
fn redos_count_as_passes_and_the_rule_names_the_reached_limit() {
    for (script, history) in [
        ([ERROR, ERROR, ERROR], ["redo", "redo", "pause"]),
        ([ERROR, TODO, TODO], ["redo", "revise", "pause"]),
        ([TODO, ERROR, TODO], ["revise", "redo", "pause"]),
    ] {
        let world = play(&script);
        assert_eq!(world.history(), history, "{script:?}");
        assert_eq!(world.first().counters.passes, 3, "{script:?}");
        assert!(world.last_rule().ends_with("passes 3/3 used; on exhausted: pause"), "{}", world.last_rule());
    }
}

#[test]
fn continue_resets_the_pass_limit_for_the_failed_step() {
    let mut world = play(&[ERROR, ERROR, ERROR, CLEAN]);
    assert_eq!(world.answer(PauseChoice::Continue, ""), RunOutcome::Completed);
    assert_eq!(world.history(), ["redo", "redo", "pause", "advance"]);
    let rounds: Vec<_> =
        world.first().history.rounds.iter().map(|round| (round.n, round.ruling, round.attempts)).collect();
    assert_eq!(rounds, [(1, "advance", 4)]);
}

fn reviewed(reviews: Vec<super::world::Review>) -> World {
    let script = Script { reviews, ..Script::default() };
    World::play(phase("implementation", phase_review()), script)
}

#[test]
fn unreadable_review_is_no_pass_and_timeouts_are_repeated_twice() {
    let garbage = reviewed(vec![unreadable(), unreadable(), passes()]);
    assert_eq!(garbage.history(), ["redo", "revise", "advance"]);
    let late = reviewed(vec![no_answer()]);
    assert_eq!(late.history(), ["redo", "redo", "pause"]);
    let once = reviewed(vec![no_answer(), fails(), passes()]);
    assert_eq!(once.history(), ["redo", "revise", "advance"]);
}

#[test]
fn author_without_output_is_judged_by_the_checks() {
    let silent = Work { outcome: ExecOutcome::NoOutput, changes: false, ..done() };
    let checks = vec![vec![("q1_files".into(), CheckStatus::Fail)], vec![]];
    let script = Script { work: vec![silent, done()], checks, ..Script::default() };
    let world = World::play(phase("implementation", quality_gate()), script);
    assert_eq!(world.history(), ["revise", "advance"]);
}

#[test]
fn approval_requires_all_quality_criteria_and_the_template_evaluator() {
    let mut policy = quality_gate();
    policy.checks.push(CheckRule { id: "escape_phrases".into(), ..policy.checks[0].clone() });
    for (failing, expected) in [
        (vec![], "advance"),
        (vec!["q2_todo"], "revise"),
        (vec!["escape_phrases"], "revise"),
        (vec!["q2_todo", "escape_phrases"], "revise"),
    ] {
        let checks = failing.iter().map(|check| ((*check).to_owned(), CheckStatus::Fail)).collect();
        let script = Script { checks: vec![checks, vec![]], ..Script::default() };
        let world = World::play(phase("implementation", policy.clone()), script);
        assert_eq!(world.history()[0], expected, "{failing:?}");
        let failed: Vec<_> =
            world.first().history.rounds[0].failed.iter().map(|result| &result.check).collect();
        assert_eq!(failed, failing, "all of them are told at once");
    }
}

#[test]
fn view_lists_the_failed_checks_of_each_round() {
    let world = play(&[TODO, CLEAN]);
    let view = metadata(&world.state, "").expect("a view");
    let rounds = &view.phases["implementation"]["rounds"];
    let summary = "q2_todo was looked at";
    let kind = "check_failure";
    let failed = json!([{"check": "q2_todo", "status": "fail", "summary": summary, "failure_type": kind}]);
    assert_eq!(rounds[0]["checks"], failed);
    assert_eq!(rounds[1].get("checks"), None);
}
