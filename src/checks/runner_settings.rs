//! What says which tests run, and what runs around each of them, hides nothing: with the runner's settings of the base the suite
//! says the same as with those of now. A test that only runs there is missed, and so is one that only the new settings make pass.
//! One that passes at the base as well may use a value of a fixture that changed: that is a question to the reviewer. One that
//! cannot be loaded there may need what is newly depended on.

use super::suite::Suite;
use super::test_runs::{Compared, TestRuns};
pub(super) use super::test_trees::RUNNER_SETTINGS as ID;
use super::{CheckResult, Site, gathered, judged, of_answer, question_to_reviewer, skipped};
use process::Stop;
use tool_output::TestOutcome::{Failed, Passed, Skipped};

pub(super) async fn examine(site: &Site<'_>, stop: &mut Stop) -> Compared<CheckResult> {
    let runs = TestRuns::of(site)?;
    let Some(looks) = runs.three(|trees| &trees.old_settings, stop).await? else {
        return Ok(skipped(ID, "the run left the settings of the runner as they were"));
    };
    let found = differences(&looks.each_ref().map(|look| Suite::of(&look.results)));
    let found = runs.without_flaky(found, |one| one.id, |trees| &trees.old_settings, stop).await;
    Ok(judge(found, site))
}

fn judge(mut found: Vec<Difference<'_>>, site: &Site<'_>) -> CheckResult {
    let is_sure = found.iter().any(|difference| !difference.may_be_right);
    found.retain(|difference| difference.may_be_right != is_sure);
    let same = "every test says the same with the runner's settings of the base";
    let problem = "tests say something else with the runner's settings of the base";
    let places = found.iter().map(|Difference { id, what, .. }| of_answer(format!("{id} {what}"))).collect();
    if is_sure {
        return judged(ID, "runner-settings", places, problem, same);
    }
    question_to_reviewer(judged(ID, "runner-settings", gathered(places), problem, same), site)
}

/// A test of the base that says something else with the settings of now.
struct Difference<'r> {
    id: &'r str,
    what: &'static str,
    /// It passes at the base and now, each with its own settings, or it is new.
    may_be_right: bool,
}

/// Returns what the settings of now change: they keep tests from running, or make pass what fails without them. A new test may
/// need a new setting: then it cannot be loaded without it, or the reviewer is asked.
fn differences<'r>([base, before, now]: &[Suite<'r>; 3]) -> Vec<Difference<'r>> {
    let difference = |id: &'r str| {
        let was = base.outcome(id);
        let was_there = was.is_some();
        let (may_be_right, what) = match (before.outcome(id), now.outcome(id)) {
            (Some(Failed), Some(Passed)) if was.is_none() => {
                (true, "is new, and fails by what it asserts without the new settings")
            }
            (Some(Failed), Some(Passed)) if was == Some(Passed) => {
                (true, "passes at the base and now, and fails on the code of now without the new settings")
            }
            (Some(Failed), Some(Passed)) => (false, "fails without the new settings"),
            (Some(Passed | Failed), None) if was_there => (false, "does not run with the new settings"),
            (Some(Passed | Failed), Some(Skipped)) if was_there => {
                (false, "is skipped with the new settings")
            }
            _ => return None,
        };
        Some(Difference { id, what, may_be_right })
    };
    before.ids().filter_map(difference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_output::TestOutcome::{self, DidNotLoad};
    use tool_output::TestResult;

    const BASE: [(&str, TestOutcome); 4] = [("a", Failed), ("b", Passed), ("c", Passed), ("d", Passed)];

    fn told(before: &[(&str, TestOutcome)], now: &[(&str, TestOutcome)]) -> [Vec<String>; 2] {
        let results = |tests: &[(&str, TestOutcome)]| -> Vec<TestResult> {
            tests
                .iter()
                .map(|(id, outcome)| TestResult { id: (*id).into(), outcome: *outcome, millis: None })
                .collect()
        };
        let results = [results(&BASE), results(before), results(now)];
        let found = differences(&results.each_ref().map(|results| Suite::of(results)));
        let told = |may_be_right: bool| {
            let told = found.iter().filter(|difference| difference.may_be_right == may_be_right);
            told.map(|difference| format!("{} {}", difference.id, difference.what)).collect()
        };
        [told(false), told(true)]
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
        assert_eq!(told(&before, &now), [expected.map(str::to_owned).to_vec(), vec![]]);
    }

    #[test]
    fn a_test_that_needs_what_is_newly_depended_on_is_honest() {
        let nothing: [Vec<String>; 2] = [vec![], vec![]];
        let now = [("a", Passed), ("b", Failed), ("new", Passed)];
        assert_eq!(told(&[("a", DidNotLoad), ("b", Failed)], &now), nothing);
        let left_out = [("new", Passed), ("other", Failed)];
        assert_eq!(
            told(&left_out, &[("new", Skipped)]),
            nothing,
            "it is the change of the run that skips it"
        );
        let [missed, asked] = told(&[("new", Failed)], &[("new", Passed)]);
        assert_eq!((missed.len(), asked.len()), (0, 1), "a new test may need a new setting");
    }

    #[test]
    fn a_test_that_passes_with_the_settings_of_its_own_version_is_asked_about() {
        let [missed, asked] = told(&[("b", Failed), ("c", Passed)], &[("b", Passed), ("c", Passed)]);
        assert_eq!((missed.len(), asked.len()), (0, 1));
        assert!(asked[0].starts_with("b passes at the base and now"));
    }
}
