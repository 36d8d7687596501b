//! Tests of `command_line`.

use super::*;

#[test]
fn command_words_are_split_at_spaces_outside_quotes() {
    let split = |text: &str| split_words(text).expect(text);
    assert_eq!(split(r#"a  'b c' d"e f"g "" $x;y"#), ["a", "b c", "de fg", "", "$x;y"]);
    assert_eq!(split_words("a 'b"), Err("has a quote that is not closed"));
    assert!(split_words("'' a").is_err() && split_words(" ").is_err());
}

#[test]
fn quoted_command_words_round_trip() {
    for words in [
        &["cargo", "test", "--locked"][..],
        &["sh", "-c", "cd web && npm test > \"$OUT\" # it's done"],
        &["a", "", "b c", "'", "\"", "x\ny", "é*~\\"],
    ] {
        let line = line_of(words.iter().copied());
        assert_eq!(split_words(&line).expect(&line), words, "{line}");
        assert_eq!(shell_syntax(&line), None, "{line}");
    }
    assert_eq!(line_of(["sh", "-c", "a && b"]), "sh -c 'a && b'");
}

#[test]
fn shell_syntax_is_detected_and_named() {
    for (command, syntax) in [
        ("true && python3 -m unittest", "&&"),
        ("true&&x", "&&"),
        ("make test || true", "||"),
        ("make test | tee log", "|"),
        ("make lint; make test", ";"),
        ("make test > log", ">"),
        ("make test 2>&1", ">&"),
        ("sort < list", "<"),
        ("make test &", "&"),
        ("pytest $(cat list)", "$("),
        ("pytest `cat list`", "`"),
        ("pytest $TESTS", "$TESTS"),
        ("pytest ${TESTS}", "${"),
        ("CI=1 make test", "CI="),
        ("CI='a b' make test", "CI="),
        ("make lint\nmake test", "a line break"),
        ("'a' \"b\"; c", ";"),
        ("true # make test", "#"),
    ] {
        assert_eq!(shell_syntax(command).as_deref(), Some(syntax), "{command}");
    }
}

#[test]
fn program_arguments_are_not_shell_syntax() {
    for command in [
        "cargo test --locked -- --skip a::b",
        "sh -c 'cd web && npm test'",
        "sh -c \"a && b > c; $D `e`\"",
        "pytest -k 'a or b' -m \"not slow\"",
        "eslint src/**/*.ts",
        "prettier --check {a,b}.md",
        "make test CI=1",
        "env CI=1 make test",
        "./a=b/run",
        "grep foo$ file",
        "go test ./... -run ^Test$",
        "\n  make test\n",
        "~/bin/check",
    ] {
        assert_eq!(shell_syntax(command), None, "{command}");
    }
}

#[test]
fn placeholders_in_commands_are_filled_by_name() {
    let value = |name: &str| (name == "message").then(|| "it's $(here)".to_owned());
    assert_eq!(
        fill_places("echo ${message} ${other} $message", value),
        "echo it's $(here) ${other} $message"
    );
    assert_eq!(places("a${b}c${d.e-f}").map(|(_, name)| name).collect::<Vec<_>>(), ["b", "d.e-f"]);
}

#[test]
fn placeholders_in_shell_commands_are_arguments_and_never_code() {
    for (line, told) in [
        ("echo ${a} | grep x", "echo \"${1}\" | grep x"),
        ("echo \"x ${a} y\"", "echo \"x ${1} y\""),
        ("echo \\\"${a}", "echo \\\"\"${1}\""),
        ("cp ${a} ${b}", "cp \"${1}\" \"${2}\""),
        ("true", "true"),
    ] {
        assert_eq!(shell_line(line).0, told, "{line}");
    }
    assert_eq!(shell_line("cp ${a} ${b} ${a}").1, ["a", "b", "a"]);
}

#[test]
fn shell_syntax_is_refused_in_commands_without_a_shell() {
    for (line, word) in [
        ("echo x; exit 1", ";"),
        ("a && b", "&"),
        ("echo x >&2", ">"),
        ("cat $HOME/x", "$"),
        ("echo \"$(id)\"", "$"),
        ("echo `id`", "`"),
        ("ls *.rs", "*"),
        ("CI=1 make", "CI=1"),
        ("a\nb", "a line break"),
        ("make \\*", "\\"),
    ] {
        let told = find_objection(line, false).unwrap_or_default();
        assert!(told.starts_with(&format!("has `{word}`, which only a shell")), "{line}: {told}");
        assert_eq!(find_objection(line, true), None, "{line}");
    }
    for line in ["deno task test", "grep 'a|b' \"c;d\"", "echo ${message}", "x --flag=1", "a '$b'"] {
        assert_eq!(find_objection(line, false), None, "{line}");
    }
}

#[test]
fn invalid_command_lines_are_refused() {
    assert_eq!(find_objection(" ", true).as_deref(), Some("is empty"));
    for line in ["echo 'x", "echo \"x"] {
        assert!(find_objection(line, true).is_some_and(|told| told.contains("nothing closes")), "{line}");
    }
    assert!(find_objection("echo '${x}'", true).is_some_and(|told| told.contains("single quotes")));
}
