//! The log that was handed over: whole, about this issue of this repository, a continuation of what origin has, and without
//! any word on what only a process that publishes can have done.

use jiff::Timestamp;

use crate::bundle::refused;
use crate::door::Door;
use crate::failure::Failure;
use crate::forge_connection;
use engine::{Run, fold};
use git::CommitId;
use journal::store::folders::RunFolder;
use journal::store::log;
use model::event::{Entry, Fact, RunStarted, branch_of};
use model::issue::IssueNumber;

/// The longest log, in bytes.
const LONGEST: u64 = 32 << 20;
pub(super) const CODE: &str = "E_BUNDLE_LOG";

/// Returns the run that the log of a commit tells, if it is one of this issue.
pub(super) fn run_at(
    door: &Door,
    issue: IssueNumber,
    commit: &CommitId,
) -> Result<(Run, Vec<Entry>), Failure> {
    let entries = entries(door, issue, &bytes(door, issue, commit)?)?;
    let state =
        fold(&entries).map_err(|error| refused(CODE, &format!("its log does not fit together: {error}")))?;
    let run = state.run.ok_or_else(|| refused(CODE, "its log tells no run"))?;
    let started = &run.started;
    let repository = forge_connection::github(door)?.repository();
    let is_ours = started.issue.number == issue
        && started.branch == branch_of(issue)
        && started.repository == repository
        && started.issue.url == format!("{}/{repository}/issues/{issue}", forge_connection::server());
    if !is_ours {
        return Err(refused(CODE, "its log is about something else than this issue"));
    }
    if !is_well_formed(started) {
        return Err(refused(CODE, "its log begins with names that we do not give"));
    }
    Ok((run, entries))
}

/// What stands in comments and messages as it is has the form that we give it.
fn is_well_formed(started: &RunStarted) -> bool {
    let is_hex = |text: &str, long: usize| {
        text.len() == long && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_word = |text: &str, others: &str| {
        text.len() <= 100 && text.chars().all(|c| c.is_ascii_alphanumeric() || others.contains(c))
    };
    is_hex(&started.run_id, 32)
        && is_hex(&started.issue_digest, 64)
        && is_word(&started.version, ".-+")
        && is_word(&started.issue.author, "-_[]")
}

/// What a log has more than origin's.
pub(super) struct Added {
    pub(super) entries: Vec<Entry>,
    /// When the last thing happened that origin knows of.
    pub(super) since: Option<Timestamp>,
}

/// Returns what a log has more than origin's. Refuses one that is no continuation, or that tells of something published since.
pub(super) fn nothing_published(
    door: &Door,
    issue: IssueNumber,
    handed: &CommitId,
    origin: Option<&CommitId>,
) -> Result<Added, Failure> {
    let now = bytes(door, issue, handed)?;
    let before = match origin {
        Some(origin) => bytes(door, issue, origin)?,
        None => Vec::new(),
    };
    let Some(added) = now.strip_prefix(before.as_slice()) else {
        return Err(refused(CODE, "its log is not the one of origin with more behind it"));
    };
    let known = if before.is_empty() { Vec::new() } else { entries(door, issue, &before)? };
    let since = known.last().map(|entry| entry.at);
    if added.is_empty() {
        return Ok(Added { entries: Vec::new(), since });
    }
    let entries = entries(door, issue, &now)?.split_off(known.len());
    match entries.iter().find(|entry| is_published(&entry.fact)) {
        Some(entry) => {
            Err(refused(CODE, &format!("entry {} of its log tells of something published", entry.seq)))
        }
        None => Ok(Added { entries, since }),
    }
}

/// What happened on the server. Who has no right to write there cannot have done it, and it names what we would write to.
fn is_published(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::Commented { .. }
            | Fact::Published { .. }
            | Fact::FollowedUp { .. }
            | Fact::MarkedReady
            | Fact::ReviewersAsked { .. }
            | Fact::FedBack(_)
            | Fact::ThreadsAnswered { .. }
    ) || matches!(fact, Fact::Noted { kind, .. } if kind == super::APPLIED)
}

fn bytes(door: &Door, issue: IssueNumber, commit: &CommitId) -> Result<Vec<u8>, Failure> {
    let path = RunFolder::new("", issue).events();
    match door.workspace.objects().size(commit, &path)? {
        None => Err(refused(CODE, "there is no log on the branch")),
        Some(size) if size > LONGEST => {
            Err(refused("E_BUNDLE_SIZE", &format!("its log has more than {LONGEST} bytes")))
        }
        Some(_) => Ok(door.workspace.objects().read(commit, &path)?.unwrap_or_default()),
    }
}

fn entries(door: &Door, issue: IssueNumber, bytes: &[u8]) -> Result<Vec<Entry>, Failure> {
    let read = log::read(bytes, &RunFolder::new("", issue).events());
    let contents = read.map_err(|error| refused(CODE, door.masker.mask(&error.to_string()).as_str()))?;
    match contents.torn {
        Some(torn) => Err(refused(CODE, &torn.to_string())),
        None => Ok(contents.entries),
    }
}
