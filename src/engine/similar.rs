//! Whether two tellings of a problem share most of their words. Text that is written without spaces has its words where the
//! script changes; what stands between them there is grammar. In doubt two texts are two problems.

use std::collections::BTreeSet;

/// From this share of common words on, two texts tell the same.
const SIMILAR: f64 = 0.5;
/// The same without spaces, where a word more or less is another problem sooner.
const SIMILAR_WITHOUT_SPACES: f64 = 0.6;
/// So many words two texts without spaces have in common at least.
const FEWEST_COMMON: usize = 2;
/// What makes the opposite of a text without spaces.
const NEGATIONS: [&str; 9] = ["ない", "なく", "なし", "ません", "せず", "れず", "未", "不", "無"];

/// Tells whether two texts share most of their words; two without any say the same, and a text never says its opposite.
pub(super) fn are_similar(one: &str, other: &str) -> bool {
    let without_spaces = [one, other].iter().any(|text| text.chars().any(is_of_japanese));
    let (one_words, other_words) = (words(one), words(other));
    let union = one_words.union(&other_words).count();
    let common = one_words.intersection(&other_words).count();
    if !without_spaces || union == 0 {
        return union == 0 || share(common, union) >= SIMILAR;
    }
    let enough = common >= FEWEST_COMMON && share(common, union) >= SIMILAR_WITHOUT_SPACES;
    enough && denies(one) == denies(other)
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).flat_map(|word| parts(&word)).collect()
}

/// Returns the words of a text without spaces; one that is all grammar stays whole.
fn parts(word: &str) -> Vec<String> {
    if !word.chars().any(is_of_japanese) {
        return vec![word.to_owned()];
    }
    let mut parts: Vec<String> = Vec::new();
    let mut before = None;
    for c in word.chars() {
        let script = Script::of(c);
        match parts.last_mut() {
            Some(part) if before == Some(script) && script != Script::Grammar => part.push(c),
            _ if script != Script::Grammar => parts.push(c.into()),
            _ => {}
        }
        before = Some(script);
    }
    if parts.is_empty() { vec![word.to_owned()] } else { parts }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Grammar,
    Katakana,
    Kanji,
    Other,
}

impl Script {
    fn of(c: char) -> Self {
        match c {
            '\u{3041}'..='\u{309f}' => Self::Grammar,
            '\u{30a0}'..='\u{30ff}' => Self::Katakana,
            '\u{3005}' | '\u{3400}'..='\u{9fff}' => Self::Kanji,
            _ => Self::Other,
        }
    }
}

fn is_of_japanese(c: char) -> bool {
    Script::of(c) != Script::Other
}

fn denies(text: &str) -> bool {
    NEGATIONS.iter().any(|negation| text.contains(negation))
}

#[expect(clippy::cast_precision_loss, reason = "findings are short")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_problem_in_other_words_is_similar_without_spaces_too() {
        for (one, other) in [
            ("パスワードが平文でログに記録される", "パスワードがログに平文で出力されています。"),
            ("SQLインジェクションの脆弱性がある", "SQLインジェクションの脆弱性が残っています"),
            ("トークンの検証が実装されていない", "トークンの検証がありません"),
            ("ページ数の上限が検証されない", "ページ数の上限を検証していない。"),
            ("トークンが漏れる", "トークンが、漏れる"),
        ] {
            assert!(are_similar(one, other), "{one} / {other}");
        }
    }

    #[test]
    fn what_may_be_another_problem_is_not_similar() {
        for (one, other) in [
            ("管理者のトークンがログに出力される", "管理者のトークンが失効しない"),
            ("トークンがログに出力される", "トークンがログに出力されない"),
            ("上限が高い", "上限が低い"),
            ("上限がない", "上限がある"),
            ("上限がおかしい", "上限が低い"),
            ("入力の検証がない", "出力の検証がない"),
            ("おかしい", "たりない"),
            ("キャッシュがきえる", "キャッシュがのこる"),
            ("テストがない", "ログがない"),
            ("パーサーのテストがない", "ライターのテストがない"),
            ("読み取りのロックが解放されない", "書き込みのロックが解放されない"),
        ] {
            assert!(!are_similar(one, other), "{one} / {other}");
        }
    }

    #[test]
    fn words_between_spaces_are_compared_as_they_are() {
        assert!(are_similar("the password is logged in plain text", "The password is logged as plain text"));
        assert!(!are_similar("the password is logged", "a loop never ends"));
        assert!(are_similar("", "…"));
    }
}
