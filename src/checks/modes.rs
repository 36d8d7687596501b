//! Files that became executable although nothing says how they would be run. A text that begins with `#!` may.

use super::Site;
use super::outcome::{file, judged};
use model::change::{Change, Mode, Version};
use model::event::CheckResult;

pub(super) const ID: &str = "modes";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let places = site.changes.iter().filter(|change| became_executable(change));
    let places = places.map(|change| file(&change.path, "became executable and is no script")).collect();
    judged(ID, "modes-changed", places, "modes were changed", "no mode was changed without need")
}

fn became_executable(change: &Change) -> bool {
    let is_executable = |version: &Version| version.mode == Mode::Executable;
    let now = change.after.as_ref().is_some_and(is_executable);
    let was = change.before.as_ref().is_some_and(is_executable);
    let script = change.new_text().is_some_and(|text| text.starts_with("#!"));
    now && !was && !script
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use model::change::Content;
    use model::event::CheckStatus;

    fn judge(before: Option<Mode>, after: Mode, text: &str) -> CheckStatus {
        let version = |mode| Version { mode, content: Content::Text(text.to_owned()) };
        let change = Change::new("tool", before.map(version), Some(version(after)));
        examine(&Scene::of([change]).site()).status
    }

    #[test]
    fn d06_a_file_that_became_executable_is_flagged_unless_it_is_a_script() {
        assert_eq!(judge(Some(Mode::File), Mode::Executable, "fn main() {}"), CheckStatus::Fail);
        assert_eq!(judge(None, Mode::Executable, "data"), CheckStatus::Fail);
        assert_eq!(judge(None, Mode::Executable, "#!/bin/sh\n"), CheckStatus::Pass);
        assert_eq!(judge(Some(Mode::File), Mode::Executable, "#!/usr/bin/env python3\n"), CheckStatus::Pass);
        assert_eq!(judge(Some(Mode::Executable), Mode::Executable, "old"), CheckStatus::Pass);
        assert_eq!(judge(Some(Mode::Executable), Mode::File, "old"), CheckStatus::Pass);
    }
}
