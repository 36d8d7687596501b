//! Files that became executable although nothing says how they would be run. A text that begins with `#!` may.

use super::Site;
use super::outcome::{file, judged};
use model::change::{Change, FileMode, FileVersion};
use model::event::CheckResult;

pub(super) const ID: &str = "modes";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let places = site.changes.iter().filter(|change| became_executable(change));
    let places = places.map(|change| file(&change.path, "became executable and is no script")).collect();
    judged(ID, "modes-changed", places, "modes were changed", "no mode was changed without need")
}

fn became_executable(change: &Change) -> bool {
    let is_executable = |version: &FileVersion| version.mode == FileMode::Executable;
    let now = change.after.as_ref().is_some_and(is_executable);
    let was = change.before.as_ref().is_some_and(is_executable);
    let script = change.new_text().is_some_and(|text| text.starts_with("#!"));
    now && !was && !script
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use model::change::FileContent;
    use model::event::CheckStatus;

    fn judge(before: Option<FileMode>, after: FileMode, text: &str) -> CheckStatus {
        let version = |mode| FileVersion { mode, content: FileContent::Text(text.to_owned()) };
        let change = Change::new("tool", before.map(version), Some(version(after)));
        examine(&Scene::of([change]).site()).status
    }

    #[test]
    fn a_file_that_became_executable_is_flagged_unless_it_is_a_script() {
        assert_eq!(judge(Some(FileMode::File), FileMode::Executable, "fn main() {}"), CheckStatus::Fail);
        assert_eq!(judge(None, FileMode::Executable, "data"), CheckStatus::Fail);
        assert_eq!(judge(None, FileMode::Executable, "#!/bin/sh\n"), CheckStatus::Pass);
        assert_eq!(
            judge(Some(FileMode::File), FileMode::Executable, "#!/usr/bin/env python3\n"),
            CheckStatus::Pass
        );
        assert_eq!(judge(Some(FileMode::Executable), FileMode::Executable, "old"), CheckStatus::Pass);
        assert_eq!(judge(Some(FileMode::Executable), FileMode::File, "old"), CheckStatus::Pass);
    }
}
