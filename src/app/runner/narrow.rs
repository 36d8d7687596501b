//! Reads a review and sees which of its findings are out of scope: new, and where nothing changed since the review before
//! by the same reviewer. Where that cannot be seen, such as when the files of that review are on another machine, every
//! finding is in scope.

use std::collections::BTreeSet;

use super::{PhaseRunner, RunError};
use crate::review::{self, ReviewAnswer};
use content_parser::Terms;
use engine::{Call, Delta};
use git::{Tree, is_engines_own};
use model::event::Reading;
use model::finding::Finding;

impl PhaseRunner {
    /// Returns what a reviewer of these files says; nothing when there is no answer.
    pub(super) fn read_review(
        &self,
        call: &Call,
        tree: &Tree,
        said: &ReviewAnswer<'_>,
        terms: &Terms<'_>,
    ) -> Option<Reading> {
        let reading = review::reading(said, terms)?;
        let phase = self.phase(&call.phase).ok();
        let Some(delta) = phase.and_then(|phase| Delta::of(phase, call.seat.as_deref(), &call.agent)) else {
            return Some(reading);
        };
        let beyond = self.beyond(&delta, tree, &reading.findings).unwrap_or_else(|error| {
            tracing::warn!("what changed since the last review of {} cannot be seen: {error}", call.phase);
            Vec::new()
        });
        if beyond.is_empty() {
            return Some(reading);
        }
        review::reading(said, &Terms { beyond: &beyond, ..*terms })
    }

    /// Returns the findings that are out of scope. A path that is no file of ours may mean anything.
    fn beyond(&self, delta: &Delta, tree: &Tree, findings: &[Finding]) -> Result<Vec<Finding>, RunError> {
        let named = findings.iter().filter_map(|finding| finding.file.clone());
        let named: BTreeSet<String> = named.filter(|path| !is_engines_own(path)).collect();
        let files = self.space.workspace().objects().plain_files(tree, &named)?;
        let changes =
            self.space.workspace().changes().between(&Tree::try_from(delta.tree.as_str())?, tree, &files)?;
        let placed: Vec<Finding> =
            findings.iter().filter(|finding| is_in(finding, &files)).cloned().collect();
        Ok(delta.beyond(&placed, &changes))
    }
}

fn is_in(finding: &Finding, files: &BTreeSet<String>) -> bool {
    finding.file.as_ref().is_some_and(|file| files.contains(file))
}
