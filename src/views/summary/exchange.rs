//! Tells in a line that a reviewer asked the author something, and what came of it. The texts stand in the log.

use super::counted;
use engine::{Exchange, PhaseState};
use model::event::Replied;

/// Returns what came of the questions of a reviewer.
pub fn exchange_line(exchange: &Exchange) -> String {
    let asked = counted(exchange.questions().len() as u64, "question");
    let asker = match &exchange.first.seat {
        Some(seat) => format!("the reviewer {seat}"),
        None => "the reviewer".to_owned(),
    };
    format!("{asker} asked {asked}, {}", outcome(exchange))
}

fn outcome(exchange: &Exchange) -> String {
    let Some(reply) = &exchange.reply else { return "the author has not answered yet".into() };
    if reply.text.is_some() {
        return "the author answered, and the reviewer was asked again".into();
    }
    format!("the author gave no answer ({}), and the first verdict counts", why(reply))
}

fn why(reply: &Replied) -> &str {
    let ended = reply.ended.outcome.ended();
    reply.ended.reason.as_deref().unwrap_or(if ended { "it said nothing" } else { "it broke" })
}

/// Tells the exchanges of a phase, the one under way last.
pub(super) fn lines(phase: &PhaseState) -> impl Iterator<Item = String> {
    let told = |round: u32, exchange: &Exchange| {
        format!("{} round {round}: {}", phase.name(), exchange_line(exchange))
    };
    let under_way = phase.exchange.iter().map(|exchange| (phase.round, exchange));
    let recorded = phase.rounds.iter().filter_map(|round| Some((round.n, round.exchange.as_ref()?)));
    let earlier = recorded.filter(|(round, _)| *round != phase.round || phase.exchange.is_none());
    earlier
        .chain(under_way)
        .map(move |(round, exchange)| told(round, exchange))
        .collect::<Vec<_>>()
        .into_iter()
}
