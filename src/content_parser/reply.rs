//! Reads what an author answers to a reviewer's questions: the text as it is, bounded. It states no verdict and no claim.

use super::clipped;

/// The longest answer that is handed on, in characters.
const LONGEST: usize = 4_000;

/// Returns the answer; nothing when nothing was said.
pub fn read_reply(text: &str) -> Option<String> {
    let text = clipped(text.trim(), LONGEST).trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_its_text_and_silence_is_none() {
        assert_eq!(read_reply("\n Because 0 is meant.\n").as_deref(), Some("Because 0 is meant."));
        assert_eq!(read_reply(" \n"), None);
        assert_eq!(read_reply(&"あ".repeat(5_000)).map(|text| text.chars().count()), Some(LONGEST));
    }
}
