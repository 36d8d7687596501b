//! What is printed of second reviewers.

use model::policy::{PhaseDef, Seat};

/// Tells who else judges, after who does.
pub(super) fn told(def: &PhaseDef) -> String {
    let seat = |seat: &Seat| match seat.agents.as_slice() {
        [] => seat.name.clone(),
        agents => format!("{} ({})", seat.name, agents.join(", then ")),
    };
    let seats: Vec<String> = def.panel.iter().map(seat).collect();
    if seats.is_empty() { String::new() } else { format!(", with second opinions: {}", seats.join(", ")) }
}
