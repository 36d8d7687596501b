//! The log that was handed over: whole, about this issue of this repository, a continuation of what origin has, and without
//! any word on what only a process that publishes can have done. Whoever goes on with a run goes to the commits that its log
//! names, so each has to be on the branch that was verified; a bundle can bring others, which nobody looks at. Who has no right
//! to speak for people can write down what they said, too, so each such fact has to be what this event asks for, or what a
//! comment asks for that GitHub still shows.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{EventKey, refused};
use crate::admission::Actor;
use crate::environment::runtime;
use crate::external_changes::is_lost_files_reason;
use crate::failure::Result;
use crate::forge_connection;
use crate::project::Project;
use crate::slash_command::{SlashCommand, slash_command};
use engine::{Run, fold, pause_on_request};
use forge::ForgeError;
use git::CommitId;
use journal::store::folders::RunFolder;
use journal::store::log;
use model::event::{Answered, Entry, Fact, PauseChoice, PauseReason, Reopened, ReopenedBy, RunStarted};
use model::issue::{IssueNumber, run_branch_name};
use model::redact::Masker;

/// The kind of the note that says which commit was found good.
pub(crate) const VERIFIED: &str = "applied";
/// The largest log, in bytes.
const LARGEST: u64 = 32 << 20;
/// The longest branch that is looked at, in commits.
const MOST_COMMITS: usize = 50_000;
/// The code of a log that is refused.
const CODE: &str = "E_BUNDLE_LOG";

/// Why a failed phase is opened again without a reason that a person gave.
pub(crate) const TRIED_AGAIN: &str = "tried again";
/// Why a phase is left out when a run begins.
const LEFT_OUT_AT_START: [&str; 2] = ["preset", "--skip-phases"];

/// What an event asks for, and who.
pub(crate) struct EventRequest<'a> {
    /// The issue of the run.
    pub issue: IssueNumber,
    /// Which event it is.
    pub asked: EventKey,
    /// The command of a comment.
    pub command: Option<&'a SlashCommand>,
    /// Who is behind the event.
    pub person: &'a str,
}

/// Who may cause a fact.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FactCause {
    /// The program itself: no person is named.
    Program,
    /// The event that was worked on; it counts once.
    Event,
    /// A comment beside the event that wants the run to wait, or to end.
    Comment,
    /// No cause that is known here: the fact is refused.
    Nobody,
}

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
        let log = read_log_bytes(project, issue, commit)?;
        let entries = read_entries(project, issue, &log)?;
        let state = fold(&entries)
            .map_err(|error| refused(CODE, &format!("its log does not fit together: {error}")))?;
        let run = state.run.ok_or_else(|| refused(CODE, "its log tells no run"))?;
        let started = &run.started;
        let repository = forge_connection::github(project)?.repository();
        let is_ours = started.issue.number == issue
            && started.branch == run_branch_name(issue)
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
            Some(origin) => read_log_bytes(self.project, self.issue(), origin)?,
            None => Vec::new(),
        };
        if !self.log.starts_with(&before) {
            return Err(refused(CODE, "its log is not the one of origin with more behind it"));
        }
        let known =
            if before.is_empty() { Vec::new() } else { read_entries(self.project, self.issue(), &before)? };
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

    /// Judges what is new in its log.
    pub(super) fn judge_statements(&self, added: &AddedEntries, event: &EventRequest) -> Result<()> {
        let mut is_event_used = false;
        for entry in &added.entries {
            let counts = match self.authority(entry, event) {
                FactCause::Program => true,
                FactCause::Event => !std::mem::replace(&mut is_event_used, true),
                FactCause::Comment => self.has_comment(added.since, &entry.fact)?,
                FactCause::Nobody => false,
            };
            if !counts {
                let why = format!("entry {} of its log names words that nobody wrote", entry.seq);
                return Err(refused(CODE, &why));
            }
        }
        Ok(())
    }

    fn authority(&self, entry: &Entry, event: &EventRequest) -> FactCause {
        let masker = &self.project.masker;
        match &entry.fact {
            Fact::RunRequested(asked) if asked.ignore_needs => FactCause::Nobody,
            Fact::Answered(answer) => event_cause(is_answer(masker, answer, event)),
            Fact::Reopened(reopened) => cause_of_reopening(masker, reopened, event),
            Fact::PhaseSkipped { phase, because } => {
                let skips = |name: &String| name == phase.as_str() && *because == skipped_by(event.person);
                if matches!(event.command, Some(SlashCommand::Skip { phase }) if skips(phase)) {
                    return FactCause::Event;
                }
                if self.is_left_out(entry, because) { FactCause::Program } else { FactCause::Nobody }
            }
            Fact::Paused { escalation } if escalation.reason != PauseReason::OnRequest => FactCause::Program,
            Fact::Cancelled { .. } | Fact::Paused { .. } => match event.command {
                Some(command) if wants(command, event.person, &entry.fact) => FactCause::Event,
                _ => FactCause::Comment,
            },
            _ => FactCause::Program,
        }
    }

    /// Some phases are left out when the run begins, right behind its first fact; the others when one before them failed.
    fn is_left_out(&self, entry: &Entry, because: &str) -> bool {
        let phases = &self.run.phases;
        let failed = |name: &str| phases.iter().any(|phase| phase.name().as_str() == name);
        (LEFT_OUT_AT_START.contains(&because) && entry.seq <= phases.len() as u64)
            || because.strip_prefix("failed:").is_some_and(failed)
    }

    /// Looks whether GitHub shows a comment, by somebody who may, that wants what a fact says.
    fn has_comment(&self, since: Option<Timestamp>, fact: &Fact) -> Result<bool> {
        let project = self.project;
        let github = forge_connection::github(project)?;
        let event = project.as_of.as_ref().map(|event| event.at);
        let since = event.or(since).unwrap_or(Timestamp::UNIX_EPOCH);
        let found = runtime()?.block_on(async {
            for comment in github.comments_since(self.issue(), since).await? {
                let read = slash_command(comment.body.as_deref().unwrap_or_default());
                let (Some(Ok(command)), Some(who)) = (read, &comment.user) else { continue };
                let is_old = comment.created_at <= since || comment.updated_at != comment.created_at;
                if is_old || !wants(&command, &who.login, fact) {
                    continue;
                }
                let actor = Actor { github: &github, keys: &project.settings.github, who };
                if actor.admit().await.is_ok() {
                    return Ok(true);
                }
            }
            Ok::<_, ForgeError>(false)
        });
        Ok(found?)
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

fn read_log_bytes(project: &Project, issue: IssueNumber, commit: &CommitId) -> Result<Vec<u8>> {
    let path = RunFolder::new("", issue).events();
    match project.workspace.file_size(commit, &path)? {
        None => Err(refused(CODE, "there is no log on the branch")),
        Some(size) if size > LARGEST => {
            Err(refused("E_BUNDLE_SIZE", &format!("its log has more than {LARGEST} bytes")))
        }
        Some(_) => Ok(project.workspace.read_file(commit, &path)?.unwrap_or_default()),
    }
}

fn read_entries(project: &Project, issue: IssueNumber, bytes: &[u8]) -> Result<Vec<Entry>> {
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

fn event_cause(is_asked: bool) -> FactCause {
    if is_asked { FactCause::Event } else { FactCause::Nobody }
}

fn is_answer(masker: &Masker, answer: &Answered, event: &EventRequest) -> bool {
    let (choice, text) = match event.command {
        Some(SlashCommand::Resume) => (PauseChoice::Continue, ""),
        Some(SlashCommand::Answer { text }) => (PauseChoice::Continue, text.trim()),
        Some(SlashCommand::Accept { reason }) => (PauseChoice::Accept, reason.trim()),
        _ => return false,
    };
    *answer == Answered::new(choice, masker.mask(text).as_str(), event.person)
}

/// A phase whose files stayed on another machine begins anew by itself.
fn cause_of_reopening(masker: &Masker, reopened: &Reopened, event: &EventRequest) -> FactCause {
    let reason = reopened.reason.as_str();
    match (reopened.by, event.command) {
        (ReopenedBy::Retry, _) if is_lost_files_reason(reason) => FactCause::Program,
        (ReopenedBy::Retry, Some(SlashCommand::Answer { text })) => {
            event_cause(reason == masker.mask(text.trim()).as_str())
        }
        (ReopenedBy::Retry, Some(SlashCommand::Retry { .. })) => event_cause(reason == TRIED_AGAIN),
        (ReopenedBy::Retry, None) => {
            event_cause(reason == TRIED_AGAIN && matches!(event.asked, EventKey::Label { .. }))
        }
        (ReopenedBy::Rollback, Some(SlashCommand::Retry { phase })) => {
            event_cause(reopened.phase.as_str() == phase && reason == asked_again(event.person))
        }
        _ => FactCause::Nobody,
    }
}

/// Returns why a phase is left out that a person wants left out.
pub(crate) fn skipped_by(person: &str) -> String {
    format!("`/ai-workflow skip` of {person}")
}

/// Returns why a phase is opened again that a person wants done over.
pub(crate) fn asked_again(person: &str) -> String {
    format!("{person} asked for another try.")
}

fn wants(command: &SlashCommand, who: &str, fact: &Fact) -> bool {
    match (command, fact) {
        (SlashCommand::Cancel, Fact::Cancelled { by }) => by == who,
        (SlashCommand::Pause, Fact::Paused { escalation }) => {
            pause_on_request(escalation.phase.as_ref(), who) == *escalation
        }
        _ => false,
    }
}
