//! The section of a description that is ours, and the length that GitHub takes. What people write around the section stays
//! to the byte. Pure.

/// The longest body that we give GitHub. It takes 65,536 characters and does not say what it counts as one; units of UTF-16
/// are never fewer than characters. A distance is kept.
pub(super) const LONGEST_BODY: usize = 65_000;
/// The text that replaces what was cut off.
const CUT: &str = "\n\n(The rest does not fit here; the run's folder on its branch has all of it.)\n";

/// Returns how long GitHub may find a text.
pub(super) fn utf16_length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Returns the text, cut at the end of a line where it is longer than that.
pub(super) fn truncate(text: &str, most: usize) -> String {
    if utf16_length(text) <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(utf16_length(CUT));
    let mut used = 0;
    let is_beyond = |letter: char| {
        used += letter.len_utf16();
        used > room
    };
    let end = text.find(is_beyond).unwrap_or(text.len());
    let end = text[..end].rfind('\n').unwrap_or(end);
    format!("{}{CUT}", &text[..end])
}

/// With less room than this our part says nothing.
const SHORTEST: usize = 400;
/// Where our part begins and ends; invisible to readers.
const BEGIN: &str = "<!-- ai-workflow:begin -->";
const END: &str = "<!-- ai-workflow:end -->";

/// Returns our text between its marks.
pub(super) fn wrap_section(text: &str) -> String {
    wrap_section_within(text, LONGEST_BODY)
}

/// Returns our text between its marks, all no longer than that.
fn wrap_section_within(text: &str, most: usize) -> String {
    let room = most.saturating_sub(BEGIN.len() + END.len() + 2);
    // The text quotes agents and issues: marks in it must neither end nor begin the section.
    let text = text.replace(BEGIN, "").replace(END, "");
    format!("{BEGIN}\n{}\n{END}", truncate(text.trim_matches('\n'), room))
}

/// Returns a description with our part replaced, or added at its end where it has none.
pub(super) fn replace_section(description: &str, text: &str) -> String {
    let (before, after) = match find_section(description) {
        Some((begin, end)) => (description[..begin].to_owned(), &description[end..]),
        None if description.trim().is_empty() => (String::new(), ""),
        None => (format!("{}\n\n", description.trim_end()), ""),
    };
    let around = utf16_length(&before) + utf16_length(after);
    match LONGEST_BODY.checked_sub(around).filter(|room| *room >= SHORTEST) {
        Some(room) => format!("{before}{}{after}", wrap_section_within(text, room)),
        None => description.to_owned(),
    }
}

/// Returns where our first section begins and ends; a begin without an end is text of other people.
fn find_section(description: &str) -> Option<(usize, usize)> {
    let begin = description.find(BEGIN)?;
    let end = begin + description[begin..].find(END)? + END.len();
    Some((begin, end))
}

#[cfg(test)]
mod tests;
