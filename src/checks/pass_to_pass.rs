//! A test that passed at the base of the run is there and passes now (`PASS_TO_PASS`, as SWE-bench calls it): under its own id, or
//! as the same test under another name, as its source says. Where tests changed, those of the base are run on the new code as
//! well: a test that fails there, although its new version passes, expects something else now, which is a question to the reviewer.

use super::changed_tests::{ChangedTests, Fate};
use super::command::{Look, lost_tests};
use super::outcome::{asking, judged, of_answer};
use super::suite::{Losses, LostTest, Suite};
use super::test_runs::TestRuns;
use super::{Site, result, skipped};
use model::event::{CheckResult, CheckStatus, Place};
use model::issue::Issue;
use process::Stop;
use source::Test;
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
    let sources = match ChangedTests::of(site, runs.published) {
        Ok(sources) => sources,
        Err(error) => return result(ID, CheckStatus::Unavailable, error),
    };
    let (before, after) = (Suite::of(&base.results), Suite::of(&now.results));
    let losses = before.losses(&after);
    let places =
        if is_excused(&losses, site) { Vec::new() } else { places(&losses, &before, &after, sources) };
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
    losses.not_passing.is_empty() && (lost == 0 || lost_tests::are_wanted(site))
}

/// Returns the tests that nothing explains: those that are skipped, and those that are gone. A test that has another name or
/// place now is there, as its source says. Where no source says anything, as many new tests as are gone may be the same.
fn places(losses: &Losses<'_>, before: &Suite<'_>, after: &Suite<'_>, sources: &ChangedTests) -> Vec<Place> {
    let (mut unknown, mut gone) = (Vec::new(), Vec::new());
    for lost in &losses.gone {
        match sources.fate(lost.id) {
            Fate::Kept(old, new) if runs_as_often(old, &new, before, after) => {}
            // Whether what it is about may go is for the reviewer to say.
            Fate::LostWith(_) => {}
            Fate::Kept(..) | Fate::Lost => gone.push(lost),
            Fate::Unknown => unknown.push(lost),
        }
    }
    if unknown.len() + gone.len() > losses.new.len() {
        gone.append(&mut unknown);
    }
    losses.not_passing.iter().chain(gone).map(place).collect()
}

/// Tells whether an issue names a symbol, as a word of its own.
fn names(issue: &Issue, symbol: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    [&issue.title, &issue.body].iter().any(|text| text.split(|c| !is_of_name(c)).any(|word| word == symbol))
}

/// Tells whether a test passes in as many cases as before, whatever it is called.
fn runs_as_often(old: &Test, new: &[&Test], before: &Suite<'_>, after: &Suite<'_>) -> bool {
    let were = before.count_passing(|id| old.is_reported_as(id));
    after.count_passing(|id| new.iter().any(|test| test.is_reported_as(id))) >= were
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

/// Looks for tests that expect something else now: in their version of the base they fail on the new code, or they went with
/// what they are about.
pub(super) async fn examine_expectations(site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let runs = match TestRuns::of(site) {
        Ok(runs) => runs,
        Err(why) => return skipped(EXPECTATIONS, why),
    };
    let Some(old_tests) = runs.old_tests_on_new_code(stop).await else {
        return skipped(EXPECTATIONS, "the run left the tests as they were");
    };
    let (now, base) = (runs.now(stop).await, runs.base(stop).await);
    if let Some(why) = unnamed(&runs, &now, &old_tests) {
        return skipped(EXPECTATIONS, &why);
    }
    let sources = match ChangedTests::of(site, runs.published) {
        Ok(sources) => sources,
        Err(error) => return result(EXPECTATIONS, CheckStatus::Unavailable, error),
    };
    let (old_tests, now) = (Suite::of(&old_tests.results), Suite::of(&now.results));
    let mut places = changed_expectations(&old_tests, &now);
    places.extend(lost_with_symbols(&Suite::of(&base.results), &now, sources, site.issue));
    asking(judged(
        EXPECTATIONS,
        "changed-expectations",
        places,
        "tests expect something else now",
        "no test expects something else",
    ))
}

fn changed_expectations(old_tests: &Suite<'_>, now: &Suite<'_>) -> Vec<Place> {
    let is_changed = |id: &&str| {
        old_tests.outcome(id) == Some(TestOutcome::Failed) && now.outcome(id) == Some(TestOutcome::Passed)
    };
    let what = "fails on the new code in its version of the base, and passes in its new version";
    old_tests.ids().filter(is_changed).map(|id| of_answer(format!("{id} {what}"))).collect()
}

/// Returns the tests that went with a symbol that the issue does not name.
fn lost_with_symbols(base: &Suite<'_>, now: &Suite<'_>, sources: &ChangedTests, issue: &Issue) -> Vec<Place> {
    let told = |lost: &LostTest<'_>| match sources.fate(lost.id) {
        Fate::LostWith(symbol) if !names(issue, symbol) => {
            Some(of_answer(format!("{} is gone with `{symbol}`, which the issue does not name", lost.id)))
        }
        _ => None,
    };
    base.losses(now).gone.iter().filter_map(told).collect()
}
