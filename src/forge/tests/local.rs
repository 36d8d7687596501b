//! The forge in files: issues a person wrote, comments and pull requests that can be written twice.
#![allow(clippy::disallowed_methods, reason = "tests touch the world")]

use std::fs;
use std::path::PathBuf;

use forge::{Comment, CommentDraft, Forge, LocalForge, PullRequestContent, PullRequestRef, digest};
use jiff::Timestamp;
use model::issue::{Issue, IssueNumber};
use model::redact::{Masked, Masker};

const ISSUE: &str = "---
title: \"Sum: wrong for negatives\"
labels: [bug, ai-workflow]
author: alice
state: open
---

`sum(-1, 1)` is 2.

---
Not front matter.
";

struct World {
    folder: tempfile::TempDir,
    forge: Forge,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let forge = Forge::Local(LocalForge::new(folder.path()));
        Self { folder, forge }
    }

    fn with_issue(text: &str) -> Self {
        let world = Self::new();
        world.put("md", text);
        world
    }

    fn path(&self, ending: &str) -> PathBuf {
        self.folder.path().join(format!(".ai-workflow/local/issues/243.{ending}"))
    }

    fn put(&self, ending: &str, text: impl AsRef<[u8]>) {
        let path = self.path(ending);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
        fs::write(path, text).expect("the file");
    }

    fn text(&self, ending: &str) -> String {
        fs::read_to_string(self.path(ending)).expect("a file")
    }

    async fn upsert(&self, id: Option<u64>, body: &str, second: i64) -> u64 {
        let draft = CommentDraft { id, marker: "<!-- progress -->", body: &masked(body) };
        self.forge.upsert_comment(number(), draft, at(second)).await.expect("a comment")
    }
}

fn number() -> IssueNumber {
    IssueNumber::try_from(243).expect("a number")
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_750_000_000 + second).expect("a time")
}

fn masked(text: &str) -> Masked {
    Masker::default().mask(text)
}

fn issue() -> Issue {
    Issue {
        number: number(),
        title: "Sum: wrong for negatives".to_owned(),
        body: "`sum(-1, 1)` is 2.\n\n---\nNot front matter.".to_owned(),
        labels: vec!["bug".to_owned(), "ai-workflow".to_owned()],
        author: "alice".to_owned(),
        open: true,
        url: ".ai-workflow/local/issues/243.md".to_owned(),
        discussion: model::issue::Discussion::default(),
    }
}

#[tokio::test]
async fn local_issue_is_read_with_any_line_endings_and_byte_order_mark() {
    for text in [ISSUE.to_owned(), ISSUE.replace('\n', "\r\n"), format!("\u{feff}{ISSUE}")] {
        assert_eq!(World::with_issue(&text).forge.issue(number()).await.expect("an issue"), issue());
    }
}

#[tokio::test]
async fn local_issue_needs_only_a_title_and_can_be_closed() {
    let found = World::with_issue("---\ntitle: T\nstate: closed\n---").forge.issue(number()).await;
    let expected = Issue {
        title: "T".into(),
        body: String::new(),
        labels: vec![],
        author: String::new(),
        open: false,
        ..issue()
    };
    assert_eq!(found.expect("an issue"), expected);
}

#[tokio::test]
async fn missing_issue_error_names_the_expected_file() {
    let error = World::new().forge.issue(number()).await.expect_err("no issue");
    assert_eq!(error.to_string(), "issue 243 does not exist: there is no .ai-workflow/local/issues/243.md");
    assert!(error.hint().contains("number"));
}

#[tokio::test]
async fn unreadable_issue_file_error_names_file_and_line() {
    for (text, line, why) in [
        ("", 1, "the front matter is missing"),
        ("title: x\n", 1, "the front matter is missing"),
        ("---\ntitle: x\n", 1, "the front matter that begins here has no closing `---` line"),
        ("---", 1, "the front matter that begins here has no closing `---` line"),
        ("---\n---\n", 2, "missing field `title`"),
        ("---\ntitle: '  '\n---\n", 1, "the title is empty"),
        ("---\nlabels: []\n---\n", 2, "missing field `title`"),
        ("---\ntitle: x\nlabel: y\n---\n", 3, "unknown field `label`"),
        ("---\ntitle: x\nstate: done\n---\n", 3, "unknown variant `done`"),
        ("---\ntitle: x\nlabels: bug\n---\n", 3, "labels: invalid type"),
        ("---\ntitle: x\nlabels: [bug\n---\n", 4, "did not find expected"),
        ("---\ntitle: a: b\n---\n", 2, "mapping values are not allowed"),
        ("---\ntitle: x\ntitle: y\n---\n", 2, "duplicate field `title`"),
    ] {
        let error = World::with_issue(text).forge.issue(number()).await.expect_err(text);
        let expected = format!(".ai-workflow/local/issues/243.md, line {line}: ");
        let message = error.to_string();
        assert!(message.starts_with(&expected) && message.contains(why), "{text:?}: {message}");
        assert!(!message.contains(" at line "), "{message}");
        assert!(error.hint().contains("correct the file"));
    }
    let world = World::new();
    world.put("md", b"---\ntitle: x\n---\n\xff");
    let error = world.forge.issue(number()).await.expect_err("not UTF-8").to_string();
    assert_eq!(error, ".ai-workflow/local/issues/243.md, line 4: the text is not UTF-8");
}

#[tokio::test]
async fn progress_comment_is_replaced_and_other_comments_stay_unchanged() {
    let world = World::new();
    let foreign = "{\"id\": 7, \"created_at\":\"2025-01-01T00:00:00Z\", \"updated_at\":\"2025-01-01T00:00:00Z\", \"body\":\"<!-- progress --> quoted\", \"author\":\"bob\", \"more\":1}";
    world.put("comments.jsonl", format!("\u{feff}{foreign}\n\n"));
    assert_eq!(world.upsert(None, "<!-- progress --> 10 %", 1).await, 8);
    assert_eq!(world.upsert(Some(8), "<!-- progress --> 20 %", 2).await, 8);
    assert_eq!(world.upsert(None, "<!-- progress --> 30 %", 3).await, 8, "found by its marker");
    assert_eq!(world.upsert(Some(7), "<!-- progress --> 40 %", 4).await, 8, "never over a person's");
    let comments = world.forge.comments(number()).await.expect("comments");
    let expected = Comment {
        by_bot: false,
        id: 8,
        author: "ai-workflow".to_owned(),
        created_at: at(1),
        updated_at: at(4),
        body: "<!-- progress --> 40 %".to_owned(),
    };
    assert_eq!(comments[1..], [expected]);
    let text = world.text("comments.jsonl");
    assert_eq!((text.lines().next(), text.lines().count()), (Some(foreign), 2));
}

#[tokio::test]
async fn deleted_progress_comment_is_created_once_more() {
    let world = World::new();
    assert_eq!(world.forge.comments(number()).await.expect("none"), []);
    assert_eq!(world.upsert(Some(12), "<!-- progress --> again", 1).await, 1);
    assert_eq!(world.upsert(Some(12), "<!-- progress --> and again", 1).await, 1);
    assert_eq!(world.forge.comments(number()).await.expect("one").len(), 1);
}

#[tokio::test]
async fn unreadable_comment_error_names_its_line_and_nothing_is_written() {
    let world = World::new();
    let good = "{\"id\":1,\"created_at\":\"2025-01-01T00:00:00Z\",\"updated_at\":\"2025-01-01T00:00:00Z\",\"body\":\"x\"}";
    for (bad, why) in [(&b"{\"id\":2}"[..], "missing field `created_at`"), (b"\xff", "the text is not UTF-8")]
    {
        let bytes = [good.as_bytes(), b"\n", bad, b"\n"].concat();
        world.put("comments.jsonl", &bytes);
        let draft = CommentDraft { id: None, marker: "m", body: &masked("m") };
        let error = world.forge.upsert_comment(number(), draft, at(0)).await.expect_err("bad").to_string();
        assert_eq!(error, format!(".ai-workflow/local/issues/243.comments.jsonl, line 2: {why}"));
        assert_eq!(fs::read(world.path("comments.jsonl")).expect("bytes"), bytes);
    }
}

fn request(title: &str, draft: bool) -> PullRequestContent {
    PullRequestContent {
        title: masked(title),
        head: "ai-workflow/issue-243".to_owned(),
        base: "main".to_owned(),
        draft,
        body: masked("Closes #243\n\n---\nBy a machine.\n"),
        run: "243-1".to_owned(),
        number: None,
    }
}

#[tokio::test]
async fn repeated_pull_request_updates_write_one_file() {
    let world = World::new();
    let expected = PullRequestRef {
        number: None,
        url: ".ai-workflow/local/issues/243.pr.md".to_owned(),
        is_closed: false,
    };
    for title in ["Draft", "Fix: \"sum\"\nof negatives"] {
        let draft = title == "Draft";
        let found = world.forge.upsert_pull_request(number(), &request(title, draft)).await;
        assert_eq!(found.expect("written"), expected);
    }
    assert_eq!(
        world.text("pr.md"),
        "---\ntitle: 'Fix: \"sum\" of negatives'\nhead: ai-workflow/issue-243\nbase: main\ndraft: false\nstate: open\n---\n\nCloses #243\n\n---\nBy a machine.\n"
    );
    let names =
        fs::read_dir(world.folder.path().join(".ai-workflow/local/issues")).expect("the folder").count();
    assert_eq!(names, 1, "nothing is left beside it");
}

#[tokio::test]
async fn a_pull_request_of_another_branch_is_not_overwritten() {
    let world = World::new();
    world.forge.upsert_pull_request(number(), &request("T", false)).await.expect("written");
    let before = world.text("pr.md");
    let other = PullRequestContent { head: "mine".to_owned(), ..request("T", false) };
    let error = world.forge.upsert_pull_request(number(), &other).await.expect_err("another head");
    assert_eq!(
        error.to_string(),
        ".ai-workflow/local/issues/243.pr.md is the pull request of ai-workflow/issue-243, not of mine"
    );
    assert!(error.hint().contains("out of the way"));
    assert_eq!(world.text("pr.md"), before);
    world.put("pr.md", "no front matter");
    let error = world.forge.upsert_pull_request(number(), &other).await.expect_err("unreadable").to_string();
    assert!(error.starts_with(".ai-workflow/local/issues/243.pr.md, line 1: "), "{error}");
}

#[tokio::test]
async fn unreadable_folder_error_names_the_file() {
    let world = World::new();
    fs::write(world.folder.path().join(".ai-workflow"), "").expect("a file in the way");
    let error = world.forge.issue(number()).await.expect_err("no folder");
    let message = error.to_string();
    assert!(message.starts_with("cannot read ") && message.contains("243.md: "), "{message}");
    assert!(error.hint().contains("permissions"));
}

#[test]
fn local_forge_detects_an_issue_by_its_file() {
    let world = World::with_issue(ISSUE);
    let local = LocalForge::new(world.folder.path());
    assert!(local.has(number()));
    assert!(!local.has(IssueNumber::try_from(9).expect("a number")));
}

#[test]
fn the_digest_of_an_issue_covers_title_and_body() {
    let moved = Issue { title: "a".into(), body: "bc".into(), ..issue() };
    let other = Issue { title: "ab".into(), body: "c".into(), ..issue() };
    assert_eq!(digest(&issue()), digest(&Issue { labels: vec![], open: false, ..issue() }));
    assert_ne!(digest(&moved), digest(&other));
    assert_eq!(digest(&moved).len(), 64);
}
