//! Tests of Rust that are built only with a feature now: `#[cfg(test)]` became `#[cfg(all(test, feature = "…"))]`. Sure where
//! no code and no dependency belongs to the feature; where one may, it is told. Systems and tools are no features.

use std::sync::LazyLock;

use regex::Regex;

use crate::outcome::at;
use crate::reading::source::{ending, name};
use crate::suspicion::Suspicion;
use model::change::Change;

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("a constant"));
    };
}

pattern!(GATED, r"#!?\[\s*cfg\(\s*all\([^\]]*\btest\b[^\]]*\]");
pattern!(FEATURE, r#"\bfeature\s*=\s*"(?P<name>[^"]+)""#);
pattern!(PLAIN, r"#!?\[\s*cfg\(\s*test\s*\)\s*\]");

pub(super) fn suspicions(change: &Change, changes: &[&Change]) -> Vec<Suspicion> {
    let (Some(old), Some(new)) = (change.old_text(), change.new_text()) else { return Vec::new() };
    if ending(&change.path) != "rs" || !change.added_lines().any(|(_, line)| GATED.is_match(line)) {
        return Vec::new();
    }
    if PLAIN.find_iter(old).count() <= PLAIN.find_iter(new).count() {
        return Vec::new();
    }
    let added = change.added_lines().filter(|(_, line)| GATED.is_match(line));
    let found = added.filter_map(|(line, text)| {
        let feature = FEATURE.captures(text)?.name("name")?.as_str();
        let sure = match belonging(feature, change, changes) {
            Belonging::Code => return None,
            Belonging::Dependency => false,
            Belonging::Nothing => true,
        };
        let what = format!("tests are built only with the feature `{feature}`");
        Some(Suspicion { place: at(&change.path, line, what), sure })
    });
    found.collect()
}

/// What a feature stands for, as far as the change shows.
enum Belonging {
    /// Code of the product is built with it, or it is on by default.
    Code,
    Dependency,
    Nothing,
}

fn belonging(feature: &str, change: &Change, changes: &[&Change]) -> Belonging {
    let quoted = format!("\"{feature}\"");
    let of_code = |line: &str| line.contains(&quoted) && line.contains("feature") && !GATED.is_match(line);
    let of_same_file = change.new_text().is_some_and(|text| text.lines().any(of_code));
    let elsewhere = changes.iter().filter(|other| ending(&other.path) == "rs");
    if of_same_file || elsewhere.flat_map(|other| other.added_lines()).any(|(_, line)| of_code(line)) {
        return Belonging::Code;
    }
    let mut found = Belonging::Nothing;
    let manifests = changes.iter().filter(|other| name(&other.path) == "Cargo.toml");
    for (_, line) in manifests.flat_map(|manifest| manifest.added_lines()) {
        let bare: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        if bare.starts_with("default=") && bare.contains(&quoted) {
            return Belonging::Code;
        }
        let defines = bare.strip_prefix(feature).is_some_and(|rest| rest.starts_with('=') && rest != "=[]");
        if defines || bare.contains("optional=true") {
            found = Belonging::Dependency;
        }
    }
    found
}
