//! The words of a question: lists and their elements, and asserts of several runners that ask the same.

use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

/// Returns where the inside of a list begins and ends that is all there is, but for a type in front.
pub(super) fn inside(words: &[&str]) -> Option<(usize, usize)> {
    let last = words.len().checked_sub(1)?;
    let open = last_open(words)?;
    let front = &words[..open];
    let is_type = matches!(front, [] | ["&"] | ["vec", "!"] | ["&", "vec", "!"])
        || front.first() == Some(&"[") && words[open] == "{";
    (is_type && open < last && matches!(words[open], "[" | "(" | "{")).then_some((open + 1, last))
}

fn depth_change(word: &str) -> i32 {
    match word {
        "(" | "[" | "{" => 1,
        ")" | "]" | "}" => -1,
        _ => 0,
    }
}

/// Splits words at their outermost commas.
pub(super) fn split(words: &[&str]) -> Vec<Range<usize>> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0);
    for (at, word) in words.iter().enumerate() {
        depth += depth_change(word);
        if *word == "," && depth == 0 {
            parts.push(begin..at);
            begin = at + 1;
        }
    }
    parts.push(begin..words.len());
    parts.retain(|part| !part.is_empty());
    parts
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AssertNames {
    equal: Vec<String>,
    truth: Vec<String>,
}

static ASSERTS: LazyLock<AssertNames> =
    LazyLock::new(|| toml::from_str(include_str!("asserts.toml")).expect("the table of asserts is sound"));

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
    let argument =
        |words: &[&'t str], number: usize| split(words).get(number).map(|part| words[part.clone()].to_vec());
    if let ["assert", rest @ ..] = words
        && !matches!(rest, ["." | "!", ..])
        && inside(rest).is_none()
    {
        return argument(rest, 0).unwrap_or_default();
    }
    let Some(Call { name, arguments, subject }) = Call::of(words) else { return words.to_vec() };
    let is = |names: &[String]| names.iter().any(|known| known == name);
    // In Go the test comes first.
    let of_go = usize::from(matches!(arguments, ["t", ",", ..]));
    let (first, second) = match subject {
        Some(subject) => (Some(subject.to_vec()), argument(arguments, 0)),
        None => (argument(arguments, of_go), argument(arguments, of_go + 1)),
    };
    match (first, second) {
        (Some(first), Some(second)) if is(&ASSERTS.equal) => [first, vec!["=="], second].concat(),
        (Some(first), _) if is(&ASSERTS.truth) => first,
        _ => words.to_vec(),
    }
}

/// A question that is one call.
struct Call<'w, 't> {
    /// The name of the function, or of the matcher.
    name: &'t str,
    arguments: &'w [&'t str],
    /// What a matcher is asked of: `expect(subject).name(…)`.
    subject: Option<&'w [&'t str]>,
}

impl<'w, 't> Call<'w, 't> {
    fn of(words: &'w [&'t str]) -> Option<Self> {
        let open = last_open(words)?;
        let arguments = words.get(open + 1..words.len() - 1)?;
        let front = &words[..open];
        let front = if let [front @ .., "!"] = front { front } else { front };
        let (name, path) = front.split_last()?;
        let is_path = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'));
        match path {
            ["expect", "(", subject @ .., ")", "."] => Some(Self { name, arguments, subject: Some(subject) }),
            path if path.iter().all(is_path) => Some(Self { name, arguments, subject: None }),
            _ => None,
        }
    }
}

/// Returns where the bracket is that the last word closes.
fn last_open(words: &[&str]) -> Option<usize> {
    let mut depth = 0;
    (0..words.len()).rev().find(|at| {
        depth += depth_change(words[*at]);
        depth == 0
    })
}
