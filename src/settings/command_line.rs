//! A command as a person writes it: split into words, made of words, its `${name}` places, and what only a shell would
//! understand. Runs nothing.
//!
//! Two forms are read. The commands of `[commands]` know quotes and nothing else; those of checks that a project defines
//! (`[checks.define]`, a registry's validators) know `\` as well, have places, and may be lines for `sh`.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// How a character of a command is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

/// Returns how each byte is quoted, and at the end how the line ends; where `\` is known, it takes the meaning of a quotation
/// mark behind it.
fn quotes(line: &str, knows_escapes: bool) -> Vec<Quote> {
    let is_escaped = |at| knows_escapes && is_escaped(line, at);
    let mut state = Quote::None;
    let mut all = Vec::with_capacity(line.len() + 1);
    for (at, byte) in line.bytes().enumerate() {
        all.push(state);
        state = match (state, byte) {
            (Quote::None, b'\'') if !is_escaped(at) => Quote::Single,
            (Quote::None, b'"') if !is_escaped(at) => Quote::Double,
            (Quote::Single, b'\'') => Quote::None,
            (Quote::Double, b'"') if !is_escaped(at) => Quote::None,
            (state, _) => state,
        };
    }
    all.push(state);
    all
}

fn is_escaped(line: &str, at: usize) -> bool {
    line[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Splits a command into its words: spaces between, quotes of both kinds around, and nothing else means anything.
pub fn split_words(command: &str) -> Result<Vec<String>, &'static str> {
    let quotes = quotes(command, false);
    if quotes[command.len()] != Quote::None {
        return Err("has a quote that is not closed");
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    for (at, character) in command.char_indices() {
        let (before, after) = (quotes[at], quotes[at + character.len_utf8()]);
        if before == Quote::None && character.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_default();
        if before == after {
            word.push(character);
        }
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) { Err("names no program") } else { Ok(words) }
}

/// Returns a line that is split into these words again.
pub(super) fn line_of<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quote).collect::<Vec<_>>().join(" ")
}

fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r#"'"'"'"#))
}

/// Returns what of a command only a shell would understand: operators, what a shell replaces by something else, a variable
/// in front of the program. Quoted characters are arguments. Patterns are not looked for: many programs read them themselves.
pub(super) fn shell_syntax(command: &str) -> Option<String> {
    let quotes = quotes(command, false);
    let plain = |(at, character): (usize, char)| match (quotes[at], quotes[at + character.len_utf8()]) {
        (Quote::None, Quote::None) => character,
        _ => '\0',
    };
    let text: String = command.char_indices().map(plain).collect();
    let text = text.trim();
    let begins_word = |at: usize| text[..at].ends_with(char::is_whitespace);
    let comment = text.match_indices('#').find(|(at, _)| begins_word(*at));
    find_variable_in_front(text)
        .or_else(|| text.char_indices().find_map(|(at, _)| syntax_at(&text[at..])))
        .or(comment.map(|(_, sign)| sign.to_owned()))
}

/// Returns the shell syntax that a text begins with.
fn syntax_at(text: &str) -> Option<String> {
    let first = text.chars().next()?;
    let while_it = |is: fn(char) -> bool| text[1..].chars().take_while(|c| is(*c)).collect::<String>();
    match first {
        '&' | '|' | '<' | '>' => Some(format!("{first}{}", while_it(|c| "&|<>".contains(c)))),
        ';' | '`' => Some(first.to_string()),
        '\n' => Some("a line break".to_owned()),
        '$' if text[1..].starts_with(['(', '{']) => Some(text[..2].to_owned()),
        '$' => {
            let name = while_it(|c| c.is_ascii_alphanumeric() || c == '_');
            if name.is_empty() { None } else { Some(format!("${name}")) }
        }
        _ => None,
    }
}

fn find_variable_in_front(text: &str) -> Option<String> {
    let (name, _) = text.split_whitespace().next()?.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name { Some(format!("{name}=")) } else { None }
}

static PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\$\{([A-Za-z_][A-Za-z0-9_.-]*)\}").expect("a constant"));

/// Returns the names of the places in a text, each as often as it stands there.
pub fn places(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    PLACE.captures_iter(text).filter_map(|found| Some((found.get(0)?.range(), found.get(1)?.as_str())))
}

/// Replaces each place by what a function gives for its name; what it has nothing for stays as it is.
pub fn fill_places(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let fill = |found: &Captures<'_>| value(&found[1]).unwrap_or_else(|| found[0].to_owned());
    PLACE.replace_all(text, fill).into_owned()
}

/// Turns a line for a shell into one where each place is an argument that the shell never reads as code: `"${1}"`, and
/// inside double quotes `${1}`. Returns the line and the names in the order of the arguments.
pub fn shell_line(line: &str) -> (String, Vec<&str>) {
    let quotes = quotes(line, true);
    let (mut shell, mut names, mut from) = (String::new(), Vec::new(), 0);
    for (place, name) in places(line) {
        names.push(name);
        let quote = if quotes.get(place.start) == Some(&Quote::Double) { "" } else { "\"" };
        shell.push_str(&line[from..place.start]);
        let _ = write!(shell, "{quote}${{{}}}{quote}", names.len());
        from = place.end;
    }
    shell.push_str(&line[from..]);
    (shell, names)
}

/// Says why a line cannot be run as it stands, with or without a shell.
pub(super) fn find_objection(line: &str, shell: bool) -> Option<String> {
    if line.trim().is_empty() {
        return Some("is empty".to_owned());
    }
    let quotes = quotes(line, true);
    if quotes.last().is_some_and(|last| *last != Quote::None) {
        return Some("has a quotation mark that nothing closes".to_owned());
    }
    let single = places(line).find(|(place, _)| quotes[place.start] == Quote::Single);
    match single {
        Some((_, name)) if shell => {
            Some(format!("has `${{{name}}}` inside single quotes, where a shell fills nothing in"))
        }
        _ if shell => None,
        _ => find_shell_word(line, &quotes).map(|word| {
            format!("has `{word}`, which only a shell understands; no shell is used unless `shell` is true")
        }),
    }
}

/// Returns what only a shell would understand: operators, variables, patterns, a variable in front of the program.
fn find_shell_word(line: &str, quotes: &[Quote]) -> Option<String> {
    let plain: Vec<Range<usize>> = places(line).map(|(place, _)| place).collect();
    let unquoted = |at: usize| quotes[at] == Quote::None && !is_escaped(line, at);
    let operator = line.char_indices().find(|(at, c)| {
        let expands = matches!(c, '$' | '`') && quotes[*at] != Quote::Single && !is_escaped(line, *at);
        let inside = plain.iter().any(|place| place.contains(at));
        !inside && (expands || "|&;<>*~\\\n".contains(*c) && unquoted(*at))
    });
    let first = line.split_whitespace().next().unwrap_or_default();
    let sets = first.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    match operator {
        Some((_, '\n')) => Some("a line break".to_owned()),
        Some((_, character)) => Some(character.to_string()),
        None if sets => Some(first.to_owned()),
        None => None,
    }
}

#[cfg(test)]
mod tests;
