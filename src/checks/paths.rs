//! Paths: their names and endings, and the language of lists of them: a path, a folder with all that lies below it, `*` for any
//! characters, and `**/` for any number of folders, none included, so that `**/NAME` means at any depth. Always from the top of the
//! worktree. Walks through folders.

use std::collections::VecDeque;
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use regex::{RegexSet, RegexSetBuilder};
use source::{is_foreign, is_test};

/// So many files of tests are looked for at most.
const MOST_TEST_FILES: usize = 300;

/// Returns the last part of a path.
pub(crate) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the ending of a file's name, without the dot.
pub(crate) fn ending(path: &str) -> &str {
    name(path).rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Tells whether the whole meaning of a file is that it is there.
pub(crate) fn may_be_empty(path: &str) -> bool {
    let names = ["__init__.py", ".gitkeep", ".keep", "py.typed", ".nojekyll", ".npmignore"];
    names.contains(&name(path))
}

/// Patterns that are looked for together, in one pass.
pub(crate) struct Patterns {
    any: RegexSet,
    folds: bool,
}

impl Patterns {
    /// Reads patterns that mean exactly what they say.
    pub(crate) fn exact(patterns: &[String]) -> Self {
        Self { any: any_of(patterns.iter().cloned()), folds: false }
    }

    /// Reads patterns for which `claude.md` and a name with an invisible character in it are `CLAUDE.md`, too.
    pub(crate) fn folding<'a>(patterns: impl Iterator<Item = &'a String>) -> Self {
        Self { any: any_of(patterns.map(|pattern| folded(pattern))), folds: true }
    }

    /// Tells whether a path is one of the patterns or lies below it.
    pub(crate) fn hold(&self, path: &str) -> bool {
        if self.folds { self.any.is_match(&folded(path)) } else { self.any.is_match(path) }
    }
}

fn any_of(patterns: impl Iterator<Item = String>) -> RegexSet {
    let written = patterns.map(|pattern| written(&pattern)).filter(|pattern| !pattern.is_empty());
    let whole = written.map(|pattern| format!("(?s)^(?:{pattern})(?:/.*)?$"));
    let set = RegexSetBuilder::new(whole).size_limit(usize::MAX).build();
    set.expect("escaped texts and stars are a pattern")
}

/// Returns a pattern as a regular expression.
fn written(pattern: &str) -> String {
    let bare = pattern.trim_start_matches("./").trim_end_matches('/');
    let anywhere = bare.starts_with("**/");
    let starred = |part: &str| part.split('*').map(regex::escape).collect::<Vec<_>>().join(".*");
    let folders = bare.trim_start_matches("**/").split("/**/").map(starred).collect::<Vec<_>>();
    let joined = folders.join("/(?:.*/)?");
    if anywhere { format!("(?:.*/)?{joined}") } else { joined }
}

pattern!(INVISIBLE, r"[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]");

/// Returns a name as a careless reader and a file system that ignores case take it.
fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    INVISIBLE.replace_all(name, "").chars().flat_map(|c| plain(c).to_lowercase()).collect()
}

/// Full-width letters and the long s look like, and for some file systems are, the plain ones.
fn plain(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        'ſ' => 's',
        _ => c,
    }
}

/// Shows each file and folder below `root` to `visit`, by its path from there; `visit` tells whether to go into a folder.
pub(crate) fn walk(root: &Path, mut visit: impl FnMut(&Path, FileType) -> bool) {
    let mut folders = VecDeque::from([PathBuf::new()]);
    while let Some(folder) = folders.pop_front() {
        for entry in fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let (path, kind) = (folder.join(entry.file_name()), entry.file_type());
            if kind.is_ok_and(|kind| visit(&path, kind) && kind.is_dir()) {
                folders.push_back(path);
            }
        }
    }
}

/// Returns the files of tests in a worktree, as many as are worth it.
pub(crate) fn files_of_tests(worktree: &Path) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    walk(worktree, |path, kind| {
        let Some(path) = path.to_str() else { return false };
        if kind.is_file() && is_test(path) && found.len() < MOST_TEST_FILES {
            found.push(path.to_owned());
        }
        let is_left_out = name(path).starts_with('.') || is_foreign(&format!("{path}/x"));
        !is_left_out && found.len() < MOST_TEST_FILES
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(pattern: &str, path: &str) -> bool {
        Patterns::exact(&[pattern.to_owned()]).hold(path)
    }

    #[test]
    fn a_pattern_is_a_path_a_folder_or_has_stars() {
        for (pattern, path, expected) in [
            ("Cargo.lock", "Cargo.lock", true),
            ("Cargo.lock", "sub/Cargo.lock", false),
            ("Cargo.lock", "CargoXlock", false),
            (".github/", ".github/workflows/ci.yml", true),
            (".github", ".github2/x", false),
            ("./src", "src/a.rs", true),
            ("*.pem", "keys/a.pem", true),
            ("tests/*/golden*", "tests/a/b/golden.txt", true),
            ("tests/*.rs", "src/a.rs", false),
            ("a*b", "a", false),
            ("", "a", false),
            ("**", "any/thing", true),
            ("src/**", "src/a/b.rs", true),
            ("src/**", "srcs/a", false),
            ("src/**/a.rs", "src/a.rs", true),
            ("src/**/a.rs", "src/b/c/a.rs", true),
            ("src/**/a.rs", "src/ba.rs", false),
        ] {
            assert_eq!(holds(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn two_stars_and_a_slash_mean_at_any_depth() {
        for (path, expected) in [
            ("AGENTS.md", true),
            ("sub/dir/AGENTS.md", true),
            ("sub/MYAGENTS.md", false),
            ("AGENTS.md2", false),
            ("AGENTS.md/below", true),
        ] {
            assert_eq!(holds("**/AGENTS.md", path), expected, "{path}");
        }
    }

    #[test]
    fn a_name_in_other_letters_or_with_something_invisible_in_it_is_the_plain_name() {
        let patterns = ["**/CLAUDE.md".to_owned(), ".github/".to_owned()];
        let folding = Patterns::folding(patterns.iter());
        for path in [
            "claude.md",
            "sub/Claude.MD",
            "CLAUDE\u{200b}.md",
            "ＣLAUDE.md",
            ".GitHub/x",
            ".g\u{feff}ithub/x",
        ] {
            assert!(folding.hold(path), "{path:?}");
        }
        assert!(!folding.hold("claude.mdx") && !Patterns::exact(&patterns).hold("claude.md"));
    }
}
