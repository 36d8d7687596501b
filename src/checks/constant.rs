//! Regular expressions that stand in our own source, for all checks.

use regex::Regex;

/// Compiles an expression of our own source.
pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a good pattern")
}

/// Returns the expressions that a table of our own lists under a name, as one of which any will do.
pub(crate) fn any_of(table: &str, name: &str) -> String {
    let table: toml::Table = table.parse().expect("a good table");
    let list = table[name].as_array().expect("a list");
    list.iter().map(|one| one.as_str().expect("a text")).collect::<Vec<_>>().join("|")
}

/// Makes a static expression of our own source.
macro_rules! pattern {
    ($(#[$attribute:meta])* $name:ident, $text:expr) => {
        $(#[$attribute])*
        static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new($text).expect("a constant"));
    };
}
