//! Where the run of an issue is: a small file under git's common directory, which all worktrees share.
//! Only a pointer: what the run did stands in its log. Not masked, because a changed path would lead nowhere;
//! it stays inside `.git` and holds nothing but a path and a branch.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{StoreError, failed, private};
use model::issue::IssueNumber;

/// Where a run is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pointer {
    pub worktree: PathBuf,
    pub branch: String,
}

/// Returns the private folder of an issue under git's common directory: pointer and lock are in it.
pub fn private_folder(common: &Path, issue: IssueNumber) -> PathBuf {
    private::folder(common, issue)
}

/// Remembers where the run of an issue is.
pub fn write(common: &Path, issue: IssueNumber, pointer: &Pointer) -> Result<(), StoreError> {
    private::write(common, issue, "pointer.json", pointer)
}

/// Returns where the run of an issue is, if there is one.
pub fn read(common: &Path, issue: IssueNumber) -> Result<Option<Pointer>, StoreError> {
    private::read(common, issue, "pointer.json")
}

/// Forgets where the run of an issue is.
pub fn remove(common: &Path, issue: IssueNumber) -> Result<(), StoreError> {
    let path = private_folder(common, issue).join("pointer.json");
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed("remove", &path)(error)),
        _ => Ok(()),
    }
}

/// Returns all runs of a repository by issue number. One pointer that cannot be read hides no other run.
pub fn list(common: &Path) -> Result<Vec<(IssueNumber, Pointer)>, StoreError> {
    let folder = common.join("ai-workflow");
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(failed("list", &folder))?,
    };
    let mut runs = Vec::new();
    for entry in entries {
        let name = entry.map_err(failed("list", &folder))?.file_name();
        let Some(issue) = name.to_str().and_then(|name| name.strip_prefix("issue-")?.parse().ok()) else {
            continue;
        };
        match read(common, issue) {
            Ok(found) => runs.extend(found.map(|pointer| (issue, pointer))),
            Err(error) => tracing::warn!("{error}"),
        }
    }
    runs.sort_by_key(|(issue, _)| *issue);
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issue(number: u64) -> IssueNumber {
        IssueNumber::try_from(number).expect("a number")
    }

    fn pointer(name: &str) -> Pointer {
        Pointer { worktree: PathBuf::from("/somewhere").join(name), branch: name.to_owned() }
    }

    #[test]
    fn a_pointer_is_found_again_and_forgotten() {
        let common = tempfile::tempdir().expect("a folder");
        assert_eq!(read(common.path(), issue(7)).expect("none"), None);
        write(common.path(), issue(7), &pointer("old")).expect("written");
        write(common.path(), issue(7), &pointer("new")).expect("written again");
        assert_eq!(read(common.path(), issue(7)).expect("one"), Some(pointer("new")));
        remove(common.path(), issue(7)).expect("removed");
        remove(common.path(), issue(7)).expect("removed twice");
        assert_eq!(read(common.path(), issue(7)).expect("none"), None);
    }

    #[test]
    fn the_list_is_in_the_order_of_numbers_and_skips_what_is_not_a_run() {
        let common = tempfile::tempdir().expect("a folder");
        assert_eq!(list(common.path()).expect("nothing yet"), []);
        for number in [243, 7, 31] {
            write(common.path(), issue(number), &pointer("x")).expect("written");
        }
        fs::write(private_folder(common.path(), issue(31)).join("pointer.json"), "{").expect("damaged");
        fs::create_dir_all(common.path().join("ai-workflow/issue-x")).expect("something else");
        fs::create_dir_all(private_folder(common.path(), issue(9))).expect("a lock only");
        let expected = [(issue(7), pointer("x")), (issue(243), pointer("x"))];
        assert_eq!(list(common.path()).expect("two runs"), expected);
    }

    #[test]
    fn a_pointer_that_cannot_be_read_names_its_file() {
        let common = tempfile::tempdir().expect("a folder");
        write(common.path(), issue(7), &pointer("x")).expect("written");
        let path = private_folder(common.path(), issue(7)).join("pointer.json");
        fs::write(&path, "").expect("lost by a power cut");
        assert_eq!(read(common.path(), issue(7)).expect("none"), None);
        fs::write(&path, "{\"worktree\": 1}").expect("damaged");
        let error = read(common.path(), issue(7)).expect_err("damaged").to_string();
        assert!(error.starts_with(&format!("{} is damaged at line 1: ", path.display())), "{error}");
    }
}
