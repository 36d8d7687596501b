//! What is the user's is not lost: files and commits at a cleanup, lists in settings, output that cannot be written.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use crate::support::Sandbox;

const CODE: &str = "[[turn]]\nphase = \"requirements\"\nstep = \"execute\"\nwrite = [{ path = \"{{output}}\", text = \"# r\" }, { path = \"src/new.rs\", text = \"// new\\n\" }]\nsay = \"done\"\n";
const CLEANUP: [&str; 3] = ["cleanup", "--issue", "243"];

fn in_worktree() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    sandbox.short(CODE, &["--worktree"]).exits(0);
    let beside = sandbox.root().with_file_name("repo-issue-243");
    (sandbox, beside)
}

#[test]
fn cleanup_keeps_a_worktree_with_uncommitted_files() {
    for (path, text) in
        [("src/new.rs", "// mine\n"), ("notes.txt", "mine\n"), (".ai-workflow/config.toml", "# mine\n")]
    {
        let (sandbox, beside) = in_worktree();
        fs::create_dir_all(beside.join(path).parent().expect("a parent")).expect("a folder");
        fs::write(beside.join(path), text).expect("a file");
        for more in [&["--dry-run"][..], &[]] {
            sandbox.run(&[&CLEANUP, more].concat()).refuses(2, "not committed").says(path).says("--force");
        }
        assert_eq!(fs::read_to_string(beside.join(path)).ok().as_deref(), Some(text));
        sandbox.run(&[&CLEANUP[..], &["--force"]].concat()).exits(0);
        assert!(!beside.exists());
    }
}

#[test]
fn cleanup_keeps_commits_of_the_user() {
    let sandbox = Sandbox::new();
    sandbox.short(CODE, &[]).exits(0);
    sandbox.write("src/new.rs", "// mine\n");
    sandbox.git(&["commit", "-q", "-a", "-m", "mine"]);
    let mine = sandbox.git(&["rev-parse", "HEAD"]);
    sandbox.run(&CLEANUP).refuses(2, &mine[..9]).says("is not of the run").says("--force");
    sandbox.git(&["switch", "-q", "main"]);
    sandbox.run(&CLEANUP).refuses(2, &mine[..9]);
    assert_eq!(sandbox.git(&["rev-parse", "ai-workflow/issue-243"]), mine);
    sandbox.run(&[&CLEANUP[..], &["--force"]].concat()).exits(0);
    assert_eq!(sandbox.git(&["branch", "--format=%(refname:short)"]), "main");
}

#[test]
fn cleanup_keeps_a_worktree_with_a_commit_on_a_detached_head() {
    let (sandbox, beside) = in_worktree();
    let there = beside.to_string_lossy().into_owned();
    sandbox.git(&["-C", &there, "switch", "-q", "--detach"]);
    sandbox.git(&["-C", &there, "commit", "-q", "--allow-empty", "-m", "mine"]);
    let mine = sandbox.git(&["-C", &there, "rev-parse", "HEAD"]);
    sandbox.run(&CLEANUP).refuses(2, &mine[..9]).says("at HEAD");
    assert!(beside.exists());
}

#[test]
fn a_toml_list_in_a_flag_or_variable_is_read_as_a_list() {
    let sandbox = Sandbox::new().with("AI_WORKFLOW_CHECKS__PROTECTED", "[\"A.md\", \"B.md\"]");
    let protected = |more: &[&str]| {
        let json = sandbox.run(&[&["config", "show", "--json"], more].concat()).exits(0).json();
        json["settings"]["checks"]["protected"].clone()
    };
    assert_eq!(protected(&[]), serde_json::json!(["A.md", "B.md"]));
    assert_eq!(protected(&["--set", "checks.protected=['C.md']"]), serde_json::json!(["C.md"]));
    sandbox.run(&["config", "show", "--set", "checks.protected=[C.md"]).refuses(2, "is not a list in TOML");
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_output_is_a_failure() {
    let sandbox = Sandbox::new();
    for arguments in
        [&["config", "schema"][..], &["completions", "bash"], &["man"], &["--help"], &["phases", "--json"]]
    {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let output = sandbox.binary(arguments).stdout(full).stderr(Stdio::piped()).spawn();
        let output = output.and_then(std::process::Child::wait_with_output).expect("it ends");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(6), "{arguments:?}: {told}");
        insta::allow_duplicates! { insta::assert_snapshot!(told, @r"
        error: failed to write to stdout: No space left on device (os error 28)
        hint: what the command did is done, only its output is lost: make room, or send it to another place
        ") };
    }
}
