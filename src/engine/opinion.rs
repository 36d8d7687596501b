//! What each reviewer of a round came to, for records and people. Decides nothing: what they amount to together does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::state::PhaseState;
use model::event::Reviewed;
use model::verdict::{Grade, Verdict};

/// What one reviewer of a round came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

impl PhaseState {
    /// Returns what each reviewer of this round came to so far, in the order in which they are asked; nothing where there
    /// is no panel.
    pub fn opinions_told(&self) -> Vec<Opinion> {
        let seats = self.seats();
        let asked = std::iter::once(None).chain(seats.iter().map(|seat| Some(seat.name.as_str())));
        asked.filter(|_| !seats.is_empty()).filter_map(|seat| self.opinion_of(seat)).collect()
    }

    fn opinion_of(&self, seat: Option<&str>) -> Option<Opinion> {
        let answer = self.reviews.opinions.iter().find(|opinion| opinion.seat.as_deref() == seat);
        answer.map(|answer| self.told(answer)).or_else(|| {
            let why = self.reviews.left_out.get(seat?)?;
            Some(Opinion {
                seat: seat.map(str::to_owned),
                agent: None,
                verdict: None,
                grade: None,
                findings: 0,
                left_out: Some(why.clone()),
            })
        })
    }

    fn told(&self, answer: &Reviewed) -> Opinion {
        let reading = answer.reading.as_ref();
        let demanded = self.opinion_judgment(answer).map(|(judgment, _)| judgment.verdict());
        Opinion {
            seat: answer.seat.clone(),
            agent: Some(answer.reviewer.clone()),
            verdict: reading.map(|reading| reading.result).max(demanded),
            grade: reading.and_then(|reading| reading.grade),
            findings: reading.map_or(0, |reading| reading.findings.len()),
            left_out: None,
        }
    }
}
