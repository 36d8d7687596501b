//! Texts that are cut between two characters, and digests of them.

use sha2::{Digest, Sha256};

/// Returns at most so many bytes from the beginning of a text.
pub fn head(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}

/// Returns at most so many bytes from the end of a text.
pub fn tail(text: &str, bytes: usize) -> &str {
    let start = text.len().saturating_sub(bytes);
    let start = (start..=text.len()).find(|at| text.is_char_boundary(*at));
    &text[start.unwrap_or(text.len())..]
}

/// Returns at most so many characters of a text, with `…` where there are more.
pub fn shorten(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns a text in one line, with at most so many characters and `…` where there are more.
pub fn one_line(text: &str, characters: usize) -> String {
    shorten(&text.split_whitespace().collect::<Vec<_>>().join(" "), characters)
}

/// Returns the SHA-256 of the parts, one after the other, in lower-case hexadecimal digits.
pub fn sha256_hex(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_two_characters() {
        assert_eq!([head("aé", 9), head("aé", 3), head("aé", 2), head("é", 0)], ["aé", "aé", "a", ""]);
        assert_eq!([tail("éa", 9), tail("éa", 3), tail("éa", 2), tail("é", 0)], ["éa", "éa", "a", ""]);
        assert_eq!([shorten("éa", 2), shorten("éab", 2), shorten("", 0)], ["éa", "éa…", ""]);
        assert_eq!([one_line(" é\n a ", 3), one_line("a\tbc", 3)], ["é a", "a b…"]);
    }

    #[test]
    fn sha256_digest_is_lower_case_hex() {
        let of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!([sha256_hex(&[b"a", b"bc"]), sha256_hex(&[b"abc"])], [of_abc, of_abc]);
    }
}
