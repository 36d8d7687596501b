//! `Masked` is the only text that may leave: every sink takes it, and only a [`Masker`] makes it.
//! Masks the values of the secrets we were given and known token shapes. Commit hashes, paths and names stay.

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// Text without secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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

impl fmt::Display for Masked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Knows the secrets by value and the shapes of tokens.
#[derive(Debug, Clone, Default)]
pub struct Masker {
    /// Longest first, so that a secret that contains another one disappears whole.
    values: Vec<(String, String)>,
}

/// Secrets shorter than this are not masked by value: they would eat ordinary text.
pub const SHORTEST_SECRET: usize = 8;

impl Masker {
    /// Makes a masker for named secret values; `[MASKED:NAME]` takes their place.
    pub fn new(secrets: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut values: Vec<_> =
            secrets.into_iter().filter(|(_, value)| value.trim().len() >= SHORTEST_SECRET).collect();
        values.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.cmp(b)));
        Self { values }
    }

    /// Makes a masker for every variable of an environment whose name says that it is a secret.
    pub fn from_environment(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self::new(variables.into_iter().filter(|(name, _)| is_secret_name(name)))
    }

    /// Returns the text with every secret replaced.
    pub fn mask(&self, text: &str) -> Masked {
        let mut masked = text.to_owned();
        for (name, value) in &self.values {
            if masked.contains(value.as_str()) {
                masked = masked.replace(value.as_str(), &format!("[MASKED:{name}]"));
            }
        }
        for (name, shape) in SHAPES.iter() {
            if shape.is_match(&masked) {
                masked = shape.replace_all(&masked, format!("[MASKED:{name}]")).into_owned();
            }
        }
        Masked(masked)
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

/// Tells whether a variable of this name holds a secret.
pub fn is_secret_name(name: &str) -> bool {
    let upper = name.to_uppercase();
    ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY", "CREDENTIAL"]
        .iter()
        .any(|part| upper.contains(part))
}

/// Token shapes with a prefix of their own; the more special one first.
static SHAPES: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    [
        ("PRIVATE_KEY", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)"),
        ("GITHUB_TOKEN", r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
        ("ANTHROPIC_KEY", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
        ("OPENROUTER_KEY", r"\bsk-or-[A-Za-z0-9_-]{20,}"),
        ("OPENAI_KEY", r"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}"),
        ("GOOGLE_KEY", r"\bAIza[A-Za-z0-9_-]{35}"),
        ("AWS_KEY", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
        ("GROQ_KEY", r"\bgsk_[A-Za-z0-9]{20,}"),
        ("PERPLEXITY_KEY", r"\bpplx-[A-Za-z0-9]{20,}"),
        ("HUGGINGFACE_KEY", r"\bhf_[A-Za-z0-9]{20,}"),
        ("STRIPE_KEY", r"\b[sr]k_live_[A-Za-z0-9]{16,}"),
        ("SLACK_TOKEN", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
        ("JWT", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
        ("AUTH_HEADER", r"(?i)\bauthorization:\s*(?:bearer|basic|token)\s+\S+"),
        ("URL_PASSWORD", r"(?P<scheme>\bhttps?://)[^\s/@:]+:[^\s/@]+@"),
    ]
    .into_iter()
    .map(|(name, pattern)| (name, Regex::new(pattern).expect("the pattern is a constant")))
    .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_masked_by_its_value_wherever_it_stands() {
        let masker = Masker::from_environment([
            ("MY_TOKEN".to_owned(), "correct horse battery".to_owned()),
            ("HOME".to_owned(), "/home/somebody".to_owned()),
        ]);
        assert_eq!(
            masker.mask("x=correct horse battery; HOME=/home/somebody").as_str(),
            "x=[MASKED:MY_TOKEN]; HOME=/home/somebody"
        );
    }

    #[test]
    fn known_shapes_are_masked_without_knowing_the_value() {
        let masker = Masker::default();
        for (text, name) in [
            (format!("ghp_{}", "A".repeat(36)), "GITHUB_TOKEN"),
            (format!("sk-ant-api03-{}", "a".repeat(30)), "ANTHROPIC_KEY"),
            (format!("sk-proj-{}", "a".repeat(30)), "OPENAI_KEY"),
            ("Authorization: Bearer abc".to_owned(), "AUTH_HEADER"),
            ("https://me:secret@example.org/x".to_owned(), "URL_PASSWORD"),
        ] {
            assert!(masker.mask(&text).as_str().contains(&format!("[MASKED:{name}]")), "{text}");
        }
    }

    #[test]
    fn hashes_paths_and_names_stay() {
        let text =
            "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904 in src/token/api_key.rs of task-runner sk-1";
        assert_eq!(Masker::default().mask(text).as_str(), text);
    }

    #[test]
    fn json_is_masked_inside_its_texts_only() {
        let mut value = serde_json::json!({"a": [format!("ghp_{}", "B".repeat(36))], "n": 1});
        Masker::default().mask_value(&mut value);
        assert_eq!(value, serde_json::json!({"a": ["[MASKED:GITHUB_TOKEN]"], "n": 1}));
    }

    #[test]
    fn a_short_value_is_left_alone() {
        let masker = Masker::new([("X_TOKEN".to_owned(), "abc".to_owned())]);
        assert_eq!(masker.mask("abcdef").as_str(), "abcdef");
    }
}
