//! New tests have to fail without the code they are about (`FAIL_TO_PASS`, as SWE-bench calls it): with the code of the base and the
//! tests of now at least one of them fails, by what it asserts. A test that could not be loaded there says nothing: it may only
//! miss a name. Tests that pass either way prove nothing. Where the runner does not name each test, its exit code counts.

use super::changed_tests::ChangedTests;
use super::command::{self, End, Look};
use super::outcome::{at, judged};
use super::suite::Suite;
use super::test_runs::TestRuns;
use super::{Site, failure, passed, skipped};
use model::event::CheckResult;
use process::Stop;
use source::Test;
use tool_output::TestOutcome;

pub(super) const ID: &str = "red_green";

pub(super) async fn examine(site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let runs = match TestRuns::of(site) {
        Ok(runs) => runs,
        Err(why) => return skipped(ID, why),
    };
    let Some(without) = runs.new_tests_on_old_code(stop).await else {
        return skipped(ID, "the run did not change both tests and code");
    };
    let (now, base) = (runs.now(stop).await, runs.base(stop).await);
    match unrun(site, &runs, &now, &base) {
        Ok(Some(result)) => return result,
        Ok(None) => {}
        Err(error) => return command::Asked { id: ID, ..runs.asked }.unavailable(error),
    }
    if now.results.is_empty() {
        return judge_exit(&runs, &now, &without, &base);
    }
    let (now, base, without) =
        (Suite::of(&now.results), Suite::of(&base.results), Suite::of(&without.results));
    judge(&runs, &Reds::of(&now, &base, &without))
}

/// Returns the failure where the change brings tests and the command runs no test that it did not run at the base. What a new
/// test is called is not asked: titles are computed, and classes inherit tests.
fn unrun<'s>(
    site: &'s Site<'_>,
    runs: &TestRuns<'_>,
    now: &Look,
    base: &Look,
) -> Result<Option<CheckResult>, &'s str> {
    let before = Suite::of(&base.results);
    if Suite::of(&now.results).ids().any(|id| before.outcome(id).is_none()) {
        return Ok(None);
    }
    let sources = ChangedTests::of(site, runs.published)?;
    let is_run = |test: &&Test| now.results.iter().any(|result| test.is_reported_as(&result.id));
    let mut added = sources.added().peekable();
    if now.results.is_empty() || added.peek().is_none() || sources.added().any(|test| is_run(&test)) {
        return Ok(None);
    }
    let line = runs.asked.line;
    let places =
        added.map(|test| at(&test.path, test.line, format!("`{line}` does not run `{}`", test.id())));
    Ok(Some(judged(ID, "new-tests-not-run", places.collect(), "no new test is run", "")))
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
}

impl<'r> Reds<'r> {
    fn of(now: &Suite<'r>, base: &Suite<'_>, without: &Suite<'_>) -> Self {
        let mut reds = Self::default();
        let passes = |suite: &Suite<'_>, id: &str| suite.outcome(id) == Some(TestOutcome::Passed);
        for id in now.ids().filter(|id| passes(now, id) && !passes(base, id)) {
            match without.outcome(id) {
                Some(TestOutcome::Failed | TestOutcome::TimedOut) => reds.red.push(id),
                Some(TestOutcome::Passed | TestOutcome::Skipped) => reds.green.push(id),
                Some(TestOutcome::DidNotLoad) | None => reds.unknown.push(id),
            }
        }
        reds
    }
}

fn judge(runs: &TestRuns<'_>, reds: &Reds<'_>) -> CheckResult {
    let line = runs.asked.line;
    let Reds { red, green, unknown } = reds;
    match (red.first(), green.is_empty(), unknown.first()) {
        (Some(first), _, _) => passed(ID, &format!("`{first}` fails without the code that the run changed")),
        (None, _, Some(first)) => {
            skipped(ID, &format!("`{first}` cannot be loaded without the code that the run changed"))
        }
        (None, false, None) => unproven(
            line,
            &format!("without the code that the run changed `{}` passes as well", green.join("`, `")),
        ),
        (None, true, None) => skipped(ID, &format!("`{line}` runs no test that did not pass at the base")),
    }
}

fn judge_exit(runs: &TestRuns<'_>, now: &Look, without: &Look, base: &Look) -> CheckResult {
    let line = runs.asked.line;
    if command::fails(&now.end) {
        return skipped(ID, &format!("`{line}` fails with the code that the run changed, too"));
    }
    if let End::Unavailable(why) = &without.end {
        return command::Asked { id: ID, ..runs.asked }.unavailable(why);
    }
    if command::proves(without, base) {
        return passed(ID, &format!("`{line}` fails without the code that the run changed"));
    }
    if command::fails(&without.end) {
        return skipped(ID, &format!("`{line}` fails at the base as well, and does not name each test"));
    }
    unproven(line, &format!("`{line}` says the same without the code that the run changed"))
}

fn unproven(line: &str, summary: &str) -> CheckResult {
    failure(ID, "tests-prove-nothing", summary, &[("command", line), ("code", "red_green_failed")])
}
