//! Secrets in added lines: values that we know, in any disguise, and what has the shape of a key. Says which kind and where,
//! never the value. Weak assignments such as a test's password are not looked for, nor are obvious examples.

use super::{Change, Patterns, Place, Site, any_of, at, file, side_by_side};
use model::change::FileVersion;
use model::redact::{Masker, SecretKind};
use source::{is_fixture, is_test};

/// The id of the check.
pub const ID: &str = "secrets";

pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    let allowed = Patterns::exact(&site.settings.allowed);
    let in_change = |change: &Change| -> Vec<Place> {
        let mut found = found(site.masker, change);
        // A person may allow a sample key; nobody may publish a value that is in force.
        found.retain(|(kind, _)| matches!(kind, SecretKind::Known(_)) || !allowed.hold(&change.path));
        // A path may be the secret.
        let path = site.masker.mask(&change.path).to_string();
        let place = |(kind, line)| match line {
            Some(line) => at(&path, line, format!("holds a secret: {kind}")),
            None => file(&path, format!("holds a secret in its name, its target or its bytes: {kind}")),
        };
        found.into_iter().map(place).collect()
    };
    side_by_side::places(site.changes, in_change)
}

/// Returns the kinds of the secrets that a change brought, each with its line where it stands in one.
fn found(masker: &Masker, change: &Change) -> Vec<(SecretKind, Option<usize>)> {
    let (numbers, lines): (Vec<usize>, Vec<&str>) = change.added_lines().unzip();
    let text = lines.join("\n");
    // A secret may go over several lines.
    let line_of = |offset: usize| numbers[text[..offset].matches('\n').count()];
    let in_text = masker.kinds_in(&text).into_iter().map(|(kind, offset)| (kind, Some(line_of(offset))));
    let assigned = numbers.iter().zip(&lines).filter(|(_, line)| assigns(&change.path, line));
    let assigned = assigned.map(|(number, _)| (SecretKind::Shaped("PASSWORD"), Some(*number)));
    let link = change.after.as_ref().filter(|after| after.text().is_none());
    let names = [Some(change.path.as_str()), link.and_then(|after| after.content.text())];
    let in_names = names.into_iter().flatten().flat_map(|name| masker.kinds_in(name)).map(|(kind, _)| kind);
    let elsewhere = in_names.chain(in_bytes(masker, change)).map(|kind| (kind, None));
    in_text.chain(assigned).chain(elsewhere).collect()
}

/// Tells a password of random letters in a setting. In tests, documents and examples it may stand for one.
fn assigns(path: &str, line: &str) -> bool {
    pattern!(SETTING, &any_of("secrets", "setting"));
    pattern!(SHOWN, &any_of("secrets", "shown"));
    pattern!(PLACEHOLDER, &any_of("secrets", "placeholders"));
    let Some(setting) = SETTING.captures(line) else { return false };
    let value = &setting["value"];
    let has = |of: fn(&char) -> bool, least: usize| value.chars().filter(of).count() >= least;
    let is_random =
        has(char::is_ascii_digit, 3) && has(char::is_ascii_lowercase, 4) && has(char::is_ascii_uppercase, 4);
    is_random && !PLACEHOLDER.is_match(value) && !SHOWN.is_match(path) && !is_test(path) && !is_fixture(path)
}

/// What is no text may hold a secret all the same; what it held before is not charged.
fn in_bytes(masker: &Masker, change: &Change) -> Vec<SecretKind> {
    let kinds = |text: &str| masker.kinds_in(text).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
    let legible = |version: &Option<FileVersion>| version.as_ref()?.content.legible();
    let had = change.old_text().map(str::to_owned).or_else(|| legible(&change.before)).unwrap_or_default();
    let mut had = kinds(&had);
    let mut brought = kinds(&legible(&change.after).unwrap_or_default());
    brought.retain(|kind| {
        let known = had.iter().position(|old| old == kind);
        known.map(|at| had.swap_remove(at)).is_none()
    });
    brought
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge_places;
    use crate::scene::Scene;
    use model::change::{FileContent, FileMode};
    use model::event::{CheckResult, CheckStatus};

    fn examine(site: &Site<'_>) -> CheckResult {
        judge_places("secrets", places(site))
    }

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
