//! What the asserts of a test ask for: as many, as exactly, and of as many cases as before. An assert is compared by its tokens;
//! other names and other values alone are no doubt.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::changed_tests::{ChangedTest, ComparedAssert, Token};

/// Words by which an assert lets more pass.
const LOOSENING: [&str; 6] = ["or", "||", "not", "!", "catch", "|"];
/// Words that are operators.
const WORDS: [&str; 7] = ["is", "in", "not", "and", "or", "if", "lambda"];
/// Signs that arguments may have more or fewer of.
const ARGUMENTS: [&str; 18] =
    [",", ":", "[", "]", "{", "}", "(", ")", ".", "&", "*", "-", "+", "/", "%", "=", "?", "::"];
pattern!(
    /// Calls whose last number says how far a value may be off, in small letters and without `_`.
    TOLERANCES,
    r"approx|almostequal|closeto|isclose|allclose|indelta|inepsilon|abs|within|delta|epsilon|relative"
);

pub(super) fn doubt(old: &ChangedTest, new: &[&ChangedTest]) -> Option<String> {
    let (gone, came) = differing(old, new);
    if gone.is_empty() {
        return cases(old, new);
    }
    let is_kept = |assert: &&ComparedAssert| !gone.iter().any(|other| other.tokens == assert.tokens);
    let kept: Vec<&ComparedAssert> = old.asserts.iter().filter(is_kept).collect();
    let is_missing = || misses_a_value(&gone, &kept, new);
    let asserts_nothing = new.iter().all(|new| new.asserts.is_empty());
    if gone.len() > came.len() && (asserts_nothing || is_missing()) {
        return Some(format!("asserts less: `{}` is gone. Is that asked elsewhere?", gone[came.len()].text));
    }
    if let Some((gone, came)) =
        gone.iter().zip(&came).find(|(gone, came)| asks_less(&gone.tokens, &came.tokens))
    {
        return Some(became(gone, came));
    }
    let count = |asserts: &[&ComparedAssert]| asserts.iter().flat_map(|assert| assert.values()).count();
    (count(&came) < count(&gone) && is_missing()).then(|| became(gone[0], came[0]))
}

/// Tells whether asserts that went held a value that the test does not have any more as often: a table of cases would.
fn misses_a_value(gone: &[&ComparedAssert], kept: &[&ComparedAssert], new: &[&ChangedTest]) -> bool {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for value in new.iter().flat_map(|new| &new.values) {
        *left.entry(value).or_default() += 1;
    }
    // What an assert of before still asks is not asked twice.
    for value in kept.iter().flat_map(|assert| assert.values()) {
        left.entry(value).and_modify(|count| *count = count.saturating_sub(1));
    }
    let mut values = gone.iter().flat_map(|assert| assert.values()).peekable();
    values.peek().is_none()
        || values.any(|value| match left.get_mut(value) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        })
}

fn became(gone: &ComparedAssert, came: &ComparedAssert) -> String {
    format!("asks `{}` now, not `{}`. Does it ask as much?", came.text, gone.text)
}

/// Returns the asserts of before that are no more, and those that came.
fn differing<'t>(
    old: &'t ChangedTest,
    new: &[&'t ChangedTest],
) -> (Vec<&'t ComparedAssert>, Vec<&'t ComparedAssert>) {
    let mut left: HashMap<&[Token], usize> = HashMap::new();
    for assert in &old.asserts {
        *left.entry(&assert.tokens).or_default() += 1;
    }
    let mut take = |assert: &&ComparedAssert| match left.get_mut(assert.tokens.as_slice()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    };
    let came = new.iter().flat_map(|new| &new.asserts).filter(|assert| !take(assert)).collect();
    (old.asserts.iter().filter(take).collect(), came)
}

/// A table of cases that became shorter.
fn cases(old: &ChangedTest, new: &[&ChangedTest]) -> Option<String> {
    let sum =
        |count: fn(&ChangedTest) -> usize| (count(old), new.iter().map(|new| count(new)).sum::<usize>());
    let asserts = sum(|test| test.test.asserted());
    // Some runners take each case from an attribute of its own.
    let attributes = sum(|test| test.test.attributes.len());
    let (values, values_now) = sum(|test| test.values.len());
    let ((before, now), what) =
        if asserts.1 < asserts.0 { (asserts, "asserts") } else { (attributes, "attributes") };
    let is_shorter = values_now < values && now < before;
    is_shorter.then(|| format!("has {now} {what} instead of {before}. Which cases are gone, and why?"))
}

/// Tells whether an assert lets more pass than the one that it took the place of, as far as their form tells.
fn asks_less(gone: &[Token], came: &[Token]) -> bool {
    let count = |tokens: &[Token], word: &str| tokens.iter().filter(|token| token.is(word)).count();
    let is_shorter = came.len() < gone.len() && is_part(came, gone);
    let is_looser = gone.len() < came.len()
        && is_part(gone, came)
        && LOOSENING.iter().any(|word| count(came, word) > count(gone, word));
    is_shorter || is_looser || form(gone) != form(came) || tolerates_more(gone, came)
}

/// Tells whether tokens stand in others in their order.
fn is_part(tokens: &[Token], others: &[Token]) -> bool {
    let mut others = others.iter();
    tokens.iter().all(|token| others.any(|other| other == token))
}

/// Returns what an assert is but for its values and its arguments: `assert_eq ! ( )`, `expect ( ) . toBe ( )`. Of a statement
/// such as that of Python the operators count, and no names.
fn form(tokens: &[Token]) -> Vec<&str> {
    let is_statement = tokens.first().is_some_and(|first| first.is("assert"))
        && !tokens.get(1).is_some_and(|next| ["!", "(", "."].iter().any(|sign| next.is(sign)));
    let mut depth = 0_usize;
    let mut form = Vec::new();
    for word in tokens.iter().filter_map(Token::code) {
        if matches!(word, ")" | "]" | "}") {
            depth = depth.saturating_sub(1);
        }
        let is_name = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let counts = if is_name && !WORDS.contains(&word) {
            depth == 0 && !is_statement
        } else {
            !ARGUMENTS.contains(&word)
        };
        if counts {
            form.push(word);
        }
        if matches!(word, "(" | "[" | "{") {
            depth += 1;
        }
    }
    form
}

/// Tells whether an assert allows a difference now, or nothing differs but the last number of a call that says how far a value may be off.
fn tolerates_more(gone: &[Token], came: &[Token]) -> bool {
    let last = gone.iter().rposition(Token::is_value);
    let names_one = |token: &Token| {
        token.code().is_some_and(|word| TOLERANCES.is_match(&word.to_lowercase().replace('_', "")))
    };
    let differs_at = |(at, (gone, came)): (usize, (&Token, &Token))| (gone != came).then_some(at);
    let differing: Vec<usize> = gone.iter().zip(came).enumerate().filter_map(differs_at).collect();
    if came.iter().any(names_one) && !gone.iter().any(names_one) {
        return true;
    }
    gone.len() == came.len()
        && last.is_some_and(|last| differing == [last])
        && gone.iter().filter(|token| token.is_value()).count() > 1
        && gone.iter().any(names_one)
}
