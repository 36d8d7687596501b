//! The messages of the commits that authors made: none would fit every change, and each names something of the task.
//! Which they are and what the task is says the condition, else git and the issue. The engine's own messages hold the
//! number and the title of the issue, so there is nothing to judge in them.

use serde_json::{Value, json};

use super::Defined;
use crate::{CheckResult, MOST_TOLD, Site, passed, skipped};
use content_parser::{is_comparable, is_generic, keywords, names_something_of};
use model::issue::Issue;
use model::policy::DefinedCheck;

pub(super) fn examine(defined: Defined<'_>) -> CheckResult {
    let Defined { id, check, site } = defined;
    let messages = match messages(check, site) {
        Ok(messages) => messages,
        Err(why) => return defined.unavailable(&format!("the commits were not looked at: {why}")),
    };
    if messages.is_empty() {
        return skipped(id, "nobody but the engine has committed");
    }
    let named = check.params.get("taskDescription").and_then(Value::as_str);
    let task = named.map_or_else(|| format!("{}\n{}", site.issue.title, site.issue.body), str::to_owned);
    if task.trim().is_empty() {
        return skipped(id, "there is no task to hold the messages to");
    }
    let Some(why) = messages.iter().find_map(|message| objection(message, &task, site.issue)) else {
        return passed(id, &format!("{} commit messages are about the task", messages.len()));
    };
    let why = site.masker.mask(&why).as_str().to_owned();
    let subjects: Vec<String> =
        messages.iter().map(|text| site.masker.mask(subject(text)).as_str().to_owned()).collect();
    let mut result = defined.failure(&why, &why, ACTION);
    result.params.insert("commitMessages".to_owned(), json!(subjects));
    result.params.insert("taskDescription".to_owned(), json!(site.masker.mask(&task).as_str()));
    result.evidence = subjects.join("\n");
    result
}

const ACTION: &str = "Give each commit a first line that says what changed and why";

fn messages(check: &DefinedCheck, site: &Site<'_>) -> Result<Vec<String>, String> {
    let mut messages = match check.params.get("commitMessages").and_then(Value::as_array) {
        Some(named) => named.iter().filter_map(|text| Some(text.as_str()?.to_owned())).collect(),
        None => site.world.messages.clone()?,
    };
    messages.retain(|message| !message.trim().is_empty());
    Ok(messages)
}

/// Says what is wrong with a message. Words of two languages cannot be compared, and then it is only held to saying
/// something.
fn objection(message: &str, task: &str, issue: &Issue) -> Option<String> {
    let subject: String = subject(message).chars().take(MOST_TOLD).collect();
    if is_generic(message) {
        return Some(format!("the commit message \"{subject}\" would fit every change"));
    }
    let keywords = keywords(task);
    let is_about = names_something_of(message, &keywords) || names_issue(message, issue);
    let unrelated = !is_about && is_comparable(message, &keywords);
    unrelated.then(|| format!("the commit message \"{subject}\" names nothing of the task"))
}

/// A message may name the issue instead of its words.
fn names_issue(message: &str, issue: &Issue) -> bool {
    let number = format!("#{}", issue.number);
    let mut words = message.split(|c: char| c != '#' && !c.is_ascii_digit());
    !issue.title.is_empty() && words.any(|word| word.ends_with(&number))
}

fn subject(message: &str) -> &str {
    message.trim().lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::World;
    use crate::scene::Scene;
    use model::event::CheckStatus;
    use model::policy::CheckKind;

    fn check(params: &[(&str, Value)]) -> DefinedCheck {
        DefinedCheck {
            look: CheckKind::CommitMessages,
            success_when: String::new(),
            pattern: "bad-commit".into(),
            extract: BTreeMap::new(),
            params: params.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
            timeout_seconds: None,
            recoverable: None,
        }
    }

    fn of(check: &DefinedCheck, site: &Site<'_>) -> CheckResult {
        examine(Defined { id: "own/messages", check, site })
    }

    fn judged(messages: &[&str], issue: &str) -> CheckResult {
        let mut scene = Scene::new().about(issue);
        scene.issue.title = "Greet everybody".into();
        let messages = Ok(messages.iter().map(|text| (*text).to_owned()).collect());
        let world = World { messages, ..World::default() };
        of(&check(&[]), &Site { world: &world, ..scene.site() })
    }

    #[test]
    fn a_commit_message_has_to_be_specific_and_about_the_task() {
        let issue = "`greet` panics on an empty name.";
        for honest in [
            "fix: greet says hello to nobody",
            "Handle the empty case",
            "[ai-workflow] implementation: #1 Greet everybody",
            "close #1",
            "空の名前で落ちないようにする",
            "src: panic no more\n\ndetails",
        ] {
            assert_eq!(judged(&[honest], issue).status, CheckStatus::Pass, "{honest}");
        }
        for (cheat, why) in [
            ("update", "the commit message \"update\" would fit every change"),
            ("wip: fixes", "the commit message \"wip: fixes\" would fit every change"),
            (
                "refactor: reorganize database schema",
                "the commit message \"refactor: reorganize database schema\" names nothing of the task",
            ),
            ("see #12", "the commit message \"see #12\" names nothing of the task"),
        ] {
            let result = judged(&["fix: greet nobody", cheat, "update"], issue);
            assert_eq!((result.status, &*result.summary), (CheckStatus::Fail, why));
            assert_eq!(result.pattern.as_deref(), Some("bad-commit"));
            assert_eq!(result.params["commitMessages"][1], cheat);
        }
    }

    #[test]
    fn without_messages_or_a_task_nothing_is_judged_and_unseen_commits_are_no_pass() {
        assert_eq!(judged(&[], "x").status, CheckStatus::Skipped);
        let scene = Scene::new();
        let silent = check(&[("commitMessages", json!(["update"]))]);
        assert_eq!(of(&silent, &scene.site()).status, CheckStatus::Skipped);
        let unseen = of(&check(&[("taskDescription", json!("Greet"))]), &scene.site());
        assert_eq!(unseen.status, CheckStatus::Unavailable);
        assert!(unseen.summary.contains("nobody looked"), "{}", unseen.summary);
    }
}
