//! What the reviewers of a round say: their opinions, the questions they ask, the verdict and the approval. Only data; whose
//! turn it is stands in `reviewers`, what they amount to in `panel` and `judge`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use model::event::{Replied, Reviewed};
use model::verdict::{Grade, Verdict};

/// The reviews of a phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reviews {
    /// The review that is looked at: the latest call's, and what all opinions amount to once everybody has answered.
    pub current: Option<Reviewed>,
    /// The reviews of this round that came to an end, the first reviewer's first.
    pub opinions: Vec<Reviewed>,
    /// The seats that this round does without, and why.
    pub left_out: BTreeMap<String, String>,
    /// What a reviewer of this round asked the author.
    pub exchange: Option<Exchange>,
    /// Approvals of this round whose reviewers were asked what they meant, by their seats.
    pub doubts: BTreeMap<Option<String>, Reviewed>,
    /// The latest verdict, whatever became of it.
    pub latest_verdict: Option<VerdictRecord>,
    /// The review that let the phase advance, as long as no later round ended in another way.
    pub approval: Option<Approval>,
}

/// A verdict as it came in, and what it was about.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictRecord {
    /// The review that states it.
    pub review: Reviewed,
    /// Tightened by its findings; nothing when there was no answer.
    pub verdict: Option<Verdict>,
    /// Where the branch stood.
    pub commit: String,
    /// When it came in.
    pub at: Timestamp,
}

/// A review that let the phase advance, with what it holds for.
#[derive(Debug, Clone, PartialEq)]
pub struct Approval {
    /// The review, as all opinions together amount to.
    pub review: Reviewed,
    /// Everybody who was heard for it, and the seats that it does without.
    pub(crate) opinions: Vec<Reviewed>,
    pub(crate) left_out: BTreeMap<String, String>,
    /// The latest commit below it that is no record of a halt.
    pub(crate) commit: String,
    /// The digest of the settings it was given under.
    pub(crate) settings: Option<String>,
}

/// Questions of a reviewer, and what came of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The verdict that came with the questions.
    pub first: Reviewed,
    /// How the author's call ended; nothing before that.
    pub reply: Option<Replied>,
}

impl Exchange {
    /// Returns what was asked.
    pub fn questions(&self) -> &[String] {
        self.first.reading.as_ref().map_or(&[], |reading| &reading.questions)
    }

    /// Returns what the author said; nothing before that, and where no answer counts.
    pub fn answer(&self) -> Option<&str> {
        self.reply.as_ref()?.text.as_deref()
    }
}

/// What one reviewer of a round came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct Opinion {
    /// The seat of the panel; nothing for the first reviewer.
    pub seat: Option<String>,
    /// Who answered; nothing when the round went without.
    pub agent: Option<String>,
    /// What its own answer amounts to.
    pub verdict: Option<Verdict>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
    /// How many findings it named.
    pub findings: usize,
    /// Why the round went without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}
