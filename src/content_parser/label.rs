//! The labels of marker lines: which words announce a verdict, how much they weigh, and where they may stand.
//! Knows nothing about what is said after them.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::lexicon::{MARKERS, pattern};
use super::text::decoration;

/// How much a label weighs, heaviest first. A heavier label beats a lighter one; equals compete by strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// `最終判定`, final verdict, final decision, …
    Final,
    /// `判定結果`
    Result,
    /// `判定`, `総合判定`, `レビュー結果`, verdict, overall assessment, review result, … A summary such as `総合判定` is
    /// often written about gates, so it must not beat a plain `判定`.
    Judgment,
    /// `結果`, result
    Outcome,
    /// `DECISION`
    Decision,
}

/// Where a label stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// Nothing but decoration stands before it on its line.
    Line,
    /// It is the first cell of a table row.
    Cell,
    /// A sentence ends before it.
    Sentence,
    /// A clause ends before it: `…のため、最終判定は…`.
    Clause,
    /// It stands in the middle of its line, after `start` bytes of it. Only a denial may count there.
    Remark { start: usize },
}

/// A label and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub rank: Rank,
    /// The label as readers know it, such as `最終判定`, `overall assessment` or `DECISION`.
    pub name: String,
    pub lead: Lead,
}

/// What a word before a label makes of it, the heaviest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Adjective {
    Final,
    Overall,
    Review,
    /// It makes it a label of nothing else.
    Other,
}

/// Returns the places of the words that may end a label, from left to right; of two that begin alike the longer one.
pub(super) fn mentions(text: &str) -> impl Iterator<Item = Range<usize>> {
    static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).match_kind(MatchKind::LeftmostLongest);
        builder.build(&MARKERS["labels"]).expect("the words are few")
    });
    FINDER.find_iter(text).map(|found| found.range())
}

/// Tells by the last word whether a label may follow a text. Most words that could end a label are ordinary words, and
/// [`read`] is not cheap.
pub(super) fn may_follow(before: &str) -> bool {
    let text = before.trim_end_matches([' ', '\t', '*', '_', '`']);
    let Some(last) = text.chars().next_back() else { return true };
    !last.is_alphanumeric()
        || last.is_ascii_digit()
        || matches!(last, '\u{ff01}'..='\u{ff5e}')
        || text.ends_with("\\n")
        || last_adjective(text).is_some()
}

/// Reads the label that ends with `core`. `before` is what stands before it, folded; `whole` tells whether that is all
/// of its line.
pub(super) fn read(before: &str, whole: bool, core: &str) -> Option<Label> {
    let core = core.to_lowercase().replace("judgement", "judgment");
    let (adjective, rest) = adjectives(before);
    let lead = lead(rest, whole).unwrap_or(Lead::Remark { start: rest.len() });
    Some(Label { rank: rank(&core, adjective)?, name: name(&core, adjective), lead })
}

/// Takes known words from the end of a text; returns the heaviest and what stands before them.
fn adjectives(before: &str) -> (Adjective, &str) {
    let mut heaviest = Adjective::Other;
    let mut rest = before;
    while let Some((adjective, shorter)) = last_adjective(rest.trim_end_matches([' ', '\t', '*', '_', '`'])) {
        heaviest = heaviest.min(adjective);
        rest = shorter;
    }
    (heaviest, rest)
}

fn last_adjective(text: &str) -> Option<(Adjective, &str)> {
    let text = text.trim_end_matches(['、', ',', ' ']);
    let kinds = [
        ("final_words", Adjective::Final),
        ("overall_words", Adjective::Overall),
        ("review_words", Adjective::Review),
        ("other_words", Adjective::Other),
    ];
    kinds.into_iter().find_map(|(list, adjective)| {
        Some((adjective, MARKERS[list].iter().find_map(|word| without_last_word(text, word))?))
    })
}

fn without_last_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let start = text.len().checked_sub(word.len())?;
    let (rest, last) = (text.get(..start)?, text.get(start..)?);
    let goes_on = word.is_ascii() && rest.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
    if !goes_on && last.eq_ignore_ascii_case(word) { Some(rest) } else { None }
}

fn rank(core: &str, adjective: Adjective) -> Option<Rank> {
    match (core, adjective) {
        (_, Adjective::Final) => Some(Rank::Final),
        ("判定結果", _) => Some(Rank::Result),
        ("判定" | "verdict" | "judgment" | "determination", _)
        | ("評価" | "assessment", Adjective::Overall) => Some(Rank::Judgment),
        ("評価" | "assessment", _) => None,
        (_, Adjective::Overall | Adjective::Review) => Some(Rank::Judgment),
        ("結果" | "result", _) => Some(Rank::Outcome),
        _ => Some(Rank::Decision),
    }
}

fn name(core: &str, adjective: Adjective) -> String {
    let [japanese, english] = match adjective {
        Adjective::Final => ["最終", "final "],
        Adjective::Overall => ["総合", "overall "],
        Adjective::Review => ["レビュー", "review "],
        Adjective::Other if core == "decision" => return "DECISION".to_owned(),
        Adjective::Other => ["", ""],
    };
    format!("{}{core}", if core.is_ascii() { english } else { japanese })
}

/// Tells where the label stands by what is left before it; nothing when it belongs to something else.
fn lead(rest: &str, whole: bool) -> Option<Lead> {
    // Only list marks, heading marks, a number, a ticked box, pictures and opening brackets.
    if whole && pattern("label.decoration").is_match(rest) {
        return Some(if rest.contains('|') { Lead::Cell } else { Lead::Line });
    }
    if rest.trim_end().ends_with("<!--") {
        return None;
    }
    let end = rest.trim_end_matches(decoration("*_`#-「『\"'"));
    // Some agents print line breaks as the two characters `\n`.
    if end.ends_with(['。', '!', '?']) || end.ends_with("\\n") {
        return Some(Lead::Sentence);
    }
    match end.strip_suffix('.') {
        Some(numbered) if numbered.ends_with(|c: char| c.is_ascii_digit()) => None,
        Some(_) if rest.len() > end.len() => Some(Lead::Sentence),
        None if end.ends_with(['、', ',']) => Some(Lead::Clause),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
