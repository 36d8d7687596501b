//! What is intact of a log that is damaged, gone or taken back to an earlier state, and the command that brings the run back: from
//! the copy under git's folder, from the run's branch, or from the facts before the damage. Reads only; a person runs the command.

use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::project::Project;
use engine::fold;
use journal::JournalError;
use journal::store::StoreError;
use journal::store::common_dir::RunPointer;
use journal::store::folders::RunFolder;
use journal::store::log::{self, LogCopy, read_intact_entries};
use model::event::{Entry, Fact, RunOutcome};
use model::issue::{IssueNumber, run_branch_name};

/// Facts of a run that can be read, where they are, and the command that makes the log of them.
struct IntactFacts {
    entries: Vec<Entry>,
    place: String,
    command: String,
}

impl IntactFacts {
    fn count(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Tells whether a run can go on from these facts: those that it was begun with are written as a whole, and others follow.
    fn are_usable(&self) -> bool {
        let is_first = |fact: &Fact| matches!(fact, Fact::RunStarted(_) | Fact::PhaseSkipped { .. });
        self.entries.iter().any(|entry| !is_first(&entry.fact)) && fold(&self.entries).is_ok()
    }

    /// Says what is done with the command, and what it cannot bring back.
    fn hint(&self, known: u64) -> String {
        let (count, place, command) = (self.count(), &self.place, &self.command);
        let rest = match known.saturating_sub(count) {
            0 => String::new(),
            lost => format!(
                "; of the {lost} facts after them nothing is left, and what they tell of is done again"
            ),
        };
        format!(
            "nothing was changed; {place} is intact with {count} facts, bring it back with `{command}` and run the same \
             command again{rest}"
        )
    }
}

/// The log of a run and the places that may have more of it.
struct LogRepair<'a> {
    project: &'a Project,
    folder: &'a RunFolder,
}

impl LogRepair<'_> {
    fn log(&self) -> PathBuf {
        self.folder.at(&self.folder.events())
    }

    fn view(&self) -> PathBuf {
        self.folder.at(&self.folder.metadata())
    }

    fn copy(&self) -> LogCopy {
        LogCopy::of(self.project.workspace.common(), self.folder.issue())
    }

    /// Returns the place with the most facts of this run, if it has more than this.
    fn find_best(&self, facts: u64) -> Option<IntactFacts> {
        let begun = read_intact_entries(&self.log()).unwrap_or_default();
        let is_same_run =
            |found: &IntactFacts| begun.first().is_none_or(|first| found.entries.first() == Some(first));
        let places = [self.on_branch(), self.before_damage(self.copy().path()), self.in_copy()];
        let found = places.into_iter().flatten();
        found
            .filter(|found| found.count() > facts && found.are_usable() && is_same_run(found))
            .max_by_key(IntactFacts::count)
    }

    fn in_copy(&self) -> Option<IntactFacts> {
        let (copy, log) = (self.copy(), self.log());
        let folder = self.folder.at(&self.folder.relative());
        let place = format!("the copy of the log, {},", copy.path().display());
        let command = format!(
            "mkdir -p {} && cp {} {} && rm -f {}",
            folder.display(),
            copy.path().display(),
            log.display(),
            self.view().display()
        );
        Some(IntactFacts { entries: copy.entries()?, place, command })
    }

    fn on_branch(&self) -> Option<IntactFacts> {
        let (workspace, branch) = (&self.project.workspace, run_branch_name(self.folder.issue()));
        let tip = workspace.branches().find(&branch).ok()??.tip;
        let bytes = workspace.read_file(&tip, &self.folder.events()).ok()??;
        let entries = log::read(&bytes, &branch).ok()?.entries;
        let place = format!("the log in the last commit on {branch}");
        let command = format!(
            "git -C {} checkout {branch} -- {} && rm -f {}",
            self.folder.root().display(),
            self.folder.events(),
            self.view().display()
        );
        Some(IntactFacts { entries, place, command })
    }

    /// Returns the facts of a damaged file before the damage.
    fn before_damage(&self, path: &Path) -> Option<IntactFacts> {
        let entries = read_intact_entries(path).ok()?;
        let (file, log, count) = (path.display(), self.log(), entries.len());
        let place = format!("the beginning of {file}");
        let command = format!(
            "head -n {count} {file} > {log}.new && mv {log}.new {log} && rm -f {} {}",
            self.view().display(),
            self.copy().path().display(),
            log = log.display(),
        );
        Some(IntactFacts { entries, place, command })
    }

    /// Says how a log comes back that was taken back to this many of the facts that are known.
    fn taken_back(&self, failure: Failure, facts: u64, known: u64) -> Failure {
        if let Some(found) = self.find_best(facts) {
            return failure.hint(found.hint(known));
        }
        let view = self.view();
        let what = if facts == 0 {
            "begin anew".to_owned()
        } else {
            format!("go on from the {facts} facts that are left")
        };
        failure.hint(format!(
            "nothing was changed; no copy has more facts; to {what}, remove the view with `rm -f {}`, then run the same command \
             again: what was done since is done again",
            view.display()
        ))
    }

    /// Says how a damaged log comes back.
    fn damaged(&self, failure: Failure) -> Failure {
        let before = self.before_damage(&self.log());
        let facts = before.as_ref().map_or(0, IntactFacts::count);
        let found = self.find_best(facts).or(before.filter(IntactFacts::are_usable));
        if let Some(found) = found {
            let known = journal::facts_known_to_view(&self.folder.at(&self.folder.relative()));
            return failure.hint(found.hint(known.unwrap_or_default()));
        }
        let log = self.log();
        failure.hint(format!(
            "nothing was changed; neither the log nor its copy says with what the run was begun; to begin anew, move the log \
             away with `mv {log} {log}.damaged && rm -f {} {}`",
            self.view().display(),
            self.copy().path().display(),
            log = log.display(),
        ))
    }
}

/// Refuses to take an issue for one without a run where the log of an unfinished run is gone: its copy is intact, or its view
/// says that there was one.
pub(crate) fn refuse_lost_log(project: &Project, issue: IssueNumber) -> Result<()> {
    let pointer = RunPointer::read(project.workspace.common(), issue)?;
    let root = pointer.map_or_else(|| project.root().to_owned(), |pointer| pointer.worktree);
    let folder = RunFolder::new(&root, issue);
    let copy = LogCopy::of(project.workspace.common(), issue);
    let run = copy.entries().and_then(|entries| fold(&entries).ok()?.run);
    if run.is_none_or(|run| matches!(run.outcome, RunOutcome::Completed | RunOutcome::Cancelled)) {
        return refuse_view_without_log(project, &folder);
    }
    let (log, copied) = (folder.at(&folder.events()), copy.path().display());
    let back =
        format!("mkdir -p {} && cp {copied} {}", folder.at(&folder.relative()).display(), log.display());
    Err(Failure::state(format!("{} is gone or holds no facts; its copy {copied} is intact", log.display()))
        .hint(format!("bring it back with `{back}`, then run the same command again"))
        .hint(format!("or give up what the run has done and begin anew: remove the copy with `rm {copied}`")))
}

/// Refuses to begin a run where the view of another one is left, whose log is gone.
fn refuse_view_without_log(project: &Project, folder: &RunFolder) -> Result<()> {
    let known = journal::facts_known_to_view(&folder.at(&folder.relative()))?;
    if known == 0 {
        return Ok(());
    }
    let repair = LogRepair { project, folder };
    let (log, view, copy) = (repair.log(), repair.view(), repair.copy());
    let (log, view) = (log.display(), view.display());
    let message = match copy.entries() {
        Some(_) => {
            format!("{log} is gone or holds no facts; its copy {} is intact", copy.path().display())
        }
        None => format!(
            "{log} is gone or holds no facts, and so is its copy; only {view} is left of a run, which knows {known} facts"
        ),
    };
    Err(repair.taken_back(Failure::state(message), 0, known))
}

/// Refuses a log that has fewer facts than the log in the last commit on the run's branch: going on would repeat what is
/// committed, and take the branch back.
pub(crate) fn refuse_log_behind_branch(project: &Project, folder: &RunFolder) -> Result<()> {
    let repair = LogRepair { project, folder };
    let (Ok(here), Some(committed)) = (log::read_file(&repair.log()), repair.on_branch()) else {
        return Ok(());
    };
    let (facts, known) = (here.entries.len() as u64, committed.count());
    if facts == 0 || facts >= known || !committed.entries.starts_with(&here.entries) {
        return Ok(());
    }
    let (log, branch) = (repair.log(), run_branch_name(folder.issue()));
    let message = format!(
        "{} has {facts} facts, and the last commit on {branch} has {known}: the log was taken back to an earlier state",
        log.display()
    );
    Err(repair.taken_back(Failure::state(message), facts, known))
}

/// Says how a log that is damaged, or was taken back, is brought back.
pub(crate) fn log_failure(project: &Project, folder: &RunFolder, error: JournalError) -> Failure {
    let repair = LogRepair { project, folder };
    match error {
        JournalError::TakenBack { facts: 0, .. }
            if let Err(lost) = refuse_lost_log(project, folder.issue()) =>
        {
            lost
        }
        JournalError::TakenBack { facts, known, .. } => {
            let failure = Failure { hints: Vec::new(), ..error.into() };
            repair.taken_back(failure, facts, known)
        }
        JournalError::Store(StoreError::Damaged { .. }) => {
            repair.damaged(Failure { hints: Vec::new(), ..error.into() })
        }
        JournalError::DoesNotFit { .. } => match repair.find_best(0) {
            Some(found) => Failure { hints: Vec::new(), ..error.into() }.hint(found.hint(0)),
            None => error.into(),
        },
        other => other.into(),
    }
}
