//! Which branch a run starts from: the one that is asked for; on the branch of another run the base of that run; else
//! the default branch of origin; else the branch that is checked out. A branch of a run is a base only where it is asked for.

use std::collections::BTreeSet;
use std::fmt::Display;

use crate::failure::{Failure, Result};
use crate::forge_connection::{self, REMOTE};
use crate::project::Project;
use crate::run_location::view;
use git::{Error, Head, RunBase};
use journal::store::common_dir::FinalizedRun;
use model::issue::{IssueNumber, issue_of_run_branch, run_branch_name};

/// The base of a run, and why it is this one.
pub(crate) struct ChosenBase {
    /// The branch and its commit.
    pub base: RunBase,
    why: String,
}

impl ChosenBase {
    /// Says which branch it is, in one line.
    pub(crate) fn line(&self) -> String {
        format!("The base is {}, {}", self.base.branch, self.why)
    }
}

/// Chooses the base of a new run.
pub(crate) fn choose(project: &Project, head: &Head, number: IssueNumber) -> Result<ChosenBase> {
    if let Some(wanted) = project.settings.base_branch.as_deref() {
        if wanted == run_branch_name(number) {
            return Err(Failure::usage(format!("the base branch `{wanted}` is the run's own branch"))
                .hint("name the branch to merge into with `--base-branch`"));
        }
        let base = project.workspace.branches().base(wanted)?;
        return Ok(ChosenBase { base, why: "as it is asked for".to_owned() });
    }
    let current = stands_on(project, head)?;
    if let Some(branch) = &current
        && let Some(issue) = issue_of_run_branch(branch)
        && let Some(name) = base_of_run(project, issue)?
        && let Some(base) = existing(project.workspace.branches().base(&name))?
    {
        let why = format!("that of the run of issue #{issue}, whose branch is checked out");
        return Ok(ChosenBase { base, why });
    }
    let note = match default_of_origin(project, head)? {
        OriginDefault::Here(base) => {
            return Ok(ChosenBase { base, why: "the default branch of origin".to_owned() });
        }
        OriginDefault::Unknown { note } => note,
    };
    let current = current.ok_or(Error::DetachedHead)?;
    if issue_of_run_branch(&current).is_some() {
        return Err(Failure::usage(format!(
            "`{current}` is the branch of a run, and no base for another one{note}"
        ))
        .hint("name the branch to start from: `--base-branch BRANCH`"));
    }
    Ok(ChosenBase {
        base: project.workspace.branches().base(&current)?,
        why: format!("the branch that is checked out{note}"),
    })
}

/// Refuses a base branch in the settings that is none.
pub(crate) fn refuse_unknown(project: &Project) -> Result<()> {
    if let Some(wanted) = project.settings.base_branch.as_deref() {
        project.workspace.branches().base(wanted)?;
    }
    Ok(())
}

/// Returns the branch that counts as checked out. A crash may have come between the making of a run's branch and the first
/// fact of that run: then it is the branch that was left for it.
fn stands_on(project: &Project, head: &Head) -> Result<Option<String>> {
    let Some(current) = &head.branch else { return Ok(None) };
    match issue_of_run_branch(current) {
        Some(issue) if recorded_base(project, issue)?.is_none() => {
            Ok(project.workspace.branches().previous_branch()?.or_else(|| Some(current.clone())))
        }
        _ => Ok(Some(current.clone())),
    }
}

/// Returns the base of the run of an issue; of a run that was begun on another run's branch, the base of that one.
fn base_of_run(project: &Project, issue: IssueNumber) -> Result<Option<String>> {
    let (mut next, mut seen) = (Some(issue), BTreeSet::new());
    let mut base = None;
    while let Some(issue) = next.filter(|issue| seen.insert(*issue)) {
        base = recorded_base(project, issue)?;
        next = base.as_deref().and_then(issue_of_run_branch);
    }
    Ok(base.filter(|base| issue_of_run_branch(base).is_none()))
}

/// Returns the base that the run of an issue recorded. A log that cannot be read records none.
fn recorded_base(project: &Project, issue: IssueNumber) -> Result<Option<String>> {
    if let Some(run) = view(project, issue).ok().and_then(|view| view.state.run) {
        return Ok(Some(run.started.base_branch));
    }
    Ok(FinalizedRun::read(project.workspace.common(), issue)?.map(|record| record.base_branch))
}

/// Origin's default branch.
enum OriginDefault {
    /// It is here.
    Here(RunBase),
    /// It is not known here. The note says why; it is empty without an origin.
    Unknown { note: String },
}

impl OriginDefault {
    fn unknown(why: impl Display) -> Self {
        Self::Unknown { note: format!(": {why}") }
    }
}

fn default_of_origin(project: &Project, head: &Head) -> Result<OriginDefault> {
    let found = known_default_of_origin(project, head)?;
    // A server makes the branch that was pushed first its default.
    Ok(match found {
        OriginDefault::Here(base) if issue_of_run_branch(&base.branch).is_some() => OriginDefault::unknown(
            format_args!("the default branch of origin, {}, is the branch of a run", base.branch),
        ),
        found => found,
    })
}

fn known_default_of_origin(project: &Project, head: &Head) -> Result<OriginDefault> {
    if let Some(base) = existing(project.workspace.branches().origin_default(head))?.flatten() {
        return Ok(OriginDefault::Here(base));
    }
    if project.workspace.origin().address()?.is_none() {
        return Ok(OriginDefault::Unknown { note: String::new() });
    }
    let credentials = forge_connection::credentials();
    let name = match project.workspace.remote(REMOTE, credentials.as_ref()).default_branch() {
        Ok(Some(name)) => name,
        Ok(None) => return Ok(OriginDefault::unknown("origin names no default branch")),
        Err(Error::TooSlow { seconds, .. }) => {
            let why = format_args!("origin did not say within {seconds} s which branch is its default");
            return Ok(OriginDefault::unknown(why));
        }
        Err(_) => return Ok(OriginDefault::unknown("origin cannot be asked for its default branch")),
    };
    Ok(match existing(project.workspace.branches().base(&name))? {
        Some(base) => OriginDefault::Here(base),
        None => OriginDefault::unknown(format_args!("the default branch of origin, {name}, is not here")),
    })
}

/// A branch that does not exist is none.
fn existing<T>(found: Result<T, Error>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::NoSuchBranch { .. } | Error::BadBranchName { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
