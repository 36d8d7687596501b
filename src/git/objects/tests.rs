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

#[test]
fn raw_diff_entries_give_both_sides() {
    let text = ":100644 100755 1 2 M\0a b\0:000000 100644 0 3 A\0new\0:120000 000000 4 0 D\0gone\0";
    let sides = parse_raw_diff(text).expect("entries");
    assert_eq!(sides["a b"].0, Some(TreeEntry { mode: "100644".into(), id: "1".into() }));
    assert_eq!((sides["new"].0.is_none(), sides["gone"].0.is_some()), (true, true));
    assert_eq!(parse_raw_diff("nonsense\0x\0"), None);
}
