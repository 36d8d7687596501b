//! Which checks `check` makes: those of the first phase that changes code and the commands that are set, or those asked for.

use std::collections::{BTreeMap, BTreeSet};

use crate::arguments::Check;
use crate::begin_run::known_checks;
use crate::commands;
use crate::door::{Door, settings};
use crate::failure::Failure;
use crate::output_schemas;
use model::policy::{
    Agreement, CRITERIA, CheckSettings, DefinedCheck, OnFail, PhaseDef, TimeLimits, check_id,
};
use settings::{Settings, suggestion};

/// Judged by what a run writes, which nobody else has.
const OF_A_RUN: &str = "deliverable";
/// Judged by an answer, and by nothing when there is none.
const OF_AN_ANSWER: [&str; 2] = ["answer_format", "decision"];

/// What is going to be checked, and by which settings.
pub(super) struct Chosen {
    pub(super) ids: Vec<String>,
    /// Checks that are told and nothing else.
    pub(super) noted: BTreeSet<String>,
    pub(super) phase: PhaseDef,
    pub(super) settings: CheckSettings,
    pub(super) commands: BTreeMap<String, String>,
    pub(super) defined: BTreeMap<String, DefinedCheck>,
    pub(super) time: TimeLimits,
}

/// Chooses the checks.
pub(super) fn choose(door: &Door, arguments: &Check, answered: bool) -> Result<Chosen, Failure> {
    let mut agreement = door.settings.agreement(None)?;
    commands::agree(&mut agreement, &commands::used(door));
    known_checks(&agreement)?;
    output_schemas::pin(&door.settings, door.root(), &mut agreement)?;
    let phase = code_phase(&agreement)?.clone();
    refuse_empty_template(door, arguments, &phase)?;
    let mut ids = match arguments.only.as_slice() {
        [] => usual(&phase, &agreement, answered),
        only => open_threads(only, &agreement.defined)?,
    };
    if arguments.no_commands {
        ids.retain(|id| !checks::runs_a_command(id, &agreement.defined));
    }
    let rules = phase.policy.checks.iter();
    let noted = rules.filter(|rule| rule.on_fail == OnFail::Note).map(|rule| rule.id.clone()).collect();
    let Agreement { check_settings: settings, commands, defined, time, .. } = agreement;
    Ok(Chosen { ids, noted, phase, settings, commands, defined, time })
}

fn code_phase(agreement: &Agreement) -> Result<&PhaseDef, Failure> {
    agreement.phases.iter().find(|phase| phase.changes_code).ok_or_else(|| {
        Failure::usage("no phase changes code, so there are no checks of code")
            .hint("set `changes_code = true` in one of `[phases]`, or leave the phases as they come")
    })
}

/// The checks of the phase, and every command that is set.
fn usual(phase: &PhaseDef, agreement: &Agreement, answered: bool) -> Vec<String> {
    let rules = phase.policy.checks.iter().map(|rule| rule.id.as_str());
    let is_ours = |id: &str| id != OF_A_RUN && (answered || !OF_AN_ANSWER.contains(&id));
    let mut ids: Vec<String> = rules.filter(|id| is_ours(id)).map(str::to_owned).collect();
    for (id, key) in checks::command_checks() {
        let left_out = agreement.check_settings.disabled.iter().any(|name| check_id(name) == id);
        if agreement.commands.contains_key(key) && !left_out && !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
    }
    ids
}

/// Reads names, criteria and ranges of criteria, each once.
fn open_threads(only: &[String], defined: &BTreeMap<String, DefinedCheck>) -> Result<Vec<String>, Failure> {
    let mut ids: Vec<String> = Vec::new();
    for name in only.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        let wanted = range(name).unwrap_or_else(|| vec![check_id(name).to_owned()]);
        for id in wanted {
            if !defined.contains_key(&id) {
                known(&id, name)?;
            }
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    Ok(ids)
}

fn known(id: &str, name: &str) -> Result<(), Failure> {
    if id == OF_A_RUN {
        return Err(Failure::usage(format!("`{id}` is about the document of a phase, so only a run has it"))
            .hint("leave it out of `--only`"));
    }
    if checks::ids().any(|known| known == id) {
        return Ok(());
    }
    let failure = Failure::usage(format!("there is no check `{name}`"));
    let criteria = CRITERIA.iter().filter(|(_, id)| checks::ids().any(|known| known == *id));
    let names: Vec<&str> =
        checks::ids().filter(|id| *id != OF_A_RUN).chain(criteria.map(|(name, _)| *name)).collect();
    Err(match suggestion(name, names.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!("the checks are: {}", names.join(", "))),
    })
}

/// Reads `Q1-Q6` (and `Q1-6`) as the checks of these criteria.
fn range(name: &str) -> Option<Vec<String>> {
    let (first, last) = name.split_once('-')?;
    let ((letters, from), (same, to)) = (criterion(first)?, criterion(last)?);
    let fits = same.is_empty() || same.eq_ignore_ascii_case(letters);
    let inside = |name: &str| {
        criterion(name)
            .is_some_and(|(kind, number)| kind.eq_ignore_ascii_case(letters) && (from..=to).contains(&number))
    };
    let ids: Vec<String> =
        CRITERIA.iter().filter(|(name, _)| inside(name)).map(|(_, id)| (*id).to_owned()).collect();
    (fits && !ids.is_empty()).then_some(ids)
}

fn criterion(name: &str) -> Option<(&str, u32)> {
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (letters, number) = name.split_at(digits);
    Some((letters, number.parse().ok()?))
}

/// Refuses a template that adds nothing: its name is a slip.
fn refuse_empty_template(door: &Door, arguments: &Check, phase: &PhaseDef) -> Result<(), Failure> {
    let Some(name) = &arguments.template else { return Ok(()) };
    let mut flags = super::flags(arguments);
    flags.set.push("checks.template=".to_owned());
    let without: Settings = settings(&flags, &door.here, Some(door.root()))?;
    let without = without.agreement(None)?;
    let same = code_phase(&without)?.policy.checks == phase.policy.checks;
    if same {
        return Err(Failure::usage(format!("there is no template `{name}` of checks"))
            .hint("leave `--template` out, or correct its name"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_the_criteria_between_its_ends() {
        let of = |name: &str| range(name).map(|ids| ids.join(" "));
        assert_eq!(of("Q1-Q3").as_deref(), Some("files todo omission"));
        assert_eq!(of("gd4-gd9").as_deref(), Some("completion_statement scope_reduction"));
        assert_eq!(of("Q11-12").as_deref(), Some("traceability isolation"));
        for none in ["Q3-Q1", "Q1-GD2", "todo", "a-b", "Q1-", "X1-X2"] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
