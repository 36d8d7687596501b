//! `go test -json`: one event a line.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::found::{Found, SEPARATOR};
use super::go::{detail, leaves};
use crate::{Counts, LONGEST_MESSAGE, TestOutcome, TestResult};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    #[serde(default)]
    package: String,
    test: Option<String>,
    #[serde(default)]
    output: String,
    /// In seconds.
    elapsed: Option<f64>,
}

/// What a package's tests printed, and which of them failed; its own output stands under no name.
#[derive(Default)]
struct JsonPackage {
    said: BTreeMap<String, String>,
    failed: Vec<String>,
}

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut found: Option<Found> = None;
    let mut packages: BTreeMap<String, JsonPackage> = BTreeMap::new();
    for line in lines.iter_mut().filter(|line| line.starts_with('{') && line.contains("\"Action\":")) {
        let Ok(event) = serde_json::from_str::<Event>(line) else { continue };
        *line = "";
        if !event.package.is_empty() {
            see(event, &mut packages, found.get_or_insert_default());
        }
    }
    found
}

fn see(event: Event, packages: &mut BTreeMap<String, JsonPackage>, found: &mut Found) {
    let package = packages.entry(event.package.clone()).or_default();
    let none = Counts::default();
    if let (Some(test), Some(outcome)) = (&event.test, outcome(&event.action)) {
        let result = TestResult::new(format!("{}{SEPARATOR}{test}", event.package), outcome);
        found.result(result.after(event.elapsed.map(|seconds| seconds * 1000.0)));
    }
    match (event.action.as_str(), event.test) {
        ("output", test) => hear(package.said.entry(test.unwrap_or_default()).or_default(), &event.output),
        ("pass", Some(test)) => {
            package.said.remove(&test);
            found.count(Counts { passed: 1, ..none });
        }
        ("skip", Some(_)) => found.count(Counts { ignored: 1, ..none }),
        ("fail", Some(test)) => {
            package.failed.push(test);
            found.count(Counts { failed: 1, ..none });
        }
        ("pass" | "skip", None) => found.count(none),
        ("fail", None) => end(packages.remove(&event.package).unwrap_or_default(), &event.package, found),
        _ => {}
    }
}

fn outcome(action: &str) -> Option<TestOutcome> {
    match action {
        "pass" => Some(TestOutcome::Passed),
        "skip" => Some(TestOutcome::Skipped),
        "fail" => Some(TestOutcome::Failed),
        _ => None,
    }
}

/// A package that failed although none of its tests did was not built, or broke off.
fn end(mut package: JsonPackage, name: &str, found: &mut Found) {
    if package.failed.is_empty() {
        found.count(Counts { failed: 1, ..Counts::default() });
        found.result(TestResult::new(name, TestOutcome::DidNotLoad));
        found.fail(name, detail(&package.said.into_values().collect::<String>()));
        return;
    }
    for test in leaves(&package.failed) {
        found.fail(test, detail(&package.said.remove(test).unwrap_or_default()));
    }
}

fn hear(said: &mut String, output: &str) {
    let chatter = ["=== ", "--- "].iter().any(|start| output.trim_start().starts_with(start));
    if !chatter && said.len() < 4 * LONGEST_MESSAGE {
        said.push_str(output);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_stdout;
    use crate::{Counts, FailedTest};

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
