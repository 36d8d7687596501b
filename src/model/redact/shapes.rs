//! The shapes of tokens that have a prefix of their own, headers that carry credentials, and addresses with a
//! password: replaced, or found with their kind. What looks like one and is not (a placeholder, a class name) stays; what
//! stands for a key in documents and tests (words, one letter over and over, the alphabet) is not found either.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::Deserialize;
use serde_with::{As, DisplayFromStr};

use super::credentials::{has_digit_and_letter, is_placeholder, is_variable};
use super::{LISTS, Masker};

/// A name, a pattern, and what else has to hold. What the pattern calls `keep` stays in front, `after` behind.
#[derive(Deserialize)]
pub(super) struct Shape {
    name: String,
    #[serde(deserialize_with = "As::<DisplayFromStr>::deserialize")]
    pattern: Regex,
    condition: Option<Condition>,
    /// It may hold anything: a header, a cookie, an address.
    #[serde(default)]
    weak: bool,
}

/// What has to hold besides a pattern.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Condition {
    Key,
    RunsOn,
    HeaderValue,
    Cookie,
    AddressPassword,
}

impl Shape {
    fn holds(&self, secret: &str) -> bool {
        match self.condition {
            None => true,
            Some(Condition::Key) => is_key(secret),
            Some(Condition::RunsOn) => runs_on(secret),
            Some(Condition::HeaderValue) => is_header_value(secret),
            Some(Condition::Cookie) => is_cookie(secret),
            Some(Condition::AddressPassword) => is_address_password(secret),
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

/// What a secret was found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Its value; the name is that of the variable or setting.
    Known(String),
    /// Its shape.
    Shaped(&'static str),
}

impl Kind {
    /// Returns the name of the kind, which holds nothing of the value.
    pub fn name(&self) -> &str {
        match self {
            Self::Known(name) => name,
            Self::Shaped(name) => name,
        }
    }
}

/// Something every strong shape has in it; most texts have none of them.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"PRIVATE KEY-----|gh[pousr]_|github_pat_|gl(?:pat|dt|rt|ptt)-|sk-|AIza|ya29\.|GOCSPX-|AKIA|ASIA|gsk_|pplx-|xai-|hf_|npm_|pypi-|[sr]k_live_|whsec_|xox[abeoprs]-|xapp-|hooks\.slack\.com/|SG\.|do[opr]_v1_|eyJ|shp(?:at|ca|pa|ss)_|:AA|SK[0-9a-f]{32}|AccountKey=|://[^\s/@]*:[^\s/@]{12,}@|(?i-u:aws)",
    )
    .expect("a constant")
});

/// The secret half of a pair: it has no prefix of its own.
static AWS_SECRET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i-u:aws[A-Za-z_ -]{0,20}secret[A-Za-z_ -]{0,20})["']?\s*[:=]\s*["']?(?P<secret>[A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#)
        .expect("a constant")
});

impl Masker {
    /// Returns the kinds of the secrets in a text, each with the byte it begins at.
    pub fn kinds_in(&self, text: &str) -> Vec<(Kind, usize)> {
        let known = self.values.iter().flat_map(|values| values.find_iter(text));
        let mut kinds: Vec<(Kind, usize)> =
            known.map(|found| (Kind::Known(self.names[found.as_str()].clone()), found.start())).collect();
        if HINT.is_match(text) {
            let taken: BTreeSet<usize> = kinds.iter().map(|(_, at)| *at).collect();
            let shaped = strong(text).into_iter().chain(aws_secrets(text)).chain(passwords(text));
            let shaped = shaped.filter(|(_, at, secret)| !taken.contains(at) && !is_example(secret));
            kinds.extend(shaped.map(|(name, at, _)| (Kind::Shaped(name), at)));
        }
        kinds.sort_by_key(|(_, at)| *at);
        kinds
    }
}

/// Returns what has the shape of a key: its name, where it begins and the key.
fn strong(text: &str) -> Vec<(&'static str, usize, &str)> {
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
    let found = AWS_SECRET.captures_iter(text).filter_map(|found| found.name("secret"));
    found.map(|secret| ("AWS_SECRET_KEY", secret.start(), secret.as_str()))
}

/// A long password in an address that leads out of this machine.
fn passwords(text: &str) -> impl Iterator<Item = (&'static str, usize, &str)> {
    static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"://[^\s/@:"'`<>$]*:(?P<secret>[^\s/@"'`<>]{12,})@(?P<host>[A-Za-z0-9.-]*)"#)
            .expect("a constant")
    });
    let shown = |password: &str| {
        let lower = password.to_lowercase();
        is_placeholder(password) || LISTS.public_passwords.iter().any(|word| lower.contains(word))
    };
    ADDRESS.captures_iter(text).filter_map(move |found| {
        let (secret, host) = (found.name("secret")?, found.name("host")?.as_str());
        let near = ["localhost", "127.0.0.1", ""].contains(&host) || host.contains("example");
        let is_secret = !near && !shown(secret.as_str());
        if is_secret { Some(("URL_PASSWORD", secret.start(), secret.as_str())) } else { None }
    })
}

/// Tells a key that stands in documents and tests from one that opens something.
fn is_example(secret: &str) -> bool {
    /// The beginning of the payload that the JWT site shows to everybody: `{"sub":"1234567890"`.
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
