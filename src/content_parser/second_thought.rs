//! Finds what takes an approval back elsewhere in an answer: a conclusion that fails, a sentence in which the reviewer rejects,
//! an item that is marked as critical. Looks at the reviewer's own prose only, and knows what is quoted, what holds under a
//! condition only, and what is told of an earlier round.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::folded::folded;
use super::quoted::{self, Quoted};
use super::{head, objection};

/// So much of a line is looked at.
const REACH: usize = 2_000;
/// More prose than this, in bytes, is not looked through: that is no review.
const MOST: usize = 100_000;
/// A line that only announces a conclusion is no longer, in bytes.
const SHORT: usize = 60;

/// Returns what takes an approval back, as it is written; objects are read elsewhere.
pub(super) fn find(text: &str, quoted: &Quoted, objects: &[Range<usize>]) -> Option<String> {
    let mut prose = Prose::default();
    let (mut from, mut looked_at) = (0, 0);
    for span in objects.iter().cloned().chain(std::iter::once(text.len()..text.len())) {
        let between = text.get(from..span.start).unwrap_or_default();
        for line in between.split_inclusive('\n') {
            if quoted.is_own(from, line) && !quoted::is_indented(line) {
                looked_at += line.len().min(REACH);
                if looked_at > MOST {
                    return Some("more prose than can be read".to_owned());
                }
                let line = folded(head(line, REACH));
                let objection = prose.objection(line.trim());
                if objection == Some(Objection::Words)
                    || (objection == Some(Objection::Item) && !ALL_GONE.is_match(text))
                {
                    return Some(head(line.trim(), 80).to_owned());
                }
            }
            from += line.len();
        }
        from = from.max(span.end);
    }
    None
}

/// What the lines before say about the one that is looked at.
#[derive(Debug, Default)]
struct Prose {
    /// They tell of an earlier round.
    of_before: bool,
    /// The last one only says that the conclusion comes.
    concludes: bool,
    /// The last one goes on in this one.
    goes_on: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Objection {
    Words,
    /// One of a list, of which another line may say that all are gone.
    Item,
}

impl Prose {
    fn objection(&mut self, line: &str) -> Option<Objection> {
        let goes_on = std::mem::replace(&mut self.goes_on, goes_on(line));
        if line.is_empty() {
            return None;
        }
        if line.starts_with('#') || line.ends_with(':') {
            self.of_before = EARLIER.is_match(line);
        }
        let is_alone = line.len() <= SHORT && CONCLUSION_ALONE.is_match(line);
        let concluded = std::mem::replace(&mut self.concludes, is_alone);
        if self.of_before || !HINT.is_match(line) {
            return None;
        }
        let plain = QUOTATION.replace_all(line, "");
        let concludes = CONCLUSION.is_match(&plain) || (concluded && NO.is_match(&plain));
        if (concludes && !EXCUSED.is_match(&plain))
            || (!goes_on && ALONE.is_match(&plain))
            || sentences(&plain).any(rejects)
        {
            return Some(Objection::Words);
        }
        is_critical(&plain).then_some(Objection::Item)
    }
}

/// Tells whether the sentence of a line goes on in the next one.
fn goes_on(line: &str) -> bool {
    line.ends_with(|c: char| c.is_alphanumeric() || ",、`(".contains(c)) && !line.starts_with(['#', '|'])
}

/// Returns the sentences of a line. A period before a small letter ends none.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    static END: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[。!?;]|\.\s+[^a-z\s]").expect("the pattern is a constant"));
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = END.find(rest).map_or(rest.len(), |end| {
            if end.as_str().starts_with('.') { end.start() + 1 } else { end.end() }
        });
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

fn rejects(sentence: &str) -> bool {
    (REJECTS.is_match(sentence) && !EXCUSED.is_match(sentence))
        || (HOLDS_BACK.is_match(sentence) && !OF_BEFORE.is_match(sentence))
        || (IS_GRAVE.is_match(sentence) && !EXCUSED.is_match(sentence) && !OF_BEFORE.is_match(sentence))
}

/// Tells whether a value says nothing but that the whole does not pass: `FAIL`, `reject`, `要修正`.
pub(super) fn is_no(value: &str) -> bool {
    let value = folded(head(value, REACH));
    NO.is_match(value.trim()) && !EXCUSED.is_match(&value)
}

/// Tells whether a text is about an earlier round, holds under a condition only, or denies what it names.
pub(super) fn is_excused(text: &str) -> bool {
    EXCUSED.is_match(text)
}

/// Tells whether a line is a critical problem. A legend of the marks is none.
fn is_critical(line: &str) -> bool {
    static BARE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\*{0,2}\[(?:critical|blocker|blocking)\]\*{0,2}:?\s+(?:means?|stands?|is|are|=|-|findings?|issues?|problems?|items?|severity|if|when|for|only|and|or)\b",
        )
    });
    if line.starts_with(['[', '*']) && !BARE.is_match(line) {
        return objection::item(&format!("- {line}")).is_some_and(is_worst);
    }
    objection::item(line).is_some_and(is_worst)
}

fn is_worst(word: &str) -> bool {
    !word.eq_ignore_ascii_case("major")
}

fn pattern(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){pattern}")).expect("the pattern is a constant")
}

/// Words that say of the whole that it does not pass.
const NO_ENGLISH: &str = r"(?:fail(?:ed|s)?|reject(?:ed)?|not (?:yet )?(?:approved|accepted|acceptable|ready)|changes (?:are )?(?:requested|required)|request(?:ing)? changes|do not (?:merge|approve))";
const NO_JAPANESE: &str = r"(?:不合格|不承認|却下|否決|差し?戻し|要修正|NG|FAIL|承認(?:でき(?:ない|ません|かねます)|不可|しない|しません|(?:いた|致)?しかねます|(?:は|を)見送ります|すべきでは(?:ない|ありません))|マージ(?:不可|でき(?:ない|ません|かねます)|(?:いた|致)?しかねます|に(?:は)?反対(?:です|します)|しないでください|すべきでは(?:ない|ありません)))";
/// How a reviewer says one of them.
const SAYS: &str = r"\s?(?:です|である|とします|とする|とせざるを得(?:ない|ません)|と(?:判断|結論)(?:する|した|します|しました)|と考え(?:る|ます)|と言わざるを得(?:ない|ません))";
/// Nothing but signs follows.
const ENDS: &str = r"[\s.。!|*_]*$";
/// What the reviewer judges.
const WHOLE: &str = r"(?:この|本)(?:変更|実装|計画|設計|文書|ドキュメント|PR|プルリクエスト|作業)";
const WHOLE_ENGLISH: &str = r"(?:(?:this|the) (?:change|work|review|plan|document|implementation|approval|pass|pr|pull request)|this|it|my (?:approval|pass|verdict))";
/// What is grave in Japanese, and how many.
const GRAVE: &str = r"(?:重大な|致命的な|深刻な|クリティカルな)(?:欠陥|問題|脆弱性|不具合|バグ|誤り)";
const COUNT: &str = r"(?:まだ|複数|(?:\d+|[一二三四五六七八九十]+)(?:件|つ|個|点))?(?:も)?";
/// The English clause ends, or its reason follows.
const CLAUSE_ENDS: &str =
    r"(?:\s*(?:[.!;:,—–]|$| - )|\s+(?:because|due to|since|yet|as is|as it stands|in its|at this)\b)";

/// One of these stands in every objection.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"reject|fail|withdraw|retract|take back|approv|accept|merge|request|ready|sign off|block|pass|critical|changes|不合格|不承認|却下|否決|戻し|NG|承認|マージ|重大|致命|深刻|クリティカル|要修正|修正必須|やり直し",
    )
});

/// The whole value of a conclusion. Its reason may follow, where the word cannot be about what the work does.
static NO: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"^[\W_]*{}", value())));

fn value() -> String {
    let forms = [
        format!(r"{NO_ENGLISH}(?:{ENDS}|,?\s+(?:because|due to|until)\b|,? for now[\s.!]*$)"),
        r"(?-i:FAIL|FAILED|REJECTED|NOT APPROVED)(?:\*{0,2}\s*[.;:(—–]|\s+-\s)".to_owned(),
        format!(r"{NO_JAPANESE}(?:{SAYS})?(?:{ENDS}|、[^。]*(?:ため|ので|から|による)[。\s]*$)"),
        format!(r"(?:不合格|不承認|{NO_JAPANESE}{SAYS})。"),
    ];
    format!("(?:{})", forms.join("|"))
}

const LABEL: &str = r"^[\W_]*(?:(?:最終|総合)?(?:結論|総評|判断|評価|訂正)|(?:final |overall |my )?(?:conclusion|assessment|recommendation)|bottom line|final word|overall|correction)[\W_]*";

static CONCLUSION: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"{LABEL}(?:[:=|]|->|→|は|is\b)[\W_]*{}", value())));

static CONCLUSION_ALONE: LazyLock<Regex> = LazyLock::new(|| pattern(&format!("{LABEL}$")));

/// A sentence in which the reviewer itself rejects the whole, and not something that the work rejects.
static REJECTS: LazyLock<Regex> = LazyLock::new(|| {
    let decides = r"(?:must|have to|need to|will now|will|now|therefore|hereby|am going to|'m going to(?: have to)?|have decided to|recommend to)(?: now| therefore| hereby)?";
    let english = [
        format!(r"\bi ?{decides} (?:reject|fail|block|withdraw|retract|request changes on) {WHOLE_ENGLISH}{CLAUSE_ENDS}"),
        format!(r"\bi {decides} (?:reject|request changes)[\s.!]*$"),
        format!(r"\bi(?: am|'m) (?:now |therefore |hereby )?(?:rejecting|failing|blocking|withdrawing|not approving) {WHOLE_ENGLISH}{CLAUSE_ENDS}"),
        format!(r"\bi (?:reject|withdraw|retract|take back) (?:my (?:approval|pass|verdict)|the approval|{WHOLE_ENGLISH}{CLAUSE_ENDS})"),
        format!(r"\bi recommend (?:rejecting|not (?:merging|approving)) {WHOLE_ENGLISH}{CLAUSE_ENDS}"),
        format!(r"\bi (?:do not|don't|cannot|can't|can not|must not|will not|won't) (?:approve|accept|pass|sign off on) {WHOLE_ENGLISH}{CLAUSE_ENDS}"),
        format!(r"\bon second thoughts?\b[\W_]*(?:(?:i|this|it) [^.]*\b(?:reject(?:ed)?|fail|not (?:approve|pass|merge|be (?:merged|approved))|block|request changes|withdraw){CLAUSE_ENDS}|i [^.]*\b(?:reject|fail|block|withdraw|not approve) {WHOLE_ENGLISH}{CLAUSE_ENDS}|{NO_ENGLISH}{ENDS}|不合格)"),
        format!(r"\bi(?: have|'ve)? changed my mind\b[\W_]*{NO_ENGLISH}{ENDS}"),
        format!(r"\bthis (?:change |work |plan |document |implementation |pr |pull request )?(?:must|should|can) ?not be (?:merged|approved){CLAUSE_ENDS}"),
        r"^\W*do not (?:merge|approve) this(?: (?:change|pr|pull request|branch|work|yet))*\s*(?:[!,;]|\.?\s*$|until\b|before\b|as is\b)".to_owned(),
        r"^[*_\s]*(?:not approved|(?-i:REJECTED))[\s.!*_]*$".to_owned(),
        r"^[*_\s]*(?:(?-i:Do|DO)|please do) not (?:merge|approve)[\s.!*_]*$".to_owned(),
        r"^\W*(?:(?-i:Do|DO)|please do) not (?:merge|approve)\s*[.!][\s*_]*$".to_owned(),
        format!(r"^\W*(?:must|should|can) ?not be (?:merged|approved){CLAUSE_ENDS}"),
        format!(r"^\W*(?:however,? |but )?{WHOLE_ENGLISH} is (?:not acceptable|unacceptable){CLAUSE_ENDS}"),
        format!(r"^\W*this is a (?-i:FAIL|REJECT|NO-GO){CLAUSE_ENDS}"),
        format!(r"^\W*(?:(?:actually|no|summary|so)[,:]? )*{WHOLE_ENGLISH} fails(?: (?:the |my |this )?review{CLAUSE_ENDS}|,? because\b)"),
    ];
    let so = r"^\W*(?:ただし|しかし|よって|したがって|従って|以上より|以上のため|以上の(?:理由|こと|点|通り|とおり)(?:により|から|で|のため)?|結論として|再考|やはり)[、,\s]*";
    let because = r"(?:[^。]*(?:ため|ので|から)、?)";
    let japanese = [
        format!(r"{so}(?:{WHOLE}(?:は|を)、?)?{NO_JAPANESE}(?:{SAYS})?{ENDS}"),
        format!(r"{so}{because}(?:不合格|不承認|FAIL){SAYS}{ENDS}"),
        format!(
            r"{WHOLE}(?:は|を|も|については)、?(?:現状では|現時点では|残念ながら)?、?{because}?{NO_JAPANESE}(?:{SAYS})?{ENDS}"
        ),
        format!(
            r"{WHOLE}には?[^。、]*(?:あり|残っており|残り|あるため|ので|あるので|残るため|残っているため)、?{NO_JAPANESE}(?:{SAYS})?{ENDS}"
        ),
        format!(r"このまま(?:では|で|は)?、?{NO_JAPANESE}(?:{SAYS})?{ENDS}"),
        r"^[*_\s]*(?:不合格|不承認)[。!*_\s]*$".to_owned(),
        r"^\W*(?:不合格|不承認|却下|差し?戻し)(?:です|とします|します|と判断します)[。!\s]*$".to_owned(),
        r"^\W*(?:マージ|承認)は?(?:不可|でき(?:ない|ません)|しません|しないでください)(?:です)?[。!\s]*$"
            .to_owned(),
        r"^\W*(?:マージ|承認)(?:(?:いた|致)?しかねます|できかねます|[はを]見送ります|に(?:は)?反対(?:です|します))[。!\s]*$"
            .to_owned(),
        format!(
            r"{GRAVE}が(?:残って|残る|ある|あり|見つかった)[^。]*(?:ため|ので|おり|、)、?{NO_JAPANESE}(?:{SAYS})?{ENDS}"
        ),
        r"^\W*(?:本レビュー|レビュー|今回|最終|総合)?の?判定(?:結果)?を(?:不合格|不承認|却下|差し?戻し|FAIL|NG)(?:に|へ|と)(?:変更|訂正|修正)(?:いた|致)?(?:します|しました)[。!\s]*$"
            .to_owned(),
        r"^\W*最終的に、?(?:不合格|不承認|却下|差し?戻し|FAIL)と(?:判断|判定|結論)(?:します|しました)[。!\s]*$"
            .to_owned(),
        r"^\W*(?:修正(?:が|は)?必須です|(?:全面的な)?(?:やり直し|作り直し)が必要です)[。!\s]*$".to_owned(),
    ];
    pattern(&format!("{}|{}", english.join("|"), japanese.join("|")))
});

/// A line that rejects by being nothing else. In the middle of a paragraph it may be the end of another sentence.
static ALONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:[*_\s]*|.*\w+ \w+ \w+[.!] )(?-i:Rejected|Changes requested|Changes are requested|Changes required|Changes are required)[*_]*[.!][.!*_\s]*$|^\W{0,6}[❌⛔🚫✗✘]\W*(?-i:FAIL|FAILED|REJECTED|Rejected|不合格|差し戻し)[.。!*_\s]*$",
    )
});

/// A sentence in which the reviewer holds the whole back until something is repaired.
static HOLDS_BACK: LazyLock<Regex> = LazyLock::new(|| {
    let repaired =
        r"\b(?:is|are|has been|have been|gets?) (?:fixed|resolved|addressed|corrected|removed|reworked)\b";
    pattern(&format!(
        r"^\W*(?:(?:please )?do not (?:merge|approve)(?: (?:this|it))?|(?:{WHOLE_ENGLISH} )?(?:must|should|can) ?not be (?:merged|approved)) (?:until|before|unless)\b[^.]*{repaired}|^\W*changes (?:are )?(?:required|needed|necessary) before (?:this|it|the) |^\W*this (?:needs to|has to|must) be (?:fixed|resolved|addressed|corrected|reworked|changed) before (?:the )?(?:merge|merging|approval|(?:this|it) (?:can be|is) (?:merged|approved))"
    ))
});

/// A sentence that finds something grave.
static IS_GRAVE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"{GRAVE}(?:が{COUNT}(?:残っています|残ります|あります|存在します|見つかりました)|を{COUNT}(?:発見|検出)しました)[。!\s]*$"
    ))
});

/// What says that a sentence is about what was, or about what the work is to change.
static OF_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"旧|現行|既存|現状|従来|Issue|課題|\b(?:was|were|had|earlier|previous(?:ly)?|round \d|already|if|when)\b",
    )
});

/// What says that a sentence is about an earlier round, holds under a condition only, or denies what it names.
static EXCUSED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:if|unless|when|whenever|once|until|would|earlier|previous(?:ly)?|before|no longer|(?:last|first|former) (?:time|review|round)|round \d|was|were|had|without|no reason|nothing|fixed|resolved)\b|場合|れば|たら|なら|限り|とき|前回|以前|当初|先の|ラウンド|初回|でした|だった|ていた|解消|済み|修正され|対応され|不要|なし|(?:^|[^き])では(?:ない|ありません)|(?:^|[^で])はありません|がありません|理由はな|必要はな|ことはな|ものはな",
    )
});

/// What says of a heading that what follows is about an earlier round.
static EARLIER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:previous(?:ly)?|earlier|former|last (?:round|review|time)|round \d|history|resolved|fixed|closed|addressed|legend|severit)|前回|以前|ラウンド|履歴|解消|対応済|修正済|凡例",
    )
});

static ALL_GONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\ball (?:of )?(?:these|those|them|the|earlier|previous|above|prior)[^.\n]{0,80}\b(?:fixed|resolved|gone|addressed|closed|settled)\b|(?:すべて|全て|いずれも)[^。\n]{0,40}(?:解消|対応済|修正済|修正され|解決)",
    )
});

/// Words of somebody else.
static QUOTATION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"`[^`]*`|"[^"]*"|“[^”]*”|「[^」]*」|『[^』]*』|~~.*?~~"#));

#[cfg(test)]
mod forms;

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> bool {
        find(text, &Quoted::new(text), &[]).is_some()
    }

    #[test]
    fn what_takes_an_approval_back_is_found_wherever_it_stands() {
        for text in [
            "結論: 不合格",
            "**結論**:不合格とします。",
            "## 結論\n\n不合格です。",
            "| 結論 | 不合格 |",
            "Conclusion: rejected",
            "ただし、認可の欠陥が残っているため、このままではマージできません。",
            "この変更は承認できません。",
            "よって差し戻しとします。",
            "テストに重大な欠陥があります。",
            "結論: 不合格、認可の欠陥のため",
            "最終結論は不合格です",
            "本実装には欠陥があり、マージすべきではありません。",
            "On second thought I must reject this.",
            "Looks fine. On second thoughts, this has to fail.",
            "I cannot approve this change.",
            "I withdraw my approval.",
            "This must not be merged.",
            "[CRITICAL] src/a.rs:3 the password is logged",
            "**[CRITICAL]** SQL injection in the login",
            "- [critical] the plan drops the users table",
            "Overall: FAIL",
            "Overall: not approved",
            "NOT APPROVED",
            "I am rejecting this change.",
            "I'm going to have to reject this.",
            "Wait, I changed my mind: FAIL.",
            "訂正: FAIL",
            "以上の理由により、FAILとします。",
            "以上のことから承認できません。",
            "評価: 不合格",
            "結論: 要修正",
            "マージしないでください。",
            "修正が必要です。マージしないでください。",
            "Recommendation: reject",
            "結論として、FAIL です。",
            "I recommend not merging this.",
            "I cannot approve this because the token is logged.",
            "- [CRITICAL] no limit on the size of the body",
            "- [CRITICAL] 入力が検証されていません",
            "- [CRITICAL] the token is not handled as required",
        ] {
            assert!(found(text), "{text}");
        }
    }

    #[test]
    fn honest_reviews_quote_deny_set_conditions_and_tell_of_earlier_rounds() {
        for text in [
            "結論: 合格",
            "前回の結論: 不合格。今回は解消されました。",
            "前回はこのままではマージできませんでしたが、今回は問題ありません。",
            "認可がない場合、この変更は承認できません。",
            "この変更を差し戻す理由はありません。",
            "この実装に重大な問題はありません。",
            "「不合格」と書かれた行は引用です。",
            "> 結論: 不合格",
            "It says:\n```\nI must reject this\n```",
            "The document says \"I must reject this\" in line 3.",
            "In round 1 I had to reject this; it is fixed.",
            "I would reject this if the lock were taken twice.",
            "The validator must reject this input, and it does.",
            "I see no reason why this should not be merged.",
            "[CRITICAL] means that data is lost.",
            "- [CRITICAL] none",
            "## Findings of round 1\n- [CRITICAL] the password was logged\n\n## Now\nnothing",
            "- [CRITICAL] the password is logged\n- [CRITICAL] no limit\n\nAll of these are fixed.",
            "前回の指摘:\n- [CRITICAL] パスワードが記録される\n",
            "失敗時は差し戻しの処理が必要です。",
            "The parser should reject this. Tests show that it does.",
            "You cannot approve this request without the admin role; the code checks it.",
            "Do not merge this file with the other: done as asked.",
            "Bottom line: failed logins are logged.",
            "Conclusion: the request is rejected by the server as designed.",
            "本実装は、承認できないユーザーを除外する。",
            "この計画では、不合格、保留、合格の三つの状態がある。",
            "ただし、却下された提案については記録がある。",
            "## 総評\n不合格の判定を記録する機能が正しく動く。",
            "重大な脆弱性が残らないよう検証されている。",
            "[BLOCKER] none found",
            "| [CRITICAL] | 0 |",
            "状態:\n- 合格\n- 却下",
        ] {
            assert!(!found(text), "{text}");
        }
    }

    #[test]
    fn more_prose_than_a_review_has_is_not_looked_through() {
        let line = "The bound is right.\n";
        assert!(!found(&line.repeat(4_500)));
        assert!(found(&line.repeat(5_500)));
        assert!(!found(&format!("Fine.\n\n```\n{}```\n", line.repeat(5_500))));
    }

    #[test]
    fn what_the_work_rejects_and_what_is_denied_takes_no_approval_back() {
        for text in [
            "したがって、不合格とする理由は見当たりません。",
            "この変更を不合格とする根拠は見つからない。",
            "この変更により、未承認のユーザーは承認できません。仕様どおりです。",
            "ただし、権限のない利用者は承認できません。これは仕様どおりです。",
            "ただし、テストが失敗したPRはマージできません。CIの設定どおりで問題ありません。",
            "この計画では、レビューが2回失敗すると差し戻しとする。",
            "本設計では、検査に落ちた製品を不合格とする。妥当です。",
            "この変更は、期限切れのトークンを却下する。問題ない。",
            "本実装では承認できません。というメッセージが表示される。",
            "この変更はマージできないと考える理由がない。",
            "したがって、ロック中の口座は承認できないと判断される。テストで確認した。",
            "重大な問題がある。と出力する分岐もテストされている。",
            "重大な欠陥がある、という指摘は誤りと分かりました。",
            "判断: 差し戻し。承認の両方が動く。",
            "- [CRITICAL] not found",
            "- [critical] I found nothing.",
            "- [CRITICAL] Without findings.",
            "[CRITICAL] count: 0",
            "[CRITICAL] log lines are now red, as the issue asks.",
            "[CRITICAL] path is covered by tests.",
            "- [CRITICAL] ログレベルの行は正しく出力される",
            "- [Critical] 見当たらない",
            "- [blocking] calls were replaced by async ones, good.",
            "[Blocking] I/O is moved to a thread.",
            "- This must not be merged twice; the guard handles it.",
            "This should not be merged with #12, as the author says.",
            "I do not accept this as a blocker.",
            "I cannot approve the change fast enough - great work.",
            "I don't accept the change lightly, but the tests convince me.",
            "On second thought, the failing test is in another crate.",
            "**Conclusion:** rejected, requests are answered with 401 as required.",
            "Bottom line: failed. Tests: none.",
            "Conclusion: failed. logins are logged",
            "Do not approve this. is what the bot prints on forks.",
        ] {
            assert!(!found(text), "{text}");
        }
    }
}
