//! What our checks ask the reviewer of a round, and what it answers. The questions are numbered from the results of the checks, so
//! they are computed wherever they are needed and stand in no fact of their own.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CheckResult, CheckStatus, Place};

/// More questions than this are counted and not put to a reviewer.
pub const MOST_REVIEW_QUESTIONS: usize = 20;

/// One question: what a check doubts, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewQuestion {
    /// `S1`, `S2`, … in the order of the results.
    pub id: String,
    /// The check that asks.
    pub check: String,
    /// Where it stands, and what is doubted.
    pub place: Place,
}

/// The questions of a round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewQuestions {
    /// Those that the reviewer has to answer.
    pub asked: Vec<ReviewQuestion>,
    /// How many more there are.
    pub more: usize,
}

impl ReviewQuestions {
    /// Numbers what the checks of a round ask.
    pub fn of(results: &[CheckResult]) -> Self {
        let asking = || results.iter().filter(|result| result.asks && result.status == CheckStatus::Fail);
        let places = asking().flat_map(|result| result.places.iter().map(|place| (&result.check, place)));
        let numbered = places.take(MOST_REVIEW_QUESTIONS).enumerate();
        let asked: Vec<ReviewQuestion> = numbered
            .map(|(index, (check, place))| ReviewQuestion {
                id: format!("S{}", index + 1),
                check: check.clone(),
                place: place.clone(),
            })
            .collect();
        let more = asking().map(count_places).sum::<usize>().saturating_sub(asked.len());
        Self { asked, more }
    }
}

/// Returns how many places a check saw; its result lists the first of them.
fn count_places(result: &CheckResult) -> usize {
    let counted = result.params.get("count").and_then(serde_json::Value::as_u64).unwrap_or_default();
    usize::try_from(counted).unwrap_or(usize::MAX).max(result.places.len())
}

/// What a reviewer answers to one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct ReviewAnswer {
    pub judgment: AnswerJudgment,
    pub reason: String,
}

/// Whether what was asked about is right. The stricter one is the greater one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum AnswerJudgment {
    Fine,
    Wrong,
}

impl AnswerJudgment {
    /// Returns the judgment that a reviewer writes as this word.
    pub fn read(word: &str) -> Option<Self> {
        match word.trim().to_lowercase().as_str() {
            "fine" => Some(Self::Fine),
            "wrong" => Some(Self::Wrong),
            _ => None,
        }
    }
}

impl fmt::Display for AnswerJudgment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fine => "fine",
            Self::Wrong => "wrong",
        })
    }
}

#[cfg(test)]
mod tests;
