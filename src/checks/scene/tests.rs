//! A site made by hand, for the tests of checks.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use tempfile::TempDir;

use super::Site;
use model::change::Change;
use model::event::{CheckResult, CheckStatus, Claim, ClaimStatus};
use model::issue::{Discussion, Issue, IssueNumber};
use model::policy::{Agreement, CheckSettings, PhaseDef, TimeLimits};
use model::redact::Masker;
use settings::{ConfigTexts, load};

/// What a check is shown: by default the implementation of an issue that says nothing.
pub(super) struct Scene {
    pub worktree: PathBuf,
    pub phase: PhaseDef,
    pub output: String,
    pub changes: Vec<Change>,
    pub answer: Option<String>,
    pub claim: Option<Claim>,
    pub issue: Issue,
    pub settings: CheckSettings,
    pub expected: Vec<String>,
    pub plans: Vec<String>,
    pub left_out: Vec<String>,
    pub masker: Masker,
    time: TimeLimits,
    changed: OnceCell<BTreeSet<String>>,
    _folder: TempDir,
}

impl Scene {
    pub(super) fn new() -> Self {
        let agreement = agreement();
        let folder = TempDir::new().expect("a folder");
        Self {
            worktree: folder.path().to_owned(),
            phase: phase("implementation"),
            output: ".ai-workflow/issue-1/04_implementation/output/implementation.md".to_owned(),
            changes: Vec::new(),
            answer: None,
            claim: None,
            issue: Issue {
                number: IssueNumber::try_from(1).expect("a number"),
                title: String::new(),
                body: String::new(),
                labels: Vec::new(),
                author: String::new(),
                open: true,
                url: String::new(),
                discussion: Discussion::default(),
            },
            settings: agreement.check_settings,
            expected: Vec::new(),
            plans: Vec::new(),
            left_out: Vec::new(),
            masker: Masker::new([]),
            time: agreement.time,
            changed: OnceCell::new(),
            _folder: folder,
        }
    }

    /// These changes.
    pub(super) fn of(changes: impl IntoIterator<Item = Change>) -> Self {
        Self { changes: changes.into_iter().collect(), ..Self::new() }
    }

    /// A new file with this text.
    pub(super) fn adding(path: &str, text: &str) -> Self {
        Self::new().with(Change::of_texts(path, None, Some(text)))
    }

    /// A file whose text changed.
    pub(super) fn changing(path: &str, before: &str, after: &str) -> Self {
        Self::new().with(Change::of_texts(path, Some(before), Some(after)))
    }

    pub(super) fn answering(answer: &str) -> Self {
        Self { answer: Some(answer.to_owned()), ..Self::new() }
    }

    pub(super) fn with(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }

    pub(super) fn about(mut self, issue: &str) -> Self {
        issue.clone_into(&mut self.issue.body);
        self
    }

    /// Writes a file into the worktree.
    pub(super) fn on_disk(self, path: &str, text: &str) -> Self {
        let path = self.worktree.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
        self
    }

    pub(super) fn claiming(mut self, files: &[&str]) -> Self {
        self.claim = Some(Claim {
            status: ClaimStatus::Completed,
            next_action: None,
            summary: String::new(),
            notices: Vec::new(),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
        });
        self
    }

    /// Shows all this to a check.
    pub(super) fn shown_to<T>(&self, look: impl FnOnce(&Site<'_>) -> T) -> T {
        look(&self.site())
    }

    pub(super) fn site(&self) -> Site<'_> {
        let changed = || self.changes.iter().map(|change| change.path.clone()).collect();
        Site {
            output: &self.output,
            changed: self.changed.get_or_init(changed),
            changes: &self.changes,
            since_base: &self.changes,
            left_out: &self.left_out,
            plans: &self.plans,
            answer: self.answer.as_deref(),
            claim: self.claim.as_ref(),
            issue: &self.issue,
            expected: &self.expected,
            ..Site::outside_a_run(&self.worktree, &self.phase, &self.settings, &self.time, &self.masker)
        }
    }
}

/// Returns a phase of the built-in defaults, under another name: no check asks for it.
pub(super) fn phase(name: &str) -> PhaseDef {
    let mut phases = agreement().phases.into_iter();
    let found = phases.find(|phase| phase.name.as_str() == name).expect("a phase of the defaults");
    PhaseDef { name: "renamed".parse().expect("a name"), ..found }
}

fn agreement() -> Agreement {
    load(&ConfigTexts::default()).and_then(|found| found.agreement(None)).expect("good defaults")
}

/// Returns what a check says in one line: `pass`, or its places as `file:line`.
pub(super) fn gist(result: &CheckResult) -> String {
    match result.status {
        CheckStatus::Pass => "pass".to_owned(),
        CheckStatus::Skipped => "skipped".to_owned(),
        CheckStatus::FailedBefore => "failed before".to_owned(),
        CheckStatus::Unavailable => "unavailable".to_owned(),
        CheckStatus::Fail => {
            let place = |place: &model::event::Place| match (&place.file, place.line) {
                (Some(file), Some(line)) => format!("{file}:{line}"),
                (Some(file), None) => file.clone(),
                (None, _) => "answer".to_owned(),
            };
            result.places.iter().map(place).collect::<Vec<_>>().join(" ")
        }
    }
}
