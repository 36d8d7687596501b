//! Files that are views of the log: replaced as a whole by rename, so that a reader sees the old one or the new one.
//! Not synced: a view that a power cut loses is built again from the log.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::seal::{is_sealed, parse_strictly};
use super::{StoreError, failed};
use model::redact::Masked;

/// A view longer than this was not written by us.
pub const LONGEST_VIEW: u64 = 16 * 1024 * 1024;

/// What a sealed view on disk is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Not there, or lost by a power cut: to be built again.
    Missing,
    /// As the engine wrote it after this entry; an older one is built again.
    Good { seq: u64 },
    /// Edited by hand: refused.
    Edited,
}

/// Replaces a file as a whole.
pub fn write_atomically(path: &Path, text: &Masked) -> Result<(), StoreError> {
    replace(path, text.as_str().as_bytes())
}

/// Judges the bytes of a sealed view.
pub fn check_view(bytes: &[u8]) -> View {
    let blank = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    if bytes.iter().all(blank) {
        return View::Missing;
    }
    let document = parse_strictly(bytes).filter(is_sealed);
    let seq = document.as_ref().and_then(|document| document.pointer("/engine/seq")?.as_u64());
    seq.map_or(View::Edited, |seq| View::Good { seq })
}

/// Judges a sealed view on disk.
pub fn check_file(path: &Path) -> Result<View, StoreError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(View::Missing),
        other => other.map_err(failed("open", path))?,
    };
    let mut bytes = Vec::new();
    file.take(LONGEST_VIEW + 1).read_to_end(&mut bytes).map_err(failed("read", path))?;
    Ok(if bytes.len() as u64 > LONGEST_VIEW { View::Edited } else { check_view(&bytes) })
}

/// Replaces a file as a whole, for readers; a power cut may lose it.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    put(path, bytes, |_| Ok(()))
}

/// Replaces a file as a whole and for good, but for its name: that is the folder's to sync.
pub(super) fn replace_durably(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    put(path, bytes, File::sync_data)
}

/// Removes a file, or a link and not what it leads to.
pub(super) fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Writes beside the file and renames. The name beside it is always the same one: what a killed process left
/// there is swept by the next write, and there is one writer, the holder of the lock.
fn put(path: &Path, bytes: &[u8], keep: impl FnOnce(&File) -> io::Result<()>) -> Result<(), StoreError> {
    let beside = beside(path);
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed("sweep", &beside)(error)),
        _ => {}
    }
    // `create_new` follows no link that somebody put there.
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| keep(&file)))
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        // The write failed already; a file that cannot be removed either is swept by the next write.
        let _ = fs::remove_file(&beside);
        failed("write", path)(error)
    })
}

fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::seal::seal;
    use super::*;

    fn sealed() -> String {
        serde_json::to_string_pretty(&seal(json!({"engine": {"seq": 7}, "outcome": "failed"}))).expect("text")
    }

    #[test]
    fn a_view_is_missing_good_or_edited() {
        assert_eq!(check_view(b""), View::Missing);
        assert_eq!(check_view(&[0; 4096]), View::Missing);
        assert_eq!(check_view(sealed().as_bytes()), View::Good { seq: 7 });
        for edited in [
            sealed().replace("failed", "completed"),
            sealed().replace('{', "{\"outcome\": \"failed\","),
            "not JSON".to_owned(),
            "{}".to_owned(),
            seal(json!({"engine": {"seq": "7"}})).to_string(),
            "[".repeat(100_000),
        ] {
            assert_eq!(check_view(edited.as_bytes()), View::Edited, "{}", &edited[..edited.len().min(60)]);
        }
    }

    proptest! {
        #[test]
        fn a_view_cut_anywhere_is_never_good(cut in 1..sealed().len()) {
            prop_assert_eq!(check_view(&sealed().as_bytes()[..cut]), View::Edited);
        }
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_leftovers_are_swept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("metadata.json");
        fs::write(beside(&path), "half of an old vi").expect("a leftover");
        write_atomically(&path, &Masked::own("one")).expect("the first");
        write_atomically(&path, &Masked::own("two")).expect("the second");
        assert_eq!(fs::read_to_string(&path).expect("the file"), "two");
        let names: Vec<_> = fs::read_dir(folder.path())
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        assert_eq!(names, ["metadata.json"]);
    }

    #[test]
    fn a_failed_write_leaves_the_old_view_and_nothing_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("metadata.json");
        fs::create_dir(&path).expect("something in the way");
        fs::write(path.join("inside"), "").expect("not empty");
        let error = write_atomically(&path, &Masked::own("one")).expect_err("a folder is in the way");
        assert!(error.to_string().starts_with(&format!("cannot write {}: ", path.display())), "{error}");
        assert!(!beside(&path).exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_beside_the_file_is_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("metadata.json");
        let victim = folder.path().join("victim");
        fs::write(&victim, "untouched").expect("the victim");
        std::os::unix::fs::symlink(&victim, beside(&path)).expect("a link");
        write_atomically(&path, &Masked::own("one")).expect("the write");
        assert_eq!(fs::read_to_string(&victim).expect("the victim"), "untouched");
    }

    #[test]
    fn a_view_on_disk_is_judged_and_a_huge_one_is_not_ours() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("metadata.json");
        assert_eq!(check_file(&path).expect("no file"), View::Missing);
        fs::write(&path, sealed()).expect("a good one");
        assert_eq!(check_file(&path).expect("a good one"), View::Good { seq: 7 });
        File::create(&path).and_then(|file| file.set_len(LONGEST_VIEW + 1)).expect("a huge one");
        assert_eq!(check_file(&path).expect("a huge one"), View::Edited);
        assert!(check_file(folder.path()).is_err());
    }
}
