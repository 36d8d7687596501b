//! Stand-ins for what the tests of before are about: the tests define a function of its name, or replace it while they run.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::added::added_functions;
use crate::{ChangedFile, ChangedTests, Place, at, name, side_by_side};
use source::{Function, Part, SourceFile, Test, is_runner_setting};

pub(super) fn places(compared: &ChangedTests, files: &[ChangedFile<'_>]) -> Vec<Place> {
    let before = compared.old_by_file();
    let of_file = |file: &ChangedFile<'_>| {
        let old = before.get(file.path()).map_or(&[][..], Vec::as_slice);
        of_file(file, old, compared)
    };
    side_by_side::places(files, of_file)
}

fn of_file(file: &ChangedFile<'_>, old: &[&Test], compared: &ChangedTests) -> Option<Place> {
    let is_for_all = is_runner_setting(file.path()) && name(file.path()).starts_with("conftest");
    // What asserts call: `count`, `pages.count`.
    let asked: BTreeSet<String> = old.iter().flat_map(|test| test.asserted_calls()).collect();
    if asked.is_empty() && !is_for_all {
        return None;
    }
    let new = file.now()?;
    let is_asked = |function: &Function| asked.contains(last(&function.name));
    if let Some(function) = added_functions(file, SourceFile::functions).into_iter().find(is_asked) {
        let what = format!(
            "`{}` takes the place of what the tests are about. Is the product still tested?",
            function.name
        );
        return Some(at(file.path(), function.line, what));
    }
    let mut stand_ins = file.added_parts(SourceFile::stand_ins);
    if stand_ins.is_empty() {
        return None;
    }
    let added = compared.added().filter(|new| *new.path == *file.path());
    let added: Vec<Range<usize>> = added.map(|new| new.range.clone()).collect();
    stand_ins.retain(|part| !added.iter().any(|test| test.contains(&part.range.start)));
    let first = stand_ins.iter().find(|part| is_for_all || replaces(part, &asked, new))?;
    let shown = first.text.lines().next().unwrap_or_default();
    Some(at(
        file.path(),
        first.line,
        format!("`{shown}` replaces what the tests are about. Is the product still tested?"),
    ))
}

fn last(name: &str) -> &str {
    name.rsplit([':', '.']).next().unwrap_or(name)
}

/// Tells whether a call replaces what is called as `pages.count`, or a whole module that the file imports.
fn replaces(part: &Part<'_>, asked: &BTreeSet<String>, file: &SourceFile) -> bool {
    let arguments = part.text.split_once('(').map_or("", |(_, arguments)| arguments);
    let words: Vec<&str> = arguments
        .split([',', ')', '('])
        .take(2)
        .map(|word| word.trim().trim_matches(['"', '\'', '`']))
        .collect();
    let target = match words.as_slice() {
        [one, ..] if arguments.trim_start().starts_with(['"', '\'', '`']) => (*one).to_owned(),
        words => words.join("."),
    };
    let is_module = file.imports().iter().any(|import| import.text == target);
    // `Basket.total` is called as `basket.total`.
    let is_asked = |name: &str| asked.iter().any(|call| call.eq_ignore_ascii_case(name));
    is_module || last_two(&target).is_some_and(is_asked)
}

fn last_two(path: &str) -> Option<&str> {
    let (front, _) = path.rsplit_once('.')?;
    Some(&path[front.rfind('.').map_or(0, |dot| dot + 1)..])
}
