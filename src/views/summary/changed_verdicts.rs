//! Verdicts that changed after a question: both answers with what was asked in between, and the findings that were withdrawn.
//! Plain text, Markdown and JSON from the state; judges nothing.

use std::fmt::Write as _;

use serde::Serialize;

use crate::text::{counted, place, quoted};
use engine::{ChangedVerdict, PhaseState, ReviewerQuestion, Run};
use model::event::Reviewed;
use model::finding::Finding;
use model::phase::PhaseName;
use model::text::shorten;
use model::verdict::{ReadAs, Verdict};

/// The most changed verdicts that a pull request lists.
const MOST: usize = 20;
/// The longest text of an answer that is repeated, in characters.
const LONGEST: usize = 400;

/// A verdict that changed, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerdictExchange {
    /// The agent spec of the reviewer.
    pub reviewer: String,
    /// The seat of the panel, where it is not the first reviewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<String>,
    /// What it said first.
    pub first: StatedVerdict,
    /// What it was asked then.
    pub asked: String,
    /// What the author replied to the reviewer's own questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// What it said last.
    pub last: StatedVerdict,
}

/// What an answer of a reviewer says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatedVerdict {
    /// As it was read; nothing where it could not be.
    pub verdict: Option<Verdict>,
    /// The word as it was written.
    pub stated: String,
    /// How many findings it names.
    pub findings: usize,
    /// The beginning of its words.
    pub words: String,
}

impl VerdictExchange {
    /// Returns both answers of a verdict that changed.
    pub fn of(changed: &ChangedVerdict) -> Self {
        let (asked, reply) = match &changed.question {
            ReviewerQuestion::Doubt(doubt) => (format!("which holds, its approval or `{doubt}`"), None),
            ReviewerQuestion::Again(why) => (format!("to answer again, since {why}"), None),
            ReviewerQuestion::WithReply { questions, reply } => {
                let questions = shorten(&questions.join(" "), LONGEST);
                (format!("to judge with the author's reply to: {questions}"), Some(shorten(reply, LONGEST)))
            }
        };
        Self {
            reviewer: changed.last.reviewer.clone(),
            seat: changed.last.seat.clone(),
            first: StatedVerdict::of(&changed.first),
            asked,
            reply,
            last: StatedVerdict::of(&changed.last),
        }
    }

    /// Returns the exchange in one line.
    pub fn line(&self) -> String {
        let who = self
            .seat
            .as_ref()
            .map_or_else(|| "the reviewer".to_owned(), |seat| format!("the reviewer {seat}"));
        let (first, last) = (self.first.line(), self.last.line());
        let reply =
            self.reply.as_ref().map_or(String::new(), |reply| format!(" (the author replied: {reply})"));
        format!("{who} first stated {first}; it was asked {}{reply}; then it stated {last}", self.asked)
    }
}

impl StatedVerdict {
    fn of(review: &Reviewed) -> Self {
        let reading = review.reading.as_ref();
        Self {
            verdict: reading
                .filter(|reading| reading.read_as != ReadAs::Default)
                .map(|reading| reading.result),
            stated: reading.map(|reading| reading.stated.clone()).unwrap_or_default(),
            findings: reading.map_or(0, |reading| reading.findings.len()),
            words: reading.map(|reading| shorten(reading.feedback.trim(), LONGEST)).unwrap_or_default(),
        }
    }

    fn line(&self) -> String {
        let words = if self.words.is_empty() { String::new() } else { format!(": {}", self.words) };
        let Some(verdict) = self.verdict else { return format!("nothing that could be read{words}") };
        let stated = if self.stated.is_empty() { verdict.as_str() } else { &self.stated };
        format!("{stated} with {}{words}", counted(self.findings as u64, "finding"))
    }
}

/// Returns a withdrawn finding in one line.
pub fn withdrawn_line(finding: &Finding) -> String {
    let place = place(finding.file.as_deref(), finding.line);
    let place = place.map_or(String::new(), |place| format!(" {place}"));
    format!("withdrawn: {}{place}: {}", finding.severity.as_str(), finding.issue)
}

/// Returns the verdicts of a run that changed, with the findings that were withdrawn, as a Markdown list.
pub(super) fn list_changed_verdicts(run: &Run) -> String {
    let all: Vec<(&PhaseName, u32, &ChangedVerdict)> = run.phases.iter().flat_map(changed_in).collect();
    let more = match all.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!("- … and {more} more: `ai-workflow explain` lists them\n"),
    };
    let mut lines = String::new();
    for (phase, round, changed) in all.into_iter().take(MOST) {
        let _ = writeln!(lines, "- {phase} round {round}: {}", in_markdown(&VerdictExchange::of(changed)));
        lines.extend(
            changed.withdrawn.iter().map(|finding| format!("  - {}\n", quoted(&withdrawn_line(finding)))),
        );
    }
    lines + &more
}

/// Each part is made harmless and bounded by itself, so that no answer hides the other.
fn in_markdown(exchange: &VerdictExchange) -> String {
    let quote = |stated: &StatedVerdict| StatedVerdict {
        stated: quoted(&stated.stated),
        words: quoted(&stated.words),
        ..stated.clone()
    };
    let safe = VerdictExchange {
        reviewer: String::new(),
        seat: exchange.seat.as_deref().map(quoted),
        first: quote(&exchange.first),
        asked: quoted(&exchange.asked),
        reply: exchange.reply.as_deref().map(quoted),
        last: quote(&exchange.last),
    };
    safe.line()
}

fn changed_in(phase: &PhaseState) -> impl Iterator<Item = (&PhaseName, u32, &ChangedVerdict)> {
    let rounds = phase.history.rounds.iter();
    rounds.flat_map(|round| round.changed_verdicts.iter().map(|changed| (phase.name(), round.n, changed)))
}
