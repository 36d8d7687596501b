//! Tests of `events`.

use super::*;

fn written(write: impl FnOnce(&mut EventWriter<&mut Vec<u8>>)) -> (Vec<ClientEvent>, bool) {
    let mut out = Vec::new();
    let mut writer = EventWriter::new(&mut out);
    write(&mut writer);
    let truncated = writer.truncated;
    let text = String::from_utf8(out).expect("text");
    (text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect(), truncated)
}

fn text(text: &str, begins: bool) -> ClientEvent {
    ClientEvent::Text { text: text.into(), begins }
}

#[test]
fn notes_and_new_messages_start_a_new_answer_block() {
    let (lines, truncated) = written(|writer| {
        writer.answer("a", None);
        writer.answer("b", None);
        writer.note("reads\n a file");
        writer.answer("", None);
        writer.answer("c", None);
        writer.answer("d", Some("2"));
        writer.answer("e", Some("2"));
        writer.thought("hm");
    });
    let note = ClientEvent::Note { text: "reads  a file".into() };
    let thought = ClientEvent::Thought { text: "hm".into() };
    let expected = [
        text("a", true),
        text("b", false),
        note,
        text("c", true),
        text("d", true),
        text("e", false),
        thought,
    ];
    assert_eq!((lines, truncated), (expected.to_vec(), false));
}

#[test]
fn answer_text_is_cut_at_its_limit() {
    let long = "あ".repeat(ANSWER_LIMIT / 3);
    let (lines, truncated) = written(|writer| {
        writer.answer(&long, None);
        writer.answer("more than fits", None);
        writer.answer("nothing of this", None);
    });
    let length: usize =
        lines.iter().map(|line| if let ClientEvent::Text { text, .. } = line { text.len() } else { 0 }).sum();
    let longest = lines.iter().map(|line| line.encode().len()).max();
    assert!(truncated && length == ANSWER_LIMIT && longest < Some(PIECE + 100), "{length} {longest:?}");
}

#[test]
fn thoughts_and_notes_are_limited_without_truncating_the_answer() {
    let (lines, truncated) = written(|writer| {
        writer.thought(&"x".repeat(THOUGHT_LIMIT + 1));
        for _ in 0..=NOTE_LIMIT {
            writer.note("n");
        }
        writer.alive();
    });
    let notes = lines.iter().filter(|line| matches!(line, ClientEvent::Note { .. })).count();
    assert_eq!((notes, truncated), (NOTE_LIMIT, false));
    assert_eq!(written(|writer| writer.note("n")).0, [ClientEvent::Note { text: "n".into() }]);
}
