//! Tells whether a reason cites evidence that can be looked up: a line of a file, a test, or a decision. Judges only that what
//! is cited is there; whether it proves anything is for people, who find the reason in the pull request.

use std::path::Path;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use source::{SourceFile, is_test};

/// More names of a reason than this are not looked for.
const MOST_NAMES: usize = 20;
/// More files with one name than this are not looked through.
const MOST_FILES: usize = 50;
/// Shorter names of tests, headings and answers, in characters, are found in any text.
const SHORTEST: usize = 4;
/// This much of a person's answer, in characters, is a quotation of it.
const QUOTED: usize = 80;
/// The folders in which projects keep the records of their decisions.
const DECISION_FOLDERS: [&str; 5] = ["decisions", "decision-records", "adr", "adrs", "rfcs"];

/// What a reason may cite.
pub(super) struct Citable<'a> {
    /// The paths of the files.
    pub(super) paths: &'a [String],
    /// Returns the text of one of them.
    pub(super) read: &'a dyn Fn(&str) -> Option<String>,
    /// Returns those of them in which a name stands.
    pub(super) holding: &'a dyn Fn(&str) -> Vec<String>,
    /// What a person decided, in that person's words.
    pub(super) answers: &'a [&'a str],
}

/// A file that a reason names, and what of it.
struct CitedFile<'a> {
    path: &'a str,
    /// The words that name it.
    token: String,
    line: Option<usize>,
    /// What stands behind `#` or `::`.
    part: Option<String>,
}

/// Tells whether a reason cites a line of a file, a test, or a decision, and it is there.
pub(super) fn cites_evidence(reason: &str, citable: &Citable<'_>) -> bool {
    let cited = cited_files(reason, citable);
    let is_evidence = |file: &CitedFile<'_>, text: &str| {
        cites_line(reason, file, text) || cites_test(reason, file, text) || cites_decision(reason, file, text)
    };
    let of_file =
        |file: &CitedFile<'_>| (citable.read)(file.path).is_some_and(|text| is_evidence(file, &text));
    cited.iter().any(of_file) || names_test(reason, citable) || quotes_answer(reason, citable.answers)
}

fn cited_files<'a>(reason: &str, citable: &Citable<'a>) -> Vec<CitedFile<'a>> {
    static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?x)(?P<path>[\p{L}\p{N}_.@+~-]*(?:[/.][\p{L}\p{N}_@+~-][\p{L}\p{N}_.@+~-]*)+)
          (?: (?: :L? | \#L ) (?P<line>\d+) | (?:::|\#) (?P<part>[\p{L}\p{N}_:.-]+) )?",
        )
        .expect("a constant")
    });
    let cited = TOKEN.captures_iter(reason).filter_map(|found| {
        let line = found.name("line").and_then(|line| line.as_str().parse().ok());
        let part = found.name("part").map(|part| part.as_str().trim_end_matches(['.', ':']).to_owned());
        let path = resolve(found["path"].trim_end_matches('.'), citable.paths)?;
        Some(CitedFile { path, token: found[0].to_owned(), line, part })
    });
    cited.collect()
}

/// Returns the file that a path names: from the top, or the only one that ends so.
fn resolve<'a>(named: &str, paths: &'a [String]) -> Option<&'a str> {
    let named = named.trim_start_matches("./");
    if let Some(exact) = paths.iter().find(|path| *path == named) {
        return Some(exact);
    }
    let ends_so = |path: &&String| path.strip_suffix(named).is_some_and(|rest| rest.ends_with('/'));
    let mut ending = paths.iter().filter(ends_so);
    match (ending.next(), ending.next()) {
        (Some(only), None) if !named.is_empty() => Some(only),
        _ => None,
    }
}

/// Tells whether a line of the file is cited, beside the path or in words.
fn cites_line(reason: &str, file: &CitedFile<'_>, text: &str) -> bool {
    static IN_WORDS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:lines?|zeilen?)\s+(\d+)|\bL(\d+)\b|(\d+)\s*行|行\s*(\d+)").expect("a constant")
    });
    let is_there = |line: usize| (1..=text.lines().count()).contains(&line);
    let number = |found: Captures<'_>| found.iter().skip(1).flatten().next()?.as_str().parse().ok();
    match file.line {
        Some(line) => is_there(line),
        None => IN_WORDS.captures_iter(reason).filter_map(number).any(is_there),
    }
}

/// Tells whether a test of a cited file is named, as `path::name` or anywhere in the reason.
fn cites_test(reason: &str, file: &CitedFile<'_>, text: &str) -> bool {
    let last = file.part.as_ref().map(|part| part.rsplit("::").next().unwrap_or(part));
    let is_named = |name: &str| Some(name) == last || (is_test(file.path) && holds_whole(reason, name));
    has_test(file.path, text, is_named)
}

/// Tells whether the reason names a test of any file.
fn names_test(reason: &str, citable: &Citable<'_>) -> bool {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+|[a-z0-9][A-Z][A-Za-z0-9]*)[A-Za-z0-9_]*\b")
            .expect("a constant")
    });
    let has = |path: &String, name: &str| {
        (citable.read)(path).is_some_and(|text| has_test(path, &text, |test| test == name))
    };
    let mut names = NAME.find_iter(reason).map(|found| found.as_str()).take(MOST_NAMES);
    names.any(|name| (citable.holding)(name).iter().take(MOST_FILES).any(|path| has(path, name)))
}

/// Tells whether a file has a test with such a name. Where its language is not understood, any word is taken for one.
fn has_test(path: &str, text: &str, is_meant: impl Fn(&str) -> bool) -> bool {
    match SourceFile::parse(path, text) {
        Some(file) => file.tests().iter().any(|test| is_meant(&test.name)),
        None => is_test(path) && text.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_meant),
    }
}

/// Tells whether a record of a decision is cited, or a section of a document by its heading.
fn cites_decision(reason: &str, file: &CitedFile<'_>, text: &str) -> bool {
    let is_document =
        Path::new(file.path).extension().is_some_and(|ending| ending == "md" || ending == "markdown");
    if !is_document || text.trim().is_empty() {
        return false;
    }
    let mut folders = file.path.split('/').rev().skip(1);
    let is_record = folders.any(|folder| DECISION_FOLDERS.contains(&folder.to_lowercase().as_str()));
    // A file that is named like its heading cites no section of it.
    let words = reason.replace(&file.token, " ");
    let is_cited =
        |heading: &str| file.part.as_deref() == Some(slug(heading).as_str()) || holds_whole(&words, heading);
    // The title of a document is no section of it.
    let headings = text.lines().filter(|line| line.starts_with("##"));
    let mut sections = headings.map(|line| line.trim_matches(|c: char| c == '#' || c.is_whitespace()));
    is_record || sections.any(is_cited)
}

fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Tells whether a text holds a name as a whole, whatever the case.
fn holds_whole(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    name.chars().count() >= SHORTEST
        && text.match_indices(&name).any(|(at, _)| {
            !is_part(text[..at].chars().next_back()) && !is_part(text[at + name.len()..].chars().next())
        })
}

fn quotes_answer(reason: &str, answers: &[&str]) -> bool {
    let in_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let reason = in_one_line(reason);
    let beginning = |answer: &str| in_one_line(answer).chars().take(QUOTED).collect::<String>();
    let quotation = |answer: &str| beginning(answer).trim_end_matches(['.', '。', '…']).to_owned();
    answers.iter().any(|answer| holds_whole(&reason, &quotation(answer)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [(&str, &str); 6] = [
        (
            "src/pages.rs",
            "fn pages() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn last_page_is_there() {}\n}\n",
        ),
        ("tests/test_pages.py", "def test_last_page():\n    assert pages() == 3\n"),
        ("web/pages.test.js", "it('shows the last page', () => {\n  expect(1).toBe(1)\n})\n"),
        ("docs/decisions/021-limits.md", "# Limits\n\nNone.\n"),
        (
            ".ai-workflow/issue-1/02_design/output/design.md",
            "# Design\n\n## Upper limits\n\n100 pages\n\n## Open\n",
        ),
        ("docs/other.md", "# Other\n"),
    ];

    fn cites(reason: &str) -> bool {
        let paths = FILES.map(|(path, _)| path.to_owned());
        let read = |path: &str| Some(FILES.iter().find(|(known, _)| *known == path)?.1.to_owned());
        let holding = |name: &str| {
            let held = FILES.iter().filter(|(_, text)| text.contains(name));
            held.map(|(path, _)| (*path).to_owned()).collect()
        };
        let answers = ["Keep 100 pages, the printer takes no more."];
        cites_evidence(reason, &Citable { paths: &paths, read: &read, holding: &holding, answers: &answers })
    }

    #[test]
    fn a_line_a_test_or_a_decision_that_is_there_is_evidence() {
        for reason in [
            "It is checked in src/pages.rs:1.",
            "`src/pages.rs#L2` has it",
            "design.md, line 5 says so",
            "design.md の 5行目にある",
            "see (./src/pages.rs:L3)",
            "the test last_page_is_there covers it",
            "tests/test_pages.py::test_last_page",
            "web/pages.test.js: \"shows the last page\"",
            "docs/decisions/021-limits.md decided it",
            "the section \"Upper limits\" of design.md",
            "design.md#upper-limits",
            "The person said: keep 100 pages, the printer takes no more",
        ] {
            assert!(cites(reason), "{reason}");
        }
    }

    #[test]
    fn what_is_not_there_or_names_no_place_is_no_evidence() {
        for reason in [
            "",
            "It is fine.",
            "It is as the issue wants it, see the code.",
            "src/pages.rs:99",
            "src/pages.rs:0",
            "src/gone.rs:1",
            "src/pages.rs has it",
            "the test no_such_test covers it, and so does the function pages()",
            "tests/test_pages.py::test_first_page",
            "docs/decisions/022-none.md",
            "the section \"Lower limits\" of design.md",
            "design.md is right",
            "docs/other.md",
            "../../etc/passwd:1",
        ] {
            assert!(!cites(reason), "{reason}");
        }
    }
}
