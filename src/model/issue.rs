//! The issue as the forge gave it, its number, and what people said around it.
//! Its text is data: it reaches a prompt only through the fence of `prompt`.

use std::str::FromStr;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number of an issue: 1 or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u64")]
#[derive(derive_more::Display)]
#[schemars(with = "u64")]
pub struct IssueNumber(u64);

/// Says why a text is not an issue number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an issue number: digits only, 1 or more")]
pub struct BadIssueNumber(String);

impl IssueNumber {
    /// The highest number, which no issue has.
    pub const MAX: Self = Self(u64::MAX);

    /// Returns the number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl TryFrom<u64> for IssueNumber {
    type Error = BadIssueNumber;

    fn try_from(number: u64) -> Result<Self, BadIssueNumber> {
        if number == 0 { Err(BadIssueNumber("0".into())) } else { Ok(Self(number)) }
    }
}

impl FromStr for IssueNumber {
    type Err = BadIssueNumber;

    fn from_str(text: &str) -> Result<Self, BadIssueNumber> {
        let has_only_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = if has_only_digits { text.parse::<u64>().unwrap_or(0) } else { 0 };
        Self::try_from(number).map_err(|_| BadIssueNumber(text.escape_debug().collect()))
    }
}

/// An issue as it was when the run began; this text is pinned, later edits are only noticed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// Its number.
    pub number: IssueNumber,
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
    /// The names of its labels.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Who wrote it; empty when nobody knows.
    #[serde(default)]
    pub author: String,
    /// It was not closed.
    #[serde(default)]
    pub open: bool,
    /// Its address, or the path of a file.
    #[serde(default)]
    pub url: String,
    /// What stood around it.
    #[serde(default, skip_serializing_if = "Discussion::is_empty")]
    pub discussion: Discussion,
}

impl Issue {
    /// Tells whether its title or its text has a name as a whole word.
    pub fn names(&self, name: &str) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let is_whole = |text: &str, at: usize| {
            !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
        };
        !name.is_empty()
            && [&self.title, &self.body]
                .iter()
                .any(|text| text.match_indices(name).any(|(at, _)| is_whole(text, at)))
    }

    /// Tells whether others see it: it has an address, and is no file beside the code.
    pub fn is_on_a_server(&self) -> bool {
        self.url.starts_with("https://") || self.url.starts_with("http://")
    }
}

/// What stood around the issue when the run began.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Discussion {
    /// What people who are heard said, oldest first.
    pub comments: Vec<IssueComment>,
    /// How many earlier comments were left out.
    pub left_out: usize,
    /// The issues that the text names.
    pub linked: Vec<LinkedIssue>,
}

impl Discussion {
    /// Tells whether there is nothing around the issue.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The issue as an event brought it: what is said or changed from that moment on does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueSnapshot {
    /// The time of the event.
    pub at: Timestamp,
    /// The title at that time.
    pub title: String,
    /// The text at that time.
    pub body: String,
}

/// A comment on the issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueComment {
    /// Who wrote it.
    pub author: String,
    /// When.
    pub at: Timestamp,
    /// What it says.
    pub text: String,
}

/// An issue that another one names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkedIssue {
    /// Its number.
    pub number: IssueNumber,
    /// Its title.
    pub title: String,
    /// It was not closed.
    pub open: bool,
}

/// Returns the name of the branch a run works on.
pub fn run_branch_name(issue: IssueNumber) -> String {
    format!("ai-workflow/issue-{issue}")
}

/// Returns the issue whose run works on a branch; nothing when no run does.
pub fn issue_of_run_branch(branch: &str) -> Option<IssueNumber> {
    let number = branch.rsplit_once('-').and_then(|(_, digits)| digits.parse::<IssueNumber>().ok());
    number.filter(|number| run_branch_name(*number) == branch)
}

#[cfg(test)]
mod tests;
