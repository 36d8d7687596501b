//! How often the progress comment is edited: what happens meanwhile is written at once with the next edit.

use std::time::{Duration, Instant};

use engine::fold;
use forge::GithubForge;
use journal::store::log;
use model::event::{Entry, Fact};
use model::redact::Masker;
use runner::report::{PACE, Reporter, github_comment};

use super::forge::{PATIENCE, forge_of};
use super::run::Scene;
use super::two_jobs::SHORT;

/// A run that is over, and what tells it once more, fact after fact.
struct Telling {
    scene: Scene,
    entries: Vec<Entry>,
    forge: GithubForge,
    /// Edits of the run itself.
    before: usize,
}

impl Telling {
    fn new() -> Self {
        let scene = Scene::new();
        scene.execute("", &SHORT).exits(0);
        let path = scene.sandbox.root().join(".ai-workflow/issue-243/events.jsonl");
        let entries = log::read_file(&path).expect("a log").entries;
        let forge = forge_of(&scene.github.url(), "ghp_0123456789abcdefghijABCDEFGHIJ012345", PATIENCE);
        let before = scene.edits();
        Self { scene, entries, forge, before }
    }

    /// Tells that the run came to the nth of its phases, or to its end.
    fn tell(&self, reporter: &mut impl Reporter, nth: usize) {
        let is_border = |at: &usize| matches!(self.entries[*at].fact, Fact::StepStarted(_));
        let borders = (0..self.entries.len()).filter(is_border);
        let at = borders.chain([self.entries.len() - 1]).nth(nth).expect("a fact");
        let state = fold(&self.entries[..=at]).expect("a state");
        reporter.report(&self.entries[at], &state);
    }

    fn edits(&self) -> usize {
        self.scene.edits() - self.before
    }

    /// Lets everything happen that is on its way, and waits for so many edits.
    async fn until(&self, edits: usize) {
        let began = Instant::now();
        while self.edits() < edits {
            assert!(began.elapsed() < Duration::from_secs(60), "no edit {edits}");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        for _ in 0..5 {
            self.forge.myself().await.expect("an answer");
            self.forge.issue_state(243_u64.try_into().expect("a number")).await.expect("an answer");
        }
        assert_eq!(self.edits(), edits, "{:#?}", self.scene.github.calls());
    }
}

impl Scene {
    fn edits(&self) -> usize {
        self.github.state().comments.iter().map(|comment| comment.edits).sum()
    }
}

#[tokio::test]
async fn events_within_the_interval_are_written_in_one_edit() {
    let telling = Telling::new();
    let (mut reporter, task) =
        github_comment(telling.forge.clone(), Masker::default(), Duration::from_secs(3600));
    telling.tell(&mut reporter, 0);
    telling.until(1).await;
    for nth in 1..4 {
        telling.tell(&mut reporter, nth);
        telling.until(1).await;
    }
    task.end().await;
    telling.until(2).await;
}

#[tokio::test]
async fn events_after_an_edit_are_written_with_the_next_edit() {
    let telling = Telling::new();
    let (mut reporter, task) = github_comment(telling.forge.clone(), Masker::default(), Duration::ZERO);
    for nth in 0..3 {
        telling.tell(&mut reporter, nth);
        telling.until(nth + 1).await;
    }
    task.end().await;
    telling.until(3).await;
}

#[test]
fn the_progress_comment_is_edited_at_start_and_end_and_at_most_every_5_seconds() {
    assert_eq!(PACE, Duration::from_secs(5));
    let scene = Scene::new();
    let began = Instant::now();
    scene.execute("", &SHORT).exits(0);
    let in_between = began.elapsed().as_secs() / PACE.as_secs();
    assert!(scene.edits() as u64 <= 2 + in_between, "{} edits in {:?}", scene.edits(), began.elapsed());
    assert!(scene.sandbox.facts().len() > 12, "{:#?}", scene.sandbox.facts());
}
