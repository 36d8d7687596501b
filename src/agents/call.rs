//! One call of an agent: what is asked, what came of it, and the parser that each kind of agent has for its output.
//! Starting, limits and stopping are the same for all agents and stand in `run`.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use model::call::{Allowance, Resume};
use model::event::{ExecOutcome, Program, Usage};
use model::issue::IssueNumber;
use model::phase::{PhaseName, Step};
use model::policy::TimeLimits;
use model::redact::Masker;
use process::{Finish, Launch, Stream};

use super::transcript::Transcript;

/// What is asked of an agent in one call.
#[derive(Debug, Clone, Copy)]
pub struct AgentCall<'a> {
    /// The issue that the run is about.
    pub issue: IssueNumber,
    /// The phase that the call belongs to.
    pub phase: &'a PhaseName,
    /// The step; it decides whether the agent may write.
    pub step: Step,
    /// The round of the phase, from 1.
    pub round: u32,
    /// The attempt of the step, from 1.
    pub attempt: u32,
    /// Becomes the agent's standard input.
    pub prompt_file: &'a Path,
    /// The phase's deliverable, relative to the worktree.
    pub output: &'a str,
    /// The nonce that a review has to repeat.
    pub review_id: Option<&'a str>,
    /// The seat of the panel whose review it is.
    pub seat: Option<&'a str>,
    /// The folder that the agent works in.
    pub worktree: &'a Path,
    /// Gets what the agent prints, masked, as `{"stream", "text"}` lines.
    pub raw_file: &'a Path,
    /// The time limits of the run; a profile may set its own.
    pub time: &'a TimeLimits,
    /// Hides secrets in everything that is kept or shown.
    pub masker: &'a Masker,
    /// The program that knows `__reaper`, `__scripted` and `__acp`: [`process::own_program`], except in tests.
    pub own_program: &'a Path,
    /// The session that is continued.
    pub resumes: Option<&'a Resume>,
    /// What the call may use at most.
    pub allowance: Allowance,
    /// The JSON Schema of the answer, for programs that can be held to one.
    pub schema: Option<&'a Value>,
    /// The commands of the repository, by id: an author may run them.
    pub commands: &'a BTreeMap<String, String>,
    /// A small file, and where it is copied to once no process of the call is left.
    pub copy_after_end: Option<(&'a Path, &'a Path)>,
}

/// The end of a call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The class of the end.
    pub outcome: ExecOutcome,
    /// Why it did not end well, for people.
    pub reason: Option<String>,
    /// What the agent answered; void unless `outcome` has ended.
    pub text: String,
    /// What the call used, as far as that can be known.
    pub usage: Usage,
    /// The text is only the beginning of a longer one.
    pub truncated: bool,
    /// How long the program ran, in milliseconds.
    pub millis: u64,
    /// No model was asked: a script or a plain command answered.
    pub simulated: bool,
    /// The text is an object that was held to the schema, by the program and again by us.
    pub structured: bool,
    /// A schema was asked for, the program can be held to one, and the text is not held to it.
    pub schema_missed: bool,
    /// The session, when it can be continued.
    pub session: Option<String>,
    /// The program and the model that answered.
    pub program: Option<Program>,
    /// When a rate limit or a quota is said to end.
    pub resets_at: Option<Timestamp>,
    /// Worth reporting, and nothing depends on it.
    pub notices: Vec<String>,
}

/// What is started, and how its output is understood.
pub(crate) type PreparedCall = (Launch, Box<dyn OutputParser>);

/// Understands what one kind of program prints, while it works and at its end.
pub(crate) trait OutputParser {
    /// Takes output as it comes, and writes into the transcript what belongs there.
    fn push(&mut self, stream: Stream, bytes: &[u8], transcript: &mut Transcript<'_>);

    /// Tells whether nothing can come of the call any more, although the program goes on: it is ended then.
    fn gives_up(&self) -> bool {
        false
    }

    /// Returns what the turns of the call have used after which it goes on, as far as the program reports that while it
    /// works. The last turn is paid for anyway: a call that has reported how it ends is left to come to that end.
    fn used_so_far(&mut self) -> Usage {
        Usage::default()
    }

    /// Returns the answer, once the program has gone. Its reason and notices are not masked yet.
    fn finish(self: Box<Self>, launch: &Launch, finish: Finish, transcript: &mut Transcript<'_>) -> Answer;
}

#[cfg(test)]
pub(crate) mod tests;
