//! The effects outside: the push, the pull request (or its text). Each can be repeated.

use super::{JobRole, PhaseRunner, Push, RunError};
use forge::{Forge, ForgeError, LocalForge, PullRequest, PullRequestRef};
use git::{Retry, RunWorkspace};
use model::event::{Fact, Outcome};
use process::{Stop, Urgency};
use views::summary::{Documents, REQUEST_CLOSED, REQUEST_OPEN, is_request_closed, pull_request};

impl PhaseRunner {
    /// After a phase: others see it as soon as it is on the branch.
    pub(super) async fn share(&mut self) -> Result<(), RunError> {
        if self.push != Push::Phase || self.run_state()?.publication.is_up_to_date {
            return Ok(());
        }
        self.push().await?;
        if self.forge.is_remote() { self.upsert(Outcome::Running).await } else { Ok(()) }
    }

    /// A run that halts before its end shows its work in a draft, too.
    pub(super) async fn show_what_there_is(&mut self) -> Result<(), RunError> {
        let run = self.run_state()?;
        let nothing = run.phases.iter().all(|phase| phase.files.commit.is_none());
        // A person may have opened again what another one closed.
        let told =
            run.publication.is_up_to_date && run.outcome == Outcome::Completed && !is_request_closed(run);
        if !self.forge.is_remote() || self.push == Push::Never || told || nothing {
            return Ok(());
        }
        let outcome = run.outcome;
        self.push().await?;
        self.upsert(outcome).await
    }

    /// Brings the pull request up to date with the branch. On a server the branch has to be there first.
    pub(super) async fn publish(&mut self) -> Result<(), RunError> {
        self.refuse_lost_documents()?;
        if self.forge.is_remote() && self.push != Push::Never {
            self.push().await?;
        }
        // Nothing is left to do but to say so.
        self.upsert(Outcome::Completed).await
    }

    /// `outcome` is what the run comes to.
    async fn upsert(&mut self, outcome: Outcome) -> Result<(), RunError> {
        self.follow_up().await?;
        let (run, unreviewed) = (self.run_state()?, self.unreviewed()?);
        let (title, body) = pull_request(run, outcome, &unreviewed, Documents::Kept);
        let request = PullRequest {
            title: self.masker.mask(&title),
            head: run.started.branch.clone(),
            base: run.started.base_branch.clone(),
            draft: true,
            body: self.masker.mask(&body),
            run: run.started.run_id.clone(),
            number: run.publication.pull_request.as_ref().and_then(|(number, _)| *number),
        };
        // What nobody may push stays a text beside the code.
        let unshared = Forge::Local(LocalForge::new(&self.checkout));
        let forge = if self.push == Push::Never { &unshared } else { &self.forge };
        let opened = forge.upsert_pull_request(run.started.issue.number, &request);
        let Some(published) = unless_stopped(&self.stop, opened).await? else { return Ok(()) };
        self.published(published)
    }

    /// Writes down where the request is, and whether a person closed it, which is told once.
    fn published(
        &mut self,
        PullRequestRef { number, url, is_closed }: PullRequestRef,
    ) -> Result<(), RunError> {
        let run = self.run_state()?;
        let was_closed = is_request_closed(run);
        let is_known = run.publication.is_up_to_date
            && run.publication.pull_request.as_ref() == Some(&(number, url.clone()));
        let name = number.map_or_else(|| url.clone(), |number| format!("#{number}"));
        if !(is_closed && is_known) {
            self.journal.record(Fact::Published { pr_number: number, pr_url: url })?;
        }
        let (kind, text) = match (is_closed, was_closed) {
            (true, false) => (
                REQUEST_CLOSED,
                format!(
                    "{REQUEST_CLOSED}: a person closed the pull request {name}, so it stays as it is and no other one is \
                     opened; the branch is pushed all the same. Who wants it opens it again on GitHub, and runs again"
                ),
            ),
            (false, true) => (REQUEST_OPEN, format!("The pull request {name} is open again")),
            (true, true) | (false, false) => return Ok(()),
        };
        Ok(self.journal.record(Fact::Noted { kind: kind.to_owned(), text })?)
    }

    /// Pushes the run's branch to `origin`. Who publishes the work of another process pushes what was judged and its own
    /// records on top.
    pub(super) async fn push(&mut self) -> Result<(), RunError> {
        let branch = self.run_state()?.started.branch.clone();
        let is_judged = match (self.role, &self.judged) {
            (JobRole::Publish, Some(judged)) => self.space.run_branch().has_only_records_on(judged)?,
            (JobRole::Publish, None) => false,
            (JobRole::Both | JobRole::Work, _) => true,
        };
        if !is_judged {
            return Err(RunError::Unjudged { branch });
        }
        self.refuse_lost_documents()?;
        let credentials = self.credentials.clone();
        Ok(self
            .with_origin(|space| space.workspace().remote("origin", credentials.as_ref()).push(&branch, None))
            .await?)
    }

    /// Makes a call to `origin`, again where the trouble passes, unless somebody asks meanwhile that we end sooner.
    pub(super) async fn with_origin<T>(
        &self,
        call: impl Fn(&RunWorkspace) -> Result<T, git::Error>,
    ) -> Result<T, git::Error> {
        let (mut stop, urgency, mut retry) = (self.stop.clone(), self.stop.urgency(), Retry::default());
        loop {
            let error = match call(&self.space) {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            let Some(pause) = retry.pause(&error) else { return Err(error) };
            tokio::select! {
                biased;
                _ = stop.beyond(urgency) => return Err(error),
                () = tokio::time::sleep(pause) => {}
            }
        }
    }
}

/// Waits for a server, which can take minutes, unless a stop comes first; the effect is found again later.
pub(super) async fn unless_stopped<T>(
    stop: &Stop,
    effect: impl Future<Output = Result<T, ForgeError>>,
) -> Result<Option<T>, RunError> {
    let mut stop = stop.clone();
    tokio::select! {
        biased;
        done = effect => Ok(Some(done?)),
        _ = stop.beyond(Urgency::Running) => Ok(None),
    }
}
