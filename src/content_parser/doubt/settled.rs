//! Knows how reviewers say that something severe is not there: denied, repaired, told of an earlier round, or only a word
//! that is explained. When in doubt it says no: then the reviewer is asked.

use std::sync::LazyLock;

use regex::Regex;

use super::{grave, pattern};

/// Tells whether the title of a section says that what stands below is no problem of now.
pub(super) fn is_excused(title: &str) -> bool {
    EARLIER.is_match(title) || EXPLAINS.is_match(title)
}

/// Tells whether what is stated as severe is denied, repaired or explained.
pub(super) fn is_settled(statement: &str) -> bool {
    if is_none(statement) || EXPLAINS_WORD.is_match(statement) || statement.trim_end().ends_with('?') {
        return true;
    }
    if STILL.is_match(statement) {
        return false;
    }
    SETTLED.is_match(statement) || (PRAISED.is_match(statement) && !AMISS.is_match(statement))
}

/// Tells whether a section holds nothing that is a problem now: one of its items says so of all, or each of itself.
pub(super) fn is_settled_section(text: &str) -> bool {
    let items = items(text);
    let says_something = |item: &&String| grave::says_something(item);
    ALL_GONE.is_match(text)
        || items.iter().any(|item| is_none(item))
        || items.iter().filter(says_something).all(|item| is_settled(item))
}

fn is_none(statement: &str) -> bool {
    NONE.is_match(statement) || NONE_JAPANESE.is_match(statement)
}

/// Returns the items and paragraphs of a section, without the head of a table.
fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('|') && !line.contains(char::is_alphanumeric) && line.contains('-') {
            items.pop();
            goes_on = false;
        } else if goes_on && !line.is_empty() && !ITEM.is_match(line) {
            let last = items.last_mut().expect("an item goes on");
            last.push(' ');
            last.push_str(line);
        } else if !line.is_empty() {
            items.push(line.to_owned());
            goes_on = !line.starts_with('|');
        } else {
            goes_on = false;
        }
    }
    items
}

const THING: &str =
    r"(?:issues?|findings?|problems?|blockers?|items?|bugs?|concerns?|points?|defects?|reasons?|flaws?)";

static ITEM: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:[-*+•]\s|\d{1,3}[.)]\s|\|)"));

/// Nothing is there.
static NONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"^[\W_]*(?:\d+[.)]\W*)?(?:none|nothing|nope?|nil|zilch|n/?a|no|n|0|zero|false|ok|empty|-)[\W_]*(?:$|[,;|:/]|\.\s|\s[-–—(])|^[\W_]*nothing (?:found|to|here\W*$|left|is left|from|blocks?|blocking|in|that|new|critical|else|open|seen|of|at)\b|^[\W_]*none (?:found|to|here|left|so|at|in|that|were|was|identified|from|this)\b|^[\W_]*(?:no|zero|0|not a single) (?:such |more |longer |open |new |remaining |critical |blocking |major |serious |severe |other )*{THING}\b|\b(?:did|do|could|can)(?: not|n't|not) (?:find|see|identify|spot)\b|\b(?:find|found|finds|have|has|had|identified|identify|see|saw|seen|surfaced|introduces?|contains?|there (?:are|is|were)|turned up|came up)(?: with)? (?:none|nothing|zero|empty|no (?:{THING}|critical|blocking|such|more|reason))\b|\bnot (?:found|identified|aware of|applicable|that i (?:can|could) see)\b|\bno longer appl|\bnothing (?:is |was )?(?:left|found|to report|critical)\b|\b(?:none|no {THING}) (?:was|were) (?:found|identified)\b|\bwithout {THING}\b|\bno {THING} (?:here|found|left|identified)\b|\b(?:count|number|total)\s*[:=]?\s*0\b|^\W*0 found"
    ))
});

static NONE_JAPANESE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:^|[\s:|、はも])(?:特に|該当)?(?:なし|無し)|^\W*(?:特に|今回は|現時点では|本(?:差分|変更|計画)に)?、?は?(?:ありません|ございません|ない)|(?:検出|発見|確認|特定|指摘)(?:は)?(?:でき|して(?:い|おり)?|され|し)?(?:ません|せん|ず|ない|なかった|なし)|検出せず|存在(?:し(?:ない|ません|ておらず)|せず)|見当たら|見つから|見つかりません|含まれ(?:ない|ていない|ていません|ません)|該当(?:なし|せず)|ゼロ|(?:^|[^\d])0件|(?:問題|指摘|懸念|懸念事項|事項|欠陥|該当|もの|要素|理由|必要|項目|特に|重大な\S{1,6}|致命的な\S{1,6})(?:は|が|も)(?:特に)?(?:な[いくしか]|無[いくし]|ありません|ございません)|問題(?:あり|ござい)ません|ではありません",
    )
});

/// It only says what a word means.
static EXPLAINS_WORD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\W*(?:means?|stands for|denotes|is used|とは)\b|^\W*とは|\bmitigat|対策\s*[:は]|^\W*TC-?\d|\(planned\)",
    )
});

/// Repaired, or told of what was.
static SETTLED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:fixed|resolved|addressed|settled|repaired|gone|verified|masked now|now masked|implemented)\b|[:—–-]\s*(?:closed|done)\b|\bround \d\b|\blast round\b|\b(?:earlier|previous(?:ly)?)\b|(?:→|=>|->)|✅|✔|\[x\]|~~|\bthe revision\b|\bthe (?:issue|subject)(?: itself)?\b|\bthe issue (?:reports|describes|says|asks)\b|\bthe (?:change|plan|fix) (?:repairs|fixes)\b|不要|済|解消(?:し|され)|解決|(?:修正|対応|反映)(?:し|され|を確認)(?:た|て|ま)?|前回|前ラウンド|目的|(?-i:Issue)[にでの]",
    )
});

/// All is as it should be.
static PRAISED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bas (?:the (?:issue|plan|task|spec|specification|document) )?(?:asks?|asked|says|required|requested|designed|intended|expected|wanted|specified|planned)\b|\b(?:good|fine|correct|correctly|right|adequate|clean|solid|sound|safe|complete)\W*$|\b(?:solid|is safe|clean bill|in order|way is free|satisfied)\b|\b(?:all|every|everything|both|tests?)\b[^.]*\b(?:good|fine|pass(?:es|ed)?|green|tested|covered|correct|in order|typed|right|checked)\b|\b(?:is|are|was|were) (?:now |all )?(?:covered|replaced|moved|handled|tested|validated|reviewed|respected|met)\b|\btests pass\b|正しく|問題な|どおり|通りです|妥当|網羅",
    )
});

/// Something is not as it should be.
static AMISS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:not|never|without|missing|but|however|although|wrong|nonsense|fails?|lost|leaks?|logs|logged|is (?:un|in)\w+|deleted|panics?|must|should|none of|nothing)\b|n't\b|ない|ません|せず|れず|必要|べき",
    )
});

/// It is said not to be repaired.
static STILL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bstill\b|(?:\bnot|\bnever|n't)(?: (?:yet|been|be|really|fully|properly|still))* (?:fixed|resolved|addressed|settled|closed|done|repaired|gone|verified|implemented)\b|\bun(?:fixed|resolved)\b|未(?:解決|対応|修正)|残って|(?:対応|修正|解決)されていな",
    )
});

static ALL_GONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:all|both)\b[^.\n]{0,80}\b(?:fixed|resolved|gone|addressed|closed|settled|in)\b|\b(?:nothing|none)\b[^.\n]{0,30}\b(?:left|open|remains?)\b|(?:すべて|全て|いずれも)[^。\n]{0,40}(?:解消|対応済|修正済|修正され|解決|反映)",
    )
});

/// The title is about an earlier round.
static EARLIER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:previous(?:ly)?|earlier|former|old|last (?:round|review|time)|first review|round \d|history|resolved|fixed|closed|addressed|repaired|done)\b|前回|以前|前ラウンド|ラウンド ?\d|履歴|解消|対応済|修正済",
    )
});

/// The title introduces what words mean, or a list of the work itself.
static EXPLAINS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:legend|severity (?:scale|levels?)|severities|scale|levels?|priorit(?:y|ies)|meaning|plan has|(?:test|rollout) plan|risks?|groups?|categories|states?|requirements?|transitions|log format|prints?|output)\b|凡例|重要度の(?:定義|基準|意味)|優先度|リスク|分類|定義|変更点|状態",
    )
});
