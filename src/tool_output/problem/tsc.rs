//! tsc, plain and pretty. What it says below an indented line belongs to the message.

use std::sync::LazyLock;

use regex::Regex;

use super::{Problems, problem, severity};
use crate::place::Place;

static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    let place = r"(?:(\S.*?)(?:\((\d+),(\d+)\):|:(\d+):(\d+) -) )?";
    Regex::new(&format!(r"^{place}(error|warning) (TS\d+): (.*)$")).expect("a valid pattern")
});

pub(super) fn read(lines: &mut [&str], problems: &mut Problems) {
    let mut at = 0;
    while at < lines.len() {
        let Some(parts) = lines[at]
            .contains(" TS")
            .then(|| HEAD.captures(lines[at]))
            .flatten()
            .or_else(|| lines[at].starts_with("error TS").then(|| HEAD.captures(lines[at])).flatten())
        else {
            at += 1;
            continue;
        };
        let number = |first, second| {
            let part: Option<regex::Match> = parts.get(first).or_else(|| parts.get(second));
            part.and_then(|part| part.as_str().parse().ok())
        };
        let place = parts.get(1).zip(number(2, 4)).map(|(file, line)| Place {
            file: file.as_str().to_owned(),
            line,
            column: number(3, 5),
        });
        let more = |line: &str| line.starts_with("  ") && !line.trim_start().starts_with('~');
        let end = (at + 1..lines.len()).find(|index| !more(lines[*index])).unwrap_or(lines.len());
        let message = format!("{}\n{}", &parts[8], lines[at + 1..end].join("\n"));
        let weight = severity(&parts[6]).unwrap_or(crate::Severity::Error);
        problems.add(problem(place, Some(&parts[7]), weight, &message));
        lines[at..end].fill("");
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::types_of;

    #[test]
    fn plain_and_pretty_are_read() {
        let plain = "src/a b.ts(10,5): error TS2345: Argument of type 'string' is not assignable.\n  Type 'x' is odd.\n\
            error TS5023: Unknown compiler option 'y'.\n";
        let expected = [
            "src/a b.ts:10:5 [TS2345] Error: Argument of type 'string' is not assignable.\n  Type 'x' is odd.",
            "[TS5023] Error: Unknown compiler option 'y'.",
        ];
        assert_eq!(types_of(plain), expected);
        let pretty = "src/a.ts:1:7 - error TS2322: Type 'string' is not assignable to type 'number'.\n\n\
            1 const x: number = 'a'\n        ~\n\n\nFound 1 error in src/a.ts:1\n";
        assert_eq!(
            types_of(pretty),
            ["src/a.ts:1:7 [TS2322] Error: Type 'string' is not assignable to type 'number'."]
        );
    }
}
