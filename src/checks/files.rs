//! Q1: every file that has to be there is there and holds something: the deliverable, the files that the author names, and
//! those that were asked for. A name is looked up on disk; it proves nothing by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::deliverable::{self, IS_EMPTY, content_lack};
use super::paths::may_be_empty;
use super::{Change, CheckResult, Place, Site, counted, file, judged, of_answer, skipped};
use model::policy::FirstStep;

pub(super) const ID: &str = "files";
pub(super) const EVIDENCE: &str = "evidence";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let output = Some(site.output).filter(|_| begins_with_an_author(site));
    let asked = output.into_iter().chain(site.expected.iter().map(String::as_str));
    let claimed = || site.claim.into_iter().flat_map(|claim| claim.files.iter().map(String::as_str));
    let named: BTreeSet<&str> = asked.filter(|path| !path.is_empty()).chain(claimed()).collect();
    let lacks: BTreeMap<&str, &str> =
        named.iter().filter_map(|path| Some((*path, lack(site, path)?))).collect();
    let mut places: Vec<Place> = lacks.iter().map(|(path, lack)| file(path, *lack)).collect();
    if claimed().next().is_some() && claimed().all(|path| lacks.contains_key(path)) {
        places.push(of_answer(format!("it names {} files, none verified", claimed().count())));
    }
    let clean = match named.len() {
        0 => "no file is expected".to_owned(),
        count => format!("{} verified", counted(count as u64, "file")),
    };
    judged(ID, "file-missing", places, "a file is not there", &clean)
}

/// Returns why a path is no verified file. What the change deleted is verified by its absence, a folder by what changed in it.
fn lack(site: &Site<'_>, named: &str) -> Option<&'static str> {
    let Some(path) = inside(site.worktree, named) else { return Some("is outside the worktree") };
    let path = without_line(&path);
    let lack = content_lack(site.worktree, path)?;
    let is_seen = |change: &Change| {
        if change.path == path { change.is_deleted() } else { Path::new(&change.path).starts_with(path) }
    };
    let may_lack = lack == IS_EMPTY && may_be_empty(path);
    (!may_lack && !site.changes.iter().any(is_seen)).then_some(lack)
}

/// Returns a path relative to the worktree, when it names something inside of it.
fn inside(worktree: &Path, named: &str) -> Option<String> {
    let named = Path::new(named.trim());
    let relative = if named.is_absolute() { named.strip_prefix(worktree).ok()? } else { named };
    let mut parts = relative.components().filter(|part| *part != Component::CurDir);
    let path: PathBuf = parts.clone().collect();
    let is_inside = parts.all(|part| matches!(part, Component::Normal(_)));
    path.to_str().filter(|path| is_inside && !path.is_empty()).map(str::to_owned)
}

/// `src/a.rs:12` names `src/a.rs`.
fn without_line(path: &str) -> &str {
    let is_line = |line: &str| line.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'-'));
    path.split_once(':').filter(|(_, line)| is_line(line)).map_or(path, |(path, _)| path)
}

/// Q5: something of this phase can be seen: a change that is there, or the deliverable. An author's word is none. Where
/// no deliverable is asked for, a file that is gone shows the work as well: who is told to remove code has nothing else.
pub(super) fn examine_evidence(site: &Site<'_>) -> CheckResult {
    if !begins_with_an_author(site) {
        return skipped(EVIDENCE, "the phase begins with a review");
    }
    let there = site.changes.iter().filter(|change| is_there(change)).count();
    let clean = if removes_alone(site) {
        format!("{} gone", counted(site.changes.len() as u64, "file"))
    } else {
        format!("{there} changed files are there")
    };
    let places = lack_of_evidence(site).map(of_answer).into_iter().collect();
    judged(EVIDENCE, "no-evidence", places, "nothing shows that work was done", &clean)
}

/// Returns what is missing when nothing of this phase can be seen.
pub(super) fn lack_of_evidence(site: &Site<'_>) -> Option<&'static str> {
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
fn begins_with_an_author(site: &Site<'_>) -> bool {
    site.phase.policy.entry == FirstStep::Execute
}

fn is_there(change: &Change) -> bool {
    let says_something = change.new_text().is_none_or(|text| !text.trim().is_empty());
    change.after.as_ref().is_some_and(|after| after.content.size() > 0) && says_something
}

#[cfg(test)]
mod tests_of_evidence {
    use super::*;
    use crate::scene::{Scene, gist};

    #[test]
    fn a_pure_removal_is_work_where_no_deliverable_is_asked_for() {
        let gone = |path: &str, text: &str| Change::of_texts(path, Some(text), None);
        let without_output = |mut scene: Scene| {
            scene.output = String::new();
            gist(&scene.shown_to(examine_evidence))
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
            assert_eq!(gist(&scene.shown_to(examine_evidence)), expected);
        }
        let mut review = Scene::new();
        review.phase.policy.entry = FirstStep::Review;
        assert_eq!(gist(&review.shown_to(examine_evidence)), "skipped");
        let cleaned = Scene::new().with(Change::of_texts("a.rs", Some("x"), None));
        let output = cleaned.output.clone();
        assert_eq!(gist(&cleaned.on_disk(&output, "What was removed.").shown_to(examine_evidence)), "pass");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gist};
    use model::change::Change;

    fn scene(claimed: &[&str]) -> Scene {
        let mut scene = Scene::new().on_disk("a.txt", "a").on_disk("b.txt", "b").on_disk("empty.txt", " \n");
        scene.output = "a.txt".into();
        scene.claiming(claimed)
    }

    #[test]
    fn every_expected_file_is_on_disk() {
        let said = |claimed: &[&str]| scene(claimed).shown_to(examine);
        assert_eq!(said(&["b.txt"]).summary, "2 files verified");
        assert_eq!(said(&[]).summary, "1 file verified");
        for (claimed, expected) in [
            ("missing.txt", "missing.txt answer"),
            ("empty.txt", "empty.txt answer"),
            ("../a.txt", "../a.txt answer"),
            ("/etc/hostname", "/etc/hostname answer"),
        ] {
            assert_eq!(gist(&said(&[claimed])), expected);
        }
        assert_eq!(gist(&said(&["b.txt", "missing.txt"])), "missing.txt");
        assert!(said(&["missing.txt"]).evidence.contains("none verified"));
        let mut asked = scene(&[]);
        asked.expected = vec!["asked.txt".into()];
        assert_eq!(gist(&asked.shown_to(examine)), "asked.txt");
        asked.output = String::new();
        asked.expected = Vec::new();
        assert_eq!(asked.shown_to(examine).summary, "no file is expected");
    }

    #[test]
    fn honest_names_are_verified() {
        let mut scene =
            scene(&[]).on_disk("p/__init__.py", "").with(Change::of_texts("old.rs", Some("x"), None));
        scene = scene.with(Change::of_texts("p/__init__.py", None, Some("")));
        let absolute = scene.worktree.join("b.txt").display().to_string();
        let claimed = [absolute.as_str(), "./b.txt", "b.txt:12", "p/__init__.py", "p", "old.rs"];
        let scene = scene.claiming(&claimed);
        assert_eq!(gist(&scene.shown_to(examine)), "pass");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_worktree_is_no_file() {
        let scene = scene(&["out/hostname"]);
        std::os::unix::fs::symlink("/etc", scene.worktree.join("out")).expect("a link");
        assert!(gist(&scene.shown_to(examine)).starts_with("out/hostname"));
    }
}
