//! What the evaluation's decision about the run leads to, on a run of our own binary: exit codes, and what is left for later.

use crate::excerpt::excerpt;
use crate::support::{Ran, Sandbox, honest_script};

const ENDING: &str = "[presets.ending]\nphases = [\"planning\", \"evaluation\"]\n";

/// A run whose evaluation says this.
fn evaluated(say: &str) -> (Sandbox, Ran) {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", ENDING);
    let turn = format!(
        "[[turn]]\nphase = \"evaluation\"\nstep = \"execute\"\nwrite = [{{ path = \"{{{{output}}}}\", text = \"# evaluation {{{{round}}}}\" }}]\nsay = '{say}'\n"
    );
    let agent = sandbox.script(&honest_script(&turn));
    let ran = sandbox
        .run(&["execute", "--issue", "243", "--forge", "local", "--preset", "ending", "--agent", &agent]);
    (sandbox, ran)
}

fn reason(sandbox: &Sandbox) -> String {
    let reason = sandbox.metadata()["phases"]["evaluation"]["reason"].clone();
    reason.as_str().unwrap_or_default().to_owned()
}

#[test]
fn an_aborted_or_undecided_evaluation_exits_1() {
    for (say, expected) in [
        (r#"{"decision": "ABORT"}"#, "aborted"),
        ("DECISION: ABORT", "aborted"),
        (r#"{"decision": "FAIL_PHASE_nowhere"}"#, "evaluation_failed"),
        (r#"{"decision": "GOOD_ENOUGH"}"#, "no_decision"),
        ("DECISION: PERFECT", "no_decision"),
        ("DECISION: PASS | ABORT", "no_decision"),
        ("The run is a success.", "no_decision"),
    ] {
        let (sandbox, ran) = evaluated(say);
        assert_eq!((ran.code, reason(&sandbox).as_str()), (1, expected), "{say}\n{}", ran.stderr);
        assert!(!sandbox.has(".ai-workflow/local/issues/243.pr.md"), "{say}");
    }
}

#[test]
fn a_phase_that_fails_the_evaluation_is_reopened_at_most_twice() {
    let (sandbox, ran) = evaluated(r#"{"decision": "FAIL_PHASE_planning"}"#);
    ran.exits(1).says("sent back 2/2 times already");
    let begun = sandbox.facts().into_iter().filter(|fact| {
        fact["type"] == "step_started" && fact["phase"] == "planning" && fact["step"] == "execute"
    });
    assert_eq!((begun.count(), reason(&sandbox)), (3, "evaluation_failed".to_owned()));
}

#[test]
fn pass_with_issues_completes_and_lists_remaining_tasks_in_the_pull_request() {
    let task = r#"{"decision": "PASS_WITH_ISSUES", "remaining_tasks": [{"task": "say it in the manual", "phase": "documentation", "priority": "low"}]}"#;
    let (sandbox, ran) = evaluated(task);
    ran.exits(0);
    let text = sandbox.read(".ai-workflow/local/issues/243.pr.md");
    insta::assert_snapshot!(excerpt(&text, "## Left for later", "\n\n---"), @"
    ## Left for later

    - say it in the manual (low documentation)
    ");
    let (sandbox, ran) = evaluated("DECISION: PASS_WITH_ISSUES");
    ran.exits(0);
    let text = sandbox.read(".ai-workflow/local/issues/243.pr.md");
    insta::assert_snapshot!(excerpt(&text, "- The evaluation decided", "\n"), @"- The evaluation decided PASS_WITH_ISSUES and names no task; its document says why.");
}

#[test]
fn an_evaluation_decision_overruled_by_a_person_is_in_the_pull_request() {
    let told = ["ABORT", "FAIL_PHASE_planning", "GOOD_ENOUGH"].map(|decision| {
        let sandbox = Sandbox::new();
        let asks = "[phases.evaluation]\nmax_revisions = 0\non_exhausted = \"pause\"\n";
        sandbox.write(".ai-workflow/config.toml", &format!("{ENDING}{asks}"));
        let turn = format!(
            "[[turn]]\nphase = \"evaluation\"\nstep = \"execute\"\nwrite = [{{ path = \"{{{{output}}}}\", text = \"# evaluation\" }}]\nsay = '{{\"decision\": \"{decision}\"}}'\n[[turn]]\nphase = \"evaluation\"\nstep = \"review\"\nsay = '{{\"review_id\": \"{{{{review_id}}}}\", \"result\": \"FAIL\", \"summary\": \"no\", \"findings\": []}}'\n"
        );
        let agent = sandbox.script(&honest_script(&turn));
        let words =
            ["execute", "--issue", "243", "--forge", "local", "--preset", "ending", "--agent", &agent];
        sandbox.run(&words).exits(3);
        let accept = ["resume", "--issue", "243", "--agent", &agent, "--accept", "--reason", "we ship it"];
        sandbox.run(&accept).exits(0);
        let text = sandbox.read(".ai-workflow/local/issues/243.pr.md");
        let told = text.lines().filter(|line| line.contains("| decision |") || line.contains("evaluation · "));
        told.collect::<Vec<_>>().join("\n")
    });
    insta::assert_snapshot!(told.join("\n"), @"
    - evaluation · **accepted by a person, not by a reviewer**: we ship it
    - evaluation · the evaluation decided **ABORT**, which a person accepted: we ship it
    - evaluation · **accepted by a person, not by a reviewer**: we ship it
    - evaluation · the evaluation decided **FAIL_PHASE_planning**, which a person accepted: we ship it
    - evaluation · **accepted by a person, not by a reviewer**: we ship it
    - evaluation · the evaluation made **no decision**, which a person accepted: we ship it
    | evaluation | 1 | decision | **FAIL** |  |  | no decision can be read: `GOOD_ENOUGH` is none, or contradicts another |
    - evaluation · F1 major: no decision can be read: `GOOD_ENOUGH` is none, or contradicts another · **waived by a person**: we ship it
    ");
}

#[test]
fn an_evaluation_document_that_says_abort_never_passes() {
    for (document, code) in [
        ("## Decision\\n\\nABORT\\n", 1),
        ("最終判定: ABORT\\n", 1),
        ("The decision is ABORT.\\n", 1),
        ("## Decision\\n\\nPASS\\n\\nThe options were PASS and ABORT.\\n", 0),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(".ai-workflow/config.toml", ENDING);
        let agent = sandbox.script(&honest_script(&format!(
            "[[turn]]\nphase = \"evaluation\"\nstep = \"execute\"\nwrite = [{{ path = \"{{{{output}}}}\", text = \"# evaluation\\n\\n{document}\" }}]\nsay = 'DECISION: PASS'\n"
        )));
        let ran = sandbox
            .run(&["execute", "--issue", "243", "--forge", "local", "--preset", "ending", "--agent", &agent]);
        let expected = if code == 0 { "" } else { "no_decision" };
        assert_eq!((ran.code, reason(&sandbox).as_str()), (code, expected), "{document}\n{}", ran.stderr);
    }
}
