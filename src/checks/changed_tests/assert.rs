//! An assert, or another piece of a test, as it is compared: its tokens, in which a value is one token whatever it holds.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::outcome::one_line;
use source::{Language, Part, SourceFile};

/// So much of an assert is told, in characters.
const MOST_SHOWN: usize = 90;

/// One assert of a test.
#[derive(Debug)]
pub(crate) struct ComparedAssert {
    pub(crate) tokens: Vec<Token>,
    /// So many conditions and handlers of errors it stands in.
    pub(crate) conditions: usize,
    /// As it is written, on one line, cut where it is long.
    pub(crate) text: String,
}

/// A value, or a word or a sign of the code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Token {
    /// A text without its quotation marks, a number, a pattern.
    Value(String),
    Code(String),
}

impl Token {
    /// Tells whether it is this word or sign of the code.
    pub(crate) fn is(&self, word: &str) -> bool {
        matches!(self, Self::Code(own) if own == word)
    }

    /// Returns a word or a sign of the code.
    pub(crate) fn code(&self) -> Option<&str> {
        match self {
            Self::Code(word) => Some(word),
            Self::Value(_) => None,
        }
    }

    pub(crate) fn is_value(&self) -> bool {
        matches!(self, Self::Value(_))
    }
}

impl ComparedAssert {
    pub(super) fn of(file: &SourceFile, assert: &source::Assert, values: &[Part<'_>]) -> Self {
        let text = &file.text()[assert.range.clone()];
        let text = one_line(text, MOST_SHOWN);
        let mut tokens = tokens(file.text(), &assert.range, values);
        match file.language() {
            Language::Python if text.starts_with("assert ") => {
                cut_message(&mut tokens, ",");
                unwrap(&mut tokens);
            }
            Language::Go if text.starts_with("if ") => cut_message(&mut tokens, "{"),
            Language::TypeScript | Language::Tsx => without_casts(&mut tokens),
            _ => {}
        }
        Self { tokens, conditions: assert.conditions, text }
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().filter_map(|token| match token {
            Token::Value(value) => Some(value.as_str()),
            Token::Code(_) => None,
        })
    }
}

/// Removes what only says how a failure is told: behind this sign.
fn cut_message(tokens: &mut Vec<Token>, sign: &str) {
    tokens.truncate(first_outside(tokens, sign).unwrap_or(tokens.len()));
}

/// Removes what only the compiler of TypeScript reads: `as unknown as string[]`.
fn without_casts(tokens: &mut Vec<Token>) {
    // So deep in the brackets of a type; nothing outside of types.
    let mut depth: Option<usize> = None;
    tokens.retain(|token| {
        let word = token.code().unwrap_or_default();
        let is_name = word.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        depth = match (depth, word) {
            (_, "as") | (Some(0), "." | "|" | "&") => Some(0),
            (Some(deep), "<" | "[" | "{") => Some(deep + 1),
            (Some(deep @ 1..), ">" | ">>" | ">>>" | "]" | "}") => Some(deep.saturating_sub(word.len())),
            (Some(deep @ 1..), _) => Some(deep),
            (Some(0), _) if is_name => Some(0),
            _ => None,
        };
        depth.is_none()
    });
}

/// Removes the parentheses around the one thing that a statement asks. Those of a tuple stay: a tuple is always true.
fn unwrap(tokens: &mut Vec<Token>) {
    while tokens.get(1).is_some_and(|token| token.is("("))
        && first_outside(&tokens[2..], ")") == Some(tokens.len() - 3)
        && first_outside(&tokens[2..], ",").is_none()
    {
        tokens.pop();
        tokens.remove(1);
    }
}

/// Returns where a sign first stands outside of brackets.
fn first_outside(tokens: &[Token], sign: &str) -> Option<usize> {
    let mut depth = 0_usize;
    tokens.iter().position(|token| {
        let is_found = depth == 0 && token.is(sign);
        match token.code() {
            Some("(" | "[" | "{") => depth += 1,
            Some(")" | "]" | "}") => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_found
    })
}

/// Returns the values in a range.
pub(super) fn values_in(range: &Range<usize>, values: &[Part<'_>]) -> Vec<String> {
    inside(range, values).map(|value| bare(value.text)).collect()
}

fn inside<'v>(range: &Range<usize>, values: &'v [Part<'v>]) -> impl Iterator<Item = &'v Part<'v>> {
    let first = values.partition_point(|value| value.range.start < range.start);
    let end = range.end;
    values[first..].iter().take_while(move |value| value.range.end <= end)
}

fn bare(value: &str) -> String {
    value.trim_matches(['"', '\'', '`']).to_owned()
}

fn tokens(text: &str, range: &Range<usize>, values: &[Part<'_>]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut from = range.start;
    for value in inside(range, values) {
        push_code(&text[from..value.range.start], &mut tokens);
        tokens.push(Token::Value(bare(value.text)));
        from = value.range.end;
    }
    push_code(&text[from..range.end], &mut tokens);
    tokens
}

pattern!(
    /// Names and operators stay whole; other signs stand alone.
    WORD,
    r"\w+|[=!<>&|+\-*%~^]+|[^\s;]"
);

fn push_code(code: &str, tokens: &mut Vec<Token>) {
    tokens.extend(WORD.find_iter(code).map(|word| Token::Code(word.as_str().to_owned())));
}
