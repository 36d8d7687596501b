//! Where branches and tags stand: the same however git keeps it, and put back when somebody moved it.

use git::{MovedReferences, References};

use super::{Fixture, calls};

impl Fixture {
    /// A repository with one commit that keeps its references in this form; nothing where this git does not know it.
    fn keeping(keep: &str) -> Option<Self> {
        let fixture = Self::empty();
        if keep == "reftable" {
            std::fs::remove_dir_all(fixture.root().join(".git")).expect("removed");
            if !fixture.try_git_in(&fixture.root(), &["init", "--quiet", "--ref-format=reftable"]).0 {
                return None;
            }
        }
        fixture.write("README.md", "read me\n");
        fixture.commit_all("start");
        Some(fixture)
    }
}

/// Gives a repository of every kind of reference: a tag with an object of its own, a branch in a folder, one of a server.
fn with_references(fixture: &Fixture) {
    fixture.git(&["tag", "--annotate", "--message", "one", "v1"]);
    fixture.git(&["branch", "feature/one"]);
    fixture.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    fixture.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
}

#[test]
fn loose_and_packed_references_are_read_without_a_git_process() {
    let fixture = Fixture::new();
    let space = fixture.run();
    with_references(&fixture);
    let (processes, loose) = calls(&space, || References::read(space.workspace()).expect("told"));
    assert_eq!(processes, 0);
    fixture.git(&["pack-refs", "--all"]);
    let packed = References::read(space.workspace()).expect("told");
    assert_eq!(packed, loose);
    // A reference that moved since it was packed lies in a file of its own beside it.
    fixture.write("new.txt", "new\n");
    fixture.commit_all("by somebody");
    let moved = References::read(space.workspace()).expect("told");
    assert_ne!(moved, packed);
    let (processes, nothing) = calls(&space, || moved.restore(&space).expect("looked"));
    assert_eq!((processes, nothing), (0, MovedReferences::default()));
}

#[test]
fn moved_run_branch_is_restored_and_other_moved_references_are_reported() {
    for keep in ["files", "packed", "reftable"] {
        let Some(fixture) = Fixture::keeping(keep) else {
            eprintln!("SKIPPED: references in tables, which this git does not know");
            continue;
        };
        let space = fixture.run();
        with_references(&fixture);
        if keep == "packed" {
            fixture.git(&["pack-refs", "--all"]);
        }
        let before = References::read(space.workspace()).expect("told");
        let (own, start) = (fixture.git(&["symbolic-ref", "HEAD"]), fixture.tip());
        fixture.write("new.txt", "new\n");
        fixture.commit_all("by a reviewer");
        let theirs = fixture.tip();
        fixture.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
        fixture.git(&["tag", "--force", "v1", theirs.as_str()]);
        fixture.git(&["branch", "--delete", "--force", "feature/one"]);
        fixture.git(&["branch", "feature", theirs.as_str()]);
        let moved = before.restore(&space).expect("put back");
        assert_eq!(
            moved.undone,
            [format!("{own} (was at {})", &theirs.as_str()[..9]), "HEAD".into()],
            "{keep}"
        );
        let left: Vec<&str> =
            moved.left.iter().map(|told| told.split(" (").next().expect("a name")).collect();
        assert_eq!(left, ["refs/heads/feature", "refs/heads/feature/one", "refs/tags/v1"], "{keep}");
        assert!(moved.left[1].ends_with(&format!("(was at {})", &start.as_str()[..9])), "{moved:?}");
        assert_eq!((fixture.git(&["symbolic-ref", "HEAD"]), fixture.tip()), (own, start), "{keep}");
        assert_eq!(fixture.git(&["rev-parse", "v1"]), theirs.as_str(), "{keep}");
    }
}

#[test]
fn a_moved_stash_and_notes_are_reported() {
    for pack in [false, true] {
        let fixture = Fixture::new();
        let space = fixture.run();
        let before = References::read(space.workspace()).expect("told");
        fixture.git(&["update-ref", "refs/stash", "HEAD"]);
        fixture.git(&["update-ref", "refs/notes/commits", "HEAD"]);
        if pack {
            fixture.git(&["pack-refs", "--all"]);
        }
        let (processes, moved) = calls(&space, || before.restore(&space).expect("looked"));
        let left = ["refs/notes/commits (was not there)", "refs/stash (was not there)"].map(str::to_owned);
        let undone = Vec::new();
        assert_eq!(
            (processes, moved),
            (0, MovedReferences { undone, left: left.to_vec(), seldom: left.to_vec() })
        );
    }
}

#[cfg(unix)]
#[test]
fn symlinks_among_references_are_not_followed() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = References::read(space.workspace()).expect("told");
    let heads = fixture.root().join(".git/refs/heads");
    for name in ["a", "b", "c"] {
        std::os::unix::fs::symlink(&heads, heads.join(name)).expect("linked");
    }
    let (processes, now) = calls(&space, || References::read(space.workspace()).expect("told"));
    assert_eq!((processes, now), (0, before));
}

#[test]
fn after_an_author_replacements_of_objects_are_undone_and_moved_branches_are_reported() {
    for pack in [false, true] {
        let fixture = Fixture::new();
        let space = fixture.run();
        let before = References::read(space.workspace()).expect("told");
        let object = fixture.git(&["rev-parse", "HEAD:README.md"]);
        fixture.git(&["replace", &object, "HEAD:src/lib.rs"]);
        fixture.git(&["branch", "feature"]);
        fixture.write("new.txt", "new\n");
        fixture.commit_all("by the author");
        if pack {
            fixture.git(&["pack-refs", "--all"]);
        }
        let tip = fixture.tip();
        let moved = before.restore_others(&space).expect("restored");
        let was_at = &fixture.git(&["rev-parse", "HEAD:src/lib.rs"])[..9];
        assert_eq!(moved.undone, [format!("refs/replace/{object} (was at {was_at})")]);
        assert_eq!(moved.left, ["refs/heads/feature (was not there)"]);
        assert_eq!(!moved.seldom.is_empty(), pack, "people do not pack what they have just moved");
        assert_eq!(fixture.git(&["replace", "--list"]), "");
        assert_eq!(fixture.tip(), tip, "what an author commits stays");
    }
}

#[test]
fn a_new_reference_that_git_takes_for_a_branch_is_removed_however_git_keeps_it() {
    for keep in ["files", "packed", "reftable"] {
        let Some(fixture) = Fixture::keeping(keep) else {
            eprintln!("SKIPPED: references in tables, which this git does not know");
            continue;
        };
        let space = fixture.run();
        fixture.git(&["update-ref", "refs/feature", "HEAD"]);
        let before = References::read(space.workspace()).expect("told");
        let own = format!("refs/{}", space.branch());
        fixture.git(&["update-ref", &own, "HEAD"]);
        fixture.git(&["update-ref", "refs/pull/one", "HEAD"]);
        fixture.git(&["branch", "feature", "HEAD"]);
        if keep == "packed" {
            fixture.git(&["pack-refs", "--all"]);
        }
        let moved = before.restore(&space).expect("put back");
        let was_at = &fixture.tip().to_string()[..9];
        assert_eq!(moved.undone, [format!("{own} (was at {was_at})")], "{keep}");
        let left = fixture.git(&[
            "for-each-ref",
            "--format=%(refname)",
            "refs/ai-workflow",
            "refs/feature",
            "refs/pull",
        ]);
        assert_eq!(left, "refs/feature\nrefs/pull/one", "of a person: {keep}");
    }
}
