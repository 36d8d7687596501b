//! The policy quality-gate: checks judge, not the executor; three passes, two of them redos at most.

use engine::{Action, Decision, Status, decide};
use model::event::{CheckStatus, ClaimStatus, ExecOutcome, Fact, Outcome, PauseChoice, PauseReason};
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
fn a_02_an_iteration_is_execute_then_judge_then_a_ruling() {
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
fn a_03_an_executor_that_says_complete_is_not_believed() {
    let world = play(&[TODO]);
    assert_eq!(world.history(), ["revise", "revise", "pause"]);
    assert_ne!(world.first().status, Status::Completed);
}

#[test]
fn a_04_every_check_has_to_pass() {
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
fn a_05_a_failed_check_is_revised() {
    let world = play(&[TODO, CLEAN]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.first().counters.passes, 2);
    assert_eq!(world.run().outcome, Outcome::Completed);
    let verdicts: Vec<_> = world.first().history.rounds.iter().map(|round| round.verdict).collect();
    assert_eq!(verdicts, [None, None]);
}

#[test]
fn a_06_a_transient_error_is_redone_and_counted_in_history_and_total() {
    let world = play(&[ERROR, CLEAN]);
    assert_eq!(world.history(), ["redo", "advance"]);
    assert_eq!(world.first().counters.passes, 2);
    assert_eq!(world.first().calls.attempts.values().sum::<u32>(), 2);
    assert_eq!(world.first().history.rounds[0].attempts, 2);
    assert_eq!((world.first().history.rounds.len(), world.first().counters.revisions), (1, 0));
}

#[test]
fn a_06_the_same_step_is_redone_after_a_pause_that_grows() {
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
fn a_06_an_executor_that_ended_partially_is_redone_when_a_check_failed() {
    let world = play(&[INCOMPLETE, CLEAN]);
    assert_eq!(world.history(), ["redo", "advance"]);
}

#[test]
fn a_17_the_defaults_are_three_passes_one_second_and_a_question() {
    let policy = quality_gate();
    assert_eq!(policy.limits.max_passes, Some(3));
    assert_eq!(policy.limits.backoff_ms, 1_000);
    assert_eq!(policy.outcomes.exhausted, UnapprovedEnd::Pause);
}

#[test]
fn a_18_at_the_limit_a_person_is_asked() {
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
    assert_eq!((world.first().status, world.run().outcome), (Status::Paused, Outcome::Paused));
    assert_eq!(world.first().counters.passes, 3);
}

#[test]
fn a_18_without_escalation_the_phase_fails_and_the_run_is_incomplete() {
    let mut policy = quality_gate();
    policy.outcomes.exhausted = UnapprovedEnd::Incomplete;
    let world = World::play(phase("implementation", policy), outputs(&[TODO]));
    assert_eq!(world.history(), ["revise", "revise", "fail"]);
    assert_eq!((world.first().status, world.run().outcome), (Status::Failed, Outcome::Incomplete));
    assert!(world.first().incomplete);
}

#[test]
fn a_18_another_limit_is_another_number_of_passes() {
    let mut policy = quality_gate();
    (policy.limits.max_passes, policy.limits.max_revisions) = (Some(5), 4);
    let world = World::play(phase("implementation", policy), outputs(&[TODO]));
    assert_eq!(world.first().counters.passes, 5);
}

#[test]
fn k_05_redos_share_the_passes_and_the_message_names_the_limit_that_was_reached() {
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
fn k_05_a_person_who_goes_on_gets_fresh_passes_for_the_step_that_broke() {
    let mut world = play(&[ERROR, ERROR, ERROR, CLEAN]);
    assert_eq!(world.answer(PauseChoice::Continue, ""), Outcome::Completed);
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
fn a_25_unparsable_is_never_a_pass_and_a_timeout_is_asked_again_twice_at_most() {
    let garbage = reviewed(vec![unreadable(), unreadable(), passes()]);
    assert_eq!(garbage.history(), ["redo", "revise", "advance"]);
    let late = reviewed(vec![no_answer()]);
    assert_eq!(late.history(), ["redo", "redo", "pause"]);
    let once = reviewed(vec![no_answer(), fails(), passes()]);
    assert_eq!(once.history(), ["redo", "revise", "advance"]);
}

#[test]
fn a_25_an_executor_without_a_word_is_judged_by_its_checks() {
    let silent = Work { outcome: ExecOutcome::NoOutput, changes: false, ..done() };
    let checks = vec![vec![("q1_files".into(), CheckStatus::Fail)], vec![]];
    let script = Script { work: vec![silent, done()], checks, ..Script::default() };
    let world = World::play(phase("implementation", quality_gate()), script);
    assert_eq!(world.history(), ["revise", "advance"]);
}

#[test]
fn a_28_the_judgment_is_all_criteria_and_the_evaluator_of_the_template() {
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
fn the_view_tells_the_checks_that_did_not_pass_in_each_round() {
    let world = play(&[TODO, CLEAN]);
    let view = metadata(&world.state, "").expect("a view");
    let rounds = &view.phases["implementation"]["rounds"];
    let failed = json!([{"check": "q2_todo", "status": "fail", "summary": "q2_todo was looked at"}]);
    assert_eq!(rounds[0]["checks"], failed);
    assert_eq!(rounds[1].get("checks"), None);
}
