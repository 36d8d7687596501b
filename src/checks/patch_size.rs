//! How much one phase changed, against `[checks] max_files` and `max_kilobytes`. A limit of 0 is none, and none is set by
//! default: the size is told.

use super::{Change, CheckResult, Site, failure, passed};
use model::change::{FileContent, FileVersion};

pub(super) const ID: &str = "patch_size";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let deleted = site.project_changes().filter(|change| change.is_deleted());
    let mut gone: Vec<&FileVersion> = deleted.filter_map(|change| change.before.as_ref()).collect();
    let (mut files, mut bytes) = (0, 0);
    for change in site.project_changes().filter(|change| !change.is_deleted()) {
        files += 1;
        // What only moved counts once and adds nothing.
        match gone.iter().position(|before| is_moved(before, change)) {
            Some(moved) => _ = gone.swap_remove(moved),
            None => bytes += added_bytes(change),
        }
    }
    let files = files + gone.len() as u64;
    let kilobytes = u64::div_ceil(bytes, 1024);
    let seen = format!("{files} files changed and {kilobytes} kilobytes added");
    let limits =
        [(files, site.settings.max_files, "files"), (kilobytes, site.settings.max_kilobytes, "kilobytes")];
    if limits.iter().all(|(seen, most, _)| *most == 0 || seen <= most) {
        return passed(ID, &seen);
    }
    let set = limits.iter().filter(|(_, most, _)| *most > 0).map(|(_, most, unit)| format!("{most} {unit}"));
    let set = format!("at most {} are allowed", set.collect::<Vec<_>>().join(" and "));
    let params = [("files", &*files.to_string()), ("kilobytes", &*kilobytes.to_string()), ("limits", &*set)];
    failure(ID, "patch-too-large", &format!("{seen}; {set}"), &params)
}

fn is_moved(before: &FileVersion, change: &Change) -> bool {
    // Of a content that was not read only the size is known.
    let is_read = !matches!(before.content, FileContent::TooLong(_));
    is_read && change.is_new() && change.after.as_ref().is_some_and(|after| after.content == before.content)
}

fn added_bytes(change: &Change) -> u64 {
    let Some(after) = &change.after else { return 0 };
    if after.text().is_some() {
        return change.added_lines().map(|(_, line)| line.len() as u64 + 1).sum();
    }
    let before = change.before.as_ref().map_or(0, |before| before.content.size());
    after.content.size().saturating_sub(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use model::change::FileMode;
    use model::event::CheckStatus;

    fn files(number: usize, text: &str) -> Vec<Change> {
        (0..number).map(|n| Change::of_texts(&format!("src/{n}.rs"), None, Some(text))).collect()
    }

    #[test]
    fn a_patch_above_its_limits_is_refused_with_both_figures() {
        let limited = |changes: Vec<Change>| {
            let mut scene = Scene::of(changes);
            (scene.settings.max_files, scene.settings.max_kilobytes) = (100, 4096);
            examine(&scene.site())
        };
        let many = limited(files(101, "a\n"));
        assert_eq!(many.status, CheckStatus::Fail);
        assert_eq!(
            many.summary,
            "101 files changed and 1 kilobytes added; at most 100 files and 4096 kilobytes are allowed"
        );
        let large = limited(files(1, &"x".repeat(4097 * 1024)));
        assert_eq!((large.status, large.param("kilobytes")), (CheckStatus::Fail, Some("4098")));
        let unread = FileVersion { mode: FileMode::File, content: FileContent::TooLong(5 * 1024 * 1024) };
        let unread = Change::new("data.bin", None, Some(unread));
        assert_eq!(limited(vec![unread]).status, CheckStatus::Fail);
    }

    #[test]
    fn what_was_there_already_and_what_goes_is_free() {
        let old = "y\n".repeat(1_000_000);
        let changed = Change::of_texts("a.txt", Some(&old), Some(&format!("{old}z\n")));
        let gone = Change::of_texts("b.txt", Some(&old), None);
        let result = examine(&Scene::of([changed, gone]).site());
        assert_eq!(
            (result.status, result.summary.as_str()),
            (CheckStatus::Pass, "2 files changed and 1 kilobytes added")
        );
        let moved = (0..60).flat_map(|n| {
            let text = format!("{n}{}", "x".repeat(100_000));
            let gone = Change::of_texts(&format!("old/{n}.rs"), Some(&text), None);
            [gone, Change::of_texts(&format!("new/{n}.rs"), None, Some(&text))]
        });
        let moved = examine(&Scene::of(moved.collect::<Vec<_>>()).site());
        assert_eq!(moved.summary, "60 files changed and 0 kilobytes added");
    }

    #[test]
    fn without_a_limit_the_size_is_told() {
        let large = examine(&Scene::of(files(101, &"x".repeat(100 * 1024))).site());
        assert_eq!(large.status, CheckStatus::Pass);
        assert_eq!(large.summary, "101 files changed and 10101 kilobytes added");
    }
}
