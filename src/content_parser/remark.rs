//! Knows when a denial in the middle of a line is the reviewer's verdict: `判定: PASS（最終判定: FAIL）`. Only a denial counts
//! there, and only where its label begins a remark, a cell or a clause, is not quoted, and nothing beside it says that it
//! is told of an earlier round or denied. What else looks like one is `doubt`'s.

use std::sync::LazyLock;

use regex::Regex;

use super::folded::{is_arrow, is_picture};
use super::label::{Label, Lead, Rank};
use super::lexicon::is_told_of;
use super::word;

/// How sure the place of a label makes its denial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begins {
    /// A bracket, the border of a cell or a separator stands before it.
    Clearly,
    /// So does a sign after which parts of the review have verdicts of their own: `Gate 1: verdict`.
    Perhaps,
}

/// Tells whether a denial after this label counts. `before` is what stands before it on its line, `after` what follows
/// its word; `beside_approval` tells whether the line approves at its place.
pub(super) fn counts(label: &Label, before: &str, after: &str, beside_approval: bool) -> bool {
    let Lead::Remark { start } = label.lead else { return false };
    let is_about_all = label.rank == Rank::Final || beside_approval;
    let is_certain = match begins(&before[..start]) {
        Some(Begins::Clearly) => is_about_all || (label.rank != Rank::Outcome && !is_item(before)),
        Some(Begins::Perhaps) => is_about_all,
        None => false,
    };
    let clause = after.split(['。', '.', ';', '|', ')']).next().unwrap_or_default();
    is_certain
        && !is_in_quotation(&before[..start])
        && word::denial_ends(after)
        && !is_told_of(last_sentence(before))
        && !is_told_of(clause)
        && !DENIED.is_match(clause)
}

/// Tells whether a line is one item of several: what it says is about that item.
pub(super) fn is_item(before: &str) -> bool {
    let start = before.trim_start();
    let bullet = ["- ", "* ", "+ ", "•", "・", "|", "#"].iter().any(|mark| start.starts_with(mark));
    bullet || start.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the sentence that a text ends in.
pub(super) fn last_sentence(text: &str) -> &str {
    let sentence = text.rsplit(['。', '!', '?']).next().unwrap_or(text);
    sentence.rsplit(". ").next().unwrap_or(sentence)
}

/// Tells whether a text that follows a label tells at once of an earlier round.
pub(super) fn is_of_before(after: &str) -> bool {
    static OF_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\W*\w+\W+(?:of|from|in) (?:the )?(?:round \d|(?:previous|earlier|last|first) (?:round|review))",
        )
    });
    OF_BEFORE.is_match(after)
}

fn begins(before: &str) -> Option<Begins> {
    let end = before.trim_end_matches(|c: char| c.is_whitespace() || "*_#".contains(c) || is_picture(c));
    let arrow = end.ends_with("->") || end.ends_with("=>") || end.ends_with(is_arrow);
    let alone = !end.contains(char::is_alphanumeric);
    match end.chars().next_back()? {
        _ if end.ends_with("[ ]") => None,
        _ if arrow || alone => Some(Begins::Clearly),
        last if "([【|;/※・…,、".contains(last) => Some(Begins::Clearly),
        last if last.is_alphanumeric() => None,
        _ => Some(Begins::Perhaps),
    }
}

/// Tells whether a quotation that begins in a text is still open at its end.
fn is_in_quotation(text: &str) -> bool {
    let is_odd = |mark: char| text.matches(mark).count() % 2 == 1;
    let is_open = |[open, close]: [char; 2]| text.rfind(open) > text.rfind(close);
    is_odd('`') || is_odd('"') || [['「', '」'], ['『', '』'], ['“', '”']].into_iter().any(is_open)
}

/// What says that a denial is not there, or would be wrong.
static DENIED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:no|not|never|none|nothing)\b|n't\b|な[いくし]|ません"));

fn pattern(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){pattern}")).expect("the pattern is a constant")
}
