//! What a phase has been through: its rounds and every ruling. Kept when the phase is opened again.

use std::collections::BTreeSet;

use super::exchange::Exchange;
use super::opinion::Opinion;
use model::event::{CheckResult, TriageTable};
use model::finding::Finding;
use model::verdict::{Grade, Judgment, ReadAs, Verdict};

/// The past of a phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// The rounds that ended, in their order.
    pub rounds: Vec<Round>,
    /// How many of them are from before the phase was opened again.
    pub(crate) before_reopening: usize,
    /// Every ruling, redos included.
    pub rulings: Vec<PastRuling>,
}

impl History {
    /// Returns the rounds since the phase was opened last; what earlier ones came to holds no more.
    pub fn current_rounds(&self) -> &[Round] {
        self.rounds.get(self.before_reopening..).unwrap_or_default()
    }
}

/// A pass of the cycle that ended in a judgment.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// Its number, from 1.
    pub n: u32,
    /// Nothing when a failed check ended the round.
    pub verdict: Option<Verdict>,
    /// How the verdict was read.
    pub read_as: Option<ReadAs>,
    /// The grade the reviewer gave, where the policy uses grades.
    pub grade: Option<Grade>,
    /// The engine's judgment.
    pub judgment: Judgment,
    /// The word for the ruling.
    pub ruling: &'static str,
    /// Those of the reviewer, and a claim of completion that our checks refute.
    pub findings: Vec<Finding>,
    /// The checks that did not pass, those that are only noted included.
    pub failed: Vec<CheckResult>,
    /// Identities of what was open: findings and failed checks.
    pub open: BTreeSet<String>,
    /// Agent calls that made and judged this round: its execute or revise, its review and triage, redone ones too.
    pub attempts: u32,
    /// Whether the work judged in this round changed any file.
    pub changed_files: bool,
    /// How the phase stood still, where it did.
    pub standstill: Option<String>,
    /// What each reviewer came to, where there are several.
    pub opinions: Vec<Opinion>,
    /// What a reviewer asked the author.
    pub exchange: Option<Exchange>,
    /// What the triage counted, where its table could be read.
    pub table: Option<TriageTable>,
}

/// One ruling of a phase's history.
#[derive(Debug, Clone, PartialEq)]
pub struct PastRuling {
    /// The round that was ruled on.
    pub round: u32,
    /// The engine's judgment.
    pub judgment: Judgment,
    /// The word for the ruling.
    pub ruling: &'static str,
    /// The rule that led there, with the limits used.
    pub rule: String,
}
