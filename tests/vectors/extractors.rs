//! The completion validators: what is read from the output of tools, when a command was successful, and when another
//! try can help.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};
use settings::SuccessWhen;
use tool_output::{Printed, Semantic, changes, named, tests, types, unavailable};

use super::assert_deliberate;
use crate::support::beside;

/// Reads the cases of a subject; none when they are not there.
fn cases(name: &str) -> Vec<Value> {
    let Some(folder) = beside("AI_WORKFLOW_VECTORS", "../shared/vectors") else { return Vec::new() };
    let text = fs::read_to_string(folder.join(format!("{name}.json"))).expect("vectors can be read");
    let vectors: Value = serde_json::from_str(&text).expect("vectors are JSON");
    vectors["cases"].as_array().expect("vectors have cases").clone()
}

fn printed(input: &Value) -> Printed<'_> {
    let text = |key: &str| input[key].as_str().unwrap_or_default();
    Printed { stdout: text("stdout"), stderr: text("stderr"), exit: Some(1) }
}

/// The older system lists a test's name as a file, and calls the failures it found the total where no total was printed.
const NO_FILE: &str = "a test's name is no file, and a total that was not printed is not made up";

/// Where the extractors differ, and why. Beside these: a type error carries its code and weight, too, and sentences are
/// ours. So of summaries only the numbers are compared, and suggested actions must be there; what was extracted stands
/// beside the five values, not inside.
const EXTRACTED_OTHERWISE: [(&str, &str); 6] = [
    (
        "parseTestOutput: buildTestOutputSemantic - extracts failed test count",
        "the error stands in the section below",
    ),
    ("parseTestOutput: buildTestOutputSemantic - includes file paths in relatedFiles", "one test fails once"),
    ("buildTestOutputSemantic: buildTestOutputSemantic - extracts failed test count", NO_FILE),
    ("buildTestOutputSemantic: buildTestOutputSemantic - includes file paths in relatedFiles", NO_FILE),
    ("buildTestOutputSemantic: buildTestOutputSemantic - uses first failure error as rootCause", NO_FILE),
    (
        "buildTestOutputSemantic: ParamExtractor.extractSemantic - returns SemanticParams for test extractors",
        NO_FILE,
    ),
];

#[test]
fn extractors_match_the_vectors() {
    let mut differing = BTreeMap::new();
    for case in cases("002_extractors") {
        let input = &case["input"];
        let function = input["fn"].as_str().expect("a function");
        let (ours, theirs) = if function.starts_with("build") {
            (meaning(&semantic(function, input)), meaning(&case["expected"]))
        } else {
            (extracted(function, input), case["expected"].clone())
        };
        if ours != theirs {
            differing
                .insert(format!("{function}: {}", case["name"].as_str().expect("a name")), (ours, theirs));
        }
    }
    if beside("AI_WORKFLOW_VECTORS", "../shared/vectors").is_some() {
        assert_deliberate(&differing, &EXTRACTED_OTHERWISE);
    }
}

fn extracted(function: &str, input: &Value) -> Value {
    let mut value = named(function, &printed(input)).expect("every extractor of the older system is known");
    for entry in value.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        entry.remove("code");
        entry.remove("severity");
    }
    value
}

fn semantic(function: &str, input: &Value) -> Value {
    let printed = printed(input);
    let semantic = match function {
        "buildGitStatusSemantic" => Semantic::of_status(&changes(printed.stdout)),
        "buildTestOutputSemantic" => Semantic::of_tests(&tests(&printed)),
        "buildTypeErrorsSemantic" => Semantic::of_types(&types(&printed)),
        other => panic!("the vectors name {other}"),
    };
    Value::Object(semantic.values())
}

fn meaning(semantic: &Value) -> Value {
    let summary = semantic["summary"].as_str().expect("a summary");
    let numbers: Vec<&str> =
        summary.split(|c: char| !c.is_ascii_digit()).filter(|text| !text.is_empty()).collect();
    json!({
        "numbers": numbers,
        "severity": semantic["severity"],
        "relatedFiles": semantic["relatedFiles"],
        "rootCause": semantic["rootCause"],
        "suggests": semantic["suggestedAction"].as_str().is_some_and(|text| !text.is_empty()),
    })
}

#[test]
fn success_conditions_match_the_vectors() {
    for case in cases("002_success_when") {
        let (input, result) = (&case["input"], &case["input"]["commandResult"]);
        let exit = result["exitCode"].as_i64().and_then(|code| i32::try_from(code).ok());
        let condition =
            SuccessWhen::parse(input["successWhen"].as_str().expect("a condition")).expect("it is known");
        let judged = condition.judge(printed(result).stdout, exit);
        assert_eq!(json!(judged), case["expected"], "{}", case["name"]);
    }
}

#[test]
fn recoverable_failures_match_the_vectors() {
    for case in cases("002_recoverable") {
        let input = &case["input"];
        let exit = input["exitCode"].as_i64().and_then(|code| i32::try_from(code).ok());
        let again = unavailable(&Printed { exit, ..printed(input) }).is_none()
            && input["recoverableByDefault"].as_bool().unwrap_or(true);
        assert_eq!(json!(again), case["expected"], "{}", case["name"]);
    }
}
