//! Cargo says which binary it runs on the standard error, and the binary says the rest on the standard output.

use std::borrow::Cow;

use regex::Captures;

use crate::pattern::LazyPattern;

/// `     Running unittests src/lib.rs (target/debug/deps/pager-5d41402abc4b2a76)` and `   Doc-tests pager`.
static HEADING: LazyPattern = LazyPattern::new(r"^\s*(?:Running .*[(/\\][^(/\\]+\)|Doc-tests .*)$");
static BEGINS: LazyPattern = LazyPattern::new(r"(?m)^running \d+ tests?\r?$");

/// Returns the standard output with the headings of the standard error where they belong, one in front of each binary.
pub(super) fn with_headings<'t>(stdout: &'t str, stderr: &str) -> Cow<'t, str> {
    let mut headings = stderr.lines().filter(|line| HEADING.is_match(line));
    let count = headings.clone().count();
    if count == 0 || count != BEGINS.find_iter(stdout).count() {
        return Cow::Borrowed(stdout);
    }
    BEGINS.replace_all(stdout, |begins: &Captures| {
        format!("{}\n{}", headings.next().unwrap_or_default(), &begins[0])
    })
}
