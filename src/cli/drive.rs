//! Drives a run until it halts, under the eyes of the reporters, and tells how it ended.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::begin_run::{overrides, rehearsed};
use super::door::{Door, runtime};
use super::failure::{Failure, Kind};
use super::forge_connection;
use super::hold::Hold;
use super::{Answer, announce, exit_code, show, signals};
use app::bundle::VerifiedBundle;
use app::github_job::{self, WorkDone as Turn};
use app::refresh_comment_and_label::refresh;
use app::report::{
    CommentTask, LabelTask, LocalComment, MovedComment, PACE, Terminal, github_comment, state_label,
};
use app::runner::{
    ActiveRun, AgentPrograms, JobRole, PauseConditions, PendingRequest, PhaseRunner, Publisher, Push,
};
use app::steering::Steering;
use engine::Run;
use forge::Forge;
use git::CommitId;
use journal::Journal;
use model::event::{Fact, Outcome, PauseReason};
use process::{self, Stop, StopHandle, Urgency};
use settings::PushWhen;

/// Drives the run until it halts and tells how it ended.
pub(super) fn drive(door: &Door, hold: Hold, terminal: &Terminal, json: bool) -> Answer {
    let calls = hold.run()?.spending.total.calls;
    let (hold, outcome) = play(door, hold, terminal)?;
    let code = exit_code::of_run(hold.run()?, outcome, door.settings.no_wait);
    let code = finish(&hold, json, code);
    if door.role == JobRole::Both {
        let turn = if hold.run()?.spending.total.calls > calls { Turn::Worked } else { Turn::Idle };
        github_job::start_again(door, &hold, turn);
    }
    Ok(code)
}

/// Publishes what another process worked on, as far as it was judged, and tells how the run stands.
pub(super) fn publish(door: &Door, hold: Hold, terminal: &Terminal, bundle: &VerifiedBundle) -> Answer {
    let rounds = hold.run()?.feedback.ci_rounds;
    let (hold, outcome) = play_from(door, hold, terminal, None, Some(bundle.tip.clone()))?;
    let code = exit_code::of_run(hold.run()?, outcome, door.settings.no_wait);
    let code = finish(&hold, false, code);
    // Whoever publishes sees what the checks of the server say, and asks no agent.
    let is_fed = hold.run()?.feedback.ci_rounds > rounds && outcome == Outcome::Running;
    if is_fed || bundle.asks_for_more {
        github_job::start_again(door, &hold, if is_fed { Turn::RedChecks } else { Turn::Worked });
    }
    Ok(code)
}

/// Writes down what ends the run's turn, and shares it: the comment, the branch, the pull request.
pub(super) fn share(door: &Door, hold: Hold, terminal: &Terminal, last: Fact) -> Result<(), Failure> {
    let (hold, _) = play_from(door, hold, terminal, Some(last), None)?;
    finish(&hold, false, 0);
    Ok(())
}

/// Drives the run until it halts.
pub(super) fn play(door: &Door, hold: Hold, terminal: &Terminal) -> Result<(Hold, Outcome), Failure> {
    play_from(door, hold, terminal, None, None)
}

/// Drives the run from a fact on that everybody is to be told; `judged` is what a process that publishes may publish.
fn play_from(
    door: &Door,
    mut hold: Hold,
    terminal: &Terminal,
    first: Option<Fact>,
    judged: Option<CommitId>,
) -> Result<(Hold, Outcome), Failure> {
    hold.locks.begin_work(door);
    hold.space.run_branch().remember_tip()?;
    let agreement = &hold.run()?.started.agreement;
    rehearsed(door, agreement)?;
    let prompts = overrides(door, agreement);
    let runtime = runtime()?;
    let (handle, stop) = Stop::new();
    let signal = Arc::new(OnceLock::new());
    process::adopt_orphans();
    if door.role != JobRole::Publish {
        announce::beginning(door, &hold);
    }
    let forge = forge_connection::of_run(door, hold.run()?)?;
    let push = if door.role == JobRole::Work { Push::Never } else { push(door, &forge) };
    let request = PendingRequest::default();
    let minutes = door.settings.github.job_minutes.filter(|_| forge.is_remote() && forge_connection::in_ci());
    let steering = steering(door, hold.run()?, &forge, &request, &handle);
    let Hold { journal, space, folder, locks } = hold;
    let active = ActiveRun::new((journal, space, folder), door.masker.clone(), stop, github_job::seal());
    let checkout = door.root().to_owned();
    let programs = AgentPrograms { profiles: door.profiles(), prompts, checkout: checkout.clone() };
    let publisher = Publisher {
        forge: forge.clone(),
        push,
        role: door.role,
        judged,
        github: door.settings.github.clone(),
        credentials: forge.is_remote().then(forge_connection::credentials).flatten(),
        checkout,
        moved_comment: MovedComment::default(),
    };
    let pauses = PauseConditions::after(minutes, request);
    let mut runner = PhaseRunner::new(active, programs, publisher, pauses, Arc::clone(&signal));
    runner.active.journal.add_reporter(Box::new(terminal.clone()));
    let ended = runtime.block_on(async {
        let watch = signals::watch(handle, signal)?;
        let label = label(door, &mut runner.active.journal, &forge);
        let comment = comment(door, &mut runner.active.journal, forge);
        if let Some(comment) = &comment {
            runner.publisher.moved_comment = comment.moved.clone();
        }
        match (first, &runner.active.journal.state().run) {
            (Some(fact), _) => runner.active.journal.record(fact)?,
            (None, Some(run)) if door.role == JobRole::Both && run.outcome != Outcome::Running => {
                refresh(door, run).await;
            }
            (None, _) => {}
        }
        // Where nothing is pushed no request is opened.
        if push != Push::Never || door.role == JobRole::Work {
            let mut stop = runner.active.stop.clone();
            tokio::select! {
                biased;
                told = github_job::check_token(door, &mut runner.active.journal, &runner.publisher.forge) => told?,
                _ = stop.beyond(Urgency::Running) => {}
            }
        }
        let steering = match steering {
            Some(steering) => Some(steering.begin().await),
            None => None,
        };
        let ended = runner.run().await.map_err(Failure::from);
        watch.abort();
        if let Some(steering) = steering {
            steering.end(has_paused_on_request(&runner.active.journal)).await;
        }
        if let (Err(failure), Some(run)) = (&ended, &runner.active.journal.state().run) {
            tell_of_stop(run, failure, comment.as_ref(), label.as_ref());
        }
        if let Some(comment) = comment {
            comment.end().await;
        }
        if let Some(label) = label {
            label.end().await;
        }
        Ok::<_, Failure>(ended)
    })?;
    terminal.finish();
    let ActiveRun { journal, space, folder, .. } = runner.active;
    let hold = Hold { journal, space, folder, locks };
    match ended {
        Ok(outcome) => Ok((hold, outcome)),
        Err(failure) => Err(stopped(&hold, failure)),
    }
}

/// Has comment and label say that nobody works on the run any more.
fn tell_of_stop(run: &Run, failure: &Failure, comment: Option<&CommentTask>, label: Option<&LabelTask>) {
    if let Some(comment) = comment {
        comment.stopped(run, &why_stopped(failure));
    }
    if let Some(label) = label {
        label.stopped(run);
    }
}

/// Returns why a run was stopped, for people on the server. What concerns the machine alone stays there.
fn why_stopped(failure: &Failure) -> String {
    match failure.kind {
        Kind::Forge | Kind::Interrupted => {
            let hint = failure.hints.first().map_or(String::new(), |hint| format!(" ({hint})"));
            format!("{}{hint}", failure.message)
        }
        kind => format!(
            "an error on the machine that worked on it, with exit code {}",
            crate::exit_code::of_failure(kind)
        ),
    }
}

/// In a job nobody is at the keyboard, so people steer the run by comments on its issue.
fn steering(
    door: &Door,
    run: &Run,
    forge: &Forge,
    request: &PendingRequest,
    stop: &StopHandle,
) -> Option<Steering> {
    let Forge::Github(github) = forge else { return None };
    let works = forge_connection::in_ci() && run.outcome == Outcome::Running && door.role != JobRole::Publish;
    works.then(|| Steering {
        github: github.clone(),
        keys: door.settings.github.clone(),
        number: run.started.issue.number,
        since: door.as_of.as_ref().map_or_else(|| door.clock.now(), |event| event.at),
        request: request.clone(),
        stop: stop.clone(),
        seen: BTreeSet::new(),
        pauses: Arc::default(),
    })
}

fn has_paused_on_request(journal: &Journal) -> bool {
    let run = journal.state().run.as_ref();
    let escalation = run.filter(|run| run.outcome == Outcome::Paused).and_then(|run| run.paused.as_ref());
    escalation.is_some_and(|escalation| escalation.reason == PauseReason::OnRequest)
}

fn stopped(hold: &Hold, failure: Failure) -> Failure {
    announce::stopped(&hold.journal);
    let report = announce::report(&hold.journal, crate::exit_code::of_failure(failure.kind));
    show::commands(&github_job::report_stop(hold, &failure));
    failure.with_report(Some(report))
}

/// Has the progress comment kept up to date; on a server by a task that has to be ended.
fn comment(door: &Door, journal: &mut Journal, forge: Forge) -> Option<CommentTask> {
    if door.role == JobRole::Work {
        return None;
    }
    let masker = door.masker.clone();
    match forge {
        Forge::Local(local) => {
            journal.add_reporter(Box::new(LocalComment::new(local, masker)));
            None
        }
        Forge::Github(github) => {
            let (reporter, task) = github_comment(github, masker, PACE);
            journal.add_reporter(Box::new(reporter));
            Some(task)
        }
    }
}

/// Has the label set that tells where the run stands, on a server and if that is wanted.
fn label(door: &Door, journal: &mut Journal, forge: &Forge) -> Option<LabelTask> {
    let Forge::Github(github) = forge else { return None };
    if !door.settings.github.state_labels || door.role == JobRole::Work {
        return None;
    }
    let (mut reporter, task) = state_label(github.clone());
    // What happened where nothing may be written was shown nobody, nor what a job that was cut off came to.
    if let (JobRole::Publish, Some(run)) = (door.role, &journal.state().run) {
        reporter.show(run);
    }
    journal.add_reporter(Box::new(reporter));
    Some(task)
}

/// Without a wish: a server gets the branch, in a job after each phase, because the job's disk is gone afterwards.
fn push(door: &Door, forge: &Forge) -> Push {
    let unsaid = match (forge.is_remote(), forge_connection::in_ci()) {
        (false, _) => PushWhen::Never,
        (true, true) => PushWhen::Phase,
        (true, false) => PushWhen::Halt,
    };
    match door.settings.push.unwrap_or(unsaid) {
        PushWhen::Phase => Push::Phase,
        PushWhen::Halt => Push::Halt,
        PushWhen::Never => Push::Never,
    }
}

/// Prints the last lines, or the JSON report, and tells the job that we may be in.
pub(super) fn finish(hold: &Hold, json: bool, code: u8) -> u8 {
    announce::ending(hold, code, json);
    show::commands(&github_job::report_halt(hold));
    code
}
