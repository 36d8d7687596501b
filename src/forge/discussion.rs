//! The comments of people on an issue or a pull request, and whose comments count: those of accounts that may write to the
//! repository or that the settings name. Does not decide what follows from a comment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;

use crate::github::{GithubForge, ReviewThread};
use crate::{BOT, Comment, Result};
use model::event::FeedbackThread;
use model::issue::{Discussion, IssueComment, IssueNumber};
use model::text::head;

/// Tells whether the settings name an account.
pub fn is_named(allowed: &[String], login: &str) -> bool {
    allowed.iter().any(|named| named.eq_ignore_ascii_case(login))
}

/// Who may write to the repository, each account asked about once.
pub struct WriteAccess<'a> {
    github: &'a GithubForge,
    allowed: &'a [String],
    known: BTreeMap<String, bool>,
}

impl<'a> WriteAccess<'a> {
    /// `allowed` are the accounts that the settings name.
    pub fn new(github: &'a GithubForge, allowed: &'a [String]) -> Self {
        Self { github, allowed, known: BTreeMap::new() }
    }

    /// Tells whether the comments of an account count; those of a deleted account do not.
    pub async fn is_granted(&mut self, login: &str) -> Result<bool> {
        if is_named(self.allowed, login) {
            return Ok(true);
        }
        if login.is_empty() || login.ends_with(BOT) {
            return Ok(false);
        }
        if let Some(known) = self.known.get(login) {
            return Ok(*known);
        }
        let may = self.github.may_write(login).await?;
        self.known.insert(login.to_owned(), may);
        Ok(may)
    }
}

/// The most comments of a run.
const MOST_COMMENTS: usize = 30;
/// The longest comment, in bytes.
const LONGEST_COMMENT: usize = 4 * 1024;
/// All of them, in bytes.
const LONGEST_DISCUSSION: usize = 24 * 1024;
/// The most issues that a text can name.
const MOST_REFERENCES: usize = 10;
/// How each mark of ours begins.
const OWN_MARK: &str = "<!-- ai-workflow:";
/// How a command to us begins.
const COMMAND: &str = "/ai-workflow";

static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|[\s(\[])#(\d{1,10})\b").expect("a pattern of ours"));

/// Returns the comments that were written before a moment and not changed since.
pub fn comments_before(comments: Vec<Comment>, before: Timestamp) -> Vec<Comment> {
    let is_earlier = |comment: &Comment| comment.created_at < before && comment.updated_at < before;
    comments.into_iter().filter(is_earlier).collect()
}

/// Returns the comments that `may_speak` accepts, oldest first.
pub fn discussion_of(comments: &[Comment], may_speak: impl Fn(&Comment) -> bool) -> Discussion {
    let is_discussion = |comment: &&Comment| {
        let text = comment.body.trim();
        !text.is_empty() && !text.contains(OWN_MARK) && !text.starts_with(COMMAND)
    };
    let mut all: Vec<&Comment> = comments.iter().filter(is_discussion).collect();
    all.retain(|comment| may_speak(comment));
    all.sort_by_key(|comment| (comment.created_at, comment.id));
    let mut room = LONGEST_DISCUSSION;
    let mut kept = Vec::new();
    for comment in all.iter().rev().take(MOST_COMMENTS) {
        let text = truncate_comment(&comment.body);
        let Some(left) = room.checked_sub(text.len()) else { break };
        room = left;
        kept.push(IssueComment { author: comment.author.clone(), at: comment.created_at, text });
    }
    kept.reverse();
    Discussion { left_out: all.len() - kept.len(), comments: kept, linked: Vec::new() }
}

/// Returns the numbers of other issues that a text names outside of code, each once.
pub fn referenced_issues(text: &str, own: IssueNumber) -> Vec<IssueNumber> {
    let mut seen = BTreeSet::from([own]);
    let mut in_code = false;
    let mut numbers = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        let found = NUMBER.captures_iter(line);
        let found = found.filter_map(|captures| captures[1].parse::<IssueNumber>().ok());
        numbers.extend(found.filter(|number| seen.insert(*number)));
    }
    numbers.truncate(MOST_REFERENCES);
    numbers
}

fn truncate_comment(text: &str) -> String {
    if text.len() <= LONGEST_COMMENT {
        return text.to_owned();
    }
    let kept = head(text, LONGEST_COMMENT);
    format!("{kept}\n[truncated {} bytes]", text.len() - kept.len())
}

/// The longest text of one thread, in characters.
const LONGEST_THREAD: usize = 4_000;

/// A thread that asks for something, with the comments that count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenThread {
    /// The thread as a run notes it.
    pub thread: FeedbackThread,
    /// The comments, a line `LOGIN: TEXT` for each.
    pub text: String,
}

impl WriteAccess<'_> {
    /// Returns the threads of a pull request that ask for something. `answered` reads the mark of an answer of ours: the
    /// last comment that it is about; `taken` are the last comments of threads that were taken up before.
    pub async fn open_threads(
        &mut self,
        pull_request: u64,
        taken: &BTreeMap<String, u64>,
        answered: impl Fn(&str) -> Option<u64>,
    ) -> Result<Vec<OpenThread>> {
        let mut open = Vec::new();
        for thread in self.github.review_threads(pull_request).await? {
            if thread.is_resolved {
                continue;
            }
            if thread.is_cut {
                tracing::warn!("A review thread of {} has too many comments to be taken up", thread.path);
                continue;
            }
            let before = taken.get(&thread.id).copied().unwrap_or(0);
            open.extend(self.read_thread(thread, before, &answered).await?);
        }
        Ok(open)
    }

    /// Reads one thread; nothing when it asks for nothing.
    async fn read_thread(
        &mut self,
        thread: ReviewThread,
        before: u64,
        answered: &impl Fn(&str) -> Option<u64>,
    ) -> Result<Option<OpenThread>> {
        let (mut texts, mut up_to, mut done) = (Vec::new(), 0, before);
        for comment in &thread.comments {
            if let Some(up_to) = answered(&comment.body) {
                // Another account can copy our mark.
                done = if self.github.is_me(&comment.author).await? { done.max(up_to) } else { done };
            } else if self.is_granted(&comment.author).await? {
                up_to = up_to.max(comment.id);
                texts.push(format!("{}: {}", comment.author, comment.body.trim()));
            }
        }
        if up_to <= done {
            return Ok(None);
        }
        let text = texts.join("\n").chars().take(LONGEST_THREAD).collect();
        let ReviewThread { id, path, line, .. } = thread;
        Ok(Some(OpenThread { thread: FeedbackThread { id, up_to, path, line }, text }))
    }
}

#[cfg(test)]
mod tests;
