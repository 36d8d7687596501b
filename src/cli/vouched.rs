//! The settings of a repository lie where agents work: configuration, registry of steps, review loop and prompts. A run goes on only with those it was
//! last asked with; others need a person who vouches for them by naming the file.

use std::fs;

use super::arguments::SettingFlags;
use super::door::{CONFIG, Door, REVIEW_LOOP, STEPS};
use super::failure::Failure;
use app::runner::digest;
use engine::Run;
use journal::store::folders::HOME;

/// Returns the SHA-256 of the repository's own configuration, files of other systems that count as such, and prompts.
pub(super) fn digest_of(door: &Door) -> String {
    let config = fs::read(door.root().join(HOME).join(CONFIG)).unwrap_or_default();
    let mut text = format!("{}\0", String::from_utf8_lossy(&config));
    for (path, prompt) in door.prompts() {
        text.extend([path.as_str(), "\0", prompt.as_str(), "\0"]);
    }
    // A repository without them has the digest that it had before they were known.
    let files = [STEPS, REVIEW_LOOP].into_iter().filter_map(|path| {
        let bytes = fs::read(door.root().join(path)).ok()?;
        Some((path.to_owned(), String::from_utf8_lossy(&bytes).into_owned()))
    });
    // Those of a registry that keeps its prompts among ours are counted already.
    let ours = format!("{HOME}/prompts/");
    let steps = door.step_prompts().into_iter().filter(|(path, _)| !path.starts_with(&ours));
    for (path, content) in files.chain(steps) {
        text.extend([path.as_str(), "\0", content.as_str(), "\0"]);
    }
    digest(&text)
}

/// Refuses settings that changed since the run was last asked to go on.
pub(super) fn refuse_changed(door: &Door, run: &Run, flags: &SettingFlags) -> Result<(), Failure> {
    let known = run.asked.settings.as_ref();
    if flags.config.is_some() || known.is_none_or(|known| *known == digest_of(door)) {
        return Ok(());
    }
    let changed = format!(
        "{HOME}/{CONFIG}, {HOME}/prompts, {STEPS} or {REVIEW_LOOP} changed since the run was last asked to go on"
    );
    Err(Failure::usage(changed)
        .hint("an agent may have done it: look at `git log -p` and `git diff` of these files")
        .hint(format!("if the change is yours, vouch for it with `--config {HOME}/{CONFIG}`")))
}
