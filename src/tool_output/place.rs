//! Files as tools write them. Looks at no disk; whether the file exists is not said here.

use std::path::Path;

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
    fn a_file_below_the_worktree_is_called_as_the_repository_calls_it() {
        assert_eq!(below("/w/tree/src/a.rs", "/w/tree"), "src/a.rs");
        assert_eq!(below("/w/tree/src/a.rs", "/w/tree/"), "src/a.rs");
        assert_eq!(below("/w/trees/a.rs", "/w/tree"), "/w/trees/a.rs");
        assert_eq!(below("./a.rs", "/w"), "a.rs");
    }
}
