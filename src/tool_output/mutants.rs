//! What tools of mutation testing report: each mutant, its place, and whether a test failed on it. Read are the reports of
//! cargo-mutants and Stryker, and what mutmut keeps. Starts nothing and makes no mutant.

use std::collections::BTreeMap;

use roxmltree::{Document, Node, ParsingOptions};
use serde_json::Value;

/// A change that a tool made to see whether a test fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// The name by which the tool knows it.
    pub name: String,
    /// The file, relative to where the tool ran.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What was changed to what.
    pub what: String,
    /// Whether a test failed; nothing where it was not built, not run, or did not end in time.
    pub is_caught: Option<bool>,
}

/// Returns the mutants of a report that cargo-mutants or Stryker wrote; none where it is neither.
#[must_use]
pub fn mutants(report: &str) -> Vec<Mutant> {
    let report: Value = serde_json::from_str(report).unwrap_or_default();
    let outcomes = report["outcomes"].as_array().into_iter().flatten();
    let mut mutants: Vec<Mutant> = outcomes.filter_map(of_cargo_mutants).collect();
    for (path, file) in report["files"].as_object().into_iter().flatten() {
        let own = file["mutants"].as_array().into_iter().flatten();
        mutants.extend(own.filter_map(|mutant| of_stryker(mutant, path, file["source"].as_str()?)));
    }
    mutants
}

fn of_cargo_mutants(outcome: &Value) -> Option<Mutant> {
    let mutant = outcome["scenario"].get("Mutant")?;
    let name = mutant["name"].as_str()?;
    Some(Mutant {
        file: mutant["file"].as_str()?.to_owned(),
        line: number(&mutant["span"]["start"]["line"])?,
        // The name begins with the place.
        what: name.split_once(": ").map_or(name, |(_, what)| what).to_owned(),
        is_caught: is_caught(&outcome["summary"]),
        name: name.to_owned(),
    })
}

/// Reads a mutant of the schema of mutation-testing-elements; columns are counted from 1.
fn of_stryker(mutant: &Value, path: &str, source: &str) -> Option<Mutant> {
    let [start, end] = ["start", "end"].map(|edge| &mutant["location"][edge]);
    let (line, from) = (number(&start["line"])?, number(&start["column"])?);
    let (to, more) =
        if start["line"] == end["line"] { (number(&end["column"])?, "") } else { (usize::MAX, " …") };
    let old = source.lines().nth(line.saturating_sub(1)).unwrap_or_default().chars();
    let old = old.skip(from.saturating_sub(1)).take(to.saturating_sub(from)).collect::<String>() + more;
    Some(Mutant {
        name: mutant["id"].as_str()?.to_owned(),
        file: path.to_owned(),
        line,
        what: replaced(&old, mutant["replacement"].as_str().unwrap_or("something else")),
        is_caught: is_caught(&mutant["status"]),
    })
}

fn number(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

/// Reads the word of cargo-mutants or Stryker.
fn is_caught(word: &Value) -> Option<bool> {
    match word.as_str()? {
        "CaughtMutant" | "Killed" => Some(true),
        "MissedMutant" | "Survived" | "NoCoverage" => Some(false),
        _ => None,
    }
}

fn replaced(old: &str, new: &str) -> String {
    format!("replace `{}` with `{}`", old.trim(), new.trim())
}

/// What stands between the name of a function and the number of its version.
const VERSION: &str = "__mutmut_";

/// Returns the mutants that mutmut made of a file: of what it keeps about the file, and of the text that it generated, in which all
/// versions of a function stand one after the other. `line_of` finds the line that was replaced; a mutant of which it finds
/// none is left out.
#[must_use]
pub fn mutmut_mutants(
    file: &str,
    report: &str,
    generated: &str,
    line_of: impl Fn(&str) -> Option<usize>,
) -> Vec<Mutant> {
    let report: Value = serde_json::from_str(report).unwrap_or_default();
    let body = |function: &str| Some(generated.split_once(&format!("def {function}("))?.1.lines().skip(1));
    let mutant = |(name, exit): (&String, &Value)| {
        let function = name.rsplit('.').next()?;
        let original = format!("{}{VERSION}orig", function.split_once(VERSION)?.0);
        let (old, new) = body(&original)?.zip(body(function)?).find(|(old, new)| old != new)?;
        // It ends with 1 or 3 where a test failed, and with 5 or 33 where no test runs the function.
        let is_caught = match exit.as_u64() {
            Some(1 | 3) => Some(true),
            Some(0 | 5 | 33) => Some(false),
            _ => None,
        };
        let (line, what) = (line_of(old.trim())?, replaced(old, new));
        Some(Mutant { name: name.clone(), file: file.to_owned(), line, what, is_caught })
    };
    report["exit_code_by_key"].as_object().into_iter().flatten().filter_map(mutant).collect()
}

/// How often the lines of each file ran, by the path that the report gives and the number of the line, from 1. A line without a
/// statement is not there.
pub type LineHits = BTreeMap<String, BTreeMap<usize, u64>>;

/// Returns how often lines ran; nothing where a report has neither form.
#[must_use]
pub fn line_hits(report: &str) -> LineHits {
    let mut hits = LineHits::new();
    let mut see = |(file, line, count): (&str, usize, u64)| {
        let known = hits.entry(file.to_owned()).or_default().entry(line).or_default();
        *known = count.max(*known);
    };
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    match Document::parse_with_options(report.trim(), options) {
        Ok(document) => document.descendants().filter_map(cobertura_line).for_each(&mut see),
        Err(_) => lcov_lines(report).for_each(&mut see),
    }
    hits
}

fn cobertura_line<'r>(node: Node<'r, '_>) -> Option<(&'r str, usize, u64)> {
    let file = node.ancestors().find_map(|outer| outer.attribute("filename"))?;
    Some((file, node.attribute("number")?.parse().ok()?, node.attribute("hits")?.parse().ok()?))
}

fn lcov_lines(report: &str) -> impl Iterator<Item = (&str, usize, u64)> {
    let mut file = "";
    report.lines().filter_map(move |line| {
        file = line.strip_prefix("SF:").unwrap_or(file);
        let mut numbers = line.strip_prefix("DA:")?.split(',');
        Some((file.trim(), numbers.next()?.parse().ok()?, numbers.next()?.trim().parse().ok()?))
    })
}

#[cfg(test)]
mod tests_of_line_hits {
    use super::*;

    #[test]
    fn lcov_and_cobertura_are_read_and_the_higher_of_two_counts_holds() {
        let lcov =
            "TN:\nSF:src/a.js\nFN:1,a\nDA:1,2\nDA:2,0\nend_of_record\nSF:src/a.js\nDA:2,3,x\nend_of_record\n";
        let expected = LineHits::from([("src/a.js".to_owned(), BTreeMap::from([(1, 2), (2, 3)]))]);
        assert_eq!(line_hits(lcov), expected);
        let cobertura = "<?xml version=\"1.0\" ?>\n<!DOCTYPE coverage SYSTEM \"http://x/coverage-04.dtd\">\n<coverage>\
            <packages><package><classes><class filename=\"src/a.js\"><methods><method name=\"a\"><lines>\
            <line number=\"2\" hits=\"0\"/></lines></method></methods><lines><line number=\"1\" hits=\"2\"/>\
            <line number=\"2\" hits=\"3\"/></lines></class></classes></package></packages></coverage>";
        assert_eq!(line_hits(cobertura), expected);
        assert_eq!(line_hits("no report\nDA:x,1\n"), LineHits::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAUGHT: Option<bool> = Some(true);
    const SURVIVED: Option<bool> = Some(false);

    fn read(mutants: &[Mutant]) -> Vec<(&str, usize, &str, Option<bool>)> {
        mutants.iter().map(|mutant| (&*mutant.file, mutant.line, &*mutant.what, mutant.is_caught)).collect()
    }

    #[test]
    fn the_report_of_cargo_mutants_is_read() {
        let report = include_str!("mutants/cargo_mutants_27.json");
        let mutants = mutants(report);
        let expected = [
            ("src/lib.rs", 2, "replace pages -> u32 with 0", CAUGHT),
            ("src/lib.rs", 3, "replace > with < in pages", SURVIVED),
            ("src/lib.rs", 4, "replace + with * in pages", None),
        ];
        assert_eq!(read(&mutants), expected);
    }

    #[test]
    fn the_report_of_stryker_is_read() {
        let report = include_str!("mutants/stryker_9.json");
        let mutants = mutants(report);
        let expected = [
            ("src/pages.js", 2, "replace `\"size\"` with `\"\"`", SURVIVED),
            ("src/pages.js", 2, "replace `size < 1` with `true`", CAUGHT),
            ("src/pages.js", 4, "replace `full += 1` with `full -= 1`", SURVIVED),
            ("src/pages.js", 1, "replace `{ …` with `{}`", None),
        ];
        assert_eq!(read(&mutants), expected);
        assert_eq!(super::mutants("{\"files\": 1}"), []);
    }

    #[test]
    fn what_mutmut_keeps_is_read() {
        let generated = "@_mutmut_mutated(x)\ndef last(a):\n    return a - 1\ndef x_last__mutmut_orig(a):\n    return a - 1\n\
            def x_last__mutmut_1(a):\n    return a + 1\ndef x_last__mutmut_2(a):\n    return a - 2\nclass Pager:\n\
            \x20   async def xǁPagerǁlast__mutmut_orig(self):\n        return 3\n\
            \x20   async def xǁPagerǁlast__mutmut_1(self):\n        return 4\n";
        let report = r#"{"exit_code_by_key": {"pages.x_last__mutmut_1": 1, "pages.x_last__mutmut_2": 33,
            "pages.xǁPagerǁlast__mutmut_1": null, "pages.x_gone__mutmut_1": 0}, "hash_by_function_name": {}}"#;
        let line_of = |old: &str| ["return a - 1", "return 3"].iter().position(|text| *text == old);
        let mutants = mutmut_mutants("src/pages.py", report, generated, line_of);
        assert_eq!(mutants[0].name, "pages.x_last__mutmut_1");
        let expected = [
            ("src/pages.py", 0, "replace `return a - 1` with `return a + 1`", CAUGHT),
            ("src/pages.py", 0, "replace `return a - 1` with `return a - 2`", SURVIVED),
            ("src/pages.py", 1, "replace `return 3` with `return 4`", None),
        ];
        assert_eq!(read(&mutants), expected);
        assert!(mutmut_mutants("src/pages.py", report, generated, |_| None).is_empty());
    }
}
