//! The JSON report that Jest writes with `--json`, and Vitest with `--reporter=json`.

use serde_json::Value;

use super::found::{Found, joined_names};
use crate::{Counts, FailedTest, TestOutcome, TestResult, below};

/// Reads a whole report; the names of its files are made relative to the root of the project.
pub(super) fn read(text: &str, root: &str) -> Option<Found> {
    let report: Value = serde_json::from_str(text.trim()).ok()?;
    let mut found = Found::default();
    found.count(Counts::default());
    for file in report["testResults"].as_array()? {
        see(file, &below(file["name"].as_str()?, root), &mut found);
    }
    Some(found)
}

fn see(file: &Value, path: &str, found: &mut Found) {
    let cases = items(&file["assertionResults"]);
    if file["status"] == "failed" && cases.is_empty() {
        found.fail(failed(path, path, &file["message"]));
        found.result(TestResult::new(path, TestOutcome::DidNotLoad));
    }
    for case in cases {
        let titles = items(&case["ancestorTitles"]).iter().chain([&case["title"]]);
        let id = joined_names([path].into_iter().chain(titles.filter_map(Value::as_str)));
        let outcome = match case["status"].as_str() {
            Some("passed") => TestOutcome::Passed,
            Some("failed") => TestOutcome::Failed,
            _ => TestOutcome::Skipped,
        };
        if outcome == TestOutcome::Failed {
            found.fail(failed(&id, path, &case["failureMessages"][0]));
        }
        found.result(TestResult::new(id, outcome).after(case["duration"].as_f64()));
    }
}

fn items(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

fn failed(name: &str, path: &str, error: &Value) -> FailedTest {
    let error = error.as_str().unwrap_or_default().to_owned();
    FailedTest { name: name.to_owned(), file: Some(path.to_owned()), line: None, error }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{of_stdout, outcomes};
    use crate::TestOutcome::{DidNotLoad, Failed, Passed, Skipped};
    use crate::{Counts, report_files};

    #[test]
    fn files_groups_and_outcomes_are_read() {
        let text = r#"{"numTotalTests":4,"success":false,"testResults":[
            {"name":"/x/src/b.test.js","status":"failed","message":"…","assertionResults":[
              {"ancestorTitles":["sum"],"title":"adds","status":"failed","duration":4.4,"failureMessages":["Error: expect(received).toBe(expected)\n    at x"]},
              {"ancestorTitles":[],"title":"zero","status":"passed","duration":null},
              {"ancestorTitles":[],"title":"later","status":"todo"}]},
            {"name":"/x/src/c.test.js","status":"failed","message":"Cannot find module './nothing'","assertionResults":[]}]}"#;
        let report = report_files([text], "/x").expect("a report");
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
        assert_eq!(report_files(["{\"a\":1}"], "/x"), None);
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
            let report = report_files([json], "/x").expect("a report");
            of_stdout(&stdout).with_report_files(Some(report))
        };
        let expected = [("src/a.test.js › adds", Passed), ("src/b.test.js", DidNotLoad)];
        assert_eq!(outcomes(&output("1")), expected);
        assert_eq!(outcomes(&output("3")), []);
    }
}
