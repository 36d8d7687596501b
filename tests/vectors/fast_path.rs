//! The retake loop's fast path: when the earlier review is believed. Here the log is asked, never the file.

use std::collections::BTreeSet;

use model::event::{Answered, Fact, PauseChoice, RunRequested};
use serde_json::{Value, json};

use super::{assert_differences, cases};
use crate::flow::approved_phase::{approved, checked, is_left_out, looked_at_again, reviews, until};
use crate::flow::world::{Script, World, fails};

#[test]
fn fast_path_matches_the_vectors() {
    let all = cases("001_verdicts.json");
    let rows: Vec<&Value> = all.iter().filter(|case| name(case).starts_with("fast path: ")).collect();
    let differs = |case: &&&Value| json!(ours(&case["input"])) != case["expected"];
    let differing: BTreeSet<String> = rows.iter().filter(differs).map(|case| name(case).to_owned()).collect();
    assert!(all.is_empty() || rows.len() >= 6, "the rows are still there");
    assert_differences(&differing, &[], rows.len());
}

fn name(case: &Value) -> &str {
    case["name"].as_str().unwrap_or_default()
}

/// Tells whether the review that comes next is left out.
fn ours(input: &Value) -> bool {
    let world = match input["verdict"].as_str() {
        // A log holds one run: what another one has seen is not in it.
        Some("APPROVE") if input["session"] != input["active"] => until(Script::default(), reviews),
        Some("APPROVE") => looked_at(input),
        Some(_) => not_approved(),
        None => until(Script::default(), reviews),
    };
    is_left_out(&world)
}

fn looked_at(input: &Value) -> World {
    let mut world = approved();
    if input["head"] != input["commit"] {
        let head = Some(input["head"].to_string());
        world.record(Fact::RunRequested(RunRequested {
            head,
            settings: Some("settings".into()),
            ..RunRequested::default()
        }));
    }
    let tree =
        if input["tree_changed"] == true { "tree-99".into() } else { world.first().files.tree.clone() };
    looked_at_again(&mut world, &tree);
    world
}

/// A person looks again at what was not approved, without a change.
fn not_approved() -> World {
    let script = Script { reviews: vec![fails()], ..Script::default() };
    let mut world = until(script, |decision| matches!(decision, engine::Decision::Halt(_)));
    let tree = world.first().files.tree.clone();
    world.record(Fact::Answered(Answered::new(PauseChoice::Edited, "", "alice")));
    checked(&mut world, &tree);
    world
}
