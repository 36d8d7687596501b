//! eslint, `stylish` and `compact`. Its form `unix` is the common one.

use std::sync::LazyLock;

use regex::Regex;

use super::{Problems, problem, severity};
use crate::Problem;
use crate::place::Place;

static STYLISH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^  +(\d+):(\d+)  +(error|warning)  (.*?)(?:  +(\S+))?$").expect("a valid pattern")
});
static COMPACT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"^(.+): line (\d+), col (\d+), (Error|Warning) - (.*?)(?: \(([^\s()]+)\))?$";
    Regex::new(pattern).expect("a valid pattern")
});

pub(super) fn read(lines: &mut [&str], problems: &mut Problems) {
    let mut file = None;
    for line in lines.iter_mut() {
        let read = match file {
            Some(file) if line.starts_with("  ") => stylish(line, file),
            _ if line.contains(": line ") => compact(line),
            _ => None,
        };
        if let Some(problem) = read {
            problems.add(problem);
            *line = "";
        } else {
            file = (!line.is_empty() && !line.starts_with(' ')).then_some(*line);
        }
    }
}

/// Reads `  1:5   error    text  rule`, below the name of its file.
fn stylish(line: &str, file: &str) -> Option<Problem> {
    let parts = STYLISH.captures(line)?;
    let place = Place { file: file.to_owned(), line: parts[1].parse().ok()?, column: parts[2].parse().ok() };
    let code = parts.get(5).map(|code| code.as_str());
    Some(problem(Some(place), code, severity(&parts[3])?, parts[4].trim()))
}

/// Reads `path: line 1, col 5, Error - text (rule)`.
fn compact(line: &str) -> Option<Problem> {
    let parts = COMPACT.captures(line)?;
    let place =
        Place { file: parts[1].to_owned(), line: parts[2].parse().ok()?, column: parts[3].parse().ok() };
    Some(problem(Some(place), parts.get(6).map(|code| code.as_str()), severity(&parts[4])?, &parts[5]))
}

#[cfg(test)]
mod tests {
    use super::super::tests::lints_of;

    #[test]
    fn stylish_lines_stand_below_their_file() {
        let text = "\n/x/src/a b.js\n  1:5   error    'y' is assigned a value but never used  no-unused-vars\n\
            \x20 2:1   warning  Unexpected console statement                      no-console\n\
            \x20 9:10  error    Parsing error: Unexpected token\n\n✖ 3 problems (2 errors, 1 warning)\n";
        let expected = [
            "/x/src/a b.js:1:5 [no-unused-vars] Error: 'y' is assigned a value but never used",
            "/x/src/a b.js:9:10 Error: Parsing error: Unexpected token",
            "/x/src/a b.js:2:1 [no-console] Warning: Unexpected console statement",
        ];
        assert_eq!(lints_of(text), expected);
    }

    #[test]
    fn compact_lines_stand_alone() {
        let text = "/x/a.js: line 1, col 5, Error - 'y' is never used (really). (no-unused-vars)\n\
            /x/a.js: line 2, col 1, Warning - Odd.\n\n2 problems\n";
        let expected =
            ["/x/a.js:1:5 [no-unused-vars] Error: 'y' is never used (really).", "/x/a.js:2:1 Warning: Odd."];
        assert_eq!(lints_of(text), expected);
    }
}
