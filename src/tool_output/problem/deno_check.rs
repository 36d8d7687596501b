//! `deno check`: `TS2345 [ERROR]: text`, an excerpt, and `at file:///path:line:column`.

use super::{Problems, problem};
use crate::Severity;
use crate::place::{Place, place};

pub(super) fn read(lines: &mut [&str], problems: &mut Problems) {
    let mut at = 0;
    while at < lines.len() {
        let Some((code, message)) = head(lines[at]) else {
            at += 1;
            continue;
        };
        let next = (at + 1..lines.len()).find(|index| head(lines[*index]).is_some()).unwrap_or(lines.len());
        let called = (at + 1..next).find(|index| call(lines[*index]).is_some());
        let place = called.and_then(|index| call(lines[index]));
        problems.add(problem(place, Some(code), Severity::Error, message));
        let end = called.map_or(at + 1, |index| index + 1);
        lines[at..end].fill("");
        at = end;
    }
}

fn head(line: &str) -> Option<(&str, &str)> {
    let (code, message) = line.strip_prefix("error: ").unwrap_or(line).split_once(" [ERROR]: ")?;
    let number = code.strip_prefix("TS")?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some((code, message))
}

fn call(line: &str) -> Option<Place> {
    place(line.strip_prefix("  ")?.trim_start().strip_prefix("at ")?)
}

#[cfg(test)]
mod tests {
    use super::super::tests::types_of;

    #[test]
    fn heads_are_joined_with_their_places() {
        let text = "Check file:///x/a.ts\nerror: TS2322 [ERROR]: Type 'string' is not assignable to type 'number'.\n\
            const x: number = 'a';\n      ^\n    at file:///x/a.ts:1:7\n\nTS2304 [ERROR]: Cannot find name 'y'.\ny;\n^\n\
            \x20   at file:///x/a.ts:2:1\n\nFound 2 errors.\n";
        let expected = [
            "/x/a.ts:1:7 [TS2322] Error: Type 'string' is not assignable to type 'number'.",
            "/x/a.ts:2:1 [TS2304] Error: Cannot find name 'y'.",
        ];
        assert_eq!(types_of(text), expected);
    }
}
