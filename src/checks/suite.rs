//! What a suite said of all its tests, by their ids, and what became of them in another run. A test that moved has the same
//! name below another file, class or module. Runs nothing and judges nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use serde::Serialize;

use super::Published;
use tool_output::{TestOutcome, TestResult};

/// The outcomes of a suite. Several tests may have one id: those of a loop, or of two files whose runner names none.
#[derive(Debug)]
pub(super) struct Suite<'r> {
    outcomes: BTreeMap<&'r str, Vec<TestOutcome>>,
}

/// A test that passed in one run and does not pass in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LostTest<'r> {
    pub(super) id: &'r str,
    /// How it ended there; nothing where it is not there.
    pub(super) now: Option<TestOutcome>,
}

/// What became of the tests that passed in an earlier run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Losses<'r> {
    /// They are there, and are skipped or fail.
    pub(super) not_passing: Vec<LostTest<'r>>,
    /// They are not there, under no id that tells the same name.
    pub(super) gone: Vec<LostTest<'r>>,
    /// They are there no more; a test of their name passes now in another file, class or group.
    pub(super) moved: Vec<LostTest<'r>>,
    /// The ids under which tests pass now that were not there.
    pub(super) new: Vec<String>,
}

impl<'r> Suite<'r> {
    pub(super) fn of(results: &'r [TestResult]) -> Self {
        let mut outcomes: BTreeMap<&str, Vec<TestOutcome>> = BTreeMap::new();
        for result in results {
            outcomes.entry(result.id.as_str()).or_default().push(result.outcome);
        }
        Self { outcomes }
    }

    /// Returns the worst outcome of the tests of an id; nothing where there is none.
    pub(super) fn outcome(&self, id: &str) -> Option<TestOutcome> {
        self.outcomes.get(id)?.iter().copied().max()
    }

    /// Returns the ids, each once.
    pub(super) fn ids(&self) -> impl Iterator<Item = &'r str> {
        self.outcomes.keys().copied()
    }

    /// Returns how many tests pass under ids that fit.
    pub(super) fn count_passing(&self, fits: impl Fn(&str) -> bool) -> usize {
        self.ids().filter(|id| fits(id)).map(|id| self.passing(id)).sum()
    }

    fn passing(&self, id: &str) -> usize {
        let outcomes = self.outcomes.get(id).into_iter().flatten();
        outcomes.filter(|outcome| **outcome == TestOutcome::Passed).count()
    }

    /// Returns what could not be loaded here, and could be before.
    pub(super) fn not_loaded(&self, before: &Suite<'_>) -> Option<&'r str> {
        let is_broken = |suite: &Suite<'_>, id: &str| suite.outcome(id) == Some(TestOutcome::DidNotLoad);
        self.ids().find(|id| is_broken(self, id) && !is_broken(before, id))
    }

    /// Returns the ids whose tests end in another way in another run.
    pub(super) fn differing(&self, other: &Suite<'_>) -> BTreeSet<String> {
        let ids = self.ids().chain(other.ids());
        let differs = |id: &&str| self.outcomes.get(id) != other.outcomes.get(id);
        ids.filter(differs).map(str::to_owned).collect()
    }

    /// Returns the tests that fail here and that a later run skips or does not have, under no id that tells the same name.
    pub(super) fn failing_and_gone(&self, now: &Suite<'_>) -> impl Iterator<Item = &'r str> {
        let known: BTreeSet<&str> = now.ids().map(name).collect();
        let failing = self.ids().filter(|id| self.outcome(id) == Some(TestOutcome::Failed));
        failing.filter(move |id| !known.contains(name(id)) || now.outcome(id) == Some(TestOutcome::Skipped))
    }

    /// Returns what became of the tests that pass here.
    pub(super) fn losses(&self, now: &Suite<'_>) -> Losses<'r> {
        let mut losses = Losses::default();
        let mut new: Vec<&str> = now.ids().filter(|id| !self.outcomes.contains_key(id)).collect();
        new.retain(|id| now.passing(id) > 0);
        for id in self.ids() {
            let missing = self.passing(id).saturating_sub(now.passing(id));
            let lost =
                LostTest { id, now: now.outcome(id).filter(|outcome| *outcome != TestOutcome::Passed) };
            let list = if lost.now.is_some() { &mut losses.not_passing } else { &mut losses.gone };
            list.extend(std::iter::repeat_n(lost, missing));
        }
        for lost in std::mem::take(&mut losses.gone) {
            match new.iter().position(|id| name(id) == name(lost.id)) {
                Some(at) => {
                    new.swap_remove(at);
                    losses.moved.push(lost);
                }
                None => losses.gone.push(lost),
            }
        }
        losses.new = new.into_iter().map(str::to_owned).collect();
        losses
    }
}

/// Returns the name of a test without its file, class, module or group; the values of a case belong to the name.
pub(super) fn name(id: &str) -> &str {
    let values = id.find(['[', '(', '{']).unwrap_or(id.len());
    let (path, _) = id.split_at(values);
    let begin =
        [" › ", " > ", "::", ".", "/"].iter().filter_map(|mark| Some(path.rfind(mark)? + mark.len())).max();
    &id[begin.unwrap_or(0)..]
}

/// One test and how it ended in each run: nothing where a run does not have it or was not made. Of several tests with one id
/// the worst outcome counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportedTest {
    /// The id that the runner gives it.
    pub id: String,
    /// At the base.
    pub base: Option<TestOutcome>,
    /// In what would be published.
    pub now: Option<TestOutcome>,
    /// In the version of the base, on the code of now.
    pub old_tests_on_new_code: Option<TestOutcome>,
    /// In the version of now, on the code of the base.
    pub new_tests_on_old_code: Option<TestOutcome>,
}

/// Returns what the runs of a test command said that were made so far, in the order of the ids.
pub fn reported_tests(published: &Published<'_>, line: &str) -> Vec<ReportedTest> {
    let (base, trees) = (published.base.as_tree(), published.test_trees);
    let (base, now) = (slice::from_ref(&base), slice::from_ref(&published.tree));
    let looks = [base, now, &trees.old_tests, &trees.new_tests].map(|trees| {
        let mut known = trees.iter().filter_map(|tree| published.memory.known(line, tree));
        known.find(|look| !look.results.is_empty())
    });
    let suites = looks.each_ref().map(|look| look.as_ref().map(|look| Suite::of(&look.results)));
    let ids: BTreeSet<&str> = suites.iter().flatten().flat_map(Suite::ids).collect();
    let reported = |id: &str| {
        let outcomes = suites.each_ref().map(|suite| suite.as_ref()?.outcome(id));
        let [base, now, old_tests_on_new_code, new_tests_on_old_code] = outcomes;
        ReportedTest { id: id.to_owned(), base, now, old_tests_on_new_code, new_tests_on_old_code }
    };
    ids.into_iter().map(reported).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use TestOutcome::{Failed, Passed, Skipped};

    fn results(tests: &[(&str, TestOutcome)]) -> Vec<TestResult> {
        tests
            .iter()
            .map(|(id, outcome)| TestResult { id: (*id).to_owned(), outcome: *outcome, millis: None })
            .collect()
    }

    fn losses(
        base: &[(&str, TestOutcome)],
        now: &[(&str, TestOutcome)],
    ) -> (Vec<String>, Vec<String>, usize) {
        let (base, now) = (results(base), results(now));
        let losses = Suite::of(&base).losses(&Suite::of(&now));
        let ids = |lost: &[LostTest<'_>]| lost.iter().map(|lost| lost.id.to_owned()).collect();
        (ids(&losses.not_passing), ids(&losses.gone), losses.new.len())
    }

    #[test]
    fn what_is_there_and_passes_is_not_lost() {
        let base = [("a::one", Passed), ("a::two", Passed), ("a::off", Skipped)];
        let now = [("a::one", Passed), ("a::two", Passed), ("a::three", Passed)];
        assert_eq!(losses(&base, &now), (vec![], vec![], 1));
    }

    #[test]
    fn a_test_that_moved_to_another_file_class_or_group_is_there() {
        for (before, after) in [
            ("tests.test_core.PageTest.test_rounds_up", "tests.test_pages.PageTest.test_rounds_up"),
            ("pager › pages › rounds up", "rounds up"),
            ("src/a.test.ts › sum > adds", "src/b.test.ts › sum > adds"),
            ("x/a › TestA/sub", "x/b › TestA/sub"),
            ("tests.test_a › test_b[1-2.5]", "tests.test_c.TestX › test_b[1-2.5]"),
        ] {
            assert_eq!(losses(&[(before, Passed)], &[(after, Passed)]), (vec![], vec![], 0), "{before}");
        }
    }

    #[test]
    fn a_test_that_is_skipped_or_gone_is_lost_and_another_does_not_take_its_place() {
        let base = [("a::one", Passed), ("a::two", Passed)];
        let now = [("a::one", Skipped), ("a::other", Passed)];
        assert_eq!(losses(&base, &now), (vec!["a::one".into()], vec!["a::two".into()], 1));
        let twice = [("t › adds", Passed), ("t › adds", Passed)];
        assert_eq!(losses(&twice, &twice[..1]), (vec![], vec!["t › adds".into()], 0));
        assert_eq!(losses(&[("a[1]", Passed), ("a[2]", Passed)], &[("a[1]", Passed)]).1, ["a[2]"]);
    }

    #[test]
    fn a_test_that_failed_and_is_gone_is_told() {
        let base =
            results(&[("a::one", Failed), ("a::two", Failed), ("a::off", Skipped), ("a::b[1]", Failed)]);
        let now = results(&[("b::one", Passed), ("a::two", Failed), ("a::b[2]", Passed)]);
        let gone =
            |now: &[TestResult]| Suite::of(&base).failing_and_gone(&Suite::of(now)).collect::<Vec<_>>();
        assert_eq!(gone(&now), ["a::b[1]"]);
        assert_eq!(gone(&base), [""; 0]);
        let skipped = results(&[("a::one", Skipped), ("a::two", Passed), ("a::b[1]", Failed)]);
        assert_eq!(gone(&skipped), ["a::one"]);
    }

    #[test]
    fn tests_that_end_in_another_way_are_named() {
        let (one, other) = (
            results(&[("a", Passed), ("b", Passed), ("c[0.1]", Passed)]),
            results(&[("a", Passed), ("b", Skipped), ("c[0.2]", Passed)]),
        );
        let differing = Suite::of(&one).differing(&Suite::of(&other));
        assert_eq!(differing.into_iter().collect::<Vec<_>>(), ["b", "c[0.1]", "c[0.2]"]);
    }
}
