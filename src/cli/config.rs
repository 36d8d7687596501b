//! `config show|validate|schema`, `list-presets` and `phases`: the settings in force, what is wrong with them, and what they
//! make of phases. Needs no repository and no run.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::CommandResult;
use super::arguments::{CommonFlags, ConfigArgs, ConfigCommand};
use super::output::show;
use app::agreement::{agreement_with_commands, refuse_unknown_checks};
use app::begin::refuse_settings;
use app::environment::current_folder;
use app::failure::Failure;
use app::project::{Project, load_settings, repository_root};
use model::phase::PhaseName;
use model::policy::{Agreement, PhaseDef};
use settings::{Settings, schema};
use views::metadata;
use views::summary::counted;

/// What is left of 80 columns beside the names of phases.
const LINE_COLUMNS: usize = 59;

/// Runs `config`.
pub(super) fn run(arguments: &ConfigArgs) -> CommandResult {
    match &arguments.command {
        ConfigCommand::Show(view) => show_settings(view),
        ConfigCommand::Validate(view) => validate(view),
        ConfigCommand::Schema { metadata } => {
            let schema = if *metadata { metadata::schema() } else { schema() };
            show(true, &schema, "")
        }
    }
}

/// Loads the settings of all layers, inside a repository or not.
fn load(view: &CommonFlags) -> Result<Settings, Failure> {
    let here = current_folder()?;
    load_settings(&view.settings.overrides(), &here, repository_root(&here).as_deref())
}

fn show_settings(view: &CommonFlags) -> CommandResult {
    let settings = load(view)?;
    let text = settings.to_toml();
    let keys: Value = toml::from_str(&text).unwrap_or_default();
    let mut origins = serde_json::Map::new();
    let mut comments = String::new();
    for (key, place) in settings.origins() {
        origins.insert(key.to_owned(), json!(place.to_string()));
        let _ = writeln!(comments, "# {key}: {place}");
    }
    show(
        view.json,
        &json!({"settings": keys, "origins": origins}),
        &format!("{text}\n# Set by you:\n{comments}"),
    )
}

fn validate(view: &CommonFlags) -> CommandResult {
    let settings = load(view)?;
    if repository_root(&current_folder()?).is_some() {
        refuse_settings(&Project::open(view.settings.overrides())?)?;
    } else {
        refuse_unknown_checks(&settings.agreement(None)?)?;
    }
    let count = settings.origins().len();
    show(
        view.json,
        &json!({"valid": true, "settings": count}),
        &format!("valid: {} of yours in force\n", counted(count as u64, "setting")),
    )
}

/// Runs `list-presets`.
pub(super) fn list_presets(view: &CommonFlags) -> CommandResult {
    let settings = load(view)?;
    let mut text = String::new();
    let mut values = serde_json::Map::new();
    for (name, preset) in &settings.presets {
        let _ = writeln!(text, "{name:<22} {}\n{:<22} {}", preset.description, "", preset.phases.join(" → "));
        values.insert(name.clone(), json!({"description": preset.description, "phases": preset.phases}));
    }
    show(view.json, &values.into(), &text)
}

/// Runs `phases`.
pub(super) fn phases(view: &CommonFlags) -> CommandResult {
    let phases = agreement_here(view)?.phases;
    let everywhere = checks_of_all(&phases);
    let mut text: String = phases.iter().map(|phase| phase_lines(phase, &everywhere)).collect();
    if !everywhere.is_empty() {
        text += "every phase\n";
        text += &list_lines("checks", &everywhere);
    }
    let values: Vec<Value> = phases.iter().map(phase_value).collect();
    show(view.json, &values.into(), &text)
}

/// Returns what a run is agreed on here; outside of a repository what the settings alone come to.
fn agreement_here(view: &CommonFlags) -> Result<Agreement, Failure> {
    if repository_root(&current_folder()?).is_some() {
        return agreement_with_commands(&Project::open(view.settings.overrides())?);
    }
    Ok(load(view)?.agreement(None)?)
}

/// Returns the checks that each of the phases has, in the order of the first.
fn checks_of_all(phases: &[PhaseDef]) -> Vec<&str> {
    let mut everywhere = phases.first().map(checks).unwrap_or_default();
    everywhere.retain(|check| phases.iter().all(|phase| checks(phase).contains(check)));
    everywhere
}

/// Returns the lines about a phase, with those of its checks that not every phase has.
fn phase_lines(phase: &PhaseDef, everywhere: &[&str]) -> String {
    let unit = if phase.policy.triage { "rounds" } else { "revisions" };
    let PhaseDef { name, policy_name, folder, output, .. } = phase;
    let own: Vec<&str> = checks(phase).into_iter().filter(|check| !everywhere.contains(check)).collect();
    format!(
        "{:<20} {policy_name:<12} {} {unit:<9} {folder}/output/{output}\n{}{}",
        name.as_str(),
        phase.policy.limits.max_revisions,
        list_lines("needs", &needs(phase)),
        list_lines("checks", &own),
    )
}

/// Returns names behind a first word, in indented lines of at most 80 columns; no line without a name.
fn list_lines(first: &str, names: &[&str]) -> String {
    let Some((last, others)) = names.split_last() else { return String::new() };
    let mut lines = vec![format!("{first} ")];
    for name in others.iter().map(|name| format!("{name}, ")).chain([(*last).to_owned()]) {
        match lines.last_mut().filter(|line| line.len() + name.len() < LINE_COLUMNS) {
            Some(line) => *line += &name,
            None => lines.push(name),
        }
    }
    lines.iter().map(|line| format!("{:21}{}\n", "", line.trim_end())).collect()
}

fn phase_value(phase: &PhaseDef) -> Value {
    json!({
        "phase": phase.name, "folder": phase.folder, "output": phase.output, "needs": needs(phase), "checks": checks(phase),
        "policy": phase.policy_name, "max_revisions": phase.policy.limits.max_revisions, "agent": phase.agents,
        "reviewer": phase.reviewers, "panel": phase.panel,
    })
}

fn needs(phase: &PhaseDef) -> Vec<&str> {
    phase.needs.iter().map(PhaseName::as_str).collect()
}

fn checks(phase: &PhaseDef) -> Vec<&str> {
    phase.policy.checks.iter().map(|rule| rule.id.as_str()).collect()
}
