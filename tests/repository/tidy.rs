//! What a machine can check about the form of the code: file heads, sizes, documents that tell the truth.

use std::fs;
use std::path::{Path, PathBuf};

/// Lines of code in one file above which it holds a second subject.
const MOST_LINES: usize = 600;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.is_symlink() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|have| have == ending) {
            found.push(path);
        }
    }
}

fn rust_files() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for folder in ["src", "tests"] {
        files(&root().join(folder), "rs", &mut found);
    }
    found.into_iter().map(|path| (path.clone(), fs::read_to_string(path).expect("a source file"))).collect()
}

/// Tells whether a file holds tests alone.
fn is_test(path: &Path) -> bool {
    path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests")
}

#[test]
fn every_file_begins_with_its_purpose() {
    let silent: Vec<_> = rust_files()
        .into_iter()
        .filter(|(_, text)| !text.starts_with("//! "))
        .map(|(path, _)| path)
        .collect();
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn no_source_file_is_longer_than_the_limit() {
    let long: Vec<_> = rust_files()
        .into_iter()
        .filter(|(path, _)| path.starts_with(root().join("src")) && !is_test(path))
        .map(|(path, text)| {
            (path, text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("").lines().count())
        })
        .filter(|(_, lines)| *lines > MOST_LINES)
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn every_path_in_the_documents_exists() {
    let mut missing = Vec::new();
    let mut documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(PathBuf::from).to_vec();
    files(&root().join("docs"), "md", &mut documents);
    for document in documents {
        let text = fs::read_to_string(root().join(&document)).expect("a document");
        for word in text.split('`').skip(1).step_by(2) {
            let named = ["src/", "tests/", "prompts/", ".ci/", "benches/"]
                .iter()
                .any(|start| word.starts_with(start));
            let plain = !word.contains(['<', '*', ' ', '{', '…']);
            if named && plain && !root().join(word).exists() {
                missing.push(format!("{}: {word}", document.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn documents_do_not_exceed_their_line_limits() {
    for (document, most) in [("README.md", 200), ("ARCHITECTURE.md", 150), ("CONTRIBUTING.md", 120)] {
        let lines = fs::read_to_string(root().join(document)).expect(document).lines().count();
        assert!(lines <= most, "{document} has {lines} lines, at most {most}");
    }
}

#[test]
fn no_rust_file_has_a_vague_name() {
    let vague = ["utils", "helpers", "manager", "imp", "common", "misc", "core"];
    let found: Vec<_> = rust_files()
        .into_iter()
        .filter(|(path, _)| {
            path.file_stem().is_some_and(|stem| vague.contains(&stem.to_string_lossy().as_ref()))
        })
        .map(|(path, _)| path)
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn architecture_describes_how_a_review_is_read() {
    let text = |path: &str| fs::read_to_string(root().join(path)).expect(path);
    let chapter = text("ARCHITECTURE.md").split("## How a review is read").nth(1).map(str::to_owned);
    let chapter = chapter.expect("ARCHITECTURE.md has the chapter");
    for subject in ["objects first", "marker lines by rank", "FAIL by default", "review_id"] {
        assert!(chapter.contains(subject), "the chapter does not speak of {subject}");
    }
    let mut parsers = Vec::new();
    files(&root().join("src/content_parser"), "rs", &mut parsers);
    for path in parsers {
        let code = fs::read_to_string(&path).expect("a source file");
        let public = code.lines().zip(code.lines().skip(1)).filter(|(_, line)| line.starts_with("pub fn "));
        for (above, line) in public {
            assert!(
                above.starts_with("///") || above.starts_with("#["),
                "{}: {line} is not explained",
                path.display()
            );
        }
    }
}
