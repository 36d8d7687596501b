//! Classes of failure and backoff of the quality-criteria loop: how often a step comes again by itself, after which pause.

use std::collections::BTreeMap;

use model::event::{CheckStatus, ClaimStatus, Entry, ExecOutcome, Fact, Ruled, Ruling};
use model::policy::{Policy, PolicyLimits};
use model::verdict::{Judgment, Verdict};
use serde_json::{Map, Value, json};

use super::{assert_deliberate, cases};
use crate::flow::policies::{phase, phase_review, retake};
use crate::flow::world::{Script, Work, World, claims, done, ends, states};

const DOUBLED: &str = "one pause for all classes: it begins at `backoff_ms` and doubles, to 30 s at most";
const BY_TIME: &str = "a provider that fails is asked again until the agreed time is over; pauses begin at 5 s and double, to 120 s at most";

/// Where we differ, and why.
const DIFFERENT: [(&str, &str); 4] = [
    ("RATE_LIMIT cap_ms", BY_TIME),
    ("RATE_LIMIT max", BY_TIME),
    ("TIMEOUT fixed_delay_ms", DOUBLED),
    ("TRANSIENT max", BY_TIME),
];

#[test]
fn retry_classification_matches_the_vectors() {
    let cases = cases("000_retry_classification.json");
    let mut differing = BTreeMap::new();
    for case in &cases {
        let name = case["name"].as_str().expect("a name");
        let input = &case["input"];
        if let Some(failure) = input["failure"].as_str() {
            let (ours, expected) = (class(failure), case["expected"].as_object().expect("an object"));
            for (key, wanted) in expected.iter().filter(|(key, wanted)| ours.get(*key) != Some(wanted)) {
                let found = ours.get(key).cloned().unwrap_or_default();
                differing.insert(format!("{name} {key}"), (found, wanted.clone()));
            }
        } else if json!(backoff(input)) != case["expected"] {
            differing.insert(name.to_owned(), (json!(backoff(input)), case["expected"].clone()));
        }
    }
    if !cases.is_empty() {
        assert_deliberate(&differing, &DIFFERENT);
    }
}

/// Plays a failure that never goes away; how often it came again, and after which pauses.
fn class(failure: &str) -> Map<String, Value> {
    let always = |work: Work| Script { work: vec![work], ..Script::default() };
    let (policy, script) = match failure {
        "INCOMPLETE" => (phase_review(), always(claims(ClaimStatus::Incomplete))),
        "QUALITY_FAILURE" => {
            let checks = vec![vec![("build".to_owned(), CheckStatus::Fail)]];
            (retake(), Script { checks, ..Script::default() })
        }
        "TIMEOUT" => (phase_review(), always(ends(ExecOutcome::TimedOut))),
        "TRANSIENT" => (phase_review(), always(ends(ExecOutcome::Overloaded))),
        "RATE_LIMIT" => (phase_review(), always(ends(ExecOutcome::RateLimited))),
        "FATAL" => (phase_review(), always(ends(ExecOutcome::Refused))),
        "ESCALATE_REQUIRED" => {
            let reviews = vec![states("QUESTION", Verdict::Fail, Judgment::Discuss)];
            (phase_review(), Script { work: vec![done()], reviews, ..Script::default() })
        }
        other => panic!("no adapter for `{other}`"),
    };
    let delays = again(&World::play(phase("planning", policy), script));
    let steady = delays.first().filter(|first| delays.iter().all(|delay| delay == *first));
    let values = [
        ("max", json!(delays.len())),
        ("fixed_delay_ms", json!(steady)),
        ("initial_ms", json!(delays.first())),
        ("cap_ms", json!(delays.iter().max())),
    ];
    values.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The pauses before each time that work came again by itself; a revision waits for nothing.
fn again(world: &World) -> Vec<u64> {
    let pause = |pair: &[Entry]| match &pair[1].fact {
        Fact::Ruled(Ruled { ruling: Ruling::Revise, .. }) => Some(0),
        Fact::Ruled(Ruled { ruling: Ruling::Redo { delay_ms, .. }, .. }) => Some(*delay_ms),
        Fact::Ruled(Ruled { ruling: Ruling::Wait { until, .. }, .. }) => {
            u64::try_from(until.duration_since(pair[0].at).as_millis()).ok()
        }
        _ => None,
    };
    world.entries.windows(2).filter_map(pause).collect()
}

fn backoff(input: &Value) -> u64 {
    let number = |key: &str| input[key].as_u64().expect("a number");
    assert_eq!((number("mult"), number("jitter")), (2, 0), "a doubled pause without chance");
    let attempt = usize::try_from(number("attempt")).expect("a small number");
    let max_redo = u32::try_from(attempt + 1).expect("a small number");
    let policy = phase_review();
    let limits = PolicyLimits { max_redo, backoff_ms: number("base"), ..policy.limits };
    let script = Script { work: vec![ends(ExecOutcome::Crashed)], ..Script::default() };
    again(&World::play(phase("planning", Policy { limits, ..policy }), script))[attempt]
}
