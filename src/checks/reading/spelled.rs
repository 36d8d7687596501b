//! Which parts of a source text are comments and which are texts, by the signs of its language, in one pass.
//! No parser: it is asked where a word stands, and when in doubt it says code.

use std::ops::Range;

use super::language::{Language, Quote, Syntax};

/// What a part of a source text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Comment,
    /// A comment for readers of the documentation.
    Documentation,
    Text,
}

/// A source text with its comments and texts.
#[derive(Debug)]
pub(crate) struct Spelled<'t> {
    text: &'t str,
    parts: Vec<(Range<usize>, Part)>,
    starts: Vec<usize>,
}

impl<'t> Spelled<'t> {
    pub(crate) fn new(text: &'t str, language: Language) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, parts: parts(text, language), starts }
    }

    /// Returns a line without its comments, and with its texts emptied.
    pub(crate) fn code(&self, number: usize) -> String {
        let line = self.range(number);
        let mut code = String::new();
        let mut from = line.start;
        for (range, part) in self.parts_of(&line) {
            code.push_str(&self.text[from..range.start]);
            if part == Part::Text {
                code.push_str("\"\"");
            }
            from = range.end;
        }
        code.push_str(&self.text[from..line.end]);
        code
    }

    fn range(&self, number: usize) -> Range<usize> {
        let start = self.starts.get(number.saturating_sub(1)).copied().unwrap_or(self.text.len());
        let end = self.starts.get(number).map_or(self.text.len(), |next| next - 1);
        start..end
    }

    fn parts_of(&self, line: &Range<usize>) -> impl Iterator<Item = (Range<usize>, Part)> + use<'_, 't> {
        let (from, to) = (line.start, line.end);
        let first = self.parts.partition_point(|(range, _)| range.end <= from);
        let touching = self.parts[first..].iter().take_while(move |(range, _)| range.start < to);
        touching.map(move |(range, part)| (range.start.max(from)..range.end.min(to), *part))
    }
}

fn parts(text: &str, language: Language) -> Vec<(Range<usize>, Part)> {
    let syntax = language.syntax();
    let bytes = text.as_bytes();
    let leads = leads(syntax);
    let mut parts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !leads[usize::from(bytes[at])] {
            at += 1;
        } else if bytes[at] == b'\\' {
            at += 2;
        } else if let Some((end, part)) = part_at(text, at, syntax, language) {
            parts.push((at..end, part));
            at = end;
        } else {
            at += 1;
        }
    }
    parts
}

/// Marks the bytes that may begin something.
fn leads(syntax: &Syntax) -> [bool; 256] {
    let mut leads = [false; 256];
    leads[usize::from(b'\\')] = true;
    leads[usize::from(b'\'')] = syntax.characters;
    leads[usize::from(b'/')] = syntax.patterns;
    let quotes = syntax.quotes.iter().map(|quote| quote.open);
    let comments = syntax.line.iter().copied().chain(syntax.block.iter().map(|(open, _)| *open));
    for open in quotes.chain(comments) {
        leads[usize::from(open.as_bytes()[0])] = true;
    }
    leads
}

fn part_at(text: &str, at: usize, syntax: &Syntax, language: Language) -> Option<(usize, Part)> {
    let bytes = text.as_bytes();
    let begins = |sign: &&str| bytes[at..].starts_with(sign.as_bytes());
    if let Some((open, close)) = syntax.block.iter().find(|(open, _)| begins(open)) {
        let doc = ["/**", "/*!"].iter().any(begins) && !bytes[at..].starts_with(b"/**/");
        return Some((block_end(bytes, at, open, close, syntax.nested), comment(doc)));
    }
    let spaced = at == 0 || bytes[at - 1].is_ascii_whitespace() || b";{}()".contains(&bytes[at - 1]);
    if syntax.line.iter().any(&begins) && (spaced || !syntax.spaced) {
        let doc = ["///", "//!"].iter().any(begins) && !bytes[at..].starts_with(b"////");
        return Some((line_end(bytes, at), comment(doc)));
    }
    if let Some(quote) =
        syntax.quotes.iter().find(|quote| begins(&quote.open) && !inside_a_word(bytes, at, quote))
    {
        let doc = language == Language::Python && quote.lines && begins_a_statement(text, at);
        return Some((text_end(bytes, at, quote), if doc { Part::Documentation } else { Part::Text }));
    }
    if syntax.characters && bytes[at] == b'\'' {
        return character_end(text, at).map(|end| (end, Part::Text));
    }
    if syntax.patterns && bytes[at] == b'/' {
        return pattern_end(bytes, at).map(|end| (end, Part::Text));
    }
    None
}

fn comment(documentation: bool) -> Part {
    if documentation { Part::Documentation } else { Part::Comment }
}

/// The `r` of `r"…"` is no end of a word.
fn inside_a_word(bytes: &[u8], at: usize, quote: &Quote) -> bool {
    let letter = quote.open.starts_with('r');
    letter
        && at > 0
        && (bytes[at - 1].is_ascii_alphanumeric() && bytes[at - 1] != b'b' || bytes[at - 1] == b'_')
}

/// A text that is a statement of its own documents what it stands in.
fn begins_a_statement(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    ["", "r", "u", "R"].contains(&text[line..at].trim())
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

fn block_end(bytes: &[u8], at: usize, open: &str, close: &str, nested: bool) -> usize {
    let (open, close) = (open.as_bytes(), close.as_bytes());
    let mut depth = 1;
    let mut next = at + open.len();
    while next < bytes.len() {
        if bytes[next..].starts_with(close) {
            next += close.len();
            depth -= 1;
            if depth == 0 {
                return next;
            }
        } else if nested && bytes[next..].starts_with(open) {
            next += open.len();
            depth += 1;
        } else {
            next += 1;
        }
    }
    bytes.len()
}

fn text_end(bytes: &[u8], at: usize, quote: &Quote) -> usize {
    let close = quote.close.as_bytes();
    let mut next = at + quote.open.len();
    while next < bytes.len() {
        match bytes[next] {
            b'\\' if quote.escapes => next += 2,
            b'\n' if !quote.lines => return next,
            _ if bytes[next..].starts_with(close) => return next + close.len(),
            _ => next += 1,
        }
    }
    bytes.len()
}

/// A character, and no lifetime and no apostrophe.
fn character_end(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at + 1..];
    if rest.starts_with('\\') {
        let length = rest.bytes().take(12).skip(2).position(|byte| byte == b'\'')?;
        return Some(at + 1 + 2 + length + 1);
    }
    let mut characters = rest.char_indices();
    let (_, first) = characters.next()?;
    let (second_at, second) = characters.next()?;
    (first != '\'' && second == '\'').then_some(at + 1 + second_at + 1)
}

/// A slash begins a pattern where no value can stand before it.
fn pattern_end(bytes: &[u8], at: usize) -> Option<usize> {
    let before = bytes[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    let value_before = before.is_some_and(|byte| !b"(,=:[!&|?{};+\n".contains(byte));
    if value_before {
        return None;
    }
    let mut class = false;
    let mut next = at + 1;
    while next < bytes.len() && bytes[next] != b'\n' {
        match bytes[next] {
            b'\\' => next += 1,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => return Some(next + 1),
            _ => {}
        }
        next += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_what_is_left() {
        let spelled = Spelled::new("a(\"x\", 'y') // c\nb", Language::JavaScript);
        assert_eq!([spelled.code(1).trim_end(), spelled.code(2).as_str()], ["a(\"\", \"\")", "b"]);
    }

    #[test]
    fn no_text_panics() {
        for language in [Language::Rust, Language::JavaScript, Language::Python, Language::Unknown] {
            for text in
                ["\\", "'\\", "'", "/", "\"\\", "日\\本'本", "/*", "r#\"", "<!--", "'''", "\\\u{1F600}'"]
            {
                let spelled = Spelled::new(text, language);
                assert!(spelled.code(1).len() <= text.len() + 2);
            }
        }
    }
}
