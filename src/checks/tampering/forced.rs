//! Code around tests that makes their outcome a success whatever they found: it ends the runner, or overwrites what it says.
//! What a test does to a program of its own, and what stands in a text, ends no runner.

use std::sync::LazyLock;

use regex::Regex;

use crate::outcome::at;
use crate::reading::language::Language;
use crate::reading::source::{ending, name};
use crate::reading::spelled::Spelled;
use model::change::Change;
use model::event::Place;

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("a constant"));
    };
}

pattern!(
    OVERWRITTEN,
    r#"(?x) \.outcome\s*=\s*['"]passed | exitstatus\s*=\s*0 | (?:^|[^.\w])items\.clear\(\) | \bitems\[:\]\s*=\s*\[\] | \bdel\s+items\[:\]
      | \bexcinfo\s*=\s*None\b | \.testsfailed\s*=\s*0 | \.wasxfail\s*= | \bforce_exception\(\s*None"#
);
pattern!(ENDED, r"\b(?:os\._exit|sys\.exit|process\.exit|os\.Exit)\(\s*0|\.exitCode\s*=\s*0");
pattern!(DEFINES, r"^\s*(?:async\s+)?def\s+(?P<python>\w+)|^func\s+(?P<go>\w+)");
// What runs once for many tests, or is asked about each of them.
pattern!(
    HOOK,
    r"^(?:pytest_\w+|(?:setUp|tearDown)(?:Class|Module)|(?:setup|teardown)_(?:module|class)|TestMain|init)$"
);
pattern!(
    OF_ONE_TEST,
    r"^\s*(?:\w+\.)?(?:beforeEach|afterEach|setup|teardown|[xf]?it|test|specify)(?:\.\w+)*\s*\("
);
pattern!(CONDITION, r"^\s*if\b|\bon(?:ce)?\(\s*['\x22]SIG");
pattern!(NO_CONDITION, r"^\s*if\s*\(?\s*(?:true|1|!false)\b");
pattern!(REPLACED, r#"spyOn\(\s*process\s*,\s*['"]exit|stub\(\s*process|process\.exit\s*=[^=]"#);

/// Returns the added lines of a file of tests that can turn a failure into a success. The text has no comments.
pub(super) fn successes(change: &Change, code: &str) -> Vec<Place> {
    let lines: Vec<&str> = code.lines().collect();
    let added = change.added_lines().filter_map(|(line, _)| Some((line, *lines.get(line - 1)?)));
    let may: Vec<(usize, &str)> =
        added.filter(|(_, text)| OVERWRITTEN.is_match(text) || ENDED.is_match(text)).collect();
    if may.is_empty() {
        return Vec::new();
    }
    let spelled = Spelled::new(code, Language::of_path(&change.path));
    let found = may.into_iter().filter(|(line, text)| {
        let bare = spelled.code(*line);
        let in_code = OVERWRITTEN.is_match(&bare) || bare.contains(".outcome");
        let overwrites = OVERWRITTEN.is_match(text) && in_code && is_hook(change, &lines, *line);
        overwrites || ENDED.find(&bare).is_some_and(|end| ends(change, &lines, *line, end.as_str()))
    });
    found.map(|(line, _)| at(&change.path, line, "can turn a failure into a success")).collect()
}

/// Tells whether an end of a program is that of the runner.
fn ends(change: &Change, lines: &[&str], line: usize, end: &str) -> bool {
    match ending(&change.path) {
        "py" if end.starts_with("os._exit") => !forks(lines, line),
        "py" => is_hook(change, lines, line),
        "go" => is_hook(change, lines, line) && !depends(lines, line),
        _ if end.starts_with(".exitCode") => !heads(lines, line).any(|head| OF_ONE_TEST.is_match(head)),
        _ => !depends(lines, line) && !lines.iter().any(|text| REPLACED.is_match(text)),
    }
}

/// Tells a line of Python or Go that belongs to no function, or to one that the runner calls for many tests.
fn is_hook(change: &Change, lines: &[&str], line: usize) -> bool {
    let outer = heads(lines, line).filter_map(|head| DEFINES.captures(head)).last();
    let outer = outer.and_then(|found| found.name("python").or(found.name("go")).map(|name| name.as_str()));
    let of_all = name(&change.path) == "conftest.py" || !matches!(ending(&change.path), "py" | "go");
    match outer {
        Some(name) => HOOK.is_match(name) || of_all && !name.starts_with("fake"),
        None => true,
    }
}

/// Tells whether the function around a line is a child of the runner.
fn forks(lines: &[&str], line: usize) -> bool {
    let depth = |text: &str| text.len() - text.trim_start().len();
    let above = lines[..line].iter().rev();
    let mut body =
        above.take_while(|text| text.trim().is_empty() || depth(text) > 0 || !text.contains("def "));
    body.any(|text| text.contains("fork()") || text.contains("Process("))
}

/// Tells whether a line stands behind a condition or waits for a signal.
fn depends(lines: &[&str], line: usize) -> bool {
    let above = heads(lines, line).next();
    let mut near = [Some(lines[line - 1]), above].into_iter().flatten();
    near.any(|text| CONDITION.is_match(text) && !NO_CONDITION.is_match(text))
}

/// Returns the heads of the blocks around a line, the nearest first.
fn heads<'t>(lines: &[&'t str], line: usize) -> impl Iterator<Item = &'t str> {
    let depth = |text: &str| text.len() - text.trim_start().len();
    let mut inside = depth(lines[line - 1]);
    let above = lines[..line - 1].iter().copied().rev().filter(|text| !text.trim().is_empty());
    above.filter(move |text| {
        let is_head = depth(text) < inside;
        inside = inside.min(depth(text));
        is_head
    })
}
