//! What the checks of a round ask the reviewer, and what its answers leave open. An approval that leaves a question open is
//! unreadable: the first reviewer has to answer all of them, and what second reviewers answer is taken, too.
//! All of it is computed from the latest results of the checks and the reviews of the round.

use crate::history::Reviews;
use crate::phase_state::PhaseState;
use model::event::{Reading, ReviewAnswer, ReviewQuestion, ReviewQuestions, Reviewed};

/// A question of the checks with the answers of all reviewers of its round.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweredQuestion {
    /// What was asked.
    pub question: ReviewQuestion,
    /// Who answered, and what; empty where nobody did.
    pub answers: Vec<(String, ReviewAnswer)>,
}

impl PhaseState {
    /// Returns what the latest checks ask the reviewer.
    pub fn review_questions(&self) -> ReviewQuestions {
        ReviewQuestions::of(self.evidence.checks.as_deref().unwrap_or_default())
    }

    /// Returns the ids of the questions that a review does not answer.
    pub(crate) fn unanswered_by(&self, reading: &Reading) -> Vec<String> {
        let ids = self.review_questions().asked.into_iter().map(|question| question.id);
        ids.filter(|id| !reading.answers.contains_key(id)).collect()
    }

    /// Returns the ids that the first reviewer left open in its last answer of this round, although it approved.
    pub fn left_unanswered(&self, seat: Option<&str>) -> Vec<String> {
        let Reviews { answers, .. } = &self.reviews;
        let last = answers.iter().rfind(|answer| answer.seat.as_deref() == seat);
        let reading = last.and_then(|review| review.reading.as_ref());
        match reading.filter(|reading| seat.is_none() && reading.judgment.approves()) {
            Some(reading) => self.unanswered_by(reading),
            None => Vec::new(),
        }
    }

    /// Returns why the approval of a first reviewer does not count: it leaves questions open.
    pub(crate) fn lack_of_answers(&self, opinion: &Reviewed) -> Option<String> {
        if opinion.seat.is_some() {
            return None;
        }
        let open = self.unanswered_by(opinion.reading.as_ref()?);
        if open.is_empty() { None } else { Some(format!("leaves {} unanswered", open.join(", "))) }
    }

    /// Tells whether the review of this round approves and leaves a question open.
    pub(crate) fn leaves_questions_open(&self) -> bool {
        self.reading()
            .is_some_and(|reading| reading.judgment.approves() && !self.unanswered_by(reading).is_empty())
    }

    /// Returns the questions of the latest checks with their answers.
    pub fn answered_questions(&self) -> Vec<AnsweredQuestion> {
        let Reviews { current, opinions, .. } = &self.reviews;
        let reviews = if opinions.is_empty() { current.as_slice() } else { opinions.as_slice() };
        let answer = |review: &Reviewed, id: &str| {
            let answer = review.reading.as_ref()?.answers.get(id)?;
            Some((review.reviewer.clone(), answer.clone()))
        };
        let asked = self.review_questions().asked.into_iter();
        asked
            .map(|question| {
                let answers = reviews.iter().filter_map(|review| answer(review, &question.id)).collect();
                AnsweredQuestion { question, answers }
            })
            .collect()
    }
}
