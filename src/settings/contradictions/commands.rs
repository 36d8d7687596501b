//! Commands that cannot be split into a program and its arguments. One without text switches detection off for its key.

use super::{Wrong, wrong};
use crate::command_words::split_words;
use crate::keys::Keys;

/// Returns the first command that cannot be read.
pub(super) fn find(keys: &Keys) -> Option<Wrong> {
    let commands = keys.commands.by_id().into_iter().filter(|(_, line)| !line.trim().is_empty());
    commands.into_iter().find_map(|(id, line)| wrong(format!("commands.{id}"), split_words(&line).err()?))
}
