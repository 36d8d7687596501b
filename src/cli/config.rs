//! `config show|validate|schema`: the settings in force, what is wrong with them, and what they may be.

use serde_json::{Value, json};

use super::Answer;
use super::arguments::{Config, ConfigCommand, Report};
use super::door::{here, repository_root, settings};
use super::failure::Failure;
use super::show::show;
use crate::config::{Settings, schema};
use crate::{check, metadata};

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
    let origins: Value = settings
        .origins()
        .iter()
        .map(|(key, place)| (key.clone(), json!(place.to_string())))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let text = settings.to_toml();
    let keys: Value = toml::from_str(&text).unwrap_or_default();
    let comments =
        settings.origins().iter().map(|(key, place)| format!("# {key}: {place}\n")).collect::<String>();
    show(
        report.json,
        &json!({"settings": keys, "origins": origins}),
        &format!("{text}\n# Where it differs from the defaults:\n{comments}"),
    );
    Ok(0)
}

fn validated(report: &Report) -> Answer {
    let settings = loaded(report)?;
    let agreement = settings.agreement(None)?;
    if let Some((phase, id)) = check::unknown(&agreement).first() {
        return Err(Failure::usage(format!("phase {phase} names a check `{id}` that does not exist")));
    }
    let count = settings.origins().len();
    show(
        report.json,
        &json!({"valid": true, "settings": count}),
        &format!("valid: {count} settings differ from the defaults\n"),
    );
    Ok(0)
}
