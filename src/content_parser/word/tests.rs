//! Words at the place of a verdict, and the remarks behind them.

use super::*;
use crate::default_words;
use crate::severity;

fn read(text: &str) -> MarkerWord {
    Words::new(&default_words()).read(text)
}

fn word(text: &str, judgment: Judgment) -> MarkerWord {
    MarkerWord::Word { text: text.to_owned(), judgment, clean: true }
}

#[test]
fn the_longest_word_counts_and_decoration_does_not() {
    for text in [
        "PASS",
        " **PASS**",
        "✅ PASS ✅",
        "「PASS」です",
        "`PASS`。",
        "__PASS__",
        "[PASS]",
        "PASS - fine",
        "PASS(合格)",
    ] {
        assert_eq!(read(text), word("PASS", Judgment::Approve), "{text}");
    }
    for text in ["PASS_WITH_SUGGESTIONS", "Pass with suggestions, see below", "**PASS-WITH-SUGGESTIONS** ✅"]
    {
        assert!(
            matches!(read(text), MarkerWord::Word { judgment: Judgment::ApproveWithNotes, clean: true, .. }),
            "{text}"
        );
    }
    assert_eq!(read("fail。"), word("fail", Judgment::Revise));
}

#[test]
fn a_word_that_goes_on_is_another_word() {
    for text in [
        "PASSED",
        "PASSING",
        "FAILED",
        "PASS_WITH_ISSUES",
        "PASS-ISH",
        "Passable",
        "UNSUCCESSFUL",
        "not PASS",
        "不合格",
    ] {
        assert!(matches!(read(text), MarkerWord::Unknown(_)), "{text}: {:?}", read(text));
    }
}

#[test]
fn an_approval_that_is_taken_back_is_not_clean() {
    for text in [
        "PASS once the 3 blockers are fixed",
        "PASS, but only after the fix",
        "**PASS** if CI is green",
        "PASS の場合",
        "PASS判定が可能になります",
        "PASSではない",
        "PASS → FAIL",
        "PASS -> FAIL",
        "PASS(条件付き)",
        "PASS (conditional)",
        "PASS (once fixed)",
        "PASS — provided that tests are added",
        "~~PASS~~",
        "PASSになる見込み",
        "PASS 12件",
        "PASS: 12",
        "**PASS**ではありません",
        "❌ PASS",
        "PASS withdrawn",
        "PASS、ただし条件付き",
        "PASS with issues",
        "PASS as long as",
    ] {
        let clean = matches!(read(text), MarkerWord::Word { clean: true, .. });
        assert!(!clean, "{text}: {:?}", read(text));
    }
}

#[test]
fn words_to_choose_from_are_no_verdict() {
    for text in [
        "PASS / FAIL",
        "PASS/PASS_WITH_SUGGESTIONS/FAIL",
        "[PASS|FAIL]",
        "**PASS** or **FAIL**",
        "PASSまたはFAIL",
        "`PASS` | `FAIL`",
        "GO / NOGO",
    ] {
        assert_eq!(read(text), MarkerWord::Choice, "{text}");
    }
    assert!(Words::new(&default_words()).is_choice("PASS|PASS_WITH_SUGGESTIONS|FAIL"));
    assert!(!Words::new(&default_words()).is_choice("PASS"));
}

#[test]
fn other_things_are_told_apart() {
    assert_eq!(read(" ** "), MarkerWord::Nothing);
    assert_eq!(read("{\"result\""), MarkerWord::Object);
    assert_eq!(read("✅ 適切"), MarkerWord::Prose);
    assert_eq!(read("EXTEND"), MarkerWord::Prose);
    for (text, go) in [
        ("GO (after autofix)", true),
        ("**GO** ✅", true),
        ("NOGO ❌", false),
        ("NO-GO", false),
        ("no go", false),
        ("GO if", false),
    ] {
        assert_eq!(read(text), MarkerWord::Go(go), "{text}");
    }
}

#[test]
fn a_policy_has_its_own_words() {
    let words = BTreeMap::from([
        ("REQUEST_CHANGES".to_owned(), Judgment::Revise),
        ("承認".to_owned(), Judgment::Approve),
    ]);
    let words = Words::new(&words);
    assert_eq!(words.read("Request Changes"), word("Request Changes", Judgment::Revise));
    assert_eq!(words.read("承認。"), word("承認", Judgment::Approve));
    assert_eq!(words.read("PASS"), MarkerWord::Unknown("PASS".to_owned()));
    assert_eq!(words.meaning(" **承認** "), Some(Judgment::Approve));
}

#[test]
fn an_item_that_is_marked_as_severe_objects_unless_it_is_settled() {
    assert_eq!(
        severity::item("1. [CRITICAL] planning.md:3 the plan drops the users table"),
        Some("CRITICAL")
    );
    assert_eq!(severity::item("- **[major]** the limit is missing"), Some("major"));
    for line in [
        "- [critical] none",
        "2. [MAJOR] the limit (resolved in round 2)",
        "- [Critical] 該当なし",
        "- [minor] a name",
        "[CRITICAL] means that data is lost",
        "- [CRITICAL]",
    ] {
        assert_eq!(severity::item(line), None, "{line}");
    }
}
