//! The word at a marker's place: which word of the policy it is, whether it ends there, and whether what follows takes it
//! back. Knows nothing about labels and ranks. An approving word must stand clean; any other word may not.

use std::collections::BTreeMap;

use super::folded::{is_arrow, is_picture};
use super::lexicon::{self, Sense};
use super::objection;
use model::verdict::Judgment;

/// The words of a policy, longest first, spelled alike.
#[derive(Debug)]
pub(super) struct Words(Vec<(String, Judgment)>);

/// What stands at the place of a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// Nothing.
    Nothing,
    /// An object, which is read elsewhere.
    Object,
    /// The words to choose from: `PASS / FAIL`.
    Choice,
    /// A word of the policy. Approving ones are `clean` when nothing takes them back.
    Word { text: String, judgment: Judgment, clean: bool },
    /// GO or NOGO, which other systems use.
    Go(bool),
    /// A word that is about passing or failing and is none of the policy's.
    Unknown(String),
    /// Anything else.
    Prose,
}

impl Words {
    /// Prepares the words of a policy.
    pub(super) fn new(words: &BTreeMap<String, Judgment>) -> Self {
        let mut words: Vec<_> =
            words.iter().map(|(word, judgment)| (spelled(word.trim()), *judgment)).collect();
        words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        Self(words)
    }

    /// Returns what a word means that stands alone.
    pub(super) fn meaning(&self, word: &str) -> Option<Judgment> {
        let word =
            spelled(word.trim_matches(|c: char| c.is_whitespace() || "*_`\"'".contains(c) || is_picture(c)));
        self.0.iter().find(|(known, _)| *known == word).map(|(_, judgment)| *judgment)
    }

    /// Tells whether a word that stands alone says that something does not pass, in this policy's words or in others.
    pub(super) fn denies(&self, word: &str) -> bool {
        let bare = spelled(word.trim());
        let approves = ["PASS", "APPROV", "ACCEPT"].iter().any(|stem| bare.starts_with(stem));
        let waits = ["PENDING", "NO", "NOT", "UNDECIDED"].contains(&bare.as_str());
        match self.meaning(word) {
            Some(judgment) => !judgment.approves(),
            None => !approves && !waits && matches!(other(word.trim()), Said::Unknown(_) | Said::Go(false)),
        }
    }

    /// Tells whether a text offers words to choose from instead of saying one.
    pub(super) fn is_choice(&self, text: &str) -> bool {
        let mut parts = text.trim_matches(['[', ']', '<', '>', '{', '}', '(', ')', ' ']).split(['|', '/']);
        text.contains(['|', '/']) && parts.all(|part| self.meaning(part).is_some())
    }

    /// Reads what a folded text begins with.
    pub(super) fn read(&self, text: &str) -> Said {
        // Markdown writers escape the underscores of a word.
        if text.contains("\\_") {
            return self.read(&text.replace("\\_", "_"));
        }
        let opened = text.trim_start_matches(|c: char| is_opening(c) || is_picture(c));
        if opened.is_empty() {
            return Said::Nothing;
        }
        if opened.starts_with('{') {
            return Said::Object;
        }
        let Some((length, judgment)) = self.longest(opened) else { return other(opened) };
        let (word, after) = opened.split_at(length);
        if self.offers_another(after) {
            return Said::Choice;
        }
        if let Some(said) = self.with_parenthesis(word, after) {
            return said;
        }
        let crossed = text[..text.len() - opened.len()].contains(CROSSES);
        let clean = !judgment.approves() || (!crossed && is_clean(after));
        Said::Word { text: word.to_owned(), judgment, clean }
    }

    fn longest(&self, text: &str) -> Option<(usize, Judgment)> {
        let matches = |word: &str| {
            let start = text.get(..word.len())?;
            (spelled(start) == word && ends(word, &text[word.len()..])).then_some(word.len())
        };
        self.0.iter().find_map(|(word, judgment)| Some((matches(word)?, *judgment)))
    }

    /// Reads `PASS (with suggestions)`, which is one word written as two.
    fn with_parenthesis(&self, word: &str, after: &str) -> Option<Said> {
        let rest = after.trim_start_matches(|c: char| c.is_whitespace() || "*_`".contains(c));
        let (inside, after) = rest.strip_prefix('(')?.split_once(')')?;
        let text = format!("{word} {}", inside.trim());
        let judgment = self.meaning(&text)?;
        Some(Said::Word { text, judgment, clean: !judgment.approves() || is_clean(after) })
    }

    /// Tells whether another word is offered next: `PASS / FAIL`, `PASS or FAIL`, `PASS、FAIL`.
    fn offers_another(&self, after: &str) -> bool {
        let rest = after.trim_start_matches(is_closing);
        let joint = ["/", "|", "\\|", "or ", "または", "もしくは", "あるいは", "か", "、", ",", "・", "(or "]
            .iter()
            .find_map(|joint| rest.strip_prefix(joint));
        let next = joint.map(|rest| rest.trim_start_matches(|c: char| is_opening(c) || is_picture(c)));
        next.is_some_and(|next| self.longest(next).is_some())
    }
}

/// Returns what a value comes to that is none of the policy's words. One that only approves is asked again: there is nothing to
/// repair.
pub(super) fn unknown(value: &str) -> Judgment {
    let value = lexicon::normalized(value);
    let value = value.trim_matches(|c: char| !c.is_alphanumeric());
    let approves = lexicon::words(value)
        .iter()
        .any(|word| word.says(Sense::UnknownApproval) && word.span == (0..value.len()));
    if approves { Judgment::Unverifiable } else { Judgment::Revise }
}

/// Returns a word the way it is compared: upper case, `_` between its parts.
fn spelled(word: &str) -> String {
    word.chars().map(|c| if c == ' ' || c == '-' { '_' } else { c.to_ascii_uppercase() }).collect()
}

/// Tells whether a word ends where another text begins: `PASSED`, `PASS_X` and `PASS-X` are other words.
fn ends(word: &str, after: &str) -> bool {
    let mut next = after.chars();
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    match next.next() {
        _ if !word.is_ascii() => true,
        Some('-') => !is_part(next.next()),
        // `__PASS__` is emphasis.
        Some('_') => next.next() == Some('_') && !is_part(next.next()),
        first => !is_part(first),
    }
}

/// Signs that take back the word they stand beside.
const CROSSES: [char; 9] = ['❌', '⛔', '🚫', '🔴', '✗', '✘', '❎', '✖', '×'];

fn is_opening(c: char) -> bool {
    c.is_whitespace() || "*_`\"'“”‘’「『【[(<:".contains(c)
}

fn is_closing(c: char) -> bool {
    c.is_whitespace() || "*_`\"'“”‘’」』】])>".contains(c) || is_picture(c)
}

/// Reads a word that is not the policy's.
fn other(text: &str) -> Said {
    let token_end =
        text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(text.len());
    let token = &text[..token_end];
    let word = spelled(token);
    let rest = text[token_end..].trim_start().to_ascii_uppercase();
    if word == "NOGO" || word == "NO_GO" || (word == "NO" && rest.starts_with("GO")) {
        return Said::Go(false);
    }
    if word == "GO" {
        return if rest.starts_with(['/', '|']) { Said::Choice } else { Said::Go(go_stands(&rest)) };
    }
    let english =
        ABOUT_PASSING.iter().any(|stem| word.starts_with(stem)) || NEGATIONS.contains(&word.as_str());
    let japanese = JAPANESE.iter().any(|stem| text.starts_with(stem));
    match (english, japanese || text.starts_with('~')) {
        (true, _) => Said::Unknown(token.to_owned()),
        (_, true) => Said::Unknown(super::clipped(text, 8).to_owned()),
        _ => Said::Prose,
    }
}

/// Tells whether nothing takes a GO back. `GO (after autofix)` is said of something done.
fn go_stands(after: &str) -> bool {
    let done = after.replace("(AFTER AUTOFIX)", "");
    is_clean(&done)
}

const ABOUT_PASSING: [&str; 16] = [
    "LGTM",
    "PASS",
    "FAIL",
    "APPROV",
    "REJECT",
    "ACCEPT",
    "DECLIN",
    "BLOCK",
    "REQUEST",
    "REVISE",
    "ABORT",
    "INCONCLUSIVE",
    "CONDITIONAL",
    "UNSUCCESSFUL",
    "DISAPPROV",
    "UNACCEPT",
];
const NEGATIONS: [&str; 7] = ["NG", "NOT", "NO", "NOK", "STOP", "PENDING", "UNDECIDED"];
const JAPANESE: [&str; 13] = [
    "合格",
    "承認",
    "通過",
    "不合格",
    "不承認",
    "不可",
    "却下",
    "差し戻し",
    "差戻し",
    "要修正",
    "保留",
    "条件付き",
    "まだPASS",
];

/// Tells whether what follows an approving word leaves it standing.
fn is_clean(after: &str) -> bool {
    let rest = after.trim_start_matches(is_closing);
    let closed =
        after[..after.len() - rest.len()].contains(['*', '`', '」', '』', '】', ']', '\'', '"', '”']);
    if after[..after.len() - rest.len()].contains(CROSSES) {
        return false;
    }
    let Some(first) = rest.chars().next() else { return true };
    if is_arrow(first) || rest.starts_with("->") || rest.starts_with("=>") || first == '~' {
        return false;
    }
    let comment =
        rest.trim_start_matches(|c: char| c.is_whitespace() || "。、,.;!|-–—(".contains(c) || is_picture(c));
    let crossed = rest[..rest.len() - comment.len()].contains(CROSSES);
    let comment = without_no_condition(comment);
    let parenthesis = without_no_condition(parenthesis(rest));
    if crossed
        || takes_back(&comment)
        || (first == '(' && has_condition(&parenthesis))
        || objection::is_in(rest)
    {
        return false;
    }
    let separated = "。、,.;!|(-–—".contains(first) || rest.starts_with("\\n");
    let copula = COPULAS.iter().any(|copula| rest.starts_with(copula));
    let apart = after.trim_end_matches(rest).ends_with(char::is_whitespace);
    separated || copula || (closed && (first.is_ascii() || apart))
}

/// Tells whether a word that denies ends its clause, or its reason follows: `FAIL)`, `FAIL because …`, `FAILです`, but not
/// `FAILとなる項目`, `FAIL → PASS` or `FAIL 3`.
pub(super) fn denial_ends(after: &str) -> bool {
    let rest = after.trim_start_matches(is_closing);
    let Some(first) = rest.chars().next() else { return true };
    let is_reason = first.is_ascii_alphabetic() && rest.len() < after.len();
    let is_arrow = is_arrow(first) || rest.starts_with("->") || rest.starts_with("=>");
    !is_arrow
        && (is_reason
            || "。、,.;:!|(-–—/".contains(first)
            || COPULAS.iter().any(|copula| rest.starts_with(copula)))
}

/// What may follow an approving word in Japanese without a sign between them.
const COPULAS: [&str; 13] = [
    "です",
    "である",
    "とします",
    "とする",
    "と判定",
    "と判断",
    "と評価",
    "としました",
    "となります",
    "となりました",
    "とした",
    "だ。",
    "(",
];

/// Drops what says that there is no condition.
fn without_no_condition(text: &str) -> String {
    text.replace("無条件", "").replace("条件なし", "").replace("条件はなし", "").replace("条件無し", "")
}

fn parenthesis(text: &str) -> &str {
    text.split(')').next().unwrap_or(text)
}

/// Tells whether a comment begins by taking back what was said.
fn takes_back(comment: &str) -> bool {
    let comment = comment.to_lowercase();
    let comment =
        ["but ", "however, ", "however ", "and ", "yet ", "ただし、", "ただし", "but, ", "although "]
            .iter()
            .find_map(|joint| comment.strip_prefix(joint))
            .unwrap_or(&comment);
    let begins = |word: &str| {
        comment.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    TAKING_BACK.iter().any(|word| begins(word))
        || JAPANESE_CONDITIONS.iter().any(|word| comment.starts_with(word))
}

fn has_condition(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
    words.any(|word| CONDITIONS.contains(&word)) || JAPANESE_CONDITIONS.iter().any(|word| text.contains(word))
}

const TAKING_BACK: [&str; 35] = [
    "only",
    "if",
    "once",
    "when",
    "after",
    "unless",
    "until",
    "provided",
    "assuming",
    "pending",
    "subject to",
    "conditional",
    "conditionally",
    "as soon as",
    "as long as",
    "not",
    "no longer",
    "is not",
    "isn't",
    "cannot",
    "can't",
    "would",
    "could",
    "should",
    "may",
    "might",
    "will be",
    "requires",
    "on condition",
    "contingent",
    "wait",
    "except",
    "withdrawn",
    "revoked",
    "retracted",
];
const CONDITIONS: [&str; 14] = [
    "if",
    "once",
    "when",
    "unless",
    "until",
    "provided",
    "assuming",
    "pending",
    "subject",
    "conditional",
    "conditionally",
    "after",
    "not",
    "contingent",
];
const JAPANESE_CONDITIONS: [&str; 10] =
    ["条件付", "条件", "修正後", "対応後", "解消後", "の場合", "場合", "なら", "次第", "前提"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::default_words;

    fn read(text: &str) -> Said {
        Words::new(&default_words()).read(text)
    }

    fn word(text: &str, judgment: Judgment) -> Said {
        Said::Word { text: text.to_owned(), judgment, clean: true }
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
        for text in
            ["PASS_WITH_SUGGESTIONS", "Pass with suggestions, see below", "**PASS-WITH-SUGGESTIONS** ✅"]
        {
            assert!(
                matches!(read(text), Said::Word { judgment: Judgment::ApproveWithNotes, clean: true, .. }),
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
            assert!(matches!(read(text), Said::Unknown(_)), "{text}: {:?}", read(text));
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
            let clean = matches!(read(text), Said::Word { clean: true, .. });
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
            assert_eq!(read(text), Said::Choice, "{text}");
        }
        assert!(Words::new(&default_words()).is_choice("PASS|PASS_WITH_SUGGESTIONS|FAIL"));
        assert!(!Words::new(&default_words()).is_choice("PASS"));
    }

    #[test]
    fn other_things_are_told_apart() {
        assert_eq!(read(" ** "), Said::Nothing);
        assert_eq!(read("{\"result\""), Said::Object);
        assert_eq!(read("✅ 適切"), Said::Prose);
        assert_eq!(read("EXTEND"), Said::Prose);
        for (text, go) in [
            ("GO (after autofix)", true),
            ("**GO** ✅", true),
            ("NOGO ❌", false),
            ("NO-GO", false),
            ("no go", false),
            ("GO if", false),
        ] {
            assert_eq!(read(text), Said::Go(go), "{text}");
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
        assert_eq!(words.read("PASS"), Said::Unknown("PASS".to_owned()));
        assert_eq!(words.meaning(" **承認** "), Some(Judgment::Approve));
    }
}
