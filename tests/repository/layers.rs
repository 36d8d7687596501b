//! What a machine can check about the layers beyond what Cargo checks: the pure crates touch nothing, one crate prints.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates of layers 0 to 2: no files, processes, environment, time or async.
const PURE: &[&str] = &["model", "engine", "content_parser", "settings", "views"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns every source file below `src` with its text, tests at its end left out.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    collect(&root().join("src"), &mut found);
    found
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("src is readable") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.is_symlink() && !path.ends_with("tests") {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
            found.push((path.strip_prefix(root().join("src")).expect("under src").to_owned(), code));
        }
    }
}

/// Returns the crate's folder, or the name of a file of the root package.
fn crate_of(path: &Path) -> String {
    let first = path.components().next().expect("a path has a first part").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// Returns `FILE names WORD` for each of the words in the code of the crates that `looked_at` takes.
fn uses_of(words: &[&str], looked_at: impl Fn(&Path) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (path, code) in sources() {
        if looked_at(&path) {
            let named = words.iter().filter(|word| code.contains(**word));
            found.extend(named.map(|word| format!("{} names {word}", path.display())));
        }
    }
    found
}

#[test]
fn the_pure_crates_use_no_files_processes_or_time() {
    let impure = [
        "std::fs",
        "std::process",
        "std::env",
        "std::net",
        "std::thread",
        "std::time::Instant",
        "tokio::",
        "async fn",
        "Timestamp::now",
    ];
    let found = uses_of(&impure, |path| PURE.contains(&crate_of(path).as_str()));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn only_the_command_line_and_the_reporters_print() {
    let prints = ["println!", "eprintln!", "print!(", "eprint!(", "dbg!("];
    let may = |path: &Path| path.starts_with("cli");
    let found = uses_of(&prints, |path| !may(path));
    assert!(found.is_empty(), "{found:#?}");
}
