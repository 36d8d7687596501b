//! Issues: their text, state, labels, comments and reactions, and the follow-up issue of a run.
//! A comment of ours is known by its id; else by its marker, and then only if we wrote it.

use http::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::GithubForge;
use super::client::{LABEL, escape_name};
use super::event::{EventComment, GithubUser};
use super::managed_section::{LONGEST_BODY, truncate};
use crate::{BOT, Comment, CommentDraft, FollowUpIssue, ForgeError, IssueRef, Result};
use model::issue::{Discussion, Issue, IssueNumber};

const READ_ISSUE: &str = "read the issue";

/// An issue, or what of a pull request is one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct IssueState {
    id: u64,
    number: u64,
    title: String,
    body: Option<String>,
    /// Whether comments are closed.
    #[serde(default)]
    pub locked: bool,
    #[serde(default)]
    labels: Vec<LabelAnswer>,
    user: Option<GithubUser>,
    state: String,
    html_url: String,
    pull_request: Option<Value>,
}

/// A label in GitHub's answer: an object with a name, or the name alone.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum LabelAnswer {
    Plain(String),
    Named { name: Option<String> },
}

impl IssueState {
    /// Tells whether it is open.
    pub fn is_open(&self) -> bool {
        self.state == "open"
    }

    /// Tells whether it has a label.
    pub fn has(&self, label: &str) -> bool {
        self.labels().any(|have| have.eq_ignore_ascii_case(label))
    }

    /// Returns the names of its labels.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().filter_map(|label| match label {
            LabelAnswer::Plain(name) => Some(name.as_str()),
            LabelAnswer::Named { name } => name.as_deref(),
        })
    }
}

impl From<EventComment> for Comment {
    fn from(answer: EventComment) -> Self {
        Self {
            id: answer.id,
            by_bot: answer.user.as_ref().is_some_and(|user| user.kind == "Bot"),
            author: login_of(answer.user),
            created_at: answer.created_at,
            updated_at: answer.updated_at,
            body: answer.body.unwrap_or_default(),
        }
    }
}

/// Returns the login of an account; none when it is gone.
pub(super) fn login_of(user: Option<GithubUser>) -> String {
    user.map(|user| user.login).unwrap_or_default()
}

impl GithubForge {
    /// Returns an issue, open or closed. A pull request is none.
    pub async fn issue(&self, number: IssueNumber) -> Result<Issue> {
        let answer = self.client.find::<IssueState>(READ_ISSUE, &format!("/issues/{number}")).await?;
        let repository = self.repository();
        let Some(answer) = answer else {
            return Err(ForgeError::NotFound { number, place: format!("such issue in {repository}") });
        };
        if answer.pull_request.is_some() {
            return Err(ForgeError::NoIssue { number, repository });
        }
        Ok(Issue {
            number,
            labels: answer.labels().map(str::to_owned).collect(),
            open: answer.is_open(),
            title: answer.title,
            body: answer.body.unwrap_or_default(),
            author: login_of(answer.user),
            url: answer.html_url,
            discussion: Discussion::default(),
        })
    }

    /// Returns the state of an issue; nothing when it was transferred or deleted.
    pub async fn issue_state(&self, number: IssueNumber) -> Result<Option<IssueState>> {
        match self.client.find(READ_ISSUE, &format!("/issues/{number}")).await {
            Err(ForgeError::Refused { status: 301 | 302 | 307 | 308, .. }) => Ok(None),
            found => found,
        }
    }

    /// Returns the comments of an issue, oldest first.
    pub async fn comments(&self, number: IssueNumber) -> Result<Vec<Comment>> {
        let path = format!("/issues/{number}/comments");
        let all: Vec<EventComment> = self.client.list("list the comments", &path).await?;
        Ok(all.into_iter().map(Comment::from).collect())
    }
}

const WRITE_COMMENT: &str = "write the progress comment";
const ASK_LOGIN: &str = "ask whom the token belongs to";

impl GithubForge {
    /// Writes a comment, or writes it again, and returns its id. A comment that was deleted is made once more.
    pub async fn upsert_comment(&self, number: IssueNumber, draft: CommentDraft<'_>) -> Result<u64> {
        if let Some(id) = draft.id {
            match self.rewrite_comment(draft, id).await {
                Err(error) if error.is_missing() => {}
                done => return done,
            }
        }
        match self.find_own(number, draft).await? {
            Some(comment) => self.rewrite_comment(draft, comment.id).await,
            None => self.comment(number, draft).await,
        }
    }

    /// Writes a comment again that has to be there.
    pub async fn rewrite_comment(&self, draft: CommentDraft<'_>, id: u64) -> Result<u64> {
        let body = json!({ "body": truncate(draft.body.as_str(), LONGEST_BODY) });
        self.client.change(WRITE_COMMENT, Method::PATCH, &format!("/issues/comments/{id}"), body).await?;
        Ok(id)
    }

    async fn comment(&self, number: IssueNumber, draft: CommentDraft<'_>) -> Result<u64> {
        let body = json!({ "body": truncate(draft.body.as_str(), LONGEST_BODY) });
        let look = || async {
            let found = self.find_own(number, draft).await?;
            Ok(found.map(|comment| json!({ "id": comment.id })))
        };
        let made = self
            .client
            .create(&self.client.post(WRITE_COMMENT, &format!("/issues/{number}/comments"), body), look)
            .await?;
        made["id"].as_u64().ok_or_else(|| ForgeError::unexpected(WRITE_COMMENT, "it has no id"))
    }

    async fn find_own(&self, number: IssueNumber, draft: CommentDraft<'_>) -> Result<Option<Comment>> {
        let (myself, whole) = (self.myself().await?, draft.body.as_str());
        let is_ours =
            |comment: &Comment| is_ours(myself, (&comment.author, &comment.body), draft.marker, whole);
        Ok(self.comments(number).await?.into_iter().find(is_ours))
    }

    /// Returns the newest comment of ours that bears a mark; nothing where GitHub does not say who we are.
    pub async fn own_comment(&self, number: IssueNumber, marker: &str) -> Result<Option<u64>> {
        let Some(myself) = self.myself().await? else { return Ok(None) };
        let is_ours =
            |comment: &Comment| comment.body.contains(marker) && is_same_account(&comment.author, myself);
        Ok(self.comments(number).await?.into_iter().rfind(is_ours).map(|comment| comment.id))
    }

    /// Tells whether the token belongs to an account; no when GitHub does not say it.
    pub async fn is_me(&self, login: &str) -> Result<bool> {
        Ok(self.myself().await?.is_some_and(|myself| is_same_account(login, myself)))
    }

    /// Returns the login of the token's account, asked for once.
    pub async fn myself(&self) -> Result<Option<&str>> {
        let login = self.myself.get_or_try_init(|| async {
            match self.client.graphql(ASK_LOGIN, json!({ "query": "query { viewer { login } }" })).await {
                Ok(answer) => parse_viewer(&answer),
                Err(ForgeError::Refused { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        });
        Ok(login.await?.as_deref())
    }
}

/// Reads who we are. GraphQL refuses with status 200: that GitHub does not say it to this token is an answer, that it does
/// not say it now is none, and to go on would look like a comment of ours were not there.
fn parse_viewer(answer: &Value) -> Result<Option<String>> {
    let error = &answer["errors"][0];
    match (answer["data"]["viewer"]["login"].as_str(), error["type"].as_str()) {
        (Some(login), _) => Ok(Some(login.to_owned())),
        (None, Some("FORBIDDEN" | "INSUFFICIENT_SCOPES")) => Ok(None),
        (None, _) => {
            let why = error["message"].as_str().unwrap_or("it names nobody").chars().take(300);
            Err(ForgeError::unexpected(ASK_LOGIN, why.collect::<String>()))
        }
    }
}

/// Tells whether a text is ours: it has our mark, and its author is who we are. Where GitHub does not say who we are, only
/// the very text is ours.
pub(super) fn is_ours(myself: Option<&str>, (author, text): (&str, &str), marker: &str, whole: &str) -> bool {
    match myself {
        Some(myself) => text.contains(marker) && is_same_account(author, myself),
        None => text == whole,
    }
}

/// Two interfaces of GitHub disagree about the ending of an application's name.
pub(super) fn is_same_account(one: &str, other: &str) -> bool {
    let bare = |login: &str| login.strip_suffix(BOT).unwrap_or(login).to_lowercase();
    let is_bot = |login: &str| login.ends_with(BOT);
    bare(one) == bare(other) && (is_bot(one) || !is_bot(other))
}

impl GithubForge {
    /// Takes a label off an issue; one that is not there is no error.
    pub async fn remove_label(&self, number: IssueNumber, label: &str) -> Result<()> {
        let path = format!("/issues/{number}/labels/{}", escape_name(label, LABEL));
        match self.client.change("take the label off", Method::DELETE, &path, Value::Null).await {
            Err(error) if error.is_missing() => Ok(()),
            done => done,
        }
    }

    /// Puts a label on an issue. It has to exist, else GitHub makes one without colour.
    pub async fn label(&self, number: IssueNumber, label: &str) -> Result<()> {
        let (path, body) = (format!("/issues/{number}/labels"), json!({ "labels": [label] }));
        self.client.change("put a label on the issue", Method::POST, &path, body).await
    }

    /// Tells whether the repository has a label of that name.
    async fn has_label(&self, name: &str) -> Result<bool> {
        let path = format!("/labels/{}", escape_name(name, LABEL));
        Ok(self.client.find::<Value>("look at a label", &path).await?.is_some())
    }

    /// Makes a label of the repository unless there is one of that name.
    pub async fn make_label(&self, name: &str, color: &str, description: &str) -> Result<()> {
        if self.has_label(name).await? {
            return Ok(());
        }
        let body = json!({ "name": name, "color": color, "description": description });
        match self.client.change("make a label", Method::POST, "/labels", body).await {
            // Another run was faster, or an answer of ours was lost.
            Err(ForgeError::Refused { status: 422, .. }) => Ok(()),
            done => done,
        }
    }
}

const REACT: &str = "react to a comment";

/// What a reaction says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
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
    pub async fn react(&self, target: ReactionTarget, reaction: Reaction) -> Result<()> {
        let body = json!({ "content": reaction });
        self.client.change(REACT, Method::POST, &target.path(), body).await
    }

    /// Tells whether an earlier reaction of ours says that the command in a comment was obeyed or refused. Where GitHub does
    /// not say who we are, the reaction of any account counts: a command is rather left out than obeyed twice.
    pub async fn has_answered(&self, comment: u64) -> Result<bool> {
        let all: Vec<Value> = self.client.list(REACT, &ReactionTarget::Comment(comment).path()).await?;
        let by: Vec<&str> = all.iter().filter_map(author_of_final).collect();
        if by.is_empty() {
            return Ok(false);
        }
        let Some(myself) = self.myself().await? else { return Ok(true) };
        Ok(by.iter().any(|by| is_same_account(by, myself)))
    }
}

/// Returns who gave a reaction that says what became of a command.
fn author_of_final(reaction: &Value) -> Option<&str> {
    let is_final =
        [Reaction::Rocket, Reaction::Confused].map(|last| json!(last)).contains(&reaction["content"]);
    if is_final { Some(reaction["user"]["login"].as_str().unwrap_or_default()) } else { None }
}

/// The label of ours, made where it is missing.
const FOLLOW_UP_LABEL: &str = "ai-workflow:follow-up";
const FOLLOW_UP_COLOR: &str = "c5def5";
const FOLLOW_UP_DESCRIPTION: &str = "What a run of ai-workflow left for later";
/// The label that many repositories have for what is still to do; never made.
const ENHANCEMENT_LABEL: &str = "enhancement";

impl GithubForge {
    /// Opens the follow-up issue unless it is there, and puts it below its parent where GitHub can do that.
    pub async fn follow_up(&self, wanted: &FollowUpIssue<'_>) -> Result<IssueRef> {
        let there = match self.find_follow_up(wanted).await? {
            Some(there) => there,
            None => self.open_follow_up(wanted).await?,
        };
        self.add_sub_issue(wanted, there.id).await?;
        Ok(IssueRef { number: there.number, url: there.html_url })
    }

    /// Looks through what moved since the run began: a label can be taken off, and a search comes too late.
    async fn find_follow_up(&self, wanted: &FollowUpIssue<'_>) -> Result<Option<IssueState>> {
        let (myself, whole) = (self.myself().await?, follow_up_body(wanted));
        let is_ours = |issue: &IssueState| {
            let text = issue.body.as_deref().unwrap_or_default();
            let author = issue.user.as_ref().map(|user| user.login.as_str()).unwrap_or_default();
            issue.pull_request.is_none() && is_ours(myself, (author, text), wanted.marker, &whole)
        };
        let since = wanted.since.strftime("%Y-%m-%dT%H:%M:%SZ");
        let path = format!("/issues?state=all&since={since}");
        let listed: Vec<IssueState> = self.client.list("look for the follow-up issue", &path).await?;
        Ok(listed.into_iter().find(is_ours))
    }

    async fn open_follow_up(&self, wanted: &FollowUpIssue<'_>) -> Result<IssueState> {
        let labels = self.labels_for(wanted).await?;
        let body =
            json!({ "title": wanted.title.as_str(), "body": follow_up_body(wanted), "labels": labels });
        let request = self.client.post("open the follow-up issue", "/issues", body);
        self.client.create(&request, || self.find_follow_up(wanted)).await
    }

    /// A label that would start a run is never given, and one that cannot be made is done without.
    async fn labels_for(&self, wanted: &FollowUpIssue<'_>) -> Result<Vec<&'static str>> {
        let mut labels = Vec::new();
        let starts_no_run = |label: &&str| !label.eq_ignore_ascii_case(wanted.trigger);
        for label in [FOLLOW_UP_LABEL, ENHANCEMENT_LABEL].into_iter().filter(starts_no_run) {
            let there = if label == FOLLOW_UP_LABEL {
                self.make_label(label, FOLLOW_UP_COLOR, FOLLOW_UP_DESCRIPTION).await.map(|()| true)
            } else {
                self.has_label(label).await
            };
            match there {
                Ok(true) => labels.push(label),
                Err(error) if !error.is_final() => return Err(error),
                Ok(false) | Err(_) => {}
            }
        }
        Ok(labels)
    }

    /// Not every GitHub has sub-issues, and one that is below its parent already is refused: its text names the parent.
    async fn add_sub_issue(&self, wanted: &FollowUpIssue<'_>, id: u64) -> Result<()> {
        let (action, body) = ("put the follow-up issue below its issue", json!({ "sub_issue_id": id }));
        let path = format!("/issues/{}/sub_issues", wanted.parent);
        match self.client.change(action, Method::POST, &path, body).await {
            Err(error) if !error.is_final() => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

fn follow_up_body(wanted: &FollowUpIssue<'_>) -> String {
    truncate(wanted.body.as_str(), LONGEST_BODY)
}

#[cfg(test)]
mod tests;
