//! Reads a file of git's settings as git does (`git-config(1)`, "Syntax"): several settings on the line of a section, comments
//! behind a value, quotes, escapes, and lines that go on. Where git would refuse a line, it is passed over.

use std::iter::Peekable;
use std::str::Chars;

/// One setting. Section and key are in lower case, as git compares them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) section: String,
    pub(crate) key: String,
    /// Empty for a key that stands alone.
    pub(crate) value: String,
}

/// Returns the settings of a file, in their order.
pub(crate) fn parse(text: &str) -> Vec<Setting> {
    let text = text.replace("\r\n", "\n");
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(&text).chars().peekable();
    let (mut section, mut settings) = (String::new(), Vec::new());
    while let Some(next) = rest.peek().copied() {
        match next {
            '[' => section = read_section(&mut rest),
            '#' | ';' => skip_line(&mut rest),
            _ if next.is_ascii_alphabetic() => {
                let (key, value) = (read_key(&mut rest), read_value(&mut rest));
                settings.push(Setting { section: section.clone(), key, value });
            }
            _ => drop(rest.next()),
        }
    }
    settings
}

/// Reads `[section "subsection"]` and returns the name of the section, without an older form's subsection behind a dot.
fn read_section(rest: &mut Peekable<Chars<'_>>) -> String {
    let (mut name, mut is_quoted) = (String::new(), false);
    rest.next();
    while let Some(next) = rest.next_if(|next| *next != '\n') {
        match next {
            '\\' if is_quoted => drop(rest.next()),
            '"' => is_quoted = !is_quoted,
            ']' if !is_quoted => break,
            _ if is_quoted => {}
            _ => name.push(next.to_ascii_lowercase()),
        }
    }
    name.split('.').next().unwrap_or_default().trim().to_owned()
}

fn read_key(rest: &mut Peekable<Chars<'_>>) -> String {
    let mut key = String::new();
    while let Some(next) = rest.next_if(|next| next.is_ascii_alphanumeric() || *next == '-') {
        key.push(next.to_ascii_lowercase());
    }
    key
}

/// Reads what follows a key up to the end of its value.
fn read_value(rest: &mut Peekable<Chars<'_>>) -> String {
    while rest.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
    if rest.next_if_eq(&'=').is_none() {
        return String::new();
    }
    let (mut value, mut is_quoted, mut kept) = (String::new(), false, 0);
    while let Some(next) = rest.next_if(|next| *next != '\n') {
        match next {
            '"' => is_quoted = !is_quoted,
            '\\' => value.extend(rest.next().and_then(unescape)),
            '#' | ';' if !is_quoted => {
                skip_line(rest);
                break;
            }
            ' ' | '\t' if !is_quoted && value.is_empty() => continue,
            _ => value.push(next),
        }
        if is_quoted || !matches!(next, ' ' | '\t') {
            kept = value.len();
        }
    }
    value.truncate(kept);
    value
}

/// Returns the character behind a backslash; nothing for a line that goes on.
fn unescape(escaped: char) -> Option<char> {
    match escaped {
        '\n' => None,
        'n' => Some('\n'),
        't' => Some('\t'),
        'b' => Some('\u{8}'),
        other => Some(other),
    }
}

fn skip_line(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|next| *next != '\n').is_some() {}
}

#[cfg(test)]
mod tests;
