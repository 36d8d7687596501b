//! The JSON report that Jest writes with `--json`, and Vitest with `--reporter=json`.

use serde::Deserialize;

use super::found::{Found, SEPARATOR};
use crate::place::below;
use crate::{Counts, FailedTest, TestOutcome, TestResult};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    test_results: Vec<TestFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TestFile {
    name: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    assertion_results: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    #[serde(default)]
    ancestor_titles: Vec<String>,
    title: String,
    status: String,
    duration: Option<f64>,
    #[serde(default)]
    failure_messages: Option<Vec<String>>,
}

/// Reads a whole report; the names of its files are made relative to the root of the project.
pub(super) fn read(text: &str, root: &str) -> Option<Found> {
    let report: Report = serde_json::from_str(text.trim()).ok()?;
    let mut found = Found::default();
    found.count(Counts::default());
    for file in &report.test_results {
        see(file, &below(&file.name, root), &mut found);
    }
    Some(found)
}

fn see(file: &TestFile, path: &str, found: &mut Found) {
    for case in &file.assertion_results {
        let name =
            [case.ancestor_titles.as_slice(), std::slice::from_ref(&case.title)].concat().join(SEPARATOR);
        let id = format!("{path}{SEPARATOR}{name}");
        let outcome = outcome(&case.status);
        found.count(Counts::of(outcome));
        found.result(TestResult::new(id.as_str(), outcome).after(case.duration));
        if outcome == TestOutcome::Failed {
            let error = case.failure_messages.iter().flatten().next().map_or("", String::as_str);
            found.explain(id, error);
            found.fail(FailedTest { name, file: Some(path.to_owned()), line: None, error: error.to_owned() });
        }
    }
    if file.status == "failed" && file.assertion_results.is_empty() {
        found.count(Counts::of(TestOutcome::DidNotLoad));
        found.result(TestResult::new(path, TestOutcome::DidNotLoad));
        let (name, error) = (path.to_owned(), file.message.clone());
        found.fail(FailedTest { file: Some(name.clone()), name, line: None, error });
    }
}

fn outcome(status: &str) -> TestOutcome {
    match status {
        "passed" => TestOutcome::Passed,
        "failed" => TestOutcome::Failed,
        _ => TestOutcome::Skipped,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{of_stdout, outcomes};
    use crate::TestOutcome::{DidNotLoad, Failed, Passed, Skipped};
    use crate::{Counts, report_file};

    #[test]
    fn files_groups_and_outcomes_are_read() {
        let text = r#"{"numTotalTests":4,"success":false,"testResults":[
            {"name":"/x/src/b.test.js","status":"failed","message":"…","assertionResults":[
              {"ancestorTitles":["sum"],"title":"adds","status":"failed","duration":4.4,"failureMessages":["Error: expect(received).toBe(expected)\n    at x"]},
              {"ancestorTitles":[],"title":"zero","status":"passed","duration":null},
              {"ancestorTitles":[],"title":"later","status":"todo"}]},
            {"name":"/x/src/c.test.js","status":"failed","message":"Cannot find module './nothing'","assertionResults":[]}]}"#;
        let report = report_file(text, "/x").expect("a report");
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 2, ignored: 1 }));
        let results: Vec<_> = report.results.iter().map(|test| (test.id.as_str(), test.outcome)).collect();
        assert_eq!(
            results,
            [
                ("src/b.test.js › sum › adds", Failed),
                ("src/b.test.js › zero", Passed),
                ("src/b.test.js › later", Skipped),
                ("src/c.test.js", DidNotLoad),
            ]
        );
        assert_eq!(report.results[0].millis, Some(4));
        assert_eq!(report_file("{\"a\":1}", "/x"), None);
    }

    #[test]
    fn a_file_that_cannot_be_loaded_takes_no_result_from_the_others() {
        let json = r#"{"testResults": [{"name": "/x/src/a.test.js", "status": "passed", "assertionResults": [
            {"ancestorTitles": [], "title": "adds", "status": "passed"}]},
            {"name": "/x/src/b.test.js", "status": "failed", "message": "Cannot find module './b'", "assertionResults": []}]}"#;
        let output = |tests: &str| {
            let stdout = format!(
                "PASS src/a.test.js\nFAIL src/b.test.js\n  ● Test suite failed to run\n\n    Cannot find module './b'\n\n\
                 Test Suites: 1 failed, 1 passed, 2 total\nTests:       {tests} passed, {tests} total\n"
            );
            let report = report_file(json, "/x").expect("a report");
            of_stdout(&stdout).with_report_files(vec![report])
        };
        let expected = [("src/a.test.js › adds", Passed), ("src/b.test.js", DidNotLoad)];
        assert_eq!(outcomes(&output("1")), expected);
        assert_eq!(outcomes(&output("3")), []);
    }
}
