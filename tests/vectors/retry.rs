//! Retry prompts of the completion validators: keywords, patterns, injection of parameters, heads of templates, declarations.
//! Functions of the peer that stand inside ours are seen through `retry_prompt`.

use std::collections::{BTreeMap, BTreeSet};

use content_parser::read_claim;
use model::event::{CheckResult, CheckStatus};
use model::policy::FailurePattern;
use serde_json::{Value, json};
use views::prompt::retry_prompt;

use crate::support::beside;

const MARK: &str = "k3v9q2x7";

/// What is not compared, with the reason.
const NOT_OFFERED: [(&str, &str); 1] = [(
    "sanitizeForUvInjection",
    "no prompt of ours reaches a shell: it is handed over in a file, and what an agent said stands in a fence unchanged",
)];

/// Cases that we answer otherwise, with the reason.
const DIFFERENCES: [(&str, &str); 12] = [
    (
        "buildMatchCorpus - includes string params and array params",
        "parameters are kept by name, so they stand in that order",
    ),
    ("parseFrontmatter - parses simple values", "only `params` has a meaning in a head"),
    ("parseFrontmatter - handles arrays", "only `params` has a meaning in a head"),
    ("parseFrontmatter - handles quoted strings", "only `params` has a meaning in a head"),
    (
        "StructuredSignalVerdictHandler - isFinishedwith required fields match",
        "`success` is no word of a declaration: completed, incomplete, blocked",
    ),
    (
        "StructuredSignalVerdictHandler - isFinishedwith required fields mismatch",
        "`failure` is no word of a declaration",
    ),
    (
        "formatIterationSummary - output never contains rejected characters (structured output has shell metas)",
        "`partial` is no word of a declaration",
    ),
    (
        "KeywordSignalVerdictHandler - isFinishedwith keyword in response",
        "what was done is taken from the declaration's summary, not from all that was said",
    ),
    ("KeywordSignalVerdictHandler - isFinishedwithout keyword", "the same"),
    ("KeywordSignalVerdictHandler - getVerdictDescription when complete", "the same"),
    (
        "formatIterationSummary - output never contains rejected characters (assistant response has shell metas)",
        "the same",
    ),
    ("formatIterationSummary - narrative content is preserved across substitution", "the same"),
];

fn cases(file: &str) -> Vec<Value> {
    let Some(folder) = beside("AI_WORKFLOW_VECTORS", "../shared/vectors") else { return Vec::new() };
    let text = std::fs::read_to_string(folder.join(file)).expect("a vector file");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    file["cases"].as_array().expect("cases").clone()
}

/// Plays the cases of a file; `play` says what is wrong about one, and nothing when it is as the peer has it.
fn play(file: &str, listed: &[&str], play: fn(&Value) -> Option<String>) {
    let (mut wrong, mut differing) = (Vec::new(), BTreeSet::new());
    let cases = cases(file);
    for case in &cases {
        let (name, function) = (text(&case["name"]), text(&case["input"]["fn"]));
        if NOT_OFFERED.iter().any(|(known, _)| *known == function) {
            continue;
        }
        match play(case) {
            Some(_) if DIFFERENCES.iter().any(|(known, _)| *known == name) => {
                differing.insert(name);
            }
            Some(why) => wrong.push(format!("{name} ({function}): {why}")),
            None => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let idle: Vec<_> = listed.iter().filter(|name| !differing.contains(**name)).collect();
    assert!(cases.is_empty() || idle.is_empty(), "listed and not different: {idle:#?}");
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn failed(peer: &Value) -> CheckResult {
    let mut params: BTreeMap<String, Value> = BTreeMap::new();
    for (name, value) in peer["params"].as_object().into_iter().flatten() {
        params.insert(name.clone(), value.clone());
    }
    let semantic = &peer["semanticParams"];
    for name in ["severity", "relatedFiles", "rootCause", "suggestedAction"] {
        if let Some(value) = semantic.get(name).filter(|value| !is_empty(value)) {
            params.insert(name.to_owned(), value.clone());
        }
    }
    CheckResult {
        check: "condition".into(),
        status: CheckStatus::Fail,
        pattern: peer["pattern"].as_str().map(str::to_owned),
        summary: text(&semantic["summary"]),
        evidence: text(&peer["error"]),
        params,
        places: vec![],
        asks: false,
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
}

fn patterns(registry: &Value) -> BTreeMap<String, FailurePattern> {
    let list = |value: &Value| -> Vec<String> { value.as_array().into_iter().flatten().map(text).collect() };
    let each = registry["failurePatterns"].as_object().into_iter().flatten();
    let pattern = |it: &Value| FailurePattern {
        description: text(&it["description"]),
        edition: text(&it["edition"]),
        adaptation: it["adaptation"].as_str().map(str::to_owned),
        params: list(&it["params"]),
        keywords: list(&it["semanticMatch"]),
    };
    each.map(|(name, it)| (name.clone(), pattern(it))).collect()
}

/// Returns the pattern whose text is chosen, when each has a text that only says its name.
fn chosen(result: &CheckResult, patterns: &BTreeMap<String, FailurePattern>) -> Option<String> {
    let paths = patterns.iter().map(|(name, pattern)| {
        let adaptation = pattern.adaptation.as_deref().map(|text| format!("_{text}")).unwrap_or_default();
        (format!("steps/retry/issue/f_{}{adaptation}.md", pattern.edition), format!("CHOSEN {name}"))
    });
    let mut own: BTreeMap<String, String> = paths.collect();
    own.insert("shared/retry.md".into(), "{{retry}}".into());
    let told = retry_prompt(std::slice::from_ref(result), patterns, None, &own, MARK);
    told.expect("good texts").strip_prefix("CHOSEN ").map(|name| name.trim().to_owned())
}

/// Tells whether what was seen has a keyword.
fn holds(result: &CheckResult, keyword: &str) -> bool {
    let pattern = FailurePattern {
        edition: "failed".into(),
        adaptation: Some("only".into()),
        keywords: vec![keyword.to_owned()],
        ..FailurePattern::default()
    };
    let unknown = CheckResult { pattern: Some("nobody-knows".into()), ..result.clone() };
    chosen(&unknown, &[("only".to_owned(), pattern)].into()).is_some()
}

fn retry_handler(case: &Value) -> Option<String> {
    let (input, expected) = (&case["input"], &case["expected"]);
    let known = patterns(&input["registry"]);
    let (ours, theirs) = match text(&input["fn"]).as_str() {
        "buildMatchCorpus" => {
            let corpus = expected.as_str().unwrap_or_default();
            let whole = format!("/^{}$/", regex::escape(corpus));
            let nothing = CheckResult { pattern: None, ..failed(&input["result"]) };
            (json!(holds(&nothing, &whole)), json!(true))
        }
        "scoreKeywords" => {
            let result = CheckResult { evidence: text(&input["corpus"]), ..failed(&Value::Null) };
            let keywords = input["keywords"].as_array().expect("a list");
            let found = keywords.iter().filter(|keyword| holds(&result, &text(keyword))).count();
            (json!(found), expected.clone())
        }
        "getPattern" => {
            let name = text(&input["args"][0]);
            let result = CheckResult { pattern: Some(name.clone()), ..failed(&Value::Null) };
            let theirs = if expected.is_null() { Value::Null } else { json!(name) };
            // A registry that does not know `git-dirty` finds our text for it, not one of its own.
            (json!(chosen(&result, &known)), theirs)
        }
        "findBestPattern" => {
            let result = CheckResult { pattern: None, ..failed(&input["args"][0]) };
            (json!(chosen(&result, &known)), expected["name"].clone())
        }
        "buildRetryPrompt" => return missing_in_prompt(&failed(&input["args"][1]), &known),
        other => panic!("no adapter for {other}"),
    };
    (ours != theirs).then(|| format!("{ours} instead of {theirs}"))
}

/// The layout is ours; everything that the peer tells has to be there, with the text for the pattern.
fn missing_in_prompt(result: &CheckResult, known: &BTreeMap<String, FailurePattern>) -> Option<String> {
    let prompt =
        retry_prompt(std::slice::from_ref(result), known, None, &BTreeMap::new(), MARK).expect("a prompt");
    let mut wanted = vec![result.evidence.clone(), result.summary.clone()];
    let ours = result.pattern.as_deref() == Some("git-dirty");
    wanted.extend(result.pattern.clone().filter(|_| !ours));
    for value in result.params.values() {
        match value {
            Value::Array(items) => wanted.extend(items.iter().map(plain)),
            other => wanted.push(plain(other)),
        }
    }
    let missing: Vec<_> = wanted.into_iter().filter(|text| !prompt.contains(text.as_str())).collect();
    (!missing.is_empty()).then(|| format!("{missing:?} is not in\n{prompt}"))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Fills a text of a repository with what a failure gives.
fn filled(template: &str, params: &Value) -> String {
    let own =
        [("retry/p.md".to_owned(), template.to_owned()), ("shared/retry.md".into(), "{{retry}}".into())];
    let result = failed(&json!({"pattern": "p", "params": params}));
    let told = retry_prompt(&[result], &BTreeMap::new(), None, &own.into(), MARK);
    told.unwrap_or_else(|error| error.to_string())
}

/// A placeholder has to be declared: the adapter declares those of the template.
fn injected(case: &Value) -> Option<String> {
    let input = &case["input"];
    let names = "[name, user, files, errors, hasError, success, items]";
    let template = format!("---\nparams: {names}\n---\n{}", text(&input["template"]));
    let (ours, theirs) = (filled(&template, &input["params"]), text(&case["expected"]));
    (ours.trim_end() != theirs.trim_end()).then(|| format!("{ours:?} instead of {theirs:?}"))
}

fn head(case: &Value) -> Option<String> {
    let (input, expected) = (&case["input"], &case["expected"]);
    if text(&input["fn"]) == "parseFrontmatter" {
        return (!expected.is_null()).then(|| "other keys are not read".to_owned());
    }
    let (ours, theirs) = (filled(&text(&input["content"]), &json!({})), text(expected));
    (ours.trim_end() != theirs.trim_end()).then(|| format!("{ours:?} instead of {theirs:?}"))
}

/// What counts is what was declared; words, order and characters are ours.
fn summarised(case: &Value) -> Option<String> {
    let (summary, expected) = (&case["input"]["summary"], text(&case["expected"]));
    let claim = read_claim(&summary["structuredOutput"].to_string());
    let after = |mark: &str| {
        let rest = expected.split_once(mark)?.1;
        Some(rest.lines().next().unwrap_or_default().to_owned())
    };
    let status =
        claim.as_ref().map(|claim| json!(claim.status)).and_then(|word| word.as_str().map(str::to_owned));
    let next = claim.as_ref().and_then(|claim| claim.next_action.as_ref());
    let next = next.map(|next| format!("{} ({})", next.action, next.reason));
    let ours = (status, next, None);
    let theirs =
        (after("**Reported Status**: "), after("**Declared Next Action**: "), after("### What was done:\n"));
    (ours != theirs).then(|| format!("{ours:?} instead of {theirs:?}"))
}

#[test]
fn retry_handler_matches_the_vectors() {
    play("002_retry_handler.json", &[DIFFERENCES[0].0], retry_handler);
}

#[test]
fn injected_params_match_the_vectors() {
    play("002_param_injector.json", &[], injected);
}

#[test]
fn retry_prompt_heads_match_the_vectors() {
    let listed: Vec<&str> = DIFFERENCES[1..4].iter().map(|(name, _)| *name).collect();
    play("002_frontmatter.json", &listed, head);
}

#[test]
fn completion_declarations_match_the_vectors() {
    let listed: Vec<&str> = DIFFERENCES[4..].iter().map(|(name, _)| *name).collect();
    play("002_iteration_summary.json", &listed, summarised);
}
