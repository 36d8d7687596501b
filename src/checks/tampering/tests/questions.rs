//! Tests that an author names with its reason: what becomes a question, and what stays refused.

use super::*;
use crate::suspect;

const PAGES: &str = "import pytest\n\n\ndef test_empty():\n    assert pages(0) == 0\n\n\ndef test_begun():\n    assert pages(41) == 1\n\n\n@pytest.mark.parametrize('lines', [40, 80, 120])\ndef test_full(lines):\n    assert pages(lines) == lines / 40\n";
const BEGUN: &str = "def test_begun():\n    assert pages(41) == 1\n\n\n";
const WHY: &str = "- `tests/test_pages.py::test_begun`: the issue asks for two pages here\n";

/// Returns what is refused and what the reviewer is asked when the tests become this and the document says that.
fn judged(now: &str, document: &str) -> (Vec<String>, Vec<String>) {
    let made = made(&[("tests/test_pages.py", PAGES, now), ("pages.py", "a\n", "b\n")]);
    let output = made.output.clone();
    let made = made.on_disk(&output, document);
    let site = made.site();
    let shown = |result: CheckResult| result.places.iter().map(shown).collect();
    (shown(examine(&site)), shown(suspect::examine(&site)))
}

#[test]
fn a_test_that_goes_for_a_reason_that_the_document_names_is_a_question() {
    let gone = "import pytest\n\n\ndef test_empty():\n    assert pages(0) == 0\n";
    let all = format!("{WHY}- `test_full`: its numbers are not those of the issue\n");
    let (refused, asked) = judged(gone, &all);
    assert_eq!((refused, asked.len()), (vec![], 2));
    for part in ["question: the test `test_begun` is gone", "the issue asks for two pages here"] {
        assert!(asked[0].contains(part), "{asked:?}");
    }
    let (refused, asked) = judged(gone, "# Pages\n");
    assert_eq!((refused.len(), asked.len()), (2, 0));
}

#[test]
fn a_test_that_demands_less_for_a_reason_that_the_document_names_is_a_question() {
    for now in [
        PAGES.replace("pages(41) == 1", "pages(41) >= 1"),
        PAGES.replace("test_begun():\n    assert pages(41) == 1", "test_begun():\n    pages(41)"),
    ] {
        let (refused, asked) = judged(&now, WHY);
        assert_eq!((refused, asked.len()), (vec![], 1), "{now}");
        assert_eq!(judged(&now, "").0.len(), 1, "{now}");
    }
    let fewer = PAGES.replace("40, 80, 120", "40, 80");
    assert_eq!(judged(&fewer, WHY).0.len(), 1);
    let (refused, asked) = judged(&fewer, "- `test_full` no longer holds for 120 lines\n");
    assert_eq!((refused, asked.len()), (vec![], 1));
}

#[test]
fn what_the_document_does_not_name_and_what_no_reason_excuses_stays_refused() {
    let all = format!("{WHY}- `test_full`, `test_empty`: neither of them is right any more\n");
    for (now, document) in [
        (PAGES.replace(BEGUN, "").replace("pages(0) == 0", "pages(0) >= 0"), WHY),
        ("import pytest\n".to_owned(), WHY),
        (PAGES.replace("def test_begun", "@pytest.mark.skip\ndef test_begun"), all.as_str()),
        (PAGES.replace("pages(41) == 1", "True"), all.as_str()),
        (PAGES.replace("pages(41) == 1", "pages(41) == pages(41)"), all.as_str()),
    ] {
        assert_ne!(judged(&now, document).0, [""; 0], "{now}");
    }
    let setting = made(&[("pytest.ini", "[pytest]\n", "[pytest]\naddopts = --ignore=tests/test_pages.py\n")]);
    let output = setting.output.clone();
    assert_eq!(examine(&setting.on_disk(&output, &all).site()).status, CheckStatus::Fail);
}

#[test]
fn without_a_reviewer_no_reason_counts() {
    let mut made = made(&[("tests/test_pages.py", PAGES, &PAGES.replace("== 1", ">= 1"))]);
    made.phase.policy.review = None;
    let output = made.output.clone();
    assert_eq!(examine(&made.on_disk(&output, WHY).site()).status, CheckStatus::Fail);
}

/// A test that runs for many values takes the place of one, which is then not refused, and still missing from the count.
#[test]
fn a_test_that_another_one_took_over_is_a_question_as_well() {
    let now = PAGES.replace(BEGUN, "");
    let (refused, asked) = judged(&now, WHY);
    assert_eq!((refused, asked.len()), (vec![], 1));
    assert!(asked[0].contains("runs less often or has another name"), "{asked:?}");
    assert_eq!(judged(&now, ""), (vec![], vec![]));
}

#[test]
fn each_test_that_is_named_as_gone_counts_with_its_rows() {
    let gone = |now: &str, document: &str| {
        let made = made(&[("tests/test_pages.py", PAGES, now)]);
        let output = made.output.clone();
        let made = made.on_disk(&output, document);
        named_as_gone(&made.changes, &made.site())
    };
    let full = "- `test_full`: its numbers are not those of the issue\n";
    assert_eq!(gone(&PAGES.replace(BEGUN, ""), WHY), 1);
    assert_eq!(gone("import pytest\n", WHY), 1);
    assert_eq!(gone("import pytest\n", full), 3);
    assert_eq!(gone(&PAGES.replace("40, 80, 120", "40, 80"), full), 1);
    assert_eq!(gone(&PAGES.replace("pages(41) == 1", "pages(41) >= 1"), WHY), 0);
    assert_eq!(gone("import pytest\n", ""), 0);
}

/// Returns what is refused and asked when a file of tests becomes this and the document says that.
fn judged_in(path: &str, before: &str, now: &str, document: &str) -> (Vec<String>, Vec<String>) {
    let made = made(&[(path, before, now), ("pages.py", "a\n", "b\n")]);
    let output = made.output.clone();
    let made = made.on_disk(&output, document);
    let site = made.site();
    let shown = |result: CheckResult| result.places.iter().map(shown).collect();
    (shown(examine(&site)), shown(suspect::examine(&site)))
}

#[test]
fn a_name_that_holds_quotation_marks_is_named_in_full() {
    let script = |name: &str| {
        format!("test({name}, () => {{\n  expect(pages(41)).toBe(1);\n  expect(pages(42)).toBe(1);\n}});\n")
    };
    for (path, before, id) in [
        ("web/pages.test.ts", script(r#""doesn't count a begun page""#), "doesn't count a begun page"),
        ("web/pages.test.ts", script(r"'doesn\'t count \'begun\' pages'"), "doesn't count 'begun' pages"),
        ("web/pages.test.ts", script(r#"'counts "begun" pages of f()'"#), r#"counts "begun" pages of f()"#),
        ("web/pages.test.ts", script("\n  \"doesn't count it\""), "doesn't count it"),
        ("web/pages.test.ts", script("'counts (begun)'"), "counts (begun)"),
        (
            "spec/pages_spec.rb",
            "it \"doesn't count a page\" do\n  expect(pages(41)).to eq(1)\nend\n".into(),
            "doesn't count a page",
        ),
        (
            "test/pages_test.rb",
            "test \"doesn't count a page\" do\n  assert_equal 1, pages(41)\nend\n".into(),
            "doesn't count a page",
        ),
        (
            "src/test/PagesTest.kt",
            "class PagesTest {\n  @Test\n  fun `counts a page`() {\n    assertEquals(1, pages(41))\n  }\n}\n"
                .into(),
            "counts a page",
        ),
    ] {
        let (refused, asked) =
            judged_in(path, &before, "", &format!("- `{id}`: the issue asks for two pages\n"));
        assert_eq!((refused, asked.len()), (vec![], 1), "{before}");
        let part = id.rsplit_once(' ').map_or("", |(start, _)| start);
        assert_eq!(
            judged_in(path, &before, "", &format!("- `{part}`: the issue asks for it\n")).0.len(),
            1,
            "{before}"
        );
    }
}

const TWICE: &str = "class TestA:\n    def test_two(self):\n        assert pages(41) == 1\n\n\nclass TestB:\n    def test_two(self):\n        assert lines(2) == 80\n";

#[test]
fn the_class_before_a_name_is_the_one_that_the_test_stands_in() {
    let (path, why) = ("tests/test_pages.py", "the issue asks for another number");
    let (a, b) = TWICE.split_once("\n\n\n").expect("two classes");
    for id in ["TestB::test_two", "tests/test_pages.py::TestB::test_two", "test_pages.TestB.test_two"] {
        let document = format!("- `{id}`: {why}\n");
        let (refused, asked) = judged_in(path, TWICE, a, &document);
        assert_eq!((refused, asked.len()), (vec![], 1), "{id}");
        assert!(asked[0].contains("`TestB > test_two`") && asked[0].contains("line 7"), "{asked:?}");
        assert_eq!(judged_in(path, TWICE, b, &document).0.len(), 1, "{id}");
    }
    for id in ["other.TestB.test_two", "TestZ.test_two", "other.test_two", "TestB.TestA.test_two"] {
        assert_eq!(judged_in(path, TWICE, a, &format!("- `{id}`: {why}\n")).0.len(), 1, "{id}");
    }
}

#[test]
fn the_question_shows_all_that_the_document_says_of_a_test() {
    let now = PAGES.replace("pages(41) == 1", "pages(41) >= 1");
    let long = "and so on ".repeat(200);
    let ran = format!("I ran `test_begun` with all others {long}\n\n");
    let (refused, asked) = judged(&now, &format!("{ran}{WHY}\nSee `test_begun` of last week again\n"));
    assert_eq!((refused, asked.len()), (vec![], 1));
    for part in ["I ran `test_begun`", "the issue asks for two pages here", "of last week"] {
        assert!(asked[0].contains(part), "{part}: {asked:?}");
    }
    assert!(asked[0].len() < 2_000, "{}", asked[0].len());
}

#[test]
fn the_ids_that_unittest_prints_name_a_test() {
    let (path, why) = ("tests/test_pages.py", "the issue asks for another number");
    let (a, b) = TWICE.split_once("\n\n\n").expect("two classes");
    for id in ["test_two (test_pages.TestB)", "test_two (tests.test_pages.TestB.test_two)"] {
        let document = format!("- `{id}`: {why}\n");
        assert_eq!(judged_in(path, TWICE, a, &document).0, [""; 0], "{id}");
        assert_eq!(judged_in(path, TWICE, b, &document).0.len(), 1, "{id}");
    }
}
