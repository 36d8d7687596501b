//! What is used of the limits in force, in one line: `1 of 3 revisions of planning, $3.10 of $15.00`.
//! Says nothing of what has no limit.

use engine::{Limit, Measure, Run, Scope, used_of_phase};

/// Returns the line; nothing when the run is over.
pub fn used_line(run: &Run) -> Option<String> {
    let phase = run.current()?;
    let (used, most, unit) = used_of_phase(phase);
    let of_phase = format!("{used} of {most} {unit} of {}", phase.name());
    let limits = run.limits_in_force();
    let all = std::iter::once(of_phase).chain(limits.iter().map(told));
    Some(all.collect::<Vec<_>>().join(", "))
}

fn told(limit: &Limit) -> String {
    let amount = match limit.measure {
        Measure::Usd => format!("${:.2} of ${:.2}", limit.used, limit.most),
        Measure::Tokens | Measure::Calls | Measure::Minutes | Measure::Turns => limit.to_string(),
    };
    match &limit.scope {
        Scope::Run | Scope::Step => amount,
        Scope::Phase(name) => format!("{amount} for {name}"),
        Scope::Day => format!("{amount} today"),
    }
}
