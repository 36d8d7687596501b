//! Finds a label of a verdict with a word that denies, wherever it stands in a line: `前回の判定: FAIL`. Whose verdict it is
//! and of when, nobody can tell for certain, so its reviewer is asked.

use std::sync::LazyLock;

use regex::{Match, Regex};

use super::pattern;

/// Tells whether a line states a denial. `plain` is the line without what it quotes: what is quoted counts only beside an
/// approval of the same line.
pub(super) fn is_stated(line: &str, plain: &str) -> bool {
    if APPROVAL.is_match(plain) {
        return denies(line, &ANY) || denies(line, &OF_ALL);
    }
    denies(plain, &OF_ALL)
}

/// Tells whether a text states a denial in some place; words to choose from are none.
pub(super) fn denies(text: &str, denial: &Regex) -> bool {
    denial.find_iter(text).any(|found| stands(&text[found.end()..], found))
}

fn stands(after: &str, found: Match) -> bool {
    let goes_on = after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let is_english = found.as_str().ends_with(|c: char| c.is_ascii_alphanumeric());
    let is_another_word = is_english && goes_on;
    !is_another_word && !CHOICE.is_match(after)
}

const SIGN: &str =
    r"[\s*_`)\]】」』>]*(?:\([^()]{0,20}\)[\s*_`]*)?(?::|=>?|->|→|⇒|\|)[\s*_`「『(\[【❌⛔🚫🔴✗✘❎✖×]*";
const WORD: &str =
    r"(?:FAIL(?:ED|URE)?|REJECT(?:ED)?|REQUEST_CHANGES|NO-?GO|NG|不合格|不承認|却下|差し?戻し)";

/// A label of the verdict on the whole, or of one on a part.
pub(super) static OF_ALL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:判定(?:結果)?|(?:\b|_)(?:verdict|judge?ment|determination|decision))(?:{SIGN}{WORD}|\s(?-i:FAIL|REJECT))"
    ))
});

/// A label that is mostly written about parts.
static ANY: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"(?:結果|評価|(?:\b|_)(?:result|assessment)){SIGN}{WORD}")));

static APPROVAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:判定(?:結果)?|結果|(?:\b|_)(?:verdict|judge?ment|determination|decision|result)){SIGN}PASS(?:_WITH_SUGGESTIONS)?\b"
    ))
});

static CHOICE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[\s*_`]*(?:/|\||\\\||or\b|または|か)[\s*_`]*PASS"));
