//! Texts that look like templates without lying where templates lie. Marks excuse what they stand for and no more: once they
//! are taken as filled in, the text has to be sound.

use std::sync::LazyLock;

use regex::Regex;

use super::data_format::lies_among_templates;
use super::grammar::{self, Broken};
use super::language::Language;

static VALUE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\{\{-?\s*[.$\w][^{}\n]*\}\}").expect("a constant"));
static ALONE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^[ \t]*\{\{-?\s*[.$\w][^{}\n]*\}\};?[ \t]*$").expect("a constant"));
/// Marks that decide which lines there are: nobody can tell what they make.
static DECIDES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\{%|<%|\{\{-?\s*(?:[#/]|(?:if|range|else|end|with|for|block|define|template|include)\b)")
        .expect("a constant")
});

/// Returns where a file is broken that its marks would excuse.
pub(crate) fn broken(path: &str, language: Language, before: Option<&str>, after: &str) -> Option<Broken> {
    let marks = ["{{", "{%", "<%"];
    let has_marks = |text: &str| marks.iter().any(|mark| text.contains(mark));
    if !has_marks(after) || lies_among_templates(path, after) {
        return None;
    }
    let found = grammar::broken(language, after)?;
    let was_sound = before.map(|before| !has_marks(before) && grammar::broken(language, before).is_none());
    match was_sound {
        Some(false) => None,
        None if DECIDES.is_match(after) => None,
        _ if !VALUE.is_match(after) => Some(found),
        _ => once_filled_in(language, after),
    }
}

fn once_filled_in(language: Language, text: &str) -> Option<Broken> {
    let filled = VALUE.replace_all(&ALONE.replace_all(text, ""), "x").into_owned();
    let found = grammar::broken(language, &filled)?;
    let line = text.lines().nth(found.line.saturating_sub(1)).unwrap_or_default();
    (!VALUE.is_match(line)).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = "def f(a):\n    return a\n";

    fn line(before: Option<&str>, after: &str) -> Option<usize> {
        broken("src/a.py", Language::Python, before, after).map(|broken| broken.line)
    }

    #[test]
    fn a_mark_excuses_no_break_elsewhere() {
        for mark in ["x = {{ x }}\n", "{% x %}\n", "<% x %>\n", "{{ x }}\n"] {
            let after = format!("{mark}def f(:\n    return (\n");
            assert!(line(Some(SOUND), &after).is_some(), "{mark}");
        }
        assert!(line(None, "class {{ name }}:\n    def f(:\n        pass\n").is_some());
    }

    #[test]
    fn a_template_is_sound_once_it_is_filled_in() {
        for after in [
            "class {{ name }}:\n    x = 1\n",
            "{{ imports }}\n\nclass {{ name }}Test:\n    x = {{ value }}\n",
        ] {
            assert_eq!(line(None, after), None, "{after}");
        }
        assert_eq!(line(None, "{% if a %}\ndef f(\n{% endif %}\n"), None, "nobody can tell");
        assert_eq!(
            line(Some("class {{ name }}(:\n"), "class {{ name }}:\n    def (:\n"),
            None,
            "it was one before"
        );
        assert_eq!(
            broken("templates/a.py", Language::Python, None, "class {{ name }}:\n    def (:\n")
                .map(|b| b.line),
            None
        );
    }
}
