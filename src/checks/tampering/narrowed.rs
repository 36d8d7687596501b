//! Settings by which a runner finds fewer tests than before: patterns and folders that became narrower, files of tests that are
//! left out, a target without the harness, a hook that loads nothing. A pattern that took the place of another is only told.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::Site;
use crate::outcome::{at, file};
use crate::reading::pattern::Patterns;
use crate::reading::source::{ending, name, without_comments};
use crate::suspicion::Suspicion;
use model::change::Change;

pattern!(QUOTED, r#"['"`](?P<text>[^'"`\n]+)['"`]"#);
pattern!(
    FILE_OF_TESTS,
    r"(?:[._-](?:test|spec)s?\.\w+|(?:^|/)test_[\w*]+\.py|_test\.\w+|Test\.\w+|\.(?:test|spec)\.\*)$"
);
pattern!(LOADS, r"(?m)^def\s+load_tests\s*\([^)]*\)[^:\n]*:[^\n]*\n(?P<body>(?:[ \t]+[^\n]*\n|\s*\n)*)");
pattern!(LOADED, r"\btests\b|\bloader\b|discover|addTest|loadTests");

/// So many files are looked at.
const MOST_ENTRIES: usize = 50_000;
/// The keys of a runner that say where tests are, and what holds without them.
const PYTHON: [(&str, &[&str]); 4] = [
    ("testpaths", &[]),
    ("python_files", &["test_*.py", "*_test.py"]),
    ("python_functions", &["test"]),
    ("python_classes", &["Test"]),
];
const SCRIPT: [(&str, &[&str]); 6] = [
    ("testMatch", &[]),
    ("testRegex", &[]),
    ("include", &[]),
    ("roots", &[]),
    ("testDir", &[]),
    ("spec", &[]),
];

pub(super) fn suspicions(change: &Change, site: &Site<'_>) -> Vec<Suspicion> {
    let (Some(old), Some(new)) = (change.old_text(), change.new_text()) else { return Vec::new() };
    let path = change.path.as_str();
    match name(path) {
        "pytest.ini" | ".pytest.ini" | "pyproject.toml" | "tox.ini" | "setup.cfg" => {
            narrower(change, &PYTHON, site)
        }
        "Cargo.toml" => without_harness(change, site),
        own if is_settings_of_script(own) => {
            let mut found = narrower(change, &SCRIPT, site);
            found.extend(left_out(change));
            found
        }
        own if ending(own) == "py" && new.contains("load_tests") && !old.contains("def load_tests") => {
            loads_nothing(change, new)
        }
        _ => Vec::new(),
    }
}

fn is_settings_of_script(name: &str) -> bool {
    [
        "jest.config.",
        "vitest.config.",
        "vite.config.",
        "playwright.config.",
        ".mocharc",
        "package.json",
        "ava.config.",
    ]
    .iter()
    .any(|start| name.starts_with(start))
}

fn narrower(change: &Change, keys: &[(&str, &[&str])], site: &Site<'_>) -> Vec<Suspicion> {
    let texts = [change.old_text(), change.new_text()]
        .map(|text| without_comments(&change.path, text.unwrap_or_default()));
    let mut found = Vec::new();
    for (key, default) in keys {
        let default: BTreeSet<String> = default.iter().map(|text| (*text).to_owned()).collect();
        let [old, new] = texts.each_ref().map(|text| values(text, key).unwrap_or_else(|| default.clone()));
        if old.is_empty() || new.is_empty() || old == new {
            continue;
        }
        let lost: Vec<&String> = old
            .iter()
            .filter(|entry| !is_covered(entry, &new) && holds_something(key, entry, site.worktree))
            .collect();
        if !lost.is_empty() {
            let place = file(&change.path, format!("`{key}` no longer finds `{}`", lost[0]));
            found.push(Suspicion { place, sure: new.iter().all(|entry| is_covered(entry, &old)) });
        }
    }
    found
}

/// Returns the values of a key: the quotations of a list, or the words behind it and in the indented lines below.
pub(super) fn values(text: &str, key: &str) -> Option<BTreeSet<String>> {
    let head = Regex::new(&format!(r#"(?m)^[\s{{,]*['"]?{key}['"]?\s*[:=][ \t]*"#)).expect("a key is a word");
    let rest = &text[head.find(text)?.end()..];
    let quoted = |part: &str| {
        QUOTED.captures_iter(part).map(|found| found["text"].to_owned()).collect::<BTreeSet<_>>()
    };
    if rest.starts_with('[') {
        // The pattern of a file may hold brackets of its own.
        let end = rest.find("],").or_else(|| rest.find("]\n")).unwrap_or(rest.len());
        return Some(quoted(&rest[..end]));
    }
    let line = rest.lines().next().unwrap_or_default();
    if line.starts_with(['"', '\'', '`']) {
        return Some(
            quoted(line).iter().flat_map(|part| part.split_whitespace()).map(str::to_owned).collect(),
        );
    }
    let below =
        rest.lines().skip(1).take_while(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    Some([line].into_iter().chain(below).flat_map(str::split_whitespace).map(str::to_owned).collect())
}

/// Tells whether an entry is one of these, lies below one, or is met by one as a pattern.
fn is_covered(entry: &str, others: &BTreeSet<String>) -> bool {
    let entry = bare(entry);
    others.iter().map(|other| bare(other)).any(|other| {
        let below = entry.starts_with(&format!("{other}/")) || other == ".";
        // `python_functions = test` finds all that begins so.
        let begins = !entry.contains(['/', '.']) && !other.contains('*') && entry.starts_with(other);
        entry == other || below || begins || Patterns::exact(&[other.to_owned()]).hold(entry)
    })
}

fn bare(entry: &str) -> &str {
    entry.trim_start_matches("<rootDir>/").trim_start_matches("./").trim_end_matches('/')
}

/// Tells whether what an entry found is still there: a folder, or a file that a pattern meets.
fn holds_something(key: &str, entry: &str, worktree: &Path) -> bool {
    let entry = bare(entry);
    match key {
        "testpaths" | "roots" | "testDir" => worktree.join(entry).exists() || entry.contains(['*', '$']),
        "python_files" | "testMatch" | "include" | "spec" if !entry.contains(['{', '[', '(', '$', '!']) => {
            let anywhere = if entry.contains('/') { entry.to_owned() } else { format!("**/{entry}") };
            is_met(&Patterns::exact(&[anywhere]), worktree)
        }
        _ => true,
    }
}

/// Tells whether a file of the worktree meets a pattern; where there are too many to look, one does.
fn is_met(pattern: &Patterns, worktree: &Path) -> bool {
    let mut folders = vec![worktree.to_owned()];
    let mut left = MOST_ENTRIES;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let foreign =
                ["node_modules", "target", ".git", "vendor", "dist"].iter().any(|known| name == *known);
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let inside = path.strip_prefix(worktree).unwrap_or(&path).to_string_lossy();
            left -= 1;
            if left == 0 || !is_folder && pattern.hold(&inside) {
                return true;
            }
            folders.extend(Some(path).filter(|_| is_folder && !foreign));
        }
    }
    false
}

/// Returns the files of tests that a runner is told to leave out.
fn left_out(change: &Change) -> Vec<Suspicion> {
    let new = change.new_text().unwrap_or_default();
    let known = values(change.old_text().unwrap_or_default(), "exclude").unwrap_or_default();
    let listed = values(new, "exclude").unwrap_or_default();
    let tests = listed.difference(&known).filter(|entry| FILE_OF_TESTS.is_match(entry));
    let place = |entry: &String| Suspicion::sure(file(&change.path, format!("leaves out `{entry}`")));
    tests.map(place).collect()
}

/// Returns the targets of tests whose `#[test]` functions nobody runs any more.
fn without_harness(change: &Change, site: &Site<'_>) -> Vec<Suspicion> {
    let text = change.new_text().unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let added = change.added_lines().filter(|(_, line)| {
        line.split('#').next().is_some_and(|line| line.replace(' ', "").trim_end() == "harness=false")
    });
    let folder = change.path.strip_suffix("Cargo.toml").unwrap_or_default();
    let found = added.filter_map(|(line, _)| {
        let begin = (0..line).rev().find(|at| lines[*at].starts_with('['))?;
        let end = (line..lines.len()).find(|at| lines[*at].starts_with('[')).unwrap_or(lines.len());
        let target = target(lines[begin].trim(), &lines[begin..end])?;
        let code = git::regular_file::read_text(&site.worktree.join(format!("{folder}{target}")))
            .unwrap_or_default();
        code.contains("#[test]")
            .then(|| Suspicion::sure(at(&change.path, line, format!("nobody runs the tests of `{target}`"))))
    });
    found.collect()
}

/// Returns the file of a target that holds tests.
fn target(section: &str, lines: &[&str]) -> Option<String> {
    let value = |key: &str| {
        let line = lines.iter().find(|line| line.trim_start().starts_with(key) && line.contains('='))?;
        QUOTED.captures(line).map(|found| found["text"].to_owned())
    };
    match section {
        "[lib]" => Some(value("path").unwrap_or_else(|| "src/lib.rs".to_owned())),
        "[[test]]" => value("path").or_else(|| Some(format!("tests/{}.rs", value("name")?))),
        _ => None,
    }
}

/// Tells of a hook of `unittest` that makes nothing of the tests it is given.
fn loads_nothing(change: &Change, text: &str) -> Vec<Suspicion> {
    let code = without_comments(&change.path, text);
    let Some(found) = LOADS.captures(&code) else { return Vec::new() };
    let (whole, body) = (found.get(0).expect("a whole match"), &found["body"]);
    if LOADED.is_match(body) {
        return Vec::new();
    }
    let line = 1 + code[..whole.start()].matches('\n').count();
    vec![Suspicion::sure(at(&change.path, line, "loads none of the tests"))]
}
