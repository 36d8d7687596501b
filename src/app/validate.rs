//! Runs the conditions of a step of the registry in the checkout as it is, and composes what an author would be told. Needs no
//! run and begins none; what a command does to the checkout is the command's.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::begin::refuse_settings;
use crate::environment::runtime;
use crate::failure::{Failure, Result};
use crate::forge_connection;
use crate::project::{Project, STEPS};
use checks::{Site, Untaken, World};
use git::{Trailers, WorktreeState};
use model::event::{CheckResult, CheckStatus};
use model::issue::{Issue, IssueNumber};
use model::policy::{CheckMode, OnFail, PhaseDef, TimeLimits};
use process::Stop;
use runner::{RunError, nonce};
use settings::registry::{RegistryStep, StepsRegistry};
use views::prompt;

/// What is to be validated.
#[derive(Debug)]
pub struct ValidateRequest {
    /// The step by its name in the registry.
    pub step: String,
    /// A registry to read instead of the repository's.
    pub registry: Option<PathBuf>,
    /// The issue, for conditions that ask whether it is closed.
    pub issue: Option<IssueNumber>,
}

/// What came of the conditions of a step.
pub struct Validation {
    /// The step.
    pub step: RegistryStep,
    /// The results in the order of the conditions, up to the first failure.
    pub results: Vec<CheckResult>,
    /// What the author would be told, where a condition does not hold.
    pub retry_prompt: Option<String>,
}

impl Validation {
    /// Returns the result that decides; one whose failure is only noted does not.
    pub fn failed(&self) -> Option<&CheckResult> {
        let rules = self.step.rules();
        let is_noted = |id: &str| rules.iter().any(|rule| rule.id == id && rule.on_fail == OnFail::Note);
        self.results.iter().find(|result| match result.status {
            CheckStatus::Pass | CheckStatus::Skipped | CheckStatus::FailedBefore => false,
            CheckStatus::Fail => !is_noted(&result.check),
            CheckStatus::Unavailable => true,
        })
    }
}

/// Runs the conditions of a step, where the settings are such that a run could begin.
pub fn validate(project: &Project, request: &ValidateRequest) -> Result<Validation> {
    refuse_settings(project)?;
    let registry = read_registry(project, request.registry.as_deref())?;
    let step = find_step(&registry, &request.step)?.clone();
    let results = run_conditions(project, request.issue, &step)?;
    let mut validation = Validation { step, results, retry_prompt: None };
    if let Some(result) = validation.failed() {
        validation.retry_prompt = Some(retry_prompt(project, &validation.step, result)?);
    }
    Ok(validation)
}

/// Reads the registry that is named, or else takes the repository's.
fn read_registry(project: &Project, file: Option<&Path>) -> Result<StepsRegistry> {
    let Some(file) = file else {
        return project.settings.registry().cloned().ok_or_else(|| {
            Failure::usage(format!("there is no {STEPS}"))
                .hint("write it, or name another file with `--registry`")
        });
    };
    let name = file.display().to_string();
    let text = fs::read_to_string(project.here.join(file)).map_err(|error| {
        Failure::usage(format!("failed to read {name}: {error}")).hint("name an existing file")
    })?;
    Ok(StepsRegistry::read(&name, &text)?)
}

fn find_step<'a>(registry: &'a StepsRegistry, name: &str) -> Result<&'a RegistryStep> {
    let Some(step) = registry.steps.get(name) else {
        let known: Vec<&str> = registry.steps.keys().map(String::as_str).collect();
        return Err(Failure::usage(format!("there is no step `{name}` in the registry"))
            .hint_names(name, "steps", &known));
    };
    if step.checks.is_empty() {
        let what = format!("the step `{name}` has no `completionConditions`: there is nothing to validate");
        return Err(Failure::usage(what).hint("give it at least one condition"));
    }
    Ok(step)
}

/// Runs the conditions, in their order and up to the first failure.
fn run_conditions(
    project: &Project,
    issue: Option<IssueNumber>,
    step: &RegistryStep,
) -> Result<Vec<CheckResult>> {
    let agreement = project.settings.agreement(None)?;
    let phase =
        agreement.phases.first().ok_or_else(|| Failure::usage("there is no phase").hint("configure one"))?;
    let phase = with_conditions(phase, step);
    let issue = match issue {
        Some(number) => {
            Some(runtime()?.block_on(forge_connection::of_issue(project, number)?.issue(number))?)
        }
        None => None,
    };
    let world = world(project, issue.as_ref());
    let defined: BTreeMap<_, _> = step.checks.iter().cloned().collect();
    let command_seconds = project.settings.limits.time.command_seconds;
    let time = TimeLimits { command_seconds, ..agreement.time.clone() };
    let empty =
        Site::outside_a_run(project.root(), &phase, &agreement.check_settings, &time, &project.masker);
    let site = Site {
        began: journal::now(),
        issue: issue.as_ref().unwrap_or(empty.issue),
        defined: &defined,
        world: &world,
        commands: &agreement.commands,
        ..empty
    };
    let (_handle, mut stop) = Stop::new();
    Ok(runtime()?.block_on(checks::run(&site, &mut stop)))
}

/// Returns a phase whose checks are the conditions alone.
fn with_conditions(phase: &PhaseDef, step: &RegistryStep) -> PhaseDef {
    let mut phase = phase.clone();
    phase.policy.checks = step.rules();
    phase.policy.check_mode = CheckMode::FirstFailure;
    phase
}

/// Outside of a run nobody commits later: everything that is not committed counts.
fn world(project: &Project, issue: Option<&Issue>) -> World {
    let survey = project.workspace.read_state();
    let untaken = survey.map(|survey| uncommitted(&survey)).map_err(|error| error.to_string());
    let issue_open = issue.map(|issue| issue.open).ok_or_else(|| "name it with `--issue`".to_owned());
    let remote_checks = Err("only a run knows what it pushed".to_owned());
    let messages = messages(project).map_err(|error| error.to_string());
    World { untaken, issue_open, remote_checks, messages }
}

/// The commits since the branch left the default branch; those of the engine say what it always says.
fn messages(project: &Project) -> Result<Vec<String>, git::Error> {
    let since = project.workspace.branches().diff_base(None, project.settings.base_branch.as_deref())?;
    let mut messages = project.workspace.history().messages_since(&since.commit)?;
    messages.retain(|message| Trailers::read(message).is_none());
    Ok(messages)
}

fn uncommitted(survey: &WorktreeState) -> Vec<Untaken> {
    let changed = survey.changed.iter().map(|path| {
        let unmerged = survey.unmerged.contains(path);
        let (letters, what) =
            if unmerged { ("UU", "is not merged") } else { (" M", "is changed and not committed") };
        Untaken { letters, path: path.clone(), what }
    });
    let unknown = survey.untracked.iter().chain(&survey.nested_repositories);
    let unknown =
        unknown.map(|path| Untaken { letters: "??", path: path.clone(), what: "is not known to git" });
    changed.chain(unknown).collect()
}

/// Returns the prompt that the author would get.
fn retry_prompt(project: &Project, step: &RegistryStep, result: &CheckResult) -> Result<String> {
    let overrides = project.templates([&step.c3l]);
    let failed = std::slice::from_ref(result);
    let prompt = prompt::retry_prompt(failed, &step.patterns, Some(&step.c3l), &overrides, &nonce());
    prompt.map_err(|error| Failure::from(RunError::from(error)))
}
