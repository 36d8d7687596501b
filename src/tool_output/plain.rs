//! A stream as plain lines: colour, cursor moves and overwritten progress removed. Knows no form of any tool.

use std::borrow::Cow;

use super::pattern::{LazyPattern, regex};

/// A sequence that does not end on its line is broken off: the line is kept.
static ESCAPE: LazyPattern =
    LazyPattern::new(|| regex(r"(?s)\x1B(?:\[[^@-~\n]*[@-~]?|\][^\x07\\\n]*[\x07\\]?|[()].?|.?)"));

/// Returns the text without terminal escapes.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    ESCAPE.replace_all(text, "")
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
