//! What clap writes: help texts, usage errors in the form of every other failure (one `error:` line and hints), and the
//! completion scripts of `completions`.

#[cfg(test)]
mod tests;

use clap::CommandFactory;
use clap::error::ErrorKind;

use super::arguments::{CompletionsArgs, ProgramArgs};
use super::output::{data, words};
use app::failure::Failure;

/// Prints a completion script for a shell.
pub(super) fn complete(arguments: &CompletionsArgs) {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut ProgramArgs::command(), "ai-workflow", &mut script);
    data(&script);
}

/// Shows a help text that was asked for, or turns a usage error into a failure.
pub(super) fn help_or_failure(error: &clap::Error) -> Result<u8, Failure> {
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            data(text.as_bytes());
            Ok(0)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            words(&text);
            Ok(2)
        }
        _ => Err(failure(&text)),
    }
}

/// Reads clap's paragraphs: the error, tips, the usage, and where help is.
fn failure(text: &str) -> Failure {
    let mut paragraphs = text.split("\n\n").map(one_line);
    let first = paragraphs.next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(&first).to_owned();
    paragraphs.filter_map(|paragraph| hint(&paragraph)).fold(Failure::usage(message), Failure::hint)
}

fn hint(paragraph: &str) -> Option<String> {
    if let Some(tip) = paragraph.strip_prefix("tip: ") {
        return Some(tip.to_owned());
    }
    if let Some(usage) = paragraph.strip_prefix("Usage: ") {
        return Some(format!("usage: {usage}"));
    }
    paragraph.starts_with("For more information").then(|| "`--help` lists what can be given".to_owned())
}

fn one_line(paragraph: &str) -> String {
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}
