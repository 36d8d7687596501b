//! Tests of `diff`.

use super::*;
use crate::tree_entry::parse_tree_entry;

#[test]
fn binary_files_in_a_diff_are_listed_except_images_and_archives() {
    let diff = "diff --git a/clean.ps1 b/clean.ps1\nBinary files /dev/null and b/clean.ps1 differ\n\
                diff --git a/a.PNG b/a.PNG\nBinary files a/a.PNG and b/a.PNG differ\n\
                diff --git a/old b/old\ndeleted file mode 100644\nBinary files a/old and /dev/null differ\n\
                diff --git a/x and b/y b/x and b/y\nBinary files a/x and b/y and b/x and b/y differ\n\
                diff --git \"a/\\t.sh\" \"b/\\t.sh\"\nBinary files \"a/\\t.sh\" and \"b/\\t.sh\" differ\n\
                diff --git a/z b/z\n@@ -0,0 +1 @@\n+Binary files a/q and b/q differ\n Binary files a/r and b/r differ\n";
    assert_eq!(find_not_shown(diff), ["clean.ps1", "y", "\\t.sh"]);
}

#[test]
fn index_marks_and_tree_entries_are_parsed() {
    assert_eq!([unmark("S a b"), unmark("h c"), unmark("s d")], [Some("a b"), Some("c"), Some("d")]);
    assert_eq!([unmark("H a"), unmark("C b"), unmark("")], [None, None, None]);
    let found = parse_tree_entry("100644 blob 12ab\ta b");
    assert_eq!(found, Some(("a b".to_owned(), TreeEntry { mode: "100644".into(), id: "12ab".into() })));
}
