//! `validate`: runs the conditions of a step of the registry in the checkout as it is, and shows what an author would be
//! told. Needs no run and begins none; what a command does to the checkout is the command's.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::Answer;
use super::arguments::{SettingFlags, Validate};
use super::door::{Door, STEPS, runtime};
use super::failure::Failure;
use super::forge_connection;
use super::show::show;
use app::runner::{RunError, nonce};
use checks::{Site, Untaken, World};
use git::{Survey, Trailers};
use journal::clock::Clock;
use model::event::{CheckResult, CheckStatus};
use model::issue::{Issue, IssueNumber};
use model::policy::{CheckMode, OnFail, PhaseDef, TimeLimits};
use process::Stop;
use settings::registry::{RegistryStep, StepsRegistry};
use settings::suggestion;
use views::prompt;

pub(super) fn run(arguments: &Validate) -> Answer {
    let door = crate::project::open(&SettingFlags::default())?;
    let registry = registry(&door, arguments.registry.as_deref())?;
    let step = step(&registry, &arguments.step)?;
    let results = results(&door, arguments, step)?;
    let failed = failed(step, &results);
    let prompt = failed.map(|result| retry_prompt(&door, step, result)).transpose()?;
    let lines = lines(step, &results, prompt.as_deref());
    show(arguments.json, &value(arguments, &results, failed, prompt.as_deref()), &lines);
    Ok(u8::from(failed.is_some()))
}

/// Reads the registry that is named, or else takes the repository's.
fn registry(door: &Door, file: Option<&Path>) -> Result<StepsRegistry, Failure> {
    let Some(file) = file else {
        return door.settings.registry().cloned().ok_or_else(|| {
            Failure::usage(format!("there is no {STEPS}"))
                .hint("write it, or name another file with `--registry`")
        });
    };
    let name = file.display().to_string();
    let text = fs::read_to_string(door.here.join(file)).map_err(|error| {
        Failure::usage(format!("failed to read {name}: {error}")).hint("name an existing file")
    })?;
    Ok(StepsRegistry::read(&name, &text)?)
}

fn step<'a>(registry: &'a StepsRegistry, name: &str) -> Result<&'a RegistryStep, Failure> {
    let Some(step) = registry.steps.get(name) else {
        let known = registry.steps.keys().map(String::as_str);
        let failure = Failure::usage(format!("there is no step `{name}` in the registry"));
        return Err(match suggestion(name, known.clone()) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure.hint(format!("the steps are: {}", known.collect::<Vec<_>>().join(", "))),
        });
    };
    if step.checks.is_empty() {
        let what = format!("the step `{name}` has no `completionConditions`: there is nothing to validate");
        return Err(Failure::usage(what).hint("give it at least one condition"));
    }
    Ok(step)
}

fn issue_of(door: &Door, number: IssueNumber) -> Result<Issue, Failure> {
    Ok(runtime()?.block_on(forge_connection::of_issue(door, number)?.issue(number))?)
}

/// Runs the conditions, in their order and up to the first failure.
fn results(door: &Door, arguments: &Validate, step: &RegistryStep) -> Result<Vec<CheckResult>, Failure> {
    let agreement = door.settings.agreement(None)?;
    let phase =
        agreement.phases.first().ok_or_else(|| Failure::usage("there is no phase").hint("configure one"))?;
    let phase = phase_of(phase, step);
    let issue = arguments.issue.map(|number| issue_of(door, number)).transpose()?;
    let world = world(door, issue.as_ref());
    let defined: BTreeMap<_, _> = step.checks.iter().cloned().collect();
    let time =
        TimeLimits { command_seconds: door.settings.limits.time.command_seconds, ..agreement.time.clone() };
    let empty = Site::outside_a_run(door.root(), &phase, &agreement.check_settings, &time, &door.masker);
    let site = Site {
        began: Clock::Real.now(),
        issue: issue.as_ref().unwrap_or(empty.issue),
        defined: &defined,
        world: &world,
        commands: &agreement.commands,
        ..empty
    };
    let (_handle, mut stop) = Stop::new();
    Ok(runtime()?.block_on(checks::run(&site, &mut stop)))
}

/// The conditions alone, as if they were the checks of a phase.
fn phase_of(phase: &PhaseDef, step: &RegistryStep) -> PhaseDef {
    let mut phase = phase.clone();
    phase.policy.checks = step.rules();
    phase.policy.check_mode = CheckMode::FirstFailure;
    phase
}

/// Outside of a run nobody commits later: everything that is not committed counts.
fn world(door: &Door, issue: Option<&Issue>) -> World {
    let untaken = door
        .workspace
        .worktree()
        .survey()
        .map(|survey| uncommitted(&survey))
        .map_err(|error| error.to_string());
    let issue_open = issue.map(|issue| issue.open).ok_or_else(|| "name it with `--issue`".to_owned());
    let remote_checks = Err("only a run knows what it pushed".to_owned());
    World { untaken, issue_open, remote_checks, messages: messages(door).map_err(|error| error.to_string()) }
}

/// The commits since the branch left the default branch; those of the engine say what it always says.
fn messages(door: &Door) -> Result<Vec<String>, git::Error> {
    let since = door.workspace.bases().diff_base(None, door.settings.base_branch.as_deref())?;
    let mut messages = door.workspace.history().messages_since(&since.commit)?;
    messages.retain(|message| Trailers::read(message).is_none());
    Ok(messages)
}

fn uncommitted(survey: &Survey) -> Vec<Untaken> {
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

/// Returns the result that decides; one whose failure is only noted does not.
fn failed<'a>(step: &RegistryStep, results: &'a [CheckResult]) -> Option<&'a CheckResult> {
    let rules = step.rules();
    let noted = |id: &str| rules.iter().any(|rule| rule.id == id && rule.on_fail == OnFail::Note);
    results.iter().find(|result| match result.status {
        CheckStatus::Pass | CheckStatus::Skipped => false,
        CheckStatus::Fail => !noted(&result.check),
        CheckStatus::Unavailable => true,
    })
}

/// Returns the prompt that the author would get.
fn retry_prompt(door: &Door, step: &RegistryStep, result: &CheckResult) -> Result<String, Failure> {
    let overrides = door.overrides([&step.c3l]);
    let failed = std::slice::from_ref(result);
    let prompt = prompt::retry_prompt(failed, &step.patterns, Some(&step.c3l), &overrides, &nonce());
    prompt.map_err(|error| Failure::from(RunError::from(error)))
}

fn short(id: &str) -> &str {
    id.rsplit_once('/').map_or(id, |(_, name)| name)
}

fn mark(status: CheckStatus) -> &'static str {
    match status {
        CheckStatus::Pass => "✓",
        CheckStatus::Fail => "✗",
        CheckStatus::Unavailable => "?",
        CheckStatus::Skipped => "-",
    }
}

fn lines(step: &RegistryStep, results: &[CheckResult], prompt: Option<&str>) -> String {
    let mut text = format!("{}\n", step.name);
    for result in results {
        let _ = writeln!(text, "{} {}: {}", mark(result.status), short(&result.check), result.summary);
    }
    for (id, _) in step.checks.iter().skip(results.len()) {
        let _ = writeln!(text, "- {}: not looked at, because of the failure before it", short(id));
    }
    match prompt {
        Some(prompt) => text + "\nThe author would be told:\n\n" + prompt,
        None => text,
    }
}

fn value(
    arguments: &Validate,
    results: &[CheckResult],
    failed: Option<&CheckResult>,
    prompt: Option<&str>,
) -> Value {
    let each = results.iter().map(|result| {
        json!({
            "check": short(&result.check), "status": result.status, "pattern": result.pattern, "summary": result.summary,
            "params": result.params, "evidence": result.evidence,
        })
    });
    json!({
        "step": arguments.step, "valid": failed.is_none(),
        "pattern": failed.and_then(|result| result.pattern.clone()), "params": failed.map(|result| &result.params),
        "recoverable": failed.map(|result| result.status == CheckStatus::Fail),
        "results": each.collect::<Vec<_>>(), "retry_prompt": prompt,
    })
}
