//! `list-presets`: the presets and their phases.

use std::fmt::Write as _;

use serde_json::json;

use super::Answer;
use super::arguments::Report;
use super::door::{here, repository_root, settings};
use super::show::show;

pub(super) fn run(arguments: &Report) -> Answer {
    let here = here()?;
    let settings = settings(&arguments.settings, &here, repository_root(&here).as_deref())?;
    let mut text = String::new();
    let mut values = serde_json::Map::new();
    for (name, preset) in settings.presets() {
        let _ = writeln!(text, "{name:<22} {}\n{:<22} {}", preset.description, "", preset.phases.join(" → "));
        values.insert(name.clone(), json!({"description": preset.description, "phases": preset.phases}));
    }
    show(arguments.json, &values.into(), &text);
    Ok(0)
}
