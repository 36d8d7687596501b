//! The budget: no call begins when a limit is used up; raising it goes on where the run stood.

use ai_workflow::event::{Asked, Choice, Fact, Outcome, PauseReason};
use ai_workflow::flow::{Status, over_budget};
use ai_workflow::policy::Budget;

use super::policies::{agreement, phase, phase_review};
use super::world::World;

fn limited(budget: Budget) -> World {
    let mut agreed = agreement(vec![phase("planning", phase_review())]);
    agreed.budget = budget;
    World::new(agreed)
}

fn calls(most: u64) -> Budget {
    Budget { calls: Some(most), ..Budget::default() }
}

#[test]
fn each_limit_pauses_the_run_before_the_next_call_and_is_named() {
    for (budget, limit) in [
        (Budget { usd: Some(0.25), ..Budget::default() }, "0.25 of 0.25 USD"),
        (Budget { tokens: Some(1_200), ..Budget::default() }, "1200 of 1200 tokens"),
        (calls(1), "1 of 1 agent calls"),
    ] {
        let mut world = limited(budget);
        assert_eq!(world.execute(), Outcome::Paused);
        let asked = world.run().paused.clone().expect("a pause");
        assert_eq!(asked.reason, PauseReason::Budget);
        let question =
            format!("The budget is used up: {limit}. Raise it and execute again, or cancel the run.");
        assert_eq!(asked.question, question);
        assert_eq!(world.run().spent.calls, 1);
        assert_eq!(world.first().status, Status::InProgress);
    }
}

#[test]
fn time_of_agents_at_work_is_a_limit_too() {
    let mut spent = ai_workflow::flow::Spent { millis: 59_999, ..Default::default() };
    let budget = Budget { minutes: Some(1), ..Budget::default() };
    assert_eq!(over_budget(&budget, &spent), None);
    spent.millis = 60_000;
    assert_eq!(over_budget(&budget, &spent).as_deref(), Some("1.0 of 1 minutes"));
}

#[test]
fn a_raised_budget_goes_on_where_the_run_stood() {
    let mut world = limited(calls(1));
    world.execute();
    assert_eq!(world.execute_with(calls(2)), Outcome::Completed);
    assert_eq!(world.history(), ["advance"]);
    assert_eq!(world.run().budget, calls(2));
}

#[test]
fn asking_again_without_raising_it_pauses_again_and_costs_nothing() {
    let mut world = limited(calls(1));
    for _ in 0..3 {
        assert_eq!(world.execute(), Outcome::Paused);
    }
    assert_eq!(world.answer(Choice::Continue, ""), Outcome::Paused);
    assert_eq!(world.run().spent.calls, 1);
}

#[test]
fn only_a_pause_that_passes_by_itself_is_ended_by_asking() {
    for (reason, outcome) in [
        (PauseReason::Budget, Outcome::Completed),
        (PauseReason::Quota, Outcome::Completed),
        (PauseReason::JobLimit, Outcome::Completed),
        (PauseReason::Blocked, Outcome::Paused),
        (PauseReason::Discuss, Outcome::Paused),
    ] {
        let mut world = limited(Budget::default());
        let escalation = ai_workflow::event::Escalation {
            reason,
            phase: None,
            question: "?".into(),
            options: vec![],
            report: vec![],
            until: None,
        };
        world.record(Fact::Paused { escalation });
        assert_eq!(world.ask(Asked::default()), outcome, "{reason:?}");
    }
}
