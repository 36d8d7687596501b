//! What the process that works hands to the one that publishes: the run's branch in a file, and in a manifest what it was
//! about and how it ended. Written and read here; whoever reads it believes nothing of it, and publishes only what
//! [`verify`] found good.

mod commits;
mod history;
mod statements;
mod verification;

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::failure::{BUNDLE_MISSING, Failure, Result};
use crate::project::Project;
use crate::run_location::view;
use forge::github::Event;
use git::CommitId;
use model::event::branch_of;
use model::issue::IssueNumber;
use model::redact::Masker;
use views::summary::quoted;

pub use history::VERIFIED;
pub use statements::{EventRequest, TRIED_AGAIN, asked_again, skipped_by};
pub use verification::{VerifiedBundle, verify};

/// The version of the manifest.
const FORMAT: u32 = 1;
/// The file that says what is handed over.
const MANIFEST: &str = "result.json";
/// The file with the branch.
const BRANCH: &str = "run.bundle";
/// The largest manifest, in bytes.
const LARGEST_MANIFEST: u64 = 16 << 10;
/// The longest reason in a manifest, in characters.
const LONGEST_WHY: usize = 300;
/// The largest file with a branch, in bytes.
const LARGEST_BRANCH: u64 = 100 << 20;

/// Which event was worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum EventKey {
    /// A label, by the number of who put it on.
    Label {
        /// The number of the account.
        by: u64,
    },
    /// A comment, by its own number.
    Comment {
        /// The number of the comment.
        id: u64,
    },
    /// A start by hand or by a job, by the number of whoever started it.
    Dispatch {
        /// The number of the account.
        by: u64,
    },
}

/// How the work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkResult {
    /// The run came to a halt, or waits for its publication.
    Ran,
    /// Nothing was to be done.
    Skipped,
    /// Something stood in the way; the run may have come some way.
    Failed,
}

/// What is said of the work that is handed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of this format.
    pub format: u32,
    /// The issue that was worked on.
    pub issue: IssueNumber,
    /// The event that asked for it.
    pub asked: EventKey,
    /// How the work ended.
    pub ending: WorkResult,
    /// The exit code that the work alone would have had.
    pub exit_code: u8,
    /// A word that stays, or nothing.
    pub code: String,
    /// Why nothing was done, or what stood in the way.
    pub why: String,
    /// The commit that the branch stands on; nothing when there is none to hand over.
    pub head: Option<String>,
}

impl EventKey {
    /// Returns which event it is; nothing for one that is about no run.
    pub fn of(event: &Event) -> Option<Self> {
        match event {
            Event::Labeled(event) => Some(Self::Label { by: event.sender.id }),
            Event::Commented(event) => Some(Self::Comment { id: event.comment.id }),
            Event::Dispatched(event) => Some(Self::Dispatch { by: event.sender.id }),
            Event::Upstream { .. } | Event::Other => None,
        }
    }
}

impl Manifest {
    /// Makes the manifest of work that ended.
    pub fn new(issue: IssueNumber, asked: EventKey, ending: WorkResult) -> Self {
        let (code, why) = (String::new(), String::new());
        Self { format: FORMAT, issue, asked, ending, exit_code: 0, code, why, head: None }
    }
}

/// Makes an empty folder of what may lie there from before.
pub fn prepare(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| failed("made", folder, &error))?;
    for name in [MANIFEST, BRANCH] {
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
pub fn hand_over(project: &Project, folder: &Path, mut manifest: Manifest) -> Result<()> {
    if manifest.ending != WorkResult::Skipped
        && let Some((base, head)) = base_and_tip(project, manifest.issue)?
    {
        project.workspace.for_issue(manifest.issue).bundles().create(&base, &folder.join(BRANCH))?;
        manifest.head = Some(head.to_string());
    }
    manifest.why = manifest.why.chars().take(LONGEST_WHY).collect();
    let text = serde_json::to_string_pretty(&manifest).expect("it holds text and numbers only");
    let path = folder.join(MANIFEST);
    fs::write(&path, project.masker.mask(&text).as_str()).map_err(|error| failed("written", &path, &error))
}

/// Returns where the run began and how far its branch has come; nothing for a run that has come nowhere.
fn base_and_tip(project: &Project, issue: IssueNumber) -> Result<Option<(CommitId, CommitId)>> {
    let Some(branch) = project.workspace.branches().find(&branch_of(issue))? else { return Ok(None) };
    let Ok(view) = view(project, issue) else { return Ok(None) };
    let Some(run) = view.state.run else { return Ok(None) };
    let base = CommitId::try_from(run.started.base_commit.as_str())?;
    Ok(if branch.tip == base { None } else { Some((base, branch.tip)) })
}

/// What was handed over, before anything of it was judged.
#[derive(Debug)]
pub struct Bundle {
    /// How the work ended, by its maker's words.
    pub manifest: Manifest,
    /// The file with the branch, where there is one.
    pub branch: Option<PathBuf>,
}

/// Reads what was handed over. Whatever differs from what we write is no answer.
pub fn read(folder: &Path, masker: &Masker) -> Result<Bundle> {
    let path = folder.join(MANIFEST);
    let Some(size) = size_of_plain_file(&path, LARGEST_MANIFEST)? else {
        return Err(refused(BUNDLE_MISSING, "the job of the agents handed nothing over"));
    };
    let mut text = Vec::new();
    let file = File::open(&path).map_err(|error| failed("read", &path, &error))?;
    file.take(size).read_to_end(&mut text).map_err(|error| failed("read", &path, &error))?;
    let manifest: Manifest = serde_json::from_slice(&text).map_err(|error| {
        refused(
            "E_BUNDLE_RESULT",
            &format!("{MANIFEST} is not what we write: {}", masker.mask(&error.to_string()).as_str()),
        )
    })?;
    let is_word =
        |text: &str| text.len() <= 40 && text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if manifest.format != FORMAT || !is_word(&manifest.code) || manifest.why.chars().count() > LONGEST_WHY {
        return Err(refused("E_BUNDLE_RESULT", &format!("{MANIFEST} is not what we write")));
    }
    let path = folder.join(BRANCH);
    let branch = size_of_plain_file(&path, LARGEST_BRANCH)?.map(|_| path);
    Ok(Bundle { manifest, branch })
}

/// Returns the size of a file that is a plain one and not too large; nothing when it is not there.
fn size_of_plain_file(path: &Path, most: u64) -> Result<Option<u64>> {
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
pub fn refused(code: &str, why: &str) -> Failure {
    Failure::state(format!("{code}: {}", quoted(why))).hint("nothing of it was published")
}

fn failed(action: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::state(format!("{} cannot be {action}: {error}", path.display()))
}
