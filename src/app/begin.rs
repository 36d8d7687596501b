//! Begins a run: reads the issue, looks whether everything is there, makes the branch, pins what was agreed. Of the issue the
//! text of the moment counts, and the comments of people with write access before it.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::agent_choice::{self, ChoiceReason, refuse_unknown_agents, refuse_unusable_agents};
use crate::agreement::{
    ProjectCommand, pin_commands, pin_schemas, project_commands, refuse_unjudged_checks,
    refuse_unknown_checks,
};
use crate::base_branch;
use crate::environment::{is_attended, runtime};
use crate::failure::{Failure, Result, TEXT_NOT_TRUSTED};
use crate::forge_connection;
use crate::locked_run::{RunLocks, lock_checkout, open_journal};
use crate::project::{Project, refuse_unreadable_prompts};
use crate::run_location::{
    RunLocation, locate, make_linked, no_run_failure, record_location, require_clean, set_up,
};
use crate::run_request::{ExecuteRequest, refuse_request};
use crate::run_to_halt::refuse_broken_templates;
use forge::{
    Comment, Forge, ForgeError, GithubForge, WriteAccess, comments_before, discussion_of, is_named,
    referenced_issues,
};
use git::{RunBase, RunBranchState, RunWorkspace, Workspace, WorktreeState};
use journal::Journal;
use journal::store::folders::RunFolder;
use model::event::{FORMAT, RunStarted};
use model::issue::{Discussion, Issue, IssueNumber, IssueSnapshot, LinkedIssue, run_branch_name};
use model::phase::PhaseName;
use model::policy::{Agreement, PhaseDef};
use runner::{begin, nonce, planned_run};
use settings::{CommentAuthors, suggestion};

/// What a run is going to be begun with; nothing has been written for it.
pub struct RunPlan {
    /// What is pinned.
    pub started: RunStarted,
    /// Phases left out, and why.
    pub skipped: Vec<(PhaseName, String)>,
    /// The branch that it starts from.
    pub base: RunBase,
    /// The commands that it uses.
    pub commands: Vec<ProjectCommand>,
    survey: WorktreeState,
    /// Whether the run's branch has to be made.
    new: bool,
}

/// Looks whether everything is there that a run needs, and whether it takes what is asked of it. Writes nothing.
pub(crate) fn plan(project: &Project, request: &ExecuteRequest) -> Result<RunPlan> {
    let number = request.issue;
    let issue = read_issue(project, number)?;
    let commands = project_commands(project);
    let (mut agreement, skipped) = agree(project, &commands)?;
    agreement.budget = project.settings.budget(is_attended());
    let told = agent_choice::choose(project, &mut agreement)?;
    refuse_unusable_agents(project, &agreement)?;
    let survey = survey_checkout(project)?;
    project.workspace.history().check_identity()?;
    let chosen = base_branch::choose(project, &survey.head, number)?;
    let base = chosen.base.clone();
    let new = needs_branch(project, number, &base)?;
    let started = RunStarted {
        format: FORMAT,
        run_id: nonce(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        issue_digest: forge::digest(&issue),
        repository: forge_connection::repository_of(project, &issue)?,
        branch: run_branch_name(number),
        base_branch: base.branch.clone(),
        base_commit: base.commit.to_string(),
        language: project.settings.language.clone(),
        strays: if project.settings.worktree { Vec::new() } else { survey.untracked.clone() },
        issue,
        agreement,
    };
    let run = planned_run(started.clone(), skipped.clone(), journal::now())?;
    refuse_request(project, &run, request)?;
    told.iter().for_each(ChoiceReason::log);
    tracing::info!("{}", chosen.line());
    project.settings.notices().for_each(|notice| tracing::warn!("{notice}"));
    Ok(RunPlan { started, skipped, base, commands, survey, new })
}

/// Begins the run of an issue whose locks we hold; that of a worktree of its own is taken when it is there.
pub(crate) fn begin_run(
    project: &Project,
    request: &ExecuteRequest,
    locks: &mut RunLocks,
) -> Result<(Journal, RunWorkspace, RunFolder)> {
    let number = request.issue;
    let plan = plan(project, request)?;
    let space = plan.go_to_branch(project, locks)?.for_issue(number);
    set_up(project, space.workspace())?;
    let folder = RunFolder::new(space.workspace().root(), number);
    folder.prepare()?;
    record_location(project, number, folder.root())?;
    let mut journal = open_journal(project, &folder)?;
    begin(&mut journal, plan.started, plan.skipped)?;
    log_notices(project, &plan.survey, &plan.base);
    log_missed(project, &plan.commands);
    Ok((journal, space, folder))
}

/// Refuses settings with which no run could begin, whatever the issue: all that `execute` refuses and that can be known without
/// an issue, a clean checkout and the programs of agents.
pub fn refuse_settings(project: &Project) -> Result<()> {
    agree(project, &project_commands(project))?;
    base_branch::refuse_unknown(project)
}

/// Returns what the settings come to and the phases that are left out, and why. All phases are in it; which agent `auto` is, is
/// not chosen yet.
fn agree(project: &Project, commands: &[ProjectCommand]) -> Result<(Agreement, Vec<(PhaseName, String)>)> {
    let mut agreement = project.settings.agreement(None)?;
    pin_commands(&mut agreement, commands);
    for phase in &mut agreement.phases {
        let of_steps = phase.step_agents.values_mut().flatten();
        let of_seats = phase.panel.iter_mut().flat_map(|seat| &mut seat.agents);
        for spec in phase.agents.iter_mut().chain(&mut phase.reviewers).chain(of_steps).chain(of_seats) {
            *spec = project.relative_spec(spec);
        }
    }
    pin_schemas(&project.settings, project.root(), &mut agreement)?;
    refuse_unknown_checks(&agreement)?;
    refuse_unknown_agents(project, &agreement)?;
    refuse_unreadable_prompts(project)?;
    refuse_broken_templates(project, &agreement)?;
    let skipped = left_out(project, &agreement)?;
    let runs = |phase: &&PhaseDef| skipped.iter().all(|(name, _)| *name != phase.name);
    agreement.phases.iter().filter(runs).try_for_each(|phase| refuse_unjudged_checks(&agreement, phase))?;
    Ok((agreement, skipped))
}

/// Returns the phases that are not going to run, and why.
pub(crate) fn left_out(project: &Project, agreement: &Agreement) -> Result<Vec<(PhaseName, String)>> {
    let by_preset = project.settings.preset_phases()?;
    let by_flag = &project.settings.skip_phases;
    let known: Vec<&str> = agreement.phases.iter().map(|phase| phase.name.as_str()).collect();
    if let Some(unknown) = by_flag.iter().find(|name| !known.contains(&name.as_str())) {
        let hints = suggestion(unknown, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let failure = Failure::usage(format!("there is no phase `{unknown}` to skip"));
        return Err(Failure { hints: hints.into_iter().collect(), ..failure });
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
fn survey_checkout(project: &Project) -> Result<WorktreeState> {
    if project.settings.worktree {
        Ok(project.workspace.read_state()?)
    } else {
        require_clean(&project.workspace)
    }
}

/// Tells whether the run's branch has to be made. One that a crash left at the base is taken up.
fn needs_branch(project: &Project, number: IssueNumber, base: &RunBase) -> Result<bool> {
    let branch = run_branch_name(number);
    match project.workspace.for_issue(number).run_branch().state(&base.commit)? {
        RunBranchState::Missing => Ok(true),
        RunBranchState::AtBase(_) | RunBranchState::Ours(_) => Ok(false),
        RunBranchState::Foreign(_) => {
            if let found @ RunLocation::LogRemoved(_) = locate(project, number)? {
                return Err(no_run_failure(&found, number));
            }
            Err(Failure::usage(format!("the branch `{branch}` exists and was not made by a run that is known here"))
                .hint(format!("look at it with `git log refs/heads/{branch}`, and remove it with `git branch -D {branch}` if nobody needs it")))
        }
    }
}

impl RunPlan {
    /// Goes to the run's branch, which is made where it is not there.
    fn go_to_branch(&self, project: &Project, locks: &mut RunLocks) -> Result<Workspace> {
        let number = self.started.issue.number;
        if project.settings.worktree {
            let base = if self.new { Some(&self.base) } else { None };
            let workspace = make_linked(project, number, base)?;
            locks.checkout = Some(lock_checkout(project, number, &workspace)?);
            locks.begin_work();
            return Ok(workspace);
        }
        let branch = run_branch_name(number);
        locks.begin_work();
        if self.new {
            project.workspace.branches().start(&branch, &self.base.commit)?;
        } else {
            project.workspace.branches().switch(&branch)?;
        }
        Ok(project.workspace.clone())
    }
}

/// Says which programs of commands are not there, before an agent is paid. `[commands] setup` may bring them to the clean worktree.
fn log_missed(project: &Project, commands: &[ProjectCommand]) {
    for command in commands.iter().filter(|command| command.is_missed(project)) {
        let (key, line) = (&command.key, &command.line);
        tracing::warn!(
            "`{line}` of `[commands] {key}` was not found; unless `[commands] setup` installs it, what it checks stays unavailable"
        );
    }
}

/// Tells what is worth knowing and refuses nothing.
fn log_notices(project: &Project, survey: &WorktreeState, base: &RunBase) {
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
    if project.workspace.is_shallow() {
        tracing::warn!("this clone is shallow: its history is cut off; the run itself does not need more");
    }
    if survey.has_submodules {
        tracing::warn!("this repository has submodules; they are neither initialised nor committed");
    }
    if !project.workspace.prefix().is_empty() {
        tracing::info!(
            "working on the whole repository {}, not on {} alone",
            project.root().display(),
            project.workspace.prefix()
        );
    }
}

/// The most authors about whom GitHub is asked; those of the newest comments come first.
const MOST_PEOPLE: usize = 30;

/// Reads an open issue from the forge that was chosen.
fn read_issue(project: &Project, number: IssueNumber) -> Result<Issue> {
    let forge = forge_connection::of_issue(project, number)?;
    let (issue, is_trusted) = runtime()?.block_on(async {
        let issue = read_with_discussion(project, &forge, number).await?;
        let is_trusted =
            !project.settings.github.trusted_text_only || is_trusted(project, &forge, &issue).await?;
        Ok::<_, Failure>((issue, is_trusted))
    })?;
    if !issue.open {
        return Err(
            Failure::usage(format!("issue {number} is closed")).hint("open it again, or choose another one")
        );
    }
    if issue.discussion.left_out > 0 {
        tracing::info!(
            "{} earlier comments on the issue are left out: the prompt is full",
            issue.discussion.left_out
        );
    }
    if is_trusted { Ok(issue) } else { without_author_text(issue) }
}

async fn read_with_discussion(project: &Project, forge: &Forge, number: IssueNumber) -> Result<Issue> {
    let mut issue = forge.issue(number).await?;
    if let Some(IssueSnapshot { title, body, .. }) = &project.as_of {
        (issue.title, issue.body) = (title.clone(), body.clone());
    }
    let before = project.as_of.as_ref().map_or_else(journal::now, |event| event.at);
    let nobody = project.settings.github.speakers == CommentAuthors::Nobody;
    let comments = if nobody { Vec::new() } else { forge.comments(number).await? };
    let comments = comments_before(comments, before);
    let speakers = find_trusted_authors(project, forge, &comments).await?;
    let is_heard = |comment: &Comment| speakers.get(&comment.author).copied().unwrap_or(false);
    let linked = read_linked_issues(forge, &issue, project.as_of.as_ref().map(|event| event.at)).await;
    issue.discussion = Discussion { linked, ..discussion_of(&comments, is_heard) };
    Ok(issue)
}

async fn is_trusted(project: &Project, forge: &Forge, issue: &Issue) -> Result<bool, ForgeError> {
    match forge {
        Forge::Local(_) => Ok(true),
        Forge::Github(github) => write_access(project, github).is_granted(&issue.author).await,
    }
}

/// Returns the issue without the text of its author, who is not trusted: the comments of trusted authors stay.
fn without_author_text(issue: Issue) -> Result<Issue> {
    let Issue { number, author, .. } = &issue;
    if issue.discussion.comments.is_empty() {
        let told = format!(
            "{TEXT_NOT_TRUSTED}: {author}, who wrote issue {number}, may not write to the repository"
        );
        return Err(Failure::usage(told)
            .hint("say in a comment what is to be done, or set `github.trusted_text_only` to false"));
    }
    let title = format!("Issue {number}");
    let body = format!(
        "[What {author} wrote is not shown, because {author} may not write to the repository. The comments say what to do.]"
    );
    let discussion = Discussion { linked: Vec::new(), ..issue.discussion };
    Ok(Issue { title, body, discussion, ..issue })
}

/// Returns for each commenter whether their comments reach the prompt. Who cannot be asked about is not.
async fn find_trusted_authors(
    project: &Project,
    forge: &Forge,
    comments: &[Comment],
) -> Result<BTreeMap<String, bool>> {
    let Forge::Github(github) = forge else {
        return Ok(comments.iter().map(|comment| (comment.author.clone(), true)).collect());
    };
    let keys = &project.settings.github;
    let mut write_access = write_access(project, github);
    let mut known = BTreeMap::new();
    for comment in comments.iter().rev() {
        if known.len() < MOST_PEOPLE && !known.contains_key(&comment.author) {
            let may = match keys.speakers {
                _ if comment.by_bot => is_named(&keys.allowed_actors, &comment.author),
                CommentAuthors::Everyone => true,
                CommentAuthors::Write | CommentAuthors::Nobody => {
                    write_access.is_granted(&comment.author).await?
                }
            };
            known.insert(comment.author.clone(), may);
        }
    }
    Ok(known)
}

fn write_access<'a>(project: &'a Project, github: &'a GithubForge) -> WriteAccess<'a> {
    WriteAccess::new(github, &project.settings.github.allowed_actors)
}

/// Returns the issues that the text names; one that cannot be read, or had another title at the time of the event, is left out.
async fn read_linked_issues(forge: &Forge, issue: &Issue, as_of: Option<Timestamp>) -> Vec<LinkedIssue> {
    let mut found = Vec::new();
    for number in referenced_issues(&issue.body, issue.number) {
        let Ok(Issue { title, open, .. }) = forge.issue(number).await else { continue };
        let is_of_then = match (forge, as_of) {
            (Forge::Github(github), Some(at)) => github.has_kept_title(number, at).await.unwrap_or(false),
            (Forge::Github(_), None) | (Forge::Local(_), _) => true,
        };
        if is_of_then {
            found.push(LinkedIssue { number, title, open });
        }
    }
    found
}
