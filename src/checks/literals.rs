//! The values that a piece of code is written with: its texts and its numbers.

use std::sync::LazyLock;

use regex::Regex;

static LITERAL: LazyLock<Regex> = LazyLock::new(|| {
    let text =
        r#"(?x) "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | `[^`]*` | (?:\b|-)\d[\d_]*(?:\.\d+)?(?:e-?\d+)?"#;
    Regex::new(text).expect("the pattern is a constant")
});

/// Returns the values in the order of the code, texts with their quotation marks, whichever those are.
pub(super) fn literals(code: &str) -> Vec<String> {
    LITERAL
        .find_iter(code)
        .map(|literal| literal.as_str().replace(['\'', '`'], "\"").replace(' ', ""))
        .collect()
}
