//! Looks at what lies beyond the files, for the checks of a phase that ask for it; for others it costs nothing.

use std::fs;
use std::path::Path;

use jiff::Timestamp;

use super::remote_checks::unknown;
use super::{JobRole, PhaseRunner, Push, RunError};
use checks::{Untaken, World};
use engine::Run;
use forge::ForgeError;
use git::{CommitId, Survey};
use model::policy::{Look, PhaseDef};
use model::remote_check::RemoteCheck;

impl PhaseRunner {
    /// Looks at what the checks of a phase ask for.
    pub(super) async fn world(&self, run: &Run, phase: &PhaseDef) -> World {
        let asks = |look: &Look| {
            let defined = &run.started.agreement.defined;
            phase
                .policy
                .checks
                .iter()
                .filter_map(|rule| defined.get(&rule.id))
                .any(|check| check.look == *look)
        };
        let mut world = World::default();
        if asks(&Look::GitClean) {
            let survey = self.space.workspace().worktree().survey();
            let untaken = survey.map(|survey| untaken(&survey, self.folder.root(), run.created_at));
            world.untaken = untaken.map_err(|error| self.masker.mask(&error.to_string()).as_str().to_owned());
        }
        if asks(&Look::IssueClosed) {
            let issue = self.forge.issue(run.started.issue.number).await;
            let open = issue.map(|issue| issue.open);
            world.issue_open = open.map_err(|error| self.masker.mask(&error.to_string()).as_str().to_owned());
        }
        if asks(&Look::RemoteChecks) {
            world.remote_checks = self.judged_by_server().await;
        }
        if asks(&Look::CommitMessages) {
            let messages = self.messages(run);
            world.messages =
                messages.map_err(|error| self.masker.mask(&error.to_string()).as_str().to_owned());
        }
        world
    }

    /// What was not pushed, the server cannot have looked at: that is no pass, and no reason to leave a check out.
    async fn judged_by_server(&self) -> Result<Option<Vec<RemoteCheck>>, String> {
        if self.role == JobRole::Work {
            return Err(
                "of two jobs this one pushes nothing; `[github] ci_rounds` has the other one ask".into()
            );
        }
        let seen: Result<_, RunError> = async { self.remote_checks(&self.pushed()?).await }.await;
        seen.map_err(|error| self.masker.mask(&self.why_unknown(&error)).as_str().to_owned())
    }

    /// What is pushed at a halt only, the server does not know before.
    fn why_unknown(&self, error: &RunError) -> String {
        match error {
            RunError::Forge(ForgeError::Refused { status: 422, .. }) if self.push == Push::Halt => {
                "the commit is not on GitHub yet, for the branch is pushed when the run halts; push after each phase \
                 (`--push phase`), or have `[github] ci_rounds` ask at the end of the run"
                    .to_owned()
            }
            error => unknown(error),
        }
    }

    /// The engine knows where it left the branch: what came after is the author's, and folded in later.
    fn messages(&self, run: &Run) -> Result<Vec<String>, git::Error> {
        let workspace = self.space.workspace();
        workspace.history().messages_since(&CommitId::try_from(run.branch.head.as_str())?)
    }
}

/// Returns what no commit of the run will take. What the authors changed is committed, what git ignores is nobody's
/// business, and what was there before the run is the user's.
fn untaken(survey: &Survey, root: &Path, began: Timestamp) -> Vec<Untaken> {
    let of = |letters, what| move |path: &String| Untaken { letters, path: path.clone(), what };
    let unmerged = survey.unmerged.iter().map(of("UU", "is not merged"));
    let nested = survey.nested_repositories.iter().filter(|path| is_younger(&root.join(path), began));
    let nested = nested.map(of("??", "is a repository inside the worktree"));
    let begun = survey.in_progress.map(|what| Untaken {
        letters: "UU",
        path: format!("a {what}"),
        what: "was begun and not ended",
    });
    begun.into_iter().chain(unmerged).chain(nested).collect()
}

fn is_younger(path: &Path, began: Timestamp) -> bool {
    let made = fs::metadata(path).and_then(|metadata| metadata.created().or_else(|_| metadata.modified()));
    made.ok().and_then(|made| Timestamp::try_from(made).ok()).is_none_or(|made| made >= began)
}
