//! A comment with a command. It is obeyed once, if who wrote it may and nobody changed it; reactions and a reply say what became
//! of it.

use super::{EventHandling, EventResult, NotObeyed, command, impossible, nothing, refuse_at_rest};
use crate::admission::{Actor, BUSY, Refusal};
use crate::failure::FailureKind;
use crate::project::Project;
use content_parser::{COMMAND_HELP, SlashCommand, Unclear, slash_command};
use forge::github::{Commented, Reaction, ReactionTarget};
use forge::{ForgeError, GithubForge};
use model::event::issue_of_branch;
use model::issue::{AsOf, IssueNumber};
use runner::JobRole;

pub(super) fn obey(handling: &mut EventHandling, event: &Commented) -> EventResult {
    let Some(read) = slash_command(event.comment.body.as_deref().unwrap_or_default()) else {
        return nothing("the comment holds no command");
    };
    let taken = handling.ask(async |github| accept(github, &handling.project, event, &read).await)??;
    let Some(number) = taken else {
        return nothing("the comment is on no issue of ours, or was obeyed before");
    };
    let (title, body) = (event.issue.title.clone(), event.issue.body.clone().unwrap_or_default());
    if number == event.issue.number {
        handling.project.as_of = Some(AsOf { at: event.comment.created_at, title, body });
    }
    handling.project.person.clone_from(&event.sender.login);
    handling.about = Some(number);
    let id = event.comment.id;
    let result = match read {
        Ok(command) => {
            handling.react(ReactionTarget::Comment(id), Reaction::Eyes)?;
            handling.command = Some(command.clone());
            command::perform(handling, number, &command).map_err(refused)
        }
        Err(unclear) => Err(Refusal::new("E_COMMAND_UNKNOWN", format!("{unclear}: {COMMAND_HELP}")).into()),
    };
    answer(handling, number, id, &result)?;
    result
}

/// What cannot be done now is answered to who asked for it; our own troubles stay failures.
fn refused(undone: NotObeyed) -> NotObeyed {
    match undone {
        NotObeyed::Failed(failure) if failure.kind == FailureKind::Usage => {
            impossible(&failure.with_first_hint())
        }
        undone => undone,
    }
}

/// Returns the issue that a comment is about; nothing where there is nothing to do.
async fn accept(
    github: &GithubForge,
    project: &Project,
    event: &Commented,
    read: &Result<SlashCommand, Unclear>,
) -> EventResult<Option<IssueNumber>> {
    let (who, id) = (&event.sender, event.comment.id);
    let actor = Actor { github, keys: &project.settings.github, who };
    let unreadable = |error: ForgeError| actor.unknown(&error);
    actor.admit().await?;
    let now = github.current_comment(id).await.map_err(unreadable)?.ok_or_else(changed)?;
    let author = now.user.as_ref().ok_or_else(|| actor.mismatch("an account that is gone"))?;
    if author.id != who.id {
        return Err(actor.mismatch(&author.login).into());
    }
    if now.body != event.comment.body || now.updated_at != event.comment.updated_at {
        return Err(changed().into());
    }
    let Some(number) = about(github, event).await.map_err(unreadable)? else { return Ok(None) };
    let state = github.issue_state(number).await.map_err(unreadable)?;
    // Who closed an issue may still want its run to end.
    let ends = matches!(read, Ok(SlashCommand::Cancel));
    if !ends || state.as_ref().is_none_or(|state| state.locked) {
        refuse_at_rest(number, state.as_ref())?;
    }
    if github.has_answered(id).await.map_err(unreadable)? {
        return Ok(None);
    }
    if matches!(read, Ok(SlashCommand::Run))
        && let Err(refusal) = actor.refuse_too_many(&project.masker, number, event.comment.created_at).await
    {
        github.react(ReactionTarget::Comment(id), Reaction::Confused).await?;
        return Err(refusal.into());
    }
    Ok(Some(number))
}

/// The comment is not what it was when the event was sent.
fn changed() -> Refusal {
    let why = "the comment was changed or deleted after it was written: write a new one";
    Refusal::new("E_COMMAND_CHANGED", why)
}

/// A pull request is about the issue that its branch is named after, if the branch is one of ours.
async fn about(github: &GithubForge, event: &Commented) -> Result<Option<IssueNumber>, ForgeError> {
    let number = event.issue.number;
    if !event.issue.is_pull_request() {
        return Ok(Some(number));
    }
    Ok(github.own_head(number).await?.and_then(|head| issue_of_branch(&head)))
}

/// Tells what became of the command: a reaction, and a line where it was refused.
fn answer(handling: &EventHandling, number: IssueNumber, id: u64, result: &EventResult) -> EventResult<()> {
    if handling.project.role == JobRole::Work {
        return Ok(());
    }
    let refusal = match result {
        Ok(_) => None,
        // Whoever works on the run sees the comment, too.
        Err(NotObeyed::Refused(refusal)) if refusal.code == BUSY => return Ok(()),
        Err(NotObeyed::Refused(refusal)) => Some(refusal.to_string()),
        Err(NotObeyed::Failed(failure)) => Some(failure.message.clone()),
    };
    let reaction = if refusal.is_some() { Reaction::Confused } else { Reaction::Rocket };
    if let Some(why) = refusal {
        let marker = format!("<!-- ai-workflow:reply v1 comment={id} -->");
        if let Err(error) = handling.comment(number, &marker, &format!("😕 {why}"))? {
            tracing::warn!("The comment gets no answer: {error}");
        }
    }
    Ok(handling.react(ReactionTarget::Comment(id), reaction)?)
}
