//! Failing tests that are nobody's fault: they are announced before the phase that writes tests, or end in another way when the same
//! files are run once more.

use super::announced::Announced;
use super::command::{End, Look};
use super::suite::name;
use super::test_runs::TestRuns;
use super::{CheckResult, CheckStatus, Site};
use process::Stop;
use tool_output::TestOutcome;
use views::summary::counted;

/// Returns the result of the tests as it counts: not charged where each test that fails, and did not at the base, is nobody's fault.
pub(super) async fn uncharged(result: CheckResult, site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let is_charged = result.check == "tests" && result.status == CheckStatus::Fail;
    if !is_charged || site.phase.properties.judges_tests {
        return result;
    }
    let Some(why) = reason(site, stop).await else { return result };
    let summary = format!("{}; not charged: {why}", result.summary);
    let mut result = CheckResult { status: CheckStatus::FailedBefore, summary, pattern: None, ..result };
    result.params.remove("code");
    result.places.clear();
    result
}

async fn reason(site: &Site<'_>, stop: &mut Stop) -> Option<String> {
    let runs = TestRuns::of(site).ok()?;
    let (now, base) = (runs.now(stop).await.ok()?, runs.look_at_base(stop).await);
    let failing: Vec<&str> =
        now.failures.keys().filter(|key| !base.failures.contains_key(*key)).map(String::as_str).collect();
    if failing.is_empty() || now.results.is_empty() || !matches!(now.end, End::Red(_)) {
        return None;
    }
    let announced = Announced::of_later_tests(site);
    let is_announced =
        |key: &str| announced.entry(bare_name(key)).is_some() && ends(&now, key, TestOutcome::Failed);
    let others: Vec<&str> = failing.iter().copied().filter(|key| !is_announced(key)).collect();
    if others.is_empty() {
        let count = counted(failing.len() as u64, "test");
        return Some(format!("the author announced that {count} will expect something else"));
    }
    // Only tests that the base knows are worth another run of the suite: `pass_to_pass` asks for the same.
    let passed = |key: &&str| ends(&base, key, TestOutcome::Passed);
    if !others.iter().all(passed) {
        return None;
    }
    let flaky = runs.flaky(stop).await;
    let is_flaky = |key: &&str| flaky.iter().any(|id| bare_name(id) == bare_name(key));
    let names = others.join(", ");
    others.iter().all(is_flaky).then(|| format!("two runs of the same files end differently: {names}"))
}

/// Tells whether a test of this name ends so.
fn ends(look: &Look, key: &str, outcome: TestOutcome) -> bool {
    let mut named = look.results.iter().filter(|test| bare_name(&test.id) == bare_name(key));
    named.any(|test| test.outcome == outcome)
}

/// Returns the name of a test alone; unittest puts its place behind it, in brackets.
fn bare_name(id: &str) -> &str {
    name(id.split_once(" (").map_or(id, |(name, _)| name))
}
