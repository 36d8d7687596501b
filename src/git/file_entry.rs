//! One of git's own files as it was found. Files are kept whole, large ones as a copy beside the state; of what is no file, only
//! which one it is.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::pinned_config::list_deliberate_settings;
use crate::regular_file;

/// A larger file is copied.
const LARGEST: u64 = 1 << 20;

/// The file of a run in which the state before a call is kept while the call lasts.
pub(crate) const REFERENCE: &str = "git-files";

/// What is at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Entry {
    File {
        mode: u32,
        bytes: Vec<u8>,
    },
    /// A large file; its copy has the name of its digest.
    Large {
        mode: u32,
        size: u64,
        sha256: String,
    },
    Link(PathBuf),
    Folder {
        device: u64,
        inode: u64,
    },
    /// No file, or one that cannot be read, with what the system says about it.
    Other {
        device: u64,
        inode: u64,
        size: u64,
        changed: (i64, i64),
    },
}

impl Entry {
    /// Reads what is at a place; a link is not followed.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let found = fs::symlink_metadata(path).ok()?;
        if found.is_symlink() {
            return Some(Self::Link(fs::read_link(path).unwrap_or_default()));
        }
        if found.is_dir() {
            return Some(Self::Folder { device: found.dev(), inode: found.ino() });
        }
        if !found.is_file() {
            return Some(Self::identify(&found));
        }
        Some(Self::read_file(path, &found).unwrap_or_else(|_| Self::identify(&found)))
    }

    fn read_file(path: &Path, found: &Metadata) -> io::Result<Self> {
        let (mode, size) = (found.mode() & 0o7777, found.len());
        if size > LARGEST {
            return Ok(Self::Large { mode, size, sha256: digest_of(path)? });
        }
        Ok(Self::File { mode, bytes: fs::read(path)? })
    }

    /// Copies a large file to a folder, from which it can be written again.
    pub(crate) fn copy_large(&self, path: &Path, copies: &Path) -> io::Result<()> {
        let Self::Large { sha256, .. } = self else { return Ok(()) };
        fs::create_dir_all(copies)?;
        fs::copy(path, copies.join(sha256)).map(drop)
    }

    /// Reads what is at a place, but no large file.
    pub(crate) fn read_small(path: &Path) -> Option<Self> {
        let is_large = fs::symlink_metadata(path).is_ok_and(|found| found.len() > LARGEST);
        if is_large { Self::read_identity(path) } else { Self::read(path) }
    }

    /// Says which file is at a place, without reading it.
    pub(crate) fn read_identity(path: &Path) -> Option<Self> {
        fs::symlink_metadata(path).ok().map(|found| Self::identify(&found))
    }

    fn identify(found: &Metadata) -> Self {
        let changed = (found.ctime(), found.ctime_nsec());
        Self::Other { device: found.dev(), inode: found.ino(), size: found.size(), changed }
    }

    pub(crate) fn is_folder(&self) -> bool {
        matches!(self, Self::Folder { .. })
    }

    /// Tells whether it is what is at a place now. Reads no more than it has itself.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        let size = fs::symlink_metadata(path).map_or(0, |found| found.len());
        match self {
            Self::File { bytes, .. } if size != bytes.len() as u64 => false,
            Self::Large { size: was, .. } if size != *was => false,
            _ => Self::read(path).as_ref() == Some(self),
        }
    }

    /// Writes it to its place, where nothing is. What was not kept stays away.
    pub(crate) fn write(&self, path: &Path, copies: &Path) -> io::Result<()> {
        match self {
            Self::Large { mode, sha256, .. } => {
                let copy = copies.join(sha256);
                if digest_of(&copy)? != *sha256 {
                    let changed = format!("its copy {} was changed", copy.display());
                    return Err(io::Error::new(ErrorKind::InvalidData, changed));
                }
                path.parent().map_or(Ok(()), fs::create_dir_all)?;
                fs::copy(&copy, path)?;
                fs::set_permissions(path, Permissions::from_mode(*mode))
            }
            Self::File { mode, bytes } => {
                path.parent().map_or(Ok(()), fs::create_dir_all)?;
                fs::write(path, bytes)?;
                fs::set_permissions(path, Permissions::from_mode(*mode))
            }
            Self::Link(to) => symlink(to, path),
            Self::Folder { .. } | Self::Other { .. } => Ok(()),
        }
    }
}

/// Returns the SHA-256 digest of a file, in hexadecimal digits.
fn digest_of(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    loop {
        let read = file.fill_buf()?;
        if read.is_empty() {
            break;
        }
        hasher.update(read);
        let length = read.len();
        file.consume(length);
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Tells whether two files of settings are the same but for what git and editors write by themselves.
pub(crate) fn are_same_settings(one: Option<&Entry>, other: Option<&Entry>) -> bool {
    let text = |entry: Option<&Entry>| match entry {
        Some(Entry::File { bytes, .. }) => Some(list_deliberate_settings(&String::from_utf8_lossy(bytes))),
        None => Some(String::new()),
        Some(Entry::Large { .. } | Entry::Link(_) | Entry::Folder { .. } | Entry::Other { .. }) => None,
    };
    one == other || matches!((text(one), text(other)), (Some(one), Some(other)) if one == other)
}

/// Returns when a place was changed last, by the time that no program can set; of what is gone, when its folder was.
pub(crate) fn changed_at(path: &Path) -> Option<SystemTime> {
    let found = path.ancestors().find_map(|place| fs::symlink_metadata(place).ok())?;
    let seconds = Duration::from_secs(found.ctime().try_into().ok()?);
    let rest = Duration::from_nanos(found.ctime_nsec().try_into().ok()?);
    SystemTime::UNIX_EPOCH.checked_add(seconds + rest)
}

/// Returns what a file held before the call of a killed process, by the state that was kept.
pub(crate) fn read_kept(reference: &Path, path: &Path) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    struct Kept {
        entries: BTreeMap<PathBuf, Entry>,
        #[serde(default)]
        references: BTreeMap<PathBuf, Option<Entry>>,
    }
    let mut kept: Kept = serde_json::from_slice(&regular_file::read(reference).ok()?).ok()?;
    let entry = kept.entries.remove(path).or_else(|| kept.references.remove(path)?)?;
    if let Entry::File { bytes, .. } = entry { Some(bytes) } else { None }
}
