//! What several reviews of one round amount to together. The first reviewer's is the base; the others only tighten:
//! the strictest judgment, everybody's findings, the worst grades. Pure; asks and excuses nobody.

use std::collections::{BTreeMap, BTreeSet};

use super::similar::are_similar;
use model::event::{Reading, Reviewed};
use model::finding::{Finding, Severity};
use model::verdict::Grade;

/// More findings at one place than this are not compared with each other.
const MOST_AT_ONE_PLACE: usize = 20;

/// Returns the reviews as one; the first of them is the base.
pub(super) fn merged(opinions: &[Reviewed]) -> Option<Reviewed> {
    let (chief, seconds) = opinions.split_first()?;
    let mut review = chief.clone();
    review.ended.truncated |= seconds.iter().any(|second| second.ended.truncated);
    if let Some(base) = review.reading.take() {
        let others: Vec<(&str, &Reading)> = seconds.iter().filter_map(named).collect();
        review.reading = Some(together(base, &others));
    }
    Some(review)
}

fn named(second: &Reviewed) -> Option<(&str, &Reading)> {
    Some((second.seat.as_deref()?, second.reading.as_ref()?))
}

fn together(base: Reading, seconds: &[(&str, &Reading)]) -> Reading {
    if seconds.is_empty() {
        return base;
    }
    let strictest = seconds.iter().fold(&base, |strictest, (_, reading)| stricter(strictest, reading));
    let all = || std::iter::once(&base).chain(seconds.iter().map(|(_, reading)| *reading));
    Reading {
        result: all().map(|reading| reading.result).max().unwrap_or(base.result),
        judgment: strictest.judgment,
        stated: strictest.stated.clone(),
        read_as: strictest.read_as.clone(),
        reason: strictest.reason.clone(),
        doubt: None,
        feedback: feedback(&base, seconds),
        suggestions: distinct(all().flat_map(|reading| &reading.suggestions)),
        questions: distinct(all().flat_map(|reading| &reading.questions)),
        findings: seconds
            .iter()
            .fold(base.findings.clone(), |findings, (_, reading)| with_those_of(findings, &reading.findings)),
        grade: grade(&base, seconds),
        viewpoints: worst_grades(all().flat_map(|reading| &reading.viewpoints)),
    }
}

/// Returns the stricter one, the first of equals.
fn stricter<'a>(one: &'a Reading, other: &'a Reading) -> &'a Reading {
    if other.judgment > one.judgment { other } else { one }
}

/// What an author has to read: the words of those who do not approve, else those of the first reviewer.
fn feedback(base: &Reading, seconds: &[(&str, &Reading)]) -> String {
    let demands =
        |reading: &Reading| !reading.judgment.approves() || reading.worst() >= Some(Severity::Major);
    let mut parts = Vec::new();
    let silent = seconds.iter().all(|(_, reading)| !demands(reading));
    if demands(base) || silent {
        parts.push(base.feedback.clone());
    }
    let demanding = seconds.iter().filter(|(_, reading)| demands(reading));
    parts.extend(demanding.map(|(seat, reading)| format!("[{seat}]\n{}", reading.feedback)));
    parts.join("\n\n")
}

/// Returns the worst grade that anybody gave; a critical finding of a second costs the first reviewer's a step at least.
fn grade(base: &Reading, seconds: &[(&str, &Reading)]) -> Option<Grade> {
    let is_critical = |(_, reading): &(&str, &Reading)| reading.worst() == Some(Severity::Critical);
    let own = if seconds.iter().any(is_critical) { base.grade.map(one_step_down) } else { base.grade };
    seconds.iter().map(|(_, reading)| reading.grade).fold(own, Option::max)
}

fn one_step_down(grade: Grade) -> Grade {
    match grade {
        Grade::A => Grade::B,
        Grade::B => Grade::C,
        Grade::C | Grade::D => Grade::D,
    }
}

fn worst_grades<'a>(grades: impl Iterator<Item = (&'a String, &'a Grade)>) -> BTreeMap<String, Grade> {
    let mut worst: BTreeMap<String, Grade> = BTreeMap::new();
    for (viewpoint, grade) in grades {
        let known = worst.entry(viewpoint.trim().to_lowercase()).or_insert(*grade);
        *known = (*known).max(*grade);
    }
    worst
}

fn distinct<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    texts.filter(|text| seen.insert(text.trim())).cloned().collect()
}

/// Adds what a second found. Of a problem that is known the wording stays, and the higher severity counts; the ledger keeps
/// the other words (`finder`). Two findings of one reviewer are two, even if both are like a known one.
fn with_those_of(mut findings: Vec<Finding>, others: &[Finding]) -> Vec<Finding> {
    let mut known = Known::of(&findings);
    let mut told = BTreeSet::new();
    for other in others {
        if let Some(index) = known.find(&findings, other, &told) {
            told.insert(index);
            tighten(&mut findings[index], other);
        } else {
            told.insert(findings.len());
            known.add(findings.len(), other);
            findings.push(other.clone());
        }
    }
    findings
}

fn tighten(known: &mut Finding, other: &Finding) {
    known.severity = known.severity.max(other.severity);
    if known.suggestion.is_none() {
        known.suggestion.clone_from(&other.suggestion);
    }
    known.line = known.line.or(other.line);
}

/// Where a problem stands.
type At = (String, u64);

/// Which findings there are, by what tells them from others.
#[derive(Default)]
struct Known {
    by_fingerprint: BTreeMap<String, Vec<usize>>,
    by_place: BTreeMap<At, Vec<usize>>,
}

impl Known {
    fn of(findings: &[Finding]) -> Self {
        let mut known = Self::default();
        findings.iter().enumerate().for_each(|(index, finding)| known.add(index, finding));
        known
    }

    fn add(&mut self, index: usize, finding: &Finding) {
        self.by_fingerprint.entry(finding.fingerprint()).or_default().push(index);
        if let Some(at) = place(finding) {
            self.by_place.entry(at).or_default().push(index);
        }
    }

    /// Returns the finding that tells the same problem, unless the same reviewer has told that one already.
    fn find(&self, findings: &[Finding], other: &Finding, told: &BTreeSet<usize>) -> Option<usize> {
        let untold = |all: Option<&Vec<usize>>| {
            let all = all.into_iter().flatten().copied();
            all.filter(|index| !told.contains(index)).take(MOST_AT_ONE_PLACE).collect::<Vec<_>>()
        };
        let same = untold(self.by_fingerprint.get(&other.fingerprint())).into_iter();
        let here = untold(place(other).and_then(|at| self.by_place.get(&at))).into_iter();
        let is_worst = |finding: &Finding| finding.severity == Severity::Critical;
        let is_similar = |known: &Finding| !is_worst(known) && !is_worst(other) && are_alike(known, other);
        same.filter(|index| says_the_same(&findings[*index], other))
            .chain(here.filter(|index| is_similar(&findings[*index])))
            .next()
    }
}

/// Only a line makes two places one.
fn place(finding: &Finding) -> Option<At> {
    Some((finding.file.clone()?, finding.line?))
}

/// Tells whether two findings with one fingerprint say the same of the same place; a number may be all that differs.
fn says_the_same(known: &Finding, other: &Finding) -> bool {
    let text =
        |finding: &Finding| finding.issue.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    let elsewhere = known.line.is_some() && other.line.is_some() && known.line != other.line;
    !elsewhere && text(known) == text(other)
}

/// Tells whether two findings of one category at one line are told in similar words.
pub(super) fn are_alike(known: &Finding, other: &Finding) -> bool {
    let at = place(known);
    at.is_some()
        && at == place(other)
        && known.category.to_lowercase() == other.category.to_lowercase()
        && are_similar(&known.issue, &other.issue)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::event::Ended;
    use model::finding::Disposition;
    use model::verdict::{Judgment, ReadAs, Verdict};

    fn found(severity: Severity, line: u64, issue: &str) -> Finding {
        Finding {
            severity,
            category: "quality".into(),
            file: Some("src/a.rs".into()),
            line: Some(line),
            issue: issue.into(),
            suggestion: None,
            auto_fixable: false,
            disposition: Disposition::Open,
            in_scope: true,
        }
    }

    fn says(seat: Option<&str>, judgment: Judgment, findings: Vec<Finding>) -> Reviewed {
        let reading = Reading {
            result: judgment.verdict(),
            judgment,
            stated: format!("{judgment:?}"),
            read_as: if judgment == Judgment::Unverifiable { ReadAs::Default } else { ReadAs::Json },
            reason: String::new(),
            doubt: None,
            feedback: format!("words of {}", seat.unwrap_or("chief")),
            suggestions: vec!["tell it".into()],
            findings,
            questions: vec![],
            grade: None,
            viewpoints: BTreeMap::new(),
        };
        Reviewed {
            phase: "design".parse().expect("a name"),
            round: 1,
            attempt: 1,
            reviewer: "reviewer".into(),
            ended: Ended::default(),
            reading: Some(reading),
            tree: "tree".into(),
            seat: seat.map(str::to_owned),
        }
    }

    fn graded(mut review: Reviewed, grade: Grade, viewpoints: &[(&str, Grade)]) -> Reviewed {
        let reading = review.reading.as_mut().expect("a reading");
        reading.grade = Some(grade);
        reading.viewpoints = viewpoints.iter().map(|(name, grade)| ((*name).to_owned(), *grade)).collect();
        review
    }

    fn together(opinions: &[Reviewed]) -> Reading {
        merged(opinions).and_then(|review| review.reading).expect("a reading")
    }

    fn of_both(chief: Vec<Finding>, second: Vec<Finding>) -> Vec<Finding> {
        let opinions = [says(None, Judgment::Approve, chief), says(Some("one"), Judgment::Approve, second)];
        together(&opinions).findings
    }

    #[test]
    fn one_review_alone_stays_as_it_is() {
        let alone = says(None, Judgment::Revise, vec![found(Severity::Major, 3, "wrong")]);
        assert_eq!(merged(std::slice::from_ref(&alone)), Some(alone));
        assert_eq!(merged(&[]), None);
    }

    #[test]
    fn b_21_the_strictest_judgment_counts_and_the_first_of_equals_is_told() {
        use Judgment::{Approve, Block, Revise, Unverifiable};
        for (chief, second, strictest) in [
            (Approve, Revise, Revise),
            (Revise, Approve, Revise),
            (Approve, Unverifiable, Unverifiable),
            (Block, Revise, Block),
        ] {
            let reading = together(&[says(None, chief, vec![]), says(Some("one"), second, vec![])]);
            assert_eq!((reading.judgment, reading.stated), (strictest, format!("{strictest:?}")));
            assert_eq!(reading.result, Verdict::Fail);
        }
    }

    #[test]
    fn b_38_one_place_and_a_similar_problem_are_one_finding_in_the_first_reviewers_words() {
        let own = found(Severity::Minor, 7, "the password is logged in plain text");
        let other = Finding {
            suggestion: Some("mask it".into()),
            ..found(Severity::Major, 7, "The password is logged as plain text")
        };
        let findings = of_both(vec![own.clone()], vec![other]);
        let merged = Finding { severity: Severity::Major, suggestion: Some("mask it".into()), ..own.clone() };
        assert_eq!(findings, [merged]);
        let same = found(Severity::Critical, 7, "The password is logged  in plain text");
        let findings = of_both(vec![own.clone()], vec![same]);
        assert_eq!(findings, [Finding { severity: Severity::Critical, ..own }]);
    }

    #[test]
    fn what_may_be_another_problem_is_never_merged() {
        let own = found(Severity::Major, 7, "the token of the admin is logged");
        let nowhere = |issue: &str| Finding { line: None, ..found(Severity::Major, 1, issue) };
        let security = |finding: Finding| Finding { category: "security".into(), ..finding };
        for (own, other) in [
            (own.clone(), security(found(Severity::Major, 7, "the token of the admin is logged"))),
            (own.clone(), found(Severity::Critical, 7, "the token of the admin is not revoked")),
            (found(Severity::Critical, 7, "the token of the admin is not revoked"), own.clone()),
            (own, found(Severity::Major, 40, "the token of the admin is logged")),
            (nowhere("no unit test for the parser"), nowhere("no unit test for the writer")),
            (nowhere("limit 10 is wrong"), nowhere("limit 20 is wrong")),
            (found(Severity::Major, 4, "limit 10 is wrong"), found(Severity::Major, 9, "limit 20 is wrong")),
        ] {
            assert_eq!(of_both(vec![own.clone()], vec![other.clone()]), [own, other]);
        }
    }

    #[test]
    fn other_problems_at_the_same_place_and_the_same_elsewhere_stay_two() {
        let own = found(Severity::Minor, 7, "the password is logged");
        for other in [
            found(Severity::Minor, 7, "a loop never ends"),
            found(Severity::Minor, 8, "is the password logged here"),
        ] {
            assert_eq!(of_both(vec![own.clone()], vec![other.clone()]), [own.clone(), other]);
        }
        let nowhere = |issue: &str| Finding { file: None, line: None, ..found(Severity::Minor, 1, issue) };
        assert_eq!(of_both(vec![nowhere("a b c d")], vec![nowhere("a b c e")]).len(), 2);
    }

    #[test]
    fn two_findings_of_one_reviewer_are_never_merged() {
        let twice = vec![found(Severity::Minor, 7, "no test"), found(Severity::Minor, 7, "no test")];
        assert_eq!(of_both(twice.clone(), vec![]), twice);
    }

    #[test]
    fn b_21_a_critical_of_a_second_costs_a_grade_and_the_worst_grade_counts() {
        let critical = || says(Some("one"), Judgment::Approve, vec![found(Severity::Critical, 1, "a hole")]);
        for (own, lowered) in
            [(Grade::A, Grade::B), (Grade::B, Grade::C), (Grade::C, Grade::D), (Grade::D, Grade::D)]
        {
            let chief = graded(says(None, Judgment::Approve, vec![]), own, &[]);
            assert_eq!(together(&[chief.clone(), critical()]).grade, Some(lowered));
            assert_eq!(together(&[chief, graded(critical(), Grade::D, &[])]).grade, Some(Grade::D));
        }
        let ungraded = says(None, Judgment::Approve, vec![]);
        assert_eq!(together(&[ungraded, critical()]).grade, None);
    }

    #[test]
    fn b_09_each_viewpoint_has_its_worst_grade() {
        let chief = graded(
            says(None, Judgment::Approve, vec![]),
            Grade::A,
            &[("Security", Grade::A), ("quality", Grade::B)],
        );
        let second =
            graded(says(Some("one"), Judgment::Approve, vec![]), Grade::C, &[("security", Grade::C)]);
        let reading = together(&[chief, second]);
        let expected = [("quality".to_owned(), Grade::B), ("security".to_owned(), Grade::C)];
        assert_eq!((reading.viewpoints, reading.grade), (expected.into(), Some(Grade::C)));
    }

    #[test]
    fn an_author_reads_those_who_demand_something_each_under_its_name() {
        use Judgment::{Approve, Revise};
        let words = |chief, second| {
            together(&[says(None, chief, vec![]), says(Some("one"), second, vec![])]).feedback
        };
        assert_eq!(words(Approve, Approve), "words of chief");
        assert_eq!(words(Revise, Approve), "words of chief");
        assert_eq!(words(Approve, Revise), "[one]\nwords of one");
        assert_eq!(words(Revise, Revise), "words of chief\n\n[one]\nwords of one");
    }

    #[test]
    fn what_is_suggested_twice_is_told_once() {
        let both = [says(None, Judgment::Approve, vec![]), says(Some("one"), Judgment::Approve, vec![])];
        assert_eq!(together(&both).suggestions, ["tell it"]);
    }
}
