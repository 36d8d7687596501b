//! What older systems do with given inputs, where vectors of theirs lie beside this repository. Each adapter lists where we differ
//! on purpose, and why: a case that differs and is not listed fails, and so does a listed one that does not differ.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests touch the world and say loudly what they skip"
)]

mod chunking;
mod commit_message;
mod criteria;
mod document_review;
mod extractors;
mod fast_path;
mod flow;
mod judgment;
mod masking;
mod panel;
mod real_reviews;
mod recovery;
mod recovery_misc;
mod retry;
mod retry_classification;
mod review_result;
mod schemas;
mod steps;
#[path = "../support/mod.rs"]
mod support;
mod transitions;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::beside;

/// Returns the cases of a vector file; none where it is not there.
fn cases(name: &str) -> Vec<Value> {
    let Some(folder) = beside("AI_WORKFLOW_VECTORS", "../shared/vectors") else { return Vec::new() };
    let text = std::fs::read_to_string(folder.join(name)).expect("a vector file");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    file["cases"].as_array().expect("a list of cases").clone()
}

/// Asserts that exactly the listed cases differ; each with its reason.
#[track_caller]
fn assert_differences(differing: &BTreeSet<String>, listed: &[(&str, &str)], cases: usize) {
    if cases == 0 {
        return;
    }
    let listed: BTreeSet<String> = listed.iter().map(|(case, _)| (*case).to_owned()).collect();
    assert_eq!(*differing, listed, "these cases differ, and these are listed");
}

/// Asserts that exactly the listed cases differ, and shows what was found beside what was expected.
#[track_caller]
fn assert_deliberate(differing: &BTreeMap<String, (Value, Value)>, listed: &[(&str, &str)]) {
    let found: Vec<&str> = differing.keys().map(String::as_str).collect();
    let mut expected: Vec<&str> = listed.iter().map(|(name, _)| *name).collect();
    expected.sort_unstable();
    assert_eq!(found, expected, "{differing:#?}");
}
