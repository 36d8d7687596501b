//! A check that the project defines itself: its command is run by us in the worktree, and what it printed is read.
//! What looks at something else stands in a file of its own.

mod commit_message;
mod file_exists;
mod git_clean;
mod issue_closed;
mod missing_paths;
mod remote_checks;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Site, command, command_environment, passed, result};
use missing_paths::missing_paths;
use model::event::{CheckResult, CheckStatus};
use model::policy::{CheckKind, DefinedCheck, Extractor};
use model::redact::Masker;
use process::{self, Environment, Launch, ProgramEnd, ProgramExit, Stop};
use settings::SuccessWhen;
use settings::command_line::{fill_places, shell_line, split_words};
use tool_output::{Printed, Semantic, named, recoverable};

/// How much of a text is kept, in bytes from its end, and how many items of a list.
const KEPT: usize = 4000;
const MOST_ITEMS: usize = 49;

pub(super) async fn examine(id: &str, check: &DefinedCheck, site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    match &check.look {
        CheckKind::Command { run, shell } => {
            let line = shown(run, check);
            let Some(words) = words(run, *shell, check) else {
                return unavailable(id, check, &format!("`{line}` cannot be read: its quotes do not match"));
            };
            let ground = match ground(run, site, stop).await {
                Ok(ground) => ground,
                Err(why) => return unavailable(id, check, &format!("`{line}` could not run: {why}")),
            };
            let folder = ground.0.clone();
            let finish = launch(&words, check, ground, site, stop).await;
            let asks_for_paths = check.pattern == FILE_MISSING && !shell;
            let missing = if asks_for_paths { missing_paths(&words, &folder) } else { Vec::new() };
            judge(id, &line, check, &finish, missing, site.masker)
        }
        CheckKind::Files { paths } => file_exists::examine(id, paths, check, site),
        CheckKind::GitClean => git_clean::examine(id, check, site),
        CheckKind::IssueClosed => issue_closed::examine(id, check, site),
        CheckKind::RemoteChecks => remote_checks::examine(id, check, site),
        CheckKind::CommitMessages => commit_message::examine(id, check, site),
    }
}

/// Returns the program and its arguments; a value is always one argument, or a part of one.
fn words(line: &str, shell: bool, check: &DefinedCheck) -> Option<Vec<String>> {
    let value = |name: &str| check.params.get(name).map(text);
    if shell {
        let (line, names) = shell_line(line);
        let values = names.into_iter().map(|name| value(name).unwrap_or_default());
        let before = ["sh".to_owned(), "-c".to_owned(), line, "sh".to_owned()];
        return Some(before.into_iter().chain(values).collect());
    }
    let words = split_words(line).ok()?;
    Some(words.iter().map(|word| fill_places(word, value)).collect())
}

/// Returns a command or a path as people read it.
pub(super) fn shown(line: &str, check: &DefinedCheck) -> String {
    fill_places(line, |name| check.params.get(name).map(text))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns where a command runs and with which variables: where what will be published stands alone, as for our own
/// commands. Only what asks git about the author's worktree has to stand in it.
async fn ground(line: &str, site: &Site<'_>, stop: &mut Stop) -> Result<(PathBuf, Environment), String> {
    if asks_git(line) {
        return Ok((site.worktree.to_owned(), command_environment()));
    }
    command::ground_and_variables(site, stop).await
}

/// Tells whether a line is one question to git and runs nothing else of the project: `git status --porcelain`,
/// `test -z "$(git status --porcelain)"`.
fn asks_git(line: &str) -> bool {
    let question =
        [r#"test -z "$("#, r#"[ -z "$("#].iter().find_map(|before| line.trim().strip_prefix(before));
    let runs_more = ["&", ";", "|", "`", "\n"].iter().any(|sign| line.contains(sign));
    question.unwrap_or(line).split_whitespace().next() == Some("git") && !runs_more
}

async fn launch(
    words: &[String],
    check: &DefinedCheck,
    (folder, environment): (PathBuf, Environment),
    site: &Site<'_>,
    stop: &mut Stop,
) -> ProgramEnd {
    let wall = Duration::from_secs(check.timeout_seconds.unwrap_or(site.time.command_seconds));
    let (program, arguments) = words.split_first().expect("a command without words is no command");
    let launch = Launch {
        arguments: arguments.iter().map(Into::into).collect(),
        environment,
        ..Launch::new(program, &folder, wall)
    };
    process::run(&launch, &mut |_, _| {}, stop).await
}

fn judge(
    id: &str,
    line: &str,
    check: &DefinedCheck,
    finish: &ProgramEnd,
    missing: Vec<String>,
    masker: &Masker,
) -> CheckResult {
    let stdout = String::from_utf8_lossy(&finish.stdout);
    let exit = if let ProgramExit::Code(code) = finish.exit { Some(code) } else { None };
    let printed = Printed { stdout: &stdout, stderr: &finish.stderr_tail, exit };
    let why = match &finish.exit {
        ProgramExit::NotStarted(why) => {
            return unavailable(id, check, &format!("`{line}` could not run: {why}"));
        }
        ProgramExit::Stopped => return unavailable(id, check, &format!("`{line}` was stopped")),
        ProgramExit::Lost => return unavailable(id, check, &format!("`{line}`: its end was not seen")),
        ProgramExit::Code(code) => match demand(&check.success_when, &printed) {
            None => {
                let told = format!("`{line}` passed in {} ms with exit code {code}", finish.millis);
                return command::with_command(passed(id, &told), line, exit);
            }
            Some(why) => why,
        },
        ProgramExit::TimedOut | ProgramExit::Idle => "did not end in time".to_owned(),
        ProgramExit::Signal(_) => finish.exit.to_string(),
    };
    let failed = failed(id, check, &format!("`{line}` failed: {why}"));
    let failed = told(failed, line, check, &printed, masker);
    let failed = if missing.is_empty() {
        explained_by_output(failed, check, &printed, masker)
    } else {
        file_exists::name_missing(failed, missing)
    };
    if exit.is_none() || recoverable(&printed, None) {
        return failed;
    }
    let why = format!("`{line}` could not run: {why}; its program or a permission is missing");
    CheckResult { evidence: failed.evidence, ..unavailable(id, check, &why) }
}

/// Says what was demanded and is not so.
fn demand(success_when: &str, printed: &Printed<'_>) -> Option<String> {
    match SuccessWhen::parse(success_when) {
        Err(why) => Some(format!("`success_when` {why}")),
        Ok(when) if when.judge(printed.stdout, printed.exit) => None,
        Ok(when) => Some(when.missed(printed.exit)),
    }
}

/// Makes a failure with the pattern of the check and the values that its prompt may insert.
pub(super) fn failed(id: &str, check: &DefinedCheck, summary: &str) -> CheckResult {
    CheckResult {
        pattern: Some(check.pattern.clone()),
        params: check.params.clone(),
        ..result(id, CheckStatus::Fail, summary)
    }
}

/// A check that could not look has not passed.
pub(super) fn unavailable(id: &str, check: &DefinedCheck, summary: &str) -> CheckResult {
    let failed = CheckResult {
        status: CheckStatus::Unavailable,
        pattern: Some("command-unavailable".to_owned()),
        ..failed(id, check, summary)
    };
    explained(failed, &Semantic::of_failure(summary, Vec::new(), ACTION_WHERE_UNAVAILABLE))
}

/// The pattern of a failure that is about files that are not there.
const FILE_MISSING: &str = "file-not-exists";
const ACTION_WHERE_UNAVAILABLE: &str =
    "Install or allow what is missing, or correct the check; no change of the code helps";
const ACTION_AFTER_COMMAND: &str = "Repair what the command complains about, and run it again";

/// Adds how grave a failure is, the files that it is about, its cause where that is known, and what to do next. What the
/// project itself gives under these names stays.
pub(super) fn explained(mut failed: CheckResult, meaning: &Semantic) -> CheckResult {
    for (name, value) in meaning.values() {
        if name != "summary" {
            failed.params.entry(name).or_insert(value);
        }
    }
    failed
}

/// Adds what the output of a command means, as the extractors of the check or a report of tests say it.
fn explained_by_output(
    failed: CheckResult,
    check: &DefinedCheck,
    printed: &Printed<'_>,
    masker: &Masker,
) -> CheckResult {
    let extractors = check.extract.values().filter_map(|name| name.parse::<Extractor>().ok());
    // A report of tests is unmistakable, whether or not the project extracts it.
    let Some(mut meaning) = Semantic::of_output(extractors.chain([Extractor::FailedTests]), printed) else {
        return explained(failed, &Semantic::of_failure("", Vec::new(), ACTION_AFTER_COMMAND));
    };
    let masked = |text: &str| tail(masker.mask(text).as_str()).to_owned();
    meaning.root_cause = meaning.root_cause.as_deref().map(masked);
    meaning.related_files.truncate(MOST_ITEMS);
    let summary = format!("{}: {}", failed.summary, masked(&meaning.summary));
    CheckResult { summary, ..explained(failed, &meaning) }
}

/// Adds what the command printed: as evidence, and as the parameters that the project wants.
pub(super) fn told(
    failed: CheckResult,
    line: &str,
    check: &DefinedCheck,
    printed: &Printed<'_>,
    masker: &Masker,
) -> CheckResult {
    let error = if printed.stderr.trim().is_empty() { printed.stdout } else { printed.stderr };
    let mut params = failed.params;
    params.extend([
        ("command".to_owned(), json!(line)),
        ("exitCode".to_owned(), json!(printed.exit)),
        ("error".to_owned(), bounded(error.into(), masker)),
    ]);
    let read = check.extract.iter().filter_map(|(param, name)| Some((param.clone(), named(name, printed)?)));
    params.extend(read.map(|(param, value)| (param, bounded(value, masker))));
    let both = format!("{}\n{}", tail(printed.stdout), tail(printed.stderr));
    let evidence = masker.mask(both.trim()).as_str().to_owned();
    CheckResult { evidence, params, ..failed }
}

/// Masks every text of a value and cuts what is too long.
fn bounded(value: Value, masker: &Masker) -> Value {
    match value {
        Value::String(text) => tail(masker.mask(&text).as_str()).into(),
        Value::Array(items) => {
            let more = items.len().saturating_sub(MOST_ITEMS);
            let more = (more > 0).then(|| how_many_more(&items[0], more));
            let kept = items.into_iter().take(MOST_ITEMS).map(|item| bounded(item, masker));
            kept.chain(more).collect()
        }
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (key, bounded(value, masker)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        plain => plain,
    }
}

/// Says how many items are left out, in the form that the others have.
fn how_many_more(first: &Value, more: usize) -> Value {
    let told = format!("… and {more} more");
    let name = ["name", "message"].into_iter().find(|name| first.get(name).is_some());
    name.map_or_else(|| json!(told), |name| json!({ name: told }))
}

fn tail(text: &str) -> &str {
    let from = text.len().saturating_sub(KEPT);
    let from = (from..text.len()).find(|index| text.is_char_boundary(*index)).unwrap_or(text.len());
    &text[from..]
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{MOST_ITEMS, asks_git, bounded};
    use model::redact::Masker;

    #[test]
    fn what_is_left_out_of_a_list_is_counted_in_the_form_of_the_others() {
        let list = |item: &dyn Fn(usize) -> Value| -> Vec<Value> {
            let all: Value = (0..150).map(item).collect();
            bounded(all, &Masker::new([])).as_array().cloned().unwrap_or_default()
        };
        let texts = list(&|number| json!(format!("t{number}")));
        assert_eq!((texts.len(), &texts[MOST_ITEMS]), (MOST_ITEMS + 1, &json!("… and 101 more")));
        let tests = list(&|number| json!({"name": format!("t{number}"), "error": "x"}));
        assert_eq!(tests[MOST_ITEMS], json!({"name": "… and 101 more"}));
        assert_eq!(bounded(json!(["a"]), &Masker::new([])), json!(["a"]));
    }

    #[test]
    fn only_a_single_question_to_git_is_asked_in_the_authors_worktree() {
        for line in ["git status --porcelain", " git diff --quiet", "test -z \"$(git status --porcelain)\""] {
            assert!(asks_git(line), "{line}");
        }
        for line in
            ["npm test", "git diff --quiet && npm test", "git stash; npm test", "sh git", "gitlint .", ""]
        {
            assert!(!asks_git(line), "{line}");
        }
    }
}
