//! A document review repaired an approved document and did not come to its approval: what becomes of the repair.

use crate::support::{Ran, Sandbox, honest_script};

const SETTINGS: &str = r#"
[phases.document_review]
needs = ["requirements"]
max_revisions = 1

[presets.planned]
phases = ["planning", "requirements", "document_review"]
"#;
const PLAN: &str = ".ai-workflow/issue-243/00_planning/output/planning.md";
const FLAGS: [&str; 6] = ["--preset", "planned", "--issue", "243", "--forge", "local"];

/// A run at the limit of its document review, whose triage has repaired the plan.
fn repaired() -> Sandbox {
    let turns = format!(
        r##"
[[turn]]
phase = "document_review"
step = "review"
say = '{{"review_id": "{{{{review_id}}}}", "result": "FAIL", "summary": "a step is missing", "findings": []}}'

[[turn]]
phase = "document_review"
step = "triage"
write = [{{ path = "{PLAN}", text = "# repaired\n" }}]
say = """
| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |
|---|---|---|---|---|
| Info | 0 | 0 | 0 | 0 |
review_id: {{{{review_id}}}}
"""
"##
    );
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", SETTINGS);
    execute(&sandbox, &turns).exits(3);
    assert_eq!(sandbox.read(PLAN), "# repaired\n");
    sandbox
}

fn execute(sandbox: &Sandbox, turns: &str) -> Ran {
    let agent = sandbox.script(&honest_script(turns));
    sandbox.run(&[&["execute", "--phase", "all", "--agent", &agent][..], &FLAGS[..]].concat())
}

fn roll_back(sandbox: &Sandbox, phase: &str, step: &str) -> Ran {
    let words = ["--to-phase", phase, "--to-step", step, "--reason", "again"];
    sandbox.run(&[&["rollback", "--issue", "243"][..], &words[..]].concat())
}

fn edit(sandbox: &Sandbox) {
    sandbox.write(PLAN, "# by hand\n");
}

#[test]
fn a_repair_that_no_reviewer_approved_is_put_back_when_an_earlier_phase_is_opened_again() {
    let sandbox = repaired();
    let told = format!(
        "Phase requirements: {PLAN} is approved and was changed or removed by document_review, which was not approved; it is put back; `git show "
    );
    roll_back(&sandbox, "requirements", "revise").exits(0).says(&told);
    assert!(sandbox.read(PLAN).starts_with("# planning"));
    let ran = execute(&sandbox, "").exits(0);
    assert!(!ran.stderr.contains("by hand"), "{}", ran.stderr);
    assert!(sandbox.git(&["show", &format!("ai-workflow/issue-243:{PLAN}")]).starts_with("# planning"));
}

#[test]
fn a_document_review_that_is_opened_again_keeps_its_repair_and_shows_it_to_the_reviewer() {
    let sandbox = repaired();
    roll_back(&sandbox, "document_review", "review").exits(0);
    let ran = execute(&sandbox, "").exits(0);
    assert!(!ran.stderr.contains("put back") && !ran.stderr.contains("by hand"), "{}", ran.stderr);
    let prompt = sandbox.read(".ai-workflow/issue-243/document_review/review/round-2/attempt-1/prompt.md");
    assert!(prompt.contains("\n+# repaired"), "{prompt}");
    assert_eq!(sandbox.git(&["show", &format!("ai-workflow/issue-243:{PLAN}")]), "# repaired");
}

#[test]
fn what_a_person_makes_of_an_unapproved_repair_is_kept_and_told() {
    for edits_first in [true, false] {
        let sandbox = repaired();
        if edits_first {
            edit(&sandbox);
        }
        roll_back(&sandbox, "requirements", "revise").exits(0);
        edit(&sandbox);
        let ran = execute(&sandbox, "").exits(0);
        ran.says(&format!("Phase requirements: Changed by hand after its approval, and committed with this phase; its reviewer is shown the change: {PLAN}"));
        assert_eq!(sandbox.git(&["show", &format!("ai-workflow/issue-243:{PLAN}")]), "# by hand");
        let prompt =
            sandbox.read(".ai-workflow/issue-243/01_requirements/review/round-2/attempt-1/prompt.md");
        assert!(prompt.contains("\n+# by hand"), "{prompt}");
    }
}

#[test]
fn a_repair_that_a_person_accepts_is_named_when_it_is_accepted_and_in_the_pull_request() {
    let sandbox = repaired();
    let agent = sandbox.script(&honest_script(""));
    let words = ["resume", "--issue", "243", "--agent", &agent, "--accept", "--reason", "enough"];
    let ran = sandbox.run(&words).exits(0);
    ran.says(&format!("accepted by a person; changed by the triage after the last review: {PLAN}"));
    let request = sandbox.read(".ai-workflow/local/issues/243.pr.md");
    let told = [
        format!("- document_review · {PLAN}: **changed by the triage after the last review**"),
        format!("- `{PLAN}`: changed after its approval, and accepted by a person with document_review"),
    ];
    assert!(told.iter().all(|line| request.contains(line)), "{request}");
}
