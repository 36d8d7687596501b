//! Forms of answers that are met, and what is wrong with those that are not.

use serde_json::json;

use super::*;
use crate::scene::{Scene, gist};
use model::event::CheckStatus;

fn judged(form: Option<AnswerForm>, answer: &str) -> CheckResult {
    let mut scene = Scene::answering(answer);
    scene.phase.answer_form = form;
    examine(&scene.site())
}

#[test]
fn a_phase_may_ask_for_json_without_a_schema() {
    let json = |answer: &str| judged(Some(AnswerForm::Json), answer);
    for honest in ["done\n\n```json\n{\"a\": 1}\n```\n", "```json\n[1, 2]\n```", " {\"a\": 1}\n"] {
        assert_eq!(gist(&json(honest)), "pass", "{honest}");
    }
    for (cheat, why) in [
        ("done", "No JSON block found in response"),
        ("", "No JSON block found in response"),
        ("```json\n{\"a\": \n```", "Invalid JSON in the block: "),
    ] {
        let result = json(cheat);
        assert_eq!((result.status, result.pattern.as_deref()), (CheckStatus::Fail, Some("answer-form")));
        assert!(result.summary.starts_with(why), "{}", result.summary);
    }
}

#[test]
fn a_phase_may_ask_for_a_text() {
    let form = || Some(AnswerForm::Pattern("(?m)^COMPLETE: .+".into()));
    assert_eq!(gist(&judged(form(), "x\nCOMPLETE: all pages\n")), "pass");
    let result = judged(form(), "it is COMPLETE: all pages");
    assert_eq!(result.summary, "Pattern \"(?m)^COMPLETE: .+\" not found in response");
    assert_eq!(gist(&judged(None, "x")), "skipped");
    let mut silent = Scene::new();
    silent.phase.answer_form = form();
    assert_eq!(examine(&silent.site()).status, CheckStatus::Fail, "no answer has no form");
}

fn error(text: &str, schema: &Value) -> String {
    let held = json_block(text).and_then(|value| satisfies(&value, schema));
    held.expect_err("it is no valid answer")
}

#[test]
fn all_errors_stand_in_one_message_with_their_places() {
    let schema = json!({"type": "object", "required": ["name"], "additionalProperties": false,
        "properties": {"items": {"type": "array", "items": {"type": "object", "required": ["n"],
            "properties": {"n": {"type": ["integer", "null"], "minimum": 1}}}}}});
    let text = "```json\n{\"items\": [{\"n\": 1}, {}, {\"n\": \"x\"}, {\"n\": 0}], \"other\": 1}\n```";
    let told = error(text, &schema);
    for part in [
        "Schema validation failed: ",
        "name: Required property is missing",
        "items[1].n: Required property is missing",
        "items[2].n: Expected type \"null\" or \"integer\", got string",
        "items[3].n: 0 is less than the minimum of 1",
        "Additional properties are not allowed ('other' was unexpected)",
    ] {
        assert!(told.contains(part), "`{part}` is not in {told}");
    }
}

#[test]
fn a_block_has_to_be_there_and_to_parse() {
    assert_eq!(error("{\"a\": 1}", &json!(true)), "No JSON block found in response");
    let broken = error("```json\n{\"a\": }\n```", &json!(true));
    assert!(broken.starts_with("Invalid JSON in the block: expected value"), "{broken}");
    let twice = error("```json\n{\"a\": 1, \"a\": 2}\n```", &json!(true));
    assert_eq!(twice, "Invalid JSON in the block: a key is told twice");
}

#[test]
fn a_pattern_has_to_be_there_to_be_one_and_to_be_found() {
    assert_eq!(find_pattern("x COMPLETE-12 y", r"COMPLETE-\d+"), Ok(json!("COMPLETE-12")));
    let of = |pattern: &str| find_pattern("text", pattern).expect_err("it is not found");
    assert_eq!(of("none"), "Pattern \"none\" not found in response");
    assert_eq!(of("[a"), "Invalid regex pattern: error: unclosed character class");
}

#[test]
fn a_schema_that_cannot_be_used_is_met_by_nothing() {
    let told = error("```json\n{}\n```", &json!({"type": "thing"}));
    assert!(told.starts_with("Schema cannot be used: /type: "), "{told}");
}
