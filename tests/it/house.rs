//! The floor plan, kept by a test: a room knows rooms on lower floors only.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Crates and rooms that touch nothing of the world. Cargo keeps who knows whom between crates.
const PURE: &[&str] = &["model", "engine", "content_parser", "settings", "views"];

/// The rooms that are left in the root package, by floor, lowest first.
const FLOORS: [(&str, &[&str]); 3] =
    [("5 crafts", &["report", "review"]), ("7 hand", &["phase_runner"]), ("roof", &["cli"])];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns every source file with its text, tests at its end left out.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    collect(&root().join("src"), &mut found);
    found
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("src is readable") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
            found.push((path.strip_prefix(root().join("src")).expect("under src").to_owned(), code));
        }
    }
}

fn room_of(path: &Path) -> String {
    let first = path.components().next().expect("a path has a first part").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// Returns the rooms a text names after `crate::`, grouped imports included.
fn rooms_named(code: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for part in code.split("crate::").skip(1) {
        if let Some(group) = part.strip_prefix('{') {
            let names = group.split('}').next().unwrap_or("");
            rooms.extend(names.split(',').map(|name| first_word(name.trim())));
        } else {
            rooms.push(first_word(part));
        }
    }
    rooms
}

fn first_word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn floors() -> BTreeMap<&'static str, usize> {
    FLOORS
        .iter()
        .enumerate()
        .flat_map(|(floor, (_, rooms))| rooms.iter().map(move |room| (*room, floor)))
        .collect()
}

#[test]
fn every_room_has_a_floor_and_every_floor_its_rooms() {
    let in_root = |path: &Path| !root().join("src").join(room_of(path)).join("Cargo.toml").exists();
    let mut seen: Vec<String> = sources()
        .iter()
        .map(|(path, _)| path)
        .filter(|path| in_root(path))
        .map(|path| room_of(path))
        .collect();
    seen.sort();
    seen.dedup();
    let mut planned: Vec<String> = floors().keys().map(|room| (*room).to_owned()).collect();
    planned.extend(["lib".to_owned(), "main".to_owned()]);
    planned.sort();
    assert_eq!(seen, planned);
}

#[test]
fn a_room_knows_rooms_on_lower_floors_only() {
    let floors = floors();
    let mut wrong = Vec::new();
    for (path, code) in sources() {
        let room = room_of(&path);
        let Some(floor) = floors.get(room.as_str()) else { continue };
        for known in rooms_named(&code) {
            let below = floors.get(known.as_str()).is_none_or(|other| other < floor);
            if known != room && !below {
                wrong.push(format!("{} knows {known}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_pure_floors_name_nothing_of_the_world() {
    let worldly = [
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
    let mut wrong = Vec::new();
    for (path, code) in sources() {
        if PURE.contains(&room_of(&path).as_str()) {
            wrong.extend(
                worldly
                    .iter()
                    .filter(|word| code.contains(**word))
                    .map(|word| format!("{} names {word}", path.display())),
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_roof_and_the_reports_alone_may_print() {
    let mut wrong = Vec::new();
    for (path, code) in sources() {
        let may = ["cli", "report", "main"].contains(&room_of(&path).as_str());
        let prints = ["println!", "eprintln!", "print!(", "eprint!(", "dbg!("];
        if !may && prints.iter().any(|word| code.contains(word)) {
            wrong.push(path.display().to_string());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_plan_in_the_library_is_the_plan_in_this_test() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs");
    let mut declared: Vec<&str> =
        lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let mut planned: Vec<&str> = FLOORS.iter().flat_map(|(_, rooms)| rooms.iter().copied()).collect();
    declared.sort_unstable();
    planned.sort_unstable();
    assert_eq!(declared, planned);
}
