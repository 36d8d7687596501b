//! The labels of marker lines: which words announce a verdict, how much they weigh, and where they may stand.
//! Knows nothing about what is said after them.

use std::sync::LazyLock;

use super::folded::is_picture;

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
    let (mut label, rest) = anywhere(before, core)?;
    label.lead = lead(rest, whole)?;
    Some(label)
}

/// Reads the label that ends with `core`, in the middle of its line.
pub(super) fn read_remark(before: &str, core: &str) -> Option<Label> {
    anywhere(before, core).map(|(label, _)| label)
}

/// Returns a label and what stands before it.
fn anywhere<'b>(before: &'b str, core: &str) -> Option<(Label, &'b str)> {
    let core = core.to_lowercase().replace("judgement", "judgment");
    let (adjectives, rest) = adjectives(before);
    let rank = rank(&core, adjectives)?;
    Some((Label { rank, name: name(&core, adjectives), lead: Lead::Remark { start: rest.len() } }, rest))
}

/// The words before a label that change what it weighs.
#[derive(Debug, Default, Clone, Copy)]
struct Adjectives {
    is_final: bool,
    overall: bool,
    review: bool,
}

/// Words that may stand before a label without making it a label of something else.
const JAPANESE: [&str; 23] = [
    "最終的な",
    "最終",
    "総合的な",
    "総合",
    "全体的な",
    "全体の",
    "全体",
    "レビューの",
    "レビュー",
    "再",
    "本",
    "今回の",
    "私の",
    "したがって",
    "従って",
    "よって",
    "以上より",
    "以上から",
    "以上により",
    "以上のことから",
    "結論として",
    "そのため",
    "このため",
];
const ENGLISH: [&str; 19] = [
    "final",
    "overall",
    "review",
    "reviewer",
    "reviewer's",
    "my",
    "our",
    "the",
    "this",
    "official",
    "independent",
    "code",
    "formal",
    "therefore",
    "thus",
    "hence",
    "so",
    "accordingly",
    "in conclusion",
];

/// Takes known words from the end of a text; returns what they mean and what stands before them.
fn adjectives(before: &str) -> (Adjectives, &str) {
    let mut found = Adjectives::default();
    let mut rest = before;
    loop {
        let trimmed = rest.trim_end_matches([' ', '\t', '*', '_', '`']);
        let Some((word, shorter)) = last_adjective(trimmed) else { return (found, rest) };
        found.is_final |= ["最終的な", "最終", "final"].contains(&word);
        found.overall |= ["総合的な", "総合", "全体的な", "全体の", "全体", "overall"].contains(&word);
        found.review |= ["レビューの", "レビュー", "review", "reviewer", "reviewer's"].contains(&word);
        rest = shorter;
    }
}

fn last_adjective(text: &str) -> Option<(&'static str, &str)> {
    static LAST_BYTES: LazyLock<[bool; 256]> = LazyLock::new(|| {
        let words = JAPANESE.iter().chain(&ENGLISH).chain(&["、", ","]);
        let mut last = [false; 256];
        words.filter_map(|word| word.bytes().last()).for_each(|byte| {
            last[usize::from(byte)] = true;
            last[usize::from(byte.to_ascii_uppercase())] = true;
        });
        last
    });
    if !text.bytes().last().is_some_and(|byte| LAST_BYTES[usize::from(byte)]) {
        return None;
    }
    let japanese = text.trim_end_matches(['、', ',', ' ']);
    let found = JAPANESE.iter().find_map(|word| Some((*word, japanese.strip_suffix(word)?)));
    found.or_else(|| ENGLISH.iter().find_map(|word| Some((*word, without_english(japanese, word)?))))
}

fn without_english<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    if !text.bytes().last()?.eq_ignore_ascii_case(&word.bytes().last()?) {
        return None;
    }
    let start = text.len().checked_sub(word.len())?;
    let (rest, last) = (text.get(..start)?, text.get(start..)?);
    let begins = !rest.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
    (begins && last.eq_ignore_ascii_case(word)).then_some(rest)
}

fn rank(core: &str, adjectives: Adjectives) -> Option<Rank> {
    let Adjectives { is_final, overall, review } = adjectives;
    match core {
        _ if is_final => Some(Rank::Final),
        "判定結果" => Some(Rank::Result),
        "判定" | "verdict" | "judgment" | "determination" => Some(Rank::Judgment),
        "評価" | "assessment" => overall.then_some(Rank::Judgment),
        _ if overall || review => Some(Rank::Judgment),
        "結果" | "result" => Some(Rank::Outcome),
        _ => Some(Rank::Decision),
    }
}

fn name(core: &str, adjectives: Adjectives) -> String {
    let english = core.is_ascii();
    let adjective = match adjectives {
        Adjectives { is_final: true, .. } => ["最終", "final "],
        Adjectives { overall: true, .. } => ["総合", "overall "],
        Adjectives { review: true, .. } => ["レビュー", "review "],
        _ if core == "decision" => return "DECISION".to_owned(),
        _ => [""; 2],
    };
    format!("{}{core}", adjective[usize::from(english)])
}

/// Tells where the label stands by what is left before it; nothing when it belongs to something else.
fn lead(rest: &str, whole: bool) -> Option<Lead> {
    if whole && is_decoration(rest) {
        return Some(if rest.contains('|') { Lead::Cell } else { Lead::Line });
    }
    if rest.trim_end().ends_with("<!--") {
        return None;
    }
    let end =
        rest.trim_end_matches(|c: char| c.is_whitespace() || "*_`#-「『\"'".contains(c) || is_picture(c));
    // Some agents print line breaks as the two characters `\n`.
    if end.ends_with(['。', '!', '?']) || end.ends_with("\\n") {
        return Some(Lead::Sentence);
    }
    if let Some(sentence) = end.strip_suffix('.') {
        let numbered = sentence.ends_with(|c: char| c.is_ascii_digit());
        return (!numbered && rest.len() > end.len()).then_some(Lead::Sentence);
    }
    end.ends_with(['、', ',']).then_some(Lead::Clause)
}

/// Tells whether a text is only list marks, heading marks, a number, a ticked box, pictures and opening brackets.
fn is_decoration(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches(['>', ' ']);
    let text = text.trim_start_matches(['#', '-', '+', '*', '•', '・', ' ']);
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim_start_matches(')');
    let text = text.trim_start();
    let text = ["[x]", "[X]", "[✓]", "[✅]"].iter().find_map(|tick| text.strip_prefix(tick)).unwrap_or(text);
    let text = text.trim_start().strip_prefix('|').unwrap_or(text);
    text.chars().all(|c| c.is_whitespace() || "*_`【「『[(<\"'".contains(c) || is_picture(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mention::mentions;

    fn label(line: &str) -> Option<(Rank, String, Lead)> {
        let mention = mentions(line).last().expect("a label");
        let label = read(&line[..mention.start], true, &line[mention])?;
        Some((label.rank, label.name, label.lead))
    }

    #[test]
    fn labels_have_ranks_and_names() {
        for (line, rank, name) in [
            ("最終判定", Rank::Final, "最終判定"),
            ("**レビューの最終判定結果", Rank::Final, "最終判定結果"),
            ("Final Judgement", Rank::Final, "final judgment"),
            ("Final Decision", Rank::Final, "final decision"),
            ("判定結果", Rank::Result, "判定結果"),
            ("判定", Rank::Judgment, "判定"),
            ("総合判定", Rank::Judgment, "総合判定"),
            ("全体の評価", Rank::Judgment, "総合評価"),
            ("レビュー結果", Rank::Judgment, "レビュー結果"),
            ("REVIEW_RESULT", Rank::Judgment, "review result"),
            ("**Overall** assessment", Rank::Judgment, "overall assessment"),
            ("Review decision", Rank::Judgment, "review decision"),
            ("結果", Rank::Outcome, "結果"),
            ("Result", Rank::Outcome, "result"),
            ("decision", Rank::Decision, "DECISION"),
        ] {
            assert_eq!(label(line), Some((rank, name.to_owned(), Lead::Line)), "{line}");
        }
    }

    #[test]
    fn a_label_of_something_else_is_no_label() {
        for line in [
            "品質ゲート総合判定",
            "Planning Phaseチェックリスト照合結果",
            "正確性: 判定",
            "Quality gate overall judgment",
            "評価",
            "Assessment",
            "前回の判定",
            "Previous verdict",
            "- Gate 1 - verdict",
            "- [ ] 最終判定",
            "| 1 | a | 判定",
            "1つでもFAILがあれば最終判定",
            "Section 3. Verdict",
            "prejudgment",
            "test result",
            "v1.verdict",
        ] {
            assert_eq!(label(line), None, "{line}");
        }
    }

    #[test]
    fn decoration_before_a_label_does_not_matter() {
        for line in [
            "### 📊 レビュー判定",
            "- [x] **判定",
            "  * 判定",
            "> 判定",
            "1.2) 判定",
            "【判定",
            "## 5. 最終判定",
            "__判定",
            "✅ 判定",
        ] {
            assert_eq!(label(line).map(|found| found.2), Some(Lead::Line), "{line}");
        }
    }

    #[test]
    fn a_label_may_follow_a_sentence_or_a_clause() {
        for (line, lead) in [
            ("| **判定", Lead::Cell),
            ("以上です。**判定", Lead::Sentence),
            ("All is well. The overall assessment", Lead::Sentence),
            ("最後に。したがって、判定", Lead::Sentence),
            ("x\\n\\n**判定", Lead::Sentence),
            ("したがって、判定", Lead::Line),
            ("2項目がFAILのため、最終判定", Lead::Clause),
        ] {
            assert_eq!(label(line).map(|found| found.2), Some(lead), "{line}");
        }
    }
}
