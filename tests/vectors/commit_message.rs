//! The completion validator of commit messages: its functions, case by case. Whole conditions are among the steps.

use std::collections::BTreeSet;

use content_parser::{is_generic, keywords, names_something_of, without_prefix};
use serde_json::{Value, json};

use super::{assert_differences, cases};

#[test]
fn commit_message_checks_match_the_vectors() {
    let cases = cases("002_commit_message.json");
    let mut differing = BTreeSet::new();
    for case in &cases {
        let input = &case["input"];
        let message = input["message"].as_str().unwrap_or_default();
        let ours = match input["fn"].as_str().expect("a function") {
            "extractKeywords" => {
                let expected = set(&case["expected"]);
                let found = keywords(input["text"].as_str().expect("a text"));
                if found == expected { case["expected"].clone() } else { json!({"$set": found}) }
            }
            "stripConventionalPrefix" => json!(without_prefix(message)),
            "isGenericMessage" => json!(is_generic(message)),
            "messageMatchesTask" => json!(names_something_of(message, &set(&input["task"]))),
            other => panic!("no adapter for `{other}`"),
        };
        if ours != case["expected"] {
            differing.insert(format!("{}: {input} is {ours}", case["name"].as_str().expect("a name")));
        }
    }
    assert_differences(&differing, &[], cases.len());
}

/// Reads a set; the order in a vector means nothing.
fn set(value: &Value) -> BTreeSet<String> {
    let words = value["$set"].as_array().expect("a set").iter();
    words.map(|word| word.as_str().expect("a text").to_owned()).collect()
}
