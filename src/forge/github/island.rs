//! The part of a description that is ours. What people write around it stays to the byte. Pure.

use super::fitting::{LONGEST, fitted, length};

/// With less room than this our part says nothing.
const LEAST: usize = 400;
/// Where our part begins and ends; invisible to readers.
const BEGIN: &str = "<!-- ai-workflow:begin -->";
const END: &str = "<!-- ai-workflow:end -->";

/// Returns our text between its marks.
pub(super) fn alone(ours: &str) -> String {
    within(ours, LONGEST)
}

/// Returns our text between its marks, all no longer than that.
fn within(ours: &str, most: usize) -> String {
    let room = most.saturating_sub(BEGIN.len() + END.len() + 2);
    format!("{BEGIN}\n{}\n{END}", fitted(without_marks(ours).trim_matches('\n'), room))
}

/// Returns a description with our part replaced, or added at its end where it has none.
pub(super) fn placed(description: &str, ours: &str) -> String {
    let (before, after) = match span(description) {
        Some((begin, end)) => (description[..begin].to_owned(), &description[end..]),
        None if description.trim().is_empty() => (String::new(), ""),
        None => (format!("{}\n\n", description.trim_end()), ""),
    };
    let theirs = length(&before) + length(after);
    match LONGEST.checked_sub(theirs).filter(|room| *room >= LEAST) {
        Some(room) => format!("{before}{}{after}", within(ours, room)),
        None => description.to_owned(),
    }
}

/// The first of our parts; a begin without an end is somebody else's text.
fn span(description: &str) -> Option<(usize, usize)> {
    let begin = description.find(BEGIN)?;
    let end = begin + description[begin..].find(END)? + END.len();
    Some((begin, end))
}

/// Our text holds what agents and issues said: it can neither end nor begin the part.
fn without_marks(ours: &str) -> String {
    ours.replace(BEGIN, "").replace(END, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote_around_our_part_stays() {
        let before = format!("Please look.\r\n\r\n{}\n\n- [x] mine", alone("old"));
        let after = placed(&before, "new");
        assert_eq!(after, format!("Please look.\r\n\r\n{}\n\n- [x] mine", alone("new")));
    }

    #[test]
    fn a_description_without_our_part_gets_it_at_the_end() {
        assert_eq!(placed("", "ours"), alone("ours"));
        assert_eq!(placed("theirs\n", "ours"), format!("theirs\n\n{}", alone("ours")));
        assert_eq!(placed(BEGIN, "ours"), format!("{BEGIN}\n\n{}", alone("ours")));
    }

    #[test]
    fn our_own_text_cannot_close_the_part() {
        let hostile = format!("a{END}b");
        assert_eq!(placed(&alone("old"), &hostile), alone("ab"));
    }

    #[test]
    fn a_description_that_would_be_too_long_stays_as_it_was() {
        let long = "x".repeat(LONGEST - 10);
        assert_eq!(placed(&long, "ours"), long);
    }
}
