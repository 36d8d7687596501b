//! What in the code may be honest, and is worth a question to the reviewer: a function of the product that does nothing, a
//! switch that is off, a constant that is what a test expects, a file of the tests or of one machine, a handler that hides any
//! error, a text to the reviewer. Refuses nothing.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use super::added::{added_comments, added_functions};
use super::paths::walk;
use super::{Change, ChangedFile, Place, Site, any_of, at, name, one_line, side_by_side};
use source::{Function, Language, Part, Role, SourceFile, Stub, Test, is_fixture, is_foreign, is_test};

/// So much of a piece of code is told, in characters.
const MOST_SHOWN: usize = 90;
/// So many files of tests are read at most.
const MOST_TEST_FILES: usize = 300;
/// A path in more texts than this is not put together.
const MOST_FOLDERS: usize = 6;
/// A text that is no longer may be part of another by chance.
const BY_CHANCE: usize = 3;
/// Fewer values may be there by chance.
const FEWEST: usize = 2;

pattern!(TO_REVIEWER, &any_of("doubtful_code", "to_the_reviewer"));
pattern!(SILENCES_ALL, &any_of("doubtful_code", "silences_all"));
// Each handler that hides any error has one of these words.
pattern!(HANDLER, "except|suppress|catch|recover");
// A line that has a path in one text, or in several.
pattern!(TEXTS, r#"["'`].*(?:[/\\]|["'`].*["'`])"#);
// A constant that is false, and a variable of the environment.
pattern!(OFF, r"^(?:(?:export|pub|const|let|var|static) )*(\w+)(?:(?:: ?| )bool(?:ean)?)? = [Ff]alse\b");
pattern!(VARIABLE, r"(?i:env)\w*\W{1,3}(?:\w+\W{1,3})??([A-Z][A-Z0-9_]{3,})\b");
// A text that may be the path of a file in a folder, and one of a folder that only one machine or person has.
pattern!(PATH, r"^[^\s:]*/[^\s/:]*\.[^\s/:]*$");
pattern!(OF_ONE_MACHINE, r"^(?:/(?:tmp|home|Users|root|var/folders)/|[A-Z]:[\\/]+Users\b).");

/// Returns the places that a reviewer is asked about.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let mut files = ChangedFile::judged(site);
    files.retain(|file| !is_fixture(file.path()));
    let is_product = |file: &&ChangedFile<'_>| Role::of(file.path()) == Role::Product;
    let product: Vec<ChangedFile<'_>> = files.iter().filter(is_product).copied().collect();
    let mut places = unwritten_functions(&product);
    places.extend(known_values(&product, site));
    places.extend(side_by_side::places(&product, named_files));
    places.extend(side_by_side::places(&product, swallowed_errors));
    places.extend(side_by_side::places(&files, comments));
    places.extend(switches(&product, &files, site));
    places
}

/// The first switch of each file that is new and off, and that tests alone turn on: a constant, or a variable of the environment.
fn switches(product: &[ChangedFile<'_>], files: &[ChangedFile<'_>], site: &Site<'_>) -> Vec<Place> {
    let count = |text: fn(&Change) -> Option<&str>, name: &str| -> usize {
        product.iter().filter_map(|file| text(file.change)).map(|text| text.matches(name).count()).sum()
    };
    let is_off = |name: &str| count(Change::new_text, &format!("{name} = ")) < 2;
    let is_set_by_tests = |name: &str| {
        let mut tests = files.iter().filter(|file| is_test(file.path()));
        tests.any(|file| file.change.added_lines().any(|(_, line)| line.contains(name)))
    };
    side_by_side::places(product, |file| {
        file.change.added_lines().find_map(|(line, text)| {
            let constant = OFF.captures(text).filter(|found| is_off(&found[1]));
            let variable = || VARIABLE.captures(text).filter(|found| is_set_by_tests(&found[1]));
            let name = constant.or_else(variable)?[1].to_owned();
            let what = format!("`{name}` is off, and tests alone may turn it on. Who else gets the change?");
            let is_new = count(Change::old_text, &name) == 0 && !site.issue.names(&name);
            is_new.then(|| at(file.path(), line, what))
        })
    })
}

/// Code of the product that names a file of the tests, where it may read what it should compute, or of one machine. The
/// folders of a path may be texts of their own.
fn named_files(file: &ChangedFile<'_>) -> Vec<Place> {
    if !file.change.added_lines().any(|(_, line)| TEXTS.is_match(line)) {
        return Vec::new();
    }
    let mut lines: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for string in file.now().map_or_else(Vec::new, SourceFile::strings) {
        if file.is_added(string.line) {
            lines.entry(string.line).or_default().push(string.text.trim_matches(['"', '\'', '`']));
        }
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
    let first = |(line, texts): (usize, Vec<&str>)| {
        let lengths = (1..=texts.len().min(MOST_FOLDERS)).rev();
        lengths.flat_map(|length| texts.windows(length)).find_map(|texts| doubt(line, texts.join("/")))
    };
    lines.into_iter().filter_map(first).collect()
}

/// New handlers in the product that hide any error, whatever it is.
fn swallowed_errors(file: &ChangedFile<'_>) -> Option<Place> {
    if !file.change.added_lines().any(|(_, line)| HANDLER.is_match(line)) {
        return None;
    }
    let swallowed = file.added_parts(SourceFile::swallowed_errors);
    let first = swallowed.iter().find(|part| file.is_added(part.line))?;
    let shown = one_line(first.text, MOST_SHOWN);
    Some(at(file.path(), first.line, format!("`{shown}` hides any error. Which one is meant?")))
}

/// The first new comment or text that speaks to whoever judges the change, or silences a checker as a whole.
fn comments(file: &ChangedFile<'_>) -> Option<Place> {
    if !file.change.added_lines().any(|(_, line)| doubt(line).is_some()) {
        return None;
    }
    let strings = file.added_parts(SourceFile::strings).into_iter();
    let strings =
        strings.map(|string| (string.line, string.text)).filter(|(_, text)| TO_REVIEWER.is_match(text));
    let comments = added_comments(file).into_iter().map(|comment| (comment.line, comment.written));
    let is_attribute = |line: &str| line.trim_start().starts_with('#') && line.contains("allow(");
    let attributes = file.change.added_lines().filter(|(_, line)| is_attribute(line));
    let mut places = comments.chain(strings).chain(attributes).filter_map(|(line, text)| {
        Some(at(file.path(), line, format!("`{}` {}", one_line(text, MOST_SHOWN), doubt(text)?)))
    });
    places.next()
}

fn doubt(text: &str) -> Option<&'static str> {
    if TO_REVIEWER.is_match(text) {
        return Some("may speak to whoever reviews the change. Whom is it for?");
    }
    let silences = SILENCES_ALL.is_match(text.trim());
    silences.then_some("silences a checker without naming a rule. What does it complain about?")
}

/// Returns them as questions. Those of Go for the platforms on which another file does it are honest.
fn unwritten_functions(product: &[ChangedFile<'_>]) -> Vec<Place> {
    side_by_side::places(product, |file| {
        let mut stubs = added_functions(file, SourceFile::stubs);
        let helps_tests = |stub: &Function| file.now().is_some_and(|now| now.is_test_code(stub.line));
        stubs.retain(|stub| !helps_tests(stub) && !is_written_beside(&stub.name, file, product));
        stubs.iter().map(|stub| at(file.path(), stub.line, question(stub))).collect::<Vec<Place>>()
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
        Some(Stub::Empty) => "does nothing",
        Some(Stub::Fails) | None => "only fails",
    };
    format!("`{}` {does}. Is that what the issue asks for?", stub.name)
}

/// A condition with what is done under it, or a table.
struct SpecialCase<'f> {
    part: Part<'f>,
    values: Vec<String>,
    is_table: bool,
}

fn known_values(product: &[ChangedFile<'_>], site: &Site<'_>) -> Vec<Place> {
    let mut cases = side_by_side::each(product, |file| (file.path(), special_cases(file)));
    cases.retain(|(_, cases)| !cases.is_empty());
    if cases.is_empty() {
        return Vec::new();
    }
    let tests = tests(site);
    side_by_side::places(&cases, |(path, cases)| {
        let case = cases.iter().find(|case| tests.iter().any(|tests| case.is_known_from(tests)))?;
        let shown = one_line(case.part.text, MOST_SHOWN);
        let what = format!("`{shown}` holds the values of a test. Is there a rule behind them?");
        Some(at(path, case.part.line, what))
    })
}

fn special_cases<'f>(file: &ChangedFile<'f>) -> Vec<SpecialCase<'f>> {
    let Some(now) = file.now() else { return Vec::new() };
    let case = |part: Part<'f>| {
        let (values, is_table) = (now.values_in(&part.range), now.names(&part.range).is_empty());
        SpecialCase { part, values, is_table }
    };
    let mut parts = file.added_parts(SourceFile::special_cases);
    // A table that grows has the values of more than a test.
    parts.retain(|part| !now.is_test_code(part.line) && file.is_added(part.line));
    let mut cases: Vec<_> = parts.into_iter().map(case).collect();
    // What a list or an object is made of beside values is no answer.
    cases.retain(|case| {
        case.values.len() >= FEWEST && (case.is_table || !case.part.text.starts_with(['[', '{']))
    });
    cases
}

impl SpecialCase<'_> {
    /// Tells whether its values stand in one of the tests of a file, each whole or as most of a text; those of a table may stand
    /// in several.
    fn is_known_from(&self, tests: &[Test]) -> bool {
        let is_in = |a: &str, b: &str| a == b || a.len() > BY_CHANCE.max(b.len() / 2) && b.contains(a);
        let holds = |test: &Test, value: &str| test.values.iter().any(|a| is_in(value, a) || is_in(a, value));
        let telling = self.values.iter().filter(|value| !matches!(value.as_str(), "0" | "1" | ""));
        let is_in_one = |test: &Test| self.values.iter().all(|value| holds(test, value));
        let are_in_several = |value: &String| tests.iter().any(|test| holds(test, value));
        telling.collect::<HashSet<_>>().len() >= FEWEST
            && (tests.iter().any(is_in_one) || self.is_table && self.values.iter().all(are_in_several))
    }
}

/// Returns the tests of each file that has some: of those that changed, before and now, and of those that lie in the worktree.
fn tests(site: &Site<'_>) -> Vec<Vec<Test>> {
    let changed = ChangedFile::all(site);
    let of_changed = changed.iter().flat_map(ChangedFile::tests);
    let of_changed = of_changed.map(|tests| tests.iter().map(|test| Test::clone(test)).collect());
    let mut others = files_of_tests(site.worktree);
    others.retain(|path| !site.changes.iter().any(|change| change.path == *path));
    let of_others = side_by_side::each(&others, |path| {
        let text = fs::read_to_string(site.worktree.join(path)).unwrap_or_default();
        SourceFile::parse(path, text).map_or_else(Vec::new, |file| file.tests())
    });
    of_changed.chain(of_others).collect()
}

/// Returns the files of tests in a worktree, as many as are worth it.
fn files_of_tests(worktree: &Path) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    walk(worktree, |path, kind| {
        let Some(path) = path.to_str() else { return false };
        if kind.is_file() && is_test(path) {
            found.push(path.to_owned());
        }
        let is_left_out = name(path).starts_with('.') || is_foreign(&format!("{path}/x"));
        !is_left_out && found.len() < MOST_TEST_FILES
    });
    found.truncate(MOST_TEST_FILES);
    found
}

#[cfg(test)]
mod tests;
