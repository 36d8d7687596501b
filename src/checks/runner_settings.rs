//! What says which tests run, and what runs around each of them, hides nothing: with the runner's settings of the base the suite
//! says the same as with those of now. A test that fails there by what it asserts, or that only runs there, is told. One that
//! cannot be loaded there may need what is newly depended on.

use super::outcome::{judged, of_answer};
use super::suite::Suite;
use super::test_runs::TestRuns;
use super::{Site, skipped};
use model::event::{CheckResult, Place};
use process::Stop;
use tool_output::TestOutcome;

pub(super) const ID: &str = "runner_settings";

pub(super) async fn examine(site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let runs = match TestRuns::of(site) {
        Ok(runs) => runs,
        Err(why) => return skipped(ID, why),
    };
    let Some(before) = runs.old_settings(stop).await else {
        return skipped(ID, "the run left the settings of the runner as they were");
    };
    let now = runs.now(stop).await;
    if before.results.is_empty() || now.results.is_empty() {
        return skipped(ID, &format!("`{}` does not name each test", runs.asked.line));
    }
    let base = runs.base(stop).await;
    let (base, before, now) = (Suite::of(&base.results), Suite::of(&before.results), Suite::of(&now.results));
    let places = differences(&base, &before, &now);
    let same = "every test says the same with the runner's settings of the base";
    judged(
        ID,
        "runner-settings",
        places,
        "tests say something else with the runner's settings of the base",
        same,
    )
}

/// Returns the tests of the base that the settings of now make pass, or keep from running. A new test may need a new setting.
fn differences(base: &Suite<'_>, before: &Suite<'_>, now: &Suite<'_>) -> Vec<Place> {
    let difference = |id: &str| match (before.outcome(id)?, now.outcome(id)) {
        (TestOutcome::Failed, Some(TestOutcome::Passed)) => {
            Some(format!("{id} fails without the new settings"))
        }
        (TestOutcome::Passed | TestOutcome::Failed, None) => {
            Some(format!("{id} does not run with the new settings"))
        }
        (TestOutcome::Passed | TestOutcome::Failed, Some(TestOutcome::Skipped)) => {
            Some(format!("{id} is skipped with the new settings"))
        }
        _ => None,
    };
    let of_base = before.ids().filter(|id| base.outcome(id).is_some());
    of_base.filter_map(difference).map(of_answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_output::TestOutcome::{DidNotLoad, Failed, Passed, Skipped};
    use tool_output::TestResult;

    const BASE: [(&str, TestOutcome); 4] = [("a", Failed), ("b", Passed), ("c", Passed), ("d", Passed)];

    fn told(before: &[(&str, TestOutcome)], now: &[(&str, TestOutcome)]) -> Vec<String> {
        let results = |tests: &[(&str, TestOutcome)]| -> Vec<TestResult> {
            tests
                .iter()
                .map(|(id, outcome)| TestResult { id: (*id).into(), outcome: *outcome, millis: None })
                .collect()
        };
        let (base, before, now) = (results(&BASE), results(before), results(now));
        let (base, before, now) = (Suite::of(&base), Suite::of(&before), Suite::of(&now));
        differences(&base, &before, &now).into_iter().map(|place| place.what).collect()
    }

    #[test]
    fn tests_that_only_the_new_settings_make_pass_or_leave_out_are_told() {
        let before = [("a", Failed), ("b", Passed), ("c", Failed), ("d", Passed)];
        let now = [("a", Passed), ("c", Skipped), ("d", Passed)];
        let expected = [
            "a fails without the new settings",
            "b does not run with the new settings",
            "c is skipped with the new settings",
        ];
        assert_eq!(told(&before, &now), expected);
    }

    #[test]
    fn a_test_that_needs_what_is_newly_depended_on_is_honest() {
        assert!(
            told(&[("a", DidNotLoad), ("b", Failed)], &[("a", Passed), ("b", Failed), ("new", Passed)])
                .is_empty()
        );
        assert!(told(&[("new", Failed)], &[("new", Passed)]).is_empty(), "a new test may need a new setting");
    }
}
