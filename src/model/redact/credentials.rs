//! Values that stand behind the name of a credential: `api_key=…`, `"password": "…"`. The value goes, the name stays.
//! Code is full of such names, so a value has to look like a secret: placeholders, identifiers, calls, types,
//! versions and paths stay.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::LISTS;

/// The word a name ends with, a sign of assignment, and a value of eight characters or more, quoted or bare.
static ASSIGNMENT: LazyLock<Regex> = LazyLock::new(|| {
    let word = "(?i-u:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|auth[_-]?key|encryption[_-]?key|credential)";
    let value = r#"(?:\\*"(?P<double>[^"\s\\]{8,})|\\*'(?P<single>[^'\s\\]{8,})|(?P<bare>[^\s"'`,;&<>(){}\[\]$\\|]{8,}))"#;
    let pattern = format!(r#"(?P<word>{word})\\*["']?(?P<sign>[ \t]*(?:=>|:=|=|:)[ \t]*){value}"#);
    Regex::new(&pattern).expect("the pattern is a constant")
});

/// Replaces the values of credentials.
pub(super) fn mask(text: String) -> String {
    let mut masked = String::new();
    let mut copied = 0;
    let mut from = 0;
    while let Some(found) = ASSIGNMENT.captures_at(&text, from) {
        let (word, value) = (&found["word"], value_of(&found));
        from = found.name("word").map_or(text.len(), |word| word.end());
        if is_name(&text[..from - word.len()], word) && is_secret(&text, &found) {
            masked.push_str(&text[copied..value.start()]);
            masked.push_str("[MASKED:CREDENTIAL]");
            copied = value.end();
            from = copied;
        }
    }
    if copied == 0 {
        return text;
    }
    masked + &text[copied..]
}

fn value_of<'t>(found: &Captures<'t>) -> regex::Match<'t> {
    let mut values = ["double", "single", "bare"].iter().filter_map(|name| found.name(name));
    values.next().expect("the pattern has no other alternative")
}

/// Tells whether the word is a word of its own inside a name: `api_token`, `accessToken`, not `jsonwebtoken`.
/// `PGPASSWORD` and `dbpassword` are names of secrets, too.
fn is_name(before: &str, word: &str) -> bool {
    let previous = before.chars().next_back().unwrap_or(' ');
    let page = ["page", "next", "page_", "next_"].iter().any(|end| before.ends_with(end));
    let glued = previous.is_ascii_alphanumeric();
    let is_hump = word.starts_with(|c: char| c.is_ascii_uppercase()) && !previous.is_ascii_uppercase();
    !page && (!glued || is_hump || is_credential_word(word))
}

/// Tells whether the value behind a name is a secret.
fn is_secret(text: &str, found: &Captures<'_>) -> bool {
    let value = value_of(found);
    let next = text[value.end()..].chars().next().unwrap_or('\n');
    let telling = is_credential_word(&found["word"]);
    if found.name("bare").is_some() {
        is_bare_secret(value.as_str(), next, telling && &found["sign"] == "=")
    } else {
        // A quotation that goes on is a sentence.
        matches!(next, '"' | '\'' | '\\')
            && (looks_random(value.as_str(), telling) || telling && is_phrase(value.as_str()))
    }
}

/// Tells a bare value from an expression of a program.
fn is_bare_secret(value: &str, next: char, telling: bool) -> bool {
    let operator = value.starts_with(['=', ':', '/', '#', '%', '*', '-', '!', '?']);
    let call = matches!(next, '(' | '[' | '{' | '$');
    !operator && !call && !is_member(value) && looks_random(value, telling)
}

/// Tells whether the word is about people's secrets: `token` and `key` are words of every parser, too.
fn is_credential_word(word: &str) -> bool {
    let lower = word.to_lowercase();
    lower.starts_with("pass") || lower == "secret"
}

/// Tells a secret from a word, a version, a path, a number. A telling name needs less of a secret behind it.
fn looks_random(value: &str, telling: bool) -> bool {
    let ordinary = is_placeholder(value)
        || is_address(value)
        || LISTS.version.is_match(value)
        || LISTS.number.is_match(value);
    has_digit_and_letter(value) && !ordinary && (telling || !is_identifier(value))
}

/// Tells a password without digits: letters and a sign among them, or words run together.
fn is_phrase(value: &str) -> bool {
    let signs = has_letter(value) && value[..value.len() - 1].contains(['!', '#', '^', '*', '?']);
    let words = value.len() >= 12
        && value.bytes().all(|byte| byte.is_ascii_lowercase())
        && !["pass", "secret", "token", "key"].iter().any(|part| value.contains(part));
    (signs || words) && value.is_ascii() && !is_placeholder(value) && !is_address(value)
}

fn has_letter(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

pub(super) fn has_digit_and_letter(text: &str) -> bool {
    has_letter(text) && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Tells a path, an address or the name of a resource: where a secret is, not what it is.
fn is_address(value: &str) -> bool {
    let starts = ["/", "./", "../", "~/", "arn:", "npm:", "file:", "env:", "op:", "vault:"];
    let has_start = starts.iter().any(|start| value.starts_with(start));
    has_start || ["://", "::", "->"].iter().any(|part| value.contains(part))
}

/// Tells a name of a program: words of letters, each with at most one group of up to three digits, two in all.
fn is_identifier(value: &str) -> bool {
    let plain = value.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:".contains(c));
    let short = value.len() < 32 || value.contains(['_', '-', '.', ':']) && value.len() <= 60;
    let numbers = value.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).count();
    plain && short && numbers <= 2 && value.split(['_', '-', '.', '/', ':']).all(is_identifier_word)
}

fn is_identifier_word(word: &str) -> bool {
    let mut groups = word.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty());
    let few_digits = groups.next().is_none_or(|group| group.len() <= 3) && groups.next().is_none();
    let humps = word.split(|c: char| !c.is_ascii_uppercase()).filter(|hump| !hump.is_empty()).count();
    few_digits && (word.len() < 12 || humps * 4 < word.len())
}

/// Tells `self.token2` and `config.v2.key`: a member of something.
fn is_member(value: &str) -> bool {
    let word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && is_identifier(word)
    };
    value.contains('.') && value.trim_end_matches(['.', '?', '!']).split('.').all(word)
}

/// Tells what stands for a secret: a variable, a template, a mask, or words such as `your-api-key`.
pub(super) fn is_placeholder(value: &str) -> bool {
    is_variable(value) || value.split(['-', '_', '.', ' ', '|', ':']).all(is_filler_word)
}

/// Tells `$NAME`, `${{ … }}`, `<name>`, `%s`, `[MASKED:…]`, `***`, and a value that was shortened.
pub(super) fn is_variable(value: &str) -> bool {
    let name = |rest: &str| {
        rest.starts_with(['{', '(']) || rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let between = |start, end| value.starts_with(start) && value.ends_with(end);
    let template = ["${", "{{", "#{", "%(", "[MASKED", "…", "..."].iter().any(|part| value.contains(part));
    let filler = value.len() >= 3 && value.chars().all(|c| "xX*.-_0".contains(c));
    let format = value.starts_with('%') && value.len() <= 3;
    template
        || filler
        || format
        || value.strip_prefix('$').is_some_and(name)
        || between('<', '>')
        || between('{', '}')
        || between('%', '%')
        || value.starts_with('[')
}

/// Tells a word that stands in examples where a secret would stand.
fn is_filler_word(word: &str) -> bool {
    let lower = word.trim_end_matches(|c: char| c.is_ascii_digit()).to_lowercase();
    let filler = lower.len() >= 3 && lower.chars().all(|c| c == 'x' || c == '*');
    filler || LISTS.filler_words.contains(&lower)
}
