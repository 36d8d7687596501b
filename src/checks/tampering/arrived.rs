//! The lines that came to the tests of a change, to find in them what went elsewhere. Judges nothing.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::reading::source::ending;
use model::change::Change;
use source::is_test;

/// The added lines of tests; they are read when somebody asks.
pub(super) struct Arrived<'c> {
    changes: &'c [&'c Change],
    read: OnceLock<AddedLines>,
}

/// Lines without white space, and which of them hold a word.
struct AddedLines {
    bare: Vec<String>,
    holding: HashMap<String, Vec<usize>>,
}

impl<'c> Arrived<'c> {
    pub(super) fn of(changes: &'c [&'c Change]) -> Self {
        Self { changes, read: OnceLock::new() }
    }

    /// Tells whether what a row of a table holds stands in one line.
    pub(super) fn holds(&self, row: &str) -> bool {
        let atoms: Vec<&str> =
            row.split(['(', ')', '[', ']', '{', '}', ',']).filter(|atom| !atom.is_empty()).collect();
        let lines = self.read.get_or_init(|| AddedLines::of(self.changes));
        !atoms.is_empty() && lines.one_holds(&atoms)
    }
}

impl AddedLines {
    fn of(changes: &[&Change]) -> Self {
        let tests = changes.iter().filter(|change| is_test(&change.path) || ending(&change.path) == "rs");
        let bare: Vec<String> = tests
            .flat_map(|change| change.added_lines())
            .map(|(_, line)| line.chars().filter(|c| !c.is_whitespace()).collect())
            .collect();
        let mut holding: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, line) in bare.iter().enumerate() {
            for word in words(line) {
                match holding.get_mut(word) {
                    Some(lines) => lines.push(at),
                    None => _ = holding.insert(word.to_owned(), vec![at]),
                }
            }
        }
        Self { bare, holding }
    }

    /// Tells whether one line holds all of these. A line that holds one holds its words as well: those with the rarest are read.
    fn one_holds(&self, atoms: &[&str]) -> bool {
        let holds_all = |line: &String| atoms.iter().all(|atom| holds(line, atom));
        let none = Vec::new();
        let by_word = atoms.iter().flat_map(|atom| words(atom));
        match by_word.map(|word| self.holding.get(word).unwrap_or(&none)).min_by_key(|lines| lines.len()) {
            Some(fewest) => fewest.iter().any(|at| holds_all(&self.bare[*at])),
            None => self.bare.iter().any(holds_all),
        }
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_of_word(c)).filter(|word| !word.is_empty())
}

/// Tells whether a line holds something that is no part of a longer word or number.
fn holds(line: &str, atom: &str) -> bool {
    line.match_indices(atom).any(|(at, _)| {
        !line[..at].ends_with(|c| is_of_word(c) || c == '.')
            && !line[at + atom.len()..].starts_with(is_of_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_found_in_one_line_of_tests_by_whole_words() {
        let file = |path: &str, text: &str| Change::of_texts(path, None, Some(text));
        let changes =
            [file("tests/a.py", "  check(1, 'a-b')\nx = 12\n- = 'é'\n"), file("src/a.py", "f(77)\n")];
        let changes: Vec<&Change> = changes.iter().collect();
        let arrived = Arrived::of(&changes);
        for (row, expected) in [
            ("(1,'a-b')", true),
            ("('a-b',1)", true),
            ("(12)", true),
            ("(-,'é')", true),
            ("(-)", true),
            ("(1,12)", false),
            ("(2)", false),
            ("(77)", false),
            ("('a')", false),
            ("()", false),
            ("(=)", true),
        ] {
            assert_eq!(arrived.holds(row), expected, "{row}");
        }
    }
}
