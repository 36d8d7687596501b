//! What the process that works hands to the one that publishes: the run's branch in a file, and in a manifest what it was
//! about and how it ended. Written and read here; whoever reads it believes nothing of it, and publishes only what
//! [`verify`] found good: where the branch stands, what its log says, what its commits hold.

mod commits;
mod history;

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base_branch;
use crate::failure::{BUNDLE_MISSING, Failure, Result};
use crate::forge_connection;
use crate::project::Project;
use crate::run_location::view;
use forge::github::Event;
use git::{CommitId, RunWorkspace};
use model::event::{Fact, PauseReason};
use model::issue::{IssueNumber, run_branch_name};
use model::redact::Masker;
use views::summary::quoted;

use history::LoggedRun;
pub(crate) use history::{EventRequest, TRIED_AGAIN, VERIFIED, asked_again, skipped_by};

/// The version of the manifest.
pub(crate) const FORMAT: u32 = 1;
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
pub(crate) enum EventKey {
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
pub(crate) enum WorkResult {
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
pub(crate) struct Manifest {
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
    pub(crate) fn of(event: &Event) -> Option<Self> {
        match event {
            Event::Labeled(event) => Some(Self::Label { by: event.sender.id }),
            Event::Commented(event) => Some(Self::Comment { id: event.comment.id }),
            Event::Dispatched(event) => Some(Self::Dispatch { by: event.sender.id }),
            Event::Upstream { .. } | Event::Other => None,
        }
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
pub(crate) fn hand_over(project: &Project, folder: &Path, mut manifest: Manifest) -> Result<()> {
    if manifest.ending != WorkResult::Skipped
        && let Some((base, head)) = base_and_tip(project, manifest.issue)?
    {
        project
            .workspace
            .for_issue(manifest.issue)
            .run_branch()
            .create_bundle(&base, &folder.join(BRANCH))?;
        manifest.head = Some(head.to_string());
    }
    manifest.why = manifest.why.chars().take(LONGEST_WHY).collect();
    let text = serde_json::to_string_pretty(&manifest).expect("it holds text and numbers only");
    let path = folder.join(MANIFEST);
    fs::write(&path, project.masker.mask(&text).as_str()).map_err(|error| failed("written", &path, &error))
}

/// Returns where the run began and how far its branch has come; nothing for a run that has come nowhere.
fn base_and_tip(project: &Project, issue: IssueNumber) -> Result<Option<(CommitId, CommitId)>> {
    let Some(branch) = project.workspace.branches().find(&run_branch_name(issue))? else { return Ok(None) };
    let Ok(view) = view(project, issue) else { return Ok(None) };
    let Some(run) = view.state.run else { return Ok(None) };
    let base = CommitId::try_from(run.started.base_commit.as_str())?;
    Ok(if branch.tip == base { None } else { Some((base, branch.tip)) })
}

/// What was handed over, before anything of it was judged.
#[derive(Debug)]
pub(crate) struct UnverifiedBundle {
    /// How the work ended, by its maker's words.
    pub manifest: Manifest,
    /// The file with the branch, where there is one.
    pub branch: Option<PathBuf>,
}

/// Reads what was handed over. Whatever differs from what we write is no answer.
pub(crate) fn read(folder: &Path, masker: &Masker) -> Result<UnverifiedBundle> {
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
    Ok(UnverifiedBundle { manifest, branch })
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

/// What may be published of a bundle.
pub(crate) struct VerifiedBundle {
    /// The commit that was handed over.
    pub handed: CommitId,
    /// Where the branch goes on: there, or where an earlier process has brought it since.
    pub tip: CommitId,
    /// The time of the job that worked was over, for all that is new.
    pub asks_for_more: bool,
}

/// Takes the branch out of a file and verifies it; its maker says to which commit it leads, and `event` is what it was made
/// for.
pub(crate) fn verify(
    project: &Project,
    file: &Path,
    head: &str,
    event: &EventRequest,
) -> Result<VerifiedBundle> {
    let space = project.workspace.for_issue(event.issue);
    let handed = fetch(&space, file, head);
    let verified = handed.and_then(|handed| judge(project, handed, event));
    space.run_branch().forget_bundle()?;
    verified
}

fn fetch(space: &RunWorkspace, file: &Path, head: &str) -> Result<CommitId> {
    let refuse = |why: &str| Err(refused("E_BUNDLE_HEADS", why));
    let broken = |error: git::Error| refused("E_BUNDLE_GIT", &format!("git does not take it: {error}"));
    let heads = space.run_branch().bundle_heads(file).map_err(broken)?;
    let wanted = format!("refs/heads/{}", space.branch());
    let work = space.work().reference();
    // The files of a phase under way are no branch, and judged as they are.
    let branches: Vec<_> = heads.iter().filter(|(name, _)| *name != work).collect();
    match branches.as_slice() {
        [(name, id)] if *name == wanted && id == head => {}
        [_] => return refuse("it does not hold the branch of this issue's run as it is said to"),
        heads => return refuse(&format!("it holds {} branches and not one", heads.len())),
    }
    let taken = space.run_branch().fetch_bundle(file).map_err(broken)?;
    if taken.as_str() == head { Ok(taken) } else { refuse("it leads to another commit than it says") }
}

fn judge(project: &Project, handed: CommitId, event: &EventRequest) -> Result<VerifiedBundle> {
    let (issue, history) = (event.issue, project.workspace.history());
    let origin = forge_connection::fetch(project, &run_branch_name(issue))?;
    let logged = LoggedRun::read(project, issue, &handed)?;
    let base = CommitId::try_from(logged.run.started.base_commit.as_str())
        .map_err(|_| refused("E_BUNDLE_BASE", "its log names no commit as its base"))?;
    stands_on_base(&logged, &base)?;
    match &origin {
        None => goes_where_settings_say(&logged)?,
        Some(origin) if history.is_ancestor(&handed, origin)? => {
            LoggedRun::read(project, issue, origin)?.judge_work()?;
            return Ok(VerifiedBundle { handed, tip: origin.clone(), asks_for_more: false });
        }
        Some(origin) if !history.is_ancestor(origin, &handed)? => {
            let why = "origin has commits on the run's branch that it does not have";
            return Err(refused("E_BUNDLE_DIVERGED", why));
        }
        Some(_) => {}
    }
    let added = logged.added_entries(origin.as_ref())?;
    logged.refuse_other_commits(&added.entries, &base)?;
    logged.judge_statements(&added, event)?;
    let after = origin.as_ref().unwrap_or(&base);
    logged.judge_contents(after)?;
    logged.judge_work()?;
    logged.judge_messages(after)?;
    let all = || added.entries.iter().map(|entry| &entry.fact);
    // Who did nothing would be started again for nothing.
    let worked = all().any(|fact| matches!(fact, Fact::StepStarted(_)));
    let asks_for_more = worked && all().any(asks_for_more);
    Ok(VerifiedBundle { tip: handed.clone(), handed, asks_for_more })
}

fn asks_for_more(fact: &Fact) -> bool {
    let Fact::Paused { escalation } = fact else { return false };
    matches!(escalation.reason, PauseReason::JobLimit | PauseReason::RateLimit)
}

/// Of a run that origin knows, its own log says where it goes.
fn goes_where_settings_say(logged: &LoggedRun) -> Result<()> {
    let head = logged.project.workspace.read_state()?.head;
    let base = base_branch::choose(logged.project, &head, logged.issue())?.base;
    if base.branch == logged.run.started.base_branch {
        return Ok(());
    }
    Err(refused("E_BUNDLE_BASE", &format!("it is for another branch than {}", base.branch)))
}

/// The run has to stand on a commit of the branch that its pull request is to be merged into, as origin has it.
fn stands_on_base(logged: &LoggedRun, base: &CommitId) -> Result<()> {
    let refuse = |why: &str| Err(refused("E_BUNDLE_BASE", why));
    let (name, history) = (&logged.run.started.base_branch, logged.project.workspace.history());
    if git::check_branch_name(name).is_err() {
        return refuse("its log names no branch as its base");
    }
    let Some(on_origin) = forge_connection::fetch(logged.project, name)? else {
        return refuse("its base branch is not on origin");
    };
    if !history.is_ancestor(base, &on_origin)? {
        return refuse("origin's base branch does not have the commit that it stands on");
    }
    if !history.is_ancestor(base, &logged.commit)? {
        return refuse("it does not stand on the commit that its log names");
    }
    Ok(())
}

/// What was handed over and is not published.
pub(crate) fn refused(code: &str, why: &str) -> Failure {
    Failure::state(format!("{code}: {}", quoted(why))).hint("nothing of it was published")
}

fn failed(action: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::state(format!("{} cannot be {action}: {error}", path.display()))
}
