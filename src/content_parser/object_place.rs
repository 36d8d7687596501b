//! Knows where an object without an id stands: alone in its line or fence, after a label, or inside a sentence that speaks
//! of it (`I cannot return {"result": "PASS"} because …`) and may say the opposite. Reads no object.
//!
//! On the object's own line its place decides: in its sentence only a label of a verdict, or the reviewer who gives it
//! (`So I return {…}`), may stand beside it. Beside that, and in the paragraphs directly above and below, a negation or a
//! condition makes it doubtful, whatever it is about: the reviewer is asked.

use std::ops::Range;

use super::lexicon::pattern;
use super::markdown::Quoted;
use super::marker::last_sentence;
use super::text::{excerpt, folded, head, is_picture, tail};

/// So much of a paragraph beside an object is looked at, in bytes.
const REACH: usize = 1_000;
/// A paragraph begins or ends no farther from a block, in bytes.
const LONGEST_GAP: usize = 20_000;

/// Returns the sentence that an object stands in, or that speaks of it beside its block; nothing where it stands alone.
pub(super) fn sentence(text: &str, span: &Range<usize>, quoted: &Quoted) -> Option<String> {
    let line_start =
        span.start - tail(&text[..span.start], REACH).rsplit('\n').next().unwrap_or_default().len();
    let line_end = span.end + head(&text[span.end..], REACH).lines().next().unwrap_or_default().len();
    let before = folded(&text[line_start..span.start]);
    let after = folded(&text[span.end..line_end]);
    if quoted.is_aside(line_start, span.start) || is_spoken_of(&before, &after) {
        return Some(excerpt(&text[line_start..line_end]));
    }
    let block = quoted.fence_around(span.start).unwrap_or(line_start..line_end);
    // The mark of a fence may stand behind the start of its line.
    let block = block.start.min(line_start)..block.end.max(line_end);
    let above = folded(paragraph_above(&text[..block.start]));
    let below = folded(paragraph_below(&text[block.end..]));
    let in_fence = [
        folded(paragraph_above(&text[block.start..line_start])),
        folded(paragraph_below(&text[line_end..block.end])),
    ];
    let objection = in_fence.iter().find_map(|part| objection(part));
    objection.or_else(|| objection_beside(&above, &below)).map(excerpt)
}

/// Tells whether the sentence that an object stands in, or another one of its line, speaks of it.
fn is_spoken_of(before: &str, after: &str) -> bool {
    let lead = last_sentence(before);
    let rest = after.split(['。', '.', '!', '?']).next().unwrap_or_default();
    if objection(before).is_some()
        || objection(after).is_some()
        || pattern("object_place.others").is_match(lead)
    {
        return true;
    }
    if pattern("object_place.gives").is_match(lead) || pattern("object_place.given").is_match(beside(after)) {
        return [lead, rest].iter().any(|part| {
            pattern("object_place.qualifies")
                .is_match(&pattern("object_place.nothing_amiss").replace_all(part, " "))
        });
    }
    let is_alone = !lead.contains(char::is_alphabetic);
    !(is_alone || pattern("object_place.label").is_match(lead)) || goes_on(after)
}

/// Tells whether a sentence goes on behind an object.
fn goes_on(after: &str) -> bool {
    let rest = beside(after);
    (rest.starts_with(char::is_lowercase) || pattern("object_place.particle").is_match(rest))
        && !pattern("object_place.copula").is_match(rest)
}

/// Returns what stands behind an object without the signs that close it.
fn beside(after: &str) -> &str {
    let is_closing = |c: char| c.is_whitespace() || "*_`\"'”’」』)]】>,、;—–-(…".contains(c) || is_picture(c);
    after.trim_start_matches(is_closing)
}

/// Returns the sentence above or below a block that makes its object doubtful.
fn objection_beside<'t>(above: &'t str, below: &'t str) -> Option<&'t str> {
    let introduction = above.trim_end();
    let lead = introduction.trim_end_matches(|c: char| "。.!?:".contains(c) || c.is_whitespace());
    let is_of_others =
        introduction.ends_with(':') && pattern("object_place.others").is_match(last_sentence(lead));
    if is_of_others {
        return Some(last_sentence(lead));
    }
    if pattern("object_place.goes_on_below").is_match(below) {
        Some(below)
    } else {
        objection(above).or_else(|| objection(below))
    }
}

/// Returns the first sentence of a text with a negation or a condition, other than that nothing is amiss.
fn objection(text: &str) -> Option<&str> {
    let sentences = text.split_inclusive(['。', '!', '?']).flat_map(|part| part.split_inclusive(". "));
    sentences.into_iter().find(|sentence| {
        pattern("object_place.objects")
            .is_match(&pattern("object_place.nothing_amiss").replace_all(sentence, " "))
    })
}

fn paragraph_above(text: &str) -> &str {
    let text = tail(tail(text, LONGEST_GAP).trim_end(), REACH);
    let length: usize = text.rsplit('\n').take_while(|line| is_prose(line)).map(|line| line.len() + 1).sum();
    &text[(text.len() + 1).saturating_sub(length).min(text.len())..]
}

fn paragraph_below(text: &str) -> &str {
    let text = head(head(text, LONGEST_GAP).trim_start(), REACH);
    let length: usize = text.split_inclusive('\n').take_while(|line| is_prose(line)).map(str::len).sum();
    &text[..length]
}

fn is_prose(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with("```") && !line.starts_with("~~~")
}

#[cfg(test)]
mod tests;
