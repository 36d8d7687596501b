//! What each reviewer of a phase's latest round came to, in lines for people; nothing where there is only one reviewer.

use super::counted;
use engine::{Opinion, PhaseState, Run};

/// Returns one line for each reviewer of the latest round that anybody has answered in.
pub fn opinion_lines(phase: &PhaseState) -> Vec<String> {
    let last = phase.current_rounds().last();
    let closed = last.is_some_and(|round| round.n >= phase.round);
    let under_way = if closed { Vec::new() } else { phase.opinions_told() };
    let (round, told) = match last {
        Some(last) if under_way.is_empty() => (last.n, last.opinions.clone()),
        _ => (phase.round, under_way),
    };
    told.iter().map(|opinion| format!("round {round}, {}", line(opinion))).collect()
}

/// Returns the same for all phases of a run.
pub(super) fn of_run(run: &Run) -> Vec<String> {
    let of_phase = |phase: &PhaseState| {
        let lines = opinion_lines(phase).into_iter().map(|line| format!("{} {line}", phase.name()));
        lines.collect::<Vec<_>>()
    };
    run.phases.iter().flat_map(of_phase).collect()
}

fn line(opinion: &Opinion) -> String {
    let who = opinion.seat.as_deref().unwrap_or("first reviewer");
    let Some(verdict) = opinion.verdict else { return format!("{who}: left out") };
    let grade = opinion.grade.map_or(String::new(), |grade| format!(", grade {grade}"));
    let findings = match opinion.findings {
        0 => String::new(),
        number => format!(", {}", counted(number as u64, "finding")),
    };
    format!("{who}: {verdict}{grade}{findings}")
}
