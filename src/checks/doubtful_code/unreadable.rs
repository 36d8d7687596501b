//! New code that a reviewer cannot read: lines so long that no editor shows them, as minified code has.

use crate::changed_file::ChangedFile;
use crate::outcome::at;
use model::event::Place;
use source::Language;

/// Longer lines are made by programs, in characters.
const LONGEST: usize = 1_000;

pub(super) fn places(files: &[ChangedFile<'_>]) -> Vec<Place> {
    let code = files.iter().filter(|file| Language::of(file.path()).is_some());
    let places = code.filter_map(|file| {
        let (number, line) = file.change.added_lines().find(|(_, line)| line.len() > LONGEST)?;
        let what = format!(
            "a line of {} characters that nobody can review. Where does it come from?",
            line.chars().count()
        );
        Some(at(file.path(), number, what))
    });
    places.collect()
}
