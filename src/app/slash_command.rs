//! Reads what a comment on an issue asks of us: `/ai-workflow run` and its like, at the start of a line that is nobody
//! else's word. Exactly one command is obeyed; in doubt none is. Does not know who wrote it, nor whether it can be done.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

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

/// Returns where the lines with commands are, without what ends them: in the comment's own paragraphs, and in no list,
/// quotation, code or comment of HTML.
fn commands(comment: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut depth = 0_usize;
    for (event, span) in Parser::new_ext(comment, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 && matches!(tag, Tag::Paragraph | Tag::Heading { .. }) {
                    found.extend(lines_with_command(comment, span));
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            Event::Code(_) | Event::InlineHtml(_) => found.retain(|line| !span.contains(&line.start)),
            _ => {}
        }
    }
    found
}

fn lines_with_command(comment: &str, block: Range<usize>) -> Vec<Range<usize>> {
    let mut start = block.start;
    let mut found = Vec::new();
    for line in comment[start..block.end].split_inclusive('\n') {
        if named(line.trim_end()).is_some() {
            found.push(start..start + line.trim_end().len());
        }
        start += line.len();
    }
    found
}

/// Returns what stands behind the prefix of a line that begins with it.
fn named(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(' ');
    let (prefix, rest) = line.split_at_checked(PREFIX.len())?;
    let is_command =
        prefix.eq_ignore_ascii_case(PREFIX) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    if is_command { Some(rest.trim()) } else { None }
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
