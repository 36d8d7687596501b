//! Real runners of tests, each on a small project of `tests/runners`: what each of the four runs says of every test, and a test
//! that is missed. Run by `.ci/full runners`, which installs the runners.

mod found_files;
mod mutation;
mod project;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::Ran;
use project::{NewFunction, Outcomes, Project};

/// Makes the tests of each runner.
macro_rules! runners {
    ($($name:ident),+ $(,)?) => {$(
        mod $name {
            #[test]
            #[ignore = "needs the real runners of tests: .ci/full runners"]
            fn each_run_says_how_every_test_ended() {
                super::each_run_says_how_every_test_ended(stringify!($name));
            }

            #[test]
            #[ignore = "needs the real runners of tests: .ci/full runners"]
            fn a_deleted_test_is_missed() {
                super::a_deleted_test_is_missed(stringify!($name));
            }

            #[test]
            #[ignore = "needs the real runners of tests: .ci/full runners"]
            fn a_test_that_cannot_be_loaded_without_the_code_did_not_fail() {
                super::a_test_that_cannot_be_loaded_without_the_code_did_not_fail(stringify!($name));
            }
        }
    )+};
}

runners![bun, cargo, ctest, deno, go, jest, mocha, nextest, node, prove, pytest, unittest, vitest];

fn each_run_says_how_every_test_ended(runner: &str) {
    let Some(project) = Project::of(runner) else { return };
    let branch = project.repaired();
    let ran = branch.run(&["check", "--base", "main", "--json"]).exits(0);
    assert_eq!((ran.stderr.as_str(), tests(&ran)), ("", project.tests.clone()));
    assert_eq!(result(&ran, "pass_to_pass")["status"], "pass");
    let changed = result(&ran, "changed_expectations");
    let told = "fails on the new code in its version of the base, and passes in its new version";
    let expected: Vec<String> =
        project.changed_expectations().iter().map(|id| format!("{id} {told}")).collect();
    let told = places(&changed);
    let heads: Vec<&str> = told.iter().filter_map(|place| place.split("; before: `").next()).collect();
    assert_eq!((heads, &changed["required"]), (expected.iter().map(String::as_str).collect(), &json!(false)));
    // Where the language has a grammar here the lines of both versions stand there.
    let has_grammar = !["ctest", "prove"].contains(&runner);
    assert!(told.iter().all(|place| place.contains("`; now: `") == has_grammar), "{told:?}");
    let red = project.red_tests();
    let summary = format!("`{}` fails without the code that the run changed", red[0]);
    let red_green = result(&ran, "red_green");
    assert_eq!((&red_green["status"], &red_green["summary"]), (&json!("pass"), &json!(summary)));
}

fn a_deleted_test_is_missed(runner: &str) {
    let Some(project) = Project::of(runner) else { return };
    let branch = project.repaired();
    project.delete_a_test(&branch);
    let ran = branch.run(&["check", "--base", "main", "--only", "tests,pass_to_pass", "--json"]).exits(1);
    let missed = result(&ran, "pass_to_pass");
    let expected: Vec<String> = project.deleted.lost.iter().map(|id| format!("{id} is gone")).collect();
    assert_eq!((&missed["status"], &missed["required"]), (&json!("fail"), &json!(true)), "{missed}");
    assert_eq!(places(&missed), expected);
}

fn a_test_that_cannot_be_loaded_without_the_code_did_not_fail(runner: &str) {
    let Some(project) = Project::of(runner) else { return };
    let ran = project.with_new_function().run(&["check", "--base", "main", "--json"]).exits(0);
    let NewFunction { red_green, tests: expected, .. } = &project.new_function;
    assert_eq!((ran.stderr.as_str(), &tests(&ran)), ("", expected));
    assert_eq!(result(&ran, "pass_to_pass")["status"], "pass");
    assert_eq!(&result(&ran, "red_green")["status"], red_green);
}

/// Returns how each test ended in the four runs.
fn tests(ran: &Ran) -> BTreeMap<String, Outcomes> {
    let report = ran.json();
    let runs = ["base", "now", "old_tests_on_new_code", "new_tests_on_old_code"];
    let read = |test: &Value| {
        let outcomes = runs.map(|run| test[run].as_str().unwrap_or_default().to_owned());
        (test["id"].as_str().expect("an id").to_owned(), outcomes)
    };
    report["tests"].as_array().expect("tests").iter().map(read).collect()
}

/// Returns the result of one check.
fn result(ran: &Ran, check: &str) -> Value {
    let report = ran.json();
    let results = report["results"].as_array().expect("results");
    results.iter().find(|result| result["check"] == check).unwrap_or_else(|| panic!("{report}")).clone()
}

fn places(result: &Value) -> Vec<String> {
    let places = result["places"].as_array().expect("places").iter();
    places.map(|place| place["what"].as_str().expect("a text").to_owned()).collect()
}
