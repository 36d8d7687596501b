//! Tests of `references`.

use super::*;

fn references(tips: &[(&str, &str)], elsewhere: &[&str]) -> References {
    let tips = tips.iter().map(|(name, tip)| ((*name).to_owned(), (*tip).to_owned())).collect();
    let elsewhere = elsewhere.iter().map(|name| (*name).to_owned()).collect();
    References { head: None, tips, elsewhere }
}

#[test]
fn unexplained_reference_moves_are_detected() {
    let before = references(
        &[("refs/heads/a", "1"), ("refs/heads/b", "1"), ("refs/heads/c", "1"), ("refs/tags/t", "1")],
        &["refs/heads/c"],
    );
    let now = references(
        &[
            ("refs/heads/a", "2"),
            ("refs/heads/c", "2"),
            ("refs/heads/d", "2"),
            ("refs/heads/e", "2"),
            ("refs/tags/t", "1"),
        ],
        &["refs/heads/c", "refs/heads/a", "refs/heads/e"],
    );
    assert_eq!(
        before.list_unexplained_moves(&now).collect::<Vec<_>>(),
        ["refs/heads/a", "refs/heads/b", "refs/heads/d"]
    );
    let mut fetched = before.clone();
    fetched.tips.insert("refs/tags/new".into(), "3".into());
    assert_eq!(before.list_unexplained_moves(&fetched).collect::<Vec<_>>(), ["refs/tags/new"]);
    fetched.tips.insert("refs/remotes/origin/main".into(), "3".into());
    assert!(!before.list_unexplained_moves(&fetched).any(|name| name == "refs/tags/new"));
}

#[test]
fn branches_of_other_runs_and_remotes_are_not_watched() {
    assert!(["refs/heads/main", "refs/tags/v1"].iter().all(|name| is_watched(name)));
    let others = ["refs/heads/ai-workflow/issue-21", "refs/remotes/origin/main"];
    assert!(!others.iter().any(|name| is_watched(name)));
}
