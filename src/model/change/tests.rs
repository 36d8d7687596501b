//! Tests of `change`.

use super::*;

fn added(change: &Change) -> Vec<(usize, &str)> {
    change.added_lines().collect()
}

#[test]
fn added_and_removed_lines_are_numbered_from_one() {
    let change = Change::of_texts("a", Some("one\ntwo\nthree\n"), Some("zero\none\n2\nthree"));
    assert_eq!(added(&change), [(1, "zero"), (3, "2"), (4, "three")]);
    assert_eq!(change.removed_lines().collect::<Vec<_>>(), [(2, "two"), (3, "three")]);
}

#[test]
fn new_file_has_only_added_lines_and_deleted_file_only_removed_ones() {
    assert_eq!(added(&Change::of_texts("a", None, Some("x\r\ny"))), [(1, "x"), (2, "y")]);
    let gone = Change::of_texts("a", Some("x\ny\n"), None);
    assert_eq!((added(&gone), gone.removed_lines().count()), (vec![], 2));
    assert!(gone.is_deleted() && !gone.is_new());
}

#[test]
fn non_text_content_has_no_lines() {
    assert_eq!(FileContent::of(vec![b'a', 0]), FileContent::Binary(vec![b'a', 0]));
    assert_eq!(FileContent::of(vec![0xff, 1]), FileContent::Binary(vec![0xff, 1]));
    assert_eq!(FileContent::of(b"text".to_vec()), FileContent::Text("text".into()));
    assert_eq!(FileContent::of(vec![b'a'; 5 * 1024 * 1024]).size(), 5 * 1024 * 1024);
    let link = FileVersion { mode: FileMode::Link, content: FileContent::Text("target".into()) };
    assert_eq!(added(&Change::new("a", None, Some(link))), []);
}

#[test]
fn text_in_other_encodings_is_decoded() {
    let wide = |text: &str, of: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(of).collect::<Vec<u8>>();
    assert_eq!(FileContent::of(b"caf\xe9\n".to_vec()), FileContent::Text("café\n".into()));
    for bytes in [wide("\u{feff}é\n", u16::to_le_bytes), wide("\u{feff}é\n", u16::to_be_bytes)] {
        assert_eq!(FileContent::of(bytes), FileContent::Text("é\n".into()));
    }
    let unmarked = FileContent::of(wide("key", u16::to_le_bytes));
    assert_eq!((unmarked.text(), unmarked.legible().as_deref()), (None, Some("key")));
}
