//! `finalize` on a branch that holds what no reviewer was shown: nothing is published as reviewed that nobody reviewed.

use serde_json::json;

use super::status_and_explain::shown;
use crate::line_with;
use crate::support::{Ran, Sandbox};

/// What an honest author makes of `src/lib.rs`.
pub(super) const BY_THE_AUTHOR: &str = "pub fn pages() -> u32 {\n    3\n}\n";
const REQUEST: &str = ".ai-workflow/local/issues/243.pr.md";

/// A completed run, on its branch.
fn completed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.short("", &[]).exits(0);
    sandbox
}

pub(super) fn commit(sandbox: &Sandbox, path: &str, text: &str) {
    sandbox.write(path, text);
    sandbox.git(&["add", path]);
    sandbox.git(&["commit", "-q", "-m", "mine"]);
}

#[test]
fn commit_after_the_end_is_published_only_with_include_unreviewed() {
    let sandbox = completed();
    commit(&sandbox, "src/lib.rs", "pub fn pages() -> u32 {\n    99\n}\n");
    commit(&sandbox, "src/ghp_0123456789abcdefghijABCDEFGHIJ012345.rs", "// mine\n");
    let before = sandbox.everything();
    for more in [&[][..], &["--dry-run"], &["--skip-squash"]] {
        let ran = sandbox.run(&[&["finalize", "--issue", "243"], more].concat());
        let ran = ran.refuses(2, "not reviewed: 2 files changed after the end of the run: src/");
        let ran = ran.says("src/lib.rs").says("--include-unreviewed").says("git diff ");
        assert!(!ran.stderr.contains("ghp_0123"), "{}", ran.stderr);
    }
    assert_eq!(sandbox.everything(), before);
    sandbox.git(&["revert", "--no-edit", "HEAD~2.."]);
    sandbox.run(&["finalize", "--issue", "243"]).exits(0);
    assert!(!sandbox.read(REQUEST).contains("Not reviewed"));
}

#[test]
fn include_unreviewed_publishes_and_lists_unreviewed_changes() {
    let sandbox = completed();
    commit(&sandbox, "src/lib.rs", "pub fn pages() -> u32 {\n    99\n}\n");
    let finalize = |more: &[&str]| {
        let words = ["finalize", "--issue", "243", "--include-unreviewed"];
        sandbox.run(&[&words[..], more].concat()).exits(0)
    };
    let before = sandbox.everything();
    insta::assert_snapshot!(finalize(&["--dry-run"]).stdout, @r"
    remove .ai-workflow/issue-243 from ai-workflow/issue-243
    make one commit of the run's commits on main
    mark the pull request ready
    say in it what is not reviewed: 1 file changed after the end of the run: src/lib.rs
    ");
    assert_eq!(finalize(&["--dry-run", "--json"]).json()["unreviewed"], json!(["src/lib.rs"]));
    assert_eq!(sandbox.everything(), before);
    insta::assert_snapshot!(shown(&sandbox, &finalize(&[]).stdout), @r"
    not reviewed: 1 file changed after the end of the run: src/lib.rs
    ai-workflow/issue-243 is ready at [HASH]
    next: git switch main && git merge refs/heads/ai-workflow/issue-243
    ");
    insta::assert_snapshot!(line_with(&sandbox.read(REQUEST), "Not reviewed"), @"> **Not reviewed:** 1 file changed after the end of the run: src/lib.rs");
    let changed = sandbox.git(&["diff", "--name-only", "main", "ai-workflow/issue-243"]);
    assert_eq!(changed, "src/lib.rs");
}

#[test]
fn json_lists_unreviewed_changes_also_when_there_are_none() {
    let sandbox = completed();
    commit(&sandbox, "notes.md", "mine\n");
    let words = ["finalize", "--issue", "243", "--json", "--include-unreviewed"];
    assert_eq!(sandbox.run(&words).exits(0).json()["unreviewed"], json!(["notes.md"]));
    let json = completed().run(&words).exits(0).json();
    assert_eq!(json["unreviewed"], json!([]));
}

#[test]
fn doc_review_after_the_end_does_not_make_code_reviewed() {
    let sandbox = completed();
    commit(&sandbox, "src/lib.rs", "pub fn pages() -> u32 {\n    99\n}\n");
    let agent = sandbox.script(&crate::support::honest_script(""));
    let _ = sandbox.run(&["doc-review", "--issue", "243", "--agent", &agent]);
    sandbox.run(&["finalize", "--issue", "243"]).refuses(2, "not reviewed: 1 file").says("src/lib.rs");
}

#[test]
fn unreviewed_files_in_other_run_folders_are_listed() {
    let sandbox = completed();
    let paths = [".ai-workflow/issue-9/run.sh", ".ai-workflow/issue-9x/run.sh", ".ai-workflow/tmp/run.sh"];
    for path in paths {
        sandbox.write(path, "echo\n");
        sandbox.git(&["add", "--force", path]);
    }
    sandbox.git(&["commit", "-q", "-m", "mine"]);
    let ran = sandbox.run(&["finalize", "--issue", "243"]).refuses(2, "not reviewed: 3 files changed");
    paths.into_iter().fold(ran, Ran::says);
}

#[test]
fn run_files_and_uncommitted_files_do_not_block_finalize() {
    let sandbox = Sandbox::new();
    sandbox.write("stray.txt", "from before\n");
    sandbox.short("", &[]).exits(0);
    sandbox.write("later.txt", "from afterwards\n");
    commit(&sandbox, ".ai-workflow/issue-243/00_planning/output/planning.md", "my own words\n");
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "nothing"]);
    sandbox.run(&["finalize", "--issue", "243"]).exits(0);
    assert!(!sandbox.read(REQUEST).contains("Not reviewed"));
    assert!(sandbox.has("stray.txt") && sandbox.has("later.txt"));
}

const AT_A_GATE: &str =
    "[presets.gated]\nphases = [\"planning\", \"report\"]\n\n[phases.report]\ngate = \"ask\"\n";

/// A completed run in which a person did something at the gate before its last phase.
fn at_a_gate(more: &str, by_hand: impl Fn(&Sandbox)) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", &format!("{AT_A_GATE}{more}"));
    let agent = sandbox.script(&crate::support::honest_script(""));
    let words = ["execute", "--preset", "gated", "--issue", "243", "--forge", "local", "--agent", &agent];
    sandbox.run(&words).exits(3);
    by_hand(&sandbox);
    sandbox.run(&["resume", "--issue", "243", "--agent", &agent, "--continue"]).exits(0);
    sandbox
}

fn committed(sandbox: &Sandbox) {
    commit(sandbox, "src/lib.rs", "pub fn pages() -> u32 {\n    99\n}\n");
}

#[test]
fn manual_commit_before_an_unreviewed_phase_blocks_finalize() {
    let sandbox = at_a_gate("policy = \"completion\"\n", committed);
    told_as_unreviewed(&sandbox, "src/lib.rs").says("git diff ");
    let words = ["finalize", "--issue", "243", "--include-unreviewed"];
    sandbox.run(&words).exits(0);
    insta::assert_snapshot!(line_with(&sandbox.read(REQUEST), "Not reviewed"), @"> **Not reviewed:** 1 file changed and shown to no reviewer: src/lib.rs");
}

#[test]
fn manual_commit_before_a_reviewed_phase_counts_as_reviewed() {
    let sandbox = at_a_gate("", committed);
    assert!(!sandbox.read(REQUEST).contains("Not reviewed"));
    sandbox.run(&["finalize", "--issue", "243"]).exits(0);
}

#[test]
fn reverted_manual_commit_needs_no_review() {
    let sandbox = at_a_gate("policy = \"completion\"\n", |sandbox| {
        committed(sandbox);
        sandbox.git(&["revert", "--no-edit", "HEAD"]);
    });
    sandbox.run(&["finalize", "--issue", "243"]).exits(0);
}

/// Phases of which one is not reviewed, and the words that run them.
pub(super) fn with_phases(phases: &str, more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", &format!("[presets.mine]\nphases = {phases}\n\n{more}"));
    sandbox
}

#[must_use]
pub(super) fn execute(sandbox: &Sandbox, agent: &str, more: &[&str]) -> Ran {
    let words = ["execute", "--preset", "mine", "--issue", "243", "--forge", "local", "--agent", agent];
    sandbox.run(&[&words[..], more].concat())
}

/// What one file is told as, in the text of the draft and by `finalize`.
#[track_caller]
pub(super) fn told_as_unreviewed(sandbox: &Sandbox, path: &str) -> Ran {
    let told = format!("1 file changed and shown to no reviewer: {path}");
    assert_eq!(line_with(&sandbox.read(REQUEST), "Not reviewed"), format!("> **Not reviewed:** {told}"));
    sandbox.run(&["finalize", "--issue", "243"]).refuses(2, &format!("not reviewed: {told}"))
}

/// An honest run is published without a word.
#[track_caller]
pub(super) fn told_as_reviewed(sandbox: &Sandbox) {
    assert!(!sandbox.read(REQUEST).contains("Not reviewed"), "{}", sandbox.read(REQUEST));
    let ran = sandbox.run(&["finalize", "--issue", "243"]).exits(0);
    assert!(!ran.stdout.contains("not reviewed"), "{}", ran.stdout);
    assert!(!sandbox.read(REQUEST).contains("Not reviewed"));
}

const NOT_REVIEWED: &str = "[phases.report]\nneeds = []\npolicy = \"completion\"\n";
const BESIDE: &str = "[[turn]]\nphase = \"report\"\nstep = \"execute\"\nwrite = [{ path = \"{{output}}\", text = \"# report\\n\" }, { path = \"src/beside.rs\", text = \"// beside\\n\" }]\nsay = \"done\"\n";

#[test]
fn extra_files_of_an_unreviewed_author_block_finalize() {
    let sandbox = with_phases("[\"planning\", \"implementation\", \"report\"]", NOT_REVIEWED);
    let agent = sandbox.script(&crate::support::honest_script(BESIDE));
    execute(&sandbox, &agent, &[]).exits(0);
    told_as_unreviewed(&sandbox, "src/beside.rs");
}

#[test]
fn a_document_of_a_phase_without_review_is_published_without_a_warning() {
    let sandbox = with_phases("[\"planning\", \"implementation\", \"report\"]", NOT_REVIEWED);
    let agent = sandbox.script(&crate::support::honest_script(""));
    execute(&sandbox, &agent, &[]).exits(0);
    told_as_reviewed(&sandbox);
}

#[test]
fn later_reviewer_sees_changes_of_an_unreviewed_author() {
    let phases = "[\"planning\", \"report\", \"documentation\"]";
    let more = format!("order = {phases}\n");
    let sandbox = Sandbox::new();
    let documentation = "[phases.documentation]\nneeds = []\n";
    let presets = format!("{more}[presets.mine]\nphases = {phases}\n\n{NOT_REVIEWED}{documentation}");
    sandbox.write(".ai-workflow/config.toml", &presets);
    let agent = sandbox.script(&crate::support::honest_script(BESIDE));
    execute(&sandbox, &agent, &[]).exits(0);
    told_as_reviewed(&sandbox);
}

/// A review of documents whose first round demands a fix; the fix comes with code.
const FIXED_WITH_CODE: &str = r##"
[[turn]]
phase = "document_review"
step = "review"
round = 1
say = '{"review_id": "{{review_id}}", "result": "FAIL", "summary": "no", "findings": [{"severity": "critical", "file": "planning.md", "issue": "data loss"}]}'

[[turn]]
phase = "document_review"
step = "triage"
round = 1
write = [{ path = ".ai-workflow/issue-243/00_planning/output/planning.md", text = "# fixed" }, { path = "src/fix.rs", text = "// fix\n" }]
say = """
review_id: {{review_id}}

| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |
|---|---|---|---|---|
| Critical | 1 | 1 | 0 | 0 |
"""
"##;
const OF_DOCUMENTS: &str = "[phases.document_review]\nneeds = [\"planning\"]\n";

#[test]
fn code_changed_with_a_document_fix_is_listed_unless_reviewed_later() {
    let run = |phases: &str, turns: &str, more: &[&str]| {
        let sandbox = with_phases(phases, OF_DOCUMENTS);
        let agent = sandbox.script(&crate::support::honest_script(turns));
        execute(&sandbox, &agent, more).exits(0);
        sandbox
    };
    let only_documents = "[\"planning\", \"document_review\"]";
    told_as_unreviewed(&run(only_documents, FIXED_WITH_CODE, &[]), "src/fix.rs");
    told_as_reviewed(&run("[\"planning\", \"document_review\", \"report\"]", FIXED_WITH_CODE, &[]));
    let documents_alone = FIXED_WITH_CODE.replace(", { path = \"src/fix.rs\", text = \"// fix\\n\" }", "");
    assert_ne!(documents_alone, FIXED_WITH_CODE);
    let kept = run(only_documents, &documents_alone, &[]);
    kept.run(&["finalize", "--issue", "243", "--dry-run", "--keep-files"]).exits(0);
    told_as_reviewed(&kept);
}

#[test]
fn a_document_that_a_person_changed_after_its_document_review_is_listed_when_published() {
    let planning = ".ai-workflow/issue-243/00_planning/output/planning.md";
    let finalized = |more: &str, edits: bool, commits: bool| {
        let sandbox = with_phases("[\"planning\", \"document_review\", \"report\"]", more);
        let agent = sandbox.script(&crate::support::honest_script(""));
        execute(&sandbox, &agent, &[]).exits(3);
        if edits {
            sandbox.write(planning, "# mine\n");
        }
        if commits {
            sandbox.git(&["commit", "-q", "-a", "-m", "mine"]);
        }
        sandbox.run(&["resume", "--issue", "243", "--agent", &agent, "--continue"]).exits(0);
        sandbox.run(&["finalize", "--issue", "243", "--keep-files"])
    };
    let before_the_report = format!("{OF_DOCUMENTS}{NOT_REVIEWED}gate = \"ask\"\n");
    let told = format!("not reviewed: 1 file changed and shown to no reviewer: {planning}");
    for commits in [false, true] {
        finalized(&before_the_report, true, commits).refuses(2, &told);
    }
    finalized(&before_the_report, false, false).exits(0);
    let before_its_review = format!("{NOT_REVIEWED}{OF_DOCUMENTS}gate = \"ask\"\n");
    finalized(&before_its_review, true, false).exits(0);
}

#[test]
fn manual_commit_during_an_unreviewed_author_call_is_listed() {
    let sandbox = with_phases("[\"planning\", \"report\"]", NOT_REVIEWED);
    sandbox.write(
        "author.sh",
        "#!/bin/sh\ncat > /dev/null\nmkdir -p \"$(dirname \"$AI_WORKFLOW_OUTPUT\")\"\necho '# written' > \"$AI_WORKFLOW_OUTPUT\"\n\
         if [ \"$AI_WORKFLOW_PHASE\" = report ]; then\necho '// mine' > src/mine.rs\ngit add src/mine.rs\ngit commit -q -m mine\nfi\necho done\n",
    );
    let author = sandbox.root().join("author.sh");
    crate::support::make_executable(&author);
    let reviewer = sandbox.script(&crate::support::honest_script(""));
    execute(&sandbox, &format!("command:{}", author.display()), &["--reviewer", &reviewer]).exits(0);
    told_as_unreviewed(&sandbox, "src/mine.rs");
}

#[test]
fn run_files_changed_by_a_person_are_listed_when_published() {
    let planning = ".ai-workflow/issue-243/00_planning/output/planning.md";
    let sandbox = completed();
    sandbox.run(&["finalize", "--issue", "243", "--dry-run", "--keep-files"]).exits(0);
    sandbox.write(".ai-workflow/issue-243/mine.sh", "mine\n");
    sandbox.write(planning, "# mine\n");
    sandbox.git(&["add", "--force", ".ai-workflow/issue-243/mine.sh", planning]);
    sandbox.git(&["commit", "-q", "-m", "mine"]);
    let ran = sandbox.run(&["finalize", "--issue", "243", "--keep-files"]);
    let ran = ran.refuses(2, "not reviewed: 2 files changed after the end of the run: ");
    ran.says(planning).says("issue-243/mine.sh");
    sandbox.run(&["finalize", "--issue", "243"]).exits(0);

    let at_the_gate = at_a_gate("policy = \"completion\"\n", |sandbox| commit(sandbox, planning, "# mine\n"));
    let told = format!("not reviewed: 1 file changed and shown to no reviewer: {planning}");
    at_the_gate.run(&["finalize", "--issue", "243", "--keep-files"]).refuses(2, &told);
    told_as_reviewed(&at_the_gate);
}

#[test]
fn code_without_a_configured_review_and_reverted_code_need_no_flag() {
    let unreviewed = "[phases.implementation]\nneeds = []\npolicy = \"completion\"\n";
    let sandbox = with_phases("[\"planning\", \"implementation\"]", unreviewed);
    let agent = sandbox.script(&crate::support::honest_script(""));
    execute(&sandbox, &agent, &[]).exits(0);
    let back = ["rollback", "--issue", "243", "--to-phase", "implementation", "--to-step", "execute"];
    sandbox.run(&[&back[..], &["--reason", "again", "--revert"]].concat()).exits(0);
    assert_eq!(sandbox.read("src/lib.rs"), BY_THE_AUTHOR.replace("3\n", "2\n"));
    execute(&sandbox, &agent, &[]).exits(0);
    assert_eq!(sandbox.read("src/lib.rs"), BY_THE_AUTHOR);
    told_as_reviewed(&sandbox);
}

#[test]
fn rollback_restores_need_no_review_but_new_changes_do() {
    let sandbox = with_phases("[\"planning\", \"report\"]", NOT_REVIEWED);
    let agent = sandbox.script(&crate::support::honest_script(BESIDE));
    execute(&sandbox, &agent, &[]).exits(0);
    told_as_unreviewed(&sandbox, "src/beside.rs");
    let back = ["rollback", "--issue", "243", "--to-phase", "report", "--to-step", "execute"];
    sandbox.run(&[&back[..], &["--reason", "again", "--revert"]].concat()).exits(0);
    let agent = sandbox.script(&crate::support::honest_script(""));
    execute(&sandbox, &agent, &[]).exits(0);
    assert!(!sandbox.has("src/beside.rs"));
    told_as_reviewed(&sandbox);
}

const ASKS: &str = "[phases.implementation]\nneeds = []\nmax_revisions = 0\non_exhausted = \"pause\"\n";

/// A completed run in which a person did something before they accepted what a reviewer did not.
fn accepted(config: &str, review: &str, before: impl Fn(&Sandbox, &str)) -> Sandbox {
    let sandbox = with_phases("[\"planning\", \"implementation\"]", config);
    let review = format!("[[turn]]\nphase = \"implementation\"\nstep = \"review\"\n{review}\n");
    let agent = sandbox.script(&crate::support::honest_script(&review));
    execute(&sandbox, &agent, &[]).exits(3);
    before(&sandbox, &agent);
    let words = ["resume", "--issue", "243", "--agent", &agent, "--accept", "--reason", "enough"];
    sandbox.run(&words).exits(0);
    sandbox
}

#[test]
fn accepted_changes_are_not_listed_again() {
    let fails = "say = '{\"review_id\": \"{{review_id}}\", \"result\": \"FAIL\", \"summary\": \"no\", \"findings\": [{\"severity\": \"major\", \"file\": \"src/lib.rs\", \"line\": 2, \"issue\": \"not enough\"}]}'";
    told_as_reviewed(&accepted(ASKS, fails, |_, _| ()));
    // What is committed by hand before an accept makes it void, so a reviewer sees that, too.
    told_as_reviewed(&accepted(ASKS, fails, |sandbox, agent| {
        commit(sandbox, "src/mine.rs", "// mine\n");
        let words = ["resume", "--issue", "243", "--agent", agent, "--accept", "--reason", "enough"];
        sandbox.run(&words).exits(3).says("the files changed after they were approved");
    }));
}

#[test]
fn manual_commit_before_an_unanswered_review_is_listed() {
    let gate = "gate = \"ask\"\n\n[policies.phase-review.limits]\nbackoff_ms = 1\n";
    let sandbox = accepted(&format!("{ASKS}{gate}"), "exit = 1", |sandbox, agent| {
        commit(sandbox, "src/mine.rs", "// mine\n");
        let words = ["resume", "--issue", "243", "--agent", agent, "--continue"];
        sandbox.run(&words).exits(3).says("reviewer_unavailable");
    });
    told_as_unreviewed(&sandbox, "src/mine.rs");
}

#[test]
fn runs_of_built_in_presets_are_published_without_a_warning() {
    for preset in ["full", "quick-fix", "review-design"] {
        let sandbox = Sandbox::new();
        let agent = sandbox.script(&crate::support::honest_script(""));
        let words = ["execute", "--preset", preset, "--issue", "243", "--forge", "local", "--agent", &agent];
        let ran = sandbox.run(&[&words[..], &["--set", "commands.detect=false"]].concat());
        ran.exits(0);
        let kept = sandbox.run(&["finalize", "--issue", "243", "--dry-run", "--keep-files"]).exits(0);
        assert!(!kept.stdout.contains("not reviewed"), "{}", kept.stdout);
        told_as_reviewed(&sandbox);
    }
}
