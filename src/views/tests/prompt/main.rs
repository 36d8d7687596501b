//! What an agent reads: the prompts of every phase and step, and the retry prompts of failed checks.

mod retry;
mod templates;

use std::collections::BTreeMap;

use model::policy::PhaseDef;
use settings::{ConfigTexts, Settings, load};

/// Returns the layers of a repository whose file holds a text.
fn repository(text: &str) -> ConfigTexts {
    ConfigTexts {
        repository: Some((".ai-workflow/config.toml".into(), text.into())),
        ..ConfigTexts::default()
    }
}

/// Returns what a text says from some words on, and before others.
#[track_caller]
fn excerpt<'a>(text: &'a str, from: &str, before: &str) -> &'a str {
    let start = text.find(from).unwrap_or_else(|| panic!("`{from}` is not in\n{text}"));
    let length =
        text[start..].find(before).unwrap_or_else(|| panic!("no {before:?} after `{from}` in\n{text}"));
    &text[start..start + length]
}

fn map<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<String, String> {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

fn defaults() -> Settings {
    load(&ConfigTexts::default()).expect("the defaults are good")
}

fn phase(settings: &Settings, preset: Option<&str>, name: &str) -> PhaseDef {
    let agreement = settings.agreement(preset).expect("a good preset");
    agreement.phases.into_iter().find(|phase| phase.name.as_str() == name).expect("a phase of the preset")
}
