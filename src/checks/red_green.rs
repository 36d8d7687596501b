//! New tests have to fail without the code they are about (`FAIL_TO_PASS`, as SWE-bench calls it): with the code of the base and the
//! tests of now at least one of them fails, by what it asserts. A test that could not be loaded there says nothing: it may only
//! miss a name; it is run once more on the code of now, in which new functions do nothing. Tests that pass either way prove
//! nothing, unless a document of the run says that the behaviour stays as it was: then the reviewer is asked. Where the runner does
//! not name each test, its exit code counts.

use super::announced::Announced;
use super::command::{self, Look};
use super::outcome::{at, judged, of_answer, question_to_reviewer};
use super::suite::Suite;
use super::test_runs::{NotCompared, TestRuns, compared};
use super::{Site, failure, passed, skipped};
use model::event::CheckResult;
use process::Stop;
use source::Test;
use tool_output::TestOutcome;

pub(super) const ID: &str = "red_green";

pub(super) async fn examine(site: &Site<'_>, stop: &mut Stop) -> Result<CheckResult, NotCompared> {
    let runs = TestRuns::of(site)?;
    let Some(without) = runs.mixed(|trees| &trees.new_tests, stop).await else {
        return Ok(skipped(ID, "the run did not change both tests and code"));
    };
    let (now, base) = (runs.now(stop).await, runs.look_at_base(stop).await);
    let (without, now) = (compared(without)?, now?);
    if let Some(result) = unrun(&runs, &now, &base)? {
        return Ok(result);
    }
    if now.results.is_empty() {
        return Ok(judge_exit(&runs, &now, &without, &base, site));
    }
    let mut reds =
        Reds::of(&Suite::of(&now.results), &Suite::of(&base.results), &Suite::of(&without.results));
    if reds.red.is_empty()
        && !reds.unknown.is_empty()
        && let Some(stubs) = runs.mixed(|trees| &trees.new_stubs, stop).await
    {
        reds.try_again(&Suite::of(&stubs.results));
    }
    Ok(judge(&runs, &reds, site))
}

/// Returns the failure where the change brings tests and the command runs no test that it did not run at the base. What a new
/// test is called is not asked: titles are computed, and classes inherit tests.
fn unrun(runs: &TestRuns<'_>, now: &Look, base: &Look) -> Result<Option<CheckResult>, NotCompared> {
    let before = Suite::of(&base.results);
    if Suite::of(&now.results).ids().any(|id| before.outcome(id).is_none()) {
        return Ok(None);
    }
    let sources = runs.sources()?;
    let is_run = |test: &Test| now.results.iter().any(|result| test.is_reported_as(&result.id));
    if now.results.is_empty() || sources.added().next().is_none() || sources.added().any(is_run) {
        return Ok(None);
    }
    let what = |test: &Test| format!("`{}` does not run `{}`", runs.asked.line, test.id());
    let places = sources.added().map(|test| at(&test.path, test.line, what(test))).collect();
    Ok(Some(judged(ID, "new-tests-not-run", places, "no new test is run", "")))
}

/// What the tests that are new, or pass only now, say without the code.
#[derive(Debug, Default, PartialEq, Eq)]
struct Reds<'r> {
    /// They fail by what they assert.
    red: Vec<&'r str>,
    /// They pass.
    green: Vec<&'r str>,
    /// They cannot be loaded, or are not named.
    unknown: Vec<&'r str>,
    /// They cannot be loaded without the code, and pass where its new functions do nothing.
    hollow: Vec<&'r str>,
}

impl<'r> Reds<'r> {
    fn of(now: &Suite<'r>, base: &Suite<'_>, without: &Suite<'_>) -> Self {
        let mut reds = Self::default();
        let passes = |suite: &Suite<'_>, id: &str| suite.outcome(id) == Some(TestOutcome::Passed);
        for id in now.ids().filter(|id| passes(now, id) && !passes(base, id)) {
            list(without.outcome(id), &mut reds.red, &mut reds.green, &mut reds.unknown).push(id);
        }
        reds
    }

    /// Takes in what those that could not be loaded say where new functions do nothing.
    fn try_again(&mut self, stubs: &Suite<'_>) {
        for id in std::mem::take(&mut self.unknown) {
            list(stubs.outcome(id), &mut self.red, &mut self.hollow, &mut self.unknown).push(id);
        }
    }
}

/// Returns the list to which a test belongs that ends so.
fn list<'l, T>(
    outcome: Option<TestOutcome>,
    red: &'l mut T,
    passing: &'l mut T,
    unknown: &'l mut T,
) -> &'l mut T {
    match outcome {
        Some(TestOutcome::Failed | TestOutcome::TimedOut) => red,
        Some(TestOutcome::Passed | TestOutcome::Skipped) => passing,
        Some(TestOutcome::DidNotLoad) | None => unknown,
    }
}

fn judge(runs: &TestRuns<'_>, reds: &Reds<'_>, site: &Site<'_>) -> CheckResult {
    let line = runs.asked.line;
    let Reds { red, green, unknown, hollow } = reds;
    if let Some(first) = red.first() {
        return passed(ID, &format!("`{first}` fails without the code that the run changed"));
    }
    if let Some(first) = unknown.first() {
        return skipped(ID, &format!("`{first}` cannot be loaded without the code that the run changed"));
    }
    if !hollow.is_empty() {
        let hollow = hollow.join("`, `");
        return unproven(line, &format!("`{hollow}` passes although no new function does anything"), site);
    }
    if green.is_empty() {
        return skipped(ID, &format!("`{line}` runs no test that did not pass at the base"));
    }
    let green = green.join("`, `");
    unproven(line, &format!("without the code that the run changed `{green}` passes as well"), site)
}

fn judge_exit(runs: &TestRuns<'_>, now: &Look, without: &Look, base: &Look, site: &Site<'_>) -> CheckResult {
    let line = runs.asked.line;
    if command::fails(&now.end) {
        return skipped(ID, &format!("`{line}` fails with the code that the run changed, too"));
    }
    if command::proves(without, base) {
        return passed(ID, &format!("`{line}` fails without the code that the run changed"));
    }
    if command::fails(&without.end) {
        return skipped(ID, &format!("`{line}` fails at the base as well, and does not name each test"));
    }
    unproven(line, &format!("`{line}` says the same without the code that the run changed"), site)
}

/// Fails, or asks the reviewer where the author says that the behaviour stays as it was.
fn unproven(line: &str, summary: &str, site: &Site<'_>) -> CheckResult {
    let params = [("command", line), ("code", "red_green_failed")];
    let Some(said) = Announced::read(site).unchanged_behaviour() else {
        return failure(ID, "tests-prove-nothing", summary, &params);
    };
    let what = format!("the author says that the behaviour stays as it was ({said}); {summary}");
    let result = judged(ID, "tests-prove-nothing", vec![of_answer(what)], "no test proves the change", "");
    question_to_reviewer(result, site)
}

#[cfg(test)]
mod tests {
    use super::*;
    use TestOutcome::{DidNotLoad, Failed, Passed};
    use tool_output::TestResult;

    fn results(tests: &[(&str, TestOutcome)]) -> Vec<TestResult> {
        let result = |(id, outcome): &(&str, TestOutcome)| TestResult {
            id: (*id).into(),
            outcome: *outcome,
            millis: None,
        };
        tests.iter().map(result).collect()
    }

    #[test]
    fn new_tests_that_cannot_be_loaded_have_to_fail_where_new_functions_do() {
        let now = results(&[("old", Passed), ("new", Passed), ("hollow", Passed)]);
        let base = results(&[("old", Passed)]);
        let without = results(&[("old", Passed), ("tests/new.py", DidNotLoad)]);
        let mut reds = Reds::of(&Suite::of(&now), &Suite::of(&base), &Suite::of(&without));
        assert_eq!(reds.unknown, ["hollow", "new"]);
        let stubs = results(&[("old", Passed), ("new", Failed), ("hollow", Passed)]);
        reds.try_again(&Suite::of(&stubs));
        assert_eq!((&reds.red[..], &reds.hollow[..], reds.unknown.len()), (&["new"][..], &["hollow"][..], 0));
    }
}
