//! `resume`: answers the question of a paused run and goes on.

use super::Answer;
use super::announce;
use super::arguments::Resume;
use super::drive::drive;
use super::project::log_to;
use app::failure::Failure;
use app::locked_run::LockedRun;
use app::project::Project;
use app::run_request;
use app::{changes_outside, pinned_settings};
use engine::{Run, Status};
use git::{CommitId, Snapshot, Tree, is_engines_own};
use model::event::{Answered, Choice, Fact, Outcome};
use runner::report::{LogLines, Terminal};
use views::metadata::choice_word;
use views::summary::next_command;

pub(super) fn run(arguments: &Resume) -> Answer {
    let terminal = Terminal::on_stderr();
    log_to(&terminal);
    let project = crate::project::open(&arguments.settings)?;
    project.warn_of_short_secrets();
    answer(&project, &terminal, arguments)
}

/// Answers the question of a paused run and goes on.
pub(super) fn answer(project: &Project, terminal: &Terminal, arguments: &Resume) -> Answer {
    let mut locked =
        LockedRun::take(project, arguments.issue, &|run| accepted_choice(project, run, arguments).map(drop))?;
    refuse_unasked(locked.run()?)?;
    locked.space.run_branch().refuse_missing()?;
    pinned_settings::refuse_untrusted_settings(project, locked.run()?)?;
    let choice = accepted_choice(project, locked.run()?, arguments)?;
    let lost = changes_outside::find_lost_files(project, &locked)?;
    refuse_undelivered(&locked, choice)?;
    if let Some(lost) = &lost
        && choice != Choice::Continue
    {
        return Err(Failure::usage(format!("the {}", lost.sentence()))
            .hint("answer with `--continue`: the phase begins anew"));
    }
    locked.journal.add_reporter(Box::new(LogLines::default()));
    if let Some(lost) = lost {
        changes_outside::reopen_phase(&mut locked, &lost, text(arguments))?;
        run_request::record_whole_run(project, &mut locked)?;
        return drive(project, locked, terminal, arguments.json);
    }
    let changed = changed_by_hand(&locked, choice)?;
    let answered = Answered {
        rounds: arguments.rounds,
        changed,
        ..Answered::new(choice, text(arguments), &project.person)
    };
    locked.journal.record(Fact::Answered(answered))?;
    run_request::record_whole_run(project, &mut locked)?;
    changes_outside::note_changes(project, &mut locked)?;
    drive(project, locked, terminal, arguments.json)
}

/// Returns the answer; refuses one that this run does not take. Reads no file of the run, so it can be asked before the
/// checkout goes to the run's branch.
fn accepted_choice(project: &Project, run: &Run, arguments: &Resume) -> Result<Choice, Failure> {
    refuse_unasked(run)?;
    pinned_settings::refuse_contradiction(project, run)?;
    let Some(choice) = choice(arguments) else {
        announce::question(run);
        return Err(Failure::usage("an answer is needed").hint(
            "give `--answer TEXT`, `--continue`, `--edited`, `--accept --reason TEXT` or `--give-up`",
        ));
    };
    complete(arguments, choice)?;
    offered(run, choice)?;
    grantable(run, arguments)?;
    run_request::check_agents(project, run)?;
    Ok(choice)
}

/// Only a question can be answered.
fn refuse_unasked(run: &Run) -> Result<(), Failure> {
    if run.outcome == Outcome::Paused {
        return Ok(());
    }
    let (number, outcome) = (run.started.issue.number, run.outcome.as_str());
    let told = format!("the run of issue {number} is {outcome}; nothing was asked");
    Err(Failure::usage(told).hint(format!("next: `{}`", next_command(run))))
}

fn choice(arguments: &Resume) -> Option<Choice> {
    let given = [
        (arguments.go_on || arguments.answer.is_some(), Choice::Continue),
        (arguments.edited, Choice::Edited),
        (arguments.accept, Choice::Accept),
        (arguments.give_up, Choice::GiveUp),
    ];
    given.iter().find(|(given, _)| *given).map(|(_, choice)| *choice)
}

/// Returns the person's words; those of an accept say why.
fn text(arguments: &Resume) -> &str {
    let given = [&arguments.answer, &arguments.reason, &arguments.text];
    given.into_iter().flatten().next().map_or("", |text| text.trim())
}

/// Refuses an answer that lacks its words, and words that belong to another answer.
fn complete(arguments: &Resume, choice: Choice) -> Result<(), Failure> {
    let silent = text(arguments).is_empty();
    if choice == Choice::Accept && silent {
        return Err(Failure::usage("an accept needs a reason: it stands in the report and the pull request")
            .hint("give it with `--accept --reason TEXT`"));
    }
    if arguments.answer.is_some() && silent {
        return Err(Failure::usage("the answer is empty").hint("say something, or go on with `--continue`"));
    }
    if arguments.reason.is_some() && choice != Choice::Accept {
        return Err(Failure::usage("--reason says why work is accepted")
            .hint("add `--accept`, or tell the author something with `--answer TEXT`"));
    }
    if arguments.rounds.is_some() && choice != Choice::Continue {
        return Err(Failure::usage("--rounds says how far a run goes on")
            .hint("give it with `--continue` or `--answer TEXT`"));
    }
    Ok(())
}

/// Rounds can be granted to a phase that has begun, not to a gate or a budget.
fn grantable(run: &Run, arguments: &Resume) -> Result<(), Failure> {
    let asked = run.paused.as_ref();
    if arguments.rounds.is_none() || asked.is_none_or(|asked| asked.takes(Choice::Accept)) {
        return Ok(());
    }
    Err(Failure::usage("--rounds is for a phase that came to its limit; this pause is another one")
        .hint("leave `--rounds` out"))
}

/// Returns the paths that differ from the files as the run knew them; what is committed only where a person says that this is
/// the phase's work.
fn changed_by_hand(locked: &LockedRun, choice: Choice) -> Result<Vec<String>, Failure> {
    let run = locked.run()?;
    let phase = run.phases.iter().find(|phase| phase.status == Status::Paused);
    let Some(phase) = phase.filter(|phase| !phase.files.tree.is_empty()) else { return Ok(Vec::new()) };
    let known = Tree::try_from(phase.files.tree.as_str())?;
    let Snapshot { mut changed, uncommitted, .. } = locked.space.snapshots().take(Some(&known))?;
    if choice == Choice::Edited {
        changed.extend(committed_by_hand(locked, run)?);
    } else {
        changed.retain(|path| uncommitted.contains_key(path) && !locked.space.files().is_setting(path));
    }
    changed.sort();
    changed.dedup();
    changed.retain(|path| !run.started.strays.contains(path));
    Ok(changed)
}

/// A commit of what the agent left leaves the files as they are, and is an edit all the same.
fn committed_by_hand(locked: &LockedRun, run: &Run) -> Result<Vec<String>, Failure> {
    let Some(branch) = locked.space.workspace().branches().find(&run.started.branch)? else {
        return Ok(Vec::new());
    };
    let known = CommitId::try_from(run.branch.head.as_str())?.as_tree();
    if branch.tip.as_str() == known.as_str() || !locked.space.workspace().objects().has_tree(&known)? {
        return Ok(Vec::new());
    }
    let mut committed = locked.space.workspace().changes().paths_between(&known, &branch.tip.as_tree())?;
    committed.retain(|path| !is_engines_own(path));
    Ok(committed)
}

/// Only what the question offers can be answered.
fn offered(run: &Run, choice: Choice) -> Result<(), Failure> {
    let Some(escalation) = run.paused.as_ref().filter(|asked| !asked.takes(choice)) else { return Ok(()) };
    let options: Vec<&str> = escalation.options.iter().map(|choice| choice_word(*choice)).collect();
    Err(Failure::usage(format!("this pause cannot be answered with {}", choice_word(choice)))
        .hint(format!("it can be answered with: {}", options.join(", "))))
}

/// Nobody can accept what does not exist.
fn refuse_undelivered(locked: &LockedRun, choice: Choice) -> Result<(), Failure> {
    let run = locked.run()?;
    let Some(escalation) = &run.paused else { return Ok(()) };
    let phase = escalation.phase.as_ref().and_then(|name| run.phase(name));
    let Some(phase) = phase.filter(|phase| choice == Choice::Accept && !phase.def.policy.triage) else {
        return Ok(());
    };
    let deliverable = locked.folder.deliverable(&phase.def);
    if locked.folder.at(&deliverable).is_file() {
        Ok(())
    } else {
        Err(Failure::usage(format!("there is nothing to accept: {deliverable} does not exist"))
            .hint("write it yourself and answer with `--edited`, or answer with `--continue`"))
    }
}
