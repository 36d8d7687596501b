//! rustc, clippy and `deno lint`: a head, `--> path:line:column` below it, notes after that. Also cargo's short form.

use std::sync::LazyLock;

use regex::Regex;

use super::{Problems, problem, severity};
use crate::Severity;
use crate::place::{Place, place};

/// Where a message that has no place of its own ends the search for one, in lines.
const NEAR: usize = 6;

static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"`(?:#\[(?:warn|deny|forbid)\(|-[DWF] )([a-z_:0-9-]+)").expect("a valid pattern")
});

pub(super) fn read(lines: &mut [&str], problems: &mut Problems) {
    let mut at = 0;
    while at < lines.len() {
        let Some((severity, code, message)) = head(lines[at]) else {
            at += 1;
            continue;
        };
        let end = block_end(lines, at + 1);
        let arrow = lines[at + 1..end].iter().take(NEAR).position(|line| arrow(line).is_some());
        let place = arrow.and_then(|index| self::arrow(lines[at + 1 + index]));
        if place.is_some() || (severity == Severity::Error && says_something(message)) {
            let more = lines[at + 1..at + 1 + arrow.unwrap_or(0)].join("\n");
            let named = code.map(str::to_owned).or_else(|| lint(&lines[at..end]));
            let message = format!("{message}\n{more}");
            problems.add(problem(place, named.as_deref(), severity, message.trim_end()));
            lines[at..end].fill("");
        }
        at = end;
    }
}

/// Reads `error[E0308]: mismatched types`.
fn head(line: &str) -> Option<(Severity, Option<&str>, &str)> {
    let (kind, message) = line.split_once(": ")?;
    let (word, code) = match kind.split_once('[') {
        Some((word, code)) => (word, Some(code.strip_suffix(']')?)),
        None => (kind, None),
    };
    if !["error", "warning"].contains(&word) || deno(message) {
        return None;
    }
    Some((severity(word)?, code, message))
}

/// `error: TS2345 [ERROR]: …` is `deno check`.
fn deno(message: &str) -> bool {
    message.contains(" [ERROR]: ")
}

/// A block goes on until a blank line that no part of it follows.
fn block_end(lines: &[&str], from: usize) -> usize {
    let ends = |index: &usize| {
        let line = lines[*index];
        let goes_on =
            lines.get(index + 1).is_some_and(|next| next.starts_with(' ') && next.contains(['|', '=', '-']));
        head(line).is_some() || (line.trim().is_empty() && !goes_on)
    };
    (from..lines.len()).find(ends).unwrap_or(lines.len())
}

fn arrow(line: &str) -> Option<Place> {
    place(line.trim_start().strip_prefix("--> ")?)
}

/// Cargo repeats at the end that there were errors.
fn says_something(message: &str) -> bool {
    let echoes =
        ["could not compile ", "aborting due to ", "test failed", "doctest failed", "build failed", "Found "];
    let counts =
        message.split_once(' ').is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
    let more = ["Type checking failed", "Test failed", "test run failed"];
    !counts && !echoes.iter().chain(&more).any(|echo| message.starts_with(echo))
}

/// Reads the lint's name from the note that says where it is switched on, or from the address of its page.
fn lint(block: &[&str]) -> Option<String> {
    let mut named = block.iter().filter(|line| line.contains("on by default") || line.contains("implied by"));
    if let Some(parts) = named.find_map(|line| NAMED.captures(line)) {
        return Some(parts[1].replace('-', "_"));
    }
    let page = block.iter().find_map(|line| line.split_once("rust-clippy/")?.1.split_once("index.html#"));
    page.map(|(_, name)| format!("clippy::{}", name.trim()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{lints_of, types_of};

    const RECORDED: &str = r#"    Checking demo v0.1.0 (/x)
error[E0308]: mismatched types
  --> src/main.rs:2:18
   |
2  |     let x: i32 = "a";
   |            ---   ^^^ expected `i32`, found `&str`
   |            |
   |            expected due to this

warning: unused variable: `x`
 --> src/main.rs:2:9
  |
2 |     let x: i32 = "a";
  |         ^ help: if this is intentional, prefix it with an underscore: `_x`
  |
  = note: `#[warn(unused_variables)]` (part of `#[warn(unused)]`) on by default

error: this comparison involving the minimum or maximum element for this type contains a case that
       is always true or always false
 --> src/main.rs:4:8
  |
  = help: for further information visit https://rust-lang.github.io/rust-clippy/master/index.html#absurd_extreme_comparisons
  = note: `#[deny(clippy::absurd_extreme_comparisons)]` on by default

For more information about this error, try `rustc --explain E0308`.
warning: `demo` (bin "demo") generated 1 warning
error: could not compile `demo` (bin "demo") due to 2 previous errors; 1 warning emitted
"#;

    #[test]
    fn heads_are_joined_with_their_places_and_lints_named() {
        let expected = [
            "src/main.rs:2:18 [E0308] Error: mismatched types",
            "src/main.rs:4:8 [clippy::absurd_extreme_comparisons] Error: this comparison involving the minimum or maximum \
             element for this type contains a case that\n       is always true or always false",
            "src/main.rs:2:9 [unused_variables] Warning: unused variable: `x`",
        ];
        assert_eq!(types_of(RECORDED), expected);
        assert_eq!(lints_of(RECORDED), expected);
    }

    #[test]
    fn an_error_without_a_place_is_kept_and_an_echo_is_not() {
        let text = "error: linking with `cc` failed: exit status: 1\n  |\n  = note: ld: cannot find -lx\n\n\
            error: aborting due to 1 previous error\nwarning: build failed, waiting for other jobs to finish...\n\
            error: 2 targets failed:\n    `--lib`\n";
        assert_eq!(types_of(text), ["Error: linking with `cc` failed: exit status: 1"]);
    }

    #[test]
    fn pages_name_lints_too_and_deno_lint_has_the_same_form() {
        let implied =
            "error: odd\n --> src/a.rs:3:5\n  |\n  = note: `-D clippy::odd-name` implied by `-D warnings`\n";
        assert_eq!(lints_of(implied), ["src/a.rs:3:5 [clippy::odd_name] Error: odd"]);
        let text = "warning: unneeded `return` statement\n --> src/a.rs:3:5\n  |\n  = help: for further information visit \
            https://rust-lang.github.io/rust-clippy/rust-1.90.0/index.html#needless_return\n\n\
            error[no-unused-vars]: `x` is never used\n --> /x/a.ts:1:7\n  |\n";
        let expected = [
            "/x/a.ts:1:7 [no-unused-vars] Error: `x` is never used",
            "src/a.rs:3:5 [clippy::needless_return] Warning: unneeded `return` statement",
        ];
        assert_eq!(lints_of(text), expected);
    }
}
