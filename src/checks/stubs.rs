//! Functions of the product that do nothing now and did not so before. One that had a body stands for something left out; a new one
//! is worth a question. What others have to write is no stub.

use std::collections::HashSet;
use std::path::Path;

use super::changed_file::ChangedFile;
use super::constant::any_of;
use super::outcome::at;
use super::{Site, side_by_side};
use model::change::Change;
use model::event::Place;
use source::{Function, Language, Role, SourceFile, Stub};

const TABLE: &str = include_str!("data/stubs.toml");
pattern!(MEANT_SO, &any_of(TABLE, "meant_so"));
pattern!(REMOVAL, &any_of(TABLE, "removals"));

/// Returns the stubs of a file that it did not have, each with the body that the function had.
fn new_stubs<'f>(file: &ChangedFile<'f>) -> Vec<(Function, Option<&'f str>)> {
    let mut stubs = file.now().map_or_else(Vec::new, SourceFile::functions);
    stubs.retain(|function| function.stub.is_some() && !function.is_abstract);
    // Few files have such a function: the others need no look at what they were.
    let before = if stubs.is_empty() { None } else { file.before() };
    let known = before.map_or_else(Vec::new, SourceFile::functions);
    stubs.retain(|stub| !known.iter().any(|old| old.name == stub.name && old.stub.is_some()));
    let with_body = |stub: Function| {
        let old = known.iter().find(|old| old.name == stub.name).and_then(|old| old.body.clone());
        (stub, before.zip(old).map(|(before, body)| &before.text()[body]))
    };
    stubs.into_iter().map(with_body).collect()
}

/// Returns the functions that did something and do nothing now: an empty body took its place, or an error that says that it is
/// not written. What others write, what moved, what says that it is meant so, and what the issue names is honest.
pub(super) fn emptied(site: &Site<'_>) -> Vec<Place> {
    let mut files = ChangedFile::all(site);
    files.retain(|file| {
        Role::of(file.path()) == Role::Product && file.change.removed_lines().next().is_some()
    });
    let stubs = side_by_side::each(&files, new_stubs);
    let mut places = Vec::new();
    for (file, stubs) in files.iter().zip(stubs) {
        for (stub, body) in stubs {
            let name = stub.name.rsplit([':', '.']).next().unwrap_or_default();
            let is_lost = body.is_some_and(|body| !is_moved(body, file, site));
            if is_lost && is_emptiness(&stub, file) && !is_asked_to_go(name, site) {
                places.push(at(file.path(), stub.line, format!("`{name}` had a body and does nothing now")));
            }
        }
    }
    places
}

fn is_emptiness(stub: &Function, file: &ChangedFile<'_>) -> bool {
    let text = file.now().map_or("", |now| &now.text()[stub.range.clone()]);
    stub.stub != Some(Stub::Nothing) && !MEANT_SO.is_match(&stub.name) && !MEANT_SO.is_match(text)
}

/// The issue speaks of it where it asks for something to go.
fn is_asked_to_go(name: &str, site: &Site<'_>) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut lines = site.issue.title.lines().chain(site.issue.body.lines());
    lines.any(|line| REMOVAL.is_match(line) && line.split(|c| !is_part(c)).any(|word| word == name))
}

/// Tells whether half of the body is still there or came elsewhere, in its own file or another one.
fn is_moved(body: &str, file: &ChangedFile<'_>, site: &Site<'_>) -> bool {
    let gone: HashSet<&str> = file.change.removed_lines().map(|(_, line)| line.trim()).collect();
    let came = site.project_changes().flat_map(Change::added_lines);
    let came: HashSet<&str> = came.map(|(_, line)| line.trim()).collect();
    let lines: Vec<&str> = body.lines().map(str::trim).filter(|line| line.len() > 5).collect();
    let lost = lines.iter().filter(|line| gone.contains(*line) && !came.contains(*line)).count();
    !lines.is_empty() && lost * 2 <= lines.len()
}

/// Returns all new stubs as questions. Those of Go for the platforms on which another file does it are honest.
pub(super) fn questions(product: &[ChangedFile<'_>]) -> Vec<Place> {
    side_by_side::places(product, |file| {
        let stubs = new_stubs(file).into_iter().map(|(stub, _)| stub);
        let stubs = stubs.filter(|stub| !is_written_beside(&stub.name, file, product));
        stubs.map(|stub| at(file.path(), stub.line, question(&stub))).collect::<Vec<Place>>()
    })
}

fn is_written_beside(name: &str, file: &ChangedFile<'_>, product: &[ChangedFile<'_>]) -> bool {
    if Language::of(file.path()) != Some(Language::Go) {
        return false;
    }
    let folder = |file: &ChangedFile<'_>| Path::new(file.path()).parent().map(Path::to_owned);
    let is_beside = |other: &ChangedFile<'_>| other.path() != file.path() && folder(other) == folder(file);
    let beside = product.iter().filter(|other| is_beside(other)).filter_map(ChangedFile::now);
    beside.flat_map(SourceFile::functions).any(|other| other.name == name && other.stub.is_none())
}

fn question(stub: &Function) -> String {
    let does = match stub.stub {
        Some(Stub::Nothing) => "returns nothing whatever it is given",
        Some(Stub::NotImplemented) => "only says that it is not implemented",
        Some(Stub::Empty) | None => "does nothing",
    };
    format!("`{}` {does}. Is that what the issue asks for?", stub.name)
}
