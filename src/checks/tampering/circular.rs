//! Asserts that compare a thing with itself under another name: `expected = f(); assert f() == expected`. Names are followed
//! through the lines of their own test; what comes from elsewhere is not known.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::cases::Case;

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("a constant"));
    };
}

pattern!(
    DEFINES,
    r"^\s*(?:(?:let|const|var|final|auto)\s+(?:mut\s+)?)?(?:[A-Z]\w*(?:<[^=]*>)?\s+|int\s+|long\s+|double\s+|boolean\s+)?(?P<name>[a-z_]\w*)(?::[^=]+)?\s*:?=\s*(?P<value>[^=].*?);?\s*$"
);
pattern!(IN_GO, r"^\s*if\s+(?P<left>[^;]+?)\s*!=\s*(?P<right>[^;&|]+?)\s*\{\s*$");

/// Tells whether an assert of a test compares a call with itself.
pub(super) fn is_circular(assert: &str, case: &Case) -> bool {
    let Some((left, right)) = sides(assert) else { return false };
    is_same(&left, &right, &values(&case.text))
}

/// Returns the line of a condition of Go that took the place of a real one and compares a call with itself.
pub(super) fn condition(old: &Case, new: &Case) -> Option<usize> {
    let conditions = |case: &Case| -> Vec<(usize, String, String)> {
        let found = case.text.lines().enumerate().filter_map(|(at, line)| {
            let found = IN_GO.captures(line)?;
            Some((at, bare(&found["left"]), bare(&found["right"])))
        });
        found.collect()
    };
    let (before, after) = (conditions(old), conditions(new));
    let is_gone = |(_, left, right): &(usize, String, String)| {
        !after.iter().any(|(_, now_left, now_right)| now_left == left && now_right == right)
    };
    if !before.iter().any(is_gone) {
        return None;
    }
    let values = values(&new.text);
    let found = after.iter().find(|(_, left, right)| is_same(left, right, &values))?;
    Some(new.line + found.0)
}

fn is_same(left: &str, right: &str, values: &HashMap<String, String>) -> bool {
    let of = |side: &str| values.get(side).cloned().unwrap_or_else(|| side.to_owned());
    let (left, right) = (of(left), of(right));
    left == right && left.contains('(')
}

/// Returns the names that a test gives once, and what they stand for.
fn values(text: &str) -> HashMap<String, String> {
    let mut values: HashMap<String, String> = HashMap::new();
    for line in text.lines() {
        let Some(found) = DEFINES.captures(line) else { continue };
        let value = bare(&found["value"]);
        // A name that is given twice stands for two things.
        values.entry(found["name"].to_owned()).and_modify(String::clear).or_insert(value);
    }
    values.retain(|_, value| !value.is_empty());
    values
}

fn bare(text: &str) -> String {
    text.trim_end_matches(';').chars().filter(|c| !c.is_whitespace()).collect()
}

/// Returns the two sides of a comparison.
fn sides(assert: &str) -> Option<(String, String)> {
    let text = bare(assert);
    if let Some(rest) =
        text.strip_prefix("assert").filter(|rest| rest.contains("==") && !rest.starts_with('_'))
    {
        let (left, right) = rest.trim_start_matches('!').split_once("==")?;
        let right = right.trim_start_matches('=');
        let inner = left.strip_prefix('(').zip(right.strip_suffix(')'));
        let (left, right) = inner.filter(|(left, _)| is_closed(left)).unwrap_or((left, right));
        return Some((left.to_owned(), arguments(right)?.first()?.clone()));
    }
    if let Some(rest) = text.strip_prefix("expect(") {
        let received = arguments(rest)?;
        let after = &rest[received.iter().map(|part| part.len() + 1).sum::<usize>()..];
        let expected =
            ["toBe(", "toEqual(", "toStrictEqual("].iter().find_map(|matcher| after.split_once(matcher))?;
        return Some((received.first()?.clone(), arguments(expected.1)?.first()?.clone()));
    }
    let open = text.find('(')?;
    let head = text[..open].to_lowercase();
    let compares = head.contains("assert_eq") || head.ends_with("equal") || head.ends_with("equals");
    let all = arguments(&text[open + 1..]).filter(|_| compares)?;
    let skipped = usize::from(all.first().is_some_and(|first| first == "t") && all.len() > 2);
    Some((all.get(skipped)?.clone(), all.get(skipped + 1)?.clone()))
}

fn is_closed(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

/// Splits what follows an opening bracket at its commas, up to the bracket that closes it.
fn arguments(text: &str) -> Option<Vec<String>> {
    let (mut depth, mut quote) = (0_usize, None);
    let mut found = vec![String::new()];
    for c in text.chars() {
        match c {
            '"' | '\'' | '`' if quote == Some(c) => quote = None,
            '"' | '\'' | '`' if quote.is_none() => quote = Some(c),
            '(' | '[' | '{' if quote.is_none() => depth += 1,
            ')' | ']' | '}' if quote.is_none() && depth == 0 => break,
            ')' | ']' | '}' if quote.is_none() => depth -= 1,
            ',' if quote.is_none() && depth == 0 => {
                found.push(String::new());
                continue;
            }
            _ => {}
        }
        found.last_mut()?.push(c);
    }
    Some(found)
}
