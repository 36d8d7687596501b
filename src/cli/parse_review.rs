//! `parse-review`: reads a verdict out of a review, the way a run does. Exits 0 whatever the verdict is.

use std::fs::File;
use std::io::{self, Read, stdin};
use std::path::Path;

use super::CommandResult;
use super::arguments::ParseReviewArgs;
use super::output::show;
use app::failure::Failure;
use content_parser::{Terms, default_words, read_review};
use runner::report::verdict_line;
use runner::review;

pub(super) fn run(arguments: &ParseReviewArgs) -> CommandResult {
    let file = arguments.file.as_deref().filter(|file| file.as_os_str() != "-");
    let bytes = read_file_or_stdin(file).map_err(|error| {
        let name = file.map_or("stdin".to_owned(), |file| file.display().to_string());
        Failure::usage(format!("failed to read {name}: {error}")).hint("name a file, or `-` for stdin")
    })?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let words = default_words();
    let terms = Terms {
        review_id: arguments.review_id.as_deref(),
        require_review_id: arguments.review_id.is_some(),
        words: &words,
        beyond: &[],
    };
    let mut reading = read_review(&text, &terms);
    reading.doubt = if reading.judgment.approves() { review::doubt(&reading, &text) } else { None };
    let reading = review::add_stated_findings(reading, &text, false);
    let asked = reading
        .doubt
        .as_ref()
        .map(|doubt| format!("a run asks the reviewer once more: beside it stands `{doubt}`\n"));
    let value = serde_json::to_value(&reading).unwrap_or_default();
    let text = format!("{}\n{}\n{}", reading.result, verdict_line(&reading), asked.unwrap_or_default());
    show(arguments.json, &value, &text)
}

/// Reads a file, or stdin where none is named or `-` is.
pub(super) fn read_file_or_stdin(file: Option<&Path>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match file.filter(|file| file.as_os_str() != "-") {
        Some(file) => File::open(file)?.read_to_end(&mut bytes)?,
        None => stdin().read_to_end(&mut bytes)?,
    };
    Ok(bytes)
}
