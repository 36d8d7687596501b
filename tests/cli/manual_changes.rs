//! What a person writes into files that an author changes, too, before or during a phase that nobody reviews: the author
//! does not answer for it, and it is told. What came with the base branch is not the run's.

use super::unreviewed::{BY_THE_AUTHOR, commit, execute, told_as_reviewed, told_as_unreviewed, with_phases};
use crate::support::{Sandbox, honest_script};

const MINE: &str = "pub fn pages() -> u32 {\n    99\n}\n";
const PHASES: &str = "[\"planning\", \"implementation\"]";
const UNREVIEWED: &str = "[phases.implementation]\nneeds = []\npolicy = \"completion\"\n";

/// A completed run in which a person did something at the gate before code that nobody reviews.
fn at_the_gate(by_hand: impl Fn(&Sandbox)) -> Sandbox {
    let sandbox = with_phases(PHASES, &format!("{UNREVIEWED}gate = \"ask\"\n"));
    let agent = sandbox.script(&honest_script(""));
    execute(&sandbox, &agent, &[]).exits(3);
    by_hand(&sandbox);
    sandbox.run(&["resume", "--issue", "243", "--agent", &agent, "--continue"]).exits(0);
    assert_eq!(sandbox.read("src/lib.rs"), BY_THE_AUTHOR, "the author wrote that file, too");
    sandbox
}

#[test]
fn manual_commit_to_a_file_of_an_unreviewed_author_is_reported() {
    told_as_unreviewed(&at_the_gate(|sandbox| commit(sandbox, "src/lib.rs", MINE)), "src/lib.rs");
}

#[test]
fn uncommitted_manual_change_to_a_file_of_an_unreviewed_author_is_reported() {
    told_as_unreviewed(&at_the_gate(|sandbox| sandbox.write("src/lib.rs", MINE)), "src/lib.rs");
}

#[test]
fn reverted_manual_change_is_not_reported() {
    told_as_reviewed(&at_the_gate(|_| ()));
    told_as_reviewed(&at_the_gate(|sandbox| {
        commit(sandbox, "src/lib.rs", MINE);
        sandbox.git(&["revert", "--no-edit", "HEAD"]);
    }));
}

/// A run of code without a reviewer whose budget ended before the author was called.
fn out_of_budget() -> Sandbox {
    let sandbox = with_phases(PHASES, UNREVIEWED);
    let agent = sandbox.script(&honest_script(""));
    execute(&sandbox, &agent, &["--set", "budget.calls=2"]).exits(3);
    sandbox
}

#[test]
fn manual_change_during_a_budget_pause_is_reported() {
    let go_on = |sandbox: &Sandbox| {
        sandbox.run(&["execute", "--issue", "243", "--set", "budget.calls=20"]).exits(0);
        assert_eq!(sandbox.read("src/lib.rs"), BY_THE_AUTHOR);
    };
    let committed = out_of_budget();
    commit(&committed, "src/lib.rs", MINE);
    go_on(&committed);
    told_as_unreviewed(&committed, "src/lib.rs");
    let written = out_of_budget();
    written.write("src/lib.rs", MINE);
    go_on(&written);
    told_as_unreviewed(&written, "src/lib.rs");
    let untouched = out_of_budget();
    go_on(&untouched);
    told_as_reviewed(&untouched);
}

const BRANCH: &str = "ai-workflow/issue-243";

/// A completed run, reviewed, while the base branch went on with these files; on the branch of the run.
fn beside_the_base_branch(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = with_phases(PHASES, "[phases.implementation]\nneeds = []\n");
    let agent = sandbox.script(&honest_script(""));
    execute(&sandbox, &agent, &[]).exits(0);
    sandbox.git(&["switch", "-q", "main"]);
    for (path, text) in files {
        commit(&sandbox, path, text);
    }
    sandbox.git(&["switch", "-q", BRANCH]);
    sandbox
}

const OF_COLLEAGUES: [(&str, &str); 2] =
    [("COLLEAGUE.md", "theirs\n"), ("README.md", "# sandbox\n\ntheirs\n")];

#[test]
fn merged_changes_of_the_base_branch_are_not_reported_or_attributed_to_the_run() {
    for words in [&["merge", "-q", "--no-edit", "main"][..], &["rebase", "-q", "main"]] {
        let sandbox = beside_the_base_branch(&OF_COLLEAGUES);
        sandbox.git(words);
        told_as_reviewed(&sandbox);
        assert_eq!(sandbox.git(&["diff", "--name-only", "main", BRANCH]), "src/lib.rs", "{words:?}");
        let parents =
            [format!("{BRANCH}~1"), "main".to_owned()].map(|name| sandbox.git(&["rev-parse", &name]));
        assert_eq!(parents[0], parents[1], "{words:?}: their work stays theirs");
    }
}

#[test]
fn manual_change_inside_a_merge_of_the_base_branch_is_reported() {
    let sandbox = beside_the_base_branch(&[OF_COLLEAGUES[0], ("src/lib.rs", "// theirs\n")]);
    sandbox.git(&["merge", "-q", "--no-commit", "-s", "ours", "main"]);
    sandbox.write("COLLEAGUE.md", "theirs\n");
    sandbox.write("src/lib.rs", MINE);
    sandbox.git(&["add", "COLLEAGUE.md", "src/lib.rs"]);
    sandbox.git(&["commit", "-q", "-m", "merged"]);
    let told = "not reviewed: 1 file changed after the end of the run: src/lib.rs";
    sandbox.run(&["finalize", "--issue", "243"]).refuses(2, told);
}

#[test]
fn changes_merged_from_another_branch_are_reported() {
    let sandbox = beside_the_base_branch(&[]);
    sandbox.git(&["switch", "-q", "-c", "theirs", "main"]);
    commit(&sandbox, "COLLEAGUE.md", "theirs\n");
    sandbox.git(&["switch", "-q", BRANCH]);
    sandbox.git(&["merge", "-q", "--no-edit", "theirs"]);
    sandbox.run(&["finalize", "--issue", "243"]).refuses(2, "COLLEAGUE.md");
}

#[test]
fn a_rebased_branch_without_its_reviewed_commits_counts_as_unreviewed() {
    let sandbox = beside_the_base_branch(&OF_COLLEAGUES);
    sandbox.git(&["rebase", "-q", "main"]);
    sandbox.git(&["reflog", "expire", "--expire=now", "--all"]);
    sandbox.git(&["gc", "--quiet", "--prune=now"]);
    let told = "not reviewed: 1 file changed after the end of the run: src/lib.rs";
    sandbox.run(&["finalize", "--issue", "243"]).refuses(2, told);
}
