//! A GitHub Enterprise Server: it is known by the two addresses that a job names, and the public GitHub is never meant.

use super::run::Scene;
use super::told::{line_with, outputs};
use super::two_jobs::SHORT;

impl Scene {
    /// A scene on a server of its own; a job names its API, or leaves that to us.
    fn on_a_server(api: &str) -> Self {
        let scene = Self::of_event();
        let server = scene.github.url();
        scene.github.show_pages_at(&server);
        let api = if api.is_empty() { String::new() } else { format!("{server}{api}") };
        let sandbox = scene.sandbox.with("GITHUB_SERVER_URL", &server).with("GITHUB_API_URL", &api);
        Self { sandbox, ..scene }
    }

    /// Asserts that every call went to the API of the server.
    fn asked_the_server(&self) {
        let calls = self.github.calls();
        let of_server = |path: &str| path.starts_with("/api/v3/repos/octo/pages/") || path == "/api/graphql";
        let others: Vec<_> = calls.iter().filter(|call| !of_server(&call.path)).collect();
        assert!(others.is_empty() && !calls.is_empty(), "{others:#?}");
    }

    /// Asserts that people are sent to the server wherever they read of it.
    fn tells_of_the_server(&self) {
        let (server, number) = (self.github.url(), self.github.state().pulls.into_keys().next());
        let pull = format!("{server}/octo/pages/pull/{}", number.expect("a pull request"));
        let all = [self.comment(), self.summary(), self.outputs(), self.sandbox.metadata().to_string()];
        for text in [self.comment(), self.summary()] {
            assert_eq!(line_with(&text, "Pull request"), format!("Pull request: {pull}"));
        }
        assert_eq!(outputs(&self.outputs())["pr-url"], pull);
        assert_eq!(self.sandbox.metadata()["pr_url"], pull);
        assert_eq!(self.sandbox.metadata()["issue_url"], format!("{server}/octo/pages/issues/243"));
        let branch = self.sandbox.git(&["log", "-p", "main..ai-workflow/issue-243"]);
        for text in all.iter().chain([&self.draft(), &branch]) {
            assert!(!text.contains("github.com"), "{text}");
        }
    }
}

#[test]
fn calls_and_links_use_only_the_enterprise_server_of_the_job() {
    for api in ["/api/v3", ""] {
        let scene = Scene::on_a_server(api);
        let event = scene.labeled();
        scene.event_with("", "issues", &event, &[&["--forge", "github"], &SHORT[..]].concat()).exits(0);
        scene.asked_the_server();
        scene.tells_of_the_server();
        scene.sandbox.run(&["finalize", "--issue", "243", "--include-unreviewed"]).exits(0);
        let message = scene.sandbox.git(&["log", "-1", "--format=%B"]);
        insta::allow_duplicates! { insta::assert_snapshot!(line_with(&message, "bob"), @"Co-authored-by: bob <307254+bob@users.noreply.127.0.0.1>") };
        scene.asked_the_server();
        scene.within_the_contract();
    }
}

#[test]
fn two_jobs_publish_links_to_their_enterprise_server() {
    let scene = Scene::on_a_server("");
    let event = scene.labeled();
    scene.work("", "issues", &event, &SHORT).exits(0);
    scene.publish("issues", &event).exits(0);
    scene.asked_the_server();
    scene.tells_of_the_server();
    scene.within_the_contract();
}
