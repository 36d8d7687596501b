//! `Masked` is the only text that may leave: every sink takes it, and only a [`Masker`] makes it.
//! Masks the values of the secrets we were given, also disguised (base64, hex, URL-encoded, reversed), the known
//! shapes of tokens, and values that stand behind the name of a credential. Commit hashes, paths and names stay.
//! The second line of defence: the first is that agents are not given any secret. Of disguises only cheap ones are looked for,
//! by value: a determined agent finds another.

mod credentials;
mod shapes;

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD as STANDARD, BASE64_URL_SAFE as URL_SAFE};
use regex::{Captures, Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::Value;
use serde_with::{As, DisplayFromStr};

use crate::data_file;

pub use shapes::SecretKind;

/// Text without secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq, derive_more::Display)]
pub struct Masked(String);

impl Masked {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Wraps a text that is written in our own source and therefore holds no secret.
    pub fn own(text: &'static str) -> Self {
        Self(text.to_owned())
    }
}

/// Knows the secrets by value and the shapes of tokens. Its debug text says how many secrets there are and none of them.
#[derive(Clone, Default, derive_more::Debug)]
#[debug("Masker({} values)", names.len())]
pub struct Masker {
    /// The name that takes the place of each value and of each of its disguises.
    names: HashMap<String, String>,
    /// Finds all of them in one pass; the longest first, so that a secret that contains another one disappears whole.
    values: Option<Regex>,
}

/// Secrets shorter than this are not masked by value: they would eat ordinary text.
pub const SHORTEST_SECRET: usize = 8;

impl Masker {
    /// Makes a masker for named secret values; `[MASKED:NAME]` takes their place.
    pub fn new(secrets: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut secrets: Vec<_> = secrets.into_iter().collect();
        secrets.sort();
        let mut names = HashMap::new();
        for (name, value) in &secrets {
            let needles = encoded_forms(value.trim()).into_iter();
            for needle in needles.filter(|needle| needle.len() >= SHORTEST_SECRET) {
                names.entry(needle).or_insert_with(|| name.clone());
            }
        }
        let values = any_of(names.keys());
        Self { names, values }
    }

    /// Makes a masker for every variable of an environment whose name says that it is a secret.
    pub fn from_environment(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self::new(variables.into_iter().filter(|(name, _)| is_secret_name(name)))
    }

    /// Returns the text with every secret replaced. Masking a masked text changes nothing.
    pub fn mask(&self, text: &str) -> Masked {
        let masked = match &self.values {
            Some(values) => {
                let name = |found: &Captures<'_>| format!("[MASKED:{}]", self.names[&found[0]]);
                values.replace_all(text, name).into_owned()
            }
            None => text.to_owned(),
        };
        Masked(credentials::mask(shapes::mask(masked)))
    }

    /// Masks every text inside a JSON value, keys left alone.
    pub fn mask_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.mask(text).0,
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask_value(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.mask_value(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// A longer value is a file (a key, a service account) and is looked for as it is: its parts have shapes.
const LONGEST_DISGUISED: usize = 256;
/// How much a known trick cuts off in front to get past scanners for prefixes, and how much must be left.
const CUT: usize = 7;
const LEFT: usize = 16;

/// Returns a value and its disguises.
fn encoded_forms(value: &str) -> BTreeSet<String> {
    let mut forms = BTreeSet::from([value.to_owned(), escape_json(value)]);
    if value.len() > LONGEST_DISGUISED {
        return forms;
    }
    for offset in 0..3 {
        forms.insert(base64(value.as_bytes(), offset, &STANDARD));
        forms.insert(base64(value.as_bytes(), offset, &URL_SAFE));
    }
    let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    forms.extend([hex.to_uppercase(), hex, encode_url(value)]);
    forms.extend([escape_every_character(value, false), escape_every_character(value, true)]);
    forms.insert(value.chars().rev().collect());
    if let Some(rest) = value.get(CUT..).filter(|rest| rest.len() >= LEFT) {
        forms.insert(rest.to_owned());
    }
    // A value of letters that read the same in a disguise is one form; an empty one is none.
    forms.retain(|form| !form.trim().is_empty());
    forms
}

/// Returns the value as it stands inside a JSON text.
fn escape_json(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Returns the value with every character as a JSON escape.
fn escape_every_character(value: &str, upper: bool) -> String {
    let unit = |unit: u16| if upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
    value.encode_utf16().map(unit).collect()
}

fn encode_url(value: &str) -> String {
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

/// Returns what finds any of the texts, the longest first.
fn any_of<'a>(texts: impl Iterator<Item = &'a String>) -> Option<Regex> {
    let mut texts: Vec<_> = texts.map(String::as_str).collect();
    texts.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    if texts.is_empty() {
        return None;
    }
    let pattern: Vec<_> = texts.into_iter().map(regex::escape).collect();
    let built = RegexBuilder::new(&pattern.join("|")).size_limit(usize::MAX).build();
    Some(built.expect("escaped texts of any size are a pattern"))
}

/// Tells whether a variable of this name holds a secret. A name that ends in a word for a place holds a path.
pub fn is_secret_name(name: &str) -> bool {
    let upper = name.to_uppercase();
    let ends_in = |endings: &[String]| endings.iter().any(|ending| upper.ends_with(ending));
    let has_part = LISTS.secret_name_parts.iter().any(|part| upper.contains(part));
    !ends_in(&LISTS.place_endings) && (has_part || ends_in(&LISTS.secret_name_endings))
}

/// The words and shapes of `lists.toml`.
#[derive(Deserialize)]
struct SecretPatterns {
    secret_name_parts: Vec<String>,
    secret_name_endings: Vec<String>,
    place_endings: Vec<String>,
    filler_words: BTreeSet<String>,
    header_words: BTreeSet<String>,
    example_words: Vec<String>,
    public_passwords: Vec<String>,
    other_hints: Vec<String>,
    #[serde(deserialize_with = "As::<DisplayFromStr>::deserialize")]
    aws_secret: Regex,
    #[serde(deserialize_with = "As::<DisplayFromStr>::deserialize")]
    address_with_password: Regex,
    #[serde(deserialize_with = "As::<DisplayFromStr>::deserialize")]
    version: Regex,
    #[serde(deserialize_with = "As::<DisplayFromStr>::deserialize")]
    number: Regex,
    shapes: Vec<shapes::SecretShape>,
}

static LISTS: LazyLock<SecretPatterns> = LazyLock::new(|| data_file::read(include_str!("redact/lists.toml")));

/// Matches what every text with a secret of a known kind has in it.
static HINTS: LazyLock<Regex> = LazyLock::new(|| {
    let of_shapes = LISTS.shapes.iter().filter_map(|shape| shape.hint.as_ref());
    let hints: BTreeSet<&str> = of_shapes.chain(&LISTS.other_hints).map(String::as_str).collect();
    Regex::new(&Vec::from_iter(hints).join("|")).expect("the lists are a constant")
});

#[cfg(test)]
mod tests;
