//! What the checks asked the reviewers, and what those answered; what nobody answered, as that. For people; judges nothing.

use engine::{AnsweredQuestion, PhaseState, Run};
use model::event::ReviewAnswer;
use model::text::shorten;

use crate::text::{place, quoted};

/// The longest text of a question or a reason that is repeated, in characters.
const LONGEST: usize = 400;

/// Returns the questions of the latest checks of a phase with their answers, a line each, and how many were not asked.
pub fn review_question_lines(phase: &PhaseState) -> Vec<String> {
    let asked = phase.answered_questions();
    let more = match phase.review_questions().more {
        0 => None,
        more => Some(format!("… and {more} more, which nobody was asked")),
    };
    asked.iter().map(|asked| question_line(asked, str::to_owned)).chain(more).collect()
}

/// Returns the questions of all phases as a list in Markdown.
pub(super) fn list_review_questions(run: &Run) -> String {
    let of_phase = |phase: &PhaseState| {
        let asked = phase.answered_questions();
        let lines =
            asked.iter().map(|asked| format!("- {} · {}\n", phase.name(), question_line(asked, quoted)));
        let more = match phase.review_questions().more {
            0 => String::new(),
            more => format!("- {} · … and {more} more, which nobody was asked\n", phase.name()),
        };
        lines.collect::<String>() + &more
    };
    run.phases.iter().map(of_phase).collect()
}

/// Returns a question with its answers on one line; `quote` makes foreign text harmless.
fn question_line(asked: &AnsweredQuestion, quote: fn(&str) -> String) -> String {
    let question = &asked.question;
    let short = |text: &str| quote(&shorten(text, LONGEST));
    let place = place(question.place.file.as_deref(), question.place.line);
    let place = place.map(|place| format!("{}: ", quote(&place))).unwrap_or_default();
    let answer = |(who, answer): &(String, ReviewAnswer)| {
        format!("{} by {}: {}", answer.judgment, quote(who), short(&answer.reason))
    };
    let answers: Vec<String> = asked.answers.iter().map(answer).collect();
    let answers = if answers.is_empty() { "unanswered".to_owned() } else { answers.join("; ") };
    format!("{} {place}{} ({}) · {answers}", question.id, short(&question.place.what), question.check)
}
