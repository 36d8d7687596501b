//! Checks of the project's own that could not be made.

use super::{Wrong, wrong};
use crate::defined::{defined, is_plain};
use crate::keys::Keys;

/// Returns the first check that could not be made.
pub(super) fn find(keys: &Keys) -> Option<Wrong> {
    let of = |name: &str, key: &str| match key {
        "" => format!("checks.define.{name}"),
        key => format!("checks.define.{name}.{key}"),
    };
    keys.checks.define.iter().find_map(|(name, own)| {
        if !is_plain(name) {
            return wrong(of(name, ""), "has to have a plain name: letters, digits, `-` and `_`");
        }
        defined(own).err().and_then(|(key, what)| wrong(of(name, key), what))
    })
}
