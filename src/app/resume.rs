//! Answers the question of a paused run and goes on with it until it halts.

use crate::continued_elsewhere::refuse_continued_elsewhere;
use crate::external_changes;
use crate::failure::{Failure, HaltResult};
use crate::kept_settings::{refuse_contradiction, refuse_untrusted_settings};
use crate::locked_run::LockedRun;
use crate::lost_commits::refuse_lost_commits;
use crate::project::Project;
use crate::run_request::{check_agents, record_whole_run};
use crate::run_to_halt::{RunDriver, RunObserver};
use engine::{Run, Status};
use git::{CommitId, Snapshot, Tree, is_engines_own};
use model::event::{Answered, Fact, PauseChoice, RunOutcome};
use model::issue::IssueNumber;
use views::summary::next_command;

/// What a person answers to the question of a paused run.
#[derive(Debug, Clone)]
pub struct AnswerRequest {
    /// The issue of the run.
    pub issue: IssueNumber,
    /// What the run is to do; nothing when that was left out.
    pub choice: Option<PauseChoice>,
    /// What the author is told, as the answer.
    pub answer: Option<String>,
    /// Why work is accepted.
    pub reason: Option<String>,
    /// What the author should know besides.
    pub text: Option<String>,
    /// How many revisions are granted instead of a fresh set.
    pub rounds: Option<u32>,
}

impl AnswerRequest {
    /// Makes an answer without words.
    pub(crate) fn new(issue: IssueNumber, choice: Option<PauseChoice>) -> Self {
        Self { issue, choice, answer: None, reason: None, text: None, rounds: None }
    }

    /// Returns the person's words; those of an accept say why.
    fn words(&self) -> &str {
        let given = [&self.answer, &self.reason, &self.text];
        given.into_iter().flatten().next().map_or("", |text| text.trim())
    }

    /// Refuses an answer that lacks its words, and words that belong to another answer.
    fn refuse_incomplete(&self, choice: PauseChoice) -> Result<(), Failure> {
        let silent = self.words().is_empty();
        if choice == PauseChoice::Accept && silent {
            return Err(Failure::usage("an accept needs a reason: it stands in the report and pull request")
                .hint("give it with `--accept --reason TEXT`"));
        }
        if self.answer.is_some() && silent {
            return Err(Failure::usage("the answer is empty").hint("say something, or use `--continue`"));
        }
        if self.reason.is_some() && choice != PauseChoice::Accept {
            return Err(Failure::usage("--reason says why work is accepted")
                .hint("add `--accept`, or tell the author something with `--answer TEXT`"));
        }
        if self.rounds.is_some() && choice != PauseChoice::Continue {
            return Err(Failure::usage("--rounds says how far a run goes on")
                .hint("give it with `--continue` or `--answer TEXT`"));
        }
        Ok(())
    }
}

/// Answers the question of a paused run and goes on with it until it halts.
pub fn resume(project: &Project, observer: &dyn RunObserver, request: &AnswerRequest) -> HaltResult {
    let driver = RunDriver { project, observer };
    let accepted = |run: &Run| accepted_choice(driver, run, request);
    let mut locked = LockedRun::take(project, request.issue, &|run| accepted(run).map(drop))?;
    let run = locked.run();
    refuse_unasked(run)?;
    refuse_lost_commits(&locked)?;
    refuse_continued_elsewhere(project, locked.space.workspace(), run)?;
    locked.space.run_branch().refuse_missing()?;
    refuse_untrusted_settings(project, run)?;
    let choice = accepted(run)?;
    let lost = external_changes::find_lost_files(project, &locked)?;
    refuse_undelivered(&locked, choice)?;
    if let Some(lost) = &lost
        && choice != PauseChoice::Continue
    {
        return Err(Failure::usage(format!("the {}", lost.describe()))
            .hint("answer with `--continue`: the phase begins anew"));
    }
    locked.log_facts();
    if let Some(lost) = lost {
        external_changes::reopen_phase(&mut locked, &lost, request.words())?;
        record_whole_run(project, &mut locked)?;
    } else {
        let changed = changed_by_hand(&locked, choice)?;
        let answered = Answered::new(choice, request.words(), &project.person);
        let answered = Answered { rounds: request.rounds, changed, ..answered };
        locked.journal.record(Fact::Answered(answered))?;
        record_whole_run(project, &mut locked)?;
        external_changes::note_changes(project, &mut locked)?;
    }
    driver.drive(locked)
}

/// Returns the answer; refuses one that this run does not take. Reads no file of the run, so it can be asked before the
/// checkout goes to the run's branch.
fn accepted_choice(driver: RunDriver, run: &Run, request: &AnswerRequest) -> Result<PauseChoice, Failure> {
    refuse_unasked(run)?;
    refuse_contradiction(driver.project, run)?;
    let Some(choice) = request.choice else {
        driver.observer.show_question(run);
        return Err(Failure::usage("an answer is needed").hint(
            "give `--answer TEXT`, `--continue`, `--edited`, `--accept --reason TEXT` or `--give-up`",
        ));
    };
    request.refuse_incomplete(choice)?;
    refuse_not_offered(run, choice)?;
    refuse_ungrantable(run, request)?;
    check_agents(driver.project, run)?;
    Ok(choice)
}

/// Only a question can be answered.
fn refuse_unasked(run: &Run) -> Result<(), Failure> {
    if run.outcome == RunOutcome::Paused {
        return Ok(());
    }
    let (number, outcome) = (run.started.issue.number, run.outcome.as_str());
    Err(Failure::usage(format!("the run of issue {number} is {outcome}; nothing was asked"))
        .hint(format!("next: `{}`", next_command(run)))
        .of_ended(run))
}

/// Rounds can be granted to a phase that has begun, not to a gate or a budget.
fn refuse_ungrantable(run: &Run, request: &AnswerRequest) -> Result<(), Failure> {
    let asked = run.paused.as_ref();
    if request.rounds.is_none() || asked.is_none_or(|asked| asked.takes(PauseChoice::Accept)) {
        return Ok(());
    }
    Err(Failure::usage("--rounds is for a phase that came to its limit; this pause is another one")
        .hint("leave `--rounds` out"))
}

/// Returns the paths that differ from the files as the run knew them; what is committed only where a person says that this is
/// the phase's work.
fn changed_by_hand(locked: &LockedRun, choice: PauseChoice) -> Result<Vec<String>, Failure> {
    let run = locked.run();
    let phase = run.phases.iter().find(|phase| phase.status == Status::Paused);
    let Some(phase) = phase.filter(|phase| !phase.files.tree.is_empty()) else { return Ok(Vec::new()) };
    let known = Tree::try_from(phase.files.tree.as_str())?;
    let Snapshot { mut changed, uncommitted, .. } = locked.space.snapshots().take(Some(&known))?;
    if choice == PauseChoice::Edited {
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
    let workspace = locked.space.workspace();
    let Some(branch) = workspace.branches().find(&run.started.branch)? else { return Ok(Vec::new()) };
    let known = CommitId::try_from(run.branch.head.as_str())?.as_tree();
    if branch.tip.as_str() == known.as_str() || !workspace.has_tree(&known)? {
        return Ok(Vec::new());
    }
    let mut committed = workspace.changes().paths_between(&known, &branch.tip.as_tree())?;
    committed.retain(|path| !is_engines_own(path));
    Ok(committed)
}

/// Only what the question offers can be answered.
fn refuse_not_offered(run: &Run, choice: PauseChoice) -> Result<(), Failure> {
    let Some(escalation) = run.paused.as_ref().filter(|asked| !asked.takes(choice)) else { return Ok(()) };
    let options: Vec<&str> = escalation.options.iter().map(|choice| choice.as_str()).collect();
    Err(Failure::usage(format!("this pause cannot be answered with {}", choice.as_str()))
        .hint(format!("it can be answered with: {}", options.join(", "))))
}

/// Refuses to accept what does not exist.
fn refuse_undelivered(locked: &LockedRun, choice: PauseChoice) -> Result<(), Failure> {
    let run = locked.run();
    let Some(escalation) = &run.paused else { return Ok(()) };
    let phase = escalation.phase.as_ref().and_then(|name| run.phase(name));
    let Some(phase) = phase.filter(|phase| choice == PauseChoice::Accept && !phase.def.policy.triage) else {
        return Ok(());
    };
    let deliverable = locked.folder.deliverable(&phase.def);
    if locked.folder.at(&deliverable).is_file() {
        return Ok(());
    }
    Err(Failure::usage(format!("there is nothing to accept: {deliverable} does not exist"))
        .hint("write it yourself and answer with `--edited`, or answer with `--continue`"))
}
