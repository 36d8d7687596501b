//! A command as a person writes it in the settings: a program with its arguments, which runs without a shell. Splits a line
//! into words, makes a line of words, and names what only a shell would understand. Runs nothing.

/// A character of a command, as its quotes have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plain(char),
    Quoted(char),
    /// A quotation mark that opens or closes.
    Quote,
}

/// Reads the quotes of a command: of both kinds, and nothing else means anything. Returns whether one stays open as well.
fn signs(command: &str) -> (Vec<Sign>, bool) {
    let mut quote = None;
    let mut sign = |character: char| match (quote, character) {
        (Some(open), _) if open == character => {
            quote = None;
            Sign::Quote
        }
        (None, '"' | '\'') => {
            quote = Some(character);
            Sign::Quote
        }
        (Some(_), _) => Sign::Quoted(character),
        (None, _) => Sign::Plain(character),
    };
    let signs = command.chars().map(&mut sign).collect();
    (signs, quote.is_some())
}

/// Splits a command into its words: spaces between, quotes of both kinds around, and nothing else means anything.
pub fn split_words(command: &str) -> Result<Vec<String>, &'static str> {
    let (signs, is_open) = signs(command);
    if is_open {
        return Err("has a quote that is not closed");
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    for sign in signs {
        match sign {
            Sign::Quote => {
                word.get_or_insert_default();
            }
            Sign::Plain(character) if character.is_whitespace() => words.extend(word.take()),
            Sign::Plain(character) | Sign::Quoted(character) => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) { Err("names no program") } else { Ok(words) }
}

/// Returns a line that is split into these words again.
pub(super) fn line_of<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r#"'"'"'"#))
}

/// Returns what of a command only a shell would understand: operators, what a shell replaces by something else, a variable
/// in front of the program. Quoted characters are arguments. Patterns are not looked for: many programs read them themselves.
pub(super) fn shell_syntax(command: &str) -> Option<String> {
    let plain = |sign: Sign| match sign {
        Sign::Plain(character) => character,
        Sign::Quoted(_) | Sign::Quote => '\0',
    };
    let text: String = signs(command).0.into_iter().map(plain).collect();
    let text = text.trim();
    let begins_word = |at: usize| text[..at].ends_with(char::is_whitespace);
    let comment = text.char_indices().find(|(at, character)| *character == '#' && begins_word(*at));
    let comment = || comment.map(|_| "#".to_owned());
    variable_in_front(text)
        .or_else(|| text.char_indices().find_map(|(at, _)| syntax_at(&text[at..])))
        .or_else(comment)
}

/// Returns the shell syntax that a text begins with.
fn syntax_at(text: &str) -> Option<String> {
    let first = text.chars().next()?;
    let while_it = |is: fn(char) -> bool| text[1..].chars().take_while(|c| is(*c)).collect::<String>();
    match first {
        '&' | '|' | '<' | '>' => Some(format!("{first}{}", while_it(|c| "&|<>".contains(c)))),
        ';' | '`' => Some(first.to_string()),
        '\n' => Some("a line break".to_owned()),
        '$' if text[1..].starts_with(['(', '{']) => Some(text[..2].to_owned()),
        '$' => Some(while_it(|c| c.is_ascii_alphanumeric() || c == '_'))
            .filter(|name| !name.is_empty())
            .map(|name| format!("${name}")),
        _ => None,
    }
}

fn variable_in_front(text: &str) -> Option<String> {
    let (name, _) = text.split_whitespace().next()?.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| format!("{name}="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_spaces_outside_quotes() {
        let split = |text: &str| split_words(text).expect(text);
        assert_eq!(split(r#"a  'b c' d"e f"g "" $x;y"#), ["a", "b c", "de fg", "", "$x;y"]);
        assert_eq!(split_words("a 'b"), Err("has a quote that is not closed"));
        assert!(split_words("'' a").is_err() && split_words(" ").is_err());
    }

    #[test]
    fn a_line_of_words_is_split_into_the_same_words() {
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
    fn what_only_a_shell_understands_is_named() {
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
    fn what_a_program_is_told_is_not() {
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
}
