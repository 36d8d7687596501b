//! Finds objections in the remark behind an approving word: `PASS, but two blockers must be fixed`. Looks at one short
//! stretch of a line, clause by clause, and knows that `no blockers` and `ブロッカーはない` object to nothing.

use std::sync::LazyLock;

use regex::Regex;

/// What objects whatever else its clause says.
static PLAIN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bmust not\b|\bmust (?:first |still )?(?:be (?:fixed|resolved|addressed|corrected|changed|reworked)|fix\b)|\b(?:needs?|has|have) to be (?:fixed|resolved|corrected)|\b(?:do not|don't|cannot|can't|not ready to) (?:be )?(?:merge|approve)|\bnot (?:yet )?(?:be |been )?(?:merged|approved|fixed|resolved|addressed)|修正しなければ|マージ(?:不可|でき(?:ない|ません)|しない|すべきで)|承認でき(?:ない|ません)|不合格|不承認",
    )
});

/// What objects unless its clause denies it.
static DENIABLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bblock(?:ed|ers?|ing)\b|\bshowstoppers?\b|\brejected\b|\bunresolved\b|\bcritical (?:issue|finding|bug|problem|defect|error|vulnerabilit|flaw)|差し?戻|要修正|(?:修正|対応|解消|解決)(?:が|は)?必[要須]|ブロッカー|重大な|致命的|却下|未解決|未修正",
    )
});

/// What denies an objection anywhere in its clause.
static DENIED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:no|not|non|none|nothing|neither|without|never|zero|0|free of|unblocked)\b|n't\b|\b(?:are|is|were|was|been|now|all) (?:fixed|resolved|addressed)\b",
    )
});

/// What denies an objection in Japanese, where it comes last.
static DENIED_AFTER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"な[いくしか]|無[いくし]|ません|ゼロ|0件|らず|せず|不要|済|され(?:た|て|ま)"));

fn pattern(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){pattern}")).expect("the pattern is a constant")
}

/// Tells whether a remark objects to what was just approved.
pub(super) fn is_in(remark: &str) -> bool {
    if PLAIN.is_match(remark) {
        return true;
    }
    DENIABLE.is_match(remark) && remark.split(['。', '、', '.', ',', ';', '!', '|']).any(clause_objects)
}

fn clause_objects(clause: &str) -> bool {
    let mut objections = DENIABLE.find_iter(clause);
    !DENIED.is_match(clause) && objections.any(|found| !DENIED_AFTER.is_match(&clause[found.end()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_still_be_done_objects() {
        for remark in [
            " (blocked)",
            ", but two critical issues must be fixed before merge",
            ". However, this must not be merged until the SQL injection is fixed.",
            "(ただし、ブロッカーの修正が必要)",
            "。ただし重大な欠陥があるため差し戻し。",
            " - tests are green, one blocker is left",
            " - 確認済み、マージできません",
        ] {
            assert!(is_in(remark), "{remark}");
        }
    }

    #[test]
    fn what_is_denied_or_done_does_not_object() {
        for remark in [
            "",
            " - no blockers",
            " (non-blocking notes)",
            " - all critical issues are resolved",
            " - 上記の改善提案を参考に、必要に応じて詳細化することを推奨します",
            " - ブロッカーはありません。",
            " - 重大な問題はなく、次に進めます",
            "(前回のブロッカーは解消済み)",
            " | 致命的: 0件 |",
        ] {
            assert!(!is_in(remark), "{remark}");
        }
    }
}
