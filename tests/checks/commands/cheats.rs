//! What an author might do to look tested, each beside the honest work that is most like it.

use super::{commit, expect, project, results, tested, turns, work};
use crate::support::{ISSUE, Sandbox, honest_script};

const HONEST: (&str, &str) = ("tests/new.t", "grep -qx '    3' src/lib.rs\n");

#[test]
fn failing_tests_fail_the_run_and_passing_tests_do_not() {
    let sandbox = tested();
    work(&sandbox, &[HONEST], &[]).exits(0);
    expect(&sandbox, "implementation", "tests", "pass", ", 2 tests");
    let sandbox = tested();
    work(&sandbox, &[("tests/new.t", "grep -q 4 src/lib.rs\n")], &[]).exits(1);
    let result = expect(&sandbox, "implementation", "tests", "fail", "exit code 1; 1 failure");
    assert_eq!(result["pattern"], "tests-failed");
    assert_eq!(result["params"]["failedTests"], serde_json::json!(["new"]));
    insta::assert_snapshot!(result["params"]["errorOutput"], @r#""running 2 tests\ntest new ... FAILED\ntest old ... ok\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s""#);
}

#[test]
fn lint_and_types_are_checked_when_their_commands_are_set() {
    let commands = "lint = \"grep -qx '    2' src/lib.rs\"\ntypecheck = \"test -f src/lib.rs\"\n";
    let sandbox = project(commands);
    work(&sandbox, &[], &[]).exits(1);
    let result = expect(&sandbox, "implementation", "lint", "fail", "exit code 1");
    assert_eq!(result["pattern"], "command-failed");
    expect(&sandbox, "implementation", "typecheck", "pass", "passed");
    let checked = sandbox.facts().into_iter().find(|fact| fact["type"] == "checked").expect("evidence");
    let order: Vec<&str> = checked["results"]
        .as_array()
        .expect("results")
        .iter()
        .filter_map(|result| result["check"].as_str())
        .collect();
    assert_eq!(order[order.len() - 2..], ["lint", "typecheck"]);
}

#[test]
fn unpublished_helper_file_does_not_make_tests_pass() {
    let uses = ("tests/new.t", ". ./helper.sh\n");
    let sandbox = tested();
    sandbox.write("helper.sh", "true\n");
    work(&sandbox, &[uses], &[]).exits(1);
    expect(&sandbox, "implementation", "tests", "fail", "1 failure");
    assert!(Sandbox::ran(sandbox.command("sh").arg("run.sh")).code == 0, "in the author's tree they pass");
    let sandbox = tested();
    work(&sandbox, &[("tests/new.t", ". ./cache/helper.sh\n"), ("cache/helper.sh", "true\n")], &[]).exits(1);
    expect(&sandbox, "implementation", "tests", "fail", "1 failure");
    let sandbox = tested();
    work(&sandbox, &[uses, ("helper.sh", "true\n")], &[]).exits(0);
}

#[test]
fn what_an_author_changes_in_the_clean_worktree_does_not_make_tests_pass() {
    let forgeries = [
        "git update-index --skip-worktree src/lib.rs; echo '    3' > src/lib.rs",
        "mkdir -p cache; echo '    3' > cache/answer",
    ];
    for forgery in forgeries {
        let sandbox = tested();
        sandbox.write("forge.sh", &format!("cd ../*-issue-243-clean && {{ {forgery}; }}\n"));
        let wants = ("tests/new.t", "grep -qx '    3' src/lib.rs cache/answer 2> /dev/null\n");
        let answers = ("src/lib.rs", "pub fn pages() -> u32 {\n    4\n}\n");
        let forging = turns(&[wants, answers], &[])
            .replace("step = \"revise\"\n", "step = \"revise\"\nrun = \"sh forge.sh\"\n");
        let agent = sandbox.script(&honest_script(&forging));
        let ran = sandbox.run(&["execute", "--issue", "243", "--forge", "local", "--agent", &agent]);
        let ran = ran.exits(1);
        assert!(
            ran.stderr.contains("were changed by another program; the folder is made anew"),
            "{}",
            ran.stderr
        );
        expect(&sandbox, "implementation", "tests", "fail", "1 failure");
    }
}

#[test]
fn an_old_test_report_is_deleted_before_the_tests_run() {
    let sandbox = project("test = \"sh trusting.sh\"\n");
    let trusting = "for report in junit.xml cache/a.xml packages/one/junit.xml packages/one/reports/a.xml; do\n\
                    [ -e $report ] && [ $report != cache/a.xml ] && exit 0\n\
                    mkdir -p cache packages/one/reports; echo '<testsuites/>' > $report\n\
                    done\nexit 1\n";
    sandbox.write("trusting.sh", trusting);
    sandbox.write("packages/one/.gitignore", "junit*.xml\n/reports/\n");
    commit(&sandbox);
    work(&sandbox, &[("junit.xml", "<testsuites failures=\"0\"/>\n")], &[]).exits(1);
    assert!(sandbox.has("junit.xml"), "it stands in the author's tree");
    let all = results(&sandbox, "testing", "tests");
    assert_eq!(all.len(), 2);
    assert!(all.iter().all(|result| result["status"] == "fail"), "{all:#?}");
}

#[test]
fn no_tests_and_exit_code_0_is_a_failure() {
    let sandbox = tested();
    work(&sandbox, &[], &["tests/old.t"]).exits(1);
    let result = expect(&sandbox, "implementation", "tests", "fail", "ran no test");
    assert_eq!(result["pattern"], "no-tests-run");
}

#[test]
fn fewer_tests_than_at_the_base_is_a_failure() {
    let sandbox = tested();
    sandbox.write("tests/other.t", "true\n");
    commit(&sandbox);
    work(&sandbox, &[], &["tests/other.t"]).exits(1);
    let result = expect(&sandbox, "implementation", "pass_to_pass", "fail", "other is gone");
    assert_eq!(result["pattern"], "lost-tests");
}

#[test]
fn fewer_tests_pass_when_the_issue_asks_for_it_or_the_module_is_removed() {
    let sandbox = tested();
    sandbox.write("tests/other.t", "true\n");
    commit(&sandbox);
    sandbox.write(
        ".ai-workflow/local/issues/243.md",
        &ISSUE.replace("It should", "Remove the other pager. It should"),
    );
    work(&sandbox, &[], &["tests/other.t"]).exits(0);
    let sandbox = tested();
    sandbox.write("tests/other.t", "true\n");
    sandbox.write("src/other.rs", "pub fn other() {}\n");
    commit(&sandbox);
    work(&sandbox, &[], &["tests/other.t", "src/other.rs"]).exits(0);
}

#[test]
fn a_project_without_tests_fails_in_the_testing_phase_only() {
    let bare = || {
        let sandbox = tested();
        sandbox.git(&["rm", "-q", "tests/old.t"]);
        sandbox.git(&["commit", "-q", "-m", "no tests"]);
        sandbox
    };
    let sandbox = bare();
    work(&sandbox, &[], &[]).exits(1);
    expect(&sandbox, "implementation", "tests", "failed_before", "not charged: the base has no tests either");
    expect(&sandbox, "testing", "tests", "fail", "ran no test");
    work(&bare(), &[HONEST], &[]).exits(0);
    let sandbox = bare();
    let agent = sandbox.script(&honest_script(&turns(&[], &[])));
    let words = ["execute", "--preset", "quick-fix", "--issue", "243", "--forge", "local", "--agent", &agent];
    let why = "`sh run.sh` ran no test; not charged: the base has no tests either";
    sandbox.run(&words).exits(0).says(&format!("no test was run: {why}"));
}

/// A project whose tests are run, and whose new tests have to fail without the code.
fn gated() -> Sandbox {
    let sandbox = tested();
    let config = sandbox.read(".ai-workflow/config.toml") + "[checks]\nenabled = [\"red_green\"]\n";
    sandbox.write(".ai-workflow/config.toml", &config);
    sandbox
}

#[test]
fn new_tests_must_fail_without_the_code_change() {
    let sandbox = gated();
    work(&sandbox, &[HONEST], &[]).exits(0);
    expect(&sandbox, "implementation", "red_green", "pass", "fails without the code");
    let sandbox = gated();
    work(&sandbox, &[("tests/new.t", "test -f src/lib.rs\n")], &[]).exits(1);
    let result = expect(
        &sandbox,
        "implementation",
        "red_green",
        "fail",
        "without the code that the run changed `new` passes as well",
    );
    assert_eq!(result["pattern"], "tests-prove-nothing");
    let sandbox = gated();
    work(&sandbox, &[], &[]).exits(0);
    expect(&sandbox, "implementation", "red_green", "skipped", "did not change both");
}

#[test]
fn a_new_test_that_reaches_nothing_of_the_change_is_asked_about_beside_a_test_of_the_base() {
    let due = || {
        let sandbox = gated();
        sandbox.write("tests/due.t", HONEST.1);
        commit(&sandbox);
        sandbox
    };
    let idle = ("tests/idle.t", "test 1 = 1\n");
    let sandbox = due();
    work(&sandbox, &[idle], &[]).exits(0);
    let what = "`idle` is new, passes without the change";
    let result = expect(&sandbox, "implementation", "red_green", "fail", what);
    assert_eq!((&result["pattern"], &result["asks"]), (&"tests-prove-nothing".into(), &true.into()));
    // It fails where the functions do, or another new test proves the change.
    let reaches = ("tests/reaches.t", "! grep -q unimplemented src/lib.rs\n");
    for honest in [&[reaches][..], &[idle, HONEST], &[]] {
        let sandbox = due();
        work(&sandbox, honest, &[]).exits(0);
        expect(
            &sandbox,
            "implementation",
            "red_green",
            if honest.is_empty() { "skipped" } else { "pass" },
            "",
        );
    }
}
