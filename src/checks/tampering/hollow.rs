//! Tests that stand where they were and demand nothing: they end early, run for no value, or their file takes them back.
//! Looks at tests of before only.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::cases::Case;
use super::weakening::Counted;
use crate::outcome::at;
use crate::reading::language::Language;
use crate::reading::source::{ending, without_comments};
use crate::reading::spelled::Spelled;
use model::change::Change;
use model::event::Place;

pattern!(ENDED, r"\b(?:os\._exit|sys\.exit|process\.exit|process::exit|os\.Exit)\(\s*0?\s*\)");
pattern!(RAISED, r"\braise\s+(?:unittest\.)?SkipTest\b");
pattern!(
    EMPTY,
    r"\bfor\b[^\n]*\bin\s+(?:&?\[\]|\(\)|(?:list|tuple|dict|set)\(\)|range\(0\)|Vec::new\(\)|std::iter::empty|0\.\.0\b)|\bwhile\s*\(?\s*(?:[Ff]alse|0)\s*\)?\s*[:{]|\bfor\s+false\s*\{|\bof\s+\[\s*\]\s*\)|\brange\s+\[\]\w+\{\s*\}|(?:^|[\s;{(])\[\s*\]\.(?:forEach|map|each)\b|parametrize\([^\n\[]*,\s*\[\s*\]|\.each\(\s*\[\s*\]\s*\)"
);
pattern!(MACHINE, r"\bif\b[^\n]*(?:os\.environ|os\.getenv|os\.Getenv|process\.env|env::var|option_env!)");

/// Returns the ways in which a test ends or does not run, that it knew less of before.
pub(super) fn marks(old: &Case, new: &Case) -> Vec<Counted> {
    let kinds: [(&Regex, &'static str); 3] = [
        (&RAISED, "a skip was added"),
        (&EMPTY, "a loop over nothing stands"),
        (&MACHINE, "a condition on the environment was added"),
    ];
    let count = |pattern: &Regex, case: &Case| pattern.find_iter(&case.text).count();
    let grown = kinds.into_iter().filter(|(pattern, _)| count(pattern, new) > count(pattern, old));
    let mut found: Vec<Counted> = grown.map(|(_, what)| Counted { what, line: new.line }).collect();
    if throws_away(old, new) {
        found.push(Counted { what: "failures are thrown away", line: new.line });
    }
    if ends(new) > ends(old) {
        found.push(Counted { what: "an end of the whole program stands", line: new.line });
    }
    found
}

pattern!(THROWN_AWAY, r"&testing\.T\{|\bnew\(testing\.T\)|\btesting\.T\{\s*\}|\bvar\s+\w+\s+testing\.T\b");
pattern!(ITS_OWN, r"\bt\.(?:Run|Error|Fatal|Fail|Helper)|[(,\s]t[,)]");
pattern!(HIDDEN, r"\bvar\s+t\s+testing\.T\b|\bt\s*:?=\s*(?:&testing\.T|new\(testing\.T)");

/// Tells whether failures go to a `testing.T` that nobody looks at, where they went to the test's own.
fn throws_away(old: &Case, new: &Case) -> bool {
    let count = |pattern: &Regex, case: &Case| pattern.find_iter(&case.text).count();
    let own_is_less = || count(&ITS_OWN, new) < count(&ITS_OWN, old) || HIDDEN.is_match(&new.text);
    count(&THROWN_AWAY, new) > count(&THROWN_AWAY, old) && own_is_less()
}

/// Counts the ends of the program that stand in a test itself: not in a text, in a child of it, or where it waits for them.
fn ends(case: &Case) -> usize {
    if !ENDED.is_match(&case.text) || ["SystemExit", "fork()"].iter().any(|part| case.text.contains(part)) {
        return 0;
    }
    let spelled = Spelled::new(&case.text, Language::of_path(&case.path));
    (1..=case.text.lines().count()).filter(|line| ENDED.is_match(&spelled.code(*line))).count()
}

pattern!(
    PYTHON_TAKES_BACK,
    r"^del\s+test_\w|^\s*[Tt]est\w*\.__test__\s*=\s*False|^\w*\s*=?\s*pytest\.importorskip\("
);
pattern!(RUST_TAKES_BACK, r"^\s*#!\[\s*cfg\(|^\s*macro_rules!\s+(?:debug_)?assert(?:_eq|_ne|_matches)?\s*\{");
pattern!(CFG_HERE, r#"cfg\(\s*(?:unix|test|not\(windows\)|not\(miri\)|target_os\s*=\s*"linux")\s*\)"#);
pattern!(
    SCRIPT_TAKES_BACK,
    r"^\s*(?:function\s+(?:expect|assert)\s*\(|(?:globalThis|global|window)\.expect\s*=)"
);
pattern!(PYTHON_TEST, r"^(?:async\s+)?def\s+(?P<name>test\w*)\s*\(");

/// Returns the added lines of a file of tests that take back what its tests demand.
pub(super) fn taken_back(change: &Change) -> Vec<Place> {
    let (Some(_), Some(text)) = (change.old_text(), change.new_text()) else { return Vec::new() };
    let pattern: &Regex = match ending(&change.path) {
        "py" => &PYTHON_TAKES_BACK,
        "rs" => &RUST_TAKES_BACK,
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => &SCRIPT_TAKES_BACK,
        _ => return Vec::new(),
    };
    let code = without_comments(&change.path, text);
    let lines: Vec<&str> = code.lines().collect();
    let added = change.added_lines().filter_map(|(line, _)| Some((line, *lines.get(line - 1)?)));
    let taken = added.filter(|(_, text)| pattern.is_match(text) && !CFG_HERE.is_match(text));
    let mut places: Vec<Place> =
        taken.map(|(line, _)| at(&change.path, line, "takes back what the tests demand")).collect();
    if ending(&change.path) == "py" {
        let known = twice(change.old_text().unwrap_or_default());
        let again = twice(&code).into_iter().filter(|(_, name)| !known.iter().any(|(_, old)| old == name));
        places.extend(again.map(|(line, name)| {
            at(&change.path, line, format!("a second `{name}` takes the place of the first"))
        }));
    }
    places
}

/// Returns the tests on the first level of a Python file whose name was taken already.
fn twice(text: &str) -> Vec<(usize, &str)> {
    let mut seen = BTreeSet::new();
    let named =
        |line| PYTHON_TEST.captures(line).and_then(|found| found.name("name")).map(|name| name.as_str());
    let all = text.lines().enumerate().filter_map(|(index, line)| Some((index + 1, named(line)?)));
    all.filter(|(_, name)| !seen.insert(*name)).collect()
}
