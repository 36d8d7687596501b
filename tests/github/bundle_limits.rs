//! What a job that was taken over could hand over by the load: each limit, just beyond it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use super::run::Scene;
use super::tampered::{Row, nothing_is_published};
use crate::excerpt::excerpt;

const BRANCH: &str = "refs/heads/ai-workflow/issue-243";
const WORK: &str = "refs/ai-workflow-work/issue-243";

impl Scene {
    /// Makes objects and commits as a stream tells.
    fn import(&self, stream: impl IntoIterator<Item = String>) {
        let mut git = self.sandbox.command("git");
        git.args(["fast-import", "--quiet", "--force"]).stdin(Stdio::piped());
        let mut child = git.spawn().expect("git starts");
        let mut input = child.stdin.take().expect("its input");
        stream.into_iter().for_each(|text| input.write_all(text.as_bytes()).expect("written"));
        drop(input);
        assert!(child.wait().expect("it ends").success());
    }

    /// Puts a commit with more behind the run's branch, and hands that over.
    fn goes_on(&self, more: impl IntoIterator<Item = String>) {
        self.import([commit(BRANCH, &format!("{BRANCH}^0"))].into_iter().chain(more));
        self.bundle(&[BRANCH]);
    }
}

/// The beginning of a commit on the run's branch; the first one says behind which it stands.
fn commit(reference: &str, from: &str) -> String {
    let from = if from.is_empty() { String::new() } else { format!("from {from}\n") };
    format!("commit {reference}\ncommitter A <a@example.org> 1767600000 +0000\ndata 4\nmore\n{from}")
}

/// So many files of different content, below one folder.
fn files(number: usize) -> String {
    (0..number).fold(String::new(), |mut text, n| {
        let content = n.to_string();
        let _ = writeln!(text, "M 100644 inline many/{n}\ndata {}\n{content}", content.len());
        text
    })
}

const QUICK: [Row; 2] = [
    ("more commits than a run makes", "E_BUNDLE_SIZE", |scene| {
        scene.goes_on((0..500).map(|_| commit(BRANCH, "")));
    }),
    ("a log that is longer than any", "E_BUNDLE_SIZE", |scene| {
        let log = ".ai-workflow/issue-243/events.jsonl";
        scene.add(|scene| {
            let text = scene.sandbox.read(log);
            scene.sandbox.write(log, &(text + &" ".repeat(32 << 20)));
        });
    }),
];

const HEAVY: [Row; 3] = [
    ("more objects than a run makes", "E_BUNDLE_SIZE", |scene| {
        scene.goes_on([files(50_001)]);
    }),
    ("files that are large when they are unpacked", "E_BUNDLE_SIZE", |scene| {
        let large = "\n".repeat(51 << 20);
        let file = |n: usize| format!("M 100644 inline large{n}\ndata {}\n{n}{large}\n", large.len() + 1);
        scene.goes_on((0..10).map(file));
    }),
    ("a phase under way with more files than a run makes", "E_BUNDLE_SIZE", |scene| {
        scene.import([commit(WORK, &format!("{BRANCH}^0")), files(50_001)]);
        let tree = scene.sandbox.git(&["rev-parse", &format!("{WORK}^{{tree}}")]);
        scene.add(|scene| {
            scene.forge_log(|log| {
                let checked = log.iter_mut().rfind(|entry| entry["fact"]["type"] == "checked");
                checked.expect("a check")["fact"]["tree"] = tree.into();
            });
        });
        scene.bundle(&[BRANCH, WORK]);
    }),
];

#[test]
fn bundle_with_too_many_items_is_refused() {
    insta::assert_snapshot!(nothing_is_published(&QUICK).join("\n"), @"
    error: E_BUNDLE_SIZE: it brings more than 500 commits
    error: E_BUNDLE_SIZE: its log has more than 33554432 bytes
    ");
}

#[test]
#[ignore = "full suite: as much as is too much"]
fn bundle_that_is_too_large_is_refused() {
    insta::assert_snapshot!(nothing_is_published(&HEAVY).join("\n"), @"
    error: E_BUNDLE_SIZE: it brings more than 50000 objects or 524288000 bytes
    error: E_BUNDLE_SIZE: it brings more than 50000 objects or 524288000 bytes
    error: E_BUNDLE_SIZE: the files of a phase under way are too many or too large
    ");
}

/// More findings than are listed, in a phase near the end, each in letters that take the most room, and a question about them.
#[test]
fn the_longest_progress_comment_fits_without_truncation() {
    let word = "\u{20bb7}".repeat(450);
    let finding = |nth: u32| {
        format!(
            r#"{{"severity": "major", "category": "quality", "file": "src/{nth}.rs", "issue": "{nth} {word}"}}"#
        )
    };
    let findings = (0..60).map(finding).collect::<Vec<_>>().join(", ");
    let says = format!(
        r#"{{"review_id": "{{{{review_id}}}}", "result": "FAIL", "summary": "{word}", "findings": [{findings}]}}"#
    );
    let scene = Scene::new();
    let turn = format!("[[turn]]\nphase = \"report\"\nstep = \"review\"\nsay = '{says}'\n");
    scene.execute(&turn, &["--set", "policies.phase-review.outcomes.exhausted=pause"]).exits(3);
    let comment = scene.comment();
    assert!(comment.encode_utf16().count() < 65_536, "{}", comment.encode_utf16().count());
    assert_eq!(comment.matches("- [").count(), 11, "{comment}");
    insta::assert_snapshot!(excerpt(&comment, "- … and", "\0"), @"
    - … and 30 more: `ai-workflow findings`

    </details>

    26 agent calls, 0 tokens in, 0 tokens out, 0.00 USD, [DURATION] of agents at work

    Simulated: a scripted or plain-command agent took part.
    ");
    assert!(comment.chars().filter(|letter| *letter == '\u{20bb7}').count() > 12_000, "{comment}");
    scene.within_the_contract();
}
