//! Files that nobody can review: new programs and archives of any size, other binary files above a size, and source that
//! became binary.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::Site;
use super::language_family::is_code;
use super::outcome::{file, judged};
use super::paths::{Patterns, ending};
use model::change::{Change, FileContent, FileMode};
use model::event::CheckResult;
use source::is_fixture;

pub(super) const ID: &str = "binaries";
/// What is no picture may have so many bytes.
const LARGEST: u64 = 64 * 1024;
/// Pictures and fonts may have so many.
const LARGEST_PICTURE: u64 = 2 * 1024 * 1024;

const PICTURES: [&str; 18] = [
    "png", "jpg", "jpeg", "gif", "webp", "avif", "ico", "icns", "bmp", "tiff", "pdf", "woff", "woff2", "ttf",
    "otf", "mp3", "mp4", "webm",
];
const PROGRAMS: [&str; 29] = [
    "exe", "dll", "so", "dylib", "o", "a", "lib", "obj", "class", "jar", "war", "pyc", "node", "bin", "zip",
    "tar", "gz", "tgz", "bz2", "xz", "zst", "7z", "rar", "deb", "rpm", "dmg", "apk", "whl", "iso",
];
pattern!(
    /// How programs and archives begin.
    BEGINNING,
    r"(?s-u)^(?:\x7fELF|MZ|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe|PK\x03\x04|\x1f\x8b|BZh|\xfd7zXZ|7z\xbc\xaf|\x28\xb5\x2f\xfd|Rar!)"
);

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let allowed = Patterns::exact(&site.settings.allowed);
    let binaries = site.changes.iter().filter(|change| !allowed.hold(&change.path));
    let places =
        binaries.filter_map(|change| Some(file(&change.path, what(site.worktree, change)?))).collect();
    judged(ID, "binaries-added", places, "binary files were added", "no binary file was added")
}

/// Says what is wrong with a change that brought a binary file.
fn what(worktree: &Path, change: &Change) -> Option<String> {
    let unread = |content: &FileContent| !matches!(content, FileContent::Text(_));
    let was_binary = change.before.as_ref().is_some_and(|before| unread(&before.content));
    let after =
        change.after.as_ref().filter(|after| matches!(after.mode, FileMode::File | FileMode::Executable))?;
    if was_binary || !unread(&after.content) {
        return None;
    }
    let ending = ending(&change.path).to_lowercase();
    let (size, sample) = (after.content.size(), is_sample(&change.path));
    let picture = PICTURES.contains(&ending.as_str());
    let program = PROGRAMS.contains(&ending.as_str()) || is_program(&worktree.join(&change.path));
    if is_source(&change.path, &after.content) {
        return Some("is called source and holds bytes that hide it from the other checks".to_owned());
    }
    if program && !(sample && size <= LARGEST) {
        return Some(format!("is a program or an archive of {size} bytes"));
    }
    let largest = if picture { LARGEST_PICTURE } else { LARGEST };
    (size > largest).then(|| format!("is binary and has {size} bytes"))
}

/// Tells code that nobody can read: a NUL makes a file binary, and whatever it says is passed over.
fn is_source(path: &str, content: &FileContent) -> bool {
    // A film may be called `.ts`: its packets begin with `G`.
    let film = matches!(content, FileContent::Binary(bytes) if bytes.first() == Some(&b'G') && bytes.get(188) == Some(&b'G'));
    is_code(path) && matches!(content, FileContent::Binary(_)) && !film && !is_fixture(path)
}

/// Tells what tests read: a small archive may be there.
fn is_sample(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "fixtures" | "testdata" | "test-data" | "__fixtures__"))
}

fn is_program(path: &Path) -> bool {
    let mut beginning = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read(&mut beginning)).unwrap_or(0);
    BEGINNING.is_match(&beginning[..read])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use model::change::FileVersion;
    use model::event::CheckStatus;

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
