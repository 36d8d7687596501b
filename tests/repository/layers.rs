//! What a machine can check about the layers beyond what Cargo checks: the pure crates touch nothing, one crate prints, and
//! the modules of a crate form no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// The crates of layers 0 to 2: no files, processes, environment, time or async.
const PURE: &[&str] = &["model", "engine", "content_parser", "tool_output", "source", "settings", "views"];

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
fn code_asks_for_no_name_of_a_phase_or_policy() {
    // Names that are everyday words, too, are no sign of such a question.
    let names = [
        "planning",
        "test_scenario",
        "document_review",
        "implementation",
        "test_implementation",
        "evaluation",
        "phase-review",
        "quality-gate",
        "retake",
        "doc-review",
    ];
    let quoted = names.map(|name| format!("\"{name}\""));
    let words: Vec<&str> = quoted.iter().map(String::as_str).collect();
    // The properties of logs that do not know them, the folders of the prompts, the policy of a phase that names none.
    let known = ["model/policy/phase_properties.rs", "views/prompt/templates.rs", "settings/keys.rs"];
    let is_asked = |path: &Path| !known.iter().any(|known| path == Path::new(known));
    let scenes = "checks/scene.rs";
    let found = uses_of(&words, |path| is_asked(path) && path != Path::new(scenes));
    assert_eq!(found, Vec::<String>::new());
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

/// Returns for each crate which of its modules at the top name which others.
fn modules() -> BTreeMap<String, BTreeMap<String, BTreeSet<String>>> {
    let path = Regex::new(r"\b(crate|super)::(?:(\w+)|\{([^;]*)\};)").expect("a pattern");
    let listed = Regex::new(r"(?:^|[{,\s])(\w+)").expect("a pattern");
    let mut crates: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (file, code) in sources().into_iter().filter(|(file, _)| file.components().count() > 1) {
        let is_top = file.components().count() == 2;
        let module = file.components().nth(1).expect("below a crate").as_os_str().to_string_lossy();
        let named = crates.entry(crate_of(&file)).or_default();
        let named = named.entry(module.trim_end_matches(".rs").to_owned()).or_default();
        let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        for found in path.captures_iter(&code).filter(|found| is_top || &found[1] == "crate") {
            named.extend(found.get(2).map(|name| name.as_str().to_owned()));
            let list = found.get(3).map_or("", |list| list.as_str());
            named.extend(listed.captures_iter(list).map(|name| name[1].to_owned()));
        }
    }
    crates
}

#[test]
fn the_modules_of_a_crate_form_no_circle() {
    // `checks` has circles still.
    for (name, mut modules) in modules().into_iter().filter(|(name, _)| name != "checks") {
        modules.remove("lib");
        loop {
            let known: BTreeSet<String> = modules.keys().cloned().collect();
            let before = modules.len();
            modules
                .retain(|module, named| named.iter().any(|other| other != module && known.contains(other)));
            if modules.len() == before {
                break;
            }
        }
        assert!(modules.is_empty(), "{name}: {:#?}", modules.keys());
    }
}
