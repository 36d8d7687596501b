//! Jobs of GitHub Actions: a workflow that is started by hand, and the list of what was started.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::exchange::{Answer, Request};
use super::paging::counted;
use super::repository::{person, short};
use super::world::{SITE, Started, World};

/// The one workflow there is.
const FILE: &str = "ai-workflow.yml";

/// Answers what is asked of workflows.
pub fn answer(world: &mut World, request: &Request, rest: &[&str]) -> Option<Answer> {
    Some(match (request.method.as_str(), rest) {
        ("POST", ["actions", "workflows", file, "dispatches"]) if *file == FILE => start(world, request),
        ("GET", ["actions", "workflows", file, "runs"]) if *file == FILE => {
            let by = request.query.get("actor");
            let started = world.started.iter().rev();
            let wanted = started.filter(|run| by.is_none_or(|by| *by == run.actor));
            let shown = wanted.map(|run| shown(world, run)).collect();
            counted(world, request, "workflow_runs", shown)
        }
        _ => return None,
    })
}

fn start(world: &mut World, request: &Request) -> Answer {
    let (branch, issue) = (request.text("ref").unwrap_or_default(), request.body["inputs"]["issue"].as_str());
    let Some(commit) = world.references.commit(&format!("heads/{branch}")) else {
        return Answer::error(422, &format!("No ref found for: {branch}"));
    };
    let Some(issue) = issue else { return Answer::error(422, "Required input 'issue' not provided") };
    begin(world, &request.login, (branch, &commit), issue);
    Answer::no_content()
}

/// Has somebody start the workflow. Jobs are looked for by the time of this machine.
pub fn begin(world: &mut World, login: &str, (branch, commit): (&str, &str), issue: &str) {
    let (id, title) = (world.next("workflow run"), format!("ai-workflow: issue {issue}"));
    let (branch, commit, actor) = (branch.to_owned(), commit.to_owned(), login.to_owned());
    world.started.push(Started { id, title, branch, commit, actor, at: Timestamp::now() });
}

fn shown(world: &World, run: &Started) -> Value {
    let url = world.api(&format!("/actions/runs/{}", run.id));
    let below = |what: &str| format!("{url}/{what}");
    json!({
        "id": run.id, "node_id": format!("WFR_{}", run.id), "name": "ai-workflow", "head_branch": run.branch,
        "head_sha": run.commit, "path": format!(".github/workflows/{FILE}"), "run_number": run.id,
        "display_title": run.title, "event": "workflow_dispatch", "status": "queued", "conclusion": null,
        "workflow_id": 1, "actor": person(world, &run.actor), "url": url, "html_url": format!("{SITE}/actions/runs/{}", run.id),
        "created_at": run.at, "updated_at": run.at, "head_commit": null, "repository": short(world),
        "head_repository": short(world), "jobs_url": below("jobs"), "logs_url": below("logs"),
        "check_suite_url": world.api("/check-suites/1"), "cancel_url": below("cancel"),
        "rerun_url": below("rerun"), "artifacts_url": below("artifacts"),
        "workflow_url": world.api("/actions/workflows/1"), "pull_requests": [],
    })
}
