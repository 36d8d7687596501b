//! Finds objections in the remark behind an approving word: `PASS, but two blockers must be fixed`. Looks at one short
//! stretch of a line, clause by clause, and knows that `no blockers` and `ブロッカーはない` object to nothing.

use std::sync::LazyLock;

use regex::Regex;

/// What objects whatever else its clause says.
static PLAIN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bmust not\b|\bmust (?:first |still )?(?:be (?:fixed|resolved|addressed|corrected|changed|reworked)|fix\b)|\b(?:needs?|has|have) to be (?:fixed|resolved|corrected)|\b(?:do not|don't|cannot|can't|not ready to) (?:be )?(?:merge|approve)|\bnot (?:yet )?(?:be |been )?(?:merged|approved|fixed|resolved|addressed)|\bno, wait\b|\bwait\s*[,:-]|\bon second thought|\bscratch that\b|\b(?:make|actually) (?:that|it) (?:a )?(?:fail|reject)|\bactually[,:]? (?:a )?(?:fail|reject)|\bcorrection\s*:|いや、|訂正|修正しなければ|マージ(?:不可|でき(?:ない|ません)|しない|すべきで)|承認でき(?:ない|ません)|不合格|不承認",
    )
});

/// What objects unless its clause denies it.
static DENIABLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bblock(?:ed|ers?|ing)\b|\bshowstoppers?\b|\brejected\b|\bunresolved\b|\bcritical (?:issue|finding|bug|problem|defect|error|vulnerabilit|flaw)|差し?戻|要修正|(?:修正|対応|解消|解決)(?:が|は)?必[要須]|ブロッカー|重大な|致命的|却下|未解決|未修正",
    )
});

/// What makes an approval depend on something that is not there.
static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bunless\b|\bprovided (?:that|the|all|you|it)\b|\bassuming\b|\bas long as\b|\bon (?:the )?condition\b|\bconditional(?:ly)? (?:on|upon)\b|\bsubject to\b|\bi would (?:say|approve|pass)\b|\bwould (?:be|have been) (?:a pass|approved|fine|ok)\b|\bif [^.;!]*\b(?:were|had been|is fixed|are fixed|is added|are added|is resolved|are resolved)\b|条件付き|条件として|を条件に|を前提に",
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
    if PLAIN.is_match(remark) || CONDITION.is_match(remark) {
        return true;
    }
    DENIABLE.is_match(remark) && remark.split(['。', '、', '.', ',', ';', '!', '|']).any(clause_objects)
}

/// Returns how severe an item such as `1. [CRITICAL] src/a.rs:3 …` is, where that objects and is not said to be settled.
pub(super) fn item(line: &str) -> Option<&str> {
    static ITEM: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)\*{0,2}\[(?P<word>critical|major|blocker|blocking)\]\*{0,2}:?\s+(?P<rest>\S.*)$",
        )
    });
    let found = ITEM.captures(super::head(line, 2_000).trim_end())?;
    found.name("word").filter(|_| tells_a_fault(&found["rest"])).map(|word| word.as_str())
}

/// Tells whether an item states a problem, and neither that there is none nor what is right.
pub(super) fn tells_a_fault(rest: &str) -> bool {
    let settled = NONE.is_match(rest) || (SETTLED.is_match(rest) && !UNSETTLED.is_match(rest));
    !settled && (!PRAISED.is_match(rest) || AMISS.is_match(rest))
}

/// What says that an item is none.
static NONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\W*(?:(?:none|nothing)(?:\W*$|\W+(?:found|to|here|left|seen|of)\b)|n/a\b|0\b|zero\b|no\W*$|no (?:such|more|longer|issues?|findings?|problems?|blockers?|items?|critical|major)\b|not (?:found|any|applicable|seen)\W*$|without (?:findings?|issues?|problems?)\b|(?:特に)?(?:なし|無し))|\bfound (?:nothing|none|no)\b|\b(?:count|number|total)\s*[:=]?\s*0\b|(?:該当|問題|指摘|欠陥|事項|もの|特に)(?:は|が|も)?(?:特に)?(?:あり|ござい)?(?:ません|な[いくし]|無[いくし])|見当たら|見つから|見つかりません|ゼロ|0件",
    )
});

/// What says that an item is done.
static SETTLED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:fixed|resolved|addressed|settled|closed|done|repaired|gone|verified)\b|(?:→|—|=>|->)\s*OK\W*$|✅|~~|不要|済|解消(?:し|され)|(?:修正|対応)(?:し|され)(?:た|て|ま)",
    )
});

/// What says that an item is not done.
static UNSETTLED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\bnot|\bnever|n't)(?: (?:yet|been|be|really|fully|properly))* (?:fixed|resolved|addressed|settled|closed|done|repaired|gone|verified)\b",
    )
});

/// What says that something is as it should be.
static PRAISED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bas (?:the (?:issue|plan|task|spec|specification) )?(?:asks?|asked|says|required|requested|designed|intended|expected|wanted|specified|planned)\b|\b(?:good|fine|correct|correctly)\W*$|^[^:]*\b(?:is|are|was|were) (?:now |all )?(?:covered|replaced|moved|handled|tested)\b|正しく|問題な|どおり|通りです",
    )
});

/// What is not as it should be.
static AMISS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:not|no|never|without|missing)\b|n't\b|ない|ません|せず|れず"));

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
            ", I would say, if the tests were there",
            " provided that the index is added",
            " unless the lock is taken twice",
            " - subject to a fix of the migration",
            "(条件付き: 認可テストの追加)",
            " (no, wait: FAIL)",
            " - on second thought FAIL",
            " (correction: FAIL)",
        ] {
            assert!(is_in(remark), "{remark}");
        }
    }

    #[test]
    fn an_item_that_is_marked_as_severe_objects_unless_it_is_settled() {
        assert_eq!(item("1. [CRITICAL] planning.md:3 the plan drops the users table"), Some("CRITICAL"));
        assert_eq!(item("- **[major]** the limit is missing"), Some("major"));
        for line in [
            "- [critical] none",
            "2. [MAJOR] the limit (resolved in round 2)",
            "- [Critical] 該当なし",
            "- [minor] a name",
            "[CRITICAL] means that data is lost",
            "- [CRITICAL]",
        ] {
            assert_eq!(item(line), None, "{line}");
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
            " - works with and without a proxy, whatever the order",
            " - consider a cache if it becomes slow",
            " (no waiting time, and the correction of the limit holds)",
        ] {
            assert!(!is_in(remark), "{remark}");
        }
    }
}
