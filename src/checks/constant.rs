//! Regular expressions that stand in our own source, for all checks.

use regex::Regex;

/// Compiles an expression of our own source.
pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a good pattern")
}

/// Makes a static expression of our own source. Whoever uses it has `LazyLock` and `Regex` at hand.
macro_rules! pattern {
    ($(#[$attribute:meta])* $name:ident, $text:expr) => {
        $(#[$attribute])*
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("a constant"));
    };
}
