//! What a check may look at: the changes of a phase, what the author said, the settings, and what lies beyond the files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{LazyLock, OnceLock};

use jiff::Timestamp;

use super::changed_file::ReadSides;
use super::{Change, ChangedTests, Published, side_by_side};
use model::event::{Claim, Evaluation};
use model::issue::{Discussion, Issue};
use model::policy::{CheckSettings, DefinedCheck, PhaseDef, TimeLimits};
use model::redact::Masker;
use model::remote_check::RemoteCheck;

/// What a check may look at.
pub struct Site<'a> {
    /// The top of the worktree.
    pub worktree: &'a Path,
    /// The phase as it was agreed.
    pub phase: &'a PhaseDef,
    /// The phase's deliverable, relative to the worktree.
    pub output: &'a str,
    /// When the phase began.
    pub began: Timestamp,
    /// Git knows the deliverable or would take it: it is not ignored.
    pub committable: bool,
    /// Paths the authors of this phase changed and that differ from the branch now, relative to the worktree.
    pub changed: &'a BTreeSet<String>,
    /// The same with what stood there before and what stands there now.
    pub changes: &'a [Change],
    /// What the run changed since its base, earlier phases included; empty where the phase's own changes tell enough.
    pub since_base: &'a [Change],
    /// Paths that earlier phases of this run changed.
    pub changed_before: &'a BTreeSet<String>,
    /// The deliverables of completed phases as far as they were approved, relative to the worktree.
    pub approved: &'a [String],
    /// Those of them that the latest call changed without being allowed to, and that were put back.
    pub put_back: &'a BTreeSet<String>,
    /// What a person changed while no process of ours worked: of the changed paths, and of the approved documents.
    pub by_hand: &'a BTreeSet<String>,
    /// What lies in the worktree and in no commit: special files, repositories of their own, names that are no text.
    pub left_out: &'a [String],
    /// The deliverables of earlier phases that were reviewed, relative to the worktree.
    pub reviewed: &'a [String],
    /// The deliverables that plan this phase's work, the earlier one first, relative to the worktree.
    pub plans: &'a [String],
    /// The author's latest answer, masked; nothing when it is not on this machine.
    pub answer: Option<&'a str>,
    /// The author's claim about its own work.
    pub claim: Option<&'a Claim>,
    /// The issue.
    pub issue: &'a Issue,
    /// The evaluation's answer, in that phase.
    pub evaluation: Option<&'a Evaluation>,
    /// Files that have to be there besides, relative to the worktree.
    pub expected: &'a [String],
    /// The settings of the checks.
    pub settings: &'a CheckSettings,
    /// The checks that the project defines itself, by id.
    pub defined: &'a BTreeMap<String, DefinedCheck>,
    /// What was seen beyond the files, where a check asks for it.
    pub world: &'a World,
    /// The commands of the repository, by their keys in `[commands]`.
    pub commands: &'a BTreeMap<String, String>,
    /// The keys of those commands that nobody set.
    pub detected_commands: &'a BTreeSet<String>,
    /// What is going to be published: commands run there. Without it they run in the worktree as it is.
    pub published: Option<&'a Published<'a>>,
    /// How long a command may take.
    pub time: &'a TimeLimits,
    /// Masks what leaves the process.
    pub masker: &'a Masker,
    /// What several checks have read already.
    pub read: Read,
}

/// What several checks ask for: the first that does has it read, the others take it as it is.
#[derive(Debug, Default)]
pub struct Read {
    pub(super) files: OnceLock<Vec<ReadSides>>,
    pub(super) tests_of_phase: OnceLock<ChangedTests>,
    pub(super) tests_of_run: OnceLock<Result<ChangedTests, String>>,
    /// How long the tests ran that are compared with those of now, in milliseconds.
    pub(super) compared_millis: AtomicU64,
}

impl Drop for Read {
    fn drop(&mut self) {
        if let Some(files) = self.files.take() {
            side_by_side::release(files);
        }
    }
}

/// What lies beyond the files of a worktree; what nobody looked at says why.
#[derive(Debug, Clone)]
pub struct World {
    /// What lies in the worktree and no commit will take.
    pub untaken: Result<Vec<Untaken>, String>,
    /// Whether the issue is open where it lives.
    pub issue_open: Result<bool, String>,
    /// What the checks of the server say about the commit that was pushed last; nothing where there is no server.
    pub remote_checks: Result<Option<Vec<RemoteCheck>>, String>,
    /// The messages of the commits that were made and are not the engine's, oldest first.
    pub messages: Result<Vec<String>, String>,
}

impl Default for World {
    fn default() -> Self {
        fn unseen<T>() -> Result<T, String> {
            Err("nobody looked".to_owned())
        }
        Self { untaken: unseen(), issue_open: unseen(), remote_checks: unseen(), messages: unseen() }
    }
}

/// A path, or something begun, that no commit will take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Untaken {
    /// How git marks it: `??` for what it does not know, ` M` for what is changed, `UU` for what is not merged.
    pub letters: &'static str,
    /// The path, relative to the worktree.
    pub path: String,
    /// What it is.
    pub what: &'static str,
}

static NOBODY_LOOKED: LazyLock<World> = LazyLock::new(World::default);
static NO_ISSUE: LazyLock<Issue> = LazyLock::new(|| Issue {
    number: 1.try_into().expect("1 is the number of an issue"),
    title: String::new(),
    body: String::new(),
    labels: Vec::new(),
    author: String::new(),
    open: true,
    url: String::new(),
    discussion: Discussion::default(),
});

impl<'a> Site<'a> {
    /// Returns a site outside of a run, where nothing changed and nobody said anything; a caller lays over it what it has.
    pub fn outside_a_run(
        worktree: &'a Path,
        phase: &'a PhaseDef,
        settings: &'a CheckSettings,
        time: &'a TimeLimits,
        masker: &'a Masker,
    ) -> Self {
        Self {
            worktree,
            phase,
            output: "",
            began: Timestamp::UNIX_EPOCH,
            committable: true,
            changed: const { &BTreeSet::new() },
            changes: &[],
            since_base: &[],
            changed_before: const { &BTreeSet::new() },
            approved: &[],
            put_back: const { &BTreeSet::new() },
            by_hand: const { &BTreeSet::new() },
            left_out: &[],
            reviewed: &[],
            plans: &[],
            answer: None,
            claim: None,
            issue: &NO_ISSUE,
            evaluation: None,
            expected: &[],
            settings,
            defined: const { &BTreeMap::new() },
            world: &NOBODY_LOOKED,
            commands: const { &BTreeMap::new() },
            detected_commands: const { &BTreeSet::new() },
            published: None,
            time,
            masker,
            read: Read::default(),
        }
    }

    /// Returns the changes outside `.ai-workflow/`: what the project will see.
    pub fn project_changes(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| !change.path.starts_with(".ai-workflow/"))
    }
}
