//! Code in the tests that the test runner asks what becomes of them, and calls that end it.

use crate::Site;
use crate::changed_file::ChangedFile;
use crate::outcome::at;
use crate::side_by_side;
use model::event::Place;
use source::{SourceFile, is_fixture, is_runner_setting, is_test};

pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    let mut files = ChangedFile::judged(site);
    files.retain(|file| (is_test(file.path()) || is_runner_setting(file.path())) && !is_fixture(file.path()));
    side_by_side::each(&files, of_file).into_iter().flatten().collect()
}

fn of_file(changed: &ChangedFile<'_>) -> Option<Place> {
    let hooks = changed.added_parts(SourceFile::runner_hooks);
    let first = hooks.first()?;
    let shown = first.text.lines().next().unwrap_or_default();
    let what =
        format!("`{shown}` decides what the test runner runs or reports. Does every test still count?");
    Some(at(changed.path(), first.line, what))
}
