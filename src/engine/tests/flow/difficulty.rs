//! The difficulty of an issue: assessed once, never trusted in doubt, and what it chooses.

use std::collections::BTreeMap;

use model::event::{DifficultyAssessed, ExecOutcome, Fact, RunOutcome, RunRequested, StepStarted};
use model::policy::{Difficulty, ModelChoice, PhaseDef};

use super::policies::{agreement, chain, phase, phase_review};
use super::world::{Script, World, ends, fails, name, passes, sure_of};

fn models() -> BTreeMap<Difficulty, BTreeMap<String, ModelChoice>> {
    let model = |name: &str| Some(name.to_owned());
    let small = ModelChoice { execute: model("haiku"), ..ModelChoice::default() };
    let large =
        ModelChoice { execute: model("opus"), revise: model("sonnet"), review: model("haiku"), triage: None };
    let of_claude = |choice: &ModelChoice| BTreeMap::from([("claude".to_owned(), choice.clone())]);
    BTreeMap::from([(Difficulty::Simple, of_claude(&small)), (Difficulty::Complex, of_claude(&large))])
}

fn world(assessed: DifficultyAssessed) -> World {
    let of = |name: &str, agent: &str| PhaseDef {
        agents: vec![agent.into(), "codex".into()],
        reviewers: vec!["claude".into()],
        ..phase(name, phase_review())
    };
    let mut agreed = agreement(chain([of("planning", "claude"), of("design", "claude:sonnet-5")]));
    agreed.models = models();
    let mut world = World::new(agreed);
    world.assessed = Some(assessed);
    world
}

fn played(assessed: DifficultyAssessed) -> World {
    let script = Script { reviews: vec![fails(), passes()], ..Script::default() };
    let mut world = world(assessed).script(&name("planning"), script);
    assert_eq!(world.ask(auto()), RunOutcome::Completed);
    world
}

fn auto() -> RunRequested {
    RunRequested { auto_model: true, ..RunRequested::default() }
}

fn called(world: &World) -> Vec<(&str, &str)> {
    let started = world.entries.iter().filter_map(|entry| match &entry.fact {
        Fact::StepStarted(StepStarted { step, agent, .. }) => Some((step.as_str(), agent.as_str())),
        Fact::Assessed(assessed) => Some(("assess", assessed.agent.as_str())),
        _ => None,
    });
    started.collect()
}

#[test]
fn difficulty_selects_models_for_agents_without_one() {
    let world = played(sure_of(Difficulty::Complex));
    let expected = [
        ("assess", "claude:haiku"),
        ("execute", "claude:opus"),
        ("review", "claude:haiku"),
        ("revise", "claude:sonnet"),
        ("review", "claude:haiku"),
        ("execute", "claude:sonnet-5"),
        ("review", "claude:haiku"),
    ];
    assert_eq!(called(&world), expected);
    assert_eq!((world.run().difficulty, world.run().spending.total.calls), (Some(Difficulty::Complex), 7));
}

#[test]
fn reviewer_gets_another_model_than_the_author_if_one_is_known() {
    let model = |name: &str| Some(name.to_owned());
    let all = |name: &str| ModelChoice {
        execute: model(name),
        revise: model(name),
        review: model(name),
        triage: model(name),
    };
    let table = |simple: &ModelChoice, complex: &ModelChoice| {
        let of = |choice: &ModelChoice| BTreeMap::from([("claude".to_owned(), choice.clone())]);
        BTreeMap::from([(Difficulty::Simple, of(simple)), (Difficulty::Complex, of(complex))])
    };
    let reviewer = |models, author: &str| {
        let def = PhaseDef {
            agents: vec![author.into()],
            reviewers: vec!["claude".into()],
            ..phase("planning", phase_review())
        };
        let mut agreed = agreement(vec![def]);
        agreed.models = models;
        let mut world = World::new(agreed);
        world.assessed = Some(sure_of(Difficulty::Simple));
        assert_eq!(world.ask(auto()), RunOutcome::Completed);
        called(&world).last().map(|(_, agent)| (*agent).to_owned())
    };
    let of = |models, author| reviewer(models, author).unwrap_or_default();
    let (sonnet, opus) = (all("sonnet"), all("opus"));
    assert_eq!(of(table(&sonnet, &opus), "claude"), "claude:opus", "from another difficulty");
    assert_eq!(of(table(&sonnet, &opus), "claude:opus"), "claude:sonnet", "it differs already");
    assert_eq!(of(table(&sonnet, &opus), "claude:sonnet"), "claude:opus", "named explicitly");
    let near = ModelChoice { triage: model("haiku"), ..sonnet.clone() };
    assert_eq!(of(table(&near, &opus), "claude"), "claude:haiku", "from the same difficulty");
    assert_eq!(of(table(&sonnet, &sonnet), "claude"), "claude:sonnet", "no other one is known");
}

#[test]
fn agents_keep_their_default_model_when_none_is_configured() {
    let world = played(sure_of(Difficulty::Simple));
    assert_eq!(called(&world)[1..3], [("execute", "claude:haiku"), ("review", "claude")]);
    let moderate = played(sure_of(Difficulty::Moderate));
    assert_eq!(called(&moderate)[1..3], [("execute", "claude"), ("review", "claude")]);
}

#[test]
fn difficulty_is_assessed_only_on_request() {
    let mut world = world(sure_of(Difficulty::Complex));
    assert_eq!(world.execute(), RunOutcome::Completed);
    assert_eq!((world.run().difficulty, called(&world)[0]), (None, ("execute", "claude")));
}

#[test]
fn uncertain_assessment_counts_as_complex() {
    let simple = || sure_of(Difficulty::Simple);
    let broken = |outcome| DifficultyAssessed {
        ended: model::event::CallEnd { outcome, ..simple().ended },
        ..simple()
    };
    for assessed in [
        DifficultyAssessed { confidence: Some(0.49), ..simple() },
        DifficultyAssessed { confidence: None, ..simple() },
        DifficultyAssessed { confidence: Some(1.5), ..simple() },
        DifficultyAssessed { confidence: Some(f64::NAN), ..simple() },
        DifficultyAssessed { difficulty: None, ..simple() },
        broken(ExecOutcome::Crashed),
        broken(ExecOutcome::Partial),
        broken(ExecOutcome::QuotaExhausted),
    ] {
        assert_eq!(assessed.counts_as(), Difficulty::Complex, "{assessed:?}");
        assert_eq!(played(assessed).run().difficulty, Some(Difficulty::Complex));
    }
    assert_eq!(DifficultyAssessed { confidence: Some(0.5), ..simple() }.counts_as(), Difficulty::Simple);
}

#[test]
fn difficulty_is_assessed_once_per_run() {
    let broken =
        DifficultyAssessed { ended: model::event::CallEnd::default(), ..sure_of(Difficulty::Simple) };
    let mut world = played(broken);
    assert_eq!(world.count(|fact| matches!(fact, Fact::Assessed(_))), 1);
    world.ask(auto());
    assert_eq!(world.count(|fact| matches!(fact, Fact::Assessed(_))), 1);
    let again = Fact::Assessed(Box::new(sure_of(Difficulty::Simple)));
    let entry = world.entry(again);
    assert!(engine::apply(&mut world.state, &entry).is_err());
}

#[test]
fn cancelled_difficulty_assessment_is_repeated() {
    let simple = sure_of(Difficulty::Simple);
    let ended = model::event::CallEnd { outcome: ExecOutcome::Cancelled, ..simple.ended.clone() };
    let mut world = world(simple);
    world.record(Fact::Assessed(Box::new(DifficultyAssessed { ended, ..sure_of(Difficulty::Complex) })));
    assert_eq!(world.run().difficulty, None);
    world.ask(auto());
    assert_eq!(world.run().difficulty, Some(Difficulty::Simple));
}

#[test]
fn fallback_names_the_signed_out_agent_with_its_selected_model() {
    let script =
        Script { work: vec![ends(ExecOutcome::SignedOut), super::world::done()], ..Script::default() };
    let mut world = world(sure_of(Difficulty::Complex)).script(&name("planning"), script);
    world.ask(auto());
    let fallbacks: Vec<_> = world.run().agents.fallbacks.iter().map(ToString::to_string).collect();
    assert_eq!(fallbacks, ["claude:opus is signed out; codex takes over"]);
}
