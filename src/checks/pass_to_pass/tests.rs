//! Tests of the base that are gone: which of them are missed, and which are asked about.

use super::*;
use crate::outcome::shown;
use crate::scene::Scene;
use model::change::Change;
use tool_output::TestResult;

const CORE: &str = "tests/test_core.py";

/// A test passed, or failed where `!` stands in front.
fn results(ids: &[&str]) -> Vec<TestResult> {
    let result = |id: &&str| match id.strip_prefix('!') {
        Some(id) => TestResult { id: id.into(), outcome: TestOutcome::Failed, millis: None },
        None => TestResult { id: (*id).into(), outcome: TestOutcome::Passed, millis: None },
    };
    ids.iter().map(result).collect()
}

/// Returns what is lost and what is asked: the versions of the files, the tests that passed at the base, those that pass now.
fn missing(changes: &[Change], base: &[&str], now: &[&str], issue: &str) -> (Vec<String>, Vec<String>) {
    missing_where(changes, base, now, issue, &[])
}

/// Returns the same where some tests of the base still pass as they were.
fn missing_where(
    changes: &[Change],
    base: &[&str],
    now: &[&str],
    issue: &str,
    still_right: &[&str],
) -> (Vec<String>, Vec<String>) {
    let scene = Scene::new().about(issue);
    let (base, now) = (results(base), results(now));
    let (before, after) = (Suite::of(&base), Suite::of(&now));
    let sources = ChangedTests::between(changes, &[]);
    let announced = Announced::default();
    let issue = &scene.issue;
    let flaky = BTreeSet::from(["flaky".to_owned()]);
    let comparison = Comparison {
        before: &before,
        after: &after,
        sources: &sources,
        announced,
        awaited: Announced::default(),
        issue,
        flaky,
        still_right: still_right.iter().map(|id| (*id).to_owned()).collect(),
    };
    let Missing { lost, asked } = comparison.missing();
    let told = |place: &Place| if place.file.is_some() { shown(place) } else { place.what.clone() };
    let told = |places: Vec<Place>| places.iter().map(told).collect();
    (told(lost), told(asked))
}

fn changed(old: &str, new: &str) -> Vec<Change> {
    vec![Change::of_texts(CORE, Some(old), Some(new))]
}

const FUNCTIONS: &str =
    "def test_exact():\n    assert pages(9, 3) == 3\n\ndef test_zero():\n    assert pages(0, 3) == 0\n";

fn table(rows: &str) -> String {
    format!("@pytest.mark.parametrize('t,n', [{rows}])\ndef test_pages(t, n):\n    assert pages(t, 3) == n\n")
}

#[test]
fn tests_that_were_only_rewritten_are_there() {
    let listed = "def test_both():\n    counts = [9, 0]\n    assert pages(counts[0], 3) == 3\n    assert pages(counts[1], 3) == 0\n";
    let with_fixture = "@pytest.fixture\ndef counts():\n    return [9, 0]\n\ndef test_exact(counts):\n    assert pages(counts[0], 3) == 3\n\ndef test_zero(counts):\n    assert pages(counts[1], 3) == 0\n";
    let merged =
        "def test_both():\n    found = pages(9, 3)\n    assert found == 3\n    assert pages(0, 3) == 0\n";
    let (functions, cases): (&[&str], &[&str]) = (
        &["tests.test_core › test_exact", "tests.test_core › test_zero"],
        &["tests.test_core › test_pages[9-3]", "tests.test_core › test_pages[0-0]"],
    );
    for (old, new, base, now) in [
        (FUNCTIONS, table("(9, 3), (0, 0)"), functions, cases),
        (table("(9, 3), (0, 0)").as_str(), FUNCTIONS.to_owned(), cases, functions),
        (FUNCTIONS, merged.to_owned(), functions, &["tests.test_core › test_both"]),
        (merged, FUNCTIONS.to_owned(), &["tests.test_core › test_both"], functions),
        (listed, with_fixture.to_owned(), &["tests.test_core › test_both"], functions),
        (listed, table("(9, 3), (0, 0)"), &["tests.test_core › test_both"], cases),
        (
            table("(9, 3), (0, 0)").as_str(),
            table("(9, 3), (0, 0)").replace("0)]", "0)], ids=['exact', 'zero']"),
            cases,
            &["tests.test_core › test_pages[exact]", "tests.test_core › test_pages[zero]"],
        ),
    ] {
        assert_eq!(missing(&changed(old, &new), base, now, ""), (vec![], vec![]), "{old}\n{new}");
    }
}

#[test]
fn tests_of_a_loop_over_titles_are_the_tests_that_stood_there() {
    let old = "describe('pages', () => { it('is exact', () => { expect(pages(9, 3)).toBe(3); }); });";
    let new = "describe('pages', () => { for (const [t, n] of [[9, 3], [0, 0]]) { it(`counts ${t}`, () => { expect(pages(t, 3)).toBe(n); }); } });";
    let changes = [Change::of_texts("test/pages.test.js", Some(old), Some(new))];
    let now = ["pages › counts 9", "pages › counts 0"];
    assert_eq!(missing(&changes, &["pages › is exact"], &now, ""), (vec![], vec![]));
}

#[test]
fn a_case_that_another_replaces_is_asked_about_with_both_texts() {
    let (old, new) = (table("(9, 3), (10, 4)"), table("(9, 3), (3, 1)"));
    let base = ["tests.test_core › test_pages[9-3]", "tests.test_core › test_pages[10-4]"];
    let now = ["tests.test_core › test_pages[9-3]", "tests.test_core › test_pages[3-1]"];
    let (lost, asked) = missing(&changed(&old, &new), &base, &now, "");
    assert_eq!(lost, [""; 0]);
    assert_eq!(asked.len(), 1);
    assert!(
        asked[0].contains("[10-4] is gone") && asked[0].contains("(10, 4)") && asked[0].contains("(3, 1)")
    );
}

#[test]
fn a_weaker_test_in_place_of_another_is_asked_about_and_one_without_a_substitute_is_lost() {
    let base = ["tests.test_core › test_exact", "tests.test_core › test_zero"];
    let weaker = FUNCTIONS.replace("test_exact", "test_some").replace("== 3", "is not None");
    let now = ["tests.test_core › test_some", "tests.test_core › test_zero"];
    let (lost, asked) = missing(&changed(FUNCTIONS, &weaker), &base, &now, "");
    assert_eq!((lost.len(), asked.len()), (0, 1), "{asked:?}");
    let unrun = missing(&changed(FUNCTIONS, &weaker), &base, &base[1..], "");
    assert_eq!(unrun.0, ["tests/test_core.py:1: tests.test_core › test_exact is gone"]);
    let other = FUNCTIONS.replace("test_exact", "test_price").replace("pages(9, 3)", "price(9)");
    let now = ["tests.test_core › test_price", "tests.test_core › test_zero"];
    assert_eq!(
        missing(&changed(FUNCTIONS, &other), &base, &now, "").0,
        ["tests/test_core.py:1: tests.test_core › test_exact is gone"]
    );
    let unchanged = missing(&[], &base, &base[1..], "");
    assert_eq!(unchanged.0, ["tests.test_core › test_exact is gone"]);
}

#[test]
fn a_test_that_the_author_or_the_issue_names_is_asked_about() {
    let base = ["tests.test_core › test_exact", "tests.test_core › test_zero"];
    let rest = "def test_zero():\n    assert pages(0, 3) == 0\n";
    let (lost, asked) =
        missing(&changed(FUNCTIONS, rest), &base, &base[1..], "test_exact is wrong, remove it");
    assert_eq!((lost.len(), asked.len()), (0, 1), "{asked:?}");
    assert_eq!(missing(&changed(FUNCTIONS, rest), &base, &base[1..], "Tests are wrong").0.len(), 1);
}

#[test]
fn a_test_of_the_same_name_elsewhere_asks_the_same_or_is_asked_about() {
    let file = |name: &str, text: &str| Change::of_texts(name, None, Some(text));
    let rest = "def test_zero():\n    assert pages(0, 3) == 0\n";
    let old = || Change::of_texts(CORE, Some(FUNCTIONS), Some(rest));
    let base = ["tests.test_core › test_exact", "tests.test_core › test_zero"];
    let now = ["tests.test_pages.PagesTest › test_exact", "tests.test_core › test_zero"];
    let moved =
        "class PagesTest(TestCase):\n    def test_exact(self):\n        self.assertEqual(pages(9, 3), 3)\n";
    let same = [old(), file("tests/test_pages.py", moved)];
    assert_eq!(missing(&same, &base, &now, ""), (vec![], vec![]));
    let hollow = [old(), file("tests/test_pages.py", &moved.replace("pages(9, 3), 3", "3, 3"))];
    let (lost, asked) = missing(&hollow, &base, &now, "");
    assert_eq!((lost.len(), asked.len()), (0, 1), "{lost:?}");
}

#[test]
fn a_test_goes_with_its_subject_where_the_issue_asks_for_that_alone() {
    let product = |new: &str| Change::of_texts("pager.py", Some("def price(a):\n    return a\n"), Some(new));
    let price = "def test_price():\n    assert price(1) == 1\n";
    let tests = || Change::of_texts(CORE, Some(price), Some("x = 1\n"));
    let base = ["tests.test_core › test_price"];
    let removed = [product("x = 1\n"), tests()];
    assert_eq!(missing(&removed, &base, &[], "Remove price"), (vec![], vec![]));
    assert_eq!(missing(&removed, &base, &[], "Remove prices").1.len(), 1, "the issue does not name it");
    let renamed = [product("def cost(a):\n    return 2\n"), tests()];
    let (lost, asked) = missing(&renamed, &base, &[], "price should be called cost");
    assert_eq!((lost.len(), asked.len()), (0, 1));
    assert!(asked[0].contains("the run added others"), "{asked:?}");
}

#[test]
fn a_test_of_a_renamed_symbol_is_the_same() {
    let product = Change::of_texts(
        "pager.py",
        Some("def price(a):\n    return a\n"),
        Some("def cost(a):\n    return a\n"),
    );
    let old = "def test_price():\n    assert price(1) == 1\n";
    let tests = Change::of_texts(CORE, Some(old), Some("def test_cost():\n    assert cost(1) == 1\n"));
    let now = ["tests.test_core › test_cost"];
    assert_eq!(missing(&[product, tests], &["tests.test_core › test_price"], &now, ""), (vec![], vec![]));
}

#[test]
fn an_expected_failure_that_passes_now_expects_what_it_expected() {
    let old = "@pytest.mark.xfail(strict=True)\ndef test_up():\n    assert pages(10, 3) == 4\n";
    let new = "def test_up():\n    assert pages(10, 3) == 4\n";
    let outcome =
        |outcome| vec![TestResult { id: "tests.test_core › test_up".into(), outcome, millis: None }];
    let runs = [TestOutcome::Skipped, TestOutcome::Failed, TestOutcome::Passed].map(outcome);
    let suites = [&runs[0], &runs[1], &runs[2]].map(|results| Suite::of(results));
    assert!(changed_expectations(&suites, &ChangedTests::between(&changed(old, new), &[])).is_empty());
    let other = new.replace("== 4", "== 3");
    let places = changed_expectations(&suites, &ChangedTests::between(&changed(old, &other), &[]));
    assert_eq!(places.len(), 1);
}

#[test]
fn a_renamed_test_that_fails_as_it_was_expects_something_else() {
    let old = "def test_up():\n    x = Pager()\n    x.add(3)\n    assert x.pages() == 1\n    x.clear()\n    assert x.pages() == 0\n";
    let reordered = "def test_pages():\n    x = Pager()\n    assert x.pages() == 0\n    x.add(3)\n    assert x.pages() == 1\n    x.clear()\n";
    let sources = ChangedTests::between(&changed(old, reordered), &[]);
    let result = |name: &str, outcome| {
        vec![TestResult { id: format!("tests.test_core › {name}"), outcome, millis: None }]
    };
    let (base, now) = (result("test_up", TestOutcome::Passed), result("test_pages", TestOutcome::Passed));
    for (outcome, expected) in
        [(TestOutcome::Failed, 1), (TestOutcome::Passed, 0), (TestOutcome::DidNotLoad, 0)]
    {
        let old_tests = result("test_up", outcome);
        let suites = [&base, &old_tests, &now].map(|results| Suite::of(results));
        assert_eq!(changed_expectations(&suites, &sources).len(), expected, "{outcome:?}");
    }
}

#[test]
fn a_test_that_ends_in_two_ways_is_not_missed() {
    assert_eq!(missing(&[], &["a", "flaky"], &["a"], ""), (vec![], vec![]));
    assert_eq!(missing(&[], &["a", "b"], &["b"], "").0, ["a is gone"]);
    assert_eq!(missing(&[], &["a", "b"], &["b", "flaky"], "").0, ["a is gone"], "it takes no other's place");
}

#[test]
fn tests_of_a_removed_file_are_asked_about_where_its_code_is_gone_or_the_issue_names_it() {
    let removed = |path: &str| Change::of_texts(path, Some("check 'one' 1 1\n"), None);
    let with_code = [removed("scripts/words.sh"), removed("tests/words_test.sh")];
    assert_eq!(missing(&with_code, &["one"], &[], "").1.len(), 1);
    let alone = [removed("tests/words_test.sh")];
    assert_eq!(missing(&alone, &["one"], &[], "").0, ["one is gone"]);
    assert_eq!(missing(&alone, &["one"], &[], "Nobody needs words").1.len(), 1);
}

#[test]
fn a_test_that_is_still_right_is_asked_about_where_others_assert_all_that_it_did() {
    let test = |name: &str, setup: &str, assert: &str| {
        format!("def test_{name}(basket):\n    {setup}\n    assert {assert}\n")
    };
    let old = test("counts", "basket.add('tea', 250)", "basket.lines['tea'] == (2, 250)");
    let ids = ["tests.test_core › test_counts", "tests.test_core › test_sums"];
    let became = |new: &str| {
        let (lost, asked) = missing_where(&changed(&old, new), &ids[..1], &ids[1..], "", &ids[..1]);
        (lost.len(), asked.len())
    };
    let setup = "basket.add('tea', 250)";
    for honest in [
        test("sums", "basket.add('tea', 250, 1)", "basket.lines['tea'] == (2, 250)"),
        test("sums", setup, "cart.lines['tea'] == (2, 250)"),
        test("sums", setup, "basket.lines['tea'][0] == 2\n    assert basket.lines['tea'][1] == 250"),
    ] {
        assert_eq!(became(&honest), (0, 1), "{honest}");
    }
    for cheat in [
        test("sums", setup, "basket.lines['tea'] is not None"),
        test("sums", setup, "basket.lines['tea'] == (3, 250)"),
        test("sums", setup, "basket.lines['tea'][0] == 2"),
        test("sums", setup, "basket.names['tea'] == (2, 250)"),
        test("sums", "x = basket.lines['tea'] == (2, 250)\n    basket.add('tea', 250)", "basket.lines"),
    ] {
        assert_eq!(became(&cheat), (1, 0), "{cheat}");
    }
}

#[test]
fn a_removed_file_that_a_runner_ran_is_missed_where_it_had_something_to_run() {
    let path = "test/helper.js";
    let removed = |text: &str| [Change::of_texts(path, Some(text), None)];
    for helper in
        ["exports.unused = 1;", "const f = require('../lib');\nexports.cells = (line) => f(line).length;"]
    {
        assert_eq!(missing(&removed(helper), &[path, "a"], &["a"], ""), (vec![], vec![]), "{helper}");
    }
    for test in ["assert.equal(f(), 1);", "require('../lib').check();", "if (f() !== 1) throw new Error();"] {
        let told = missing(&removed(test), &[path, "a"], &["a"], "");
        assert_eq!(told.0, [format!("{path} is gone")], "{test}");
    }
}

#[test]
fn a_failing_test_whose_text_stays_and_that_no_runner_reports_any_more_is_lost() {
    let base = ["!tests.test_core › test_exact", "tests.test_core › test_zero"];
    let deleted = format!("{FUNCTIONS}\ndel globals()['test_' + 'exact']\n");
    let told = missing(&changed(FUNCTIONS, &deleted), &base, &base[1..], "");
    assert_eq!(told, (vec!["tests/test_core.py:1: tests.test_core › test_exact is gone".into()], vec![]));
    let (lost, asked) =
        missing(&changed(FUNCTIONS, &deleted), &base, &base[1..], "test_exact is wrong: remove it");
    assert_eq!((lost.len(), asked.len()), (0, 1), "{lost:?}");
    let renamed = FUNCTIONS.replace("test_exact", "test_all");
    let now = ["tests.test_core › test_all", "tests.test_core › test_zero"];
    assert_eq!(missing(&changed(FUNCTIONS, &renamed), &base, &now, "").0, [""; 0]);
    // It was not collected at the base, either.
    assert_eq!(missing(&changed(FUNCTIONS, &deleted), &base[1..], &base[1..], "").0, [""; 0]);
}

#[test]
fn a_test_that_became_a_function_inside_of_another_is_lost_unless_that_calls_it() {
    let inner = FUNCTIONS.replace("\n\ndef test_zero():\n    ", "\n\n    def test_zero():\n        ");
    let base = ["tests.test_core › test_exact", "tests.test_core › test_zero"];
    let lost = |new: &str| missing_where(&changed(FUNCTIONS, new), &base, &base[..1], "", &base[1..]).0.len();
    assert_eq!(lost(&inner), 1);
    assert_eq!(lost(&format!("{inner}\n    test_zero()\n")), 0);
}

#[test]
fn a_call_in_a_function_that_nothing_calls_stands_for_no_test() {
    let second = "    def test_back(self):\n        with self.assertRaises(Wrong):\n            expand(\"day\", \"5-1\")\n";
    let first = "class Refused(TestCase):\n    def test_big(self):\n        with self.assertRaises(Wrong):\n            expand(\"hour\", \"24\")\n\n";
    let nested: String = second.lines().map(|line| format!("    {line}\n")).collect();
    let base = ["tests.test_core.Refused.test_big", "tests.test_core.Refused.test_back"];
    let changes = changed(&format!("{first}{second}"), &format!("{first}{nested}"));
    let (lost, asked) = missing(&changes, &base, &base[..1], "");
    assert_eq!((lost.len(), asked.len()), (0, 1), "{lost:?} {asked:?}");
    assert!(asked[0].contains("nothing asks all that it asked"), "{asked:?}");
}
