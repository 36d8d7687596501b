//! Text that a runner of GitHub Actions takes for text: it reads commands out of everything that a step prints.
//! `::name …::` counts at the start of a line, `##[name]` anywhere in one, both with invisible characters in between.
//! Always done, not only in a job: what is sometimes done is sometimes forgotten.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// A line is over at a carriage return, too.
static AT_THE_START: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)((?:^|\r)[\s\p{Cc}\p{DI}]*:[\p{Cc}\p{DI}]*):").expect("the pattern is a constant")
});

static ANYWHERE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(#[\p{Cc}\p{DI}]*#[\p{Cc}\p{DI}]*)\[").expect("the pattern is a constant"));

/// Returns a text in which a runner finds no command: a space parts the signs.
pub fn neutral(text: &str) -> Cow<'_, str> {
    if !text.contains(':') && !text.contains('#') {
        return Cow::Borrowed(text);
    }
    let calm = AT_THE_START.replace_all(text, "$1 :");
    match ANYWHERE.replace_all(&calm, "$1 [") {
        Cow::Borrowed(_) => calm,
        Cow::Owned(text) => Cow::Owned(text),
    }
}

/// Returns a document of JSON in which a runner finds no command, with the same meaning: the signs can only be in a text,
/// and no line begins inside one.
pub fn neutral_json(document: &str) -> Cow<'_, str> {
    if document.contains('#') { ANYWHERE.replace_all(document, r"$1\u005b") } else { Cow::Borrowed(document) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w_03_a_runner_finds_no_command_in_what_we_print() {
        for (text, expected) in [
            ("::set-env name=X::SENTINEL", ": :set-env name=X::SENTINEL"),
            ("a\n \t::add-mask::b\r::error::c", "a\n \t: :add-mask::b\r: :error::c"),
            ("a ##[group]b", "a ## [group]b"),
            ("###[x]", "### [x]"),
            (":::x::", ": ::x::"),
            ("\u{200b}:\u{ad}:debug::x", "\u{200b}:\u{ad} :debug::x"),
            ("#\u{ad}#\u{2060}[x]", "#\u{ad}#\u{2060} [x]"),
            ("std::fmt in a line, # [x]", "std::fmt in a line, # [x]"),
            ("", ""),
        ] {
            assert_eq!(neutral(text), expected, "{text:?}");
            assert_eq!(neutral(expected), expected, "done twice");
        }
    }

    #[test]
    fn w_03_a_document_keeps_its_meaning() {
        let told = serde_json::json!({ "said": "::error::x\n##[group] ##\\[x]" });
        let text = format!("{told:#}");
        let calm = neutral_json(&text);
        assert!(!calm.contains("##["), "{calm}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&calm).expect("JSON"), told);
        assert!(calm.lines().all(|line| !line.trim_start().starts_with("::")));
    }
}
