//! What in the code may be honest, and is worth a question to the reviewer: a function of the product that does nothing, a
//! switch that is off, an answer that a test expects, a handler that hides any error, a text to the reviewer. Refuses nothing.

use std::path::Path;

use super::added::{added_comments, added_functions};
use super::{
    Change, ChangedFile, MOST_SHOWN, Place, Site, any_of, at, known_answers, one_line, side_by_side,
};
use source::{Function, Language, SourceFile, Stub, is_fixture, is_test};

pattern!(TO_REVIEWER, &any_of("doubtful_code", "to_the_reviewer"));
pattern!(SILENCES_ALL, &any_of("doubtful_code", "silences_all"));
// Each handler that hides any error has one of these words.
pattern!(HANDLER, "except|suppress|catch|recover");
// A constant that is false, and a variable of the environment.
pattern!(OFF, r"^(?:(?:export|pub|const|let|var|static) )*(\w+)(?:(?:: ?| )bool(?:ean)?)? = [Ff]alse\b");
pattern!(VARIABLE, r"(?i:env)\w*\W{1,3}(?:\w+\W{1,3})??([A-Z][A-Z0-9_]{3,})\b");

/// Returns the places that a reviewer is asked about.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let mut files = ChangedFile::judged(site);
    files.retain(|file| !is_fixture(file.path()));
    let product = ChangedFile::of_product(site);
    let mut places = unwritten_functions(&product);
    places.extend(known_answers::questions(site));
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
    let is_go = Language::of(file.path()) == Some(Language::Go);
    let folder = |file: &ChangedFile<'_>| Path::new(file.path()).parent().map(Path::to_owned);
    let is_beside = |other: &ChangedFile<'_>| other.path() != file.path() && folder(other) == folder(file);
    let beside = product.iter().filter(|other| is_beside(other)).filter_map(ChangedFile::now);
    let mut functions = beside.flat_map(SourceFile::functions);
    is_go && functions.any(|other| other.name == name && other.stub.is_none())
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

#[cfg(test)]
mod tests;
