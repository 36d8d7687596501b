//! The log that was handed over: whole, about this issue of this repository, a continuation of what origin has, and without
//! any word on what only a process that publishes can have done. Whoever goes on with a run goes to the commits that its log
//! names, so each has to be on the branch that was verified; a bundle can bring others, which nobody looks at.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::refused;
use crate::failure::Result;
use crate::forge_connection;
use crate::project::Project;
use engine::{Run, fold};
use git::CommitId;
use journal::store::folders::RunFolder;
use journal::store::log;
use model::event::{Entry, Fact, RunStarted, branch_of};
use model::issue::IssueNumber;

/// The kind of the note that says which commit was found good.
pub const VERIFIED: &str = "applied";
/// The largest log, in bytes.
const LARGEST: u64 = 32 << 20;
/// The longest branch that is looked at, in commits.
const MOST_COMMITS: usize = 50_000;
/// The code of a log that is refused.
pub(super) const CODE: &str = "E_BUNDLE_LOG";

/// The run that the log of a commit tells.
pub(super) struct LoggedRun<'a> {
    pub(super) project: &'a Project,
    /// The commit.
    pub(super) commit: CommitId,
    pub(super) run: Run,
    pub(super) entries: Vec<Entry>,
    log: Vec<u8>,
}

impl<'a> LoggedRun<'a> {
    /// Reads it, if it is one of this issue.
    pub(super) fn read(project: &'a Project, issue: IssueNumber, commit: &CommitId) -> Result<Self> {
        let log = bytes(project, issue, commit)?;
        let entries = entries(project, issue, &log)?;
        let state = fold(&entries)
            .map_err(|error| refused(CODE, &format!("its log does not fit together: {error}")))?;
        let run = state.run.ok_or_else(|| refused(CODE, "its log tells no run"))?;
        let started = &run.started;
        let repository = forge_connection::github(project)?.repository();
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
        Ok(Self { project, commit: commit.clone(), run, entries, log })
    }

    /// Returns the issue of the run.
    pub(super) fn issue(&self) -> IssueNumber {
        self.run.started.issue.number
    }

    /// Returns what its log has more than origin's. Refuses one that is no continuation, or that tells of something published
    /// since.
    pub(super) fn added_entries(&self, origin: Option<&CommitId>) -> Result<AddedEntries> {
        let before = match origin {
            Some(origin) => bytes(self.project, self.issue(), origin)?,
            None => Vec::new(),
        };
        if !self.log.starts_with(&before) {
            return Err(refused(CODE, "its log is not the one of origin with more behind it"));
        }
        let known =
            if before.is_empty() { Vec::new() } else { entries(self.project, self.issue(), &before)? };
        let since = known.last().map(|entry| entry.at);
        let entries: Vec<Entry> = self.entries.iter().skip(known.len()).cloned().collect();
        match entries.iter().find(|entry| is_published(&entry.fact)) {
            Some(entry) => {
                Err(refused(CODE, &format!("entry {} of its log tells of something published", entry.seq)))
            }
            None => Ok(AddedEntries { entries, since }),
        }
    }

    /// Refuses a log whose new facts, or whose end, name a commit that is not on the branch.
    pub(super) fn refuse_other_commits(&self, added: &[Entry], base: &CommitId) -> Result<()> {
        let steps = self.project.workspace.history().commits_between(base, &self.commit, MOST_COMMITS)?;
        let on_branch: BTreeSet<&str> =
            steps.iter().map(|step| step.commit.as_str()).chain([base.as_str()]).collect();
        let new = added.iter().flat_map(|entry| commits_named_by(&entry.fact));
        let branch = &self.run.branch;
        let mut all = new.chain([branch.head.as_str(), branch.content_head.as_str()]);
        match all.find(|commit| !on_branch.contains(commit)) {
            None => Ok(()),
            Some(commit) => {
                Err(refused(CODE, &format!("its log names {commit}, which is not on the branch")))
            }
        }
    }
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
pub(super) struct AddedEntries {
    /// The entries.
    pub(super) entries: Vec<Entry>,
    /// When the last thing happened that origin knows of.
    pub(super) since: Option<Timestamp>,
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
    ) || matches!(fact, Fact::Noted { kind, .. } if kind == VERIFIED)
}

fn bytes(project: &Project, issue: IssueNumber, commit: &CommitId) -> Result<Vec<u8>> {
    let path = RunFolder::new("", issue).events();
    match project.workspace.objects().size(commit, &path)? {
        None => Err(refused(CODE, "there is no log on the branch")),
        Some(size) if size > LARGEST => {
            Err(refused("E_BUNDLE_SIZE", &format!("its log has more than {LARGEST} bytes")))
        }
        Some(_) => Ok(project.workspace.objects().read(commit, &path)?.unwrap_or_default()),
    }
}

fn entries(project: &Project, issue: IssueNumber, bytes: &[u8]) -> Result<Vec<Entry>> {
    let read = log::read(bytes, &RunFolder::new("", issue).events());
    let contents = read.map_err(|error| refused(CODE, project.masker.mask(&error.to_string()).as_str()))?;
    match contents.torn {
        Some(torn) => Err(refused(CODE, &torn.to_string())),
        None => Ok(contents.entries),
    }
}

fn commits_named_by(fact: &Fact) -> Vec<&str> {
    match fact {
        Fact::RunRequested(asked) => {
            asked.head.iter().chain(&asked.content_head).map(String::as_str).collect()
        }
        Fact::Committed { commit, .. } => vec![commit],
        Fact::FedBack(feedback) => vec![&feedback.head],
        _ => Vec::new(),
    }
}
