//! Names that a program gives: sessions, models, versions. Believed in form only; whether they are right is not asked.

/// How long a name gets.
const LONGEST: usize = 128;

/// Returns a session that can stand on a command line, where nothing may look like a flag.
pub(super) fn session(text: &str) -> Option<&str> {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let good = plain && text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.len() <= LONGEST;
    good.then_some(text)
}

/// Returns a name without control characters and not too long; nothing when nothing is left.
pub(super) fn name(text: &str) -> Option<String> {
    let name: String = text.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_a_plain_word() {
        assert_eq!(session("22222222-2222-4222"), Some("22222222-2222-4222"));
        for bad in ["", "--dangerously", "-c", "a b", "../x", "a/b", &"x".repeat(LONGEST + 1)] {
            assert_eq!(session(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_name_moves_no_cursor_and_has_an_end() {
        assert_eq!(name(" gpt\x1b[2J "), Some("gpt[2J".to_owned()));
        assert_eq!(name("\n"), None);
        assert_eq!(name(&"あ".repeat(900)).map(|name| name.chars().count()), Some(LONGEST));
    }
}
