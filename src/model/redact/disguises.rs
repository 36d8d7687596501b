//! The forms in which a known secret turns up although nobody wrote it down: encoded, escaped, reversed, cut.
//! Only cheap ones, found by value. A determined agent finds another: that is why it is not given the secret.

use std::collections::BTreeSet;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD as STANDARD, BASE64_URL_SAFE as URL_SAFE};

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
    for offset in 0..3 {
        forms.insert(base64(value.as_bytes(), offset, &STANDARD));
        forms.insert(base64(value.as_bytes(), offset, &URL_SAFE));
    }
    let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    forms.extend([hex.to_uppercase(), hex, url_encoded(value)]);
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

fn url_encoded(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let encode = |byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    value.bytes().map(encode).collect()
}

/// Returns the part of a base64 text that is the same whatever stands around the value, when it begins at this
/// offset of a group of three bytes: `user:SECRET` is encoded as a whole.
fn base64(value: &[u8], offset: usize, alphabet: &impl Engine) -> String {
    let text = alphabet.encode([&vec![0; offset], value].concat());
    let (first, end) = ((offset * 8).div_ceil(6), (offset + value.len()) * 8 / 6);
    text.get(first..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
