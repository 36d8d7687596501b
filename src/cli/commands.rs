//! Which commands a run uses and why: those that are set, and for the other keys those that the project's files tell.
//! Pins them in the agreement together with the checks that run them. Runs nothing.

use std::fmt::Write as _;

use super::door::Door;
use agents::find_program;
use checks::detected::detect;
use model::policy::{Agreement, CheckRule, CheckSettings, OnFail, OnUnavailable, PhaseDef, check_id};
use settings::split_words;
use views::summary::{padded, plain};

/// A command that is used.
pub(super) struct Used {
    pub(super) key: String,
    pub(super) line: String,
    /// By what it was detected; nothing when it is set.
    pub(super) because: Option<String>,
}

/// Checks that every phase that changes code makes as soon as their command is known, the cheap ones first.
const OF_CODE: [(&str, &str); 3] = [("lint", "lint"), ("typecheck", "typecheck"), ("tests", "test")];

/// Returns the commands of the project, those that are set first.
pub(super) fn used(door: &Door) -> Vec<Used> {
    let keys = &door.settings.commands;
    let set = keys.by_id();
    let of_settings = set.clone().into_iter().map(|(key, line)| Used { key, line, because: None });
    let detected = if keys.detect { detect(door.root()) } else { Vec::new() };
    let detected = detected.into_iter().filter(|found| !set.contains_key(found.key)).map(|found| Used {
        key: found.key.to_owned(),
        line: found.line,
        because: Some(found.because),
    });
    of_settings.chain(detected).collect()
}

/// Puts the commands into an agreement, and the checks that run them into its phases.
pub(super) fn agree(agreement: &mut Agreement, commands: &[Used]) {
    let lines = commands.iter().map(|used| (used.key.clone(), used.line.clone()));
    agreement.commands = lines.collect();
    let detected = commands.iter().filter(|used| used.because.is_some());
    agreement.detected_commands = detected.map(|used| used.key.clone()).collect();
    for phase in &mut agreement.phases {
        add_checks(phase, commands, &agreement.check_settings);
        checks::cheap_first(&mut phase.policy);
    }
}

/// What is set has to work; what was only detected may turn out not to run here, which is told.
fn add_checks(phase: &mut PhaseDef, commands: &[Used], settings: &CheckSettings) {
    if !phase.changes_code {
        return;
    }
    for (id, key) in OF_CODE {
        let Some(used) = commands.iter().find(|used| used.key == key) else { continue };
        let rules = &mut phase.policy.checks;
        let is_out = settings.disabled.iter().any(|name| check_id(name) == id);
        if is_out || rules.iter().any(|rule| rule.id == id) {
            continue;
        }
        let on_unavailable = if used.because.is_some() { OnUnavailable::Note } else { OnUnavailable::Block };
        rules.push(CheckRule { id: id.to_owned(), on_fail: OnFail::Revise, on_unavailable });
    }
}

impl Used {
    /// Says in a few words why this command is used.
    pub(super) fn why(&self) -> String {
        match &self.because {
            Some(because) => format!("detected: {because}"),
            None => "set".into(),
        }
    }

    /// Tells whether its program is here. A path is seen from the top of the worktree.
    pub(super) fn is_here(&self, door: &Door) -> bool {
        let words = split_words(&self.line).unwrap_or_default();
        let Some(program) = words.first() else { return false };
        let path = std::path::Path::new(program);
        let is_path = path.components().count() > 1;
        if is_path { door.root().join(path).exists() } else { find_program(program.as_ref()).is_ok() }
    }
}

/// Returns the commands line by line.
pub(super) fn lines(commands: &[Used]) -> String {
    commands.iter().fold(String::new(), |mut text, used| {
        let _ = writeln!(text, "  {}{} ({})", padded(&used.key, 21), plain(&used.line), plain(&used.why()));
        text
    })
}
