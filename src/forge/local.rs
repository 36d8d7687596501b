//! A forge made of files beside the code: `.ai-workflow/local/issues/N.md`, `N.comments.jsonl`, `N.pr.md`.
//! It is how the tool runs with no GitHub at all. Knows no lock: one run per issue is the store's business.
//! Errors name the line of the file. A byte order mark and CRLF are tolerated, and no unknown key.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Comment, CommentDraft, ForgeError, PullRequestContent, PullRequestRef, Result};
use model::issue::{Discussion, Issue, IssueNumber};

/// Where the issues are, relative to the root.
pub const FOLDER: &str = ".ai-workflow/local/issues";
/// The author of what we write.
const AUTHOR: &str = "ai-workflow";

/// The forge in a checkout.
#[derive(Debug, Clone)]
pub struct LocalForge {
    root: PathBuf,
}

/// The front matter of an issue.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct IssueFrontMatter {
    title: String,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    author: String,
    #[serde(default)]
    state: State,
}

/// The front matter of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PullRequestFrontMatter {
    title: String,
    head: String,
    base: String,
    draft: bool,
    state: State,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum State {
    #[default]
    Open,
    Closed,
}

impl LocalForge {
    /// Names the forge of a checkout; touches nothing.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Tells whether there is a file for the issue, which makes this forge the default one.
    pub fn has(&self, number: IssueNumber) -> bool {
        self.root.join(relative_path(number, "md")).is_file()
    }

    /// Returns an issue, open or closed.
    pub fn issue(&self, number: IssueNumber) -> Result<Issue> {
        let file = relative_path(number, "md");
        let not_found = || ForgeError::NotFound { number, place: file.clone() };
        let bytes = self.bytes(&file)?.ok_or_else(not_found)?;
        let (front, body): (IssueFrontMatter, _) = split_front_matter(&file, &bytes)?;
        let title = front.title.trim().to_owned();
        if title.is_empty() {
            return Err(unreadable_error(&file, 1, "the title is empty"));
        }
        let (open, discussion) = (front.state == State::Open, Discussion::default());
        let IssueFrontMatter { labels, author, .. } = front;
        Ok(Issue { number, title, body, labels, author, open, url: file, discussion })
    }

    /// Returns the comments of an issue, oldest first.
    pub fn comments(&self, number: IssueNumber) -> Result<Vec<Comment>> {
        Ok(self.comment_lines(number)?.into_iter().map(|(comment, _)| comment).collect())
    }

    /// Writes a comment and returns its id. Ours with the id, else ours with the marker, is
    /// rewritten in place; all other lines stay as they are, to the byte.
    pub fn upsert_comment(&self, number: IssueNumber, draft: CommentDraft<'_>, at: Timestamp) -> Result<u64> {
        let file = relative_path(number, "comments.jsonl");
        let mut lines = self.comment_lines(number)?;
        let ours = |fits: &dyn Fn(&Comment) -> bool| {
            lines.iter().position(|(comment, _)| comment.author == AUTHOR && fits(comment))
        };
        let place = ours(&|comment| Some(comment.id) == draft.id)
            .or_else(|| ours(&|comment| comment.body.contains(draft.marker)));
        let next_id = lines.iter().map(|(comment, _)| comment.id).max().unwrap_or(0) + 1;
        let comment = Comment {
            by_bot: false,
            id: place.map_or(next_id, |place| lines[place].0.id),
            author: AUTHOR.to_owned(),
            created_at: place.map_or(at, |place| lines[place].0.created_at),
            updated_at: at,
            body: draft.body.as_str().to_owned(),
        };
        let id = comment.id;
        let text =
            serde_json::to_string(&comment).map_err(|error| self.io_error("write", &file)(error.into()))?;
        match place {
            Some(place) => lines[place] = (comment, text),
            None => lines.push((comment, text)),
        }
        let text: String = lines.iter().flat_map(|(_, line)| [line, "\n"]).collect();
        self.replace(&file, &text)?;
        Ok(id)
    }

    /// Writes the pull request of an issue. There is one file per issue, so another head is refused.
    pub fn upsert_pull_request(
        &self,
        number: IssueNumber,
        request: &PullRequestContent,
    ) -> Result<PullRequestRef> {
        let file = relative_path(number, "pr.md");
        if let Some(bytes) = self.bytes(&file)? {
            let (PullRequestFrontMatter { head: found, .. }, _) = split_front_matter(&file, &bytes)?;
            if found != request.head {
                return Err(ForgeError::OtherHead { file, found, head: request.head.clone() });
            }
        }
        let front = PullRequestFrontMatter {
            title: request.title.as_str().replace(['\r', '\n'], " "),
            head: request.head.clone(),
            base: request.base.clone(),
            draft: request.draft,
            state: State::Open,
        };
        let front = serde_norway::to_string(&front)
            .map_err(|error| self.io_error("write", &file)(std::io::Error::other(error)))?;
        self.replace(&file, &format!("---\n{front}---\n\n{}\n", request.body.as_str().trim_matches('\n')))?;
        Ok(PullRequestRef { number: None, url: file, is_closed: false })
    }

    /// Returns each comment with its line of the file.
    fn comment_lines(&self, number: IssueNumber) -> Result<Vec<(Comment, String)>> {
        let file = relative_path(number, "comments.jsonl");
        let bytes = self.bytes(&file)?.unwrap_or_default();
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
        let lines = bytes.split(|byte| *byte == b'\n').enumerate();
        lines
            .filter(|(_, line)| !line.trim_ascii().is_empty())
            .map(|(index, line)| {
                let bad = |why: &str| unreadable_error(&file, index + 1, why);
                let text = std::str::from_utf8(line).map_err(|_| bad("the text is not UTF-8"))?;
                let comment = serde_json::from_str(text).map_err(|error| bad(&strip_place(&error)))?;
                Ok((comment, text.to_owned()))
            })
            .collect()
    }

    /// Returns the bytes of a file, nothing when it is missing.
    fn bytes(&self, file: &str) -> Result<Option<Vec<u8>>> {
        match fs::read(self.root.join(file)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            other => other.map(Some).map_err(self.io_error("read", file)),
        }
    }

    /// Replaces a file as a whole: a killed process leaves the old one, and a leftover that the next write sweeps.
    fn replace(&self, file: &str, text: &str) -> Result<()> {
        let path = self.root.join(file);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = path.with_file_name(format!(".{name}.tmp"));
        let write = || {
            fs::create_dir_all(self.root.join(FOLDER))?;
            match fs::remove_file(&beside) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => File::create_new(&beside)?.write_all(text.as_bytes())?,
            }
            fs::rename(&beside, &path)
        };
        write().map_err(self.io_error("write", file))
    }

    fn io_error(&self, action: &'static str, file: &str) -> impl FnOnce(std::io::Error) -> ForgeError {
        let file = self.root.join(file);
        move |source| ForgeError::Io { action, file, source }
    }
}

/// Returns a file of an issue relative to the root; it is also the issue's address.
fn relative_path(number: IssueNumber, ending: &str) -> String {
    format!("{FOLDER}/{number}.{ending}")
}

fn unreadable_error(file: &str, line: usize, why: impl Into<String>) -> ForgeError {
    ForgeError::Unreadable { file: file.to_owned(), line, why: why.into() }
}

/// Splits a file into the YAML between `---` lines at its beginning and its body, without the empty lines around the body.
fn split_front_matter<T: DeserializeOwned>(file: &str, bytes: &[u8]) -> Result<(T, String)> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n');
        unreadable_error(file, before.count(), "the text is not UTF-8")
    })?;
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut lines = text.split_inclusive('\n');
    if lines.next().is_none_or(|line| line.trim_end() != "---") {
        return Err(unreadable_error(file, 1, "the front matter is missing: the first line has to be `---`"));
    }
    let mut end = text.find('\n').map_or(text.len(), |at| at + 1);
    for line in lines {
        if line.trim_end() == "---" {
            let front = parse_yaml(file, &text[..end])?;
            return Ok((front, text[end + line.len()..].trim_matches('\n').to_owned()));
        }
        end += line.len();
    }
    Err(unreadable_error(file, 1, "the front matter that begins here has no closing `---` line"))
}

/// How a YAML error names its place, which our own message names already.
static PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r" at line \d+ column \d+").expect("the pattern is a constant"));

/// Reads the YAML with its opening `---`, so that its line numbers are those of the file.
fn parse_yaml<T: DeserializeOwned>(file: &str, text: &str) -> Result<T> {
    serde_norway::from_str(text).map_err(|error| {
        let why = PLACE.replace_all(&error.to_string(), "").into_owned();
        unreadable_error(file, error.location().map_or(1, |location| location.line()), why)
    })
}

/// Returns a JSON error without its place inside the line, which would be mistaken for that of the file.
fn strip_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rfind(" at line ").map_or(message.clone(), |at| message[..at].to_owned())
}
