//! Reads what a triage says about each finding of the review: to be fixed, no fix needed, to be discussed, and why. For the
//! record and the ledger only: what the triage amounts to is its table's. A judgment whose finding is not found is kept.

use super::judgments::{self, Judged};
use super::quoted::Quoted;
use model::event::FindingJudgment;
use model::finding::{Disposition, Finding, normalised, worst_first};

/// More judgments than this are not kept.
const MOST: usize = 100;
/// A title longer than this, in characters, is cut.
const LONGEST_TITLE: usize = 200;
/// Shorter titles, in bytes without spaces and numbers, tell no finding from another.
const SHORTEST_TITLE: usize = 8;

/// Reads the judgments of a triage about these findings, which were told to it in the order of [`worst_first`].
pub fn read_dispositions(text: &str, findings: &[Finding]) -> Vec<FindingJudgment> {
    let quoted = Quoted::new(text);
    let lines: Vec<&str> = quoted.own_lines().collect();
    let told = worst_first(findings);
    let judged = judgments::read(&lines);
    let alone = judged.len() == 1 && told.len() == 1;
    let one = |judged: Judged| {
        let about = if alone { told.clone() } else { about(&judged, &told) };
        FindingJudgment {
            title: super::clipped(&judged.named.title, LONGEST_TITLE).to_owned(),
            disposition: judged.disposition,
            reason: judged.reason,
            findings: about.into_iter().map(Finding::fingerprint).collect(),
        }
    };
    judged.into_iter().take(MOST).map(one).filter(|one| one.disposition != Disposition::Open).collect()
}

/// Returns the findings that a judgment is about: those that its heading numbers, else the one that its title tells.
fn about<'f>(judged: &Judged, told: &[&'f Finding]) -> Vec<&'f Finding> {
    let by_number = judged.named.numbers.iter().filter_map(|number| {
        let index = usize::try_from(*number).ok()?.checked_sub(1)?;
        told.get(index).copied()
    });
    let by_number: Vec<&Finding> = by_number.collect();
    if !by_number.is_empty() {
        return by_number;
    }
    let title = normalised(&judged.named.title);
    let mut same = told.iter().copied().filter(|finding| tells(&title, &normalised(&finding.issue)));
    match (same.next(), same.next()) {
        (Some(only), None) => vec![only],
        _ => Vec::new(),
    }
}

fn tells(title: &str, issue: &str) -> bool {
    let (shorter, longer) = if title.len() <= issue.len() { (title, issue) } else { (issue, title) };
    shorter.len() >= SHORTEST_TITLE && longer.contains(shorter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::finding::Severity;

    fn finding(severity: Severity, issue: &str) -> Finding {
        Finding {
            severity,
            category: "design".into(),
            file: None,
            line: None,
            issue: issue.into(),
            suggestion: None,
            auto_fixable: false,
            disposition: Disposition::Open,
            in_scope: true,
        }
    }

    fn read(text: &str) -> Vec<(Disposition, Vec<&'static str>, String)> {
        let issues = ["the name is long", "the limit is missing", "the sum is wrong"];
        let findings = [
            finding(Severity::Minor, issues[0]),
            finding(Severity::Major, issues[1]),
            finding(Severity::Major, issues[2]),
        ];
        let issue = |print: &String| {
            let known = findings.iter().position(|finding| finding.fingerprint() == *print);
            issues[known.expect("a finding of the review")]
        };
        let judgments = read_dispositions(text, &findings).into_iter();
        judgments.map(|one| (one.disposition, one.findings.iter().map(issue).collect(), one.reason)).collect()
    }

    #[test]
    fn a_number_is_the_place_in_the_list_that_was_told() {
        let text = "### [1] x\n**Judgment**: Fix Required\nwritten in line 4\n### [3, 2] y\n**Judgment**: No Fix Needed (it is there)\n";
        let expected = [
            (Disposition::FixRequired, vec!["the limit is missing"], "written in line 4".to_owned()),
            (Disposition::NoFix, vec!["the name is long", "the sum is wrong"], "it is there)".to_owned()),
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn without_a_number_the_title_tells_and_in_doubt_nothing_does() {
        let text = "### [W1] The limit is missing!\n**Judgment**: Needs Discussion\nHow many?\n### C4: is\n**Judgment**: Fix Required\n### [9] z\n**Judgment**: Fix Required\n";
        let expected = [
            (Disposition::NeedsDiscussion, vec!["the limit is missing"], "How many?".to_owned()),
            (Disposition::FixRequired, vec![], String::new()),
            (Disposition::FixRequired, vec![], String::new()),
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn the_only_judgment_is_about_the_only_finding() {
        let one = [finding(Severity::Info, "a word")];
        let read = read_dispositions("**Judgment**: No Fix Needed", &one);
        assert_eq!(read[0].findings, [one[0].fingerprint()]);
        assert!(
            read_dispositions("> **Judgment**: No Fix Needed", &one).is_empty(),
            "a quotation is not its own"
        );
    }
}
