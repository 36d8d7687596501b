//! What each key allows by itself and the whole does not: needs in a circle, limits beyond reason, policies that judge nothing.
//! Returns the first thing found as a key and what is wrong with it; the place is added by `load`.

mod agents;
mod amounts;
mod answers;
mod commands;
mod defined;
mod lists;
mod names;
mod panels;
mod policies;
mod references;
mod steps;

use super::keys::Keys;
use super::registry::StepsRegistry;

pub(super) use panels::takes_a_panel;

/// A key and what is wrong with it.
type Wrong = (String, String);

/// Returns the first contradiction. The order matters: later rules rely on names that earlier ones have seen.
pub(super) fn find(keys: &Keys, registry: Option<&StepsRegistry>) -> Option<Wrong> {
    names::find(keys)
        .or_else(|| agents::find(keys))
        .or_else(|| references::find(keys))
        .or_else(|| lists::find(keys))
        .or_else(|| policies::find(keys))
        .or_else(|| panels::find(keys))
        .or_else(|| answers::find(keys))
        .or_else(|| amounts::find(keys))
        .or_else(|| commands::find(keys))
        .or_else(|| defined::find(keys))
        .or_else(|| steps::find(keys, registry))
}

#[allow(clippy::unnecessary_wraps, reason = "every caller returns an option")]
fn wrong(key: impl Into<String>, what: impl Into<String>) -> Option<Wrong> {
    Some((key.into(), what.into()))
}
