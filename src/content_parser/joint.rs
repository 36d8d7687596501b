//! What joins a label to its word: a sign, a dash, `は` or `is`, or nothing. Knows neither labels nor words.

use super::folded::is_picture;
use super::label::Lead;

/// How a label is joined to its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// A colon, an equals sign, an arrow or the border of a cell.
    Sign,
    /// The label stands alone; the word may be on the next line.
    Alone,
    /// A dash or nothing at all.
    Loose,
    /// は, is
    Is,
    /// should be, must be: not said yet.
    ShouldBe,
}

/// Reads what joins a label to its word; nothing when the label goes on (`判定理由`, `decisions`).
pub(super) fn joint(after: &str, lead: Lead) -> Option<(Joint, &str)> {
    let rest =
        after.trim_start_matches(|c: char| c.is_whitespace() || "*_`】」』])>".contains(c) || is_picture(c));
    let rest = without_remark(rest)?;
    if rest.is_empty() {
        return Some((Joint::Alone, rest));
    }
    if let Some(cell) = rest.strip_prefix('|') {
        return (lead == Lead::Cell).then_some((Joint::Sign, cell));
    }
    for (sign, joint) in SIGNS {
        let begins = rest.get(..sign.len()).is_some_and(|start| start.eq_ignore_ascii_case(sign));
        if begins {
            return Some((joint, &rest[sign.len()..]));
        }
    }
    (rest.len() < after.len()).then_some((Joint::Loose, rest))
}

const SIGNS: [(&str, Joint); 19] = [
    (":", Joint::Sign),
    ("=>", Joint::Sign),
    ("=", Joint::Sign),
    ("->", Joint::Sign),
    ("→", Joint::Sign),
    ("⇒", Joint::Sign),
    ("-", Joint::Loose),
    ("–", Joint::Loose),
    ("—", Joint::Loose),
    ("は", Joint::Is),
    ("is now ", Joint::Is),
    ("is ", Joint::Is),
    ("is: ", Joint::Is),
    ("remains ", Joint::Is),
    ("should be ", Joint::ShouldBe),
    ("must be ", Joint::ShouldBe),
    ("would be ", Joint::ShouldBe),
    ("has to be ", Joint::ShouldBe),
    ("will be ", Joint::ShouldBe),
];

/// Skips a remark that only repeats what kind of label it is, such as `(最終)`; another one makes it another label.
fn without_remark(rest: &str) -> Option<&str> {
    let Some(remark) = rest.strip_prefix('(') else { return Some(rest) };
    let (remark, rest) = remark.split_once(')')?;
    let known = [
        "最終",
        "総合",
        "全体",
        "レビュー",
        "final",
        "overall",
        "review",
        "verdict",
        "result",
        "decision",
        "判定",
    ];
    known.contains(&remark.trim().to_lowercase().as_str()).then(|| rest.trim_start_matches(['*', '_', ' ']))
}

/// Returns a text without an adverb that it begins with: `clearly FAIL`.
pub(super) fn without_adverb(after: &str) -> &str {
    let after = after.trim_start();
    let adverbs = [
        "自動的に",
        "確実に",
        "明確に",
        "明らかに",
        "当然",
        "引き続き",
        "現時点では",
        "、",
        "clearly ",
        "still ",
        "therefore ",
        "thus ",
        "now ",
        "automatically ",
        "a ",
        "an ",
    ];
    adverbs.iter().find_map(|adverb| after.strip_prefix(adverb)).unwrap_or(after)
}
