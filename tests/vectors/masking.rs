//! The quality-criteria loop's masking: what stands in the place of a secret.

use std::collections::BTreeMap;

use model::redact::Masker;
use serde_json::json;

use super::{assert_deliberate, cases};

const EXAMPLE: &str = "texts about programs are full of examples: a value that is shorter than any secret, or that somebody shortened, stays";

/// Where another text than the older system's is left, and why.
const DIFFERENT: [(&str, &str); 3] = [
    ("auth", "the header's name and scheme stay, so that people see what was sent"),
    ("cookie", EXAMPLE),
    ("json", EXAMPLE),
];

#[test]
fn masking_matches_the_vectors() {
    let mut differing = BTreeMap::new();
    let cases = cases("000_masking.json");
    for case in &cases {
        let input = case["input"].as_str().expect("a text");
        let masked = Masker::default().mask(input).to_string();
        assert_eq!(Masker::default().mask(&masked).to_string(), masked, "masked once is masked for good");
        if json!(masked) != case["expected"] {
            differing.insert(
                case["name"].as_str().expect("a name").to_owned(),
                (json!(masked), case["expected"].clone()),
            );
        }
    }
    if !cases.is_empty() {
        assert_deliberate(&differing, &DIFFERENT);
    }
}

#[test]
fn realistic_secrets_in_the_forms_of_the_vectors_are_masked() {
    for (text, secret) in [
        ("Cookie: session=a8f5f167f44f4964", "a8f5f167f44f4964"),
        ("{\"api_key\": \"q8Zf3kP0s1Lw7\"}", "q8Zf3kP0s1Lw7"),
        ("Authorization: Bearer q8Zf3kP0s1Lw7xY2", "q8Zf3kP0s1Lw7xY2"),
    ] {
        let masked = Masker::default().mask(text).to_string();
        assert!(masked.contains("[MASKED:") && !masked.contains(secret), "{masked}");
    }
}
