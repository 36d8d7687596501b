//! Code that no test holds: a tool that stands for cargo-mutants, by what it reports and whether it runs the tests at all, and
//! reports of coverage that tests leave. The real tools are in `real_runners/mutation.rs`.

use serde_json::{Value, json};

use crate::support::{Ran, Sandbox, honest_script};

/// A suite of one test, which fails where a function is replaced by a stub.
const SUITE: &str = r"echo 'running 1 test'
if grep -q 'unimplemented!' src/lib.rs; then
    echo 'test pages ... FAILED'
    echo 'test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s'
    exit 1
fi
echo 'test pages ... ok'
echo 'test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s'
";

/// Runs the tests and writes a report, as cargo-mutants does; changes the code meanwhile and leaves it so.
const TOOL: &str = r#"#!/bin/sh
for word in "$@"; do
    case $before in --in-diff) diff=$word ;; --output) output=$word ;; esac
    before=$word
done
cp "$diff" "$(dirname "$0")/noted.diff"
RUN_TESTS || { echo 'ERROR cargo test failed in an unmutated tree' >&2; exit 4; }
echo '// a mutant' >> src/lib.rs
mkdir "$output/mutants.out"
echo 'REPORT' > "$output/mutants.out/outcomes.json"
exit 2
"#;

const RUNS_TESTS: &str = "sh run.sh > /dev/null";
const CODE: &str =
    "/// Counts.\npub fn pages() -> u32 {\n    3\n}\n\npub fn books() -> u32 {\n    pages() / 2\n}\n";

/// A report of a mutant that a test noticed, of one that none did, and of one that was not built.
fn report(summaries: &[&str]) -> String {
    let baseline = json!({"scenario": "Baseline", "summary": "Success", "phase_results": []});
    let mutant = |summary: &&str| {
        let (name, file) = ("src/lib.rs:7:13: replace / with * in books", "src/lib.rs");
        let span = json!({"start": {"line": 7, "column": 13}, "end": {"line": 7, "column": 14}});
        json!({"scenario": {"Mutant": {"name": name, "file": file, "span": span}}, "summary": summary})
    };
    let outcomes: Vec<Value> = [baseline].into_iter().chain(summaries.iter().map(mutant)).collect();
    json!({"outcomes": outcomes}).to_string()
}

fn tool(runs_tests: &str, summaries: &[&str]) -> String {
    TOOL.replace("RUN_TESTS", runs_tests).replace("REPORT", &report(summaries))
}

/// A project on a branch that changes a file, with these commands besides its tests.
fn branch(file: &str, text: &str, suite: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("run.sh", suite);
    sandbox.write(".gitignore", "coverage/\n");
    sandbox.git(&["add", "run.sh", ".gitignore"]);
    sandbox.git(&["commit", "-q", "-m", "a suite"]);
    sandbox.git(&["switch", "-q", "-c", "topic"]);
    sandbox.write(".ai-workflow/config.toml", "[commands]\ndetect = false\ntest = \"sh run.sh\"\n");
    sandbox.write(file, text);
    sandbox
}

/// Judges a change of code with a tool, and returns what the check says; the command never fails by it.
fn judged(tool: &str) -> (Sandbox, Value) {
    let sandbox = branch("src/lib.rs", CODE, SUITE);
    let tool = sandbox.executable("mutants", tool);
    let config = sandbox.read(".ai-workflow/config.toml");
    sandbox.write(".ai-workflow/config.toml", &format!("{config}mutants = \"{}\"\n", tool.display()));
    let result = check(&sandbox);
    (sandbox, result)
}

fn check(sandbox: &Sandbox) -> Value {
    let ran = sandbox.run(&["check", "--base", "main", "--only", "tests,mutants", "--json"]).exits(0);
    result(&ran)
}

fn result(ran: &Ran) -> Value {
    let report = ran.json();
    let results = report["results"].as_array().expect("results");
    results.iter().find(|result| result["check"] == "mutants").unwrap_or_else(|| panic!("{report}")).clone()
}

/// Returns how the check ended, what it says, and how many questions it asks.
fn said(result: &Value) -> (&str, &str, usize) {
    let questions = result["questions"].as_array().map_or(0, Vec::len);
    (result["status"].as_str().expect("a status"), result["summary"].as_str().expect("a summary"), questions)
}

#[test]
fn a_mutant_that_no_test_notices_is_a_question() {
    let (sandbox, result) = judged(&tool(RUNS_TESTS, &["CaughtMutant", "MissedMutant", "Unviable"]));
    let told = "no test fails with 1 mutant: line 7: replace / with * in books";
    let summary = format!("no test holds what changed: src/lib.rs:7: {told}");
    assert_eq!(said(&result), ("fail", summary.as_str(), 1));
    assert_eq!(
        (&result["questions"][0]["id"], &result["required"]),
        (&json!("S1"), &json!(false)),
        "{result}"
    );
    let place = &result["places"][0];
    assert_eq!((&place["file"], &place["line"]), (&json!("src/lib.rs"), &json!(7)));
    let noted = std::fs::read_to_string(sandbox.root().with_file_name("noted.diff"));
    insta::assert_snapshot!(noted.expect("the lines that the tool was given"), @"
    --- a/src/lib.rs
    +++ b/src/lib.rs
    @@ -3,0 +3,1 @@
    +    3
    @@ -6,0 +6,1 @@
    +pub fn books() -> u32 {
    @@ -7,0 +7,1 @@
    +    pages() / 2
    ");
    assert_eq!(sandbox.read("src/lib.rs"), CODE, "what the tool changed is in no tree");
}

#[test]
fn in_a_run_the_reviewer_is_asked_where_tests_had_to_be_written() {
    let sandbox = branch("README.md", "# sandbox\n", SUITE);
    let tool = sandbox.executable("mutants", &tool(RUNS_TESTS, &["CaughtMutant", "MissedMutant"]));
    let config = sandbox.read(".ai-workflow/config.toml");
    let phase = "order = [\"test_implementation\"]\nphases.test_implementation.needs = []\n";
    let checks = "[checks]\ndisabled = [\"red_green\"]\n";
    let config = format!("{phase}{config}mutants = \"{}\"\n{checks}", tool.display());
    sandbox.write(".ai-workflow/config.toml", &config);
    let files =
        [("{{output}}", "# Tests\n"), ("src/lib.rs", CODE), ("tests/pages.rs", "#[test]\nfn three() {}\n")];
    let files = files.map(|(path, text)| format!("{{ path = \"{path}\", text = {} }}", json!(text)));
    let turn = "[[turn]]\nphase = \"test_implementation\"\nstep = \"execute\"\nsay = \"done\"\n";
    let agent = sandbox.script(&honest_script(&format!("{turn}write = [{}]\n", files.join(", "))));
    sandbox.run(&["execute", "--issue", "243", "--forge", "local", "--agent", &agent]).exits(0);
    let prompt =
        sandbox.read(".ai-workflow/issue-243/05_test_implementation/review/round-1/attempt-1/prompt.md");
    let question = prompt.lines().find(|line| line.starts_with("S1: ")).expect("a question");
    insta::assert_snapshot!(question, @"S1: src/lib.rs:7: no test fails with 1 mutant: line 7: replace / with * in books (mutants)");
}

#[test]
fn a_change_whose_tests_notice_every_mutant_asks_nothing() {
    let (_, result) = judged(&tool(RUNS_TESTS, &["CaughtMutant", "CaughtMutant"]));
    assert_eq!(said(&result), ("pass", "2 mutants of the changed lines: a test fails with each", 0));
}

#[test]
fn a_tool_that_catches_nothing_is_believed_where_it_sees_the_tests_fail() {
    let (_, result) = judged(&tool(RUNS_TESTS, &["MissedMutant", "MissedMutant"]));
    let (status, summary, questions) = said(&result);
    assert_eq!((status, questions), ("fail", 1), "{result}");
    assert!(summary.contains("no test fails with 2 mutants"), "{summary}");
}

#[test]
fn a_tool_that_does_not_run_the_tests_accuses_nobody() {
    let (_, result) = judged(&tool("true", &["MissedMutant"]));
    let (status, summary, questions) = said(&result);
    assert_eq!((status, questions), ("unavailable", 0), "{result}");
    assert!(summary.contains("goes on where the functions of the change fail"), "{summary}");
}

#[test]
fn a_broken_tool_is_told_and_fails_nothing() {
    let (_, result) = judged("#!/bin/sh\necho 'thread main panicked' >&2\nexit 101\n");
    let (status, summary, questions) = said(&result);
    assert_eq!((status, questions), ("unavailable", 0), "{result}");
    assert!(
        summary.contains("gives no result: it ended with exit code 101: thread main panicked"),
        "{summary}"
    );
    let (_, result) = judged("#!/bin/sh\nexit 0\n");
    assert_eq!(said(&result), ("pass", "no mutant was made of the changed lines", 0));
}

#[test]
fn without_a_tool_or_without_code_nothing_is_asked() {
    let no_tool = "no `[commands] mutants` is set or detected";
    assert_eq!(said(&check(&branch("src/lib.rs", CODE, SUITE))), ("skipped", no_tool, 0));
    let no_code = "the run changed no code of the product";
    assert_eq!(said(&check(&branch("README.md", "# More\n", SUITE))), ("skipped", no_code, 0));
    assert_eq!(said(&check(&branch("tests/a.rs", "#[test]\nfn a() {}\n", SUITE))), ("skipped", no_code, 0));
}

/// Adds to the suite that it leaves a report of coverage, in which these lines ran so often.
fn with_coverage(lines: &str) -> String {
    format!(
        "{SUITE}mkdir -p coverage\nprintf 'SF:src/lib.rs\\n{lines}end_of_record\\n' > coverage/lcov.info\n"
    )
}

#[test]
fn a_changed_function_that_no_test_runs_is_a_question() {
    let suite = with_coverage("DA:2,1\\nDA:3,1\\nDA:6,0\\nDA:7,0\\n");
    let result = check(&branch("src/lib.rs", CODE, &suite));
    let (status, summary, questions) = said(&result);
    assert_eq!((status, questions), ("fail", 1), "{result}");
    let told = "src/lib.rs:6: no test runs what changed in `books`: lines 6, 7";
    assert_eq!(summary, format!("no test holds what changed: {told}"));
}

#[test]
fn a_changed_function_that_tests_run_in_part_is_none() {
    let no_tool = "no `[commands] mutants` is set or detected";
    let in_part = with_coverage("DA:2,1\\nDA:3,1\\nDA:6,1\\nDA:7,0\\n");
    assert_eq!(said(&check(&branch("src/lib.rs", CODE, &in_part))), ("skipped", no_tool, 0));
    let nothing_ran = with_coverage("DA:6,0\\nDA:7,0\\n");
    assert_eq!(said(&check(&branch("src/lib.rs", CODE, &nothing_ran))), ("skipped", no_tool, 0));
}
