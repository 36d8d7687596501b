//! The documents of completed phases stay what was approved: none is missing or empty, and none is rewritten where no reviewer
//! is shown what changed. What a person changed between two calls is no author's fault, and told elsewhere.

use super::outcome::{file, judged};
use super::{Site, deliverable, task_list};
use model::event::{CheckResult, Place};

pub(super) const ID: &str = "documents";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let places: Vec<Place> =
        site.approved.iter().filter_map(|path| Some(file(path, lack(site, path)?))).collect();
    let is_lost = site.approved.iter().any(|path| deliverable::content_lack(site.worktree, path).is_some());
    let mut result = judged(
        ID,
        "document-changed",
        places,
        "an approved document changed",
        "the approved documents stand",
    );
    if is_lost {
        result.params.insert("code".to_owned(), deliverable::CODE.into());
    }
    result
}

fn lack(site: &Site<'_>, path: &str) -> Option<&'static str> {
    if let Some(lack) = deliverable::content_lack(site.worktree, path) {
        return Some(lack);
    }
    let is_reviewed = site.phase.policy.review.is_some();
    let is_rewritten = site.changed.contains(path) && !site.by_hand.contains(path);
    (is_rewritten && !is_reviewed && !task_list::ticked(site, path))
        .then_some("was changed by a phase that nobody reviews")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::scene::{Scene, gist, phase};
    use model::event::CheckStatus;

    const PATH: &str = ".ai-workflow/issue-1/01_requirements/output/requirements.md";

    fn judge(scene: &Scene, by_hand: &[&str]) -> CheckResult {
        let approved = [PATH.to_owned()];
        let by_hand: BTreeSet<String> = by_hand.iter().map(|path| (*path).to_owned()).collect();
        examine(&Site { approved: &approved, by_hand: &by_hand, ..scene.site() })
    }

    fn rewritten() -> Scene {
        Scene::changing(PATH, "# all\n", "# less\n").on_disk(PATH, "# less\n")
    }

    #[test]
    fn a_document_that_is_missing_or_empty_is_a_deliverable_that_is_not_there() {
        for scene in
            [Scene::new(), Scene::new().on_disk(PATH, " \n"), Scene::new().on_disk(&format!("{PATH}/x"), "")]
        {
            let result = judge(&scene, &[PATH]);
            assert_eq!((gist(&result), result.param("code")), (PATH.to_owned(), Some("E_NO_DELIVERABLE")));
        }
        assert_eq!(judge(&Scene::new().on_disk(PATH, "# all\n"), &[]).status, CheckStatus::Pass);
    }

    #[test]
    fn a_rewritten_document_is_refused_where_nobody_is_shown_what_changed() {
        assert_eq!(judge(&rewritten(), &[]).status, CheckStatus::Pass);
        let mut unreviewed = rewritten();
        unreviewed.phase.policy.review = None;
        let result = judge(&unreviewed, &[]);
        assert_eq!((gist(&result), result.param("code")), (PATH.to_owned(), None));
        assert_eq!(
            judge(&unreviewed, &[PATH]).status,
            CheckStatus::Pass,
            "a person may write what they like"
        );
        let mut other = Scene::changing("src/lib.rs", "1", "2").on_disk(PATH, "# all\n");
        other.phase = phase("report");
        other.phase.policy.review = None;
        assert_eq!(judge(&other, &[]).status, CheckStatus::Pass);
    }
}
