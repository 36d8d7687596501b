//! `check` as the reviewer of a branch: each test at its base and now, what the checks ask, and what is left of it all.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Ran, Sandbox, eventually, working_below};

const PAGER: &str = "def pages(items, size):\n    return items // size\n";
const FIXED: &str = "def pages(items, size):\n    return -(-items // size)\n";
const TESTS: &str = "import unittest\n\nfrom pager import pages\n\n\nclass PageTest(unittest.TestCase):\n    def test_full(self):\n        \
    self.assertEqual(pages(6, 3), 2)\n\n    def test_none(self):\n        self.assertEqual(pages(0, 3), 0)\n";
const LAST: &str = "\n    def test_last(self):\n        self.assertEqual(pages(7, 3), 3)\n";
/// A test that passes with the code of the base as well.
const HOLLOW: &str = "\n    def test_some(self):\n        self.assertIsNotNone(pages(7, 3))\n";
const SUITE: &str = "[commands]\ndetect = false\ntest = \"python3 -m unittest discover -s tests -t .\"\n";

/// A Python project on a branch of its own, with these versions of its code and of its tests; nothing is committed there.
fn branch(pager: &str, tests: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("pager.py", PAGER);
    sandbox.write("tests/__init__.py", "");
    sandbox.write("tests/test_pager.py", TESTS);
    sandbox.write(".gitignore", "__pycache__/\n*.log\n");
    sandbox.git(&["add", "pager.py", "tests", ".gitignore"]);
    sandbox.git(&["commit", "-q", "-m", "a pager"]);
    sandbox.git(&["switch", "-q", "-c", "topic"]);
    sandbox.write(".ai-workflow/config.toml", SUITE);
    sandbox.write("pager.py", pager);
    sandbox.write("tests/test_pager.py", tests);
    sandbox
}

fn fixed() -> Sandbox {
    branch(FIXED, &format!("{TESTS}{LAST}"))
}

/// Returns the result of one check.
fn result(ran: &Ran, check: &str) -> Value {
    let report = ran.json();
    let results = report["results"].as_array().expect("results");
    results.iter().find(|result| result["check"] == check).unwrap_or_else(|| panic!("{report}")).clone()
}

/// Returns what the checks that fail, and are not only noted, say.
fn failures(ran: &Ran) -> Vec<String> {
    let report = ran.json();
    let fails = |result: &&Value| result["status"] == "fail" && result["required"] == true;
    let results = report["results"].as_array().expect("results").iter().filter(fails);
    results.map(|result| result["check"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn an_honest_fix_with_its_test_passes_by_what_the_tests_say() {
    let sandbox = fixed();
    let ran = sandbox.run(&["check", "--base", "main", "--json"]).exits(0);
    assert_eq!(ran.stderr, "");
    for (check, summary) in [
        ("pass_to_pass", "every test that passed at the base is there and passes (2)"),
        ("changed_expectations", "no test expects something else"),
    ] {
        let result = result(&ran, check);
        assert_eq!((&result["status"], &result["summary"]), (&json!("pass"), &json!(summary)));
    }
    let red_green = result(&ran, "red_green");
    assert_eq!(red_green["status"], "pass", "{red_green}");
    let passes = |name: &str, new_tests_on_old_code: &str| {
        let (base, old_tests) =
            if name == "test_last" { (None, None) } else { (Some("passed"), Some("passed")) };
        json!({"id": format!("tests.test_pager.PageTest.{name}"), "base": base, "now": "passed",
            "old_tests_on_new_code": old_tests, "new_tests_on_old_code": new_tests_on_old_code})
    };
    let expected =
        [passes("test_full", "passed"), passes("test_last", "failed"), passes("test_none", "passed")];
    assert_eq!(ran.json()["tests"], json!(expected));
}

#[test]
fn a_weaker_test_in_the_place_of_another_fails() {
    let weaker = TESTS
        .replace("test_full", "test_fits")
        .replace("assertEqual(pages(6, 3), 2)", "assertTrue(pages(6, 3))");
    let sandbox = branch(FIXED, &format!("{weaker}{LAST}"));
    let ran = sandbox.run(&["check", "--only", "pass_to_pass"]).exits(1);
    let lines: Vec<&str> = ran.stdout.lines().skip(1).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    ✗ pass_to_pass  tests that passed at the base do not pass any more: tests/test_pager.py:7: tests.test_pager.PageTest.test_full is gone
    1 failed
    ");
}

#[test]
fn a_test_that_fails_once_in_runs_of_the_same_files_is_not_charged() {
    // Now, base, old tests on new code, new tests on old code: whichever is the odd run, the fix is honest.
    for odd in 1..=4 {
        let sandbox = branch(FIXED, &format!("{TESTS}{LAST}"));
        let runs = sandbox.root().with_file_name("runs");
        let flaky = format!(
            "import pathlib\nimport unittest\n\nRUNS = pathlib.Path({:?})\n\n\nclass NetTest(unittest.TestCase):\n    def test_net(self):\n        \
             with RUNS.open('a') as runs:\n            runs.write('x')\n        self.assertNotEqual(len(RUNS.read_text()), {odd})\n",
            runs.display().to_string()
        );
        sandbox.git(&["stash", "-q"]);
        sandbox.git(&["switch", "-q", "main"]);
        sandbox.write("tests/test_net.py", &flaky);
        sandbox.git(&["add", "tests/test_net.py"]);
        sandbox.git(&["commit", "-q", "-m", "a net"]);
        sandbox.git(&["switch", "-q", "topic"]);
        sandbox.git(&["reset", "-q", "--hard", "main"]);
        sandbox.git(&["stash", "pop", "-q"]);
        let ran = sandbox.run(&["check", "--base", "main", "--json"]).exits(0);
        assert_eq!(result(&ran, "changed_expectations")["status"], "pass", "odd run {odd}");
        assert_eq!(failures(&ran), [""; 0], "odd run {odd}");
    }
}

#[test]
fn an_assert_in_a_test_that_was_there_proves_the_change_or_is_asked_about() {
    let with =
        |assert: &str| TESTS.replace("pages(6, 3), 2)\n", &format!("pages(6, 3), 2)\n        {assert}\n"));
    let check = |tests: &str| {
        let ran = branch(FIXED, tests).run(&["check", "--only", "tests,red_green", "--json"]).exits(0);
        result(&ran, "red_green")
    };
    let proven = check(&with("self.assertEqual(pages(7, 3), 3)"));
    let summary = "`tests.test_pager.PageTest.test_full` fails without the code that the run changed";
    assert_eq!((&proven["status"], &proven["summary"]), (&json!("pass"), &json!(summary)));
    let moved = TESTS.replace("test_full", "test_whole");
    for tests in [with("self.assertIsNotNone(pages(7, 3))"), moved] {
        let asked = check(&tests);
        assert_eq!(asked["questions"][0]["id"], "S1", "{asked}");
    }
}

#[test]
fn a_new_test_that_passes_without_the_change_fails_unless_the_behaviour_stays() {
    let sandbox = branch(FIXED, &format!("{TESTS}{HOLLOW}"));
    let only = ["check", "--only", "tests,red_green"];
    let ran = sandbox.run(&[&only[..], &["--json"]].concat()).exits(1);
    assert_eq!(failures(&ran), ["red_green"]);
    let refused =
        sandbox.run(&[&only[..], &["--json", "--message", "fix: count the last page"]].concat()).exits(1);
    assert_eq!(failures(&refused), ["red_green"]);
    let stated = sandbox
        .run(&["check", "--only", "tests,red_green", "--message", "refactor: divide in one step"])
        .exits(0);
    let told: Vec<&str> = stated.stdout.lines().filter(|line| !line.contains("tests (Q7)")).skip(1).collect();
    insta::assert_snapshot!(told.join("\n"), @"
    asked for by the message that is given: refactor: divide in one step
    → red_green   for the reviewer: without the code that the run changed `tests.test_pager.PageTest.test_some` passes as well; by its type `refactor` the change leaves the behaviour as it is
                  S1: without the code that the run changed `tests.test_pager.PageTest.test_some` passes as well
    1 passed, 1 with questions
    ");
    let open =
        sandbox.run(&[&only[..], &["--json", "--message", "Refactor the pager and cover it"]].concat());
    let asked = result(&open.exits(0), "red_green");
    assert_eq!(asked["questions"][0]["id"], "S1", "{asked}");
    sandbox.git(&["commit", "-q", "-am", "perf(pager): divide in one step"]);
    let committed = sandbox.run(&[&only[..], &["--json"]].concat()).exits(0);
    let questions = &result(&committed, "red_green")["questions"];
    assert_eq!((&questions[0]["id"], &questions[1]), (&json!("S1"), &Value::Null));
    assert_eq!(
        committed.json()["asked_for"],
        json!({"source": "the message of 1 commit", "title": "perf(pager): divide in one step"})
    );
}

#[test]
fn a_new_parameter_that_nothing_reads_is_asked_about() {
    let test = "\n    def test_up(self):\n        self.assertEqual(pages(7, 3, up=True), 2)\n";
    let check = |pager: &str, test: &str| {
        let sandbox = branch(pager, &format!("{TESTS}{test}"));
        let only = ["check", "--only", "tests,red_green", "--json", "--message", "feat: pages round up"];
        result(&sandbox.run(&only).exits(0), "red_green")
    };
    let unread = PAGER.replace("size):", "size, up=False):");
    let asked = check(&unread, test);
    let what = "`tests.test_pager.PageTest.test_up` passes although every function does what it did. What changed for it?";
    assert_eq!((&asked["questions"][0]["what"], &asked["required"]), (&json!(what), &json!(false)));
    let read = unread.replace("items // size", "-(-items // size) if up else items // size");
    let proven = check(&read, &test.replace("), 2)", "), 3)"));
    let summary = "`tests.test_pager.PageTest.test_up` fails without the code that the run changed";
    assert_eq!((&proven["status"], &proven["summary"]), (&json!("pass"), &json!(summary)));
}

#[test]
fn a_failing_test_that_passes_although_no_code_changed_fails_the_check() {
    let check = |pager: &str, tests: &str| {
        let sandbox = branch(PAGER, &format!("{TESTS}{LAST}"));
        sandbox.git(&["commit", "-q", "-am", "a test that fails"]);
        sandbox.write("pager.py", pager);
        sandbox.write("tests/test_pager.py", tests);
        result(&sandbox.run(&["check", "--base", "HEAD", "--json"]), "red_green")
    };
    let begins_later = LAST.replace(
        "        self.assertEqual(pages(7, 3), 3)",
        "        for items in [7][1:]:\n            self.assertEqual(pages(items, 3), 3)",
    );
    let uncollected = LAST.replace("def test_", "def _test_");
    let expected = LAST.replace("    def test_", "    @unittest.expectedFailure\n    def test_");
    for last in [begins_later, LAST.replace("3), 3", "3), 2"), uncollected, expected, String::new()] {
        let mended = check(PAGER, &format!("{TESTS}{last}"));
        assert_eq!(mended["status"], "fail", "{mended}");
        assert!(
            mended["summary"].as_str().is_some_and(|summary| summary.contains("although no code changed"))
        );
    }
    // The message names what is removed.
    let sandbox = branch(PAGER, &format!("{TESTS}{LAST}"));
    sandbox.git(&["commit", "-q", "-am", "a test that fails"]);
    sandbox.write("tests/test_pager.py", TESTS);
    let named =
        sandbox.run(&["check", "--base", "HEAD", "--json", "--message", "Remove test_last, it is wrong"]);
    assert_eq!(result(&named, "red_green")["status"], "skipped");
    let more = format!("{TESTS}{LAST}{HOLLOW}");
    for (pager, tests) in [(PAGER, &more), (FIXED, &format!("{TESTS}{LAST}"))] {
        let honest = check(pager, tests);
        assert_eq!(honest["status"], "skipped", "{honest}");
    }
}

#[test]
fn documentation_and_code_without_tests_need_no_red_test() {
    let sandbox = branch(PAGER, TESTS);
    sandbox.write("README.md", "# sandbox\n\nPages are counted.\n");
    assert_eq!(failures(&sandbox.run(&["check", "--json"]).exits(0)), [""; 0]);
    sandbox.write("pager.py", FIXED);
    assert_eq!(failures(&sandbox.run(&["check", "--json"]).exits(0)), [""; 0]);
    sandbox.write("pager.py", PAGER);
    sandbox.write("tests/test_pager.py", &format!("{TESTS}{HOLLOW}"));
    assert_eq!(failures(&sandbox.run(&["check", "--json"]).exits(0)), [""; 0], "tests alone");
}

#[test]
fn tests_that_fail_at_the_base_as_well_are_asked_about_and_new_failures_are_not() {
    let sandbox = branch(PAGER, TESTS);
    sandbox.write("tests/test_pager.py", &format!("{TESTS}{LAST}"));
    sandbox.git(&["commit", "-q", "-am", "a test for what is wrong"]);
    sandbox.write("README.md", "# sandbox\n\nPages are counted.\n");
    let same = sandbox.run(&["check", "--base", "HEAD", "--only", "tests", "--json"]);
    let tests = result(&same, "tests");
    assert_eq!((&tests["status"], &tests["required"]), (&json!("fail"), &json!(false)), "{tests}");
    assert_eq!((&tests["pattern"], &tests["questions"][0]["id"]), (&json!("failed-before"), &json!("S1")));
    sandbox.write("pager.py", "def pages(items, size):\n    return 0\n");
    let worse = sandbox.run(&["check", "--base", "HEAD", "--only", "tests", "--json"]).exits(1);
    assert_eq!(failures(&worse), ["tests"]);
}

#[test]
fn in_place_the_files_as_they_are_are_judged() {
    let sandbox = fixed();
    sandbox.write("helper.log", "only here, and ignored\n");
    let here = sandbox.executable("here", "#!/bin/sh\ntest -f helper.log\n");
    let set = format!("commands.test={}", here.display());
    let only = ["check", "--only", "tests,pass_to_pass", "--set", &set];
    let ran = sandbox.run(&[&only[..], &["--in-place"]].concat()).exits(0);
    assert!(ran.stdout.ends_with("1 passed, 1 skipped\n"), "{}", ran.stdout);
    assert!(!sandbox.has(".git/ai-workflow/check/snapshots"));
    let ran = sandbox.run(&[&only[..], &["--in-place", "--json"]].concat()).exits(0);
    assert_eq!(ran.json()["tests"], json!([]), "no test is compared");
    let clean = sandbox.run(&[&only[..], &["--json"]].concat()).exits(1);
    assert_eq!(failures(&clean), ["tests"], "an ignored file is not published");
}

#[test]
fn two_checks_at_once_wait_for_each_other() {
    let sandbox = fixed();
    let marks = sandbox.root().with_file_name("marks");
    std::fs::create_dir(&marks).expect("a folder");
    let script = format!(
        "#!/bin/sh\nmkdir {0}/busy || exit 9\ntouch {0}/began\nwhile ! test -f {0}/go; do sleep 0.05; done\nrmdir {0}/busy\necho fine\n",
        marks.display()
    );
    let alone = sandbox.executable("alone", &script);
    let set = format!("commands.test={}", alone.display());
    let arguments = ["check", "--only", "tests", "--set", &set];
    let first = sandbox.start(&arguments);
    eventually("the first check runs its command", || marks.join("began").exists());
    let mut second = sandbox.binary(&arguments);
    let told = marks.join("told");
    let stderr = std::fs::File::create(&told).expect("a file");
    let second = second.stdout(Stdio::piped()).stderr(stderr).spawn().expect("it starts");
    let waits =
        || std::fs::read_to_string(&told).is_ok_and(|text| text.contains("this one waits for it to end"));
    eventually("the second check says that it waits", waits);
    std::fs::write(marks.join("go"), "").expect("a file");
    for check in [first, second] {
        let ended = check.wait_with_output().expect("it ends");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
}

/// Everything of the user's that a check could change: files, references, the index, settings and hooks, worktrees.
fn users_files(sandbox: &Sandbox) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = sandbox.everything().into_iter().collect();
    all.retain(|(path, _)| !path.starts_with(".git/ai-workflow"));
    for file in ["index", "config", "HEAD"] {
        all.push((file.to_owned(), format!("{:?}", sandbox.read_bytes(&format!(".git/{file}")))));
    }
    all.push(("worktrees".to_owned(), sandbox.git(&["worktree", "list"])));
    all.push(("status".to_owned(), sandbox.git(&["status", "--porcelain", "--ignored"])));
    all.push(("beside".to_owned(), format!("{:?}", names_in(sandbox.root().parent().expect("a folder")))));
    all
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().display().to_string()).collect();
    names.sort();
    names
}

#[test]
fn nothing_of_the_users_is_different_after_a_check() {
    let sandbox = fixed();
    sandbox.write("notes.txt", "not tracked\n");
    sandbox.git(&["add", "tests/test_pager.py"]);
    let before = users_files(&sandbox);
    let ran = sandbox.run(&["check", "--all"]);
    assert!(ran.stdout.contains("✓ red_green"), "{}", ran.stdout);
    assert_eq!(users_files(&sandbox), before);
}

#[test]
fn an_interrupted_check_leaves_nothing_behind() {
    let sandbox = fixed();
    let began = sandbox.root().with_file_name("began");
    let slow = sandbox.executable("slow", &format!("#!/bin/sh\ntouch {}\nsleep 60\n", began.display()));
    let before = users_files(&sandbox);
    let child = sandbox.start(&["check", "--set", &format!("commands.test={}", slow.display())]);
    eventually("the tests run", || began.exists());
    let _ = Sandbox::ran(sandbox.command("kill").args(["-INT", &child.id().to_string()])).exits(0);
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130), "{}", String::from_utf8_lossy(&ended.stderr));
    std::fs::remove_file(began).expect("it is there");
    assert_eq!(users_files(&sandbox), before);
    assert_eq!(working_below(sandbox.root().parent().expect("a folder")), [""; 0]);
}

#[test]
fn what_a_killed_check_left_is_gone_after_the_next() {
    let sandbox = fixed();
    let began = sandbox.root().with_file_name("began");
    let slow = sandbox.executable("slow", &format!("#!/bin/sh\ntouch {}\nsleep 60\n", began.display()));
    let mut child = sandbox.start(&["check", "--set", &format!("commands.test={}", slow.display())]);
    eventually("the tests run", || began.exists());
    child.kill().expect("it runs");
    let _ = child.wait();
    let left = sandbox.root().with_file_name("repo-check-clean");
    eventually("its command has ended", || working_below(&left).is_empty());
    assert!(left.exists());
    let ran = sandbox.run(&["check", "--only", "tests,pass_to_pass"]).exits(0);
    assert_eq!((ran.stderr.as_str(), left.exists()), ("", false));
    assert_eq!(sandbox.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn hooks_that_a_command_plants_from_the_clean_worktree_are_removed() {
    let sandbox = fixed();
    let plant =
        "#!/bin/sh\necho planted > \"$(git rev-parse --git-common-dir)/hooks/post-commit\"\necho fine\n";
    let set = format!("commands.test={}", sandbox.executable("plant", plant).display());
    let ran = sandbox.run(&["check", "--only", "tests", "--set", &set]).exits(0);
    insta::assert_snapshot!(ran.stderr, @"warning: a command of the repository changed git's own files, which was undone: .git/hooks/post-commit (kept in .git/ai-workflow/check/removed)");
    assert!(!sandbox.has(".git/hooks/post-commit"));
}

#[test]
fn every_result_of_the_sarif_file_has_a_line_of_a_file() {
    let weaker = TESTS
        .replace("test_full", "test_fits")
        .replace("assertEqual(pages(6, 3), 2)", "assertTrue(pages(6, 3))");
    let sandbox = branch(FIXED, &format!("{weaker}{HOLLOW}"));
    sandbox.write("scripts/größe.py", "# TODO: write this\n");
    let ran =
        sandbox.run(&["check", "--sarif", "out.sarif", "--message", "refactor: divide in one step"]).exits(1);
    assert!(ran.stdout.ends_with('\n') && ran.stdout.contains("✗ pass_to_pass"), "{}", ran.stdout);
    let log: Value = serde_json::from_str(&sandbox.read("out.sarif")).expect("JSON");
    let printed = ["check", "--sarif", "-", "--message", "refactor: divide in one step"];
    assert_eq!(sandbox.run(&printed).exits(1).json()["runs"][0]["tool"], log["runs"][0]["tool"]);
    assert!(!sandbox.has("-"));
    assert_eq!(
        (&log["version"], &log["runs"][0]["automationDetails"]["id"]),
        (&json!("2.1.0"), &json!("ai-workflow/check/"))
    );
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let told: Vec<String> = results
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small");
            assert_eq!(result["ruleId"], rules[index]["id"]);
            let (uri, line) = (&place["artifactLocation"]["uri"], &place["region"]["startLine"]);
            let question = result["properties"]["question"].as_str().unwrap_or("-");
            format!("{} {} {uri}:{line} {question}", result["level"], result["ruleId"]).replace('"', "")
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @"
    warning check/suspect tests/test_pager.py:7 S1
    error check/todo scripts/gr%C3%B6%C3%9Fe.py:1 -
    error check/pass_to_pass tests/test_pager.py:7 -
    warning check/red_green README.md:1 S2
    ");
    sandbox
        .run(&["check", "--only", "todo", "--sarif", "no/such/folder/out"])
        .refuses(2, "failed to write no/such/folder/out");
}

#[test]
fn a_message_or_an_issue_is_what_was_asked_for() {
    let sandbox = branch(PAGER, TESTS);
    sandbox.write("pager.py", &format!("# Counts pages.\n{PAGER}"));
    let only = ["check", "--only", "suspect,trivial_diff,code_changed"];
    let unasked = sandbox.run(&[&only[..], &["--json"]].concat()).exits(0);
    assert_eq!(
        (&result(&unasked, "suspect")["questions"][0]["id"], &unasked.json()["asked_for"]),
        (&json!("S1"), &Value::Null)
    );
    let told = sandbox.run(&[&only[..], &["--message", "docs: say what is counted"]].concat()).exits(0);
    assert_eq!(
        told.stdout.lines().nth(1),
        Some("asked for by the message that is given: docs: say what is counted")
    );
    sandbox.git(&["commit", "-q", "-am", "docs: say what is counted"]);
    let committed = sandbox.run(&[&only[..], &["--json"]].concat()).exits(0);
    assert_eq!(result(&committed, "trivial_diff")["status"], "pass");
    let issue = sandbox.run(&[&only[..], &["--issue", "243", "--json"]].concat()).exits(1);
    assert_eq!(failures(&issue), ["trivial_diff"], "the issue asks for more");
    assert_eq!(
        issue.json()["asked_for"],
        json!({"source": "issue 243", "title": "The last page is missing"})
    );
    sandbox.run(&["check", "--issue", "243", "--message", "x"]).exits(2);
    sandbox.run(&["check", "--issue", "999"]).says("999");
}

#[test]
fn a_branch_is_judged_by_what_it_changed_itself() {
    let sandbox = fixed();
    sandbox.git(&["commit", "-q", "-am", "fix: count the last page"]);
    sandbox.git(&["stash", "-q", "--include-untracked"]);
    sandbox.git(&["switch", "-q", "main"]);
    sandbox.write(
        "tests/test_more.py",
        "import unittest\n\n\nclass MoreTest(unittest.TestCase):\n    def test_more(self):\n        pass\n",
    );
    sandbox.git(&["add", "tests"]);
    sandbox.git(&["commit", "-q", "-m", "more tests on main"]);
    sandbox.git(&["switch", "-q", "topic"]);
    sandbox.write(".ai-workflow/config.toml", SUITE);
    let ran = sandbox.run(&["check", "--base", "main", "--json"]).exits(0);
    assert_eq!((&ran.json()["changed_files"], failures(&ran)), (&json!(2), Vec::new()));
}

const CRATE: &str = "pub fn pages(items: u32, size: u32) -> u32 {\n    items / size\n}\n";
const IN_FILE: &str = "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn rest() {\n        \
    assert_eq!(pages(7, 3), 2);\n    }\n}\n";
const BESIDE: &str = "#[test]\nfn none() {\n    assert_eq!(pager::pages(0, 3), 0);\n}\n";

/// Says in TAP what cargo would say of the project.
const CARGO: &str = r#"code=2
grep -q div_ceil src/lib.rs && code=3
if grep -q 'books(300)' src/lib.rs && ! grep -q 'pub fn books' src/lib.rs; then
    echo 'error[E0425]: cannot find function `books` in this scope' >&2
    exit 101
fi
n=0 failed=0
say() {
    n=$((n + 1))
    if [ "$2" = "$3" ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; failed=1; fi
}
echo 'TAP version 13'
say rest "$(sed -n 's/.*pages(7, 3), \([0-9]\)).*/\1/p' src/lib.rs)" $code
if grep -q 'fn many' src/lib.rs; then say many 3 3; fi
if grep -q 'fn one' src/lib.rs; then say one 1 $((code - 2)); fi
say none 0 0
if grep -q 'fn begun' tests/beside.rs; then say begun 1 $((code - 2)); fi
echo "1..$n"
exit $failed
"#;

/// A Rust project with tests in the file of its code and in a file of their own, on a branch with other texts.
fn crate_branch(code: &str, beside: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", "[package]\nname = \"pager\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    sandbox.write("src/lib.rs", &format!("{CRATE}{IN_FILE}"));
    sandbox.write("tests/beside.rs", BESIDE);
    sandbox.write("suite.sh", CARGO);
    sandbox.git(&["add", "Cargo.toml", "src", "tests", "suite.sh"]);
    sandbox.git(&["commit", "-q", "-m", "a pager"]);
    sandbox.git(&["switch", "-q", "-c", "topic"]);
    sandbox.write(".ai-workflow/config.toml", "[commands]\ndetect = false\ntest = \"sh suite.sh\"\n");
    sandbox.write("src/lib.rs", code);
    sandbox.write("tests/beside.rs", beside);
    sandbox
}

/// Returns how a test ended at the base, now, in its old version on the new code, and in its new version on the old code.
fn ended(ran: &Ran, id: &str) -> [Value; 4] {
    let report = ran.json();
    let tests = report["tests"].as_array().expect("tests");
    let test = tests.iter().find(|test| test["id"] == id).unwrap_or_else(|| panic!("{report}"));
    ["base", "now", "old_tests_on_new_code", "new_tests_on_old_code"].map(|run| test[run].clone())
}

#[test]
fn tests_in_the_file_of_the_code_are_exchanged_as_others_are() {
    let one = "    #[test]\n    fn one() {\n        assert_eq!(pages(1, 3), 1);\n    }\n\n    #[test]";
    let tests = IN_FILE.replace("pages(7, 3), 2", "pages(7, 3), 3").replace("    #[test]", one);
    let sandbox =
        crate_branch(&format!("{}{tests}", CRATE.replace("items / size", "items.div_ceil(size)")), BESIDE);
    let ran = sandbox.run(&["check", "--base", "main", "--json"]).exits(0);
    assert_eq!(ended(&ran, "rest"), ["passed", "passed", "failed", "failed"].map(Value::from));
    assert_eq!(ended(&ran, "none"), ["passed"; 4].map(Value::from));
    let (changed, red) = (result(&ran, "changed_expectations"), result(&ran, "red_green"));
    assert_eq!((&changed["status"], &changed["required"]), (&json!("fail"), &json!(false)));
    assert_eq!(red["summary"], "`one` fails without the code that the run changed");
}

#[test]
fn tests_in_the_file_of_the_code_that_cannot_be_built_take_no_result_from_others() {
    let code = "\npub fn books(pages: u32) -> u32 {\n    pages / 100\n}\n";
    let tests = IN_FILE
        .replace(
            "    #[test]",
            "    #[test]\n    fn many() {\n        assert_eq!(books(300), 3);\n    }\n\n    #[test]",
        )
        .replace("pages(7, 3), 2", "pages(7, 3), 3");
    let beside = format!("{BESIDE}\n#[test]\nfn begun() {{\n    assert_eq!(pager::pages(1, 3), 1);\n}}\n");
    let repaired = CRATE.replace("items / size", "items.div_ceil(size)");
    let sandbox = crate_branch(&format!("{repaired}{code}{tests}"), &beside);
    let ran = sandbox.run(&["check", "--base", "main", "--json"]).exits(0);
    let begun = [Value::Null, json!("passed"), Value::Null, json!("failed")];
    assert_eq!(ended(&ran, "begun"), begun);
    let red = result(&ran, "red_green");
    assert_eq!(red["summary"], "`begun` fails without the code that the run changed");
}
