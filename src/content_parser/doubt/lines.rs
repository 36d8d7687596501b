//! Finds a denial by the form of a line: a word of a verdict at the place of a value or beside its label, the count of what failed, a
//! mark, a label of something that holds the work back. The forms and what excuses them are data of `lexicon/patterns.toml`.

use std::borrow::Cow;

use crate::lexicon::pattern;
use crate::markdown::code_blocks;
use crate::quotations::{Quotation, is_phrase, is_short, replace_quotations};

/// Tells whether a line has a form that nothing in it excuses.
pub(super) fn has(form: &str, line: &str) -> bool {
    pattern(&format!("lines.{form}")).is_match(line) && !pattern(&format!("lines.no_{form}")).is_match(line)
}

/// Returns the first line of a text that denies by its form.
pub(super) fn denial(text: &str) -> Option<&str> {
    text.lines().find(|line| denies(line))
}

fn denies(line: &str) -> bool {
    // Words of somebody else, and code that is no single word: a value is often written as code.
    // The mark behind a word of code closes it, or opens other code: both readings count.
    let readings = [Quotation::Kept, Quotation::None].map(|word| unquoted(line, word));
    sentences_of(line).any(|sentence| has("quoted_verdict", sentence))
        || readings.iter().any(|plain| {
            sentences_of(plain).any(|sentence| has("verdict", sentence))
                || ["output", "mark", "label"].into_iter().any(|form| has(form, plain))
        })
}

/// Returns a line without what it quotes, where a single word of code is what `word` says.
fn unquoted(line: &str, word: Quotation) -> Cow<'_, str> {
    let judge = |mark, inside: &str| match mark {
        '`' if is_phrase(inside) => Quotation::Replaced,
        '`' => word,
        '„' => Quotation::None,
        _ if is_short(inside) => Quotation::Replaced,
        _ => Quotation::None,
    };
    replace_quotations(line, judge, |_| "”".to_owned())
}

/// Returns the sentences of a line.
pub(super) fn sentences_of(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(['。', '!', '?']).flat_map(|part| part.split_inclusive(". "))
}

/// Tells whether a title announces that what stands below it is wrong.
pub(super) fn announces(title: &str) -> bool {
    pattern("lines.title").is_match(title)
}

/// Returns the first line of the output of a test runner in a fence that counts failures, unless the line above the fence tells of
/// another state of the work.
pub(super) fn failed_run(text: &str) -> Option<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let is_of_now = |first: usize| {
        // The line that introduces a fence is no farther above it.
        let above = lines[..first.saturating_sub(2)].iter().rev().take(5);
        // An object introduces nothing.
        let mut above =
            above.map(|line| line.trim()).filter(|line| !line.is_empty() && !line.starts_with(['{', '}']));
        !above.next().is_some_and(|line| pattern("lines.another_state").is_match(line))
    };
    let blocks = code_blocks(text).into_iter();
    let mut outputs =
        blocks.filter(|block| pattern("lines.log").is_match(block.language) && is_of_now(block.line));
    outputs.find_map(|block| block.text.lines().find(|line| has("output", line))).map(str::trim)
}
