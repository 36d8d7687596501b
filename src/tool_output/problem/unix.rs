//! `path:line:column: text`, as go, gcc, eslint's `unix`, ruff's `concise`, and many others write it.

use super::{Problems, problem, severity};
use crate::Severity;
use crate::place::{Place, place};

pub(super) fn read(lines: &mut [&str], problems: &mut Problems) {
    for line in lines.iter_mut() {
        let Some((place, text)) = located(line) else { continue };
        *line = "";
        let (severity, code, text) = weighed(text);
        problems.add(problem(Some(place), code, severity, text));
    }
}

/// Splits `path:line[:column]: text`; what is indented is a call or an excerpt, and a path has a dot or a slash.
pub(super) fn located(line: &str) -> Option<(Place, &str)> {
    let (first, _) = line.split_once(": ")?;
    let place = place(first)?;
    let path = place.file.contains(['.', '/', '\\']) && !place.file.contains(char::is_whitespace);
    (path && !line.starts_with(' ')).then(|| (place, line[first.len() + 2..].trim()))
}

/// Reads `error[E0308]: text`, `warning: text`, and eslint's `text [Error/rule]`; without a word it is an error.
fn weighed(text: &str) -> (Severity, Option<&str>, &str) {
    if let Some((kind, rest)) = text.split_once(": ") {
        let (word, code) =
            kind.split_once('[').map_or((kind, None), |(word, code)| (word, code.strip_suffix(']')));
        if let Some(severity) = severity(word) {
            return (severity, code, rest);
        }
    }
    let marked = text.strip_suffix(']').and_then(|rest| rest.rsplit_once(" ["));
    if let Some((message, (word, code))) =
        marked.map(|(message, mark)| (message, mark.split_once('/').unwrap_or((mark, ""))))
        && let Some(severity) = severity(word)
    {
        return (severity, Some(code), message);
    }
    (Severity::Error, None, text)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{lints_of, types_of};

    #[test]
    fn the_common_form_is_read() {
        let text = "# example.com/a\n./a.go:3:2: undefined: x\nvet: ./b.go:4:2: declared and not used: y\n\
            src/main.rs:2:18: error[E0308]: mismatched types\n";
        let expected = ["./a.go:3:2 Error: undefined: x", "src/main.rs:2:18 [E0308] Error: mismatched types"];
        assert_eq!(types_of(text), expected);
        let eslint = "/x/a.js:1:5: 'y' is never used. [Error/no-unused-vars]\n/x/a.js:2:1: Odd [Warning/no-odd]\n\n2 problems\n";
        let expected =
            ["/x/a.js:1:5 [no-unused-vars] Error: 'y' is never used.", "/x/a.js:2:1 [no-odd] Warning: Odd"];
        assert_eq!(lints_of(eslint), expected);
    }
}
