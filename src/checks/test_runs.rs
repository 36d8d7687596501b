//! The runs of the tests: at the base of the run and now, the old tests on the new code, the new tests on the old code, and what
//! is there now with the runner's settings of the base, or with functions that do what they did while new ones do nothing. Each is
//! made in the clean worktree, once a tree. Judges nothing.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use super::command::{self, Asked, End, Look};
use super::suite::Suite;
use super::test_trees::{MixedTrees, TestTrees};
use super::{ChangedTests, CheckResult, CheckStatus, Published, Site, result, skipped};
use git::Tree;
use process::Stop;

/// Why a comparison of tests cannot be made.
pub(super) enum NotCompared {
    /// There is nothing to compare.
    Skipped(String),
    Unavailable(String),
}

/// What comes of a comparison of tests.
pub(super) type Compared<T> = Result<T, NotCompared>;

impl NotCompared {
    /// Returns it as the result of a check.
    pub(super) fn result(&self, id: &str) -> CheckResult {
        match self {
            Self::Skipped(why) => skipped(id, why),
            Self::Unavailable(why) => result(id, CheckStatus::Unavailable, why),
        }
    }
}

/// The test command of a run, ready to be run on each tree.
pub(super) struct TestRuns<'a> {
    pub(super) asked: Asked<'a>,
    pub(super) site: &'a Site<'a>,
    pub(super) published: &'a Published<'a>,
}

impl<'a> TestRuns<'a> {
    /// There are none where there is no test command, or nothing that will be published.
    pub(super) fn of(site: &'a Site<'a>) -> Compared<Self> {
        let skipped = |why: &str| NotCompared::Skipped(why.to_owned());
        let no_command = || skipped("no `[commands] test` is set or detected");
        let asked = command::asked("tests", "test", site).ok_or_else(no_command)?;
        let in_place = || skipped("only in a clean worktree are tests compared with those of the base");
        let published = site.published.ok_or_else(in_place)?;
        Ok(Self { asked, site, published })
    }

    /// Returns the tests of what the run changed.
    pub(super) fn sources(&self) -> Compared<&'a ChangedTests> {
        let tests = ChangedTests::of_run(self.site, self.published);
        tests.map_err(|error| NotCompared::Unavailable(error.to_owned()))
    }

    /// Returns what the tests say about what will be published.
    pub(super) async fn now(&self, stop: &mut Stop) -> Compared<Look> {
        compared(self.look(&self.published.tree, stop).await)
    }

    /// Returns what the tests say about the base of the run.
    pub(super) async fn base(&self, stop: &mut Stop) -> Compared<Look> {
        compared(self.look_at_base(stop).await)
    }

    /// Returns the same, also where they could not be run there.
    pub(super) async fn look_at_base(&self, stop: &mut Stop) -> Look {
        self.look(&self.published.base.as_tree(), stop).await
    }

    /// Returns what the tests say about one of the trees that mix what is there now with the base; nothing where there is none.
    pub(super) async fn mixed(&self, trees: fn(&TestTrees) -> &MixedTrees, stop: &mut Stop) -> Option<Look> {
        let mut said = None;
        for tree in trees(self.published.test_trees) {
            let look = self.look(tree, stop).await;
            if !look.results.is_empty() {
                return Some(look);
            }
            said.get_or_insert(look);
        }
        said
    }

    /// Returns what the tests say at the base, on one of these trees and now, where there is such a tree.
    pub(super) async fn three(
        &self,
        trees: fn(&TestTrees) -> &MixedTrees,
        stop: &mut Stop,
    ) -> Compared<Option<[Look; 3]>> {
        let Some(mixed) = self.mixed(trees, stop).await else { return Ok(None) };
        let looks = [self.base(stop).await?, compared(mixed)?, self.now(stop).await?];
        if looks[1..].iter().any(|look| look.results.is_empty()) {
            let line = self.asked.line;
            return Err(NotCompared::Skipped(format!("`{line}` does not name each test")));
        }
        Ok(Some(looks))
    }

    /// Returns what one of the mixed trees told of tests, without those that end in another way when it is run once more.
    pub(super) async fn without_flaky<T>(
        &self,
        mut found: Vec<T>,
        id: impl Fn(&T) -> &str,
        trees: fn(&TestTrees) -> &MixedTrees,
        stop: &mut Stop,
    ) -> Vec<T> {
        if found.is_empty() {
            return found;
        }
        for tree in trees(self.published.test_trees) {
            if !self.look(tree, stop).await.results.is_empty() {
                let flaky = self.differing(tree, stop).await;
                found.retain(|one| !flaky.contains(id(one)));
                break;
            }
        }
        found
    }

    /// Returns the tests that end in another way when what will be published is run once more: they say nothing.
    pub(super) async fn flaky(&self, stop: &mut Stop) -> BTreeSet<String> {
        self.differing(&self.published.tree, stop).await
    }

    /// Returns the tests that end in another way when a tree is run once more. Nothing where that could not be run.
    pub(super) async fn differing(&self, tree: &Tree, stop: &mut Stop) -> BTreeSet<String> {
        let (memory, first) = (self.published.memory, self.look(tree, stop).await);
        let key = format!("{} (again)", self.asked.line);
        let again = memory.once(&key, tree, self.run_in_time_left(tree, stop)).await;
        if again.results.is_empty() {
            return BTreeSet::new();
        }
        Suite::of(&first.results).differing(&Suite::of(&again.results))
    }

    /// Runs the tests on a tree, unless that is known. What would be published is run whatever time the comparisons have left.
    async fn look(&self, tree: &Tree, stop: &mut Stop) -> Look {
        let (memory, line) = (self.published.memory, self.asked.line);
        if *tree == self.published.tree {
            return memory.once(line, tree, command::look(self.asked, Some(tree), self.site, stop)).await;
        }
        memory.once(line, tree, self.run_in_time_left(tree, stop)).await
    }

    /// Runs the tests on a tree in the time that the comparisons of this round have left. A run that is cut off says nothing.
    async fn run_in_time_left(&self, tree: &Tree, stop: &mut Stop) -> Look {
        if let Some(exhausted) = self.exhausted() {
            return Look::unavailable(exhausted);
        }
        let seconds = self.millis_left().map_or(u64::MAX, |left| left.div_ceil(1000));
        let asked = Asked { seconds: seconds.min(self.asked.seconds), ..self.asked };
        let look = command::look(asked, Some(tree), self.site, stop).await;
        self.spend(look.millis);
        unless_cut_off(look, self.exhausted())
    }

    /// Says that the comparisons of this round have taken all their time.
    pub(super) fn exhausted(&self) -> Option<String> {
        let minutes = self.site.settings.evidence_minutes;
        let limit = format!("the {minutes} minutes of `[checks] evidence_minutes`");
        (self.millis_left() == Some(0)).then(|| format!("the comparisons of tests have taken {limit}"))
    }

    /// Returns how long the comparisons of this round may still take; nothing where there is no limit.
    fn millis_left(&self) -> Option<u64> {
        let spent = self.site.read.compared_millis.load(Ordering::Relaxed);
        millis_left(self.site.settings.evidence_minutes, spent)
    }

    /// Counts what a comparison took.
    pub(super) fn spend(&self, millis: u64) {
        self.site.read.compared_millis.fetch_add(millis, Ordering::Relaxed);
    }
}

/// Returns what is left of some minutes, in milliseconds; nothing where there is no limit.
fn millis_left(minutes: u64, spent: u64) -> Option<u64> {
    if minutes == 0 { None } else { Some((minutes * 60_000).saturating_sub(spent)) }
}

/// Returns what a run said; nothing where it did not end before the time for comparisons was over.
fn unless_cut_off(look: Look, exhausted: Option<String>) -> Look {
    match (&look.end, exhausted) {
        (End::Broken(_), Some(exhausted)) => Look::unavailable(exhausted),
        _ => look,
    }
}

/// Returns a look that can be compared: the tests could be run.
pub(super) fn compared(look: Look) -> Compared<Look> {
    if let End::Unavailable(why) = &look.end {
        return Err(NotCompared::Unavailable(format!("the tests could not be compared: {why}")));
    }
    Ok(look)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_comparisons_took_is_no_longer_left() {
        let of_ten_minutes = |spent| millis_left(10, spent);
        assert_eq!(of_ten_minutes(0), Some(600_000));
        assert_eq!(of_ten_minutes(599_500), Some(500));
        assert_eq!(of_ten_minutes(600_000), Some(0));
        assert_eq!(of_ten_minutes(700_000), Some(0));
        assert_eq!(millis_left(0, 700_000), None, "there is no limit");
    }

    #[test]
    fn a_run_that_is_cut_off_says_nothing() {
        let hung =
            || Look { end: End::Broken("did not end in time".into()), ..Look::unavailable(String::new()) };
        let why = || Some("the time is over".to_owned());
        assert_eq!(unless_cut_off(hung(), why()).end, End::Unavailable("the time is over".into()));
        assert_eq!(unless_cut_off(hung(), None), hung(), "it hangs by itself");
        let red = Look { end: End::Red("exit code 1".into()), ..hung() };
        assert_eq!(unless_cut_off(red.clone(), why()), red, "it ended before");
    }
}
