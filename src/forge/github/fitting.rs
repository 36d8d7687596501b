//! Cuts a text where it would be too long for GitHub. Pure.

/// The longest body that GitHub takes, in characters.
pub(super) const LONGEST: usize = 65_536;
/// What stands where something was cut.
const CUT: &str = "\n\n(The rest does not fit here; the run's folder on its branch has all of it.)\n";

/// Returns the text, cut at the end of a line where it has more than so many characters.
pub(super) fn fitted(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(CUT.chars().count());
    let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
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
        assert!(cut.chars().count() <= LONGEST && cut.ends_with(CUT));
        assert!(cut.trim_end_matches(CUT).ends_with("one line of text"));
        assert_eq!(fitted("short", LONGEST), "short");
        assert!(fitted(&"ぁ".repeat(70_000), LONGEST).chars().count() <= LONGEST);
    }
}
