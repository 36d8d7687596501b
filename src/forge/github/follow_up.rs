//! Opens the one follow-up issue of a run below the issue it came from. It is known by its mark and its author, whatever
//! people did to its labels; once it is there it belongs to people, and nothing here writes it again.

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::{FollowUp, ForgeError, IssueRef};
use super::GithubForge;
use super::comment::same_account;
use super::fitting::{LONGEST, fitted};
use super::issue::User;
use super::pages::read;
use super::talk::Ask;

const FIND: &str = "look for the follow-up issue";
const OPEN: &str = "open the follow-up issue";
const LINK: &str = "put the follow-up issue below its issue";

/// The label of ours, made where it is missing.
const OURS: &str = "ai-workflow:follow-up";
const COLOR: &str = "c5def5";
const ABOUT: &str = "What a run of ai-workflow left for later";
/// The label that many repositories have for what is still to do; never made.
const COMMON: &str = "enhancement";

/// What we use of an issue in a list.
#[derive(Deserialize)]
struct Given {
    id: u64,
    number: u64,
    html_url: String,
    body: Option<String>,
    user: Option<User>,
    pull_request: Option<Value>,
}

impl GithubForge {
    /// Opens the follow-up issue unless it is there, and puts it below its parent where GitHub can do that.
    pub async fn follow_up(&self, wanted: &FollowUp<'_>) -> Result<IssueRef, ForgeError> {
        let there = match self.followed_up(wanted).await? {
            Some(there) => there,
            None => self.open_follow_up(wanted).await?,
        };
        self.put_below(wanted, &there).await?;
        Ok(IssueRef { number: there.number, url: there.html_url })
    }

    /// Looks through what moved since the run began: a label can be taken off, and a search comes too late.
    async fn followed_up(&self, wanted: &FollowUp<'_>) -> Result<Option<Given>, ForgeError> {
        let myself = self.myself().await?;
        let body = body(wanted);
        let is_ours = |given: &Given| {
            let text = given.body.as_deref().unwrap_or_default();
            let author = given.user.as_ref().map(|user| user.login.as_str()).unwrap_or_default();
            given.pull_request.is_none()
                && match myself {
                    Some(login) => text.contains(wanted.marker) && same_account(author, login),
                    None => text == body,
                }
        };
        let since = wanted.since.strftime("%Y-%m-%dT%H:%M:%SZ");
        let listed = self.all(FIND, "/issues", &format!("state=all&since={since}&")).await?;
        let given: Result<Vec<Given>, _> = listed.into_iter().map(|value| read(FIND, value)).collect();
        Ok(given?.into_iter().find(is_ours))
    }

    async fn open_follow_up(&self, wanted: &FollowUp<'_>) -> Result<Given, ForgeError> {
        let labels = self.labels_for(wanted).await?;
        let body = json!({ "title": wanted.title.as_str(), "body": body(wanted), "labels": labels });
        let path = self.line.access.path("/issues");
        let look = || async {
            let found = self.followed_up(wanted).await?;
            Ok(found
                .map(|given| json!({ "id": given.id, "number": given.number, "html_url": given.html_url })))
        };
        let ask = Ask { action: OPEN, method: Method::POST, path, body: Some(&body) };
        read(OPEN, self.line.create(&ask, look).await?)
    }

    /// A label that would start a run is never given, and one that cannot be made is done without.
    async fn labels_for(&self, wanted: &FollowUp<'_>) -> Result<Vec<&'static str>, ForgeError> {
        let mut labels = Vec::new();
        if !OURS.eq_ignore_ascii_case(wanted.trigger) && self.has_own_label().await? {
            labels.push(OURS);
        }
        if !COMMON.eq_ignore_ascii_case(wanted.trigger) && self.has_label(COMMON).await? {
            labels.push(COMMON);
        }
        Ok(labels)
    }

    async fn has_own_label(&self) -> Result<bool, ForgeError> {
        match self.make_label(OURS, COLOR, ABOUT).await {
            Ok(()) => Ok(true),
            Err(error) if error.is_final() => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn has_label(&self, name: &str) -> Result<bool, ForgeError> {
        match self.there_is_label(name).await {
            Err(error) if error.is_final() => Ok(false),
            there => there,
        }
    }

    /// Not every GitHub has sub-issues, and one that is below its parent already is refused: its text names the parent.
    async fn put_below(&self, wanted: &FollowUp<'_>, child: &Given) -> Result<(), ForgeError> {
        let path = self.line.access.path(&format!("/issues/{}/sub_issues", wanted.parent));
        let body = json!({ "sub_issue_id": child.id });
        let ask = Ask { action: LINK, method: Method::POST, path, body: Some(&body) };
        match self.line.repeat(&ask).await {
            Err(error) if !error.is_final() => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

fn body(wanted: &FollowUp<'_>) -> String {
    fitted(wanted.body.as_str(), LONGEST)
}
