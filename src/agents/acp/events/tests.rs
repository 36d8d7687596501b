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
        writer.write_answer("a", None);
        writer.write_answer("b", None);
        writer.write_note("reads\n a file");
        writer.write_answer("", None);
        writer.write_answer("c", None);
        writer.write_answer("d", Some("2"));
        writer.write_answer("e", Some("2"));
        writer.write_thought("hm");
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
        writer.write_answer(&long, None);
        writer.write_answer("more than fits", None);
        writer.write_answer("nothing of this", None);
    });
    let length: usize =
        lines.iter().map(|line| if let ClientEvent::Text { text, .. } = line { text.len() } else { 0 }).sum();
    let longest = lines.iter().map(|line| line.encode().len()).max();
    assert!(truncated && length == ANSWER_LIMIT && longest < Some(PIECE + 100), "{length} {longest:?}");
}

#[test]
fn thoughts_and_notes_are_limited_without_truncating_the_answer() {
    let (lines, truncated) = written(|writer| {
        writer.write_thought(&"x".repeat(THOUGHT_LIMIT + 1));
        for _ in 0..=NOTE_LIMIT {
            writer.write_note("n");
        }
        writer.write_alive();
    });
    let notes = lines.iter().filter(|line| matches!(line, ClientEvent::Note { .. })).count();
    assert_eq!((notes, truncated), (NOTE_LIMIT, false));
    assert_eq!(written(|writer| writer.write_note("n")).0, [ClientEvent::Note { text: "n".into() }]);
}
