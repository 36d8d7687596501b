//! The regular expressions of `roles.toml` and `signs.toml`, by their names.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

static PATTERNS: LazyLock<BTreeMap<String, Regex>> = LazyLock::new(|| {
    let tables = concat!(include_str!("roles.toml"), include_str!("signs.toml"));
    let patterns: BTreeMap<String, String> = toml::from_str(tables).expect("the tables are sound");
    let pattern = |text: &str| Regex::new(&format!("(?sx){text}")).expect("the tables are sound");
    patterns.into_iter().map(|(name, text)| (name, pattern(&text))).collect()
});

/// Returns the regular expression of a name.
pub(crate) fn pattern(name: &str) -> &'static Regex {
    &PATTERNS[name]
}

/// Tells whether the regular expression of a name fits a text.
pub(crate) fn fits(name: &str, text: &str) -> bool {
    pattern(name).is_match(text)
}
