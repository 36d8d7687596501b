//! Answers the review threads that a run took up, once it is completed again: each once, with the commit that changed its
//! place; only what changed is resolved. What a crash cut off is found by its mark.

use super::publish::unless_stopped;
use super::{Part, PhaseRunner, RunError};
use crate::event::{Fact, FedBack, Outcome, TakenThread};
use crate::forge::github::{ReviewThread, ThreadAnswer};
use crate::forge::{Forge, ForgeError, GithubForge};
use crate::summary::{Place, thread_answer, thread_marker};
use crate::workspace::{Became, CommitId};

impl PhaseRunner {
    /// Answers what waits for an answer. The commits that it names are on the server by then.
    pub(super) async fn answer_threads(&mut self, outcome: Outcome) -> Result<(), RunError> {
        let Some(fed) = self
            .run_state()?
            .feedback
            .clone()
            .filter(|_| outcome == Outcome::Completed && self.part != Part::Work)
        else {
            return Ok(());
        };
        let Forge::Github(github) = self.forge.clone() else { return Ok(()) };
        let there = github.review_threads(fed.pull_request);
        let Some(there) = unless_stopped(&self.stop, there).await? else { return Ok(()) };
        for taken in &fed.threads {
            let Some(thread) = there.iter().find(|thread| thread.id == taken.id) else { continue };
            let answered = self.answer_thread(&github, &fed, taken, thread).await;
            match answered {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(RunError::Forge(error @ ForgeError::Refused { .. })) => {
                    tracing::warn!("A review thread of {} has no answer: {error}", taken.path);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(self.journal.record(Fact::ThreadsAnswered)?)
    }

    /// Tells whether nobody stopped us.
    async fn answer_thread(
        &self,
        github: &GithubForge,
        fed: &FedBack,
        taken: &TakenThread,
        thread: &ReviewThread,
    ) -> Result<bool, RunError> {
        let run = self.run_state()?;
        let from = CommitId::try_from(fed.head.as_str())?;
        let became = self.space.workspace().became(&from, &taken.path, taken.line)?;
        let marker = thread_marker(run, taken);
        let place = match &became {
            Became::Changed(commit) => Place::Changed { commit: commit.as_str() },
            Became::Elsewhere(commit) => Place::Elsewhere { commit: commit.as_str() },
            Became::Untouched => Place::Untouched,
        };
        let body = self.masker.mask(&thread_answer(run, &fed.phase, &marker, &place));
        let answer = ThreadAnswer { pull_request: fed.pull_request, thread, marker: &marker, body: &body };
        let effect = async {
            if !github.is_answered_with(&answer).await? {
                github.answer_thread(&answer).await?;
            }
            if matches!(became, Became::Changed(_)) && !thread.is_resolved {
                github.resolve_thread(&thread.id).await?;
            }
            Ok(())
        };
        Ok(unless_stopped(&self.stop, effect).await?.is_some())
    }
}
