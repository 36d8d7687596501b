//! What in the code may be honest, and is worth a question to the reviewer: a function of the product that does nothing, a
//! constant that is what a test expects, a file of the tests that the product reads, a comment to the reviewer. Refuses nothing.

mod comments;
mod expected_values;
mod stubs;
mod swallowed_errors;
mod test_files;
mod unreadable;

use super::Site;
use super::changed_file::ChangedFile;
use model::event::Place;
use source::{Role, is_fixture};

/// Returns the places that a reviewer is asked about.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let mut files = ChangedFile::judged(site);
    files.retain(|file| !is_fixture(file.path()));
    let is_product = |file: &&ChangedFile<'_>| Role::of(file.path()) == Role::Product;
    let product: Vec<ChangedFile<'_>> = files.iter().filter(is_product).copied().collect();
    let mut places = stubs::places(&product);
    places.extend(expected_values::places(&product, site));
    places.extend(test_files::places(&product));
    places.extend(swallowed_errors::places(&product));
    places.extend(comments::places(&files));
    places.extend(unreadable::places(&files));
    places
}

#[cfg(test)]
mod tests;
