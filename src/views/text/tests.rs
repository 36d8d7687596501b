//! Tests of how text from outside is made harmless.

use super::*;

#[test]
fn control_sequences_are_removed() {
    for (text, expected) in [
        ("\u{1b}[31mred\u{1b}[0m", "red"),
        ("\u{1b}]52;c;ZXZpbA==\u{7}clipboard", "clipboard"),
        ("\u{1b}]0;title\u{1b}\\text", "text"),
        ("\u{9b}2Jcleared", "cleared"),
        ("honest\rfaked", "honest faked"),
        ("bell\u{7}\u{8}\u{0}", "bell"),
        ("two\r\nlines\n", "two lines"),
        ("\u{1b}Mup \u{1b}", "up "),
        ("\u{1b}]never ended\nnext", " next"),
        ("\u{202e}turned\u{2066}", "turned"),
        ("最終判定: PASS ✓", "最終判定: PASS ✓"),
        ("", ""),
    ] {
        assert_eq!(plain(text), expected, "{text:?}");
    }
}

#[test]
fn wide_characters_are_padded_to_the_column_width() {
    assert_eq!(pad("PASS", 6), "PASS  ");
    assert_eq!(pad("✓ 判定", 8), "✓ 判定  ");
    assert_eq!(pad("longer", 3), "longer");
}

#[test]
fn quoted_text_mentions_no_user_and_closes_no_issue() {
    let calm = quoted("@everyone fixes #2\n![x](https://evil.example) <b>");
    assert!(
        !calm.contains("@everyone") && !calm.contains("#2") && !calm.contains("](") && !calm.contains("<b")
    );
    assert!(!calm.contains('\n'));
}

#[test]
fn titles_are_plain_text_without_mentions() {
    for (text, expected) in [
        ("Vec<T> & Option<&str> panic", "Vec<T> & Option<&str> panic"),
        ("see [docs](x)", "see [docs](x)"),
        ("two\r\nlines\u{1b}[31m", "two lines"),
        ("thanks @bob, fixes #2", "thanks @\u{200b}bob, fixes #\u{200b}2"),
        ("fixes https://github.com/o/n/issues/2", "fixes https://github.com/o/n/issues/\u{200b}2"),
        ("Fix [skip ci]", "Fix [\u{200b}skip ci]"),
        ("::error::x", ": :error::x"),
    ] {
        assert_eq!(format_title(text), expected, "{text}");
    }
    assert!(!neutralize(&format_title("##[group]x")).contains("##["));
    assert_eq!(format_title(&"あ".repeat(500)).chars().count(), LONGEST_QUOTE + 1);
}

#[test]
fn issue_urls_in_quoted_text_close_no_issue() {
    for (text, named) in [
        ("fixes https://github.com/o/n/issues/2", "/issues/2"),
        ("Closes: https://ghe.example/o/n/pull/7#x", "/pull/7"),
        ("resolves gh-12", "gh-12"),
    ] {
        assert!(!quoted(text).contains(named), "{text}");
    }
    assert_eq!(quoted("src/issues/2.rs and high-5"), "src/issues/2.rs and high-5");
}

#[test]
fn quoted_text_cannot_skip_ci_workflows() {
    for words in ["[skip ci]", "[CI skip]", "[no ci]", "[Skip Actions]", "[actions skip]"] {
        assert!(!quoted(&format!("Fix {words} please")).contains(words), "{words}");
    }
    assert_eq!(quoted("skip ci [ci]"), "skip ci [ci]");
}

#[test]
fn long_quoted_text_is_cut_with_an_ellipsis() {
    assert!(quoted(&"ぁ".repeat(500)).ends_with('…'));
}

#[test]
fn printed_text_contains_no_workflow_commands() {
    for (text, expected) in [
        ("::set-env name=X::SENTINEL", ": :set-env name=X::SENTINEL"),
        ("a\n \t::add-mask::b\r::error::c", "a\n \t: :add-mask::b\r: :error::c"),
        ("a ##[group]b", "a ## [group]b"),
        ("###[x]", "### [x]"),
        (":::x::", ": ::x::"),
        ("\u{200b}:\u{ad}:debug::x", "\u{200b}:\u{ad} :debug::x"),
        ("#\u{ad}#\u{2060}[x]", "#\u{ad}#\u{2060} [x]"),
        ("std::fmt in a line, # [x]", "std::fmt in a line, # [x]"),
        ("", ""),
    ] {
        assert_eq!(neutralize(text), expected, "{text:?}");
        assert_eq!(neutralize(expected), expected, "done twice");
    }
}

#[test]
fn neutralized_json_keeps_its_meaning() {
    let told = serde_json::json!({ "said": "::error::x\n##[group] ##\\[x]" });
    let text = format!("{told:#}");
    let calm = neutralize_json(&text);
    assert!(!calm.contains("##["), "{calm}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&calm).expect("JSON"), told);
    assert!(calm.lines().all(|line| !line.trim_start().starts_with("::")));
}
