//! Tests of `changes`.

use super::*;
use crate::objects::tree_entry;

#[test]
fn marks_and_entries_are_read() {
    assert_eq!([marked("S a b"), marked("h c"), marked("s d")], [Some("a b"), Some("c"), Some("d")]);
    assert_eq!([marked("H a"), marked("C b"), marked("")], [None, None, None]);
    let found = tree_entry("100644 blob 12ab\ta b");
    assert_eq!(found, Some(("a b".to_owned(), TreeEntry { mode: "100644".into(), id: "12ab".into() })));
}
