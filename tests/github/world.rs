//! What the fake GitHub knows: people, issues, comments, labels, pulls, and a clock that only its own writes move.
//! How things look on the wire is with each resource.

use std::collections::BTreeMap;

use jiff::{Timestamp, ToSpan};

use super::exchange::Request;
use super::references::References;

/// The owner of the one repository.
pub const OWNER: &str = "octo";
/// The name of the one repository.
pub const NAME: &str = "pages";
/// The number of the one repository, which is in the links to other pages.
pub const REPOSITORY_ID: u64 = 1_296_269;
/// Where people look at it.
pub const SITE: &str = "https://github.com/octo/pages";
/// Who a token of an installation is.
pub const ACTIONS: &str = "github-actions[bot]";
/// Who every other token is, unless the test says so.
pub const MACHINE: &str = "octo-machine";

/// Everything that is kept.
pub struct World {
    /// The address of the API as the present caller knows it.
    pub base: String,
    pub now: Timestamp,
    /// What the repository was called before, with its owner.
    pub former_name: Option<String>,
    pub logins: BTreeMap<String, String>,
    pub permissions: BTreeMap<String, String>,
    pub people: Vec<String>,
    pub issues: BTreeMap<u64, Issue>,
    pub comments: BTreeMap<u64, Comment>,
    pub labels: BTreeMap<String, Label>,
    pub reactions: Vec<Reaction>,
    pub references: References,
    pub threads: Vec<Thread>,
    pub check_runs: Vec<CheckRun>,
    pub statuses: Vec<Status>,
    /// What the check of each further commit says, once somebody asks: a conclusion, or that it goes on.
    pub to_say: Vec<&'static str>,
    pub started: Vec<Started>,
    pub events: Vec<Event>,
    last: BTreeMap<&'static str, u64>,
}

/// An issue, or the part of a pull request that is one.
#[derive(Debug, Clone)]
pub struct Issue {
    pub number: u64,
    pub title: String,
    pub body: String,
    pub author: String,
    pub labels: Vec<String>,
    pub open: bool,
    pub locked: bool,
    pub reason: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub parent: Option<u64>,
    pub pull: Option<Pull>,
    pub edits: usize,
}

/// What makes a pull request of an issue.
#[derive(Debug, Clone)]
pub struct Pull {
    pub head: String,
    pub base: String,
    pub draft: bool,
    pub merged_at: Option<Timestamp>,
    pub reviewers: Vec<String>,
    /// Teams that were asked to review.
    pub teams: Vec<String>,
    /// Where the head was last seen; the branch may be gone.
    pub head_commit: String,
    pub base_commit: String,
}

/// A comment on an issue.
#[derive(Debug, Clone)]
pub struct Comment {
    pub id: u64,
    pub issue: u64,
    pub author: String,
    pub body: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub edits: usize,
}

/// A label of the repository.
#[derive(Debug, Clone)]
pub struct Label {
    pub id: u64,
    pub name: String,
    pub color: String,
    pub description: Option<String>,
}

/// A reaction; `on` is `issue/7`, `comment/3` or `review/9`.
#[derive(Debug, Clone)]
pub struct Reaction {
    pub id: u64,
    pub on: String,
    pub content: String,
    pub author: String,
    pub created_at: Timestamp,
}

/// A thread of review comments on a line of a pull request.
#[derive(Debug, Clone)]
pub struct Thread {
    pub id: u64,
    pub pull: u64,
    pub path: String,
    pub line: u64,
    pub resolved: bool,
    pub outdated: bool,
    pub comments: Vec<Comment>,
}

/// A workflow that was started by hand.
#[derive(Debug, Clone)]
pub struct Started {
    pub id: u64,
    pub title: String,
    pub branch: String,
    pub commit: String,
    pub actor: String,
    pub at: Timestamp,
}

/// A check run of a commit.
#[derive(Debug, Clone)]
pub struct CheckRun {
    pub id: u64,
    pub commit: String,
    pub name: String,
    pub status: String,
    pub conclusion: Option<String>,
    pub title: Option<String>,
    pub summary: Option<String>,
    pub text: Option<String>,
    pub annotations: usize,
    pub external_id: String,
    pub started_at: Timestamp,
    pub completed_at: Option<Timestamp>,
}

/// A status of a commit.
#[derive(Debug, Clone)]
pub struct Status {
    pub id: u64,
    pub commit: String,
    pub state: String,
    pub context: String,
    pub description: Option<String>,
    pub target_url: Option<String>,
    pub creator: String,
    pub created_at: Timestamp,
}

/// What happened to an issue and who did it.
#[derive(Debug, Clone)]
pub struct Event {
    pub id: u64,
    pub issue: u64,
    pub kind: &'static str,
    pub actor: String,
    pub label: Option<String>,
    pub created_at: Timestamp,
}

impl World {
    pub fn new(base: String, references: References) -> Self {
        let mut world = Self {
            base,
            now: "2026-01-05T09:00:00Z".parse().expect("a time"),
            former_name: None,
            logins: BTreeMap::new(),
            permissions: BTreeMap::new(),
            people: Vec::new(),
            issues: BTreeMap::new(),
            comments: BTreeMap::new(),
            labels: BTreeMap::new(),
            reactions: Vec::new(),
            references,
            threads: Vec::new(),
            check_runs: Vec::new(),
            started: Vec::new(),
            statuses: Vec::new(),
            to_say: Vec::new(),
            events: Vec::new(),
            last: BTreeMap::new(),
        };
        world.permissions.insert(OWNER.to_owned(), "admin".to_owned());
        for login in [OWNER, MACHINE] {
            world.meet(login);
        }
        world.permissions.insert(MACHINE.to_owned(), "write".to_owned());
        world
    }

    /// Returns the next number of a kind of thing. Each kind counts alone, so that a lost call shifts no other.
    pub fn next(&mut self, kind: &'static str) -> u64 {
        let last = self.last.entry(kind).or_insert(if kind == "number" { 0 } else { 1_000 });
        *last += 1;
        *last
    }

    /// Keeps a number that a test chose from being given again.
    pub fn reserve(&mut self, kind: &'static str, number: u64) {
        let last = self.last.entry(kind).or_insert(0);
        *last = (*last).max(number);
    }

    /// Moves the clock on and returns the new time.
    pub fn tick(&mut self) -> Timestamp {
        self.now = self.now.checked_add(1.second()).expect("a time that has a successor");
        self.now
    }

    /// Makes somebody known.
    pub fn meet(&mut self, login: &str) {
        if !self.people.iter().any(|known| known == login) {
            self.people.push(login.to_owned());
        }
    }

    /// Returns who a token is.
    pub fn login(&self, token: &str) -> String {
        let default = if token.starts_with("ghs_") { ACTIONS } else { MACHINE };
        self.logins.get(token).map_or(default, String::as_str).to_owned()
    }

    pub fn comment(&mut self, issue: u64, login: &str, body: &str) -> u64 {
        self.meet(login);
        let (id, at) = (self.next("comment"), self.tick());
        let (author, body) = (login.to_owned(), body.to_owned());
        let comment = Comment { id, issue, author, body, created_at: at, updated_at: at, edits: 0 };
        self.comments.insert(id, comment);
        if let Some(issue) = self.issues.get_mut(&issue) {
            issue.updated_at = at;
        }
        id
    }

    /// Opens an issue, or the issue of a pull request.
    pub fn open(&mut self, number: u64, login: &str, title: &str, body: &str, labels: &[String]) {
        self.meet(login);
        self.reserve("number", number);
        let at = self.tick();
        let issue = Issue {
            number,
            title: title.to_owned(),
            body: body.to_owned(),
            author: login.to_owned(),
            labels: Vec::new(),
            open: true,
            locked: false,
            reason: None,
            created_at: at,
            updated_at: at,
            closed_at: None,
            parent: None,
            pull: None,
            edits: 0,
        };
        self.issues.insert(number, issue);
        for label in labels {
            self.label(number, login, label);
        }
    }

    /// Puts a label on an issue; makes it when the repository has none of that name.
    pub fn label(&mut self, number: u64, login: &str, name: &str) {
        if !self.labels.contains_key(name) {
            let (id, color) = (self.next("label"), "ededed".to_owned());
            self.labels
                .insert(name.to_owned(), Label { id, name: name.to_owned(), color, description: None });
        }
        let at = self.tick();
        let Some(issue) = self.issues.get_mut(&number) else { return };
        if !issue.labels.iter().any(|have| have == name) {
            issue.labels.push(name.to_owned());
            issue.updated_at = at;
            self.happened(number, "labeled", login, Some(name));
        }
    }

    /// Takes a label off an issue; tells whether it was there.
    pub fn unlabel(&mut self, number: u64, login: &str, name: &str) -> bool {
        let at = self.tick();
        let Some(issue) = self.issues.get_mut(&number) else { return false };
        let before = issue.labels.len();
        issue.labels.retain(|have| !have.eq_ignore_ascii_case(name));
        let gone = issue.labels.len() < before;
        if gone {
            issue.updated_at = at;
            self.happened(number, "unlabeled", login, Some(name));
        }
        gone
    }

    /// Opens or closes an issue.
    pub fn turn(&mut self, number: u64, login: &str, open: bool, reason: Option<&str>) {
        let at = self.tick();
        let Some(issue) = self.issues.get_mut(&number) else { return };
        if issue.open != open {
            issue.open = open;
            issue.closed_at = (!open).then_some(at);
            issue.reason = Some(reason.unwrap_or(if open { "reopened" } else { "completed" }).to_owned());
            issue.updated_at = at;
            self.happened(number, if open { "reopened" } else { "closed" }, login, None);
        }
    }

    pub fn happened(&mut self, issue: u64, kind: &'static str, actor: &str, label: Option<&str>) {
        let (id, created_at) = (self.next("event"), self.now);
        let (actor, label) = (actor.to_owned(), label.map(str::to_owned));
        self.events.push(Event { id, issue, kind, actor, label, created_at });
    }

    /// Returns an address of the API below the repository.
    pub fn api(&self, rest: &str) -> String {
        format!("{}/repos/{OWNER}/{NAME}{rest}", self.base)
    }

    /// Returns the pull request of a number.
    pub fn pull(&self, number: u64) -> Option<(&Issue, &Pull)> {
        let issue = self.issues.get(&number)?;
        Some((issue, issue.pull.as_ref()?))
    }
}

/// Tells whether a request asks for an item of a list that has a state.
pub fn wanted(request: &Request, open: bool) -> bool {
    match request.query.get("state").map(String::as_str) {
        Some("all") => true,
        Some("closed") => !open,
        _ => open,
    }
}
