//! What a run does on GitHub, and who may start and steer it: `[github]`.

use serde::{Deserialize, Serialize};

/// How a run behaves on GitHub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GithubKeys {
    /// The label that starts a run.
    pub trigger_label: String,
    /// Who may start and steer runs besides those who may write: logins; bots with their whole name, such as
    /// `renovate[bot]`.
    pub allowed_actors: Vec<String>,
    /// Runs that one person may start in 24 hours; what is beyond waits until that time is over.
    pub runs_per_actor: u32,
    /// Whose comments on the issue reach the agents, if written before the run began.
    pub speakers: Speakers,
    /// Title and text of an issue reach the agents only if its author may write.
    pub trusted_text_only: bool,
    /// The labels `ai-workflow:STATE` tell where a run stands.
    pub state_labels: bool,
    /// The pull request leaves its draft when every phase is completed; otherwise `finalize` does it.
    pub mark_ready: bool,
    /// The owners of what changed are asked to review, as CODEOWNERS on the base branch names them.
    pub code_owners: bool,
    /// An evaluation that passes with issues opens one follow-up issue.
    pub follow_up: bool,
    /// How often failed checks of the pull request go back to the author as findings; 0: never.
    pub ci_rounds: u32,
    /// Minutes of a job after which a run pauses before its next phase and starts the job again; without it there is no
    /// limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_minutes: Option<u64>,
}

/// More jobs a day than this are not counted.
const MOST_JOBS: u64 = 300;

impl GithubKeys {
    /// Returns how many jobs can follow each other for one issue in 24 hours: as often as the time of one can be over, and
    /// once for each round of failed checks. What a job hands on does not say truly how long it worked.
    pub fn jobs_a_day(&self) -> usize {
        let over = self.job_minutes.map_or(0, |minutes| 24 * 60 / minutes.max(1));
        let most = over.saturating_add(self.ci_rounds.into()).saturating_add(1).min(MOST_JOBS);
        usize::try_from(most).unwrap_or(usize::MAX)
    }
}

/// Whose comments are heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Speakers {
    /// Those who may start a run.
    Write,
    /// Everyone but bots that are not named.
    Everyone,
    Nobody,
}
