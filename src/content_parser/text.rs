//! Characters and bytes of a text: spellings of one character, pictures, pieces of a length, and the search for a few bytes.
//! Knows neither Markdown nor reviews.

use std::borrow::Cow;

pub(super) use model::text::{head, tail};

/// So many bytes are looked at one by one before the search for far ones, which has a price of its own, begins.
const NEAR: usize = 16;
/// So much of a place is shown, in bytes.
const LONGEST_EXCERPT: usize = 160;

/// Returns the text with full-width ASCII folded and invisible characters dropped. For short stretches that are compared; never
/// for text that is handed on.
pub(super) fn folded(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| !c.is_ascii() && (is_invisible(c) || fold(c) != c)) {
        text.chars().filter(|&c| !is_invisible(c)).map(fold).collect()
    } else {
        Cow::Borrowed(text)
    }
}

fn fold(c: char) -> char {
    match c {
        '\u{3000}' | '\u{a0}' => ' ',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}' | '\u{fe00}'..='\u{fe0f}')
}

/// Tells whether a character is a picture: emoji, check marks and geometric signs, but no arrow.
pub(super) fn is_picture(c: char) -> bool {
    matches!(c, '\u{2300}'..='\u{23ff}' | '\u{25a0}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
        && !is_arrow(c)
}

/// Tells whether a character is an arrow: what follows replaces what stands before.
pub(super) fn is_arrow(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2794}' | '\u{2798}'..='\u{27af}' | '\u{27b1}'..='\u{27be}' | '\u{2b05}'..='\u{2b07}' | '\u{2b95}')
}

/// Returns a test for blanks, pictures and these signs: what may stand around a word without belonging to it.
pub(super) fn decoration(signs: &'static str) -> impl Fn(char) -> bool + Copy {
    move |c| c.is_whitespace() || signs.contains(c) || is_picture(c)
}

/// Returns what follows a beginning, whatever its case.
pub(super) fn after_prefix<'t>(text: &'t str, beginning: &str) -> Option<&'t str> {
    let start = text.get(..beginning.len())?;
    if start.eq_ignore_ascii_case(beginning) { Some(&text[beginning.len()..]) } else { None }
}

/// Returns at most `length` characters of a text.
pub(super) fn clipped(text: &str, length: usize) -> &str {
    match text.char_indices().nth(length) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// Returns a place of an answer as it is shown: bounded, without the blanks around it.
pub(super) fn excerpt(text: &str) -> String {
    head(text.trim(), LONGEST_EXCERPT).trim().to_owned()
}

/// Returns the position of the next of one, two or three bytes, or the length of the text. What stands near is found byte by byte,
/// because in hostile texts everything stands near.
#[inline]
pub(super) fn next_of<const N: usize>(bytes: &[u8], from: usize, sought: [u8; N]) -> usize {
    let near = bytes.len().min(from + NEAR);
    if let Some(distance) = bytes[from..near].iter().position(|byte| sought.contains(byte)) {
        return from + distance;
    }
    let far = match sought[..] {
        [one] => memchr::memchr(one, &bytes[near..]),
        [one, two] => memchr::memchr2(one, two, &bytes[near..]),
        [one, two, three] => memchr::memchr3(one, two, three, &bytes[near..]),
        _ => bytes[near..].iter().position(|byte| sought.contains(byte)),
    };
    far.map_or(bytes.len(), |distance| near + distance)
}

#[cfg(test)]
mod tests;
