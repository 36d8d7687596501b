//! Text from outside, made harmless for a terminal: one line, no control sequences, nothing that hides or turns letters.
//! What Markdown makes of a text is not looked at here; that is `quoted`'s.

use std::iter::Peekable;
use std::str::Chars;

/// Returns a text as one line that moves no cursor, changes no colour, writes no clipboard and hides nothing.
pub fn plain(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut rest = text.trim_end().chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => skip_escape(&mut rest),
            '\u{9b}' => skip_parameters(&mut rest),
            '\r' if rest.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => line.push(' '),
            c if c.is_control() || is_unseen(c) => {}
            c => line.push(c),
        }
    }
    line
}

/// Skips what follows an escape: a colour or cursor sequence, a title or clipboard string, or a single letter.
fn skip_escape(rest: &mut Peekable<Chars<'_>>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_parameters(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => skip_string(rest),
        Some(c) if !c.is_whitespace() => {
            rest.next();
        }
        Some(_) | None => {}
    }
}

/// Skips the digits of a sequence and the letter that ends it; anything else belongs to the text again.
fn skip_parameters(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|c| matches!(c, '0'..='?' | ' '..='/')).is_some() {}
    rest.next_if(|c| matches!(c, '@'..='~'));
}

/// Skips a string that ends with a bell or `ESC \`. One that does not end on its line loses its line only.
fn skip_string(rest: &mut Peekable<Chars<'_>>) {
    while let Some(c) = rest.next_if(|c| *c != '\n') {
        if c == '\u{7}' || c == '\u{9c}' {
            return;
        }
        if c == '\u{1b}' {
            rest.next_if_eq(&'\\');
            return;
        }
    }
}

/// Tells a character that turns the direction of writing or takes no room at all.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}')
}

/// Returns a text filled with spaces up to a width in columns; East Asian letters take two.
pub fn padded(text: &str, width: usize) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e_25_control_sequences_are_removed() {
        for (text, expected) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]52;c;ZXZpbA==\u{7}clipboard", "clipboard"),
            ("\u{1b}]0;title\u{1b}\\text", "text"),
            ("\u{9b}2Jcleared", "cleared"),
            ("honest\rfaked", "honest faked"),
            ("bell\u{7}\u{8}\u{0}", "bell"),
            ("two\r\nlines\n", "two lines"),
            ("\u{1b}Mup \u{1b}", "up "),
            ("\u{1b}]never ended\nnext", " next"),
            ("\u{202e}turned\u{2066}", "turned"),
            ("最終判定: PASS ✓", "最終判定: PASS ✓"),
            ("", ""),
        ] {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }

    #[test]
    fn columns_stay_in_line_with_any_letters() {
        assert_eq!(padded("PASS", 6), "PASS  ");
        assert_eq!(padded("✓ 判定", 8), "✓ 判定  ");
        assert_eq!(padded("longer", 3), "longer");
    }
}
