//! The commits that a log names: whoever goes on with a run goes to them. Each has to be on the branch that was judged; a
//! bundle can bring others, which nobody looks at.

use std::collections::BTreeSet;

use super::history::CODE;
use crate::bundle::refused;
use crate::door::Door;
use crate::failure::Failure;
use engine::Run;
use git::CommitId;
use model::event::{Entry, Fact};

/// The longest branch that is looked at, in commits.
const LONGEST: usize = 50_000;

/// Refuses a log whose new facts, or whose end, name a commit that is not on the branch.
pub(super) fn stand_on(
    door: &Door,
    run: &Run,
    added: &[Entry],
    (base, tip): (&CommitId, &CommitId),
) -> Result<(), Failure> {
    let steps = door.workspace.history().commits_between(base, tip, LONGEST)?;
    let on_branch: BTreeSet<&str> =
        steps.iter().map(|step| step.commit.as_str()).chain([base.as_str()]).collect();
    let new = added.iter().flat_map(|entry| named(&entry.fact));
    let mut all = new.chain([run.branch.head.as_str(), run.branch.content_head.as_str()]);
    match all.find(|commit| !on_branch.contains(commit)) {
        None => Ok(()),
        Some(commit) => Err(refused(CODE, &format!("its log names {commit}, which is not on the branch"))),
    }
}

fn named(fact: &Fact) -> Vec<&str> {
    match fact {
        Fact::Asked(asked) => asked.head.iter().chain(&asked.content_head).map(String::as_str).collect(),
        Fact::Committed { commit, .. } => vec![commit],
        Fact::FedBack(fed) => vec![&fed.head],
        _ => Vec::new(),
    }
}
