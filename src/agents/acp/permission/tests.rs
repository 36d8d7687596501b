//! Tests of `permission`.

use serde_json::json;

use super::*;

fn permissions(read_only: bool, worktree: &Path) -> Permissions {
    Permissions { worktree: worktree.to_owned(), read_only, commands: vec!["cargo".into()] }
}

/// Asks for one tool call, as an author and as a reviewer.
fn ask(call: &Value) -> [Result<(), PermissionRefusal>; 2] {
    let folder = tempfile::tempdir().expect("a folder");
    let worktree = folder.path().canonicalize().expect("it is there");
    let update: ToolCallUpdate = serde_json::from_value(call.clone()).expect("a tool call");
    let mut tools = ToolCalls::default();
    let tool = tools.update(&update);
    [false, true].map(|read_only| permissions(read_only, &worktree).check(tool))
}

fn call(kind: &str, paths: &[&str]) -> Value {
    let locations: Vec<_> = paths.iter().map(|path| json!({"path": path})).collect();
    json!({"toolCallId": "1", "kind": kind, "locations": locations})
}

fn run(input: &Value) -> [Result<(), PermissionRefusal>; 2] {
    ask(&json!({"toolCallId": "1", "kind": "execute", "rawInput": input}))
}

#[test]
fn authors_edit_files_in_the_worktree_and_reviewers_edit_nothing() {
    let outside = || Err(PermissionRefusal::Outside("/etc/x".into()));
    for kind in ["edit", "delete", "move"] {
        assert_eq!(ask(&call(kind, &["src/a"])), [Ok(()), Err(PermissionRefusal::Reviewer)], "{kind}");
        assert_eq!(
            ask(&call(kind, &["src/a", "/etc/x"])),
            [outside(), Err(PermissionRefusal::Reviewer)],
            "{kind}"
        );
        assert_eq!(
            ask(&call(kind, &[])),
            [Err(PermissionRefusal::NoPath), Err(PermissionRefusal::Reviewer)],
            "{kind}"
        );
    }
    let git = || Err(PermissionRefusal::Outside(".git/hooks/x".into()));
    assert_eq!(ask(&call("edit", &[".git/hooks/x"])), [git(), Err(PermissionRefusal::Reviewer)]);
}

#[test]
fn authors_and_reviewers_read_files_in_the_worktree() {
    let outside = || Err(PermissionRefusal::Outside("/etc/x".into()));
    assert_eq!(ask(&call("read", &["src/a"])), [Ok(()), Ok(())]);
    assert_eq!(ask(&call("search", &[])), [Ok(()), Ok(())]);
    assert_eq!(ask(&call("think", &[])), [Ok(()), Ok(())]);
    assert_eq!(ask(&call("read", &[])), [Err(PermissionRefusal::NoPath), Err(PermissionRefusal::NoPath)]);
    assert_eq!(ask(&call("read", &["/etc/x"])), [outside(), outside()]);
}

#[test]
fn unknown_tool_kinds_are_refused() {
    for kind in ["fetch", "switch_mode", "other", "new"] {
        assert_eq!(
            ask(&call(kind, &["src/a"])),
            [Err(PermissionRefusal::Kind), Err(PermissionRefusal::Kind)],
            "{kind}"
        );
    }
}

#[test]
fn paths_named_only_in_a_diff_are_checked() {
    let call = json!({"toolCallId": "1", "kind": "edit", "locations": [{"path": "a"}],
        "content": [{"type": "diff", "path": "/etc/x", "newText": ""}]});
    assert_eq!(ask(&call)[0], Err(PermissionRefusal::Outside("/etc/x".into())));
}

#[test]
fn authors_run_the_allowed_commands_and_reviewers_run_none() {
    let reviewer = || Err(PermissionRefusal::Reviewer);
    assert_eq!(run(&json!({"command": "cargo test"})), [Ok(()), reviewer()]);
    assert_eq!(run(&json!({"command": ["bash", "-lc", "cargo test"]})), [Ok(()), reviewer()]);
    assert_eq!(run(&json!({"command": "cargo test", "cwd": null}))[0], Ok(()));
    for bad in [
        json!({"command": "rm x"}),
        json!({"command": ["rm"]}),
        json!({"command": [1]}),
        json!({"command": 1}),
    ] {
        assert_eq!(run(&bad), [Err(PermissionRefusal::Command), reviewer()], "{bad}");
    }
    assert_eq!(run(&json!({"line": "cargo"}))[0], Err(PermissionRefusal::NoCommand));
    assert_eq!(
        run(&json!({"command": "cargo test", "cwd": "/"}))[0],
        Err(PermissionRefusal::Outside("/".into()))
    );
}

#[test]
fn later_tool_updates_keep_the_kind_and_paths_of_earlier_ones() {
    let mut tools = ToolCalls::default();
    let mut updated = |call: Value| tools.update(&serde_json::from_value(call).expect("a tool call")).clone();
    updated(call("edit", &["/etc/x"]));
    let tool = updated(json!({"toolCallId": "1", "title": "Edit a", "locations": [{"path": "a"}]}));
    assert_eq!(
        (tool.kind, tool.paths, tool.title),
        (ToolKind::Edit, vec!["/etc/x".into(), "a".into()], "Edit a".to_owned())
    );
}

#[test]
fn only_one_time_permission_options_are_chosen() {
    let option = |id: &str, kind| PermissionOption::new(id.to_owned(), id, kind);
    let always =
        [option("aa", PermissionOptionKind::AllowAlways), option("ra", PermissionOptionKind::RejectAlways)];
    let once = [option("a", PermissionOptionKind::AllowOnce), option("r", PermissionOptionKind::RejectOnce)];
    let all = [&always[..], &once[..]].concat();
    let chosen = |id: &str| RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(id.to_owned()));
    assert_eq!((choose_option(&all, true), choose_option(&all, false)), (chosen("a"), chosen("r")));
    assert_eq!(choose_option(&once[1..], true), chosen("r"));
    assert_eq!(choose_option(&always, true), RequestPermissionOutcome::Cancelled);
    assert_eq!(choose_option(&always, false), RequestPermissionOutcome::Cancelled);
}

fn allowed() -> Vec<String> {
    ["cargo test --locked", "./check.sh", "sh -c 'make lint'"]
        .map(allowed_program)
        .into_iter()
        .chain(["npm run".to_owned()])
        .collect()
}

#[test]
fn allowed_programs_run_with_any_arguments() {
    for good in [
        "cargo test",
        "cargo build --release 2>&1",
        "cargo test && ./check.sh -v",
        "cargo fmt; cargo test | cargo x",
        "npm run lint",
        "sh -c 'make lint'",
        "bash -lc 'cargo test'",
    ] {
        assert!(may_run_line(good, &allowed()), "{good}");
    }
}

#[test]
fn command_lines_with_any_other_program_or_redirect_are_refused() {
    for bad in [
        "",
        "rm -rf /",
        "cargo test && rm x",
        "cargo test; curl x",
        "cargo test | sh",
        "cargo test\nrm x",
        "cargo test & rm x",
        "cargo $(rm x)",
        "cargo `rm x`",
        "cargo test > /etc/x",
        "npm install",
        "npm",
        "sh -c 'rm x'",
        "sh evil",
        "bash -lc 'cargo test; rm x'",
        "X=1 cargo test",
        "cargo 'test",
        "/tmp/cargo test",
    ] {
        assert!(!may_run_line(bad, &allowed()), "{bad}");
    }
    assert!(!may_run_line("cargo test", &[]));
    assert!(!may_run(&[], &[String::new()]));
}
