//! What the words, grades and findings of a review mean in a policy, and who else judges a phase's work besides its first
//! reviewer. Which of them counts, and how opinions are merged, is the engine's matter.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::Severity;
use crate::verdict::{Grade, Judgment, Verdict};

/// The word of a reviewer that finds the build, the tests or what they need broken. It stops like a rejection, but a person
/// reads what failed instead of what is wrong with the work.
pub const VERIFICATION_FAILED: &str = "STOP";

/// How a reviewer's words are understood.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewRule {
    /// Each word and its judgment; any other word is a FAIL.
    pub verdict_map: BTreeMap<String, Judgment>,
    /// What a critical finding means, whatever the word was.
    #[serde(default = "revise")]
    pub on_critical: Judgment,
    /// The mildest severity that forbids an approval.
    #[serde(default = "major")]
    pub blocking: Severity,
    /// After this round a new finding about lines that have not changed since the last review blocks only if it is
    /// critical; never when missing.
    pub materiality_after_round: Option<u32>,
    /// Which findings of a review that demands a revision become tasks of the author.
    #[serde(default)]
    pub tasks: TaskRule,
    /// Whether the author answers a reviewer's questions before the verdict counts, once a round. Runs that were begun
    /// before this was known say nothing, and there nobody does.
    pub questions: Option<bool>,
    /// What the work is graded for, from A to D, besides the verdict; nobody is asked for grades when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub viewpoints: Vec<String>,
    /// Each viewpoint gets a reviewer of its own, besides the one that judges the whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub split: bool,
    /// What the worst grade means at least: grades only tighten, and a missing one means nothing.
    #[serde(default, skip_serializing_if = "GradeMap::is_empty")]
    pub grade_map: GradeMap,
}

impl ReviewRule {
    /// Makes the rule of these words, with everything else as it is where nothing is said.
    pub fn of_words(verdict_map: BTreeMap<String, Judgment>) -> Self {
        Self {
            verdict_map,
            on_critical: revise(),
            blocking: major(),
            viewpoints: Vec::new(),
            split: false,
            questions: None,
            grade_map: GradeMap::default(),
            materiality_after_round: None,
            tasks: TaskRule::default(),
        }
    }

    /// Returns how the judge of the quality criteria is understood: PASS approves, REJECT is revised, RETRY asks
    /// the judge again. Fixed, since its prompt asks for exactly these.
    pub fn of_judge() -> Self {
        let words = [("PASS", Judgment::Approve), ("REJECT", Judgment::Revise), ("RETRY", Judgment::Redo)];
        Self::of_words(words.map(|(word, judgment)| (word.to_owned(), judgment)).into())
    }

    /// Returns the word of this policy for a judgment: `stated` where it means that, else another word of its own, else a common
    /// one. An approval never gets a word that refuses, and a refusal never one that approves.
    pub fn word_for(&self, judgment: Judgment, stated: &str) -> &str {
        let alike: &[Judgment] = if judgment.approves() {
            &[judgment, Judgment::Approve, Judgment::ApproveWithNotes]
        } else {
            &[judgment, Judgment::Revise, Judgment::Block]
        };
        let stated = letters(stated);
        let ranked = self.verdict_map.iter().filter_map(|(word, meaning)| {
            let likeness = alike.iter().position(|alike| alike == meaning)?;
            let rank =
                (Verdict::is_word(word), likeness, letters(word) != stated, word == VERIFICATION_FAILED);
            Some((rank, word.as_str()))
        });
        ranked.min().map_or(judgment.verdict().as_str(), |(_, word)| word)
    }

    /// Returns the viewpoints that the first reviewer grades itself.
    pub fn own_viewpoints(&self) -> &[String] {
        if self.split { &[] } else { &self.viewpoints }
    }
}

/// Returns what tells a word from another one, however it is written.
fn letters(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}

/// Which findings become tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum TaskRule {
    /// Those that forbid an approval; when there is none, all of them.
    #[default]
    Blocking,
    All,
}

fn revise() -> Judgment {
    Judgment::Revise
}

fn major() -> Severity {
    Severity::Major
}

/// A reviewer besides the first one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PanelReviewer {
    /// What it is called in records: letters, digits, `-` and `_`.
    pub name: String,
    /// Its agents, a fallback chain; the reviewer's when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// What it looks at and grades; everything when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub viewpoints: Vec<String>,
    /// Nothing is approved without its answer; else it is left out when it gives none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

impl PanelReviewer {
    /// Returns the seat that a viewpoint becomes when viewpoints are split: the reviewer's own program, always required.
    pub fn of_viewpoint(viewpoint: &str) -> Self {
        let name = viewpoint.to_owned();
        Self { viewpoints: vec![name.clone()], name, required: true, ..Self::default() }
    }
}

/// What the worst grade means at least. What is missing means nothing.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct GradeMap {
    #[serde(rename = "A")]
    pub a: Option<Judgment>,
    #[serde(rename = "B")]
    pub b: Option<Judgment>,
    #[serde(rename = "C")]
    pub c: Option<Judgment>,
    #[serde(rename = "D")]
    pub d: Option<Judgment>,
}

impl GradeMap {
    /// Returns what a grade means.
    pub fn judgment(self, grade: Grade) -> Option<Judgment> {
        match grade {
            Grade::A => self.a,
            Grade::B => self.b,
            Grade::C => self.c,
            Grade::D => self.d,
        }
    }

    /// Returns the mildest grade that means a judgment; nothing for one that approves, where more than the mildest may be meant.
    pub fn grade_for(self, judgment: Judgment) -> Option<Grade> {
        let mut grades = [Grade::A, Grade::B, Grade::C, Grade::D].into_iter();
        grades.find(|grade| !judgment.approves() && self.judgment(*grade) == Some(judgment))
    }

    /// Returns the mildest grade that may be shown beside a judgment. A grade that the policy leaves open means what it usually does: C
    /// asks for changes, D stops. What could not be verified or read asks for changes, too.
    pub fn mildest_beside(self, judgment: Judgment) -> Grade {
        if judgment.approves() {
            return Grade::A;
        }
        let demand = if judgment == Judgment::Block { judgment } else { judgment.min(Judgment::Revise) };
        let usual = [
            (Grade::A, Judgment::Approve),
            (Grade::B, Judgment::ApproveWithNotes),
            (Grade::C, Judgment::Revise),
            (Grade::D, Judgment::Block),
        ];
        let mut grades = usual.into_iter();
        let mildest = grades.find(|(grade, usual)| self.judgment(*grade).unwrap_or(*usual) >= demand);
        mildest.map_or(Grade::D, |(grade, _)| grade)
    }

    /// Tells whether no grade means anything. Serde hands over a reference.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests;
