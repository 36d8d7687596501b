//! Boundaries of plans, read and refused, and changes inside and outside of them.

use std::path::Path;

use super::*;
use crate::scene::{Scene, phase};
use model::change::Change;
use model::event::CheckStatus;

const PLAN: &str = "planning.md";
const SCOPE: &str =
    "# Plan\n{\"scope\": {\"paths\": [\"src/**\", \"tests/\"], \"max_files\": 2, \"max_lines\": 5}}\n";

fn made(folder: &Path, plan: &str, changed: &[&str]) -> Scene {
    std::fs::write(folder.join(PLAN), plan).expect("a file");
    let mut made = Scene::of(changed.iter().map(|path| Change::of_texts(path, None, Some("1\n2\n"))));
    made.worktree = folder.to_owned();
    made.plans = vec![PLAN.to_owned()];
    made
}

fn judge(plan: &str, changed: &[&str]) -> CheckResult {
    let folder = tempfile::tempdir().expect("a folder");
    examine(&made(folder.path(), plan, changed).site())
}

#[test]
fn a_file_outside_of_the_plans_scope_is_refused_with_the_list() {
    let result = judge(SCOPE, &["src/a/b.rs", "docs/x.md", "srcs/c.rs"]);
    assert_eq!((result.status, result.pattern.as_deref()), (CheckStatus::Fail, Some("out-of-scope")));
    let files: Vec<_> = result.places.iter().filter_map(|place| place.file.as_deref()).collect();
    assert_eq!(files, ["docs/x.md", "srcs/c.rs", PLAN, PLAN]);
    assert_eq!(result.param("paths"), Some("src/**, tests/"));
    assert_eq!(judge(SCOPE, &["src/a.rs", "tests/a.rs", "src/b.rs"]).status, CheckStatus::Fail);
}

#[test]
fn what_stays_inside_and_our_own_documents_are_fine() {
    let result = judge(SCOPE, &["src/a.rs", "tests/b.rs"]);
    assert_eq!(result.summary, "inside the plan's scope: 2 files changed, 4 lines added");
    assert_eq!(judge(SCOPE, &["src/a.rs", ".ai-workflow/issue-7/x/output/x.md"]).status, CheckStatus::Pass);
    assert_eq!(judge("# Plan\n", &["anything"]).summary, "the plan sets no scope");
}

#[test]
fn a_scope_that_is_missing_or_cannot_be_read_never_counts_as_kept() {
    assert_eq!(judge("{\"scope\": {\"paths\": []}}", &["src/a.rs"]).pattern.as_deref(), Some("no-scope"));
    let folder = tempfile::tempdir().expect("a folder");
    let mut gone = made(folder.path(), SCOPE, &["src/a.rs"]);
    gone.plans.push("design.md".to_owned());
    assert_eq!(examine(&gone.site()).summary, "design.md: the plan cannot be read");
    let mut required = made(folder.path(), "# Plan", &["src/a.rs"]);
    required.settings.scope_required = true;
    assert_eq!(examine(&required.site()).pattern.as_deref(), Some("no-scope"));
}

#[test]
fn the_later_plan_wins_and_a_planner_is_told_while_it_can_repair() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("design.md"), "{\"scope\": {\"paths\": [\"docs/\"]}}").expect("a file");
    let mut later = made(folder.path(), SCOPE, &["docs/a.md"]);
    later.plans.push("design.md".to_owned());
    assert_eq!(examine(&later.site()).status, CheckStatus::Pass);
    let mut planner = made(folder.path(), SCOPE, &[]);
    planner.phase = phase("planning");
    planner.plans = vec![];
    let broken = Site { output: "broken.md", ..planner.site() };
    std::fs::write(folder.path().join("broken.md"), "{\"scope\": {\"paths\": [").expect("a file");
    assert_eq!(examine(&broken).pattern.as_deref(), Some("no-scope"));
    let sound = Site { output: PLAN, ..planner.site() };
    assert_eq!(examine(&sound).summary, "the plan sets a scope");
}

#[test]
fn the_last_scope_of_a_plan_counts() {
    let text = "# Plan\n{\"scope\": {\"paths\": [\"old/\"]}}\ntext\n```json\n{\"scope\": {\"paths\": [\"src/**\", \".\"], \"max_files\": 20}}\n```\n";
    let expected = Scope {
        paths: Some(vec!["src/**".into(), "**".into()]),
        max_files: NonZeroU64::new(20),
        max_lines: None,
    };
    assert_eq!(read_scope(text), Ok(Some(expected)));
}

#[test]
fn what_is_no_boundary_sets_none() {
    for text in [
        "",
        "the scope is small",
        r#"{"scope": "read:user"}"#,
        r#"{"scope": {"name": "global"}}"#,
        r#"in code: `{"scope": "x"`"#,
    ] {
        assert_eq!(read_scope(text), Ok(None), "{text}");
    }
}

#[test]
fn a_boundary_that_cannot_be_read_or_contradicts_itself_is_an_error() {
    for (text, part) in [
        (r#"{"scope": {"paths": ["src/**"], "max_files": 20"#, "no JSON"),
        (r#"{"scope": {"paths": ["src/**",]}}"#, "no JSON"),
        (r#"{"scope": {"paths": ["a"], "paths": ["b"]}}"#, "twice"),
        (r#"{"scope": {"paths": []}}"#, "empty"),
        (r#"{"scope": {"paths": "src"}}"#, "expected a sequence"),
        (r#"{"scope": {"paths": [1]}}"#, "expected a string"),
        (r#"{"scope": {"paths": ["../x"]}}"#, "`../x`"),
        (r#"{"scope": {"paths": ["/etc"]}}"#, "`/etc`"),
        (r#"{"scope": {"max_files": 0}}"#, "max_files"),
        (r#"{"scope": {"max_lines": "many"}}"#, "max_lines"),
        (r#"{"scope": {"max_lines": 5, "except": ["a"]}}"#, "`except`"),
    ] {
        let error = read_scope(text).expect_err(text);
        assert!(error.contains(part), "{text}: {error}");
    }
}
