//! What was agreed when a run began stays: a flag that wants something else is refused, never silently ignored.

use super::arguments::SettingFlags;
use super::door::Door;
use super::failure::Failure;
use super::seconds;
use engine::Run;

/// Refuses flags that contradict what the run was begun with.
pub(super) fn refuse_another(door: &Door, run: &Run, flags: &SettingFlags) -> Result<(), Failure> {
    let started = &run.started;
    let preset = started.agreement.preset.as_deref().unwrap_or("full");
    let pinned = [
        ("preset", &flags.preset, preset),
        ("base-branch", &flags.base_branch, started.base_branch.as_str()),
        ("language", &flags.language, started.language.as_str()),
    ];
    for (name, wanted, pinned) in pinned {
        if let Some(wanted) = wanted.as_deref().filter(|wanted| *wanted != pinned) {
            return Err(another(run, &format!("{name} `{pinned}`, not `{wanted}`"), name));
        }
    }
    if flags.fresh_sessions && !started.agreement.fresh_sessions {
        return Err(another(run, "sessions that are continued", "fresh-sessions"));
    }
    if !seconds::are_agreed(door, run, flags)? {
        return Err(another(run, "other second reviewers", "second-reviewer"));
    }
    let skipped = |name: &str| {
        run.phases.iter().any(|phase| phase.name().as_str() == name && phase.left_out_by_choice())
    };
    let wanted = flags.skip_phases.as_deref().unwrap_or_default().split(',').map(str::trim);
    match wanted.filter(|name| !name.is_empty()).find(|name| !skipped(name)) {
        Some(name) => Err(another(run, &format!("the phase `{name}` in it"), "skip-phases")),
        None => Ok(()),
    }
}

fn another(run: &Run, what: &str, flag: &str) -> Failure {
    let number = run.started.issue.number;
    Failure::usage(format!("the run of issue {number} was begun with {what}")).hint(format!(
        "go on without `--{flag}`, or remove the run with `ai-workflow cleanup --issue {number}` and begin anew"
    ))
}
