//! What we saw: the results of checks, and what was read out of the answers of reviewers and triage.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ReviewAnswer;
use crate::finding::{Disposition, Finding, Severity};
use crate::phase::PhaseName;
use crate::policy::{CheckRule, OnFail, OnUnavailable, Policy};
use crate::verdict::{Grade, Judgment, ReadAs, Verdict};

/// The evidence of one round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// The phase whose files were checked.
    pub phase: PhaseName,
    /// The round, from 1.
    pub round: u32,
    /// One result for each check that ran, in their order.
    pub results: Vec<CheckResult>,
    /// The files as the checks left them.
    pub tree: String,
    /// The deliverables of the other completed phases in these files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub documents: BTreeMap<PhaseName, DocumentSeen>,
}

/// The deliverable of a completed phase as it stands in the files of a later one.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentSeen {
    /// The SHA-256 of its content in hexadecimal digits; nothing when it is no plain file with text.
    pub digest: Option<String>,
    /// What changed it that is no fault of the phase.
    pub changed_by: Option<DocumentChange>,
}

/// A change of an approved document that its later phase need not answer for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentChange {
    /// A person changed it.
    Person,
    /// Boxes of its tasks were ticked, and nothing else.
    Ticks,
}

/// What one check saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    /// The id of the check.
    pub check: String,
    /// Whether it passed.
    pub status: CheckStatus,
    /// The name of the failure, which chooses the retry prompt; `E_…` codes are shown to people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// One line for people.
    pub summary: String,
    /// What we saw: the last lines of a command, the path that is missing. Length-limited.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
    /// What the retry prompt may insert: texts, lists of texts, lists of objects.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, Value>,
    /// Where it was seen, the first of them when there are many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
    /// Whether each place is a question that the reviewer has to answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks: bool,
}

impl CheckResult {
    /// Tells whether the reviewer has to answer what the check saw.
    pub fn is_question(&self) -> bool {
        self.asks && self.status == CheckStatus::Fail
    }

    /// Returns what the result demands under a policy; `Note` where it demands nothing. What is asked is for the reviewer to settle.
    pub fn demand(&self, policy: &Policy) -> OnFail {
        if self.is_question() {
            return OnFail::Note;
        }
        self.status.demand(policy.checks.iter().find(|rule| rule.id == self.check))
    }

    /// Returns the kind of its failure; what could not run says nothing about the code.
    pub fn failure_type(&self) -> &'static str {
        match self.check.as_str() {
            _ if self.status == CheckStatus::Unavailable => "environment_error",
            check => failure_type(check).unwrap_or("check_failure"),
        }
    }

    /// Returns a parameter that is a text.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.get(name)?.as_str()
    }
}

/// Returns the kind of a failure by the id of a check, or by the kind itself.
pub fn failure_type(word: &str) -> Option<&'static str> {
    match word {
        "tests" | "red_green" | "test_failure" => Some("test_failure"),
        "build" | "typecheck" | "syntax" | "build_failure" => Some("build_failure"),
        "lint" | "format" | "lint_failure" => Some("lint_failure"),
        "environment_error" => Some("environment_error"),
        _ => None,
    }
}

/// One place where a check saw something.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Relative to the worktree; nothing for the author's answer.
    pub file: Option<String>,
    /// From 1.
    pub line: Option<u64>,
    /// What is wrong there, in a few words.
    pub what: String,
    /// What would repair it.
    pub suggestion: Option<String>,
}

/// The status of a check; only `Pass` is a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum CheckStatus {
    Pass,
    Fail,
    /// It could not run: a missing tool, no permission.
    Unavailable,
    /// It does not apply here.
    Skipped,
    /// It fails as it failed at the base of the run, before anything was changed: no pass, and not charged to the author.
    FailedBefore,
}

impl CheckStatus {
    /// Returns what the status demands under a rule, or where there is none; `Note` where it demands nothing.
    pub fn demand(self, rule: Option<&CheckRule>) -> OnFail {
        let on_unavailable = rule.map_or(OnUnavailable::Block, |rule| rule.on_unavailable);
        match (self, on_unavailable) {
            (Self::Pass | Self::Skipped | Self::FailedBefore, _)
            | (Self::Unavailable, OnUnavailable::Note) => OnFail::Note,
            (Self::Fail, _) => rule.map_or(OnFail::Revise, |rule| rule.on_fail),
            (Self::Unavailable, OnUnavailable::Block) => OnFail::Stop,
        }
    }
}

/// What was read out of a reviewer's answer.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct Reading {
    /// After the rules by which a review is read.
    pub result: Verdict,
    /// The same in the engine's words, by the policy's verdict map.
    pub judgment: Judgment,
    /// The word as written; empty when there was none.
    pub stated: String,
    pub read_as: ReadAs,
    /// Why it was read so, in one line.
    pub reason: String,
    /// What stands beside the approval and does not go with it, as it is written: the reviewer is asked which holds.
    pub doubt: Option<String>,
    /// What the author should read: the summary, or the answer around the verdict, or all of it.
    pub feedback: String,
    #[serde(default)]
    pub suggestions: Vec<String>,
    #[serde(default)]
    pub findings: Vec<Finding>,
    #[serde(default)]
    pub questions: Vec<String>,
    pub grade: Option<Grade>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub viewpoints: BTreeMap<String, Grade>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, ReviewAnswer>,
}

impl Reading {
    /// Makes a reading that holds nothing but a judgment and the text that the author should read.
    pub fn new(judgment: Judgment, feedback: String) -> Self {
        Self {
            result: judgment.verdict(),
            judgment,
            stated: String::new(),
            read_as: ReadAs::Default,
            reason: String::new(),
            doubt: None,
            feedback,
            suggestions: Vec::new(),
            findings: Vec::new(),
            questions: Vec::new(),
            grade: None,
            viewpoints: BTreeMap::new(),
            answers: BTreeMap::new(),
        }
    }

    /// Makes a revision of an approval; any other reading stays as it is.
    #[must_use]
    pub fn revised(self, contradiction: &str) -> Self {
        if self.judgment.approves() { self.tightened(Judgment::Revise, contradiction) } else { self }
    }

    /// Takes the judgment where that is stricter, and says with what it was found.
    #[must_use]
    pub fn tightened(self, judgment: Judgment, contradiction: &str) -> Self {
        if judgment <= self.judgment {
            return self;
        }
        let reason = format!("tightened: {} with {contradiction}", self.stated);
        Self { result: judgment.verdict(), judgment, reason, ..self }
    }

    /// Returns the worst with which any of the findings counts.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(Finding::weight).max()
    }

    /// Returns the worst grade that it gives, as a whole or from a viewpoint.
    pub fn worst_grade(&self) -> Option<Grade> {
        self.viewpoints.values().chain(&self.grade).max().copied()
    }

    /// Tells whether it grades this viewpoint, however that is written.
    pub fn grades(&self, viewpoint: &str) -> bool {
        self.viewpoints.keys().any(|name| name.trim().eq_ignore_ascii_case(viewpoint.trim()))
    }
}

/// What a triage says about one finding of the review, or several together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingJudgment {
    /// What it calls the finding, length-limited.
    pub title: String,
    /// What it says is to be done.
    pub disposition: Disposition,
    /// Why, in its own words, length-limited.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The fingerprints of the findings it is about, as far as they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
}

/// The sums of the triage table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriageTable {
    /// How many findings have to be fixed.
    pub fix_required: u32,
    /// How many need no fix.
    pub no_fix_needed: u32,
    /// How many a person has to decide about.
    pub needs_discussion: u32,
}

impl TriageTable {
    /// Returns how many findings it judges.
    pub fn findings(&self) -> u32 {
        self.fix_required.saturating_add(self.no_fix_needed).saturating_add(self.needs_discussion)
    }

    /// Returns the sums of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.combined(other, u32::saturating_add)
    }

    /// Returns the greater number of both for each judgment.
    #[must_use]
    pub fn greatest(self, other: Self) -> Self {
        self.combined(other, u32::max)
    }

    fn combined(self, other: Self, combine: impl Fn(u32, u32) -> u32) -> Self {
        Self {
            fix_required: combine(self.fix_required, other.fix_required),
            no_fix_needed: combine(self.no_fix_needed, other.no_fix_needed),
            needs_discussion: combine(self.needs_discussion, other.needs_discussion),
        }
    }
}
