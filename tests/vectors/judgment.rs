//! Judgments of the quality-criteria loop: which judgment an output or a judge's end leads to, and how loops end.
//! What an output shows is played as the check that sees it; the checks themselves have vectors of their own.

use engine::Status;
use model::event::StepStarted;
use model::event::{CheckStatus, ClaimStatus, ExecOutcome, RunOutcome};
use model::policy::{CheckRule, OnFail, OnUnavailable, PhaseDef, Policy, UnapprovedEnd, criterion};
use serde_json::{Value, json};
use views::summary::review_loop::review_loop;

use crate::flow::judge::{judged, silent};
use crate::flow::policies::{phase, quality_gate};
use crate::flow::world::{Review, Script, Work, World, claims, crashes, ends, passes, unreadable};
use crate::support::beside;

/// Cases in which we differ, and why.
const DIFFERENCES: [(&str, &str); 2] = [
    (
        "blocked",
        "an author that asked a person asks again when it gets the same prompt: it is told not to, which is a revision",
    ),
    (
        "spec: reviewer timeout third time",
        "a rejection needs words to repair by, and a judge that is out of reach has none: a person is asked, nothing is paid",
    ),
];

#[test]
fn judgments_match_the_vectors() {
    let Some(folder) = beside("AI_WORKFLOW_VECTORS", "../shared/vectors") else { return };
    let text = std::fs::read_to_string(folder.join("000_judgment_loop.json")).expect("a vector file");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    for case in file["cases"].as_array().expect("cases") {
        let name = case["name"].as_str().expect("a name");
        let (expected, ours) = (expected(case), ours(case));
        let listed = DIFFERENCES.iter().any(|(known, _)| *known == name);
        assert_eq!(expected != ours, listed, "{name}: expected {expected}, ours {ours}");
    }
}

/// Where the older system's text and its code differ (escalation at the limit), its text counts.
fn expected(case: &Value) -> Value {
    let mut expected = case["expected"].as_object().expect("an object").clone();
    expected.remove("final_impl");
    if let Some(text) = expected.remove("final_spec") {
        expected.insert("final".into(), text);
    }
    Value::Object(expected)
}

/// Returns ours in the same words, of what the case asks for.
fn ours(case: &Value) -> Value {
    let input = &case["input"];
    let world = if input["outputs"].is_array() {
        whole_loop(input)
    } else if input["review"].is_string() && input["review"] != "none" {
        judge(input)
    } else {
        one_output(input)
    };
    let told = told(&world);
    let known = [
        ("judgment", told["judgments"].as_array().and_then(|all| all.last()).cloned().unwrap_or_default()),
        ("failed", told["failed"].clone()),
        ("final", json!(final_word(&world))),
        ("iterations", json!(told["judgments"].as_array().map_or(0, Vec::len))),
        ("history", told["judgments"].clone()),
    ];
    let wanted = expected(case);
    let asked = known.into_iter().filter(|(key, _)| wanted.get(key).is_some());
    Value::Object(asked.map(|(key, value)| (key.to_owned(), value)).collect())
}

/// What the review loop of the world tells.
fn told(world: &World) -> Value {
    let events = review_loop(&world.entries, None, &|_: &PhaseDef, _: &StepStarted| None);
    let judged = events.iter().filter(|event| event.event_type == "QUALITY_JUDGMENT");
    let judged: Vec<_> = judged.map(|event| &event.content).collect();
    let judgments: Vec<_> = judged.iter().map(|content| &content["judgment"]).collect();
    json!({"judgments": judgments, "failed": judged.last().map(|content| &content["criteria_failed"])})
}

fn final_word(world: &World) -> &'static str {
    match (world.run().outcome, world.first().status) {
        (RunOutcome::Completed, Status::Completed) => "COMPLETE",
        (RunOutcome::Paused, _) => "AWAITING_RESPONSE",
        (RunOutcome::Incomplete, _) => "INCOMPLETE",
        _ => "ERROR",
    }
}

/// The policy with three of the older system's criteria under our names.
fn criteria(policy: Policy) -> Policy {
    let rule = |id: &str| CheckRule {
        id: id.to_owned(),
        on_fail: OnFail::Revise,
        on_unavailable: OnUnavailable::Block,
    };
    assert!(["files", "todo", "omission"].iter().all(|id| criterion(id).is_some()));
    Policy { checks: ["files", "todo", "omission"].map(rule).to_vec(), ..policy }
}

/// The checks that an output fails.
fn failing(output: &str, has_files: bool) -> Vec<(String, CheckStatus)> {
    let seen =
        [("files", !has_files), ("todo", output.contains("TODO")), ("omission", output.contains("省略"))];
    let failed = seen.into_iter().filter(|(_, failed)| *failed);
    failed.map(|(check, _)| (check.to_owned(), CheckStatus::Fail)).collect()
}

/// Plays one output up to the first ruling.
fn one_output(input: &Value) -> World {
    let output = input["output"].as_str().unwrap_or_default();
    let work = match input["status"].as_str() {
        Some("COMPLETE") => claims(ClaimStatus::Completed),
        Some("ERROR") => crashes(),
        Some("BLOCKED") => ends(ExecOutcome::BlockedOnPrompt),
        Some("INCOMPLETE") => ends(ExecOutcome::Partial),
        _ => ends(ExecOutcome::NoOutput),
    };
    let has_files = input["verified_files"].is_array();
    let script = Script { work: vec![work], checks: vec![failing(output, has_files)], ..Script::default() };
    to_ruling(&World::play(phase("implementation", criteria(quality_gate())), script), 1)
}

/// Plays a judge that ends as the case says, up to the ruling on its attempt.
fn judge(input: &Value) -> World {
    let review: Review = match input["review"].as_str() {
        Some("garbage") => unreadable(),
        Some("timeout") => silent(ExecOutcome::TimedOut),
        _ => passes(),
    };
    let script = Script { reviews: vec![review], ..Script::default() };
    let world = World::play(phase("implementation", criteria(judged())), script);
    to_ruling(&world, input["attempt"].as_u64().unwrap_or(1))
}

/// Forgets what came after the ruling of this number.
fn to_ruling(world: &World, number: u64) -> World {
    let rulings = world.entries.iter().enumerate();
    let mut rulings = rulings.filter(|(_, entry)| matches!(entry.fact, model::event::Fact::Ruled(_)));
    let index = usize::try_from(number - 1).expect("a small number");
    world.cut(rulings.nth(index).map_or(world.entries.len(), |(index, _)| index + 1))
}

fn whole_loop(input: &Value) -> World {
    let outputs: Vec<&str> =
        input["outputs"].as_array().expect("outputs").iter().filter_map(Value::as_str).collect();
    let mut policy = criteria(quality_gate());
    let most = u32::try_from(input["max_iterations"].as_u64().expect("a limit")).expect("a small number");
    (policy.limits.max_passes, policy.limits.max_revisions) = (Some(most), most - 1);
    if input["escalate_on_max"] == false {
        policy.outcomes.exhausted = UnapprovedEnd::Incomplete;
    }
    let work = |output: &&str| -> Work {
        if *output == "ERROR" { crashes() } else { claims(ClaimStatus::Completed) }
    };
    let checked = outputs.iter().filter(|output| **output != "ERROR");
    let checks: Vec<_> = checked.map(|output| failing(output, true)).collect();
    let script = Script { work: outputs.iter().map(work).collect(), checks, ..Script::default() };
    World::play(phase("implementation", policy), script)
}
