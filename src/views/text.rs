//! Text as people and agents read it: made harmless for a terminal, for Markdown, for a title, for a prompt and for the log of
//! a job, and counted in words. Knows nothing of runs.

use std::sync::LazyLock;

use handlebars::{Handlebars, handlebars_helper};
use model::text::shorten;
use regex::Regex;
use serde_json::Value;

/// The most characters of a quoted text.
const LONGEST_QUOTE: usize = 400;
/// The longest title, path or other text of one line, in characters.
const LONGEST_LINE: usize = 256;

/// What follows an escape: a colour or cursor sequence with the letter that ends it; a title or clipboard string, which ends
/// with a bell or `ESC \`, and loses its line only where it does not end there; or a single letter.
static SEQUENCE: LazyLock<Regex> = LazyLock::new(|| {
    let parameters = r"(?:\x1b\[|\x{9b})[0-? -/]*[@-~]?";
    let string = r"\x1b[\]PX^_][^\n\x07\x{9c}\x1b]*(?:\x07|\x{9c}|\x1b\\?)?";
    expression(&format!(r"{parameters}|{string}|\x1b\S?"))
});

/// Returns a text as one line that moves no cursor, changes no colour, writes no clipboard and hides nothing.
pub fn plain(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for part in SEQUENCE.split(text.trim_end()) {
        for c in part.replace("\r\n", "\n").chars() {
            match c {
                '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => line.push(' '),
                c if c.is_control() || is_invisible(c) => {}
                c => line.push(c),
            }
        }
    }
    line
}

/// Tells whether a character turns the direction of writing or takes no space at all.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}')
}

/// Returns a text filled with spaces up to a width in columns; East Asian letters take two.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Returns how many columns of a terminal a text takes.
pub fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

fn columns_of(c: char) -> usize {
    let wide = matches!(u32::from(c),
        0x1100..=0x115F | 0x2E80..=0xA4CF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFE30..=0xFE6F
        | 0xFF00..=0xFF60 | 0xFFE0..=0xFFE6 | 0x1F300..=0x1FAFF | 0x2_0000..=0x3_FFFD);
    if wide { 2 } else { 1 }
}

/// Other ways to name an issue than by `#`, each of which a closing word may stand before.
static ISSUE_NAME: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)(\bgh-|://\S{1,300}/(?:issues|pull|discussions)/)(\d)"));

/// By these words in the message of a commit servers start no workflow for it.
static SKIP_CI: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)\[(skip ci|ci skip|no ci|skip actions|actions skip)\]"));

/// Returns a text from outside as one line of Markdown that mentions no account, closes no issue and shows no image or link.
pub fn quoted(text: &str) -> String {
    shorten(&escape_mentions(text).replace("](", "]\u{200b}(").replace('<', "&lt;"), LONGEST_QUOTE)
}

/// Returns a text from outside as a title or the first line of a commit message, which are no Markdown: as it stands, but it
/// mentions no account, closes no issue, and gives the runner of a job no command.
pub fn format_title(text: &str) -> String {
    shorten(&neutralize(&escape_mentions(text)), LONGEST_QUOTE)
}

fn escape_mentions(text: &str) -> String {
    let text = plain(text).replace('@', "@\u{200b}").replace('#', "#\u{200b}");
    let text = ISSUE_NAME.replace_all(text.trim(), "${1}\u{200b}${2}");
    SKIP_CI.replace_all(&text, "[\u{200b}${1}]").into_owned()
}

/// Returns a text with `\n` and tabs as its only control characters, and without characters that hide or reorder others.
pub(crate) fn clean(raw: &str) -> String {
    raw.chars().filter(|c| matches!(c, '\n' | '\t') || !(c.is_control() || hides(*c))).collect()
}

/// Returns a text as one short line.
pub(crate) fn line(raw: &str) -> String {
    shorten(clean(&raw.replace(['\n', '\t'], " ")).trim(), LONGEST_LINE)
}

/// Tells whether a character changes the order of others or is made to be invisible: bidirectional controls and tags.
fn hides(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{E0000}'..='\u{E007F}' | '\u{FEFF}')
}

/// Returns a text of several lines as a paragraph of a list.
pub(crate) fn indent(text: &str) -> String {
    text.trim().replace('\n', "\n   ")
}

/// Returns a place as `file:line` or `file`; nothing without a file.
pub(crate) fn place(file: Option<&str>, line: Option<u64>) -> Option<String> {
    let file = file?;
    Some(line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
}

/// Returns texts as a Markdown list, each made harmless.
pub(crate) fn bullets<'a>(lines: impl IntoIterator<Item = &'a String>) -> String {
    lines.into_iter().map(|line| format!("- {}\n", quoted(line))).collect()
}

/// Returns a text that stays inside one table cell and on one line. A backslash before a bar could be the text's own.
pub(crate) fn cell(text: &str) -> String {
    text.replace(['\r', '\n'], " ").replace('|', "&#124;")
}

/// Returns a number with its noun, in the plural where there is not exactly one.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns a time as people say it: `4s`, `12m05s`, `3h07m`.
pub fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Returns the address of a pull request; it is the forge's, and nothing in it may close the line.
pub(crate) fn plain_address(url: &str) -> String {
    url.chars().filter(|c| c.is_ascii_graphic() && !"<>()[]`".contains(*c)).take(300).collect()
}

/// The form `::name …::`, which counts at the start of a line. A line is over at a carriage return, too.
static COMMAND_AT_START: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?m)((?:^|\r)[\s\p{Cc}\p{DI}]*:[\p{Cc}\p{DI}]*):"));

/// The form `##[name]`, which counts anywhere in a line.
static COMMAND_ANYWHERE: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(#[\p{Cc}\p{DI}]*#[\p{Cc}\p{DI}]*)\["));

fn expression(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}

/// Returns a text in which a runner of GitHub Actions finds no command: a space parts the signs. A runner reads commands out
/// of everything that a step prints, also with invisible characters in between. Always done, not only in a job: what is
/// sometimes done is sometimes forgotten.
pub fn neutralize(text: &str) -> String {
    let text = COMMAND_AT_START.replace_all(text, "$1 :");
    COMMAND_ANYWHERE.replace_all(&text, "$1 [").into_owned()
}

/// Returns a document of JSON in which a runner finds no command, with the same meaning: the signs can only be in a text,
/// and no line begins inside one.
pub fn neutralize_json(document: &str) -> String {
    COMMAND_ANYWHERE.replace_all(document, r"$1\u005b").into_owned()
}

handlebars_helper!(quoted_text: |text: str| quoted(text));
handlebars_helper!(cell_text: |text: str| cell(&quoted(text)));
handlebars_helper!(line_text: |text: str| line(text));
handlebars_helper!(indented_text: |text: str| indent(text));
handlebars_helper!(place_text: |file: str, number: Json| place(Some(&line(file)), number.as_u64()));

/// What fills templates of ours. Its helpers make texts from outside harmless: for Markdown, for a cell of a table there, and for
/// a prompt.
static ENGINE: LazyLock<Handlebars<'_>> = LazyLock::new(|| {
    let mut engine = Handlebars::new();
    engine.register_escape_fn(handlebars::no_escape);
    engine.register_helper("quoted", Box::new(quoted_text));
    engine.register_helper("cell", Box::new(cell_text));
    engine.register_helper("line", Box::new(line_text));
    engine.register_helper("indented", Box::new(indented_text));
    engine.register_helper("place", Box::new(place_text));
    engine
});

/// Fills a template of ours. Values stand in it as they are, unless it names a helper, and are never looked at again.
pub(crate) fn fill_template(template: &str, values: &Value) -> String {
    ENGINE.render_template(template, values).expect("a template of ours has no error, as its tests show")
}

#[cfg(test)]
mod tests;
