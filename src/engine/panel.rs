//! What several reviews of one round amount to together. The first reviewer's is the base; the others only tighten:
//! the strictest judgment, the findings of all, the worst grades, the strictest answers. Two findings count as one when they name the same line and
//! share most of their words; in doubt they are two. Calls no reviewer and leaves none out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use model::event::{Reading, ReviewAnswer, Reviewed};
use model::finding::{Finding, Severity};
use model::verdict::Grade;

/// More findings at one place than this are not compared with each other.
const MOST_AT_ONE_PLACE: usize = 20;

/// Returns the reviews as one; the first of them is the base.
pub(crate) fn merge_reviews(opinions: &[Reviewed]) -> Option<Reviewed> {
    let (chief, seconds) = opinions.split_first()?;
    let mut review = chief.clone();
    review.ended.truncated |= seconds.iter().any(|second| second.ended.truncated);
    if let Some(base) = review.reading.take() {
        let others: Vec<(&str, &Reading)> = seconds.iter().filter_map(seat_and_reading).collect();
        review.reading = Some(merge_readings(base, &others));
    }
    Some(review)
}

fn seat_and_reading(second: &Reviewed) -> Option<(&str, &Reading)> {
    Some((second.seat.as_deref()?, second.reading.as_ref()?))
}

fn merge_readings(base: Reading, seconds: &[(&str, &Reading)]) -> Reading {
    if seconds.is_empty() {
        return base;
    }
    let all = || std::iter::once(&base).chain(seconds.iter().map(|(_, reading)| *reading));
    // The first of equals: that is the smallest in reverse.
    let strictest = all().min_by_key(|reading| Reverse(reading.judgment)).unwrap_or(&base);
    Reading {
        result: all().map(|reading| reading.result).max().unwrap_or(base.result),
        judgment: strictest.judgment,
        stated: strictest.stated.clone(),
        read_as: strictest.read_as.clone(),
        reason: strictest.reason.clone(),
        doubt: None,
        feedback: merge_feedback(&base, seconds),
        suggestions: remove_duplicates(all().flat_map(|reading| &reading.suggestions)),
        questions: remove_duplicates(all().flat_map(|reading| &reading.questions)),
        findings: seconds.iter().fold(base.findings.clone(), |findings, (_, reading)| {
            merge_findings(findings, &reading.findings)
        }),
        grade: worst_grade(&base, seconds),
        viewpoints: worst_grades(all().flat_map(|reading| &reading.viewpoints)),
        answers: strictest_answers(all().flat_map(|reading| &reading.answers)),
    }
}

/// Returns the feedback for the author: that of the reviewers who do not approve, else that of the first reviewer.
fn merge_feedback(base: &Reading, seconds: &[(&str, &Reading)]) -> String {
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

/// Returns the worst grade of all reviewers; a critical finding of another reviewer lowers that of the first by a step at least.
fn worst_grade(base: &Reading, seconds: &[(&str, &Reading)]) -> Option<Grade> {
    let is_critical = |(_, reading): &(&str, &Reading)| reading.worst() == Some(Severity::Critical);
    let own = if seconds.iter().any(is_critical) { base.grade.map(lower_grade) } else { base.grade };
    seconds.iter().map(|(_, reading)| reading.grade).fold(own, Option::max)
}

fn lower_grade(grade: Grade) -> Grade {
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

fn strictest_answers<'a>(
    answers: impl Iterator<Item = (&'a String, &'a ReviewAnswer)>,
) -> BTreeMap<String, ReviewAnswer> {
    let mut strictest: BTreeMap<String, ReviewAnswer> = BTreeMap::new();
    for (id, answer) in answers {
        let known = strictest.entry(id.clone()).or_insert_with(|| answer.clone());
        if answer.judgment > known.judgment {
            *known = answer.clone();
        }
    }
    strictest
}

fn remove_duplicates<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    texts.filter(|text| seen.insert(text.trim())).cloned().collect()
}

/// Adds the findings of another reviewer. A known problem keeps its wording and gets the higher severity; the ledger keeps the
/// other wording. Two findings of one reviewer stay two, even if both resemble a known one.
fn merge_findings(mut findings: Vec<Finding>, others: &[Finding]) -> Vec<Finding> {
    let mut known = FindingIndex::of(&findings);
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

/// The file and the line of a finding.
type FileAndLine = (String, u64);

/// Index of the findings by identity and place.
#[derive(Default)]
struct FindingIndex {
    by_fingerprint: BTreeMap<String, Vec<usize>>,
    by_place: BTreeMap<FileAndLine, Vec<usize>>,
}

impl FindingIndex {
    fn of(findings: &[Finding]) -> Self {
        let mut known = Self::default();
        findings.iter().enumerate().for_each(|(index, finding)| known.add(index, finding));
        known
    }

    pub(crate) fn add(&mut self, index: usize, finding: &Finding) {
        self.by_fingerprint.entry(finding.fingerprint()).or_default().push(index);
        if let Some(at) = place(finding) {
            self.by_place.entry(at).or_default().push(index);
        }
    }

    /// Returns the finding that describes the same problem, unless the same reviewer has told that one already.
    pub(crate) fn find(&self, findings: &[Finding], like: &Finding, told: &BTreeSet<usize>) -> Option<usize> {
        let untold = |all: Option<&Vec<usize>>| {
            let all = all.into_iter().flatten().copied();
            all.filter(|index| !told.contains(index)).take(MOST_AT_ONE_PLACE).collect::<Vec<_>>()
        };
        let same = untold(self.by_fingerprint.get(&like.fingerprint())).into_iter();
        let here = untold(place(like).and_then(|at| self.by_place.get(&at))).into_iter();
        let is_worst = |finding: &Finding| finding.severity == Severity::Critical;
        let is_similar = |known: &Finding| !is_worst(known) && !is_worst(like) && are_alike(known, like);
        same.filter(|index| says_the_same(&findings[*index], like))
            .chain(here.filter(|index| is_similar(&findings[*index])))
            .next()
    }
}

/// Two places are the same only if both have a line.
fn place(finding: &Finding) -> Option<FileAndLine> {
    Some((finding.file.clone()?, finding.line?))
}

/// Tells whether two findings with one fingerprint have the same text and place: only a number may differ.
fn says_the_same(known: &Finding, other: &Finding) -> bool {
    let text =
        |finding: &Finding| finding.issue.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    let elsewhere = known.line.is_some() && other.line.is_some() && known.line != other.line;
    !elsewhere && text(known) == text(other)
}

/// Tells whether two findings of one category at one line have similar wordings.
pub(crate) fn are_alike(known: &Finding, other: &Finding) -> bool {
    let at = place(known);
    at.is_some()
        && at == place(other)
        && known.category.to_lowercase() == other.category.to_lowercase()
        && are_similar(&known.issue, &other.issue)
}

/// Two texts with at least this share of common words count as the same.
const SIMILAR: f64 = 0.5;

/// The share for texts without spaces, where one word more often makes another problem.
const SIMILAR_WITHOUT_SPACES: f64 = 0.6;

/// Two texts without spaces need at least this many common words.
const FEWEST_COMMON: usize = 2;

/// Negations of languages that write without spaces.
const NEGATIONS: [&str; 9] = ["ない", "なく", "なし", "ません", "せず", "れず", "未", "不", "無"];

/// Tells whether two texts share most of their words. Two texts without words are similar; a text and its negation are not.
pub(crate) fn are_similar(one: &str, other: &str) -> bool {
    let without_spaces = [one, other].iter().any(|text| text.chars().any(is_of_japanese));
    let (one_words, other_words) = (split_into_words(one), split_into_words(other));
    let union = one_words.union(&other_words).count();
    let common = one_words.intersection(&other_words).count();
    if !without_spaces || union == 0 {
        return union == 0 || ratio(common, union) >= SIMILAR;
    }
    let enough = common >= FEWEST_COMMON && ratio(common, union) >= SIMILAR_WITHOUT_SPACES;
    enough && denies(one) == denies(other)
}

fn split_into_words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).flat_map(|word| split_by_writing_system(&word)).collect()
}

/// Splits a text without spaces where the writing system changes; a text of hiragana alone stays whole.
fn split_by_writing_system(word: &str) -> Vec<String> {
    if !word.chars().any(is_of_japanese) {
        return vec![word.to_owned()];
    }
    let mut parts: Vec<String> = Vec::new();
    let mut before = None;
    for c in word.chars() {
        let script = WritingSystem::of(c);
        match parts.last_mut() {
            Some(part) if before == Some(script) && script != WritingSystem::Grammar => part.push(c),
            _ if script != WritingSystem::Grammar => parts.push(c.into()),
            _ => {}
        }
        before = Some(script);
    }
    if parts.is_empty() { vec![word.to_owned()] } else { parts }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WritingSystem {
    Grammar,
    Katakana,
    Kanji,
    Other,
}

impl WritingSystem {
    fn of(c: char) -> Self {
        match c {
            '\u{3041}'..='\u{309f}' => Self::Grammar,
            '\u{30a0}'..='\u{30ff}' => Self::Katakana,
            '\u{3005}' | '\u{3400}'..='\u{9fff}' => Self::Kanji,
            _ => Self::Other,
        }
    }
}

fn is_of_japanese(c: char) -> bool {
    WritingSystem::of(c) != WritingSystem::Other
}

fn denies(text: &str) -> bool {
    NEGATIONS.iter().any(|negation| text.contains(negation))
}

#[expect(clippy::cast_precision_loss, reason = "findings are short")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests;
