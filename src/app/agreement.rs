//! Which commands, checks and schemas a run is agreed on: the commands that are set, and for the other keys those that the
//! project's files show; the checks that run them; the schemas that phases name for their answers. What a run is held to does
//! not change when the files do. Runs nothing.

use std::fs;
use std::path::Path;

use crate::failure::{Failure, Result};
use crate::project::Project;
use agents::find_program;
use checks::detected::{detect, detect_integration};
use journal::store::folders::HOME;
use model::policy::{
    Agreement, CheckRule, CheckSettings, OnFail, OnUnavailable, PhaseDef, check_id, criterion,
};
use settings::{Settings, output_schema, split_words};

/// Checks that every phase that changes code makes as soon as their command is known, the cheap ones first.
const CODE_CHECKS: [(&str, &str); 3] = [("lint", "lint"), ("typecheck", "typecheck"), ("tests", "test")];

/// What compares the tests of the base with those of now, and what a failure of each demands.
const TEST_COMPARISONS: [(&str, OnFail); 5] = [
    ("pass_to_pass", OnFail::Revise),
    ("changed_expectations", OnFail::Note),
    ("runner_settings", OnFail::Revise),
    (RED_GREEN, OnFail::Revise),
    (MUTANTS, OnFail::Note),
];
/// The check that runs new tests without the code that they are about.
pub(crate) const RED_GREEN: &str = "red_green";
/// The check that changes code to see whether a test fails.
const MUTANTS: &str = "mutants";
/// The check that runs what a project has to integrate it.
const INTEGRATION: &str = "integration";
/// The largest file with schemas, in bytes.
const LARGEST_SCHEMA: u64 = 1024 * 1024;

/// A command of the project that a run uses.
pub struct ProjectCommand {
    /// Its key in `[commands]`.
    pub key: String,
    /// The program and its arguments.
    pub line: String,
    /// By what it was detected; nothing when it is set.
    pub detected_by: Option<String>,
}

impl ProjectCommand {
    /// Says in a few words why this command is used.
    pub fn why(&self) -> String {
        match &self.detected_by {
            Some(file) => format!("detected: {file}"),
            None => "set".into(),
        }
    }

    /// Tells whether its program is missed: it is not here, and a person named it or it runs the tests.
    pub(crate) fn is_missed(&self, project: &Project) -> bool {
        (self.detected_by.is_none() || self.key == "test") && !self.is_here(project)
    }

    /// Tells whether its program is here. A path is seen from the top of the worktree.
    pub(crate) fn is_here(&self, project: &Project) -> bool {
        let words = split_words(&self.line).unwrap_or_default();
        let Some(program) = words.first() else { return false };
        let path = Path::new(program);
        let is_path = path.components().count() > 1;
        if is_path { project.root().join(path).exists() } else { find_program(program.as_ref()).is_ok() }
    }
}

/// Returns the commands of the project, those that are set first.
pub(crate) fn project_commands(project: &Project) -> Vec<ProjectCommand> {
    let keys = &project.settings.commands;
    let set = keys.by_id();
    let mut commands: Vec<ProjectCommand> = Vec::new();
    for (key, line) in set.clone() {
        commands.push(ProjectCommand { key, line, detected_by: None });
    }
    let mut detected = if keys.detect { detect(project.root()) } else { Vec::new() };
    if keys.detect {
        detected.extend(detect_integration(project.root(), set.contains_key("test")));
    }
    for found in detected.into_iter().filter(|found| !set.contains_key(found.key)) {
        let (key, detected_by) = (found.key.to_owned(), Some(found.because));
        commands.push(ProjectCommand { key, line: found.line, detected_by });
    }
    commands
}

/// Returns what a run in this project is agreed on, with the commands of the project and the checks that run them.
pub fn agreement_with_commands(project: &Project) -> Result<Agreement> {
    let mut agreement = project.settings.agreement(None)?;
    pin_commands(&mut agreement, &project_commands(project));
    Ok(agreement)
}

/// Puts the commands into an agreement, and the checks that run them into its phases.
pub(crate) fn pin_commands(agreement: &mut Agreement, commands: &[ProjectCommand]) {
    let lines = commands.iter().map(|command| (command.key.clone(), command.line.clone()));
    agreement.commands = lines.collect();
    let detected = commands.iter().filter(|command| command.detected_by.is_some());
    agreement.detected_commands = detected.map(|command| command.key.clone()).collect();
    for phase in &mut agreement.phases {
        add_checks(phase, commands, &agreement.check_settings);
    }
    add_integration(agreement, commands);
    for phase in &mut agreement.phases {
        checks::cheap_first(&mut phase.policy);
    }
}

/// Refuses a phase with a check that has to be judged and of which no command is known: it would never pass.
pub(crate) fn refuse_unjudged_checks(agreement: &Agreement, phase: &PhaseDef) -> Result<()> {
    let has_no_command =
        |(_, key): &(&str, &str)| agreement.commands.get(*key).is_none_or(|line| line.trim().is_empty());
    let is_required = |id: &str| phase.policy.required.iter().any(|required| required == id);
    let mut unjudged = checks::command_checks().filter(has_no_command).filter(|(id, _)| is_required(id));
    let Some((id, key)) = unjudged.next() else { return Ok(()) };
    let name = criterion(id).unwrap_or(id);
    let phase = &phase.name;
    Err(Failure::usage(format!("{name} is listed for {phase}, and no `[commands] {key}` is set or detected that judges it"))
        .hint(format!("set `[commands] {key}`, or take {name} off the list in `.claude/review-loop.json` or `checks.enabled`")))
}

/// Has the last phase that looks at the code run everything that the project has, where that is more than one `test`.
fn add_integration(agreement: &mut Agreement, commands: &[ProjectCommand]) {
    let is_more = |command: &ProjectCommand| {
        checks::INTEGRATION.contains(&command.key.as_str())
            && !CODE_CHECKS.iter().any(|(_, key)| *key == command.key)
    };
    let is_disabled = agreement.check_settings.disabled.iter().any(|name| name == INTEGRATION);
    let has_it = |phase: &PhaseDef| phase.policy.checks.iter().any(|rule| rule.id == INTEGRATION);
    if is_disabled || !commands.iter().any(is_more) || agreement.phases.iter().any(has_it) {
        return;
    }
    let looks_at_code = |phase: &&mut PhaseDef| {
        phase.changes_code || phase.policy.checks.iter().any(|rule| rule.id == "tests")
    };
    if let Some(last) = agreement.phases.iter_mut().rev().find(looks_at_code) {
        let on_unavailable = OnUnavailable::Note;
        last.policy.checks.push(CheckRule {
            id: INTEGRATION.to_owned(),
            on_fail: OnFail::Revise,
            on_unavailable,
        });
    }
}

/// What is set has to work; what was only detected may turn out not to run here, which is noted.
fn add_checks(phase: &mut PhaseDef, commands: &[ProjectCommand], settings: &CheckSettings) {
    if !phase.changes_code {
        return;
    }
    for (id, key) in CODE_CHECKS {
        let Some(command) = commands.iter().find(|command| command.key == key) else { continue };
        let rules = &mut phase.policy.checks;
        let is_disabled = settings.disabled.iter().any(|name| check_id(name) == id);
        if is_disabled || rules.iter().any(|rule| rule.id == id) {
            continue;
        }
        let is_detected = command.detected_by.is_some();
        let on_unavailable = if is_detected { OnUnavailable::Note } else { OnUnavailable::Block };
        rules.push(CheckRule { id: id.to_owned(), on_fail: OnFail::Revise, on_unavailable });
    }
    compare_tests(phase, settings);
}

/// Has new tests run without the code that they are about, where tests are run, whether or not the phase has to bring tests.
pub(crate) fn prove_new_tests(phase: &mut PhaseDef, settings: &CheckSettings) {
    add_comparisons(phase, settings, true);
    checks::cheap_first(&mut phase.policy);
}

/// Has the tests of the base compared with those of now, where tests are run; new tests where the phase has to bring them.
fn compare_tests(phase: &mut PhaseDef, settings: &CheckSettings) {
    add_comparisons(phase, settings, phase.properties.has_tests);
}

fn add_comparisons(phase: &mut PhaseDef, settings: &CheckSettings, proves_new_tests: bool) {
    let rules = &mut phase.policy.checks;
    if !rules.iter().any(|rule| rule.id == "tests") {
        return;
    }
    for (id, on_fail) in
        TEST_COMPARISONS.into_iter().filter(|(id, _)| proves_new_tests || ![RED_GREEN, MUTANTS].contains(id))
    {
        let is_disabled = settings.disabled.iter().any(|name| check_id(name) == id);
        if !is_disabled && !rules.iter().any(|rule| rule.id == id) {
            rules.push(CheckRule { id: id.to_owned(), on_fail, on_unavailable: OnUnavailable::Note });
        }
    }
}

/// Refuses an agreement that names a check or a template which does not exist.
pub fn refuse_unknown_checks(agreement: &Agreement) -> Result<()> {
    if let Some(id) = checks::twice_named(agreement) {
        return Err(Failure::usage(format!("`checks.define.{id}` bears the name of a check of ours"))
            .hint("give it another name"));
    }
    if let Some((template, known)) = checks::unknown_template(agreement) {
        return Err(Failure::usage(format!("[checks] template names `{template}`, which does not exist"))
            .hint(format!("the templates are: {}", known.join(", "))));
    }
    let unknown = checks::unknown(agreement);
    let Some((phase, id)) = unknown.first() else { return Ok(()) };
    let own = agreement.defined.keys().cloned();
    let ids: Vec<String> = own.chain(checks::ids().map(str::to_owned)).collect();
    Err(Failure::usage(format!("phase {phase} names a check `{id}` that does not exist"))
        .hint(format!("the checks are: {}", ids.join(", "))))
}

/// Resolves every schema that a phase or its step names: below the home of the repository, where the registry lies, too; that of
/// a step also where the registry's agent keeps its own.
pub(crate) fn pin_schemas(settings: &Settings, root: &Path, agreement: &mut Agreement) -> Result<()> {
    for phase in &mut agreement.phases {
        let Some(keys) = settings.phases.get(phase.name.as_str()) else { continue };
        let Some(reference) = settings.schema_of(keys) else { continue };
        let (mut folders, mut key) =
            (vec![HOME], format!("`phases.{}.schema = \"{reference}\"`", phase.name));
        if let (Some(step), None) = (&keys.step, &keys.schema) {
            key = format!("`outputSchemaRef` of the step `{step}`");
            folders.extend(settings.registry().map(|registry| registry.schemas.as_str()));
        }
        let resolved = output_schema(&reference, |file| schema_text(root, &folders, file));
        phase.output_schema = Some(resolved.map_err(|error| {
            Failure::usage(format!("{key}: {error}")).hint(format!(
                "the file is looked for below {}/ and named as FILE#NAME or FILE#/$defs/NAME",
                folders.join("/, then below ")
            ))
        })?);
    }
    Ok(())
}

/// Returns the text of a file in the first of these folders that has it.
fn schema_text(root: &Path, folders: &[&str], file: &str) -> Result<String, String> {
    let mut paths = folders.iter().map(|folder| root.join(folder).join(file));
    let path = paths.find(|path| path.exists()).unwrap_or_else(|| root.join(HOME).join(file));
    let size = fs::metadata(&path).map_err(|error| error.to_string())?.len();
    if size > LARGEST_SCHEMA {
        return Err(format!("it has {size} bytes; {LARGEST_SCHEMA} is the most"));
    }
    fs::read_to_string(path).map_err(|error| error.to_string())
}
