//! What tools print, read into data: failing tests, mutants, type errors, lint messages, unformatted files, git's status.
//! Knows no check and starts nothing; whether a command succeeded is judged from what stands here, never said here.

#![warn(missing_docs)]

mod extractor;
mod git;
mod mutants;
mod pattern;
mod problem;
mod runner;
mod test_report;

use model::text::shorten;
use std::path::Path;

pub use extractor::{Semantic, named};
pub use git::{GitStatus, changes};
pub use mutants::{LineHits, Mutant, line_hits, mutants, mutmut_mutants};
pub use problem::{Problem, Severity, format, lints, types, unavailable};
pub use runner::{report_files, tests};
pub use test_report::{Counts, FailedTest, TestOutcome, TestReport, TestResult};

/// So many failures, and so many problems, are kept of one output: enough to compare two outputs by name.
pub const MOST_KEPT: usize = 5000;

/// So many results of single tests are kept; of a larger suite none, because a part says nothing of the rest.
pub const MOST_RESULTS: usize = 200_000;

/// A message longer than this is cut, in characters.
pub const LONGEST_MESSAGE: usize = 2000;

/// What a command left: both streams, and its exit code where it has one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Printed<'a> {
    /// The standard output.
    pub stdout: &'a str,
    /// The standard error.
    pub stderr: &'a str,
    /// Missing where a signal or a time limit ended it.
    pub exit: Option<i32>,
}

/// Returns a file as it is called below a folder; one that lies elsewhere stays as it is. Looks at no disk.
pub fn below(file: &str, root: &str) -> String {
    let inside = Path::new(file).strip_prefix(root).ok().and_then(Path::to_str);
    let file = inside.filter(|inside| !inside.is_empty()).unwrap_or(file);
    file.strip_prefix("./").unwrap_or(file).to_owned()
}

/// Returns a message no longer than [`LONGEST_MESSAGE`], blank lines around it left out.
fn cut(text: &str) -> String {
    let text = text.trim_end().trim_start_matches(['\n', '\r']);
    let text = if text.contains('\n') { text } else { text.trim_start() };
    shorten(text, LONGEST_MESSAGE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{ProptestConfig, prop_assert, proptest};

    /// Beginnings of everything that is looked for, in bad order.
    const HEADS: &str = "running 2 tests\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\nthread 'a' panicked at é.rs:1:2:\nx\n\
        failures:\n    a\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured\nthread 'b' has overflowed its stack\n\
        \u{1b}[31m    Starting 2 tests across 1 binary\n        FAIL [   0.1s] (1/2) demo a\n  stderr ───\n\n    é\n\
        --- STDOUT: demo a ---\n     Summary [   0.1s] 2 tests run: 1 passed, 1 failed\n==== test session starts ====\n\
        ==== FAILURES ====\n____ test_é ____\nE   é\na.py:1: Error\n==== short test summary info ====\nFAILED a.py::b - é\n\
        ==== 1 failed in 0.1s ====\nFAIL: a (b)\n-----\n  File \"a\", line 3, in b\nRan 1 test in 0.1s\n\nFAILED (failures=1)\n\
        {\"Action\":\"fail\",\"Package\":\"é\",\"Test\":\"a/b\"}\n=== RUN   A/é\n--- FAIL: A/é (0.00s)\n    a.go:1: é\nFAIL\ta\t0.1s\n\
        ok  \ta\t0.1s\n?   \ta\t[no test files]\n FAIL  |é| a.ts > b\n ❯ a.ts:1:2\n⎯⎯⎯⎯\n      Tests  1 failed (1)\n\
        FAIL é.js (5 s)\n  ● é › b\n\n    é\n    > 4 | é\n      at x (é.js:1:2)\nTests:       1 failed, 1 total\n\
        ------- output -------\n----- output end -----\n ERRORS \né => ./a.ts:1:2\nerror: é\nFAILED | é\nFAILED | 1 passed | 1 failed\n\
        ℹ tests 1\nℹ fail 1\ntest at é:1:2\n✖ é (1.0ms)\n  é\nTAP version 13\nnot ok 1 - é # TODO é\n  ---\n  error: |-\n    é\n  ...\n\
        1..9\n# pass 1\nBail out! é\n  1 passing (1ms)\n  1 failing\n\n  1) é\n       b:\n     é\n      at a (é.js:1:2)\n\
        <?xml version='1.0'?>\n<testsuites><testcase name='é'><failure>é</failure></testcase></testsuites>\n\
        error[E1]: é\n  --> é.rs:1:2\n   |\n   = note: `#[warn(é)]` on by default\né.ts(1,2): error TS1: é\n  é\né.py:1: error: é  [é]\n\
        TS1 [ERROR]: é\n    at file:///é:1:2\n/é.js\n  1:2  error  é  é\né.js: line 1, col 2, Error - é (é)\né.py:1:2: F401 [*] é\n\
        Diff in é:1:\n[warn] é\nWould reformat: é\nfrom é:\né.go\nR  \"\\303\\251\" -> \"\\\"\n2 R. N... 1 2 3 a b R100 é\té\n\
        u UU N... 1\n1 .M\nMM é\0?? \"\\\0diff --git a/é b/é\n+++ b/é\nmake: é: No such file or directory\n";

    /// Everything at once; returns whether anything was found to be kept in bounds.
    fn everything(text: &str) -> bool {
        let printed = Printed { stdout: text, stderr: text, exit: Some(1) };
        let report = tests(&printed);
        let (types, lints) = (types(&printed), lints(&printed));
        let status = changes(text);
        let described = [
            Semantic::of_tests(&report),
            Semantic::of_types(&types),
            Semantic::of_lints(&lints),
            Semantic::of_format(&format(&printed)),
            Semantic::of_status(&status),
        ];
        let _ = (
            unavailable(&printed),
            named("parseDiff", &printed),
            named("parseFiles", &printed),
            report_files([text], "/é"),
        );
        report.failed.len().max(types.len()).max(lints.len()) <= MOST_KEPT
            && described.iter().all(|semantic| !semantic.summary.is_empty())
    }

    #[test]
    fn an_output_may_break_off_anywhere() {
        let ends = || HEADS.char_indices().map(|(index, _)| index);
        for index in ends().step_by(61) {
            assert!(everything(&HEADS[..index]) && everything(&HEADS[index..]), "{index}");
        }
        for line in HEADS.lines() {
            for (index, _) in line.char_indices() {
                assert!(everything(&line[index..]) && everything(&line[..index]), "{line} {index}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_output_is_too_odd(picked in proptest::collection::vec((0_usize..200, 0_usize..60, ".{0,12}"), 0..40)) {
            let lines: Vec<&str> = HEADS.split_inclusive('\n').collect();
            let mut text = String::new();
            for (line, keep, odd) in picked {
                text.extend(lines[line % lines.len()].chars().take(keep));
                text.push_str(&odd);
                if keep % 2 == 0 {
                    text.push('\n');
                }
            }
            prop_assert!(everything(&text));
        }
    }

    #[test]
    fn a_message_is_cut_between_characters_and_keeps_its_indentation() {
        assert_eq!(cut(&"é".repeat(3000)).chars().count(), LONGEST_MESSAGE + 1);
        assert_eq!((cut("\n\n  a\n  b\n"), cut("  a ")), ("  a\n  b".to_owned(), "a".to_owned()));
    }

    #[test]
    fn a_file_below_the_worktree_is_called_as_the_repository_calls_it() {
        assert_eq!(below("/w/tree/src/a.rs", "/w/tree"), "src/a.rs");
        assert_eq!(below("/w/tree/src/a.rs", "/w/tree/"), "src/a.rs");
        assert_eq!(below("/w/trees/a.rs", "/w/tree"), "/w/trees/a.rs");
        assert_eq!(below("./a.rs", "/w"), "a.rs");
    }
}
