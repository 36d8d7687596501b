//! The end of a run: `finalize`, `rollback`, `cancel`, `cleanup`.

use serde_json::json;

use super::status_and_explain::{Running, shown};
use crate::support::{Sandbox, honest_script};

const CODE: &str = "[[turn]]\nphase = \"requirements\"\nstep = \"execute\"\nwrite = [{ path = \"{{output}}\", text = \"# r\" }, { path = \"src/new.rs\", text = \"// new\\n\" }]\nsay = \"done\"\n";
const FAILS: &str = "[[turn]]\nphase = \"requirements\"\nstep = \"review\"\nsay = '{\"review_id\": \"{{review_id}}\", \"result\": \"FAIL\"}'\n";

/// Returns whether the request is a draft, and its headings.
fn parts(sandbox: &Sandbox) -> String {
    let request = sandbox.read(".ai-workflow/local/issues/243.pr.md");
    let parts = request.lines().filter(|line| line.starts_with("draft: ") || line.starts_with("## "));
    parts.collect::<Vec<_>>().join("\n")
}

fn completed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.short(CODE, &[]).exits(0);
    sandbox
}

#[test]
fn a_finalized_branch_is_one_commit_without_run_files() {
    let sandbox = completed();
    insta::assert_snapshot!(parts(&sandbox), @r"
    draft: true
    ## Phases
    ## Evidence gathered by ai-workflow
    ## Documents
    ");
    let before = sandbox.everything();
    let dry = sandbox.run(&["finalize", "--issue", "243", "--dry-run"]).exits(0);
    insta::assert_snapshot!(shown(&sandbox, &dry.stdout), @r"
    remove .ai-workflow/issue-243 from ai-workflow/issue-243
    make one commit of the run's commits on main
    mark the pull request ready
    ");
    assert_eq!(sandbox.everything(), before);
    let ran = sandbox.run(&["finalize", "--issue", "243"]).exits(0);
    insta::assert_snapshot!(shown(&sandbox, &ran.stdout), @r"
    ai-workflow/issue-243 is ready at [HASH]
    next: git switch main && git merge refs/heads/ai-workflow/issue-243
    ");
    assert_eq!(sandbox.git(&["rev-list", "--count", "main..ai-workflow/issue-243"]), "1");
    assert_eq!(sandbox.git(&["diff", "--name-only", "main", "ai-workflow/issue-243"]), "src/new.rs");
    // Documents that are off the branch are not listed.
    insta::assert_snapshot!(parts(&sandbox), @r"
    draft: false
    ## Phases
    ## Evidence gathered by ai-workflow
    ");
    sandbox.git(&["switch", "-q", "main"]);
    sandbox.git(&["merge", "-q", "ai-workflow/issue-243"]);
    assert!(sandbox.has("src/new.rs") && !sandbox.has(".ai-workflow/issue-243"));
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "?? .ai-workflow/");
}

#[test]
fn a_finalized_run_is_reported_as_finalized_until_cleanup() {
    let sandbox = completed();
    sandbox.run(&["finalize", "--issue", "243"]).exits(0);
    let commit = sandbox.git(&["rev-parse", "ai-workflow/issue-243"]);
    let told = format!(
        "the run of issue 243 was completed and finalized: ai-workflow/issue-243 at {}",
        &commit[..9]
    );
    let before = sandbox.everything();
    for command in [&["status"][..], &["execute"], &["execute", "--dry-run"]] {
        let ran = sandbox.run(&[command, &["--issue", "243"]].concat()).exits(0);
        assert!(ran.stdout.lines().any(|line| line == told), "{}", ran.stdout);
        let json = sandbox.run(&[command, &["--issue", "243", "--json"]].concat()).exits(0).json();
        assert_eq!((&json["outcome"], &json["finalized"]["commit"]), (&json!("completed"), &json!(commit)));
    }
    insta::assert_snapshot!(sandbox.run(&["status"]).exits(0).stdout, @"#243    finalized                         The last page is missing");
    for command in ["finalize", "explain", "resume", "cancel"] {
        sandbox.run(&[command, "--issue", "243"]).refuses(2, &told).says("ai-workflow cleanup --issue 243");
    }
    assert_eq!(sandbox.everything(), before);
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    sandbox.run(&["cleanup", "--issue", "243"]).refuses(2, "is not of the run").says("--force");
    sandbox.git(&["reset", "-q", "--hard", "HEAD~"]);
    sandbox.run(&["cleanup", "--issue", "243"]).exits(0);
    assert_eq!(sandbox.git(&["branch", "--format=%(refname:short)"]), "main");
    sandbox.run(&["status", "--issue", "243"]).refuses(2, "there is no run");
    sandbox.short(CODE, &[]).exits(0);
}

#[test]
fn cleanup_removes_the_worktree_of_a_finalized_run() {
    let sandbox = Sandbox::new();
    sandbox.short(CODE, &["--worktree"]).exits(0);
    let beside = sandbox.root().with_file_name("repo-issue-243");
    sandbox.run(&["finalize", "--issue", "243"]).exits(0);
    sandbox.run(&["execute", "--issue", "243"]).exits(0);
    assert!(beside.exists());
    sandbox.run(&["cleanup", "--issue", "243"]).exits(0);
    assert!(!beside.exists() && !sandbox.has(".git/ai-workflow/issue-243"));
    assert_eq!(sandbox.git(&["branch", "--format=%(refname:short)"]), "main");
}

#[test]
fn finalize_can_keep_one_commit_per_phase() {
    let sandbox = completed();
    let commits = |sandbox: &Sandbox| sandbox.git(&["rev-list", "--count", "main..ai-workflow/issue-243"]);
    let before: u32 = commits(&sandbox).parse().expect("a number");
    let json = sandbox.run(&["finalize", "--issue", "243", "--skip-squash", "--json"]).exits(0).json();
    assert_eq!(json["branch"], "ai-workflow/issue-243");
    assert_eq!(commits(&sandbox), (before + 1).to_string());
    assert_eq!(sandbox.git(&["diff", "--name-only", "main", "ai-workflow/issue-243"]), "src/new.rs");
}

#[test]
fn only_a_completed_run_with_a_clean_worktree_is_finalized() {
    let failed = Sandbox::new();
    failed.short(FAILS, &[]).exits(1);
    failed.run(&["finalize", "--issue", "243"]).refuses(2, "is failed, not completed").says("--retry-failed");
    let sandbox = completed();
    sandbox.write("README.md", "# mine\n");
    let before = sandbox.everything();
    sandbox.run(&["finalize", "--issue", "243"]).refuses(2, "not committed");
    assert_eq!(sandbox.everything(), before);
}

#[test]
fn cleanup_removes_the_run_and_keeps_files_of_the_user() {
    let sandbox = Sandbox::new();
    sandbox.write("mine.txt", "mine\n");
    sandbox.short(CODE, &[]).exits(0);
    let tip = sandbox.git(&["rev-parse", "ai-workflow/issue-243"]);
    let before = sandbox.everything();
    let dry = sandbox.run(&["cleanup", "--issue", "243", "--dry-run"]).exits(0);
    insta::assert_snapshot!(dry.stdout.replace(&tip[..9], "[TIP]"), @r"
    go back to main and remove .ai-workflow/issue-243
    remove the branch ai-workflow/issue-243 (`git branch ai-workflow/issue-243 [TIP]` brings it back)
    ");
    assert_eq!(sandbox.everything(), before);
    let ran = sandbox.run(&["cleanup", "--issue", "243"]).exits(0);
    insta::assert_snapshot!(ran.stdout.replace(&tip[..9], "[TIP]"), @r"
    go back to main and remove .ai-workflow/issue-243
    remove the branch ai-workflow/issue-243 (`git branch ai-workflow/issue-243 [TIP]` brings it back)
    ");
    assert_eq!(sandbox.git(&["branch", "--format=%(refname:short)"]), "main");
    assert!(!sandbox.has(".ai-workflow/issue-243") && !sandbox.has(".git/ai-workflow/issue-243"));
    assert_eq!(sandbox.read("mine.txt"), "mine\n");
    sandbox.run(&["status", "--issue", "243"]).refuses(2, "there is no run");
    sandbox.short(CODE, &[]).exits(0);
}

#[test]
fn cleanup_of_a_worktree_does_not_change_the_checkout() {
    let sandbox = Sandbox::new();
    sandbox.write("README.md", "# mine\n");
    sandbox.short(CODE, &["--worktree"]).exits(0).says("worktree");
    let beside = sandbox.root().with_file_name("repo-issue-243");
    assert!(beside.join("src/new.rs").is_file());
    sandbox.run(&["cleanup", "--issue", "243"]).exits(0);
    assert!(!beside.exists());
    assert_eq!(sandbox.read("README.md"), "# mine\n");
    assert_eq!(sandbox.git(&["branch", "--format=%(refname:short)"]), "main");
}

#[test]
fn cleanup_of_an_unfinished_run_needs_force() {
    let sandbox = Sandbox::new();
    sandbox.short("", &["--phase", "planning"]).exits(0);
    sandbox.run(&["cleanup", "--issue", "243"]).refuses(2, "the run is running").says("--force");
    sandbox.run(&["cleanup", "--issue", "243", "--force"]).exits(0);
    assert_eq!(sandbox.git(&["branch", "--show-current"]), "main");
}

#[test]
fn cleanup_refuses_to_discard_uncommitted_changes() {
    let sandbox = completed();
    sandbox.write("README.md", "# mine\n");
    sandbox.run(&["cleanup", "--issue", "243"]).refuses(2, "changes of yours").says("git stash");
    assert_eq!(sandbox.read("README.md"), "# mine\n");
}

#[test]
fn cleanup_with_logs_only_keeps_the_documents() {
    let sandbox = completed();
    let prompt = ".ai-workflow/issue-243/00_planning/execute/round-1/attempt-1/prompt.md";
    assert!(sandbox.has(prompt));
    let json = sandbox.run(&["cleanup", "--issue", "243", "--logs-only", "--json"]).exits(0).json();
    assert_eq!(json["folders"].as_array().map(Vec::len), Some(4));
    assert!(!sandbox.has(prompt) && sandbox.has(".ai-workflow/issue-243/00_planning/output/planning.md"));
    sandbox.run(&["status", "--issue", "243"]).exits(0);
}

#[test]
fn cancel_stops_the_running_process_and_the_run_cannot_continue() {
    let mut running = Running::start();
    let sandbox = &running.sandbox;
    sandbox
        .run(&["execute", "--issue", "243"])
        .refuses(75, "another process holds this issue")
        .says("ai-workflow cancel");
    let ran = sandbox.run(&["cancel", "--issue", "243"]).exits(0);
    insta::assert_snapshot!(ran.stdout, @"the run of issue 243 is cancelled");
    let cancelled = "RESULT: cancelled, 0 of 2 phases completed\nTASK:   #243 The last page is missing\n\
        NEXT:   ai-workflow cleanup --issue 243\nWHY:    a person cancelled the run\n\
        HINT:   the commits on ai-workflow/issue-243 stay until then\n";
    assert!(ran.stderr.ends_with(cancelled), "{}", ran.stderr);
    for refused in [vec!["execute", "--issue", "243"], vec!["resume", "--issue", "243", "--continue"]] {
        let ran = sandbox.run(&refused).refuses(2, "cancelled");
        assert!(ran.stderr.ends_with(cancelled), "{}", ran.stderr);
    }
    assert_eq!(running.child.wait().expect("it ends").code(), Some(130));
    assert_eq!(sandbox.metadata()["outcome"], "cancelled");
    let status = sandbox.run(&["status", "--issue", "243"]).exits(0).stdout;
    assert!(status.contains("✗ cancelled") && !status.contains("in_progress"), "{status}");
    sandbox.short("", &[]).refuses(2, "was cancelled").says("ai-workflow cleanup --issue 243");
    sandbox
        .run(&["rollback", "--issue", "243", "--to-phase", "planning", "--reason", "x"])
        .refuses(2, "was cancelled");
    assert_eq!(sandbox.run(&["cancel", "--issue", "243", "--json"]).exits(0).json()["was"], "cancelled");
    sandbox.run(&["cleanup", "--issue", "243"]).exits(0);
}

#[test]
fn a_completed_run_cannot_be_cancelled() {
    completed().run(&["cancel", "--issue", "243"]).refuses(2, "is completed; there is nothing to cancel");
}

#[test]
fn rollback_reopens_a_phase_with_its_reason() {
    let sandbox = completed();
    let before = sandbox.everything();
    let back = ["rollback", "--issue", "243", "--to-phase", "planning", "--reason", "think again"];
    let dry = sandbox.run(&[&back[..], &["--dry-run"]].concat()).exits(0);
    insta::assert_snapshot!(shown(&sandbox, &dry.stdout), @"planning and all later phases would be opened again; 2 commits stay on the branch");
    assert_eq!(sandbox.everything(), before);
    let ran = sandbox.run(&back).exits(0).says("Phase planning: Reopened: think again");
    insta::assert_snapshot!(shown(&sandbox, &ran.stdout), @r"
    planning is open again
    next: ai-workflow execute --phase all --issue 243
    ");
    let metadata = sandbox.metadata();
    assert_eq!(metadata["outcome"], "running");
    assert_eq!(metadata["phases"]["requirements"]["status"], "pending");
    sandbox.short(CODE, &[]).exits(0).says("Phase planning: Starting revise step");
    assert_eq!(sandbox.metadata()["outcome"], "completed");
}

#[test]
fn rollback_starts_at_the_given_step_and_reads_its_reason_from_a_file() {
    for (step, told) in [("execute", "Starting execute step"), ("review", "Starting review step")] {
        let sandbox = completed();
        sandbox.write("why.txt", "from a file\n");
        let json = sandbox
            .run(&[
                "rollback",
                "--issue",
                "243",
                "--to-phase",
                "requirements",
                "--to-step",
                step,
                "--reason-file",
                "why.txt",
                "--json",
            ])
            .exits(0)
            .says("Reopened: from a file")
            .json();
        assert_eq!(json["phase"], "requirements");
        let ran = sandbox.short(CODE, &[]).exits(0);
        let first = ran.stderr.lines().find(|line| line.contains("Starting")).unwrap_or_default();
        assert!(first.ends_with(told), "{first}");
    }
}

#[test]
fn rollback_with_revert_undoes_the_changes() {
    let sandbox = completed();
    let commits = sandbox.git(&["rev-list", "--count", "main..HEAD"]);
    sandbox
        .run(&[
            "rollback",
            "--issue",
            "243",
            "--to-phase",
            "requirements",
            "--to-step",
            "execute",
            "--reason",
            "wrong",
            "--revert",
        ])
        .exits(0);
    assert!(!sandbox.has("src/new.rs"));
    assert!(
        sandbox.git(&["rev-list", "--count", "main..HEAD"]) > commits,
        "history is added to, not rewritten"
    );
    sandbox.short(CODE, &[]).exits(0);
    assert!(sandbox.has("src/new.rs"));
}

#[test]
fn invalid_rollback_arguments_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.short("", &["--phase", "planning"]).exits(0);
    let facts = sandbox.facts();
    let back = |more: &[&str]| sandbox.run(&[&["rollback", "--issue", "243"], more].concat());
    back(&["--to-phase", "planing", "--reason", "x"]).refuses(2, "did you mean `planning`?");
    back(&["--to-phase", "frobnicate", "--reason", "x"]).refuses(2, "the phases are: planning");
    back(&["--to-phase", "requirements", "--reason", "x"]).refuses(2, "has not begun yet");
    back(&["--to-phase", "design", "--reason", "x"]).refuses(2, "was left out of this run (preset)");
    back(&["--to-phase", "planning", "--reason", " "]).refuses(2, "the reason is empty");
    back(&["--to-phase", "planning", "--reason", &"x".repeat(100_001)]).refuses(2, "is longer than");
    back(&["--to-phase", "planning", "--reason-file", "nowhere"]).refuses(2, "failed to read nowhere");
    assert_eq!(sandbox.facts(), facts);
}

#[test]
fn the_go_back_command_of_a_failed_run_restores_the_base_branch() {
    let sandbox = Sandbox::new();
    let unfinished = format!(
        "{FAILS}\n[[turn]]\nphase = \"requirements\"\nstep = \"execute\"\nwrite = [{{ path = \"{{{{output}}}}\", text = \"# r\" }}, {{ path = \"src/lib.rs\", text = \"// half\\n\" }}, {{ path = \"src/half.rs\", text = \"// half\\n\" }}]\nsay = \"done\"\n"
    );
    let ran = sandbox.short(&unfinished, &[]).exits(1);
    let line = ran.stderr.lines().find_map(|line| line.strip_prefix("  go back      ")).expect("a way back");
    let command = line.split("    (").next().unwrap_or_default();
    Sandbox::ran(sandbox.command("sh").args(["-c", command])).exits(0);
    assert_eq!(sandbox.git(&["branch", "--show-current"]), "main");
    assert_eq!(sandbox.git(&["diff", "--name-only"]), "");
    assert!(!sandbox.has("src/half.rs"));
    let status = sandbox.run(&["status", "--issue", "243", "--json"]).exits(0).json();
    assert_eq!(
        (&status["outcome"], &status["phases"]["requirements"]["retry_count"]),
        (&json!("failed"), &json!(3))
    );
    sandbox.git(&["switch", "-q", "ai-workflow/issue-243"]);
    sandbox.git(&["stash", "pop", "-q"]);
    assert_eq!(sandbox.read("src/lib.rs"), "// half\n");
    let honest = sandbox.script(&honest_script(""));
    sandbox.run(&["execute", "--issue", "243", "--agent", &honest, "--retry-failed"]).exits(0);
}

#[test]
fn execute_continues_a_run_from_another_checked_out_branch() {
    let sandbox = Sandbox::new();
    sandbox.short("", &["--phase", "planning"]).exits(0);
    sandbox.git(&["stash", "-q", "--include-untracked", "--", ".ai-workflow/issue-243"]);
    sandbox.git(&["switch", "-q", "main"]);
    sandbox.short("", &[]).exits(0);
    assert_eq!(sandbox.git(&["branch", "--show-current"]), "ai-workflow/issue-243");
}
