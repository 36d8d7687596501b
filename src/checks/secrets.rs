//! Secrets in added lines: values that we know, in any disguise, and what has the shape of a key. Says which kind and where,
//! never the value. Weak assignments such as a test's password are not looked for, nor are obvious examples.

use std::sync::LazyLock;

use regex::Regex;

use super::outcome::{at, judged};
use super::paths::Patterns;
use super::{Site, outcome};
use model::change::{Change, FileVersion};
use model::event::{CheckResult, Place};
use model::redact::{Masker, SecretKind};
use source::{is_fixture, is_test};

/// The id of the check.
pub const ID: &str = "secrets";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let allowed = Patterns::exact(&site.settings.allowed);
    let places = site.changes.iter().flat_map(|change| {
        let mut found = found(site.masker, change);
        // A person may allow a sample key; nobody may publish a value that is in force.
        found.retain(|(kind, _)| matches!(kind, SecretKind::Known(_)) || !allowed.hold(&change.path));
        found.into_iter().map(|(_, place)| place)
    });
    let places = places.map(|place| masked(site.masker, place)).collect();
    judged(ID, "secret-in-diff", places, "secrets are in the change", "no secret is in the change")
}

fn found(masker: &Masker, change: &Change) -> Vec<(SecretKind, Place)> {
    let lines: Vec<(usize, &str)> = change.added_lines().collect();
    let text: String = lines.iter().flat_map(|(_, line)| [line, "\n"]).collect();
    let in_line = |kind: SecretKind, line: usize| {
        let place = at(&change.path, line, format!("holds a secret: {kind}"));
        (kind, place)
    };
    let in_text = masker.kinds_in(&text).into_iter().map(|(kind, offset)| {
        // A secret may go over several lines.
        let (line, _) = lines[text[..offset].matches('\n').count()];
        in_line(kind, line)
    });
    let assigned = lines.iter().filter(|(_, line)| assigns(&change.path, line));
    let assigned = assigned.map(|(line, _)| in_line(SecretKind::Shaped("PASSWORD"), *line));
    let link =
        change.after.as_ref().filter(|after| after.text().is_none()).and_then(|after| after.content.text());
    let names = [Some(change.path.as_str()), link].into_iter().flatten();
    let in_names = names.flat_map(|name| masker.kinds_in(name)).map(|(kind, _)| {
        let place = outcome::file(&change.path, format!("holds a secret in its name or target: {kind}"));
        (kind, place)
    });
    in_text.chain(assigned).chain(in_names).chain(in_bytes(masker, change)).collect()
}

/// Tells a password of random letters in a setting. In tests, documents and examples it may stand for one.
fn assigns(path: &str, line: &str) -> bool {
    pattern!(
        SETTING,
        r#"^\s*(?:export\s+)?["']?[A-Z][A-Z0-9_]*PASSWORD["']?\s*[:=]\s*["']?(?P<value>[A-Za-z0-9+/_-]{16,}=*)["']?[,;]?\s*$"#
    );
    let Some(value) = SETTING.captures(line).and_then(|found| found.name("value")) else { return false };
    let lower = path.to_lowercase();
    let shown =
        ["example", "sample", "template", "fixture", "docs/", ".md"].iter().any(|part| lower.contains(part));
    let value = value.as_str();
    let has = |of: fn(&char) -> bool, least: usize| value.chars().filter(of).count() >= least;
    let random =
        has(char::is_ascii_digit, 3) && has(char::is_ascii_lowercase, 4) && has(char::is_ascii_uppercase, 4);
    let words = ["example", "password", "secret", "change", "test", "sample", "dummy", "your"];
    let said = value.to_lowercase();
    random && !shown && !is_test(path) && !is_fixture(path) && !words.iter().any(|word| said.contains(word))
}

/// What is no text may hold a secret all the same; what it held before is not charged.
fn in_bytes(masker: &Masker, change: &Change) -> Vec<(SecretKind, Place)> {
    let kinds = |version: &Option<FileVersion>| {
        let text = version.as_ref().and_then(|version| version.content.legible());
        text.map_or(Vec::new(), |text| masker.kinds_in(&text))
    };
    let mut had = change.old_text().map_or_else(|| kinds(&change.before), |text| masker.kinds_in(text));
    let mut brought = kinds(&change.after);
    brought.retain(|(kind, _)| {
        let known = had.iter().position(|(old, _)| old == kind);
        known.map(|at| had.swap_remove(at)).is_none()
    });
    let place = |(kind, _): (SecretKind, usize)| {
        let place = outcome::file(&change.path, format!("holds a secret: {kind}"));
        (kind, place)
    };
    brought.into_iter().map(place).collect()
}

/// A path may be the secret.
fn masked(masker: &Masker, place: Place) -> Place {
    Place { file: place.file.map(|file| masker.mask(&file).to_string()), ..place }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use model::change::{FileContent, FileMode};
    use model::event::CheckStatus;

    const TOKEN: &str = "ghp_R4nd0mQx7LkP2vWz9TbYc3HsJd6FgMe1UaNo";

    fn judge(before: Option<&str>, after: &str) -> CheckResult {
        let mut made = Scene::of([Change::of_texts("tests/login.rs", before, Some(after))]);
        made.masker = Masker::new([("DEPLOY_TOKEN".to_owned(), "correct-horse+battery".to_owned())]);
        examine(&made.site())
    }

    #[test]
    fn a_secret_in_an_added_line_is_found_and_never_repeated() {
        for (text, kind) in [
            (format!("a\nlet t = \"{TOKEN}\";\n"), "GITHUB_TOKEN"),
            ("a\n// correct-horse+battery\n".to_owned(), "DEPLOY_TOKEN"),
            ("a\nlet t = \"yrettab+esroh-tcerroc\";".to_owned(), "DEPLOY_TOKEN"),
        ] {
            let result = judge(Some("a\n"), &text);
            assert_eq!((result.status, result.places[0].line), (CheckStatus::Fail, Some(2)), "{text}");
            let told = serde_json::to_string(&result).expect("JSON");
            assert!(told.contains(kind), "{told}");
            assert!(!told.contains("R4nd0m") && !told.contains("horse") && !told.contains("esroh"), "{told}");
        }
    }

    #[test]
    fn what_was_there_before_weak_passwords_and_examples_are_not_refused() {
        let old = format!("let t = \"{TOKEN}\";\n");
        assert_eq!(judge(Some(&old), &format!("{old}more\n")).status, CheckStatus::Pass);
        for text in [
            "password = \"hunter2hunter2\"",
            "aws = AKIAIOSFODNN7EXAMPLE",
            &format!("ghp_{}", "A".repeat(36)),
            "token: <your-key>",
            "postgres://me:s3cr3t@localhost/db",
        ] {
            assert_eq!(judge(None, text).status, CheckStatus::Pass, "{text}");
        }
    }

    #[test]
    fn a_person_may_allow_a_sample_key_and_no_value_in_force() {
        let text = format!("{TOKEN}\ncorrect-horse+battery\n");
        let mut made = Scene::of([Change::of_texts("tests/sample.txt", None, Some(&text))]);
        made.masker = Masker::new([("DEPLOY_TOKEN".to_owned(), "correct-horse+battery".to_owned())]);
        made.settings.allowed = vec!["tests/sample.txt".to_owned()];
        let result = examine(&made.site());
        assert_eq!((result.status, result.places.len()), (CheckStatus::Fail, 1));
    }

    #[test]
    fn a_secret_is_seen_in_any_encoding_and_behind_any_byte() {
        let line = format!("t = {TOKEN}\n");
        let wide: Vec<u8> = line.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let version = |bytes: &[u8]| {
            Some(FileVersion { mode: FileMode::File, content: FileContent::of(bytes.to_vec()) })
        };
        let status = |before: Option<FileVersion>, after: &[u8]| {
            examine(&Scene::of([Change::new("a.bin", before, version(after))]).site()).status
        };
        for beginning in [b"# caf\xe9\n".as_slice(), b"\0", b"\xff\x01"] {
            let bytes = [beginning, line.as_bytes()].concat();
            assert_eq!(status(None, &bytes), CheckStatus::Fail, "{beginning:?}");
            assert_eq!(status(version(&bytes), &[&bytes, b"more".as_slice()].concat()), CheckStatus::Pass);
        }
        assert_eq!(status(None, &wide), CheckStatus::Fail);
        assert_eq!(status(None, &[b"\xff\xfe".as_slice(), &wide].concat()), CheckStatus::Fail);
        assert_eq!(status(None, &[0, 1, 2, 3]), CheckStatus::Pass);
    }

    #[test]
    fn a_password_of_random_letters_is_no_setting() {
        for (path, line, expected) in [
            ("deploy.env", "DB_PASSWORD=tR4nd0mQx7LkP2vWz9", CheckStatus::Fail),
            ("deploy/a.yaml", "  DB_PASSWORD: \"tR4nd0mQx7LkP2vWz9\"", CheckStatus::Fail),
            ("deploy.env", "DB_PASSWORD=${DB_PASSWORD}", CheckStatus::Pass),
            ("deploy.env", "DB_PASSWORD=change-me-Before-2030", CheckStatus::Pass),
            ("src/a.py", "DB_PASSWORD = read_the_password_from_vault", CheckStatus::Pass),
            (".env.example", "DB_PASSWORD=tR4nd0mQx7LkP2vWz9", CheckStatus::Pass),
            ("tests/a.env", "DB_PASSWORD=tR4nd0mQx7LkP2vWz9", CheckStatus::Pass),
            ("docs/a.md", "DB_PASSWORD=tR4nd0mQx7LkP2vWz9", CheckStatus::Pass),
        ] {
            let result = examine(&Scene::of([Change::of_texts(path, None, Some(line))]).site());
            assert_eq!(result.status, expected, "{path}: {line}");
        }
    }

    #[test]
    fn a_name_that_is_a_secret_is_masked_in_the_places() {
        let result = examine(&Scene::of([Change::of_texts(&format!("keys/{TOKEN}"), None, Some(""))]).site());
        assert_eq!(result.status, CheckStatus::Fail);
        assert!(!serde_json::to_string(&result).expect("JSON").contains("R4nd0m"));
    }
}
