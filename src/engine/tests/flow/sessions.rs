//! When an author goes on in its session, and when it begins anew.

use engine::{Action, Decision, decide};
use model::event::{ExecOutcome, Fact, RunRequested, StepStarted, Usage};
use model::policy::PhaseDef;

use super::policies::{agreement, phase, phase_review};
use super::world::{Script, Work, World, crashes, done, ends, fails, name, no_answer, passes};

/// A world whose authors tell their sessions.
fn world(work: Vec<Work>, change: impl FnOnce(&mut World)) -> World {
    let def = PhaseDef { agents: vec!["claude".into(), "codex".into()], ..phase("planning", phase_review()) };
    let script = Script { work, reviews: vec![fails(), fails(), passes()], ..Script::default() };
    let mut world = World::new(agreement(vec![def])).script(&name("planning"), script);
    world.sessions = true;
    change(&mut world);
    world.execute();
    world
}

/// Step, and the session that each call continued.
fn resumed(world: &World) -> Vec<(&'static str, Option<&str>)> {
    let started = world.entries.iter().filter_map(|entry| match &entry.fact {
        Fact::StepStarted(StepStarted { step, resumes, .. }) => Some((step.as_str(), resumes.as_deref())),
        _ => None,
    });
    started.collect()
}

const FIRST: Option<&str> = Some("session-1");

#[test]
fn revisions_resume_the_work_session_and_reviews_never_do() {
    let world = world(vec![done()], |_| ());
    let expected = [
        ("execute", None),
        ("review", None),
        ("revise", FIRST),
        ("review", None),
        ("revise", FIRST),
        ("review", None),
    ];
    assert_eq!(resumed(&world), expected);
}

#[test]
fn a_resumed_call_knows_what_its_session_has_used_so_far() {
    let world = world(vec![done()], |_| ());
    let second = world
        .entries
        .iter()
        .rposition(|entry| matches!(&entry.fact, Fact::StepStarted(call) if call.step.as_str() == "revise"));
    let before = world.cut(second.expect("a second revise"));
    let Decision::Perform(Action::CallAgent(call)) = decide(&before.state) else { panic!("no call") };
    let used = Usage {
        input_tokens: Some(2_000),
        output_tokens: Some(400),
        cost_usd: Some(0.5),
        ..Usage::default()
    };
    assert_eq!(call.resumes.map(|resume| resume.used), Some(used));
}

#[test]
fn work_stopped_at_a_limit_resumes_its_session() {
    let world = world(vec![ends(ExecOutcome::LimitReached), done()], |_| ());
    assert_eq!(
        resumed(&world)[..4],
        [("execute", None), ("execute", FIRST), ("review", None), ("revise", FIRST)]
    );
}

#[test]
fn failed_resumed_call_is_redone_in_a_new_session() {
    for outcome in [ExecOutcome::Crashed, ExecOutcome::ContextTooLong, ExecOutcome::TimedOut] {
        let world = world(vec![done(), ends(outcome), done()], |_| ());
        let fresh = Some("session-3");
        let expected = [
            ("execute", None),
            ("review", None),
            ("revise", FIRST),
            ("revise", None),
            ("review", None),
            ("revise", fresh),
            ("review", None),
        ];
        assert_eq!(resumed(&world), expected, "{outcome:?}");
        assert!(world.run().agents.fallbacks.is_empty());
    }
}

#[test]
fn too_long_prompt_without_a_session_goes_to_the_next_agent() {
    let world = world(vec![ends(ExecOutcome::ContextTooLong), done()], |_| ());
    assert_eq!(world.run().agents.fallbacks.len(), 1);
    assert_eq!(resumed(&world)[..2], [("execute", None), ("execute", None)]);
}

#[test]
fn the_next_agent_does_not_continue_the_session_of_another() {
    let crash = crashes();
    let world = world(vec![done(), crash.clone(), crash.clone(), crash, done()], |_| ());
    let taken_over = resumed(&world)[5];
    assert_eq!(taken_over, ("revise", None));
    assert_eq!(world.run().agents.fallbacks[0].to, "codex");
}

#[test]
fn long_session_or_fresh_sessions_setting_starts_a_new_session() {
    let nobody_resumes = |world: &World| resumed(world).iter().all(|(_, session)| session.is_none());
    assert!(nobody_resumes(&world(vec![done()], |world| world.input_tokens = 150_000)));
    assert!(!nobody_resumes(&world(vec![done()], |world| world.input_tokens = 149_999)));
    assert!(nobody_resumes(&world(vec![done()], |world| world.sessions = false)));
    let fresh = world(vec![done()], |world| {
        let run = world.state.run.as_mut().expect("a run");
        run.started.agreement.fresh_sessions = true;
    });
    assert!(nobody_resumes(&fresh));
}

#[test]
fn requested_other_agent_starts_a_new_session() {
    let def = phase("planning", phase_review());
    let script =
        Script { reviews: vec![fails(), no_answer(), no_answer(), no_answer()], ..Script::default() };
    let mut world = World::new(agreement(vec![def])).script(&name("planning"), script);
    world.sessions = true;
    world.execute();
    let revising = world
        .entries
        .iter()
        .rposition(|entry| matches!(&entry.fact, Fact::StepStarted(call) if call.step.as_str() == "revise"));
    let mut before = world.cut(revising.expect("a revise"));
    before
        .record(Fact::RunRequested(RunRequested { agents: vec!["codex".into()], ..RunRequested::default() }));
    let Decision::Perform(Action::CallAgent(call)) = decide(&before.state) else { panic!("no call") };
    assert_eq!((call.agent.as_str(), call.resumes), ("codex", None));
}

/// The first revision was stopped after it had done its work, and taken up again.
fn with_a_stopped_revision() -> World {
    let stopped = Work { outcome: ExecOutcome::Cancelled, ..done() };
    let unchanged = Work { changes: false, ..done() };
    world(vec![done(), stopped, unchanged, done()], |_| ())
}

#[test]
fn session_usage_includes_a_cancelled_call() {
    let world = with_a_stopped_revision();
    let calls = resumed(&world).iter().filter(|(step, _)| *step != "review").count();
    assert_eq!((world.run().outcome, calls), (model::event::RunOutcome::Completed, 4));
    assert_eq!(world.first().calls.sessions["session-1"].input_tokens, Some(4_000));
    assert_eq!(world.first().counters.passes, 3, "it was taken up, not begun anew");
}

#[test]
fn changes_of_a_cancelled_revision_count_for_the_resumed_one() {
    let world = with_a_stopped_revision();
    let changed: Vec<bool> = world.first().history.rounds.iter().map(|round| round.changed_files).collect();
    assert_eq!(changed, [true; 3]);
    assert!(!world.told().iter().any(|told| told.contains("changed no file")), "{:?}", world.told());
}

#[test]
fn cancelled_unpriced_call_does_not_mark_its_program_as_unpriced() {
    let stopped = Work { outcome: ExecOutcome::Cancelled, ..done() };
    let price =
        |work: Vec<Work>| world(work, |world| world.cost_usd = None).run().spending.unpriced_agent.clone();
    assert_eq!(price(vec![done()]).as_deref(), Some("claude"));
    let mut before = World::new(agreement(vec![phase("planning", phase_review())]))
        .script(&name("planning"), Script { work: vec![stopped, done()], ..Script::default() });
    before.cost_usd = None;
    before.execute();
    let first = before.entries.iter().position(|entry| matches!(entry.fact, Fact::Worked(_)));
    assert_eq!(before.cut(first.expect("a call") + 1).run().spending.unpriced_agent, None);
}
