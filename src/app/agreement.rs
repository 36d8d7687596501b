//! Which commands, checks and schemas a run is agreed on: the commands that are set, and for the other keys those that the
//! project's files show; the checks that run them; the schemas that phases name for their answers. What a run is held to does
//! not change when the files do. Runs nothing.

use std::fs;
use std::path::Path;

use crate::failure::{Failure, Result};
use crate::project::Project;
use agents::find_program;
use checks::detected::detect;
use journal::store::folders::HOME;
use model::policy::{Agreement, CheckRule, CheckSettings, OnFail, OnUnavailable, PhaseDef, check_id};
use settings::{Settings, output_schema, split_words};

/// Checks that every phase that changes code makes as soon as their command is known, the cheap ones first.
const CODE_CHECKS: [(&str, &str); 3] = [("lint", "lint"), ("typecheck", "typecheck"), ("tests", "test")];
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

    /// Tells whether its program is here. A path is seen from the top of the worktree.
    pub fn is_here(&self, project: &Project) -> bool {
        let words = split_words(&self.line).unwrap_or_default();
        let Some(program) = words.first() else { return false };
        let path = Path::new(program);
        let is_path = path.components().count() > 1;
        if is_path { project.root().join(path).exists() } else { find_program(program.as_ref()).is_ok() }
    }
}

/// Returns the commands of the project, those that are set first.
pub fn project_commands(project: &Project) -> Vec<ProjectCommand> {
    let keys = &project.settings.commands;
    let set = keys.by_id();
    let mut commands: Vec<ProjectCommand> = Vec::new();
    for (key, line) in set.clone() {
        commands.push(ProjectCommand { key, line, detected_by: None });
    }
    let detected = if keys.detect { detect(project.root()) } else { Vec::new() };
    for found in detected.into_iter().filter(|found| !set.contains_key(found.key)) {
        let (key, detected_by) = (found.key.to_owned(), Some(found.because));
        commands.push(ProjectCommand { key, line: found.line, detected_by });
    }
    commands
}

/// Puts the commands into an agreement, and the checks that run them into its phases.
pub fn pin_commands(agreement: &mut Agreement, commands: &[ProjectCommand]) {
    let lines = commands.iter().map(|command| (command.key.clone(), command.line.clone()));
    agreement.commands = lines.collect();
    let detected = commands.iter().filter(|command| command.detected_by.is_some());
    agreement.detected_commands = detected.map(|command| command.key.clone()).collect();
    for phase in &mut agreement.phases {
        add_checks(phase, commands, &agreement.check_settings);
        checks::cheap_first(&mut phase.policy);
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

/// Resolves every schema that a phase or its step names, below the home of the repository, where the registry lies, too.
pub fn pin_schemas(settings: &Settings, root: &Path, agreement: &mut Agreement) -> Result<()> {
    for phase in &mut agreement.phases {
        let Some(keys) = settings.phases.get(phase.name.as_str()) else { continue };
        let Some(reference) = settings.schema_of(keys) else { continue };
        let key = match &keys.step {
            Some(step) if keys.schema.is_none() => format!("`outputSchemaRef` of the step `{step}`"),
            _ => format!("`phases.{}.schema = \"{reference}\"`", phase.name),
        };
        let resolved = output_schema(&reference, |file| schema_text(&root.join(HOME).join(file)));
        phase.output_schema = Some(resolved.map_err(|error| {
            Failure::usage(format!("{key}: {error}")).hint(format!(
                "the file is looked for below {HOME}/ and named as FILE#NAME or FILE#/$defs/NAME"
            ))
        })?);
    }
    Ok(())
}

fn schema_text(path: &Path) -> Result<String, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > LARGEST_SCHEMA {
        return Err(format!("it has {size} bytes; {LARGEST_SCHEMA} is the most"));
    }
    fs::read_to_string(path).map_err(|error| error.to_string())
}
