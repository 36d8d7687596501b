//! Where a text does not follow the grammar of its language. A grammar that is older than its language must not refuse what is
//! new: what only a newer form explains is no error.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::SourceFile;
use crate::language::Language;
use crate::pattern::fits;
use crate::tokens::Word;

/// Where a text is broken first, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// From 1.
    pub line: usize,
    /// What is missing or not understood.
    pub what: String,
}

/// The innermost first node that is an error or is missing.
#[derive(Debug)]
pub(crate) struct SyntaxError {
    /// From 1.
    line: usize,
    range: Range<usize>,
    /// The name of the node that is missing.
    missing: Option<&'static str>,
}

impl SyntaxError {
    pub(crate) fn first(tree: &Tree) -> Option<Self> {
        let is_wrong = |node: &Node<'_>| node.is_missing() || node.has_error();
        let mut node = tree.root_node();
        while let Some(inner) = node.children(&mut node.walk()).find(is_wrong) {
            node = inner;
        }
        let line = node.start_position().row + 1;
        let missing = node.is_missing().then(|| node.kind());
        is_wrong(&node).then(|| Self { line, range: node.byte_range(), missing })
    }
}

impl SourceFile {
    /// Returns where the text is broken; none where it is sound.
    pub fn broken(&self) -> Option<Broken> {
        let SyntaxError { line, range, missing } = self.error.as_ref()?;
        let line = *line;
        if self.is_newer_than_the_grammar(line) || self.has_sound_types() {
            return None;
        }
        let shown = self.text[range.clone()].lines().next().unwrap_or_default().trim();
        let shown: String = shown.chars().take(60).collect();
        let what = match missing {
            Some(kind) => format!("`{kind}` is missing"),
            None => format!("`{shown}` is not understood here"),
        };
        match self.unpaired().map(|bracket| (self.line(bracket.at), bracket.text)) {
            Some((at, bracket)) if at > line => {
                Some(Broken { line: at, what: format!("`{bracket}` has no partner") })
            }
            _ => Some(Broken { line, what }),
        }
    }

    /// Returns the first bracket that closes another one or none, else the last one that stays open.
    fn unpaired(&self) -> Option<Word<'_>> {
        let mut open: Vec<Word<'_>> = Vec::new();
        for word in self.words(&(0..self.text.len())) {
            let opener = match word.text {
                ")" => "(",
                "]" => "[",
                "}" => "{",
                "(" | "[" | "{" | "${" => {
                    open.push(word);
                    continue;
                }
                _ => continue,
            };
            if open.last().is_none_or(|partner| !partner.text.ends_with(opener)) {
                return Some(open.pop().unwrap_or(word));
            }
            open.pop();
        }
        open.pop()
    }

    fn is_newer_than_the_grammar(&self, line: usize) -> bool {
        let newer = format!("newer_in_{}", self.language.family());
        self.text.lines().nth(line - 1).is_some_and(|line| fits(&newer, line))
    }

    /// JavaScript may have the annotations of another checker: it is read as what is nearest to them.
    fn has_sound_types(&self) -> bool {
        let as_typed = || Self::parse("script.tsx", self.text.as_str());
        self.language == Language::JavaScript && as_typed().is_some_and(|typed| typed.error.is_none())
    }
}

#[cfg(test)]
mod tests;
