//! What a change brought to a file: comments, line by line, by the grammar of the file, else by the marks of its language; the lines
//! of code that are none; and functions. Judges nothing.

use std::collections::HashSet;

use super::{ChangedFile, LanguageFamily};
use source::{Function, SourceFile};

/// One line of a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comment<'t> {
    /// From 1.
    pub(super) line: usize,
    /// Whether it is for readers of the documentation.
    pub(super) is_documentation: bool,
    /// With the signs that make it a comment.
    pub(super) written: &'t str,
}

impl<'t> Comment<'t> {
    /// Returns what it says, without the signs that make it a comment.
    pub(super) fn text(&self) -> &'t str {
        pattern!(
            SIGNS,
            r#"^\s*(?:<!--|/\*[*!]?|//[/!]?|r?"""|'''|#|--|\{-|[*;%])?\s*(.*?)\s*(?:-->|\*/|-\}|"""|''')?\s*$"#
        );
        let text = SIGNS.captures(self.written).and_then(|found| found.get(1));
        text.map_or(self.written, |text| text.as_str())
    }
}

/// Returns the lines of comments that a change brought.
pub(super) fn added_comments<'f>(file: &ChangedFile<'f>) -> Vec<Comment<'f>> {
    let mut comments = match file.now() {
        Some(source) => comments_of_source(source),
        None => comments_of_text(LanguageFamily::of(file.path()), file.change.new_text().unwrap_or_default()),
    };
    comments.retain(|comment| file.is_added(comment.line));
    comments
}

/// Returns the lines that a change brought and that are no comments, and no tests beside the code.
pub(super) fn added_code<'f>(file: &ChangedFile<'f>) -> impl Iterator<Item = (usize, &'f str)> {
    let now = file.now();
    let comments = now.map_or_else(Vec::new, comments_of_source).into_iter();
    let comments: HashSet<(usize, &str)> =
        comments.map(|comment| (comment.line, comment.written.trim())).collect();
    file.change.added_lines().filter(move |(number, line)| {
        let is_test = now.is_some_and(|now| now.is_test_code(*number));
        !is_test && !comments.contains(&(*number, line.trim()))
    })
}

/// Returns the functions that are found in a file and that it did not have under their names.
pub(super) fn added_functions(
    file: &ChangedFile<'_>,
    find: impl Fn(&SourceFile) -> Vec<Function>,
) -> Vec<Function> {
    let mut added = file.now().map_or_else(Vec::new, &find);
    // Few files have such a function: the others need no look at what they were.
    let before = if added.is_empty() { None } else { file.before() };
    let known = before.map_or_else(Vec::new, find);
    added.retain(|function| !known.iter().any(|old| old.name == function.name));
    added
}

fn comments_of_source(file: &SourceFile) -> Vec<Comment<'_>> {
    let docstrings = file.docstrings().into_iter().map(|part| (true, part));
    let comments = file.comments().into_iter().map(|part| (documents(part.text), part));
    let lines = docstrings.chain(comments).flat_map(|(is_documentation, part)| {
        let lines = (part.line..).zip(part.text.lines());
        lines.map(move |(line, written)| Comment { line, is_documentation, written })
    });
    let mut lines: Vec<Comment<'_>> = lines.collect();
    lines.sort_by_key(|comment| comment.line);
    lines
}

/// Returns the comments of a text that no grammar is asked about.
pub(super) fn comments_of_text<'t>(family: &LanguageFamily, text: &'t str) -> Vec<Comment<'t>> {
    let comments = (1..).zip(text.lines()).filter_map(|(line, text)| Some((line, family.comment(text)?)));
    let comment = |(line, written)| Comment { line, is_documentation: documents(written), written };
    comments.map(comment).collect()
}

fn documents(comment: &str) -> bool {
    ["///", "//!", "/**", "/*!"].iter().any(|sign| comment.starts_with(sign)) && !comment.starts_with("/**/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    fn added(path: &str, before: &str, after: &str) -> Vec<(usize, String, bool)> {
        let scene = Scene::changing(path, before, after);
        let site = scene.site();
        let files = ChangedFile::all(&site);
        let comments = added_comments(&files[0]);
        comments
            .into_iter()
            .map(|found| (found.line, found.text().to_owned(), found.is_documentation))
            .collect()
    }

    #[test]
    fn comments_have_their_lines_and_no_signs() {
        let text = "/// Does.\nfn a() {} // yes\n/* one\n * two */\nlet x = \"// no\";\n";
        let expected = [(1, "Does.", true), (2, "yes", false), (3, "one", false), (4, "two", false)];
        assert_eq!(added("a.rs", "", text), expected.map(|(line, text, docs)| (line, text.to_owned(), docs)));
        let python = "def f():\n    \"\"\"Does.\n    More.\"\"\"\n    return '# no'  # yes\n";
        let expected = [(2, "Does.", true), (3, "More.", true), (4, "yes", false)];
        assert_eq!(
            added("a.py", "", python),
            expected.map(|(line, text, docs)| (line, text.to_owned(), docs))
        );
        assert_eq!(added("a.rb", "x # old\n", "x # old\ny # new\n"), [(2, "new".to_owned(), false)]);
    }
}
