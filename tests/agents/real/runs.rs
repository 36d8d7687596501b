//! Whole runs: the demo's issue through eleven phases, each call made by a real program that edits with its real tools.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use settings::AgentKind;

use super::calls::running;
use super::play::{Asked, Player};
use super::project::{Project, TOKEN, arguments, demo, name};
use super::scene::{KEY, eventually, left_nobody};
use super::screenplay::Place;
use crate::support::{Ran, Sandbox};

of_both!(an_interrupted_run_leaves_nobody_behind_and_goes_on);

/// Asserts everything that is the same whatever programs took part.
#[track_caller]
fn the_bug_is_repaired(project: &Project, ran: Ran) {
    let _ = ran.exits(0);
    let metadata = project.sandbox.metadata();
    assert_eq!(
        (&metadata["outcome"], &metadata["simulated"]),
        (&"completed".into(), &false.into()),
        "{metadata:#}"
    );
    let phases = metadata["phases"].as_object().expect("the phases");
    let completed = phases.values().filter(|phase| phase["status"] == "completed").count();
    assert_eq!((phases.len(), completed), (11, 11), "{metadata:#}");
    assert_eq!(phases["implementation"]["retry_count"], 1);
    let verdicts: Vec<&Value> = phases["implementation"]["rounds"]
        .as_array()
        .expect("the rounds")
        .iter()
        .map(|round| &round["verdict"])
        .collect();
    assert_eq!(verdicts, ["FAIL", "PASS"]);
    let mut tests = project.sandbox.command("cargo");
    let _ = Sandbox::ran(tests.args(["test", "--offline", "--quiet"])).exits(0);
    assert_eq!(project.sandbox.git(&["status", "--porcelain", "--untracked-files=no"]), "");
    no_secret_went_out(project);
    left_nobody(&project.folder());
}

fn no_secret_went_out(project: &Project) {
    for (_, server) in &project.servers {
        for asked in server.asked() {
            let said = asked.body.to_string();
            assert!(!said.contains(TOKEN) && !said.contains(KEY), "a secret is in a request");
            assert!(asked.headers.values().all(|value| !value.contains(TOKEN)), "the token is in a header");
            assert!(asked.headers.values().any(|value| value.contains(KEY)), "the key is in no header");
        }
    }
    let mut folders = vec![project.sandbox.root().join(".ai-workflow")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("readable").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = String::from_utf8_lossy(&fs::read(&path).expect("readable")).into_owned();
                assert!(!text.contains(TOKEN) && !text.contains(KEY), "a secret is in {}", path.display());
            }
        }
    }
}

/// Returns the requests of a step, by what their prompts say.
fn of_step<'a>(asked: &'a [Asked], step: &str) -> Vec<&'a Asked> {
    asked.iter().filter(|asked| Place::of(asked).is_some_and(|(place, _)| place.step == step)).collect()
}

/// The revise continued the session of the author: its conversation holds the execute as well.
fn the_session_went_on(project: &Project, kind: AgentKind) {
    let worked = project.facts("worked", "implementation");
    let started = project.facts("step_started", "implementation");
    let revise = started.iter().find(|fact| fact["step"] == "revise").expect("a revise");
    assert_eq!(revise["resumes"], worked[0]["ended"]["session"]);
    assert!(revise["resumes"].is_string(), "{revise}");
    let asked = project.asked(kind);
    let revises = of_step(&asked, "revise");
    assert!(revises[0].since("step `execute`").is_some(), "the conversation begins anew");
}

#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn claude_completes_all_eleven_phases_of_an_issue() {
    let Some(project) = Project::new(&[AgentKind::Claude], "cargo test --offline --quiet", demo) else {
        return;
    };
    let ran = project.execute("claude", "claude:haiku", &[]);
    the_bug_is_repaired(&project, ran);
    let asked = project.asked(AgentKind::Claude);
    let (authors, reviews) = (of_step(&asked, "execute"), of_step(&asked, "review"));
    assert!(authors.iter().all(|asked| asked.offers("Edit") && asked.offers("Bash")));
    for review in &reviews {
        assert!(
            !["Bash", "Edit", "Write", "NotebookEdit", "WebFetch"].iter().any(|tool| review.offers(tool))
        );
        assert!(review.body["model"].as_str().is_some_and(|model| model.contains("haiku")));
    }
    let read_as = project.facts("reviewed", "planning")[0]["reading"]["read_as"].clone();
    assert_eq!((reviews.is_empty(), read_as.as_str()), (false, Some("schema")));
    let cost = project.sandbox.metadata()["cost_tracking"].clone();
    assert!(cost["total_input_tokens"].as_u64().is_some_and(|tokens| tokens > 10_000), "{cost}");
    the_session_went_on(&project, AgentKind::Claude);
}

#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn codex_completes_all_eleven_phases_of_an_issue() {
    let Some(project) = Project::new(&[AgentKind::Codex], "cargo test --offline --quiet", demo) else {
        return;
    };
    let ran = project.execute("codex", "codex", &[]);
    the_bug_is_repaired(&project, ran);
    let asked = project.asked(AgentKind::Codex);
    for review in of_step(&asked, "review") {
        assert!(!review.body["text"]["format"]["schema"].is_null(), "a review without a schema");
        assert!(
            review.body["input"].to_string().contains("read-only"),
            "the model is not told that it only reads"
        );
    }
    the_session_went_on(&project, AgentKind::Codex);
}

#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn codex_reviews_the_work_of_claude() {
    let kinds = [AgentKind::Claude, AgentKind::Codex];
    let Some(project) = Project::new(&kinds, "cargo test --offline --quiet", demo) else { return };
    let ran = project.execute("claude", "codex", &[]);
    the_bug_is_repaired(&project, ran);
    let steps = |kind| {
        let asked = project.asked(kind);
        ["execute", "revise", "review"].map(|step| !of_step(&asked, step).is_empty())
    };
    assert_eq!(
        (steps(AgentKind::Claude), steps(AgentKind::Codex)),
        ([true, true, false], [false, false, true])
    );
}

/// Plays the demo, but the very first call is busy with a tool that never ends.
fn busy_at_first(kind: AgentKind, root: &Path) -> Player {
    let (demo, began) = (demo(kind, root), AtomicBool::new(false));
    Box::new(
        move |asked| {
            if began.swap(true, Ordering::SeqCst) { demo(asked) } else { running(kind, "sh busy.sh") }
        },
    )
}

fn an_interrupted_run_leaves_nobody_behind_and_goes_on(kind: AgentKind) {
    let name = name(kind);
    let Some(project) = Project::new(&[kind], "sh busy.sh", busy_at_first) else { return };
    let short = ["--preset", "review-requirements"];
    let arguments = [&arguments(name, name)[..], &short].concat();
    let child = project.sandbox.start(&arguments);
    let started = project.sandbox.root().join("started");
    eventually("the tool is at work", Duration::from_secs(60), || started.exists());
    let began = Instant::now();
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill starts").success());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(began.elapsed() < Duration::from_secs(10), "it took {:?}", began.elapsed());
    left_nobody(&project.folder());
    assert_eq!(project.sandbox.facts().last().expect("facts")["type"], "interrupted");
    let _ = project.execute(name, name, &short).exits(0);
    let metadata = project.sandbox.metadata();
    assert_eq!(
        (&metadata["outcome"], &metadata["phases"]["planning"]["retry_count"]),
        (&"completed".into(), &0.into())
    );
}

/// An agent behind a protocol has no schema and reviews itself in a fresh session.
#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn an_acp_agent_writes_and_reviews() {
    let Some(project) = Project::new(&[AgentKind::Acp], "cargo test --offline --quiet", demo) else { return };
    let ran = project.execute("adapter", "adapter", &[]);
    the_bug_is_repaired(&project, ran);
    let read_as = project.facts("reviewed", "planning")[0]["reading"]["read_as"].clone();
    assert_eq!(read_as, "json");
}
