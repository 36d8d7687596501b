//! `config show|validate|schema`: the settings in force, what is wrong with them, and what they may be.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Answer;
use super::arguments::{Config, ConfigCommand, Report};
use super::begin_run::known_checks;
use super::door::{here, repository_root, settings};
use super::failure::Failure;
use super::output_schemas;
use super::show::show;
use settings::{Place, Settings, schema};
use views::metadata;
use views::summary::counted;

pub(super) fn run(arguments: &Config) -> Answer {
    match &arguments.command {
        ConfigCommand::Show(report) => shown(report),
        ConfigCommand::Validate(report) => validated(report),
        ConfigCommand::Schema { metadata } => {
            let schema = if *metadata { metadata::schema() } else { schema() };
            show(true, &schema, "");
            Ok(0)
        }
    }
}

fn loaded(report: &Report) -> Result<Settings, Failure> {
    let here = here()?;
    settings(&report.settings, &here, repository_root(&here).as_deref())
}

fn shown(report: &Report) -> Answer {
    let settings = loaded(report)?;
    let origins: Value = written(&settings)
        .map(|(key, place)| (key.clone(), json!(place.to_string())))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let text = settings.to_toml();
    let keys: Value = toml::from_str(&text).unwrap_or_default();
    let comments = written(&settings).fold(String::new(), |mut text, (key, place)| {
        let _ = writeln!(text, "# {key}: {place}");
        text
    });
    show(
        report.json,
        &json!({"settings": keys, "origins": origins}),
        &format!("{text}\n# Where it differs from the defaults:\n{comments}"),
    );
    Ok(0)
}

/// Returns the values that somebody wrote; the tables they stand in are none.
fn written(settings: &Settings) -> impl Iterator<Item = (&String, &Place)> {
    let origins = settings.origins();
    origins.iter().filter(|(key, _)| {
        let inside = format!("{key}.");
        !origins.keys().any(|other| other.starts_with(&inside))
    })
}

fn validated(report: &Report) -> Answer {
    let settings = loaded(report)?;
    let mut agreement = settings.agreement(None)?;
    known_checks(&agreement)?;
    if let Some(root) = repository_root(&here()?) {
        output_schemas::pin(&settings, &root, &mut agreement)?;
    }
    let count = written(&settings).count();
    show(
        report.json,
        &json!({"valid": true, "settings": count}),
        &format!("valid: {} differ from the defaults\n", counted(count as u64, "setting")),
    );
    Ok(0)
}
