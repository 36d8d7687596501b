//! Nothing lies in the worktree that no commit will take: in a run the engine commits the work after the checks, so what
//! counts is what it cannot commit; outside of a run it is everything that is not committed.
//! Starts no git: what is there was looked at by the caller.

use std::fmt::Write as _;

use super::{explained, failed, told, unavailable};
use crate::outcome::{file, shown};
use crate::{Site, Untaken, passed};
use model::event::CheckResult;
use model::policy::DefinedCheck;
use tool_output::{Printed, Semantic, changes, named};

pub(crate) fn examine(id: &str, check: &DefinedCheck, site: &Site<'_>) -> CheckResult {
    let untaken = match &site.world.untaken {
        Ok(untaken) => untaken,
        Err(why) => return unavailable(id, check, &format!("the worktree was not looked at: {why}")),
    };
    let places: Vec<_> = untaken.iter().map(|one| file(&one.path, one.what)).collect();
    let Some(first) = places.first() else { return passed(id, "nothing is left lying about") };
    let more = if places.len() == 1 { String::new() } else { format!(" (and {} more)", places.len() - 1) };
    let mut result = failed(id, check, &format!("{}{more}", shown(first)));
    let listed = listed(untaken);
    let printed = Printed { stdout: &listed, stderr: "", exit: Some(0) };
    for (param, extractor) in
        [("changedFiles", "parseChangedFiles"), ("untrackedFiles", "parseUntrackedFiles")]
    {
        result.params.extend(named(extractor, &printed).map(|value| (param.to_owned(), value)));
    }
    let mut result = told(result, "git status --porcelain", check, &printed, site.masker);
    result.places = places;
    explained(result, &Semantic::of_status(&changes(&listed)))
}

/// Lists it in the words of `git status --porcelain`, which extractors read.
fn listed(untaken: &[Untaken]) -> String {
    untaken.iter().fold(String::new(), |mut text, one| {
        let _ = writeln!(text, "{} {}", one.letters, one.path);
        text
    })
}
