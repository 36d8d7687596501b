//! `findings`: what reviewers and checks found in a run and what is still open, for people, scripts and code scanners.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use super::CommandResult;
use super::arguments::{FindingsArgs, FindingsFormat};
use super::output;
use app::failure::Failure;
use app::findings::Findings;
use app::project::Project;
use app::run_location::view;
use model::redact::Masker;
use views::summary::{Problem, plain};

pub(super) fn run(arguments: &FindingsArgs) -> CommandResult {
    let project = Project::open_without_settings()?;
    let found = view(&project, arguments.issue)?;
    let findings = Findings::of_run(found.run());
    let text = match arguments.format {
        FindingsFormat::Text => project.masker.mask(&lines(&findings)).as_str().to_owned(),
        FindingsFormat::Json => document(&project.masker, findings.json()),
        FindingsFormat::Sarif => document(&project.masker, findings.sarif()),
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

fn lines(findings: &Findings) -> String {
    let found = &findings.problems;
    let open: Vec<&Problem> = found.iter().filter(|problem| problem.open).collect();
    let issue = &findings.run.started.issue;
    let (number, settled) = (open.len(), found.len() - open.len());
    let mut text = format!("#{} {}: {number} open, {settled} settled\n", issue.number, plain(&issue.title));
    for problem in open {
        let _ = writeln!(text, "  {}", problem_text(problem));
    }
    add_section(&mut text, "answered", found.iter().filter(|problem| problem.answered));
    add_section(&mut text, "withdrawn", found.iter().filter(|problem| problem.is_withdrawn()));
    text
}

fn add_section<'a>(text: &mut String, title: &str, problems: impl Iterator<Item = &'a Problem>) {
    let lines: String = problems.map(|problem| format!("  {}\n", problem_text(problem))).collect();
    if !lines.is_empty() {
        let _ = write!(text, "{title}:\n{lines}");
    }
}

fn problem_text(problem: &Problem) -> String {
    let (phase, since, answer) = (&problem.phase, problem.first_round, problem.answer());
    plain(&format!("{} ({phase}, since round {since}{answer})", problem.line()))
}
