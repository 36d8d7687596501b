//! The budget: no call begins when a limit is used up; raising it goes on where the run stood.

use engine::{Action, Call, Decision, Status, decide, over_budget};
use model::call::CallBudget;
use model::event::{Fact, PauseChoice, PauseReason, RunOutcome, RunRequested, SpentOnDay, UsageTotal};
use model::policy::{Budget, BudgetScopes};

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
fn each_used_up_limit_pauses_the_run_before_the_next_call() {
    for (budget, limit) in [
        (Budget { usd: Some(0.25), ..Budget::default() }, "0.25 of 0.25 USD"),
        (Budget { tokens: Some(1_200), ..Budget::default() }, "1200 of 1200 tokens"),
        (calls(1), "1 of 1 agent calls"),
    ] {
        let mut world = limited(budget);
        assert_eq!(world.execute(), RunOutcome::Paused);
        let asked = world.run().paused.clone().expect("a pause");
        assert_eq!(asked.reason, PauseReason::Budget);
        let question =
            format!("The budget is used up: {limit}. Raise it and execute again, or cancel the run.");
        assert_eq!(asked.question, question);
        assert_eq!(world.run().spending.total.calls, 1);
        assert_eq!(world.first().status, Status::InProgress);
    }
}

#[test]
fn agent_working_time_is_limited() {
    let mut spent = UsageTotal { millis: 59_999, ..Default::default() };
    let budget = Budget { minutes: Some(1), ..Budget::default() };
    assert_eq!(over_budget(&budget, &spent), None);
    spent.millis = 60_000;
    assert_eq!(over_budget(&budget, &spent).as_deref(), Some("1.0 of 1 minutes"));
}

#[test]
fn raised_budget_continues_the_run_where_it_paused() {
    let mut world = limited(calls(1));
    world.execute();
    assert_eq!(world.execute_with(calls(2)), RunOutcome::Completed);
    assert_eq!(world.history(), ["advance"]);
    assert_eq!(world.run().spending.budget, calls(2));
}

#[test]
fn resuming_without_a_raised_budget_pauses_again_without_a_call() {
    let mut world = limited(calls(1));
    for _ in 0..3 {
        assert_eq!(world.execute(), RunOutcome::Paused);
    }
    assert_eq!(world.answer(PauseChoice::Continue, ""), RunOutcome::Paused);
    assert_eq!(world.run().spending.total.calls, 1);
}

fn usd(most: f64) -> Budget {
    Budget { usd: Some(most), ..Budget::default() }
}

/// A run of two phases whose calls cost so much.
fn costing(cost_usd: Option<f64>, budget: Budget, scopes: BudgetScopes) -> World {
    let phases = ["planning", "design"].map(|name| phase(name, phase_review()));
    let mut agreed = agreement(phases.to_vec());
    agreed.budget = budget;
    agreed.budget_scopes = scopes;
    let mut world = World::new(agreed);
    world.cost_usd = cost_usd;
    world
}

fn asked(world: &World) -> String {
    world.run().paused.as_ref().map(|asked| asked.question.clone()).unwrap_or_default()
}

fn notes(world: &World) -> Vec<(&str, &str)> {
    world.run().notes.iter().map(|(kind, text)| (kind.as_str(), text.as_str())).collect()
}

fn next_call(world: &World) -> Call {
    match decide(&world.state) {
        Decision::Perform(Action::CallAgent(call)) => *call,
        other => panic!("no call: {other:?}"),
    }
}

#[test]
fn call_expected_to_exceed_the_limit_is_not_started() {
    let mut world = costing(Some(1.0), usd(2.5), BudgetScopes::default());
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert_eq!((world.run().spending.total.calls, world.run().spending.total.cost_usd), (2, 2.0));
    assert_eq!(
        asked(&world),
        "The budget leaves too little: 2.00 of 2.50 USD, and a call like the next took 1.00. Raise it and execute \
         again, or cancel the run."
    );
    assert_eq!(notes(&world), [("budget", "80 % of the run's budget is used: 2.00 of 2.50 USD")]);
    assert_eq!(world.execute_with(usd(4.0)), RunOutcome::Completed);
}

#[test]
fn expected_cost_of_a_revision_is_the_cost_of_the_first_work() {
    let script = super::world::Script { reviews: vec![super::world::fails()], ..Default::default() };
    let mut world = costing(Some(1.0), usd(2.5), BudgetScopes::default());
    world = world.script(&super::world::name("planning"), script);
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert_eq!(world.run().spending.total.calls, 2);
}

#[test]
fn tokens_are_reserved_and_invalid_costs_count_as_zero() {
    let mut world =
        costing(Some(1.0), Budget { tokens: Some(3_000), ..Budget::default() }, BudgetScopes::default());
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert_eq!(world.run().spending.total.calls, 2);
    for odd in [Some(f64::NAN), Some(-7.0), Some(f64::INFINITY), None] {
        let mut world = costing(odd, usd(0.5), BudgetScopes::default());
        assert_eq!(world.execute(), RunOutcome::Completed, "{odd:?}");
        assert_eq!(
            (world.run().spending.total.cost_usd, world.run().spending.total.unpriced_calls),
            (0.0, 4),
            "{odd:?}"
        );
    }
}

#[test]
fn each_phase_has_its_own_budget_and_raising_it_resumes_the_run() {
    let scopes = |most| BudgetScopes { phase: usd(most), ..BudgetScopes::default() };
    let mut world = costing(Some(1.0), Budget::default(), scopes(2.0));
    assert_eq!(world.execute(), RunOutcome::Completed, "two calls in each phase");
    let mut world = costing(Some(1.0), Budget::default(), scopes(1.0));
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert_eq!(
        asked(&world),
        "The budget of planning is used up: 1.00 of 1.00 USD. Raise it and execute again, or cancel the run."
    );
    let raised = RunRequested { budget_scopes: Some(scopes(2.0)), ..RunRequested::default() };
    assert_eq!(world.ask(raised), RunOutcome::Completed);
    assert_eq!(notes(&world), []);
}

#[test]
fn daily_budget_counts_other_runs_and_resets_at_midnight() {
    let scopes = BudgetScopes { day: usd(5.0), ..BudgetScopes::default() };
    let mut world = costing(Some(1.0), Budget::default(), scopes);
    let today = world.run().updated_at.to_zoned(jiff::tz::TimeZone::UTC).date();
    let spent = UsageTotal { cost_usd: 4.0, ..UsageTotal::default() };
    world.record(Fact::SpentElsewhere(SpentOnDay { day: today, spent }));
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert!(
        asked(&world).starts_with("The budget of the day is used up: 5.00 of 5.00 USD"),
        "{}",
        asked(&world)
    );
    let midnight =
        today.tomorrow().expect("a day").to_zoned(jiff::tz::TimeZone::UTC).expect("a time").timestamp();
    assert_eq!(world.run().paused.as_ref().and_then(|asked| asked.until), Some(midnight));
    assert_eq!(world.execute(), RunOutcome::Paused, "the same day");
    world.later = 86_400;
    assert_eq!(world.execute(), RunOutcome::Completed);
}

#[test]
fn spending_of_another_day_does_not_count_today() {
    let scopes = BudgetScopes { day: usd(5.0), ..BudgetScopes::default() };
    let mut world = costing(Some(1.0), Budget::default(), scopes);
    let spent = UsageTotal { cost_usd: 100.0, ..UsageTotal::default() };
    world.record(Fact::SpentElsewhere(SpentOnDay { day: jiff::civil::date(2023, 1, 1), spent }));
    assert_eq!(world.execute(), RunOutcome::Completed);
}

#[test]
fn call_allowance_is_the_rest_of_the_tightest_limit() {
    let budget = Budget { usd: Some(5.0), tokens: Some(9_000), turns: Some(90), ..Budget::default() };
    let step = Budget { usd: Some(4.5), minutes: Some(20), turns: Some(40), ..Budget::default() };
    let scopes =
        BudgetScopes { step, phase: Budget { minutes: Some(2), ..usd(9.0) }, ..BudgetScopes::default() };
    let mut world = costing(Some(1.0), budget, scopes);
    world.record(Fact::RunRequested(RunRequested::default()));
    let Decision::Perform(start) = decide(&world.state) else { panic!("no start") };
    world.perform(start);
    let first = CallBudget { usd: Some(4.5), tokens: Some(9_000), turns: Some(40), seconds: Some(120) };
    assert_eq!(next_call(&world).allowance, first);
    world.perform(Action::CallAgent(Box::new(next_call(&world))));
    world.perform(Action::RunChecks { phase: super::world::name("planning"), round: 1 });
    let second = CallBudget { usd: Some(4.0), tokens: Some(7_800), turns: Some(40), seconds: Some(90) };
    assert_eq!(next_call(&world).allowance, second);
    assert_eq!(next_call(&costing_at_first_call()).allowance, CallBudget::default());
}

fn costing_at_first_call() -> World {
    let mut world = costing(None, Budget::default(), BudgetScopes::default());
    let Decision::Perform(start) = decide(&world.state) else { panic!("no start") };
    world.perform(start);
    world
}

#[test]
fn budget_warning_appears_once_per_limit_and_again_after_a_raise() {
    let mut world = costing(Some(1.0), Budget { calls: Some(4), ..usd(4.9) }, BudgetScopes::default());
    world.execute();
    assert_eq!(notes(&world), []);
    let mut world = costing(Some(1.0), usd(3.7), BudgetScopes::default());
    assert_eq!(world.execute(), RunOutcome::Paused);
    let first = ("budget", "81 % of the run's budget is used: 3.00 of 3.70 USD");
    assert_eq!(notes(&world), [first]);
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert_eq!(notes(&world), [first]);
    assert_eq!(world.execute_with(usd(3.75)), RunOutcome::Paused);
    assert_eq!(notes(&world), [first, ("budget", "80 % of the run's budget is used: 3.00 of 3.75 USD")]);
}

#[test]
fn a_new_request_resumes_only_pauses_that_need_no_answer() {
    for (reason, outcome) in [
        (PauseReason::Budget, RunOutcome::Completed),
        (PauseReason::Quota, RunOutcome::Completed),
        (PauseReason::Outage, RunOutcome::Completed),
        (PauseReason::JobLimit, RunOutcome::Completed),
        (PauseReason::RateLimit, RunOutcome::Completed),
        (PauseReason::Blocked, RunOutcome::Paused),
        (PauseReason::Discuss, RunOutcome::Paused),
        (PauseReason::OnRequest, RunOutcome::Paused),
    ] {
        let mut world = limited(Budget::default());
        let escalation = model::event::Escalation {
            reason,
            phase: None,
            question: "?".into(),
            options: vec![],
            report: vec![],
            until: None,
        };
        world.record(Fact::Paused { escalation });
        assert_eq!(world.ask(RunRequested::default()), outcome, "{reason:?}");
    }
}

fn of_a_call(step: Budget) -> BudgetScopes {
    BudgetScopes { step, ..BudgetScopes::default() }
}

#[test]
fn a_call_above_the_call_limit_pauses_the_run_before_the_next_call() {
    for (step, told) in [
        (usd(0.5), "1.00 of 0.50 USD"),
        (Budget { tokens: Some(1_199), ..Budget::default() }, "1200 of 1199 tokens"),
    ] {
        let mut world = costing(Some(1.0), Budget::default(), of_a_call(step));
        assert_eq!(world.execute(), RunOutcome::Paused);
        let question = format!(
            "The latest call used more than a call may: {told}. Raise it and execute again, or cancel the run."
        );
        let asked = world.run().paused.clone().expect("a pause");
        assert_eq!((asked.reason, asked.question, asked.until), (PauseReason::Budget, question, None));
        assert_eq!(world.execute(), RunOutcome::Paused, "not raised");
        assert_eq!(world.run().spending.total.calls, 1);
        let mut answered = world.clone();
        assert_eq!(
            answered.answer(PauseChoice::Continue, ""),
            RunOutcome::Paused,
            "the next call does the same"
        );
        assert_eq!(answered.run().spending.total.calls, 2);
        let raised = RunRequested { budget_scopes: Some(BudgetScopes::default()), ..RunRequested::default() };
        assert_eq!(world.ask(raised), RunOutcome::Completed);
    }
}

#[test]
fn a_call_exactly_at_the_call_limit_does_not_pause_the_run() {
    let step = Budget { usd: Some(1.0), tokens: Some(1_200), ..Budget::default() };
    let mut world = costing(Some(1.0), Budget::default(), of_a_call(step));
    assert_eq!(world.execute(), RunOutcome::Completed);
}

#[test]
fn a_call_stopped_at_a_limit_pauses_the_run_and_is_no_agent_failure() {
    use super::world::{Script, done, ends, name};
    let over = || ends(model::event::ExecOutcome::OverBudget);
    let tokens = |most| Budget { tokens: Some(most), ..Budget::default() };
    let phase = |budget| BudgetScopes { phase: budget, ..BudgetScopes::default() };
    let day = |budget| BudgetScopes { day: budget, ..BudgetScopes::default() };
    for (budget, scopes, told) in [
        (tokens(1_000), BudgetScopes::default(), "The budget is used up: 1200 of 1000 tokens"),
        (usd(0.9), BudgetScopes::default(), "The budget is used up: 1.00 of 0.90 USD"),
        (Budget::default(), phase(tokens(1_000)), "The budget of planning is used up: 1200 of 1000 tokens"),
        (Budget::default(), day(usd(0.9)), "The budget of the day is used up: 1.00 of 0.90 USD"),
        (
            Budget::default(),
            of_a_call(usd(0.9)),
            "The latest call used more than a call may: 1.00 of 0.90 USD",
        ),
    ] {
        let world = costing(Some(1.0), budget, scopes);
        let work = vec![over(), over(), over(), over(), done()];
        let mut world = world.script(&name("planning"), Script { work, ..Script::default() });
        assert_eq!(world.execute(), RunOutcome::Paused);
        assert!(asked(&world).starts_with(told), "{}", asked(&world));
        assert_eq!(world.run().paused.as_ref().map(|asked| asked.reason), Some(PauseReason::Budget));
        let counters = &world.first().counters;
        assert_eq!((counters.passes, counters.redos.len(), world.run().spending.total.calls), (0, 0, 1));
        for calls in 2..=4_u32 {
            let raised = Budget { usd: Some(0.95), tokens: Some(1_100), ..Budget::default() };
            let scopes = BudgetScopes { step: raised.clone(), phase: raised.clone(), day: raised.clone() };
            let most = f64::from(calls);
            let room = Budget { usd: Some(most - 0.1), tokens: None, ..Budget::default() };
            let wide = BudgetScopes { step: room.clone(), phase: room.clone(), day: room.clone() };
            let not_enough =
                RunRequested { budget: Some(raised), budget_scopes: Some(scopes), ..RunRequested::default() };
            assert_eq!(world.ask(not_enough), RunOutcome::Paused, "not raised enough");
            assert_eq!(world.run().spending.total.calls, u64::from(calls) - 1);
            let enough =
                RunRequested { budget: Some(room), budget_scopes: Some(wide), ..RunRequested::default() };
            assert_eq!(world.ask(enough), RunOutcome::Paused);
            assert_eq!(world.run().spending.total.calls, u64::from(calls));
        }
        let lifted = BudgetScopes::default();
        let free = RunRequested {
            budget: Some(Budget::default()),
            budget_scopes: Some(lifted),
            ..RunRequested::default()
        };
        assert_eq!(world.ask(free), RunOutcome::Completed);
        assert_eq!(world.first().counters.passes, 1);
        assert_eq!(world.history(), ["pause", "pause", "pause", "pause", "advance"]);
    }
}

#[test]
fn a_program_that_stops_at_its_given_limit_does_not_exceed_it() {
    use super::world::{Script, done, ends, name};
    let work = vec![ends(model::event::ExecOutcome::LimitReached), done()];
    let scopes = of_a_call(usd(0.9));
    let world = costing(Some(1.0), Budget::default(), scopes);
    let mut world = world.script(&name("planning"), Script { work, ..Script::default() });
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert_eq!(
        (world.run().spending.total.calls, world.history()),
        (2, vec!["redo"]),
        "the second one has not kept it"
    );
}

#[test]
fn unpriced_calls_under_a_money_limit_are_noted_once() {
    let text = |most| {
        format!(
            "the price of author is not known: its calls count by tokens only; the limit of {most} USD does not see \
             them"
        )
    };
    let of_phase = BudgetScopes { phase: usd(3.0), ..BudgetScopes::default() };
    let of_day = BudgetScopes { day: usd(4.0), ..BudgetScopes::default() };
    for (budget, scopes, most) in [
        (usd(20.0), of_phase.clone(), "20.00"),
        (Budget::default(), of_phase, "3.00"),
        (Budget::default(), of_day, "4.00"),
        (Budget::default(), of_a_call(usd(5.0)), "5.00"),
    ] {
        let mut world = costing(None, budget, scopes);
        assert_eq!(world.execute(), RunOutcome::Completed);
        assert_eq!(notes(&world), [("budget", text(most).as_str())]);
    }
    let mut unlimited = costing(None, Budget::default(), BudgetScopes::default());
    assert_eq!(unlimited.execute(), RunOutcome::Completed);
    assert_eq!(notes(&unlimited), []);
    let mut priced = costing(Some(1.0), usd(20.0), BudgetScopes::default());
    assert_eq!(priced.execute(), RunOutcome::Completed);
    assert_eq!(notes(&priced), []);
}

#[test]
fn budget_warnings_appear_once_and_name_their_scope() {
    let step = BudgetScopes { step: usd(1.2), ..BudgetScopes::default() };
    let mut world = costing(Some(1.0), Budget::default(), step);
    assert_eq!(world.execute(), RunOutcome::Completed);
    assert_eq!(notes(&world), [("budget", "83 % of the budget of a call is used: 1.00 of 1.20 USD")]);
    let of_phase = BudgetScopes { phase: usd(2.4), ..BudgetScopes::default() };
    let mut world = costing(Some(2.0), Budget::default(), of_phase);
    assert_eq!(world.execute(), RunOutcome::Paused);
    let warned = |phase| format!("83 % of the budget of {phase} is used: 2.00 of 2.40 USD");
    assert_eq!(notes(&world), [("budget", &*warned("planning")), ("budget", &*warned("design"))]);
}

#[test]
fn usage_of_all_active_limits_is_shown_on_one_line() {
    let used = |world: &World| views::summary::used_line(world.run()).expect("a phase is current");
    let budget = Budget { usd: Some(15.0), calls: Some(2), ..Budget::default() };
    let scopes = BudgetScopes { phase: usd(4.0), day: usd(9.0), ..BudgetScopes::default() };
    let mut world = costing(Some(1.55), budget, scopes);
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert_eq!(
        used(&world),
        "0 of 3 revisions of design, $3.10 of $15.00, 2 of 2 agent calls, $0.00 of $4.00 for design, $3.10 of $9.00 today"
    );
    let passes = World::new(agreement(vec![phase("planning", super::policies::quality_gate())]));
    assert_eq!(used(&passes), "0 of 3 passes of planning");
}
