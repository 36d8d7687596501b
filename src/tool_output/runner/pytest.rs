//! pytest: the short summary, the sections that show failures, and the last line with the counts.

use super::found::{Detail, Found};
use super::tally;
use crate::pattern::LazyPattern;
use crate::place::{Place, place};
use crate::{Counts, MOST_KEPT};

/// `==== 1 failed, 2 passed in 0.12s ====`, with `-q` without the signs around it.
static LAST: LazyPattern = LazyPattern::new(
    r"(?x)^(?:=+\x20)?
    ((?:no\x20tests\x20ran|\d+\x20(?:failed|passed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun
        |subtests\x20(?:passed|failed|skipped))|,\x20)+)
    \x20in\x20[\d.]+s(?:\x20\([\d:]+\))?(?:\x20=+)?$",
);
static TITLE: LazyPattern = LazyPattern::new(r"^==+ *([^= ].*?) *==+$");
/// The head of what a section shows of one test.
static HEAD: LazyPattern =
    LazyPattern::new(r"^__+ (?:ERROR collecting |ERROR at (?:setup|teardown) of )?(.*?) __+$");
/// `test_a.py:5: AssertionError`
static PLACE: LazyPattern = LazyPattern::new(r"^([^ :][^:]*\.py:\d+):");
/// `FAILED test_a.py::test_b - assert 1 == 2`
static SHORT: LazyPattern = LazyPattern::new(r"^(?:FAILED|ERROR) (?<name>.*?\.py.*?)(?: - (?<error>.*))?$");

/// Sections that show what failing or passing tests printed.
const SHOWING: [&str; 4] = ["FAILURES", "ERRORS", "PASSES", "XPASSES"];

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut found: Option<Found> = None;
    let mut shown: Vec<FailureBlock> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let mut next = at + 1;
        if title(line) == Some("test session starts") {
            found.get_or_insert_default();
        } else if let Some(counts) = last(line) {
            found.get_or_insert_default().count(counts);
        } else if let Some(title) = title(line).filter(|title| SHOWING.contains(title)) {
            next = section_end(lines, at + 1);
            if shown.len() < MOST_KEPT && !title.ends_with("PASSES") {
                shown.extend(failures(&lines[at + 1..next]));
            }
            found.get_or_insert_default();
        } else if let (Some(found), Some(parts)) = (found.as_mut(), SHORT.captures(line)) {
            let error = parts.name("error").map_or("", |error| error.as_str());
            found.fail(&parts["name"], summarised(&parts["name"], error, &mut shown));
        } else {
            at = next;
            continue;
        }
        lines[at..next].fill("");
        at = next;
    }
    let mut found = found?;
    for shown in &shown {
        found.fail(shown.name, Detail::at(shown.places.last().cloned(), &shown.error));
    }
    Some(found)
}

/// What a section shows of one failing test.
struct FailureBlock<'a> {
    name: &'a str,
    /// From the outermost call to the innermost.
    places: Vec<Place>,
    error: String,
}

fn title(line: &str) -> Option<&str> {
    TITLE.captures(line)?.get(1).map(|title| title.as_str())
}

fn last(line: &str) -> Option<Counts> {
    if !line.contains(" in ") {
        return None;
    }
    Some(tally::counts(&LAST.captures(line)?[1]))
}

/// A test may print a title of its own; only pytest's end a section.
fn section_end(lines: &[&str], from: usize) -> usize {
    let known = ["short test summary info", "warnings summary", "slowest"];
    let ends = |line: &str| {
        last(line).is_some()
            || title(line).is_some_and(|title| {
                SHOWING.contains(&title) || known.iter().any(|known| title.starts_with(known))
            })
    };
    (from..lines.len()).find(|index| ends(lines[*index])).unwrap_or(lines.len())
}

/// Reads the tests that a section shows, each below `____ name ____`.
fn failures<'a>(section: &[&'a str]) -> Vec<FailureBlock<'a>> {
    let heads: Vec<usize> = (0..section.len()).filter(|index| head(section[*index]).is_some()).collect();
    let ends = heads.iter().skip(1).copied().chain([section.len()]);
    heads
        .iter()
        .zip(ends)
        .take(MOST_KEPT)
        .filter_map(|(start, end)| Some(shown(head(section[*start])?, &section[start + 1..end])))
        .collect()
}

fn head(line: &str) -> Option<&str> {
    HEAD.captures(line)?.get(1).map(|name| name.as_str())
}

/// The error stands on the lines marked `E`; what was captured comes after it.
fn shown<'a>(name: &'a str, body: &[&str]) -> FailureBlock<'a> {
    let told = body.iter().take_while(|line| !(line.starts_with("---") && line.contains("Captured ")));
    let told: Vec<&str> = told.copied().collect();
    let marked: Vec<&str> = told.iter().filter_map(|line| line.strip_prefix("E ")).collect();
    let depth = marked.first().map_or(0, |line| line.len() - line.trim_start().len());
    let marked: Vec<&str> = marked.iter().map(|line| line.get(depth..).unwrap_or("")).collect();
    let places = told.iter().filter_map(|line| place(&PLACE.captures(line)?[1])).collect();
    FailureBlock { name, places, error: if marked.is_empty() { told.join("\n") } else { marked.join("\n") } }
}

/// Joins a line of the summary with what a section showed: `test_a.py::T::test_b` is headed `T.test_b` there.
fn summarised(name: &str, error: &str, shown: &mut Vec<FailureBlock>) -> Detail {
    let (file, test) = name.split_once("::").unwrap_or((name, name));
    let headed = test.replace("::", ".");
    let own = |shown: &&FailureBlock| shown.places.iter().any(|place| place.file == file);
    let same: Vec<usize> = (0..shown.len()).filter(|index| shown[*index].name == headed).collect();
    let best = same.iter().find(|index| own(&&shown[**index])).or(same.first()).copied();
    let shown = best.map(|index| shown.remove(index));
    let line = shown.iter().flat_map(|shown| &shown.places).rfind(|place| place.file == file);
    Detail {
        file: Some(file.to_owned()),
        line: line.map(|place| place.line),
        error: shown.as_ref().map_or(error, |shown| &shown.error).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_stdout;
    use crate::{Counts, FailedTest};

    const RECORDED: &str = r#"============================= test session starts ==============================
platform linux -- Python 3.12.1, pytest-8.3.3, pluggy-1.5.0
rootdir: /x
collected 5 items / 1 error

test_a.py .Fs                                                            [ 60%]
test_b.py .F                                                             [100%]

==================================== ERRORS ====================================
_________________________ ERROR collecting test_c.py __________________________
ImportError while importing test module 'test_c.py'.
E   ModuleNotFoundError: No module named 'nothing'
=================================== FAILURES ===================================
____________________________________ test_b ____________________________________

    def test_b():
        print("===== 9 passed in 0.01s =====")
>       assert 1 == 2
E       assert 1 == 2
E         +more

test_a.py:5: AssertionError
----------------------------- Captured stdout call -----------------------------
E   not the error
________________________________ TestX.test_deep _______________________________

self = <test_b.TestX object>

    def test_deep(self):
>       helper()

test_b.py:7:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def helper():
>       raise ValueError("boom")
E       ValueError: boom

helper.py:2: ValueError
=========================== short test summary info ============================
FAILED test_a.py::test_b - assert 1 == 2
FAILED test_b.py::TestX::test_deep - ValueError: boom
ERROR test_c.py
==================== 2 failed, 2 passed, 1 skipped, 1 error in 0.12s ====================
"#;

    #[test]
    fn the_summary_is_joined_with_what_the_sections_show() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 2, failed: 3, ignored: 1 }));
        let expected = [
            ("test_a.py::test_b", "test_a.py", Some(5), "assert 1 == 2\n  +more"),
            ("test_b.py::TestX::test_deep", "test_b.py", Some(7), "ValueError: boom"),
            ("test_c.py", "test_c.py", None, "ModuleNotFoundError: No module named 'nothing'"),
        ];
        let expected = expected.map(|(name, file, line, error)| FailedTest {
            name: name.into(),
            file: Some(file.into()),
            line,
            error: error.into(),
        });
        assert_eq!(report.failed, expected);
    }

    #[test]
    fn quiet_output_and_expected_failures_are_read() {
        let quiet = "..x                                                                      [100%]\n\
            2 passed, 1 xfailed, 1 xpassed, 3 warnings in 61.03s (0:01:01)\n";
        assert_eq!(of_stdout(quiet).counts, Some(Counts { passed: 3, failed: 0, ignored: 1 }));
        let deselected = "===== 4 deselected in 0.01s =====\n";
        assert_eq!(of_stdout(deselected).counts, Some(Counts::default()));
    }

    #[test]
    fn sections_without_a_summary_name_their_tests() {
        let text = "==== test session starts ====\n==== FAILURES ====\n____ test_x[1-2] ____\n\nE   boom\n\n\
            test_x.py:3: Error\n==== 1 failed in 0.01s ====\n";
        let report = of_stdout(text);
        assert_eq!(report.failed[0].name, "test_x[1-2]");
        assert_eq!((report.failed[0].line, report.failed[0].error.as_str()), (Some(3), "boom"));
    }
}
