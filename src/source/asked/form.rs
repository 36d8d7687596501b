//! The words of a question: lists and their elements, and asserts of several runners that ask the same.

use std::ops::Range;

use crate::pattern::fits;
use crate::tokens::Word;

/// Returns where the elements of a list, a tuple or an array stand; none where the words are no such thing.
pub(super) fn elements(words: &[Word<'_>]) -> Option<Vec<Range<usize>>> {
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    Some(split(&texts, inside(&texts)?))
}

/// Returns where the values are that stand side by side, in brackets or without.
pub(super) fn side_by_side(words: &[Word<'_>]) -> Vec<Range<usize>> {
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    let bare = split(&texts, 0..texts.len());
    if bare.len() > 1 { bare } else { elements(words).unwrap_or_default() }
}

/// Returns the inside of a list that is all there is, but for a type in front.
fn inside(words: &[&str]) -> Option<Range<usize>> {
    let open = last_open(words)?;
    let front = &words[..open];
    let is_type = matches!(front, [] | ["&"] | ["vec", "!"] | ["&", "vec", "!"])
        || front.first() == Some(&"[") && words[open] == "{";
    (is_type && matches!(words[open], "[" | "(" | "{")).then_some(open + 1..words.len() - 1)
}

fn depth_change(word: &str) -> i32 {
    match word {
        "(" | "[" | "{" => 1,
        ")" | "]" | "}" => -1,
        _ => 0,
    }
}

/// Splits words at their outermost commas.
fn split(words: &[&str], all: Range<usize>) -> Vec<Range<usize>> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), all.start, 0);
    for at in all.clone() {
        depth += depth_change(words[at]);
        if words[at] == "," && depth == 0 {
            parts.push(begin..at);
            begin = at + 1;
        }
    }
    parts.push(begin..all.end);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns what an assert asks, on both sides of its outermost `==`.
pub(crate) fn sides<'t>(words: &[&'t str]) -> Vec<Vec<&'t str>> {
    let (mut sides, mut depth) = (vec![Vec::new()], 0);
    for word in plain(words) {
        depth += depth_change(word);
        match sides.last_mut() {
            Some(side) if depth > 0 || word != "==" => side.push(word),
            _ => sides.push(Vec::new()),
        }
    }
    sides
}

/// Returns an assert as what it asks, where it is one that several runners have.
pub(super) fn plain<'t>(words: &[&'t str]) -> Vec<&'t str> {
    let words = if let ["await", rest @ ..] = words { rest } else { words };
    if let ["assert", rest @ ..] = words
        && !matches!(rest, ["." | "!", ..])
        && inside(rest).is_none()
    {
        return arguments(rest).into_iter().next().unwrap_or_default();
    }
    let Some((name, values)) = call(words) else { return words.to_vec() };
    match values.as_slice() {
        [first, second, ..] if fits("equal_assert", name) => [&first[..], &["=="], second].concat(),
        [first, ..] if fits("truth_assert", name) => first.clone(),
        _ => words.to_vec(),
    }
}

fn arguments<'t>(words: &[&'t str]) -> Vec<Vec<&'t str>> {
    split(words, 0..words.len()).into_iter().map(|part| words[part].to_vec()).collect()
}

/// Returns the name of the function or of the matcher that a question calls, and its values. What a matcher is asked of is the
/// first: `expect(subject).name(…)`.
fn call<'t>(words: &[&'t str]) -> Option<(&'t str, Vec<Vec<&'t str>>)> {
    let open = last_open(words)?;
    let mut values = arguments(&words[open + 1..words.len() - 1]);
    // In Go the test comes first.
    values.drain(..usize::from(values.len() > 1 && values[0] == ["t"]));
    let front = &words[..open];
    let front = if let [front @ .., "!"] = front { front } else { front };
    let (name, path) = front.split_last()?;
    if let ["expect", "(", subject @ .., ")", "."] = path {
        values.insert(0, subject.to_vec());
        return Some((name, values));
    }
    let is_path = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'));
    path.iter().all(is_path).then_some((name, values))
}

/// Returns where the bracket is that the last word closes.
fn last_open(words: &[&str]) -> Option<usize> {
    let mut depth = 0;
    let open = (0..words.len()).rev().find(|at| {
        depth += depth_change(words[*at]);
        depth == 0
    });
    open.filter(|open| open + 1 < words.len())
}
