//! Reads the issue that a run begins with: the text of the moment that counts, and what people who are heard said before it.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::environment::runtime;
use crate::failure::{Failure, Result, TEXT_NOT_TRUSTED};
use crate::forge_connection;
use crate::project::Project;
use forge::{
    Comment, Forge, ForgeError, GithubForge, WriteAccess, comments_before, discussion_of, is_named,
    referenced_issues,
};
use model::issue::{AsOf, Discussion, Issue, IssueNumber, Linked};
use settings::Speakers;

/// The most people who are asked about; those who spoke last come first.
const MOST_PEOPLE: usize = 30;

/// Reads an open issue from the forge that was chosen.
pub fn read(project: &Project, number: IssueNumber) -> Result<Issue> {
    let forge = forge_connection::of_issue(project, number)?;
    let (issue, is_trusted) = runtime()?.block_on(async {
        let issue = surrounded(project, &forge, number).await?;
        let is_trusted =
            !project.settings.github.trusted_text_only || is_trusted(project, &forge, &issue).await?;
        Ok::<_, Failure>((issue, is_trusted))
    })?;
    if !issue.open {
        return Err(
            Failure::usage(format!("issue {number} is closed")).hint("open it again, or choose another one")
        );
    }
    if issue.discussion.left_out > 0 {
        tracing::info!("{} earlier comments on the issue found no room", issue.discussion.left_out);
    }
    if is_trusted { Ok(issue) } else { withheld(issue) }
}

async fn surrounded(project: &Project, forge: &Forge, number: IssueNumber) -> Result<Issue> {
    let mut issue = forge.issue(number).await?;
    if let Some(AsOf { title, body, .. }) = &project.as_of {
        (issue.title, issue.body) = (title.clone(), body.clone());
    }
    let before = project.as_of.as_ref().map_or_else(journal::now, |event| event.at);
    let nobody = project.settings.github.speakers == Speakers::Nobody;
    let comments = if nobody { Vec::new() } else { forge.comments(number).await? };
    let comments = comments_before(comments, before);
    let speakers = speakers(project, forge, &comments).await?;
    let is_heard = |comment: &Comment| speakers.get(&comment.author).copied().unwrap_or(false);
    let linked = linked(forge, &issue, project.as_of.as_ref().map(|event| event.at)).await;
    issue.discussion = Discussion { linked, ..discussion_of(&comments, is_heard) };
    Ok(issue)
}

async fn is_trusted(project: &Project, forge: &Forge, issue: &Issue) -> Result<bool, ForgeError> {
    match forge {
        Forge::Local(_) => Ok(true),
        Forge::Github(github) => write_access(project, github).is_granted(&issue.author).await,
    }
}

/// Without the text of its author an issue is what the people who are heard said about it.
fn withheld(issue: Issue) -> Result<Issue> {
    let Issue { number, author, .. } = &issue;
    if issue.discussion.comments.is_empty() {
        let told = format!(
            "{TEXT_NOT_TRUSTED}: {author}, who wrote issue {number}, may not write to the repository"
        );
        return Err(Failure::usage(told)
            .hint("say in a comment what is to be done, or set `github.trusted_text_only` to false"));
    }
    let title = format!("Issue {number}");
    let body = format!(
        "[What {author} wrote is not shown, because {author} may not write to the repository. The comments say what to do.]"
    );
    let discussion = Discussion { linked: Vec::new(), ..issue.discussion };
    Ok(Issue { title, body, discussion, ..issue })
}

/// Tells of each who spoke whether they are heard. Who cannot be asked about is not.
async fn speakers(project: &Project, forge: &Forge, comments: &[Comment]) -> Result<BTreeMap<String, bool>> {
    let Forge::Github(github) = forge else {
        return Ok(comments.iter().map(|comment| (comment.author.clone(), true)).collect());
    };
    let keys = &project.settings.github;
    let mut write_access = write_access(project, github);
    let mut known = BTreeMap::new();
    for comment in comments.iter().rev() {
        if known.len() < MOST_PEOPLE && !known.contains_key(&comment.author) {
            let may = match keys.speakers {
                _ if comment.by_bot => is_named(&keys.allowed_actors, &comment.author),
                Speakers::Everyone => true,
                Speakers::Write | Speakers::Nobody => write_access.is_granted(&comment.author).await?,
            };
            known.insert(comment.author.clone(), may);
        }
    }
    Ok(known)
}

fn write_access<'a>(project: &'a Project, github: &'a GithubForge) -> WriteAccess<'a> {
    WriteAccess::new(github, &project.settings.github.allowed_actors)
}

/// Returns the issues that the text names; one that cannot be read, or had another title at the time of the event, is left out.
async fn linked(forge: &Forge, issue: &Issue, as_of: Option<Timestamp>) -> Vec<Linked> {
    let mut found = Vec::new();
    for number in referenced_issues(&issue.body, issue.number) {
        let Ok(Issue { title, open, .. }) = forge.issue(number).await else { continue };
        let is_of_then = match (forge, as_of) {
            (Forge::Github(github), Some(at)) => github.has_kept_title(number, at).await.unwrap_or(false),
            (Forge::Github(_), None) | (Forge::Local(_), _) => true,
        };
        if is_of_then {
            found.push(Linked { number, title, open });
        }
    }
    found
}
