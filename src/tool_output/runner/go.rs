//! `go test`, with and without `-v`. Without it Go lists no passing tests: a package that passed counts as one.

use std::collections::{BTreeMap, BTreeSet};

use super::found::{Detail, Found, SEPARATOR};
use crate::place::place;
use crate::{Counts, LONGEST_MESSAGE, TestOutcome, TestResult};

/// What was seen since the last package ended.
#[derive(Default)]
struct Package {
    counts: Counts,
    failed: Vec<String>,
    /// Each test that `-v` names, with its outcome.
    outcomes: Vec<(String, TestOutcome)>,
    /// What each test printed; what none printed stands under no name.
    said: BTreeMap<String, String>,
    current: String,
}

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut found: Option<Found> = None;
    let mut package = Package::default();
    for line in lines.iter().copied() {
        if let Some((passed, name, note)) = package_line(line) {
            end(std::mem::take(&mut package), passed, name, note, found.get_or_insert_default());
        } else if line == "testing: warning: no tests to run" || line.starts_with("?   \t") {
            found.get_or_insert_default().count(Counts::default());
        } else if let Some((verdict, name)) = verdict(line) {
            package.see(verdict, name);
        } else if let Some(name) = resumed(line) {
            name.clone_into(&mut package.current);
        } else if line != "FAIL" && line != "PASS" {
            package.hear(line);
        }
    }
    if !package.failed.is_empty() {
        end(package, false, "", "", found.get_or_insert_default());
    }
    found
}

/// Reads `ok  \tpackage\t0.003s` and `FAIL\tpackage [build failed]`.
fn package_line(line: &str) -> Option<(bool, &str, &str)> {
    let (passed, rest) = match line.strip_prefix("ok  \t") {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix("FAIL\t")?),
    };
    let (name, note) = rest.split_once(['\t', ' ']).unwrap_or((rest, ""));
    Some((passed, name, note))
}

/// Reads `    --- FAIL: TestA/sub (0.00s)`.
fn verdict(line: &str) -> Option<(&str, &str)> {
    let (verdict, rest) = line.trim_start_matches(' ').strip_prefix("--- ")?.split_once(": ")?;
    let (name, time) = rest.rsplit_once(" (")?;
    (["PASS", "FAIL", "SKIP"].contains(&verdict) && time.ends_with("s)")).then_some((verdict, name))
}

/// Reads `=== RUN   TestA` and what else says whose output follows.
fn resumed(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("=== ")?;
    ["RUN ", "CONT ", "NAME ", "PAUSE "].iter().find_map(|word| rest.strip_prefix(word)).map(str::trim)
}

impl Package {
    fn see(&mut self, verdict: &str, name: &str) {
        let outcome = match verdict {
            "PASS" => TestOutcome::Passed,
            "SKIP" => TestOutcome::Skipped,
            _ => TestOutcome::Failed,
        };
        self.counts = self.counts.plus(Counts::of(outcome));
        self.outcomes.push((name.to_owned(), outcome));
        name.clone_into(&mut self.current);
        if verdict == "FAIL" {
            self.failed.push(name.to_owned());
        } else {
            self.said.remove(name);
        }
    }

    fn hear(&mut self, line: &str) {
        if !self.said.contains_key(&self.current) {
            self.said.insert(self.current.clone(), String::new());
        }
        let said = self.said.get_mut(&self.current).expect("it was put there above");
        if said.len() < 4 * LONGEST_MESSAGE {
            said.push_str(line);
            said.push('\n');
        }
    }
}

fn end(mut package: Package, passed: bool, name: &str, note: &str, found: &mut Found) {
    let mut counts = package.counts;
    if passed && counts == Counts::default() && !note.contains("[no tests to run]") {
        counts.passed = 1;
    }
    for (test, outcome) in &package.outcomes {
        found.result(TestResult::new(format!("{name}{SEPARATOR}{test}"), *outcome));
    }
    if !passed && package.failed.is_empty() {
        counts.failed += 1;
        found.result(TestResult::new(name, TestOutcome::DidNotLoad));
        let said = package.said.into_values().collect::<Vec<_>>().join("\n");
        let error = if said.trim().is_empty() { note.trim() } else { &said };
        found.fail(name, detail(error));
    } else {
        for test in leaves(&package.failed) {
            found.fail(test, detail(&package.said.remove(test).unwrap_or_default()));
        }
    }
    found.count(counts);
}

/// A test whose subtests failed says nothing that they do not say.
pub(super) fn leaves(failed: &[String]) -> impl Iterator<Item = &String> {
    let parents: BTreeSet<&str> = failed.iter().filter_map(|name| Some(name.rsplit_once('/')?.0)).collect();
    failed.iter().filter(move |name| !parents.contains(name.as_str()))
}

/// The first line of a test file that is named is the place; calls of goroutines say little.
pub(super) fn detail(said: &str) -> Detail {
    let own = said.lines().take_while(|line| !line.starts_with("goroutine "));
    let own: Vec<&str> = own.map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    let at = own.iter().find_map(|line| {
        let (file, rest) = line.trim().split_once(".go:")?;
        place(&format!("{file}.go:{}", rest.split([':', ' ']).next()?))
    });
    Detail::at(at, own.join("\n").trim())
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_stdout;
    use crate::Counts;

    fn names(text: &str) -> Vec<(String, Option<u32>, String)> {
        of_stdout(text).failed.into_iter().map(|test| (test.name, test.line, test.error)).collect()
    }

    #[test]
    fn plain_output_names_failing_tests_and_counts_passing_packages() {
        let text = "--- FAIL: TestA (0.00s)\n    a_test.go:10: got 1,\n        want 2\n--- FAIL: TestT (0.00s)\n\
            \x20   --- FAIL: TestT/sub (0.00s)\n        a_test.go:12: bad\nFAIL\nFAIL\texample.com/a\t0.003s\n\
            ok  \texample.com/b\t(cached)\nFAIL\texample.com/c [build failed]\n?   \texample.com/d\t[no test files]\nFAIL\n";
        assert_eq!(
            names(text),
            [
                ("TestA".into(), Some(10), "a_test.go:10: got 1,\n    want 2".into()),
                ("TestT/sub".into(), Some(12), "a_test.go:12: bad".into()),
                ("example.com/c".into(), None, "[build failed]".into()),
            ]
        );
        assert_eq!(of_stdout(text).counts, Some(Counts { passed: 1, failed: 4, ignored: 0 }));
    }

    #[test]
    fn verbose_output_is_counted_test_by_test() {
        let text = "=== RUN   TestA\n    a_test.go:10: got 1\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\n\
            === RUN   TestC\n    a_test.go:20: later\n--- SKIP: TestC (0.00s)\nFAIL\nFAIL\texample.com/a\t0.003s\n";
        assert_eq!(names(text), [("TestA".into(), Some(10), "a_test.go:10: got 1".into())]);
        assert_eq!(of_stdout(text).counts, Some(Counts { passed: 1, failed: 1, ignored: 1 }));
    }

    #[test]
    fn a_panic_is_told_without_its_goroutines() {
        let text = "--- FAIL: TestA (0.00s)\npanic: boom [recovered]\n\tpanic: boom\n\ngoroutine 7 [running]:\n\
            testing.tRunner.func1.2()\n\t/usr/lib/go/src/testing/testing.go:1545 +0x238\nFAIL\texample.com/a\t0.003s\nFAIL\n";
        assert_eq!(names(text), [("TestA".into(), None, "panic: boom [recovered]\n\tpanic: boom".into())]);
    }
}
