//! Finds a run: in its worktree, in this checkout, or on its branch only.

use std::path::{Path, PathBuf};

use super::door::Door;
use super::failure::{Failure, Kind};
use super::fetched;
use super::finalized::no_run_of;
use engine::{State, fold};
use git::{Branch, Workspace};
use journal::store::common_dir::RunLocation;
use journal::store::folders::RunFolder;
use journal::store::log;
use model::event::{Entry, branch_of};
use model::issue::IssueNumber;

/// Where a run is.
pub(super) enum Place {
    /// Its files are in this worktree.
    Worktree(PathBuf),
    /// Nothing is checked out; its files are on the branch.
    OnBranch(Branch),
    Nowhere,
}

/// Finds the run of an issue.
pub(super) fn place(workspace: &Workspace, issue: IssueNumber) -> Result<Place, Failure> {
    let pointed = RunLocation::read(workspace.common(), issue)?.map(|location| location.worktree);
    let pointed = pointed.filter(|root| belongs(workspace, root));
    let candidates = [pointed, Some(workspace.root().to_owned())];
    if let Some(root) = candidates.into_iter().flatten().find(|root| has_log(root, issue)) {
        return Ok(Place::Worktree(root));
    }
    let Some(branch) = workspace.branches().find(&branch_of(issue))? else { return Ok(Place::Nowhere) };
    let path = RunFolder::new("", issue).events();
    let there = workspace.objects().read(&branch.tip, &path)?.is_some();
    Ok(if there { Place::OnBranch(branch) } else { Place::Nowhere })
}

/// Finds the run of an issue; one that only origin has is brought here first.
pub(super) fn brought(door: &Door, issue: IssueNumber) -> Result<Place, Failure> {
    match place(&door.workspace, issue)? {
        Place::Nowhere if fetched::bring(door, issue)? => place(&door.workspace, issue),
        found => Ok(found),
    }
}

/// A copied repository brings a pointer to the original with it, which is none of its business.
fn belongs(workspace: &Workspace, root: &Path) -> bool {
    root == workspace.root() || Workspace::open(root).is_ok_and(|other| other.common() == workspace.common())
}

fn has_log(root: &Path, issue: IssueNumber) -> bool {
    let folder = RunFolder::new(root, issue);
    folder.at(&folder.events()).is_file()
}

/// A run that is only looked at.
pub(super) struct Seen {
    pub(super) state: State,
    pub(super) entries: Vec<Entry>,
    pub(super) chain: String,
    /// The worktree the files are in, if they are checked out.
    pub(super) root: Option<PathBuf>,
}

/// Reads the run of an issue without taking it; works while another process holds it.
pub(super) fn look(door: &Door, issue: IssueNumber) -> Result<Seen, Failure> {
    let (contents, root) = match place(&door.workspace, issue)? {
        Place::Worktree(root) => {
            let folder = RunFolder::new(&root, issue);
            (log::read_file(&folder.at(&folder.events()))?, Some(root))
        }
        Place::OnBranch(branch) => {
            let path = RunFolder::new("", issue).events();
            let bytes = door.workspace.objects().read(&branch.tip, &path)?.unwrap_or_default();
            (log::read(&bytes, &format!("{}:{path}", branch_of(issue)))?, None)
        }
        Place::Nowhere => return Err(no_run_of(door, issue)),
    };
    let misfit =
        |error| Failure::new(Kind::State, error).hint("the log does not fit together; nothing was changed");
    let state = fold(&contents.entries).map_err(misfit)?;
    if state.run.is_none() {
        return Err(no_run(issue));
    }
    Ok(Seen { state, entries: contents.entries, chain: contents.chain, root })
}

/// Says that an issue has no run.
pub(super) fn no_run(issue: IssueNumber) -> Failure {
    Failure::usage(format!("there is no run of issue {issue} in this repository"))
        .hint(format!("begin one with `ai-workflow execute --phase all --issue {issue}`"))
}
