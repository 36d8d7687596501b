//! Finds secrets instead of replacing them: values that are known, and what has the strong shape of a key. What stands for
//! a key in documents and tests (words, one letter over and over, the alphabet) is none.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::Masker;
use super::credentials::is_placeholder;
use super::shapes;

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
            let shaped = shapes::strong(text).into_iter().chain(aws_secrets(text)).chain(passwords(text));
            let shaped = shaped.filter(|(_, at, secret)| !taken.contains(at) && !is_example(secret));
            kinds.extend(shaped.map(|(name, at, _)| (Kind::Shaped(name), at)));
        }
        kinds.sort_by_key(|(_, at)| *at);
        kinds
    }
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
        is_placeholder(password)
            || ["password", "passwd", "secret", "changeme", "change-me"]
                .iter()
                .any(|word| lower.contains(word))
    };
    ADDRESS.captures_iter(text).filter_map(move |found| {
        let (secret, host) = (found.name("secret")?, found.name("host")?.as_str());
        let near = ["localhost", "127.0.0.1", ""].contains(&host) || host.contains("example");
        (!near && !shown(secret.as_str())).then(|| ("URL_PASSWORD", secret.start(), secret.as_str()))
    })
}

/// Tells a key that stands in documents and tests from one that opens something.
fn is_example(secret: &str) -> bool {
    const WORDS: [&str; 16] = [
        "example",
        "sample",
        "dummy",
        "fake",
        "placeholder",
        "redacted",
        "your",
        "xxxx",
        "test",
        "abcdefg",
        "1234567",
        "deadbeef",
        "notreal",
        "mocked",
        "sentinel",
        "masked",
    ];
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
    let tells = |word: &&str| lower.contains(*word) && (word.len() > 5 || body.len() < 80);
    cut || letters.len() < 8 || body.contains(SHOWN) || WORDS.iter().any(tells)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANDOM: &str = "R4nd0mQx7LkP2vWz9TbYc3HsJd6FgMe1UaNo";

    fn kinds(text: &str) -> Vec<String> {
        let masker = Masker::new([("DEPLOY_TOKEN".to_owned(), "correct-horse+battery".to_owned())]);
        masker.kinds_in(text).iter().map(|(kind, at)| format!("{} {at}", kind.name())).collect()
    }

    #[test]
    fn values_and_strong_shapes_are_found_with_their_place() {
        let body = format!("{RANDOM}{}\n{RANDOM}", RANDOM.to_lowercase());
        for (text, kind) in [
            ("x correct-horse+battery".to_owned(), "DEPLOY_TOKEN 2"),
            ("x correct-horse%2Bbattery".to_owned(), "DEPLOY_TOKEN 2"),
            (format!("t=ghp_{RANDOM}"), "GITHUB_TOKEN 2"),
            (format!("sk-ant-api03-{RANDOM}"), "ANTHROPIC_KEY 0"),
            ("AKIAQX7LKP2VWZ9TBYC3".to_owned(), "AWS_KEY 0"),
            (format!("aws_secret_access_key = {RANDOM}Zq5/\n"), "AWS_SECRET_KEY 24"),
            (format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n"), "PRIVATE_KEY 0"),
            ("postgres://app:tR4nd0mQx7LkP2@db.shop.io/live".to_owned(), "URL_PASSWORD 15"),
            ("https://bot:tR4nd0mQx7LkP2@git.shop.io/a.git".to_owned(), "URL_PASSWORD 12"),
            (format!("AccountKey={RANDOM}Zq5/{RANDOM}=="), "AZURE_KEY 11"),
            (format!("shp{}_0c9f3a7be2d14586a9b7c3e1f0d25846", "at"), "SHOPIFY_TOKEN 0"),
            ("5182736450:AAHq7LkP2vWz9TbYc3HsJd6FgMe1UaNoR4n".to_owned(), "TELEGRAM_TOKEN 0"),
            (format!("S{}0c9f3a7be2d14586a9b7c3e1f0d25846", "K"), "TWILIO_KEY 0"),
            (format!("eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJib2IifQ.{RANDOM}"), "JWT 0"),
        ] {
            assert_eq!(kinds(&text), [kind], "{text}");
        }
    }

    #[test]
    fn examples_headers_and_weak_assignments_are_none() {
        for text in [
            "AKIAIOSFODNN7EXAMPLE".to_owned(),
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n".to_owned(),
            format!("ghp_{}", "A".repeat(36)),
            format!("sk-ant-{}", "x".repeat(30)),
            "sk_test_4eC39HqLyjWDarjtT1zdp7dc".to_owned(),
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----".to_owned(),
            "password = \"hunter2hunter2\"".to_owned(),
            "Authorization: Bearer q8Zf3kP0s1Lw".to_owned(),
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.R4nd0mQx7LkP2vWz9Tb".to_owned(),
            "postgres://user:password@localhost/db".to_owned(),
            "postgres://app:${DB_PASSWORD}@db.shop.io/live".to_owned(),
            "postgres://app:tR4nd0mQx7LkP2@localhost/test".to_owned(),
            "https://user:your-password-here@git.shop.io".to_owned(),
            "https://user:<the-password>@git.shop.io and http://a:8080/b@c".to_owned(),
            "ordinary text".to_owned(),
        ] {
            assert_eq!(kinds(&text), [""; 0], "{text}");
        }
    }
}
