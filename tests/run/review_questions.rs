//! What our checks ask the reviewer, in whole runs: who answers nothing is asked again, who calls it wrong refuses the work, and what
//! was answered stands where people look.

use crate::support::{Ran, Sandbox};

/// The phase writes a file that switches the lints off: nobody but a reviewer can say whether that is right.
const AUTHOR: &str = r##"
[[turn]]
step = "execute"
write = [
    { path = "{{output}}", text = "# pages\n\nA page that was begun counts.\n" },
    { path = "src/lib.rs", text = "pub fn pages() -> u32 {\n    3\n}\n" },
    { path = "web/count.js", text = "/* eslint-disable */\nexport function count(lines) {\n  return Math.ceil(lines / 40);\n}\n" },
]
say = "The last page is counted now."

[[turn]]
step = "revise"
write = [{ path = "web/count.js", text = "export function count(lines) {\n  return Math.ceil(lines / 40);\n}\n" }]
say = "The lints are on."
"##;

/// A turn of the reviewer that approves with these further fields; `when` says for which call.
fn approves(when: &str, fields: &str) -> String {
    let object = r#"{"review_id": "{{review_id}}", "result": "PASS", "summary": "good", "findings": []"#;
    format!("\n[[turn]]\nstep = \"review\"\n{when}\nsay = '{object}{fields}}}'\n")
}

fn play(reviews: &str, more: &[&str]) -> (Sandbox, Ran) {
    let sandbox = Sandbox::new();
    let config = "[presets.row]\nphases = [\"implementation\"]\n[commands]\ndetect = false\n";
    sandbox.write(".ai-workflow/config.toml", config);
    let agent = sandbox.script(&format!("{AUTHOR}{reviews}"));
    let mut arguments =
        vec!["execute", "--issue", "243", "--forge", "local", "--preset", "row", "--agent", &agent];
    arguments.extend(more);
    let ran = sandbox.run(&arguments);
    (sandbox, ran)
}

fn prompt(sandbox: &Sandbox, attempt: u32) -> String {
    let folder = ".ai-workflow/issue-243/04_implementation/review/round-1";
    sandbox.read(&format!("{folder}/attempt-{attempt}/prompt.md"))
}

/// Returns the reasons of the rulings of the run.
fn rulings(sandbox: &Sandbox) -> Vec<String> {
    let ruled = sandbox.facts().into_iter().filter(|fact| fact["type"] == "ruled");
    ruled.map(|fact| fact["rule"].as_str().unwrap_or_default().to_owned()).collect()
}

fn pull_request(sandbox: &Sandbox) -> String {
    sandbox.read(".ai-workflow/local/issues/243.pr.md")
}

fn explain(sandbox: &Sandbox) -> String {
    sandbox.run(&["explain", "--issue", "243"]).exits(0).stdout
}

#[test]
fn reviewer_that_answers_nothing_is_asked_again_and_then_unreadable() {
    let (sandbox, ran) = play(&approves("", ""), &["--set", "phases.implementation.max_revisions=0"]);
    assert_ne!(ran.code, 0, "{}", ran.stderr);
    let question = "S1: web/count.js:1: `/* eslint-disable */` silences a checker";
    let lines = |attempt| prompt(&sandbox, attempt).lines().filter(|line| line.starts_with(question)).count();
    assert_eq!((lines(1), lines(2)), (1, 1));
    let open = "left S1 without an answer";
    assert_eq!([1, 2].map(|attempt| prompt(&sandbox, attempt).contains(open)), [false, true]);
    let rules = rulings(&sandbox);
    let lack = "the reviewer states PASS, and leaves S1 unanswered; asked again 1/1";
    assert_eq!((rules[0].as_str(), rules.len()), (lack, 2));
    assert!(rules[1].starts_with(&format!("{lack}; ")), "{}", rules[1]);
    let told = explain(&sandbox);
    assert!(told.contains("S1 web/count.js:1: `/* eslint-disable */` silences a checker"), "{told}");
    assert!(told.contains("(suspect) · unanswered"), "{told}");
}

#[test]
fn answers_of_the_second_call_count() {
    let reviews = approves("attempt = 1", "") + &approves("attempt = 2", r#", "answers": {{answers}}"#);
    let (sandbox, ran) = play(&reviews, &[]);
    assert_eq!((ran.code, rulings(&sandbox).len()), (0, 2), "{}", ran.stderr);
}

#[test]
fn answered_questions_stand_in_the_pull_request() {
    let (sandbox, ran) = play(&approves("", r#", "answers": {{answers}}"#), &[]);
    ran.exits(0);
    assert_eq!(rulings(&sandbox).len(), 1);
    let section = "## Questions of the checks";
    let text = pull_request(&sandbox);
    let listed = text.split_once(section).unwrap_or_else(|| panic!("{text}")).1;
    let line = listed.lines().find(|line| line.starts_with("- ")).expect("a question");
    assert!(line.starts_with("- implementation · S1 "), "{line}");
    assert!(line.contains("(suspect) · fine by "), "{line}");
    assert!(line.ends_with("the script says so"), "{line}");
    assert!(explain(&sandbox).contains("(suspect) · fine by scripted:"));
}

#[test]
fn wrong_is_a_finding_that_the_author_repairs() {
    let wrong = r#", "answers": {"s1": {"judgment": "wrong", "reason": "the lints find a bug in it"}}"#;
    let reviews = approves("round = 1", wrong) + &approves("round = 2", "");
    let (sandbox, ran) = play(&reviews, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let why = "the reviewer states PASS (tightened: PASS with S1 answered with wrong); revision 1/3";
    assert_eq!(rulings(&sandbox), [why, "the reviewer states PASS"]);
    let reviewed = sandbox.facts().into_iter().find(|fact| fact["type"] == "reviewed").expect("a review");
    let finding = &reviewed["reading"]["findings"][0];
    assert_eq!((&finding["file"], &finding["line"]), (&"web/count.js".into(), &1.into()));
    assert_eq!((&finding["severity"], &finding["category"]), (&"major".into(), &"suspect".into()));
    let issue = finding["issue"].as_str().expect("a text");
    assert!(
        issue.starts_with(
            "the lints find a bug in it (the check suspect asked: `/* eslint-disable */` silences a checker"
        ),
        "{issue}"
    );
    assert_eq!(reviewed["reading"]["reason"], "tightened: PASS with S1 answered with wrong");
    let folder = ".ai-workflow/issue-243/04_implementation/revise/round-1/attempt-1";
    assert!(sandbox.read(&format!("{folder}/prompt.md")).contains("the lints find a bug in it"));
}

#[test]
fn phase_without_a_review_shows_its_questions_as_unanswered() {
    let sandbox = Sandbox::new();
    let config = "[presets.row]\nphases = [\"implementation\"]\n[commands]\ndetect = false\n\
                  [phases.implementation]\npolicy = \"completion\"\nchecks = [\"suspect\", \"deliverable\"]\n";
    sandbox.write(".ai-workflow/config.toml", config);
    let agent = sandbox.script(AUTHOR);
    let ran =
        sandbox.run(&["execute", "--issue", "243", "--forge", "local", "--preset", "row", "--agent", &agent]);
    ran.exits(0);
    assert!(pull_request(&sandbox).contains("(suspect) · unanswered"));
}
