//! What registries extract from an output, by the names of their extractors: what a retry prompt inserts, and what an output means, in
//! five values. Judges nothing: a summary of no failures is no success. A name that is no extractor is an error where the registry is
//! read; nothing unknown ever reaches a prompt as null.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::pattern::{LazyPattern, plain, regex};
use super::{GitStatus, Printed, Problem, Severity, TestReport, changes, format, lints, types};
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
        Extractor::LintErrors => lints(printed).iter().map(lint_error).collect(),
        Extractor::UnformattedFiles => json!(format(printed)),
        Extractor::Diff => json!(diff(printed)),
        Extractor::Files => json!(files(printed)),
        Extractor::Stdout => json!(end(printed.stdout)),
        Extractor::Stderr => json!(end(printed.stderr)),
    };
    Some(value)
}

/// Returns a message of a linter, whose code is the name of a rule.
fn lint_error(problem: &Problem) -> Value {
    let mut value = json!(Problem { code: None, ..problem.clone() });
    if let Some(rule) = &problem.code {
        value["rule"] = json!(rule);
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

/// The five values, by the names that prompts use for them.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Semantic {
    /// What failed, in a line.
    pub summary: String,
    /// How grave it is.
    pub severity: Severity,
    /// The files that it is about.
    pub related_files: Vec<String>,
    /// The cause, where it is known.
    pub root_cause: Option<String>,
    /// What to do next.
    pub suggested_action: String,
}

impl Semantic {
    /// Describes a failure whose cause is not known.
    pub fn of_failure(summary: &str, related_files: Vec<String>, suggested_action: &str) -> Self {
        Self {
            summary: summary.to_owned(),
            severity: Severity::Error,
            related_files,
            root_cause: None,
            suggested_action: suggested_action.to_owned(),
        }
    }

    /// Sums up what a command printed, as the first of these extractors that finds something reads it.
    pub fn of_output(extractors: impl IntoIterator<Item = Extractor>, printed: &Printed<'_>) -> Option<Self> {
        extractors.into_iter().find_map(|extractor| Self::of_extracted(extractor, printed))
    }

    fn of_extracted(extractor: Extractor, printed: &Printed<'_>) -> Option<Self> {
        match extractor {
            Extractor::FailedTests => {
                let report = super::tests(printed);
                let is_report = report.counts.is_some() || !report.failed.is_empty();
                is_report.then(|| Self::of_tests(&report))
            }
            Extractor::TypeErrors => found(types(printed)).map(|problems| Self::of_types(&problems)),
            Extractor::LintErrors => found(lints(printed)).map(|problems| Self::of_lints(&problems)),
            Extractor::UnformattedFiles => found(format(printed)).map(|files| Self::of_format(&files)),
            Extractor::ChangedFiles
            | Extractor::UntrackedFiles
            | Extractor::StagedFiles
            | Extractor::UnstagedFiles => {
                found(changes(printed.stdout)).map(|status| Self::of_status(&status))
            }
            Extractor::Diff | Extractor::Files | Extractor::Stdout | Extractor::Stderr => None,
        }
    }

    /// Sums up a report of tests.
    pub fn of_tests(report: &TestReport) -> Self {
        let named = report.failed.len() as u64;
        let failed = report.counts.map_or(named, |counts| counts.failed.max(named));
        let summary = match report.counts.map(|counts| counts.collected().max(failed)) {
            Some(0) => "no test ran".to_owned(),
            Some(all) => format!("{failed} of {} failed", count(all, "test")),
            None => format!("{} failed", count(failed, "test")),
        };
        let action = "Make the code do what the failing tests expect; leave what they assert as it is";
        let errors: Vec<&str> = report.failed.iter().map(|test| test.error.as_str()).collect();
        let files = once(report.failed.iter().filter_map(|test| test.file.as_deref()));
        Self { root_cause: most_common(&errors), ..Self::of_failure(&summary, files, action) }
    }

    /// Sums up the problems of a type checker.
    pub fn of_types(problems: &[Problem]) -> Self {
        Self::of_problems(problems, "type error", "Correct the types where the messages point")
    }

    /// Sums up the problems of a linter.
    pub fn of_lints(problems: &[Problem]) -> Self {
        let action = "Change the code as the rules ask; do not switch them off";
        Self::of_problems(problems, "lint message", action)
    }

    fn of_problems(problems: &[Problem], what: &str, action: &str) -> Self {
        let files = once(problems.iter().filter_map(|problem| problem.file.as_deref()));
        let summary = match problems.len() {
            0 => format!("no {what}"),
            number => format!("{} in {}", count(number, what), count(files.len(), "file")),
        };
        let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        let is_warning = |problem: &Problem| problem.severity == Severity::Warning;
        let only_warnings = !problems.is_empty() && problems.iter().all(is_warning);
        Self {
            severity: if only_warnings { Severity::Warning } else { Severity::Error },
            root_cause: most_common(&messages),
            ..Self::of_failure(&summary, files, action)
        }
    }

    /// Sums up files that a formatter would change.
    pub fn of_format(files: &[String]) -> Self {
        let summary = format!("{} not formatted", count(files.len(), "file"));
        Self::of_failure(&summary, files.to_vec(), "Run the project's formatter on these files")
    }

    /// Files that git does not know may be left over; files that changed are work that nobody committed.
    pub fn of_status(status: &GitStatus) -> Self {
        let lists = [(&status.changed, "changed"), (&status.untracked, "untracked")];
        let told = lists.iter().filter(|(files, _)| !files.is_empty());
        let told: Vec<String> =
            told.map(|(files, how)| format!("{} {how}", count(files.len(), "file"))).collect();
        let summary = if told.is_empty() { "nothing differs".to_owned() } else { told.join(", ") };
        if status.changed.is_empty() {
            let action = "Remove the files that the task does not need";
            return Self { severity: Severity::Warning, ..Self::of_failure(&summary, Vec::new(), action) };
        }
        let action = "Keep what belongs to the task, and put back the rest";
        Self::of_failure(&summary, status.changed.clone(), action)
    }

    /// Returns the values by name, for a prompt.
    pub fn values(&self) -> Map<String, Value> {
        serde_json::to_value(self).and_then(serde_json::from_value).unwrap_or_default()
    }
}

fn found<T: Default + PartialEq>(value: T) -> Option<T> {
    if value == T::default() { None } else { Some(value) }
}

fn count(number: impl TryInto<u64>, what: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn once<'a>(files: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    files.filter(|file| seen.insert(*file)).map(str::to_owned).collect()
}

/// Of equally common messages the first.
fn most_common(messages: &[&str]) -> Option<String> {
    let mut times: HashMap<&str, usize> = HashMap::new();
    for message in messages {
        *times.entry(message).or_default() += 1;
    }
    let said = messages.iter().filter(|message| !message.is_empty());
    Some((*said.rev().max_by_key(|message| times[**message])?).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counts, FailedTest};

    #[test]
    fn failing_tests_have_all_five_values() {
        let test = |name: &str, error: &str| FailedTest {
            name: name.into(),
            file: Some("a.rs".into()),
            line: None,
            error: error.into(),
        };
        let failed = vec![test("a", "one"), test("b", "two"), test("c", "two"), test("d", "")];
        let counts = Some(Counts { passed: 6, failed: 4, ignored: 0 });
        let values =
            Semantic::of_tests(&TestReport { failed, counts, known: true, ..TestReport::default() }).values();
        let action = "Make the code do what the failing tests expect; leave what they assert as it is";
        let expected = serde_json::json!({
            "summary": "4 of 10 tests failed",
            "severity": "error",
            "relatedFiles": ["a.rs"],
            "rootCause": "two",
            "suggestedAction": action,
        });
        assert_eq!(Value::Object(values), expected);
        let nothing = TestReport { counts: Some(Counts::default()), known: true, ..TestReport::default() };
        assert_eq!(Semantic::of_tests(&nothing).summary, "no test ran");
        assert_eq!(Semantic::of_tests(&TestReport::default()).summary, "0 tests failed");
    }

    #[test]
    fn warnings_alone_are_warnings_and_files_are_named_once() {
        let warning = Problem {
            file: Some("a.js".into()),
            line: Some(1),
            column: None,
            code: None,
            severity: Severity::Warning,
            message: "odd".into(),
        };
        let lints = Semantic::of_lints(&[warning.clone(), warning]);
        assert_eq!(
            (lints.summary.as_str(), lints.severity),
            ("2 lint messages in 1 file", Severity::Warning)
        );
        assert_eq!(lints.related_files, ["a.js"]);
        let format = Semantic::of_format(&["a.rs".into()]);
        assert_eq!((format.summary.as_str(), format.severity), ("1 file not formatted", Severity::Error));
    }

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
