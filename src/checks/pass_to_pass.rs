//! A test that passed at the base of the run is there and passes now (`PASS_TO_PASS`, as SWE-bench calls it): under its own id, or
//! as the same test elsewhere. Where tests changed, those of the base are run on the new code as well: a test that fails there,
//! although its new version passes, expects something else now.

use super::command::{Look, lost_tests};
use super::outcome::{judged, of_answer};
use super::suite::{Losses, LostTest, Suite};
use super::test_runs::TestRuns;
use super::{Site, skipped};
use model::event::{CheckResult, Place};
use process::Stop;
use tool_output::TestOutcome;

pub(super) const ID: &str = "pass_to_pass";
pub(super) const EXPECTATIONS: &str = "changed_expectations";

/// Looks for tests of the base that do not pass any more.
pub(super) async fn examine(site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let runs = match TestRuns::of(site) {
        Ok(runs) => runs,
        Err(why) => return skipped(ID, why),
    };
    let (now, base) = (runs.now(stop).await, runs.base(stop).await);
    if let Some(why) = unnamed(&runs, &now, &base) {
        return skipped(ID, &why);
    }
    let before = Suite::of(&base.results);
    let losses = before.losses(&Suite::of(&now.results));
    let places = if is_excused(&losses, site) { Vec::new() } else { places(&losses) };
    let kept = format!("every test that passed at the base is there and passes ({})", before.passing_tests());
    judged(ID, "lost-tests", places, "tests that passed at the base do not pass any more", &kept)
}

/// Says why the tests cannot be compared one by one.
fn unnamed(runs: &TestRuns<'_>, now: &Look, base: &Look) -> Option<String> {
    let line = runs.asked.line;
    match (base.results.is_empty(), now.results.is_empty()) {
        (true, _) => Some(format!("`{line}` does not name each test at the base of the run")),
        (false, true) => Some(format!("`{line}` does not name each test")),
        (false, false) => None,
    }
}

/// Tells whether the issue asks for tests to go, or the author names each of them with a reason, which the reviewer is asked about.
fn is_excused(losses: &Losses<'_>, site: &Site<'_>) -> bool {
    let lost = losses.gone.len() as u64;
    losses.not_passing.is_empty() && (lost_tests::are_wanted(site) || lost_tests::named(site) >= lost)
}

/// Returns the tests that nothing explains: those that are skipped, and those that are gone where fewer came than went. Where
/// as many came, a test may have a new name.
fn places(losses: &Losses<'_>) -> Vec<Place> {
    let gone = if losses.gone.len() > losses.new { losses.gone.as_slice() } else { &[] };
    losses.not_passing.iter().chain(gone).map(place).collect()
}

fn place(lost: &LostTest<'_>) -> Place {
    let now = match lost.now {
        None | Some(TestOutcome::Passed) => "is gone",
        Some(TestOutcome::Skipped) => "is skipped now",
        Some(TestOutcome::Failed) => "fails now",
        Some(TestOutcome::TimedOut) => "does not end in time now",
        Some(TestOutcome::DidNotLoad) => "cannot be loaded now",
    };
    of_answer(format!("{} {now}", lost.id))
}

/// Looks for tests that expect something else now: in their version of the base they fail on the new code.
pub(super) async fn examine_expectations(site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let runs = match TestRuns::of(site) {
        Ok(runs) => runs,
        Err(why) => return skipped(EXPECTATIONS, why),
    };
    match changed_expectations(&runs, stop).await {
        Ok(places) => judged(
            EXPECTATIONS,
            "changed-expectations",
            places,
            "tests expect something else now",
            "no test expects something else",
        ),
        Err(why) => skipped(EXPECTATIONS, &why),
    }
}

/// Returns the tests, or why they cannot be told.
async fn changed_expectations(runs: &TestRuns<'_>, stop: &mut Stop) -> Result<Vec<Place>, String> {
    let old_tests = runs.old_tests_on_new_code(stop).await.ok_or("the run left the tests as they were")?;
    let now = runs.now(stop).await;
    if let Some(why) = unnamed(runs, &now, &old_tests) {
        return Err(why);
    }
    let (old_tests, now) = (Suite::of(&old_tests.results), Suite::of(&now.results));
    let is_changed = |id: &&str| {
        old_tests.outcome(id) == Some(TestOutcome::Failed) && now.outcome(id) == Some(TestOutcome::Passed)
    };
    let what = "fails on the new code in its version of the base, and passes in its new version";
    Ok(old_tests.ids().filter(is_changed).map(|id| of_answer(format!("{id} {what}"))).collect())
}
