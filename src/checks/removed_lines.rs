//! Lines that a change took away. What went here and came there only moved, to another file, too, and once.

use regex::Regex;

use model::change::Change;

/// The removed lines that fit a pattern.
#[derive(Debug)]
pub(super) struct RemovedLines<'s>(Vec<&'s str>);

impl<'s> RemovedLines<'s> {
    pub(super) fn of(changes: &'s [Change], pattern: &Regex) -> Self {
        let suspicious =
            changes.iter().filter(|change| change.old_text().is_some_and(|text| pattern.is_match(text)));
        let lines = suspicious.flat_map(Change::removed_lines).map(|(_, line)| line);
        Self(lines.filter(|line| pattern.is_match(line)).collect())
    }

    /// Tells whether a text stood in one of them, and takes that line out.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.0.iter().position(|line| line.contains(text));
        found.map(|at| self.0.swap_remove(at)).is_some()
    }
}
