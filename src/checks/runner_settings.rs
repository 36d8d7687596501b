//! What says which tests run, and what runs around each of them, hides nothing: with the runner's settings of the base the suite
//! says the same as with those of now. A test that only runs there is missed, and so is one that only the new settings make pass.
//! One that passes at the base as well may use a value of a fixture that changed: that is a question to the reviewer. One that
//! cannot be loaded there may need what is newly depended on.

use std::collections::BTreeSet;

use super::outcome::{judged, of_answer, question_to_reviewer};
use super::suite::Suite;
use super::test_runs::{NotCompared, TestRuns, compared, unnamed};
use super::{Site, skipped};
use model::event::{CheckResult, Place};
use process::Stop;
use tool_output::TestOutcome::{Failed, Passed, Skipped};

pub(super) const ID: &str = "runner_settings";

pub(super) async fn examine(site: &Site<'_>, stop: &mut Stop) -> Result<CheckResult, NotCompared> {
    let runs = TestRuns::of(site)?;
    let Some(before) = runs.mixed(|trees| &trees.old_settings, stop).await else {
        return Ok(skipped(ID, "the run left the settings of the runner as they were"));
    };
    let (before, now) = (compared(before)?, runs.now(stop).await?);
    if before.results.is_empty() || now.results.is_empty() {
        return Err(unnamed(runs.asked.line));
    }
    let base = runs.look_at_base(stop).await;
    let [base, before, now] = [&base, &before, &now].map(|look| Suite::of(&look.results));
    let mut differences = Differences::between(&base, &before, &now, &BTreeSet::new());
    if differences != Differences::default() {
        differences = Differences::between(&base, &before, &now, &runs.flaky(stop).await);
    }
    Ok(judge(differences, site))
}

fn judge(Differences { missed, asked }: Differences, site: &Site<'_>) -> CheckResult {
    let same = "every test says the same with the runner's settings of the base";
    let problem = "tests say something else with the runner's settings of the base";
    let result = |places: Vec<Place>| judged(ID, "runner-settings", places, problem, same);
    if missed.is_empty() { question_to_reviewer(result(asked), site) } else { result(missed) }
}

/// The tests of the base that say something else with the settings of now. A new test may need a new setting.
#[derive(Debug, Default, PartialEq, Eq)]
struct Differences {
    /// The new settings keep them from running, or make pass what fails at the base.
    missed: Vec<Place>,
    /// They pass at the base and now, each with its own settings.
    asked: Vec<Place>,
}

impl Differences {
    fn between(base: &Suite<'_>, before: &Suite<'_>, now: &Suite<'_>, flaky: &BTreeSet<String>) -> Self {
        let mut differences = Self::default();
        for id in before.ids().filter(|id| !flaky.contains(*id)) {
            let Some(at_base) = base.outcome(id) else { continue };
            let (missed, asked) = (&mut differences.missed, &mut differences.asked);
            let (list, what) = match (before.outcome(id), now.outcome(id)) {
                (Some(Failed), Some(Passed)) if at_base == Passed => (
                    asked,
                    "passes at the base and now, and fails on the code of now without the new settings",
                ),
                (Some(Failed), Some(Passed)) => (missed, "fails without the new settings"),
                (Some(Passed | Failed), None) => (missed, "does not run with the new settings"),
                (Some(Passed | Failed), Some(Skipped)) => (missed, "is skipped with the new settings"),
                _ => continue,
            };
            list.push(of_answer(format!("{id} {what}")));
        }
        differences
    }
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
        let (base, before, now) = (results(&BASE), results(before), results(now));
        let (base, before, now) = (Suite::of(&base), Suite::of(&before), Suite::of(&now));
        let Differences { missed, asked } = Differences::between(&base, &before, &now, &BTreeSet::new());
        [missed, asked].map(|places| places.into_iter().map(|place| place.what).collect())
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
        assert_eq!(
            told(&[("new", Failed)], &[("new", Passed)]),
            nothing,
            "a new test may need a new setting"
        );
    }

    #[test]
    fn a_test_that_passes_with_the_settings_of_its_own_version_is_asked_about() {
        let [missed, asked] = told(&[("b", Failed), ("c", Passed)], &[("b", Passed), ("c", Passed)]);
        assert_eq!((missed.len(), asked.len()), (0, 1));
        assert!(asked[0].starts_with("b passes at the base and now"));
    }
}
