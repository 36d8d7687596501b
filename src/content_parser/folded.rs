//! Makes the spellings of one character the same: full-width letters and signs become ASCII, invisible characters go.
//! For short stretches around a label only; never for text that is handed on.

use std::borrow::Cow;

/// Returns the text with full-width ASCII folded and invisible characters dropped.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_character_are_the_same() {
        assert_eq!(folded("判定：\u{3000}ＰＡ\u{200b}ＳＳ（✅\u{fe0f}）"), "判定: PASS(✅)");
    }

    #[test]
    fn an_arrow_is_no_picture() {
        assert!(is_picture('✅') && is_picture('❌') && is_picture('📊') && is_picture('■'));
        assert!(is_arrow('→') && is_arrow('➡') && !is_picture('➡') && !is_picture('判'));
    }
}
