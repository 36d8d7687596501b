//! Judges the working tree, and an agent's answer, by the checks of a phase that changes code: those of the first such phase
//! and the commands that are set, or those asked for. Needs no run and changes no file of the user's; commands of the repository
//! run in a clean worktree, or in the files as they are where that is asked for, and what they change in git's own files is put back.

mod asked_for;
mod clean_worktree;
mod git_files;
mod questions;
#[cfg(test)]
mod tests;

pub use asked_for::{AskedFor, GivenTask, TaskSource};

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::agreement::{agreement_with_commands, pin_schemas, prove_new_tests, refuse_unknown_checks};
use crate::environment::{runtime, watch_signals};
use crate::failure::{Failure, FailureKind, Result};
use crate::project::{Project, load_settings};
use checks::{Published, ReportedTest, Site, reported_tests};
use clean_worktree::CleanCheck;
use content_parser::{read_claim, read_evaluation};
use git::DiffBase;
use git_files::GitBefore;
use model::change::Change;
use model::event::{CheckResult, CheckStatus, ReviewQuestions};
use model::policy::{
    Agreement, CheckRule, DefinedCheck, OnFail, OnUnavailable, PhaseDef, check_id, criteria,
};
use process::{self, Stop};
use questions::{TESTS, ask_instead};
use views::summary::sarif_of_checks;

/// A check of what a run writes, which nobody else has.
const OF_A_RUN: &str = "deliverable";
/// Checks of an answer; without one they judge nothing.
const OF_AN_ANSWER: [&str; 2] = ["answer_format", "decision"];

/// What is to be checked.
#[derive(Debug, Default)]
pub struct CheckRequest {
    /// Only these checks, by name, criterion or range; empty means the usual ones.
    pub only: Vec<String>,
    /// Also the checks of this template, which is among the settings of the project, too.
    pub template: Option<String>,
    /// Files that have to be there, seen from where the user stands.
    pub expected: Vec<PathBuf>,
    /// The commit to compare with.
    pub base: Option<String>,
    /// What an agent answered, masked.
    pub answer: Option<String>,
    /// Leave out the checks that run commands of the repository.
    pub no_commands: bool,
    /// Run the commands in the files as they are, and compare no tests with the base.
    pub in_place: bool,
    /// What the change was asked for by.
    pub task: GivenTask,
}

/// What came of all checks.
pub struct CheckReport {
    /// The commit that the files are compared with.
    pub since: DiffBase,
    /// How many files changed since then.
    pub changed: usize,
    /// What the change was asked for by, as far as anybody said it.
    pub asked_for: Option<AskedFor>,
    /// The results in their order.
    pub results: Vec<CheckResult>,
    /// What the runs of the tests said of each test, where they ran in a clean worktree.
    pub tests: Vec<ReportedTest>,
    /// Checks whose failure is noted and nothing else.
    pub noted: BTreeSet<String>,
    /// What commands of the repository did to git's own files and references.
    pub warnings: Vec<String>,
    /// A file that stands for the whole repository, for scanners that show nothing without a file.
    readme: String,
}

impl CheckReport {
    /// Tells whether something was judged and nothing speaks against it: what could not run is no pass.
    pub fn is_ok(&self) -> bool {
        let passed = self.results.iter().any(|result| result.status == CheckStatus::Pass);
        let fine = |result: &CheckResult| {
            !matches!(result.status, CheckStatus::Fail | CheckStatus::Unavailable) || self.is_noted(result)
        };
        passed && self.results.iter().all(fine)
    }

    /// Tells whether a failure of this check is only noted, or a question to the reviewer.
    pub fn is_noted(&self, result: &CheckResult) -> bool {
        result.asks || self.noted.contains(&result.check)
    }

    /// Returns what the checks ask whoever reviews the change.
    pub fn questions(&self) -> ReviewQuestions {
        ReviewQuestions::of(&self.results)
    }

    /// Returns what is open as a SARIF log, in which every result has a place.
    pub fn sarif(&self) -> Value {
        let noted = |result: &CheckResult| self.noted.contains(&result.check);
        sarif_of_checks(&self.results, &noted, &self.readme, env!("CARGO_PKG_VERSION"))
    }
}

/// Makes the checks; the project was opened with the request's settings.
pub fn check(project: &Project, request: &CheckRequest) -> Result<CheckReport> {
    let plan = plan(project, request)?;
    let since = project
        .workspace
        .branches()
        .diff_base(request.base.as_deref(), project.settings.base_branch.as_deref())?;
    let asked_for = AskedFor::find(project, &request.task, &since.commit)?;
    let mut changes = project.workspace.changes().since(&since.commit)?;
    // Settings and records of ours are a person's here; in a run they are protected.
    changes.retain(|change| !change.path.starts_with(".ai-workflow/"));
    let job = CheckJob {
        project,
        request,
        plan: &plan,
        since: &since,
        changes: &changes,
        asked_for: asked_for.as_ref(),
    };
    let Checked { results, tests, warnings } = job.run_interruptibly()?;
    let readme = find_readme(project.root(), &changes);
    let (changed, noted) = (changes.len(), plan.noted);
    Ok(CheckReport { since, changed, asked_for, results, tests, noted, warnings, readme })
}

/// Which checks are made, and by which settings.
struct CheckPlan {
    ids: Vec<String>,
    noted: BTreeSet<String>,
    phase: PhaseDef,
    agreement: Agreement,
}

impl CheckPlan {
    fn runs_commands(&self) -> bool {
        self.ids.iter().any(|id| checks::runs_a_command(id, &self.agreement.defined))
    }
}

/// The checks that are to be made, with all that they look at.
struct CheckJob<'a> {
    project: &'a Project,
    request: &'a CheckRequest,
    plan: &'a CheckPlan,
    since: &'a DiffBase,
    changes: &'a [Change],
    asked_for: Option<&'a AskedFor>,
}

/// The results of the checks and of single tests, and what commands did to git's own files and references.
#[derive(Default)]
struct Checked {
    results: Vec<CheckResult>,
    tests: Vec<ReportedTest>,
    warnings: Vec<String>,
}

impl CheckJob<'_> {
    /// Runs the checks; Ctrl-C ends the command that is running, and with it ours.
    fn run_interruptibly(&self) -> Result<Checked> {
        let (handle, mut stop) = Stop::new();
        let signal = Arc::new(OnceLock::new());
        process::adopt_orphans();
        let checked = runtime()?.block_on(async {
            let watch = watch_signals(handle, Arc::clone(&signal))?;
            let checked = self.run(&mut stop).await;
            watch.abort();
            checked
        })?;
        let Some(name) = signal.get() else { return Ok(checked) };
        let failure = Failure::new(FailureKind::Interrupted, format!("interrupted by {name}"));
        Err(checked.warnings.iter().fold(failure, Failure::hint))
    }

    async fn run(&self, stop: &mut Stop) -> Result<Checked> {
        let Self { project, request, plan, since, .. } = self;
        if !plan.runs_commands() {
            return Ok(Checked { results: self.examine(None, stop).await?, ..Checked::default() });
        }
        let clean = if request.in_place {
            None
        } else {
            Some(CleanCheck::prepare(project, &plan.phase.policy, &since.commit, stop).await?)
        };
        let before = GitBefore::read(&project.workspace)?;
        let published = clean.as_ref().map(CleanCheck::published);
        let results = self.examine(published.as_ref(), stop).await;
        let tests = published.as_ref().zip(plan.agreement.commands.get("test"));
        let tests = tests.map(|(published, line)| reported_tests(published, line)).unwrap_or_default();
        let removed = clean.as_ref().map_or(Ok(()), CleanCheck::remove);
        let warnings = before.restore()?;
        removed?;
        Ok(Checked { results: results?, tests, warnings })
    }

    async fn examine(&self, published: Option<&Published<'_>>, stop: &mut Stop) -> Result<Vec<CheckResult>> {
        let Self { project, request, plan, changes, .. } = self;
        let agreement = &plan.agreement;
        let changed: BTreeSet<String> = changes.iter().map(|change| change.path.clone()).collect();
        let expected = expected_paths(project, &request.expected)?;
        let answer = request.answer.as_deref();
        let (claim, evaluation) = (answer.and_then(read_claim), answer.and_then(read_evaluation));
        let (settings, time) = (&agreement.check_settings, &agreement.time);
        let empty = Site::outside_a_run(project.root(), &plan.phase, settings, time, &project.masker);
        let site = Site {
            changed: &changed,
            changes,
            since_base: changes,
            answer,
            claim: claim.as_ref(),
            issue: self.asked_for.map_or(empty.issue, |asked_for| &asked_for.issue),
            evaluation: evaluation.as_ref(),
            expected: &expected,
            defined: &agreement.defined,
            commands: &agreement.commands,
            detected_commands: &agreement.detected_commands,
            published,
            ..empty
        };
        let mut results = checks::run_only(&plan.ids, &site, stop).await;
        for result in &mut results {
            ask_instead(result, self.asked_for);
        }
        Ok(results)
    }
}

fn plan(project: &Project, request: &CheckRequest) -> Result<CheckPlan> {
    let mut agreement = agreement_with_commands(project)?;
    refuse_unknown_checks(&agreement)?;
    pin_schemas(&project.settings, project.root(), &mut agreement)?;
    let mut phase = code_phase(&agreement)?.clone();
    refuse_empty_template(project, request, &phase)?;
    if !request.in_place {
        prove_new_tests(&mut phase, &agreement.check_settings);
        // Tests that fail at the base and now, and do not say which, show nothing of the change.
        phase.policy.required.extend(agreement.commands.get("test").map(|_| TESTS.to_owned()));
    }
    let mut ids = match request.only.as_slice() {
        [] => usual_checks(&phase, &agreement, request.answer.is_some()),
        only => named_checks(only, &agreement.defined)?,
    };
    if request.no_commands {
        ids.retain(|id| !checks::runs_a_command(id, &agreement.defined));
    }
    add_rules(&mut phase, &ids);
    let rules = phase.policy.checks.iter();
    let noted = rules.filter(|rule| rule.on_fail == OnFail::Note).map(|rule| rule.id.clone()).collect();
    Ok(CheckPlan { ids, noted, phase, agreement })
}

/// Adds rules for checks that are asked for by name: what is prepared for them goes by the rules of the phase.
fn add_rules(phase: &mut PhaseDef, ids: &[String]) {
    let rules = &mut phase.policy.checks;
    for id in ids {
        if !rules.iter().any(|rule| rule.id == *id) {
            let (on_fail, on_unavailable) = (OnFail::Revise, OnUnavailable::Block);
            rules.push(CheckRule { id: id.clone(), on_fail, on_unavailable });
        }
    }
}

fn code_phase(agreement: &Agreement) -> Result<&PhaseDef> {
    agreement.phases.iter().find(|phase| phase.changes_code).ok_or_else(|| {
        Failure::usage("no phase changes code, so there are no checks of code")
            .hint("set `changes_code = true` in one of `[phases]`, or leave the phases as they come")
    })
}

/// Refuses a template that adds nothing: its name is a slip.
fn refuse_empty_template(project: &Project, request: &CheckRequest, phase: &PhaseDef) -> Result<()> {
    let Some(name) = &request.template else { return Ok(()) };
    let mut overrides = project.overrides.clone();
    overrides.set.push("checks.template=".to_owned());
    let without = load_settings(&overrides, &project.here, Some(project.root()))?.agreement(None)?;
    if code_phase(&without)?.policy.checks == phase.policy.checks {
        return Err(Failure::usage(format!("there is no template `{name}` of checks"))
            .hint("leave `--template` out, or correct its name"));
    }
    Ok(())
}

/// Returns the checks of the phase, and every command that is set.
fn usual_checks(phase: &PhaseDef, agreement: &Agreement, has_answer: bool) -> Vec<String> {
    let rules = phase.policy.checks.iter().map(|rule| rule.id.as_str());
    let fits = |id: &str| id != OF_A_RUN && (has_answer || !OF_AN_ANSWER.contains(&id));
    let mut ids: Vec<String> = rules.filter(|id| fits(id)).map(str::to_owned).collect();
    for (id, key) in checks::command_checks() {
        let is_disabled = agreement.check_settings.disabled.iter().any(|name| check_id(name) == id);
        if agreement.commands.contains_key(key) && !is_disabled && !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
    }
    ids
}

/// Reads names, criteria and ranges of criteria, each once.
fn named_checks(only: &[String], defined: &BTreeMap<String, DefinedCheck>) -> Result<Vec<String>> {
    let mut ids: Vec<String> = Vec::new();
    for name in only.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        let named = criteria_between(name).unwrap_or_else(|| vec![check_id(name).to_owned()]);
        for id in named {
            if !defined.contains_key(&id) {
                refuse_unknown(&id, name)?;
            }
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    Ok(ids)
}

fn refuse_unknown(id: &str, name: &str) -> Result<()> {
    if id == OF_A_RUN {
        return Err(Failure::usage(format!("`{id}` is about the document of a phase, so only a run has it"))
            .hint("leave it out of `--only`"));
    }
    if checks::ids().any(|known| known == id) {
        return Ok(());
    }
    let known = criteria().filter(|(_, id)| checks::ids().any(|known| known == *id));
    let names: Vec<&str> =
        checks::ids().filter(|id| *id != OF_A_RUN).chain(known.map(|(name, _)| name)).collect();
    Err(Failure::usage(format!("there is no check `{name}`")).hint_names(name, "checks", &names))
}

/// Reads `Q1-Q6` (and `Q1-6`) as the checks of these criteria.
fn criteria_between(name: &str) -> Option<Vec<String>> {
    let (first, last) = name.split_once('-')?;
    let ((letters, from), (last_letters, to)) = (criterion(first)?, criterion(last)?);
    if !last_letters.is_empty() && !last_letters.eq_ignore_ascii_case(letters) {
        return None;
    }
    let is_between = |name: &str| {
        criterion(name)
            .is_some_and(|(kind, number)| kind.eq_ignore_ascii_case(letters) && (from..=to).contains(&number))
    };
    let between = criteria().filter(|(name, _)| is_between(name));
    let ids: Vec<String> = between.map(|(_, id)| id.to_owned()).collect();
    if ids.is_empty() { None } else { Some(ids) }
}

/// Splits the name of a criterion into its letters and its number.
fn criterion(name: &str) -> Option<(&str, u32)> {
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (letters, number) = name.split_at(digits);
    Some((letters, number.parse().ok()?))
}

/// Returns the file that stands for the whole repository: its README, else the first file that changed and is there.
fn find_readme(root: &Path, changes: &[Change]) -> String {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let names = files.filter_map(|entry| entry.file_name().into_string().ok());
    let readme = names.filter(|name| name.to_lowercase().starts_with("readme")).min();
    let changed = || changes.iter().find(|change| !change.is_deleted()).map(|change| change.path.clone());
    readme.or_else(changed).unwrap_or_else(|| "README.md".to_owned())
}

/// Files of a request are meant from where the user stands; checks see them from the top.
fn expected_paths(project: &Project, files: &[PathBuf]) -> Result<Vec<String>> {
    let top = project.root();
    let mut paths = Vec::new();
    for file in files {
        let path = normalize(&project.here.join(file));
        let inside = path.strip_prefix(top).ok().and_then(Path::to_str).filter(|path| !path.is_empty());
        let inside = inside.ok_or_else(|| {
            Failure::usage(format!("`--expect {}` is not a file of {}", file.display(), top.display()))
                .hint("name a file of this repository, seen from where you are")
        })?;
        paths.push(inside.to_owned());
    }
    Ok(paths)
}

/// Returns a path without `.` and `..`; links are not followed, since the file may not be there.
fn normalize(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(normalized.pop()),
            component => normalized.push(component),
        }
    }
    normalized
}
