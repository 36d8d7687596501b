//! `check`: the results of the checks, one line each with what is behind it, or as JSON. Judges nothing.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::CommandResult;
use super::arguments::CheckArgs;
use super::output::{print, words};
use super::parse_review::read_file_or_stdin;
use app::check::{CheckReport, CheckRequest, check};
use app::failure::Failure;
use app::project::{Project, SettingOverrides};
use checks::shown;
use model::event::{CheckResult, CheckStatus};
use model::policy::criterion;
use model::redact::Masker;
use views::summary::{FAILED_BEFORE, counted, pad, plain};

/// The last lines of a command's output that are shown.
const LAST_LINES: usize = 12;

/// Runs `check`.
pub(super) fn run(arguments: CheckArgs) -> CommandResult {
    let CheckArgs { only, template, expect: expected, base, output, no_commands, json, config, mut set } =
        arguments;
    set.extend(template.as_ref().map(|template| format!("checks.template={template}")));
    let overrides = SettingOverrides { config, set, ..SettingOverrides::default() };
    let project = Project::open(overrides)?;
    let answer = match &output {
        Some(file) => Some(read_answer(file, &project.masker)?),
        None => None,
    };
    let request = CheckRequest { only, template, expected, base, answer, no_commands };
    let report = check(&project, &request)?;
    for warning in &report.warnings {
        words(&format!("warning: {}\n", plain(project.masker.mask(warning).as_str())));
    }
    print(json, &value(&report, &project.masker), &lines(&report, &project.masker));
    Ok(u8::from(!report.is_ok()))
}

/// Reads what an agent answered, without secrets.
fn read_answer(file: &Path, masker: &Masker) -> Result<String, Failure> {
    let bytes = read_file_or_stdin(Some(file)).map_err(|error| {
        Failure::usage(format!("failed to read {}: {error}", file.display()))
            .hint("`--output` names what the agent answered, or `-` for stdin")
    })?;
    Ok(masker.mask(&String::from_utf8_lossy(&bytes)).to_string())
}

/// Returns the results as JSON, without secrets.
fn value(report: &CheckReport, masker: &Masker) -> Value {
    let results = report.results.iter().map(|result| {
        json!({
            "check": result.check, "criterion": criterion(&result.check), "status": result.status,
            "required": !report.is_noted(result), "pattern": result.pattern, "summary": result.summary,
            "places": result.places, "evidence": result.evidence,
        })
    });
    let mut value = json!({
        "ok": report.is_ok(), "base": report.since.commit.to_string(), "base_name": report.since.name,
        "changed_files": report.changed, "results": results.collect::<Vec<_>>(), "warnings": report.warnings,
    });
    masker.mask_value(&mut value);
    value
}

/// Returns the results as lines, without secrets and control characters.
fn lines(report: &CheckReport, masker: &Masker) -> String {
    let safe = |text: &str| plain(masker.mask(text).as_str());
    let width = report.results.iter().map(|result| name(result).len()).max().unwrap_or(0);
    let mut text = format!("{}\n", safe(&head(report)));
    for result in &report.results {
        let (mark, prefix) = mark(report, result);
        let summary = safe(&result.summary);
        let _ = writeln!(text, "{mark} {}  {prefix}{summary}", pad(&name(result), width));
        for line in details(result) {
            let _ = writeln!(text, "  {:width$}  {}", "", safe(&line));
        }
    }
    let _ = writeln!(text, "{}", counts(report));
    text
}

fn head(report: &CheckReport) -> String {
    let base = format!("{} ({})", &report.since.commit.as_str()[..9], report.since.name);
    match report.changed {
        0 => format!("nothing changed since {base}"),
        files => format!("{} changed since {base}", counted(files as u64, "file")),
    }
}

fn mark(report: &CheckReport, result: &CheckResult) -> (char, &'static str) {
    match result.status {
        CheckStatus::Pass => ('✓', ""),
        CheckStatus::Skipped => ('-', "skipped: "),
        CheckStatus::FailedBefore => ('=', "failed before, not charged: "),
        CheckStatus::Fail if report.is_noted(result) => ('!', "noted: "),
        CheckStatus::Fail => ('✗', ""),
        CheckStatus::Unavailable => ('?', "unavailable: "),
    }
}

fn counts(report: &CheckReport) -> String {
    let marks = [
        ('✓', "passed"),
        ('✗', "failed"),
        ('?', "unavailable"),
        ('=', FAILED_BEFORE),
        ('!', "noted"),
        ('-', "skipped"),
    ];
    let mut counts = Vec::new();
    for (wanted, word) in marks {
        let count = report.results.iter().filter(|result| mark(report, result).0 == wanted).count();
        if count > 0 {
            counts.push(format!("{count} {word}"));
        }
    }
    let counts = counts.join(", ");
    let is_judged = report.results.iter().any(|result| result.status != CheckStatus::Skipped);
    match (is_judged, counts.is_empty()) {
        (true, _) => counts,
        (false, true) => "nothing was judged".to_owned(),
        (false, false) => format!("{counts}: nothing was judged"),
    }
}

fn name(result: &CheckResult) -> String {
    match criterion(&result.check) {
        Some(criterion) => format!("{} ({criterion})", result.check),
        None => result.check.clone(),
    }
}

/// Returns what stands behind a result that is no pass: the places its summary does not show, or the last of its evidence.
fn details(result: &CheckResult) -> Vec<String> {
    if !matches!(result.status, CheckStatus::Fail | CheckStatus::Unavailable) {
        return Vec::new();
    }
    let places = result.places.iter().map(shown).filter(|place| !result.summary.contains(place));
    let mut lines: Vec<String> = places.collect();
    let known = result.params.get("count").and_then(Value::as_u64).unwrap_or(0);
    let more = known.saturating_sub(result.places.len() as u64);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    if result.places.is_empty() {
        let all: Vec<&str> = result.evidence.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = &all[all.len().saturating_sub(LAST_LINES)..];
        lines.extend(last.iter().map(|line| format!("| {line}")));
    }
    lines
}
