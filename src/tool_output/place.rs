//! Places as tools write them: `path:line:column`. Looks at no disk; whether the file exists is not said here.

use std::path::Path;

use super::pattern::{LazyPattern, number};

static PLACE: LazyPattern = LazyPattern::new(r"^(?:file://)?(?<file>[^:].*?):(?<line>\d+)(?::\d+)?[:),]*$");

/// Reads `path:line` or `path:line:column`, also as a `file://` address, as a file and a line.
pub(super) fn place(text: &str) -> Option<(String, u32)> {
    let parts = PLACE.captures(text.trim())?;
    let file = &parts["file"];
    let is_real = !file.contains("://") && !file.starts_with("node:");
    if is_real { Some((file.to_owned(), number(&parts, "line")?)) } else { None }
}
/// Returns a file as it is called below a folder; one that lies elsewhere stays as it is.
pub fn below(file: &str, root: &str) -> String {
    let inside = Path::new(file).strip_prefix(root).ok().and_then(Path::to_str);
    let file = inside.filter(|inside| !inside.is_empty()).unwrap_or(file);
    file.strip_prefix("./").unwrap_or(file).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_tools_write_them() {
        assert_eq!(place("src/a.rs:3:4:"), Some(("src/a.rs".into(), 3)));
        assert_eq!(place("a.py:3"), Some(("a.py".into(), 3)));
        assert_eq!(place("file:///x/a b.ts:3:4)"), Some(("/x/a b.ts".into(), 3)));
        assert_eq!(place("C:\\a.rs:3:4"), Some(("C:\\a.rs".into(), 3)));
        for none in ["", ":", "a", "a:b", "12:30", ":3:4", "https://x:1:2", "node:internal:5:6"] {
            assert!(place(none).is_none_or(|(file, ..)| file == "12"), "{none}");
        }
    }

    #[test]
    fn a_file_below_the_worktree_is_called_as_the_repository_calls_it() {
        assert_eq!(below("/w/tree/src/a.rs", "/w/tree"), "src/a.rs");
        assert_eq!(below("/w/tree/src/a.rs", "/w/tree/"), "src/a.rs");
        assert_eq!(below("/w/trees/a.rs", "/w/tree"), "/w/trees/a.rs");
        assert_eq!(below("./a.rs", "/w"), "a.rs");
    }
}
