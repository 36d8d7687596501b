//! Issues: their text, state, labels, comments and reactions, and the follow-up issue of a run.
//! A comment of ours is known by its id; else by its marker, and then only if we wrote it.

use http::Method;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::GithubForge;
use super::client::{LABEL, Request, escaped, read};
use super::event::Label;
use super::managed_section::{LONGEST_BODY, truncated};
use crate::{Comment, CommentDraft, FollowUp, ForgeError, IssueRef};
use model::issue::{Discussion, Issue, IssueNumber};

const READ_ISSUE: &str = "read the issue";

/// What we use of an issue.
#[derive(Deserialize)]
struct IssueAnswer {
    title: String,
    body: Option<String>,
    labels: Vec<LabelAnswer>,
    user: Option<User>,
    state: String,
    html_url: String,
    pull_request: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum LabelAnswer {
    Plain(String),
    Named { name: Option<String> },
}

/// Who wrote something; nobody when the account is gone.
#[derive(Deserialize)]
pub(super) struct User {
    pub login: String,
    #[serde(default, rename = "type")]
    pub kind: String,
}

/// What we use of a comment.
#[derive(Deserialize)]
pub(super) struct CommentAnswer {
    pub id: u64,
    user: Option<User>,
    created_at: Timestamp,
    updated_at: Timestamp,
    body: Option<String>,
}

impl From<CommentAnswer> for Comment {
    fn from(answer: CommentAnswer) -> Self {
        Self {
            id: answer.id,
            by_bot: answer.user.as_ref().is_some_and(|user| user.kind == "Bot"),
            author: answer.user.map(|user| user.login).unwrap_or_default(),
            created_at: answer.created_at,
            updated_at: answer.updated_at,
            body: answer.body.unwrap_or_default(),
        }
    }
}

impl GithubForge {
    /// Returns an issue, open or closed. A pull request is none.
    pub async fn issue(&self, number: IssueNumber) -> Result<Issue, ForgeError> {
        let not_found =
            || ForgeError::NotFound { number, place: format!("such issue in {}", self.repository()) };
        let answer = self.client.get(READ_ISSUE, &format!("/issues/{number}")).await;
        let value = answer.map_err(|error| if error.is_missing() { not_found() } else { error })?;
        let answer: IssueAnswer = read(READ_ISSUE, value)?;
        if answer.pull_request.is_some() {
            return Err(ForgeError::NoIssue { number, repository: self.repository() });
        }
        let name = |label: LabelAnswer| match label {
            LabelAnswer::Plain(name) => Some(name),
            LabelAnswer::Named { name } => name,
        };
        Ok(Issue {
            number,
            title: answer.title,
            body: answer.body.unwrap_or_default(),
            labels: answer.labels.into_iter().filter_map(name).collect(),
            author: answer.user.map(|user| user.login).unwrap_or_default(),
            open: answer.state == "open",
            url: answer.html_url,
            discussion: Discussion::default(),
        })
    }

    /// Returns the comments of an issue, oldest first.
    pub async fn comments(&self, number: IssueNumber) -> Result<Vec<Comment>, ForgeError> {
        const LIST: &str = "list the comments";
        let all = self.client.all(LIST, &format!("/issues/{number}/comments"), "").await?;
        all.into_iter().map(|value| read::<CommentAnswer>(LIST, value).map(Comment::from)).collect()
    }
}

/// Where an issue stands.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct IssueState {
    state: String,
    /// Whether comments are closed.
    #[serde(default)]
    pub locked: bool,
    #[serde(default)]
    labels: Vec<Label>,
}

impl IssueState {
    /// Tells whether it is open.
    pub fn is_open(&self) -> bool {
        self.state == "open"
    }

    /// Tells whether it has a label.
    pub fn has(&self, label: &str) -> bool {
        self.labels.iter().any(|have| have.name.eq_ignore_ascii_case(label))
    }

    /// Returns the names of its labels.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().map(|label| label.name.as_str())
    }
}

impl GithubForge {
    /// Returns where an issue stands; nothing when it was moved elsewhere or deleted.
    pub async fn issue_state(&self, number: IssueNumber) -> Result<Option<IssueState>, ForgeError> {
        match self.client.get(READ_ISSUE, &format!("/issues/{number}")).await {
            Err(ForgeError::Refused { status: 301 | 302 | 307 | 308 | 404 | 410, .. }) => Ok(None),
            found => read(READ_ISSUE, found?).map(Some),
        }
    }
}

const WRITE_COMMENT: &str = "write the progress comment";
const ASK_LOGIN: &str = "ask whom the token belongs to";

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
        match self.find_own(number, draft).await? {
            Some(comment) => self.rewrite(comment.id, draft).await,
            None => self.comment(number, draft).await,
        }
    }

    /// Writes a comment again that has to be there.
    pub async fn rewrite_comment(&self, draft: CommentDraft<'_>, id: u64) -> Result<u64, ForgeError> {
        self.rewrite(id, draft).await
    }

    async fn rewrite(&self, id: u64, draft: CommentDraft<'_>) -> Result<u64, ForgeError> {
        let body = json!({ "body": truncated(draft.body.as_str(), LONGEST_BODY) });
        let path = self.client.access.path(&format!("/issues/comments/{id}"));
        let request = Request { action: WRITE_COMMENT, method: Method::PATCH, path, body: Some(&body) };
        self.client.repeat(&request).await?;
        Ok(id)
    }

    async fn comment(&self, number: IssueNumber, draft: CommentDraft<'_>) -> Result<u64, ForgeError> {
        let body = json!({ "body": truncated(draft.body.as_str(), LONGEST_BODY) });
        let path = self.client.access.path(&format!("/issues/{number}/comments"));
        let request = Request { action: WRITE_COMMENT, method: Method::POST, path, body: Some(&body) };
        let look = || async {
            let found = self.find_own(number, draft).await?;
            Ok(found.map(|comment| json!({ "id": comment.id })))
        };
        let made = self.client.create(&request, look).await?;
        made["id"]
            .as_u64()
            .ok_or_else(|| ForgeError::Unexpected { action: WRITE_COMMENT, why: "it has no id".into() })
    }

    /// Finds the comment that we wrote. Where GitHub does not say who we are, only the very text is ours.
    async fn find_own(
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
            match self.client.query(ASK_LOGIN, "query { viewer { login } }").await {
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
            Err(ForgeError::Unexpected { action: ASK_LOGIN, why })
        }
    }
}

/// Two interfaces of GitHub disagree about the ending of an application's name.
pub(super) fn same_account(one: &str, other: &str) -> bool {
    let bare = |login: &str| login.strip_suffix(BOT).unwrap_or(login).to_lowercase();
    let is_bot = |login: &str| login.ends_with(BOT);
    bare(one) == bare(other) && (is_bot(one) || !is_bot(other))
}

const FIND_LABEL: &str = "look at a label";
const REMOVE_LABEL: &str = "take the label off";
const ADD_LABEL: &str = "put a label on the issue";
const MAKE_LABEL: &str = "make a label";

impl GithubForge {
    /// Takes a label off an issue; one that is not there is no error.
    pub async fn unlabel(&self, number: IssueNumber, label: &str) -> Result<(), ForgeError> {
        let path = self.client.access.path(&format!("/issues/{number}/labels/{}", escaped(label, LABEL)));
        match self
            .client
            .repeat(&Request { action: REMOVE_LABEL, method: Method::DELETE, path, body: None })
            .await
        {
            Err(error) if error.is_missing() => Ok(()),
            done => done.map(drop),
        }
    }

    /// Puts a label on an issue. It has to exist, else GitHub makes one without colour.
    pub async fn label(&self, number: IssueNumber, label: &str) -> Result<(), ForgeError> {
        let body = json!({ "labels": [label] });
        let path = self.client.access.path(&format!("/issues/{number}/labels"));
        let request = Request { action: ADD_LABEL, method: Method::POST, path, body: Some(&body) };
        self.client.repeat(&request).await.map(drop)
    }

    /// Tells whether the repository has a label of that name.
    pub(super) async fn label_exists(&self, name: &str) -> Result<bool, ForgeError> {
        match self.client.get(FIND_LABEL, &format!("/labels/{}", escaped(name, LABEL))).await {
            Err(error) if error.is_missing() => Ok(false),
            found => found.map(|_| true),
        }
    }

    /// Makes a label of the repository unless there is one of that name.
    pub async fn make_label(&self, name: &str, color: &str, description: &str) -> Result<(), ForgeError> {
        if self.label_exists(name).await? {
            return Ok(());
        }
        let body = json!({ "name": name, "color": color, "description": description });
        let path = self.client.access.path("/labels");
        let made: Result<Value, _> = self
            .client
            .repeat(&Request { action: MAKE_LABEL, method: Method::POST, path, body: Some(&body) })
            .await;
        match made {
            // Another run was faster, or an answer of ours was lost.
            Err(ForgeError::Refused { status: 422, .. }) => Ok(()),
            done => done.map(drop),
        }
    }
}

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
pub enum ReactionTarget {
    /// An issue.
    Issue(IssueNumber),
    /// The comment with this id.
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

impl ReactionTarget {
    fn path(self) -> String {
        match self {
            Self::Issue(number) => format!("/issues/{number}/reactions"),
            Self::Comment(id) => format!("/issues/comments/{id}/reactions"),
        }
    }
}

impl GithubForge {
    /// Gives a reaction.
    pub async fn react(&self, target: ReactionTarget, reaction: Reaction) -> Result<(), ForgeError> {
        let body = json!({ "content": reaction.content() });
        let path = self.client.access.path(&target.path());
        let request = Request { action: REACT, method: Method::POST, path, body: Some(&body) };
        self.client.repeat(&request).await.map(drop)
    }

    /// Tells whether we said of a comment before that it was obeyed or refused. Where GitHub does not say who we are,
    /// anybody's word counts: a command is rather left out than obeyed twice.
    pub async fn has_answered(&self, comment: u64) -> Result<bool, ForgeError> {
        let all = self.client.all(REACT, &ReactionTarget::Comment(comment).path(), "").await?;
        let by: Vec<&str> = all.iter().filter_map(author_of_final).collect();
        if by.is_empty() {
            return Ok(false);
        }
        let Some(myself) = self.myself().await? else { return Ok(true) };
        Ok(by.iter().any(|by| same_account(by, myself)))
    }
}

/// Returns who gave a reaction that says what became of a command.
fn author_of_final(reaction: &Value) -> Option<&str> {
    let content = reaction["content"].as_str()?;
    let is_last = [Reaction::Rocket, Reaction::Confused].iter().any(|last| last.content() == content);
    if !is_last {
        return None;
    }
    Some(reaction["user"]["login"].as_str().unwrap_or_default())
}

const FIND_FOLLOW_UP: &str = "look for the follow-up issue";
const OPEN_FOLLOW_UP: &str = "open the follow-up issue";
const LINK_FOLLOW_UP: &str = "put the follow-up issue below its issue";

/// The label of ours, made where it is missing.
const FOLLOW_UP_LABEL: &str = "ai-workflow:follow-up";
const FOLLOW_UP_COLOR: &str = "c5def5";
const FOLLOW_UP_DESCRIPTION: &str = "What a run of ai-workflow left for later";
/// The label that many repositories have for what is still to do; never made.
const ENHANCEMENT_LABEL: &str = "enhancement";

/// What we use of an issue in a list.
#[derive(Deserialize)]
struct FollowUpAnswer {
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
        let there = match self.find_follow_up(wanted).await? {
            Some(there) => there,
            None => self.open_follow_up(wanted).await?,
        };
        self.add_sub_issue(wanted, &there).await?;
        Ok(IssueRef { number: there.number, url: there.html_url })
    }

    /// Looks through what moved since the run began: a label can be taken off, and a search comes too late.
    async fn find_follow_up(&self, wanted: &FollowUp<'_>) -> Result<Option<FollowUpAnswer>, ForgeError> {
        let myself = self.myself().await?;
        let body = follow_up_body(wanted);
        let is_ours = |issue: &FollowUpAnswer| {
            let text = issue.body.as_deref().unwrap_or_default();
            let author = issue.user.as_ref().map(|user| user.login.as_str()).unwrap_or_default();
            issue.pull_request.is_none()
                && match myself {
                    Some(login) => text.contains(wanted.marker) && same_account(author, login),
                    None => text == body,
                }
        };
        let since = wanted.since.strftime("%Y-%m-%dT%H:%M:%SZ");
        let listed = self.client.all(FIND_FOLLOW_UP, "/issues", &format!("state=all&since={since}&")).await?;
        let issue: Result<Vec<FollowUpAnswer>, _> =
            listed.into_iter().map(|value| read(FIND_FOLLOW_UP, value)).collect();
        Ok(issue?.into_iter().find(is_ours))
    }

    async fn open_follow_up(&self, wanted: &FollowUp<'_>) -> Result<FollowUpAnswer, ForgeError> {
        let labels = self.labels_for(wanted).await?;
        let body =
            json!({ "title": wanted.title.as_str(), "body": follow_up_body(wanted), "labels": labels });
        let path = self.client.access.path("/issues");
        let look = || async {
            let found = self.find_follow_up(wanted).await?;
            Ok(found
                .map(|issue| json!({ "id": issue.id, "number": issue.number, "html_url": issue.html_url })))
        };
        let request = Request { action: OPEN_FOLLOW_UP, method: Method::POST, path, body: Some(&body) };
        read(OPEN_FOLLOW_UP, self.client.create(&request, look).await?)
    }

    /// A label that would start a run is never given, and one that cannot be made is done without.
    async fn labels_for(&self, wanted: &FollowUp<'_>) -> Result<Vec<&'static str>, ForgeError> {
        let mut labels = Vec::new();
        if !FOLLOW_UP_LABEL.eq_ignore_ascii_case(wanted.trigger) && self.has_own_label().await? {
            labels.push(FOLLOW_UP_LABEL);
        }
        if !ENHANCEMENT_LABEL.eq_ignore_ascii_case(wanted.trigger)
            && self.has_label(ENHANCEMENT_LABEL).await?
        {
            labels.push(ENHANCEMENT_LABEL);
        }
        Ok(labels)
    }

    async fn has_own_label(&self) -> Result<bool, ForgeError> {
        match self.make_label(FOLLOW_UP_LABEL, FOLLOW_UP_COLOR, FOLLOW_UP_DESCRIPTION).await {
            Ok(()) => Ok(true),
            Err(error) if error.is_final() => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn has_label(&self, name: &str) -> Result<bool, ForgeError> {
        match self.label_exists(name).await {
            Err(error) if error.is_final() => Ok(false),
            there => there,
        }
    }

    /// Not every GitHub has sub-issues, and one that is below its parent already is refused: its text names the parent.
    async fn add_sub_issue(&self, wanted: &FollowUp<'_>, child: &FollowUpAnswer) -> Result<(), ForgeError> {
        let path = self.client.access.path(&format!("/issues/{}/sub_issues", wanted.parent));
        let body = json!({ "sub_issue_id": child.id });
        let request = Request { action: LINK_FOLLOW_UP, method: Method::POST, path, body: Some(&body) };
        match self.client.repeat(&request).await {
            Err(error) if !error.is_final() => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

fn follow_up_body(wanted: &FollowUp<'_>) -> String {
    truncated(wanted.body.as_str(), LONGEST_BODY)
}

#[cfg(test)]
mod tests;
