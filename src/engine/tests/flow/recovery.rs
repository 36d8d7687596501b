//! What each class of a broken call leads to: the same step again, the next agent, a wait, an end a person can act on.

use engine::{Status, StepPosition};
use model::event::{
    ExecOutcome, Fact, PauseChoice, PauseReason, Ruling, RunOutcome, RunRequested, StepStarted,
};
use model::phase::Step;
use model::policy::PhaseDef;

use super::policies::{agreement, chain, phase, phase_review};
use super::world::{
    Resets, Review, Script, Work, World, done, ends, fails, far_away, name, no_answer, passes,
};

fn with_agents(agents: &[&str]) -> PhaseDef {
    PhaseDef { agents: agents.iter().map(ToString::to_string).collect(), ..phase("planning", phase_review()) }
}

fn played(agents: &[&str], work: Vec<Work>) -> World {
    World::play(with_agents(agents), Script { work, ..Script::default() })
}

fn resets(outcome: ExecOutcome, resets: Resets) -> Work {
    Work { resets, ..ends(outcome) }
}

/// The agents that were called, in their order.
fn called(world: &World) -> Vec<&str> {
    let started = world.entries.iter().filter_map(|entry| match &entry.fact {
        Fact::StepStarted(started) => Some(started.agent.as_str()),
        _ => None,
    });
    started.collect()
}

fn delays(world: &World) -> Vec<u64> {
    let delay = |ruled: model::event::Ruled| match ruled.ruling {
        Ruling::Redo { delay_ms, .. } => Some(delay_ms),
        _ => None,
    };
    world.rulings("planning").into_iter().filter_map(delay).collect()
}

#[test]
fn temporary_failures_are_redone_and_then_the_next_agent_takes_over() {
    for outcome in [ExecOutcome::TimedOut, ExecOutcome::Idle, ExecOutcome::Crashed, ExecOutcome::LimitReached]
    {
        let world = played(&["claude", "codex"], vec![ends(outcome), ends(outcome), ends(outcome), done()]);
        assert_eq!(world.history(), ["redo", "redo", "redo", "advance"], "{outcome:?}");
        assert_eq!(called(&world), ["claude", "claude", "claude", "codex", "reviewer"], "{outcome:?}");
        assert_eq!(delays(&world), [1_000, 2_000, 0], "{outcome:?}");
        assert_eq!(world.first().counters.revisions, 0);
    }
}

#[test]
fn permanent_failures_go_to_the_next_agent_at_once() {
    for (outcome, told) in [
        (ExecOutcome::SignedOut, "claude is signed out; codex takes over"),
        (ExecOutcome::ModelUnknown, "claude does not know its model; codex takes over"),
        (ExecOutcome::Refused, "claude refuses; codex takes over"),
        (ExecOutcome::NotStarted, "claude could not be started; codex takes over"),
        (ExecOutcome::ContextTooLong, "claude cannot read that much; codex takes over"),
        (ExecOutcome::QuotaExhausted, "claude has used up its quota; codex takes over"),
        (ExecOutcome::RateLimited, "claude is slowed down by its provider; codex takes over"),
        (ExecOutcome::Overloaded, "claude has an overloaded provider; codex takes over"),
        (ExecOutcome::ProviderFailed, "claude has a provider that fails; codex takes over"),
    ] {
        let world = played(&["claude", "codex"], vec![ends(outcome), done()]);
        assert_eq!(world.history(), ["redo", "advance"], "{outcome:?}");
        assert_eq!(called(&world), ["claude", "codex", "reviewer"]);
        let fallbacks: Vec<_> = world.run().agents.fallbacks.iter().map(ToString::to_string).collect();
        assert_eq!(fallbacks, [told]);
        let ruled = &world.rulings("planning")[0];
        let to = Some("codex".to_owned());
        assert_eq!(
            ruled.ruling,
            Ruling::Redo { step: Step::Execute, delay_ms: 0, next_agent: true, takes_over: to }
        );
        assert!(ruled.rule.ends_with("codex takes over"), "{}", ruled.rule);
    }
}

#[test]
fn phase_without_a_usable_agent_fails_with_a_hint() {
    for (outcome, rule) in [
        (
            ExecOutcome::SignedOut,
            "execute: the agent is not signed in; sign in with the program itself, or name the variable of its \
             key; on agent_failed: fail",
        ),
        (
            ExecOutcome::ModelUnknown,
            "execute: the model is not known to this account; name a model that this account may use; \
             on agent_failed: fail",
        ),
        (
            ExecOutcome::Refused,
            "execute: the model refuses; say in the issue what it is for, or name another agent; \
             on agent_failed: fail",
        ),
        (
            ExecOutcome::NotStarted,
            "execute: it could not be started; install the program, or name another agent; on agent_failed: fail",
        ),
        (
            ExecOutcome::ContextTooLong,
            "execute: the prompt is longer than the model can read; shorten the issue, or name an agent that \
             reads more; on agent_failed: fail",
        ),
    ] {
        let world = played(&["claude"], vec![ends(outcome)]);
        assert_eq!(world.history(), ["fail"], "{outcome:?}");
        assert_eq!(world.last_rule(), rule);
        assert_eq!(world.first().reason.as_deref(), Some("agent_failed"));
        assert_eq!(world.run().outcome, RunOutcome::Failed);
    }
}

#[test]
fn unusable_reviewers_are_replaced_and_then_a_person_is_asked() {
    let review = |outcome| Review { outcome, ..no_answer() };
    let def =
        PhaseDef { reviewers: vec!["claude".into(), "codex".into()], ..phase("planning", phase_review()) };
    let reviews = vec![review(ExecOutcome::SignedOut), review(ExecOutcome::Refused)];
    let world = World::play(def, Script { reviews, ..Script::default() });
    assert_eq!(called(&world), ["author", "claude", "codex"]);
    assert_eq!(world.history(), ["redo", "pause"]);
    let asked = world.run().paused.clone().expect("a question");
    assert_eq!(asked.reason, PauseReason::ReviewerUnavailable);
    assert_eq!(
        asked.question,
        "No reviewer answered in planning: review: the model refuses (say in the issue what it is for, or name \
         another agent). Try again, accept the work unreviewed, or give up?"
    );
}

#[test]
fn exhausted_quotas_pause_until_the_first_reset_and_use_no_limit() {
    let quota = |seconds| resets(ExecOutcome::QuotaExhausted, Resets::After(seconds));
    let mut world = played(&["claude", "codex"], vec![quota(9_000), quota(5_000), done()]);
    assert_eq!(world.run().outcome, RunOutcome::Paused);
    let asked = world.run().paused.clone().expect("a pause");
    let until = world.entries.iter().rev().find_map(|entry| match &entry.fact {
        Fact::Worked(worked) => worked.ended.resets_at,
        _ => None,
    });
    assert_eq!((asked.reason, asked.until), (PauseReason::Quota, until));
    assert_eq!(asked.options, [PauseChoice::Continue]);
    assert_eq!(world.last_rule(), "execute: quota or credit is used up; no agent is left; on quota: pause");
    let phase = world.first();
    assert_eq!((phase.status, phase.position), (Status::InProgress, StepPosition::Ready(Step::Execute)));
    assert_eq!((phase.counters.revisions, phase.counters.passes), (0, 1));
    assert!(phase.counters.redos.is_empty());

    assert_eq!(world.execute(), RunOutcome::Paused, "the reset is still ahead");
    world.later = 5_000;
    assert_eq!(world.execute(), RunOutcome::Completed);
    assert_eq!(called(&world), ["claude", "codex", "codex", "reviewer"], "claude's quota is not renewed yet");
}

#[test]
fn quota_reset_is_waited_for_whatever_error_the_last_agent_has() {
    let quota = resets(ExecOutcome::QuotaExhausted, Resets::After(3_600));
    for (outcome, calls) in [
        (ExecOutcome::SignedOut, 1),
        (ExecOutcome::NotStarted, 1),
        (ExecOutcome::ModelUnknown, 1),
        (ExecOutcome::Crashed, 3),
    ] {
        let broken = (0..calls).map(|_| ends(outcome));
        let work = [quota.clone()].into_iter().chain(broken).chain([done()]).collect();
        let mut world = played(&["claude", "codex"], work);
        let asked = world.run().paused.clone().expect("a pause");
        let until = world.entries.iter().find_map(|entry| match &entry.fact {
            Fact::Worked(worked) => worked.ended.resets_at,
            _ => None,
        });
        assert_eq!((asked.reason, asked.until), (PauseReason::Quota, until), "{outcome:?}");
        assert!(until.is_some() && world.last_rule().ends_with("no agent is left; on quota: pause"));
        assert_eq!(world.execute(), RunOutcome::Paused, "the reset is still ahead");
        world.later = 3_600;
        assert_eq!(world.execute(), RunOutcome::Completed, "{outcome:?}");
        assert_eq!(called(&world)[1 + calls..], ["claude", "reviewer"], "{outcome:?}");
    }
}

#[test]
fn quota_already_reset_gives_a_pause_without_a_time() {
    let quota = resets(ExecOutcome::QuotaExhausted, Resets::After(2));
    let mut world = played(&["claude", "codex"], vec![quota, ends(ExecOutcome::Refused), done()]);
    let asked = world.run().paused.clone().expect("a pause");
    assert_eq!((asked.reason, asked.until), (PauseReason::Quota, None));
    assert_eq!(world.execute(), RunOutcome::Completed);
    assert_eq!(called(&world), ["claude", "codex", "claude", "reviewer"]);
}

#[test]
fn quota_reset_of_a_reviewer_is_waited_for() {
    let review = |outcome, resets| Review { outcome, resets, ..no_answer() };
    let def =
        PhaseDef { reviewers: vec!["claude".into(), "codex".into()], ..phase("planning", phase_review()) };
    let quota = review(ExecOutcome::QuotaExhausted, Resets::FarAway);
    let reviews = vec![quota, review(ExecOutcome::SignedOut, Resets::Unsaid), passes()];
    let mut world = World::play(def, Script { reviews, ..Script::default() });
    let asked = world.run().paused.clone().expect("a pause");
    assert_eq!((asked.reason, asked.until), (PauseReason::Quota, Some(far_away())));
    assert_eq!(world.answer(PauseChoice::Continue, ""), RunOutcome::Completed);
    assert_eq!(called(&world), ["author", "claude", "codex", "claude"]);
}

#[test]
fn quota_without_a_reset_time_is_retried_on_the_next_request() {
    let quota = ends(ExecOutcome::QuotaExhausted);
    let mut world = played(&["claude", "codex"], vec![quota.clone(), quota.clone(), quota, done()]);
    assert_eq!(world.run().paused.as_ref().and_then(|asked| asked.until), None);
    assert_eq!(world.execute(), RunOutcome::Completed);
    assert_eq!(called(&world), ["claude", "codex", "claude", "codex", "reviewer"]);
}

#[test]
fn answer_or_another_agent_ends_the_quota_pause_at_once() {
    let quota = resets(ExecOutcome::QuotaExhausted, Resets::FarAway);
    let waiting = || played(&["claude"], vec![quota.clone(), done()]);
    assert_eq!(waiting().run().paused.as_ref().and_then(|asked| asked.until), Some(far_away()));
    let mut answered = waiting();
    assert_eq!(answered.answer(PauseChoice::Continue, ""), RunOutcome::Completed);
    assert_eq!(called(&answered), ["claude", "claude", "reviewer"]);
    let mut others = waiting();
    let codex = RunRequested { agents: vec!["codex".into()], ..RunRequested::default() };
    assert_eq!(others.ask(codex), RunOutcome::Completed);
    assert_eq!(called(&others), ["claude", "codex", "reviewer"]);
}

#[test]
fn unusable_agent_is_skipped_in_later_phases_until_the_next_request() {
    for (outcome, dropped) in [
        (ExecOutcome::SignedOut, true),
        (ExecOutcome::NotStarted, true),
        (ExecOutcome::QuotaExhausted, true),
        (ExecOutcome::Refused, false),
        (ExecOutcome::ModelUnknown, false),
    ] {
        let agents = vec!["claude".to_owned(), "codex".to_owned()];
        let defs = ["planning", "design"].map(|name| phase(name, phase_review()));
        let defs = defs.map(|def| PhaseDef { agents: agents.clone(), ..def });
        let script = Script { work: vec![ends(outcome), done()], ..Script::default() };
        let mut world = World::new(agreement(chain(defs))).script(&name("planning"), script);
        world.execute_only("planning", false);
        let mut at_once = world.clone();
        assert_eq!(at_once.run().agents.unusable.contains_key("claude"), dropped);
        at_once.state.run.as_mut().expect("a run").asked.only = None;
        at_once.play_on();
        let next = if dropped { "codex" } else { "claude" };
        assert_eq!(called(&at_once)[3..], [next, "reviewer"], "{outcome:?}");
        world.execute();
        assert_eq!(called(&world)[3..], ["claude", "reviewer"], "{outcome:?}: asked again");
    }
}

#[test]
fn last_agent_of_a_chain_is_called_although_marked_unusable() {
    let reviewers = vec!["claude".to_owned()];
    let def = PhaseDef { reviewers, ..with_agents(&["claude", "codex"]) };
    let script = Script { work: vec![ends(ExecOutcome::SignedOut), done()], ..Script::default() };
    let world = World::play(def, script);
    assert_eq!(called(&world), ["claude", "codex", "claude"]);
    assert_eq!(world.history(), ["redo", "advance"]);
    assert!(world.run().agents.unusable.is_empty(), "an agent that works is of use again");
}

#[test]
fn author_that_prompts_interactively_is_instructed_not_to() {
    let script = Script { work: vec![ends(ExecOutcome::BlockedOnPrompt), done()], ..Script::default() };
    let world = World::play(phase("planning", phase_review()), script);
    assert_eq!(world.history(), ["revise", "advance"]);
    let ruled = world.entries.iter().position(|entry| matches!(entry.fact, Fact::Ruled(_)));
    let revising = world.cut(ruled.expect("a ruling") + 1);
    assert_eq!(
        revising.first().hint(),
        "Do not ask interactively: nobody answers. Decide yourself and say what you decided."
    );
    assert_eq!(world.first().feedback(), "feedback of PASS");
}

#[test]
fn revision_after_an_interactive_prompt_keeps_the_review_feedback() {
    let work = vec![done(), ends(ExecOutcome::BlockedOnPrompt), done()];
    let script = Script { work, reviews: vec![fails(), passes()], ..Script::default() };
    let world = World::play(phase("planning", phase_review()), script);
    assert_eq!(world.history(), ["revise", "revise", "advance"]);
    assert_eq!(world.first().counters.revisions, 2);
    let blocked = world
        .entries
        .iter()
        .rposition(|entry| matches!(entry.fact, Fact::StepStarted(StepStarted { step: Step::Revise, .. })));
    let revising = world.cut(blocked.expect("a second revise"));
    assert!(revising.first().hint().starts_with("Do not ask interactively"));
    assert_eq!(revising.first().feedback(), "feedback of FAIL");
}

#[test]
fn a_reviewer_that_asks_interactively_is_redone() {
    let blocked = Review { outcome: ExecOutcome::BlockedOnPrompt, ..no_answer() };
    let script = Script { reviews: vec![blocked, passes()], ..Script::default() };
    let world = World::play(phase("planning", phase_review()), script);
    assert_eq!(world.history(), ["redo", "advance"]);
    assert_eq!(world.first().counters.revisions, 0);
}

#[test]
fn step_with_its_own_agent_chain_has_its_own_fallbacks() {
    let mut def = with_agents(&["claude", "codex"]);
    def.step_agents.insert(Step::Revise, vec!["claude:haiku".into(), "codex:small".into()]);
    def.step_agents.insert(Step::Review, vec!["gemini".into()]);
    let work = vec![done(), ends(ExecOutcome::SignedOut), done(), ends(ExecOutcome::Refused)];
    let reviews = vec![fails(), fails(), passes()];
    let world = World::play(def, Script { work, reviews, ..Script::default() });
    let expected = ["claude", "gemini", "claude:haiku", "codex:small", "gemini", "codex:small"];
    assert_eq!(called(&world), expected);
    assert_eq!(world.history(), ["revise", "redo", "revise", "fail"]);
    assert_eq!(world.run().agent_for(world.first(), Step::Execute), "claude");
}

#[test]
fn requested_agents_replace_the_chains_of_single_steps() {
    let mut def = with_agents(&["claude"]);
    def.step_agents.insert(Step::Revise, vec!["claude:haiku".into()]);
    def.step_agents.insert(Step::Review, vec!["gemini".into()]);
    let mut world = World::new(agreement(vec![def]));
    world.ask(RunRequested { agents: vec!["codex".into()], ..RunRequested::default() });
    let agent = |step| world.run().agent_for(world.first(), step);
    assert_eq!([Step::Execute, Step::Revise, Step::Review].map(agent), ["codex", "codex", "gemini"]);
}

#[test]
fn agents_configured_for_a_phase_take_priority_over_requested_ones() {
    let own = PhaseDef { own_agents: true, ..with_agents(&["claude"]) };
    let reviewed = PhaseDef { own_reviewers: true, ..phase("design", phase_review()) };
    let mut world = World::new(agreement(chain([own, reviewed])));
    let asked = |reviewers: &[&str]| RunRequested {
        agents: vec!["codex".into()],
        reviewers: reviewers.iter().map(ToString::to_string).collect(),
        ..RunRequested::default()
    };
    world.record(Fact::RunRequested(asked(&["claude"])));
    let agents = |world: &World, phase| {
        [Step::Execute, Step::Review].map(|step| world.run().agent_for(world.phase(phase), step))
    };
    assert_eq!(agents(&world, "planning"), ["claude", "reviewer"], "nobody reviews itself by that");
    assert_eq!(agents(&world, "design"), ["codex", "reviewer"]);
    world.record(Fact::RunRequested(asked(&["claude", "gemini"])));
    assert_eq!(agents(&world, "planning"), ["claude", "gemini"]);
}

#[test]
fn agent_chain_with_a_duplicate_agent_ends() {
    let world = played(&["claude", "claude"], vec![ends(ExecOutcome::Refused)]);
    assert_eq!(called(&world), ["claude", "claude"]);
    assert_eq!(world.history(), ["redo", "fail"]);
}
