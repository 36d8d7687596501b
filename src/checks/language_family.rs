//! What a path says about the language of a file, where no grammar is asked: whether it is code, and how a comment begins. The
//! families stand in `data/language_family.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{ending, name};
use model::data_file;

/// Languages that begin their comments alike.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LanguageFamily {
    kind: Kind,
    marks: Vec<String>,
    #[serde(default)]
    endings: Vec<String>,
    #[serde(default)]
    names: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Code,
    Data,
    Text,
    Unknown,
}

static TABLE: LazyLock<BTreeMap<String, Vec<LanguageFamily>>> =
    LazyLock::new(|| data_file::read(include_str!("data/language_family.toml")));

/// Tells whether a file is code of a language that is known.
pub(super) fn is_code(path: &str) -> bool {
    LanguageFamily::of(path).kind == Kind::Code
}

impl LanguageFamily {
    /// Returns the family of a file.
    pub(super) fn of(path: &str) -> &'static Self {
        let (name, ending) = (name(path).to_lowercase(), ending(path).to_lowercase());
        let is_named = |family: &&Self| family.names.contains(&name) || family.endings.contains(&ending);
        let families = &TABLE["family"];
        families.iter().find(is_named).unwrap_or_else(|| families.last().expect("there are families"))
    }

    pub(super) fn is_code_or_data(&self) -> bool {
        matches!(self.kind, Kind::Code | Kind::Data)
    }

    /// Tells whether it is text for people.
    pub(super) fn is_text(&self) -> bool {
        self.kind == Kind::Text
    }

    /// Returns the comment of a line, with its marks. What stands behind an open quotation mark is none.
    pub(super) fn comment<'l>(&self, line: &'l str) -> Option<&'l str> {
        let begins = |(at, mark): &(usize, &str)| {
            let before = &line[..*at];
            let is_apart = before.ends_with(|c: char| c.is_whitespace() || ";{}()".contains(c));
            let is_quoted = ['"', '\''].iter().any(|quote| before.matches(*quote).count() % 2 == 1);
            before.trim().is_empty() || *mark != "*" && is_apart && !is_quoted
        };
        let places = self.marks.iter().flat_map(|mark| line.match_indices(mark.as_str()));
        places.filter(begins).map(|(at, _)| &line[at..]).max_by_key(|comment| comment.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_begins_at_the_mark_of_its_language() {
        for (path, line, expected) in [
            ("a.java", " * Broken", Some("* Broken")),
            ("a.java", "f(); // yes", Some("// yes")),
            ("a.java", "String a = \"// no\";", None),
            ("a.java", "a = b *c;", None),
            ("a.sh", "echo $# \"x # no\"", None),
            ("a.sh", "echo a#b # yes", Some("# yes")),
            ("a.sql", "-- yes", Some("-- yes")),
            ("a.html", "<p>x</p> <!-- yes -->", Some("<!-- yes -->")),
            ("a.md", "it is // no", None),
            ("tool", "x; # yes", Some("# yes")),
            ("tool", "http://no", None),
        ] {
            assert_eq!(LanguageFamily::of(path).comment(line), expected, "{path}: {line}");
        }
    }

    #[test]
    fn a_path_or_a_block_names_its_family() {
        for (path, code) in [
            ("src/a.rs", true),
            ("a/b.test.tsx", true),
            ("Makefile", true),
            ("docs/guide.MD", false),
            ("a.json", false),
            ("tool", false),
        ] {
            assert_eq!(is_code(path), code, "{path}");
        }
        assert!(LanguageFamily::of("docs/guide.MD").is_text());
        assert!(LanguageFamily::of("block.TypeScript").is_code_or_data());
        let is_other = |path: &&str| !LanguageFamily::of(path).is_code_or_data();
        assert!(["block.console", "block.md", "block."].iter().all(is_other));
    }
}
