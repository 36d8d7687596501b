//! Cuts a text where it would be too long for GitHub. Pure.

/// The longest body that we give GitHub. It takes 65,536 characters and does not say what it counts as one; units of UTF-16
/// are never fewer than characters. A distance is kept.
pub(super) const LONGEST: usize = 65_000;
/// What stands where something was cut.
const CUT: &str = "\n\n(The rest does not fit here; the run's folder on its branch has all of it.)\n";

/// Returns how long GitHub may find a text.
pub(super) fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Returns the text, cut at the end of a line where it is longer than that.
pub(super) fn fitted(text: &str, most: usize) -> String {
    if length(text) <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(length(CUT));
    let mut used = 0;
    let is_beyond = |letter: char| {
        used += letter.len_utf16();
        used > room
    };
    let end = text.find(is_beyond).unwrap_or(text.len());
    let end = text[..end].rfind('\n').unwrap_or(end);
    format!("{}{CUT}", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_the_end_of_a_line_and_says_so() {
        let long = "one line of text\n".repeat(5_000);
        let cut = fitted(&long, LONGEST);
        assert!(length(&cut) <= LONGEST && cut.ends_with(CUT));
        assert!(cut.trim_end_matches(CUT).ends_with("one line of text"));
        assert_eq!(fitted("short", LONGEST), "short");
        for letter in ["ぁ", "\u{20bb7}"] {
            let cut = fitted(&letter.repeat(70_000), LONGEST);
            assert!((LONGEST - 1..=LONGEST).contains(&length(&cut)), "{}", length(&cut));
        }
    }
}
