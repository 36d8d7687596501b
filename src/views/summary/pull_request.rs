//! The text of the pull request: what was done, how to run it again, what did not pass, the evidence, and what is left.
//! It is written before its run is over, so it is told what the run comes to.

use std::fmt::Write as _;

use super::evidence::{accepted, table};
use super::{
    Unreviewed, agent_lines, commands, cost_line, deliverable_path, finding_lines, findings, follow_up, note,
    opinions, phase_table, quoted, titled, unreviewed, untested,
};
use engine::{PhaseState, Run, Status};
use model::event::Outcome;

/// The most suggestions a pull request carries.
const MOST_SUGGESTIONS: usize = 20;

/// Whether the documents of a run are on its branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Documents {
    Kept,
    Gone,
}

/// Returns title and body of the pull request of a run that comes to `outcome`: documents that are off the branch are not
/// named; the files are, that nobody reviewed.
pub fn pull_request(
    run: &Run,
    outcome: Outcome,
    unreviewed: &Unreviewed,
    documents: Documents,
) -> (String, String) {
    let issue = &run.started.issue;
    let title: String = titled(&issue.title).chars().take(200).collect();
    let mut body = format!("Closes #{}\n\n{}", issue.number, untested::warning(run, outcome));
    if run.simulated {
        body.push_str(
            "> **Simulated**: a scripted or plain-command agent took part; no model did this work.\n\n",
        );
    }
    let _ = write!(body, "{}## Phases\n\n{}", unreviewed::warning(unreviewed), phase_table(run));
    // Without its files the run is over for good.
    if let Some(again) = commands::again(run, outcome).filter(|_| documents == Documents::Kept) {
        let _ = write!(body, "\n{again}\n");
    }
    let evidence = accepted(run) + &table(run);
    let named = if documents == Documents::Kept { named(run) } else { String::new() };
    let sections = [
        ("Not passed", not_passed(run)),
        ("Evidence gathered by ai-workflow", evidence),
        ("Documents", named),
        ("Agents", in_list(&agent_lines(run))),
        ("Opinions of the reviewers", in_list(&opinions::of_run(run))),
        ("Suggestions of the reviewers", suggestions(run)),
        ("Found and not demanded", in_list(&findings::beyond(run))),
    ];
    for (heading, text) in sections.iter().filter(|(_, text)| !text.is_empty()) {
        let _ = write!(body, "\n## {heading}\n\n{text}");
    }
    body.push_str(&follow_up::left_for_later(run));
    let _ = write!(body, "\n---\n{}. Run `{}`.\n", cost_line(run), run.started.run_id);
    (title, body)
}

fn in_list(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |list, line| list + "- " + &quoted(line) + "\n")
}

/// Returns the phases that stopped the run, each with its reason and what is open; their checks stand in the table.
fn not_passed(run: &Run) -> String {
    let stopped = run.phases.iter().filter(|phase| matches!(phase.status, Status::Failed | Status::Paused));
    stopped.fold(String::new(), |text, phase| text + &stopped_phase(run, phase))
}

fn stopped_phase(run: &Run, phase: &PhaseState) -> String {
    let asked = run.paused.as_ref().filter(|pause| pause.phase.as_ref() == Some(phase.name()));
    let reason = asked.map_or_else(|| note(phase), |pause| pause.question.clone());
    let (name, status) = (phase.name(), phase.status.as_str());
    let head = format!("**{name}** {status} in round {}: {}\n\n", phase.round, quoted(&reason));
    let red = phase.failed_checks().map(|result| format!("check {}: {}", result.check, result.summary));
    let open: Vec<String> = red.chain(finding_lines(phase)).collect();
    let gap = if open.is_empty() { "" } else { "\n" };
    head + &in_list(&open) + gap
}

fn named(run: &Run) -> String {
    let completed =
        run.phases.iter().filter(|phase| phase.status == Status::Completed && !phase.def.policy.triage);
    completed.fold(String::new(), |mut lines, phase| {
        let _ = writeln!(lines, "- `{}`", deliverable_path(run, phase));
        lines
    })
}

fn suggestions(run: &Run) -> String {
    let readings = run.phases.iter().filter_map(|phase| {
        let reading = phase.review.as_ref()?.reading.as_ref()?;
        Some((phase.name(), reading))
    });
    let all = readings.flat_map(|(name, reading)| reading.suggestions.iter().map(move |text| (name, text)));
    all.take(MOST_SUGGESTIONS).fold(String::new(), |mut lines, (name, text)| {
        let _ = writeln!(lines, "- {name}: {}", quoted(text));
        lines
    })
}
