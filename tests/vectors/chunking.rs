//! How the quality-criteria loop cuts a prompt into smaller tasks that are done in turn or at once. Nothing of ours cuts an issue
//! up; what it has beside that (when work comes again, which part is next) is ours, too.

use std::collections::BTreeMap;

use engine::Status;
use model::event::{ClaimStatus, ExecOutcome, Fact, Ruling};
use model::phase::Step;
use model::policy::{Policy, PolicyLimits};
use serde_json::{Value, json};

use super::{assert_deliberate, cases};
use crate::flow::policies::{agreement, chain, phase, phase_review};
use crate::flow::world::{Script, World, claims, crashes, ends};

const NOT_CUT: &str =
    "an issue is one piece of work: its plan is made and reviewed, and no words of a prompt cut it up";
const DOUBLED: &str = "a pause doubles each time, whatever it was for";

/// Where we differ, and why.
const DIFFERENT: [(&str, &str); 7] = [
    ("aggregate", NOT_CUT),
    ("bulleted system", NOT_CUT),
    ("delay 1", DOUBLED),
    ("delay 2", DOUBLED),
    ("independent", NOT_CUT),
    ("numbered module", NOT_CUT),
    ("sequential words", NOT_CUT),
];

#[test]
fn chunking_decisions_match_the_vectors() {
    let cases = cases("000_chunking.json");
    let mut differing = BTreeMap::new();
    for case in &cases {
        let ours = ours(&case["input"]);
        if ours != case["expected"] {
            let name = case["name"].as_str().expect("a name").to_owned();
            differing.insert(name, (ours, case["expected"].clone()));
        }
    }
    if !cases.is_empty() {
        assert_deliberate(&differing, &DIFFERENT);
    }
}

fn ours(input: &Value) -> Value {
    match input["op"].as_str() {
        None => decomposed(input),
        Some("should_retry") => json!(comes_again(input)),
        Some("delay") => json!(delay(input)),
        Some("ready") => ready(input),
        Some("aggregate") => Value::Null,
        Some(other) => panic!("no adapter for `{other}`"),
    }
}

/// Whatever the issue says, one phase has one call for its work.
fn decomposed(input: &Value) -> Value {
    let mut world = World::new(agreement(vec![phase("implementation", phase_review())]));
    let prompt = input["prompt"].as_str().unwrap_or_default();
    if let (Some(run), Fact::RunStarted(started)) = (&mut world.state.run, &mut world.entries[0].fact) {
        prompt.clone_into(&mut run.started.issue.body);
        prompt.clone_into(&mut started.issue.body);
    }
    world.execute();
    let calls = world.count(|fact| matches!(fact, Fact::StepStarted(call) if call.step == Step::Execute));
    json!({"decomposable": calls > 1})
}

/// Tells whether work that ended so is revised once more after so many times.
fn comes_again(input: &Value) -> bool {
    let number =
        |key: &str, usual| u32::try_from(input[key].as_u64().unwrap_or(usual)).expect("a small number");
    let policy = phase_review();
    let limits = PolicyLimits { max_revisions: number("max_retries", 2), max_redo: 0, ..policy.limits };
    let work = match input["status"].as_str() {
        Some("INCOMPLETE") => claims(ClaimStatus::Incomplete),
        Some("COMPLETE") => claims(ClaimStatus::Completed),
        Some("ERROR") => crashes(),
        other => panic!("no adapter for {other:?}"),
    };
    let script = Script { work: vec![work], ..Script::default() };
    let world = World::play(phase("implementation", Policy { limits, ..policy }), script);
    number("retry_count", 0) < world.first().counters.revisions
}

fn delay(input: &Value) -> u64 {
    let number = |key: &str| input[key].as_u64().expect("a number");
    let nth = usize::try_from(number("retry_count")).expect("a small number");
    let policy = phase_review();
    let limits = PolicyLimits {
        max_redo: u32::try_from(nth + 1).expect("a small number"),
        backoff_ms: number("retry_delay_ms"),
        ..policy.limits
    };
    let script = Script { work: vec![ends(ExecOutcome::TimedOut)], ..Script::default() };
    let world = World::play(phase("implementation", Policy { limits, ..policy }), script);
    let redo = world.rulings("implementation").remove(nth).ruling;
    let Ruling::Redo { delay_ms, .. } = redo else { panic!("a redo") };
    delay_ms
}

/// The parts are phases that need each other: which of them is begun once the complete ones are.
fn ready(input: &Value) -> Value {
    let parts = input["subtasks"].as_array().expect("a list");
    let id = |part: &Value| format!("p{}", part["id"].as_str().expect("an id"));
    let complete = parts.iter().filter(|part| part["status"] == "COMPLETE").count();
    let phases = chain(parts.iter().map(|part| phase(&id(part), phase_review())));
    for (part, phase) in parts.iter().zip(&phases) {
        let deps = part["deps"].as_array().expect("a list").iter();
        let deps: Vec<_> = deps.map(|dep| format!("p{}", dep.as_str().expect("an id"))).collect();
        assert_eq!(phase.needs.iter().map(ToString::to_string).collect::<Vec<_>>(), deps);
    }
    let mut world = World::new(agreement(phases));
    world.execute();
    let done =
        |world: &World| world.run().phases.iter().filter(|phase| phase.status == Status::Completed).count();
    let length = (1..=world.entries.len()).find(|length| done(&world.cut(*length)) == complete);
    let cut = world.cut(length.expect("all phases complete in the end"));
    let next = cut.run().phases.iter().find(|phase| !phase.status.satisfies());
    json!(next.map(|phase| phase.name().as_str().trim_start_matches('p')).into_iter().collect::<Vec<_>>())
}
