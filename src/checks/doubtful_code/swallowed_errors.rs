//! New handlers in the product that hide any error, whatever it is.

use crate::changed_file::ChangedFile;
use crate::outcome::at;
use crate::side_by_side;
use model::event::Place;
use source::SourceFile;

/// Words of which each such handler has one.
const WORDS: [&str; 5] = ["except", "suppress", "catch", "recover", "catch_unwind"];

pub(super) fn places(product: &[ChangedFile<'_>]) -> Vec<Place> {
    side_by_side::each(product, of_file).into_iter().flatten().collect()
}

fn of_file(file: &ChangedFile<'_>) -> Option<Place> {
    if !file.change.added_lines().any(|(_, line)| WORDS.iter().any(|word| line.contains(word))) {
        return None;
    }
    let swallowed = file.added_parts(SourceFile::swallowed_errors);
    let first = swallowed.iter().find(|part| file.is_added(part.line))?;
    let shown: String =
        first.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(80).collect();
    Some(at(file.path(), first.line, format!("`{shown}` hides any error. Which one is meant?")))
}
