//! Second reviewers as the command line names them, and what is told of those that a run was agreed on.

use super::arguments::SettingFlags;
use super::ask::check_chain;
use super::begin_run::relative;
use super::door::Door;
use super::failure::{Failure, Kind};
use app::setting_overrides::second_reviewers as asked;
use engine::Run;
use model::policy::{Agreement, PhaseDef, Seat};

/// Tells whether the second reviewers that are asked for now are those of the run, or none are.
pub(super) fn are_agreed(door: &Door, run: &Run, flags: &SettingFlags) -> Result<bool, Failure> {
    let mut asked = asked(&flags.overrides(), &door.here)?;
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
