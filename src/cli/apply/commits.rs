//! The commits that were handed over, each by itself: a path that comes and goes was there for everybody to read. Judged by
//! what the run agreed on and by what the base branch says now; what either refuses is refused.

use std::collections::BTreeSet;

use crate::bundle::refused;
use crate::door::{Door, runtime};
use crate::failure::Failure;
use checks::Site;
use engine::Run;
use git::{CommitId, CommitWithParents, RunWorkspace, Tree};
use model::change::{Change, Mode};
use model::event::{CheckResult, CheckStatus, Entry, Fact};
use model::issue::IssueNumber;
use model::policy::CheckSettings;
use process::Stop;

/// What one run brings at most.
const MOST_COMMITS: usize = 500;
const MOST_OBJECTS: usize = 50_000;
const MOST_BYTES: u64 = 500 << 20;
const MOST_PATHS: usize = 5_000;

/// What is looked for besides, and the code when it is found.
const CHECKS: [(&str, &str); 4] = [
    ("protected", "E_BUNDLE_PROTECTED"),
    ("links", "E_BUNDLE_PROTECTED"),
    ("submodules", "E_BUNDLE_PROTECTED"),
    (checks::SECRETS, "E_BUNDLE_SECRET"),
];

/// Judges all commits after one up to another.
pub(super) fn judge(
    door: &Door,
    issue: IssueNumber,
    run: &Run,
    (after, to): (&CommitId, &CommitId),
) -> Result<(), Failure> {
    let too_much = |what: &str| refused("E_BUNDLE_SIZE", &format!("it brings more than {what}"));
    let steps = door.workspace.history().commits_between(after, to, MOST_COMMITS + 1)?;
    if steps.len() > MOST_COMMITS {
        return Err(too_much(&format!("{MOST_COMMITS} commits")));
    }
    let (objects, bytes) = door.workspace.objects().weight(after, &to.as_tree())?;
    if objects > MOST_OBJECTS || bytes > MOST_BYTES {
        return Err(too_much(&format!("{MOST_OBJECTS} objects or {MOST_BYTES} bytes")));
    }
    let rules = Rules { door, run, own: door.settings.agreement(None)?.check_settings };
    let space = door.workspace.for_issue(issue);
    let mut paths = BTreeSet::new();
    for step in &steps {
        let changes = changes(&space, step)?;
        paths.extend(changes.iter().map(|change| change.path.clone()));
        if paths.len() > MOST_PATHS {
            return Err(too_much(&format!("{MOST_PATHS} paths")));
        }
        rules.judge(&changes, &CHECKS.map(|(id, _)| id))?;
    }
    Ok(())
}

/// Judges what another machine would go on with: whoever publishes sends the trees that the log names, if they are here.
pub(super) fn judge_work(
    door: &Door,
    issue: IssueNumber,
    run: &Run,
    entries: &[Entry],
    handed: &CommitId,
) -> Result<(), Failure> {
    let space = door.workspace.for_issue(issue);
    let named = entries.iter().filter_map(|entry| match &entry.fact {
        Fact::Checked(checked) => Some(&checked.tree),
        _ => None,
    });
    let named: BTreeSet<&String> = named.chain(run.phases.iter().map(|phase| &phase.files.tree)).collect();
    for tree in named.into_iter().filter(|tree| !tree.is_empty()) {
        let tree = Tree::try_from(tree.as_str())
            .map_err(|_| refused("E_BUNDLE_LOG", "its log names no tree where one belongs"))?;
        if !space.workspace().objects().has_tree(&tree)? {
            continue;
        }
        let (objects, bytes) = door.workspace.objects().weight(handed, &tree)?;
        if objects > MOST_OBJECTS || bytes > MOST_BYTES {
            return Err(refused("E_BUNDLE_SIZE", "the files of a phase under way are too many or too large"));
        }
        let changes = space.workspace().changes().all_between(&handed.as_tree(), &tree)?;
        Rules { door, run, own: door.settings.agreement(None)?.check_settings }
            .judge(&changes, &[checks::SECRETS])?;
    }
    Ok(())
}

fn changes(space: &RunWorkspace, step: &CommitWithParents) -> Result<Vec<Change>, Failure> {
    let Some((old, new)) = step.trees() else {
        return Err(refused("E_BUNDLE_HEADS", "a commit of it does not stand on exactly one other"));
    };
    let changes = space.workspace().changes().all_between(&old, &new)?;
    let odd = |change: &&Change| {
        let is_repository = change.after.as_ref().is_some_and(|after| after.mode == Mode::Submodule);
        is_repository || change.path.contains(char::REPLACEMENT_CHARACTER)
    };
    match changes.iter().find(odd) {
        Some(change) => Err(refused(
            "E_BUNDLE_PROTECTED",
            &format!("{} is a submodule, or its name is no text", change.path),
        )),
        None => Ok(changes),
    }
}

/// By what the commits are judged.
struct Rules<'a> {
    door: &'a Door,
    run: &'a Run,
    /// What the base branch says now.
    own: CheckSettings,
}

impl Rules<'_> {
    fn judge(&self, changes: &[Change], ids: &[&str]) -> Result<(), Failure> {
        for settings in [&self.own, &self.run.started.agreement.check_settings] {
            for (result, code) in self.results(settings, changes)? {
                if ids.contains(&result.check.as_str()) && result.status != CheckStatus::Pass {
                    let places: Vec<String> =
                        result.places.iter().filter_map(|place| place.file.clone()).take(5).collect();
                    let why = format!("{}: {}", result.summary, places.join(", "));
                    return Err(refused(code, &why));
                }
            }
        }
        Ok(())
    }

    fn results(
        &self,
        settings: &CheckSettings,
        changes: &[Change],
    ) -> Result<Vec<(CheckResult, &'static str)>, Failure> {
        let agreement = &self.run.started.agreement;
        let Some(phase) = agreement.phases.first() else {
            return Err(refused("E_BUNDLE_LOG", "its run has no phases"));
        };
        let changed: BTreeSet<String> = changes.iter().map(|change| change.path.clone()).collect();
        let (root, masker) = (self.door.root(), &self.door.masker);
        let site = Site {
            changed: &changed,
            changes,
            ..Site::outside_a_run(root, phase, settings, &agreement.time, masker)
        };
        let ids = CHECKS.map(|(id, _)| id.to_owned());
        let (_handle, mut stop) = Stop::new();
        let results = runtime()?.block_on(checks::run_only(&ids, &site, &mut stop));
        Ok(results.into_iter().zip(CHECKS.map(|(_, code)| code)).collect())
    }
}
