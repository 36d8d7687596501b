//! Knows when an evaluation decides anew in a sentence (`On second thought: ABORT`), and when it only says what it would
//! have decided (`DECISION: ABORT would have been given if …`). Decides nothing.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::folded::folded;
use crate::head;
use crate::objects::joined;
use crate::quoted::{self, Quoted};

/// So much of a line is looked at.
const REACH: usize = 2_000;

/// Returns the hard words that lines outside objects decide anew with, each with its line.
pub(super) fn words(text: &str, quoted: &Quoted, objects: &[Range<usize>]) -> Vec<(String, String)> {
    let own =
        lines(text, objects).filter(|(at, line)| quoted.is_own(*at, line) && !quoted::is_indented(line));
    own.filter_map(|(_, line)| {
        let line = folded(head(line, REACH));
        let word = ANEW.captures(&line)?.name("word")?;
        let decided = !is_conditional(&line[word.end()..]);
        decided.then(|| (word.as_str().to_owned(), line.trim().to_owned()))
    })
    .collect()
}

/// Adds the lines that only say what would have been decided to the objects: nothing in either is read as a line.
pub(super) fn aside(text: &str, objects: &[Range<usize>]) -> Vec<Range<usize>> {
    let would = lines(text, objects).filter(|(_, line)| {
        let line = folded(head(line, REACH));
        HARD.find(&line).is_some_and(|word| is_conditional(&line[word.end()..]))
    });
    let mut spans: Vec<Range<usize>> =
        objects.iter().cloned().chain(would.map(|(at, line)| at..at + line.len())).collect();
    spans.sort_by_key(|span| span.start);
    joined(spans)
}

/// Returns the lines that begin in no object, with their positions.
fn lines<'t>(text: &'t str, objects: &[Range<usize>]) -> impl Iterator<Item = (usize, &'t str)> {
    let is_inside = |at: usize| {
        let after = objects.partition_point(|span| span.start <= at);
        objects[..after].last().is_some_and(|span| at < span.end)
    };
    let mut from = 0;
    let all = text.split_inclusive('\n').map(move |line| {
        from += line.len();
        (from - line.len(), line)
    });
    all.filter(move |(at, _)| !is_inside(*at))
}

/// Tells whether what follows a word says that it would be decided otherwise: `would have been given if …`.
pub(super) fn is_conditional(rest: &str) -> bool {
    CONDITIONAL.is_match(rest)
}

static ANEW: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^[^a-z\n]*(?:(?:but|so|no|wait|hmm|actually)\W+)*(?:on second thoughts?|on reflection|correction|edit|update|scratch that|actually|wait|i(?: have|'ve)? changed my mind|訂正|再考の?結果|再考|やはり)[\s:,.;*_`、—–-]*(?:(?:this|it|the (?:run|decision|answer|verdict)|i|my (?:decision|answer|verdict)|must|should|has to|have to|be|is|decide|to|for|now|a|an)[\s:*_`]+){0,6}(?P<word>(?-i:ABORT|FAIL_PHASE_[A-Za-z0-9_]{1,40}|FAIL))(?:[^A-Za-z0-9_]|$)",
    )
    .expect("the pattern is a constant")
});

static HARD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"ABORT|FAIL(?:_PHASE_[A-Za-z0-9_]{1,40})?").expect("the pattern is a constant")
});

static CONDITIONAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)^[\s*_`"'」』)]*(?:(?:would|could|might)\b[^.]*\b(?:if|unless|had|were|without)\b|(?:となる|とする|になる|と判断する)の(?:は|なら)|であれば|なら|の場合)"#,
    )
    .expect("the pattern is a constant")
});
