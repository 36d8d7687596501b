//! The shapes of tokens that have a prefix of their own, headers that carry credentials, and addresses with a
//! password. What looks like one and is not (a placeholder, a class name) stays.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::credentials::{has_digit_and_letter, is_placeholder, is_variable};

/// A name, a pattern, and what else has to hold. What the pattern calls `keep` stays in front, `after` behind.
struct Shape {
    name: &'static str,
    pattern: Regex,
    holds: fn(&str) -> bool,
}

/// Replaces everything that has a known shape. Shape by shape: each looks for its own prefix, which is faster than
/// asking for all of them at once. Word boundaries are ASCII: a token may stand right behind a kanji.
pub(super) fn mask(text: String) -> String {
    SHAPES.iter().fold(text, |text, shape| {
        if !shape.pattern.is_match(&text) {
            return text;
        }
        let by = |found: &Captures<'_>| {
            if !(shape.holds)(&found["secret"]) {
                return found[0].to_owned();
            }
            let part = |name| found.name(name).map_or("", |part| part.as_str());
            format!("{}[MASKED:{}]{}", part("keep"), shape.name, part("after"))
        };
        shape.pattern.replace_all(&text, by).into_owned()
    })
}

/// Returns what has the shape of a key: its name, where it begins and the key. Headers, cookies and addresses may hold
/// anything, so they are left out.
pub(super) fn strong(text: &str) -> Vec<(&'static str, usize, &str)> {
    let strong =
        SHAPES.iter().filter(|shape| !["AUTH_HEADER", "COOKIE", "URL_PASSWORD"].contains(&shape.name));
    let (mut found, mut taken) = (Vec::new(), BTreeSet::new());
    for shape in strong {
        let secrets = shape.pattern.captures_iter(text).filter_map(|found| found.name("secret"));
        for secret in secrets.filter(|secret| (shape.holds)(secret.as_str())) {
            // The more special shape comes first.
            if taken.insert(secret.start()) {
                found.push((shape.name, secret.start(), secret.as_str()));
            }
        }
    }
    found
}

fn always(_: &str) -> bool {
    true
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
    const WORDS: [&str; 9] = [
        "auth",
        "authentication",
        "authorization",
        "token",
        "tokens",
        "scheme",
        "header",
        "headers",
        "credentials",
    ];
    let word = text.trim_end_matches(['.', ',', ';', ':', ')', '`']);
    !is_placeholder(word) && !WORDS.contains(&word.to_lowercase().as_str())
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

/// The more special one first.
static SHAPES: LazyLock<Vec<Shape>> = LazyLock::new(|| {
    let token = |name, pattern| shape(name, &format!(r"(?-u:\b)(?P<secret>{pattern})"), always);
    vec![
        shape(
            "PRIVATE_KEY",
            r#"(?P<secret>-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[A-Za-z0-9+/=\s\\"',:>|]|-[A-Za-z])*(?:-----END [A-Z ]*PRIVATE KEY-----)?)"#,
            is_key,
        ),
        token("GITHUB_TOKEN", r"(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
        token("GITLAB_TOKEN", r"gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,}"),
        token("ANTHROPIC_KEY", r"sk-ant-[A-Za-z0-9_-]{20,}"),
        token("OPENROUTER_KEY", r"sk-or-[A-Za-z0-9_-]{20,}"),
        token("OPENAI_KEY", r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}"),
        shape("OPENAI_KEY", r"(?-u:\b)(?P<secret>sk-[A-Za-z0-9_-]{20,})", runs_on),
        token("GOOGLE_KEY", r"AIza[A-Za-z0-9_-]{35}"),
        token("GOOGLE_TOKEN", r"(?:ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,})"),
        token("AWS_KEY", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?-u:\b)"),
        token("GROQ_KEY", r"gsk_[A-Za-z0-9]{20,}"),
        token("PERPLEXITY_KEY", r"pplx-[A-Za-z0-9]{20,}"),
        token("XAI_KEY", r"xai-[A-Za-z0-9]{40,}"),
        token("HUGGINGFACE_KEY", r"hf_[A-Za-z0-9]{30,}"),
        token("NPM_TOKEN", r"npm_[A-Za-z0-9]{36}"),
        token("PYPI_TOKEN", r"pypi-[A-Za-z0-9_-]{40,}"),
        token("STRIPE_KEY", r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{24,})"),
        token("SLACK_TOKEN", r"(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{20,})"),
        token("SLACK_WEBHOOK", r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
        token("SENDGRID_KEY", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
        token("DIGITALOCEAN_TOKEN", r"do[opr]_v1_[a-f0-9]{40,}"),
        token("SHOPIFY_TOKEN", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
        token("TELEGRAM_TOKEN", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
        token("TWILIO_KEY", r"SK[0-9a-f]{32}(?-u:\b)"),
        shape("AZURE_KEY", r"(?P<keep>AccountKey=)(?P<secret>[A-Za-z0-9+/]{40,}={0,2})", always),
        token("JWT", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
        shape(
            "AUTH_HEADER",
            r#"(?P<keep>(?i-u:\bauthorization)\\*["']?[ \t]*[:=,][ \t]*\\*["']?(?i-u:bearer|basic|token)[ \t]+)(?P<secret>[^\s"'\\,;]+)"#,
            is_header_value,
        ),
        shape(
            "COOKIE",
            r#"(?P<keep>(?i-u:\b(?:set-)?cookie)\\*["']?:[ \t]*\\*["']?)(?P<secret>[A-Za-z0-9_.-]+=[^\r\n"'\\]+)"#,
            is_cookie,
        ),
        shape(
            "URL_PASSWORD",
            r#"(?P<keep>://)(?P<secret>[^\s/@:"'`<>]*:[^\s/@"'`<>]+)(?P<after>@)"#,
            is_address_password,
        ),
    ]
});

fn shape(name: &'static str, pattern: &str, holds: fn(&str) -> bool) -> Shape {
    Shape { name, pattern: Regex::new(pattern).expect("the pattern is a constant"), holds }
}
