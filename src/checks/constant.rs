//! Regular expressions that stand in our own source, for all checks.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use model::data_file;

/// Compiles an expression of our own source.
pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a good pattern")
}

static WORDS: LazyLock<BTreeMap<String, BTreeMap<String, Vec<String>>>> =
    LazyLock::new(|| data_file::read(include_str!("data/words.toml")));

/// Returns the expressions that a check has under a name in `data/words.toml`, as one of which any will do.
pub(crate) fn any_of(check: &str, name: &str) -> String {
    WORDS[check][name].join("|")
}

/// Makes a static expression of our own source.
macro_rules! pattern {
    ($(#[$attribute:meta])* $name:ident, $text:expr) => {
        $(#[$attribute])*
        static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new($text).expect("a constant"));
    };
}
