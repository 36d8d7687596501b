//! `findings`: what reviewers and checks found in a run and what is still open, for people, scripts and code scanners.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use super::CommandResult;
use super::arguments::{FindingsArgs, FindingsFormat};
use super::output;
use app::failure::Failure;
use app::project::Project;
use app::run_location::view;
use engine::{PhaseState, Run};
use model::redact::Masker;
use views::summary::{Problem, plain, problems, sarif};

pub(super) fn run(arguments: &FindingsArgs) -> CommandResult {
    let project = Project::open_without_settings()?;
    let found = view(&project, arguments.issue)?;
    let run = found.run();
    let problems = problems(run);
    let text = match arguments.format {
        FindingsFormat::Text => project.masker.mask(&lines(run, &problems)).as_str().to_owned(),
        FindingsFormat::Json => document(&project.masker, json_of(run, &problems)),
        FindingsFormat::Sarif => document(&project.masker, sarif(run, &problems, env!("CARGO_PKG_VERSION"))),
    };
    match arguments.output.as_ref().filter(|file| file.as_os_str() != "-") {
        None if arguments.format == FindingsFormat::Text => output::text(&text),
        None => output::document(&text),
        Some(file) => fs::write(file, text).map_err(|error| {
            Failure::usage(format!("failed to write {}: {error}", file.display()))
                .hint("name a file in a folder that is there, or `-` for stdout")
        })?,
    }
    Ok(0)
}

fn document(masker: &Masker, mut value: Value) -> String {
    masker.mask_value(&mut value);
    format!("{value:#}\n")
}

fn lines(run: &Run, found: &[Problem]) -> String {
    let open: Vec<&Problem> = found.iter().filter(|problem| problem.open).collect();
    let issue = &run.started.issue;
    let (number, settled) = (open.len(), found.len() - open.len());
    let mut text = format!("#{} {}: {number} open, {settled} settled\n", issue.number, plain(&issue.title));
    for problem in open {
        let _ = writeln!(text, "  {}", problem_text(problem));
    }
    let mut answered = found.iter().filter(|problem| problem.answered).peekable();
    if answered.peek().is_some() {
        text.push_str("answered:\n");
    }
    for problem in answered {
        let _ = writeln!(text, "  {}", problem_text(problem));
    }
    text
}

fn problem_text(problem: &Problem) -> String {
    let (phase, since, answer) = (&problem.phase, problem.first_round, problem.answer());
    plain(&format!("{} ({phase}, since round {since}{answer})", problem.line()))
}

fn json_of(run: &Run, found: &[Problem]) -> Value {
    let phases: serde_json::Map<String, Value> = run.phases.iter().map(rounds).collect();
    json!({
        "issue_number": run.started.issue.number,
        "outcome": run.outcome,
        "findings": found,
        "rounds": phases,
    })
}

fn rounds(phase: &PhaseState) -> (String, Value) {
    let of = phase.history.rounds.iter().map(|round| {
        let mut value = json!({
            "n": round.n, "verdict": round.verdict, "grade": round.grade, "ruling": round.ruling,
            "findings": round.findings.len(), "failed_checks": round.failed.len(),
        });
        if !round.opinions.is_empty() {
            value["opinions"] = json!(round.opinions);
        }
        value
    });
    (phase.name().to_string(), of.collect())
}
