//! Whether the runner of a language finds a file by its path. A test that moved elsewhere is no longer run.

use super::Site;
use crate::reading::source::{ending, name};

/// Tells whether tests in a file are run. Where nothing is known of a language, they are.
pub(super) fn is_collected(path: &str, site: &Site<'_>) -> bool {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let folders: Vec<&str> = folders.split('/').collect();
    let within = |names: &[&str]| folders.iter().any(|folder| names.contains(folder));
    if within(&["fixtures", "__fixtures__", "testdata"]) {
        return false;
    }
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    match ending(path) {
        "py" => stem.starts_with("test") || stem.ends_with("_test") || stem.ends_with("_tests"),
        "go" => stem.ends_with("_test") && !file.starts_with(['_', '.']),
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => {
            let by_name = [".test", ".spec", ".cy", "_test", "-test", "_spec", ".e2e"];
            by_name.iter().any(|end| stem.ends_with(end))
                || within(&["__tests__", "test", "tests", "spec", "e2e"])
                || stem == "test"
        }
        "rs" => is_target(path, site),
        _ => true,
    }
}

/// Tells whether cargo compiles a file: not one in a folder below `tests/` that nothing names.
fn is_target(path: &str, site: &Site<'_>) -> bool {
    let Some((top, below)) = path.rsplit_once("tests/") else { return true };
    let Some((folder, _)) = below.split_once('/') else { return true };
    if top.contains("src/") || name(path) == "main.rs" {
        return true;
    }
    let stem = name(path).trim_end_matches(".rs");
    let stem = if stem == "mod" { path.rsplit('/').nth(1).unwrap_or(stem) } else { stem };
    let (module, file) = (format!("mod {stem}"), format!("{stem}.rs"));
    let named = |line: &str| line.contains(&module) || line.contains(&file);
    site.read.naming.get_or_init(|| naming(site)).lines().any(named)
        || site.worktree.join(format!("{top}tests/{folder}/main.rs")).exists()
}

/// Returns the added lines that may name a module or a file of Rust.
fn naming(site: &Site<'_>) -> String {
    let added = site.changes.iter().flat_map(|change| change.added_lines().map(|(_, line)| line));
    added.filter(|line| line.contains("mod ") || line.contains(".rs")).flat_map(|line| [line, "\n"]).collect()
}
