//! The one progress comment of a run: what a person has to do first, then a box for each phase, then what is folded.
//! Every part is bounded, so that the whole fits into a comment of GitHub.

use std::fmt::Write as _;

use super::commands::{after_failure, again};
use super::job::waited_for;
use super::{
    agent_lines, cost_line, counted, duration, finding_line, note, quoted, status_word, untested,
    verdict_word,
};
use engine::{PhaseState, Run, Status};
use model::event::{CheckStatus, Outcome};
use model::issue::IssueNumber;
use model::phase::Step;

/// The most findings that are listed.
const MOST_FINDINGS: usize = 30;
/// The most lines about agents.
const MOST_LINES: usize = 20;

/// The kinds of the notes that say whether the pull request starts workflows; the latest counts.
pub const NO_CI: &str = "W_PR_NO_CI";
pub const STARTS_CI: &str = "pr_ci";

/// Returns the warning that the pull request of a run starts no workflow, if it stands.
pub fn starts_no_ci(run: &Run) -> Option<&str> {
    latest(run, NO_CI, STARTS_CI)
}

/// The kinds of the notes that say whether a person closed the pull request; the latest counts.
pub const REQUEST_CLOSED: &str = "W_PR_CLOSED";
pub const REQUEST_OPEN: &str = "pr_open";

/// Tells whether a person closed the pull request of a run.
pub fn is_request_closed(run: &Run) -> bool {
    closed_request(run).is_some()
}

fn closed_request(run: &Run) -> Option<&str> {
    latest(run, REQUEST_CLOSED, REQUEST_OPEN)
}

/// Returns the text of a note unless the other kind came after it.
fn latest<'a>(run: &'a Run, kind: &str, ends: &str) -> Option<&'a str> {
    let latest = run.notes.iter().rfind(|(known, _)| known == kind || known == ends);
    latest.filter(|(known, _)| known == kind).map(|(_, text)| text.as_str())
}

/// Returns the one progress comment of a run.
pub fn progress_comment(run: &Run) -> String {
    comment(run, None)
}

/// Returns the progress comment of a run that was stopped, with the reason in its first line: nobody works on it.
pub fn stopped_comment(run: &Run, why: &str) -> String {
    comment(run, Some(why))
}

fn comment(run: &Run, stopped: Option<&str>) -> String {
    let mut body = format!("{}\n", marker(run));
    if is_unshared(run) {
        let _ = writeln!(body, "{}", unshared_marker(run.started.issue.number));
    }
    if let Some(why) = stopped {
        let _ = writeln!(body, "**Stopped:** {}\n", quoted(why));
    }
    if let Some(escalation) = &run.paused {
        let _ = writeln!(body, "**{}:** {}\n", waited_for(run), quoted(&escalation.question));
    }
    let is_cut_off = stopped.is_some() && run.outcome == Outcome::Running;
    let _ =
        writeln!(body, "### ai-workflow: {}\n", if is_cut_off { "stopped" } else { run.outcome.as_str() });
    if let Some(again) = again(run, Outcome::Running).filter(|_| is_cut_off) {
        let _ = writeln!(body, "{again}\n");
    }
    body.push_str(&untested::warning(run, run.outcome));
    for warning in starts_no_ci(run).into_iter().chain(closed_request(run)) {
        let _ = writeln!(body, "> {}\n", quoted(warning));
    }
    if let Some(next) = after_failure(run) {
        let _ = writeln!(body, "{next}\n");
    }
    run.phases.iter().for_each(|phase| body.push_str(&phase_line(phase)));
    if let Some((_, url)) = &run.pull_request {
        let _ = writeln!(body, "\nPull request: {}", plain_address(url));
    }
    if let Some((number, _)) = &run.follow_up {
        let _ = writeln!(body, "\nLeft for later: #{number}");
    }
    if let Some(escalation) = &run.paused {
        let _ = write!(body, "\n{}", super::question(run, escalation));
    }
    body.push_str(&folded("open finding", &open_findings(run), MOST_FINDINGS));
    let agents: Vec<String> = agent_lines(run).iter().map(|line| quoted(line)).collect();
    body.push_str(&folded("note about the agents", &agents, MOST_LINES));
    let _ = write!(body, "\n{}\n", cost_line(run));
    if run.simulated {
        body.push_str("\nSimulated: a scripted or plain-command agent took part.\n");
    }
    body
}

/// Returns the mark by which our own comment is found again.
pub fn marker(run: &Run) -> String {
    format!("<!-- ai-workflow:progress v1 issue={} run={} -->", run.started.issue.number, run.started.run_id)
}

/// Returns the mark of a run that nobody else can know of yet: should its machine be lost, the next run of the issue takes its
/// comment over.
pub fn unshared_marker(issue: IssueNumber) -> String {
    format!("<!-- ai-workflow:unshared v1 issue={issue} -->")
}

/// What was committed may be on the server, and what halted is.
fn is_unshared(run: &Run) -> bool {
    run.started.issue.is_on_a_server()
        && run.outcome == Outcome::Running
        && run.pull_request.is_none()
        && run.phases.iter().all(|phase| phase.commit.is_none())
}

fn phase_line(phase: &PhaseState) -> String {
    let tick = if phase.status == Status::Completed { "x" } else { " " };
    let mut parts = vec![format!("- [{tick}] **{}** {}", phase.name(), status_word(phase))];
    if phase.status != Status::Pending && phase.status != Status::Skipped {
        parts.extend(what_happened(phase));
    }
    let note = note(phase);
    if !note.is_empty() {
        parts.push(quoted(&note));
    }
    parts.join(" · ") + "\n"
}

fn what_happened(phase: &PhaseState) -> impl Iterator<Item = String> {
    let verdict = verdict_word(phase);
    let round = format!("round {}", phase.round);
    let used = phase.usage.values();
    let (usd, millis) =
        used.fold((0.0, 0), |(usd, millis), spent| (usd + spent.cost_usd, millis + spent.millis));
    let cost = (millis > 0).then(|| format!("{usd:.2} USD, {}", duration(millis / 1000)));
    [(!verdict.is_empty()).then_some(verdict), Some(round), evidence(phase), cost].into_iter().flatten()
}

pub(super) fn evidence(phase: &PhaseState) -> Option<String> {
    let is_current = phase.completed_steps.contains(&Step::Check);
    let results = phase.checks.as_ref().filter(|results| is_current && !results.is_empty())?;
    let passed = results.iter().filter(|result| result.status == CheckStatus::Pass).count();
    let failed = results.iter().filter(|result| result.status == CheckStatus::Fail).count();
    let other = results.len() - passed - failed;
    let mut words = vec![format!("{} passed", counted(passed as u64, "check"))];
    words.extend((failed > 0).then(|| format!("{failed} failed")));
    words.extend((other > 0).then(|| format!("{other} without a result")));
    Some(words.join(", "))
}

fn open_findings(run: &Run) -> Vec<String> {
    let of = |phase: &PhaseState| -> Vec<String> {
        phase
            .ledger
            .open()
            .map(|listed| format!("{}: {}", phase.name(), quoted(&finding_line(listed))))
            .collect()
    };
    run.phases.iter().filter(|phase| phase.status != Status::Completed).flat_map(of).collect()
}

fn folded(noun: &str, lines: &[String], most: usize) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("\n<details><summary>{}</summary>\n\n", counted(lines.len() as u64, noun));
    for line in lines.iter().take(most) {
        let _ = writeln!(text, "- {line}");
    }
    if lines.len() > most {
        let _ = writeln!(text, "- … and {} more: `ai-workflow findings`", lines.len() - most);
    }
    text + "\n</details>\n"
}

/// The address of a pull request is the forge's; nothing in it may close the line.
pub(super) fn plain_address(url: &str) -> String {
    url.chars().filter(|c| c.is_ascii_graphic() && !"<>()[]`".contains(*c)).take(300).collect()
}
