//! Paths that no agent may change: `[checks] protected`, as paths, folders or patterns with `*`.

use super::{Site, failure, result};
use crate::event::{CheckResult, CheckStatus};

pub(super) const ID: &str = "protected";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let is_protected = |path: &&String| site.protected.iter().any(|pattern| matches(pattern, path));
    let touched: Vec<&str> = site.changed.iter().filter(is_protected).map(String::as_str).collect();
    if touched.is_empty() {
        return result(ID, CheckStatus::Pass, "no protected path was changed");
    }
    let paths = touched.join(", ");
    failure(
        ID,
        "protected-changed",
        &format!("protected paths were changed: {paths}"),
        &[("code", "E_PROTECTED"), ("paths", &paths)],
    )
}

/// Tells whether a path is the pattern, lies below it, or fits its stars; a star stands for any characters.
fn matches(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
    let below = path.strip_prefix(pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    below || (pattern.contains('*') && fits(pattern, path))
}

fn fits(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_path_a_folder_or_has_stars() {
        for (pattern, path, expected) in [
            ("Cargo.lock", "Cargo.lock", true),
            ("Cargo.lock", "sub/Cargo.lock", false),
            (".github/", ".github/workflows/ci.yml", true),
            (".github", ".github2/x", false),
            ("*.pem", "keys/a.pem", true),
            ("tests/*/golden*", "tests/a/b/golden.txt", true),
            ("tests/*.rs", "src/a.rs", false),
            ("a*b", "a", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }
}
