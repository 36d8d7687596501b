//! Code of the product that names a file of the tests: it may read there what it should compute.

use crate::changed_file::ChangedFile;
use crate::outcome::at;
use crate::side_by_side;
use model::event::Place;
use source::{is_fixture, is_test};

pub(super) fn places(product: &[ChangedFile<'_>]) -> Vec<Place> {
    side_by_side::each(product, of_file).into_iter().flatten().collect()
}

fn of_file(file: &ChangedFile<'_>) -> Vec<Place> {
    if !file.change.added_lines().any(|(_, line)| line.contains('/')) {
        return Vec::new();
    }
    let strings = file.now().map_or_else(Vec::new, source::SourceFile::strings);
    let named = strings.into_iter().filter(|string| {
        is_path_of_tests(string.text.trim_matches(['"', '\'', '`'])) && file.is_added(string.line)
    });
    let doubt = |text: &str| format!("the code names {text}, a file of the tests. Why does it need that?");
    named.map(|string| at(file.path(), string.line, doubt(string.text))).collect()
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
