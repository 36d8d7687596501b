//! The documents of completed phases stay what was approved: none is missing or empty, and none is rewritten but by a phase that
//! repairs what it reviews. What an author changed all the same is put back before, and counts against the author. What a person
//! changed between two calls is no author's fault, and told elsewhere.

use super::{CheckResult, Place, Site, deliverable, file, judged, scope, task_list};

pub(super) const ID: &str = "documents";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let places: Vec<Place> =
        site.approved.iter().filter_map(|path| Some(file(path, lack(site, path)?))).collect();
    let is_lost = site.approved.iter().any(|path| deliverable::content_lack(site.worktree, path).is_some());
    let mut result = judge(places, &describe_standing(site));
    if is_lost {
        result.params.insert("code".to_owned(), deliverable::CODE.into());
    }
    result
}

fn judge(places: Vec<Place>, clean: &str) -> CheckResult {
    judged(ID, "document-changed", places, "an approved document changed", clean)
}

/// Says that the documents stand, and which of them a person changed.
fn describe_standing(site: &Site<'_>) -> String {
    let edited = site.approved.iter().filter(|path| site.by_hand.contains(*path));
    let edited: Vec<&str> = edited.map(String::as_str).collect();
    if edited.is_empty() {
        "the approved documents stand".to_owned()
    } else {
        format!("the approved documents stand, with what a person changed in {}", edited.join(", "))
    }
}

/// Adds approved documents that were put back after the commands of other checks to the result of this check.
pub fn add_put_back_documents(results: &mut [CheckResult], put_back: &[String], commands: &str) {
    let Some(result) = results.iter_mut().find(|result| result.check == ID && !put_back.is_empty()) else {
        return;
    };
    let what = format!(
        "was changed or removed by a command that was run for the checks ({commands}), and is put back"
    );
    let mut places = std::mem::take(&mut result.places);
    places.retain(|place| place.file.as_ref().is_none_or(|file| !put_back.contains(file)));
    places.extend(put_back.iter().map(|path| file(path, what.as_str())));
    let params = std::mem::take(&mut result.params);
    *result = CheckResult { params, ..judge(places, "") };
}

fn lack(site: &Site<'_>, path: &str) -> Option<&'static str> {
    if let Some(lack) = deliverable::content_lack(site.worktree, path) {
        return Some(lack);
    }
    if site.put_back.contains(path) {
        return Some("was changed or removed, and is put back");
    }
    let is_ticked = || may_tick(site, path) && task_list::is_only_ticked(site, path);
    let may_rewrite = site.phase.policy.triage || site.by_hand.contains(path) || is_ticked();
    if site.changed.contains(path) && !may_rewrite {
        Some("was changed by a phase that may not change it")
    } else {
        None
    }
}

/// Tells whether a phase may tick the boxes of a document: those of its plan only where it has to.
fn may_tick(site: &Site<'_>, path: &str) -> bool {
    let runs = |id: &str| site.phase.policy.checks.iter().any(|rule| rule.id == id);
    let is_plan = site.plans.iter().any(|plan| plan == path);
    runs(task_list::ID) || !runs(scope::ID) || !is_plan
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::scene::{Scene, gist};
    use model::event::CheckStatus;
    use model::policy::{CheckRule, OnFail, OnUnavailable};

    const PATH: &str = ".ai-workflow/issue-1/01_requirements/output/requirements.md";

    fn examined(scene: &Scene, by_hand: &[&str], put_back: &[&str]) -> CheckResult {
        let approved = [PATH.to_owned()];
        let owned =
            |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<BTreeSet<String>>();
        let (by_hand, put_back) = (owned(by_hand), owned(put_back));
        examine(&Site { approved: &approved, by_hand: &by_hand, put_back: &put_back, ..scene.site() })
    }

    fn rewritten() -> Scene {
        Scene::changing(PATH, "# all\n", "# less\n").on_disk(PATH, "# less\n")
    }

    #[test]
    fn a_document_that_is_missing_or_empty_is_a_deliverable_that_is_not_there() {
        for scene in
            [Scene::new(), Scene::new().on_disk(PATH, " \n"), Scene::new().on_disk(&format!("{PATH}/x"), "")]
        {
            let result = examined(&scene, &[PATH], &[]);
            assert_eq!((gist(&result), result.param("code")), (PATH.to_owned(), Some("E_NO_DELIVERABLE")));
        }
        assert_eq!(examined(&Scene::new().on_disk(PATH, "# all\n"), &[], &[]).status, CheckStatus::Pass);
    }

    #[test]
    fn a_rewritten_document_is_refused_unless_its_reviewer_repairs_it_or_a_person_wrote_it() {
        let result = examined(&rewritten(), &[], &[]);
        assert_eq!((gist(&result), result.param("code")), (PATH.to_owned(), None));
        let by_person = examined(&rewritten(), &[PATH], &[]);
        let says = format!("the approved documents stand, with what a person changed in {PATH}");
        assert_eq!((by_person.status, by_person.summary), (CheckStatus::Pass, says));
        let mut repaired = rewritten();
        repaired.phase.policy.triage = true;
        assert_eq!(examined(&repaired, &[], &[]).status, CheckStatus::Pass);
        let other = Scene::changing("src/lib.rs", "1", "2").on_disk(PATH, "# all\n");
        assert_eq!(examined(&other, &[], &[]).status, CheckStatus::Pass);
    }

    #[test]
    fn a_document_that_was_put_back_counts_against_the_author() {
        let result = examined(&Scene::new().on_disk(PATH, "# all\n"), &[], &[PATH]);
        let says = "requirements.md: was changed or removed, and is put back";
        assert!(result.summary.ends_with(says), "{}", result.summary);
    }

    #[test]
    fn a_document_that_a_command_changed_is_added_to_the_result() {
        let stands = examined(&Scene::new().on_disk(PATH, "# all\n"), &[], &[]);
        let mut results = [stands.clone()];
        add_put_back_documents(&mut results, &[], "tests");
        assert_eq!(results[0], stands);
        for earlier in [stands, examined(&Scene::new(), &[], &[])] {
            let mut results = [earlier];
            add_put_back_documents(&mut results, &[PATH.to_owned()], "build, tests");
            assert_eq!((results[0].status, results[0].places.len()), (CheckStatus::Fail, 1));
            let says = "by a command that was run for the checks (build, tests), and is put back";
            assert!(results[0].summary.ends_with(says), "{}", results[0].summary);
        }
    }

    #[test]
    fn a_phase_that_has_to_tick_may_tick_the_plan_and_nothing_else_of_it() {
        let rewritten = |after: &str, has_to: bool| {
            let mut scene = Scene::changing(PATH, "- [ ] one\n", after).on_disk(PATH, after);
            scene.plans = vec![PATH.to_owned()];
            let rule = |id: &str| CheckRule {
                id: id.to_owned(),
                on_fail: OnFail::Revise,
                on_unavailable: OnUnavailable::Block,
            };
            let ids = if has_to { &[scope::ID, task_list::ID][..] } else { &[scope::ID] };
            scene.phase.policy.checks = ids.iter().map(|id| rule(id)).collect();
            gist(&examined(&scene, &[], &[]))
        };
        assert_eq!(rewritten("- [x] one\n", true), "pass");
        assert_eq!(rewritten("- [x] one\n", false), PATH);
        assert_eq!(rewritten("- [x] less\n", true), PATH);
    }

    #[test]
    fn ticked_boxes_are_no_rewritten_document() {
        let ticked = Scene::changing(PATH, "- [ ] one\n", "- [x] one\n").on_disk(PATH, "- [x] one\n");
        assert_eq!(examined(&ticked, &[], &[]).status, CheckStatus::Pass);
        let less = Scene::changing(PATH, "- [ ] one\n", "- [x] on\n").on_disk(PATH, "- [x] on\n");
        assert_eq!(gist(&examined(&less, &[], &[])), PATH);
    }
}
