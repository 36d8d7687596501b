//! A check that the project defines itself: its command is run by us in the worktree, and what it printed is read. What looks
//! at something else stands beside it.

mod commit_message;
mod conditions;

use serde_json::{Value, json};

use super::command::{self, End, Ground, Ran};
use super::{CheckResult, CheckStatus, Site, passed, result};
use model::policy::{CheckKind, DefinedCheck, Extractor};
use model::redact::Masker;
use process::{Environment, Stop};
use settings::SuccessWhen;
use settings::command_line::{fill_places, shell_line, split_words};
use tool_output::{Printed, Semantic, named, unavailable};

/// How much of a text is kept, in bytes from its end, and how many items of a list.
const KEPT: usize = 4000;
const MOST_ITEMS: usize = 49;
/// The pattern of a failure that is about files that are not there.
const FILE_MISSING: &str = "file-not-exists";
const ACTION_WHERE_UNAVAILABLE: &str =
    "Install or allow what is missing, or correct the check; no change of the code helps";
const ACTION_AFTER_COMMAND: &str = "Repair what the command complains about, and run it again";

/// A check of the project, with what it may look at.
#[derive(Clone, Copy)]
struct Defined<'a> {
    id: &'a str,
    check: &'a DefinedCheck,
    site: &'a Site<'a>,
}

pub(super) async fn examine(id: &str, check: &DefinedCheck, site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let defined = Defined { id, check, site };
    match &check.look {
        CheckKind::Command { run, shell } => defined.run(run, *shell, stop).await,
        CheckKind::Files { paths } => conditions::files(defined, paths),
        CheckKind::GitClean => conditions::git_clean(defined),
        CheckKind::IssueClosed => conditions::issue_closed(defined),
        CheckKind::RemoteChecks => conditions::remote_checks(defined),
        CheckKind::CommitMessages => commit_message::examine(defined),
    }
}

impl Defined<'_> {
    async fn run(self, run: &str, shell: bool, stop: &mut Stop) -> CheckResult {
        let line = self.filled(run);
        let Some(words) = self.words(run, shell) else {
            return self.unavailable(&format!("`{line}` cannot be read: its quotes do not match"));
        };
        let ground = match ground(run, self.site, stop).await {
            Ok(ground) => ground,
            Err(why) => return self.unavailable(&format!("`{line}` could not run: {why}")),
        };
        let seconds = self.check.timeout_seconds.unwrap_or(self.site.time.command_seconds);
        let ran = command::start(&words, &ground, Environment::default(), seconds, stop).await;
        let asks_for_paths = self.check.pattern == FILE_MISSING && !shell;
        let missing =
            if asks_for_paths { conditions::missing_paths(&words, &ground.folder) } else { Vec::new() };
        self.judge(&line, &ran, missing)
    }

    /// Returns the program and its arguments; a value is always one argument, or a part of one.
    fn words(self, line: &str, shell: bool) -> Option<Vec<String>> {
        if shell {
            let (line, names) = shell_line(line);
            let values = names.into_iter().map(|name| self.value(name).unwrap_or_default());
            let before = ["sh".to_owned(), "-c".to_owned(), line, "sh".to_owned()];
            return Some(before.into_iter().chain(values).collect());
        }
        let words = split_words(line).ok()?;
        Some(words.iter().map(|word| self.filled(word)).collect())
    }

    /// Returns a command or a path with the values of the check in their places.
    fn filled(self, line: &str) -> String {
        fill_places(line, |name| self.value(name))
    }

    fn value(self, name: &str) -> Option<String> {
        let value = self.check.params.get(name)?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }

    fn judge(self, line: &str, ran: &Ran, missing: Vec<String>) -> CheckResult {
        let printed = ran.printed();
        let why = match ran.code() {
            Ok(code) => match demand(&self.check.success_when, &printed) {
                None => {
                    let told = format!("`{line}` passed in {} ms with exit code {code}", ran.millis);
                    return command::with_command(passed(self.id, &told), line, printed.exit);
                }
                Some(why) => why,
            },
            Err(End::Broken(why)) => why,
            Err(end) => return self.unavailable(&format!("`{line}` {}", command::how(&end))),
        };
        let summary = format!("`{line}` failed: {why}");
        let failed = if printed.exit.is_some() && unavailable(&printed).is_some() {
            self.unavailable(&format!(
                "`{line}` could not run: {why}; its program or a permission is missing"
            ))
        } else if missing.is_empty() {
            self.meant_by(&summary, &printed)
        } else {
            conditions::missing(self, &summary, missing)
        };
        self.told(failed, line, &printed)
    }

    /// Makes a failure with the pattern of the check and the values that its prompt may insert: how grave it is, the files that it
    /// is about, its cause where that is known, and what to do next. What the project itself gives under these names stays.
    fn failed(self, summary: &str, meaning: &Semantic) -> CheckResult {
        let mut params = meaning.values();
        params.remove("summary");
        params.extend(self.check.params.clone());
        CheckResult {
            pattern: Some(self.check.pattern.clone()),
            params: params.into_iter().collect(),
            ..result(self.id, CheckStatus::Fail, summary)
        }
    }

    /// Makes a failure that says what is wrong, and what to do next.
    fn failure(self, summary: &str, error: &str, action: &str) -> CheckResult {
        let mut failed = self.failed(summary, &Semantic::of_failure(summary, Vec::new(), action));
        failed.params.insert("error".to_owned(), json!(error));
        failed
    }

    /// A check that could not look has not passed.
    fn unavailable(self, summary: &str) -> CheckResult {
        let meaning = Semantic::of_failure(summary, Vec::new(), ACTION_WHERE_UNAVAILABLE);
        CheckResult {
            status: CheckStatus::Unavailable,
            pattern: Some("command-unavailable".to_owned()),
            ..self.failed(summary, &meaning)
        }
    }

    /// Makes a failure of what the output of a command means, as the extractors of the check or a report of tests say it.
    fn meant_by(self, summary: &str, printed: &Printed<'_>) -> CheckResult {
        let extractors = self.check.extract.values().filter_map(|name| name.parse::<Extractor>().ok());
        // A report of tests is unmistakable, whether or not the project extracts it.
        let Some(mut meaning) = Semantic::of_output(extractors.chain([Extractor::FailedTests]), printed)
        else {
            return self.failed(summary, &Semantic::of_failure("", Vec::new(), ACTION_AFTER_COMMAND));
        };
        let masked = |text: &str| tail(self.site.masker.mask(text).as_str()).to_owned();
        meaning.root_cause = meaning.root_cause.as_deref().map(masked);
        meaning.related_files.truncate(MOST_ITEMS);
        self.failed(&format!("{summary}: {}", masked(&meaning.summary)), &meaning)
    }

    /// Adds what the command printed: as evidence, and as the parameters that the project wants.
    fn told(self, failed: CheckResult, line: &str, printed: &Printed<'_>) -> CheckResult {
        let masker = self.site.masker;
        let error = if printed.stderr.trim().is_empty() { printed.stdout } else { printed.stderr };
        let mut params = failed.params;
        params.extend([
            ("command".to_owned(), json!(line)),
            ("exitCode".to_owned(), json!(printed.exit)),
            ("error".to_owned(), bounded(error.into(), masker)),
        ]);
        for (param, extractor) in &self.check.extract {
            params.extend(named(extractor, printed).map(|value| (param.clone(), bounded(value, masker))));
        }
        let both = format!("{}\n{}", tail(printed.stdout), tail(printed.stderr));
        let evidence = masker.mask(both.trim()).as_str().to_owned();
        CheckResult { evidence, params, ..failed }
    }
}

/// Returns where a command runs: where what will be published stands alone, as for our own
/// commands. Only what asks git about the author's worktree has to stand in it.
async fn ground(line: &str, site: &Site<'_>, stop: &mut Stop) -> Result<Ground, String> {
    if asks_git(line) { Ok(Ground::of_author(site)) } else { Ground::published(site, stop).await }
}

/// Tells whether a line is one question to git and runs nothing else of the project: `git status --porcelain`,
/// `test -z "$(git status --porcelain)"`.
fn asks_git(line: &str) -> bool {
    let question =
        [r#"test -z "$("#, r#"[ -z "$("#].iter().find_map(|before| line.trim().strip_prefix(before));
    let runs_more = ["&", ";", "|", "`", "\n"].iter().any(|sign| line.contains(sign));
    question.unwrap_or(line).split_whitespace().next() == Some("git") && !runs_more
}

/// Says what was demanded and is not so.
fn demand(success_when: &str, printed: &Printed<'_>) -> Option<String> {
    match SuccessWhen::parse(success_when) {
        Err(why) => Some(format!("`success_when` {why}")),
        Ok(when) if when.judge(printed.stdout, printed.exit) => None,
        Ok(when) => Some(when.missed(printed.exit)),
    }
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

/// Returns the end of a text.
fn tail(text: &str) -> &str {
    model::text::tail(text, KEPT)
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
