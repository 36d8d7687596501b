//! Who somebody is and what they may do, as GitHub says it now: never what an event claims. Decides nothing.

use http::Method;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::super::ForgeError;
use super::GithubForge;
use super::access::{LOGIN, escaped};
use super::event::{EventComment, Label, Person};
use super::pages::{List, read};
use super::talk::Ask;
use model::issue::IssueNumber;

const PERMISSION: &str = "ask what somebody may do";
const HISTORY: &str = "read what happened to the issue";
const COMMENT: &str = "read the comment";

/// Of the newest events of a repository not more pages than these are read.
const MOST_PAGES: usize = 20;

/// What somebody may do in the repository.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Permission {
    #[serde(rename = "permission")]
    level: String,
    #[serde(default)]
    role_name: String,
    user: Option<Person>,
}

impl Permission {
    /// Tells whether they may write. A role that an organisation made up counts as what it is built on.
    pub fn may_write(&self) -> bool {
        matches!(self.level.as_str(), "write" | "maintain" | "admin")
    }

    /// Returns the role, for people.
    pub fn role(&self) -> &str {
        if self.role_name.is_empty() { &self.level } else { &self.role_name }
    }

    /// Tells whether this is about the same account, which a login alone does not.
    pub fn is_of(&self, person: &Person) -> bool {
        self.user.as_ref().is_some_and(|user| user.id == person.id)
    }
}

/// Something that happened to an issue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Happened {
    event: String,
    /// Nobody when the account is gone.
    pub actor: Option<Person>,
    pub created_at: Timestamp,
    #[serde(default)]
    label: Option<Label>,
}

impl Happened {
    fn is_renaming(&self) -> bool {
        self.event == "renamed"
    }

    fn is_labelling(&self, label: &str) -> bool {
        let named = self.label.as_ref().is_some_and(|given| given.name.eq_ignore_ascii_case(label));
        self.event == "labeled" && named
    }
}

impl GithubForge {
    /// Returns what a person may do; an error when GitHub does not say it. Of programs GitHub says nothing.
    pub async fn permission(&self, login: &str) -> Result<Permission, ForgeError> {
        let path = format!("/collaborators/{}/permission", escaped(login, LOGIN));
        self.get(PERMISSION, &path).await
    }

    /// Tells whether a person may write to the repository; somebody unknown may not.
    pub async fn may_write(&self, login: &str) -> Result<bool, ForgeError> {
        if login.is_empty() {
            return Ok(false);
        }
        match self.permission(login).await {
            Err(error) if error.is_missing() => Ok(false),
            permission => permission.map(|permission| permission.may_write()),
        }
    }

    /// Returns who has a login now.
    pub async fn account(&self, login: &str) -> Result<Person, ForgeError> {
        let path = format!("/users/{}", escaped(login, LOGIN));
        let ask = Ask { action: PERMISSION, method: Method::GET, path, body: None };
        read(PERMISSION, self.line.repeat(&ask).await?)
    }

    /// Tells whether an issue bears the title that it had at a time.
    pub async fn kept_its_title(&self, number: IssueNumber, since: Timestamp) -> Result<bool, ForgeError> {
        let all = self.all(HISTORY, &format!("/issues/{number}/events"), "").await?;
        let happened: Result<Vec<Happened>, _> = all.into_iter().map(|value| read(HISTORY, value)).collect();
        Ok(!happened?.iter().any(|happened| happened.is_renaming() && happened.created_at >= since))
    }

    /// Returns when a label was last put on an issue and by whom.
    pub async fn labelled(&self, number: IssueNumber, label: &str) -> Result<Option<Happened>, ForgeError> {
        let all = self.all(HISTORY, &format!("/issues/{number}/events"), "").await?;
        let happened: Result<Vec<Happened>, _> = all.into_iter().map(|value| read(HISTORY, value)).collect();
        Ok(happened?.into_iter().rfind(|happened| happened.is_labelling(label)))
    }

    /// Returns how often somebody put a label on any issue after one time and not after another, counted up to `most`.
    pub async fn labellings(
        &self,
        by: &Person,
        label: &str,
        (since, until): (Timestamp, Timestamp),
        most: usize,
    ) -> Result<usize, ForgeError> {
        let mut count = 0;
        let list = List { action: HISTORY, path: "/issues/events", query: "", key: None };
        // The newest come first.
        let more = |entries: Vec<Value>| {
            let happened: Vec<Happened> = read(HISTORY, Value::Array(entries))?;
            let theirs = |happened: &&Happened| {
                let same = happened.actor.as_ref().is_some_and(|actor| actor.id == by.id);
                let within = happened.created_at > since && happened.created_at <= until;
                same && within && happened.is_labelling(label)
            };
            count += happened.iter().filter(theirs).count();
            let older = happened.last().is_none_or(|happened| happened.created_at <= since);
            Ok(!older && count < most)
        };
        self.pages(&list, MOST_PAGES, more).await?;
        Ok(count.min(most))
    }

    /// Returns how often somebody wrote a comment of a kind on any issue, likewise.
    pub async fn remarks(
        &self,
        by: &Person,
        is_meant: impl Fn(&str) -> bool,
        (since, until): (Timestamp, Timestamp),
        most: usize,
    ) -> Result<usize, ForgeError> {
        let mut count = 0;
        let query = format!("sort=created&direction=desc&since={since}&");
        let list = List { action: COMMENT, path: "/issues/comments", query: &query, key: None };
        let more = |entries: Vec<Value>| {
            let comments: Vec<EventComment> = read(COMMENT, Value::Array(entries))?;
            let theirs = |comment: &&EventComment| {
                let same = comment.user.as_ref().is_some_and(|user| user.id == by.id);
                let within = comment.created_at > since && comment.created_at <= until;
                same && within && is_meant(comment.body.as_deref().unwrap_or_default())
            };
            count += comments.iter().filter(theirs).count();
            Ok(count < most)
        };
        self.pages(&list, MOST_PAGES, more).await?;
        Ok(count.min(most))
    }

    /// Returns a comment as it is now; nothing when it is gone.
    pub async fn comment_now(&self, id: u64) -> Result<Option<EventComment>, ForgeError> {
        match self.get(COMMENT, &format!("/issues/comments/{id}")).await {
            Err(error) if error.is_missing() => Ok(None),
            found => found.map(Some),
        }
    }

    /// Returns the comments of an issue that were written or changed at or after a time, oldest first.
    pub async fn comments_since(
        &self,
        number: IssueNumber,
        since: Timestamp,
    ) -> Result<Vec<EventComment>, ForgeError> {
        let all =
            self.all(COMMENT, &format!("/issues/{number}/comments"), &format!("since={since}&")).await?;
        all.into_iter().map(|value| read(COMMENT, value)).collect()
    }

    async fn get<T: serde::de::DeserializeOwned>(
        &self,
        action: &'static str,
        path: &str,
    ) -> Result<T, ForgeError> {
        read(action, self.line.get(action, path).await?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_those_who_may_write_may_and_an_account_is_its_number() {
        let permission = |permission: &str, role: &str| -> Permission {
            let value =
                json!({ "permission": permission, "role_name": role, "user": { "id": 7, "login": "a" } });
            serde_json::from_value(value).expect("a permission")
        };
        for (level, role, may) in [
            ("admin", "admin", true),
            ("write", "maintain", true),
            ("write", "made up", true),
            ("read", "triage", false),
            ("read", "write", false),
            ("none", "", false),
            ("", "", false),
        ] {
            assert_eq!(permission(level, role).may_write(), may, "{level} {role}");
        }
        let person = |id| Person { id, login: "a".into(), kind: "User".into() };
        assert!(permission("write", "").is_of(&person(7)) && !permission("write", "").is_of(&person(8)));
    }
}
