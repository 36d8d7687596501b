//! Commands of the repository are run by us, in a clean worktree at the tree that will be published: whole runs with
//! little scripts in place of test runners.

mod base;
mod cheats;
mod environment;
mod integration;
mod worktree;

use serde_json::Value;

use crate::support::{Ran, Sandbox, honest_script};

/// A test runner: each `tests/NAME.t` is a test, run by `sh`. Prints what libtest prints.
const RUNNER: &str = r#"
set -- tests/*.t
[ -e "$1" ] || set --
echo "running $# tests"
passed=0 failed=0
for test in "$@"; do
    name=$(basename "$test" .t)
    if sh "$test"; then echo "test $name ... ok"; passed=$((passed + 1))
    else echo "test $name ... FAILED"; failed=$((failed + 1)); fi
done
word=ok; [ "$failed" = 0 ] || word=FAILED
printf '\ntest result: %s. %s passed; %s failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n' \
    "$word" "$passed" "$failed"
[ "$failed" = 0 ]
"#;

/// One phase that changes code and one that tests, so that a run is short.
const WORK: &str = "preset = \"work\"\n[presets.work]\ndescription = \"work\"\nphases = [\"implementation\", \"testing\"]\n[policies.phase-review.limits]\nmax_revisions = 1\n";

/// A project with a test runner of its own and a test that passes.
fn project(commands: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("run.sh", RUNNER);
    sandbox.write("tests/old.t", "test -f src/lib.rs\n");
    sandbox.write(".gitignore", "/cache/\nnode_modules/\njunit.xml\n");
    commit(&sandbox);
    sandbox.write(".ai-workflow/config.toml", &format!("{WORK}[commands]\n{commands}"));
    sandbox
}

/// A project whose tests are run.
fn tested() -> Sandbox {
    project("test = \"sh run.sh\"\n")
}

fn commit(sandbox: &Sandbox) {
    sandbox.git(&["add", "--all", "--", ".", ":(exclude).ai-workflow"]);
    sandbox.git(&["commit", "-q", "-m", "a project"]);
}

/// Runs a run in whose implementation the author writes these files and deletes those.
fn work(sandbox: &Sandbox, files: &[(&str, &str)], deleted: &[&str]) -> Ran {
    let agent = sandbox.script(&honest_script(&turns(files, deleted)));
    sandbox.run(&["execute", "--issue", "243", "--forge", "local", "--agent", &agent])
}

/// The author writes and deletes the same in its first pass and in every revision.
fn turns(files: &[(&str, &str)], deleted: &[&str]) -> String {
    let quoted = |text: &str| serde_json::to_string(text).expect("a text");
    let written = [
        ("{{output}}", "# implementation\n\nwritten in round {{round}}\n"),
        ("src/lib.rs", "pub fn pages() -> u32 {\n    3\n}\n"),
    ];
    let written = written.iter().chain(files);
    let written: Vec<String> = written
        .map(|(path, text)| format!("{{ path = {}, text = {} }}", quoted(path), quoted(text)))
        .collect();
    let deleted: Vec<String> = deleted.iter().map(|path| quoted(path)).collect();
    let turn = |step: &str| {
        format!(
            "\n[[turn]]\nphase = \"implementation\"\nstep = \"{step}\"\nwrite = [{}]\ndelete = [{}]\nsay = \"done\"\n",
            written.join(", "),
            deleted.join(", ")
        )
    };
    turn("execute") + &turn("revise")
}

/// Returns the results of a check in a phase, oldest first.
#[track_caller]
fn results(sandbox: &Sandbox, phase: &str, check: &str) -> Vec<Value> {
    let of_phase = |fact: &Value| fact["type"] == "checked" && fact["phase"] == phase;
    let facts = sandbox.facts().into_iter().filter(of_phase);
    let all = facts.flat_map(|fact| fact["results"].as_array().cloned().unwrap_or_default());
    let found: Vec<Value> = all.filter(|result| result["check"] == check).collect();
    assert!(!found.is_empty(), "no result of {check} in {phase}: {:#?}", sandbox.facts());
    found
}

/// Asserts how a check of a phase ended the first time, and what it says.
#[track_caller]
fn expect(sandbox: &Sandbox, phase: &str, check: &str, status: &str, says: &str) -> Value {
    let result = results(sandbox, phase, check).remove(0);
    assert_eq!(result["status"], status, "{result:#}");
    let summary = result["summary"].as_str().unwrap_or_default();
    assert!(summary.contains(says), "`{says}` is not in `{summary}`");
    result
}

fn worktrees(sandbox: &Sandbox) -> usize {
    sandbox.git(&["worktree", "list"]).lines().count()
}
