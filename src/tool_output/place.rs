//! Places as tools write them: `path:line:column`. Looks at no disk; whether the file exists is not said here.

use std::path::Path;

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) column: Option<u32>,
}

/// Reads `path:line` or `path:line:column`, also as a `file://` address.
pub(super) fn place(text: &str) -> Option<Place> {
    let text = text.trim().trim_end_matches([':', ')', ',']);
    let text = text.strip_prefix("file://").unwrap_or(text);
    let (rest, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let whole = rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    let (file, line, column) = whole.map_or((rest, last, None), |(file, line)| (file, line, Some(last)));
    let real = !file.is_empty() && !file.contains("://") && !file.starts_with("node:");
    real.then(|| Place { file: file.to_owned(), line, column })
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
        let read = |text| place(text).map(|place| (place.file, place.line, place.column));
        assert_eq!(read("src/a.rs:3:4:"), Some(("src/a.rs".into(), 3, Some(4))));
        assert_eq!(read("a.py:3"), Some(("a.py".into(), 3, None)));
        assert_eq!(read("file:///x/a b.ts:3:4)"), Some(("/x/a b.ts".into(), 3, Some(4))));
        assert_eq!(read("C:\\a.rs:3:4"), Some(("C:\\a.rs".into(), 3, Some(4))));
        for none in ["", ":", "a", "a:b", "12:30", ":3:4", "https://x:1:2", "node:internal:5:6"] {
            assert!(read(none).is_none_or(|(file, ..)| file == "12"), "{none}");
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
