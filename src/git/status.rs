//! Reads `git status --porcelain=v2 -z`. Knows the format and nothing of what the entries mean for a run. Caches that git
//! does not know are passed over like those that it ignores.

use super::caches::is_cache;
use super::call::Call;
use super::names::{CommitId, Head};
use super::{Error, Result, Workspace};

/// The mode of what is not there.
pub(super) const NOTHING: &str = "000000";

/// What git says about the worktree.
#[derive(Debug)]
pub(super) struct Status {
    pub(super) head: Head,
    pub(super) entries: Vec<Entry>,
    /// What git ignores, where it was asked for that: files, and folders with a `/` at their end.
    pub(super) ignored: Vec<String>,
    /// Names that are not UTF-8, escaped for people.
    pub(super) unreadable: Vec<String>,
}

/// One path that is not the same everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) kind: Kind,
}

impl Entry {
    /// Tells whether it is a cache that somebody staged and no commit holds.
    pub(super) fn is_staged_cache(&self) -> bool {
        match &self.kind {
            Kind::Tracked { in_head, .. } => in_head.mode == NOTHING && is_cache(&self.path),
            Kind::Untracked | Kind::Unmerged | Kind::Submodule => false,
        }
    }
}

/// How a path differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Untracked,
    Unmerged,
    Submodule,
    /// Letters as git writes them: index against HEAD, worktree against index. Mode and blob are the index's.
    Tracked {
        index: u8,
        worktree: u8,
        mode: String,
        blob: String,
        in_head: InHead,
    },
}

/// What HEAD has at a path; mode `000000` where it has nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InHead {
    pub(super) mode: String,
    pub(super) id: String,
}

/// Returns the call that asks for the status.
pub(super) fn call() -> Call {
    Call::new([
        "status",
        "--porcelain=v2",
        "--branch",
        "--no-ahead-behind",
        "-z",
        "--untracked-files=all",
        "--no-renames",
    ])
}

impl Workspace {
    /// Asks git and reads the answer.
    pub(super) fn status(&self, call: &Call) -> Result<Status> {
        let output = self.git(call)?;
        parse(&output.stdout).map_err(|why| match why {
            Unread::Foreign => output.unexpected(call),
            Unread::Unborn => Error::NoCommits { root: self.root.clone() },
        })
    }
}

/// Why there is no status.
#[derive(Debug, PartialEq, Eq)]
enum Unread {
    Foreign,
    /// The branch has no commits.
    Unborn,
}

fn parse(answer: &[u8]) -> std::result::Result<Status, Unread> {
    let (mut commit, mut branch) = (None, None);
    let (mut entries, mut ignored, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
    for record in answer.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
        let Ok(record) = std::str::from_utf8(record) else {
            if record.starts_with(b"! ") {
                continue;
            }
            unreadable.push(escaped_path(record));
            continue;
        };
        match record.split_once(' ').ok_or(Unread::Foreign)? {
            ("#", "branch.oid (initial)") => return Err(Unread::Unborn),
            ("#", "branch.head (detached)") => {}
            ("#", header) => match header.split_once(' ').ok_or(Unread::Foreign)? {
                ("branch.oid", id) => commit = CommitId::try_from(id).ok(),
                ("branch.head", name) => branch = Some(name.to_owned()),
                _ => {}
            },
            ("!", path) => ignored.push(path.to_owned()),
            (letter, rest) => {
                let entry = entry(letter, rest).ok_or(Unread::Foreign)?;
                if entry.kind != Kind::Untracked || !is_cache(&entry.path) {
                    entries.push(entry);
                }
            }
        }
    }
    let commit = commit.ok_or(Unread::Foreign)?;
    Ok(Status { head: Head { commit, branch }, entries, ignored, unreadable })
}

fn entry(letter: &str, rest: &str) -> Option<Entry> {
    let (path, kind) = match letter {
        "?" => (rest, Kind::Untracked),
        // XY sub m1 m2 m3 mW h1 h2 h3 path
        "u" => (rest.splitn(10, ' ').nth(9)?, Kind::Unmerged),
        // XY sub mH mI mW hH hI path
        "1" => {
            let fields: Vec<&str> = rest.splitn(8, ' ').collect();
            let &[letters, submodule, old, mode, _, id, blob, path] = fields.as_slice() else { return None };
            let &[index, worktree] = letters.as_bytes() else { return None };
            let in_head = InHead { mode: old.into(), id: id.into() };
            let kind = Kind::Tracked { index, worktree, mode: mode.into(), blob: blob.into(), in_head };
            (path, if submodule.starts_with('S') { Kind::Submodule } else { kind })
        }
        _ => return None,
    };
    Some(Entry { path: path.to_owned(), kind })
}

/// Nobody can misread an escaped name, and no terminal obeys it.
fn escaped_path(record: &[u8]) -> String {
    let fields = match record.first() {
        Some(b'?') => 2,
        Some(b'u') => 11,
        _ => 9,
    };
    let path = record.splitn(fields, |byte| *byte == b' ').last().unwrap_or_default();
    path.escape_ascii().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    fn parsed(records: &[&str]) -> std::result::Result<Status, Unread> {
        let text = records.iter().fold(String::new(), |text, record| text + record + "\0");
        parse(text.as_bytes())
    }

    #[test]
    fn every_kind_of_entry_is_read() {
        let oid = format!("# branch.oid {ID}");
        let unmerged = format!("u UU N... 1 2 3 4 {ID} {ID} {ID} a b");
        let tracked = format!("1 .M N... 100644 100644 100644 {ID} {ID} a \n\"b");
        let submodule = format!("1 .M SC.. 160000 160000 160000 {ID} {ID} sub");
        let status = parsed(&[
            &oid,
            "# branch.head main",
            "# branch.upstream origin/main",
            &tracked,
            &submodule,
            &unmerged,
            "? -x",
            "! target/",
        ]);
        let status = status.expect("it is readable");
        assert_eq!(status.head.commit.as_str(), ID);
        assert_eq!(status.head.branch.as_deref(), Some("main"));
        let in_head = InHead { mode: "100644".into(), id: ID.into() };
        let (mode, blob) = ("100644".into(), ID.into());
        let kind = Kind::Tracked { index: b'.', worktree: b'M', mode, blob, in_head };
        assert_eq!(status.ignored, ["target/"]);
        assert_eq!(
            status.entries,
            [
                Entry { path: "a \n\"b".into(), kind },
                Entry { path: "sub".into(), kind: Kind::Submodule },
                Entry { path: "a b".into(), kind: Kind::Unmerged },
                Entry { path: "-x".into(), kind: Kind::Untracked },
            ]
        );
    }

    #[test]
    fn a_foreign_format_is_not_guessed_at() {
        let oid = format!("# branch.oid {ID}");
        for foreign in ["M  a", "1 .M N... x", "x y", "1 . N... 1 2 3 4 5 6", "nothing"] {
            assert_eq!(parsed(&[&oid, foreign]).err(), Some(Unread::Foreign), "{foreign}");
        }
        assert_eq!(parsed(&["# branch.head main"]).err(), Some(Unread::Foreign));
        assert_eq!(parsed(&["# branch.oid (initial)"]).err(), Some(Unread::Unborn));
    }

    #[test]
    fn names_that_are_not_utf8_are_escaped() {
        let mut bytes = format!("# branch.oid {ID}\0# branch.head (detached)\0").into_bytes();
        bytes.extend_from_slice(b"? a b\xff\0");
        bytes.extend_from_slice(format!("1 .M N... 1 2 3 {ID} {ID} c ").as_bytes());
        bytes.extend_from_slice(b"\xfe\0! d \xfe\0");
        let status = parse(&bytes).expect("it is readable");
        assert_eq!(status.unreadable, ["a b\\xff", "c \\xfe"]);
        assert_eq!(status.head.branch, None);
    }
}
