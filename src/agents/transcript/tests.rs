//! Tests of `transcript`.

use super::*;

/// Writes the pieces as standard output and returns the texts of the file.
fn written(pieces: &[&[u8]]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("raw.jsonl");
    let masker = Masker::default();
    let mut raw = Transcript::create(&path, &masker);
    for piece in pieces {
        raw.keep(Stream::Stdout, piece);
        raw.write_all(false);
    }
    raw.write_all(true);
    let text = std::fs::read_to_string(&path).expect("the file");
    text.lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an object"))
        .map(|object| object["text"].as_str().expect("a text").to_owned())
        .collect()
}

#[test]
fn lines_are_written_whole_however_they_come() {
    assert_eq!(written(&[b"on", b"e\ntw", b"o\n\xff", b"!"]), ["one", "two", "\u{fffd}!"]);
}

#[test]
fn a_secret_in_two_pieces_is_masked() {
    let token = "A".repeat(36);
    let rest = format!("{token} after\n");
    assert_eq!(written(&[b"x ghp_", rest.as_bytes()]), ["x [MASKED:GITHUB_TOKEN] after"]);
}

#[test]
fn a_private_key_is_masked_whole() {
    let pieces: [&[u8]; 4] =
        [b"a\n-----BEGIN PRIVATE KEY-----\n", b"MIIB\n", b"-----END PRIVATE KEY-----\n", b"z\n"];
    assert_eq!(written(&pieces), ["a", "[MASKED:PRIVATE_KEY]", "z"]);
}

#[test]
fn a_private_key_without_an_end_never_shows() {
    let line = format!("{}\n", "MIIB".repeat(16));
    let body = line.repeat(2 * BLOCK / line.len());
    let pieces: [&[u8]; 3] = [b"-----BEGIN RSA PRIVATE KEY-----\n", body.as_bytes(), b"MIIB"];
    assert_eq!(written(&pieces), ["[MASKED:PRIVATE_KEY]"]);
}

#[test]
fn the_rest_of_a_line_without_end_is_let_go() {
    let long = "word ".repeat(BLOCK);
    let texts = written(&[long.as_bytes(), b"\nnext\n"]);
    assert_eq!(texts.len(), 2);
    assert!(texts[0].ends_with("word ") && texts[0].len() < BLOCK + BUFFER + BLOCK / 2);
    assert_eq!(texts[1], "next");
}

#[test]
fn a_file_that_cannot_be_made_ends_nothing() {
    let masker = Masker::default();
    let mut raw = Transcript::create(Path::new("/no/such/folder/raw.jsonl"), &masker);
    raw.keep(Stream::Stderr, b"x\n");
    raw.write_all(true);
}

#[test]
fn the_file_does_not_grow_beyond_its_limit() {
    let line = format!("{}\n", "x ".repeat(50_000));
    let pieces = vec![line.as_bytes(); RAW_LIMIT / 100_000 + 5];
    let texts = written(&pieces);
    assert_eq!(texts.last().map(String::as_str), Some("the rest is left out"));
    assert!(texts.len() < pieces.len());
}

fn shown(pieces: &[&[u8]]) -> Option<String> {
    let masker = Masker::new([("MY_TOKEN".to_owned(), "correct horse".to_owned())]);
    let mut progress = Transcript::create(Path::new("/dev/null"), &masker);
    for piece in pieces {
        progress.keep_and_show(Stream::Stdout, piece);
    }
    let line = progress.flush().map(|line| line.to_string());
    assert_eq!(progress.flush(), None);
    line
}

#[test]
fn the_last_line_with_something_on_it_is_shown() {
    assert_eq!(shown(&[b"one\ntwo\n \n\nthr"]).as_deref(), Some("two"));
    assert_eq!(shown(&[b"one\ntw", b"o", b" too\n"]).as_deref(), Some("two too"));
    assert_eq!(shown(&[b"one\n", b"\n"]).as_deref(), Some("one"));
    assert_eq!(shown(&[b"one"]), None);
}

#[test]
fn the_line_is_masked_short_and_moves_no_cursor() {
    assert_eq!(shown(&[b"correct horse\n"]).as_deref(), Some("[MASKED:MY_TOKEN]"));
    assert_eq!(shown(&[b"\x1b[2J\x1b[1;31mred\x1b[0m\ta\x07\x1bcb\r\n"]).as_deref(), Some("red ab"));
    let long = format!("{}\n", "あ".repeat(3000));
    assert_eq!(shown(&[long.as_bytes()]), Some("あ".repeat(200)));
}
