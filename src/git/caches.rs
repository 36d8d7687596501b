//! Caches that interpreters and test runners write beside the code they run. They are nobody's work: as long as no commit
//! holds them they are left out as if git ignored them, so a repository without a `.gitignore` is no worse for its tests.

/// Folders that hold nothing else.
const FOLDERS: [&str; 8] = [
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".tox",
    ".nox",
    ".nyc_output",
];
/// How the names of such files end.
const ENDINGS: [&str; 2] = [".pyc", ".pyo"];
const FILES: [&str; 1] = [".coverage"];

/// Tells whether a path is such a cache, or lies in one.
pub(super) fn is_cache(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(|folder| FOLDERS.contains(&folder))
        || ENDINGS.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending))
        || FILES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_known_by_their_names_alone() {
        for path in ["__pycache__/a.txt", "a/.pytest_cache/v/x", "a/b.pyc", "c.pyo", ".coverage", "x/.tox/"] {
            assert!(is_cache(path), "{path}");
        }
        for path in ["a.py", "pytest_cache/a", "a/__pycache__", ".coveragerc", ".pyc", "cache/a", "a.pyc.md"]
        {
            assert!(!is_cache(path), "{path}");
        }
    }
}
