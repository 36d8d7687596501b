//! The document review by hand: `doc-review`, alone, with `--fix` and with `--autofix`, on a run of our own binary.

use serde_json::{Value, json};

use crate::excerpt::excerpt;
use crate::support::{Ran, Sandbox, filtered, honest_script};

const DOCUMENTS: &str = "[phases.document_review]\nneeds = [\"planning\"]\n\n[presets.documents]\nphases = [\"planning\", \"document_review\", \"report\"]\n";
const OUTPUT: &str = ".ai-workflow/issue-243/document_review/output";
const PLAN: &str = ".ai-workflow/issue-243/00_planning/output/planning.md";

/// A run whose plan is written and whose documents nobody has reviewed.
struct Planned {
    sandbox: Sandbox,
    agent: String,
}

impl Planned {
    fn new(turns: &str) -> Self {
        let sandbox = Sandbox::new();
        sandbox.write(".ai-workflow/config.toml", DOCUMENTS);
        let agent = sandbox.script(&honest_script(turns));
        let flags = ["--issue", "243", "--forge", "local", "--agent", &agent];
        let begin = ["execute", "--phase", "planning", "--preset", "documents"];
        sandbox.run(&[&begin[..], &flags[..]].concat()).exits(0);
        Self { sandbox, agent }
    }

    #[track_caller]
    fn doc_review(&self, more: &[&str]) -> Ran {
        let flags = ["doc-review", "--issue", "243", "--agent", &self.agent];
        self.sandbox.run(&[&flags[..], more].concat())
    }

    fn phase(&self) -> Value {
        self.sandbox.metadata()["phases"]["document_review"].clone()
    }

    fn calls(&self) -> usize {
        let facts = self.sandbox.facts();
        let of_phase = |fact: &&Value| fact["type"] == "step_started" && fact["phase"] == "document_review";
        facts.iter().filter(of_phase).count()
    }
}

fn review(round: u32, result: &str, findings: &str) -> String {
    format!(
        "[[turn]]\nphase = \"document_review\"\nstep = \"review\"\nround = {round}\nsay = '{{\"review_id\": \"{{{{review_id}}}}\", \"result\": \"{result}\", \"summary\": \"read\", \"findings\": {findings}}}'\n\n"
    )
}

/// A triage that judges one finding, and writes the plan anew when it says that it fixes it.
fn triage(round: u32, fix_required: u32, no_fix_needed: u32, needs_discussion: u32) -> String {
    let write = match fix_required {
        0 => String::new(),
        _ => format!("write = [{{ path = \"{PLAN}\", text = \"# plan of round {round}\" }}]\n"),
    };
    let issues = fix_required + no_fix_needed + needs_discussion;
    format!(
        "[[turn]]\nphase = \"document_review\"\nstep = \"triage\"\nround = {round}\n{write}say = \"\"\"\nreview_id: {{{{review_id}}}}\n\n| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n| Major | {issues} | {fix_required} | {no_fix_needed} | {needs_discussion} |\n\"\"\"\n\n"
    )
}

const FINDING: &str = r#"[{"severity": "major", "category": "design", "file": "planning.md", "issue": "the limit is missing"}]"#;

#[test]
fn doc_review_makes_one_review_and_exits_with_its_verdict() {
    let planned = Planned::new(&review(1, "FAIL", FINDING));
    let ran = planned.doc_review(&[]).exits(1);
    insta::assert_snapshot!(filtered(&ran.stdout), @"
    round 1: FAIL by json, 1 finding
      major planning.md: the limit is missing
    read it in .ai-workflow/issue-243/document_review/output/document-review-1.md
    answer it with `ai-workflow doc-review --issue 243 --fix`
    ");
    insta::assert_snapshot!(filtered(&planned.sandbox.read(&format!("{OUTPUT}/document-review-1.md"))), @r#"{"review_id": "[RUN]", "result": "FAIL", "summary": "read", "findings": [{"severity": "major", "category": "design", "file": "planning.md", "issue": "the limit is missing"}]}"#);
    assert!(!planned.sandbox.has(&format!("{OUTPUT}/document-review-1-reply.md")));
    assert_eq!((planned.calls(), planned.phase()["status"].clone()), (1, json!("in_progress")));
    let view = planned.phase()["document_review"].clone();
    let reviewed_at = &view["rounds"][0]["review_completed_at"];
    assert!(reviewed_at.is_string(), "{view}");
    let expected = json!({"status": "in_progress", "current_round": 1, "rounds": [{
        "number": 1, "status": "review_complete", "review_completed_at": reviewed_at, "reply_completed_at": null,
        "fix_status": null, "fix_required": null, "no_fix_needed": null, "needs_discussion": null}]});
    assert_eq!(view, expected);
    let status = planned.sandbox.run(&["status", "--issue", "243"]).exits(0);
    insta::assert_snapshot!(excerpt(&status.stdout, "round 1:", "\n"), @"round 1: reviewed, no answer yet");
}

#[test]
fn doc_review_works_on_a_phase_of_any_name() {
    let sandbox = Sandbox::new();
    let presets =
        "[presets.documents]\nphases = [\"planning\", \"design\", \"document_review\", \"report\"]\n";
    sandbox.write(
        ".ai-workflow/config.toml",
        &format!("preset = \"documents\"\n[phases.design]\npolicy = \"doc-review\"\n{presets}"),
    );
    let turns = review(1, "FAIL", FINDING) + &triage(1, 1, 0, 0);
    let agent = sandbox.script(&honest_script(&turns.replace("document_review", "design")));
    sandbox.execute(&agent).exits(0);
    let delivered =
        sandbox.git(&["ls-tree", "-r", "--name-only", "HEAD", ".ai-workflow/issue-243/02_design"]);
    let documents = ["1-reply.md", "1.md", "2-reply.md", "2.md"];
    let output = ".ai-workflow/issue-243/02_design/output/document-review";
    assert_eq!(delivered, documents.map(|name| format!("{output}-{name}")).join("\n"));
    // The engine's own documents are no change of anybody's.
    let changed = |fact: &Value| fact["changed"].to_string();
    let triaged: Vec<String> =
        sandbox.facts().iter().filter(|fact| fact["type"] == "triaged").map(changed).collect();
    assert_eq!(triaged, [format!("[\"{PLAN}\"]"), "[]".to_owned(), "[]".to_owned()]);
    let prompt = sandbox.read(".ai-workflow/issue-243/02_design/review/round-1/attempt-1/prompt.md");
    assert!(prompt.contains("# Review the documents together"), "{prompt}");
}

#[test]
fn a_passing_doc_review_does_not_approve_the_phase() {
    let planned = Planned::new("");
    let report = planned.doc_review(&["--json"]).exits(0).json();
    assert_eq!((&report["exit_code"], &report["review"]["verdict"]), (&json!(0), &json!("PASS")));
    assert_eq!(report["review"]["document"], format!("{OUTPUT}/document-review-1.md"));
    assert_eq!((planned.calls(), planned.phase()["status"].clone()), (1, json!("in_progress")));
}

#[test]
fn doc_review_fix_answers_a_review_once_and_the_next_review_sees_it() {
    let planned = Planned::new(&(review(1, "FAIL", FINDING) + &triage(1, 1, 0, 0)));
    planned.doc_review(&[]).exits(1);
    planned.doc_review(&["--fix"]).exits(0).says("Round 1 answered: 1 to fix, 0 not to fix, 0 to discuss");
    assert_eq!(planned.sandbox.read(PLAN), "# plan of round 1");
    assert!(planned.sandbox.has(&format!("{OUTPUT}/document-review-1-reply.md")));
    assert_eq!(planned.calls(), 2);
    let rounds = planned.phase()["document_review"]["rounds"].clone();
    assert_eq!(
        (&rounds[0]["fix_status"], &rounds[0]["status"]),
        (&json!("applied"), &json!("reply_complete"))
    );
    let times = (rounds[0]["review_completed_at"].as_str(), rounds[0]["reply_completed_at"].as_str());
    assert!(times.0.is_some() && times.0 < times.1, "{rounds}");
    planned.doc_review(&["--fix"]).refuses(2, "no review of document_review waits for an answer");
    planned.doc_review(&[]).exits(0);
    assert!(planned.sandbox.has(&format!("{OUTPUT}/document-review-2.md")));
    planned.doc_review(&["--fix"]).exits(0).says("Round 2 approved");
    assert_eq!((planned.calls(), planned.phase()["status"].clone()), (4, json!("completed")));
    assert_eq!(planned.phase()["document_review"]["status"], "approved");
}

#[test]
fn doc_review_autofix_continues_after_a_manual_review() {
    let planned = Planned::new(&(review(1, "FAIL", FINDING) + &triage(1, 1, 0, 0)));
    planned.doc_review(&[]).exits(1);
    planned.doc_review(&["--autofix"]).exits(0);
    assert_eq!((planned.calls(), planned.phase()["status"].clone()), (4, json!("completed")));
    assert_eq!(planned.sandbox.metadata()["phases"]["report"]["status"], "pending");
    planned.doc_review(&[]).refuses(2, "the documents are approved since round 2");
}

#[test]
fn each_round_has_a_review_and_a_reply_document() {
    let planned = Planned::new(&(review(1, "FAIL", FINDING) + &triage(1, 1, 0, 0)));
    planned.doc_review(&["--autofix"]).exits(0);
    let facts = planned.sandbox.facts();
    let steps: Vec<_> = facts
        .iter()
        .filter(|fact| fact["type"] == "step_started" && fact["phase"] == "document_review")
        .map(|fact| format!("{} {}", fact["step"].as_str().unwrap_or_default(), fact["round"]))
        .collect();
    assert_eq!(steps, ["review 1", "triage 1", "review 2", "triage 2"]);
    for name in ["1.md", "1-reply.md", "2.md", "2-reply.md"] {
        assert!(planned.sandbox.has(&format!("{OUTPUT}/document-review-{name}")), "{name}");
    }
    let status = planned.sandbox.run(&["status", "--issue", "243"]).exits(0).stdout;
    insta::assert_snapshot!(excerpt(&status, "round 1:", "\n  implementation"), @"
    round 1: 1 to fix, 0 not to fix, 0 to discuss; fixes applied, to be reviewed again
        round 2: 0 to fix, 0 not to fix, 0 to discuss
    ");
}

#[test]
fn discussion_items_are_shown_at_once_and_pause_after_the_fixes() {
    let both = r#"[{"severity": "major", "issue": "the limit is missing"}, {"severity": "major", "issue": "which?"}]"#;
    let planned = Planned::new(&(review(1, "FAIL", both) + &triage(1, 1, 0, 1)));
    planned
        .doc_review(&["--autofix"])
        .exits(3)
        .says("1 finding of round 1 to be discussed: read document-review-1-reply.md; the fixes go on first")
        .says("what round 1 left to be discussed is not answered");
    assert_eq!(planned.calls(), 4);
    assert_eq!(planned.phase()["document_review"]["status"], "paused");
    planned.doc_review(&["--autofix"]).exits(3);
    assert_eq!(planned.calls(), 4, "a question waits for a person, not for another call");
    let go_on = ["resume", "--issue", "243", "--continue", "--text", "the second", "--agent", &planned.agent];
    planned.sandbox.run(&go_on).exits(0);
    assert_eq!(planned.phase()["document_review"]["status"], "approved");
}

#[test]
fn unreadable_triage_table_is_asked_again_and_then_pauses() {
    let nothing = triage(1, 0, 0, 0);
    let planned = Planned::new(&(review(1, "FAIL", FINDING) + &nothing));
    let why = "the triage does not count: it judges none of the 1 findings of the review";
    planned.doc_review(&["--autofix"]).exits(3).says(why);
    assert_eq!(planned.calls(), 3);
    let prompt = ".ai-workflow/issue-243/document_review/triage/round-1/attempt-2/prompt.md";
    let prompt = planned.sandbox.read(prompt);
    insta::assert_snapshot!(excerpt(&prompt, "What we noticed", "\n\n"), @"
    What we noticed about your last answer:
    [data [RUN]: our words, with the author's own]
    ```
    Your answer does not count: it judges none of the 1 findings of the review. What you edited is still edited; judge each finding again.
    ```
    [end of data [RUN]]
    ");
    assert_eq!(planned.sandbox.metadata()["paused"]["reason"], "unreadable");
}

/// A triage of one attempt that says this above its table.
fn attempt(attempt: u32, text: &str, row: &str) -> String {
    format!(
        "[[turn]]\nphase = \"document_review\"\nstep = \"triage\"\nround = 1\nattempt = {attempt}\nsay = \"\"\"\n{text}\n\nreview_id: {{{{review_id}}}}\n\n| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n{row}\n\"\"\"\n\n"
    )
}

const CRITICAL: &str =
    r#"[{"severity": "critical", "category": "data", "file": "planning.md", "issue": "the data is lost"}]"#;

#[test]
fn a_critical_finding_dismissed_without_evidence_is_asked_about_and_its_reason_is_checked() {
    let dismissed = "| Critical | 1 | 0 | 1 | 0 |";
    let reason =
        |place: &str| format!("### [1] The data\n**Judgment**: No Fix Needed\nIt is kept, see {place}.");
    for (first, second, code) in [
        ("", reason("planning.md:3"), 0),
        ("### [1] The data\n**Judgment**: No Fix Needed\nIt is kept.", reason("src/lib.rs, line 2"), 0),
        ("", reason("planning.md:99"), 3),
        ("", reason(".ai-workflow/issue-243/document_review/output/document-review-1.md:1"), 3),
    ] {
        let turns =
            review(1, "FAIL", CRITICAL) + &attempt(1, first, dismissed) + &attempt(2, &second, dismissed);
        let planned = Planned::new(&turns);
        let ran = planned.doc_review(&["--autofix"]).exits(code);
        let ran =
            ran.says("the critical finding [1] is dismissed without a reason of its own that cites evidence");
        assert_eq!(planned.calls(), 3, "{second}\n{}", ran.stderr);
    }
}

#[test]
fn a_critical_finding_in_the_text_of_a_review_is_not_dismissed_in_a_milder_row() {
    let listed = "### Critical\n\n#### [1] The data is lost\nNothing keeps it.\n\n### Info\n\n#### [2] A heading is short\n";
    let counted = format!("{listed}\n| Severity | Count |\n|---|---|\n| Critical | 1 |\n| Info | 1 |\n");
    let judged = "### [1] The data\n**Judgment**: No Fix Needed\nIt is kept, see planning.md:3.\n\n### [2] The heading\n**Judgment**: No Fix Needed\nIt is.\n";
    let milder = "| Info | 2 | 0 | 2 | 0 |";
    for (review, second, code) in [
        (listed, "| Critical | 1 | 0 | 1 | 0 |\n| Info | 1 | 0 | 1 | 0 |", 0),
        (&counted, "| Critical | 1 | 0 | 1 | 0 |\n| Info | 1 | 0 | 1 | 0 |", 0),
        ("| Severity | Finding |\n|---|---|\n| Critical | The data is lost |\n", milder, 3),
        (&counted, milder, 3),
    ] {
        let review = format!(
            "[[turn]]\nphase = \"document_review\"\nstep = \"review\"\nround = 1\nsay = \"\"\"\n{review}\nVerdict: FAIL\n\"\"\"\n\n"
        );
        let turns = review + &attempt(1, judged, milder) + &attempt(2, judged, second);
        let planned = Planned::new(&turns);
        let ran = planned.doc_review(&["--autofix"]).exits(code);
        let ran = ran.says("the table counts a finding in a milder row than its review");
        assert_eq!(planned.calls(), 3, "{second}\n{}", ran.stderr);
    }
}

/// A review of the first round that says this above its verdict.
fn review_in_text(text: &str, verdict: &str) -> String {
    format!(
        "[[turn]]\nphase = \"document_review\"\nstep = \"review\"\nround = 1\nsay = \"\"\"\n{text}\n\n{verdict}\n\"\"\"\n\n"
    )
}

#[test]
fn a_critical_finding_in_running_text_is_not_dismissed_without_evidence() {
    let object = |summary: &str| {
        format!(
            r#"{{"review_id": "{{{{review_id}}}}", "result": "FAIL", "summary": "{summary}", "findings": []}}"#
        )
    };
    let verdict = "Verdict: FAIL".to_owned();
    let judged = |reason: &str| format!("### [1] The data\n**Judgment**: No Fix Needed\n{reason}");
    let row = "| Info | 1 | 0 | 1 | 0 |";
    for (text, verdict, reason, code) in [
        ("There is one critical finding: the data is lost.", &verdict, "It is fine.", 3),
        ("There is one critical finding: the data is lost.", &verdict, "It is kept, see planning.md:3.", 0),
        ("", &object("1 critical finding: the data is lost"), "It is fine.", 3),
        ("There is no critical finding. The heading is short.", &verdict, "It is fine.", 0),
    ] {
        let answers = attempt(1, &judged(reason), row) + &attempt(2, &judged(reason), row);
        let planned = Planned::new(&(review_in_text(text, verdict) + &answers));
        let ran = planned.doc_review(&["--autofix"]).exits(code);
        let asked = ran.stderr.contains("a critical finding is dismissed without a reason of its own");
        assert_eq!(asked, code == 3, "{text}{verdict}\n{}", ran.stderr);
    }
}

#[test]
fn a_critical_finding_beside_an_object_that_lists_a_milder_one_counts() {
    let object = r#"{"review_id": "{{review_id}}", "result": "FAIL", "summary": "see above", "findings": [{"severity": "info", "issue": "a heading is short"}]}"#;
    let review = review_in_text("## Critical\n\n1. The data is lost.", object);
    let row = "| Info | 2 | 0 | 2 | 0 |";
    let milder = attempt(1, "Both are fine.", row) + &attempt(2, "Both are fine.", row);
    let planned = Planned::new(&(review + &milder));
    planned
        .doc_review(&["--autofix"])
        .exits(3)
        .says("the table counts a finding in a milder row than its review");
}

#[test]
fn findings_of_a_review_in_markdown_stay_in_the_pull_request_and_travel() {
    let text = "## Critical\n\n1. The data is lost.\n\n## Major\n\n- The limit is missing.";
    let judged = "### [1] The data\n**Judgment**: No Fix Needed\nIt is kept: src/lib.rs:2.\n\n### [2] The limit\n**Judgment**: No Fix Needed\nThe issue has it.";
    let rows = "| Critical | 1 | 0 | 1 | 0 |\n| Major | 1 | 0 | 1 | 0 |";
    let plan = "[[turn]]\nphase = \"planning\"\nstep = \"review\"\nsay = \"## Minor\\n\\n- the wording is coarse\\n\\nVerdict: PASS\"\n\n";
    let turns = plan.to_owned() + &review_in_text(text, "Verdict: FAIL") + &attempt(1, judged, rows);
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", DOCUMENTS);
    let agent = sandbox.script(&honest_script(&turns));
    let flags = ["--issue", "243", "--forge", "local", "--agent", &agent, "--preset", "documents"];
    sandbox.run(&[&["execute"][..], &flags[..]].concat()).exits(0);
    let request = filtered(&sandbox.read(".ai-workflow/local/issues/243.pr.md"));
    let section = excerpt(&request, "## Dismissed and waived", "\n---").replace(&agent, "[AGENT]");
    insta::assert_snapshot!(section, @"
    ## Dismissed and waived findings

    - document_review · F1 critical: The data is lost. · **dismissed by [AGENT]**: the triage of round 1: It is kept: src/lib.rs:2.
    - document_review · F2 major: The limit is missing. · **dismissed by [AGENT]**: the triage of round 1: The issue has it.
    ");
    let prompt = sandbox.read(".ai-workflow/issue-243/08_report/execute/round-1/attempt-1/prompt.md");
    let told = "- planning: minor: the wording is coarse\n";
    assert!(prompt.contains(told) && request.contains(told), "{prompt}\n{request}");
    let sarif = sandbox.run(&["findings", "--issue", "243", "--format", "sarif"]).exits(0).stdout;
    assert_eq!(sarif.matches("\"underReview\"").count(), 2);
}

#[test]
fn a_minor_finding_of_an_approval_travels_also_where_the_triage_needs_no_fix() {
    let minor = r#"[{"severity": "minor", "file": "planning.md", "issue": "the wording is coarse"}]"#;
    let judged = "### [1] The wording\n**Judgment**: No Fix Needed\nIt is fine.";
    let turns = review(1, "PASS", minor) + &attempt(1, judged, "| Minor | 1 | 0 | 1 | 0 |");
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", DOCUMENTS);
    let agent = sandbox.script(&honest_script(&turns));
    let flags = ["--issue", "243", "--forge", "local", "--agent", &agent, "--preset", "documents"];
    sandbox.run(&[&["execute"][..], &flags[..]].concat()).exits(0);
    let prompt = sandbox.read(".ai-workflow/issue-243/08_report/execute/round-1/attempt-1/prompt.md");
    let request = sandbox.read(".ai-workflow/local/issues/243.pr.md");
    let told = "- document_review: minor planning.md: the wording is coarse (the triage: no fix needed)\n";
    assert!(prompt.contains(told) && request.contains(told), "{prompt}\n{request}");
}

#[test]
fn a_dismissed_critical_finding_stays_in_the_pull_request_and_under_review_in_sarif() {
    let both = CRITICAL
        .replace(']', r#", {"severity": "major", "file": "planning.md", "issue": "the limit is missing"}]"#);
    let text = "### [1] The data\n**Judgment**: No Fix Needed\nIt is kept: src/lib.rs:2.\n\n### [2] The limit\n**Judgment**: Fix Required";
    let rows = "| Critical | 1 | 0 | 1 | 0 |\n| Major | 1 | 1 | 0 | 0 |";
    let write = format!("write = [{{ path = \"{PLAN}\", text = \"# plan with a limit\" }}]\nsay");
    let turns = review(1, "FAIL", &both) + &attempt(1, text, rows).replace("say", &write);
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", DOCUMENTS);
    let agent = sandbox.script(&honest_script(&turns));
    let flags = ["--issue", "243", "--forge", "local", "--agent", &agent, "--preset", "documents"];
    sandbox.run(&[&["execute"][..], &flags[..]].concat()).exits(0);
    let request = filtered(&sandbox.read(".ai-workflow/local/issues/243.pr.md"));
    let section = excerpt(&request, "## Dismissed and waived", "\n---").replace(&agent, "[AGENT]");
    insta::assert_snapshot!(section, @"
    ## Dismissed and waived findings

    - document_review · F1 critical planning.md: the data is lost · **dismissed by [AGENT]**: the triage of round 1: It is kept: src/lib.rs:2.
    ");
    let sarif = sandbox.run(&["findings", "--issue", "243", "--format", "sarif"]).exits(0).json();
    let suppressed: Vec<&Value> = sarif["runs"][0]["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| &result["suppressions"][0]["status"])
        .collect();
    assert_eq!(suppressed, [&json!("underReview")]);
}

#[test]
fn a_finding_counted_in_a_milder_row_makes_the_triage_void() {
    let milder = "| Critical | 0 | 0 | 0 | 0 |\n| Minor | 1 | 0 | 1 | 0 |";
    let planned =
        Planned::new(&(review(1, "FAIL", CRITICAL) + &attempt(1, "", milder) + &attempt(2, "", milder)));
    planned.doc_review(&["--autofix"]).exits(3).says(
        "the table counts a finding in a milder row than its review: 0 as critical, where the review names 1",
    );
    assert_eq!(planned.calls(), 3);
}

#[test]
fn doc_review_refuses_a_missing_run_or_an_unanswered_review() {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", DOCUMENTS);
    sandbox.run(&["doc-review", "--issue", "243"]).refuses(2, "there is no run of issue 243");
    let planned = Planned::new(&review(1, "FAIL", FINDING));
    planned.doc_review(&["--fix", "--autofix"]).exits(2).says("cannot be used with");
    planned.doc_review(&["--fix"]).refuses(2, "no review of document_review waits for an answer");
    planned.doc_review(&[]).exits(1);
    planned.doc_review(&[]).refuses(2, "round 1 is reviewed, and nobody has answered it yet");
    assert_eq!(planned.calls(), 1);
}

#[test]
fn doc_review_without_documents_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", DOCUMENTS);
    let agent = sandbox.script(&honest_script(""));
    let flags = ["--issue", "243", "--forge", "local", "--agent", &agent, "--preset", "documents"];
    let report = ["execute", "--phase", "report", "--skip-dependency-check"];
    sandbox.run(&[&report[..], &flags[..]].concat()).exits(0);
    let by_hand = ["doc-review", "--issue", "243", "--agent", &agent];
    sandbox.run(&by_hand).refuses(2, "document_review needs planning, which is not completed");
    assert!(!sandbox.has(OUTPUT));
}

/// A review of two problems, a triage that fixes one of them and refuses the other with its reason, and the same once more.
fn two_answers() -> String {
    let limit = r#"{"severity": "major", "category": "design", "file": "planning.md", "issue": "the limit is missing"}"#;
    let name = r#"{"severity": "minor", "category": "design", "file": "planning.md", "issue": "the name is too long"}"#;
    let answer = |round: u32, write: &str, judgments: &str, rows: &str| {
        format!(
            "[[turn]]\nphase = \"document_review\"\nstep = \"triage\"\nround = {round}\n{write}say = \"\"\"\n{judgments}\nreview_id: {{{{review_id}}}}\n\n| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n{rows}\n\"\"\"\n\n"
        )
    };
    let refused = "**Judgment**: No Fix Needed\nIt is the name that the issue uses.\n";
    let both = format!(
        "### [1] The limit\n**Judgment**: Fix Required\nWritten in line 1.\n\n### [2] The name\n{refused}"
    );
    let write = format!("write = [{{ path = \"{PLAN}\", text = \"# plan with a limit\" }}]\n");
    review(1, "FAIL", &format!("[{name}, {limit}]"))
        + &answer(1, &write, &both, "| Major | 1 | 1 | 0 | 0 |\n| Minor | 1 | 0 | 1 | 0 |")
        + &review(2, "PASS_WITH_SUGGESTIONS", &format!("[{name}]"))
        + &answer(2, "", &format!("### The name is too long\n{refused}"), "| Minor | 1 | 0 | 1 | 0 |")
}

#[test]
fn triage_judgments_are_recorded_and_shown_with_reasons() {
    let planned = Planned::new(&two_answers());
    planned.doc_review(&["--autofix"]).exits(0);
    let facts = planned.sandbox.facts();
    let triaged: Vec<&Value> = facts.iter().filter(|fact| fact["type"] == "triaged").collect();
    assert_eq!(triaged[0]["judgments"][0]["disposition"], "fix_required");
    assert_eq!(triaged[0]["judgments"][0]["findings"], json!(["design|planning.md|thelimitismissing"]));
    assert_eq!(triaged[1]["judgments"][0]["findings"], json!(["design|planning.md|thenameistoolong"]));
    let listed = planned.phase()["findings"].clone();
    let of = |issue: &str| {
        let found = listed.as_array().expect("findings").iter().find(|it| it["finding"]["issue"] == issue);
        found.expect("it was found").clone()
    };
    let (limit, name) = (of("the limit is missing"), of("the name is too long"));
    assert_eq!((&limit["state"], &limit["disposition"]), (&json!("resolved"), &json!("fix_required")));
    assert_eq!(limit["evidence"], "the triage of round 1: Written in line 1.");
    assert_eq!((&name["state"], &name["disposition"]), (&json!("repeated"), &json!("no_fix")));
    let why = "the triage of round 2: It is the name that the issue uses.";
    assert_eq!(name["evidence"], why);
    let findings =
        |more: &[&str]| planned.sandbox.run(&[&["findings", "--issue", "243"], more].concat()).exits(0);
    insta::assert_snapshot!(findings(&[]).stdout, @"
    #243 The last page is missing: 0 open, 2 settled
    answered:
      minor planning.md: the name is too long [design] (document_review, since round 1, no fix needed: the triage of round 2: It is the name that the issue uses.)
    ");
    let json = findings(&["--format", "json"]).json();
    let answered: Vec<&Value> =
        json["findings"].as_array().expect("a list").iter().filter(|it| it["answered"] == true).collect();
    assert_eq!((answered.len(), &answered[0]["reason"]), (1, &json!(why)));
    let sarif = findings(&["--format", "sarif"]).json();
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["suppressions"][0]["justification"], why);
}

#[test]
fn a_document_edited_during_a_discussion_pause_is_reviewed_and_committed() {
    let planned = Planned::new(&(review(1, "FAIL", FINDING) + &triage(1, 0, 0, 1)));
    planned.doc_review(&["--autofix"]).exits(3);
    planned.sandbox.write(PLAN, "# by hand\n");
    let words = ["resume", "--issue", "243", "--agent", &planned.agent, "--answer", "as it is now"];
    planned.sandbox.run(&words).exits(0);
    let show = |commit: &str| planned.sandbox.git(&["show", &format!("{commit}:{PLAN}")]);
    assert_eq!(
        (show("ai-workflow/issue-243"), planned.sandbox.read(PLAN)),
        ("# by hand".into(), "# by hand\n".into())
    );
    let facts = planned.sandbox.facts();
    let reviewed = |fact: &&Value| fact["type"] == "reviewed" && fact["phase"] == "document_review";
    let tree = facts.iter().rfind(reviewed).expect("a review")["tree"].as_str().expect("a tree").to_owned();
    assert_eq!(show(&tree), "# by hand", "that is what the reviewer approved");
}

#[test]
fn documents_edited_after_a_manual_doc_review_are_reviewed_before_approval() {
    for commits in [false, true] {
        let planned = Planned::new(&(review(1, "FAIL", FINDING) + &triage(1, 0, 1, 0)));
        planned.doc_review(&[]).exits(1);
        planned.sandbox.write(PLAN, "# by hand\n");
        if commits {
            planned.sandbox.git(&["commit", "-q", "-m", "by hand", PLAN]);
        }
        planned.doc_review(&["--autofix"]).exits(0);
        assert_eq!((planned.calls(), planned.phase()["status"].clone()), (4, json!("completed")));
        let plan = planned.sandbox.git(&["show", &format!("ai-workflow/issue-243:{PLAN}")]);
        assert_eq!(plan, "# by hand");
    }
}
