//! Tests of `json_lines`.

use super::*;

fn whole(text: &str) -> Line {
    Line { text: text.to_owned(), is_cut: false }
}

#[test]
fn lines_are_assembled_across_chunk_boundaries() {
    let mut lines = LineSplitter::default();
    assert_eq!(lines.push(b"on"), []);
    assert_eq!(lines.push(b"e\r\n\ntwo\nth\xff"), [whole("one"), whole("two")]);
    assert_eq!(lines.finish(), Some(whole("th\u{fffd}")));
    assert_eq!(lines.finish(), None);
}

#[test]
fn utf8_characters_split_across_chunks_are_joined() {
    let mut lines = LineSplitter::default();
    let (first, second) = "あ\n".as_bytes().split_at(1);
    assert_eq!([lines.push(first), lines.push(second)].concat(), [whole("あ")]);
}

#[test]
fn overlong_lines_are_cut_and_not_buffered() {
    let mut lines = LineSplitter::new(4);
    for _ in 0..1000 {
        assert_eq!(lines.push(&[b'x'; 1000]), []);
    }
    assert!(lines.unfinished.capacity() < 64);
    assert_eq!(lines.push(b"y\nnext\n"), [Line { text: "xxxx".into(), is_cut: true }, whole("next")]);
}

#[test]
fn session_ids_with_unsafe_characters_are_refused() {
    assert_eq!(session_id("22222222-2222-4222"), Some("22222222-2222-4222"));
    for bad in ["", "--dangerously", "-c", "a b", "../x", "a/b", &"x".repeat(NAME_LIMIT + 1)] {
        assert_eq!(session_id(bad), None, "{bad}");
    }
}

#[test]
fn names_lose_control_characters_and_are_cut_at_the_limit() {
    assert_eq!(sanitize_name(" gpt\x1b[2J "), Some("gpt[2J".to_owned()));
    assert_eq!(sanitize_name("\n"), None);
    assert_eq!(sanitize_name(&"あ".repeat(900)).map(|name| name.chars().count()), Some(NAME_LIMIT));
}
