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
fn transcript_lines_are_assembled_across_chunk_boundaries() {
    assert_eq!(written(&[b"on", b"e\ntw", b"o\n\xff", b"!"]), ["one", "two", "\u{fffd}!"]);
}

#[test]
fn secrets_split_across_chunks_are_masked() {
    let token = "A".repeat(36);
    let rest = format!("{token} after\n");
    assert_eq!(written(&[b"x ghp_", rest.as_bytes()]), ["x [MASKED:GITHUB_TOKEN] after"]);
}

#[test]
fn private_keys_are_masked_as_one_block() {
    let pieces: [&[u8]; 4] =
        [b"a\n-----BEGIN PRIVATE KEY-----\n", b"MIIB\n", b"-----END PRIVATE KEY-----\n", b"z\n"];
    assert_eq!(written(&pieces), ["a", "[MASKED:PRIVATE_KEY]", "z"]);
}

#[test]
fn unterminated_private_keys_are_masked() {
    let line = format!("{}\n", "MIIB".repeat(16));
    let body = line.repeat(2 * BLOCK / line.len());
    let pieces: [&[u8]; 3] = [b"-----BEGIN RSA PRIVATE KEY-----\n", body.as_bytes(), b"MIIB"];
    assert_eq!(written(&pieces), ["[MASKED:PRIVATE_KEY]"]);
}

#[test]
fn rest_of_an_overlong_line_is_dropped() {
    let long = "word ".repeat(BLOCK);
    let texts = written(&[long.as_bytes(), b"\nnext\n"]);
    assert_eq!(texts.len(), 2);
    assert!(texts[0].ends_with("word ") && texts[0].len() < BLOCK + BUFFER + BLOCK / 2);
    assert_eq!(texts[1], "next");
}

#[test]
fn transcript_that_cannot_be_created_does_not_stop_the_call() {
    let masker = Masker::default();
    let mut raw = Transcript::create(Path::new("/no/such/folder/raw.jsonl"), &masker);
    raw.keep(Stream::Stderr, b"x\n");
    raw.write_all(true);
}

#[test]
fn transcript_size_is_limited() {
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
fn progress_shows_the_last_complete_nonempty_line() {
    assert_eq!(shown(&[b"one\ntwo\n \n\nthr"]).as_deref(), Some("two"));
    assert_eq!(shown(&[b"one\ntw", b"o", b" too\n"]).as_deref(), Some("two too"));
    assert_eq!(shown(&[b"one\n", b"\n"]).as_deref(), Some("one"));
    assert_eq!(shown(&[b"one"]), None);
}

#[test]
fn progress_line_is_masked_short_and_without_control_sequences() {
    assert_eq!(shown(&[b"correct horse\n"]).as_deref(), Some("[MASKED:MY_TOKEN]"));
    assert_eq!(shown(&[b"\x1b[2J\x1b[1;31mred\x1b[0m\ta\x07\x1bcb\r\n"]).as_deref(), Some("red ab"));
    let long = format!("{}\n", "あ".repeat(3000));
    assert_eq!(shown(&[long.as_bytes()]), Some("あ".repeat(200)));
}
