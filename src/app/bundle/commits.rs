//! The commits that were handed over, each by itself: a path that comes and goes was there for everybody to read. Judged by
//! what the run agreed on and by what the base branch says now; what either refuses is refused. Their messages are the words
//! that we write, by whoever commits for us, and nothing else: a message closes issues and names people when it is merged.

use std::collections::BTreeSet;

use super::history::LoggedRun;
use super::refused;
use crate::environment::runtime;
use crate::failure::Result;
use checks::Site;
use git::{CommitId, CommitText, CommitWithParents, NO_PHASE, Trailers, Tree, Workspace};
use model::change::{Change, FileMode};
use model::event::{CheckResult, CheckStatus, Fact};
use model::policy::CheckSettings;
use process::Stop;
use runner::{phase_message, record_message};

/// The most commits that one run brings.
const MOST_COMMITS: usize = 500;
/// The most objects of git.
const MOST_OBJECTS: usize = 50_000;
/// The most bytes in these objects.
const MOST_BYTES: u64 = 500 << 20;
/// The most paths that the commits change.
const MOST_PATHS: usize = 5_000;

/// What is looked for besides, and the code when it is found.
const CHECKS: [(&str, &str); 4] = [
    ("protected", "E_BUNDLE_PROTECTED"),
    ("links", "E_BUNDLE_PROTECTED"),
    ("submodules", "E_BUNDLE_PROTECTED"),
    (checks::SECRETS, "E_BUNDLE_SECRET"),
];

/// The code of a message or a committer that is refused.
const MESSAGE_CODE: &str = "E_BUNDLE_COMMIT";

impl LoggedRun<'_> {
    /// Judges all commits after one.
    pub(super) fn judge_contents(&self, after: &CommitId) -> Result<()> {
        let workspace = &self.project.workspace;
        let too_much = |what: &str| refused("E_BUNDLE_SIZE", &format!("it brings more than {what}"));
        let steps = workspace.history().commits_between(after, &self.commit, MOST_COMMITS + 1)?;
        if steps.len() > MOST_COMMITS {
            return Err(too_much(&format!("{MOST_COMMITS} commits")));
        }
        if self.is_too_large(after, &self.commit.as_tree())? {
            return Err(too_much(&format!("{MOST_OBJECTS} objects or {MOST_BYTES} bytes")));
        }
        let mut paths = BTreeSet::new();
        for step in &steps {
            let changes = changes(workspace, step)?;
            paths.extend(changes.iter().map(|change| change.path.clone()));
            if paths.len() > MOST_PATHS {
                return Err(too_much(&format!("{MOST_PATHS} paths")));
            }
            self.judge_changes(&changes, &CHECKS.map(|(id, _)| id))?;
        }
        Ok(())
    }

    /// Judges what another machine would go on with: whoever publishes sends the trees that the log names, if they are here.
    pub(super) fn judge_work(&self) -> Result<()> {
        let workspace = &self.project.workspace;
        let named = self.entries.iter().filter_map(|entry| match &entry.fact {
            Fact::Checked(checked) => Some(&checked.tree),
            _ => None,
        });
        let named: BTreeSet<&String> =
            named.chain(self.run.phases.iter().map(|phase| &phase.files.tree)).collect();
        for tree in named.into_iter().filter(|tree| !tree.is_empty()) {
            let tree = Tree::try_from(tree.as_str())
                .map_err(|_| refused("E_BUNDLE_LOG", "its log names no tree where one belongs"))?;
            if !workspace.has_tree(&tree)? {
                continue;
            }
            if self.is_too_large(&self.commit, &tree)? {
                let why = "the files of a phase under way are too many or too large";
                return Err(refused("E_BUNDLE_SIZE", why));
            }
            let changes = workspace.changes().all_between(&self.commit.as_tree(), &tree)?;
            self.judge_changes(&changes, &[checks::SECRETS])?;
        }
        Ok(())
    }

    fn is_too_large(&self, after: &CommitId, to: &Tree) -> Result<bool> {
        let (objects, bytes) = self.project.workspace.count_objects(after, to)?;
        Ok(objects > MOST_OBJECTS || bytes > MOST_BYTES)
    }

    /// Judges by what the run agreed on and by what the base branch says now.
    fn judge_changes(&self, changes: &[Change], ids: &[&str]) -> Result<()> {
        let now = self.project.settings.agreement(None)?.check_settings;
        for settings in [&now, &self.run.started.agreement.check_settings] {
            for (result, code) in self.check(settings, changes)?.into_iter().zip(CHECKS.map(|(_, code)| code))
            {
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

    fn check(&self, settings: &CheckSettings, changes: &[Change]) -> Result<Vec<CheckResult>> {
        let agreement = &self.run.started.agreement;
        let Some(phase) = agreement.phases.first() else {
            return Err(refused("E_BUNDLE_LOG", "its run has no phases"));
        };
        let changed: BTreeSet<String> = changes.iter().map(|change| change.path.clone()).collect();
        let (root, masker) = (self.project.root(), &self.project.masker);
        let site = Site {
            changed: &changed,
            changes,
            ..Site::outside_a_run(root, phase, settings, &agreement.time, masker)
        };
        let ids = CHECKS.map(|(id, _)| id.to_owned());
        let (_handle, mut stop) = Stop::new();
        Ok(runtime()?.block_on(checks::run_only(&ids, &site, &mut stop)))
    }

    /// Judges the messages of all commits after one.
    pub(super) fn judge_messages(&self, after: &CommitId) -> Result<()> {
        let history = self.project.workspace.history();
        let (author, committer) = history.identities()?;
        let texts = history.commit_texts(after, &self.commit)?;
        let texts = texts.ok_or_else(|| refused(MESSAGE_CODE, "a commit of it is no text of ours"))?;
        for text in &texts {
            let refuse = |what: &str| Err(refused(MESSAGE_CODE, &format!("commit {} {what}", text.commit)));
            if (&text.author, &text.committer) != (&author, &committer) {
                return refuse("is by somebody else than who commits here");
            }
            if !self.is_our_message(text) {
                return refuse("does not say what we would say");
            }
        }
        Ok(())
    }

    fn is_our_message(&self, text: &CommitText) -> bool {
        let (run, masker) = (&self.run, &self.project.masker);
        let Some(trailers) = Trailers::read(&text.message) else { return false };
        let is_hash =
            trailers.chain.len() == 64 && trailers.chain.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_known = trailers.run == run.started.run_id
            && usize::try_from(trailers.seq).is_ok_and(|seq| (1..=self.entries.len()).contains(&seq));
        if !(is_hash && is_known) || masker.mask(&text.whole).as_str() != text.whole {
            return false;
        }
        let is = |message: &str| same_lines(masker.mask(message).as_str(), &text.message);
        if trailers.phase == NO_PHASE {
            let outcome =
                text.message.lines().next().and_then(|subject| subject.rsplit(' ').next()?.parse().ok());
            return outcome.is_some_and(|outcome| is(&record_message(run, outcome, &trailers)));
        }
        run.phases.iter().any(|phase| phase.name().as_str() == trailers.phase)
            && is(&phase_message(run, &trailers))
    }
}

fn changes(workspace: &Workspace, step: &CommitWithParents) -> Result<Vec<Change>> {
    let Some((old, new)) = step.trees() else {
        return Err(refused("E_BUNDLE_HEADS", "a commit of it does not stand on exactly one other"));
    };
    let changes = workspace.changes().all_between(&old, &new)?;
    let is_odd = |change: &&Change| {
        let is_repository = change.after.as_ref().is_some_and(|after| after.mode == FileMode::Submodule);
        is_repository || change.path.contains(char::REPLACEMENT_CHARACTER)
    };
    match changes.iter().find(is_odd) {
        Some(change) => Err(refused(
            "E_BUNDLE_PROTECTED",
            &format!("{} is a submodule, or its name is no text", change.path),
        )),
        None => Ok(changes),
    }
}

/// Git takes space at the ends of lines away.
fn same_lines(one: &str, other: &str) -> bool {
    let lines =
        |text: &str| text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    lines(one) == lines(other)
}
