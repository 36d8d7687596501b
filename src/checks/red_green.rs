//! New tests have to fail without the code they are about (`FAIL_TO_PASS`, as SWE-bench calls it): with the code of the base and the
//! tests of now at least one of them fails, by what it asserts. A test that could not be loaded there says nothing: it may only
//! miss a name; it is run once more on the code of now, in which functions do what they did and new ones do nothing. Tests that
//! pass either way prove nothing, unless a document of the run says that the behaviour stays as it was: then the reviewer is asked.
//! Tests that were there, and moved or ask more, count where no test is new. Where the run changed no code, no test that failed may
//! pass, or be left out without a word. Where the runner does not name each test, its exit code counts.

use std::collections::BTreeMap;

use super::announced::{Announced, unless_unchanged};
use super::command::{self, Look};
use super::suite::Suite;
use super::test_runs::{Compared, TestRuns, compared};
pub(super) use super::test_trees::RED_GREEN as ID;
use super::{ChangedTests, CheckResult, Site, asking, at, failure, judged, of_answer, passed, skipped};
use process::Stop;
use source::Test;
use tool_output::TestOutcome;

/// What is told of tests that were there before, where none is new: they moved, or ask more than they did.
const PASSED_BEFORE: &str =
    "was there, or stands in the place of another, and passes without the code that the run changed as well";

pub(super) async fn examine(site: &Site<'_>, stop: &mut Stop) -> Compared<CheckResult> {
    let runs = TestRuns::of(site)?;
    if runs.published.test_trees.are_tests_alone {
        return examine_tests_alone(&runs, stop).await;
    }
    let Some(without) = runs.mixed(|trees| &trees.new_tests, stop).await else {
        return Ok(skipped(ID, "the run did not change both tests and code"));
    };
    let (now, base) = (runs.now(stop).await, runs.look_at_base(stop).await);
    let (without, now) = (compared(without)?, now?);
    if let Some(result) = unrun(&runs, &now, &base)? {
        return Ok(result);
    }
    if now.results.is_empty() {
        return Ok(judge_exit(&runs, &now, &without, &base));
    }
    let sources = runs.sources()?;
    let (now, base) = (Suite::of(&now.results), Suite::of(&base.results));
    let passes = |suite: &Suite<'_>, id: &str| suite.outcome(id) == Some(TestOutcome::Passed);
    let new = now.ids().filter(|id| passes(&now, id) && !passes(&base, id));
    let (moved, new): (Vec<&str>, Vec<&str>) = new.partition(|id| sources.is_moved(id));
    let mut proofs = sorted(new, &Suite::of(&without.results), Proof::Green);
    if !proofs.contains_key(&Proof::Red)
        && let Some(unknown) = proofs.get(&Proof::Unknown).cloned()
        && let Some(without) = runs.mixed(|trees| &trees.old_bodies, stop).await
    {
        proofs.remove(&Proof::Unknown);
        proofs.extend(sorted(unknown, &Suite::of(&without.results), Proof::Hollow));
    }
    let idle = idle(&runs, sources, &proofs, &base, stop).await;
    if !idle.is_empty() {
        let what = "is new, passes without the change, and says nothing about it. What is it for?";
        return Ok(asked(&format!("`{}` {what}", idle.join("`, `")), site));
    }
    let is_proven = proofs.contains_key(&Proof::Red);
    if !is_proven {
        let asks_more = |id: &&str| passes(&now, id) && passes(&base, id) && sources.asks_more(id);
        let there = now.ids().filter(asks_more).chain(moved);
        let mut there = sorted(there, &Suite::of(&without.results), Proof::Green);
        if let Some(red) = there.remove(&Proof::Red) {
            proofs.insert(Proof::Red, red);
        } else if let (true, Some(ids)) = (proofs.is_empty(), there.get(&Proof::Green)) {
            let ids = ids.join("`, `");
            return Ok(asked(&format!("no test is new; `{ids}` {PASSED_BEFORE}"), site));
        }
    }
    Ok(judge(&runs, sources, &proofs))
}

/// Returns the tests that are new, where the change is proven by others alone, and each of these passes without it, and asserts nothing
/// or passes where every function of the changed files fails.
async fn idle<'r>(
    runs: &TestRuns<'_>,
    sources: &ChangedTests,
    proofs: &Proofs<'r>,
    base: &Suite<'_>,
    stop: &mut Stop,
) -> Vec<&'r str> {
    let is_new = |id: &&&str| base.outcome(id).is_none();
    let green: Vec<&str> = proofs.get(&Proof::Green).into_iter().flatten().filter(is_new).copied().collect();
    if !proofs.contains_key(&Proof::Red) || green.len() < proofs.values().flatten().filter(is_new).count() {
        return Vec::new();
    }
    let failing = runs.mixed(|trees| &trees.planted, stop).await;
    let failing = failing.as_ref().map(|look| Suite::of(&look.results));
    let passes = |id: &str| failing.as_ref().is_some_and(|all| all.outcome(id) == Some(TestOutcome::Passed));
    let is_hollow = |id: &str| sources.added().any(|test| test.is_reported_as(id) && test.asserted() == 0);
    let is_idle = |id: &&str| is_hollow(id) || passes(id);
    if green.iter().all(is_idle) { green } else { Vec::new() }
}

/// Judges a run that changed tests and no code: no test that failed at the base may pass now, or be left out without a word.
async fn examine_tests_alone(runs: &TestRuns<'_>, stop: &mut Stop) -> Compared<CheckResult> {
    let (now, base) = (runs.now(stop).await?, runs.base(stop).await?);
    let (now, base) = (Suite::of(&now.results), Suite::of(&base.results));
    let fails_before = |id: &&str| base.outcome(id) == Some(TestOutcome::Failed);
    let passes_now = |id: &&str| now.outcome(id) == Some(TestOutcome::Passed);
    let announced = Announced::read(runs.site);
    let left_out = base.failing_and_gone(&now).filter(|id| announced.reason(id, runs.site.issue).is_none());
    let mut mended: Vec<&str> = base.ids().filter(fails_before).filter(passes_now).chain(left_out).collect();
    if !mended.is_empty() {
        let flaky = runs.differing(&runs.published.base.as_tree(), stop).await;
        mended.retain(|id| !flaky.contains(*id));
    }
    if mended.is_empty() {
        return Ok(skipped(ID, "the run changed tests alone, and each that failed still fails or is told"));
    }
    let mended = mended.join("`, `");
    let summary = format!("`{mended}` failed at the base and no longer does, although no code changed");
    Ok(unproven(runs.asked.line, &summary, runs.site))
}

/// Asks where a reviewer reads it.
fn asked(what: &str, site: &Site<'_>) -> CheckResult {
    if site.phase.policy.review.is_none() {
        return skipped(ID, what);
    }
    asking(judged(ID, "tests-prove-nothing", vec![of_answer(what)], "tests may prove nothing", ""))
}

/// Returns the failure where the change brings tests and the command runs no test that it did not run at the base. What a new
/// test is called is not asked: titles are computed, and classes inherit tests.
fn unrun(runs: &TestRuns<'_>, now: &Look, base: &Look) -> Compared<Option<CheckResult>> {
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

/// What a test that is new, or passes only now, says without the code, in the order in which it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Proof {
    /// It fails by what it asserts.
    Red,
    /// It cannot be loaded, or is not named.
    Unknown,
    /// It cannot be loaded without the code, and passes where functions do what they did, and new ones nothing.
    Hollow,
    /// It passes.
    Green,
}

/// Tests by what they say.
type Proofs<'r> = BTreeMap<Proof, Vec<&'r str>>;

/// Returns tests by what they say in a suite, where those that pass say this.
fn sorted<'r>(ids: impl IntoIterator<Item = &'r str>, suite: &Suite<'_>, passing: Proof) -> Proofs<'r> {
    let mut proofs = Proofs::new();
    for id in ids {
        let one = match suite.outcome(id) {
            Some(TestOutcome::Failed | TestOutcome::TimedOut) => Proof::Red,
            Some(TestOutcome::Passed | TestOutcome::Skipped) => passing,
            Some(TestOutcome::DidNotLoad) | None => Proof::Unknown,
        };
        proofs.entry(one).or_default().push(id);
    }
    proofs
}

fn judge(runs: &TestRuns<'_>, sources: &ChangedTests, proofs: &Proofs<'_>) -> CheckResult {
    let (line, site) = (runs.asked.line, runs.site);
    let Some((proof, ids)) = proofs.first_key_value() else {
        return skipped(ID, &format!("`{line}` runs no test that did not pass at the base"));
    };
    let (first, all) = (ids[0], ids.join("`, `"));
    let passes = |why: &str| format!("`{all}` passes although {why}");
    match proof {
        Proof::Red => passed(ID, &format!("`{first}` fails without the code that the run changed")),
        Proof::Unknown => {
            skipped(ID, &format!("`{first}` cannot be loaded without the code that the run changed"))
        }
        Proof::Hollow if !sources.has_new_symbols() => {
            asked(&passes("every function does what it did. What changed for it?"), site)
        }
        Proof::Hollow => unproven(line, &passes("no new function does anything"), site),
        Proof::Green => {
            unproven(line, &format!("without the code that the run changed `{all}` passes as well"), site)
        }
    }
}

fn judge_exit(runs: &TestRuns<'_>, now: &Look, without: &Look, base: &Look) -> CheckResult {
    let (line, site) = (runs.asked.line, runs.site);
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
    let failure = failure(ID, "tests-prove-nothing", summary, &params);
    unless_unchanged(failure, "no test proves the change", site)
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
        let without = results(&[("old", Passed), ("tests/new.py", DidNotLoad)]);
        let ids = ["hollow", "new"];
        assert_eq!(sorted(ids, &Suite::of(&without), Proof::Green), [(Proof::Unknown, ids.to_vec())].into());
        let stubs = results(&[("old", Passed), ("new", Failed), ("hollow", Passed)]);
        let expected = [(Proof::Red, vec!["new"]), (Proof::Hollow, vec!["hollow"])];
        assert_eq!(sorted(ids, &Suite::of(&stubs), Proof::Hollow), expected.into());
    }
}
