//! The four runs of the tests: at the base of the run and now, the old tests on the new code and the new tests on the old code.
//! Each is made in the clean worktree, once a tree. Which file is a test is said by `reading::role`; judges nothing.

use super::command::{self, Asked, Look};
use super::reading::role::{is_fixture, is_runner_setting, is_test};
use super::{Published, Site};
use git::{Error, Tree};
use process::Stop;

/// The test command of a run, ready to be run on four trees.
pub(super) struct TestRuns<'a> {
    pub(super) asked: Asked<'a>,
    site: &'a Site<'a>,
    published: &'a Published<'a>,
}

impl<'a> TestRuns<'a> {
    /// Returns why there are none where there is no test command, or nothing that will be published.
    pub(super) fn of(site: &'a Site<'a>) -> Result<Self, &'static str> {
        let asked = command::asked("tests", "test", site).ok_or("no `[commands] test` is set or detected")?;
        let published = site.published.ok_or("there is no run whose change could be put back")?;
        Ok(Self { asked, site, published })
    }

    /// Returns what the tests say about what will be published.
    pub(super) async fn now(&self, stop: &mut Stop) -> Look {
        self.look(&self.published.tree, stop).await
    }

    /// Returns what the tests say about the base of the run.
    pub(super) async fn base(&self, stop: &mut Stop) -> Look {
        self.look(&self.published.base.as_tree(), stop).await
    }

    /// Returns what the tests of the base say about the code of now; nothing where the run left all tests as they were.
    pub(super) async fn old_tests_on_new_code(&self, stop: &mut Stop) -> Result<Option<Look>, Error> {
        let Some(tree) = self.reset(|path| !is_of_tests(path))? else { return Ok(None) };
        Ok(Some(self.look(&tree, stop).await))
    }

    /// Returns what the tests of now say about the code of the base; nothing where the run did not change both.
    pub(super) async fn new_tests_on_old_code(&self, stop: &mut Stop) -> Result<Option<Look>, Error> {
        let Published { space, tree, base, .. } = self.published;
        let changed = space.workspace().changes().present_paths_between(base, tree)?;
        if !changed.iter().any(|path| is_of_tests(path)) {
            return Ok(None);
        }
        let is_kept = |path: &str| is_of_tests(path) || is_runner_setting(path) || is_ours(path);
        let Some(tree) = self.reset(is_kept)? else { return Ok(None) };
        Ok(Some(self.look(&tree, stop).await))
    }

    fn reset(&self, is_kept: impl Fn(&str) -> bool) -> Result<Option<Tree>, Error> {
        let Published { space, tree, base, .. } = self.published;
        space.snapshots().reset_paths(tree, base, is_kept)
    }

    async fn look(&self, tree: &Tree, stop: &mut Stop) -> Look {
        command::look_once(self.asked, tree, self.published, self.site, stop).await
    }
}

/// Tells whether a file is a test or something only tests use.
fn is_of_tests(path: &str) -> bool {
    is_test(path) || is_fixture(path)
}

fn is_ours(path: &str) -> bool {
    path.starts_with(".ai-workflow/")
}
