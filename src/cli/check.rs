//! `check`: the results of the checks, one line each with what is behind it, or as JSON or SARIF. Judges nothing.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::CommandResult;
use super::arguments::CheckArgs;
use super::observer::TerminalObserver;
use super::output::{print, words};
use super::parse_review::read_file_or_stdin;
use app::check::{CheckReport, CheckRequest, GivenTask, check};
use app::failure::Failure;
use app::project::{Project, SettingOverrides};
use checks::shown_by;
use model::event::{CheckResult, CheckStatus, Place, ReviewQuestion, ReviewQuestions};
use model::policy::criterion;
use model::redact::Masker;
use views::summary::{FAILED_BEFORE, counted, neutralize_json, pad, plain};

/// The last lines of a command's output that are shown.
const LAST_LINES: usize = 12;

/// Runs `check`.
pub(super) fn run(arguments: CheckArgs) -> CommandResult {
    let _log = TerminalObserver::new(arguments.json);
    let (json, sarif) = (arguments.json, arguments.sarif.clone());
    let shows_all = arguments.all || !arguments.only.is_empty();
    let project = Project::open(overrides(&arguments))?;
    let report = check(&project, &request(arguments, &project.masker)?)?;
    for warning in &report.warnings {
        words(&format!("warning: {}\n", plain(project.masker.mask(warning).as_str())));
    }
    let code = u8::from(!report.is_ok());
    if let Some(file) = sarif {
        let mut log = report.sarif();
        project.masker.mask_value(&mut log);
        if file == Path::new("-") {
            print(true, &log, "");
            return Ok(code);
        }
        write_sarif(&file, &log)?;
    }
    print(json, &value(&report, &project.masker), &lines(&report, shows_all, &project.masker));
    Ok(code)
}

fn overrides(arguments: &CheckArgs) -> SettingOverrides {
    let mut set = arguments.set.clone();
    set.extend(arguments.template.as_ref().map(|template| format!("checks.template={template}")));
    SettingOverrides { config: arguments.config.clone(), set, ..SettingOverrides::default() }
}

fn request(arguments: CheckArgs, masker: &Masker) -> Result<CheckRequest, Failure> {
    let CheckArgs { only, template, expect: expected, base, no_commands, in_place, .. } = arguments;
    let answer = arguments.output.as_deref().map(|file| read_answer(file, masker)).transpose()?;
    let task = match (arguments.issue, arguments.message) {
        (Some(number), _) => GivenTask::Issue(number),
        (None, Some(text)) => GivenTask::Message(text),
        (None, None) => GivenTask::Commits,
    };
    Ok(CheckRequest { only, template, expected, base, answer, no_commands, in_place, task })
}

fn write_sarif(file: &Path, log: &Value) -> Result<(), Failure> {
    fs::write(file, neutralize_json(&format!("{log:#}\n"))).map_err(|error| {
        Failure::usage(format!("failed to write {}: {error}", file.display()))
            .hint("`--sarif` names a file in a folder that is there")
    })
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
    let questions = report.questions();
    let results = report.results.iter().map(|result| {
        let asked: Vec<Value> = questions_of(result, &questions).map(question_value).collect();
        json!({
            "check": result.check, "criterion": criterion(&result.check), "status": result.status,
            "required": !report.is_noted(result), "pattern": result.pattern, "summary": result.summary,
            "places": result.places, "evidence": result.evidence, "questions": asked,
        })
    });
    let asked_for = report.asked_for.as_ref();
    let asked_for =
        asked_for.map(|asked| json!({"source": asked.source.to_string(), "title": asked.issue.title}));
    let mut value = json!({
        "ok": report.is_ok(), "base": report.since.commit.to_string(), "base_name": report.since.name,
        "changed_files": report.changed, "asked_for": asked_for, "results": results.collect::<Vec<_>>(),
        "tests": report.tests, "warnings": report.warnings,
    });
    masker.mask_value(&mut value);
    value
}

fn question_value(question: &ReviewQuestion) -> Value {
    let place = &question.place;
    json!({"id": question.id, "file": place.file, "line": place.line, "what": place.what})
}

fn questions_of<'a>(
    result: &'a CheckResult,
    questions: &'a ReviewQuestions,
) -> impl Iterator<Item = &'a ReviewQuestion> {
    questions.asked.iter().filter(|question| question.check == result.check)
}

/// Returns the results as lines, without secrets and control characters: all, or those that somebody has to look at.
fn lines(report: &CheckReport, shows_all: bool, masker: &Masker) -> String {
    let safe = |text: &str| plain(masker.mask(text).as_str());
    let is_fine = |result: &CheckResult| matches!(result.status, CheckStatus::Pass | CheckStatus::Skipped);
    let is_shown = |result: &&CheckResult| shows_all || !is_fine(result);
    let shown: Vec<&CheckResult> = report.results.iter().filter(is_shown).collect();
    let width = shown.iter().map(|result| name(result).len()).max().unwrap_or(0);
    let questions = report.questions();
    let mut text: String = head(report).iter().map(|line| format!("{}\n", safe(line))).collect();
    for (at, result) in shown.iter().enumerate() {
        if shown[..at].iter().any(|earlier| is_same(result, earlier)) {
            continue;
        }
        let (mark, _) = mark(report, result);
        let said = safe(&said(report, result, &questions));
        let _ = writeln!(text, "{mark} {}  {said}", pad(&name(result), width));
        for line in details(result, &questions).into_iter().chain(same_as(result, &shown[at + 1..])) {
            let _ = writeln!(text, "  {:width$}  {}", "", safe(&line));
        }
    }
    let more = if shown.len() < report.results.len() { "; `--all` shows each" } else { "" };
    let _ = writeln!(text, "{}{more}", counts(report));
    text
}

/// Tells whether two checks could not be made for the same reason.
fn is_same(result: &CheckResult, other: &CheckResult) -> bool {
    let is_unavailable = |result: &CheckResult| result.status == CheckStatus::Unavailable;
    is_unavailable(result) && is_unavailable(other) && result.summary == other.summary
}

/// Returns the line that names later checks which could not be made for the same reason.
fn same_as(result: &CheckResult, later: &[&CheckResult]) -> Option<String> {
    let same: Vec<String> =
        later.iter().filter(|other| is_same(result, other)).map(|other| name(other)).collect();
    (!same.is_empty()).then(|| format!("the same: {}", same.join(", ")))
}

/// Returns the summary; the number of questions where it only repeats the first of them.
fn said(report: &CheckReport, result: &CheckResult, questions: &ReviewQuestions) -> String {
    let repeats = |first: &Place| {
        let first = shown_by(&result.check, first);
        result.summary.ends_with(&first) || result.summary.contains(&format!("{first} (and "))
    };
    if result.asks && result.places.first().is_some_and(repeats) {
        let asked = questions_of(result, questions).count();
        return format!("{} for the reviewer", counted(asked as u64, "question"));
    }
    format!("{}{}", mark(report, result).1, result.summary)
}

/// Returns what was compared, and what the change was asked for by.
fn head(report: &CheckReport) -> Vec<String> {
    let base = format!("{} ({})", &report.since.commit.as_str()[..9], report.since.name);
    let changed = match report.changed {
        0 => format!("nothing changed since {base}"),
        files => format!("{} changed since {base}", counted(files as u64, "file")),
    };
    let asked_for = report.asked_for.as_ref();
    let asked_for = asked_for.map(|asked| format!("asked for by {}: {}", asked.source, asked.issue.title));
    [changed].into_iter().chain(asked_for).collect()
}

fn mark(report: &CheckReport, result: &CheckResult) -> (char, &'static str) {
    match result.status {
        CheckStatus::Pass => ('✓', ""),
        CheckStatus::Skipped => ('-', "skipped: "),
        CheckStatus::FailedBefore => ('=', "failed before, not charged: "),
        CheckStatus::Fail if result.asks => ('→', "for the reviewer: "),
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
        ('→', "with questions"),
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

/// Returns what stands behind a result that is no pass: what it asks, the places its summary does not show, or the last of its
/// evidence.
fn details(result: &CheckResult, questions: &ReviewQuestions) -> Vec<String> {
    if !matches!(result.status, CheckStatus::Fail | CheckStatus::Unavailable) {
        return Vec::new();
    }
    let place = |place: &Place| shown_by(&result.check, place);
    let mut lines: Vec<String> = if result.asks {
        let asked = questions_of(result, questions);
        asked.map(|question| format!("{}: {}", question.id, place(&question.place))).collect()
    } else {
        result.places.iter().map(place).filter(|place| !result.summary.contains(place)).collect()
    };
    let known = result.params.get("count").and_then(Value::as_u64).unwrap_or(0);
    let all = known.max(result.places.len() as u64);
    let told = if result.asks { lines.len() } else { result.places.len() };
    let more = all.saturating_sub(told as u64);
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
