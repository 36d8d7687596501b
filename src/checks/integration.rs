//! What a project runs at the end, each in its turn: the scripts that validate the repository, then the tests of every language
//! and the lint. The first that fails ends the check. A program that is missing is passed over and told, never a pass.

use super::command::{self, Asked};
use super::detected::INTEGRATION;
use super::{CheckResult, CheckStatus, Site, passed, result, skipped};
use process::Stop;

pub(super) const ID: &str = "integration";

pub(super) async fn examine(site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let commands = commands(site);
    if commands.is_empty() {
        return skipped(ID, "the repository has no script that validates it, and no tests");
    }
    let (mut done, mut not_passed, mut status) = (Vec::new(), Vec::new(), CheckStatus::Pass);
    for (index, asked) in commands.iter().enumerate() {
        let result = command::examine_again(*asked, site, stop).await;
        match result.status {
            CheckStatus::Pass | CheckStatus::Skipped => done.push(asked.line),
            CheckStatus::Unavailable | CheckStatus::FailedBefore => {
                if status != CheckStatus::Unavailable {
                    status = result.status;
                }
                not_passed.push(result.summary);
            }
            CheckStatus::Fail => return stopped(result, &commands[index + 1..]),
        }
    }
    conclude(&done, status, &not_passed)
}

/// Returns the commands of the project in their order.
fn commands<'a>(site: &'a Site<'_>) -> Vec<Asked<'a>> {
    let line = |key: &str| site.commands.get(key);
    // The tests of the project that are those of a language are run in its turn.
    let mut languages = INTEGRATION.iter().filter(|key| key.ends_with("test") && **key != "test");
    let is_of_language = languages.any(|key| line(key) == line("test"));
    let keys = INTEGRATION.into_iter().filter(|key| *key != "test" || !is_of_language);
    keys.filter_map(|key| command::asked(kind(key), key, site)).collect()
}

/// Returns the check by whose rules the output of a command is read.
fn kind(key: &str) -> &'static str {
    match key {
        "lint" => "lint",
        "validate" | "consistency" => ID,
        _ => "tests",
    }
}

fn stopped(failed: CheckResult, rest: &[Asked<'_>]) -> CheckResult {
    let mut summary = failed.summary;
    if !rest.is_empty() {
        summary = format!("{summary}; not run after it: {}", lines(rest.iter().map(|asked| asked.line)));
    }
    CheckResult { check: ID.to_owned(), summary, ..failed }
}

fn conclude(done: &[&str], status: CheckStatus, not_passed: &[String]) -> CheckResult {
    let passed_lines = lines(done.iter().copied());
    match (done, not_passed) {
        (_, []) => passed(ID, &format!("passed in this order: {passed_lines}")),
        ([], _) => result(ID, status, &not_passed.join("; ")),
        _ => result(ID, status, &format!("{}; passed: {passed_lines}", not_passed.join("; "))),
    }
}

fn lines<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(|line| format!("`{line}`")).collect::<Vec<_>>().join(", ")
}
