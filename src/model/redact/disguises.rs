//! The forms in which a known secret turns up although nobody wrote it down: encoded, escaped, reversed, cut.
//! Only cheap ones, found by value. A determined agent finds another: that is why it is not given the secret.

use std::collections::BTreeSet;

/// A longer value is a file (a key, a service account) and is looked for as it is: its parts have shapes.
const LONGEST_DISGUISED: usize = 256;
/// How much a known trick cuts off in front to get past scanners for prefixes, and how much must be left.
const CUT: usize = 7;
const LEFT: usize = 16;

/// Returns a value and its disguises.
pub(super) fn of(value: &str) -> BTreeSet<String> {
    let mut forms = BTreeSet::from([value.to_owned(), escaped(value)]);
    if value.len() > LONGEST_DISGUISED {
        return forms;
    }
    for alphabet in [STANDARD, URL_SAFE] {
        forms.extend((0..3).map(|offset| base64(value.as_bytes(), offset, alphabet)));
    }
    forms.extend([hex(value, "0123456789abcdef"), hex(value, "0123456789ABCDEF"), url_encoded(value)]);
    forms.extend([spelled(value, false), spelled(value, true)]);
    forms.insert(value.chars().rev().collect());
    if let Some(rest) = value.get(CUT..).filter(|rest| rest.len() >= LEFT) {
        forms.insert(rest.to_owned());
    }
    // A value of letters that read the same in a disguise is one form; an empty one is none.
    forms.retain(|form| !form.trim().is_empty());
    forms
}

/// Returns the value as it stands inside a JSON text.
fn escaped(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Returns the value with every character as a JSON escape.
fn spelled(value: &str, upper: bool) -> String {
    let unit = |unit: u16| if upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
    value.encode_utf16().map(unit).collect()
}

fn hex(value: &str, digits: &str) -> String {
    let digit = |nibble: u8| char::from(digits.as_bytes()[usize::from(nibble)]);
    value.bytes().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn url_encoded(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let encode = |byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    value.bytes().map(encode).collect()
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Returns the part of a base64 text that is the same whatever stands around the value, when it begins at this
/// offset of a group of three bytes: `user:SECRET` is encoded as a whole.
fn base64(value: &[u8], offset: usize, alphabet: &[u8; 64]) -> String {
    let bit = |at: usize| {
        let byte = at / 8;
        byte >= offset && value.get(byte - offset).is_some_and(|value| value >> (7 - at % 8) & 1 == 1)
    };
    let first = (offset * 8).div_ceil(6);
    let end = (offset + value.len()) * 8 / 6;
    (first..end)
        .map(|at| (0..6).fold(0, |index, place| index << 1 | usize::from(bit(at * 6 + place))))
        .map(|index| char::from(alphabet[index]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_found_at_every_offset() {
        // "user:" + value, "ab" + value and value + "!" as any encoder writes them.
        let value = b"Man is distinguished";
        assert_eq!(base64(value, 0, STANDARD), "TWFuIGlzIGRpc3Rpbmd1aXNoZW");
        assert!("YU1hbiBpcyBkaXN0aW5ndWlzaGVkIQ==".contains(&base64(value, 1, STANDARD)));
        assert!("YWJNYW4gaXMgZGlzdGluZ3Vpc2hlZA==".contains(&base64(value, 2, STANDARD)));
        assert_eq!(base64(&[0xfb, 0xff, 0xfe], 0, URL_SAFE), "-__-");
        assert_eq!(base64(&[0xfb, 0xff, 0xfe], 0, STANDARD), "+//+");
    }

    #[test]
    fn a_value_has_all_its_forms() {
        let forms = of("p\"ss w/rd");
        for form in [
            "p\"ss w/rd",
            "p\\\"ss w/rd",
            "7022737320772f7264",
            "7022737320772F7264",
            "p%22ss%20w%2Frd",
            "dr/w ss\"p",
            "\\u0070\\u0022\\u0073\\u0073\\u0020\\u0077\\u002f\\u0072\\u0064",
            "\\u0070\\u0022\\u0073\\u0073\\u0020\\u0077\\u002F\\u0072\\u0064",
        ] {
            assert!(forms.contains(form), "{form}: {forms:?}");
        }
        assert!(of("ghp_abcdefghijklmnopqrstuvwxyz").contains("defghijklmnopqrstuvwxyz"));
        assert_eq!(of(&"k".repeat(300)).len(), 1);
        assert!(of("").is_empty());
    }
}
