//! The values that a piece of code is written with: its texts and its numbers.

use std::sync::LazyLock;

use regex::Regex;

static LITERAL: LazyLock<Regex> = LazyLock::new(|| {
    let text =
        r#"(?x) "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | `[^`]*` | (?:\b|-)\d[\d_]*(?:\.\d+)?(?:e-?\d+)?"#;
    Regex::new(text).expect("the pattern is a constant")
});

/// Returns the values in the order of the code, without quotation marks, signs and the white space at their ends.
pub(super) fn literals(code: &str) -> Vec<String> {
    let bare =
        |literal: regex::Match<'_>| literal.as_str().trim_matches(['"', '\'', '`', '-']).trim().to_owned();
    LITERAL.find_iter(code).map(bare).collect()
}
