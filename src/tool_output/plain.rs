//! A stream as plain lines: colour, cursor moves and overwritten progress removed. Knows no form of any tool.

use std::borrow::Cow;

/// Returns the text without terminal escapes.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('\u{1b}') {
        kept.push_str(&rest[..start]);
        rest = after_escape(&rest[start + 1..]);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Returns what follows an escape sequence whose first byte is gone already.
fn after_escape(text: &str) -> &str {
    let Some(kind) = text.chars().next() else { return text };
    let rest = &text[kind.len_utf8()..];
    match kind {
        '[' => ended(rest, |c| ('@'..='~').contains(&c)),
        ']' => ended(rest, |c| c == '\u{7}' || c == '\\'),
        '(' | ')' => rest.char_indices().nth(1).map_or("", |(index, _)| &rest[index..]),
        _ => rest,
    }
}

/// A sequence that does not end on its line is broken off: the line is kept.
fn ended(rest: &str, last: impl Fn(char) -> bool) -> &str {
    for (index, c) in rest.char_indices() {
        if last(c) {
            return &rest[index + c.len_utf8()..];
        }
        if c == '\n' {
            return &rest[index..];
        }
    }
    ""
}

/// Returns the lines; of one that was overwritten, what stood there last.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.lines().map(|line| line.rsplit('\r').find(|part| !part.is_empty()).unwrap_or("")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_and_links_are_gone_and_text_stays() {
        assert_eq!(plain("a\u{1b}[1;31mb\u{1b}[0mc"), "abc");
        assert_eq!(plain("\u{1b}]8;;https://x\u{7}link\u{1b}]8;;\u{1b}\\ end"), "link end");
        assert_eq!(plain("\u{1b}(Bx\u{1b}"), "x");
        assert_eq!(plain("\u{1b}[31\nkept"), "\nkept");
        assert_eq!(plain("\u{1b}é"), "");
        assert!(matches!(plain("no colour"), Cow::Borrowed(_)));
    }

    #[test]
    fn of_a_line_written_over_the_last_counts() {
        assert_eq!(lines("1%\r50%\rdone\r\nnext\n\r\n"), ["done", "next", ""]);
    }
}
