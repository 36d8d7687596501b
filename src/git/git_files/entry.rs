//! One of git's own files as it was found. Files are kept whole; of what is no file, or is too large, only which one it is.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::pinned_config::list_deliberate_settings;

/// A larger file is not kept.
const LARGEST: u64 = 1 << 20;

/// What is at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Entry {
    File {
        mode: u32,
        bytes: Vec<u8>,
    },
    Link(PathBuf),
    Folder {
        device: u64,
        inode: u64,
    },
    /// Too large to be kept, or no file, with what the system says about it.
    Other {
        device: u64,
        inode: u64,
        size: u64,
        changed: (i64, i64),
    },
}

impl Entry {
    /// Reads what is at a place; a link is not followed.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let found = fs::symlink_metadata(path).ok()?;
        if found.is_symlink() {
            return Some(Self::Link(fs::read_link(path).unwrap_or_default()));
        }
        if found.is_dir() {
            return Some(Self::Folder { device: found.dev(), inode: found.ino() });
        }
        if !found.is_file() || found.len() > LARGEST {
            return Some(Self::identify(&found));
        }
        let bytes = fs::read(path).ok();
        Some(bytes.map_or_else(
            || Self::identify(&found),
            |bytes| Self::File { mode: found.mode() & 0o7777, bytes },
        ))
    }

    /// Says which file is at a place, without reading it.
    pub(super) fn read_identity(path: &Path) -> Option<Self> {
        fs::symlink_metadata(path).ok().map(|found| Self::identify(&found))
    }

    fn identify(found: &Metadata) -> Self {
        let changed = (found.ctime(), found.ctime_nsec());
        Self::Other { device: found.dev(), inode: found.ino(), size: found.size(), changed }
    }

    pub(super) fn is_folder(&self) -> bool {
        matches!(self, Self::Folder { .. })
    }

    /// Tells whether it is what is at a place now. Reads no more than it has itself.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        let size = fs::symlink_metadata(path).map(|found| found.len());
        match self {
            Self::File { bytes, .. } if size.is_ok_and(|size| size != bytes.len() as u64) => false,
            _ => Self::read(path).as_ref() == Some(self),
        }
    }

    /// Writes it to its place, where nothing is. What was not kept stays away.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        match self {
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

/// Tells whether two files of settings are the same but for what git and editors write by themselves.
pub(super) fn are_same_settings(one: Option<&Entry>, other: Option<&Entry>) -> bool {
    let text = |entry: Option<&Entry>| match entry {
        Some(Entry::File { bytes, .. }) => Some(list_deliberate_settings(&String::from_utf8_lossy(bytes))),
        None => Some(String::new()),
        Some(Entry::Link(_) | Entry::Folder { .. } | Entry::Other { .. }) => None,
    };
    one == other || matches!((text(one), text(other)), (Some(one), Some(other)) if one == other)
}

/// Returns when a place was changed last, by the time that no program can set; of what is gone, when its folder was.
pub(super) fn changed_at(path: &Path) -> Option<SystemTime> {
    let found = path.ancestors().find_map(|place| fs::symlink_metadata(place).ok())?;
    let seconds = Duration::from_secs(found.ctime().try_into().ok()?);
    let rest = Duration::from_nanos(found.ctime_nsec().try_into().ok()?);
    SystemTime::UNIX_EPOCH.checked_add(seconds + rest)
}
