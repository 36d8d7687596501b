//! The retake loop's rows about second reviewers, played under the policy retake with one second opinion.

use model::event::ExecOutcome;
use model::finding::Severity;
use model::policy::{PanelReviewer, PhaseDef};
use model::verdict::{Grade, Judgment, Verdict};
use serde_json::{Value, json};

use super::cases;
use crate::flow::policies::{phase, retake};
use crate::flow::world::{Review, Script, World, finding, no_answer, states};

/// What the rows begin with that are about second reviewers.
const ROWS: &str = "second reviewer: ";

#[test]
fn panel_judgments_match_the_vectors() {
    let cases = cases("001_verdicts.json");
    let rows = cases.iter().filter(|case| case["name"].as_str().is_some_and(|name| name.starts_with(ROWS)));
    for case in rows {
        let name = case["name"].as_str().expect("a name").to_owned();
        let (expected, ours) = (case["expected"].clone(), ours(&case["input"], &case["expected"]));
        assert_eq!(ours, expected, "{name}");
    }
}

/// Returns ours in the same words, of what the case asks for.
fn ours(input: &Value, expected: &Value) -> Value {
    let world = if input.get("a").is_some() {
        played(found(&input["a"]), found(&input["b"]))
    } else {
        played(base(input), second(input))
    };
    let round = &world.first().history.rounds[0];
    let reading = world.first().reviews.current.as_ref().and_then(|review| review.reading.as_ref());
    let known = [
        ("decision", json!(decision(round.judgment))),
        ("grade", json!(reading.and_then(|reading| reading.grade))),
        ("count", json!(round.findings.len())),
        ("severity", json!(round.findings.first().map(|finding| finding.severity))),
    ];
    let asked = known.into_iter().filter(|(key, _)| expected.get(key).is_some());
    Value::Object(asked.map(|(key, value)| (key.to_owned(), value)).collect())
}

fn played(chief: Review, second: Review) -> World {
    let panel = vec![PanelReviewer {
        name: "codex".into(),
        agents: vec!["codex".into()],
        ..PanelReviewer::default()
    }];
    let def = PhaseDef { panel, ..phase("implementation", retake()) };
    let mut policy = def.policy.clone();
    // One round is enough to see what the two amount to.
    policy.limits.max_revisions = 0;
    World::play(PhaseDef { policy, ..def }, Script { reviews: vec![chief, second], ..Script::default() })
}

fn approve() -> Review {
    states("APPROVE", Verdict::Pass, Judgment::Approve)
}

fn found(case: &Value) -> Review {
    let severity = Severity::read(case["severity"].as_str().expect("a severity"));
    let mut review = approve();
    let place = (case["file"].as_str().map(str::to_owned), case["line"].as_u64());
    let mut found = finding(severity, "the same problem");
    (found.file, found.line) = place;
    review.reading.as_mut().expect("a reading").findings.push(found);
    review
}

fn base(input: &Value) -> Review {
    let mut review = match input["base"].as_str() {
        Some("REJECT") => states("REJECT", Verdict::Fail, Judgment::Block),
        _ => approve(),
    };
    review.reading.as_mut().expect("a reading").grade = (input["grade"] == "A").then_some(Grade::A);
    review
}

fn second(input: &Value) -> Review {
    if input["codex_critical"] == true {
        return approve().with(Severity::Critical, "a hole");
    }
    Review { outcome: ExecOutcome::NotStarted, ..no_answer() }
}

fn decision(judgment: Judgment) -> &'static str {
    match judgment {
        Judgment::Approve | Judgment::ApproveWithNotes => "APPROVE",
        Judgment::Block => "REJECT",
        Judgment::Discuss | Judgment::Revise | Judgment::Unverifiable | Judgment::Redo => "REQUEST_CHANGES",
    }
}
