//! Knows how reviewers announce something severe, and how they hold the whole back. Whether it is denied is `settled`'s.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::{pattern, settled};

/// Words of the worst severity, and what they may stand before.
const WORST: &str = r"(?:critical|blockers?|blocking|show-?stoppers?|must[- ]fix(?:es)?|must be fixed|致命的|重大|修正必須|要修正|ブロッカー|ブロッキング|クリティカル)";
const OF: &str = r"(?:な)?\s?(?:(?:the |open |remaining )?(?:issues?|findings?|problems?|bugs?|defects?|errors?|items?|points?|concerns?|flaws?|vulnerabilit(?:y|ies)|severity|before (?:merge|merging)|this|first|now|問題点?|欠陥|指摘事項|指摘|バグ|不具合|脆弱性|事項|項目)\s?)*";
/// What may stand before a label: list marks, numbers, names of findings, pictures.
const BEFORE: &str = r"^(?:[-*+•]\s+|\d{1,3}[.)]\s+|[\W_]|(?:open|remaining|new|finding|issue|severity|重要度)\s*:?\s+|[A-Z]{1,3}-?\d{1,3}\b)*";

/// Returns what a title says beyond announcing something severe; empty where the text below says it.
pub(super) fn announced(title: &str) -> Option<&str> {
    let title = Some(title).filter(|title| NAMES.is_match(title))?;
    let found = LABEL.captures(title).or_else(|| NAMED.captures(title))?;
    let whole = found.get(0)?;
    let rest = title[whole.end()..].trim_matches(|c: char| !c.is_alphanumeric());
    let alone = found.name("alone").is_some() || rest.is_empty();
    if !alone && found.name("sign").or(found.name("p0")).is_none() {
        return None;
    }
    Some(if alone && is_count(&title[whole.end()..]) { "0" } else { rest })
}

/// Returns what a line states as severe.
pub(super) fn stated(line: &str) -> Option<&str> {
    if line.starts_with('|') {
        return row(line);
    }
    if !NAMES.is_match(line) || LEGEND.is_match(line) {
        return None;
    }
    let found = LABEL.captures(line).and_then(|found| found.get(0)).or_else(|| RED.find(line));
    let rest = found.map_or("", |found| line[found.end()..].trim());
    if rest.contains(char::is_alphanumeric) { Some(rest) } else { FIELD.is_match(line).then_some(line) }
}

/// Returns a line whose severities stand in no code: reviewers write them as values.
pub(super) fn unwrapped(line: &str) -> Cow<'_, str> {
    static VALUE: LazyLock<Regex> = LazyLock::new(|| pattern(&format!("`(?P<word>{WORST})`")));
    VALUE.replace_all(line, "$word")
}

/// Returns a row of a table that marks something as severe in a cell of its own, and says something in another.
fn row(line: &str) -> Option<&str> {
    (cells(line).any(|cell| CELL.is_match(cell)) && says_something(line)).then_some(line)
}

/// Tells whether an item says more than how severe something is and how often it was found.
pub(super) fn says_something(item: &str) -> bool {
    let says =
        |cell: &str| cell.contains(char::is_alphabetic) && !CELL.is_match(cell) && !HEAD.is_match(cell);
    if item.starts_with('|') { cells(item).any(says) } else { item.contains(char::is_alphanumeric) }
}

fn cells(row: &str) -> impl Iterator<Item = &str> {
    row.split('|').map(|cell| cell.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Tells whether a line is a title of something milder.
pub(super) fn is_milder(line: &str) -> bool {
    MILDER.is_match(line)
}

/// Tells whether a line holds the whole back, or finds something severe in a sentence.
pub(super) fn holds_back(line: &str) -> bool {
    HINT.is_match(line)
        && settled::sentences(line).any(|sentence| {
            (HOLDS.is_match(sentence) && !settled::is_excused_sentence(sentence))
                || (FINDS.is_match(sentence) && !settled::is_denied_sentence(sentence))
        })
}

fn is_count(rest: &str) -> bool {
    static ZERO: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\W*0\W*$"));
    ZERO.is_match(rest)
}

/// One of these stands in everything that names something severe.
static NAMES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"critical|block|stopper|must|P0|HIGH|[🔴⛔🚫]|致命|重大|必須|要修正|ブロッ|クリティカル")
});

/// A word of the worst severity that begins a line, with the sign behind it that makes it a label.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"{BEFORE}(?:{WORST}{OF}[*_`)\]】\s]*(?P<sign>[:)\]】|]|\.\s|\s[-–—]\s|[*_]{{2}}\s|$)|[\[【](?:P0|HIGH)(?P<p0>[\]】]))[*_`\s]*"
    ))
});

/// A title that names a finding and marks it as severe.
static NAMED: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"^.*[(\[【](?P<alone>{WORST})[)\]】]\W*$")));
/// A field of a finding that says how severe it is.
static FIELD: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"^[\W_]*(?:severity|重要度)[\W_]*[:=][\W_]*{WORST}")));
static RED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[-*+\s]*[🔴⛔🚫]\W*"));
static CELL: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:critical|blocker|blocking|致命的|重大)$"));
static HEAD: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:major|minor|info|count|件数|軽微|中)$"));
static LEGEND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:critical|blocker|重大|致命的)\W.*\b(?:major|minor)\b\**\s*[::(]|(?:重大|致命的).*軽微\**\s*[::]|critical, |non-blocking",
    )
});
static MILDER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[\W_]*(?:major|minor|info|non-blocking|medium|low|suggestions?|nits?|nitpicks?|notes?|nice[- ]to[- ]have|could[- ]fix|should[- ]fix|軽微|改善提案|推奨|提案|中)(?:な)?(?:\s?(?:issues?|findings?|problems?|remarks?|指摘|問題|事項))*[\W\d_]*(?:[::(]|$)",
    )
});
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"merg|approv|ship|sign|ready|reject|status|request|nack|no-?go|compile|revert|recommend|verdict|result|decision|answer|object|json|grade|edit|update|fail|block|broken|needs?|must|stopper|fix|address|critical|severe|serious|承認|マージ|判定|却下|不合格|差し?戻|再レビュー|再提出|再検討|やり直|作り直|必ず|早急|先に|進め|進む|進ま|結論|総評|重大|致命|深刻",
    )
});

/// What is reviewed.
const WHOLE: &str = r"(?:this|it|the (?:change|work|plan|document|implementation|branch|pull request|pr|design|object|json|answer)|this (?:change|work|plan|document|implementation|branch|pull request|pr|design))";

/// The English clause ends, or its reason follows.
const END: &str = r"(?:\W*$|\s*[.,;:!(—–]|\s-\s|\s+(?:yet|as is|as it stands|because|since|until|before|in its|at this|like this|now)\b)";

/// A sentence that holds the whole back.
static HOLDS: LazyLock<Regex> = LazyLock::new(|| {
    let no = r"(?-i:FAIL(?:ED|S)?|REJECT(?:ED)?|NO-?GO|NG)|不合格|不承認|差し?戻し|却下|承認不可|マージ不可";
    let english = [
        r"(?:\bnot|n't (?:think|believe|consider) (?:that )?(?:this|it) is) (?:yet )?(?:ready|fit|safe|mergeable|approvable|good enough)\b(?: (?:to|for|as|in|at|yet)\b|\W*$)".to_owned(),
        r"^\W*(?:this |it |the (?:change|work|plan) )?(?:(?:still )?needs? (?:more |further |some )?(?:work|changes|rework|another round)|must be (?:reworked|redone))\b".to_owned(),
        r"\b(?:please )?(?:fix|address|resolve|repair) (?:[\w'-]+ ){1,6}before (?:merg|ship|releas)".to_owned(),
        r"\b(?:is|are|remains?|consider [^.]{1,80}) (?:clearly |definitely |still )?(?:an? |the )?(?:blockers?|show-?stoppers?|blocking)\W*$".to_owned(),
        r"\b(?:recommendation is|recommend|advise|better)(?: to)? not(?: to)? (?:merg|ship|approv)".to_owned(),
        r"\b(?:should|must|ought to) (?:have been|be|have said|say) (?:an? )?\W*(?-i:FAIL|REJECT)".to_owned(),
        r"^\W*do not (?:merge|ship|approve|release)\b[^.]*\b(?:before|until)\b".to_owned(),
        r"\bi(?: would|'d) (?:reject|fail|block) (?:this|it|the)\b".to_owned(),
        r"^\W*not (?:mergeable|approvable)\b".to_owned(),
        format!(r"\b(?:cannot|can ?not|can't|could not|am not able to|unable to|(?:i|we) (?:do not|don't)|would not|wouldn't|will not|won't|must not|should not|shouldn't|not going to) (?:yet )?(?:recommend|approve|merge|ship|sign(?: this| it)? off(?: on)?|accept|release|endorse)\b(?: merging| approving)?(?: (?:this|it|that|the|change|work|plan|pr|pull request|branch))*{END}"),
        format!(r"\b{WHOLE} (?:should|must|can|may)(?:n't| not) (?:yet )?(?:be (?:merged|approved|shipped|released|accepted)|ship|go (?:in|out|live|through)|land|merge)(?: as it is| like this)?{END}"),
        r"^[*_#\s]*(?-i:FAIL(?:ED)?|REJECT(?:ED)?|NACK|NO-?GO|REQUEST_CHANGES)[*_.!\s]*$".to_owned(),
        r"\b(?:hold|holding) (?:off\b|the merge|this back|back)".to_owned(),
        r"\bplease (?:do not|don't) (?:merge|approve|ship)\b".to_owned(),
        r"\bneeds? (?:to be (?:fixed|reworked|redone)|(?:another|more) (?:round|work)|rework)\b(?: before|\W*$)".to_owned(),
        r"\b(?:must|has to|have to|needs to) be (?:fixed|resolved|addressed|corrected) (?:before|first)\b".to_owned(),
        format!(r"\b(?:verdict|result|decision|answer|json|object|review|conclusion|overall|recommendation|status|grade)\b[^.,]{{0,30}}(?:\bis|\bto|[:=]|\bsay|\bbe|\s-)\s*(?:a |an )?\W*(?:{no}|request(?:ing|ed)? changes|changes (?:are )?requested|not acceptable|not approved|do not merge)(?:\W|$)"),
        format!(r"^\W*(?:edit|update|correction|edited)\s*:[^.]*(?:{no})(?:\W|$)"),
        r"\bi (?:changed|change|am changing) my (?:verdict|decision|mind)\b".to_owned(),
        r"\b(?:disregard|ignore) (?:the|my) (?:object|json|answer|verdict|approval|pass)\b".to_owned(),
        r"\b(?:this|it) (?:does not pass|doesn't pass|fails (?:the |my |this )?review|is a (?-i:FAIL|REJECT)|is (?:un|not )acceptable)".to_owned(),
        r"^\W*grade\s*:.*\bD\W*$".to_owned(),
        r"\b(?:i|we) (?:am |are |have to |must )?(?:request|requesting|requested) changes\b".to_owned(),
        r"^\W*(?:changes (?:are )?requested|requesting changes|not approved)\W*(?:$|[:—–-])".to_owned(),
        r"^\W*(?-i:FAIL(?:ED)?|REJECT(?:ED)?|NACK)\W{1,4}(?:the|this|it|there|my|two|one)\b".to_owned(),
        r"^\W*(?:this is |it is |merge )?blocked (?:until|by|on)\b".to_owned(),
        format!(r"\b{WHOLE} must be (?:reverted|undone)\b"),
        format!(r"\b{WHOLE} (?:does not|doesn't|will not|won't) (?:even )?compile{END}"),
    ];
    let japanese = [
        r"(?:承認|マージ)(?:は|を)?(?:見送|避けて|控え|できる状態に|できかね|いたしかね|致しかね|不可|保留|に反対)".to_owned(),
        r"(?:再レビュー|再提出|再検討|やり直し|作り直し)が必要".to_owned(),
        r"差し?戻しをお願い|(?:マージ|承認)すべきでは(?:ない|ありません)|(?:必ず|早急に|先に)(?:\S{0,6})?(?:修正|対応)(?:して|が必要)|進(?:め|む|められ)(?:る|られる|こと(?:が|は)でき(?:る)?)状態(?:では|に)(?:ない|ありません)|進めません".to_owned(),
        r"(?:変更|計画|実装|文書|設計|提案|本件)(?:は|を)[^。]{0,6}(?:却下|不承認|不合格)".to_owned(),
        r"不合格(?:と|に)(?:いた)?し(?:ます|ました)".to_owned(),
        format!(r"(?:(?:判定|結論|総評)は|(?:本レビューの判定|結論|総評):)\s*\W*(?:{no})(?:です|とします)?\W*$"),
    ];
    pattern(&format!("{}|{}", english.join("|"), japanese.join("|")))
});

/// A sentence that says of something severe that it is there.
static FINDS: LazyLock<Regex> = LazyLock::new(|| {
    let many =
        r"(?:an?|one|two|three|four|five|some|several|many|multiple|more|\d+|the following|these|this)";
    let grave = r"(?:critical|blocking|severe|serious|fatal|grave|show-?stopping)";
    let thing = r"(?:issues?|problems?|bugs?|defects?|flaws?|errors?|vulnerabilit(?:y|ies)|findings?|regressions?|gaps?|holes?|concerns?)";
    let japanese =
        r"(?:重大な|致命的な|深刻な|クリティカルな)(?:欠陥|問題|脆弱性|不具合|バグ|誤り|指摘|懸念)";
    pattern(&format!(
        r"\b(?:there (?:is|are|remains?)|has|have|found|finds?|see|saw|contains?|introduces?|leaves?) (?:still )?{many} (?:\w+ ){{0,2}}{grave} (?:\w+ )?{thing}|\b{many} {grave} (?:\w+ )?{thing}\s*:|\b(?:is|are) (?:fundamentally |completely )?broken\b|\b{many} (?:{grave} (?:\w+ )?{thing}|blockers?|show-?stoppers?) (?:still )?(?:remain|is left|are left|stand|is open|are open|exist)|\b(?:there (?:is|are)|found) {many} (?:blockers?|show-?stoppers?)\b|^\W*an? (?:blocker|show-?stopper)\s*:|{japanese}(?:が|を)[^。]{{0,10}}(?:あります|残って|残り|存在|見つかりました|発見|検出しました|確認しました|認められ)|修正が必要な(?:重大な|致命的な)"
    ))
});
