//! What in the code of the product may be honest, and is worth a question to the reviewer: a function that does nothing, a
//! constant that is what a test expects, a file of the tests that the product reads. Refuses nothing.

mod expected_values;
mod stubs;
mod test_files;

use super::Site;
use super::changed_file::ChangedFile;
use super::reading::pattern::Patterns;
use model::event::Place;
use source::Role;

/// Returns the places that a reviewer is asked about.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let allowed = Patterns::exact(&site.settings.allowed);
    let is_product =
        |file: &ChangedFile<'_>| Role::of(file.path()) == Role::Product && !allowed.hold(file.path());
    let product: Vec<ChangedFile<'_>> = ChangedFile::all(site).into_iter().filter(is_product).collect();
    let mut places = stubs::places(&product);
    places.extend(expected_values::places(&product, site));
    places.extend(test_files::places(&product));
    places
}

#[cfg(test)]
mod tests;
