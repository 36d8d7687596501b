//! The condition that an issue is closed: GitHub is asked for it when the phase is judged, and what it does not say is no pass.

use std::path::PathBuf;

use serde_json::Value;

use super::run::Scene;
use super::{Hit, Kind};
use crate::support::fake_agent;

const CONFIG: &str = "[github]\nstate_labels = false\n[checks.define.closed]\nissue_closed = true\n\
[phases.planning]\npolicy = \"completion\"\nmax_revisions = 0\nchecks = [\"closed\"]\n";

impl Scene {
    /// Returns an honest agent that begins to work when a file is there, and the file.
    pub fn waiting_agent(&self) -> (String, PathBuf) {
        let go = self.origin.path().join("go");
        let honest = fake_agent();
        let honest = honest.trim_start_matches("command:");
        let waits =
            format!("#!/bin/sh\nwhile ! test -e '{}'; do sleep 0.02; done\nexec '{honest}'\n", go.display());
        (format!("command:{}", self.sandbox.executable("waits.sh", &waits).display()), go)
    }
}

/// Has something happen while the author of the phase works, and returns what its check found.
fn found(meanwhile: impl FnOnce(&Scene), code: i32) -> Value {
    let scene = Scene::new();
    scene.sandbox.write(".ai-workflow/config.toml", CONFIG);
    let (agent, go) = scene.waiting_agent();
    let words = ["execute", "--issue", "243", "--forge", "github", "--preset", "review-requirements"];
    let mut child = scene.sandbox.start(&[&words[..], &["--agent", &agent]].concat());
    scene.until_an_agent_works_on("planning");
    meanwhile(&scene);
    std::fs::write(go, "").expect("a file");
    assert_eq!(child.wait().expect("it ended").code(), Some(code));
    assert_eq!(scene.github.missed(), []);
    let facts = scene.sandbox.facts();
    let mut results = facts.iter().filter_map(|fact| fact["results"].as_array()).flatten();
    results.find(|result| result["check"] == "closed").expect("a result").clone()
}

#[test]
fn closed_issue_passes_the_condition_and_open_issue_fails() {
    let closed = found(|scene| scene.github.close_issue(243, "alice"), 0);
    assert_eq!((&closed["status"], &closed["summary"]), (&"pass".into(), &"the issue is closed".into()));
    let open = found(|_| {}, 1);
    assert_eq!((&open["status"], &open["summary"]), (&"fail".into(), &"the issue is still open".into()));
}

#[test]
fn unreadable_issue_is_unknown_and_does_not_pass() {
    let missing = "issue 243 does not exist: there is no such issue in octo/pages";
    let refused = "cannot read the issue: GitHub answered 403 Resource not accessible by integration";
    for (status, told) in [(404, missing), (410, missing), (403, refused)] {
        let does_not_tell = |scene: &Scene| {
            scene.github.close_issue(243, "alice");
            let (method, path) = ("GET".to_owned(), "/repos/octo/pages/issues/243".to_owned());
            scene.github.aim([Hit { method, path, nth: 1, kind: Kind::Before(status) }]);
        };
        let result = found(does_not_tell, 1);
        assert_eq!(result["status"], "unavailable", "{result}");
        assert_eq!(result["summary"], format!("the issue could not be asked for: {told}"));
    }
}
