//! Keeps one comment of ours on an issue. It is known by its id; else by its marker, and then only if we wrote it.

use http::Method;
use serde_json::{Value, json};

use super::super::{Comment, CommentDraft, ForgeError};
use super::GithubForge;
use super::fitting::{LONGEST, fitted};
use super::talk::Ask;
use model::issue::IssueNumber;

const WRITE: &str = "write the progress comment";
const WHO: &str = "ask whom the token belongs to";

/// What the name of an application ends with where people have none.
pub(super) const BOT: &str = "[bot]";

impl GithubForge {
    /// Writes a comment, or writes it again, and returns its id. One that somebody deleted is made once more.
    pub async fn upsert_comment(
        &self,
        number: IssueNumber,
        draft: CommentDraft<'_>,
    ) -> Result<u64, ForgeError> {
        if let Some(id) = draft.id {
            match self.rewrite(id, draft).await {
                Err(error) if error.is_missing() => {}
                done => return done,
            }
        }
        match self.ours(number, draft).await? {
            Some(comment) => self.rewrite(comment.id, draft).await,
            None => self.comment(number, draft).await,
        }
    }

    /// Writes a comment again that has to be there.
    pub async fn rewrite_comment(&self, draft: CommentDraft<'_>, id: u64) -> Result<u64, ForgeError> {
        self.rewrite(id, draft).await
    }

    async fn rewrite(&self, id: u64, draft: CommentDraft<'_>) -> Result<u64, ForgeError> {
        let body = json!({ "body": fitted(draft.body.as_str(), LONGEST) });
        let path = self.line.access.path(&format!("/issues/comments/{id}"));
        let ask = Ask { action: WRITE, method: Method::PATCH, path, body: Some(&body) };
        self.line.repeat(&ask).await?;
        Ok(id)
    }

    async fn comment(&self, number: IssueNumber, draft: CommentDraft<'_>) -> Result<u64, ForgeError> {
        let body = json!({ "body": fitted(draft.body.as_str(), LONGEST) });
        let path = self.line.access.path(&format!("/issues/{number}/comments"));
        let ask = Ask { action: WRITE, method: Method::POST, path, body: Some(&body) };
        let look = || async {
            let found = self.ours(number, draft).await?;
            Ok(found.map(|comment| json!({ "id": comment.id })))
        };
        let made = self.line.create(&ask, look).await?;
        made["id"]
            .as_u64()
            .ok_or_else(|| ForgeError::Unexpected { action: WRITE, why: "it has no id".into() })
    }

    /// Finds the comment that we wrote. Where GitHub does not say who we are, only the very text is ours.
    async fn ours(
        &self,
        number: IssueNumber,
        draft: CommentDraft<'_>,
    ) -> Result<Option<Comment>, ForgeError> {
        let myself = self.myself().await?;
        let is_ours = |comment: &Comment| match myself {
            Some(login) => comment.body.contains(draft.marker) && same_account(&comment.author, login),
            None => comment.body == draft.body.as_str(),
        };
        Ok(self.comments(number).await?.into_iter().find(is_ours))
    }

    /// Returns the newest comment of ours that bears a mark; nothing where GitHub does not say who we are.
    pub async fn own_comment(&self, number: IssueNumber, marker: &str) -> Result<Option<u64>, ForgeError> {
        let Some(myself) = self.myself().await? else { return Ok(None) };
        let is_ours =
            |comment: &Comment| comment.body.contains(marker) && same_account(&comment.author, myself);
        Ok(self.comments(number).await?.into_iter().rfind(is_ours).map(|comment| comment.id))
    }

    /// Tells whether the token speaks for an account; no when GitHub does not say it.
    pub async fn is_me(&self, login: &str) -> Result<bool, ForgeError> {
        Ok(self.myself().await?.is_some_and(|myself| same_account(login, myself)))
    }

    /// Returns the login the token speaks for, asked for once.
    pub async fn myself(&self) -> Result<Option<&str>, ForgeError> {
        let login = self.myself.get_or_try_init(|| async {
            match self.line.question(WHO, "query { viewer { login } }").await {
                Ok(answer) => viewer(&answer),
                Err(ForgeError::Refused { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        });
        Ok(login.await?.as_deref())
    }
}

/// Reads who we are. GraphQL refuses with status 200: that GitHub does not say it to this token is an answer, that it does
/// not say it now is none, and to go on would look like a comment of ours were not there.
fn viewer(answer: &Value) -> Result<Option<String>, ForgeError> {
    let error = &answer["errors"][0];
    match (answer["data"]["viewer"]["login"].as_str(), error["type"].as_str()) {
        (Some(login), _) => Ok(Some(login.to_owned())),
        (None, Some("FORBIDDEN" | "INSUFFICIENT_SCOPES")) => Ok(None),
        (None, _) => {
            let why = error["message"].as_str().unwrap_or("it names nobody").chars().take(300).collect();
            Err(ForgeError::Unexpected { action: WHO, why })
        }
    }
}

/// Two interfaces of GitHub disagree about the ending of an application's name.
pub(super) fn same_account(one: &str, other: &str) -> bool {
    let bare = |login: &str| login.strip_suffix(BOT).unwrap_or(login).to_lowercase();
    let is_bot = |login: &str| login.ends_with(BOT);
    bare(one) == bare(other) && (is_bot(one) || !is_bot(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn github_that_does_not_say_who_we_are_is_not_github_that_cannot_say_it_now() {
        let answer = |kind: &str| json!({ "data": null, "errors": [{ "type": kind, "message": "no" }] });
        assert!(matches!(viewer(&answer("FORBIDDEN")), Ok(None)));
        assert!(viewer(&answer("RATE_LIMITED")).is_err_and(|error| !error.is_final()));
        assert!(viewer(&json!({})).is_err());
        let known = viewer(&json!({ "data": { "viewer": { "login": "alice" } } }));
        assert_eq!(known.expect("a login").as_deref(), Some("alice"));
    }

    #[test]
    fn a_person_with_the_name_of_an_application_is_not_it() {
        assert!(same_account("github-actions[bot]", "github-actions"));
        assert!(same_account("Alice", "alice"));
        assert!(!same_account("github-actions", "github-actions[bot]"));
        assert!(!same_account("mallory", "alice"));
    }
}
