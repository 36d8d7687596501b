//! What a broken call leads to, by the class of its outcome: whether the same step may succeed now, and what is said of it.
//! Knows no limits: how often a step may come again is `redo`'s.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use model::event::ExecOutcome;

/// Tells whether the same agent may succeed where it ended so; else the next one is called. `resumed` says
/// that the call continued a session: a fresh one holds less.
pub(crate) fn may_succeed_again(outcome: ExecOutcome, resumed: bool) -> bool {
    let lasting = matches!(
        outcome,
        ExecOutcome::QuotaExhausted
            | ExecOutcome::SignedOut
            | ExecOutcome::ModelUnknown
            | ExecOutcome::Refused
            | ExecOutcome::NotStarted
    );
    !lasting && !outcome.is_outage() && (outcome != ExecOutcome::ContextTooLong || resumed)
}

/// What is said of an outcome.
#[derive(Debug, Deserialize)]
pub(crate) struct Wording {
    /// What the agent did, after its name.
    pub(crate) predicate: String,
    /// Why the step broke, after its name.
    pub(crate) reason: String,
    /// What a person can do where trying again does not mend it.
    pub(crate) remedy: Option<String>,
}

/// Returns what is said of an outcome.
pub(crate) fn wording(outcome: ExecOutcome) -> &'static Wording {
    static ALL: LazyLock<HashMap<ExecOutcome, Wording>> = LazyLock::new(|| {
        toml::from_str(include_str!("outcomes.toml")).expect("the file is part of the program and tested")
    });
    ALL.get(&outcome).expect("every outcome is in the file")
}

#[cfg(test)]
mod tests;
