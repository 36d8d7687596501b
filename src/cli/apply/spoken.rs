//! What a log says that people said. Who has no right to speak for people can write it too, so each such fact has to be what
//! this event asks for, or what a comment asks for that GitHub still shows.

use jiff::Timestamp;

use super::history::{Added, CODE};
use crate::admission::admit;
use crate::ask::TRIED_AGAIN;
use crate::bundle::{Asked, refused};
use crate::door::{Door, runtime};
use crate::failure::Failure;
use crate::{forge_connection, left_behind};
use content_parser::{SlashCommand, slash_command};
use engine::{Run, pause_on_request};
use forge::ForgeError;
use model::event::{Answered, Choice, Entry, Fact, PauseReason, Reopened, ReopenedBy};

/// Why a phase is left out when a run begins.
const FROM_THE_BEGINNING: [&str; 2] = ["preset", "--skip-phases"];

/// What an event asks for, and who.
pub(super) struct Spoken<'a> {
    pub(super) asked: Asked,
    pub(super) command: Option<&'a SlashCommand>,
    pub(super) person: &'a str,
}

/// Whose word a fact is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    /// Nobody's: we say so by ourselves.
    Ours,
    /// What this event asks for; that counts once.
    OfEvent,
    /// A comment beside it that wants the run to wait, or to end.
    OfComment,
    Nobodys,
}

/// Judges what is new in a log.
pub(super) fn judge(door: &Door, run: &Run, added: &Added, event: &Spoken) -> Result<(), Failure> {
    let mut is_used = false;
    for entry in &added.entries {
        let word = word(door, run, entry, event);
        let counts = match word {
            Word::Ours => true,
            Word::OfEvent => !std::mem::replace(&mut is_used, true),
            Word::OfComment => is_shown(door, run, added.since, &entry.fact)?,
            Word::Nobodys => false,
        };
        if !counts {
            let why = format!("entry {} of its log says what nobody said", entry.seq);
            return Err(refused(CODE, &why));
        }
    }
    Ok(())
}

fn word(door: &Door, run: &Run, entry: &Entry, event: &Spoken) -> Word {
    match &entry.fact {
        Fact::Asked(asked) if asked.ignore_needs => Word::Nobodys,
        Fact::Answered(answer) => of_event(is_answer(door, answer, event)),
        Fact::Reopened(reopened) => reopening(door, reopened, event),
        Fact::PhaseSkipped { phase, because } => {
            let skips = |name: &String| name == phase.as_str() && *because == skipped_by(event.person);
            if matches!(event.command, Some(SlashCommand::Skip { phase }) if skips(phase)) {
                return Word::OfEvent;
            }
            if is_left_out(run, entry, because) { Word::Ours } else { Word::Nobodys }
        }
        Fact::Cancelled { by } => match event.command {
            Some(SlashCommand::Cancel) if by == event.person => Word::OfEvent,
            _ => Word::OfComment,
        },
        Fact::Paused { escalation } if escalation.reason == PauseReason::OnRequest => {
            let by_event = pause_on_request(escalation.phase.as_ref(), event.person) == *escalation;
            match event.command {
                Some(SlashCommand::Pause) if by_event => Word::OfEvent,
                _ => Word::OfComment,
            }
        }
        _ => Word::Ours,
    }
}

fn of_event(is: bool) -> Word {
    if is { Word::OfEvent } else { Word::Nobodys }
}

fn is_answer(door: &Door, answer: &Answered, event: &Spoken) -> bool {
    let (choice, text) = match event.command {
        Some(SlashCommand::Resume) => (Choice::Continue, ""),
        Some(SlashCommand::Answer { text }) => (Choice::Continue, text.trim()),
        Some(SlashCommand::Accept { reason }) => (Choice::Accept, reason.trim()),
        _ => return false,
    };
    *answer == Answered::new(choice, door.masker.mask(text).as_str(), event.person)
}

/// A phase whose files stayed on another machine begins anew by itself.
fn reopening(door: &Door, reopened: &Reopened, event: &Spoken) -> Word {
    let reason = reopened.reason.as_str();
    match (reopened.by, event.command) {
        (ReopenedBy::Retry, _) if left_behind::REASONS.contains(&reason) => Word::Ours,
        (ReopenedBy::Retry, Some(SlashCommand::Answer { text })) => {
            of_event(reason == door.masker.mask(text.trim()).as_str())
        }
        (ReopenedBy::Retry, Some(SlashCommand::Retry { .. })) => of_event(reason == TRIED_AGAIN),
        (ReopenedBy::Retry, None) => {
            of_event(reason == TRIED_AGAIN && matches!(event.asked, Asked::Label { .. }))
        }
        (ReopenedBy::Rollback, Some(SlashCommand::Retry { phase })) => {
            of_event(reopened.phase.as_str() == phase && reason == asked_again(event.person))
        }
        _ => Word::Nobodys,
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

/// Some phases are left out when the run begins, right behind its first fact; the others when one before them failed.
fn is_left_out(run: &Run, entry: &Entry, because: &str) -> bool {
    let most = run.phases.len() as u64;
    let failed = |name: &str| run.phases.iter().any(|phase| phase.name().as_str() == name);
    (FROM_THE_BEGINNING.contains(&because) && entry.seq <= most)
        || because.strip_prefix("failed:").is_some_and(failed)
}

/// Looks whether GitHub shows a comment, by somebody who may, that wants what a fact says.
fn is_shown(door: &Door, run: &Run, since: Option<Timestamp>, fact: &Fact) -> Result<bool, Failure> {
    let github = forge_connection::github(door)?;
    let event = door.as_of.as_ref().map(|event| event.at);
    let since = event.or(since).unwrap_or(Timestamp::UNIX_EPOCH);
    let found = runtime()?.block_on(async {
        for comment in github.comments_since(run.started.issue.number, since).await? {
            let read = slash_command(comment.body.as_deref().unwrap_or_default());
            let (Some(Ok(command)), Some(who)) = (read, &comment.user) else { continue };
            let is_old = comment.created_at <= since || comment.updated_at != comment.created_at;
            if is_old || !wants(&command, &who.login, fact) {
                continue;
            }
            if admit(&github, &door.settings.github, who).await.is_ok() {
                return Ok(true);
            }
        }
        Ok::<_, ForgeError>(false)
    });
    Ok(found?)
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
