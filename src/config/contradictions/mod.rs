//! What each key allows by itself and the whole does not: needs in a circle, limits beyond reason, policies that judge nothing.
//! Returns the first thing found as a key and what is wrong with it; the place is added by `load`.

mod agents;
mod amounts;
mod lists;
mod names;
mod policies;
mod references;

use super::keys::Keys;

/// A key and what is wrong with it.
type Wrong = (String, String);

/// Returns the first contradiction. The order matters: later rules rely on names that earlier ones have seen.
pub(super) fn find(keys: &Keys) -> Option<Wrong> {
    names::find(keys)
        .or_else(|| agents::find(keys))
        .or_else(|| references::find(keys))
        .or_else(|| lists::find(keys))
        .or_else(|| policies::find(keys))
        .or_else(|| amounts::find(keys))
}

#[allow(clippy::unnecessary_wraps, reason = "every caller returns an option")]
fn wrong(key: impl Into<String>, what: impl Into<String>) -> Option<Wrong> {
    Some((key.into(), what.into()))
}
