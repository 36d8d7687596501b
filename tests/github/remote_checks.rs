//! What the checks of the server say about what was pushed: as a check of a phase, and given back to the author, bounded.

use serde_json::Value;

use super::run::Scene;
use super::told::line_with;
use super::two_jobs::SHORT;
use super::{Fault, Kind};
use crate::excerpt::excerpt;
use crate::support::Ran;

pub(super) const REVISES: &str = r##"
[[turn]]
phase = "implementation"
step = "revise"
write = [{ path = "{{output}}", text = "# implementation {{round}}\n" }, { path = "src/lib.rs", text = "pub fn pages() -> u32 {\n    {{round}}\n}\n" }]
say = "revised"
"##;

fn with_rounds(rounds: u32, words: &[&'static str]) -> (Scene, Ran) {
    let scene = Scene::new();
    scene.github.checks_say(words);
    let rounds = format!("github.ci_rounds={rounds}");
    let ran = scene.execute(REVISES, &["--set", &rounds, "--set", "limits.command_seconds=2"]);
    (scene, ran)
}

fn fed_back(scene: &Scene) -> Vec<String> {
    let facts = scene.sandbox.facts().into_iter().filter(|fact| fact["type"] == "fed_back");
    facts.map(|fact| fact["findings"][0]["issue"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_failed_remote_check_is_revised_and_a_passing_one_completes_the_run() {
    let (scene, ran) = with_rounds(2, &["failure", "success"]);
    ran.exits(0);
    let said = "the check build (failure) of the server failed: 1 error\nno page is counted";
    assert_eq!(fed_back(&scene), [said]);
    let prompt = ".ai-workflow/issue-243/04_implementation/revise/round-1/attempt-1/prompt.md";
    insta::assert_snapshot!(excerpt(&scene.sandbox.read(prompt), "the check build", "\n```"), @"
    the check build (failure) of the server failed: 1 error
    no page is counted
    ");
    assert_eq!(scene.heading(), "### ai-workflow: completed");
    scene.everything_is_pushed();
    scene.within_the_contract();
}

#[test]
fn exhausted_ci_rounds_pause_the_run() {
    let (scene, ran) = with_rounds(1, &["failure", "timed_out", "success"]);
    ran.exits(3).says("still red after 1 round: build (timed_out)");
    assert_eq!(scene.heading(), "### ai-workflow: paused");
    assert_eq!(scene.sandbox.metadata()["outcome"], "paused");
    let script = scene.sandbox.script(&crate::support::honest_script(REVISES));
    let words = ["resume", "--issue", "243", "--answer", "count from one", "--agent", &script];
    let words = [&words[..], &["--set", "github.ci_rounds=1", "--set", "limits.command_seconds=2"]].concat();
    scene.sandbox.run(&words).exits(0);
    assert_eq!(fed_back(&scene).len(), 2);
    let prompts = scene.sandbox.root().join(".ai-workflow/issue-243/04_implementation/revise/round-2");
    let prompt = std::fs::read_to_string(prompts.join("attempt-1/prompt.md")).expect("a prompt");
    insta::assert_snapshot!(line_with(&prompt, "count from one"), @"count from one");
    scene.everything_is_pushed();
}

#[test]
fn unknown_remote_checks_are_reported() {
    let (scene, ran) = with_rounds(1, &["in_progress"]);
    ran.exits(0).says("W_CI_UNKNOWN");
    assert!(fed_back(&scene).is_empty());
    let (_, ran) = with_rounds(1, &[]);
    ran.exits(0).says("W_NO_CI");
}

/// The two lists that say what the checks are, and the right to read each.
const LISTS: [(&str, &str); 2] = [("/check-runs", "checks: read"), ("/status", "statuses: read")];

fn refuses_to_tell(scene: &Scene, path_contains: &'static str, status: u16) {
    scene.github.fault(Fault { method: "GET", path_contains, nth: 0, kind: Kind::Before(status) });
}

#[test]
fn forbidden_remote_checks_give_a_warning_and_the_run_completes() {
    for ((path, right), status) in LISTS.into_iter().zip([403, 404]) {
        let scene = Scene::new();
        scene.github.checks_say(&["failure"]);
        refuses_to_tell(&scene, path, status);
        let ran = scene.execute(REVISES, &["--set", "github.ci_rounds=1"]);
        let ran = ran.exits(0).says("W_CI_UNKNOWN").says(right);
        assert_eq!(ran.stderr.matches("W_CI_UNKNOWN").count(), 1, "{}", ran.stderr);
        assert!(fed_back(&scene).is_empty());
        assert_eq!(scene.heading(), "### ai-workflow: completed");
        scene.everything_is_pushed();
    }
}

#[test]
fn unreadable_remote_checks_do_not_pass() {
    let scene = Scene::new().in_a_job();
    scene.sandbox.write(
        ".ai-workflow/config.toml",
        "[checks.define.ci]\nremote_checks = true\n[phases.documentation]\nmax_revisions = 0\nchecks = [\"ci\"]\n",
    );
    scene.github.checks_say(&["success"]);
    refuses_to_tell(&scene, "/check-runs", 403);
    scene.execute("", &[]);
    let facts = scene.sandbox.facts();
    let results = facts.iter().filter_map(|fact| fact["results"].as_array()).flatten();
    let of_ci: Vec<&Value> = results.filter(|one| one["check"] == "ci").collect();
    assert!(!of_ci.is_empty());
    for result in of_ci {
        assert_eq!(result["status"], "unavailable", "{result}");
        let told = result["summary"].as_str().unwrap_or_default();
        insta::allow_duplicates! { insta::assert_snapshot!(told, @"the server could not be asked: cannot read the check runs: GitHub answered 403 Resource not accessible by integration; the token needs the right `checks: read`") };
    }
}

#[test]
fn remote_checks_judge_the_pushed_commit() {
    for (word, code, told) in
        [("success", 0, "1 of 1 checks"), ("failure", 1, "failed on the server: build (failure)")]
    {
        let scene = Scene::new().in_a_job();
        scene.sandbox.write(
            ".ai-workflow/config.toml",
            "[checks.define.ci]\nremote_checks = true\n[phases.documentation]\nmax_revisions = 0\nchecks = [\"ci\"]\n",
        );
        scene.github.checks_say(&[word]);
        scene.execute("", &["--set", "limits.command_seconds=2"]).exits(code);
        let facts = scene.sandbox.facts();
        let results = facts.iter().filter_map(|fact| fact["results"].as_array()).flatten();
        let mut summaries =
            results.filter(|one| one["check"] == "ci").filter_map(|one| one["summary"].as_str());
        assert!(summaries.any(|summary| summary.starts_with(told)), "{word}");
    }
}

/// The job that works pushes nothing, so the server has seen nothing of it: a gate that is asked for is not left out.
#[test]
fn remote_checks_do_not_pass_in_the_first_of_two_jobs() {
    let scene = Scene::of_event();
    scene.sandbox.write(
        ".ai-workflow/config.toml",
        "[checks.define.ci]\nremote_checks = true\n[phases.requirements]\nmax_revisions = 0\nchecks = [\"ci\"]\n",
    );
    scene.github.checks_say(&["success"]);
    let event = scene.labeled();
    scene.work("", "issues", &event, &SHORT);
    let facts = scene.sandbox.facts();
    let results = facts.iter().filter_map(|fact| fact["results"].as_array()).flatten();
    let of_ci: Vec<&Value> = results.filter(|one| one["check"] == "ci").collect();
    assert!(!of_ci.is_empty());
    for result in of_ci {
        assert_eq!(result["status"], "unavailable", "{result}");
        let told = result["summary"].as_str().unwrap_or_default();
        insta::allow_duplicates! { insta::assert_snapshot!(told, @"the server could not be asked: of two jobs this one pushes nothing; `[github] ci_rounds` has the other one ask") };
    }
}

const UNPUSHED: &str = "the server could not be asked: the commit is not on GitHub yet, for the branch is pushed \
                        when the run halts; push after each phase (`--push phase`), or have `[github] ci_rounds` \
                        ask at the end of the run";

/// At a terminal the branch is pushed when the run halts, so the server does not know the commit of the phase before.
#[test]
fn remote_checks_of_an_unpushed_commit_are_unavailable() {
    for (more, code, told) in
        [(&["--push", "phase"][..], 0, "1 of 1 checks of the server passed"), (&[], 3, UNPUSHED)]
    {
        let scene = Scene::new();
        scene.sandbox.write(
            ".ai-workflow/config.toml",
            "[checks.define.ci]\nremote_checks = true\n[phases.requirements]\nmax_revisions = 0\nchecks = [\"ci\"]\n",
        );
        scene.github.checks_say(&["success"]);
        scene.execute("", &[&["--preset", "review-requirements"], more].concat()).exits(code);
        let facts = scene.sandbox.facts();
        let results = facts.iter().filter_map(|fact| fact["results"].as_array()).flatten();
        let of_ci = results.filter(|one| one["check"] == "ci").filter_map(|one| one["summary"].as_str());
        let summaries: Vec<&str> = of_ci.collect();
        assert!(!summaries.is_empty());
        assert!(summaries.iter().all(|summary| *summary == told), "{summaries:#?}");
    }
}
