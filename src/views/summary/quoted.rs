//! Text from outside as Markdown or as a title of ours: it mentions nobody, closes nothing, shows no image or link, and
//! switches no CI off.

use std::sync::LazyLock;

use regex::Regex;

use super::{neutral, plain};

/// The most characters of one text.
const LONGEST: usize = 400;

/// Other ways to name an issue than by `#`, each of which a closing word may stand before.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(\bgh-|://\S{1,300}/(?:issues|pull|discussions)/)(\d)").expect("a pattern of ours")
});

/// By these words in the message of a commit servers start no workflow for it.
static SKIPS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\[(skip ci|ci skip|no ci|skip actions|actions skip)\]").expect("a pattern of ours")
});

/// Returns a text from outside as one line of Markdown that mentions nobody, closes nothing and shows no image or link.
pub fn quoted(text: &str) -> String {
    let calm = naming_nobody(text).replace("](", "]\u{200b}(").replace('<', "&lt;");
    cut(&calm)
}

/// Returns a text from outside as a title or the first line of a commit message, which are no Markdown: as it stands, but it
/// mentions nobody, closes nothing, and gives the runner of a job no command.
pub fn titled(text: &str) -> String {
    cut(&neutral(&naming_nobody(text)))
}

fn naming_nobody(text: &str) -> String {
    let calm = plain(text).replace('@', "@\u{200b}").replace('#', "#\u{200b}");
    let calm = NAMED.replace_all(calm.trim(), "${1}\u{200b}${2}");
    SKIPS.replace_all(&calm, "[\u{200b}${1}]").into_owned()
}

fn cut(calm: &str) -> String {
    let mut short: String = calm.chars().take(LONGEST).collect();
    if short.len() < calm.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_mentions_nobody_and_closes_nothing() {
        let calm = quoted("@everyone fixes #2\n![x](https://evil.example) <b>");
        assert!(
            !calm.contains("@everyone")
                && !calm.contains("#2")
                && !calm.contains("](")
                && !calm.contains("<b")
        );
        assert!(!calm.contains('\n'));
    }

    #[test]
    fn a_title_is_plain_text_and_names_nobody_either() {
        for (text, expected) in [
            ("Vec<T> & Option<&str> panic", "Vec<T> & Option<&str> panic"),
            ("see [docs](x)", "see [docs](x)"),
            ("two\r\nlines\u{1b}[31m", "two lines"),
            ("thanks @bob, fixes #2", "thanks @\u{200b}bob, fixes #\u{200b}2"),
            ("fixes https://github.com/o/n/issues/2", "fixes https://github.com/o/n/issues/\u{200b}2"),
            ("Fix [skip ci]", "Fix [\u{200b}skip ci]"),
            ("::error::x", ": :error::x"),
        ] {
            assert_eq!(titled(text), expected, "{text}");
        }
        assert!(!neutral(&titled("##[group]x")).contains("##["));
        assert_eq!(titled(&"あ".repeat(500)).chars().count(), LONGEST + 1);
    }

    #[test]
    fn an_issue_that_is_named_by_its_address_is_not_closed_either() {
        for (text, named) in [
            ("fixes https://github.com/o/n/issues/2", "/issues/2"),
            ("Closes: https://ghe.example/o/n/pull/7#x", "/pull/7"),
            ("resolves gh-12", "gh-12"),
        ] {
            assert!(!quoted(text).contains(named), "{text}");
        }
        assert_eq!(quoted("src/issues/2.rs and high-5"), "src/issues/2.rs and high-5");
    }

    #[test]
    fn a_title_switches_no_workflow_off() {
        for words in ["[skip ci]", "[CI skip]", "[no ci]", "[Skip Actions]", "[actions skip]"] {
            assert!(!quoted(&format!("Fix {words} please")).contains(words), "{words}");
        }
        assert_eq!(quoted("skip ci [ci]"), "skip ci [ci]");
    }

    #[test]
    fn a_long_text_is_cut_where_a_reader_sees_it() {
        assert!(quoted(&"ぁ".repeat(500)).ends_with('…'));
    }
}
