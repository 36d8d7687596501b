//! What in the code of the product may be honest, and is worth a question to the reviewer: a function that does nothing, a
//! constant that is what a test expects, a file of the tests that the product reads. Refuses nothing.

mod expected_values;
mod stubs;
mod test_files;

use super::Site;
use super::reading::pattern::Patterns;
use model::change::Change;
use model::event::Place;
use source::{Role, SourceFile};

/// A changed file of the product, before and now.
struct ProductChange<'c> {
    change: &'c Change,
    old: Option<SourceFile>,
    new: SourceFile,
}

impl ProductChange<'_> {
    /// Tells whether a line is new or changed.
    fn is_added(&self, line: usize) -> bool {
        self.change.added_lines().any(|(added, _)| added == line)
    }
}

/// Returns the places that a reviewer is asked about.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let allowed = Patterns::exact(&site.settings.allowed);
    let changes = site.project_changes().filter(|change| !allowed.hold(&change.path));
    let product: Vec<ProductChange<'_>> = changes.filter_map(read).collect();
    let mut places = stubs::places(&product);
    places.extend(expected_values::places(&product, site));
    places.extend(test_files::places(&product));
    places
}

fn read(change: &Change) -> Option<ProductChange<'_>> {
    if Role::of(&change.path) != Role::Product {
        return None;
    }
    let new = SourceFile::parse(&change.path, change.new_text()?)?;
    let old = change.old_text().and_then(|text| SourceFile::parse(&change.path, text));
    Some(ProductChange { change, old, new })
}

#[cfg(test)]
mod tests;
