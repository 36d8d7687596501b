//! Whether a commit's message says what was done and is about the task: it has to be more than words that fit every
//! change, and to name something of the task. Reads messages only; whose commits they are is not known here.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use model::data_file;

/// A beginning shorter than this makes no two words forms of one, in characters.
const SHORTEST_STEM: usize = 4;
/// Words that begin with so many equal characters are forms of one.
const SAME_STEM: usize = 5;

/// Words that say nothing, and how words are told apart.
#[derive(Deserialize)]
struct Wording {
    everywhere: String,
    generic: String,
    prefix: String,
    word: String,
    keyword: String,
}

static WORDING: LazyLock<Wording> =
    LazyLock::new(|| data_file::read(include_str!("lexicon/commit_message.toml")));
static PREFIX: LazyLock<Regex> = LazyLock::new(|| regex(&WORDING.prefix));
static WORD: LazyLock<Regex> = LazyLock::new(|| regex(&WORDING.word));
static KEYWORD: LazyLock<Regex> = LazyLock::new(|| regex(&WORDING.keyword));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns are ours")
}

fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|other| other == word)
}

/// Returns the words of a task by which a message can be recognised as being about it, in small letters.
pub fn keywords(task: &str) -> BTreeSet<String> {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let said = words(task).filter(|word| KEYWORD.is_match(word) && !is_number(word));
    said.filter(|word| !is_in(&WORDING.everywhere, word)).collect()
}

/// Returns a message without the `fix:` or `feat(scope):` before it.
pub fn without_prefix(message: &str) -> &str {
    let message = message.trim();
    PREFIX.find(message).map_or(message, |prefix| message[prefix.end()..].trim_start())
}

/// Tells whether the first line of a message would fit every change.
pub fn is_generic(message: &str) -> bool {
    let subject = without_prefix(message.trim().lines().next().unwrap_or_default());
    // Words that are written in small signs alone cannot be told apart here.
    let has_words = WORD.is_match(subject) || !subject.contains(char::is_alphanumeric);
    has_words && words(subject).all(|word| is_in(&WORDING.generic, &word))
}

/// Tells whether a message names something of a task, whatever form its words have there.
pub fn names_something_of(message: &str, keywords: &BTreeSet<String>) -> bool {
    let small = message.to_lowercase();
    let said: Vec<String> = words(message).collect();
    keywords
        .iter()
        .any(|keyword| small.contains(keyword.as_str()) || said.iter().any(|word| are_forms(word, keyword)))
}

/// Tells `panic` and `panics`, `validate` and `validation`: words that begin alike.
fn are_forms(one: &str, other: &str) -> bool {
    let alike = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let shorter = one.chars().count().min(other.chars().count());
    alike >= SAME_STEM || (alike == shorter && shorter >= SHORTEST_STEM)
}

/// Tells whether a message and a task are written so that words of one could stand in the other.
pub fn is_comparable(message: &str, keywords: &BTreeSet<String>) -> bool {
    let message = without_prefix(message);
    let both_have = |is_ascii: bool| {
        words(message).any(|word| word.is_ascii() == is_ascii)
            && keywords.iter().any(|word| word.is_ascii() == is_ascii)
    };
    both_have(true) || both_have(false)
}

/// Returns the words of a text in small letters.
fn words(text: &str) -> impl Iterator<Item = String> {
    WORD.find_iter(text).map(|word| word.as_str().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_words_that_fit_everything_says_nothing() {
        for message in
            ["", "fix", "WIP", "fix:", "chore: cleanup", "fix the bug", "Update files.", "...", "wip 🚧"]
        {
            assert!(is_generic(message), "{message}");
        }
        for message in [
            "fix: greet without a name",
            "Add login",
            "update README",
            "ログインを直す",
            "fix\u{e9}",
            "bump 1.2.3",
        ] {
            assert!(!is_generic(message), "{message}");
        }
        assert!(is_generic("update\n\nThe login form keeps its text."), "the first line is what people see");
    }

    #[test]
    fn prefixes_of_every_kind_are_taken_off() {
        for message in ["fix: x y", "feat(api): x y", "feat(api)!: x y", "room: x y", "a/b: x y", "  x y "] {
            assert_eq!(without_prefix(message), "x y", "{message}");
        }
        assert_eq!(without_prefix("see https://example.org"), "see https://example.org");
        assert_eq!(without_prefix("std::mem is used"), "std::mem is used");
    }

    #[test]
    fn forms_of_a_word_are_that_word() {
        let task = keywords("It panics when users validate nothing");
        for message in ["no more panic", "one user only", "validation", "PANICS"] {
            assert!(names_something_of(message, &task), "{message}");
        }
        assert!(!names_something_of("use a valve, part by part", &task));
    }

    #[test]
    fn japanese_words_are_words_too() {
        let task = keywords("ログイン画面の認証エラーを修正する");
        let expected = ["ログイン", "画面", "認証", "エラー", "修正"];
        assert_eq!(task, expected.map(str::to_owned).into());
        assert!(names_something_of("認証の期限を延ばす", &task) && !names_something_of("色を変える", &task));
    }

    #[test]
    fn what_is_written_in_two_scripts_is_not_compared() {
        let task = keywords("ログイン画面の認証エラー");
        assert!(!is_comparable("fix: resolve the expired session", &task));
        assert!(is_comparable("認証を直す", &task) && is_comparable("add x", &keywords("add endpoint")));
        assert!(!is_comparable("色を変える", &keywords("authentication")));
    }
}
