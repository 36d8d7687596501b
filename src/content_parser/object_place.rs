//! Knows where an object without an id stands: alone in its line or fence, after a label, or inside a sentence that speaks
//! of it (`I cannot return {"result": "PASS"} because …`) and may say the opposite. Reads no object.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::folded::{folded, is_picture};
use super::quoted::Quoted;
use super::remark::last_sentence;
use super::{head, tail};

/// So much beside an object is looked at, in bytes.
const REACH: usize = 400;
/// So much of a place is quoted, in bytes.
const LONGEST_PLACE: usize = 160;

/// Returns the sentence that an object stands in, or that speaks of it beside its fence; nothing where it stands alone.
pub(super) fn sentence(text: &str, span: &Range<usize>, quoted: &Quoted) -> Option<String> {
    let line_start = span.start - last_line(&text[..span.start]).len();
    let line_end = span.end + head(&text[span.end..], REACH).lines().next().unwrap_or_default().len();
    let before = folded(&text[line_start..span.start]);
    let after = folded(&text[span.end..line_end]);
    if quoted.is_aside(line_start, span.start)
        || goes_into(&before)
        || goes_on(&after)
        || refuses(&before, &after)
    {
        return Some(place(&text[line_start..line_end]));
    }
    let block = quoted.fence_around(span.start).unwrap_or(line_start..line_end);
    let above = folded(last_line(text[..block.start].trim_end()));
    let introduces = above.ends_with(':');
    let above = above.trim_end_matches(|c: char| "。.!?:".contains(c) || c.is_whitespace());
    let below = head(text[block.end..].trim_start(), REACH);
    let below = folded(below.lines().next().unwrap_or_default());
    let is_of_others = introduces && OTHERS.is_match(last_sentence(above));
    let speaks = is_of_others || refuses(above, &below) || GOES_ON_BELOW.is_match(&below);
    speaks.then(|| place(&format!("{} … {}", above.trim(), below.trim())))
}

/// Tells whether the sentence before an object goes on in it. A label of a verdict does not.
fn goes_into(before: &str) -> bool {
    let is_opening = |c: char| c.is_whitespace() || "*_`#\"'“‘「『([【<".contains(c) || is_picture(c);
    let end = before.trim_end_matches(is_opening);
    end.ends_with(char::is_alphanumeric) && !LABEL.is_match(end)
}

/// Tells whether a sentence goes on behind an object.
fn goes_on(after: &str) -> bool {
    let is_closing = |c: char| c.is_whitespace() || "*_`\"'”’」』)]】>,、;—–-(…".contains(c) || is_picture(c);
    let rest = after.trim_start_matches(is_closing);
    (rest.starts_with(char::is_lowercase) || PARTICLE.is_match(rest)) && !COPULA.is_match(rest)
}

/// Tells whether what stands around an object says that it is not given, or only would be.
fn refuses(before: &str, after: &str) -> bool {
    let first = after.split(['。', '.', '!', '?']).next().unwrap_or_default();
    REFUSES.is_match(last_sentence(before)) || REFUSES.is_match(first)
}

fn last_line(text: &str) -> &str {
    tail(text, REACH).rsplit('\n').next().unwrap_or_default()
}

fn place(text: &str) -> String {
    head(text.trim(), LONGEST_PLACE).trim().to_owned()
}

/// A label that an object may follow without a sign between them.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:判定結果|判定|結果|結論|回答|(?:\b|_)(?:verdict|result|decision|answer|judge?ment|determination|conclusion|json))(?:は|\s+is)?$",
    )
});

/// What goes on in Japanese: `{…} を返せません`.
static PARTICLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:[をがとにのも]|は[^い]|では[^、]|でな)"));

/// What ends a sentence behind an object in Japanese: `結果は {…} です。`
static COPULA: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:です|である|とします|とする|としました|となります|になります)(?:[。.!\s]|$)")
});

/// What says that an object is not given, or only would be.
static REFUSES: LazyLock<Regex> = LazyLock::new(|| {
    let not = r"(?:cannot|can not|can't|could not|couldn't|do not|don't|did not|didn't|will not|won't|would not|wouldn't|must not|should not|shouldn't|may not|am not|not able to|unable to|refuse to)";
    let gives = r"(?:return|giv|answer|approv|pass\b|provid|say\b|stat|output|produc|accept|submit|send|report|writ|offer|grant|award|conclud|render|justify|agree|confirm|support|sign|recommend|claim)";
    let english = [
        format!(
            r"(?:^\W*|\b(?:i|we)(?:'m)? (?:\w+ )?){not} (?:\w+ly |yet |now |just |able to |going to )*{gives}"
        ),
        format!(r"\b(?:this|it|that|which|answer|verdict|result) {not} (?:yet )?be\b"),
        format!(r"\b(?:instead of|rather than) {gives}"),
        r"\b(?:wanted|would like|would have liked|hoped) to (?:return|give|answer|approve|pass|say)"
            .to_owned(),
        r"\bi (?:object|disagree)\b".to_owned(),
        r"\b(?:is|are|be) not (?:yet )?(?:a |an )?(?:pass\b|approv|ready|acceptable)".to_owned(),
    ];
    let japanese = r"(?:返せ|返さ|出せ|下せ|与えられ|付けられ|言え|答えられ|(?:返す|出す|下す|与える|付ける|回答する|承認する)ことは?でき|(?:回答|承認|同意)(?:でき|し))(?:ない|ません|かね)|(?:PASS|合格|承認)(?:では|には)(?:な|あり)";
    pattern(&format!("{}|{japanese}", english.join("|")))
});

/// What says that an object is somebody else's, of an earlier round, or an example.
static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:previous(?:ly)?|earlier|prior|former|last (?:review|round|time)|round \d|for example|an example|for instance|e\.g\.)\b|\bwould (?:be|get|return|give|say|read|look like|have been|have got)(?: \w+){0,2}$|前回|以前|例えば|の例|例:",
    )
});

/// What goes on below an object from above it.
static GOES_ON_BELOW: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:because|but|since|if|unless|until|would|cannot|yet|however|although|though)\b|^(?:を|とは|という|と言|は)")
        .expect("the pattern is a constant")
});

fn pattern(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){pattern}")).expect("the pattern is a constant")
}
