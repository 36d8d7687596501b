//! ruff: `path:line:column: F401 text`, and the form that shows the code below a head.

use std::sync::LazyLock;

use regex::Regex;

use super::unix::located;
use super::{Problems, problem};
use crate::Severity;
use crate::place::place;

static CODED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^([A-Z]{1,5}\d{2,4}|invalid-syntax:?|SyntaxError:) (?:\[[*-]\] )?(.*)$")
        .expect("a valid pattern")
});

pub(super) fn read(lines: &mut [&str], problems: &mut Problems) {
    for at in 0..lines.len() {
        let line = lines[at];
        let below = lines.get(at + 1).and_then(|next| place(next.trim_start().strip_prefix("--> ")?));
        let found = match (located(line), below) {
            (Some((place, text)), _) => Some((place, text)),
            (None, Some(place)) => Some((place, line)),
            _ => None,
        };
        if let Some((place, text)) = found
            && let Some(parts) = CODED.captures(text)
        {
            problems.add(problem(
                Some(place),
                Some(parts[1].trim_end_matches(':')),
                Severity::Error,
                &parts[2],
            ));
            lines[at] = "";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::lints_of;

    #[test]
    fn both_forms_are_read() {
        let concise = "a.py:1:8: F401 [*] `os` imported but unused\nb.py:2:1: E999 SyntaxError: oops\nFound 2 errors.\n\
            [*] 1 fixable with the `--fix` option.\n";
        let expected =
            ["a.py:1:8 [F401] Error: `os` imported but unused", "b.py:2:1 [E999] Error: SyntaxError: oops"];
        assert_eq!(lints_of(concise), expected);
        let full = "F401 [*] `os` imported but unused\n --> a.py:1:8\n  |\n1 | import os\n  |        ^^\n  |\n\
            help: Remove unused import: `os`\n\nFound 1 error.\n";
        assert_eq!(lints_of(full), ["a.py:1:8 [F401] Error: `os` imported but unused"]);
    }
}
