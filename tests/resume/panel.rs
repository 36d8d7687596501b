//! The runner is killed between two reviewers of one round: in the middle of a call, and between any two facts.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::world::{Kept, VIEW, World, calls, ending};

const PANEL: &str = "[presets.two]\nphases = [\"planning\", \"implementation\"]\n\n[policies.phase-review.limits]\nbackoff_ms = 1\n\n\
     [phases.implementation]\npanel = [{ name = \"one\", required = true }, { name = \"two\" }]\n";

/// Kills the runner at the start of the call with this number and lets the same command finish the run.
fn struck(turn: usize, whom: &str) -> World {
    let world = World::new();
    world.sandbox.write(".ai-workflow/config.toml", PANEL);
    world.beside("strike", &format!("{turn} {whom}\n"));
    let _ = world.execute();
    world.execute().exits(0);
    world
}

fn answered(world: &World) -> Vec<String> {
    let of = |fact: &serde_json::Value| {
        let ours = fact["type"] == "reviewed" && fact["phase"] == "implementation";
        ours.then(|| fact["seat"].as_str().unwrap_or("chief").to_owned())
    };
    world.sandbox.facts().iter().filter_map(of).collect()
}

/// Calls 1 to 4 are planning's; 5 is the author, 6 the first reviewer, 7 and 8 the seats.
#[test]
fn a_kill_between_two_reviewers_repeats_no_answered_review() {
    for turn in 6..=8 {
        let world = struck(turn, "runner");
        assert_eq!(answered(&world), ["chief", "one", "two"], "killed in call {turn}");
        assert_eq!(calls(&world.sandbox)["implementation/review/1"], 4, "killed in call {turn}");
        assert_eq!(calls(&world.sandbox)["implementation/execute/1"], 1, "killed in call {turn}");
    }
}

/// One phase, a first reviewer and two seats, of which the first one rejects once.
const ROUNDS: &str = "[presets.two]\nphases = [\"planning\"]\n\n[policies.phase-review.limits]\nbackoff_ms = 1\n\n\
     [phases.planning]\npanel = [{ name = \"one\", required = true }, { name = \"two\" }]\n";

/// Keeps the repository as it is when a call begins, and counts the calls that anybody paid for.
const KEEP: &str = r#"
echo "$at" >> "$here/paid"
if [ -e "$here/keeping" ]; then cp -a . "$here/call-$(wc -l < "$here/paid" | tr -d ' ')"; fi
if [ "$AI_WORKFLOW_STEP/$AI_WORKFLOW_ROUND/${AI_WORKFLOW_SEAT:-}" = review/1/one ]; then
    printf '{"review_id": "%s", "result": "FAIL", "findings": [{"severity": "major", "category": "plan", "issue": "too coarse"}]}\n' "$AI_WORKFLOW_REVIEW_ID"
    exit 0
fi
"#;

/// A run of two rounds that was played to its end, and the repository at the begin of each of its calls.
struct Played {
    world: World,
    /// The lines of its log.
    log: Vec<String>,
    ending: Value,
}

impl Played {
    fn new() -> Self {
        let world = World::new();
        world.sandbox.write(".ai-workflow/config.toml", ROUNDS);
        world.beside("lenient", "");
        world.beside("keeping", "");
        for step in ["execute", "revise", "review"] {
            world.beside(&format!("meddle-{step}"), KEEP);
        }
        world.execute().exits(0);
        fs::remove_file(world.path_beside("keeping")).expect("it was kept");
        let log =
            String::from_utf8(world.log()).expect("text").lines().map(|line| format!("{line}\n")).collect();
        let ending = ending(&world.sandbox);
        Self { world, log, ending }
    }

    fn fact(&self, number: usize) -> Value {
        let entry: Value = serde_json::from_str(&self.log[number - 1]).expect("a line is JSON");
        entry["fact"].clone()
    }

    /// Returns how many calls began within the first facts.
    fn begun(&self, facts: usize) -> usize {
        (1..=facts).filter(|number| self.fact(*number)["type"] == "step_started").count()
    }

    /// Returns the repository at the begin of a call.
    fn kept(&self, call: usize) -> PathBuf {
        self.world.path_beside(&format!("call-{call}"))
    }

    /// Brings back what a runner leaves behind that was killed after so many facts: the files as they are when the next
    /// call begins, the log up to there, and the view of the call before.
    fn cut(&self, facts: usize) {
        let (begun, all) = (self.begun(facts), self.begun(self.log.len()));
        let is_call = self.fact(facts)["type"] == "step_started";
        let next = if is_call { begun } else { all.min(begun + 1) };
        Kept::at(&self.world.sandbox.root(), &self.kept(next)).bring_back();
        self.world.set_log(self.log[..facts].concat());
        let view = fs::read(self.kept(begun).join(VIEW)).expect("a view");
        fs::write(self.world.sandbox.root().join(VIEW), view).expect("the view is written");
        let _ = fs::remove_file(self.world.path_beside("paid"));
    }

    /// Returns how many calls anybody paid for since then.
    fn paid(&self) -> usize {
        fs::read_to_string(self.world.path_beside("paid")).map_or(0, |paid| paid.lines().count())
    }
}

/// Returns round and seat of every answer of a reviewer.
fn reviews(facts: &[Value]) -> Vec<(Value, Value)> {
    let reviewed = facts.iter().filter(|fact| fact["type"] == "reviewed");
    reviewed.map(|fact| (fact["round"].clone(), fact["seat"].clone())).collect()
}

#[test]
fn kill_between_any_two_facts_of_a_panel_repeats_no_answered_review() {
    let played = Played::new();
    let facts: Vec<Value> = (1..=played.log.len()).map(|number| played.fact(number)).collect();
    let calls = played.begun(facts.len());
    assert_eq!(calls, 8, "execute, three reviews, revise, three reviews");
    let first = facts.iter().position(|fact| fact["type"] == "step_started").expect("a call") + 1;
    let last = facts.iter().position(|fact| fact["ruling"]["do"] == "advance").expect("an advance") + 1;
    for length in first..=last {
        let (kind, begun) = (played.fact(length)["type"].clone(), played.begun(length));
        let under_way = usize::from(kind == "step_started");
        played.cut(length);
        played.world.execute().exits(0);
        let resumed = played.world.sandbox.facts();
        assert_eq!(played.paid(), calls - begun + under_way, "calls after fact {length}, {kind}");
        assert_eq!(reviews(&resumed), reviews(&facts), "after fact {length}, {kind}");
        let started = resumed.iter().filter(|fact| fact["type"] == "step_started").count();
        assert_eq!(started, calls + under_way, "calls in the log after fact {length}, {kind}");
        assert_eq!(ending(&played.world.sandbox), played.ending, "after fact {length}, {kind}");
    }
}
