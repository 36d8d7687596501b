//! Tables of cases that lost rows: what a test runs for. A row that changed, moved, became a test of its own, or was about code
//! that is gone is not lost. A table that is no longer written out is only told.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::Loss;
use super::arrived::Arrived;
use super::doubts::Pair;
use super::removal::Removal;
use crate::outcome::at;
use crate::suspicion::Suspicion;
use model::change::Change;

// What stands before the bracket that a table begins with; a name stands for a list of the file.
pattern!(
    BEGINS,
    r#"(?x) \bparametrize\(\s*(?:\(?\[?\s*(?:['"][^'"]*['"]\s*,?\s*)+\]?\)?)\s*,?\s*(?:argvalues\s*=\s*)?(?P<list>[\[(]|[A-Za-z_]\w*)
      | \.each\(\s*(?P<each>\[|[A-Za-z_]\w*) | \b(?:in|of)\s+&?(?:vec!)?(?P<loop>\[|\(\(|[A-Z][A-Z_0-9]+\b) | \[\]struct\s*\{[^}]*\}(?P<go>\{)"#
);
pattern!(MARKED_ROW, r"#\[(?:case|test_case)(?:::\w+)?\(|\[(?:InlineData|TestCase)\(");
pattern!(
    MAY_BE_ROW,
    r#"^\s*(?:[(\[{]|pytest\.param|#\[|['"\d-])|parametrize|\.each\(|\b(?:in|of)\s+&?(?:vec!)?[\[(]|=\s*&?(?:vec!)?\["#
);

pub(super) fn may_apply(change: &Change) -> bool {
    change.removed_lines().any(|(_, line)| MAY_BE_ROW.is_match(line))
}

/// Rows that are gone, surely or where nobody can tell.
pub(super) enum Lost {
    Sure(Loss),
    Likely(Suspicion),
}

pub(super) fn lost(pair: &Pair<'_>, arrived: &Arrived<'_>, removal: &Removal<'_>) -> Option<Lost> {
    let old = rows(&pair.old.text, pair.old_file);
    if old.len() < 2 {
        return None;
    }
    let new = rows(&pair.new.text, pair.new_file);
    let gained = new.difference(&old).count();
    let lost: Vec<&String> = old.difference(&new).collect();
    if lost.len() <= gained {
        return None;
    }
    let gone = lost.iter().filter(|row| !removal.is_about(row) && !arrived.holds(row)).count();
    if gone <= gained {
        return None;
    }
    let what = format!("{} of {} cases are gone from the test `{}`", gone - gained, old.len(), pair.new.name);
    let place = at(&pair.new.path, pair.new.line, what);
    if new.is_empty() {
        return Some(Lost::Likely(Suspicion { place, sure: false }));
    }
    Some(Lost::Sure(Loss::of(pair.old, pair.new, place)))
}

/// Returns how many tests a runner counts for a test: one, or one for each row that it writes out. A loop counts nothing.
pub(super) fn runs(test: &str) -> u64 {
    let lists = BEGINS.captures_iter(test).filter_map(|found| found.name("list").or(found.name("each")));
    let written = lists.filter(|list| list.as_str().starts_with(['[', '(']));
    let rows = written.filter_map(|list| elements(test, list.start())).map(|rows| rows.len());
    let rows = rows.sum::<usize>() + MARKED_ROW.find_iter(test).count();
    u64::try_from(rows).unwrap_or(u64::MAX).max(1)
}

/// Returns the rows of all tables of a test, without white space.
fn rows(test: &str, file: &str) -> BTreeSet<String> {
    let mut rows = BTreeSet::new();
    for found in MARKED_ROW.find_iter(test) {
        rows.extend(elements(test, found.end() - 1).map(|cells| cells.join(",")));
    }
    for found in BEGINS.captures_iter(test) {
        let Some(list) = ["list", "each", "loop", "go"].iter().find_map(|name| found.name(name)) else {
            continue;
        };
        let opens = list.as_str().starts_with(['[', '(', '{']);
        let table = if opens { elements(test, list.start()) } else { named(list.as_str(), file) };
        rows.extend(table.unwrap_or_default());
    }
    rows
}

/// Returns the elements of a list that a file gives a name on its first level.
pub(super) fn named(name: &str, file: &str) -> Option<Vec<String>> {
    let mut start = 0;
    for line in file.split_inclusive('\n') {
        let bare = ["export ", "pub ", "const ", "let ", "static ", "var "]
            .iter()
            .fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
        let after = bare
            .strip_prefix(name)
            .filter(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
        if let Some(equals) = after.and_then(|_| line.find('=')) {
            let open = line[equals..].find(['[', '(', '{'])?;
            return elements(file, start + equals + open);
        }
        start += line.len();
    }
    None
}

/// Returns the elements between a bracket and the one that closes it, without white space.
fn elements(text: &str, open: usize) -> Option<Vec<String>> {
    let (mut depth, mut quote, mut escaped) = (0_u32, None, false);
    let (mut found, mut element) = (Vec::new(), String::new());
    for c in text[open..].chars() {
        let in_text = quote.is_some();
        match c {
            _ if escaped => escaped = false,
            '\\' if in_text => escaped = true,
            '"' | '\'' | '`' if quote == Some(c) => quote = None,
            '"' | '\'' | '`' if !in_text => quote = Some(c),
            '[' | '(' | '{' if !in_text => depth += 1,
            ']' | ')' | '}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        let outer = depth == 1 && !in_text;
        if depth == 0 || outer && c == ',' {
            found.extend(Some(std::mem::take(&mut element)).filter(|element| !element.is_empty()));
            if depth == 0 {
                return Some(found);
            }
        } else if !(c.is_whitespace() || depth == 1 && element.is_empty() && "[({".contains(c)) {
            element.push(c);
        }
    }
    None
}
