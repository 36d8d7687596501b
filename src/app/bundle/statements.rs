//! What a log says that people said. Who has no right to speak for people can write it too, so each such fact has to be what
//! this event asks for, or what a comment asks for that GitHub still shows.

use jiff::Timestamp;

use super::history::{AddedEntries, CODE, LoggedRun};
use super::{EventKey, refused};
use crate::admission::Actor;
use crate::changes_outside::REASONS;
use crate::environment::runtime;
use crate::failure::Result;
use crate::forge_connection;
use content_parser::{SlashCommand, slash_command};
use engine::pause_on_request;
use forge::ForgeError;
use model::event::{Answered, Choice, Entry, Fact, PauseReason, Reopened, ReopenedBy};
use model::issue::IssueNumber;
use model::redact::Masker;

/// Why a failed phase is opened again without a word of a person.
pub const TRIED_AGAIN: &str = "tried again";
/// Why a phase is left out when a run begins.
const LEFT_OUT_AT_START: [&str; 2] = ["preset", "--skip-phases"];

/// What an event asks for, and who.
pub struct EventRequest<'a> {
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
enum Authority {
    /// The program itself: no person is named.
    Program,
    /// The event that was worked on; it counts once.
    Event,
    /// A comment beside the event that wants the run to wait, or to end.
    Comment,
    /// Nobody who is known here.
    Nobody,
}

impl LoggedRun<'_> {
    /// Judges what is new in its log.
    pub(super) fn judge_statements(&self, added: &AddedEntries, event: &EventRequest) -> Result<()> {
        let mut is_event_used = false;
        for entry in &added.entries {
            let counts = match self.authority(entry, event) {
                Authority::Program => true,
                Authority::Event => !std::mem::replace(&mut is_event_used, true),
                Authority::Comment => self.has_comment(added.since, &entry.fact)?,
                Authority::Nobody => false,
            };
            if !counts {
                let why = format!("entry {} of its log says what nobody said", entry.seq);
                return Err(refused(CODE, &why));
            }
        }
        Ok(())
    }

    fn authority(&self, entry: &Entry, event: &EventRequest) -> Authority {
        let masker = &self.project.masker;
        match &entry.fact {
            Fact::RunRequested(asked) if asked.ignore_needs => Authority::Nobody,
            Fact::Answered(answer) => event_if(is_answer(masker, answer, event)),
            Fact::Reopened(reopened) => reopening(masker, reopened, event),
            Fact::PhaseSkipped { phase, because } => {
                let skips = |name: &String| name == phase.as_str() && *because == skipped_by(event.person);
                if matches!(event.command, Some(SlashCommand::Skip { phase }) if skips(phase)) {
                    return Authority::Event;
                }
                if self.is_left_out(entry, because) { Authority::Program } else { Authority::Nobody }
            }
            Fact::Paused { escalation } if escalation.reason != PauseReason::OnRequest => Authority::Program,
            Fact::Cancelled { .. } | Fact::Paused { .. } => match event.command {
                Some(command) if wants(command, event.person, &entry.fact) => Authority::Event,
                _ => Authority::Comment,
            },
            _ => Authority::Program,
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

fn event_if(is_asked: bool) -> Authority {
    if is_asked { Authority::Event } else { Authority::Nobody }
}

fn is_answer(masker: &Masker, answer: &Answered, event: &EventRequest) -> bool {
    let (choice, text) = match event.command {
        Some(SlashCommand::Resume) => (Choice::Continue, ""),
        Some(SlashCommand::Answer { text }) => (Choice::Continue, text.trim()),
        Some(SlashCommand::Accept { reason }) => (Choice::Accept, reason.trim()),
        _ => return false,
    };
    *answer == Answered::new(choice, masker.mask(text).as_str(), event.person)
}

/// A phase whose files stayed on another machine begins anew by itself.
fn reopening(masker: &Masker, reopened: &Reopened, event: &EventRequest) -> Authority {
    let reason = reopened.reason.as_str();
    match (reopened.by, event.command) {
        (ReopenedBy::Retry, _) if REASONS.contains(&reason) => Authority::Program,
        (ReopenedBy::Retry, Some(SlashCommand::Answer { text })) => {
            event_if(reason == masker.mask(text.trim()).as_str())
        }
        (ReopenedBy::Retry, Some(SlashCommand::Retry { .. })) => event_if(reason == TRIED_AGAIN),
        (ReopenedBy::Retry, None) => {
            event_if(reason == TRIED_AGAIN && matches!(event.asked, EventKey::Label { .. }))
        }
        (ReopenedBy::Rollback, Some(SlashCommand::Retry { phase })) => {
            event_if(reopened.phase.as_str() == phase && reason == asked_again(event.person))
        }
        _ => Authority::Nobody,
    }
}

/// Returns why a phase is left out that a person wants left out.
pub fn skipped_by(person: &str) -> String {
    format!("`/ai-workflow skip` of {person}")
}

/// Returns why a phase is opened again that a person wants done over.
pub fn asked_again(person: &str) -> String {
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
