//! `Masked` is the only text that may leave: every sink takes it, and only a [`Masker`] makes it.
//! Masks the values of the secrets we were given, also disguised (base64, hex, URL-encoded, reversed), the known
//! shapes of tokens, and values that stand behind the name of a credential. Commit hashes, paths and names stay.
//! The second line of defence: the first is that agents are not given any secret.

mod credentials;
mod disguises;
mod shapes;

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::LazyLock;

use regex::{Captures, Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::Value;

pub use shapes::Kind;

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

/// Knows the secrets by value and the shapes of tokens.
#[derive(Clone, Default)]
pub struct Masker {
    /// The name that takes the place of each value and of each of its disguises.
    names: HashMap<String, String>,
    /// Finds all of them in one pass; the longest first, so that a secret that contains another one disappears whole.
    values: Option<Regex>,
}

impl fmt::Debug for Masker {
    /// Says how many secrets there are and none of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Masker({} values)", self.names.len())
    }
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
            for needle in
                disguises::of(value.trim()).into_iter().filter(|needle| needle.len() >= SHORTEST_SECRET)
            {
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

/// Returns what finds any of the texts, the longest first.
fn any_of<'a>(texts: impl Iterator<Item = &'a String>) -> Option<Regex> {
    let mut texts: Vec<_> = texts.map(String::as_str).collect();
    texts.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    let pattern: Vec<_> = texts.into_iter().map(regex::escape).collect();
    let build = || RegexBuilder::new(&pattern.join("|")).size_limit(usize::MAX).build();
    if pattern.is_empty() {
        return None;
    }
    Some(build().expect("escaped texts of any size are a pattern"))
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
struct Lists {
    secret_name_parts: Vec<String>,
    secret_name_endings: Vec<String>,
    place_endings: Vec<String>,
    filler_words: BTreeSet<String>,
    header_words: BTreeSet<String>,
    example_words: Vec<String>,
    public_passwords: Vec<String>,
    shapes: Vec<shapes::Shape>,
}

static LISTS: LazyLock<Lists> =
    LazyLock::new(|| toml::from_str(include_str!("redact/lists.toml")).expect("the lists are a constant"));

#[cfg(test)]
mod tests;
