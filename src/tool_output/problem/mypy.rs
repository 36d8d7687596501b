//! mypy: `path:line: error: text  [code]`. Notes belong to nobody.

use super::unix::located;
use super::{Problems, problem, severity};

pub(super) fn read(lines: &mut [&str], problems: &mut Problems) {
    for line in lines.iter_mut() {
        let Some((place, text)) = located(line).filter(|(place, _)| python(&place.file)) else { continue };
        let Some((word, message)) = text.split_once(": ") else { continue };
        if word == "note" {
            *line = "";
        } else if let Some(severity) = severity(word) {
            let coded = message.strip_suffix(']').and_then(|rest| rest.rsplit_once("  ["));
            let (message, code) = coded.map_or((message, None), |(message, code)| (message, Some(code)));
            problems.add(problem(Some(place), code, severity, message));
            *line = "";
        }
    }
}

fn python(file: &str) -> bool {
    [".py", ".pyi", ".ipynb"].iter().any(|ending| file.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::super::tests::types_of;

    #[test]
    fn codes_are_taken_off_and_notes_left_out() {
        let text = "a.py:3: error: Incompatible types in assignment (expression has type \"str\")  [assignment]\n\
            a.py:3:5: note: See https://mypy.rtfd.io\nb.py:9:1: error: Name \"x\" is not defined  [name-defined]\n\
            Found 2 errors in 2 files (checked 3 source files)\n";
        let expected = [
            "a.py:3 [assignment] Error: Incompatible types in assignment (expression has type \"str\")",
            "b.py:9:1 [name-defined] Error: Name \"x\" is not defined",
        ];
        assert_eq!(types_of(text), expected);
    }
}
