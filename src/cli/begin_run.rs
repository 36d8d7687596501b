//! Begins a run: reads the issue, looks whether everything is there, makes the branch, pins what was agreed.

use std::io::IsTerminal;

use super::arguments::Execute;
use super::ask;
use super::door::Door;
use super::failure::Failure;
use super::forge_connection;
use super::hold::{Locks, open_journal, refuse_dirty};
use app::agent_choice::{self, Reason, refuse_unusable_agents};
use app::agreement::{ProjectCommand, pin_commands, pin_schemas, project_commands, refuse_unknown_checks};
use app::base_branch;
use app::issue_text;
use app::run_location::refuse_log_removed;
use app::run_to_halt::refuse_broken_templates;
use app::run_worktree::{make_linked, record_location, set_up};
use app::runner::{NewRun, begin, planned_run};
use git::{Base, RunBranchState, RunWorkspace, Survey, Workspace};
use journal::Journal;
use journal::store::folders::RunFolder;
use model::event::branch_of;
use model::issue::IssueNumber;
use model::phase::PhaseName;
use model::policy::{Agreement, Budget};
use settings::{Names, suggestion};

/// What a run is going to be begun with; nothing has been written for it.
pub(super) struct Plan {
    pub(super) beginning: NewRun,
    pub(super) base: Base,
    pub(super) commands: Vec<ProjectCommand>,
    survey: Survey,
    /// Whether the run's branch has to be made.
    new: bool,
}

/// Looks whether everything is there that a run needs, and whether it takes what is asked of it. Writes nothing.
pub(super) fn plan(door: &Door, arguments: &Execute, only: Option<&PhaseName>) -> Result<Plan, Failure> {
    let number = arguments.issue;
    let issue = issue_text::read(door, number)?;
    let commands = project_commands(door);
    let (agreement, told) = agreement(door, &commands)?;
    let skipped = left_out(door, &agreement)?;
    refuse_unusable_agents(door, &agreement)?;
    refuse_broken_templates(door, &agreement)?;
    let survey = survey(door)?;
    door.workspace.history().check_identity()?;
    let chosen = base_branch::choose(door, &survey.head, number)?;
    let base = chosen.base.clone();
    let new = is_new(door, number, &base)?;
    let beginning = NewRun {
        repository: forge_connection::repository_of(door, &issue)?,
        branch: branch_of(number),
        base_branch: base.branch.clone(),
        base_commit: base.commit.to_string(),
        language: door.settings.language.clone(),
        strays: if door.settings.worktree { Vec::new() } else { survey.untracked.clone() },
        issue,
        agreement,
        skipped,
    };
    let run = planned_run(beginning.clone(), door.clock.now())?;
    ask::refuse(door, &run, arguments, only)?;
    told.iter().for_each(Reason::log);
    tracing::info!("{}", chosen.line());
    door.settings.notices().for_each(|notice| tracing::warn!("{notice}"));
    Ok(Plan { beginning, base, commands, survey, new })
}

/// Begins the run of an issue whose locks we hold; that of a worktree of its own is taken when it is there.
pub(super) fn begin_run(
    door: &Door,
    arguments: &Execute,
    only: Option<&PhaseName>,
    locks: &mut Locks,
) -> Result<(Journal, RunWorkspace, RunFolder), Failure> {
    let number = arguments.issue;
    let Plan { beginning, base, survey, new, .. } = plan(door, arguments, only)?;
    let space = go_to_branch(door, number, &base, new, locks)?.for_issue(number);
    set_up(door, space.workspace())?;
    let folder = RunFolder::new(space.workspace().root(), number);
    folder.prepare()?;
    record_location(door, number, folder.root())?;
    let mut journal = open_journal(door, &folder)?;
    begin(&mut journal, beginning)?;
    notices(door, &survey, &base);
    Ok((journal, space, folder))
}

/// Returns what is agreed on, and why these agents: all phases, those outside the preset are left out below.
fn agreement(door: &Door, commands: &[ProjectCommand]) -> Result<(Agreement, Vec<Reason>), Failure> {
    let mut agreement = door.settings.agreement(None)?;
    pin_commands(&mut agreement, commands);
    agreement.budget = budget(door);
    for phase in &mut agreement.phases {
        let of_steps = phase.step_agents.values_mut().flatten();
        let of_seats = phase.panel.iter_mut().flat_map(|seat| &mut seat.agents);
        for spec in phase.agents.iter_mut().chain(&mut phase.reviewers).chain(of_steps).chain(of_seats) {
            *spec = door.relative_spec(spec);
        }
    }
    pin_schemas(&door.settings, door.root(), &mut agreement)?;
    let told = agent_choice::choose(door, &mut agreement)?;
    refuse_unknown_checks(&agreement)?;
    Ok((agreement, told))
}

/// The budget as set, with the default spend limit when nobody is at the terminal.
pub(super) fn budget(door: &Door) -> Budget {
    let attended = std::io::stderr().is_terminal() && std::io::stdin().is_terminal();
    door.settings.budget(attended)
}

/// Returns the phases that are not going to run, and why.
pub(super) fn left_out(door: &Door, agreement: &Agreement) -> Result<Vec<(PhaseName, String)>, Failure> {
    let by_preset = door.settings.preset_phases()?;
    let Names(by_flag) = &door.settings.skip_phases;
    let known: Vec<&str> = agreement.phases.iter().map(|phase| phase.name.as_str()).collect();
    if let Some(unknown) = by_flag.iter().find(|name| !known.contains(&name.as_str())) {
        let failure = Failure::usage(format!("there is no phase `{unknown}` to skip"));
        let near = suggestion(unknown, known.iter().copied());
        return Err(near
            .into_iter()
            .fold(failure, |failure, near| failure.hint(format!("did you mean `{near}`?"))));
    }
    let why = |name: &PhaseName| {
        let outside = by_preset.is_some_and(|list| !list.iter().any(|inside| inside == name.as_str()));
        let skipped = by_flag.iter().any(|skipped| skipped == name.as_str());
        if skipped { Some("--skip-phases") } else { outside.then_some("preset") }
    };
    let all = agreement.phases.iter();
    let left_out: Vec<_> =
        all.filter_map(|phase| Some((phase.name.clone(), why(&phase.name)?.to_owned()))).collect();
    if left_out.len() == agreement.phases.len() {
        return Err(Failure::usage("every phase is left out").hint("leave some in"));
    }
    Ok(left_out)
}

/// The checkout has to be clean, unless the run leaves it alone.
fn survey(door: &Door) -> Result<Survey, Failure> {
    if door.settings.worktree {
        Ok(door.workspace.worktree().survey()?)
    } else {
        refuse_dirty(&door.workspace)
    }
}

/// Tells whether the run's branch has to be made. One that a crash left at the base is taken up.
fn is_new(door: &Door, number: IssueNumber, base: &Base) -> Result<bool, Failure> {
    let branch = branch_of(number);
    match door.workspace.for_issue(number).run_branch().state(&base.commit)? {
        RunBranchState::Missing => Ok(true),
        RunBranchState::AtBase(_) | RunBranchState::Ours(_) => Ok(false),
        RunBranchState::Foreign(_) => {
            refuse_log_removed(door, number)?;
            Err(Failure::usage(format!("the branch `{branch}` exists and was not made by a run that is known here"))
                .hint(format!("look at it with `git log {branch}`, and remove it with `git branch -D {branch}` if nobody needs it")))
        }
    }
}

fn go_to_branch(
    door: &Door,
    number: IssueNumber,
    base: &Base,
    new: bool,
    locks: &mut Locks,
) -> Result<Workspace, Failure> {
    if door.settings.worktree {
        let workspace = make_linked(door, number, new.then_some(base))?;
        locks.take_checkout(door, number, &workspace)?;
        locks.begin_work(door);
        return Ok(workspace);
    }
    let branch = branch_of(number);
    locks.begin_work(door);
    if new {
        door.workspace.branches().start(&branch, &base.commit)?;
    } else {
        door.workspace.branches().switch(&branch)?;
    }
    Ok(door.workspace.clone())
}

/// Tells what is worth knowing and refuses nothing.
fn notices(door: &Door, survey: &Survey, base: &Base) {
    if !survey.untracked.is_empty() {
        tracing::info!("{} untracked files are left alone and never committed", survey.untracked.len());
    }
    if let Some(on_origin) = &base.on_origin {
        tracing::warn!(
            "{} stands on another commit on origin ({}); the local one counts",
            base.branch,
            &on_origin.as_str()[..9]
        );
    }
    if door.workspace.repository().is_shallow() {
        tracing::warn!("this clone is shallow: its history is cut off; the run itself does not need more");
    }
    if survey.has_submodules {
        tracing::warn!("this repository has submodules; they are neither initialised nor committed");
    }
    if !door.workspace.repository().prefix().is_empty() {
        tracing::info!(
            "working on the whole repository {}, not on {} alone",
            door.root().display(),
            door.workspace.repository().prefix()
        );
    }
}
