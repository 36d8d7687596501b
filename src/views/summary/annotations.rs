//! Problems as annotations beside the lines of a change, in the command form that a runner of GitHub Actions reads.
//! Only places that the change has, and no more than a runner shows of each level.

use std::collections::BTreeSet;

use super::{Problem, neutral, plain};
use model::finding::Severity;

/// A runner shows ten of each level for a step.
const MOST: usize = 10;
/// The longest text of an annotation, in characters.
const LONGEST: usize = 2_000;

/// Returns the lines that show open problems; `changed` are the paths that the change has and that are still there.
pub fn annotations(problems: &[Problem], changed: &BTreeSet<String>) -> Vec<String> {
    let mut open: Vec<(&Problem, &str)> = problems.iter().filter_map(|it| placed(it, changed)).collect();
    open.sort_by_key(|(problem, _)| std::cmp::Reverse(problem.severity));
    let of_level = |level: &'static str| {
        let those = open.iter().filter(move |(problem, _)| self::level(problem.severity) == level);
        those.take(MOST).map(move |(problem, file)| line(level, problem, file))
    };
    ["error", "warning", "notice"].into_iter().flat_map(of_level).collect()
}

fn placed<'a>(problem: &'a Problem, changed: &BTreeSet<String>) -> Option<(&'a Problem, &'a str)> {
    let file = problem.file.as_deref()?;
    let file = file.strip_prefix("./").unwrap_or(file);
    (problem.open && changed.contains(file)).then_some((problem, file))
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::Major => "error",
        Severity::Minor => "warning",
        Severity::Info => "notice",
    }
}

fn line(level: &str, problem: &Problem, file: &str) -> String {
    let place = problem.line.filter(|line| *line > 0).map_or(String::new(), |line| format!(",line={line}"));
    let title = format!("{} in {}", problem.severity.as_str(), problem.phase);
    let more =
        problem.suggestion.as_ref().map_or(String::new(), |text| format!("\nSuggestion: {}", calm(text)));
    let words = calm(&problem.issue) + &more;
    format!("::{level} file={}{place},title={}::{}", property(file), property(&title), data(&words))
}

/// One line of text without anything that a terminal or a runner obeys.
fn calm(text: &str) -> String {
    neutral(&plain(text)).chars().take(LONGEST).collect()
}

/// Escapes the text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::finding::Disposition;

    fn problem(file: &str, severity: Severity, issue: &str) -> Problem {
        Problem {
            phase: "design".parse().expect("a name"),
            category: "quality".into(),
            severity,
            file: Some(file.into()),
            line: Some(3),
            issue: issue.into(),
            suggestion: None,
            first_round: 1,
            last_round: 1,
            open: true,
            disposition: Disposition::Open,
            reason: None,
            answered: false,
            fingerprint: issue.into(),
        }
    }

    fn changed(paths: &[&str]) -> BTreeSet<String> {
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    #[test]
    fn a_problem_stands_beside_its_line_and_cannot_become_another_command() {
        let odd = Problem {
            suggestion: Some("50% less\r\n::set-env name=X::y".into()),
            ..problem("src/a,b:c.rs", Severity::Major, "too slow\n::add-mask::x ##[group]")
        };
        assert_eq!(
            annotations(&[odd], &changed(&["src/a,b:c.rs"])),
            ["::error file=src/a%2Cb%3Ac.rs,line=3,title=major in design::\
              too slow ::add-mask::x ## [group]%0ASuggestion: 50%25 less ::set-env name=X::y"]
        );
    }

    #[test]
    fn only_open_problems_of_paths_in_the_change_are_shown_the_worst_first() {
        let settled = Problem { open: false, ..problem("a.rs", Severity::Critical, "settled") };
        let nowhere = Problem { file: None, ..problem("a.rs", Severity::Critical, "nowhere") };
        let all = [
            settled,
            nowhere,
            problem("other.rs", Severity::Critical, "other"),
            problem("/etc/passwd", Severity::Critical, "outside"),
            problem("./a.rs", Severity::Minor, "small"),
            Problem { line: Some(0), ..problem("a.rs", Severity::Info, "note") },
            problem("a.rs", Severity::Major, "big"),
            problem("a.rs", Severity::Critical, "worst"),
        ];
        let lines = annotations(&all, &changed(&["a.rs"]));
        assert_eq!(
            lines,
            [
                "::error file=a.rs,line=3,title=critical in design::worst",
                "::error file=a.rs,line=3,title=major in design::big",
                "::warning file=a.rs,line=3,title=minor in design::small",
                "::notice file=a.rs,title=info in design::note",
            ]
        );
    }

    #[test]
    fn no_more_than_ten_of_a_level_are_shown() {
        let many: Vec<Problem> =
            (0..25).map(|n| problem("a.rs", Severity::Minor, &format!("number {n}"))).collect();
        assert_eq!(annotations(&many, &changed(&["a.rs"])).len(), MOST);
    }
}
