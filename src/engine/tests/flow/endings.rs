//! How a run stands that has halted: the five lines that end its output, and the phase that metadata names.

use model::event::{CheckStatus, Fact, RunOutcome};
use model::policy::{Gate, PhaseDef, Policy, UnapprovedEnd};
use views::metadata::metadata;
use views::summary::RunEnding;

use super::policies::{agreement, chain, phase, phase_review, quality_gate, retake};
use super::world::{Script, World, crashes, fails, name, no_answer};

fn two(policy: &Policy, script: Script) -> World {
    let phases = ["planning", "implementation"].map(|name| phase(name, policy.clone()));
    World::new(agreement(chain(phases))).script(&name("implementation"), script)
}

/// A run of two phases that halts in the second.
fn halted(policy: &Policy, script: Script) -> World {
    let mut world = two(policy, script);
    world.execute();
    world
}

fn ending(world: &World) -> String {
    RunEnding::of(world.run()).lines()
}

fn phases_named(world: &World) -> (Option<String>, Option<String>) {
    let view = metadata(&world.state, "").expect("a view");
    (view.current_phase.map(|name| name.to_string()), view.last_phase.map(|name| name.to_string()))
}

fn rejected() -> Script {
    Script { reviews: vec![fails()], ..Script::default() }
}

fn red(check: &str) -> Script {
    Script { checks: vec![vec![(check.to_owned(), CheckStatus::Fail)]], ..Script::default() }
}

fn with_exhausted(mut policy: Policy, exhausted: UnapprovedEnd) -> Policy {
    policy.outcomes.exhausted = exhausted;
    policy
}

fn cancelled() -> World {
    let mut world = halted(&retake(), rejected());
    world.record(Fact::Cancelled { by: "ada".into() });
    world
}

/// One run for each end.
fn all_ends() -> Vec<(RunOutcome, World)> {
    let incomplete = with_exhausted(phase_review(), UnapprovedEnd::Incomplete);
    vec![
        (RunOutcome::Completed, halted(&phase_review(), Script::default())),
        (RunOutcome::Failed, halted(&phase_review(), rejected())),
        (RunOutcome::Incomplete, halted(&incomplete, rejected())),
        (RunOutcome::Paused, halted(&retake(), rejected())),
        (RunOutcome::Cancelled, cancelled()),
    ]
}

#[test]
fn each_end_of_a_run_is_told_as_result_task_next_why_and_hint() {
    let told = all_ends().into_iter().map(|(outcome, world)| {
        assert_eq!(world.run().outcome, outcome);
        ending(&world)
    });
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r#"
    RESULT: completed, 2 of 2 phases completed
    TASK:   #243 Totals are wrong
    NEXT:   ai-workflow finalize --issue 243
    WHY:    every phase is completed
    HINT:   `git diff refs/heads/main...refs/heads/ai-workflow/issue-243` shows what was done

    RESULT: failed: implementation (retry_limit)
    TASK:   #243 Totals are wrong
    NEXT:   ai-workflow execute --phase all --issue 243 --retry-failed
    WHY:    the last review states FAIL
    HINT:   `ai-workflow explain --issue 243` shows each round and what it led to

    RESULT: incomplete: implementation (retry_limit)
    TASK:   #243 Totals are wrong
    NEXT:   ai-workflow execute --phase all --issue 243 --retry-failed
    WHY:    the last review states FAIL
    HINT:   `ai-workflow explain --issue 243` shows each round and what it led to

    RESULT: paused, 1 of 2 phases completed
    TASK:   #243 Totals are wrong
    NEXT:   ai-workflow resume --issue 243 --answer "your advice"
    WHY:    its limit is reached and nothing is approved
    HINT:   `ai-workflow status --issue 243` shows the question and every answer

    RESULT: cancelled, 1 of 2 phases completed
    TASK:   #243 Totals are wrong
    NEXT:   ai-workflow cleanup --issue 243
    WHY:    a person cancelled the run
    HINT:   the commits on ai-workflow/issue-243 stay until then
    "#);
}

#[test]
fn the_reason_of_a_failure_names_what_failed() {
    let broken = Script { work: vec![crashes()], ..Script::default() };
    let silent = Script { reviews: vec![no_answer()], ..Script::default() };
    let worlds = [
        halted(&phase_review(), red("deliverable")),
        halted(&phase_review(), broken),
        halted(&phase_review(), silent),
        halted(&quality_gate(), red("q2_todo")),
    ];
    let why = worlds.map(|world| RunEnding::of(world.run()).why);
    insta::assert_snapshot!(why.join("\n"), @"
    the check deliverable failed
    no agent finished the execute step
    no reviewer answered
    its limit is reached and nothing is approved
    ");
    assert!(why.iter().all(|why| why.chars().count() <= 50), "{why:#?}");
}

#[test]
fn a_run_that_stops_before_a_phase_says_so() {
    let closed = PhaseDef { gate: Gate::NoGo, ..phase("implementation", phase_review()) };
    let mut world = World::new(agreement(chain([phase("planning", phase_review()), closed])));
    assert_eq!(world.execute(), RunOutcome::Completed);
    insta::assert_snapshot!(ending(&world), @"
    RESULT: completed, 1 of 2 phases completed
    TASK:   #243 Totals are wrong
    NEXT:   ai-workflow finalize --issue 243
    WHY:    the run stops before implementation
    HINT:   `git diff refs/heads/main...refs/heads/ai-workflow/issue-243` shows what was done
    ");
}

#[test]
fn no_phase_is_current_once_the_run_is_over_and_the_last_one_is_kept() {
    for (outcome, world) in all_ends() {
        let current = if outcome == RunOutcome::Paused { Some("implementation".to_owned()) } else { None };
        assert_eq!(phases_named(&world), (current, Some("implementation".to_owned())), "{outcome:?}");
    }
    let mut world = two(&phase_review(), rejected());
    assert_eq!(phases_named(&world), (Some("planning".to_owned()), None));
    world.execute_only("planning", false);
    assert_eq!(phases_named(&world), (Some("implementation".to_owned()), Some("planning".to_owned())));
}
