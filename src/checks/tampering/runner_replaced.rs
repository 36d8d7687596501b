//! Code that replaces what the test runner does, and files that Python runs before every test.

use crate::Site;
use crate::changed_file::ChangedFile;
use crate::outcome::{at, file};
use crate::side_by_side;
use model::event::Place;
use source::{Language, SourceFile};

/// Python runs them whenever it starts.
const ALWAYS_RUN: [&str; 2] = ["sitecustomize.py", "usercustomize.py"];

pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    side_by_side::each(&ChangedFile::judged(site), of_file).into_iter().flatten().collect()
}

fn of_file(changed: &ChangedFile<'_>) -> Vec<Place> {
    let path = changed.path();
    let name = path.rsplit('/').next().unwrap_or(path);
    let runs_always =
        ALWAYS_RUN.contains(&name) || name.rsplit_once('.').is_some_and(|(_, ending)| ending == "pth");
    if runs_always && changed.change.is_new() {
        return vec![file(path, "Python runs this file before every test, which may change what they say")];
    }
    // The other runners here cannot be replaced from within.
    if Language::of(path) != Some(Language::Python) {
        return Vec::new();
    }
    let patches = changed.added_parts(SourceFile::runner_patches);
    let what = |text: &str| {
        format!("`{}` replaces what the test runner does", text.lines().next().unwrap_or_default())
    };
    patches.iter().map(|patch| at(path, patch.line, what(patch.text))).collect()
}
