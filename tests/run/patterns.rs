//! Conversation patterns of the retake loop in whole runs: questions and answers, fixes only as tasks, notices.

use serde_json::{Value, json};

use crate::excerpt::excerpt;
use crate::support::Sandbox;

const QUESTION: &str = r#", "questions": ["Is 0 meant?"]"#;

/// One turn in planning; `more` says when it is played and what it does.
fn turn(step: &str, more: &str, say: &str) -> String {
    format!("\n[[turn]]\nphase = \"planning\"\nstep = \"{step}\"\n{more}\nsay = '''{say}'''\n")
}

fn verdict(result: &str, more: &str) -> String {
    format!("{{\"review_id\": \"{{{{review_id}}}}\", \"result\": \"{result}\", \"summary\": \"seen\"{more}}}")
}

/// A reviewer that fails with a question first, and is content after that.
fn asks_first() -> String {
    turn("review", "round = 1\nattempt = 1", &verdict("FAIL", QUESTION))
}

fn answers() -> String {
    turn("answer", "", "Yes: an empty book has 0 pages.")
}

/// The steps of planning in the order of their calls.
fn calls(sandbox: &Sandbox) -> Vec<String> {
    let ours = |fact: &Value| fact["type"] == "step_started" && fact["phase"] == "planning";
    let steps = sandbox.facts().into_iter().filter(ours);
    steps.map(|fact| fact["step"].as_str().unwrap_or_default().to_owned()).collect()
}

fn rulings(sandbox: &Sandbox) -> Vec<String> {
    let ours = |fact: &Value| fact["type"] == "ruled" && fact["phase"] == "planning";
    let rulings = sandbox.facts().into_iter().filter(ours);
    rulings.map(|fact| fact["ruling"]["do"].as_str().unwrap_or_default().to_owned()).collect()
}

fn prompt(sandbox: &Sandbox, call: &str) -> String {
    sandbox.read(&format!(".ai-workflow/issue-243/00_planning/{call}/prompt.md"))
}

#[test]
fn the_author_answers_a_question_of_the_reviewer() {
    let sandbox = Sandbox::new();
    sandbox.short(&(asks_first() + &answers()), &[]).exits(0).says("the reviewer asked 1 question");
    assert_eq!(calls(&sandbox), ["execute", "review", "answer", "review"]);
    assert_eq!(rulings(&sandbox), ["advance"]);
    let asked = prompt(&sandbox, "answer/round-1/attempt-1");
    insta::assert_snapshot!(excerpt(&asked, "# Answer the reviewer", "\n\n"), @"
    # Answer the reviewer
    You are the author of `.ai-workflow/issue-243/00_planning/output/planning.md`. Answer each question in a few sentences, from the documents, the code and what you have seen;
    say so when you do not know, and when the question shows that something is wrong. Then the reviewer judges again.
    Change no file now: that would void your answer. What has to be changed comes to you as a finding.
    [data [RUN]: questions of a reviewer]
    ```
    - Is 0 meant?
    ```
    [end of data [RUN]]
    ");
    let again = prompt(&sandbox, "review/round-1/attempt-2");
    insta::assert_snapshot!(excerpt(&again, "A reviewer asked", "\n\n"), @"
    A reviewer asked in this round, and the author answered. An answer is a claim: look whether the files bear it out. Nobody is asked
    again in this round; judge now.
    [data [RUN]: questions of a reviewer]
    ```
    - Is 0 meant?
    ```
    [end of data [RUN]]
    [data [RUN]: the author's answers to them]
    ```
    Yes: an empty book has 0 pages.
    ```
    [end of data [RUN]]
    ");
    assert!(!again.contains("## Before you judge"), "{again}");
}

#[test]
fn status_and_explain_show_a_question_exchange_in_one_line() {
    let sandbox = Sandbox::new();
    sandbox.short(&(asks_first() + &answers()), &[]).exits(0);
    let line = |text: &str| excerpt(text, "planning round 1: the reviewer", "\n");
    let published = line(&sandbox.read(".ai-workflow/local/issues/243.pr.md"));
    insta::assert_snapshot!(published, @"planning round 1: the reviewer asked 1 question, the author answered, and the reviewer was asked again");
    for command in ["status", "explain"] {
        assert_eq!(line(&sandbox.run(&[command, "--issue", "243"]).exits(0).stdout), published, "{command}");
    }
    let told = sandbox.run(&["explain", "--issue", "243", "--json"]).exits(0).json();
    let told_of = |key: &str| -> Vec<_> {
        told.as_array().expect("a list").iter().filter(|it| !it[key].is_null()).collect()
    };
    let (exchanges, changed) = (told_of("questions"), told_of("changed_verdict"));
    assert_eq!(
        (changed.len(), &changed[0]["changed_verdict"]["last"]["verdict"]),
        (1, &json!("PASS")),
        "{told}"
    );
    assert_eq!((exchanges.len(), &exchanges[0]["questions"]), (1, &json!(["Is 0 meant?"])), "{told}");
    assert!(exchanges[0]["answer"].is_string() && exchanges[0]["round"] == 1, "{told}");
    let planning = &sandbox.metadata()["phases"]["planning"];
    let exchange = &planning["rounds"][0]["exchange"];
    assert_eq!((&exchange["questions"], &exchange["answered"]), (&json!(1), &json!(true)));
    assert_eq!(
        (&planning["rounds"][0]["attempts"], &planning["usage"]["answer"]["calls"]),
        (&json!(4), &json!(1))
    );
    assert_eq!(planning["retry_count"], json!(0));
}

#[test]
fn file_changes_in_an_answer_step_are_undone_and_void_the_answer() {
    let sandbox = Sandbox::new();
    let writes = turn("answer", "write = [{ path = \"src/lib.rs\", text = \"gone\" }]", "Yes.");
    sandbox
        .short(&(asks_first() + &writes), &[])
        .exits(0)
        .says("the author that was asked changed files, which was undone: src/lib.rs");
    assert_eq!(calls(&sandbox), ["execute", "review", "answer", "revise", "review"]);
    assert_eq!(rulings(&sandbox), ["revise", "advance"]);
    assert_eq!(sandbox.read("src/lib.rs"), "pub fn pages() -> u32 {\n    2\n}\n");
    let rounds = sandbox.metadata()["phases"]["planning"]["rounds"].clone();
    assert_eq!((&rounds[0]["exchange"]["answered"], &rounds[0]["verdict"]), (&json!(false), &json!("FAIL")));
}

#[test]
fn the_first_verdict_counts_when_the_author_does_not_answer_a_question() {
    let told = [turn("answer", "", ""), turn("answer", "exit = 1", "x")].map(|answer| {
        let sandbox = Sandbox::new();
        let approves = turn("review", "attempt = 1", &verdict("PASS", QUESTION));
        sandbox.short(&(approves + &answer), &[]).exits(0);
        assert_eq!((calls(&sandbox).len(), rulings(&sandbox)), (3, vec!["advance".to_owned()]));
        let told = sandbox.run(&["status", "--issue", "243"]).exits(0).stdout;
        excerpt(&told, "planning round 1", "\n")
    });
    insta::assert_snapshot!(told.join("\n"), @"
    planning round 1: the reviewer asked 1 question, the author gave no answer (the agent ended without a word), and the first verdict counts
    planning round 1: the reviewer asked 1 question, the author gave no answer (the agent ended with exit code 1), and the first verdict counts
    ");
}

#[test]
fn questions_of_reviewers_can_be_disabled_by_a_setting() {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", "[policies.phase-review.review]\nquestions = false\n");
    sandbox.short(&asks_first(), &[]).exits(0);
    assert_eq!(
        (calls(&sandbox), rulings(&sandbox)),
        (
            ["execute", "review", "revise", "review"].map(str::to_owned).to_vec(),
            vec!["revise".to_owned(), "advance".to_owned()]
        )
    );
    assert!(!prompt(&sandbox, "review/round-1/attempt-1").contains("## Before you judge"));
}

#[test]
fn a_second_reviewer_asks_and_is_asked_again_with_the_answer() {
    let sandbox = Sandbox::new();
    let asks = turn("review", "seat = \"second\"\nattempt = 2", &verdict("FAIL", QUESTION));
    sandbox.short(&(asks + &answers()), &["--second-reviewer", "AGENT"]).exits(0);
    assert_eq!(calls(&sandbox), ["execute", "review", "review", "answer", "review"]);
    assert_eq!(rulings(&sandbox), ["advance"]);
    let again = prompt(&sandbox, "review/round-1/attempt-3");
    insta::assert_snapshot!(excerpt(&again, ": the author's answers", "\n["), @"
    : the author's answers to them]
    ```
    Yes: an empty book has 0 pages.
    ```
    ");
}

#[test]
fn reviewer_prompt_describes_the_answer_format_for_each_situation() {
    let sandbox = Sandbox::new();
    sandbox.short(&(asks_first() + &answers()), &[]).exits(0);
    let reviewer = prompt(&sandbox, "review/round-1/attempt-1");
    insta::assert_snapshot!(excerpt(&reviewer, "## Before you judge", "\n\n"), @"
    ## Before you judge
    A question whose answer could change your verdict (what is meant, a name, whether the logic is right) goes into `questions`, ten at
    most: the author answers once, without touching a file, and then you judge again. No such question: leave the list empty.
    - What needs a change is a finding, never a question: a missing validation, a query in a loop, a hole in security.
    - A broken build or test stands in what our checks saw. Ask nobody about it.
    ");
}

#[test]
fn findings_become_tasks_also_after_a_question_of_the_reviewer() {
    let sandbox = Sandbox::new();
    let finding = json!({"severity": "major", "category": "security", "file": "src/lib.rs", "line": 1, "issue": "no validation"});
    let found = format!(", \"findings\": [{finding}]");
    let turns =
        asks_first() + &answers() + &turn("review", "round = 1\nattempt = 2", &verdict("FAIL", &found));
    sandbox.short(&turns, &[]).exits(0);
    assert_eq!(calls(&sandbox), ["execute", "review", "answer", "review", "revise", "review"]);
    let tasks = sandbox.metadata()["phases"]["planning"]["tasks"].clone();
    assert_eq!(tasks.as_array().map(Vec::len), Some(1), "{tasks}");
    assert_eq!((&tasks[0]["owns"], &tasks[0]["state"]), (&json!("src/lib.rs"), &json!("done")));
    let revise = prompt(&sandbox, "revise/round-1/attempt-1");
    insta::assert_snapshot!(excerpt(&revise, "T1 ", "\n```"), @"
    T1 src/lib.rs, major
       1. L1: no validation (F1, major)
    ");
}

#[test]
fn a_notice_is_in_prompts_of_later_authors_and_not_of_reviewers() {
    let sandbox = Sandbox::new();
    let claim = r#"{"status": "completed", "notices": ["`pages` counts from 1"]}"#;
    let tells =
        turn("execute", "write = [{ path = \"{{output}}\", text = \"# planning\\n\\nwritten\\n\" }]", claim);
    sandbox.short(&tells, &[]).exits(0);
    let first = prompt(&sandbox, "execute/round-1/attempt-1");
    assert!(!first.contains("## Notices"));
    insta::assert_snapshot!(excerpt(&first, "- End with a summary", "\n\n"), @r#"
    - End with a summary. You may add a JSON object:
      {"status": "completed|incomplete|blocked", "next_action": {"action": "…", "reason": "…"}, "summary": "…", "notices":
      ["for later authors: helper, limit, API"] }
    "#);
    assert!(!prompt(&sandbox, "review/round-1/attempt-1").contains("counts from 1"));
    let later = |step: &str| {
        sandbox.read(&format!(".ai-workflow/issue-243/01_requirements/{step}/round-1/attempt-1/prompt.md"))
    };
    insta::assert_snapshot!(excerpt(&later("execute"), "## Notices", "\n\n"), @"
    ## Notices of earlier authors
    New helpers, constraints and changed interfaces as they tell them, the newest first. Claims, and no tasks: look before you rely on one.
    [data [RUN]: notices of earlier authors]
    ```
    - planning: `pages` counts from 1
    ```
    [end of data [RUN]]
    ");
    assert!(!later("review").contains("counts from 1"));
}
