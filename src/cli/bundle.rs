//! What the process that works hands to the one that publishes: the run's branch in a file, and in another one what it was
//! about and how it ended. Written here and read here; whoever reads it believes nothing of it.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::door::Door;
use super::failure::{Failure, Kind, LOST};
use super::find::look;
use forge::github::Event;
use git::CommitId;
use model::event::branch_of;
use model::issue::IssueNumber;
use model::redact::Masker;
use views::summary::quoted;

/// The format of the file that tells what is handed over.
const FORMAT: u32 = 1;
const TOLD: &str = "result.json";
const BRANCH: &str = "run.bundle";
/// The largest file that tells, in bytes, and the longest reason in it, in characters.
const LARGEST_TOLD: u64 = 16 << 10;
const LONGEST_WHY: usize = 300;
/// The largest file with a branch, in bytes.
const LARGEST_BRANCH: u64 = 100 << 20;

/// Which event was worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Asked {
    /// A label, by the number of who put it on.
    Label { by: u64 },
    /// A comment, by its own number.
    Comment { id: u64 },
    /// A start by hand or by a job, by the number of whoever started it.
    Dispatch { by: u64 },
}

/// How the work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ending {
    /// The run came to a halt, or waits for its publication.
    Ran,
    /// Nothing was to be done.
    Skipped,
    /// Something stood in the way; the run may have come some way.
    Failed,
}

/// What is told of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Told {
    pub(super) format: u32,
    pub(super) issue: IssueNumber,
    pub(super) asked: Asked,
    pub(super) ending: Ending,
    /// The exit code that the work alone would have had.
    pub(super) exit_code: u8,
    /// A word that stays, or nothing.
    pub(super) code: String,
    pub(super) why: String,
    /// The commit that the branch stands on; nothing when there is none to hand over.
    pub(super) head: Option<String>,
}

impl Asked {
    /// Returns which event it is; nothing for one that is about no run.
    pub(super) fn of(event: &Event) -> Option<Self> {
        match event {
            Event::Labeled(event) => Some(Self::Label { by: event.sender.id }),
            Event::Commented(event) => Some(Self::Comment { id: event.comment.id }),
            Event::Dispatched(event) => Some(Self::Dispatch { by: event.sender.id }),
            Event::Upstream { .. } | Event::Other => None,
        }
    }
}

impl Told {
    /// Makes what is told of work that ended.
    pub(super) fn new(issue: IssueNumber, asked: Asked, ending: Ending) -> Self {
        let (code, why) = (String::new(), String::new());
        Self { format: FORMAT, issue, asked, ending, exit_code: 0, code, why, head: None }
    }
}

/// Makes an empty folder of what may lie there from before.
pub(super) fn prepare(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| failed("made", folder, &error))?;
    for name in [TOLD, BRANCH] {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(failed("removed", &path, &error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes down how the work ended, and the run's branch if it has come any way.
pub(super) fn hand_over(door: &Door, folder: &Path, mut told: Told) -> Result<(), Failure> {
    if told.ending != Ending::Skipped
        && let Some((base, head)) = way(door, told.issue)?
    {
        door.workspace.for_issue(told.issue).bundles().create(&base, &folder.join(BRANCH))?;
        told.head = Some(head.to_string());
    }
    told.why = told.why.chars().take(LONGEST_WHY).collect();
    let text = serde_json::to_string_pretty(&told).expect("it holds text and numbers only");
    let path = folder.join(TOLD);
    fs::write(&path, door.masker.mask(&text).as_str()).map_err(|error| failed("written", &path, &error))
}

/// Returns where the run began and how far its branch has come; nothing for a run that has come nowhere.
fn way(door: &Door, issue: IssueNumber) -> Result<Option<(CommitId, CommitId)>, Failure> {
    let Some(branch) = door.workspace.branches().find(&branch_of(issue))? else { return Ok(None) };
    let Ok(seen) = look(door, issue) else { return Ok(None) };
    let Some(run) = seen.state.run else { return Ok(None) };
    let base = CommitId::try_from(run.started.base_commit.as_str())?;
    Ok((branch.tip != base).then_some((base, branch.tip)))
}

/// What was handed over, before anything of it was judged.
#[derive(Debug)]
pub(super) struct Handed {
    pub(super) told: Told,
    /// The file with the branch, where there is one.
    pub(super) branch: Option<PathBuf>,
}

/// Reads what was handed over. Whatever differs from what we write is no answer.
pub(super) fn read(folder: &Path, masker: &Masker) -> Result<Handed, Failure> {
    let path = folder.join(TOLD);
    let Some(size) = plain(&path, LARGEST_TOLD)? else {
        return Err(refused(LOST, "the job of the agents handed nothing over"));
    };
    let mut text = Vec::new();
    let file = File::open(&path).map_err(|error| failed("read", &path, &error))?;
    file.take(size).read_to_end(&mut text).map_err(|error| failed("read", &path, &error))?;
    let told: Told = serde_json::from_slice(&text).map_err(|error| {
        refused(
            "E_BUNDLE_RESULT",
            &format!("{TOLD} is not what we write: {}", masker.mask(&error.to_string()).as_str()),
        )
    })?;
    let is_word =
        |text: &str| text.len() <= 40 && text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if told.format != FORMAT || !is_word(&told.code) || told.why.chars().count() > LONGEST_WHY {
        return Err(refused("E_BUNDLE_RESULT", &format!("{TOLD} is not what we write")));
    }
    let path = folder.join(BRANCH);
    let branch = plain(&path, LARGEST_BRANCH)?.map(|_| path);
    Ok(Handed { told, branch })
}

/// Returns the size of a file that is a plain one and not too large; nothing when it is not there.
fn plain(path: &Path, most: u64) -> Result<Option<u64>, Failure> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        found => found.map_err(|error| failed("read", path, &error))?,
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if !found.is_file() {
        return Err(refused("E_BUNDLE_RESULT", &format!("{name} is no plain file")));
    }
    if found.len() > most {
        return Err(refused("E_BUNDLE_SIZE", &format!("{name} has more than {most} bytes")));
    }
    Ok(Some(found.len()))
}

/// What was handed over and is not published.
pub(super) fn refused(code: &str, why: &str) -> Failure {
    Failure::new(Kind::State, format!("{code}: {}", quoted(why))).hint("nothing of it was published")
}

fn failed(action: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Kind::State, format!("{} cannot be {action}: {error}", path.display()))
}
