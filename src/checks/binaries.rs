//! Files that nobody can review: new programs and archives of any size, other binary files above a size, and source that
//! became binary.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;

use regex::bytes;

use super::{Change, Patterns, Place, Site, any_of, file, is_code};
use model::change::{FileContent, FileMode, FileVersion};
use source::is_fixture;

/// What is no picture may have so many bytes.
const LARGEST: u64 = 64 * 1024;
/// Pictures and fonts may have so many.
const LARGEST_PICTURE: u64 = 2 * 1024 * 1024;

pattern!(PICTURE, &format!(r"(?i)\.(?:{})$", any_of("binaries", "pictures")));
pattern!(PROGRAM, &format!(r"(?i)\.(?:{})$", any_of("binaries", "programs")));
static BEGINNING: LazyLock<bytes::Regex> = LazyLock::new(|| {
    bytes::Regex::new(&format!("(?s-u)^(?:{})", any_of("binaries", "beginnings"))).expect("a good pattern")
});

pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    let allowed = Patterns::exact(&site.settings.allowed);
    let binaries = site.changes.iter().filter(|change| !allowed.hold(&change.path));
    binaries.filter_map(|change| Some(file(&change.path, what(site.worktree, change)?))).collect()
}

/// Says what is wrong with a change that brought a binary file.
fn what(worktree: &Path, change: &Change) -> Option<String> {
    let is_binary = |version: &&FileVersion| version.content.text().is_none();
    let after = change.after.as_ref().filter(is_binary)?;
    let is_plain = matches!(after.mode, FileMode::File | FileMode::Executable);
    if !is_plain || change.before.as_ref().is_some_and(|before| is_binary(&before)) {
        return None;
    }
    let (path, size, is_sample) = (&change.path, after.content.size(), is_fixture(&change.path));
    // A NUL makes a file binary, and whatever it says is passed over.
    if is_code(path) && matches!(after.content, FileContent::Binary(_)) && !is_sample {
        return Some("is called source and holds bytes that hide it from the other checks".to_owned());
    }
    let is_program = PROGRAM.is_match(path) || begins_like_a_program(&worktree.join(path));
    if is_program && !(is_sample && size <= LARGEST) {
        return Some(format!("is a program or an archive of {size} bytes"));
    }
    let largest = if PICTURE.is_match(path) { LARGEST_PICTURE } else { LARGEST };
    (size > largest).then(|| format!("is binary and has {size} bytes"))
}

fn begins_like_a_program(path: &Path) -> bool {
    let mut beginning = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read(&mut beginning)).unwrap_or(0);
    BEGINNING.is_match(&beginning[..read])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge_places;
    use crate::scene::Scene;
    use model::change::FileVersion;
    use model::event::{CheckResult, CheckStatus};

    fn examine(site: &Site<'_>) -> CheckResult {
        judge_places("binaries", places(site))
    }

    fn binary(path: &str, size: u64) -> Change {
        let bytes = vec![0; size.try_into().expect("a size")];
        Change::new(
            path,
            None,
            Some(FileVersion { mode: FileMode::File, content: FileContent::Binary(bytes) }),
        )
    }

    fn judge(change: Change) -> CheckStatus {
        examine(&Scene::of([change]).site()).status
    }

    #[test]
    fn new_programs_archives_and_large_binaries_are_flagged() {
        for (path, size) in [
            ("helper", 65_537),
            ("bin/tool.exe", 10),
            ("lib.tar.gz", 10),
            ("a/b.so", 10),
            ("logo.png", 3_000_000),
            ("tests/fixtures/x.zip", 70_000),
        ] {
            assert_eq!(judge(binary(path, size)), CheckStatus::Fail, "{path}");
        }
    }

    #[test]
    fn source_with_a_nul_is_flagged_and_a_sample_or_what_had_one_before_is_not() {
        for path in ["src/a.rs", "a.py", "web/a.ts", "scripts/a.sh"] {
            assert_eq!(judge(binary(path, 10)), CheckStatus::Fail, "{path}");
        }
        for path in ["tests/fixtures/nul.py", "testdata/a.go", "notes", "a.snap"] {
            assert_eq!(judge(binary(path, 10)), CheckStatus::Pass, "{path}");
        }
        let before = FileVersion { mode: FileMode::File, content: FileContent::Binary(b"a\0".to_vec()) };
        let after = FileVersion { mode: FileMode::File, content: FileContent::Binary(b"b\0".to_vec()) };
        assert_eq!(judge(Change::new("a.js", Some(before), Some(after))), CheckStatus::Pass);
    }

    #[test]
    fn a_program_is_known_by_how_it_begins() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("tool"), b"\x7fELF\0\0").expect("a file");
        let mut made = Scene::of([binary("tool", 6)]);
        assert_eq!(examine(&made.site()).status, CheckStatus::Pass);
        made.worktree = folder.path().to_owned();
        assert_eq!(examine(&made.site()).status, CheckStatus::Fail);
    }

    #[test]
    fn pictures_small_samples_and_what_was_binary_before_are_fine() {
        for (path, size) in
            [("docs/assets/logo.png", 300_000), ("data.dat", 1000), ("tests/fixtures/x.zip", 900)]
        {
            assert_eq!(judge(binary(path, size)), CheckStatus::Pass, "{path}");
        }
        let old = FileVersion { mode: FileMode::File, content: FileContent::Binary(vec![0; 5]) };
        let new = FileVersion { mode: FileMode::File, content: FileContent::Binary(vec![0; 500_000]) };
        assert_eq!(judge(Change::new("data.db", Some(old), Some(new))), CheckStatus::Pass);
    }
}
