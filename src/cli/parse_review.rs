//! `parse-review`: reads a verdict out of a review, the way a run does. Exits 0 whatever the verdict is.

use std::fs::File;
use std::io::{Read, stdin};

use super::CommandResult;
use super::arguments::ParseReview;
use super::output::show;
use app::failure::Failure;
use content_parser::{Terms, default_words, read_review};
use runner::report::verdict_line;
use runner::review;

pub(super) fn run(arguments: &ParseReview) -> CommandResult {
    let text = String::from_utf8_lossy(&bytes(arguments)?).into_owned();
    let words = default_words();
    let terms = Terms {
        review_id: arguments.review_id.as_deref(),
        require_review_id: arguments.review_id.is_some(),
        words: &words,
        beyond: &[],
    };
    let mut reading = read_review(&text, &terms);
    reading.doubt = if reading.judgment.approves() { review::doubt(&reading, &text) } else { None };
    let asked = reading
        .doubt
        .as_ref()
        .map(|doubt| format!("a run asks the reviewer once more: beside it stands `{doubt}`\n"));
    let value = serde_json::to_value(&reading).unwrap_or_default();
    let text = format!("{}\n{}\n{}", reading.result, verdict_line(&reading), asked.unwrap_or_default());
    show(arguments.json, &value, &text)
}

fn bytes(arguments: &ParseReview) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let file = arguments.file.as_ref().filter(|file| file.as_os_str() != "-");
    let read = match file {
        Some(file) => File::open(file).and_then(|mut file| file.read_to_end(&mut bytes)),
        None => stdin().read_to_end(&mut bytes),
    };
    let name = file.map_or("stdin".to_owned(), |file| file.display().to_string());
    read.map(|_| bytes).map_err(|error| {
        Failure::usage(format!("failed to read {name}: {error}")).hint("name a file, or `-` for stdin")
    })
}
