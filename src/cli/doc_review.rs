//! `doc-review`: the document review of a run by hand: one review, one answer to it, or with `--autofix` the whole loop.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::CommandResult;
use super::arguments::DocReviewArgs;
use super::observer::{TerminalObserver, show_ending};
use super::output::print;
use app::doc_review::{DocReviewMode, DocReviewOutcome, review_documents};
use app::failure::{Failure, exit_code};
use app::locked_run::LockedRun;
use model::phase::PhaseName;
use views::summary::{counted, plain};

pub(super) fn run(arguments: &DocReviewArgs) -> CommandResult {
    let observer = TerminalObserver::new(arguments.common.json);
    let project = crate::project::open(&arguments.common.settings)?;
    let mode = match (arguments.autofix, arguments.fix) {
        (true, _) => DocReviewMode::Loop,
        (false, true) => DocReviewMode::Fix,
        (false, false) => DocReviewMode::Review,
    };
    let halt = match review_documents(&project, &observer, arguments.issue, mode)? {
        DocReviewOutcome::Halted(halt) => halt,
        DocReviewOutcome::Reviewed(locked, phase, halt) => {
            show_ending(&locked);
            let (review, lines) = review(&locked, &phase)?;
            let mut value = locked.report(halt);
            value["review"] = review;
            print(arguments.common.json, &value, &lines);
            halt
        }
    };
    Ok(exit_code(halt))
}

/// Returns what the review says, as JSON and as lines.
fn review(locked: &LockedRun, phase: &PhaseName) -> Result<(Value, String), Failure> {
    let run = locked.run();
    let reviewed = run.phase(phase).and_then(|phase| Some((phase, phase.reviews.current.as_ref()?)));
    let Some((phase, review)) = reviewed else { return Ok((Value::Null, String::new())) };
    let (round, reading) = (review.round, review.reading.as_ref());
    let document = locked.folder.review_document(&phase.def, round);
    let value = json!({
        "round": round, "document": document,
        "verdict": reading.map(|reading| reading.result),
        "read_as": reading.map(|reading| &reading.read_as),
        "findings": reading.map(|reading| &reading.findings),
    });
    let Some(reading) = reading else { return Ok((value, String::new())) };
    let findings = counted(reading.findings.len() as u64, "finding");
    let mut text = format!("round {round}: {} by {}, {findings}\n", reading.result, reading.read_as);
    for finding in &reading.findings {
        let place = finding.file.as_deref().map(|file| format!("{}: ", plain(file))).unwrap_or_default();
        let _ = writeln!(text, "  {} {place}{}", finding.severity.as_str(), plain(&finding.issue));
    }
    let number = run.started.issue.number;
    let _ = writeln!(
        text,
        "read it in {document}\nanswer it with `ai-workflow doc-review --issue {number} --fix`"
    );
    Ok((value, text))
}
