//! What compilers, type checkers, linters and formatters complain of; several tools in one output give the union. What they print stands in
//! `data/problems.toml`. Says nothing of success: a tool that was not understood has no problems here and an exit code elsewhere.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::pattern::{Pattern, number, part, table};
use super::plain::{lines, plain};
use super::{MOST_KEPT, Printed, Problem, Severity, cut};

/// Tools that say more of themselves come first.
const TYPE_CHECKERS: [&str; 5] = ["deno_check", "rustc", "tsc", "mypy", "unix"];
const LINTERS: [&str; 4] = ["rustc", "eslint", "ruff", "unix"];
const FORMATTERS: [&str; 1] = ["formatter"];

static RULES: LazyLock<BTreeMap<String, Vec<ProblemRule>>> =
    LazyLock::new(|| table(include_str!("data/problems.toml")));

/// One kind of line; the data file says what the keys mean.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemRule {
    line: Pattern,
    more: Option<Pattern>,
    place: Option<Pattern>,
    #[serde(default)]
    below_file: bool,
}

/// Reads what compilers and type checkers printed: rustc, tsc, mypy, `deno check`, go.
pub fn types(printed: &Printed) -> Vec<Problem> {
    read(printed, &TYPE_CHECKERS)
}

/// Reads what linters printed: clippy, eslint, ruff, `deno lint`, and others that write `path:line: text`.
pub fn lints(printed: &Printed) -> Vec<Problem> {
    read(printed, &LINTERS)
}

/// Reads which files a formatter would change: cargo fmt, prettier, ruff and black, gofmt, deno fmt.
pub fn format(printed: &Printed) -> Vec<String> {
    read(printed, &FORMATTERS).into_iter().filter_map(|problem| problem.file).collect()
}

/// Returns what tools complain of, errors first, nothing twice, and no more than [`MOST_KEPT`].
fn read(printed: &Printed, tools: &[&str]) -> Vec<Problem> {
    let rules: Vec<&ProblemRule> = tools.iter().flat_map(|tool| &RULES[*tool]).collect();
    let mut all = Vec::new();
    for stream in [printed.stdout, printed.stderr] {
        let text = plain(stream);
        let lines = lines(&text);
        let mut file = None;
        let mut at = 0;
        while at < lines.len() {
            if let Some((problem, end)) = rules.iter().find_map(|rule| rule.read(&lines, at, file)) {
                all.extend(problem);
                at = end;
            } else {
                file = Some(lines[at]).filter(|line| !line.is_empty() && !line.starts_with(' '));
                at += 1;
            }
        }
    }
    let mut known = HashSet::new();
    all.retain(|problem: &Problem| known.insert(problem.clone()));
    all.sort_by_key(|problem| problem.severity == Severity::Warning);
    all.truncate(MOST_KEPT);
    all
}

impl ProblemRule {
    /// Reads the problem that begins on a line below the name of a file, and tells where it ends.
    fn read(&self, lines: &[&str], at: usize, file: Option<&str>) -> Option<(Option<Problem>, usize)> {
        let parts = self.line.captures(lines[at])?;
        let Some(message) = part(&parts, "message") else { return Some((None, at + 1)) };
        let goes_on = |line: &&&str| self.more.as_ref().is_some_and(|more| more.is_match(line));
        let more = at + 1..at + 1 + lines[at + 1..].iter().take_while(goes_on).count();
        let message = [&[message.trim()], &lines[more.clone()]].concat().join("\n");
        let mut problem = Problem {
            file: part(&parts, "file").map(str::to_owned),
            line: number(&parts, "line"),
            column: number(&parts, "column"),
            code: part(&parts, "code").map(str::to_owned),
            severity: if parts.name("warning").is_some() { Severity::Warning } else { Severity::Error },
            message: cut(&message),
        };
        if self.below_file {
            problem.file = Some(file?.to_owned());
        }
        let Some(pattern) = &self.place else { return Some((Some(problem), more.end)) };
        // The place stands on one of the next lines, before another problem begins.
        let own = lines[more.end..].iter().take_while(|line| !line.is_empty() && !self.line.is_match(line));
        let (after, place) = own.enumerate().find_map(|(at, line)| Some((at, pattern.captures(line)?)))?;
        problem.file = part(&place, "file").map(str::to_owned);
        problem.line = number(&place, "line");
        problem.column = number(&place, "column");
        Some((Some(problem), more.end + after + 1))
    }
}

#[cfg(test)]
mod tests;
