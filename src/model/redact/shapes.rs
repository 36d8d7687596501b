//! The shapes of tokens that have a prefix of their own, headers that carry credentials, and addresses with a
//! password: replaced, or found with their kind. What looks like one and is not (a placeholder, a class name) stays; what
//! stands for a key in documents and tests (words, one letter over and over, the alphabet) is not found either.

use std::collections::BTreeSet;

use regex::{Captures, Regex};
use serde::Deserialize;
use serde_with::{As, DisplayFromStr};

use super::credentials::{has_digit_and_letter, is_placeholder, is_variable};
use super::{HINTS, LISTS, Masker};

/// A name, a pattern, and what else has to hold. What the pattern calls `keep` stays in front, `after` behind.
#[derive(Deserialize)]
pub(super) struct SecretShape {
    pub(super) name: String,
    #[serde(deserialize_with = "As::<DisplayFromStr>::deserialize")]
    pattern: Regex,
    /// What a text has in it that has such a secret; every shape that is not weak has one.
    pub(super) hint: Option<String>,
    condition: Option<ShapeCondition>,
    /// It may hold anything: a header, a cookie, an address.
    #[serde(default)]
    pub(super) weak: bool,
}

/// What has to hold besides a pattern.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ShapeCondition {
    Key,
    RunsOn,
    HeaderValue,
    Cookie,
    AddressPassword,
}

impl SecretShape {
    fn holds(&self, secret: &str) -> bool {
        match self.condition {
            None => true,
            Some(ShapeCondition::Key) => is_key(secret),
            Some(ShapeCondition::RunsOn) => runs_on(secret),
            Some(ShapeCondition::HeaderValue) => is_header_value(secret),
            Some(ShapeCondition::Cookie) => is_cookie(secret),
            Some(ShapeCondition::AddressPassword) => is_address_password(secret),
        }
    }
}

/// Replaces everything that has a known shape. Shape by shape: each looks for its own prefix, which is faster than
/// asking for all of them at once. Word boundaries are ASCII: a token may stand right behind a kanji.
pub(super) fn mask(text: String) -> String {
    LISTS.shapes.iter().fold(text, |text, shape| {
        if !shape.pattern.is_match(&text) {
            return text;
        }
        let by = |found: &Captures<'_>| {
            if !shape.holds(&found["secret"]) {
                return found[0].to_owned();
            }
            let part = |name| found.name(name).map_or("", |part| part.as_str());
            format!("{}[MASKED:{}]{}", part("keep"), shape.name, part("after"))
        };
        shape.pattern.replace_all(&text, by).into_owned()
    })
}

/// What a secret was found by. Its text is the name of the kind, which holds nothing of the value.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub enum SecretKind {
    /// Its value; the name is that of the variable or setting.
    Known(String),
    /// Its shape.
    Shaped(&'static str),
}

impl Masker {
    /// Returns the kinds of the secrets in a text, each with the byte it begins at.
    pub fn kinds_in(&self, text: &str) -> Vec<(SecretKind, usize)> {
        let known = self.values.iter().flat_map(|values| values.find_iter(text));
        let mut kinds: Vec<(SecretKind, usize)> = known
            .map(|found| (SecretKind::Known(self.names[found.as_str()].clone()), found.start()))
            .collect();
        if HINTS.is_match(text) {
            let taken: BTreeSet<usize> = kinds.iter().map(|(_, at)| *at).collect();
            let shaped = find_keys(text).into_iter().chain(aws_secrets(text)).chain(passwords(text));
            let shaped = shaped.filter(|(_, at, secret)| !taken.contains(at) && !is_example(secret));
            kinds.extend(shaped.map(|(name, at, _)| (SecretKind::Shaped(name), at)));
        }
        kinds.sort_by_key(|(_, at)| *at);
        kinds
    }
}

/// Returns what has the shape of a key: its name, where it begins and the key.
fn find_keys(text: &str) -> Vec<(&'static str, usize, &str)> {
    let (mut found, mut taken) = (Vec::new(), BTreeSet::new());
    for shape in LISTS.shapes.iter().filter(|shape| !shape.weak) {
        let secrets = shape.pattern.captures_iter(text).filter_map(|found| found.name("secret"));
        for secret in secrets.filter(|secret| shape.holds(secret.as_str())) {
            // The more special shape comes first.
            if taken.insert(secret.start()) {
                found.push((shape.name.as_str(), secret.start(), secret.as_str()));
            }
        }
    }
    found
}

fn aws_secrets(text: &str) -> impl Iterator<Item = (&'static str, usize, &str)> {
    let found = LISTS.aws_secret.captures_iter(text).filter_map(|found| found.name("secret"));
    found.map(|secret| ("AWS_SECRET_KEY", secret.start(), secret.as_str()))
}

/// A long password in an address that leads out of this machine.
fn passwords(text: &str) -> impl Iterator<Item = (&'static str, usize, &str)> {
    let shown = |password: &str| {
        let lower = password.to_lowercase();
        is_placeholder(password) || LISTS.public_passwords.iter().any(|word| lower.contains(word))
    };
    LISTS.address_with_password.captures_iter(text).filter_map(move |found| {
        let (secret, host) = (found.name("secret")?, found.name("host")?.as_str());
        let near = ["localhost", "127.0.0.1", ""].contains(&host) || host.contains("example");
        let is_secret = !near && !shown(secret.as_str());
        if is_secret { Some(("URL_PASSWORD", secret.start(), secret.as_str())) } else { None }
    })
}

/// Tells whether a key is an example from documents and tests.
fn is_example(secret: &str) -> bool {
    /// The beginning of the payload in the example of the JWT site: `{"sub":"1234567890"`.
    const SHOWN: &str = "eyJzdWIiOiIxMjM0NTY3ODkw";
    let body = secret.split("KEY-----").nth(1).unwrap_or(secret);
    let lower = body.to_lowercase();
    let mut letters: Vec<char> = body.rsplit(['_', '-', '.']).next().unwrap_or(body).chars().collect();
    let cut =
        secret.contains("PRIVATE KEY-----") && body.chars().filter(char::is_ascii_alphanumeric).count() < 48;
    letters.sort_unstable();
    letters.dedup();
    // A short word turns up in a long key by chance.
    let tells = |word: &String| lower.contains(word) && (word.len() > 5 || body.len() < 80);
    cut || letters.len() < 8 || body.contains(SHOWN) || LISTS.example_words.iter().any(tells)
}

/// Tells a private key, or the beginning of one, from a mention of its first line.
fn is_key(text: &str) -> bool {
    let base64 = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    text.ends_with("KEY-----") && text.contains("-----END")
        || text.split(|c| !base64(c)).any(|run| run.len() >= 16)
}

/// Tells a key from a hyphenated word: somewhere it runs on without a hyphen, with a digit.
fn runs_on(text: &str) -> bool {
    text.split(['-', '_']).any(|run| run.len() >= 16 && has_digit_and_letter(run))
}

/// Tells the credential of a header from a word in a sentence or a placeholder.
fn is_header_value(text: &str) -> bool {
    let word = text.trim_end_matches(['.', ',', ';', ':', ')', '`']);
    !is_placeholder(word) && !LISTS.header_words.contains(&word.to_lowercase())
}

fn is_cookie(text: &str) -> bool {
    text.split(';').filter_map(|pair| pair.split_once('=')).any(|(_, value)| {
        let value = value.trim();
        value.len() >= 8 && !value.contains(' ') && has_digit_and_letter(value) && !is_placeholder(value)
    })
}

/// Tells a password in an address from a variable and from what a local database has in examples.
fn is_address_password(text: &str) -> bool {
    let (user, password) = text.split_once(':').unwrap_or(("", text));
    !password.is_empty()
        && password != user
        && !is_variable(password)
        && !["password", "pass"].contains(&password)
}
