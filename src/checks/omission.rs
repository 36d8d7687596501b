//! Q3: nothing that was added stands for something left out: no "rest unchanged" in a comment, no line of three dots, no
//! "(omitted)" in the document of the phase, no function that did something and does nothing now. Spread operators, ranges,
//! stubs of others and running text are honest.

use std::sync::LazyLock;

use regex::Regex;

use super::changed_file::ChangedFile;
use super::comments::{added_comments, comments_of_text};
use super::constant::any_of;
use super::language_family::{LanguageFamily, is_code};
use super::outcome::{at, judged, of_answer};
use super::paths::ending;
use super::unfinished::{self, Unfinished};
use super::{Site, side_by_side, told};
use model::change::Change;
use model::event::{CheckResult, Place};
use source::{Function, Role, SourceFile, Stub};

pub(super) const ID: &str = "omission";

pattern!(
    /// What may be an offence, so that most texts need no second look.
    SUSPECT,
    r"(?i)\.\.\.(?:\W|$|code|omitted|other|previous)|\. \. \.|\.\. |…|continues|truncated|snip|\betc\b|remain|\brest\b|and so on|omitted|unchanged|the same|same as|as before|similar|existing|implementation|\bhere\b|\d more |省略|同様|同上|同じ|続く|略|既存|変更なし"
);

const TABLE: &str = include_str!("data/omission.toml");
pattern!(LEFT_OUT, &format!("^(?i:{})$", any_of(TABLE, "left_out")));
pattern!(BESIDE_DOTS, &format!("^(?i:{})", any_of(TABLE, "beside_dots")));

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let is_wanted =
        |file: &ChangedFile<'_>| !LanguageFamily::of(file.path()).is_text() || file.path() == site.output;
    let mut places = unfinished::places(site, &SUSPECT, is_wanted, in_file);
    places.extend(in_told_code(site));
    places.extend(emptied(site));
    places.extend(literals(site));
    judged(
        ID,
        "omission",
        places,
        "something is left out",
        "nothing that was added stands for something left out",
    )
}

/// Returns the added lines of a file that stand for something else.
fn in_file(file: &ChangedFile<'_>) -> Vec<Unfinished> {
    let comments = added_comments(file);
    let omitting = comments.iter().filter(|comment| !comment.is_documentation && omits(comment.text));
    let omitting: Vec<usize> = omitting.map(|comment| comment.line).collect();
    let is_text = LanguageFamily::of(file.path()).is_text();
    let has_dots = is_code(file.path()) && !ending(file.path()).starts_with("py");
    let is_hollow = |number: usize, line: &str| {
        let is_dots = has_dots && is_nothing_but_dots(line) && !is_in_a_list(file, number);
        if is_text { omits_content(line) } else { is_dots }
    };
    let added = file.change.added_lines();
    let found = added.filter(|(number, line)| omitting.contains(number) || is_hollow(*number, line));
    let unfinished = |(line, text): (usize, &str)| {
        let text = text.trim().to_owned();
        let shown: String = text.chars().take(80).collect();
        Unfinished { line, text, what: format!("`{shown}` stands for something left out") }
    };
    found.map(unfinished).collect()
}

/// Tells whether a whole comment stands for code that is left out.
fn omits(comment: &str) -> bool {
    let bare = comment.trim_matches(|c: char| c.is_whitespace() || ".…()[]<>（）。-—*✂".contains(c));
    let has_dots = ["...", "…", ". . .", ".. "].iter().any(|dots| comment.contains(dots));
    let begins_with_dots = comment.starts_with("...") || comment.starts_with('…');
    if bare.is_empty() {
        return has_dots;
    }
    LEFT_OUT.is_match(bare) || begins_with_dots && BESIDE_DOTS.is_match(bare)
}

/// Tells whether the code above a line goes on in it.
fn is_in_a_list(file: &ChangedFile<'_>, number: usize) -> bool {
    let above = file.change.new_text().unwrap_or_default().lines().take(number - 1).map(str::trim_end);
    above.filter(|line| !line.is_empty()).last().is_some_and(|line| line.ends_with([',', '=', '(']))
}

fn is_nothing_but_dots(line: &str) -> bool {
    matches!(line.trim().trim_end_matches(';'), "..." | "…" | "[...]" | "[…]")
}

/// Tells whether a line of a document stands for content that is left out.
fn omits_content(line: &str) -> bool {
    let line = line.trim();
    let line = ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet)).unwrap_or(line);
    let is_in_brackets = line.starts_with(['(', '[', '（']) && line.ends_with([')', ']', '）']);
    (is_in_brackets || !line.is_ascii()) && omits(line)
}

fn in_told_code(site: &Site<'_>) -> Option<Place> {
    let blocks = told::blocks(site, |line| SUSPECT.is_match(line));
    let line = blocks.iter().filter(|block| SUSPECT.is_match(block.text)).find_map(|block| {
        let comments = comments_of_text(told::family(block)?, block.text);
        let omitting = comments.iter().find(|comment| !comment.is_documentation && omits(comment.text));
        let dots = || block.text.lines().find(|line| is_nothing_but_dots(line));
        let is_python = block.language.starts_with("py");
        omitting.map(|comment| comment.text).or_else(|| if is_python { None } else { dots() })
    });
    line.map(|line| of_answer(format!("code that is only told leaves something out: `{}`", line.trim())))
}

/// Texts of the configuration count as written; three dots alone are what the built-in rule is about.
fn literals(site: &Site<'_>) -> Vec<Place> {
    let literals = site.settings.omission_patterns.iter().map(|text| text.trim());
    let literals: Vec<&str> = literals.filter(|text| !text.is_empty() && *text != "...").collect();
    if literals.is_empty() {
        return Vec::new();
    }
    let holds = |text: &str| literals.iter().copied().find(|literal| text.contains(literal));
    let files = ChangedFile::of_author(site);
    let added = files.iter().flat_map(|file| {
        let lines = file.change.added_lines();
        lines.filter_map(|(number, line)| Some(at(file.path(), number, format!("holds `{}`", holds(line)?))))
    });
    let blocks = told::blocks(site, |_| false);
    let told = blocks
        .iter()
        .filter_map(|block| Some(of_answer(format!("a code block holds `{}`", holds(block.text)?))));
    added.chain(told).collect()
}

pattern!(
    MEANT_SO,
    r"(?i)deprecat|no[- ]?op\b|does nothing|nothing to do|no longer|hook|overrid|subclass|compat|(?:Stub|Null|Noop|Dummy)\b"
);

pattern!(
    /// How an issue asks for something to go.
    REMOVAL,
    r"(?i)\b(?:remov|drop|delet|deprecat|disabl|no longer|get rid)|削除|廃止"
);

/// A function that lost its body.
struct Emptied {
    /// Without what it stands in.
    name: String,
    /// From 1.
    line: usize,
    /// What its body was.
    body: String,
}

/// Returns the functions that did something and do nothing now: an empty body took its place, or an error that says that it is
/// not written. What others write, what moved, what says that it is meant so, and what the issue names is honest.
fn emptied(site: &Site<'_>) -> Vec<Place> {
    let mut files = ChangedFile::all(site);
    files.retain(|file| {
        Role::of(file.path()) == Role::Product && file.change.removed_lines().next().is_some()
    });
    let emptied = side_by_side::each(&files, emptied_in);
    let mut places = Vec::new();
    for (file, emptied) in files.iter().zip(emptied) {
        let new = emptied.iter().filter(|one| !is_asked_for(&one.name, site) && !is_moved(one, file, site));
        let what = |name: &str| format!("`{name}` had a body and does nothing now");
        places.extend(new.map(|one| at(file.path(), one.line, what(&one.name))));
    }
    places
}

/// The issue speaks of it where it asks for something to go.
fn is_asked_for(name: &str, site: &Site<'_>) -> bool {
    let lines = site.issue.title.lines().chain(site.issue.body.lines());
    lines.filter(|line| REMOVAL.is_match(line)).any(|line| holds_word(line, name))
}

/// Tells whether half of the body stands elsewhere now, in its own file or another one.
fn is_moved(emptied: &Emptied, file: &ChangedFile<'_>, site: &Site<'_>) -> bool {
    let count = |text: Option<&str>, line: &str| {
        text.unwrap_or_default().lines().filter(|own| own.trim() == line).count()
    };
    let is_kept = |line: &&&str| {
        let now = count(file.change.new_text(), line);
        let mut added = site.project_changes().flat_map(Change::added_lines);
        now > 0 && now >= count(file.change.old_text(), line) || added.any(|(_, own)| own.trim() == **line)
    };
    let said: Vec<&str> = emptied.body.lines().map(str::trim).filter(|line| line.len() > 5).collect();
    !said.is_empty() && said.iter().filter(is_kept).count() * 2 >= said.len()
}

fn emptied_in(file: &ChangedFile<'_>) -> Vec<Emptied> {
    let Some(new) = file.now() else { return Vec::new() };
    let mut stubs = new.functions();
    stubs.retain(|function| is_emptiness(function) && !is_meant_so(function, new));
    // Few files have such a function: the others need no look at what they were.
    let before = if stubs.is_empty() { None } else { file.before() };
    let Some(old) = before else { return Vec::new() };
    let known = old.functions();
    let emptied = stubs.into_iter().filter_map(|stub| {
        let mut same = known.iter().filter(|function| function.name == stub.name);
        let body = same.clone().find(|function| function.stub.is_none())?.body.clone()?;
        let was_stub = same.any(|function| function.stub.is_some());
        let name = stub.name.rsplit([':', '.']).next().unwrap_or_default().to_owned();
        (!was_stub).then(|| Emptied { name, line: stub.line, body: old.text()[body].to_owned() })
    });
    emptied.collect()
}

fn is_emptiness(function: &Function) -> bool {
    matches!(function.stub, Some(Stub::Empty | Stub::NotImplemented)) && !function.is_abstract
}

fn is_meant_so(function: &Function, file: &SourceFile) -> bool {
    MEANT_SO.is_match(&function.name) || MEANT_SO.is_match(&file.text()[function.range.clone()])
}

fn holds_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|found| found == word)
}

#[cfg(test)]
mod tests;
