//! What was typed wrong, in the words of every other failure: one `error:` line and hints.

use clap::error::ErrorKind;

use super::failure::Failure;
use super::show::{data, words};

/// Shows a help text that was asked for, or turns a usage error into a failure.
pub(super) fn shown_or_failure(error: &clap::Error) -> Result<u8, Failure> {
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
    match paragraph.strip_prefix("Usage: ") {
        Some(usage) => Some(format!("usage: {usage}")),
        None if paragraph.starts_with("For more information") => {
            Some("`--help` lists what can be given".to_owned())
        }
        None => None,
    }
}

fn one_line(paragraph: &str) -> String {
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usage_error_is_one_line_with_hints() {
        let text = "error: unrecognized subcommand 'exekute'\n\n  tip: a similar subcommand exists: 'execute'\n\nUsage: ai-workflow <COMMAND>\n\nFor more information, try '--help'.\n";
        assert_eq!(
            failure(text).to_string(),
            "error: unrecognized subcommand 'exekute'\nhint: a similar subcommand exists: 'execute'\nhint: usage: ai-workflow <COMMAND>\nhint: `--help` lists what can be given"
        );
    }

    #[test]
    fn what_is_missing_stands_on_the_error_line() {
        let text = "error: the following required arguments were not provided:\n  --issue <N>\n\nUsage: x";
        assert_eq!(
            failure(text).to_string(),
            "error: the following required arguments were not provided: --issue <N>\nhint: usage: x"
        );
    }
}
