//! Tests of `json_lines`.

use super::*;

fn whole(text: &str) -> Line {
    Line { text: text.to_owned(), is_cut: false }
}

#[test]
fn lines_are_whole_however_they_come() {
    let mut lines = LineSplitter::default();
    assert_eq!(lines.push(b"on"), []);
    assert_eq!(lines.push(b"e\r\n\ntwo\nth\xff"), [whole("one"), whole("two")]);
    assert_eq!(lines.finish(), Some(whole("th\u{fffd}")));
    assert_eq!(lines.finish(), None);
}

#[test]
fn a_character_in_two_pieces_stays_one() {
    let mut lines = LineSplitter::default();
    let (first, second) = "あ\n".as_bytes().split_at(1);
    assert_eq!([lines.push(first), lines.push(second)].concat(), [whole("あ")]);
}

#[test]
fn a_line_that_is_too_long_is_cut_and_costs_no_memory() {
    let mut lines = LineSplitter::new(4);
    for _ in 0..1000 {
        assert_eq!(lines.push(&[b'x'; 1000]), []);
    }
    assert!(lines.unfinished.capacity() < 64);
    assert_eq!(lines.push(b"y\nnext\n"), [Line { text: "xxxx".into(), is_cut: true }, whole("next")]);
}

#[test]
fn a_session_is_a_plain_word() {
    assert_eq!(session_id("22222222-2222-4222"), Some("22222222-2222-4222"));
    for bad in ["", "--dangerously", "-c", "a b", "../x", "a/b", &"x".repeat(NAME_LIMIT + 1)] {
        assert_eq!(session_id(bad), None, "{bad}");
    }
}

#[test]
fn a_name_moves_no_cursor_and_has_an_end() {
    assert_eq!(sanitize_name(" gpt\x1b[2J "), Some("gpt[2J".to_owned()));
    assert_eq!(sanitize_name("\n"), None);
    assert_eq!(sanitize_name(&"あ".repeat(900)).map(|name| name.chars().count()), Some(NAME_LIMIT));
}
