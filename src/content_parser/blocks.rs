//! Splits an answer into its code blocks and the lines that are its author's own. Judges nothing.

use super::quoted::Quoted;

/// A code block of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeBlock<'t> {
    /// The first word after the fence, as written; empty when there is none.
    pub language: &'t str,
    /// What stands inside, without the fences.
    pub text: &'t str,
    /// The number of its first line in the answer, from 1.
    pub line: usize,
}

/// Returns the code blocks of an answer; one that is never closed reaches to the end.
pub fn code_blocks(text: &str) -> Vec<CodeBlock<'_>> {
    let quoted = Quoted::new(text);
    let mut line = 1;
    let mut counted = 0;
    let mut blocks = Vec::new();
    for (at, info, body) in quoted.code_blocks() {
        line += newlines(&text[counted..at]);
        counted = at;
        let language = info.split([' ', ',', '{', '\t']).next().unwrap_or_default();
        blocks.push(CodeBlock { language, text: body, line: line + 1 });
    }
    blocks
}

/// Returns the lines of an answer that are neither code nor quotations nor comments, with their numbers from 1.
pub fn own_lines(text: &str) -> Vec<(usize, &str)> {
    Quoted::new(text)
        .numbered_lines()
        .map(|(number, line)| (number, line.trim_end_matches(['\r', '\n'])))
        .collect()
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_its_own_lines_and_its_blocks() {
        let text = "a\n```rust ignore\nb\nc\n```\n> d\ne\r\n~~~\nf";
        assert_eq!(own_lines(text), [(1, "a"), (7, "e")]);
        let blocks = [
            CodeBlock { language: "rust", text: "b\nc\n", line: 3 },
            CodeBlock { language: "", text: "f", line: 9 },
        ];
        assert_eq!(code_blocks(text), blocks);
        assert_eq!(
            (code_blocks("```"), own_lines("")),
            (vec![CodeBlock { language: "", text: "", line: 2 }], vec![])
        );
    }
}
