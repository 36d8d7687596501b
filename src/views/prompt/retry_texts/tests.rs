//! Tests of which retry text a failure gets.

use super::super::templates::is_retry;
use super::*;

use model::event::CheckStatus;

fn result(pattern: Option<&str>, evidence: &str) -> CheckResult {
    CheckResult {
        check: "x".into(),
        status: CheckStatus::Fail,
        pattern: pattern.map(str::to_owned),
        summary: String::new(),
        evidence: evidence.into(),
        params: BTreeMap::new(),
        places: Vec::new(),
    }
}

fn usual() -> C3l {
    C3l { base: String::new(), c1: "steps".into(), c2: "retry".into(), c3: "issue".into() }
}

fn chosen(own: &[&str], patterns: &[(&str, Pattern)], c3l: &C3l, result: &CheckResult) -> String {
    let own = own.iter().map(|path| ((*path).to_owned(), "text".to_owned())).collect();
    let templates = Templates::new(&own).expect("short templates");
    let patterns = patterns.iter().map(|(name, it)| ((*name).to_owned(), it.clone())).collect();
    let marks = Marks { call: "c4ll", run: "r7n" };
    Library { templates: &templates, patterns: &patterns, c3l: Some(c3l), marks }.of_failure(result)
}

fn red() -> Pattern {
    Pattern {
        edition: "red".into(),
        adaptation: Some("tests".into()),
        keywords: vec!["assertion".into()],
        ..Pattern::default()
    }
}

#[test]
fn c_12_the_path_is_made_of_place_edition_and_adaptation() {
    let c3l = C3l { base: "mine/".into(), c1: "steps".into(), c2: "again".into(), c3: "bug".into() };
    let of = |own: &[&str]| chosen(own, &[("t", red())], &c3l, &result(Some("t"), ""));
    let all = ["retry/t.md", "steps/again/bug/f_red_tests.md", "mine/steps/again/bug/f_red_tests.md"];
    assert_eq!(of(&all), all[0]);
    assert_eq!(of(&all[1..]), all[1]);
    assert_eq!(of(&all[2..]), all[2]);
    assert_eq!(of(&[]), "steps/retry/issue/f_failed.md");
    let plain = Pattern { adaptation: None, ..red() };
    let path = "steps/again/bug/f_red.md";
    assert_eq!(chosen(&[path], &[("t", plain)], &c3l, &result(Some("t"), "")), path);
}

#[test]
fn c_25_the_exact_pattern_then_keywords_then_the_text_for_all_others() {
    let c3l = usual();
    let own = ["steps/retry/issue/f_red_tests.md"];
    let of = |pattern, evidence| chosen(&own, &[("t", red())], &c3l, &result(pattern, evidence));
    assert_eq!(of(Some("t"), ""), own[0]);
    assert_eq!(of(Some("unheard-of"), "an ASSERTION failed"), own[0]);
    assert_eq!(of(None, "an assertion failed"), own[0]);
    assert_eq!(of(Some("unheard-of"), "network down"), "steps/retry/issue/f_failed.md");
    assert_eq!(of(Some("git-dirty"), "an assertion failed"), "steps/retry/issue/f_failed_git-dirty.md");
    let generic = ["retry/generic.md", "steps/retry/issue/f_failed.md"];
    assert_eq!(chosen(&generic, &[], &c3l, &result(None, "")), generic[0]);
    assert_eq!(chosen(&generic[1..], &[], &c3l, &result(None, "")), generic[1]);
}

#[test]
fn a_pattern_of_a_registry_without_a_text_of_its_own_gets_ours_of_that_name() {
    let pattern = Pattern { edition: "odd".into(), ..Pattern::default() };
    let elsewhere = C3l { c1: "steps-v2".into(), ..usual() };
    let path = chosen(&[], &[("test-failed", pattern)], &elsewhere, &result(Some("test-failed"), ""));
    assert_eq!(path, "steps/retry/issue/f_failed_test-failed.md");
}

#[test]
fn a_path_says_whose_text_it_is() {
    let patterns = [("t".to_owned(), red())].into();
    let of = |path| patterns_of(path, &patterns);
    assert_eq!(of("a/b/c/f_red_tests.md"), ["t"]);
    assert_eq!(of("retry/mine.md"), ["mine"]);
    assert_eq!(of("steps/retry/issue/f_failed_mine.md"), ["mine"]);
    assert!(of("steps/retry/issue/f_failed.md").is_empty());
    assert!(is_retry("a/f_x.md") && is_retry("retry/x.md") && !is_retry("shared/x.md"));
}

fn count(keywords: &[&str], corpus: &str) -> usize {
    score(&keywords.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(), corpus)
}

#[test]
fn words_and_expressions_count_one_each_and_bad_expressions_nothing() {
    assert_eq!(count(&["Dirty", "git", "lint"], "git directory is dirty"), 2);
    assert_eq!(count(&[r"/\d+ TESTS? failed/", "assertion"], "5 tests failed: assertion"), 2);
    assert_eq!(count(&["/[invalid/", "//", "/", "", " ", "dirty"], "it is dirty"), 1);
    assert_eq!(count(&["/(a{1000}){1000}/"], "aaa"), 0, "too large is as bad as wrong");
}
