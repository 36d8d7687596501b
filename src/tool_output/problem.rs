//! What compilers, type checkers, linters and formatters complain of; several tools in one output give the union. What they print stands in
//! `data/problems.toml`. Says nothing of success: a tool that was not understood has no problems here and an exit code elsewhere.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use regex::{Captures, RegexSet};
use serde::{Deserialize, Serialize};

use super::pattern::{Pattern, lines, number, part, plain, table};
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

static SURROUNDINGS: LazyLock<RegexSet> =
    LazyLock::new(|| super::pattern::set(include_str!("data/surroundings.regex")));

/// Returns why a command could not do its work; none when it did, successfully or not.
pub fn unavailable(printed: &Printed) -> Option<String> {
    let by_code = match printed.exit {
        Some(0) => return None,
        Some(126) => Some("exit code 126: found and not executable".to_owned()),
        Some(127) => Some("exit code 127: not found".to_owned()),
        _ => None,
    };
    let reason = by_code.or_else(|| said(printed.stderr)).or_else(|| said(printed.stdout))?;
    // A test about permissions fails like any other test; a compiler may quote anything.
    let names_a_place = || types(printed).iter().chain(&lints(printed)).any(|problem| problem.line.is_some());
    if !super::tests(printed).failed.is_empty() || names_a_place() { None } else { Some(reason) }
}

/// Returns the line that says so.
fn said(stream: &str) -> Option<String> {
    let text = plain(stream);
    let line = text.lines().find(|line| SURROUNDINGS.is_match(line))?;
    Some(super::cut(line.trim()))
}

#[cfg(test)]
mod tests_of_unavailable {
    use super::*;

    fn of(exit: i32, stderr: &str) -> Option<String> {
        unavailable(&Printed { stdout: "", stderr, exit: Some(exit) })
    }

    #[test]
    fn environment_failures_make_a_check_unavailable() {
        let cases = [
            (127, ""),
            (126, ""),
            (1, "Error: EACCES: permission denied, open '/etc/config'"),
            (1, "bash: ./script.sh: Permission denied"),
            (
                101,
                "error: failed to open: /target/debug/.cargo-lock\n\nCaused by:\n  Permission denied (os error 13)",
            ),
            (2, "/bin/sh: 1: jest: not found\nmake: *** [Makefile:2: test] Error 127"),
            (2, "make: jest: No such file or directory\nmake: *** [Makefile:2: test] Error 1"),
            (1, "npm error Missing script: \"test\"\nnpm error\n"),
            (
                101,
                "error: no such command: `nextest`\n\nhelp: view all installed commands with `cargo --list`",
            ),
            (1, "error: 'cargo-clippy' is not installed for the toolchain 'stable-x86_64-unknown-linux-gnu'"),
            (1, "/usr/bin/python3: No module named pytest"),
            (
                1,
                "'jest' is not recognized as an internal or external command,\r\noperable program or batch file.",
            ),
            (2, "sh: 0: can't cd to web"),
            (1, "bash: line 1: \u{1b}[31mruff\u{1b}[0m: command not found"),
        ];
        for (exit, stderr) in cases {
            assert!(of(exit, stderr).is_some(), "{exit} {stderr}");
        }
        assert_eq!(of(2, "first\nsh: 0: can't cd to web\nlast").as_deref(), Some("sh: 0: can't cd to web"));
    }

    #[test]
    fn failures_of_the_code_do_not_make_a_check_unavailable() {
        let test = "running 1 test\ntest opens ... FAILED\n\nfailures:\n\n---- opens stdout ----\n\
            thread 'opens' panicked at src/a.rs:3:5:\nPermission denied (os error 13)\n\nfailures:\n    opens\n\n\
            test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(unavailable(&Printed { stdout: test, stderr: "", exit: Some(101) }), None);
        let compiler = "error[E0308]: mismatched types\n --> src/a.rs:3:5\n  |\n3 |     \"Permission denied\"\n  |     ^^^\n";
        let cases = [
            (1, "FAILED: 3 tests failed"),
            (1, "cat: missing.txt: No such file or directory"),
            (1, "error: Found 5 lint violations"),
            (0, "warning: cache: Permission denied"),
            (101, compiler),
            (1, "some error"),
        ];
        for (exit, stderr) in cases {
            assert_eq!(of(exit, stderr), None, "{stderr}");
        }
    }
}

#[cfg(test)]
mod tests;
