//! Whole runs with phases that name a schema for their answers.

use serde_json::{Value, json};

use crate::excerpt::excerpt;
use crate::support::{SHORT, Sandbox, honest_script};

const CONFIG: &str = "[phases.planning]\nschema = \"schemas/plan.json#plan\"\n";

const SCHEMA: &str = r##"{"plan": {"type": "object", "required": ["tasks"], "properties": {"tasks": {"$ref": "#/$defs/tasks"}}},
"$defs": {"tasks": {"type": "array", "minItems": 1, "items": {"type": "string"}}}}"##;

/// A planning author that answers so in its first attempt, and otherwise so.
fn author(first: &str, then: &str) -> String {
    let turn = |attempt: &str, say: &str| {
        format!(
            "\n[[turn]]\nphase = \"planning\"\nstep = \"execute\"\n{attempt}write = [{{ path = \"{{{{output}}}}\", text = \"# plan\\n\" }}]\nsay = '''{say}'''\n"
        )
    };
    format!("{}{}", turn("", then), turn("attempt = 1\n", first))
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", CONFIG);
    sandbox.write(".ai-workflow/schemas/plan.json", SCHEMA);
    sandbox
}

fn facts_of(sandbox: &Sandbox, kind: &str) -> Vec<Value> {
    sandbox.facts().into_iter().filter(|fact| fact["type"] == kind && fact["phase"] == "planning").collect()
}

#[test]
fn an_answer_that_misses_its_schema_is_asked_again_without_a_revision() {
    let sandbox = sandbox();
    let script = author("done: {\"tasks\": [1], \"more\": 2}", "```json\n{\"tasks\": [\"repair it\"]}\n```");
    sandbox.short(&script, &[]).exits(0);
    let phase = &sandbox.metadata()["phases"]["planning"];
    assert_eq!((&phase["status"], &phase["retry_count"]), (&json!("completed"), &json!(0)), "{phase}");
    let summaries: Vec<Value> = facts_of(&sandbox, "checked")
        .iter()
        .filter_map(|fact| {
            let results = fact["results"].as_array()?;
            Some(results.iter().find(|result| result["check"] == "answer_format")?["summary"].clone())
        })
        .collect();
    let [first, second] = &summaries[..] else { panic!("{summaries:#?}") };
    insta::assert_snapshot!(format!("{first}\n{second}"), @r#"
    "Schema validation failed: tasks[0]: Expected type \"string\", got number; Additional properties are not allowed ('more' was unexpected)"
    "the answer's last object satisfies its schema"
    "#);
    let prompt = |attempt: u32| {
        let path = format!(".ai-workflow/issue-243/00_planning/execute/round-1/attempt-{attempt}/prompt.md");
        sandbox.read(&path)
    };
    insta::assert_snapshot!(excerpt(&prompt(1), "## The form of your answer", "\n\n## "), @r#"
    ## The form of your answer
    End your answer with one JSON object that satisfies this JSON Schema, in a ```json block with nothing after it; where your program asks
    you for a structured answer, give it there. We check it ourselves; the deliverable does not replace it.
    [data [RUN]: the schema, from the configuration]
    ```
    {"type":"object","required":["tasks"],"properties":{"tasks":{"type":"array","minItems":1,"items":{"type":"string"}}},"additionalProperties":false}
    ```
    [end of data [RUN]]
    "#);
    insta::assert_snapshot!(excerpt(&prompt(2), "Only the form", "\n\n"), @r#"
    Only the form of your last answer was wrong
    The work of that call is on disk; look at it before you change anything.
    [data [RUN]: what our checks saw]
    ```
    - answer_format: FAILED: Schema validation failed: tasks[0]: Expected type "string", got number; Additional properties are not allowed ('more' was unexpected)
       error: Schema validation failed: tasks[0]: Expected type "string", got number; Additional properties are not allowed ('more' was unexpected)
    ```
    [end of data [RUN]]
    Only the form of your answer is wrong, and the check `answer_format` names every place. Leave the files as they are. End your answer with
    one JSON object that satisfies the schema, nothing after it: every required key, no other key, the right types and words. State in it
    only what is true; do not make up a value to fill a key.
    "#);
    assert!(!prompt(1).contains("Only the form"), "{}", prompt(1));
}

#[test]
fn an_answer_that_always_misses_its_schema_uses_all_redos_and_revisions() {
    let sandbox = sandbox();
    sandbox.short(&author("done", "done"), &[]).exits(1);
    let rulings = facts_of(&sandbox, "ruled");
    let kind = |fact: &Value| fact["ruling"]["do"].as_str().unwrap_or_default().to_owned();
    let kinds: Vec<String> = rulings.iter().map(kind).collect();
    assert_eq!(kinds, ["redo", "redo", "revise", "revise", "revise", "fail"], "{rulings:#?}");
}

#[test]
fn the_output_schema_of_a_registry_step_applies_to_its_phase() {
    let sandbox = sandbox();
    sandbox.write(".ai-workflow/config.toml", "[phases.planning]\nstep = \"plan.issue\"\n");
    let registry = |name: &str| {
        format!(
            r#"{{"agentId": "x", "steps": {{"plan.issue": {{"outputSchemaRef": {{"file": "schemas/plan.json", "schema": "{name}"}}}}}}}}"#
        )
    };
    sandbox.write(".ai-workflow/steps_registry.json", &registry("other"));
    let told = "`outputSchemaRef` of the step `plan.issue`: schemas/plan.json: there is no schema `other`";
    sandbox.run(&["config", "validate"]).exits(2).says(told);
    sandbox.write(".ai-workflow/steps_registry.json", &registry("plan"));
    sandbox.short(&author("done: {\"tasks\": [1]}", "{\"tasks\": [\"repair it\"]}"), &[]).exits(0);
    let rulings = facts_of(&sandbox, "ruled");
    let kinds: Vec<&Value> = rulings.iter().map(|fact| &fact["ruling"]["do"]).collect();
    assert_eq!(kinds, ["redo", "advance"], "{rulings:#?}");
}

#[test]
fn the_schema_of_a_step_is_found_where_the_agent_of_its_registry_keeps_schemas() {
    let sandbox = sandbox();
    sandbox.write(".ai-workflow/config.toml", "[phases.planning]\nstep = \"plan.issue\"\n");
    let registry = r#"{"agentId": "iterator", "steps": {"plan.issue": {"outputSchemaRef": {"file": "step.json", "schema": "plan"}}}}"#;
    sandbox.write(".ai-workflow/steps_registry.json", registry);
    let missing =
        "`outputSchemaRef` of the step `plan.issue`: step.json: No such file or directory (os error 2)";
    sandbox.run(&["config", "validate"]).exits(2).says(missing).says(
        "hint: the file is looked for below .ai-workflow/, then below .agent/iterator/schemas/ and named as",
    );
    let schema = r#"{"plan": {"$ref": "shared/plan.json#plan"}}"#;
    sandbox.write(".agent/iterator/schemas/step.json", schema);
    sandbox.write(".agent/iterator/schemas/shared/plan.json", SCHEMA);
    sandbox.run(&["config", "validate"]).exits(0);
    sandbox.short(&author("done: {\"tasks\": [1]}", "{\"tasks\": [\"repair it\"]}"), &[]).exits(0);
    let rulings = facts_of(&sandbox, "ruled");
    let kinds: Vec<&Value> = rulings.iter().map(|fact| &fact["ruling"]["do"]).collect();
    assert_eq!(kinds, ["redo", "advance"], "{rulings:#?}");
    let protected = &sandbox.facts()[0]["agreement"]["check_settings"]["protected_by_default"];
    let is_protected = |path: &str| protected.as_array().is_some_and(|all| all.iter().any(|it| it == path));
    assert!(
        is_protected(".agent/iterator/schemas/") && is_protected(".agent/iterator/prompts/"),
        "{protected}"
    );
}

#[test]
fn an_unusable_answer_schema_is_refused_before_the_run() {
    for (file, message) in [
        ("{", "schemas/plan.json: not JSON"),
        ("{}", "schemas/plan.json: there is no schema `plan`"),
        (
            "{\"plan\": {\"$ref\": \"#/plan\"}}",
            "`$ref` runs in a circle: schemas/plan.json#/plan → schemas/plan.json#/plan",
        ),
        ("{\"plan\": {\"type\": \"array\"}}", "needs `type = \"object\"`"),
    ] {
        let sandbox = sandbox();
        sandbox.write(".ai-workflow/schemas/plan.json", file);
        let ran = sandbox.execute(&sandbox.script(&honest_script(""))).exits(2);
        ran.says("`phases.planning.schema = \"schemas/plan.json#plan\"`: ").says(message);
        sandbox.run(&["config", "validate"]).exits(2).says(message);
        assert!(!sandbox.has(".ai-workflow/issue-243"));
    }
}

#[test]
fn the_answer_schema_is_fixed_at_the_start_of_the_run() {
    let sandbox = sandbox();
    let agent = sandbox.script(&honest_script(&author("{\"tasks\": [\"a\"]}", "no")));
    sandbox.run(&["execute", "--issue", "243", "--agent", &agent, "--preset", SHORT]).exits(0);
    let pinned = sandbox.facts()[0]["agreement"]["phases"][0]["output_schema"].clone();
    let expected = json!({"type": "object", "required": ["tasks"], "additionalProperties": false,
        "properties": {"tasks": {"type": "array", "minItems": 1, "items": {"type": "string"}}}});
    assert_eq!(pinned, expected);
}

#[test]
fn a_schema_for_a_phase_without_an_author_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", "[phases.document_review]\nschema = \"a.json\"\n");
    sandbox
        .run(&["config", "validate"])
        .exits(2)
        .says("`phases.document_review.schema` is for the answer of an author");
}

/// The patterns and summaries of the check in each round.
fn judged(sandbox: &Sandbox) -> Vec<(Value, String)> {
    let of = |fact: &Value| {
        let results = fact["results"].as_array()?;
        let result = results.iter().find(|result| result["check"] == "answer_format")?;
        Some((result["pattern"].clone(), result["summary"].as_str().unwrap_or_default().to_owned()))
    };
    facts_of(sandbox, "checked").iter().filter_map(of).collect()
}

#[test]
fn an_answer_without_the_configured_format_is_asked_again() {
    let mut forms = Vec::new();
    for (config, first, then, told) in [
        (
            "answer_format = \"json\"",
            "done",
            "done\n```json\n{\"tasks\": []}\n```",
            "No JSON block found in response",
        ),
        (
            "answer_pattern = '(?m)^COMPLETE: \\d+ pages$'",
            "complete",
            "done\nCOMPLETE: 3 pages",
            "Pattern \"(?m)^COMPLETE: \\d+ pages$\" not found in response",
        ),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(".ai-workflow/config.toml", &format!("[phases.planning]\n{config}\n"));
        sandbox.short(&author(first, then), &[]).exits(0);
        let judged = judged(&sandbox);
        assert_eq!(judged[0], (json!("answer-form"), told.to_owned()));
        assert_eq!((judged.len(), &judged[1].0), (2, &Value::Null), "{judged:?}");
        let phase = &sandbox.metadata()["phases"]["planning"];
        assert_eq!((&phase["status"], &phase["retry_count"]), (&json!("completed"), &json!(0)), "{phase}");
        let prompt = sandbox.read(".ai-workflow/issue-243/00_planning/execute/round-1/attempt-1/prompt.md");
        forms.push(excerpt(&prompt, "## The form of your answer", "\n\n").trim().to_owned());
    }
    insta::assert_snapshot!(forms.join("\n\n"), @r"
    ## The form of your answer
    End your answer with one ```json block that can be parsed, and nothing after it. We check it ourselves; the deliverable does not replace it.

    ## The form of your answer
    Your answer has to hold, as you say it at the end, a text that this regular expression finds. We check it ourselves; a text in the
    deliverable does not count. State in it only what is true.
    [data [RUN]: the pattern, from the configuration]
    ```
    (?m)^COMPLETE: \d+ pages$
    ```
    [end of data [RUN]]
    ");
}

#[test]
fn an_invalid_answer_format_setting_is_refused_with_its_key() {
    for (config, told) in [
        ("planning]\nanswer_pattern = '[a'", "`phases.planning.answer_pattern` is no regular expression"),
        ("planning]\nanswer_pattern = 'x*'", "`phases.planning.answer_pattern` is met by an empty answer"),
        ("planning]\nanswer_format = 'yaml'", "phases.planning.answer_format"),
        (
            "planning]\nanswer_format = 'json'\nanswer_pattern = 'x'",
            "`phases.planning.answer_pattern` is one form of the answer, and `answer_format` is another",
        ),
        (
            "document_review]\nanswer_format = 'json'",
            "`phases.document_review.answer_format` is for the answer",
        ),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(".ai-workflow/config.toml", &format!("[phases.{config}\n"));
        sandbox.run(&["config", "validate"]).exits(2).says(told).says(".ai-workflow/config.toml");
    }
}
