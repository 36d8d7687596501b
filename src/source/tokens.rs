//! The leaves of a syntax tree in their order, without comments: what is left of a text where its form does not count.

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::Tree;

/// Stands at both ends of a block that only its indentation marks.
const BLOCK: &str = "¶";

/// Stands in place of a string that would be taken for a sign of the code.
const BRACKET: &str = "bracket";

#[derive(Debug)]
struct Token {
    range: Range<usize>,
    is_name: bool,
    /// Whether it is the inside of a string, or a part of it.
    is_inside: bool,
}

/// A token with its text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word<'t> {
    pub(crate) text: &'t str,
    /// Where it begins, in bytes.
    pub(crate) at: usize,
    /// Whether it is the name of something.
    pub(crate) is_name: bool,
}

/// The tokens of one file.
#[derive(Debug)]
pub(crate) struct Tokens(Vec<Token>);

impl Tokens {
    /// In some languages only their indentation marks blocks.
    pub(crate) fn of(tree: &Tree, text: &str, is_indented: bool) -> Self {
        let mut tokens = Vec::new();
        let mut cursor = tree.walk();
        let mut read_to = 0;
        loop {
            let node = cursor.node();
            let is_comment = node.is_extra() && node.kind().ends_with("comment");
            if !is_comment && cursor.goto_first_child() {
                if is_indented {
                    push_indentation(&node, node.start_byte(), &mut tokens);
                }
                continue;
            }
            push_unnamed(read_to..node.start_byte(), text, &mut tokens);
            read_to = read_to.max(node.end_byte());
            if !is_comment && node.start_byte() < node.end_byte() {
                let kind = if node.is_named() { node.kind() } else { "" };
                let is_name = kind.ends_with("identifier");
                let is_inside = ["content", "fragment", "text"].iter().any(|end| kind.ends_with(end));
                tokens.push(Token { range: node.byte_range(), is_name, is_inside });
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Self(tokens);
                }
                if is_indented {
                    push_indentation(&cursor.node(), cursor.node().end_byte(), &mut tokens);
                }
            }
        }
    }

    fn within(&self, range: &Range<usize>) -> &[Token] {
        let first = self.0.partition_point(|token| token.range.start < range.start);
        let end = self.0.partition_point(|token| token.range.end <= range.end);
        let mut tokens = &self.0[first..end.max(first)];
        // Blocks that begin or end just here are not inside.
        while let Some((_, others)) = tokens.split_first().filter(|(first, _)| first.range.is_empty()) {
            tokens = others;
        }
        while let Some((_, others)) = tokens.split_last().filter(|(last, _)| last.range.is_empty()) {
            tokens = others;
        }
        tokens
    }

    /// Returns the tokens in a range.
    pub(crate) fn words<'t>(&self, text: &'t str, range: &Range<usize>) -> Vec<Word<'t>> {
        let tokens = self.within(range).iter().zip(self.texts(text, range));
        tokens.map(|(token, text)| Word { text, at: token.range.start, is_name: token.is_name }).collect()
    }

    /// Returns where the tokens stand; the ends of a block that only its indentation marks are empty.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.0.iter().map(|token| token.range.clone())
    }

    /// Returns the texts of the tokens in a range.
    pub(crate) fn texts<'t>(
        &self,
        text: &'t str,
        range: &Range<usize>,
    ) -> impl Iterator<Item = &'t str> + use<'t, '_> {
        self.within(range).iter().map(move |token| match &text[token.range.clone()] {
            "" => BLOCK,
            "'" => "\"",
            "(" | ")" | "[" | "]" | "{" | "}" | "," if token.is_inside => BRACKET,
            other => other,
        })
    }

    /// Returns what a range says, whatever its white space, comments, quotation marks and last commas, without a part.
    pub(crate) fn normal(&self, text: &str, range: &Range<usize>, without: &Range<usize>) -> String {
        let before = self.texts(text, &(range.start..without.start.max(range.start)));
        let behind = self.texts(text, &(without.end.max(range.start)..range.end));
        joined(before.chain(behind))
    }

    /// Returns the names that are used in a range.
    pub(crate) fn names<'t>(&self, text: &'t str, range: &Range<usize>) -> BTreeSet<&'t str> {
        let names = self.within(range).iter().filter(|token| token.is_name);
        names.map(|token| &text[token.range.clone()]).collect()
    }

    /// Returns where a call ends whose name begins at a place: behind its closing bracket.
    pub(crate) fn end_of_call(&self, text: &str, start: usize) -> usize {
        let mut depth = 0;
        let first = self.0.partition_point(|token| token.range.start < start);
        for token in &self.0[first..] {
            match &text[token.range.clone()] {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" if depth <= 1 => return token.range.end,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
        }
        text.len()
    }
}

/// Writes words with a space between, without last commas and ends of statements.
pub(crate) fn joined<'t>(words: impl IntoIterator<Item = &'t str>) -> String {
    let mut text = String::new();
    for word in words.into_iter().filter(|word| *word != ";") {
        if matches!(word, ")" | "]" | "}") && text.ends_with(" ,") {
            text.truncate(text.len() - 2);
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

/// Some grammars have no node for the text of a string around its escapes.
fn push_unnamed(gap: Range<usize>, text: &str, tokens: &mut Vec<Token>) {
    let Some(unnamed) = text.get(gap.clone()).filter(|unnamed| !unnamed.trim().is_empty()) else { return };
    let start = gap.start + unnamed.len() - unnamed.trim_start().len();
    tokens.push(Token { range: start..start + unnamed.trim().len(), is_name: false, is_inside: true });
}

fn push_indentation(node: &tree_sitter::Node<'_>, at: usize, tokens: &mut Vec<Token>) {
    if node.kind() == "block" {
        tokens.push(Token { range: at..at, is_name: false, is_inside: false });
    }
}
