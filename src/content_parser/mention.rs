//! Finds the words that end a label (`判定`, `verdict`, …), wherever they stand. Whether one is a label is `label`'s.
//!
//! Most of a text holds none of them, so most of it is jumped over: every word has at least [`WINDOW`] bytes, and the last
//! two bytes of a window tell how far on the next word can begin at the earliest.

use std::ops::Range;

/// Of two that begin alike the longer stands first. English ones are found in both cases.
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

/// The length of the shortest word.
const WINDOW: usize = 6;

/// How far a window can be moved whose last two bytes begin no word and stand in none.
const LONGEST_JUMP: u8 = 5;

/// How far a window can be moved, by its last two bytes.
static JUMPS: [u8; 4096] = jumps();

/// Returns the places of the words, from left to right.
pub(super) fn mentions(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        let found = next(bytes, from)?;
        from = found.end;
        Some(found)
    })
}

fn next(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let mut at = from;
    while let Some([.., one, two]) = bytes.get(at..at + WINDOW) {
        match JUMPS[pair(*one, *two)] {
            0 => match word_at(&bytes[at..]) {
                Some(length) => return Some(at..at + length),
                None => at += 1,
            },
            jump => at += usize::from(jump),
        }
    }
    None
}

/// Returns the length of the word that a text begins with.
fn word_at(bytes: &[u8]) -> Option<usize> {
    let begins = |word: &&&str| {
        bytes[0] | 0x20 == word.as_bytes()[0] | 0x20
            && bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    WORDS.iter().find(begins).map(|word| word.len())
}

/// Where two bytes stand in the table; upper and lower case stand together. Pairs that share a place only make jumps
/// shorter.
const fn pair(one: u8, two: u8) -> usize {
    (((one | 0x20) as usize) << 4) ^ (two | 0x20) as usize
}

const fn jumps() -> [u8; 4096] {
    let mut jumps = [LONGEST_JUMP; 4096];
    let mut word = 0;
    while word < WORDS.len() {
        let bytes = WORDS[word].as_bytes();
        let (mut at, mut jump) = (0, LONGEST_JUMP);
        while jump > 0 {
            jump -= 1;
            let place = pair(bytes[at], bytes[at + 1]);
            if jump < jumps[place] {
                jumps[place] = jump;
            }
            at += 1;
        }
        word += 1;
    }
    jumps
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
