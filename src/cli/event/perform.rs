//! Does what a comment asks for, with the commands that a person types.

use super::super::apply::{asked_again, skipped_by};
use super::super::arguments::Resume;
use super::super::ask::ask_again;
use super::super::failure::Failure;
use super::super::find::look;
use super::super::hold::{Hold, take_existing};
use super::super::put_right::put_right_now;
use super::super::refusal::Refusal;
use super::super::{drive, explain, resume, status};
use super::reply::{report_marker, report_reply};
use super::{Desk, Done, Obeyed, Undone, done, has_failed, nothing, undone};
use app::report::LogLines;
use app::runner::JobRole;
use content_parser::SlashCommand;
use engine::{Run, Status, pause_on_request};
use forge::CommentDraft;
use model::event::{Fact, Outcome, Reopened, ReopenedBy};
use model::issue::IssueNumber;
use model::phase::{PhaseName, Step};

pub(super) fn perform(desk: &Desk, number: IssueNumber, command: &SlashCommand) -> Obeyed {
    let reports = matches!(command, SlashCommand::Status | SlashCommand::Explain);
    match desk.door.role {
        JobRole::Work if reports => return Ok(nothing("who publishes answers this")),
        JobRole::Publish if !reports => return desk.publish(number),
        JobRole::Both | JobRole::Work | JobRole::Publish => {}
    }
    let run = desk.known(number)?;
    match (command, run) {
        (SlashCommand::Run, run) => begin_or_go_on(desk, number, run.as_ref()),
        (_, None) => Err(impossible("there is no run of this issue: `/ai-workflow run` begins one")),
        (SlashCommand::Resume, Some(run)) if !run.waits_for_a_person() => {
            begin_or_go_on(desk, number, Some(&run))
        }
        (SlashCommand::Resume, Some(_)) => answer(desk, &Resume { go_on: true, ..asked(desk, number) }),
        (SlashCommand::Answer { text }, Some(_)) => {
            answer(desk, &Resume { answer: Some(text.clone()), ..asked(desk, number) })
        }
        (SlashCommand::Accept { reason }, Some(_)) => {
            answer(desk, &Resume { accept: true, reason: Some(reason.clone()), ..asked(desk, number) })
        }
        (SlashCommand::Pause, Some(_)) => pause(desk, number),
        (SlashCommand::Cancel, Some(_)) => end(desk, number),
        (SlashCommand::Retry { phase }, Some(run)) => retry(desk, number, &run, phase),
        (SlashCommand::Skip { phase }, Some(_)) => skip(desk, number, phase),
        (SlashCommand::Status, Some(run)) => report(desk, number, "status", &status::told(&run)),
        (SlashCommand::Explain, Some(_)) => {
            report(desk, number, "explain", &explain::text(&look(&desk.door, number)?))
        }
    }
}

fn impossible(why: &str) -> Undone {
    Refusal::Impossible(why.to_owned()).into()
}

/// A run that waits for words, or that failed, is not moved by asking for it once more.
fn begin_or_go_on(desk: &Desk, number: IssueNumber, run: Option<&Run>) -> Obeyed {
    if let Some(run) = run {
        if run.waits_for_a_person() || has_failed(run) {
            put_right_now(&desk.door, run);
        }
        if run.waits_for_a_person() {
            let how = "`/ai-workflow answer TEXT`, `/ai-workflow resume` or `/ai-workflow accept REASON`";
            return Err(impossible(&format!("the run waits for an answer: {how}")));
        }
        if let Some(phase) = run.phases.iter().find(|phase| phase.status == Status::Failed && has_failed(run))
        {
            let name = phase.name();
            return Err(impossible(&format!("the run failed in {name}: `/ai-workflow retry {name}`")));
        }
    }
    desk.go_on(number, run, false)
}

fn asked(desk: &Desk, number: IssueNumber) -> Resume {
    Resume {
        issue: number,
        go_on: false,
        answer: None,
        edited: false,
        accept: false,
        give_up: false,
        rounds: None,
        reason: None,
        text: None,
        json: false,
        settings: desk.flags.clone(),
    }
}

fn answer(desk: &Desk, arguments: &Resume) -> Obeyed {
    done(resume::answer(&desk.door, &desk.terminal, arguments), arguments.issue)
}

fn held(desk: &Desk, number: IssueNumber) -> Result<Hold, Undone> {
    let mut hold =
        take_existing(&desk.door, number, &|_| Ok(())).map_err(|failure| undone(failure, number))?;
    hold.journal.add_reporter(Box::new(LogLines::default()));
    Ok(hold)
}

/// Writes down what ends the run's turn and shares it. Before that stands where the branch is now.
fn share(desk: &Desk, mut hold: Hold, last: Fact) -> Obeyed {
    ask_again(&desk.door, &mut hold, &desk.flags)?;
    drive::share(&desk.door, hold, &desk.terminal, last)?;
    Ok(Done::Ran(0))
}

/// A run under way sees the comment by itself; this one lies still between two jobs.
fn pause(desk: &Desk, number: IssueNumber) -> Obeyed {
    let hold = held(desk, number)?;
    let run = hold.run()?;
    if run.outcome == Outcome::Paused && desk.door.role == JobRole::Work {
        return Ok(nothing("the run waits; whoever worked on it may have read this already"));
    }
    if run.outcome != Outcome::Running {
        return Err(impossible(&format!("the run is {} already", run.outcome.as_str())));
    }
    let next = run.current().map(|phase| phase.name().clone());
    let escalation = pause_on_request(next.as_ref(), &desk.door.person);
    share(desk, hold, Fact::Paused { escalation })
}

fn end(desk: &Desk, number: IssueNumber) -> Obeyed {
    let mut hold = app::cancel::take_from_holder(&desk.door, number)?;
    if hold.run()?.outcome == Outcome::Cancelled && desk.door.role == JobRole::Work {
        return Ok(nothing("the run is cancelled; whoever worked on it may have read this already"));
    }
    if hold.run()?.outcome == Outcome::Cancelled {
        return Err(impossible("the run is cancelled already"));
    }
    hold.journal.add_reporter(Box::new(LogLines::default()));
    share(desk, hold, Fact::Cancelled { by: desk.door.person.clone() })
}

fn retry(desk: &Desk, number: IssueNumber, run: &Run, phase: &str) -> Obeyed {
    let failed = run.phases.iter().find(|phase| phase.status == Status::Failed);
    if failed.is_some_and(|failed| failed.name().as_str() == phase && has_failed(run)) {
        return desk.execute(number, true);
    }
    let phase = app::rollback::reopenable_phase(run, phase)?;
    let mut hold = held(desk, number)?;
    let reason = asked_again(&desk.door.person);
    let by = ReopenedBy::Rollback;
    record(&mut hold, Fact::Reopened(Reopened { phase, step: Step::Execute, reason, by }))?;
    drop(hold);
    desk.execute(number, false)
}

/// Leaves out a phase that has not begun; what waits for an answer goes on waiting.
fn skip(desk: &Desk, number: IssueNumber, phase: &str) -> Obeyed {
    let mut hold = held(desk, number)?;
    let run = hold.run()?;
    let phase = skippable(run, phase)?;
    let waits = run.waits_for_a_person();
    let because = skipped_by(&desk.door.person);
    let skipped = Fact::PhaseSkipped { phase, because };
    if waits {
        return share(desk, hold, skipped);
    }
    record(&mut hold, skipped)?;
    drop(hold);
    desk.execute(number, false)
}

fn skippable(run: &Run, name: &str) -> Result<PhaseName, Undone> {
    if !matches!(run.outcome, Outcome::Running | Outcome::Paused) {
        return Err(impossible(&format!("the run is {}", run.outcome.as_str())));
    }
    let Some(phase) = run.phases.iter().find(|phase| phase.name().as_str() == name) else {
        let names: Vec<&str> = run.phases.iter().map(|phase| phase.name().as_str()).collect();
        return Err(impossible(&format!("this run has no phase `{name}`; it has {}", names.join(", "))));
    };
    if phase.status != Status::Pending {
        return Err(impossible(&format!(
            "{name} is {}: only what has not begun can be left out",
            phase.status.as_str()
        )));
    }
    Ok(phase.name().clone())
}

fn record(hold: &mut Hold, fact: Fact) -> Result<(), Failure> {
    Ok(hold.journal.record(fact)?)
}

/// Writes a report into one comment, which is written over when it is asked for again.
fn report(desk: &Desk, number: IssueNumber, kind: &str, text: &str) -> Obeyed {
    let marker = report_marker(number, kind);
    let body = desk.door.masker.mask(&report_reply(&marker, text));
    let draft = CommentDraft { id: None, marker: &marker, body: &body };
    desk.ask(async |github| github.upsert_comment(number, draft).await)??;
    Ok(Done::Told)
}
