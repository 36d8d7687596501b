//! The records of reviews on the branch are those of the log, whatever was committed in their place.

use crate::support::{Ran, Sandbox, filtered, honest_script};

const SETTINGS: &str = r#"
[phases.document_review]
needs = ["requirements"]

[phases.report]
gate = "ask"

[presets.reviewed]
phases = ["requirements", "document_review", "report"]
"#;
const TRIAGE: &str = r#"
[[turn]]
phase = "document_review"
step = "triage"
say = """
review_id: {{review_id}}

| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |
|---|---|---|---|---|
| Info | 0 | 0 | 0 | 0 |
"""
"#;
const FOLDER: &str = ".ai-workflow/issue-243/document_review/output";

const RESULT: &str = ".ai-workflow/issue-243/review-result.json";

/// Returns a run that waits before its last phase, and the flags of its agent.
fn waiting() -> (Sandbox, Vec<String>) {
    let (sandbox, flags, _) = waiting_with("");
    (sandbox, flags)
}

/// The same with more turns of the agent; returns what was told until the run waited, too.
fn waiting_with(turns: &str) -> (Sandbox, Vec<String>, Ran) {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", SETTINGS);
    let agent = sandbox.script(&honest_script(&format!("{TRIAGE}{turns}")));
    let flags = ["--issue", "243", "--forge", "local", "--agent", &agent].map(str::to_owned).to_vec();
    let ran = run(&sandbox, &["execute", "--preset", "reviewed"], &flags).exits(3);
    (sandbox, flags, ran)
}

fn run(sandbox: &Sandbox, command: &[&str], flags: &[String]) -> Ran {
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    sandbox.run(&[command, &flags].concat())
}

/// Returns the records on the branch, as `git ls-tree` lists them.
fn records(sandbox: &Sandbox) -> String {
    sandbox.git(&["ls-tree", "-r", "ai-workflow/issue-243", FOLDER])
}

/// Commits a review that was forged and takes a reply off the branch.
fn forge(sandbox: &Sandbox) {
    sandbox.git(&["rm", "-q", &format!("{FOLDER}/document-review-1-reply.md")]);
    sandbox.write(&format!("{FOLDER}/document-review-1.md"), "{\"forged\": 1}\n");
    sandbox.git(&["commit", "-q", "-a", "-m", "mine"]);
}

/// Asserts that the worktree holds nothing that the branch does not.
#[track_caller]
fn is_clean(sandbox: &Sandbox) {
    let status = sandbox.git(&["status", "--porcelain"]);
    assert_eq!(status, "?? .ai-workflow/config.toml\n?? .ai-workflow/local/");
}

#[test]
fn records_that_were_forged_while_a_run_waited_are_in_the_next_commit() {
    let (sandbox, flags) = waiting();
    let before = records(&sandbox);
    forge(&sandbox);
    let ran = run(&sandbox, &["resume", "--continue"], &flags).exits(0);
    ran.says("document-review-1.md is not what the log says").says("document-review-1-reply.md is not what");
    assert_eq!(records(&sandbox), before);
    is_clean(&sandbox);
}

#[test]
fn records_are_restored_by_the_commit_of_a_halt_too() {
    let (sandbox, flags) = waiting();
    let before = records(&sandbox);
    forge(&sandbox);
    run(&sandbox, &["resume", "--give-up"], &flags).exits(1).says("is not what the log says");
    assert_eq!(records(&sandbox), before);
    is_clean(&sandbox);
}

#[test]
fn finalize_restores_records_and_removed_documents_that_stay_on_the_branch() {
    let (sandbox, flags) = waiting();
    run(&sandbox, &["resume", "--continue"], &flags).exits(0);
    let tree = || sandbox.git(&["ls-tree", "-r", "ai-workflow/issue-243"]);
    let before = tree();
    sandbox.write(RESULT, "{\"verdict\": \"forged\"}\n");
    forge(&sandbox);
    let requirements = ".ai-workflow/issue-243/01_requirements/output/requirements.md";
    sandbox.git(&["rm", "-q", requirements]);
    sandbox.git(&["commit", "-q", "-m", "mine, too"]);
    let finalize = ["finalize", "--issue", "243", "--keep-files"];
    sandbox.run(&finalize).refuses(2, "not reviewed: ").says("requirements.md");
    let dry = [&finalize[..], &["--include-unreviewed", "--dry-run"]].concat();
    let planned = sandbox.run(&dry).exits(0).stdout;
    insta::assert_snapshot!(planned, @r"
    put .ai-workflow/issue-243/01_requirements/output/requirements.md back, which is approved and missing on the branch
    write .ai-workflow/issue-243/document_review/output/document-review-1-reply.md again, which is not what the log says
    write .ai-workflow/issue-243/document_review/output/document-review-1.md again, which is not what the log says
    write .ai-workflow/issue-243/review-result.json again, which is not what the log says
    make one commit of the run's commits on main
    mark the pull request ready
    ");
    sandbox.git(&["switch", "-q", "main"]);
    let from_main = sandbox.run(&dry).exits(0).stdout;
    insta::assert_snapshot!(filtered(&from_main).replace(&sandbox.root().display().to_string(), "[REPO]"), @r"
    switch [REPO] to ai-workflow/issue-243
    put .ai-workflow/issue-243/01_requirements/output/requirements.md back, which is approved and missing on the branch
    write .ai-workflow/issue-243/document_review/output/document-review-1-reply.md again, which is not what the log says
    write .ai-workflow/issue-243/document_review/output/document-review-1.md again, which is not what the log says
    write .ai-workflow/issue-243/review-result.json again, which is not what the log says
    make one commit of the run's commits on main
    mark the pull request ready
    ");
    sandbox.git(&["switch", "-q", "ai-workflow/issue-243"]);
    let ran = sandbox.run(&[&finalize[..], &["--include-unreviewed"]].concat()).exits(0);
    let told: Vec<String> = ran.stderr.lines().filter(|line| line.contains("WARN")).map(filtered).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    WARN .ai-workflow/issue-243/01_requirements/output/requirements.md is approved and is missing on the branch; it is put back
    WARN .ai-workflow/issue-243/document_review/output/document-review-1-reply.md is not what the log says and is written again: nobody writes it but us
    WARN .ai-workflow/issue-243/document_review/output/document-review-1.md is not what the log says and is written again: nobody writes it but us
    WARN .ai-workflow/issue-243/review-result.json is not what the log says and is written again: nobody writes it but us
    ");
    assert_eq!(tree(), before);
    assert!(!ran.stderr.contains("not reviewed"), "{}", ran.stderr);
    assert!(sandbox.read(".ai-workflow/local/issues/243.pr.md").contains(requirements));
}

/// Returns the lines that say what was removed.
fn removed(ran: &Ran) -> String {
    let told: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("is removed")).collect();
    told.join("\n")
}

/// A turn of an author that writes its deliverable and a document under the name of a record.
fn planting(phase: &str, name: &str) -> String {
    format!(
        "\n[[turn]]\nphase = \"{phase}\"\nstep = \"execute\"\nsay = \"done\"\nwrite = [{{ path = \"{{{{output}}}}\", text = \"# r\\n\" }}, {{ path = \"{FOLDER}/{name}\", text = \"fine\" }}]\n"
    )
}

#[test]
fn records_of_reviews_that_never_were_are_removed_and_the_user_is_told() {
    let turns =
        planting("requirements", "document-review-1.md") + &planting("report", "document-review-2-reply.md");
    let (sandbox, flags, ran) = waiting_with(&turns);
    insta::assert_snapshot!(removed(&ran), @" WARN .ai-workflow/issue-243/document_review/output/document-review-1.md belongs to no answer in the log and is removed: nobody writes it but us");
    let before = records(&sandbox);
    sandbox.write(&format!("{FOLDER}/document-review-7.md"), "approved\n");
    sandbox.git(&["add", FOLDER]);
    sandbox.git(&["commit", "-q", "-m", "mine"]);
    let ran = run(&sandbox, &["resume", "--continue"], &flags).exits(0);
    insta::assert_snapshot!(removed(&ran), @r"
    WARN .ai-workflow/issue-243/document_review/output/document-review-7.md belongs to no answer in the log and is removed: nobody writes it but us
    WARN .ai-workflow/issue-243/document_review/output/document-review-2-reply.md belongs to no answer in the log and is removed: nobody writes it but us
    ");
    assert_eq!(records(&sandbox), before);
    assert!(!sandbox.has(&format!("{FOLDER}/document-review-2-reply.md")));
    is_clean(&sandbox);
}

#[test]
fn a_reviewer_that_writes_its_own_document_is_not_accused() {
    let review = r#"
[[turn]]
phase = "document_review"
step = "review"
write = [{ path = "{{output}}", text = "fine" }]
say = '{"review_id": "{{review_id}}", "result": "PASS", "summary": "fine", "findings": []}'
"#;
    let (_sandbox, _flags, ran) = waiting_with(review);
    assert!(!ran.stderr.contains("nobody writes it but us"), "{}", ran.stderr);
}
