//! Tests that no changed file has any more. Excused is a test of a symbol that went in the same change, if the issue names that
//! symbol or the test.

use std::collections::{BTreeMap, BTreeSet};

use crate::Site;
use crate::changed_file::ChangedFile;
use crate::compared_tests::{ComparedTest, ComparedTests};
use crate::outcome::{at, file};
use model::event::Place;
use source::{Language, is_fixture, is_test};

pub(super) fn places(compared: &ComparedTests, site: &Site<'_>) -> Vec<Place> {
    let mut lost: BTreeMap<&str, Vec<&ComparedTest>> = BTreeMap::new();
    for test in compared.lost().filter(|test| !compared.is_asked_to_go(test, site)) {
        lost.entry(&test.test.path).or_default().push(test);
    }
    let mut places: Vec<Place> = lost.values().map(|tests| gone(tests)).collect();
    places.extend(ChangedFile::all(site).iter().filter_map(|changed| of_file(changed, site)));
    places
}

fn gone(tests: &[&ComparedTest]) -> Place {
    let names: Vec<String> = tests.iter().map(|test| format!("`{}`", test.test.name)).collect();
    let first = &tests[0].test;
    let what = match names.as_slice() {
        [one] => format!("the test {one} is gone. Was it asked to go, or does another ask the same?"),
        _ => format!(
            "the tests {} are gone. Were they asked to go, or do others ask the same?",
            names.join(", ")
        ),
    };
    at(&first.path, first.line, what)
}

/// Returns what went of a file whose tests nobody can name: all of it, or a module that is no longer compiled.
fn of_file(changed: &ChangedFile<'_>, site: &Site<'_>) -> Option<Place> {
    let path = changed.path();
    if !is_test(path) || is_fixture(path) {
        return None;
    }
    if changed.change.is_deleted() && Language::of(path).is_none() {
        return Some(file(path, "a file of tests is gone. Was it asked to go?"));
    }
    let modules = lost_modules(changed, site);
    let first = modules.first()?;
    Some(file(path, format!("the module `{first}` is no longer part of the tests. Where do its tests run?")))
}

/// Returns the modules of Rust that a file no longer names although their files are still there.
fn lost_modules<'s>(changed: &ChangedFile<'s>, site: &Site<'_>) -> Vec<&'s str> {
    let (Some(old), Some(new), Some(Language::Rust)) =
        (changed.before(), changed.now(), Language::of(changed.path()))
    else {
        return Vec::new();
    };
    let now: BTreeSet<&str> = new.imports().iter().map(|import| import.text).collect();
    let folder = changed.path().rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_there = |name: &&str| {
        let files = [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")];
        let deleted = site.changes.iter().filter(|change| change.is_deleted());
        !deleted
            .into_iter()
            .any(|change| files.iter().any(|file| change.path == file.trim_start_matches('/')))
    };
    old.imports()
        .iter()
        .map(|import| import.text)
        .filter(|name| !now.contains(name))
        .filter(is_there)
        .collect()
}
