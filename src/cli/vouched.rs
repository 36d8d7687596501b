//! The settings of a repository lie where agents work: configuration and prompts. A run goes on only with those it was
//! last asked with; others need a person who vouches for them by naming the file.

use std::fs;

use super::arguments::SettingFlags;
use super::door::{CONFIG, Door};
use super::failure::Failure;
use crate::flow::Run;
use crate::phase_runner::digest;
use crate::store::folders::HOME;

/// Returns the SHA-256 of the repository's own configuration and prompts.
pub(super) fn digest_of(door: &Door) -> String {
    let config = fs::read(door.root().join(HOME).join(CONFIG)).unwrap_or_default();
    let mut text = format!("{}\0", String::from_utf8_lossy(&config));
    for (path, prompt) in door.prompts() {
        text.extend([path.as_str(), "\0", prompt.as_str(), "\0"]);
    }
    digest(&text)
}

/// Refuses settings that changed since the run was last asked to go on.
pub(super) fn refuse_changed(door: &Door, run: &Run, flags: &SettingFlags) -> Result<(), Failure> {
    let known = run.asked.settings.as_ref();
    if flags.config.is_some() || known.is_none_or(|known| *known == digest_of(door)) {
        return Ok(());
    }
    let changed = format!("{HOME}/{CONFIG} or {HOME}/prompts changed since the run was last asked to go on");
    Err(Failure::usage(changed)
        .hint("an agent may have done it: look at `git log -p` and `git diff` of these files")
        .hint(format!("if the change is yours, vouch for it with `--config {HOME}/{CONFIG}`")))
}
