//! What each key allows by itself and the whole does not: needs in a circle, limits beyond reason, policies that judge nothing.
//! Returns the first thing found as a key and what is wrong with it; the place is added where the settings are loaded.

mod agents;
mod limits;
mod phases;
mod policies;

use super::command_line::split_words;
use super::defined_check::{defined_check, is_plain_name};
use super::error::{Contradiction, refuse, refuse_if};
use super::keys::Keys;
use super::registry::StepsRegistry;

pub(super) use policies::takes_a_panel;

/// Returns the first contradiction. The order matters: later rules rely on names that earlier ones have seen.
pub(super) fn find(keys: &Keys, registry: Option<&StepsRegistry>) -> Result<(), Contradiction> {
    phases::names(keys)?;
    language(keys)?;
    agents::chains(keys)?;
    agents::profiles(keys)?;
    phases::references(keys)?;
    phases::lists(keys)?;
    policies::policies(keys)?;
    policies::panels(keys)?;
    policies::answers(keys)?;
    limits::limits(keys)?;
    commands(keys)?;
    defined_checks(keys)?;
    policies::steps(keys, registry)
}

fn language(keys: &Keys) -> Result<(), Contradiction> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let language = &keys.language;
    let is_tag = !language.is_empty() && language.len() <= 35 && language.chars().all(is_plain);
    refuse_if(!is_tag, "language", "has to be a language tag such as `en` or `ja`")
}

/// A command has to be split into a program and its arguments. One without text switches detection off for its key.
fn commands(keys: &Keys) -> Result<(), Contradiction> {
    for (id, line) in keys.commands.by_id() {
        if !line.trim().is_empty() {
            split_words(&line).map(drop).or_else(|why| refuse(format!("commands.{id}"), why))?;
        }
    }
    Ok(())
}

/// A check of the project's own has to be made.
fn defined_checks(keys: &Keys) -> Result<(), Contradiction> {
    for (name, own) in &keys.checks.define {
        let table = format!("checks.define.{name}");
        let plain = "has to have a plain name: letters, digits, `-` and `_`";
        refuse_if(!is_plain_name(name), table.as_str(), plain)?;
        match defined_check(own) {
            Ok(_) => {}
            Err(("", what)) => return refuse(table, what),
            Err((key, what)) => return refuse(format!("{table}.{key}"), what),
        }
    }
    Ok(())
}
