//! What people do on GitHub while the program is not looking; a test plays them.

use serde_json::{Value, json};

use super::repository::person;
use super::server::Github;
use super::world::{CheckRun, OWNER};
use super::{comments, issues, threads};

impl Github {
    /// Returns the name of the one repository.
    pub fn repository() -> String {
        format!("{OWNER}/{}", super::world::NAME)
    }

    pub fn open_issue(&self, number: u64, title: &str, body: &str, labels: &[&str], author: &str) {
        let labels: Vec<_> = labels.iter().map(|label| (*label).to_owned()).collect();
        self.change(|world| world.open(number, author, title, body, &labels));
    }

    pub fn edit_issue(&self, number: u64, title: &str, body: &str) {
        self.change(|world| issues::edit(world, number, title.to_owned(), body.to_owned()));
    }

    pub fn close_issue(&self, number: u64, login: &str) {
        self.change(|world| world.turn(number, login, false, None));
    }

    pub fn lock_issue(&self, number: u64) {
        self.change(|world| {
            if let Some(issue) = world.issues.get_mut(&number) {
                issue.locked = true;
            }
        });
    }

    pub fn label_by(&self, login: &str, number: u64, label: &str) {
        self.change(|world| world.label(number, login, label));
    }

    /// Gives somebody a role: `read`, `triage`, `write`, `maintain` or `admin`.
    pub fn permit(&self, login: &str, role: &str) {
        self.change(|world| {
            world.meet(login);
            world.permissions.insert(login.to_owned(), role.to_owned());
        });
    }

    /// Says whose a token is.
    pub fn sign_in(&self, token: &str, login: &str) {
        self.change(|world| {
            world.meet(login);
            world.logins.insert(token.to_owned(), login.to_owned());
        });
    }

    /// Writes a comment and returns its id.
    pub fn comment_by(&self, login: &str, issue: u64, body: &str) -> u64 {
        self.change(|world| world.comment(issue, login, body))
    }

    pub fn edit_comment(&self, id: u64, body: &str) {
        self.change(|world| comments::edit(world, id, body.to_owned()));
    }

    pub fn delete_comment(&self, id: u64) {
        let there = self.change(|world| comments::remove(world, id));
        assert!(there, "there is no comment {id}");
    }

    /// Points a branch at a commit of forty hexadecimal digits.
    pub fn branch(&self, name: &str, commit: &str) {
        let set = self.change(|world| world.references.set(&format!("heads/{name}"), commit));
        assert!(set, "{commit} is not in the bare repository");
    }

    /// Begins a thread on a line of a pull request; returns its id and that of its comment.
    pub fn thread_by(&self, login: &str, pull: u64, path: &str, line: u64, body: &str) -> (u64, u64) {
        self.change(|world| threads::begin(world, pull, path, line, login, body))
    }

    /// Says what the repository was called before.
    pub fn renamed_from(&self, name: &str) {
        self.change(|world| world.former_name = Some(name.to_owned()));
    }

    pub fn merge(&self, number: u64, login: &str) {
        self.change(|world| {
            world.turn(number, login, false, None);
            let at = world.now;
            if let Some(pull) = world.issues.get_mut(&number).and_then(|issue| issue.pull.as_mut()) {
                pull.merged_at = Some(at);
            }
        });
    }

    /// Tells the result of a check run of a commit.
    pub fn checked(&self, commit: &str, name: &str, conclusion: Option<&str>) {
        self.change(|world| {
            let (id, at) = (world.next("check run"), world.tick());
            world.check_runs.push(CheckRun {
                id,
                commit: commit.to_owned(),
                name: name.to_owned(),
                status: if conclusion.is_some() { "completed" } else { "in_progress" }.to_owned(),
                conclusion: conclusion.map(str::to_owned),
                title: None,
                summary: None,
                text: None,
                annotations: 0,
                external_id: String::new(),
                started_at: at,
                completed_at: conclusion.map(|_| at),
            });
        });
    }

    /// Returns what GitHub sends when somebody puts a label on an issue.
    pub fn labeled(&self, login: &str, number: u64, label: &str) -> Value {
        self.label_by(login, number, label);
        self.change(|world| {
            world.meet(login);
            let issue = issues::shown(world, &world.issues[&number]);
            let label = json!({ "id": 1, "name": label, "color": "ededed" });
            json!({ "action": "labeled", "label": label, "issue": issue, "sender": person(world, login) })
        })
    }

    /// Returns what GitHub sends when somebody writes a comment.
    pub fn commented(&self, login: &str, number: u64, body: &str) -> Value {
        let id = self.comment_by(login, number, body);
        self.change(|world| {
            let issue = issues::shown(world, &world.issues[&number]);
            let comment = comments::shown(world, &world.comments[&id]);
            json!({ "action": "created", "comment": comment, "issue": issue, "sender": person(world, login) })
        })
    }

    /// Returns what GitHub sends when the workflow is started for an issue.
    pub fn dispatched(&self, login: &str, issue: &str) -> Value {
        self.change(|world| json!({ "inputs": { "issue": issue }, "sender": person(world, login) }))
    }

    /// Returns somebody as GitHub shows them.
    pub fn person(&self, login: &str) -> Value {
        self.change(|world| person(world, login))
    }

    /// Says what the check of each further commit says, once somebody asks.
    pub fn checks_say(&self, words: &[&'static str]) {
        self.change(|world| world.to_say = words.to_vec());
    }

    /// Sets the clock; it only moves with what is written.
    pub fn set_time(&self, time: &str) {
        let time = time.parse().expect("a time");
        self.change(|world| world.now = time);
    }
}
