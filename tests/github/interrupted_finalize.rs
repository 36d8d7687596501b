//! `finalize` that is cut short: by a refusal of GitHub, by one of the push, by a kill. Nothing is lost, and the same command
//! ends what is left.

use std::path::PathBuf;

use super::run::Scene;
use super::told::{closing_line, line_with};
use super::{Fault, Kind};
use crate::support::{Ran, make_executable};

const BRANCH: &str = "ai-workflow/issue-243";
const RECORD: &str = ".git/ai-workflow/issue-243/finalized.json";
const LOG: &str = ".ai-workflow/issue-243/events.jsonl";

impl Scene {
    fn completed() -> Self {
        let scene = Self::new();
        scene.execute("", &[]).exits(0);
        scene
    }

    fn finalize(&self, more: &[&str]) -> Ran {
        self.sandbox.run(&[&["finalize", "--issue", "243"], more].concat())
    }

    fn is_refused(&self) {
        let ran = self.finalize(&[]);
        assert_ne!(ran.code, 0, "{}", ran.stdout);
    }

    /// Makes origin run a script at a push.
    fn hook(&self, name: &str, script: &str) -> PathBuf {
        let path = self.origin.path().join("hooks").join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
        make_executable(&path);
        path
    }

    fn tip(&self) -> String {
        self.sandbox.git(&["rev-parse", BRANCH])
    }

    fn on_origin(&self) -> String {
        let bare = self.origin.path().display().to_string();
        self.sandbox.git(&["-C", &bare, "rev-parse", BRANCH])
    }

    /// Refuses the push that replaces the branch; returns where the branch is and what was to be in its place.
    fn cut_short(&self) -> (String, String) {
        let hook = self.hook("update", "exit 1");
        self.is_refused();
        std::fs::remove_file(hook).expect("the hook goes");
        let record: serde_json::Value =
            serde_json::from_str(&self.sandbox.read(RECORD)).expect("the record is JSON");
        (self.tip(), record["commit"].as_str().expect("a commit").to_owned())
    }

    /// The run with its log is here and on origin.
    fn nothing_is_lost(&self) {
        assert!(self.sandbox.has(LOG));
        self.everything_is_pushed();
        self.sandbox.git(&["cat-file", "-e", &format!("{BRANCH}:{LOG}")]);
        self.sandbox.run(&["status", "--issue", "243"]).exits(0).says_not("finalized");
    }

    /// The request is ready, the branch is one commit without the run's files, and the record tells so.
    fn is_finalized(&self) {
        let pulls = self.github.state().pulls;
        assert!(pulls.len() == 1 && pulls.values().all(|pull| !pull.draft), "{pulls:#?}");
        let body = &pulls.values().next().expect("a pull request").issue.body;
        assert_eq!(closing_line(body), "Closes #243");
        assert!(!body.contains("## Documents"), "{body}");
        self.everything_is_pushed();
        assert_eq!(self.sandbox.git(&["rev-list", "--count", &format!("main..{BRANCH}")]), "1");
        let changed = self.sandbox.git(&["diff", "--name-only", "main", BRANCH]);
        assert_eq!(changed, "src/lib.rs\ntests/pages.rs");
        assert!(!self.sandbox.has(".ai-workflow/issue-243"));
        assert_eq!(self.sandbox.git(&["status", "--porcelain"]), "");
        let told = self.sandbox.run(&["status", "--issue", "243"]).exits(0).stdout;
        let ended =
            format!("the run of issue 243 was completed and finalized: {BRANCH} at {}", &self.tip()[..9]);
        assert_eq!(line_with(&told, "finalized"), ended);
        assert!(!self.sandbox.read(RECORD).contains("left"));
        self.finalize(&[]).refuses(2, "its log is gone");
    }
}

impl Ran {
    fn says_not(self, text: &str) -> Self {
        assert!(!self.stdout.contains(text), "{}", self.stdout);
        self
    }
}

#[test]
fn refused_finalize_changes_nothing_and_can_be_repeated() {
    let scene = Scene::completed();
    for (method, path_contains) in [("GET", "/pulls?"), ("PATCH", "/pulls/"), ("POST", "/graphql")] {
        scene.github.fault(Fault { method, path_contains, nth: 1, kind: Kind::Before(403) });
        scene.is_refused();
        scene.nothing_is_lost();
        assert!(!scene.sandbox.has(RECORD), "{method} {path_contains}");
    }
    scene.finalize(&[]).exits(0);
    scene.is_finalized();
    scene.within_the_contract();
}

#[test]
#[ignore = "full suite: a whole run for every call"]
fn finalize_can_be_repeated_after_a_refusal_of_any_call() {
    let clean = Scene::completed();
    let before = clean.github.calls().len();
    clean.finalize(&[]).exits(0);
    for nth in 1..=clean.github.calls().len() - before {
        let scene = Scene::completed();
        scene.github.fault_at_call(nth, Kind::Before(403));
        if scene.finalize(&[]).code != 0 {
            scene.nothing_is_lost();
            scene.finalize(&[]).exits(0);
        }
        scene.is_finalized();
    }
}

#[test]
fn finalize_with_a_refused_push_can_be_repeated_with_other_flags() {
    let scene = Scene::completed();
    let (tip, _) = scene.cut_short();
    scene.nothing_is_lost();
    let json = scene.finalize(&["--skip-squash", "--keep-files", "--json"]).exits(0).json();
    assert_eq!(json["commit"], tip.as_str());
    scene.finalize(&[]).exits(0);
    scene.is_finalized();
}

#[test]
fn continued_run_is_finalized_with_its_new_commits() {
    let scene = Scene::completed();
    scene.cut_short();
    scene.sandbox.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    scene.finalize(&[]).exits(0);
    scene.is_finalized();
}

#[test]
fn finalize_killed_after_the_push_is_completed_by_the_next_command() {
    let scene = Scene::completed();
    let pid = scene.origin.path().join("pid");
    let file = pid.display();
    scene.hook(
        "post-receive",
        &format!("while ! test -s '{file}'; do sleep 0.05; done\nkill -9 $(cat '{file}')\nrm '{file}'"),
    );
    let mut child = scene.sandbox.start(&["finalize", "--issue", "243"]);
    std::fs::write(&pid, child.id().to_string()).expect("written");
    assert!(!child.wait().expect("it ended").success());
    let pushed = scene.on_origin();
    assert_ne!(pushed, scene.tip());
    std::fs::remove_file(scene.origin.path().join("hooks/post-receive")).expect("the hook goes");
    scene.finalize(&[]).exits(0).says_not("not reviewed");
    assert_eq!(scene.tip(), pushed);
    scene.is_finalized();
}

#[test]
fn killed_finalize_is_reported_and_completed() {
    let scene = Scene::completed();
    let (tip, commit) = scene.cut_short();
    let pair = format!("{commit}:refs/heads/{BRANCH}");
    scene.sandbox.git(&["push", "-q", "--force", "origin", &pair]);
    scene.sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &commit, &tip]);
    std::fs::remove_file(scene.sandbox.root().join(LOG)).expect("the log goes");
    let told = scene.sandbox.run(&["status", "--issue", "243"]).exits(0).stdout;
    insta::assert_snapshot!(told.replace(&commit[..9], "[HASH]"), @"
    #243 The last page is missing: completed

    the run of issue 243 was completed and `finalize` was cut short: ai-workflow/issue-243 at [HASH]

    next: ai-workflow finalize --issue 243
    ");
    scene
        .sandbox
        .run(&["explain", "--issue", "243"])
        .refuses(2, "was cut short")
        .says("ai-workflow finalize");
    let dry = scene.finalize(&["--dry-run"]).exits(0).stdout;
    insta::assert_snapshot!(line_with(&dry.replace(&commit[..9], "[HASH]"), "cut short"), @"finish what was cut short: ai-workflow/issue-243 at [HASH]");
    let json = scene.finalize(&["--json"]).exits(0).json();
    assert_eq!((&json["commit"], &json["unreviewed"]), (&commit.into(), &serde_json::json!([])));
    scene.is_finalized();
}
