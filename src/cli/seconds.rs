//! Second reviewers as the command line names them, and what is told of those that a run was agreed on.

use std::path::Path;

use toml::{Table, Value};

use super::arguments::SettingFlags;
use super::ask::check_chain;
use super::begin_run::relative;
use super::door::{Door, seen_from};
use super::failure::{Failure, Kind};
use engine::Run;
use model::policy::{Agreement, PhaseDef, Seat};

/// Returns the seats that the flags ask for, one each.
pub(super) fn asked(flags: &SettingFlags, here: &Path) -> Result<Vec<Seat>, Failure> {
    let mut seats = Vec::new();
    for (index, spec) in flags.second_reviewer.iter().enumerate() {
        let agents: Vec<String> =
            seen_from(spec, here).split(',').filter(|agent| !agent.is_empty()).map(str::to_owned).collect();
        if agents.is_empty() {
            return Err(Failure::usage("`--second-reviewer` names nobody")
                .hint("for example `--second-reviewer codex`"));
        }
        let name = if index == 0 { "second".to_owned() } else { format!("second-{}", index + 1) };
        seats.push(Seat { name, agents, ..Seat::default() });
    }
    Ok(seats)
}

/// Returns seats as the text of the setting `panel`.
pub(super) fn as_setting(seats: &[Seat]) -> Option<String> {
    let table = |seat: &Seat| {
        let agents: Vec<Value> = seat.agents.iter().map(|agent| Value::from(agent.as_str())).collect();
        let pairs = [("name", Value::from(seat.name.as_str())), ("agents", Value::from(agents))];
        Value::from(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Table>())
    };
    let panel: Vec<Value> = seats.iter().map(table).collect();
    (!panel.is_empty()).then(|| Value::from(panel).to_string())
}

/// Tells whether the second reviewers that are asked for now are those of the run, or none are.
pub(super) fn are_agreed(door: &Door, run: &Run, flags: &SettingFlags) -> Result<bool, Failure> {
    let mut asked = asked(flags, &door.here)?;
    asked.iter_mut().flat_map(|seat| &mut seat.agents).for_each(|spec| *spec = relative(door, spec));
    let is_auto = |seat: &Seat| seat.agents.iter().any(|agent| agent == "auto");
    let same = |seat: &Seat, agreed: &Seat| *seat == *agreed || (is_auto(seat) && seat.name == agreed.name);
    let agreed = |def: &PhaseDef| asked.iter().all(|seat| def.panel.iter().any(|agreed| same(seat, agreed)));
    Ok(asked.is_empty() || run.phases.iter().any(|phase| agreed(&phase.def)))
}

/// Warns of second reviewers that cannot be called: they are going to be left out. One that nobody could ever be is refused.
pub(super) fn warn_of_missing(door: &Door, agreement: &Agreement) -> Result<(), Failure> {
    let mut told: Vec<String> = Vec::new();
    for seat in agreement.phases.iter().flat_map(|phase| &phase.panel).filter(|seat| !seat.required) {
        match check_chain(door, &seat.agents) {
            Err(failure) if failure.kind == Kind::NoAgent => {
                let text = format!("{}; the second opinion {} is done without", failure.message, seat.name);
                if !told.contains(&text) {
                    tracing::warn!("{text}");
                    told.push(text);
                }
            }
            other => other?,
        }
    }
    Ok(())
}

/// Returns the agents of seats that a run can do without.
pub(super) fn dispensable(agreement: &Agreement) -> impl Iterator<Item = &String> {
    let seats = agreement.phases.iter().flat_map(|phase| &phase.panel).filter(|seat| !seat.required);
    seats.flat_map(|seat| &seat.agents)
}

/// Tells who else judges, after who does.
pub(super) fn told(def: &PhaseDef) -> String {
    let seat = |seat: &Seat| match seat.agents.as_slice() {
        [] => seat.name.clone(),
        agents => format!("{} ({})", seat.name, agents.join(", then ")),
    };
    let seats: Vec<String> = def.panel.iter().map(seat).collect();
    if seats.is_empty() { String::new() } else { format!(", with second opinions: {}", seats.join(", ")) }
}
