//! A second opinion on the fake and on what we send it: Prism, which reads GitHub's description in its own way, stands between
//! the two and refuses what does not fit. Full suite only: it comes from npm.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Kind;
use super::client::{client, send_to};
use super::forge::github;
use super::run::Scene;

/// How long Prism may take to read the description.
const READY: Duration = Duration::from_secs(90);

/// Prism in front of a fake.
struct Prism {
    child: Child,
    url: String,
    _folder: tempfile::TempDir,
}

impl Prism {
    fn before(upstream: &str) -> Self {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let program = root.join("tests/github/node_modules/.bin/prism");
        assert!(program.exists(), "run `npm ci --prefix tests/github`");
        let folder = tempfile::tempdir().expect("a folder");
        let description = folder.path().join("github.json");
        fs::write(&description, described(&root).to_string()).expect("a file");
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let log = fs::File::create(folder.path().join("log")).expect("a file");
        let child = Command::new(program)
            .args(["proxy", "-h", "127.0.0.1", "-p", &port.to_string(), "--errors"])
            .arg(&description)
            .arg(upstream)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a file"))
            .stderr(log)
            .spawn()
            .expect("node starts");
        let prism = Self { child, url: format!("http://127.0.0.1:{port}"), _folder: folder };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < READY, "Prism does not get ready");
            std::thread::sleep(Duration::from_millis(50));
        }
        prism
    }
}

impl Drop for Prism {
    fn drop(&mut self) {
        // It has no more to do, whether it is still there or not.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns GitHub's description, with a way through for GraphQL, which has a description of its own.
fn described(root: &Path) -> Value {
    let text = fs::read_to_string(root.join("target/github/contract.json")).expect("run `npm run slim`");
    let mut described: Value = serde_json::from_str(&text).expect("JSON");
    let anything = json!({ "application/json": { "schema": {} } });
    described["paths"]["/graphql"] = json!({ "post": {
        "operationId": "graphql",
        "requestBody": { "content": anything },
        "responses": { "200": { "description": "an answer", "content": anything } },
    }});
    described
}

/// A scene whose program speaks to Prism.
fn scene() -> (Scene, Prism) {
    let scene = Scene::of_event();
    let prism = Prism::before(&scene.github.url());
    let reference = "octo/pages/.github/workflows/ai-workflow.yml@refs/heads/main";
    let sandbox = scene.sandbox.with("GITHUB_API_URL", &prism.url).with("GITHUB_WORKFLOW_REF", reference);
    (Scene { sandbox, ..scene }, prism)
}

#[tokio::test]
#[ignore = "full suite: needs Prism from npm"]
async fn prism_reports_invalid_requests_and_invalid_responses() {
    let github = github();
    let prism = Prism::before(&github.url());
    let client = client(&prism.url, "test-token");
    let issue = "/repos/octo/pages/issues/7";
    let whole = send_to(&client, "GET", issue, None).await.expect("an answer");
    assert_eq!((whole.status, whole.body["title"].as_str()), (200, Some("The last page is missing")));
    let comments = format!("{issue}/comments");
    let refused = send_to(&client, "POST", &comments, Some(json!({ "text": "x" }))).await.expect("an answer");
    assert_eq!((refused.status, refused.text.contains("'body'")), (422, true), "{}", refused.text);
    let unknown = send_to(&client, "GET", "/repos/octo/pages/nothing", None).await.expect("an answer");
    assert_eq!(unknown.status, 404, "{}", unknown.text);
    github.break_answers("title");
    let broken = send_to(&client, "GET", issue, None).await.expect("an answer");
    assert_eq!((broken.status, broken.text.contains("VIOLATIONS")), (500, true), "{}", broken.text);
    assert!(!github.violations().is_empty(), "the fake reports it as well");
}

/// Answers every request with a text where GitHub answers with an object or a list; ends with the test.
fn answering_nonsense() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            // Whatever is asked: a request without a body comes in one piece.
            let _ = stream.read(&mut [0; 16_384]);
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 6\r\nconnection: close";
            let _ = stream.write_all(format!("{head}\r\n\r\n\"text\"").as_bytes());
        }
    });
    url
}

/// Prism gives up in silence on a description that its validator does not take, and lets everything pass.
#[tokio::test]
#[ignore = "full suite: needs Prism from npm"]
async fn prism_validates_the_response_of_every_read_operation() {
    let prism = Prism::before(&answering_nonsense());
    let client = client(&prism.url, "test-token");
    let operations = include_str!("operations.txt").lines();
    let mut looked = 0;
    for path in operations.filter_map(|operation| operation.strip_prefix("GET ")) {
        let filled = path.split('/').map(|part| match part {
            "{workflow_id}" => "a.yml",
            _ if part.starts_with('{') => "1",
            _ => part,
        });
        let path = filled.collect::<Vec<_>>().join("/");
        let came = send_to(&client, "GET", &path, None).await.expect("an answer");
        assert!(
            came.status == 500 && came.text.contains("VIOLATIONS"),
            "{path}: {} {}",
            came.status,
            came.text
        );
        looked += 1;
    }
    assert!(looked > 20, "only {looked} were looked at");
}

#[test]
#[ignore = "full suite: needs Prism from npm"]
fn a_run_from_label_to_draft_matches_the_api_description_in_prism() {
    let (scene, _prism) = scene();
    let event = scene.labeled();
    scene.event("issues", &event).exits(0);
    assert!(scene.comment().contains("ai-workflow: completed"));
    assert!(scene.draft().contains("Closes #243"));
    scene.everything_is_pushed();
}

#[test]
#[ignore = "full suite: needs Prism from npm"]
fn a_run_with_a_second_job_matches_the_api_description_in_prism() {
    let (scene, _prism) = scene();
    let event = scene.labeled();
    let short = ["--forge", "github", "--set", "github.job_minutes=0"];
    scene.github.fault(super::Fault {
        method: "POST",
        path_contains: "/dispatches",
        nth: 1,
        kind: Kind::AppliedButLost(super::Lost::Status(502)),
    });
    scene.event_with("", "issues", &event, &short).exits(3);
    assert_eq!(scene.github.state().started, ["ai-workflow: issue 243"]);
    scene.execute("", &[]).exits(0);
    assert!(scene.draft().contains("Closes #243"));
}

#[test]
#[ignore = "full suite: needs Prism from npm"]
fn commands_of_a_person_match_the_api_description_in_prism() {
    let (scene, _prism) = scene();
    let event = scene.labeled();
    scene.event_with(super::run::FAILS, "issues", &event, &["--forge", "github"]).exits(1);
    scene.github.permit("carol", "write");
    let event = scene.github.commented("carol", 243, "/ai-workflow status");
    scene.event("issue_comment", &event).exits(0);
    let event = scene.github.commented("carol", 243, "/ai-workflow run");
    scene.event("issue_comment", &event).exits(0);
    assert!(scene.draft().contains("Closes #243"));
}
