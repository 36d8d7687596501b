//! `JUnit` XML, in the output or as a report file. Test cases are counted themselves: what a suite says of its own numbers is
//! believed only where it admits more failures.

use std::str::FromStr;

use roxmltree::{Document, Node};

use super::found::{Found, joined_names};
use crate::pattern::{LazyPattern, regex};
use crate::{Counts, FailedTest, TestOutcome, TestResult};

/// A report in an output: from the first tag, which has only blanks and the declaration before it on its line, to the last end of one.
pub(super) static REPORT: LazyPattern = LazyPattern::new(|| {
    regex(r"(?sm)^[^\S\n]*(?:<\?xml[^\n]*?)?(<testsuites?\b(?:[^>]*/>|.*</testsuites?>))")
});

/// Reads a whole report; none when it is broken off or something else.
pub(super) fn read(text: &str) -> Option<Found> {
    let document = Document::parse(text.trim_start_matches('\u{feff}').trim()).ok()?;
    let root = document.root_element();
    if !["testsuites", "testsuite"].contains(&root.tag_name().name()) {
        return None;
    }
    let mut found = Found::default();
    found.count(Counts::default());
    for case in root.descendants().filter(|node| node.has_tag_name("testcase")) {
        see(case, &mut found);
    }
    let failed = admitted(root).saturating_sub(found.counts.unwrap_or_default().failed);
    found.count(Counts { failed, ..Counts::default() });
    Some(found)
}

fn see(case: Node, found: &mut Found) {
    let child = |name: &str| case.children().find(|node| node.has_tag_name(name));
    let id = id(case);
    let outcome = if child("skipped").is_some() || case.attribute("status") == Some("disabled") {
        TestOutcome::Skipped
    } else if let Some(failure) = child("failure").or_else(|| child("error")) {
        found.fail(failed(&id, case, failure));
        TestOutcome::Failed
    } else {
        TestOutcome::Passed
    };
    let seconds = number::<f64>(case, "time").map(|seconds| seconds * 1000.0);
    found.result(TestResult::new(id, outcome).after(seconds));
}

/// Returns the failures that the outermost suites say they have.
fn admitted(root: Node) -> u64 {
    let number = |node: Node, name| number::<u64>(node, name).unwrap_or(0);
    let of = |node: Node| number(node, "failures").saturating_add(number(node, "errors"));
    of(root).max(root.children().map(of).fold(0, u64::saturating_add))
}

fn number<T: FromStr>(node: Node, name: &str) -> Option<T> {
    node.attribute(name)?.parse().ok()
}

/// Returns the name of a case with the suites around it, where they say more than its class does.
fn id(case: Node) -> String {
    let class = case.attribute("classname").unwrap_or_default();
    let suites = case.ancestors().filter(|node| node.has_tag_name("testsuite"));
    let mut parts: Vec<&str> = suites.filter_map(|suite| suite.attribute("name")).collect();
    parts.reverse();
    // The outermost suite of some runners is the whole run, or bears the time and the machine.
    let is_named = !class.is_empty() && class != "test";
    if is_named || !case.has_attribute("classname") && parts.len() == 1 {
        parts.clear();
    }
    let name = case.attribute("name").unwrap_or_default();
    parts.extend(Some(class).filter(|class| is_named && *class != name));
    parts.push(name);
    joined_names(parts)
}

fn failed(id: &str, case: Node, failure: Node) -> FailedTest {
    let text = failure.text().unwrap_or_default().trim();
    let message = failure.attribute("message").unwrap_or_default().trim();
    let error = if text.contains(message) { text.to_owned() } else { format!("{message}\n{text}") };
    let file = case.attribute("file").map(str::to_owned);
    FailedTest { name: id.to_owned(), file, line: number(case, "line"), error }
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_stdout;
    use crate::{Counts, FailedTest, TestReport};

    fn report_file(text: &str) -> Option<TestReport> {
        crate::report_files([text], "/x")
    }

    const REPORT: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<testsuites>
<testsuite name="a" tests="4" failures="1" errors="1" skipped="1">
  <testcase classname="tests.test_a" name="test_a" time="0.001"/>
  <testcase classname="tests.test_a" name="test_b" file="tests/test_a.py" line="5">
    <failure message="assert 1 == 2">def test_b():
&gt;   assert 1 == 2</failure>
  </testcase>
  <testcase name="test_c"><error message="boom"/></testcase>
  <testcase name="test_d"><skipped/></testcase>
</testsuite>
</testsuites>
"#;

    #[test]
    fn cases_are_counted_and_failures_described() {
        let report = report_file(REPORT).expect("a report");
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 2, ignored: 1 }));
        let (file, error) = ("tests/test_a.py", "def test_b():\n>   assert 1 == 2");
        let first = FailedTest {
            name: "tests.test_a › test_b".into(),
            file: Some(file.into()),
            line: Some(5),
            error: format!("assert 1 == 2\n{error}").replacen("assert 1 == 2\ndef", "def", 1),
        };
        let second = FailedTest { name: "test_c".into(), error: "boom".into(), ..FailedTest::default() };
        assert_eq!(report.failed, [first, second]);
        let around = format!("> node --test\n{REPORT}\nnpm error\n");
        assert_eq!(of_stdout(&around), report);
    }

    #[test]
    fn a_suite_that_claims_tests_has_none_and_one_that_admits_failures_has_them() {
        let claims =
            report_file("<testsuite name='x' tests='90' failures='0'></testsuite>").expect("a report");
        assert_eq!(claims.counts.map(|counts| counts.collected()), Some(0));
        let admits =
            report_file("<testsuites failures='2'><testsuite><testcase name='a'/></testsuite></testsuites>");
        assert_eq!(admits.and_then(|report| report.counts).map(|counts| counts.failed), Some(2));
    }

    #[test]
    fn what_is_broken_off_or_something_else_is_no_report() {
        let entities = "<!DOCTYPE x [<!ENTITY a 'aaaa'>]><testsuite><testcase name='&a;'/></testsuite>";
        for broken in [&REPORT[..300], "", "<html></html>", "<testsuite", entities] {
            assert_eq!(report_file(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_deep_report_is_read_or_refused() {
        let deep = "<testsuite>".repeat(100_000) + &"</testsuite>".repeat(100_000);
        assert!(report_file(&deep).is_none_or(|report| report.counts == Some(Counts::default())));
    }
}
