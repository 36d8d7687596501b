//! Which branch a run starts from: never one of another run, and told in one line.

use crate::support::{ISSUE, Ran, Sandbox, fake_agent};

fn execute(sandbox: &Sandbox, issue: &str, more: &[&str]) -> Ran {
    sandbox.write(&format!(".ai-workflow/local/issues/{issue}.md"), ISSUE);
    let agent = fake_agent();
    sandbox.run(&[&["execute", "--issue", issue, "--forge", "local", "--agent", &agent], more].concat())
}

/// Asserts what the run of an issue would start from, without beginning it.
#[track_caller]
fn starts_from(sandbox: &Sandbox, base: &str, why: &str) {
    let ran = execute(sandbox, "7", &["--dry-run", "--json"]).exits(0);
    assert_eq!(ran.json()["base_branch"], base);
    let line = crate::line_with(&ran.stderr, "The base is ");
    assert_eq!(line, format!(" INFO The base is {base}, {why}"));
}

#[test]
fn a_second_run_starts_from_the_same_base_as_the_first() {
    let sandbox = Sandbox::new();
    sandbox.git(&["switch", "-q", "-c", "release"]);
    execute(&sandbox, "243", &["--phase", "planning"])
        .exits(0)
        .says("The base is release, the branch that is checked out");
    assert_eq!(sandbox.git(&["branch", "--show-current"]), "ai-workflow/issue-243");
    let why = "that of the run of issue #243, whose branch is checked out";
    starts_from(&sandbox, "release", why);
    execute(&sandbox, "8", &["--phase", "planning", "--base-branch", "ai-workflow/issue-243"])
        .exits(0)
        .says("The base is ai-workflow/issue-243, as it is asked for");
    starts_from(&sandbox, "release", "that of the run of issue #8, whose branch is checked out");
    execute(&sandbox, "7", &["--phase", "planning"]).exits(0);
    assert_eq!(sandbox.git(&["merge-base", "HEAD", "release"]), sandbox.git(&["rev-parse", "release"]));
    assert!(!sandbox.has(".ai-workflow/issue-243/events.jsonl"), "the first run is below the second one");
}

#[test]
fn a_new_run_starts_from_the_default_branch_of_origin() {
    let sandbox = Sandbox::new();
    let remote = sandbox.root().with_file_name("remote.git").display().to_string();
    sandbox.git(&["init", "-q", "--bare", "-b", "trunk", &remote]);
    sandbox.git(&["remote", "add", "origin", &remote]);
    sandbox.git(&["push", "-q", "origin", "main:trunk", "main:other"]);
    sandbox.git(&["switch", "-q", "-c", "feature"]);
    starts_from(&sandbox, "trunk", "the default branch of origin");
    sandbox.git(&["switch", "-q", "--detach"]);
    starts_from(&sandbox, "trunk", "the default branch of origin");
    sandbox.git(&["switch", "-q", "feature"]);
    sandbox.git(&["update-ref", "-d", "refs/remotes/origin/trunk"]);
    let fallen_back = "the branch that is checked out: the default branch of origin, trunk, is not here";
    starts_from(&sandbox, "feature", fallen_back);
    std::fs::remove_dir_all(&remote).expect("removed");
    let fallen_back = "the branch that is checked out: origin cannot be asked for its default branch";
    starts_from(&sandbox, "feature", fallen_back);
    sandbox.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/other"]);
    starts_from(&sandbox, "other", "the default branch of origin");
    sandbox.git(&["update-ref", "refs/remotes/origin/ai-workflow/issue-9", "HEAD"]);
    let of_run = "refs/remotes/origin/ai-workflow/issue-9";
    sandbox.git(&["symbolic-ref", "refs/remotes/origin/HEAD", of_run]);
    let fallen_back = "the branch that is checked out: the default branch of origin, ai-workflow/issue-9, is the branch of a run";
    starts_from(&sandbox, "feature", fallen_back);
}
