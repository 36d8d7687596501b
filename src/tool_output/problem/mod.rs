//! What compilers, type checkers and linters complain of; several tools in one output give the union.
//! Says nothing of success: a tool that was not understood has no problems here and an exit code elsewhere.

mod deno_check;
mod eslint;
mod mypy;
mod ruff;
mod rustc;
mod tsc;
mod unix;

use std::collections::HashSet;

use super::plain::{lines, plain};
use super::{MOST_KEPT, Printed, Problem, Severity, cut};
use crate::place::Place;

/// Reads one form. A reader blanks the lines it owns.
type ProblemReader = fn(&mut [&str], &mut Problems);

/// Forms that say more of themselves come first; `path:line: text` comes last.
const TYPES: [ProblemReader; 5] = [rustc::read, tsc::read, mypy::read, deno_check::read, unix::read];
const LINTS: [ProblemReader; 4] = [rustc::read, eslint::read, ruff::read, unix::read];

/// Reads what compilers and type checkers printed: rustc, tsc, mypy, `deno check`, go.
pub fn types(printed: &Printed) -> Vec<Problem> {
    read(printed, &TYPES)
}

/// Reads what linters printed: clippy, eslint, ruff, `deno lint`, and others that write `path:line: text`.
pub fn lints(printed: &Printed) -> Vec<Problem> {
    read(printed, &LINTS)
}

fn read(printed: &Printed, readers: &[ProblemReader]) -> Vec<Problem> {
    let mut all = Problems::default();
    for stream in [printed.stdout, printed.stderr] {
        let text = plain(stream);
        let mut lines = lines(&text);
        for read in readers {
            read(&mut lines, &mut all);
        }
    }
    all.kept()
}

/// What was found so far: nothing twice, and of each weight no more than [`MOST_KEPT`].
#[derive(Default)]
struct Problems {
    errors: Vec<Problem>,
    warnings: Vec<Problem>,
    known: HashSet<Problem>,
}

impl Problems {
    fn add(&mut self, problem: Problem) {
        let same = if problem.severity == Severity::Error { &mut self.errors } else { &mut self.warnings };
        if same.len() < MOST_KEPT && self.known.insert(problem.clone()) {
            same.push(problem);
        }
    }

    /// Errors come first.
    fn kept(self) -> Vec<Problem> {
        self.errors.into_iter().chain(self.warnings).take(MOST_KEPT).collect()
    }
}

/// Makes a problem of its parts; the message is cut here.
fn problem(at: Option<Place>, code: Option<&str>, severity: Severity, message: &str) -> Problem {
    let column = at.as_ref().and_then(|place| place.column);
    let (file, line) = at.map(|place| (place.file, place.line)).unzip();
    let code = code.map(str::trim).filter(|code| !code.is_empty()).map(str::to_owned);
    Problem { file, line, column, code, severity, message: cut(message) }
}

fn severity(word: &str) -> Option<Severity> {
    match word.trim().to_ascii_lowercase().as_str() {
        "error" | "fatal error" | "fatal" => Some(Severity::Error),
        "warning" | "warn" => Some(Severity::Warning),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A problem as one line, for tests.
    pub(super) fn gist(problem: &Problem) -> String {
        let Problem { file, line, column, code, severity, message } = problem;
        let number = |number: &Option<u32>| number.map(|number| format!(":{number}")).unwrap_or_default();
        let place = file.as_ref().map(|file| format!("{file}{}{} ", number(line), number(column)));
        let code = code.as_ref().map(|code| format!("[{code}] ")).unwrap_or_default();
        format!("{}{code}{severity:?}: {message}", place.unwrap_or_default())
    }

    pub(super) fn types_of(stdout: &str) -> Vec<String> {
        types(&Printed { stdout, stderr: "", exit: Some(1) }).iter().map(gist).collect()
    }

    pub(super) fn lints_of(stdout: &str) -> Vec<String> {
        lints(&Printed { stdout, stderr: "", exit: Some(1) }).iter().map(gist).collect()
    }

    #[test]
    fn errors_come_first_and_nothing_twice() {
        let text = "a.go:1:2: warning: w\na.go:3:2: error: e\na.go:3:2: error: e\n";
        assert_eq!(types_of(text), ["a.go:3:2 Error: e", "a.go:1:2 Warning: w"]);
    }

    #[test]
    fn only_so_many_are_kept_and_messages_are_cut() {
        let long = "x".repeat(5000);
        let more: String = (1..6000).map(|line| format!("a.go:{line}:1: x\n")).collect();
        let text = format!("a.go:0:1: {long}\n{more}");
        let all = types(&Printed { stdout: &text, stderr: "", exit: Some(1) });
        assert_eq!(all.len(), MOST_KEPT);
        assert_eq!(all[0].message.chars().count(), super::super::LONGEST_MESSAGE + 1);
    }

    #[test]
    fn prose_is_no_problem() {
        let prose =
            "Note: see https://example.com:443/x for more\nelapsed: 12:30:05\nall good\n  at x (y.js:1:2)\n";
        assert_eq!((types_of(prose), lints_of(prose)), (Vec::<String>::new(), Vec::new()));
    }
}
