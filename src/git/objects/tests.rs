//! Tests of `objects`.

use super::*;

#[test]
fn only_complete_blobs_are_parsed() {
    let blobs = |answer| parse_batch(answer, "blob");
    assert_eq!(blobs(b"id blob 3\na\nb\n"), Some(vec![("id", b"a\nb".as_slice())]));
    assert_eq!(blobs(b"id tree 3\na\nb\n"), None);
    assert_eq!(blobs(b"id blob 9\na\nb\n"), None);
    assert_eq!(blobs(b"nothing"), None);
}

#[test]
fn incomplete_batch_of_blobs_is_refused_as_a_whole() {
    let blobs = |answer| parse_batch(answer, "blob");
    let found = blobs(b"1 blob 3\na\nb\n2 blob 0\n\n").expect("two blobs");
    assert_eq!(found, [("1", b"a\nb".as_slice()), ("2", b"".as_slice())]);
    assert_eq!(blobs(b"1 missing\n"), None);
    assert_eq!(blobs(b"1 blob 9\na\n"), None);
}
