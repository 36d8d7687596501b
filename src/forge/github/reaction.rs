//! Reactions of ours: how whoever gave a command sees what became of it. GitHub keeps one of a kind from everybody, so
//! giving one again changes nothing.

use http::Method;
use serde_json::{Value, json};

use super::super::ForgeError;
use super::GithubForge;
use super::comment::same_account;
use super::talk::Ask;
use model::issue::IssueNumber;

const REACT: &str = "react to a comment";

/// What a reaction says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// 👀: it was seen and is obeyed.
    Eyes,
    /// 🚀: it is done.
    Rocket,
    /// 😕: it is not going to be done.
    Confused,
}

/// What a reaction is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    Issue(IssueNumber),
    Comment(u64),
}

impl Reaction {
    fn content(self) -> &'static str {
        match self {
            Self::Eyes => "eyes",
            Self::Rocket => "rocket",
            Self::Confused => "confused",
        }
    }
}

impl On {
    fn path(self) -> String {
        match self {
            Self::Issue(number) => format!("/issues/{number}/reactions"),
            Self::Comment(id) => format!("/issues/comments/{id}/reactions"),
        }
    }
}

impl GithubForge {
    /// Gives a reaction.
    pub async fn react(&self, on: On, reaction: Reaction) -> Result<(), ForgeError> {
        let (body, path) = (json!({ "content": reaction.content() }), self.line.access.path(&on.path()));
        let ask = Ask { action: REACT, method: Method::POST, path, body: Some(&body) };
        self.line.repeat(&ask).await.map(drop)
    }

    /// Tells whether we said of a comment before that it was obeyed or refused. Where GitHub does not say who we are,
    /// anybody's word counts: a command is rather left out than obeyed twice.
    pub async fn has_answered(&self, comment: u64) -> Result<bool, ForgeError> {
        let all = self.all(REACT, &On::Comment(comment).path(), "").await?;
        let by: Vec<&str> = all.iter().filter_map(last_word).collect();
        if by.is_empty() {
            return Ok(false);
        }
        let Some(myself) = self.myself().await? else { return Ok(true) };
        Ok(by.iter().any(|by| same_account(by, myself)))
    }
}

/// Returns who gave a reaction that says what became of a command.
fn last_word(reaction: &Value) -> Option<&str> {
    let content = reaction["content"].as_str()?;
    let is_last = [Reaction::Rocket, Reaction::Confused].iter().any(|last| last.content() == content);
    is_last.then(|| reaction["user"]["login"].as_str().unwrap_or_default())
}
