//! What is masked, and what has to stay: a mask that eats code makes every report useless.

use proptest::prelude::*;

use super::*;

fn mask(text: &str) -> String {
    Masker::default().mask(text).to_string()
}

fn knowing(value: &str) -> Masker {
    Masker::new([("MY_TOKEN".to_owned(), value.to_owned())])
}

#[test]
fn secret_values_are_masked_anywhere_in_the_text() {
    let masker = Masker::from_environment([
        ("MY_TOKEN".to_owned(), "correct horse battery\n".to_owned()),
        ("HOME".to_owned(), "/home/somebody".to_owned()),
    ]);
    assert_eq!(
        masker.mask("x=correct horse battery; HOME=/home/somebody").as_str(),
        "x=[MASKED:MY_TOKEN]; HOME=/home/somebody"
    );
}

#[test]
fn encoded_or_reversed_secrets_are_masked() {
    let masker = knowing("correct-horse+battery");
    for disguise in [
        "correct-horse+battery",
        "yrettab+esroh-tcerroc",
        "correct-horse%2Bbattery",
        "636f72726563742d686f7273652b62617474657279",
        "636F72726563742D686F7273652B62617474657279",
    ] {
        assert_eq!(masker.mask(&format!("日{disguise}本")).as_str(), "日[MASKED:MY_TOKEN]本", "{disguise}");
    }
    // "correct-horse+battery", "user:correct-horse+battery", "me:correct-horse+battery" in base64.
    for (encoded, rest) in [
        ("Y29ycmVjdC1ob3JzZStiYXR0ZXJ5", "[MASKED:MY_TOKEN]"),
        ("dXNlcjpjb3JyZWN0LWhvcnNlK2JhdHRlcnk=", "dXNlcjp[MASKED:MY_TOKEN]k="),
        ("bWU6Y29ycmVjdC1ob3JzZStiYXR0ZXJ5", "bWU6[MASKED:MY_TOKEN]"),
    ] {
        assert_eq!(masker.mask(encoded).as_str(), rest);
    }
}

#[test]
fn secret_that_contains_another_one_is_masked_completely() {
    let secrets = [("SHORT", "abcd-efgh"), ("LONG", "abcd-efgh-ijkl")];
    let masker = Masker::new(secrets.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(masker.mask("abcd-efgh-ijkl abcd-efgh").as_str(), "[MASKED:LONG] [MASKED:SHORT]");
}

#[test]
fn short_values_are_not_masked() {
    assert_eq!(knowing("abc").mask("abcdef").as_str(), "abcdef");
}

#[test]
fn debug_output_of_masker_hides_values() {
    let masker = knowing("correct-horse+battery");
    assert!(!format!("{masker:?}").contains("horse"));
}

#[test]
fn known_token_formats_are_masked_without_knowing_the_value() {
    for (text, name) in [
        (format!("ghp_{}", "A".repeat(36)), "GITHUB_TOKEN"),
        (format!("github_pat_{}", "A1_".repeat(20)), "GITHUB_TOKEN"),
        (format!("glpat-{}", "a1".repeat(10)), "GITLAB_TOKEN"),
        (format!("sk-ant-api03-{}", "a".repeat(30)), "ANTHROPIC_KEY"),
        (format!("sk-or-v1-{}", "a1".repeat(30)), "OPENROUTER_KEY"),
        (format!("sk-proj-{}", "a".repeat(30)), "OPENAI_KEY"),
        (format!("sk-{}", "a1B2".repeat(12)), "OPENAI_KEY"),
        (format!("AIza{}", "a".repeat(35)), "GOOGLE_KEY"),
        ("AKIAIOSFODNN7ABCDEFG".to_owned(), "AWS_KEY"),
        (format!("gsk_{}", "a1".repeat(26)), "GROQ_KEY"),
        (format!("pplx-{}", "a1".repeat(26)), "PERPLEXITY_KEY"),
        (format!("xai-{}", "a1".repeat(40)), "XAI_KEY"),
        (format!("hf_{}", "a1".repeat(17)), "HUGGINGFACE_KEY"),
        (format!("npm_{}", "a1".repeat(18)), "NPM_TOKEN"),
        (format!("pypi-{}", "a1".repeat(30)), "PYPI_TOKEN"),
        (format!("sk_live_{}", "a1".repeat(12)), "STRIPE_KEY"),
        (format!("xoxb-{}", "1a".repeat(12)), "SLACK_TOKEN"),
        (format!("hooks.slack.com/services/T0/B0/{}", "a".repeat(24)), "SLACK_WEBHOOK"),
        (format!("SG.{}.{}", "a".repeat(22), "b".repeat(43)), "SENDGRID_KEY"),
        (format!("eyJ{}.eyJ{}.{}", "a".repeat(20), "b".repeat(20), "c".repeat(20)), "JWT"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----".to_owned(), "PRIVATE_KEY"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\\nb3BlbnNzaC1rZXktdjEA".to_owned(), "PRIVATE_KEY"),
    ] {
        for (before, after) in [("", ""), ("鍵は", "です"), ("(", ")"), ("=", ".")] {
            assert_eq!(mask(&format!("{before}{text}{after}")), format!("{before}[MASKED:{name}]{after}"));
        }
    }
}

#[test]
fn only_the_credential_is_masked_in_headers_and_urls() {
    for (text, masked) in [
        ("Authorization: Bearer abc", "Authorization: Bearer [MASKED:AUTH_HEADER]"),
        (r#"-H "authorization: Basic dXNlcjpwYXNz""#, r#"-H "authorization: Basic [MASKED:AUTH_HEADER]""#),
        (r#"{"Authorization":"token 0a1b2c3d"}"#, r#"{"Authorization":"token [MASKED:AUTH_HEADER]"}"#),
        ("Cookie: lang=en; session=a8f5f167f44f4964\nnext", "Cookie: [MASKED:COOKIE]\nnext"),
        (r#""Set-Cookie": "sid=a8f5f167f44f4964; Path=/""#, r#""Set-Cookie": "[MASKED:COOKIE]""#),
        ("https://me:secret@example.org/x", "https://[MASKED:URL_PASSWORD]@example.org/x"),
        ("redis://:s3cr3t@cache:6379", "redis://[MASKED:URL_PASSWORD]@cache:6379"),
    ] {
        assert_eq!(mask(text), masked);
    }
}

#[test]
fn value_of_a_credential_assignment_is_masked_and_the_name_kept() {
    for (text, masked) in [
        ("api_key=abcdefgh12345678", "api_key=[MASKED:CREDENTIAL]"),
        ("DB_PASSWORD=hunter22x next", "DB_PASSWORD=[MASKED:CREDENTIAL] next"),
        ("PGPASSWORD=hunter22x psql", "PGPASSWORD=[MASKED:CREDENTIAL] psql"),
        (r#""password": "hunter2hunter2","#, r#""password": "[MASKED:CREDENTIAL]","#),
        (r#""password": "correcthorsebattery""#, r#""password": "[MASKED:CREDENTIAL]""#),
        (r#""password": "Tr!ckyOne""#, r#""password": "[MASKED:CREDENTIAL]""#),
        (r#"{\"clientSecret\":\"0a8f-x72k-99aa\"}"#, r#"{\"clientSecret\":\"[MASKED:CREDENTIAL]\"}"#),
        ("accessToken: 'q8Zf3kP0s1Lw'", "accessToken: '[MASKED:CREDENTIAL]'"),
        ("https://x.org/a?token=q8Zf3kP0s1Lw&page=2\"", "https://x.org/a?token=[MASKED:CREDENTIAL]&page=2\""),
        ("password: s3cr3t-9x8y7z", "password: [MASKED:CREDENTIAL]"),
        (
            "secret = 'ab12cd34ef', token = \"zy98-xw76-vu54\"",
            "secret = '[MASKED:CREDENTIAL]', token = \"[MASKED:CREDENTIAL]\"",
        ),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "aws_secret_access_key = [MASKED:CREDENTIAL]",
        ),
        ("x-api-key: 550e8400-e29b-41d4-a716-446655440000", "x-api-key: [MASKED:CREDENTIAL]"),
        (
            "jsonwebtoken=\"x\" password=\"hunter2hunter2\"",
            "jsonwebtoken=\"x\" password=\"[MASKED:CREDENTIAL]\"",
        ),
    ] {
        assert_eq!(mask(text), masked);
    }
}

/// Lines as they stand in ordinary code, logs and documents, all with a word that could be a credential's.
const ORDINARY: &str = r#"
commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904 in src/token/api_key.rs of task-runner sk-1
if text.starts_with("-----BEGIN PRIVATE KEY-----") { return Some(SecretKind::PrivateKey) } // and so on
sk-folding-cube-container-large sk-circle-fade-dot-animation disk-usage-of-this-very-machine
let token = tokenizer.next_token()?; let token2 = tokens[0].trim(); token == expected_1
fn login(password: &str, secret: [u8; 32], token: Uint8Array, api_key: Base64String) -> Token {
  private readonly password: FormControl<string>; accessToken: string | undefined;
const TOKEN = process.env.GITHUB_TOKEN; const apiKey = config.v2.apiKeyValue;
api_key = os.environ["OPENAI_API_KEY"]; password = getpass.getpass(); secret = generate_secret2()
client = Client(password=password, token=access_token, api_key=settings.api_key, secret=self.secret2)
login(username="alice", password=user1_password, token=page_token2)
PASSWORD=$DB_PASSWORD TOKEN=${TOKEN} SECRET=$(pass show x) API_KEY=<your-api-key> KEY=%API_KEY_1%
GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}
password: "Password1 is required"; "password": "Your password must have 8 characters or more"
"password": "required|min:8", "secret": "required", "token": "identifier", "token": "utf8_string"
"password": "xxxxxxxx", "token": "****************", "apiKey": "your-api-key-123", "secret": "changeme"
jsonwebtoken = "9.3.0-beta.10"  "@types/jsonwebtoken": "npm:jwt@8.5.9"  csrf-token = "^2.11.1-rc1"
"nextToken": "eyJhIjoxfQ1234abcd", max_tokens=16384, token_count = 12345678, tokens: 128000
token: 0x1234567890abcdef, secret = 1_000_000u64, token = 2024-01-31T00:00:00Z
"secret": "arn:aws:secretsmanager:us-east-1:123456789012:secret:x", password_file: /run/secrets/db1
secret = "/run/secrets/db-password-1", token = "https://example.org/token1234", key: "vault:kv/1"
Authorization: Bearer ${TOKEN}, Authorization: Bearer <token>, `Authorization: Basic authentication`
headers.set("Authorization", "Bearer " + token); format!("authorization: bearer {token}")
Set-Cookie: theme=dark; SameSite=Lax. The cookie: see RFC 6265. document.cookie = "a=b"
https://${USER}:${TOKEN}@example.org postgres://postgres:postgres@localhost/app http://localhost:8080/@scope/x
git@github.com:owner/repo.git ssh://git@host:22/x alice@example.org bob+tag@example.co.jp
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==
"review_id": "5f2d0c9a7b", "tree": "0123456789abcdef0123456789abcdef01234567", phase = "test_scenario"
error[E0425]: cannot find value `token` in this scope --> src/lib.rs:12:5
"#;

#[test]
fn ordinary_code_is_not_masked() {
    for line in ORDINARY.lines() {
        assert_eq!(mask(line), line);
    }
}

#[test]
fn json_is_masked_only_in_string_values() {
    let mut value = serde_json::json!({"a": [format!("ghp_{}", "B".repeat(36))], "n": 1});
    Masker::default().mask_value(&mut value);
    assert_eq!(value, serde_json::json!({"a": ["[MASKED:GITHUB_TOKEN]"], "n": 1}));
}

#[test]
fn secret_variables_are_recognized_by_name() {
    for name in
        ["GITHUB_TOKEN", "OPENAI_KEY", "db_password", "AWS_SECRET_ACCESS_KEY", "SENTRY_DSN", "MYSQL_PWD"]
    {
        assert!(is_secret_name(name), "{name}");
    }
    for name in ["HOME", "PWD", "KEYBOARD", "GITHUB_TOKEN_FILE", "SECRET_DIR", "MONKEY", "PATH"] {
        assert!(!is_secret_name(name), "{name}");
    }
}

const RANDOM: &str = "R4nd0mQx7LkP2vWz9TbYc3HsJd6FgMe1UaNo";

fn kinds(text: &str) -> Vec<String> {
    let masker = Masker::new([("DEPLOY_TOKEN".to_owned(), "correct-horse+battery".to_owned())]);
    masker.kinds_in(text).iter().map(|(kind, at)| format!("{kind} {at}")).collect()
}

#[test]
fn secret_values_and_known_token_formats_are_found_with_their_place() {
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
fn example_keys_headers_and_weak_assignments_are_not_found_as_secrets() {
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

proptest! {
    #[test]
    fn masking_is_idempotent(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("password"), Just("token"), Just("="), Just(": "), Just("\""), Just("'"), Just(" "), Just("\\"),
                Just("q8Zf3kP0s1Lw"), Just("correct-horse+battery"), Just("Authorization: Bearer "), Just("Cookie: a="),
                Just("://u:"), Just("@"), Just("sk-ant-"), Just("aaaaaaaaaaaaaaaaaaaaaaaa"), Just("日本"), Just("\n"),
            ],
            0..12,
        ),
    ) {
        let masker = knowing("correct-horse+battery");
        let once = masker.mask(&parts.concat());
        prop_assert!(!once.as_str().contains("correct-horse+battery"));
        prop_assert_eq!(masker.mask(once.as_str()), once);
    }

    #[test]
    fn masking_any_text_ignores_absent_secret_values(text in ".*") {
        prop_assert_eq!(knowing("correct-horse+battery").mask(&text), Masker::default().mask(&text));
    }
}

#[test]
fn base64_is_found_at_every_offset() {
    // "user:" + value, "ab" + value and value + "!" as any encoder writes them.
    let value = b"Man is distinguished";
    assert_eq!(base64(value, 0, &STANDARD), "TWFuIGlzIGRpc3Rpbmd1aXNoZW");
    assert!("YU1hbiBpcyBkaXN0aW5ndWlzaGVkIQ==".contains(&base64(value, 1, &STANDARD)));
    assert!("YWJNYW4gaXMgZGlzdGluZ3Vpc2hlZA==".contains(&base64(value, 2, &STANDARD)));
    assert_eq!(base64(&[0xfb, 0xff, 0xfe], 0, &URL_SAFE), "-__-");
    assert_eq!(base64(&[0xfb, 0xff, 0xfe], 0, &STANDARD), "+//+");
}

#[test]
fn encoded_forms_of_a_secret_are_complete() {
    let forms = encoded_forms("p\"ss w/rd");
    for form in [
        "p\"ss w/rd",
        "p\\\"ss w/rd",
        "7022737320772f7264",
        "7022737320772F7264",
        "p%22ss%20w%2Frd",
        "dr/w ss\"p",
        "\\u0070\\u0022\\u0073\\u0073\\u0020\\u0077\\u002f\\u0072\\u0064",
        "\\u0070\\u0022\\u0073\\u0073\\u0020\\u0077\\u002F\\u0072\\u0064",
    ] {
        assert!(forms.contains(form), "{form}: {forms:?}");
    }
    assert!(encoded_forms("ghp_abcdefghijklmnopqrstuvwxyz").contains("defghijklmnopqrstuvwxyz"));
    assert_eq!(encoded_forms(&"k".repeat(300)).len(), 1);
    assert!(encoded_forms("").is_empty());
}

#[test]
fn every_strong_token_format_has_a_search_hint() {
    for shape in &LISTS.shapes {
        assert_eq!(shape.hint.is_some(), !shape.weak, "{}", shape.name);
    }
}
