//! Finds the words that end a label (`判定`, `verdict`, …), wherever they stand. Whether one is a label is `label`'s.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// English ones are found in both cases.
const WORDS: [&str; 11] = [
    "判定結果",
    "判定",
    "評価",
    "結果",
    "verdict",
    "judgment",
    "judgement",
    "determination",
    "assessment",
    "decision",
    "result",
];

/// Returns the places of the words, from left to right; of two that begin alike the longer one.
pub(super) fn mentions(text: &str) -> impl Iterator<Item = Range<usize>> {
    static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).match_kind(MatchKind::LeftmostLongest);
        builder.build(WORDS).expect("the words are few")
    });
    FINDER.find_iter(text).map(|found| found.range())
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use regex::Regex;

    use super::*;

    fn found(text: &str) -> Vec<&str> {
        mentions(text).map(|place| &text[place]).collect()
    }

    #[test]
    fn words_are_found_in_both_cases_and_at_both_ends() {
        assert_eq!(
            found("Verdict: 判定結果 JUDGEMENT,judgment 結果判定xresults評価"),
            ["Verdict", "判定結果", "JUDGEMENT", "judgment", "結果", "判定", "result", "評価"]
        );
        assert_eq!(found("resul esult 判 judgeement RESULT"), ["RESULT"]);
        assert_eq!(found(""), [""; 0]);
    }

    /// The slow way. An `s` has a third spelling beyond ASCII, which is none of the pieces below.
    static SLOWLY: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(&format!("(?i){}", WORDS.join("|"))).expect("made of constants"));

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { cases: 2_000, ..Default::default() })]

        #[test]
        fn no_word_is_missed_and_none_is_invented(
            pieces in proptest::collection::vec(
                proptest::sample::select(vec![
                    "判定", "結果", "評価", "判", "定", "果", "価", "re", "sult", "RESULT", "verdict", "ver", "dict", "Dec", "ision",
                    "assess", "ment", "judg", "e", "determination", "deter", " ", "x", "、", "🎉",
                ]),
                0..30,
            )
        ) {
            let text = pieces.concat();
            let slow: Vec<&str> = SLOWLY.find_iter(&text).map(|found| found.as_str()).collect();
            proptest::prop_assert_eq!(found(&text), slow);
        }
    }
}
