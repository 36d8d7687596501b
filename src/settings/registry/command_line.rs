//! A command as it is written in a configuration: its `${name}` places, and whether only a shell would understand it.
//! Runs nothing and splits nothing: that is done where it is run.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

static PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\$\{([A-Za-z_][A-Za-z0-9_.-]*)\}").expect("a constant"));

/// How a character of a command is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

/// Returns the names of the places in a text, each as often as it stands there.
pub fn places(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    PLACE.captures_iter(text).filter_map(|found| Some((found.get(0)?.range(), found.get(1)?.as_str())))
}

/// Replaces each place by what a function gives for its name; what it has nothing for stays as it is.
pub fn filled(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let fill = |found: &regex::Captures<'_>| value(&found[1]).unwrap_or_else(|| found[0].to_owned());
    PLACE.replace_all(text, fill).into_owned()
}

/// Turns a line for a shell into one where each place is an argument that the shell never reads as code: `"${1}"`, and
/// inside double quotes `${1}`. Returns the line and the names in the order of the arguments.
pub fn for_shell(line: &str) -> (String, Vec<&str>) {
    let quotes = quotes(line);
    let (mut told, mut names, mut from) = (String::new(), Vec::new(), 0);
    for (place, name) in places(line) {
        names.push(name);
        let quote = if quotes.get(place.start) == Some(&Quote::Double) { "" } else { "\"" };
        told.push_str(&line[from..place.start]);
        let _ = write!(told, "{quote}${{{}}}{quote}", names.len());
        from = place.end;
    }
    told.push_str(&line[from..]);
    (told, names)
}

/// Says why a line cannot be run as it stands, with or without a shell.
pub fn objection(line: &str, shell: bool) -> Option<String> {
    if line.trim().is_empty() {
        return Some("is empty".to_owned());
    }
    let quotes = quotes(line);
    if quotes.last().is_some_and(|last| *last != Quote::None) {
        return Some("has a quotation mark that nothing closes".to_owned());
    }
    let single = places(line).find(|(place, _)| quotes[place.start] == Quote::Single);
    match single {
        Some((_, name)) if shell => {
            Some(format!("has `${{{name}}}` inside single quotes, where a shell fills nothing in"))
        }
        _ if shell => None,
        _ => shell_word(line, &quotes).map(|word| {
            format!("has `{word}`, which only a shell understands; no shell is used unless `shell` is true")
        }),
    }
}

/// Returns what only a shell would understand: operators, variables, patterns, a variable in front of the program.
fn shell_word(line: &str, quotes: &[Quote]) -> Option<String> {
    let plain: Vec<Range<usize>> = places(line).map(|(place, _)| place).collect();
    let unquoted = |at: usize| quotes[at] == Quote::None && !escaped(line, at);
    let operator = line.char_indices().find(|(at, c)| {
        let expands = matches!(c, '$' | '`') && quotes[*at] != Quote::Single && !escaped(line, *at);
        let inside = plain.iter().any(|place| place.contains(at));
        !inside && (expands || "|&;<>*~\\\n".contains(*c) && unquoted(*at))
    });
    let first = line.split_whitespace().next().unwrap_or_default();
    let sets = first.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    operator
        .map(|(_, c)| c.to_string().replace('\n', "a line break"))
        .or_else(|| sets.then(|| first.to_owned()))
}

fn escaped(line: &str, at: usize) -> bool {
    line[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Returns how each byte is quoted, and at the end how the line ends.
fn quotes(line: &str) -> Vec<Quote> {
    let mut state = Quote::None;
    let mut all = Vec::with_capacity(line.len() + 1);
    for (at, byte) in line.bytes().enumerate() {
        all.push(state);
        state = match (state, byte) {
            (Quote::None, b'\'') if !escaped(line, at) => Quote::Single,
            (Quote::None, b'"') if !escaped(line, at) => Quote::Double,
            (Quote::Single, b'\'') => Quote::None,
            (Quote::Double, b'"') if !escaped(line, at) => Quote::None,
            (state, _) => state,
        };
    }
    all.push(state);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_28_places_are_filled_by_name() {
        let value = |name: &str| (name == "message").then(|| "it's $(here)".to_owned());
        assert_eq!(filled("echo ${message} ${other} $message", value), "echo it's $(here) ${other} $message");
        assert_eq!(places("a${b}c${d.e-f}").map(|(_, name)| name).collect::<Vec<_>>(), ["b", "d.e-f"]);
    }

    #[test]
    fn c_28_in_a_shell_a_place_is_an_argument_and_never_code() {
        for (line, told) in [
            ("echo ${a} | grep x", "echo \"${1}\" | grep x"),
            ("echo \"x ${a} y\"", "echo \"x ${1} y\""),
            ("echo \\\"${a}", "echo \\\"\"${1}\""),
            ("cp ${a} ${b}", "cp \"${1}\" \"${2}\""),
            ("true", "true"),
        ] {
            assert_eq!(for_shell(line).0, told, "{line}");
        }
        assert_eq!(for_shell("cp ${a} ${b} ${a}").1, ["a", "b", "a"]);
    }

    #[test]
    fn what_only_a_shell_understands_is_refused_without_one() {
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
            let told = objection(line, false).unwrap_or_default();
            assert!(told.starts_with(&format!("has `{word}`, which only a shell")), "{line}: {told}");
            assert_eq!(objection(line, true), None, "{line}");
        }
        for line in ["deno task test", "grep 'a|b' \"c;d\"", "echo ${message}", "x --flag=1", "a '$b'"] {
            assert_eq!(objection(line, false), None, "{line}");
        }
    }

    #[test]
    fn a_line_that_no_program_gets_right_is_refused() {
        assert_eq!(objection(" ", true).as_deref(), Some("is empty"));
        for line in ["echo 'x", "echo \"x"] {
            assert!(objection(line, true).is_some_and(|told| told.contains("nothing closes")), "{line}");
        }
        assert!(objection("echo '${x}'", true).is_some_and(|told| told.contains("single quotes")));
    }
}
