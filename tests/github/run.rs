//! Whole runs of the program against the fake: an issue comes in, one comment tells where it is, a draft goes out.

use super::event::slow;
use super::told::{closing_line, heading, line_with};
use super::two_jobs::SHORT;
use super::{Github, Kind, Lost};
use crate::support::{Ran, Sandbox, honest_script};
use crate::support::{eventually, filtered, working_below};

/// A repository with a bare origin that the fake serves, and an issue there.
pub(super) struct Scene {
    pub(super) sandbox: Sandbox,
    pub(super) origin: tempfile::TempDir,
    pub(super) github: Github,
}

impl Scene {
    pub(super) fn new() -> Self {
        let origin = tempfile::tempdir().expect("a folder");
        let sandbox = Sandbox::empty();
        sandbox.write("src/lib.rs", "pub fn pages() -> u32 {\n    2\n}\n");
        sandbox.git(&["init", "-q", "-b", "main"]);
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", "begin"]);
        let bare = origin.path().display().to_string();
        sandbox.git(&["init", "-q", "--bare", "-b", "main", &bare]);
        sandbox.git(&["remote", "add", "origin", &bare]);
        sandbox.git(&["push", "-q", "origin", "main"]);
        let github = Github::start_with(origin.path());
        github.open_issue(243, "The last page is missing", "It should be there.", &["bug"], "alice");
        let sandbox = sandbox
            .with("GITHUB_API_URL", &github.url())
            .with("GITHUB_REPOSITORY", "octo/pages")
            .with("GITHUB_TOKEN", "ghp_0123456789abcdefghijABCDEFGHIJ012345");
        Self { sandbox, origin, github }
    }

    /// In a job of a build server the branch is pushed after each phase.
    pub(super) fn in_a_job(self) -> Self {
        Self { sandbox: self.sandbox.with("CI", "true"), ..self }
    }

    pub(super) fn execute(&self, extra: &str, more: &[&str]) -> Ran {
        let script = self.sandbox.script(&honest_script(extra));
        let mut words =
            vec!["execute", "--phase", "all", "--issue", "243", "--forge", "github", "--agent", &script];
        words.extend(more);
        self.sandbox.run(&words)
    }

    pub(super) fn comment(&self) -> String {
        let comments = self.github.state().comments;
        assert_eq!(comments.len(), 1, "{comments:#?}");
        comments[0].body.clone()
    }

    /// Returns the body of the one pull request.
    pub(super) fn draft(&self) -> String {
        let pulls = self.github.state().pulls;
        assert_eq!(pulls.len(), 1, "{pulls:#?}");
        let pull = pulls.into_values().next().expect("a pull request");
        assert_eq!((pull.head.as_str(), pull.base.as_str()), ("ai-workflow/issue-243", "main"));
        assert!(pull.draft, "it has to be a draft");
        pull.issue.body
    }

    /// Puts a fresh clone in the place of the checkout.
    pub(super) fn on_another_machine(&self) {
        let bare = self.origin.path().display().to_string();
        // Whoever a killed program left behind still clears up in its folder.
        eventually("nobody works there", || working_below(&self.sandbox.root()).is_empty());
        std::fs::remove_dir_all(self.sandbox.root()).expect("the folder goes");
        std::fs::create_dir(self.sandbox.root()).expect("a folder");
        self.sandbox.git(&["clone", "-q", &bare, "."]);
    }

    /// Asserts that origin has everything that is on the branch.
    pub(super) fn everything_is_pushed(&self) {
        let here = self.sandbox.git(&["rev-parse", "ai-workflow/issue-243"]);
        let bare = self.origin.path().display().to_string();
        assert_eq!(self.sandbox.git(&["-C", &bare, "rev-parse", "ai-workflow/issue-243"]), here);
    }

    pub(super) fn within_the_contract(&self) {
        assert_eq!(self.github.violations(), Vec::<String>::new());
    }
}

pub(super) const FAILS: &str = r#"
[[turn]]
phase = "design"
step = "review"
say = '{"review_id": "{{review_id}}", "result": "FAIL", "summary": "no", "findings": [{"severity": "major", "category": "quality", "issue": "the pages are not counted"}]}'
"#;

#[test]
fn a_run_opens_a_draft_pull_request_and_one_progress_comment() {
    let scene = Scene::new();
    scene.execute("", &[]).exits(0);
    insta::assert_snapshot!("comment_of_a_completed_run", filtered(&scene.comment()));
    insta::assert_snapshot!("draft_of_a_completed_run", filtered(&scene.draft()));
    scene.everything_is_pushed();
    let metadata = scene.sandbox.metadata();
    let id = metadata["github_integration"]["progress_comment_id"].as_u64();
    assert_eq!(id, Some(scene.github.state().comments[0].id));
    assert_eq!(metadata["issue_url"], "https://github.com/octo/pages/issues/243");
    assert!(scene.github.writes() <= 25, "{:#?}", scene.github.calls());
    scene.within_the_contract();
}

#[test]
fn the_issue_title_is_plain_text_in_the_pull_request_and_commits() {
    let scene = Scene::new();
    scene.github.edit_issue(243, "Vec<T> & a <b> panic, thanks @bob", "It should be there.");
    scene.execute("", &SHORT).exits(0);
    let title = "Vec<T> & a <b> panic, thanks @\u{200b}bob";
    let subjects = || scene.sandbox.git(&["log", "--format=%s", "main..ai-workflow/issue-243"]);
    let pull = scene.github.state().pulls.into_values().next().expect("a pull request");
    assert_eq!(pull.issue.title, title);
    let phases = ["requirements", "planning"].map(|phase| format!("[ai-workflow] {phase}: #243 {title}"));
    let wanted = format!("[ai-workflow] run: #243 completed\n{}", phases.join("\n"));
    assert_eq!(subjects(), wanted);
    scene.sandbox.run(&["finalize", "--issue", "243"]).exits(0);
    assert_eq!(subjects(), title);
}

#[test]
fn job_pushes_and_shows_each_phase_at_once() {
    let scene = Scene::new().in_a_job();
    scene.execute("", &[]).exits(0);
    scene.everything_is_pushed();
    assert_eq!(scene.heading(), "### ai-workflow: completed");
    assert_eq!(closing_line(&scene.draft()), "Closes #243");
    let opened = |call: &super::server::Call| {
        call.to_string().starts_with("POST") && call.to_string().contains("/pulls")
    };
    assert_eq!(scene.github.calls().iter().filter(|call| opened(call)).count(), 1);
    assert!(scene.github.writes() <= 25, "{:#?}", scene.github.calls());
    scene.within_the_contract();
}

#[test]
fn the_draft_is_opened_when_the_first_phase_is_committed() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let mut child = scene.start_event(&slow("requirements"), "issues", &event);
    scene.until_an_agent_works_on("requirements");
    let (draft, comment) = (scene.draft(), scene.comment());
    child.kill().expect("it ends");
    child.wait().expect("it ended");
    assert_eq!(closing_line(&draft), "Closes #243");
    let row = line_with(&draft, "| planning | ✓");
    assert_eq!(row, "| planning | ✓ completed | PASS by json | 1 | 0 |  |");
    assert!(!draft.contains("| requirements | ✓ completed |"), "{draft}");
    assert_eq!(heading(&comment), "### ai-workflow: running");
    scene.everything_is_pushed();
    let subjects = scene.sandbox.git(&["log", "--format=%s", "main..ai-workflow/issue-243"]);
    assert_eq!(subjects.lines().count(), 1, "{subjects}");
}

#[test]
fn a_failed_run_leaves_a_draft_and_a_comment_about_the_failure() {
    let scene = Scene::new().in_a_job();
    scene.execute(FAILS, &[]).exits(1);
    scene.everything_is_pushed();
    insta::assert_snapshot!("comment_of_a_failed_run", filtered(&scene.comment()));
    insta::assert_snapshot!("draft_of_a_failed_run", filtered(&scene.draft()));
}

#[test]
fn another_machine_continues_with_the_same_comment_and_draft() {
    let scene = Scene::new().in_a_job();
    scene.execute(FAILS, &[]).exits(1);
    scene.on_another_machine();
    scene.execute("", &["--retry-failed"]).exits(0).says("is taken over from origin");
    scene.draft();
    assert_eq!(scene.heading(), "### ai-workflow: completed");
    scene.everything_is_pushed();
}

#[test]
fn a_local_branch_with_other_commits_is_not_overwritten_from_origin() {
    let scene = Scene::new().in_a_job();
    scene.execute(FAILS, &[]).exits(1);
    scene.on_another_machine();
    scene.sandbox.git(&["switch", "-q", "-c", "ai-workflow/issue-243"]);
    scene.sandbox.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    scene.sandbox.git(&["switch", "-q", "main"]);
    let before = scene.sandbox.git(&["for-each-ref", "refs/heads"]);
    scene.execute("", &["--retry-failed"]).exits(2).says("here and on origin hold different work");
    assert_eq!(scene.sandbox.git(&["for-each-ref", "refs/heads"]), before);
}

#[test]
fn branch_on_origin_without_a_run_is_refused_before_any_call() {
    let scene = Scene::new().in_a_job();
    scene.sandbox.git(&["push", "-q", "origin", "main:refs/heads/ai-workflow/issue-243"]);
    scene.execute("", &[]).exits(2).says("holds no run, or one that was finalized");
    assert!(scene.github.state().comments.is_empty());
}

#[test]
fn comment_begins_with_the_next_action_of_a_person() {
    let scene = Scene::new();
    scene.execute(FAILS, &["--set", "policies.phase-review.outcomes.exhausted=pause"]).exits(3);
    let comment = scene.comment();
    let seen = comment.lines().find(|line| !line.is_empty() && !line.starts_with("<!--"));
    assert!(seen.is_some_and(|line| line.starts_with("**A person is needed:**")), "{comment}");
    scene.everything_is_pushed();
}

#[test]
fn run_without_push_opens_no_pull_request_and_keeps_its_text_locally() {
    let scene = Scene::new();
    scene.execute("", &["--push", "never"]).exits(0);
    assert!(scene.github.state().pulls.is_empty());
    let kept = scene.sandbox.read(".ai-workflow/local/issues/243.pr.md");
    assert_eq!(line_with(&kept, "Closes"), "Closes #243");
    assert_eq!(scene.heading(), "### ai-workflow: completed");
}

#[test]
fn a_run_cannot_change_its_forge() {
    let scene = Scene::new();
    scene.execute("", &["--set", "budget.calls=3"]).exits(3);
    let ran = scene.sandbox.run(&["execute", "--phase", "all", "--issue", "243", "--forge", "local"]);
    ran.exits(2).says("was begun with forge github, not local");
}

#[test]
fn finalize_makes_one_commit_and_marks_the_pull_request_ready() {
    let scene = Scene::new();
    scene.execute("", &[]).exits(0);
    scene.sandbox.run(&["finalize", "--issue", "243"]).exits(0);
    let pulls = scene.github.state().pulls;
    assert!(pulls.values().all(|pull| !pull.draft) && pulls.len() == 1, "{pulls:#?}");
    scene.everything_is_pushed();
    assert_eq!(scene.sandbox.git(&["rev-list", "--count", "main..ai-workflow/issue-243"]), "1");
    scene.within_the_contract();
}

#[test]
fn unreviewed_changes_are_listed_in_the_managed_section() {
    let scene = Scene::new();
    scene.execute("", &[]).exits(0);
    scene.sandbox.write("src/mine.rs", "// mine\n");
    scene.sandbox.git(&["add", "src/mine.rs"]);
    scene.sandbox.git(&["commit", "-q", "-m", "mine"]);
    scene.sandbox.run(&["finalize", "--issue", "243"]).exits(2).says("not reviewed: 1 file");
    scene.sandbox.run(&["finalize", "--issue", "243", "--include-unreviewed"]).exits(0);
    let pull = scene.github.state().pulls.into_values().next().expect("a pull request");
    let ours = pull.issue.body.split("<!-- ai-workflow:begin -->").nth(1).expect("our part");
    let ours = ours.split("<!-- ai-workflow:end -->").next().expect("our part");
    let told = "> **Not reviewed:** 1 file changed after the end of the run: src/mine.rs";
    assert_eq!(line_with(ours, "Not reviewed"), told);
    scene.everything_is_pushed();
}

#[test]
fn a_branch_with_new_commits_on_origin_is_not_finalized() {
    let scene = Scene::new();
    scene.execute("", &[]).exits(0);
    scene.sandbox.git(&["switch", "-q", "-c", "other"]);
    scene.sandbox.git(&["commit", "-q", "--allow-empty", "-m", "theirs"]);
    scene.sandbox.git(&["push", "-q", "origin", "other:ai-workflow/issue-243"]);
    scene.sandbox.git(&["switch", "-q", "ai-workflow/issue-243"]);
    let before = scene.sandbox.everything();
    let ran = scene.sandbox.run(&["finalize", "--issue", "243"]);
    assert_ne!(ran.code, 0, "{}", ran.stdout);
    let mut after = scene.sandbox.everything();
    after.insert("refs".into(), before["refs"].clone());
    assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    assert!(scene.sandbox.has(".ai-workflow/issue-243/events.jsonl"));
    scene.sandbox.run(&["status", "--issue", "243"]).exits(0);
}

#[test]
fn missing_or_invalid_token_is_reported_before_any_call() {
    let scene = Scene::new();
    let words = ["execute", "--phase", "all", "--issue", "243", "--forge", "github", "--agent", "auto"];
    let mut command = scene.sandbox.binary(&words);
    command.env_remove("GITHUB_TOKEN");
    Sandbox::finish(command).exits(2).says("there is no token in GITHUB_TOKEN or GH_TOKEN");
    let ran = scene.sandbox.run(&["execute", "--phase", "all", "--issue", "99", "--forge", "github"]);
    ran.exits(2).says("issue 99 does not exist");
    let scene = Scene { sandbox: scene.sandbox.with("GITHUB_API_URL", "http://127.0.0.1:9"), ..scene };
    let ran = scene.sandbox.run(&["execute", "--phase", "all", "--issue", "243", "--forge", "github"]);
    ran.exits(5).says("gave no answer");
}

#[test]
fn the_token_is_in_no_comment_pull_request_or_commit() {
    let scene = Scene::new();
    let leaks = r#"
[[turn]]
phase = "planning"
step = "review"
say = '{"review_id": "{{review_id}}", "result": "PASS_WITH_SUGGESTIONS", "summary": "ghp_0123456789abcdefghijABCDEFGHIJ012345", "suggestions": ["use ghp_0123456789abcdefghijABCDEFGHIJ012345"], "findings": []}'
"#;
    scene.execute(leaks, &[]).exits(0);
    let log = scene.sandbox.git(&["log", "-p", "--format=%B", "main..ai-workflow/issue-243"]);
    for text in [scene.comment(), scene.draft(), log] {
        assert!(!text.contains("ghp_0123456789"), "the token is told");
    }
}

/// The same run with the answer of each writing call lost, one after the other: the same end, nothing twice.
#[test]
#[ignore = "full suite: a whole run for every call"]
fn a_lost_answer_at_any_call_changes_no_result_of_a_run() {
    let clean = Scene::new();
    clean.execute("", &[]).exits(0);
    let calls = clean.github.calls().len();
    for nth in 1..=calls {
        for kind in [Kind::AppliedButLost(Lost::Reset), Kind::Before(502)] {
            let scene = Scene::new();
            scene.github.fault_at_call(nth, kind);
            scene.execute("", &[]).exits(0);
            assert_eq!(scene.heading(), "### ai-workflow: completed", "call {nth}");
            scene.draft();
            scene.everything_is_pushed();
        }
    }
}
