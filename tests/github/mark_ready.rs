//! What a completed run does with its pull request where the settings want it: owners are asked, and the draft ends.

use super::fake_state::PullSeen;
use super::run::Scene;
use super::told::{closing_line, line_with};
use super::{Fault, Kind};
use crate::excerpt::excerpt;

const WANTED: [&str; 4] = ["--set", "github.mark_ready=true", "--set", "github.code_owners=true"];

fn pull(scene: &Scene) -> PullSeen {
    scene.github.state().pulls.into_values().next().expect("a pull request")
}

/// Puts owners on the base branch.
fn owned(text: &str) -> Scene {
    let scene = Scene::new();
    scene.sandbox.write(".github/CODEOWNERS", text);
    scene.sandbox.git(&["add", "-A"]);
    scene.sandbox.git(&["commit", "-q", "-m", "owners"]);
    scene.sandbox.git(&["push", "-q", "origin", "main"]);
    scene
}

#[test]
fn code_owners_are_requested_once_and_the_draft_is_marked_ready_once() {
    let scene = owned(
        "* @nobody\n/src/ @alice @octo-machine @octo/pagers @elsewhere/team mail@example.com\n/tests/ @mallory\n",
    );
    scene.github.permit("alice", "write");
    scene.execute("", &WANTED).exits(0).says("mallory owns what changed and was not asked to review");
    let seen = pull(&scene);
    assert!(!seen.draft);
    assert_eq!((seen.reviewers, seen.teams), (vec!["alice".to_owned()], vec!["pagers".to_owned()]));
    let writes = scene.github.writes();
    scene.github.change(|world| {
        let number = world.issues.values().find(|issue| issue.pull.is_some()).expect("a pull request").number;
        let pull = world.issues.get_mut(&number).and_then(|issue| issue.pull.as_mut());
        pull.expect("a pull request").draft = true;
    });
    scene.execute("", &WANTED).exits(0);
    assert!(pull(&scene).draft, "what a person took back stays so");
    assert_eq!(scene.github.writes(), writes);
    scene.everything_is_pushed();
    // GitHub says why it refuses; its description has no room for that.
    let others = |told: &String| !told.contains("/requested_reviewers: answer 422: there is content");
    assert_eq!(
        scene.github.violations().into_iter().filter(others).collect::<Vec<_>>(),
        Vec::<String>::new()
    );
}

#[test]
fn failed_run_stays_a_draft_without_review_requests() {
    let scene = owned("* @alice\n");
    scene.github.permit("alice", "write");
    let fails = "[[turn]]\nphase = \"report\"\nstep = \"review\"\nsay = '{\"review_id\": \"{{review_id}}\", \"result\": \"FAIL\", \"summary\": \"no\", \"findings\": [{\"severity\": \"major\", \"category\": \"quality\", \"issue\": \"no\"}]}'\n";
    scene.execute(fails, &WANTED).exits(1);
    assert!(pull(&scene).draft && pull(&scene).reviewers.is_empty());
}

#[test]
fn unreviewed_changes_keep_the_pull_request_a_draft() {
    let scene = Scene::new();
    let beside = "[[turn]]\nphase = \"report\"\nstep = \"execute\"\nwrite = [{ path = \"{{output}}\", text = \"# report\\n\" }, { path = \"src/beside.rs\", text = \"// beside\\n\" }]\nsay = \"done\"\n";
    let more = [&WANTED[..], &["--preset", "quick-fix", "--set", "phases.report.policy=completion"]].concat();
    let told = "1 file changed and shown to no reviewer: src/beside.rs";
    scene.execute(beside, &more).exits(0).says(&format!("stays a draft; not reviewed: {told}"));
    assert!(pull(&scene).draft);
    let body = pull(&scene).issue.body;
    assert_eq!(line_with(&body, "Not reviewed"), format!("> **Not reviewed:** {told}"));
    scene.within_the_contract();
}

#[test]
fn refused_mark_ready_is_reported_and_stops_nothing() {
    let scene = owned("* @alice\n");
    let refused = |path_contains| Fault { method: "POST", path_contains, nth: 0, kind: Kind::Before(403) };
    scene.github.fault(refused("/requested_reviewers"));
    scene.execute("", &WANTED).exits(0).says("Nobody was asked to review");
    assert!(!pull(&scene).draft);
}

const HOSTILE: &str = r##"
[[turn]]
phase = "evaluation"
step = "execute"
write = [{ path = "{{output}}", text = "# evaluation\n" }]
say = '{"decision": "PASS_WITH_ISSUES", "remaining_tasks": [{"task": "fixes #1, closes GH-2, resolves https://github.com/octo/pages/issues/3, closes octo/pages#4", "phase": "documentation", "priority": "low"}]}'
"##;

#[test]
fn pull_request_closes_only_the_issue_of_the_run_once() {
    let scene = Scene::new();
    scene.execute(HOSTILE, &[]).exits(0);
    let closing = regex::Regex::new(
        r"(?i)\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?):?\s+(?:(?:[\w.-]+/[\w.-]+)?#\d+|gh-\d+|https?://\S+/\d+)",
    );
    let draft = scene.draft();
    insta::assert_snapshot!(line_with(&draft, "octo/pages#"), @"- fixes #[ZWSP]1, closes GH-[ZWSP]2, resolves https://github.com/octo/pages/issues/[ZWSP]3, closes octo/pages#[ZWSP]4 (low documentation)");
    let closing = closing.expect("a pattern");
    let found: Vec<&str> = closing.find_iter(&draft).map(|found| found.as_str()).collect();
    assert_eq!(found, ["Closes #243"]);
}

#[test]
fn finalize_credits_co_authors_and_keep_files_keeps_the_documents() {
    let scene = Scene::new();
    scene.github.label_by("alice", 243, "ai-workflow");
    scene.execute("", &[]).exits(0);
    scene.sandbox.write("MANUAL.md", "read me\n");
    scene.sandbox.git(&["add", "-A"]);
    let author = ["-c", "user.name=Bob B", "-c", "user.email=bob@example.com"];
    let commit = ["commit", "-q", "-m", "a manual\n\nCo-authored-by: Carol <carol@example.com>"];
    scene.sandbox.git(&[&author[..], &commit[..]].concat());
    let words = ["finalize", "--issue", "243", "--include-unreviewed", "--keep-files"];
    scene.sandbox.run(&words).exits(0);
    let message = scene.sandbox.git(&["log", "-1", "--format=%B"]);
    let last = message.trim().rsplit("\n\n").next().expect("a paragraph");
    let lines: Vec<&str> = last.lines().collect();
    assert!(lines.len() == 4 && lines[0].starts_with("AI-Workflow-Run: "), "{message}");
    let named = ["Co-authored-by: Bob B <bob@example.com>", "Co-authored-by: Carol <carol@example.com>"];
    assert_eq!(lines[1..3], named);
    assert!(lines[3].ends_with("+alice@users.noreply.github.com>"), "{message}");
    let tracked = scene.sandbox.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert_eq!(line_with(&tracked, "events.jsonl"), ".ai-workflow/issue-243/events.jsonl");
    assert!(scene.sandbox.has(".ai-workflow/issue-243/events.jsonl"));
    let body = scene.github.state().pulls.into_values().next().expect("a pull request").issue.body;
    assert_eq!(closing_line(&body), "Closes #243");
    insta::assert_snapshot!(excerpt(&body, "## Documents", "---"), @"
    ## Documents

    - `.ai-workflow/issue-243/00_planning/output/planning.md`
    - `.ai-workflow/issue-243/01_requirements/output/requirements.md`
    - `.ai-workflow/issue-243/02_design/output/design.md`
    - `.ai-workflow/issue-243/03_test_scenario/output/test-scenario.md`
    - `.ai-workflow/issue-243/04_implementation/output/implementation.md`
    - `.ai-workflow/issue-243/05_test_implementation/output/test-implementation.md`
    - `.ai-workflow/issue-243/06_testing/output/test-result.md`
    - `.ai-workflow/issue-243/07_documentation/output/documentation-update-log.md`
    - `.ai-workflow/issue-243/08_report/output/report.md`
    - `.ai-workflow/issue-243/09_evaluation/output/evaluation_report.md`
    ");
    scene.everything_is_pushed();
}
