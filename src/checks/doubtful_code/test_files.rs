//! Code of the product that names a file of the tests: it may read there what it should compute.

use super::ProductChange;
use crate::outcome::at;
use model::event::Place;
use source::{is_fixture, is_test};

pub(super) fn places(product: &[ProductChange<'_>]) -> Vec<Place> {
    product.iter().flat_map(of_file).collect()
}

fn of_file(file: &ProductChange<'_>) -> Vec<Place> {
    let strings = file.new.strings().into_iter().filter(|string| file.is_added(string.line));
    let named = strings.filter(|string| is_path_of_tests(string.text.trim_matches(['"', '\'', '`'])));
    let doubt = |text: &str| format!("the code names {text}, a file of the tests. Why does it need that?");
    named.map(|string| at(file.new.path(), string.line, doubt(string.text))).collect()
}

/// Tells whether a text is the path of a file in a folder of tests.
fn is_path_of_tests(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    let is_path = text.contains('/')
        && name.contains('.')
        && !text.contains(char::is_whitespace)
        && !text.contains("://");
    is_path && (is_test(text) || is_fixture(text))
}
