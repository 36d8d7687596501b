//! `go test`, plain, with `-v`, and with `-json`, which prints an event a line. Without these Go lists no passing tests: a
//! package that passed counts as one.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::found::{Found, SEPARATOR};
use crate::pattern::LazyPattern;
use crate::place::place;
use crate::{Counts, FailedTest, LONGEST_MESSAGE, TestOutcome, TestResult};

/// What was seen of a package that has not ended.
#[derive(Default)]
struct Package {
    results: Vec<TestResult>,
    failed: Vec<String>,
    /// What each test printed; what none printed stands under no name.
    said: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    package: String,
    test: Option<String>,
    #[serde(default)]
    output: String,
    /// In seconds.
    elapsed: Option<f64>,
}

/// `ok  \tpackage\t0.003s` and `FAIL\tpackage [build failed]`.
static PACKAGE: LazyPattern = LazyPattern::new(r"^(ok  |FAIL)\t([^\t ]*)[\t ]?(.*)$");
/// `    --- FAIL: TestA/sub (0.00s)`.
static VERDICT: LazyPattern = LazyPattern::new(r"^ *--- (PASS|FAIL|SKIP): (.*) \(([\d.]+)s\)$");
/// `=== RUN   TestA` and what else says whose output follows.
static RESUMED: LazyPattern = LazyPattern::new(r"^=== (?:RUN|CONT|NAME|PAUSE) +(.*)$");

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let events = read_events(lines);
    let text = read_text(lines);
    [events, text].into_iter().flatten().reduce(Found::joined)
}

fn read_events(lines: &mut [&str]) -> Option<Found> {
    let mut found = Found::default();
    let mut packages: BTreeMap<String, Package> = BTreeMap::new();
    for line in lines.iter_mut().filter(|line| line.starts_with('{') && line.contains("\"Action\":")) {
        let Ok(event) = serde_json::from_str::<Event>(line) else { continue };
        *line = "";
        let package = packages.entry(event.package.clone()).or_default();
        match (event.action.as_str(), event.test) {
            ("output", test) => package.hear(&test.unwrap_or_default(), &event.output),
            (action, Some(test)) => {
                package.see(action, &test, event.elapsed);
                package.flush(&event.package, &mut found);
            }
            (action @ ("pass" | "skip" | "fail"), None) => {
                std::mem::take(package).end(action != "fail", &event.package, "", &mut found);
            }
            _ => {}
        }
    }
    (!packages.is_empty()).then_some(found)
}

fn read_text(lines: &[&str]) -> Option<Found> {
    let mut found: Option<Found> = None;
    let mut package = Package::default();
    let mut current = String::new();
    for line in lines.iter().copied() {
        if let Some(parts) = PACKAGE.captures(line) {
            let package = std::mem::take(&mut package);
            let (found, passed) = (found.get_or_insert_default(), &parts[1] == "ok  ");
            if passed && package.results.is_empty() && !parts[3].contains("[no tests to run]") {
                found.count(Counts::of(TestOutcome::Passed));
            }
            package.end(passed, &parts[2], &parts[3], found);
            current.clear();
        } else if line == "testing: warning: no tests to run" || line.starts_with("?   \t") {
            found.get_or_insert_default().count(Counts::default());
        } else if let Some(parts) = VERDICT.captures(line) {
            package.see(&parts[1].to_lowercase(), &parts[2], parts[3].parse().ok());
            parts[2].clone_into(&mut current);
        } else if let Some(parts) = RESUMED.captures(line) {
            parts[1].trim().clone_into(&mut current);
        } else if line != "FAIL" && line != "PASS" {
            package.hear(&current, line);
            package.hear(&current, "\n");
        }
    }
    if !package.failed.is_empty() {
        package.end(false, "", "", found.get_or_insert_default());
    }
    found
}

impl Package {
    fn see(&mut self, action: &str, test: &str, seconds: Option<f64>) {
        let outcome = match action {
            "pass" => TestOutcome::Passed,
            "skip" => TestOutcome::Skipped,
            "fail" => TestOutcome::Failed,
            _ => return,
        };
        self.results.push(TestResult::new(test, outcome).after(seconds.map(|seconds| seconds * 1000.0)));
        if outcome == TestOutcome::Failed {
            self.failed.push(test.to_owned());
        } else {
            self.said.remove(test);
        }
    }

    fn hear(&mut self, test: &str, text: &str) {
        let said = self.said.entry(test.to_owned()).or_default();
        let is_chatter = ["=== ", "--- "].iter().any(|start| text.trim_start().starts_with(start));
        if !is_chatter && said.len() < 4 * LONGEST_MESSAGE {
            said.push_str(text);
        }
    }

    fn flush(&mut self, name: &str, found: &mut Found) {
        found.count(Counts::default());
        for result in self.results.drain(..) {
            found.counted(TestResult { id: format!("{name}{SEPARATOR}{}", result.id), ..result });
        }
    }

    /// A package that failed although none of its tests did was not built, or broke off.
    fn end(mut self, passed: bool, name: &str, note: &str, found: &mut Found) {
        self.flush(name, found);
        if !passed && self.failed.is_empty() {
            found.counted(TestResult::new(name, TestOutcome::DidNotLoad));
            let said = self.said.into_values().collect::<Vec<_>>().join("\n");
            found.fail(failed(name, if said.trim().is_empty() { note.trim() } else { &said }));
        } else {
            for test in leaves(&self.failed) {
                found.fail(failed(test, &self.said.remove(test).unwrap_or_default()));
            }
        }
    }
}

/// A test whose subtests failed says nothing that they do not say.
fn leaves(failed: &[String]) -> impl Iterator<Item = &String> {
    let parents: BTreeSet<&str> = failed.iter().filter_map(|name| Some(name.rsplit_once('/')?.0)).collect();
    failed.iter().filter(move |name| !parents.contains(name.as_str()))
}

/// The first line of a test file that is named is the place; calls of goroutines say little.
fn failed(name: &str, said: &str) -> FailedTest {
    let own = said.lines().take_while(|line| !line.starts_with("goroutine "));
    let own: Vec<&str> = own.map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    let at = own.iter().find_map(|line| {
        let (file, rest) = line.trim().split_once(".go:")?;
        place(&format!("{file}.go:{}", rest.split([':', ' ']).next()?))
    });
    FailedTest::at(at, name, &own.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_stdout;
    use crate::{Counts, FailedTest};

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

    #[test]
    fn events_are_counted_and_outputs_joined() {
        let text = r#"{"Time":"2024-05-01T10:00:00Z","Action":"start","Package":"x/a"}
{"Action":"run","Package":"x/a","Test":"TestA"}
{"Action":"output","Package":"x/a","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"x/a","Test":"TestA","Output":"    a_test.go:10: got 1\n"}
{"Action":"output","Package":"x/a","Test":"TestA","Output":"--- FAIL: TestA (0.00s)\n"}
{"Action":"fail","Package":"x/a","Test":"TestA","Elapsed":0}
{"Action":"pass","Package":"x/a","Test":"TestB","Elapsed":0}
{"Action":"output","Package":"x/a","Output":"FAIL\tx/a\t0.003s\n"}
{"Action":"fail","Package":"x/a","Elapsed":0.003}
{"Action":"output","Package":"x/b","Output":"FAIL\tx/b [build failed]\n"}
{"Action":"fail","Package":"x/b","Elapsed":0}
{"Action":"skip","Package":"x/c","Elapsed":0}
"#;
        let report = of_stdout(text);
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 2, ignored: 0 }));
        let (name, file, error) = ("TestA".into(), Some("a_test.go".into()), "a_test.go:10: got 1".into());
        assert_eq!(report.failed[0], FailedTest { name, file, line: Some(10), error });
        assert_eq!(report.failed[1].name, "x/b");
        let nothing = of_stdout("{\"Action\":\"skip\",\"Package\":\"x/c\",\"Elapsed\":0}\n");
        assert_eq!(nothing.counts, Some(Counts::default()));
    }
}
