//! New tests have to fail without the code they are about: with everything but the tests put back to the base of the run
//! the test command must be red. A test that passes either way proves nothing. Optional: it costs a run of the tests.

use super::command::{self, Asked};
use super::reading::role::{is_fixture, is_test};
use super::{Published, Site, failure, passed, skipped};
use git::{Error, Tree};
use model::event::CheckResult;
use process::Stop;

pub(super) const ID: &str = "red_green";

pub(super) async fn examine(site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let Some(asked) = command::asked(ID, "test", site) else {
        return skipped(ID, "no `[commands] test` is set or detected");
    };
    let Some(published) = site.published else {
        return skipped(ID, "there is no run whose change could be put back");
    };
    match without_code(published) {
        Err(error) => asked.unavailable(&error.to_string()),
        Ok(None) => skipped(ID, "the run did not change both tests and code"),
        Ok(Some(tree)) => judge(Asked { id: "tests", ..asked }, &tree, site, stop).await,
    }
}

/// Returns the tree with the code of the base and the tests of now.
fn without_code(published: &Published<'_>) -> Result<Option<Tree>, Error> {
    let Published { space, tree, base, .. } = published;
    if !space.workspace().changes().present_paths_between(base, tree)?.iter().any(|path| is_of_tests(path)) {
        return Ok(None);
    }
    space.snapshots().reset_paths(tree, base, |path| is_of_tests(path) || path.starts_with(".ai-workflow/"))
}

/// Tells whether a file is a test or something only tests use.
fn is_of_tests(path: &str) -> bool {
    is_test(path) || is_fixture(path)
}

async fn judge(asked: Asked<'_>, tree: &Tree, site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let without = command::look(asked, Some(tree), site, stop).await;
    let base = command::look_at_base(asked, site, stop).await;
    match command::proves(&without, base.as_ref()) {
        Err(why) => Asked { id: ID, ..asked }.unavailable(&why),
        Ok(true) => passed(ID, &format!("`{}` fails without the code that the run changed", asked.line)),
        Ok(false) => {
            let summary = format!("`{}` says the same without the code that the run changed", asked.line);
            failure(
                ID,
                "tests-prove-nothing",
                &summary,
                &[("command", asked.line), ("code", "red_green_failed")],
            )
        }
    }
}
