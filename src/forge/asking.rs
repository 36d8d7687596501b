//! Which review threads ask for something: unresolved, with a word of somebody who may write, said after our last answer.
//! What others say in them is not read.

use std::collections::BTreeMap;

use super::ForgeError;
use super::github::{GithubForge, ReviewThread};
use super::voices::Voices;
use model::event::TakenThread;

/// The longest text of one thread, in characters.
const LONGEST: usize = 4_000;

/// A thread that asks for something, and what was said by those who count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    pub taken: TakenThread,
    pub said: String,
}

/// Returns the threads of a pull request that ask for something. `answered` reads the mark of an answer of ours: the last
/// comment that it is about; `taken` are the last comments of threads that were taken up before.
pub async fn asked_for(
    github: &GithubForge,
    pull_request: u64,
    allowed: &[String],
    taken: &BTreeMap<String, u64>,
    answered: impl Fn(&str) -> Option<u64>,
) -> Result<Vec<Asking>, ForgeError> {
    let threads = github.review_threads(pull_request).await?;
    let mut voices = Voices::new(github, allowed);
    let mut asking = Vec::new();
    for thread in threads.into_iter().filter(|thread| !thread.is_resolved) {
        if thread.is_cut {
            tracing::warn!("A review thread of {} has too many comments to be taken up", thread.path);
            continue;
        }
        let before = taken.get(&thread.id).copied().unwrap_or(0);
        asking.extend(read(github, &mut voices, &thread, before, &answered).await?);
    }
    Ok(asking)
}

/// Reads one thread; nothing when it asks for nothing.
async fn read(
    github: &GithubForge,
    voices: &mut Voices<'_>,
    thread: &ReviewThread,
    before: u64,
    answered: &impl Fn(&str) -> Option<u64>,
) -> Result<Option<Asking>, ForgeError> {
    let (mut said, mut up_to, mut done) = (Vec::new(), 0, before);
    for comment in &thread.comments {
        if let Some(up_to) = answered(&comment.body) {
            // Somebody else can copy our mark.
            done = if github.is_me(&comment.author).await? { done.max(up_to) } else { done };
        } else if voices.count(&comment.author).await? {
            up_to = up_to.max(comment.id);
            said.push(format!("{}: {}", comment.author, comment.body.trim()));
        }
    }
    let (id, path, line) = (thread.id.clone(), thread.path.clone(), thread.line);
    let text: String = said.join("\n").chars().take(LONGEST).collect();
    Ok((up_to > done).then_some(Asking { taken: TakenThread { id, up_to, path, line }, said: text }))
}
