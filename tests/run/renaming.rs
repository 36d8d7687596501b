//! Names of phases and policies mean nothing: a run whose phases and policies all bear other names does the same.

use regex::Regex;
use serde_json::Value;
use settings::DEFAULTS;
use toml::Table;

use crate::support::{Sandbox, honest_script};

/// Other policies for some of the phases, so that all five are followed.
const POLICIES: &str = "[phases.requirements]\npolicy = \"retake\"\n[phases.design]\npolicy = \"completion\"\n\
                        [phases.implementation]\npolicy = \"quality-gate\"\n[checks]\nscope_required = true\n";

/// Limits and criteria of the quality gate.
const REVIEW_LOOP: &str = r#"{"max_iterations": 2, "criteria": {"optional": ["Q10"]}}"#;

/// A plan with a scope; a review that fails once; findings that the triage repairs; code that the quality gate refuses once.
const TURNS: &str = r##"
[[turn]]
phase = "planning"
step = "execute"
write = [{ path = "{{output}}", text = "# {{phase}}\n\n{\"scope\": {\"paths\": [\"src/**\", \"tests/**\"]}}\n" }]
say = "done"

[[turn]]
phase = "requirements"
step = "review"
round = 1
say = '{"review_id": "{{review_id}}", "result": "FAIL", "decision": "REQUEST_CHANGES", "summary": "vague", "findings": [{"severity": "major", "category": "plan", "issue": "no limit is named"}]}'

[[turn]]
phase = "requirements"
step = "review"
say = '{"review_id": "{{review_id}}", "result": "PASS", "decision": "APPROVE", "grade": "A", "summary": "good", "findings": [], "viewpoints": {"security": "A", "performance": "A", "quality": "A", "compatibility": "A"}}'

[[turn]]
phase = "document_review"
step = "review"
round = 1
say = '{"review_id": "{{review_id}}", "result": "FAIL", "summary": "vague", "findings": [{"severity": "major", "category": "design", "issue": "no limit is named"}]}'

[[turn]]
phase = "document_review"
step = "triage"
round = 1
write = [{ path = ".ai-workflow/issue-243/03_test_scenario/output/test-scenario.md", text = "# with a limit\n" }]
say = """
review_id: {{review_id}}

| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |
|---|---|---|---|---|
| Major | 1 | 1 | 0 | 0 |
"""

[[turn]]
phase = "implementation"
step = "execute"
write = [{ path = "{{output}}", text = "# {{phase}}\n" }, { path = "src/lib.rs", text = "pub fn pages() -> u32 {\n    todo!()\n}\n" }]
say = "done"

[[turn]]
phase = "implementation"
step = "revise"
write = [{ path = "src/lib.rs", text = "pub fn pages() -> u32 {\n    3\n}\n" }]
say = "revised"

[[turn]]
phase = "evaluation"
step = "execute"
attempt = 1
write = [{ path = "{{output}}", text = "# evaluation\n" }]
say = "I cannot decide."
"##;

/// Returns another name of the same length.
fn other(name: &str) -> String {
    name.chars().rev().collect()
}

/// The names of all phases and policies of the defaults.
struct Names(Vec<String>);

impl Names {
    fn of(defaults: &Table) -> Self {
        let tables = ["phases", "policies"].map(|table| defaults[table].as_table().expect("a table"));
        let mut names: Vec<String> = tables.iter().flat_map(|table| table.keys().cloned()).collect();
        // A name may be a part of a longer one.
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        Self(names)
    }

    /// Gives each phase and policy in a configuration or script its other name.
    fn renamed(&self, text: &str) -> String {
        let names = self.0.join("|");
        let named = Regex::new(&format!(
            r#"(?m)"({names})"|^(\[+(?:phases|policies)\.)({names})|/(0)(\d_)({names})/"#
        ));
        let named = named.expect("a pattern");
        let renamed =
            named.replace_all(text, |found: &regex::Captures<'_>| match (found.get(1), found.get(3)) {
                (Some(name), _) => format!("\"{}\"", other(name.as_str())),
                (None, Some(name)) => format!("{}{}", &found[2], other(name.as_str())),
                (None, None) => format!("/1{}{}/", &found[5], other(&found[6])),
            });
        renamed.into_owned()
    }

    /// Gives them their own names again.
    fn restored(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, name| {
            let folder = Regex::new(&format!(r"\b1(\d_){}\b", other(name))).expect("a pattern");
            folder.replace_all(&text, format!("0${{1}}{name}")).replace(&other(name), name)
        })
    }
}

/// Returns the built-in phases and policies under other names, with what went by a name before said by a key.
fn renamed_defaults(names: &Names, defaults: &Table) -> String {
    let mut config = Table::new();
    for key in ["order", "step_policy", "phases", "policies"] {
        config.insert(key.to_owned(), defaults[key].clone());
    }
    for (name, phase) in config["phases"].as_table_mut().expect("phases") {
        let phase = phase.as_table_mut().expect("a phase");
        phase.insert("prompts".to_owned(), format!("prompts of {name}").into());
        phase.entry("policy").or_insert("phase-review".into());
        // The number belongs to the built-in phase, which is there as well.
        if let Some(number) = phase.get("number").and_then(toml::Value::as_integer) {
            phase.insert("number".to_owned(), (number + 10).into());
        }
    }
    names.renamed(&toml::to_string(&config).expect("TOML")).replace("prompts of ", "")
}

/// Returns the facts without what no two runs have in common. The names of phases are keys in some facts, so keys are sorted.
fn facts(sandbox: &Sandbox, restored: impl Fn(&str) -> String) -> Vec<String> {
    let varying =
        Regex::new(r#"[0-9a-f]{32,}|\d{4}-\d\d-\d\dT[0-9:.]+Z|"millis":\d+|\d+ ms\b|/[^" ]*/agent.toml"#);
    let varying = varying.expect("a pattern");
    let text = |fact: &Value| {
        let mut fact: Value = restored(&fact.to_string()).parse().expect("JSON");
        fact.sort_all_objects();
        varying.replace_all(&fact.to_string(), "…").into_owned()
    };
    sandbox.facts().iter().map(text).collect()
}

#[test]
fn a_run_with_other_names_of_phases_and_policies_writes_the_same_log() {
    let defaults: Table = toml::from_str(DEFAULTS).expect("TOML");
    let names = Names::of(&defaults);
    let (plain, renamed) = (Sandbox::new(), Sandbox::new());
    let home = renamed.root().with_file_name("home").join(".config/ai-workflow");
    std::fs::create_dir_all(&home).expect("a folder");
    std::fs::write(home.join("config.toml"), renamed_defaults(&names, &defaults)).expect("a file");
    let script = honest_script(TURNS);
    for (sandbox, config, script) in [
        (&plain, POLICIES.to_owned(), script.clone()),
        (&renamed, names.renamed(POLICIES), names.renamed(&script)),
    ] {
        sandbox.write(".ai-workflow/config.toml", &config);
        sandbox.write(".claude/review-loop.json", REVIEW_LOOP);
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", "settings"]);
        sandbox.execute(&sandbox.script(&script)).exits(0);
    }
    let plain = facts(&plain, str::to_owned);
    let restored = facts(&renamed, |fact| names.restored(fact));
    for (number, (expected, found)) in plain.iter().zip(&restored).enumerate() {
        let same = expected.bytes().zip(found.bytes()).take_while(|(one, other)| one == other).count();
        let from = same.saturating_sub(200);
        assert!(expected == found, "fact {number}:\n…{}\n…{}", &expected[from..], &found[from..]);
    }
    assert_eq!(plain.len(), restored.len());
    let rulings = plain.iter().filter(|fact| fact.contains("\"type\":\"ruled\"")).count();
    assert!(rulings >= 14, "{rulings}");
}
