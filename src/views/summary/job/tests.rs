//! Tests of annotations.

use super::*;
use model::finding::{Disposition, Severity};

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
        answered_by: None,
        withdrawn: None,
        fingerprint: issue.into(),
    }
}

fn changed(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

#[test]
fn problem_becomes_an_annotation_and_cannot_inject_workflow_commands() {
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
fn annotations_show_open_problems_of_changed_files_worst_first() {
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
fn at_most_ten_annotations_per_level_are_shown() {
    let many: Vec<Problem> =
        (0..25).map(|n| problem("a.rs", Severity::Minor, &format!("number {n}"))).collect();
    assert_eq!(annotations(&many, &changed(&["a.rs"])).len(), MOST_ANNOTATIONS);
}
