//! The commits that were handed over, each by itself: a path that comes and goes was there for everybody to read. Judged by
//! what the run agreed on and by what the base branch says now; what either refuses is refused. Their messages are the words
//! that we write, by whoever commits for us, and nothing else: a message closes issues and names people when it is merged.

use std::collections::BTreeSet;

use super::refused;
use crate::environment::runtime;
use crate::failure::Failure;
use crate::project::Project;
use checks::Site;
use engine::Run;
use git::{CommitId, CommitText, CommitWithParents, NO_PHASE, RunWorkspace, Trailers, Tree};
use model::change::{Change, Mode};
use model::event::{CheckResult, CheckStatus, Entry, Fact, Outcome};
use model::issue::IssueNumber;
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
/// Every outcome whose message we may write.
const OUTCOMES: [Outcome; 6] = [
    Outcome::Running,
    Outcome::Completed,
    Outcome::Failed,
    Outcome::Incomplete,
    Outcome::Paused,
    Outcome::Cancelled,
];

/// Judges all commits after one up to another.
pub(super) fn judge_contents(
    project: &Project,
    issue: IssueNumber,
    run: &Run,
    (after, to): (&CommitId, &CommitId),
) -> Result<(), Failure> {
    let too_much = |what: &str| refused("E_BUNDLE_SIZE", &format!("it brings more than {what}"));
    let steps = project.workspace.history().commits_between(after, to, MOST_COMMITS + 1)?;
    if steps.len() > MOST_COMMITS {
        return Err(too_much(&format!("{MOST_COMMITS} commits")));
    }
    let (objects, bytes) = project.workspace.objects().weight(after, &to.as_tree())?;
    if objects > MOST_OBJECTS || bytes > MOST_BYTES {
        return Err(too_much(&format!("{MOST_OBJECTS} objects or {MOST_BYTES} bytes")));
    }
    let rules = Rules { project, run, own: project.settings.agreement(None)?.check_settings };
    let space = project.workspace.for_issue(issue);
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
    project: &Project,
    issue: IssueNumber,
    run: &Run,
    entries: &[Entry],
    handed: &CommitId,
) -> Result<(), Failure> {
    let space = project.workspace.for_issue(issue);
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
        let (objects, bytes) = project.workspace.objects().weight(handed, &tree)?;
        if objects > MOST_OBJECTS || bytes > MOST_BYTES {
            return Err(refused("E_BUNDLE_SIZE", "the files of a phase under way are too many or too large"));
        }
        let changes = space.workspace().changes().all_between(&handed.as_tree(), &tree)?;
        Rules { project, run, own: project.settings.agreement(None)?.check_settings }
            .judge(&changes, &[checks::SECRETS])?;
    }
    Ok(())
}

fn changes(space: &RunWorkspace, step: &CommitWithParents) -> Result<Vec<Change>, Failure> {
    let Some((old, new)) = step.trees() else {
        return Err(refused("E_BUNDLE_HEADS", "a commit of it does not stand on exactly one other"));
    };
    let changes = space.workspace().changes().all_between(&old, &new)?;
    let is_odd = |change: &&Change| {
        let is_repository = change.after.as_ref().is_some_and(|after| after.mode == Mode::Submodule);
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

/// By what the commits are judged.
struct Rules<'a> {
    project: &'a Project,
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
        let (root, masker) = (self.project.root(), &self.project.masker);
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

/// Judges all commits after one up to another; the log has so many entries.
pub(super) fn judge_messages(
    project: &Project,
    run: &Run,
    entries: usize,
    (after, to): (&CommitId, &CommitId),
) -> Result<(), Failure> {
    let (author, committer) = project.workspace.history().identities()?;
    let texts = project.workspace.history().commit_texts(after, to)?;
    let texts = texts.ok_or_else(|| refused(MESSAGE_CODE, "a commit of it is no text of ours"))?;
    for text in &texts {
        let refuse = |what: &str| Err(refused(MESSAGE_CODE, &format!("commit {} {what}", text.commit)));
        if (&text.author, &text.committer) != (&author, &committer) {
            return refuse("is by somebody else than who commits here");
        }
        if !is_our_message(project, run, entries, text) {
            return refuse("does not say what we would say");
        }
    }
    Ok(())
}

fn is_our_message(project: &Project, run: &Run, entries: usize, text: &CommitText) -> bool {
    let Some(trailers) = Trailers::read(&text.message) else { return false };
    let is_hash = trailers.chain.len() == 64 && trailers.chain.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_known = trailers.run == run.started.run_id
        && usize::try_from(trailers.seq).is_ok_and(|seq| (1..=entries).contains(&seq));
    if !(is_hash && is_known) || project.masker.mask(&text.whole).as_str() != text.whole {
        return false;
    }
    let is = |message: &str| {
        let expected = project.masker.mask(message);
        same_lines(expected.as_str(), &text.message)
    };
    if trailers.phase == NO_PHASE {
        return OUTCOMES.iter().any(|outcome| is(&record_message(run, *outcome, &trailers)));
    }
    run.phases.iter().any(|phase| phase.name().as_str() == trailers.phase)
        && is(&phase_message(run, &trailers))
}

/// Git takes space at the ends of lines away.
fn same_lines(one: &str, other: &str) -> bool {
    let lines =
        |text: &str| text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    lines(one) == lines(other)
}
