//! Branches: told by the test, or those of a bare repository that the program under test really pushes to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::exchange::{Answer, Request};
use super::paging::page;
use super::world::{SITE, World};

/// Where branches are kept. Names have no `refs/` before them: `heads/main`.
#[derive(Debug)]
pub enum References {
    Told(BTreeMap<String, String>),
    Bare(PathBuf),
}

impl References {
    /// Returns every reference and its commit.
    pub fn all(&self) -> BTreeMap<String, String> {
        match self {
            Self::Told(told) => told.clone(),
            Self::Bare(bare) => listed(bare),
        }
    }

    pub fn commit(&self, name: &str) -> Option<String> {
        self.all().remove(name)
    }

    /// Points a reference at a commit; tells whether the commit is there.
    pub fn set(&mut self, name: &str, commit: &str) -> bool {
        match self {
            Self::Told(told) => {
                told.insert(name.to_owned(), commit.to_owned());
                true
            }
            Self::Bare(bare) => git(bare, &["update-ref", &format!("refs/{name}"), commit]).is_some(),
        }
    }

    pub fn remove(&mut self, name: &str) {
        match self {
            Self::Told(told) => drop(told.remove(name)),
            Self::Bare(bare) => drop(git(bare, &["update-ref", "-d", &format!("refs/{name}")])),
        }
    }

    /// Tells whether a commit is there; what is only told has no commits.
    pub fn has(&self, commit: &str) -> bool {
        match self {
            Self::Told(_) => true,
            Self::Bare(bare) => git(bare, &["cat-file", "-e", &format!("{commit}^{{commit}}")]).is_some(),
        }
    }

    /// Tells whether a commit is before another one or the same; what is only told has no history.
    fn leads(&self, from: &str, to: &str) -> bool {
        match self {
            Self::Told(_) => true,
            Self::Bare(bare) => git(bare, &["merge-base", "--is-ancestor", from, to]).is_some(),
        }
    }
}

fn listed(bare: &Path) -> BTreeMap<String, String> {
    let text = git(bare, &["for-each-ref", "--format=%(refname) %(objectname)"]).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.strip_prefix("refs/")?.split_once(' '));
    pairs.map(|(name, commit)| (name.to_owned(), commit.to_owned())).collect()
}

fn git(bare: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("--git-dir").arg(bare).args(arguments).output().expect("git runs");
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Answers what is asked of references and branches.
pub fn answer(world: &mut World, request: &Request, rest: &[&str]) -> Option<Answer> {
    Some(match (request.method.as_str(), rest) {
        ("GET", ["git", "ref", name @ ..]) => read(world, &name.join("/")),
        ("GET", ["git", "matching-refs", start @ ..]) => {
            let start = start.join("/");
            let all = world.references.all().into_iter().filter(|(name, _)| name.starts_with(&start));
            let shown = all.map(|(name, commit)| shown(world, &name, &commit)).collect();
            page(world, request, shown)
        }
        ("POST", ["git", "refs"]) => create(world, request),
        ("PATCH", ["git", "refs", name @ ..]) => update(world, request, &name.join("/")),
        ("DELETE", ["git", "refs", name @ ..]) => delete(world, &name.join("/")),
        ("GET", ["branches", name @ ..]) => branch(world, &name.join("/")),
        _ => return None,
    })
}

fn read(world: &World, name: &str) -> Answer {
    let commit = world.references.commit(name);
    commit.map_or_else(Answer::not_found, |commit| Answer::ok(shown(world, name, &commit)))
}

fn create(world: &mut World, request: &Request) -> Answer {
    let (name, commit) = (request.text("ref").unwrap_or_default(), request.text("sha").unwrap_or_default());
    let Some(name) = name.strip_prefix("refs/").filter(|name| name.contains('/')).map(str::to_owned) else {
        return Answer::error(422, "Reference name must start with 'refs' and have at least two slashes.");
    };
    if world.references.commit(&name).is_some() {
        return Answer::error(422, "Reference already exists");
    }
    if !is_commit(commit) || !world.references.set(&name, commit) {
        return Answer::error(422, "Object does not exist");
    }
    world.tick();
    Answer::created(shown(world, &name, commit))
}

fn update(world: &mut World, request: &Request, name: &str) -> Answer {
    let commit = request.text("sha").unwrap_or_default();
    let forced = request.body["force"] == json!(true);
    let Some(before) = world.references.commit(name) else {
        return Answer::error(422, "Reference does not exist");
    };
    if !is_commit(commit) {
        return Answer::error(422, "Object does not exist");
    }
    if !forced && !world.references.leads(&before, commit) {
        return Answer::error(422, "Update is not a fast forward");
    }
    if !world.references.set(name, commit) {
        return Answer::error(422, "Object does not exist");
    }
    world.tick();
    Answer::ok(shown(world, name, commit))
}

fn delete(world: &mut World, name: &str) -> Answer {
    if world.references.commit(name).is_none() {
        return Answer::error(422, "Reference does not exist");
    }
    world.references.remove(name);
    world.tick();
    Answer::no_content()
}

fn is_commit(commit: &str) -> bool {
    commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn shown(world: &World, name: &str, commit: &str) -> Value {
    json!({
        "ref": format!("refs/{name}"),
        "node_id": format!("REF_{name}"),
        "url": world.api(&format!("/git/refs/{name}")),
        "object": { "type": "commit", "sha": commit, "url": world.api(&format!("/git/commits/{commit}")) },
    })
}

fn branch(world: &World, name: &str) -> Answer {
    let Some(commit) = world.references.commit(&format!("heads/{name}")) else {
        return Answer::error(404, "Branch not found");
    };
    let who = json!({ "name": "Octo", "email": "octo@example.org", "date": "2026-01-05T09:00:00Z" });
    let api = |rest: &str| world.api(rest);
    let protection = format!("/branches/{name}/protection");
    Answer::ok(json!({
        "name": name,
        "commit": {
            "sha": commit,
            "node_id": format!("C_{commit}"),
            "commit": {
                "author": who, "committer": who, "message": "a commit", "comment_count": 0,
                "tree": { "sha": commit, "url": api(&format!("/git/trees/{commit}")) },
                "url": api(&format!("/git/commits/{commit}")),
            },
            "url": api(&format!("/commits/{commit}")),
            "html_url": format!("{SITE}/commit/{commit}"),
            "comments_url": api(&format!("/commits/{commit}/comments")),
            "author": null,
            "committer": null,
            "parents": [],
        },
        "_links": { "self": api(&format!("/branches/{name}")), "html": format!("{SITE}/tree/{name}") },
        "protected": false,
        "protection": {
            "enabled": false,
            "required_status_checks": { "enforcement_level": "off", "contexts": [], "checks": [] },
        },
        "protection_url": api(&protection),
    }))
}
