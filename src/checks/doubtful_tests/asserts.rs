//! What the asserts of a test ask for: as many, as exactly, and of as many cases as before. An assert is compared by its words;
//! other names and other values alone are no doubt.

use std::collections::HashMap;
use std::hash::Hash;

use super::shown;
use crate::any_of;
use source::{Assert, Test, Word};

/// Words that are operators, or let more pass.
const WORDS: [&str; 8] = ["is", "in", "not", "and", "or", "if", "lambda", "catch"];
/// Signs that stand between and around arguments.
const AROUND: [char; 10] = [',', ':', '[', ']', '{', '}', '(', ')', '.', '/'];
pattern!(TOLERANCES, &any_of("asserts", "tolerances"));

pub(super) fn doubt(old: &Test, new: &[&Test]) -> Option<String> {
    let (gone, came) = differing(old, new);
    if gone.is_empty() {
        return cases(old, new);
    }
    let has_fewer = || misses_a_value(old, &gone, new);
    let asserts_nothing = new.iter().all(|new| new.asserts.is_empty());
    if gone.len() > came.len() && (asserts_nothing || has_fewer()) {
        let first = shown(gone[came.len()]);
        return Some(format!("asserts less: `{first}` is gone. Is that asked elsewhere?"));
    }
    let count = |asserts: &[&Assert]| asserts.iter().flat_map(|assert| assert.values()).count();
    let is_less = count(&came) < count(&gone) && has_fewer();
    let mut pairs = gone.iter().zip(&came);
    let (gone, came) = pairs.find(|(gone, came)| is_less || asks_less(gone, came))?;
    Some(format!("asks `{}` now, not `{}`. Does it ask as much?", shown(came), shown(gone)))
}

/// Tells whether asserts that went held a value that the test does not have any more as often: a table of cases would. What an
/// assert of before still asks is not asked twice.
fn misses_a_value(old: &Test, gone: &[&Assert], new: &[&Test]) -> bool {
    let mut left = counted(new.iter().flat_map(|new| &new.values).map(String::as_str));
    let kept = old.asserts.iter().filter(|assert| !gone.iter().any(|other| other.words == assert.words));
    kept.flat_map(Assert::values).for_each(|value| _ = take(&mut left, &value));
    let mut values = gone.iter().flat_map(|assert| assert.values()).peekable();
    values.peek().is_none() || values.any(|value| !take(&mut left, &value))
}

fn counted<K: Hash + Eq>(things: impl Iterator<Item = K>) -> HashMap<K, usize> {
    let mut counts = HashMap::new();
    things.for_each(|thing| *counts.entry(thing).or_default() += 1);
    counts
}

/// Takes one of a thing, and tells whether there was one.
fn take<K: Hash + Eq>(left: &mut HashMap<K, usize>, thing: &K) -> bool {
    let count = left.get_mut(thing).filter(|count| **count > 0);
    count.map(|count| *count -= 1).is_some()
}

/// Returns the asserts of before that are no more, and those that came.
fn differing<'t>(old: &'t Test, new: &[&'t Test]) -> (Vec<&'t Assert>, Vec<&'t Assert>) {
    let mut left = counted(old.asserts.iter().map(|assert| assert.words.as_slice()));
    let came = new.iter().flat_map(|new| &new.asserts);
    let came = came.filter(|assert| !take(&mut left, &assert.words.as_slice())).collect();
    let gone = old.asserts.iter().filter(|assert| take(&mut left, &assert.words.as_slice())).collect();
    (gone, came)
}

/// A table of cases that became shorter.
fn cases(old: &Test, new: &[&Test]) -> Option<String> {
    let sum = |count: fn(&Test) -> usize| (count(old), new.iter().map(|new| count(new)).sum::<usize>());
    let is_less = |(before, now): (usize, usize)| now < before;
    if !is_less(sum(|test| test.values.len())) {
        return None;
    }
    // Some runners take each case from an attribute of its own; a mark that skips a test is no case.
    let attributes = |test: &Test| test.attributes.len().saturating_sub(test.skips.len());
    let kinds = [(sum(Test::asserted), "asserts"), (sum(attributes), "attributes")];
    let ((before, now), what) = kinds.into_iter().find(|(counts, _)| is_less(*counts))?;
    Some(format!("has {now} {what} instead of {before}. Which cases are gone, and why?"))
}

/// Tells whether an assert lets more pass than the one that it took the place of, as far as their form tells.
fn asks_less(gone: &Assert, came: &Assert) -> bool {
    let is_shorter = came.words.len() < gone.words.len() && is_part(&came.words, &gone.words);
    is_shorter || form(gone) != form(came) || tolerates_more(&gone.words, &came.words)
}

/// Tells whether words stand in others in their order.
fn is_part(words: &[Word], others: &[Word]) -> bool {
    let mut others = others.iter();
    words.iter().all(|word| others.any(|other| other == word))
}

/// Returns what an assert is but for its values and its arguments: `assert_eq ! ( )`, `expect ( ) . toBe ( )`. Of a statement
/// such as that of Python the operators count, and no names.
fn form(assert: &Assert) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut form = Vec::new();
    for word in assert.code() {
        if matches!(word, ")" | "]" | "}") {
            depth = depth.saturating_sub(1);
        }
        let is_name = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let counts = if is_name && !WORDS.contains(&word) {
            depth == 0 && !assert.is_statement
        } else {
            !matches!(word.trim_matches(AROUND), "" | "&" | "*" | "-" | "+" | "%" | "=" | "?" | "??")
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

/// Tells whether an assert allows a difference now, or another one: the last number of a call says how far a value may be off.
fn tolerates_more(gone: &[Word], came: &[Word]) -> bool {
    let names_one = |words: &[Word]| {
        let mut words = words.iter().filter(|word| !word.is_value);
        words.any(|word| TOLERANCES.is_match(&word.text.to_lowercase().replace('_', "")))
    };
    let last = |words: &[Word]| words.iter().rfind(|word| word.is_value).map(|word| word.text.clone());
    names_one(came) && (!names_one(gone) || last(gone) != last(came))
}
