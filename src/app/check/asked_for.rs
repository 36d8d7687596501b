//! What the change under check was asked for by: an issue, a text that is given, or the messages of the commits themselves. Checks
//! read it as the issue of a run. Who wrote the messages wrote the change as well: a reviewer is shown where the text is from.

use std::fmt;

use crate::environment::runtime;
use crate::failure::Result;
use crate::forge_connection;
use crate::project::Project;
use git::{CommitId, Trailers};
use model::issue::{Discussion, Issue, IssueNumber};
use views::summary::counted;

/// The types of Conventional Commits that change no behaviour, and those that do.
const SAME_BEHAVIOUR: [&str; 8] = ["refactor", "docs", "perf", "test", "chore", "build", "ci", "style"];
const OTHER_BEHAVIOUR: [&str; 2] = ["feat", "fix"];

/// What a person gives as what was asked for.
#[derive(Debug, Clone, Default)]
pub enum GivenTask {
    /// The messages of the commits since the base.
    #[default]
    Commits,
    /// The issue of this number.
    Issue(IssueNumber),
    /// This text: a title, and what follows its first line.
    Message(String),
}

/// What the change was asked for by.
#[derive(Debug, Clone)]
pub struct AskedFor {
    /// Where the text is from.
    pub source: TaskSource,
    /// The text, as checks read it.
    pub issue: Issue,
    /// The messages that speak for the change: the one that is given, or those of its commits.
    messages: Vec<String>,
}

/// Where the text is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskSource {
    /// An issue.
    Issue(IssueNumber),
    /// The text that was given.
    Message,
    /// The messages of so many commits.
    Commits(usize),
}

impl fmt::Display for TaskSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Issue(number) => write!(f, "issue {number}"),
            Self::Message => f.write_str("the message that is given"),
            Self::Commits(1) => f.write_str("the message of 1 commit"),
            Self::Commits(many) => write!(f, "the messages of {}", counted(*many as u64, "commit")),
        }
    }
}

impl AskedFor {
    /// Reads what is given; nothing where there is neither an issue nor a message. Only an issue is asked for from its forge.
    pub(super) fn find(project: &Project, given: &GivenTask, base: &CommitId) -> Result<Option<Self>> {
        if let GivenTask::Message(text) = given {
            return Ok(Self::of_messages(TaskSource::Message, vec![text.clone()]));
        }
        let mut messages = project.workspace.history().messages_since(base)?;
        // Those of a run say what it always says.
        messages.retain(|message| Trailers::read(message).is_none());
        let GivenTask::Issue(number) = given else {
            return Ok(Self::of_messages(TaskSource::Commits(messages.len()), messages));
        };
        let forge = forge_connection::of_issue(project, *number)?;
        let issue = runtime()?.block_on(forge.issue(*number))?;
        Ok(Some(Self { source: TaskSource::Issue(*number), issue, messages }))
    }

    fn of_messages(source: TaskSource, messages: Vec<String>) -> Option<Self> {
        let text = messages.join("\n\n");
        let (title, body) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
        if title.is_empty() {
            return None;
        }
        let issue = Issue {
            number: IssueNumber::MAX,
            title: title.trim().to_owned(),
            body: body.trim().to_owned(),
            labels: Vec::new(),
            author: String::new(),
            open: true,
            url: String::new(),
            discussion: Discussion::default(),
        };
        Some(Self { source, issue, messages })
    }

    /// Tells whether an issue says what was to be done, and not only who did it.
    pub(super) fn is_of_an_issue(&self) -> bool {
        matches!(self.source, TaskSource::Issue(_))
    }

    /// Returns the type of Conventional Commits by which the change says that it leaves the behaviour as it is; nothing where
    /// one of its messages does not say so.
    pub(super) fn type_without_new_behaviour(&self) -> Option<&'static str> {
        let known = |message: &String| {
            let (word, is_breaking) = type_of(message)?;
            SAME_BEHAVIOUR.into_iter().find(|known| !is_breaking && known.eq_ignore_ascii_case(word))
        };
        let types: Option<Vec<&str>> = self.messages.iter().map(known).collect();
        types?.first().copied()
    }

    /// Tells whether the messages leave open whether the behaviour changes: none has a type that says so. An issue asks for something.
    pub(super) fn leaves_behaviour_open(&self) -> bool {
        let changes = |(word, is_breaking): (&str, bool)| {
            is_breaking || OTHER_BEHAVIOUR.iter().any(|known| known.eq_ignore_ascii_case(word))
        };
        !self.is_of_an_issue() && !self.messages.iter().filter_map(|message| type_of(message)).any(changes)
    }
}

/// Reads `docs: …`, `docs(scope): …` and `docs!: …`, which is a breaking change: its behaviour is another one. `fix(tests): …`
/// is about tests.
fn type_of(message: &str) -> Option<(&str, bool)> {
    let (head, _) = message.trim_start().lines().next()?.split_once(": ")?;
    let (head, is_breaking) = head.strip_suffix('!').map_or((head, false), |head| (head, true));
    let word = match head.split_once('(') {
        Some((_, "test)" | "tests)")) => "test",
        Some((word, scope)) if scope.ends_with(')') => word,
        _ => head,
    };
    Some((word, is_breaking))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(messages: &[&str]) -> Option<AskedFor> {
        let messages: Vec<String> = messages.iter().map(|message| (*message).to_owned()).collect();
        AskedFor::of_messages(TaskSource::Commits(messages.len()), messages)
    }

    #[test]
    fn messages_of_commits_are_a_title_and_a_body() {
        let asked = asked(&["fix: the last page\n\nIt was lost.\n", "Test it\n"]).expect("a text");
        assert_eq!(
            (asked.issue.title.as_str(), asked.issue.body.as_str()),
            ("fix: the last page", "It was lost.\n\n\nTest it")
        );
        assert_eq!(asked.source.to_string(), "the messages of 2 commits");
    }

    #[test]
    fn nothing_was_asked_for_without_words() {
        assert!(asked(&[]).is_none() && asked(&["  \n"]).is_none());
    }

    #[test]
    fn only_types_of_every_message_say_that_behaviour_stays() {
        let stated = |messages: &[&str]| asked(messages).and_then(|asked| asked.type_without_new_behaviour());
        assert_eq!(stated(&["refactor: one\n\nwhy", "Test(pages): two"]), Some("refactor"));
        assert_eq!(stated(&["fix(tests): expect the year of today"]), Some("test"));
        for others in [
            &["refactor: one", "fix: two"][..],
            &["refactor!: breaks"],
            &["fix(build): one"],
            &["docs(readme)!: breaks"],
            &["Refactor the pager"],
            &["refactoring: one"],
            &["feat: refactor: one"],
        ] {
            assert_eq!(stated(others), None, "{others:?}");
        }
    }

    #[test]
    fn messages_without_a_type_leave_open_whether_the_behaviour_changes() {
        let is_open = |messages: &[&str]| asked(messages).is_some_and(|asked| asked.leaves_behaviour_open());
        for messages in [&["Refactor the pager and cover empty books"][..], &["pager: one", "test: two"]] {
            assert!(is_open(messages), "{messages:?}");
        }
        for messages in [&["Fix(pager): one"][..], &["refactor: one", "feat: two"], &["refactor!: breaks"]] {
            assert!(!is_open(messages), "{messages:?}");
        }
        let issue = asked(&["Refactor the pager"])
            .map(|asked| AskedFor { source: TaskSource::Issue(IssueNumber::MAX), ..asked });
        assert!(!issue.expect("a text").leaves_behaviour_open());
    }
}
