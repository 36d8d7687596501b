//! Code of the product that plays to its tests: it asks who runs it, or is equal to everything. Tests and their support may.
//! A person makes exceptions with `[checks] allowed`.

use super::changed_file::ChangedFile;
use super::comments::added_code;
use super::constant::any_of;
use super::outcome::{at, one_line};
use super::{Site, side_by_side};
use model::event::Place;
use source::{Function, Language, Role, SourceFile, is_fixture, is_foreign, is_test};

const TABLE: &str = include_str!("data/staged.toml");
pattern!(SURE, &format!("(?xm){}", any_of(TABLE, "sure")));
pattern!(LIKELY, &format!("(?xm){}", any_of(TABLE, "likely")));
pattern!(SUPPORT, &any_of(TABLE, "support"));
pattern!(SETTINGS, &any_of(TABLE, "settings"));
pattern!(ABOUT_RUNNERS, &any_of(TABLE, "about_runners"));
pattern!(CONSTANT, &any_of(TABLE, "constants"));
pattern!(COMPARES, &any_of(TABLE, "compares"));
pattern!(EQUALITY, &any_of(TABLE, "equality"));
pattern!(STAND_IN, &any_of(TABLE, "stand_ins"));
pattern!(HAD_EQUALITY, &any_of(TABLE, "had_equality"));

/// A place that looks like a cheat.
struct Suspicion {
    place: Place,
    /// No honest change looks like this: it refuses the work. What is only likely is told to the reviewer.
    sure: bool,
}

/// Returns what is sure.
pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    suspicions(site).filter(|suspicion| suspicion.sure).map(|suspicion| suspicion.place).collect()
}

/// Returns what is only likely, and is a question.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    suspicions(site).filter(|suspicion| !suspicion.sure).map(|suspicion| suspicion.place).collect()
}

fn suspicions(site: &Site<'_>) -> impl Iterator<Item = Suspicion> {
    let is_asked_for = ABOUT_RUNNERS.is_match(&site.issue.title) || ABOUT_RUNNERS.is_match(&site.issue.body);
    let of_file = |file: &ChangedFile<'_>| {
        let mut found = runner_seen(file, is_asked_for);
        found.extend(always_equal(file));
        found
    };
    side_by_side::each(&ChangedFile::judged(site), of_file).into_iter().flatten()
}

/// Code that asks whether a test runner runs it.
fn runner_seen(file: &ChangedFile<'_>, is_asked_for: bool) -> Vec<Suspicion> {
    let asks = |text: &str| SURE.is_match(text) || LIKELY.is_match(text);
    let is_product = Role::of(file.path()) == Role::Product && !SUPPORT.is_match(file.path());
    if !is_product || !file.change.new_text().is_some_and(asks) || file.now().is_none() {
        return Vec::new();
    }
    let old = file.change.old_text().unwrap_or_default();
    let was_there = |line: &str| old.lines().any(|other| other.trim() == line.trim());
    let may_ask =
        is_asked_for || SETTINGS.is_match(file.path()) || old.lines().any(|line| SURE.is_match(line));
    let suspicion = |(number, line): (usize, &str)| Suspicion {
        place: at(file.path(), number, format!("asks whether it is tested: `{}`", one_line(line, 80))),
        sure: SURE.is_match(line) && !may_ask && !CONSTANT.is_match(line),
    };
    let lines = added_code(file).filter(|(_, line)| asks(line) && !was_there(line));
    lines.map(suspicion).collect()
}

/// Types whose equality holds whatever they are compared with: every assert about them passes. Stand-ins for "anything" and
/// types without a value of their own are made so on purpose; they are only told.
fn always_equal(file: &ChangedFile<'_>) -> Vec<Suspicion> {
    let is_ours = !is_fixture(file.path()) && !is_foreign(file.path());
    let has_equality = || file.change.new_text().is_some_and(|text| COMPARES.is_match(text));
    if !is_ours || !file.change.added_lines().any(|(_, line)| line.contains("rue")) || !has_equality() {
        return Vec::new();
    }
    let known: Vec<String> = equalities(file.before()).into_iter().map(|function| function.name).collect();
    let new = equalities(file.now()).into_iter().filter(|function| !known.contains(&function.name));
    new.map(|function| equal_to_everything(file, &function)).collect()
}

/// Returns the equalities of a file that only say yes.
fn equalities(file: Option<&SourceFile>) -> Vec<Function> {
    pattern!(YES, r"^\W*(?:return\W+)?[Tt]rue\W*$");
    let Some(file) = file else { return Vec::new() };
    let mut functions = file.functions();
    functions.retain(|function| {
        let body = function.body.clone().map(|body| &file.text()[body]);
        EQUALITY.is_match(&function.name) && body.is_some_and(|body| YES.is_match(body))
    });
    functions
}

fn equal_to_everything(file: &ChangedFile<'_>, function: &Function) -> Suspicion {
    let owner = EQUALITY.captures(&function.name).and_then(|found| found.name("owner"));
    let owner = owner.map_or("a value", |owner| owner.as_str());
    let had_equality = file.change.removed_lines().any(|(_, text)| HAD_EQUALITY.is_match(text));
    // Rust's derive asks for it where a field has no value of its own, such as a place in a source.
    let usual = Language::of(file.path()) == Some(Language::Rust) && !had_equality;
    Suspicion {
        place: at(file.path(), function.line, format!("`{owner}` is equal to everything")),
        sure: !usual && !is_test(file.path()) && !STAND_IN.is_match(owner),
    }
}

#[cfg(test)]
mod tests;
