//! Takes out of a text what no reader sees and what could pretend to be something else.

/// The longest title, path or other text of one line, in characters.
const LONGEST_LINE: usize = 256;

/// Returns a text with `\n` and tabs as its only control characters, and without characters that hide or reorder others.
pub(super) fn text(raw: &str) -> String {
    raw.chars().filter(|c| matches!(c, '\n' | '\t') || !(c.is_control() || hides(*c))).collect()
}

/// Returns a text as one short line.
pub(super) fn line(raw: &str) -> String {
    let spaced = raw.replace(['\n', '\t'], " ");
    let cleaned = text(&spaced);
    let mut letters = cleaned.trim().chars();
    let mut short: String = letters.by_ref().take(LONGEST_LINE).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

/// Returns a text without runs of three or more backticks or tildes, which could open or close a fence.
pub(super) fn unfenced(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let (mut last, mut run) = (' ', 0);
    for c in text.chars() {
        run = if c == last && matches!(c, '`' | '~') { run + 1 } else { 1 };
        if run == 3 {
            whole.push(' ');
            run = 1;
        }
        whole.push(c);
        last = c;
    }
    whole
}

/// Tells whether a character changes the order of others or is made to be invisible: bidirectional controls and tags.
fn hides(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{E0000}'..='\u{E007F}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_hidden_ones_are_gone() {
        assert_eq!(text("a\r\nb\rc\td\0\u{1b}[31m\u{202e}e\u{e0041}f 日本 👩‍🚀"), "a\nbc\td[31mef 日本 👩‍🚀");
    }

    #[test]
    fn a_line_is_one_line_and_short() {
        assert_eq!(line(" Fix\n\nCo-authored-by:\tx\r\n"), "Fix  Co-authored-by: x");
        assert_eq!(line(&"ä".repeat(300)), format!("{}…", "ä".repeat(256)));
        assert_eq!(line(&"ä".repeat(256)), "ä".repeat(256));
    }

    #[test]
    fn a_run_that_could_be_a_fence_is_broken_up() {
        assert_eq!(unfenced("`` ``` ~~~~~ `~`"), "`` `` ` ~~ ~~ ~ `~`");
    }
}
