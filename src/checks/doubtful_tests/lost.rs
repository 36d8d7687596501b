//! Tests that no changed file has any more. Excused is a test of a symbol that went in the same change, if the issue names that
//! symbol or the test.

use std::collections::BTreeMap;

use crate::Site;
use crate::changed_file::ChangedFile;
use crate::changed_tests::{ChangedTest, ChangedTests};
use crate::outcome::{at, file};
use model::event::Place;
use source::{Language, is_fixture, is_test};

pub(super) fn places(compared: &ChangedTests, site: &Site<'_>) -> Vec<Place> {
    let mut lost: BTreeMap<&str, Vec<&ChangedTest>> = BTreeMap::new();
    for test in compared.lost().filter(|test| !compared.is_asked_to_go(test, site.issue)) {
        lost.entry(&test.test.path).or_default().push(test);
    }
    let mut places: Vec<Place> = lost.values().map(|tests| gone(tests)).collect();
    let files = ChangedFile::judged(site);
    places.extend(files.iter().filter_map(|changed| of_file(changed, &files)));
    places
}

fn gone(tests: &[&ChangedTest]) -> Place {
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
fn of_file(changed: &ChangedFile<'_>, all: &[ChangedFile<'_>]) -> Option<Place> {
    let path = changed.path();
    if !is_test(path) || is_fixture(path) {
        return None;
    }
    if changed.change.is_deleted() && Language::of(path).is_none() {
        return Some(file(path, "a file of tests is gone. Was it asked to go?"));
    }
    let first = lost_module(changed, all)?;
    Some(file(path, format!("the module `{first}` is no longer part of the tests. Where do its tests run?")))
}

/// Returns a module of Rust that no changed file names any more although its file is still there.
fn lost_module<'s>(changed: &ChangedFile<'s>, all: &[ChangedFile<'_>]) -> Option<&'s str> {
    let (old, _) = (changed.before()?.modules(), changed.now()?);
    let named = |file: &ChangedFile<'_>, name: &str| {
        file.now().is_some_and(|now| now.modules().iter().any(|module| module.text == name))
    };
    let folder = changed.path().rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let is_deleted = |name: &str| {
        let files = [format!("{folder}{name}.rs"), format!("{folder}{name}/mod.rs")];
        all.iter().any(|file| file.change.is_deleted() && files.iter().any(|path| path == file.path()))
    };
    let mut lost = old.iter().map(|module| module.text);
    lost.find(|name| !is_deleted(name) && !all.iter().any(|file| named(file, name)))
}
