//! Reads from an index file in which folders the files of a worktree are, because a git process for each list would cost more.
//! Knows versions 2 to 4 of `gitformat-index(5)`; an index that is split or sparse does not hold every path and is not read.

use std::collections::BTreeSet;

/// The size of the header: signature, version and number of entries.
const HEADER: usize = 12;
/// The size of what the system said about a file.
const STAT: usize = 40;
/// Extensions of an index that does not hold every path.
const INCOMPLETE: [&[u8]; 2] = [b"link", b"sdir"];

/// Returns the folders above the paths of an index, whose ids have so many bytes; nothing where it cannot be read.
pub(crate) fn read_folders(index: &[u8], id_bytes: usize) -> Option<BTreeSet<String>> {
    let header = index.strip_prefix(b"DIRC")?;
    let (version, count) = (read_number(header, 0)?, read_number(header, 4)?);
    let (mut at, mut path, mut folders) = (HEADER, Vec::new(), BTreeSet::new());
    for _ in 0..count {
        at = read_entry(index, at, version, id_bytes, &mut path)?;
        add_folders(&path, &mut folders);
    }
    let end = index.len().checked_sub(id_bytes)?;
    while at < end {
        if INCOMPLETE.contains(&index.get(at..at + 4)?) {
            return None;
        }
        at = at.checked_add(8)?.checked_add(read_number(index, at + 4)?)?;
    }
    Some(folders)
}

/// Reads the path of an entry and returns where the next one begins. Version 4 writes only in what a path differs from the
/// one before.
fn read_entry(index: &[u8], at: usize, version: usize, id_bytes: usize, path: &mut Vec<u8>) -> Option<usize> {
    let flags = at + STAT + id_bytes;
    let is_extended = index.get(flags)? & 0x40 != 0;
    let mut name = flags + if is_extended { 4 } else { 2 };
    if version == 4 {
        let (cut, after) = read_offset(index, name)?;
        path.truncate(path.len().checked_sub(cut)?);
        name = after;
    } else {
        path.clear();
    }
    let length = index.get(name..)?.iter().position(|byte| *byte == 0)?;
    path.extend_from_slice(&index[name..name + length]);
    match version {
        2 | 3 => Some(at + ((name + length - at + 8) & !7)),
        4 => Some(name + length + 1),
        _ => None,
    }
}

/// Reads a number of seven bits a byte, as git writes offsets; returns where it ends.
fn read_offset(index: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *index.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *index.get(at)?;
        value = value.checked_add(1)?.checked_mul(0x80)? + usize::from(byte & 0x7f);
    }
    Some((value, at + 1))
}

fn read_number(bytes: &[u8], at: usize) -> Option<usize> {
    let number = bytes.get(at..at + 4)?.try_into().ok()?;
    usize::try_from(u32::from_be_bytes(number)).ok()
}

fn add_folders(path: &[u8], folders: &mut BTreeSet<String>) {
    let text = String::from_utf8_lossy(path);
    let mut folder = text.as_ref();
    while let Some((above, _)) = folder.rsplit_once('/') {
        if !folders.insert(above.to_owned()) {
            break;
        }
        folder = above;
    }
}
