//! What compilers, type checkers, linters and formatters complain of; several tools in one output give the union. What they print stands in
//! `data/problems.toml`. Says nothing of success: a tool that was not understood has no problems here and an exit code elsewhere.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use regex::Captures;
use serde::Deserialize;

use super::pattern::{LazyPattern, Pattern, number, part, table};
use super::plain::{lines, plain};
use super::{MOST_KEPT, Printed, Problem, Severity, cut};

/// Tools that say more of themselves come first.
const TYPE_CHECKERS: [&str; 5] = ["deno_check", "rustc", "tsc", "mypy", "unix"];
const LINTERS: [&str; 4] = ["rustc", "eslint", "ruff", "unix"];
const FORMATTERS: [&str; 1] = ["formatter"];

static RULES: LazyLock<BTreeMap<String, Vec<ProblemRule>>> =
    LazyLock::new(|| table(include_str!("data/problems.toml")));

/// The name of a lint in the note that says where it is switched on, or in the address of its page.
static LINT: LazyPattern = LazyPattern::new(
    r"(?x)`(?:\#\[(?:warn|deny|forbid)\(|-[DWF]\x20)(?<name>[a-z_:0-9-]+).*(?:on\x20by\x20default|implied\x20by)
    |rust-clippy/.*index\.html\#(?<page>\S+)",
);

/// One kind of line; the data file says what the keys mean.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemRule {
    line: Pattern,
    more: Option<Pattern>,
    place: Option<Pattern>,
    #[serde(default)]
    within: usize,
    needs: Option<RequiredPart>,
    #[serde(default)]
    names_lint: bool,
}

/// What a rule cannot do without.
#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum RequiredPart {
    File,
    Place,
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
    /// Reads the problem that begins on a line, and tells where it ends.
    fn read(&self, lines: &[&str], at: usize, file: Option<&str>) -> Option<(Option<Problem>, usize)> {
        let parts = self.line.captures(lines[at])?;
        let file = if self.needs == Some(RequiredPart::File) { Some(file?) } else { None };
        let Some(message) = part(&parts, "message") else { return Some((None, at + 1)) };
        let goes_on = |line: &&&str| self.more.as_ref().is_some_and(|more| more.is_match(line));
        let end = at + 1 + lines[at + 1..].iter().take_while(goes_on).count();
        let place = self.place(lines, end);
        if self.needs == Some(RequiredPart::Place) && place.is_none() {
            return None;
        }
        let end_of_place = place.as_ref().map_or(end, |(_, at)| at + 1);
        let placed = place.as_ref().map_or(&parts, |(place, _)| place);
        let code = part(&parts, "code").map(|code| code.trim_end_matches(':').trim());
        let code = code.filter(|code| !code.is_empty()).map(str::to_owned);
        let problem = Problem {
            file: part(placed, "file").or(file).map(str::to_owned),
            line: number(placed, "line"),
            column: number(placed, "column"),
            code: code.or_else(|| if self.names_lint { self.lint(&lines[at + 1..]) } else { None }),
            severity: severity(part(&parts, "severity")),
            message: cut(&[&[message.trim()], &lines[at + 1..end]].concat().join("\n")),
        };
        Some((Some(problem), end_of_place))
    }

    /// Finds the place on one of the next lines, before another problem begins.
    fn place<'t>(&self, lines: &[&'t str], from: usize) -> Option<(Captures<'t>, usize)> {
        let near = lines.iter().enumerate().skip(from).take(self.within);
        let mut own = near.take_while(|(_, line)| !self.line.is_match(line));
        own.find_map(|(at, line)| Some((self.place.as_ref()?.captures(line)?, at)))
    }

    /// Finds the name of a lint in the notes below a problem.
    fn lint(&self, lines: &[&str]) -> Option<String> {
        let mut notes = lines.iter().take_while(|line| !line.trim().is_empty() && !self.line.is_match(line));
        let parts = notes.find_map(|line| LINT.captures(line))?;
        let page = || Some(format!("clippy::{}", part(&parts, "page")?));
        part(&parts, "name").map(|name| name.replace('-', "_")).or_else(page)
    }
}

fn severity(word: Option<&str>) -> Severity {
    match word {
        Some(word) if word.to_ascii_lowercase().starts_with("warn") => Severity::Warning,
        _ => Severity::Error,
    }
}

#[cfg(test)]
mod tests;
