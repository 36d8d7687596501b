//! The leaves of a syntax tree in their order, without comments: what is left of a text where its form does not count.

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::Tree;

#[derive(Debug)]
struct Token {
    range: Range<usize>,
    is_name: bool,
}

/// The tokens of one file.
#[derive(Debug)]
pub(crate) struct Tokens(Vec<Token>);

impl Tokens {
    pub(crate) fn of(tree: &Tree) -> Self {
        let mut tokens = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let is_comment = node.is_extra() && node.kind().ends_with("comment");
            if !is_comment && cursor.goto_first_child() {
                push_indentation(&node, node.start_byte(), &mut tokens);
                continue;
            }
            if !is_comment && node.start_byte() < node.end_byte() {
                let is_name = node.is_named() && node.kind().ends_with("identifier");
                tokens.push(Token { range: node.byte_range(), is_name });
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Self(tokens);
                }
                push_indentation(&cursor.node(), cursor.node().end_byte(), &mut tokens);
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

    /// Returns the names that are used in a range.
    pub(crate) fn names<'t>(&self, text: &'t str, range: &Range<usize>) -> BTreeSet<&'t str> {
        let names = self.within(range).iter().filter(|token| token.is_name);
        names.map(|token| &text[token.range.clone()]).collect()
    }
}

fn push_indentation(node: &tree_sitter::Node<'_>, at: usize, tokens: &mut Vec<Token>) {
    let is_block = node.kind() == "block" && node.child(0).is_some_and(|first| first.kind() != "{");
    if is_block {
        tokens.push(Token { range: at..at, is_name: false });
    }
}
