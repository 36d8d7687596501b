//! A run and its phases in single lines and in the table of phases: status, verdict, open findings, opinions, questions of
//! reviewers, and what the agents have used. Plain text and Markdown from the state; decides nothing.

use serde_json::{Value, json};

use super::evidence::checks_line;
use crate::text::{counted, duration, place, quoted};
use engine::{
    Exchange, LedgerFinding, Limit, LimitMeasure, LimitScope, Opinion, PhaseState, Round, Run, Status,
    used_of_phase,
};
use model::event::{RunOutcome, TriageTable};
use model::finding::Disposition;

/// More findings than this are counted.
const MOST_FINDINGS: usize = 10;

/// Returns a symbol and a word for the status of a phase. No phase of a cancelled run is under way.
pub fn status_word(run: &Run, phase: &PhaseState) -> String {
    let is_under_way = matches!(phase.status, Status::InProgress | Status::Paused);
    if run.outcome == RunOutcome::Cancelled && is_under_way {
        return "✗ cancelled".to_owned();
    }
    let symbol = match phase.status {
        Status::Pending => "·",
        Status::InProgress => "▶",
        Status::Completed => "✓",
        Status::Failed => "✗",
        Status::Paused => "?",
        Status::Skipped => "-",
    };
    let status = phase.status;
    match phase.current_step() {
        Some(step) if phase.status == Status::InProgress => format!("{symbol} {status} ({step})"),
        _ => format!("{symbol} {status}"),
    }
}

/// Returns how the latest round since a phase was opened ended, such as `PASS by json`.
pub fn verdict_word(phase: &PhaseState) -> String {
    let Some(round) = phase.history.current_rounds().last() else { return String::new() };
    match (&round.verdict, &round.read_as) {
        (Some(verdict), Some(read_as)) => format!("{verdict} by {read_as}"),
        (Some(verdict), None) => verdict.to_string(),
        (None, _) if round.ruling == "advance" => "checks passed".into(),
        (None, _) => "failed check".into(),
    }
}

/// Returns the note of a phase: why it was skipped, failed or waits, or who accepted it.
pub fn note(phase: &PhaseState) -> String {
    let reason = phase.skipped_because.clone().or_else(|| phase.reason.clone());
    reason.or_else(|| accepted_note(phase)).unwrap_or_default()
}

fn accepted_note(phase: &PhaseState) -> Option<String> {
    let person = phase.person.accepted_by.as_ref()?;
    let why = phase.person.accepted_because.as_ref().map_or(String::new(), |why| format!(": {why}"));
    Some(format!("accepted by {person}{why}"))
}

/// Returns what tables of phases show of a phase.
pub(super) fn phase_values(run: &Run, phase: &PhaseState) -> Value {
    let (spent, review) = (phase.spent(), phase.reviews.current.as_ref());
    json!({
        "name": phase.name(),
        "status": status_word(run, phase),
        "completed": phase.status == Status::Completed,
        "begun": !matches!(phase.status, Status::Pending | Status::Skipped),
        "called": !phase.calls.usage.is_empty(),
        "verdict": verdict_word(phase),
        "review": review.map(|review| format!("{}: {}", review.reviewer, verdict_word(phase))),
        "round": phase.round,
        "rounds": phase.history.rounds.len(),
        "revisions": phase.counters.revisions,
        "checks": checks_line(phase),
        "cost": format!("{:.2} USD", spent.cost_usd),
        "millis": spent.millis,
        "time": duration(spent.millis / 1000),
        "note": note(phase),
    })
}

/// Returns the path of a phase's deliverable, relative to the top of the repository.
pub fn deliverable_path(run: &Run, phase: &PhaseState) -> String {
    let (number, def) = (run.started.issue.number, &phase.def);
    format!(".ai-workflow/issue-{number}/{}/output/{}", def.folder, def.output)
}

/// Says what a paused run waits for, in Markdown; nothing while it does not wait.
pub(super) fn waiting_line(run: &Run) -> Option<String> {
    let question = quoted(&run.paused.as_ref()?.question);
    let word = if run.waits_by_itself() { "Waiting" } else { "A person is needed" };
    Some(format!("**{word}:** {question}"))
}

/// Returns what the agents have used, in one line.
pub fn cost_line(run: &Run) -> String {
    let spent = &run.spending.total;
    let calls = counted(spent.calls, "agent call");
    let (tokens_in, tokens_out, usd) = (spent.input_tokens, spent.output_tokens, spent.cost_usd);
    let unpriced = match spent.unpriced_calls {
        0 => String::new(),
        number => format!(" and {} of unknown price", counted(number, "call")),
    };
    let time = duration(spent.millis / 1000);
    format!(
        "{calls}, {tokens_in} tokens in, {tokens_out} tokens out, {usd:.2} USD{unpriced}, {time} of agents at work"
    )
}

/// Returns what is used of the limits in force, such as `1 of 3 revisions of planning, $3.10 of $15.00`; nothing of what has no
/// limit, and nothing when the run is over.
pub fn used_line(run: &Run) -> Option<String> {
    let phase = run.current()?;
    let (used, most, unit) = used_of_phase(phase);
    let mut parts = vec![format!("{used} of {most} {unit} of {}", phase.name())];
    parts.extend(run.limits_in_force().iter().map(limit_words));
    Some(parts.join(", "))
}

fn limit_words(limit: &Limit) -> String {
    let amount = match limit.measure {
        LimitMeasure::Usd => format!("${:.2} of ${:.2}", limit.used, limit.most),
        LimitMeasure::Tokens | LimitMeasure::Calls | LimitMeasure::Minutes | LimitMeasure::Turns => {
            limit.to_string()
        }
    };
    match &limit.scope {
        LimitScope::Run | LimitScope::Step => amount,
        LimitScope::Phase(name) => format!("{amount} for {name}"),
        LimitScope::Day => format!("{amount} today"),
    }
}

/// Returns what a triage counted, in a few words.
pub fn table_line(table: TriageTable) -> String {
    let TriageTable { fix_required, no_fix_needed, needs_discussion } = table;
    format!("{fix_required} to fix, {no_fix_needed} not to fix, {needs_discussion} to discuss")
}

/// Returns what is worth knowing about the agents, one line each: who took over, who reviewed its own work,
/// and what reviewers asked.
pub fn agent_lines(run: &Run) -> Vec<String> {
    let fallbacks = run.agents.fallbacks.iter();
    let fallbacks = fallbacks.map(|fallback| format!("{} {}: {fallback}", fallback.phase, fallback.step));
    let own = run.phases.iter().filter(|phase| phase.is_reviewed_by_its_author());
    let own = own.map(|phase| format!("{}: the reviewer is the author's own model", phase.name()));
    let of_phases = run.phases.iter().flat_map(|phase| panel_lines(phase).chain(exchange_lines(phase)));
    fallbacks.chain(own).chain(of_phases).collect()
}

/// Returns which second opinions the latest round went without, and which came from the author's own model.
fn panel_lines(phase: &PhaseState) -> impl Iterator<Item = String> {
    let name = phase.name();
    let left_out = phase.reviews.left_out.iter();
    let left_out =
        left_out.map(move |(seat, why)| format!("{name}: without the second opinion {seat}: {why}"));
    let own = phase.seats_of_its_author();
    left_out
        .chain(own.map(move |seat| format!("{name}: the second opinion {seat} is the author's own model")))
}

/// Returns the exchanges of a phase between a reviewer and the author, the one under way last.
fn exchange_lines(phase: &PhaseState) -> Vec<String> {
    let recorded = phase.history.rounds.iter().filter_map(|round| Some((round.n, round.exchange.as_ref()?)));
    let earlier = recorded.filter(|(round, _)| *round != phase.round || phase.reviews.exchange.is_none());
    let under_way = phase.reviews.exchange.iter().map(|exchange| (phase.round, exchange));
    let all = earlier.chain(under_way);
    all.map(|(round, exchange)| format!("{} round {round}: {}", phase.name(), exchange_line(exchange)))
        .collect()
}

/// Says that an approval was used again instead of another review; `round` is the one that it is of.
pub fn reused_approval_line(round: u32) -> String {
    format!(
        "The approval of round {round} is used again, no second review: files, branch, settings and reviewer are the same"
    )
}

/// Returns what came of the questions of a reviewer. The texts of question and answer stand in the log.
pub fn exchange_line(exchange: &Exchange) -> String {
    let questions = counted(exchange.questions().len() as u64, "question");
    let asker = match &exchange.first.seat {
        Some(seat) => format!("the reviewer {seat}"),
        None => "the reviewer".to_owned(),
    };
    format!("{asker} asked {questions}, {}", exchange_outcome(exchange))
}

fn exchange_outcome(exchange: &Exchange) -> String {
    let Some(reply) = &exchange.reply else { return "the author has not answered yet".into() };
    if reply.text.is_some() {
        return "the author answered, and the reviewer was asked again".into();
    }
    let default = if reply.ended.outcome.ended() { "it said nothing" } else { "it broke" };
    let why = reply.ended.reason.as_deref().unwrap_or(default);
    format!("the author gave no answer ({why}), and the first verdict counts")
}

/// Returns one line for each reviewer of the latest round with an answer; nothing where there is only one reviewer.
pub fn opinion_lines(phase: &PhaseState) -> Vec<String> {
    let last = phase.history.current_rounds().last();
    let closed = last.is_some_and(|round| round.n >= phase.round);
    let under_way = if closed { Vec::new() } else { phase.summarize_opinions() };
    let (round, opinions) = match last {
        Some(last) if under_way.is_empty() => (last.n, last.opinions.clone()),
        _ => (phase.round, under_way),
    };
    opinions.iter().map(|opinion| format!("round {round}, {}", opinion_line(opinion))).collect()
}

/// Returns the opinions of all phases of a run.
pub(super) fn opinions_of_run(run: &Run) -> Vec<String> {
    let of_phase = |phase| opinion_lines(phase).into_iter().map(|line| format!("{} {line}", phase.name()));
    run.phases.iter().flat_map(of_phase).collect()
}

fn opinion_line(opinion: &Opinion) -> String {
    let who = opinion.seat.as_deref().unwrap_or("first reviewer");
    let Some(verdict) = opinion.verdict else { return format!("{who}: left out") };
    let grade = opinion.grade.map_or(String::new(), |grade| format!(", grade {grade}"));
    let findings = match opinion.findings {
        0 => String::new(),
        number => format!(", {}", counted(number as u64, "finding")),
    };
    format!("{who}: {verdict}{grade}{findings}")
}

/// Returns why a round does not approve beyond what its rule says, one line each: the reviewer's summary, and the failed checks with
/// the kind of the failure and the command.
pub fn refusal_lines(round: &Round) -> Vec<String> {
    let checks = round.failed.iter().map(|result| {
        failure_line(&format!("check {}", result.check), result.failure_type(), result.param("command"))
    });
    stated_refusal_lines(round).into_iter().chain(checks).collect()
}

/// Returns what the reviewer says of its refusal: its summary, and what failed where it names it.
pub(super) fn stated_refusal_lines(round: &Round) -> Vec<String> {
    let summary = round.summary.iter().map(|summary| format!("the reviewer says: {summary}"));
    let stated = round.stated_failure.iter();
    let stated = stated.map(|failure| failure_line("failure", failure.kind, failure.command.as_deref()));
    summary.chain(stated).collect()
}

fn failure_line(what: &str, kind: &str, command: Option<&str>) -> String {
    let command = command.map_or(String::new(), |command| format!(", `{command}`"));
    format!("{what}: {kind}{command}")
}

/// Returns the open findings of a phase, their number and trend first; nothing when none are open.
pub fn finding_lines(phase: &PhaseState) -> Vec<String> {
    let mut open: Vec<&LedgerFinding> = phase.ledger.open().collect();
    if open.is_empty() {
        return Vec::new();
    }
    open.sort_by_key(|listed| std::cmp::Reverse(listed.finding.severity));
    let mut lines = vec![format!("open findings: {}{}", open.len(), trend(phase))];
    lines.extend(open.iter().take(MOST_FINDINGS).map(|listed| finding_line(listed)));
    if open.len() > MOST_FINDINGS {
        lines.push(format!("… and {} more", open.len() - MOST_FINDINGS));
    }
    lines
}

fn trend(phase: &PhaseState) -> String {
    let counts: Vec<String> = phase.ledger.counts().map(|count| count.to_string()).collect();
    let trend = phase.ledger.trend();
    trend.map_or_else(String::new, |trend| format!(", {} ({})", trend, counts.join(", ")))
}

/// Returns what was approved all the same, because it was new where nothing had changed since the review before.
pub(super) fn out_of_scope_lines(run: &Run) -> Vec<String> {
    let mut lines = Vec::new();
    for phase in run.phases.iter().filter(|phase| phase.status == Status::Completed) {
        let beyond = phase.ledger.open().filter(|listed| !listed.finding.in_scope);
        lines.extend(beyond.map(|listed| format!("{}: {}", phase.name(), finding_line(listed))));
    }
    lines
}

/// Returns a finding in one line: its id, severity, place and status.
pub fn finding_line(listed: &LedgerFinding) -> String {
    let finding = listed.with_latest_wording();
    let place = place(finding.file.as_deref(), finding.line);
    let place = place.map_or_else(String::new, |place| format!(" {place}"));
    let scope = if finding.in_scope { "" } else { ", out of scope" };
    let disposition = match listed.disposition {
        Disposition::Open => String::new(),
        disposition => format!(", {}", <&str>::from(disposition)),
    };
    let (id, severity, standing) = (listed.id, finding.severity.as_str(), listed.status);
    let (issue, since) = (finding.issue, listed.first_round);
    format!("{id} {severity}{place}: {issue} ({standing}, since round {since}{disposition}{scope})")
}
