//! The five criteria of the goal drift guard, each by itself and all in one result.

use super::*;
use crate::CheckStatus;
use crate::scene::{Scene, gist};

const GOOD: &str =
    "### Requirement Checklist\n- [x] Feature A\n- [x] Feature B\n\nCOMPLETE: All 2 requirements fulfilled";

fn of(answer: &str) -> CheckResult {
    Scene::answering(answer).shown_to(evaluate)
}

#[test]
fn the_result_holds_five_criteria_in_order() {
    let result = of("Basic implementation complete if needed.");
    let ids = |key: &str| -> Vec<String> {
        let list = result.params[key].as_array().expect("a list");
        list.iter().map(|value| value["criteria_id"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(ids("criteriaResults"), ["GD1", "GD2", "GD3", "GD4", "GD5"]);
    assert_eq!(result.params["failed_criteria"], json!(["GD1", "GD2", "GD3", "GD4"]));
    assert_eq!((&result.params["passed"], result.pattern.as_deref()), (&json!(false), Some("goal-drift")));
    assert_eq!(ids("structured_reasons"), ["GD1", "GD2", "GD3", "GD4"]);
    let types: Vec<&str> = result.params["structured_reasons"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["violation_type"].as_str())
        .collect();
    assert_eq!(
        types,
        ["escape_phrase", "premature_completion", "missing_checklist", "invalid_completion_statement"]
    );
    let first = &result.params["criteriaResults"][0]["violations"][0];
    assert_eq!((&first["phrase"], &first["line"]), (&json!("if needed"), &json!(1)));
    let good = of(GOOD);
    assert_eq!((good.status, &good.params["passed"]), (CheckStatus::Pass, &json!(true)));
}

#[test]
fn each_criterion_is_reported_as_one_of_the_quality_gate() {
    let result = Scene::new().shown_to(evaluate);
    for list in ["criteriaResults", "structured_reasons"] {
        let all = result.params[list].as_array().expect("a list").iter();
        let pairs: Vec<_> =
            all.map(|it| (it["criteria_id"].clone(), it["quality_criterion"].clone())).collect();
        let expected = [("GD1", "Q2"), ("GD2", "Q5"), ("GD3", "Q5"), ("GD4", "Q5"), ("GD5", "Q3")];
        assert_eq!(pairs, expected.map(|(id, quality)| (json!(id), json!(quality))));
    }
    assert_eq!(
        result.summary,
        "5 of 5 criteria failed (GD1 as Q2, GD2 as Q5, GD3 as Q5, GD4 as Q5, GD5 as Q3): answer: GD1: there is no answer to judge (and 4 more)"
    );
    assert_eq!(result.params["violations"].as_array().map(Vec::len), Some(5));
}

#[test]
fn without_an_answer_all_five_fail() {
    let result = Scene::new().shown_to(evaluate);
    assert_eq!(result.params["failed_criteria"], json!(["GD1", "GD2", "GD3", "GD4", "GD5"]));
    assert_eq!(result.param("error"), Some(NO_ANSWER));
    let one = Scene::new().shown_to(|site| examine("escape_phrases", site));
    assert_eq!((one.status, one.param("error")), (CheckStatus::Fail, Some(NO_ANSWER)));
}

#[test]
fn the_instructions_name_each_reason() {
    let result = of("Basic implementation complete if needed.");
    let text = result.param("instructions").expect("a text").to_owned();
    assert!(text.starts_with("## Template-Specific Issues (Goal Drift Guard)\n"), "{text}");
    for part in ["GD1", "GD2", "GD3", "GD4", "Fix: ", "COMPLETE: All N requirements fulfilled"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("GD5"));
}

#[test]
fn three_pieces_of_evidence_are_told_and_the_rest_counted() {
    let many = format!("{}{GOOD}", "It is optional.\n".repeat(5));
    let result = of(&many);
    let text = result.param("instructions").expect("a text").to_owned();
    assert_eq!((text.matches("\"optional\"").count(), text.contains("... and 2 more")), (3, true), "{text}");
    assert_eq!(of(GOOD).param("instructions"), Some(""));
}

fn phrases_of(scene: &Scene) -> Vec<String> {
    let result = scene.shown_to(|site| examine("escape_phrases", site));
    let found =
        result.params.get("violations").and_then(|value| value.as_array().cloned()).unwrap_or_default();
    found.iter().filter_map(|it| Some(it["phrase"].as_str()?.to_owned())).collect()
}

#[test]
fn each_phrase_is_found_with_its_line_and_context() {
    for phrase in phrases("escape_phrases") {
        let scene = Scene::answering(&format!("First.\nSome text {phrase} more text"));
        assert_eq!(phrases_of(&scene), [phrase.as_str()]);
    }
    let result = Scene::answering("Line 1\nLine 2 is written by me If Needed and it goes on for long\n")
        .shown_to(|site| examine("escape_phrases", site));
    let first = &result.params["violations"][0];
    let shown = (first["line"].as_u64(), first["context"].as_str(), first["criteria_id"].as_str());
    assert_eq!(shown, (Some(2), Some("2 is written by me If Needed and it goes on for"), Some("GD1")));
}

#[test]
fn code_quotations_and_parts_of_words_are_honest() {
    for answer in [
        "Uses std::optional here: `optional<T>`.",
        "```\nif needed\n```\n> out of scope\n",
        "The field is optionally typed; tbds is a name.",
        "- [x] Requirement 2: the nickname is optional for guests",
    ] {
        let mut scene = Scene::answering(&answer.replace("std::optional", "it"))
            .about("The nickname is *optional* for guests.");
        scene.settings.early_termination_strict = true;
        assert_eq!(phrases_of(&scene), [""; 0], "{answer}");
        let mut strict = Scene::answering(answer).about("The nickname is optional for guests.");
        strict.settings.template_strict = true;
        assert_ne!(phrases_of(&strict), [""; 0], "{answer}");
        (strict.settings.template_strict, strict.settings.strict) = (false, true);
        assert_ne!(phrases_of(&strict), [""; 0], "{answer}");
    }
    let other = Scene::answering("The tests are optional.").about("The nickname is optional for guests.");
    assert_eq!(phrases_of(&other), ["optional"]);
}

#[test]
fn each_premature_completion_phrase_is_found() {
    for phrase in phrases("premature_completion") {
        assert_eq!(
            gist(
                &Scene::answering(&format!("Some text {phrase} more"))
                    .shown_to(|site| examine("premature_completion", site))
            ),
            "answer"
        );
    }
    for honest in
        ["All requirements implemented and verified.", "The kickstarter page; `scaffold`.", "> please verify"]
    {
        assert_eq!(
            gist(&Scene::answering(honest).shown_to(|site| examine("premature_completion", site))),
            "pass",
            "{honest}"
        );
    }
}

#[test]
fn each_scope_reduction_phrase_is_found() {
    for phrase in phrases("scope_reduction") {
        assert_eq!(
            gist(
                &Scene::answering(&format!("Some text {phrase} more"))
                    .shown_to(|site| examine("scope_reduction", site))
            ),
            "answer"
        );
    }
    let asked = Scene::answering("The cache is flushed instead of rebuilt.")
        .about("It is flushed instead of rebuilt.");
    assert_eq!(gist(&asked.shown_to(|site| examine("scope_reduction", site))), "pass");
    for honest in ["Full implementation with all features.", "It waits for nowhere."] {
        assert_eq!(
            gist(&Scene::answering(honest).shown_to(|site| examine("scope_reduction", site))),
            "pass",
            "{honest}"
        );
    }
}

#[test]
fn a_statement_has_one_of_four_forms() {
    let said = |answer: &str| Scene::answering(answer).shown_to(|site| examine("completion_statement", site));
    for good in [
        "All done.\n\nCOMPLETE: All 5 requirements fulfilled",
        "**COMPLETE: all requirements met**",
        "complete: all 1 requirement fulfilled",
        "INCOMPLETE: Requirements 3, 4 remain",
        "- [ ] b\nINCOMPLETE: 2 requirements remain",
    ] {
        assert_eq!(gist(&said(good)), "pass", "{good}");
    }
    for (bad, why) in [
        ("Done! That should be everything.", "invalid completion statement"),
        ("Here are the changes I made.", "missing completion statement"),
        ("This should work.", "missing completion statement"),
        ("INCOMPLETE: All 5 requirements fulfilled", "missing completion statement"),
        ("As asked:\n```\nCOMPLETE: all requirements met\n```", "missing completion statement"),
        ("COMPLETE: all requirements met\nINCOMPLETE: 1 requirement remains", "contradicting"),
        ("- [ ] a\nCOMPLETE: all requirements met", "open item"),
    ] {
        assert!(said(bad).places.first().is_some_and(|place| place.what.contains(why)), "{bad}");
    }
}

#[test]
fn any_form_of_a_checklist_will_do() {
    for (answer, expected) in [
        ("### Requirements\n- [x] Feature A", "pass"),
        ("* [ ] Feature A", "pass"),
        ("- [✓] Feature A", "pass"),
        ("- Requirement 1: sign in", "pass"),
        ("### Requirement Checklist", "pass"),
        ("1. Feature A: done\n2. Feature B: complete", "pass"),
        ("I implemented all the features. Everything is done.", "answer"),
        ("As asked:\n```\n- [x] Feature A\n```", "answer"),
        ("1. Feature A", "answer"),
    ] {
        assert_eq!(
            gist(&Scene::answering(answer).shown_to(|site| examine("requirement_checklist", site))),
            expected,
            "{answer}"
        );
    }
}

fn phrases(check: &str) -> &'static [String] {
    let criterion = TABLE.criterion.iter().find(|criterion| criterion.check == check);
    &criterion.expect("a criterion").phrases
}
