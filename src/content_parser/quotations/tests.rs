//! Tests of `quotations`.

use std::time::{Duration, Instant};

use super::*;

/// Returns what is left when quotations of at most 300 characters are taken out.
fn unquoted(text: &str) -> Cow<'_, str> {
    let judge = |_, inside: &str| if is_short(inside) { Quotation::Replaced } else { Quotation::None };
    replace_quotations(text, judge, |_| "_".to_owned())
}

#[test]
fn quotations_are_found_by_their_marks() {
    let text = "he says \"no\", `a b` and “c”, 「だめ」『いや』 «non» „nein“ „nee”.";
    assert_eq!(unquoted(text), "he says _, _ and _, __ _ _ _.");
    assert_eq!(unquoted("`` and \"\" and \"it `is` so\""), "_ and _ and _");
}

#[test]
fn a_mark_that_stays_alone_quotes_nothing() {
    assert!(matches!(unquoted("5\" wide and it's “open"), Cow::Borrowed(_)));
    assert_eq!(unquoted("\"one\ntwo\" and \"three\""), "\"one\ntwo_three\"");
    let (longest, longer) = ("あ".repeat(300), "あ".repeat(301));
    assert_eq!(unquoted(&format!("\"{longest}\" and")), "_ and");
    assert_eq!(unquoted(&format!("\"{longer}\" and \"")), format!("\"{longer}_"));
}

#[test]
fn second_mark_of_no_quotation_may_open_another_one() {
    let judge = |other| move |_, inside: &str| if is_phrase(inside) { Quotation::Replaced } else { other };
    let without = |other| replace_quotations("`a` says `b c` and `d`.", judge(other), |_| "_".to_owned());
    assert_eq!(without(Quotation::Kept), "`a` says _ and `d`.");
    assert_eq!(without(Quotation::None), "`a_b c_d`.");
}

#[test]
fn a_phrase_has_a_space_or_colon_near_its_middle() {
    let of = |before: usize, after: usize| "x".repeat(before) + " " + &"y".repeat(after);
    assert!(is_phrase("a b") && is_phrase("a:b") && is_phrase(" ") && is_phrase(&of(200, 200)));
    assert!(!is_phrase("") && !is_phrase("word") && !is_phrase(&of(201, 3)) && !is_phrase(&of(3, 201)));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test may take the time")]
fn many_open_marks_cost_linear_time() {
    let began = Instant::now();
    let text = "“ 「 « ".repeat(200_000);
    assert!(matches!(unquoted(&text), Cow::Borrowed(_)));
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}
