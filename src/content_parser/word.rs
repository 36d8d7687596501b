//! The word at a marker's place: which word of the policy it is, whether it ends there, and whether what follows takes it
//! back. Knows nothing about labels and ranks. An approving word must stand clean; any other word may not.

use std::collections::BTreeMap;

use super::lexicon::{self, MARKERS, Sense};
use super::text::{after_prefix, clipped, decoration, is_arrow};
use model::verdict::Judgment;

/// The words of a policy, longest first, spelled alike.
#[derive(Debug)]
pub(super) struct Words(Vec<(String, Judgment)>);

/// What stands at the place of a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MarkerWord {
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
        let word = spelled(word.trim_matches(decoration("*_`\"'")));
        self.0.iter().find(|(known, _)| *known == word).map(|(_, judgment)| *judgment)
    }

    /// Tells whether a word that stands alone says that something does not pass, in this policy's words or in others.
    pub(super) fn denies(&self, word: &str) -> bool {
        let bare = spelled(word.trim());
        let approves = ["PASS", "APPROV", "ACCEPT"].iter().any(|stem| bare.starts_with(stem));
        let waits = ["PENDING", "NO", "NOT", "UNDECIDED"].contains(&bare.as_str());
        match self.meaning(word) {
            Some(judgment) => !judgment.approves(),
            None => {
                !approves
                    && !waits
                    && matches!(other(word.trim()), MarkerWord::Unknown(_) | MarkerWord::Go(false))
            }
        }
    }

    /// Tells whether a text offers words to choose from instead of saying one.
    pub(super) fn is_choice(&self, text: &str) -> bool {
        let mut parts = text.trim_matches(['[', ']', '<', '>', '{', '}', '(', ')', ' ']).split(['|', '/']);
        text.contains(['|', '/']) && parts.all(|part| self.meaning(part).is_some())
    }

    /// Reads what a folded text begins with.
    pub(super) fn read(&self, text: &str) -> MarkerWord {
        // Markdown writers escape the underscores of a word.
        if text.contains("\\_") {
            return self.read(&text.replace("\\_", "_"));
        }
        let opened = text.trim_start_matches(decoration(OPENING));
        if opened.is_empty() {
            return MarkerWord::Nothing;
        }
        if opened.starts_with('{') {
            return MarkerWord::Object;
        }
        let Some((length, judgment)) = self.longest(opened) else { return other(opened) };
        let (word, after) = opened.split_at(length);
        if self.offers_another(after) {
            return MarkerWord::Choice;
        }
        if let Some(said) = self.with_parenthesis(word, after) {
            return said;
        }
        let crossed = text[..text.len() - opened.len()].contains(CROSSES);
        let clean = !judgment.approves() || (!crossed && is_clean(after));
        MarkerWord::Word { text: word.to_owned(), judgment, clean }
    }

    fn longest(&self, text: &str) -> Option<(usize, Judgment)> {
        let begins = |word: &str| text.get(..word.len()).is_some_and(|start| spelled(start) == word);
        let found = self.0.iter().find(|(word, _)| begins(word) && ends(word, &text[word.len()..]));
        found.map(|(word, judgment)| (word.len(), *judgment))
    }

    /// Reads `PASS (with suggestions)`, which is one word written as two.
    fn with_parenthesis(&self, word: &str, after: &str) -> Option<MarkerWord> {
        let rest = after.trim_start_matches(|c: char| c.is_whitespace() || "*_`".contains(c));
        let (inside, after) = rest.strip_prefix('(')?.split_once(')')?;
        let text = format!("{word} {}", inside.trim());
        let judgment = self.meaning(&text)?;
        Some(MarkerWord::Word { text, judgment, clean: !judgment.approves() || is_clean(after) })
    }

    /// Tells whether another word is offered next: `PASS / FAIL`, `PASS or FAIL`, `PASS、FAIL`.
    fn offers_another(&self, after: &str) -> bool {
        let rest = after.trim_start_matches(decoration(CLOSING));
        let next = MARKERS["choices"].iter().find_map(|joint| rest.strip_prefix(joint.as_str()));
        next.is_some_and(|next| self.longest(next.trim_start_matches(decoration(OPENING))).is_some())
    }
}

/// Returns what a value comes to that is none of the policy's words. One that only approves is asked again: there is nothing to
/// repair.
pub(super) fn unknown(value: &str) -> Judgment {
    let value = lexicon::normalized(value);
    let value = value.trim_matches(|c: char| !c.is_alphanumeric());
    if lexicon::is_all(value, Sense::UnknownApproval) { Judgment::Unverifiable } else { Judgment::Revise }
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
const OPENING: &str = "*_`\"'“”‘’「『【[(<:";
const CLOSING: &str = "*_`\"'“”‘’」』】])>";
/// They separate a word from what is said about it.
const SEPARATORS: &str = "。、,.;!|-–—(";

/// Reads a word that is not the policy's.
fn other(text: &str) -> MarkerWord {
    let is_sign = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let (token, rest) = text.split_at(text.find(is_sign).unwrap_or(text.len()));
    let word = spelled(token);
    let rest = rest.trim_start().to_ascii_uppercase();
    if word == "NOGO" || word == "NO_GO" || (word == "NO" && rest.starts_with("GO")) {
        return MarkerWord::Go(false);
    }
    if word == "GO" && rest.starts_with(['/', '|']) {
        return MarkerWord::Choice;
    }
    if word == "GO" {
        // `GO (after autofix)` is said of something done.
        return MarkerWord::Go(is_clean(&rest.replace("(AFTER AUTOFIX)", "")));
    }
    let negates = MARKERS["negations"].iter().any(|known| word.eq_ignore_ascii_case(known));
    if !negates && !MARKERS["about_passing"].iter().any(|stem| after_prefix(text, stem).is_some()) {
        return MarkerWord::Prose;
    }
    MarkerWord::Unknown(if token.is_empty() { clipped(text, 8) } else { token }.to_owned())
}

/// Tells whether what follows an approving word leaves it standing.
fn is_clean(after: &str) -> bool {
    let rest = after.trim_start_matches(decoration(CLOSING));
    let closing = &after[..after.len() - rest.len()];
    let Some(first) = rest.chars().next() else { return !closing.contains(CROSSES) };
    let comment = rest.trim_start_matches(decoration(SEPARATORS));
    let beside = &after[..after.len() - comment.len()];
    if beside.contains(CROSSES) || begins_with_arrow(rest) || first == '~' {
        return false;
    }
    let parenthesis = if first == '(' { rest.split(')').next().unwrap_or(rest) } else { "" };
    if takes_back(comment)
        || lexicon::mentions_one(&without_no_condition(parenthesis), &MARKERS["conditions"])
    {
        return false;
    }
    let closed = closing.contains(['*', '`', '」', '』', '】', ']', '\'', '"', '”']);
    SEPARATORS.contains(first)
        || rest.starts_with("\\n")
        || begins_with(rest, &MARKERS["copulas"])
        || (closed && (first.is_ascii() || closing.ends_with(char::is_whitespace)))
}

/// Tells whether a word that denies ends its clause, or its reason follows: `FAIL)`, `FAIL because …`, `FAILです`, but not
/// `FAILとなる項目`, `FAIL → PASS` or `FAIL 3`.
pub(super) fn denial_ends(after: &str) -> bool {
    let rest = after.trim_start_matches(decoration(CLOSING));
    let Some(first) = rest.chars().next() else { return true };
    let is_reason = first.is_ascii_alphabetic() && rest.len() < after.len();
    !begins_with_arrow(rest)
        && (is_reason || "。、,.;:!|(-–—/".contains(first) || begins_with(rest, &MARKERS["copulas"]))
}

fn begins_with_arrow(text: &str) -> bool {
    text.starts_with(is_arrow) || text.starts_with("->") || text.starts_with("=>")
}

fn begins_with(text: &str, words: &[String]) -> bool {
    words.iter().any(|word| text.starts_with(word.as_str()))
}

/// Tells whether a comment begins by taking back what was said.
fn takes_back(comment: &str) -> bool {
    let comment = without_no_condition(comment);
    let contrast = MARKERS["contrasts"].iter().find_map(|joint| comment.strip_prefix(joint.as_str()));
    let comment = contrast.unwrap_or(&comment);
    MARKERS["taking_back"].iter().any(|word| {
        let goes_on = |rest: &str| word.is_ascii() && rest.starts_with(|c: char| c.is_ascii_alphanumeric());
        comment.strip_prefix(word.as_str()).is_some_and(|rest| !goes_on(rest))
    })
}

fn without_no_condition(text: &str) -> String {
    MARKERS["no_condition"].iter().fold(text.to_lowercase(), |text, word| text.replace(word.as_str(), ""))
}

#[cfg(test)]
mod tests;
