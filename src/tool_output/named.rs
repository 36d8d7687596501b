//! Reads out of an output what a retry prompt inserts, by the names of extractors that registries use. A name that is no
//! extractor is an error where the registry is read; nothing unknown ever reaches a prompt as null.

use serde_json::{Value, json};

use super::pattern::{LazyPattern, regex};
use super::plain::plain;
use super::{Printed, Problem, changes, format, lints, types};
use model::policy::Extractor;

/// Of a whole stream, so many characters at its end go into a prompt.
const LONGEST_STREAM: usize = 16_000;

static DIFF: LazyPattern = LazyPattern::new(|| regex(r"(?m)^(?:diff --git |--- |Index: |Diff in |from )"));

/// Returns what an extractor takes from an output; none when there is no extractor of this name.
pub fn named(name: &str, printed: &Printed) -> Option<Value> {
    let value = match name.parse().ok()? {
        Extractor::ChangedFiles => json!(changes(printed.stdout).changed),
        Extractor::UntrackedFiles => json!(changes(printed.stdout).untracked),
        Extractor::StagedFiles => json!(changes(printed.stdout).staged),
        Extractor::UnstagedFiles => json!(changes(printed.stdout).unstaged),
        Extractor::FailedTests => json!(super::tests(printed).failed),
        Extractor::TypeErrors => json!(types(printed)),
        Extractor::LintErrors => lints(printed).iter().map(lint).collect(),
        Extractor::UnformattedFiles => json!(format(printed)),
        Extractor::Diff => json!(diff(printed)),
        Extractor::Files => json!(files(printed)),
        Extractor::Stdout => json!(end(printed.stdout)),
        Extractor::Stderr => json!(end(printed.stderr)),
    };
    Some(value)
}

/// Returns the message of a linter, whose code is the name of a rule.
fn lint(problem: &Problem) -> Value {
    let mut value = json!(problem);
    if let Some(code) = &problem.code {
        value["rule"] = json!(code);
        value.as_object_mut().and_then(|parts| parts.remove("code"));
    }
    value
}

/// Returns the lines from the first head of a diff on.
fn diff(printed: &Printed) -> String {
    let text = plain(printed.stdout);
    DIFF.find(&text).map_or_else(String::new, |head| end(&text[head.start()..]))
}

/// Returns the files that a formatter or a diff names; else every line that is a name and nothing more.
fn files(printed: &Printed) -> Vec<String> {
    let mut files = format(printed);
    let text = plain(printed.stdout);
    if files.is_empty() {
        files = text.lines().filter_map(|line| Some(line.strip_prefix("+++ b/")?.to_owned())).collect();
    }
    if files.is_empty() {
        let is_name = |line: &&str| !line.is_empty() && !line.contains(": ") && line.trim() == *line;
        files = text.lines().filter(is_name).take(super::MOST_KEPT).map(str::to_owned).collect();
    }
    files
}

/// The end of an output says most.
fn end(text: &str) -> String {
    let text = plain(text);
    match text.char_indices().rev().nth(LONGEST_STREAM) {
        Some((index, c)) => format!("…{}", &text[index + c.len_utf8()..]),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, stdout: &str) -> Value {
        named(name, &Printed { stdout, stderr: "", exit: Some(1) }).expect("a known name")
    }

    #[test]
    fn files_failing_tests_and_streams_are_taken_by_name() {
        let status = "R  old.rs -> new.rs\n M \"a\\tb.rs\"\n?? new\n";
        assert_eq!(of("parseChangedFiles", status), json!(["new.rs", "a\tb.rs"]));
        assert_eq!(of("parseUntrackedFiles", status), json!(["new"]));
        let pytest = "==== FAILURES ====\n==== short test summary info ====\nFAILED test_a.py::test_b - assert 1 == 2\n\
            ==== 1 failed in 0.1s ====\n";
        let expected = json!([{"name": "test_a.py::test_b", "file": "test_a.py", "error": "assert 1 == 2"}]);
        assert_eq!(of("parseTestOutput", pytest), expected);
        assert_eq!(of("stdout", "a\u{1b}[31mb"), json!("ab"));
        assert_eq!(of("stdout", &"é".repeat(20_000)).as_str().map(|text| text.chars().count()), Some(16_001));
    }

    #[test]
    fn staged_unstaged_types_lints_format_diff_and_files_are_taken_by_name() {
        let status = "M  a\n M b\nMM c\n";
        assert_eq!(of("parseStagedFiles", status), json!(["a", "c"]));
        assert_eq!(of("parseUnstagedFiles", status), json!(["b", "c"]));
        let types = "src/a.ts(1,2): error TS1005: ';' expected.\n";
        let expected = json!([{"message": "';' expected.", "file": "src/a.ts", "line": 1, "column": 2, "code": "TS1005",
            "severity": "error"}]);
        assert_eq!(of("parseTypeErrors", types), expected);
        let lints = "/x/a.js: line 1, col 5, Warning - Odd text. (no-odd)\n";
        let expected = json!([{"message": "Odd text.", "file": "/x/a.js", "line": 1, "column": 5, "rule": "no-odd",
            "severity": "warning"}]);
        assert_eq!(of("parseLintErrors", lints), expected);
        assert_eq!(of("parseFormatOutput", "Would reformat: a.py\n"), json!(["a.py"]));
        let diff = "checking\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(of("parseDiff", diff), json!(&diff["checking\n".len()..]));
        assert_eq!(of("parseFiles", diff), json!(["x"]));
        assert_eq!(of("parseFiles", "src/a b.rs\n\nsrc/c.rs\n"), json!(["src/a b.rs", "src/c.rs"]));
    }

    #[test]
    fn a_name_that_is_unknown_gives_nothing_and_a_known_one_never_null() {
        assert!(named("parseAnything", &Printed::default()).is_none());
        for name in Extractor::NAMES {
            assert!(!of(name, "").is_null(), "{name}");
        }
    }
}
