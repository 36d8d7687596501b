//! Tests of `change`.

use super::*;

fn added(change: &Change) -> Vec<(usize, &str)> {
    change.added_lines().collect()
}

#[test]
fn lines_that_came_and_went_are_numbered_from_one() {
    let change = Change::of_texts("a", Some("one\ntwo\nthree\n"), Some("zero\none\n2\nthree"));
    assert_eq!(added(&change), [(1, "zero"), (3, "2"), (4, "three")]);
    assert_eq!(change.removed_lines().collect::<Vec<_>>(), [(2, "two"), (3, "three")]);
}

#[test]
fn of_a_new_file_all_lines_came_and_of_a_deleted_one_all_went() {
    assert_eq!(added(&Change::of_texts("a", None, Some("x\r\ny"))), [(1, "x"), (2, "y")]);
    let gone = Change::of_texts("a", Some("x\ny\n"), None);
    assert_eq!((added(&gone), gone.removed_lines().count()), (vec![], 2));
    assert!(gone.is_deleted() && !gone.is_new());
}

#[test]
fn what_is_no_text_has_no_lines() {
    assert_eq!(FileContent::of(vec![b'a', 0]), FileContent::Binary(vec![b'a', 0]));
    assert_eq!(FileContent::of(vec![0xff, 1]), FileContent::Binary(vec![0xff, 1]));
    assert_eq!(FileContent::of(b"text".to_vec()), FileContent::Text("text".into()));
    assert_eq!(FileContent::of(vec![b'a'; 5 * 1024 * 1024]).size(), 5 * 1024 * 1024);
    let link = FileVersion { mode: FileMode::Link, content: FileContent::Text("target".into()) };
    assert_eq!(added(&Change::new("a", None, Some(link))), []);
}

#[test]
fn a_text_is_a_text_in_any_encoding() {
    let wide = |text: &str, of: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(of).collect::<Vec<u8>>();
    assert_eq!(FileContent::of(b"caf\xe9\n".to_vec()), FileContent::Text("café\n".into()));
    for bytes in [wide("\u{feff}é\n", u16::to_le_bytes), wide("\u{feff}é\n", u16::to_be_bytes)] {
        assert_eq!(FileContent::of(bytes), FileContent::Text("é\n".into()));
    }
    let unmarked = FileContent::of(wide("key", u16::to_le_bytes));
    assert_eq!((unmarked.text(), unmarked.legible().as_deref()), (None, Some("key")));
}
