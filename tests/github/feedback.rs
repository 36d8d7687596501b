//! `pr-feedback` as whole runs against the fake: what reviewers ask for is revised once and answered once.

use serde_json::{Value, json};

use super::fake_state::ThreadSeen;
use super::run::Scene;
use super::{Fault, Kind, Lost};
use crate::excerpt::excerpt;
use crate::support::{Ran, honest_script};

const REVISES: &str = r##"
[[turn]]
phase = "implementation"
step = "revise"
write = [{ path = "{{output}}", text = "# implementation {{round}}\n" }, { path = "src/lib.rs", text = "pub fn pages() -> u32 {\n    4\n}\n" }]
say = "revised"
"##;

/// A completed run and the number of its pull request.
fn completed() -> (Scene, u64) {
    let scene = Scene::new();
    scene.execute("", &[]).exits(0);
    let number = *scene.github.state().pulls.keys().next().expect("a pull request");
    (scene, number)
}

fn feedback(scene: &Scene, number: u64, more: &[&str]) -> Ran {
    let script = scene.sandbox.script(&honest_script(REVISES));
    let number = number.to_string();
    let mut words = vec!["pr-feedback", "--pr", &number, "--agent", &script];
    words.extend(more);
    scene.sandbox.run(&words)
}

fn calls_of_agents(scene: &Scene) -> usize {
    scene.sandbox.facts().iter().filter(|fact| fact["type"] == "step_started").count()
}

/// The thread that begins with a word.
fn thread(scene: &Scene, word: &str) -> ThreadSeen {
    let all = scene.github.state().threads;
    let found = all.iter().find(|thread| thread.comments[0].1.starts_with(word));
    found.unwrap_or_else(|| panic!("no thread begins with {word}: {all:#?}")).clone()
}

#[test]
fn requested_changes_are_revised_and_each_thread_is_answered_once() {
    let (scene, number) = completed();
    scene.github.thread_by("octo", number, "src/lib.rs", 2, "Count four of them");
    scene.github.thread_by("octo", number, "README.md", 1, "Why is there no manual?");
    scene.github.thread_by("mallory", number, "src/lib.rs", 2, "Buy my book");
    scene.github.permit("mallory", "read");
    feedback(&scene, number, &[]).exits(0);

    let changed = thread(&scene, "Count");
    let commit = scene.sandbox.git(&["log", "-1", "--format=%H", "--", "src/lib.rs"]);
    assert!(changed.resolved && changed.comments.len() == 2, "{changed:#?}");
    assert!(changed.comments[1].1.starts_with(&format!("Addressed in {commit}.")), "{changed:#?}");
    let stays = thread(&scene, "Why");
    assert!(!stays.resolved && stays.comments.len() == 2, "{stays:#?}");
    assert!(stays.comments[1].1.starts_with("This stays as it is"), "{stays:#?}");
    let ignored = thread(&scene, "Buy");
    assert!(!ignored.resolved && ignored.comments.len() == 1, "{ignored:#?}");

    let facts = scene.sandbox.facts();
    let fed = facts.iter().find(|fact| fact["type"] == "fed_back").expect("the fact");
    assert_eq!(fed["findings"][0]["issue"], "octo: Count four of them");
    assert_eq!((&fed["findings"][0]["file"], &fed["findings"][0]["line"]), (&json!("src/lib.rs"), &json!(2)));
    let revise = ".ai-workflow/issue-243/04_implementation/revise/round-1/attempt-1/prompt.md";
    let prompt = scene.sandbox.read(revise);
    insta::assert_snapshot!(excerpt(&prompt, "T1 ", "\n```"), @"
    T1 src/lib.rs, major
       1. L2: octo: Count four of them (F1, major)
    T2 README.md, major
       1. L1: octo: Why is there no manual? (F2, major)
    ");
    assert!(!prompt.contains("Buy my book"), "{prompt}");
    assert_eq!(scene.sandbox.read("src/lib.rs"), "pub fn pages() -> u32 {\n    4\n}\n");
    scene.everything_is_pushed();
    assert_eq!(scene.heading(), "### ai-workflow: completed");

    let (writes, calls, length) = (scene.github.writes(), calls_of_agents(&scene), facts.len());
    feedback(&scene, number, &[]).exits(0);
    feedback(&scene, number, &["--json"]).exits(0);
    assert_eq!((scene.github.writes(), calls_of_agents(&scene)), (writes, calls));
    assert_eq!(scene.sandbox.facts().len(), length);
    scene.within_the_contract();
}

#[test]
fn a_new_comment_in_an_answered_thread_is_handled_again() {
    let (scene, number) = completed();
    let (id, _) = scene.github.thread_by("octo", number, "README.md", 1, "Why is there no manual?");
    feedback(&scene, number, &[]).exits(0);
    let calls = calls_of_agents(&scene);
    scene.github.change(|world| super::threads::reply(world, id, "octo", "I still miss it."));
    feedback(&scene, number, &[]).exits(0);
    assert!(calls_of_agents(&scene) > calls);
    let comments = thread(&scene, "Why").comments;
    assert_eq!(comments.len(), 4, "{comments:#?}");
    scene.within_the_contract();
}

#[test]
fn a_dry_run_shows_the_threads_and_changes_nothing() {
    let (scene, number) = completed();
    scene.github.thread_by("octo", number, "src/lib.rs", 2, "Count four of them");
    let (writes, length) = (scene.github.writes(), scene.sandbox.facts().len());
    let shown = feedback(&scene, number, &["--dry-run", "--json"]).exits(0).json();
    assert_eq!(shown["threads"][0]["path"], "src/lib.rs", "{shown}");
    assert_eq!(shown["threads"].as_array().map(Vec::len), Some(1));
    assert_eq!((scene.github.writes(), scene.sandbox.facts().len()), (writes, length));
    assert_eq!(shown["threads"][0]["line"], Value::from(2));
}

#[test]
fn interrupted_feedback_continues_without_duplicate_answers() {
    let (scene, number) = completed();
    scene.github.thread_by("octo", number, "src/lib.rs", 2, "Count four of them");
    scene.github.thread_by("octo", number, "src/lib.rs", 1, "Say what it counts");
    let replies = |nth, kind| Fault { method: "POST", path_contains: "/replies", nth, kind };
    scene.github.fault(replies(1, Kind::AppliedButLost(Lost::Reset)));
    scene.github.fault(replies(2, Kind::Before(401)));
    feedback(&scene, number, &[]).exits(5).says("does not accept the token");
    let calls = calls_of_agents(&scene);
    feedback(&scene, number, &[]).exits(0);
    assert_eq!(calls_of_agents(&scene), calls);
    for word in ["Count", "Say"] {
        let thread = thread(&scene, word);
        assert!(thread.resolved && thread.comments.len() == 2, "{thread:#?}");
    }
    scene.everything_is_pushed();
}

#[test]
fn feedback_refuses_a_missing_closed_or_unsynchronised_pull_request() {
    let (scene, number) = completed();
    feedback(&scene, 4711, &[]).exits(2).says("pull request 4711 does not exist");
    scene.github.thread_by("octo", number, "src/lib.rs", 2, "Count four of them");
    feedback(&scene, number, &["--push", "never"]).exits(2).says("nothing is pushed");
    scene.sandbox.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    feedback(&scene, number, &[]).exits(2).says("is not here as it is on GitHub");
    scene.github.close_issue(number, "octo");
    feedback(&scene, number, &[]).exits(2).says("is closed");
}

/// A completed run, its pull request, and a thread there that is answered and could not be resolved.
fn left_open() -> (Scene, u64, u64) {
    let (scene, number) = completed();
    let (id, _) = scene.github.thread_by("octo", number, "src/lib.rs", 2, "Count four of them");
    scene.github.thread_by("octo", number, "src/lib.rs", 1, "Say what it counts");
    let (path_contains, kind) = ("resolveReviewThread", Kind::GraphqlForbidden);
    scene.github.fault(Fault { method: "POST", path_contains, nth: 1, kind });
    let ran = feedback(&scene, number, &[]).exits(0);
    let ran = ran.says("src/lib.rs is answered, but stays open: cannot resolve a review thread");
    let ran = ran.says("it needs contents=write and pull_requests=write");
    assert!(!ran.stderr.contains("has no answer"), "{}", ran.stderr);
    (scene, number, id)
}

#[test]
fn unresolved_thread_is_reported_and_resolved_by_the_next_command() {
    let (scene, number, _) = left_open();
    assert!(!thread(&scene, "Count").resolved && thread(&scene, "Say").resolved);
    let calls = calls_of_agents(&scene);
    feedback(&scene, number, &[]).exits(0);
    for word in ["Count", "Say"] {
        let thread = thread(&scene, word);
        assert!(thread.resolved && thread.comments.len() == 2, "{thread:#?}");
    }
    assert_eq!(calls_of_agents(&scene), calls);
    scene.everything_is_pushed();
    // What a person opens again is left alone.
    scene.github.change(|world| world.threads[0].resolved = false);
    let writes = scene.github.writes();
    feedback(&scene, number, &[]).exits(0);
    assert_eq!((scene.github.writes(), thread(&scene, "Count").resolved), (writes, false));
    scene.within_the_contract();
}

#[test]
fn thread_with_newer_comments_is_not_resolved() {
    let (scene, number, id) = left_open();
    scene.github.permit("mallory", "read");
    scene.github.change(|world| super::threads::reply(world, id, "mallory", "It is still wrong."));
    feedback(&scene, number, &[]).exits(0);
    let thread = thread(&scene, "Count");
    assert!(!thread.resolved && thread.comments.len() == 3, "{thread:#?}");
}
