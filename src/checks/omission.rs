//! Q3: nothing that was added stands for something left out: no "rest unchanged" in a comment, no line of three dots, no
//! "(omitted)" in the document of the phase. Spread operators, ranges and running text are honest.

use super::changed_file::ChangedFile;
use super::comments::{Comment, added_comments, comments_of_text};
use super::constant::any_of;
use super::language_family::{LanguageFamily, is_code};
use super::outcome::{at, of_answer, one_line};
use super::paths::ending;
use super::unfinished::{self, Unfinished};
use super::{Site, told};
use model::event::Place;

const TABLE: &str = include_str!("data/omission.toml");
pattern!(SUSPECT, &any_of(TABLE, "suspects"));
pattern!(DOTS, &any_of(TABLE, "dots"));
pattern!(CONTENT, &any_of(TABLE, "content"));

/// What may stand around something left out.
const AROUND: &str = r"[\s.…()\[\]<>（）。—*✂-]*";
pattern!(
    /// A whole comment that stands for code that is left out.
    OMITS,
    &format!(
        r"(?i)^{AROUND}(?:{}|\.\.\.|…|\. \. \.|\.\. ){AROUND}$|^(?:\.\.\.|…){AROUND}(?:{})",
        any_of(TABLE, "left_out"),
        any_of(TABLE, "beside_dots")
    )
);

pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    let is_wanted =
        |file: &ChangedFile<'_>| !LanguageFamily::of(file.path()).is_text() || file.path() == site.output;
    let mut places = unfinished::places(site, &SUSPECT, is_wanted, in_file);
    places.extend(in_told_code(site));
    places.extend(literals(site));
    places
}

/// Returns the added lines of a file that stand for something else.
fn in_file(file: &ChangedFile<'_>) -> Vec<Unfinished> {
    let comments = added_comments(file);
    let omitting: Vec<usize> =
        comments.iter().filter(|comment| omits(comment)).map(|comment| comment.line).collect();
    let is_text = LanguageFamily::of(file.path()).is_text();
    let has_dots = is_code(file.path()) && !ending(file.path()).starts_with("py");
    let is_hollow = |number: usize, line: &str| {
        let is_dots = has_dots && DOTS.is_match(line) && !is_in_a_list(file, number);
        if is_text { CONTENT.is_match(line) && OMITS.is_match(line) } else { is_dots }
    };
    let added = file.change.added_lines();
    let found = added.filter(|(number, line)| omitting.contains(number) || is_hollow(*number, line));
    let unfinished = |(line, text): (usize, &str)| Unfinished {
        line,
        text: text.trim().to_owned(),
        what: format!("`{}` stands for something left out", one_line(text, 80)),
    };
    found.map(unfinished).collect()
}

fn omits(comment: &Comment<'_>) -> bool {
    !comment.is_documentation && OMITS.is_match(comment.text())
}

/// Tells whether the code above a line goes on in it.
fn is_in_a_list(file: &ChangedFile<'_>, number: usize) -> bool {
    let above = file.change.new_text().unwrap_or_default().lines().take(number - 1).map(str::trim_end);
    above.filter(|line| !line.is_empty()).last().is_some_and(|line| line.ends_with([',', '=', '(']))
}

fn in_told_code(site: &Site<'_>) -> Option<Place> {
    let blocks = told::blocks(site, |line| SUSPECT.is_match(line));
    let line = blocks.iter().filter(|block| SUSPECT.is_match(block.text)).find_map(|block| {
        let comments = comments_of_text(told::family(block)?, block.text);
        let omitting = comments.iter().find(|comment| omits(comment)).map(Comment::text);
        let mut lines = block.text.lines().filter(|_| !block.language.starts_with("py"));
        omitting.or_else(|| lines.find(|line| DOTS.is_match(line)))
    });
    line.map(|line| of_answer(format!("code that is only told leaves something out: `{}`", line.trim())))
}

/// Texts of the configuration count as written; three dots alone are what the built-in rule is about.
fn literals(site: &Site<'_>) -> Vec<Place> {
    let is_literal = |text: &&str| !text.is_empty() && *text != "...";
    let literals = || site.settings.omission_patterns.iter().map(|text| text.trim()).filter(is_literal);
    let held = |text: &str| Some(format!("holds `{}`", literals().find(|literal| text.contains(literal))?));
    if literals().next().is_none() {
        return Vec::new();
    }
    let files = ChangedFile::of_author(site);
    let added = files.iter().flat_map(|file| {
        let lines = file.change.added_lines();
        lines.filter_map(|(number, line)| Some(at(file.path(), number, held(line)?)))
    });
    let blocks = told::blocks(site, |_| false);
    let told =
        blocks.iter().filter_map(|block| Some(of_answer(format!("a code block {}", held(block.text)?))));
    added.chain(told).collect()
}

#[cfg(test)]
mod tests;
