//! Code of the product that plays to its tests: it asks who runs it, is equal to everything, or names their files or those of one
//! machine, which is a question. Tests and their support may. A person makes exceptions with `[checks] allowed`.

use std::collections::BTreeMap;
use std::path::Path;

use super::added::{added_code, added_functions};
use super::{ChangedFile, Place, Site, any_of, at, one_line, side_by_side};
use source::{Function, Language, Role, SourceFile, is_fixture, is_foreign, is_test};

/// A path in more texts than this is not put together.
const MOST_FOLDERS: usize = 6;

pattern!(SURE, &format!("(?xm){}", any_of("staged", "sure")));
pattern!(LIKELY, &format!("(?xm){}", any_of("staged", "likely")));
pattern!(SUPPORT, &any_of("staged", "support"));
pattern!(SETTINGS, &any_of("staged", "settings"));
pattern!(ABOUT_RUNNERS, &any_of("staged", "about_runners"));
pattern!(CONSTANT, &any_of("staged", "constants"));
pattern!(EQUALITY, &any_of("staged", "equality"));
pattern!(STAND_IN, &any_of("staged", "stand_ins"));
// All that an equality says, and what it says where a difference may be small.
pattern!(YES, r"^\W*(?:return\W+)?[Tt]rue\W*$");
pattern!(NEARLY, r"(?i)\babs\b|\bround\b|isclose|approx|epsilon");
// How a method names what it belongs to. Go has no such word.
pattern!(ITSELF, r"\b(?:self|this|super)\b");
// A class of Python that has an equality already.
pattern!(BUILT_IN, r"class (\w+)\((?:int|float|str|bytes|tuple|list|dict|set|frozenset)\)");
// A line that has a path in one text, or in several.
pattern!(TEXTS, r#"["'`].*(?:[/\\]|["'`].*["'`])"#);
pattern!(IMPORT_OF_TESTS, r"\bimport\b.*\btest|\btests?\b.*\bimport\b");
// A text that may be the path of a file in a folder, and one of a folder that only one machine or person has.
pattern!(PATH, r"^[^\s:]*/[^\s/:]*\.[^\s/:]*$");
pattern!(OF_ONE_MACHINE, r"^(?:/(?:tmp|home|Users|root|var/folders)/|[A-Z]:[\\/]+Users\b).");
pattern!(MAY_BE_EQUALITY, r"\b(?:__)?(?i:eq|equals?)(?:__)?\b");

/// Returns what is sure, or what is only likely, and is a question.
pub(super) fn places(site: &Site<'_>, sure: bool) -> Vec<Place> {
    let is_asked_for = ABOUT_RUNNERS.is_match(&site.issue.title) || ABOUT_RUNNERS.is_match(&site.issue.body);
    let of_file = |file: &ChangedFile<'_>| {
        let mut found = runner_seen(file, is_asked_for);
        found.extend(always_equal(file));
        found.extend(named_files(file, site.worktree).into_iter().map(|place| (place, false)));
        found
    };
    let found = side_by_side::each(&ChangedFile::judged(site), of_file).into_iter().flatten();
    found.filter(|(_, is_sure)| *is_sure == sure).map(|(place, _)| place).collect()
}

/// Returns code that asks whether a test runner runs it, and whether no honest change looks like this.
fn runner_seen(file: &ChangedFile<'_>, is_asked_for: bool) -> Vec<(Place, bool)> {
    let asks = |text: &str| SURE.is_match(text) || LIKELY.is_match(text);
    let is_product = Role::of(file.path()) == Role::Product && !SUPPORT.is_match(file.path());
    if !is_product || !file.change.new_text().is_some_and(asks) || file.now().is_none() {
        return Vec::new();
    }
    let old = file.change.old_text().unwrap_or_default();
    let was_there = |line: &str| old.lines().any(|other| other.trim() == line.trim());
    let may_ask =
        is_asked_for || SETTINGS.is_match(file.path()) || old.lines().any(|line| SURE.is_match(line));
    let is_sure = |line: &str| SURE.is_match(line) && !may_ask && !CONSTANT.is_match(line);
    let place = |number, line: &str| {
        at(file.path(), number, format!("asks whether it is tested: `{}`", one_line(line, 80)))
    };
    let lines = added_code(file).filter(|(_, line)| asks(line) && !was_there(line));
    lines.map(|(number, line)| (place(number, line), is_sure(line))).collect()
}

/// Returns types whose equality holds whatever they are compared with, or may hold where they are not the same because it is new
/// or has a tolerance: asserts about them pass. Stand-ins for "anything" are made so on purpose, and so is what Rust's derive asks
/// for where a field has no value of its own.
fn always_equal(file: &ChangedFile<'_>) -> Vec<(Place, bool)> {
    let is_ours = !is_fixture(file.path()) && !is_foreign(file.path());
    if !is_ours || !file.change.added_lines().any(|(_, line)| MAY_BE_EQUALITY.is_match(line)) {
        return Vec::new();
    }
    let is_usual = Language::of(file.path()) == Some(Language::Rust) || is_test(file.path());
    let doubt = |function: Function| {
        let (name, now, inside) = (&function.name, file.now()?, function.body.clone()?);
        let (body, head) = (&now.text()[inside.clone()], function.range.start..inside.start);
        let of_type = name.rsplit([':', '.']).filter(|part| !part.is_empty()).nth(1).unwrap_or(name);
        // How long both are says little.
        let itself = usize::from(ITSELF.is_match(&body.replace("len(self)", "")));
        let (named, given) = (now.names(&inside), now.names(&head));
        let others = given.intersection(&named).filter(|name| !ITSELF.is_match(name)).count();
        let is_go = Language::of(file.path()) == Some(Language::Go);
        let compares_two = of_type == name || is_go || itself + others > 1;
        let was_there = || file.before().is_some_and(|before| before.text().contains(of_type));
        let extends_built_in = || BUILT_IN.captures_iter(now.text()).any(|class| &class[1] == of_type);
        let what = match YES.is_match(body) {
            true => format!("`{name}` is equal to everything"),
            false if NEARLY.is_match(body) || !compares_two || was_there() || extends_built_in() => {
                format!("`{name}` may hold for what is not the same. Do tests compare by it?")
            }
            false => return None,
        };
        // An empty type is equal to all of its own.
        let is_blind = !compares_two && !body.contains(of_type);
        let is_sure = (YES.is_match(body) || is_blind) && !is_usual && !STAND_IN.is_match(name);
        Some((at(file.path(), function.line, what), is_sure))
    };
    let added = added_functions(file, SourceFile::functions).into_iter();
    added.filter(|function| EQUALITY.is_match(&function.name)).filter_map(doubt).collect()
}

/// Returns code of the product that names a file of the tests, where it may read what it should compute, or of one machine. The
/// folders of a path may be texts of their own.
fn named_files(file: &ChangedFile<'_>, worktree: &Path) -> Vec<Place> {
    let may_name = |(_, line): (usize, &str)| TEXTS.is_match(line) || IMPORT_OF_TESTS.is_match(line);
    if Role::of(file.path()) != Role::Product || !file.change.added_lines().any(may_name) {
        return Vec::new();
    }
    let strings = file.now().map_or_else(Vec::new, SourceFile::strings).into_iter();
    let strings = strings.filter(|string| file.is_added(string.line));
    let strings = strings.map(|string| (string.line, string.text.trim_matches(['"', '\'', '`']).to_owned()));
    let modules = file.added_parts(SourceFile::imports).into_iter();
    let modules = modules.map(|part| (part.line, format!("{}.py", part.text.replace('.', "/"))));
    let mut lines: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (line, text) in strings.chain(modules.filter(|(_, path)| worktree.join(path).exists())) {
        lines.entry(line).or_default().push(text);
    }
    let doubt = |line: usize, path: String| {
        let is_of_tests = PATH.is_match(&path) && (is_test(&path) || is_fixture(&path));
        let whose = match OF_ONE_MACHINE.is_match(&path) {
            true => "a file of one machine",
            false if is_of_tests => "a file of the tests",
            false => return None,
        };
        Some(at(file.path(), line, format!("the code names `{path}`, {whose}. Why does it need that?")))
    };
    let first = |(line, texts): (usize, Vec<String>)| {
        let lengths = (1..=texts.len().min(MOST_FOLDERS)).rev();
        lengths.flat_map(|length| texts.windows(length)).find_map(|texts| doubt(line, texts.join("/")))
    };
    lines.into_iter().filter_map(first).collect()
}

#[cfg(test)]
mod tests;
