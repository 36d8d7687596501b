//! Q5: something of this phase can be seen: a change that is there, or the deliverable. An author's word is none. Where
//! no deliverable is asked for, a file that is gone shows the work as well: who is told to remove code has nothing else.

use super::{Change, CheckResult, Site, counted, deliverable, judged, of_answer, skipped};
use model::policy::FirstStep;

pub(super) const ID: &str = "evidence";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    if !begins_with_an_author(site) {
        return skipped(ID, "the phase begins with a review");
    }
    let there = site.changes.iter().filter(|change| is_there(change)).count();
    let clean = if removes_alone(site) {
        format!("{} gone", counted(site.changes.len() as u64, "file"))
    } else {
        format!("{there} changed files are there")
    };
    let places = lack(site).map(of_answer).into_iter().collect();
    judged(ID, "no-evidence", places, "nothing shows that work was done", &clean)
}

/// Returns what is missing when nothing of this phase can be seen.
pub(super) fn lack(site: &Site<'_>) -> Option<&'static str> {
    let has_deliverable = || !site.output.is_empty() && deliverable::is_there(site);
    let is_seen = || site.changes.iter().any(is_there) || removes_alone(site) || has_deliverable();
    if !begins_with_an_author(site) || is_seen() {
        return None;
    }
    Some(if site.changes.is_empty() { "nothing changed" } else { "all that changed is gone or empty" })
}

/// Tells whether the change takes files away and nothing else, and no text has to say why.
fn removes_alone(site: &Site<'_>) -> bool {
    let said_something = |change: &Change| change.old_text().is_none_or(|text| !text.trim().is_empty());
    let is_removal = |change: &Change| change.is_deleted() && said_something(change);
    site.output.is_empty() && !site.changes.is_empty() && site.changes.iter().all(is_removal)
}

/// Who only answers a review may find nothing to change.
pub(super) fn begins_with_an_author(site: &Site<'_>) -> bool {
    site.phase.policy.entry == FirstStep::Execute
}

fn is_there(change: &Change) -> bool {
    let says_something = change.new_text().is_none_or(|text| !text.trim().is_empty());
    change.after.as_ref().is_some_and(|after| after.content.size() > 0) && says_something
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gist};

    #[test]
    fn a_pure_removal_is_work_where_no_deliverable_is_asked_for() {
        let gone = |path: &str, text: &str| Change::of_texts(path, Some(text), None);
        let without_output = |mut scene: Scene| {
            scene.output = String::new();
            gist(&scene.shown_to(examine))
        };
        assert_eq!(without_output(Scene::of([gone("a.rs", "fn a() {}"), gone("b.rs", "x")])), "pass");
        let emptied = Change::of_texts("b.rs", Some("x"), Some(""));
        assert_eq!(without_output(Scene::of([gone("a.rs", "fn a() {}"), emptied])), "answer");
        assert_eq!(without_output(Scene::of([gone("a.rs", "")])), "answer", "an empty file was nothing");
        assert_eq!(without_output(Scene::new()), "answer");
    }

    #[test]
    fn evidence_is_on_disk_and_an_authors_word_is_none() {
        for (scene, expected) in [
            (Scene::new(), "answer"),
            (Scene::new().claiming(&["a.rs"]), "answer"),
            (Scene::answering("All done, everything was written."), "answer"),
            (Scene::new().with(Change::of_texts("a.rs", Some("x"), None)), "answer"),
            (Scene::adding("a.rs", " \n"), "answer"),
            (Scene::adding("a.rs", "fn a() {}"), "pass"),
            (Scene::changing("a.rs", "a\nb\n", "a\n"), "pass"),
        ] {
            assert_eq!(gist(&scene.shown_to(examine)), expected);
        }
        let mut review = Scene::new();
        review.phase.policy.entry = FirstStep::Review;
        assert_eq!(gist(&review.shown_to(examine)), "skipped");
        let cleaned = Scene::new().with(Change::of_texts("a.rs", Some("x"), None));
        let output = cleaned.output.clone();
        assert_eq!(gist(&cleaned.on_disk(&output, "What was removed.").shown_to(examine)), "pass");
    }
}
