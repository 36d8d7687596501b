//! What compilers, type checkers, linters and formatters complain of; several tools in one output give the union. What they print stands in
//! `data/problems.toml`. Says nothing of success: a tool that was not understood has no problems here and an exit code elsewhere.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use regex::Captures;
use serde::{Deserialize, Serialize};

use super::pattern::{Pattern, number, part, table};
use super::plain::{lines, plain};
use super::{MOST_KEPT, Printed, cut};

/// One message of a compiler, type checker or linter.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Problem {
    /// Missing where the tool names no place.
    pub file: Option<String>,
    /// The line, counted from 1.
    pub line: Option<u32>,
    /// The column, counted from 1.
    pub column: Option<u32>,
    /// The tool's own name of the rule or error: `E0308`, `TS2345`, `no-unused-vars`.
    pub code: Option<String>,
    /// How grave it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
}

/// How much a message weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It has to be repaired.
    Error,
    /// It is worth a look.
    Warning,
}

/// Tools that say more of themselves come first.
const TYPE_CHECKERS: [&str; 5] = ["deno_check", "rustc", "tsc", "mypy", "unix"];
const LINTERS: [&str; 4] = ["rustc", "eslint", "ruff", "unix"];
const FORMATTERS: [&str; 1] = ["formatter"];

static RULES: LazyLock<BTreeMap<String, Vec<ProblemRule>>> =
    LazyLock::new(|| table(include_str!("data/problems.toml")));

/// One kind of problem; the data file says what the keys mean.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemRule {
    lines: Pattern,
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
        let text = lines(&plain(stream)).join("\n");
        let mut rest = text.as_str();
        let mut file = None;
        while let Some(line) = rest.lines().next() {
            let found = rules.iter().find_map(|rule| rule.read(rest, file));
            let end = found.as_ref().map_or(line.len(), |(_, end)| *end);
            if found.is_none() {
                file = Some(line).filter(|line| !line.is_empty() && !line.starts_with(' '));
            }
            all.extend(found.and_then(|(problem, _)| problem));
            rest = rest[end..].split_once('\n').map_or("", |(_, rest)| rest);
        }
    }
    let mut known = HashSet::new();
    all.retain(|problem: &Problem| known.insert(problem.clone()));
    all.sort_by_key(|problem| problem.severity == Severity::Warning);
    all.truncate(MOST_KEPT);
    all
}

impl ProblemRule {
    /// Reads the problem that a text begins with, below the name of a file, and tells where it ends.
    fn read(&self, text: &str, file: Option<&str>) -> Option<(Option<Problem>, usize)> {
        let parts = self.lines.captures(text)?;
        let file = if self.below_file { Some(file?) } else { part(&parts, "file") };
        let problem = part(&parts, "message").map(|message| Problem {
            file: file.map(str::to_owned),
            line: number(&parts, "line"),
            column: number(&parts, "column"),
            code: part(&parts, "code").map(str::to_owned).or_else(|| lint(&parts)),
            severity: if parts.name("warning").is_some() { Severity::Warning } else { Severity::Error },
            message: cut(message.trim()),
        });
        Some((problem, parts[0].len()))
    }
}

/// Returns the name of a lint, as a note below it says.
fn lint(parts: &Captures) -> Option<String> {
    let page = || Some(format!("clippy::{}", part(parts, "page")?));
    part(parts, "lint").map(|name| name.replace('-', "_")).or_else(page)
}

#[cfg(test)]
mod tests;
