//! Which paths a command did not find that only asks for paths: `test -f docs/guide.md`, `[ -e a ]`, `ls a b`.
//! Reads no output of it, and guesses at no other program: a word of its arguments may be anything.

use std::fs;
use std::path::Path;

/// Programs whose arguments, but for options, are paths.
const PROGRAMS: [&str; 7] = ["test", "[", "ls", "stat", "cat", "realpath", "readlink"];
/// Words that make an expression of `test` more than a question for paths.
const OTHER_QUESTIONS: [&str; 14] =
    ["!", "=", "==", "!=", "-n", "-z", "-o", "-eq", "-ne", "-lt", "-gt", "-nt", "-ot", "-ef"];

/// Returns the paths of a command that are not there, seen from the folder that it ran in.
pub(super) fn missing_paths(words: &[String], folder: &Path) -> Vec<String> {
    let Some((program, arguments)) = words.split_first() else { return Vec::new() };
    let is_other = arguments.iter().any(|word| OTHER_QUESTIONS.contains(&word.as_str()));
    if !PROGRAMS.contains(&program.as_str()) || is_other {
        return Vec::new();
    }
    let paths = arguments.iter().filter(|word| !word.starts_with('-') && *word != "]" && !word.is_empty());
    let wants_content = arguments.iter().any(|word| word == "-s");
    let is_missing = |path: &&String| {
        fs::metadata(folder.join(path)).map_or(true, |found| wants_content && found.len() == 0)
    };
    paths.filter(is_missing).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::missing_paths;

    #[test]
    fn only_paths_that_are_not_there_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("there"), "x").expect("a file");
        std::fs::write(folder.path().join("empty"), "").expect("a file");
        let missing = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            missing_paths(&words, folder.path()).join(" ")
        };
        for (line, paths) in [
            ("test -f docs/a.md", "docs/a.md"),
            ("[ -e a.md ]", "a.md"),
            ("ls -l there a.md b.md", "a.md b.md"),
            ("test -s empty", "empty"),
            ("test -f empty", ""),
            ("cat there", ""),
            ("test ! -e a.md", ""),
            ("test a.md = b.md", ""),
            ("grep -q word a.md", ""),
        ] {
            assert_eq!(missing(line), paths, "{line}");
        }
    }
}
