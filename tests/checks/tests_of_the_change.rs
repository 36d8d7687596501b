//! Tests that come with the code, and tests that the code makes wrong: whole runs.

use serde_json::json;

use crate::excerpt::excerpt;
use crate::support::{Sandbox, honest_script};

const CODE: &str = "{ path = \"src/lib.rs\", text = \"pub fn pages() -> u32 { 3 }\\n\" }";
const TESTS: &str = "{ path = \"tests/pages.rs\", text = \"#[test]\\nfn three() {}\\n\" }";

/// Runs two phases; the first writes these files, the second its document only.
fn run(phases: [&str; 2], files: &[&str]) -> Sandbox {
    run_saying(phases, files, "# What was left to do\\n")
}

/// The same with these documents.
fn run_saying(phases: [&str; 2], files: &[&str], document: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let [first, second] = phases;
    let config = format!(
        "order = [\"{first}\", \"{second}\"]\n[commands]\ndetect = false\n\
         [phases.{first}]\nneeds = []\n[phases.{second}]\nneeds = []\nmax_revisions = 1\n"
    );
    sandbox.write(".ai-workflow/config.toml", &config);
    let turn = |phase: &str, files: &[&str]| {
        let document = format!("{{ path = \"{{{{output}}}}\", text = \"{document}\" }}");
        let files = [&[document.as_str()], files].concat().join(", ");
        format!("[[turn]]\nphase = \"{phase}\"\nstep = \"execute\"\nsay = \"done\"\nwrite = [{files}]\n")
    };
    let agent = sandbox.script(&honest_script(&(turn(first, files) + &turn(second, &[]))));
    let ran = sandbox.run(&["execute", "--issue", "243", "--forge", "local", "--agent", &agent]);
    assert!(ran.code != 2, "{}", ran.stderr);
    let outcome = &sandbox.metadata()["outcome"];
    assert_eq!(ran.code == 0, outcome == "completed", "{}", ran.stderr);
    sandbox
}

#[test]
fn tests_written_in_implementation_count_for_test_implementation() {
    let sandbox = run(["implementation", "test_implementation"], &[CODE, TESTS]);
    assert_eq!(sandbox.metadata()["outcome"], "completed");
    let review =
        sandbox.read(".ai-workflow/issue-243/05_test_implementation/review/round-1/attempt-1/prompt.md");
    insta::assert_snapshot!(excerpt(&review, "code_changed:", "\n"), @"code_changed: passed: this phase changed nothing outside .ai-workflow/; since its base the run changed 2 files there");
    insta::assert_snapshot!(excerpt(&review, "+++ b/tests/pages.rs", "\n```"), @"
    +++ b/tests/pages.rs
    @@ -0,0 +1,2 @@
    +#[test]
    +fn three() {}
    ");
}

#[test]
fn code_written_in_test_implementation_counts_for_implementation() {
    let sandbox = run(["test_implementation", "implementation"], &[TESTS, CODE]);
    assert_eq!(sandbox.metadata()["outcome"], "completed");
}

#[test]
fn run_without_a_new_test_fails_in_test_implementation() {
    let sandbox = run(["implementation", "test_implementation"], &[CODE]);
    let phase = &sandbox.metadata()["phases"]["test_implementation"];
    assert_eq!((&phase["status"], &phase["reason"]), (&json!("failed"), &json!("E_NO_DELIVERABLE")));
    let advice =
        sandbox.read(".ai-workflow/issue-243/05_test_implementation/revise/round-1/attempt-1/prompt.md");
    insta::assert_snapshot!(excerpt(&advice, "## What to repair", "\n\n"), @"
    ## What to repair
    Checks that did not pass, in the order in which to repair them; they come before anything else:
    [data [RUN]: what our checks saw, output of commands included]
    ```
    - code_changed: FAILED: since its base the run has written no test
    ```
    [end of data [RUN]]
    The change of this run holds no test yet, and the phase `test_implementation` is there for them. Write tests for the change, in the project's own
    framework and places, outside `.ai-workflow/`. Tests that the phases before wrote count; a comment, an empty file or a moved test does not.
    ");
}

#[test]
fn run_whose_author_says_that_the_behaviour_stays_may_write_no_test_where_its_reviewer_agrees() {
    let document = "# A refactoring\\n\\nBehaviour: unchanged, pages() is only easier to read.\\n";
    let sandbox = run_saying(["implementation", "test_implementation"], &[CODE], document);
    assert_eq!(sandbox.metadata()["outcome"], "completed");
    let review =
        sandbox.read(".ai-workflow/issue-243/05_test_implementation/review/round-1/attempt-1/prompt.md");
    insta::assert_snapshot!(excerpt(&review, "S1: ", "\n"), @"S1: the author says that the behaviour stays as it was (Behaviour: unchanged, pages() is only easier to read.); since its base the run has written no test (code_changed)");
}

/// Runs each line `assert_eq!(pages(41), 2);` of `tests/pages.rs` against `pages.sh`, and says what it ran in TAP.
const RUNNER: &str = r#". ./pages.sh
n=0 failed=0
echo 'TAP version 13'
while read -r line; do
    case $line in
    'fn '*) name=${line#fn } ;;
    'assert_eq!('*)
        n=$((n + 1)) rest=${line#*pages(}
        want=${rest##*, }
        if [ "$(pages "${rest%%)*}")" = "${want%);}" ]; then echo "ok $n - ${name%%(*}"
        else echo "not ok $n - ${name%%(*}"; failed=1; fi ;;
    esac
done < tests/pages.rs
echo "1..$n"
exit $failed
"#;

/// Returns a file of tests: a name, the lines of a book, its pages.
fn tests(rows: &[(&str, u32, u32)]) -> String {
    let test = |(name, lines, pages): &(&str, u32, u32)| {
        format!("#[test]\nfn {name}() {{\n    assert_eq!(pages({lines}), {pages});\n}}\n")
    };
    rows.iter().map(test).collect::<Vec<_>>().join("\n")
}

const EMPTY: (&str, u32, u32) = ("an_empty_book_has_no_pages", 0, 0);
const FULL: (&str, u32, u32) = ("two_full_pages_are_two", 80, 2);
/// Holds the bug.
const BEGUN: (&str, u32, u32) = ("a_begun_page_does_not_count", 41, 1);

/// Runs the two phases on a project whose last test holds the bug: the author repairs the code, leaves these tests, and says
/// this in its document; then it writes those tests.
fn repair(left: &[(&str, u32, u32)], document: &str, then: &[(&str, u32, u32)]) -> (Sandbox, i32) {
    let sandbox = Sandbox::new();
    sandbox.write("run.sh", RUNNER);
    sandbox.write("pages.sh", "pages() { echo $(($1 / 40)); }\n");
    sandbox.write("tests/pages.rs", &tests(&[EMPTY, FULL, BEGUN]));
    sandbox.git(&["add", "run.sh", "pages.sh", "tests"]);
    sandbox.git(&["commit", "-q", "-m", "a project"]);
    let config = "order = [\"implementation\", \"test_implementation\"]\n[commands]\ntest = \"sh run.sh\"\n\
                  [policies.phase-review.limits]\nmax_revisions = 0\n[phases.implementation]\nneeds = []\n\
                  [checks]\nenabled = [\"tests\"]\n";
    sandbox.write(".ai-workflow/config.toml", config);
    let turn = |phase: &str, files: &[(&str, &str)]| {
        let quoted = |text: &str| serde_json::to_string(text).expect("a text");
        let files = files
            .iter()
            .map(|(path, text)| format!("{{ path = {}, text = {} }}", quoted(path), quoted(text)));
        let files: Vec<String> = files.collect();
        format!(
            "[[turn]]\nphase = \"{phase}\"\nstep = \"execute\"\nsay = \"done\"\nwrite = [{}]\n",
            files.join(", ")
        )
    };
    let repaired = ("pages.sh", "pages() { echo $((($1 + 39) / 40)); }\n");
    let first = [("{{output}}", document), repaired, ("tests/pages.rs", &tests(left))];
    let second = [("{{output}}", "# tests\n"), ("tests/pages.rs", &tests(then))];
    let turns = turn("implementation", &first) + &turn("test_implementation", &second);
    let agent = sandbox.script(&honest_script(&turns));
    let ran = sandbox.run(&["execute", "--issue", "243", "--forge", "local", "--agent", &agent]);
    assert!(ran.code < 2, "{}", ran.stderr);
    (sandbox, ran.code)
}

#[test]
fn removed_test_with_a_reason_passes_and_the_reviewer_is_asked() {
    let document = "# Pages\n\n- `tests/pages.rs::a_begun_page_does_not_count`: the issue asks for 2 pages\n";
    // The second phase takes lines of the file away, so that its tests are counted against the base as well.
    let (sandbox, code) = repair(&[EMPTY, FULL], document, &[EMPTY, ("two_full_pages_are_two", 120, 3)]);
    assert_eq!(code, 0, "{:#?}", sandbox.metadata()["phases"]);
    let review = sandbox.read(".ai-workflow/issue-243/04_implementation/review/round-1/attempt-1/prompt.md");
    insta::assert_snapshot!(excerpt(&review, "\nS1: ", "\n```").trim(), @"
    S1: tests/pages.rs:12: the test `a_begun_page_does_not_count` is gone. Was that asked for, or do others ask the same? (suspect)
    S2: a_begun_page_does_not_count is gone; the author says: - `tests/pages.rs::a_begun_page_does_not_count`: the issue asks for 2 pages (pass_to_pass)
    ");
}

/// The test that holds the bug, as the issue asks for it.
const COUNTS: (&str, u32, u32) = ("a_begun_page_does_not_count", 41, 2);

#[test]
fn announced_test_is_not_charged_until_tests_are_written() {
    let said = "# code\n\n- `a_begun_page_does_not_count`: the issue asks that a begun page counts.\n";
    let (sandbox, code) = repair(&[EMPTY, FULL, BEGUN], said, &[EMPTY, FULL, COUNTS]);
    assert_eq!(code, 0, "{}", sandbox.metadata());
    let (sandbox, code) = repair(&[EMPTY, FULL, BEGUN], said, &[EMPTY, FULL, BEGUN, ("one_line", 1, 1)]);
    assert_eq!(code, 1, "it was announced and never changed");
    assert_eq!(sandbox.metadata()["phases"]["test_implementation"]["status"], "failed");
    let (sandbox, code) = repair(&[EMPTY, FULL, BEGUN], "# code\n", &[EMPTY, FULL, COUNTS]);
    assert_eq!(code, 1, "nothing was announced");
    assert_eq!(sandbox.metadata()["phases"]["implementation"]["status"], "failed");
}

#[test]
fn named_test_excuses_no_other_test() {
    let document = "# Pages\n\n- `a_begun_page_does_not_count`: the issue asks for 2 pages\n";
    let (sandbox, code) = repair(&[EMPTY], document, &[EMPTY]);
    assert_eq!(code, 1);
    let facts = sandbox.facts();
    let checked = facts.iter().find(|fact| fact["type"] == "checked").expect("evidence");
    let results = checked["results"].as_array().expect("results");
    let compared = results.iter().find(|one| one["check"] == "pass_to_pass").expect("it was compared");
    insta::assert_snapshot!(
        compared["summary"].as_str().expect("a summary"),
        @"tests that passed at the base do not pass any more: tests/pages.rs:7: two_full_pages_are_two is gone"
    );
}

#[test]
fn a_new_test_that_asserts_nothing_is_asked_about_beside_a_test_of_the_base_that_proves_the_change() {
    let sandbox = Sandbox::new();
    // A line `see!(…)` is run as well, and asserts nothing.
    sandbox.write("run.sh", &RUNNER.replace("'assert_eq!('*)", "'assert_eq!('*|'see!('*)"));
    sandbox.write("pages.sh", "pages() { echo $(($1 / 40)); }\n");
    sandbox.write("tests/pages.rs", &tests(&[EMPTY, FULL, COUNTS]));
    sandbox.write(".ai-workflow/config.toml", "[commands]\ntest = \"sh run.sh\"\n");
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-q", "-m", "a project"]);
    sandbox.write("pages.sh", "pages() { echo $((($1 + 39) / 40)); }\n");
    let check = |test: &str| {
        sandbox.write("tests/pages.rs", &(tests(&[EMPTY, FULL, COUNTS]) + test));
        let ran =
            sandbox.run(&["check", "--base", "HEAD", "--message", "fix: a begun page counts", "--json"]);
        let said: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let results = said["results"].as_array().expect("results");
        results.iter().find(|one| one["check"] == "red_green").expect("it was compared").clone()
    };
    let hollow = check("\n#[test]\nfn one_line_is_counted() {\n    see!(pages(40), 1);\n}\n");
    insta::assert_snapshot!(
        hollow["summary"].as_str().expect("a summary"),
        @"tests may prove nothing: `one_line_is_counted` is new, passes without the change, and says nothing about it. What is it for?"
    );
    assert_eq!(hollow["required"], json!(false));
    assert_eq!(hollow["questions"].as_array().expect("questions").len(), 1);
    let asserts = check(&format!("\n{}", tests(&[("eighty_lines", 80, 2)])));
    assert_eq!(asserts["status"], "pass", "it asserts, and the code has no grammar: {asserts}");
}
