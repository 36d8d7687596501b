//! What the fake GitHub holds in the end, without times and addresses: two of these are compared, or shown in a snapshot.

use std::collections::BTreeMap;

use serde::Serialize;

use super::world::{Issue, World};

/// Everything that people can see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Picture {
    pub issues: BTreeMap<u64, IssueSeen>,
    pub pulls: BTreeMap<u64, PullSeen>,
    pub comments: Vec<CommentSeen>,
    pub labels: Vec<String>,
    pub references: BTreeMap<String, String>,
    pub reactions: Vec<ReactionSeen>,
    pub threads: Vec<ThreadSeen>,
    pub check_runs: Vec<CheckRunSeen>,
    /// Titles of workflows that were started by hand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub started: Vec<String>,
    /// Commit, context, state.
    pub statuses: Vec<(String, String, String)>,
}

impl std::fmt::Display for Picture {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = serde_json::to_string_pretty(self).map_err(|_| std::fmt::Error)?;
        formatter.write_str(&text)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IssueSeen {
    pub title: String,
    pub body: String,
    pub author: String,
    pub labels: Vec<String>,
    pub open: bool,
    pub parent: Option<u64>,
    pub edits: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PullSeen {
    pub head: String,
    pub base: String,
    pub draft: bool,
    pub merged: bool,
    pub reviewers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<String>,
    #[serde(flatten)]
    pub issue: IssueSeen,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommentSeen {
    pub id: u64,
    pub issue: u64,
    pub author: String,
    pub body: String,
    pub edits: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReactionSeen {
    pub on: String,
    pub content: String,
    pub author: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ThreadSeen {
    pub pull: u64,
    pub path: String,
    pub line: u64,
    pub resolved: bool,
    /// Author and body.
    pub comments: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckRunSeen {
    pub commit: String,
    pub name: String,
    pub status: String,
    pub conclusion: Option<String>,
    pub summary: Option<String>,
    pub annotations: usize,
}

impl Picture {
    pub fn of(world: &World) -> Self {
        let plain = world.issues.values().filter(|issue| issue.pull.is_none());
        Self {
            issues: plain.map(|issue| (issue.number, seen(issue))).collect(),
            pulls: world.issues.values().filter_map(|issue| Some((issue.number, pull(issue)?))).collect(),
            comments: comments(world),
            labels: world.labels.keys().cloned().collect(),
            references: world.references.all(),
            reactions: reactions(world),
            threads: threads(world),
            check_runs: check_runs(world),
            started: world.started.iter().map(|run| run.title.clone()).collect(),
            statuses: world
                .statuses
                .iter()
                .map(|status| (status.commit.clone(), status.context.clone(), status.state.clone()))
                .collect(),
        }
    }

    /// Returns the picture without the counts of edits: what is left must not depend on a lost answer.
    #[must_use]
    pub fn without_edits(mut self) -> Self {
        self.issues.values_mut().for_each(|issue| issue.edits = 0);
        self.pulls.values_mut().for_each(|pull| pull.issue.edits = 0);
        self.comments.iter_mut().for_each(|comment| comment.edits = 0);
        self
    }
}

fn seen(issue: &Issue) -> IssueSeen {
    let Issue { title, body, author, labels, open, parent, edits, .. } = issue.clone();
    IssueSeen { title, body, author, labels, open, parent, edits }
}

fn pull(issue: &Issue) -> Option<PullSeen> {
    let pull = issue.pull.clone()?;
    let merged = pull.merged_at.is_some();
    let (head, base, draft) = (pull.head, pull.base, pull.draft);
    let (reviewers, teams) = (pull.reviewers, pull.teams);
    Some(PullSeen { head, base, draft, merged, reviewers, teams, issue: seen(issue) })
}

fn comments(world: &World) -> Vec<CommentSeen> {
    let comments = world.comments.values().cloned();
    let seen = comments.map(|comment| CommentSeen {
        id: comment.id,
        issue: comment.issue,
        author: comment.author,
        body: comment.body,
        edits: comment.edits,
    });
    seen.collect()
}

fn reactions(world: &World) -> Vec<ReactionSeen> {
    let reactions = world.reactions.iter().cloned();
    let seen = reactions.map(|reaction| ReactionSeen {
        on: reaction.on,
        content: reaction.content,
        author: reaction.author,
    });
    seen.collect()
}

fn threads(world: &World) -> Vec<ThreadSeen> {
    let threads = world.threads.iter().cloned();
    let seen = threads.map(|thread| ThreadSeen {
        pull: thread.pull,
        path: thread.path,
        line: thread.line,
        resolved: thread.resolved,
        comments: thread.comments.into_iter().map(|comment| (comment.author, comment.body)).collect(),
    });
    seen.collect()
}

fn check_runs(world: &World) -> Vec<CheckRunSeen> {
    let runs = world.check_runs.iter().cloned();
    let seen = runs.map(|run| CheckRunSeen {
        commit: run.commit,
        name: run.name,
        status: run.status,
        conclusion: run.conclusion,
        summary: run.summary,
        annotations: run.annotations,
    });
    seen.collect()
}
