//! Evidence that we gather ourselves, before anybody is asked for an opinion. One check, one file.
//! Looks at the disk, the changed paths and the commands we run; never at what an agent says about itself.

mod code_changed;
mod command;
mod decision;
mod deliverable;
mod protected;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::Timestamp;

pub use command::environment as command_environment;

use crate::event::{CheckResult, CheckStatus, Evaluation};
use crate::phase::PhaseName;
use crate::policy::{Agreement, CheckMode, OnFail, PhaseDef, TimeLimits};
use crate::process::Stop;
use crate::redact::Masker;

/// What a check may look at.
pub struct Site<'a> {
    /// The top of the worktree.
    pub worktree: &'a Path,
    pub phase: &'a PhaseDef,
    /// The phase's deliverable, relative to the worktree.
    pub output: &'a str,
    pub began: Timestamp,
    /// Git knows the deliverable or would take it: it is not ignored.
    pub committable: bool,
    /// Paths the authors of this phase changed and that differ from the branch now, relative to the worktree.
    pub changed: &'a BTreeSet<String>,
    pub evaluation: Option<&'a Evaluation>,
    /// Patterns of paths that no agent may change.
    pub protected: &'a [String],
    pub commands: &'a BTreeMap<String, String>,
    pub time: &'a TimeLimits,
    pub masker: &'a Masker,
}

/// A check by its id. `ALL` is the register: a new check is one file and one line.
#[derive(Clone, Copy)]
enum Check {
    Deliverable,
    CodeChanged,
    Decision,
    Protected,
    /// Runs the command of this key in `[commands]`.
    Command(&'static str),
}

const ALL: [(&str, Check); 9] = [
    (deliverable::ID, Check::Deliverable),
    (code_changed::ID, Check::CodeChanged),
    (decision::ID, Check::Decision),
    (protected::ID, Check::Protected),
    ("tests", Check::Command("test")),
    ("build", Check::Command("build")),
    ("lint", Check::Command("lint")),
    ("typecheck", Check::Command("typecheck")),
    ("format", Check::Command("format")),
];

/// Names the checks of an agreement that do not exist, with their phase.
pub fn unknown(agreement: &Agreement) -> Vec<(PhaseName, String)> {
    let rules =
        agreement.phases.iter().flat_map(|phase| phase.policy.checks.iter().map(move |rule| (phase, rule)));
    rules
        .filter(|(_, rule)| find(&rule.id).is_none())
        .map(|(phase, rule)| (phase.name.clone(), rule.id.clone()))
        .collect()
}

/// Returns the ids of all checks.
pub fn ids() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(id, _)| *id)
}

/// Tells whether a check starts a command of the repository, which may leave files behind.
pub fn runs_a_command(id: &str) -> bool {
    matches!(find(id), Some(Check::Command(_)))
}

fn find(id: &str) -> Option<Check> {
    ALL.iter().find(|(known, _)| *known == id).map(|(_, check)| *check)
}

/// Runs the checks of a phase in their order; in mode `first_failure` up to the first one that demands something.
pub async fn run(site: &Site<'_>, stop: &mut Stop) -> Vec<CheckResult> {
    let mut results = Vec::new();
    for rule in &site.phase.policy.checks {
        let result = examine(&rule.id, site, stop).await;
        let failed = !matches!(result.status, CheckStatus::Pass | CheckStatus::Skipped)
            && rule.on_fail != OnFail::Note;
        results.push(result);
        if failed && site.phase.policy.check_mode == CheckMode::FirstFailure {
            break;
        }
    }
    results
}

async fn examine(id: &str, site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    match find(id) {
        Some(Check::Deliverable) => deliverable::examine(site),
        Some(Check::CodeChanged) => code_changed::examine(site),
        Some(Check::Decision) => decision::examine(site),
        Some(Check::Protected) => protected::examine(site),
        Some(Check::Command(key)) => command::examine(id, key, site, stop).await,
        None => result(id, CheckStatus::Unavailable, "there is no check of this name"),
    }
}

fn result(check: &str, status: CheckStatus, summary: &str) -> CheckResult {
    CheckResult {
        check: check.to_owned(),
        status,
        pattern: None,
        summary: summary.to_owned(),
        evidence: String::new(),
        params: BTreeMap::new(),
    }
}

fn failure(check: &str, pattern: &str, summary: &str, params: &[(&str, &str)]) -> CheckResult {
    CheckResult {
        pattern: Some(pattern.to_owned()),
        params: params.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        ..result(check, CheckStatus::Fail, summary)
    }
}
