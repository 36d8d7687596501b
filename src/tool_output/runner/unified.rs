//! Outputs whose parts come apart, put together before they are read as lines.

use std::borrow::Cow;
use std::collections::BTreeMap;

use regex::Captures;
use serde::Deserialize;

use crate::pattern::LazyPattern;

/// `     Running unittests src/lib.rs (target/debug/deps/pager-5d41402abc4b2a76)` and `   Doc-tests pager`.
static HEADING: LazyPattern = LazyPattern::new(r"^\s*(?:Running .*[(/\\][^(/\\]+\)|Doc-tests .*)$");
static BEGINS: LazyPattern = LazyPattern::new(r"(?m)^running \d+ tests?\r?$");

/// Returns the standard output with the headings of the standard error where they belong, one in front of each binary: Cargo says
/// on the standard error which binary it runs, and the binary says the rest on the standard output.
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

/// An event of `go test -json`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    #[serde(alias = "ImportPath")]
    package: String,
    #[serde(default)]
    output: String,
}

/// Returns an output with what the events of `go test -json` say at its end, package by package: it is what `go test -v` prints.
pub(super) fn with_events(text: &str) -> Cow<'_, str> {
    if !text.contains("{\"") {
        return Cow::Borrowed(text);
    }
    let mut packages: BTreeMap<String, String> = BTreeMap::new();
    let mut rest = String::new();
    for line in text.split_inclusive('\n') {
        match serde_json::from_str::<Event>(line) {
            Ok(event) => *packages.entry(event.package).or_default() += &event.output,
            Err(_) => rest += line,
        }
    }
    rest.push('\n');
    rest.extend(packages.into_values());
    Cow::Owned(rest)
}
