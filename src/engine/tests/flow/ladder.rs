//! The ladder of a task that stays open (of the retake loop): the same agent, the next of its chain, a person.

use model::event::{Fact, PauseChoice, PauseReason, RunOutcome};
use model::finding::Severity;
use model::phase::Step;
use model::policy::{PhaseDef, Policy, UnapprovedEnd};

use super::policies::{phase, phase_review};
use super::world::{Review, Script, World, fails, passes};

fn policy(max_tries: Option<u32>, max_revisions: u32) -> Policy {
    let mut policy = phase_review();
    (policy.limits.max_tries, policy.limits.max_revisions) = (max_tries, max_revisions);
    policy.outcomes.exhausted = UnapprovedEnd::Pause;
    policy
}

fn names(issue: &str) -> Review {
    fails().with(Severity::Major, issue)
}

fn play(policy: Policy, agents: &[&str], reviews: Vec<Review>) -> World {
    let agents = agents.iter().map(|agent| (*agent).to_owned()).collect();
    let def = PhaseDef { agents, ..phase("implementation", policy) };
    World::play(def, Script { reviews, ..Script::default() })
}

/// The agents of the revisions in their order.
fn revised_by(world: &World) -> Vec<&str> {
    let calls = world.entries.iter().filter_map(|entry| match &entry.fact {
        Fact::StepStarted(call) if call.step == Step::Revise => Some(call.agent.as_str()),
        _ => None,
    });
    calls.collect()
}

#[test]
fn failed_revisions_pass_to_the_next_agent_and_then_to_a_person() {
    let mut world = play(policy(Some(3), 4), &["a", "b"], vec![names("wrong")]);
    assert_eq!(revised_by(&world), ["a", "a", "a", "b"]);
    let asked = world.run().paused.clone().expect("a question");
    assert_eq!(asked.reason, PauseReason::Exhausted);
    insta::assert_snapshot!(asked.report.join("\n"), @"
    Decision: FAIL
    The reviewer says: feedback of FAIL
    round 1: FAIL, 1 findings, revise
    round 2: FAIL, 1 findings, revise
    round 3: FAIL, 1 findings, revise, standstill: the same 1 problems for 3 rounds
    round 4: FAIL, 1 findings, revise, standstill: the same 1 problems for 3 rounds
    round 5: the reviewer states FAIL, now
    T1 src/lib.rs: tried by a, a, a, b
    major src/lib.rs: wrong
    ");
    assert_eq!(world.answer(PauseChoice::GiveUp, ""), RunOutcome::Failed);
}

#[test]
fn ruling_names_the_agent_that_takes_over_and_the_open_task() {
    let world = play(policy(Some(2), 3), &["a", "b"], vec![names("wrong")]);
    let rules: Vec<String> = world.rulings("implementation").into_iter().map(|ruled| ruled.rule).collect();
    insta::assert_snapshot!(rules.join("\n"), @"
    the reviewer states FAIL; revision 1/3
    the reviewer states FAIL; revision 2/3
    the reviewer states FAIL; revision 3/3; T1 stays open after a, b takes over
    the reviewer states FAIL; revisions 3/3 used; on exhausted: pause
    ");
}

#[test]
fn third_revision_of_a_task_goes_to_the_next_agent_by_default() {
    let world = play(phase_review(), &["a", "b"], vec![names("wrong")]);
    assert_eq!((revised_by(&world), world.run().outcome), (vec!["a", "a", "b"], RunOutcome::Failed));
}

#[test]
fn an_agent_that_takes_over_gets_one_attempt_before_the_next_one() {
    let world = play(policy(Some(2), 5), &["a", "b", "c"], vec![names("wrong")]);
    assert_eq!(revised_by(&world), ["a", "a", "b", "c", "c"]);
}

#[test]
fn new_problems_stay_with_the_same_author() {
    let each = vec![names("one"), names("two"), names("three"), passes()];
    assert_eq!(revised_by(&play(policy(Some(1), 3), &["a", "b"], each)), ["a", "a", "a"]);
}

#[test]
fn author_continues_without_another_agent_or_a_configured_limit() {
    let same = || vec![names("wrong")];
    assert_eq!(revised_by(&play(policy(Some(1), 3), &["a"], same())), ["a", "a", "a"]);
    assert_eq!(revised_by(&play(policy(None, 3), &["a", "b"], same())), ["a", "a", "a"]);
}

#[test]
fn advice_of_a_person_returns_the_task_to_the_first_agent() {
    let mut world = play(policy(Some(1), 2), &["a", "b"], vec![names("wrong")]);
    assert_eq!(revised_by(&world), ["a", "b"]);
    world.answer(PauseChoice::Continue, "try this");
    assert_eq!(revised_by(&world), ["a", "b", "a", "b"]);
}
