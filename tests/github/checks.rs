//! Check runs and statuses of commits.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::exchange::{Answer, Request};
use super::paging::counted;
use super::repository::{extend, person, short};
use super::world::{CheckRun, OWNER, SITE, Status, World};

/// The most annotations of one request.
const MOST_ANNOTATIONS: usize = 50;

/// Answers what is asked of check runs and statuses.
pub fn answer(world: &mut World, request: &Request, rest: &[&str]) -> Option<Answer> {
    Some(match (request.method.as_str(), rest) {
        ("POST", ["check-runs"]) => create(world, request),
        ("PATCH", ["check-runs", id]) => change(world, request, id.parse().ok()?),
        ("GET", ["commits", name @ .., "check-runs"]) => {
            let commit = commit(world, &name.join("/"));
            if !world.references.has(&commit) {
                return Some(Answer::error(422, &format!("No commit found for SHA: {commit}")));
            }
            say(world, &commit);
            let runs = world.check_runs.iter().filter(|run| run.commit == commit);
            let name = request.query.get("check_name");
            let fitting = runs.filter(|run| name.is_none_or(|name| *name == run.name));
            let shown = fitting.map(|run| shown(world, run)).collect();
            counted(world, request, "check_runs", shown)
        }
        ("GET", ["commits", name @ .., "status"]) => combined(world, &commit(world, &name.join("/"))),
        ("POST", ["statuses", commit]) => tell(world, request, commit),
        _ => return None,
    })
}

fn commit(world: &World, name: &str) -> String {
    let plain = name.strip_prefix("heads/").unwrap_or(name);
    world.references.commit(&format!("heads/{plain}")).unwrap_or_else(|| name.to_owned())
}

/// Lets the check of a commit that nobody asked about say what the test wants.
fn say(world: &mut World, commit: &str) {
    if world.to_say.is_empty() || world.check_runs.iter().any(|run| run.commit == commit) {
        return;
    }
    let word = world.to_say.remove(0);
    let (id, at, goes_on) = (world.next("check run"), world.tick(), word == "in_progress");
    world.check_runs.push(CheckRun {
        id,
        commit: commit.to_owned(),
        name: "build".to_owned(),
        status: if goes_on { word } else { "completed" }.to_owned(),
        conclusion: (!goes_on).then(|| word.to_owned()),
        title: Some("1 error".to_owned()),
        summary: Some("no page is counted".to_owned()),
        text: None,
        annotations: 0,
        external_id: String::new(),
        started_at: at,
        completed_at: (!goes_on).then_some(at),
    });
}

fn create(world: &mut World, request: &Request) -> Answer {
    let text = |key: &str| request.text(key).unwrap_or_default().to_owned();
    if text("name").is_empty() || text("head_sha").is_empty() {
        return Answer::error(422, "Invalid request.\n\n\"name\", \"head_sha\" weren't supplied.");
    }
    let run = CheckRun {
        id: world.next("check run"),
        commit: text("head_sha"),
        name: text("name"),
        status: "queued".to_owned(),
        conclusion: None,
        title: None,
        summary: None,
        text: None,
        annotations: 0,
        external_id: text("external_id"),
        started_at: world.tick(),
        completed_at: None,
    };
    let id = run.id;
    world.check_runs.push(run);
    Answer { status: 201, ..change(world, request, id) }
}

/// A conclusion completes a run; annotations add up.
fn change(world: &mut World, request: &Request, id: u64) -> Answer {
    let at = world.tick();
    let output = &request.body["output"];
    let annotations = output["annotations"].as_array().map_or(0, Vec::len);
    if annotations > MOST_ANNOTATIONS {
        return Answer::error(
            422,
            "Invalid request.\n\nNo more than 50 items are allowed; 51 were supplied.",
        );
    }
    let Some(run) = world.check_runs.iter_mut().find(|run| run.id == id) else { return Answer::not_found() };
    if let Some(status) = request.text("status") {
        status.clone_into(&mut run.status);
    }
    if let Some(conclusion) = request.text("conclusion") {
        (run.status, run.conclusion) = ("completed".to_owned(), Some(conclusion.to_owned()));
        run.completed_at = Some(time(request, "completed_at").unwrap_or(at));
    }
    let text = |key: &str, have: &mut Option<String>| {
        if let Some(new) = output[key].as_str() {
            *have = Some(new.to_owned());
        }
    };
    text("title", &mut run.title);
    text("summary", &mut run.summary);
    text("text", &mut run.text);
    run.annotations += annotations;
    let run = world.check_runs.iter().find(|run| run.id == id).expect("the run was found above");
    Answer::ok(shown(world, run))
}

fn time(request: &Request, key: &str) -> Option<Timestamp> {
    request.text(key)?.parse().ok()
}

fn shown(world: &World, run: &CheckRun) -> Value {
    let url = world.api(&format!("/check-runs/{}", run.id));
    json!({
        "id": run.id,
        "node_id": format!("CR_{}", run.id),
        "head_sha": run.commit,
        "external_id": run.external_id,
        "url": url,
        "html_url": format!("{SITE}/runs/{}", run.id),
        "details_url": format!("{SITE}/runs/{}", run.id),
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": run.started_at,
        "completed_at": run.completed_at,
        "name": run.name,
        "check_suite": { "id": 5 },
        "output": {
            "title": run.title, "summary": run.summary, "text": run.text, "annotations_count": run.annotations,
            "annotations_url": format!("{url}/annotations"),
        },
        "app": {
            "id": 15_368, "slug": "github-actions", "node_id": "A_15368", "owner": person(world, OWNER),
            "name": "GitHub Actions", "description": "Automate your workflow",
            "external_url": "https://help.github.com/en/actions", "html_url": "https://github.com/apps/github-actions",
            "created_at": "2018-07-30T09:30:17Z", "updated_at": "2019-12-10T19:04:12Z",
            "permissions": { "checks": "write" }, "events": [],
        },
        "pull_requests": [],
    })
}

fn tell(world: &mut World, request: &Request, commit: &str) -> Answer {
    let optional = |key: &str| request.text(key).map(str::to_owned);
    let state = optional("state").unwrap_or_default();
    if !["error", "failure", "pending", "success"].contains(&state.as_str()) {
        return Answer::invalid("Status", "state", "custom");
    }
    let status = Status {
        id: world.next("status"),
        commit: commit.to_owned(),
        state,
        context: optional("context").unwrap_or_else(|| "default".to_owned()),
        description: optional("description"),
        target_url: optional("target_url"),
        creator: request.login.clone(),
        created_at: world.tick(),
    };
    let mut shown = status_shown(world, &status);
    extend(&mut shown, json!({ "creator": person(world, &status.creator) }));
    world.statuses.push(status);
    Answer::created(shown)
}

fn status_shown(world: &World, status: &Status) -> Value {
    json!({
        "url": world.api(&format!("/statuses/{}", status.commit)),
        "avatar_url": person(world, &status.creator)["avatar_url"],
        "id": status.id,
        "node_id": format!("SC_{}", status.id),
        "state": status.state,
        "description": status.description,
        "target_url": status.target_url,
        "context": status.context,
        "created_at": status.created_at,
        "updated_at": status.created_at,
    })
}

/// The newest of each context counts; the strictest of these is the state of the commit.
fn combined(world: &World, commit: &str) -> Answer {
    let mut newest: Vec<&Status> = Vec::new();
    for status in world.statuses.iter().rev().filter(|status| status.commit == commit) {
        if !newest.iter().any(|have| have.context == status.context) {
            newest.push(status);
        }
    }
    let any = |states: &[&str]| newest.iter().any(|status| states.contains(&status.state.as_str()));
    let state = match () {
        () if any(&["failure", "error"]) => "failure",
        () if any(&["pending"]) || newest.is_empty() => "pending",
        () => "success",
    };
    let statuses: Vec<_> = newest.iter().map(|status| status_shown(world, status)).collect();
    Answer::ok(json!({
        "state": state,
        "statuses": statuses,
        "sha": commit,
        "total_count": statuses.len(),
        "repository": short(world),
        "commit_url": world.api(&format!("/commits/{commit}")),
        "url": world.api(&format!("/commits/{commit}/status")),
    }))
}
