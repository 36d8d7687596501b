//! `config show|validate|schema`, `list-presets` and `phases`: the settings in force, what is wrong with them, and what they
//! make of phases. Needs no repository and no run.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::CommandResult;
use super::arguments::{CommonFlags, ConfigArgs, ConfigCommand};
use super::output::show;
use app::agreement::refuse_unknown_checks;
use app::begin::refuse_settings;
use app::environment::current_folder;
use app::failure::Failure;
use app::project::{Project, load_settings, repository_root};
use model::phase::PhaseName;
use model::policy::PhaseDef;
use settings::{Settings, schema};
use views::metadata;
use views::summary::counted;

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
    let agreement = load(view)?.agreement(None)?;
    let text: String = agreement.phases.iter().map(phase_lines).collect();
    let values: Vec<Value> = agreement.phases.iter().map(phase_value).collect();
    show(view.json, &values.into(), &text)
}

fn phase_lines(phase: &PhaseDef) -> String {
    let unit = if phase.policy.triage { "rounds" } else { "revisions" };
    let listed = |names: Vec<&str>, none: &str| {
        if names.is_empty() { none.to_owned() } else { names.join(", ") }
    };
    format!(
        "{:<20} {:<12} {} {unit:<9} {}/output/{}\n{:<20} needs {}; checks {}\n",
        phase.name.as_str(),
        phase.policy_name,
        phase.policy.limits.max_revisions,
        phase.folder,
        phase.output,
        "",
        listed(needs(phase), "nothing"),
        listed(checks(phase), "none"),
    )
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
