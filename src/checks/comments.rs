//! The comments that a change brought, line by line and without their signs: by the grammar of the file, else by the marks of
//! its language. Judges nothing.

use super::changed_file::ChangedFile;
use super::language_family::LanguageFamily;
use source::SourceFile;

/// What a comment says in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comment<'t> {
    /// From 1.
    pub(super) line: usize,
    /// Without the signs that make it a comment.
    pub(super) text: &'t str,
    /// Whether it is for readers of the documentation.
    pub(super) is_documentation: bool,
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

fn comments_of_source(file: &SourceFile) -> Vec<Comment<'_>> {
    let docstrings = file.docstrings().into_iter().map(|part| (part, true));
    let comments = file.comments().into_iter().map(|part| {
        let is_documentation = documents(part.text);
        (part, is_documentation)
    });
    let lines = docstrings.chain(comments).flat_map(|(part, is_documentation)| {
        let lines = part.text.lines().enumerate();
        lines.map(move |(at, line)| Comment {
            line: part.line + at,
            text: without_signs(line),
            is_documentation,
        })
    });
    let mut lines: Vec<Comment<'_>> = lines.collect();
    lines.sort_by_key(|comment| comment.line);
    lines
}

/// Returns the comments of a text that no grammar is asked about.
pub(super) fn comments_of_text<'t>(family: &LanguageFamily, text: &'t str) -> Vec<Comment<'t>> {
    let comments = text.lines().enumerate().filter_map(|(at, line)| Some((at + 1, family.comment(line)?)));
    let comment = |(line, comment)| Comment {
        line,
        text: without_signs(comment),
        is_documentation: documents(comment),
    };
    comments.map(comment).collect()
}

fn documents(comment: &str) -> bool {
    ["///", "//!", "/**", "/*!"].iter().any(|sign| comment.starts_with(sign)) && !comment.starts_with("/**/")
}

fn without_signs(line: &str) -> &str {
    const OPENING: [&str; 16] = [
        "<!--", "/**", "/*!", "/*", "///", "//!", "//", "r\"\"\"", "\"\"\"", "'''", "#", "--", "{-", "*",
        ";", "%",
    ];
    let line = line.trim();
    let line =
        ["-->", "*/", "-}", "\"\"\"", "'''"].iter().find_map(|sign| line.strip_suffix(sign)).unwrap_or(line);
    OPENING.iter().find_map(|sign| line.strip_prefix(sign)).unwrap_or(line).trim()
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
            .map(|found| (found.line, found.text.to_owned(), found.is_documentation))
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
