//! Reads what a comment on an issue asks of us: `/ai-workflow run` and its like, at the start of a line that is nobody
//! else's word. Exactly one command is obeyed; in doubt none is. Does not know who wrote it, nor whether it can be done.

use std::ops::Range;

use super::markdown::{Quoted, comments, is_indented, is_inside, lines};
use super::text::after_prefix;

/// What a command begins with.
const PREFIX: &str = "/ai-workflow";

/// What a person asks for with a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlashCommand {
    /// Begin the run, or go on with it.
    Run,
    /// Go on after a pause.
    Resume,
    /// Wait before the next phase.
    Pause,
    /// End the run for good.
    Cancel,
    /// Open a phase again.
    Retry {
        /// The phase.
        phase: String,
    },
    /// Leave a phase out that has not begun.
    Skip {
        /// The phase.
        phase: String,
    },
    /// Answer the question of a paused run.
    Answer {
        /// The answer.
        text: String,
    },
    /// Take the work as it is.
    Accept {
        /// The reason.
        reason: String,
    },
    /// `/ai-workflow status`: shows where the run is.
    Status,
    /// `/ai-workflow explain`: shows which rule led to each ruling.
    Explain,
}

/// Why a command is not obeyed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unclear {
    /// No word follows `/ai-workflow`.
    #[error("no command is named")]
    Bare,
    /// The word is none of the commands.
    #[error("there is no command of that name")]
    Unknown,
    /// There are several commands in one comment.
    #[error("only one command can be given in a comment")]
    Several,
    /// A word is missing behind the command.
    #[error("`{command}` lacks {what}")]
    Lacking {
        /// The command.
        command: &'static str,
        /// What is missing.
        what: &'static str,
    },
    /// There is more than one word where a phase is expected.
    #[error("`{command}` takes one phase")]
    OnePhase {
        /// The command.
        command: &'static str,
    },
    /// There are words behind a command that takes none.
    #[error("`{command}` takes nothing behind it")]
    TooMuch {
        /// The command.
        command: &'static str,
    },
}

/// The line that helps whoever wrote a command that we do not understand.
pub const COMMAND_HELP: &str = "`/ai-workflow` at the start of a line, and one of: `run`, `resume`, `pause`, `cancel`, \
     `retry PHASE`, `skip PHASE`, `answer TEXT`, `accept REASON`, `status`, `explain`";

/// Reads the command of a comment; nothing where there is none.
pub fn slash_command(comment: &str) -> Option<Result<SlashCommand, Unclear>> {
    let commands = commands(comment);
    let (only, more) = commands.split_first()?;
    Some(if more.is_empty() {
        understood(&comment[only.clone()], &comment[only.end..])
    } else {
        Err(Unclear::Several)
    })
}

/// Returns where the lines with commands are, without what ends them.
fn commands(comment: &str) -> Vec<Range<usize>> {
    let quoted = Quoted::in_full(comment);
    let hidden = comments(comment, false);
    let mut found = Vec::new();
    let mut in_quote = false;
    for (start, line) in lines(comment) {
        let text = line.trim_end();
        // A line directly below a quotation is shown as part of it.
        in_quote = !text.is_empty() && (in_quote || text.trim_start().starts_with('>'));
        let own = !in_quote && !is_indented(line) && quoted.is_own(start, line);
        if own && named(text).is_some() && !is_inside(&hidden, start) {
            found.push(start..start + text.len());
        }
    }
    found
}

/// Returns what stands behind the prefix of a line that begins with it.
fn named(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(' ');
    let rest = after_prefix(line, PREFIX)?;
    if rest.is_empty() || rest.starts_with([' ', '\t']) { Some(rest.trim()) } else { None }
}

fn understood(line: &str, below: &str) -> Result<SlashCommand, Unclear> {
    let said = named(line).unwrap_or_default();
    let (word, rest) = said.split_once([' ', '\t']).unwrap_or((said, ""));
    let rest = rest.trim();
    let alone = |command: &'static str, meant: SlashCommand| {
        if rest.is_empty() { Ok(meant) } else { Err(Unclear::TooMuch { command }) }
    };
    let phase = |command: &'static str| match rest.split_whitespace().collect::<Vec<_>>()[..] {
        [] => Err(Unclear::Lacking { command, what: "the name of a phase" }),
        [phase] => Ok(phase.to_owned()),
        _ => Err(Unclear::OnePhase { command }),
    };
    let text = |command: &'static str, what: &'static str| {
        let text = format!("{rest}{}", below.replace("\r\n", "\n")).trim().to_owned();
        if text.is_empty() { Err(Unclear::Lacking { command, what }) } else { Ok(text) }
    };
    match word.to_ascii_lowercase().as_str() {
        "" | "help" => Err(Unclear::Bare),
        "run" => alone("run", SlashCommand::Run),
        "resume" => alone("resume", SlashCommand::Resume),
        "pause" => alone("pause", SlashCommand::Pause),
        "cancel" => alone("cancel", SlashCommand::Cancel),
        "status" => alone("status", SlashCommand::Status),
        "explain" => alone("explain", SlashCommand::Explain),
        "retry" => Ok(SlashCommand::Retry { phase: phase("retry")? }),
        "skip" => Ok(SlashCommand::Skip { phase: phase("skip")? }),
        "answer" => Ok(SlashCommand::Answer { text: text("answer", "its text")? }),
        "accept" => Ok(SlashCommand::Accept { reason: text("accept", "a reason")? }),
        _ => Err(Unclear::Unknown),
    }
}

#[cfg(test)]
mod tests;
