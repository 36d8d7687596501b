//! Every problem of a run, each once: who saw it, in which rounds, and whether it is still there.
//! What is done about one is the policy's; a problem that never stopped a phase may stay open to the end.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::changed_verdicts::VerdictExchange;
use crate::text::{counted, place};
use engine::{ChangedVerdict, FindingStatus, LedgerFinding, PhaseState, Round, Run, check_identity};
use model::event::{CheckResult, CheckStatus, Place};
use model::finding::{Disposition, Finding, Severity, normalised};
use model::phase::PhaseName;
use model::policy::OnFail;

/// One problem of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The phase in which it was found.
    pub phase: PhaseName,
    /// A reviewer's category, or `check/` and the name of the check.
    pub category: String,
    /// How bad it is.
    pub severity: Severity,
    /// Where it is, seen from the top of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong.
    pub issue: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// The round that named it first.
    pub first_round: u32,
    /// The latest round that named it.
    pub last_round: u32,
    /// It is neither resolved nor accepted nor answered as needing no fix.
    pub open: bool,
    /// What is to be done about it, where a triage or a person has said so.
    #[serde(skip_serializing_if = "is_open")]
    pub disposition: Disposition,
    /// Why, as it was answered; of what a person accepted, that person's reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The latest round still named it, and it was answered or accepted all the same. A critical or major one that was is so to the
    /// end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub answered: bool,
    /// Who answered or accepted it: the agent of the triage, or a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// The exchange in which its reviewer withdrew it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<VerdictExchange>,
    /// Its identity, the same in every round.
    pub fingerprint: String,
}

/// Returns the problems of a run in the order of its phases; in a phase the open ones first, the worst before the others.
pub fn problems(run: &Run) -> Vec<Problem> {
    run.phases.iter().flat_map(problems_of).collect()
}

/// Returns what each round came to and what is open, one line each, for the author of the report.
pub fn history(run: &Run) -> Vec<String> {
    let mut lines = Vec::new();
    for phase in &run.phases {
        let rounds = phase.history.rounds.iter();
        lines.extend(rounds.map(|round| format!("{} round {}", phase.name(), round_line(round))));
    }
    let open = problems(run).into_iter().filter(|problem| problem.open);
    lines.extend(open.map(|problem| format!("open in {}: {}", problem.phase, problem.line())));
    lines
}

fn round_line(round: &Round) -> String {
    let verdict = round.verdict.map_or("no verdict", |verdict| verdict.as_str());
    let grade = round.grade.map_or(String::new(), |grade| format!(" (grade {})", grade.as_str()));
    let findings = counted(round.findings.len() as u64, "finding");
    let checks = counted(round.failed.len() as u64, "failed check");
    format!("{}: {verdict}{grade}, {findings}, {checks}, {}", round.n, round.ruling)
}

impl Problem {
    /// Returns the answer to it, in a few words behind a comma; nothing where there is none.
    pub fn answer(&self) -> String {
        if let Some(exchange) = &self.withdrawn {
            return format!(", withdrawn: {}", exchange.line());
        }
        let word = match self.disposition {
            _ if self.answered && self.disposition != Disposition::NoFix => "accepted",
            Disposition::Open => return String::new(),
            disposition => disposition.into(),
        };
        let why = self.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
        format!(", {word}{why}")
    }

    /// Tells whether its reviewer withdrew it and nobody named it later.
    pub fn is_withdrawn(&self) -> bool {
        self.withdrawn.is_some() && !self.open && !self.answered
    }

    /// Returns the problem in one line.
    pub fn line(&self) -> String {
        let place = place(self.file.as_deref(), self.line);
        let place = place.map_or_else(String::new, |place| format!("{place}: "));
        let (severity, category, issue) = (self.severity.as_str(), &self.category, &self.issue);
        let category = if category.is_empty() { String::new() } else { format!(" [{category}]") };
        format!("{severity} {place}{issue}{category}")
    }
}

fn problems_of(phase: &PhaseState) -> Vec<Problem> {
    let latest = phase.history.rounds.last().map_or(0, |round| round.n);
    let listed: BTreeMap<&str, &LedgerFinding> =
        phase.ledger.all().iter().map(|listed| (listed.identity.as_str(), listed)).collect();
    let mut known: BTreeMap<String, Problem> = BTreeMap::new();
    for (identity, problem) in phase.history.rounds.iter().flat_map(|round| problems_of_round(phase, round)) {
        let first_round = known.get(&problem.fingerprint).map_or(problem.first_round, |it| it.first_round);
        let listed = listed.get(identity.as_str()).copied().filter(|listed| is_authority(listed));
        let (named, over) = (problem.last_round == latest, listed.is_some_and(is_over));
        let answered =
            listed.is_some_and(|listed| (named && is_answered(listed)) || listed.is_grave_and_unfixed());
        // A round that is not over names nothing, and a seat that went without has not looked: then the ledger knows.
        let is_of_review = listed.is_some_and(|listed| !listed.is_of_checks());
        let open = (named || is_of_review) && !over;
        let problem = add_answer(phase, listed, Problem { first_round, open, answered, ..problem });
        known.insert(problem.fingerprint.clone(), problem);
    }
    let mut all: Vec<Problem> = known.into_values().collect();
    all.extend(problems_of_unchecked_calls(phase));
    all.sort_by_key(|problem| (!problem.open, std::cmp::Reverse(problem.severity), problem.first_round));
    all
}

/// Returns what calls did to approved documents before they broke or were stopped: their rounds have no checks that name it.
fn problems_of_unchecked_calls(phase: &PhaseState) -> impl Iterator<Item = Problem> {
    let of_calls = phase.ledger.all().iter().filter(|listed| listed.is_of_unchecked_call());
    of_calls.map(|listed| {
        let problem = Problem {
            phase: phase.name().clone(),
            category: format!("check/{}", listed.finding.category),
            severity: listed.finding.severity,
            file: listed.finding.file.clone(),
            line: None,
            issue: listed.finding.issue.clone(),
            suggestion: None,
            first_round: listed.first_round,
            last_round: listed.last_round,
            open: listed.is_open(),
            disposition: Disposition::Open,
            reason: None,
            answered: is_answered(listed),
            answered_by: None,
            withdrawn: None,
            fingerprint: listed.identity.clone(),
        };
        add_answer(phase, Some(listed).filter(|listed| is_authority(listed)), problem)
    })
}

/// Tells whether the ledger knows how a problem stands. Of a failed check it knows only that a person accepted it: whether it is
/// there, the checks say themselves.
fn is_authority(listed: &LedgerFinding) -> bool {
    !listed.is_of_checks() || listed.status == FindingStatus::Waived
}

fn is_over(listed: &LedgerFinding) -> bool {
    !listed.is_open() || listed.disposition == Disposition::NoFix
}

/// Tells whether it was there when it was accepted, or answered that it needs no fix.
fn is_answered(listed: &LedgerFinding) -> bool {
    listed.status == FindingStatus::Waived || (listed.is_open() && listed.disposition == Disposition::NoFix)
}

/// Adds what the ledger has about a problem: what is to be done about it, and why.
fn add_answer(phase: &PhaseState, listed: Option<&LedgerFinding>, problem: Problem) -> Problem {
    let Some(listed) = listed else { return problem };
    let waived = listed.status == FindingStatus::Waived;
    let (reason, answered_by) = if waived {
        (phase.person.accepted_because.clone(), phase.person.accepted_by.clone())
    } else {
        (listed.evidence.clone(), listed.triaged_by.clone())
    };
    // Of what seats said in other words the ledger knows, of that round.
    let is_of_round = !listed.is_of_checks() && listed.last_round == problem.last_round;
    let issue = if is_of_round { listed.with_latest_wording().issue } else { problem.issue };
    Problem { disposition: listed.disposition, reason, answered_by, issue, ..problem }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_open(disposition: &Disposition) -> bool {
    *disposition == Disposition::Open
}

/// Returns the problems of a round, each with what the ledger knows it by.
fn problems_of_round(phase: &PhaseState, round: &Round) -> Vec<(String, Problem)> {
    let mut problems = Vec::new();
    for (fingerprint, finding) in merge_findings(&round.findings) {
        problems.push((fingerprint.clone(), problem_of(phase, round, fingerprint, finding)));
    }
    for changed in &round.changed_verdicts {
        problems.extend(withdrawn_problems(phase, round, changed));
    }
    for result in round.failed.iter().filter(|result| result.status == CheckStatus::Fail) {
        let of_check = problems_of_check(phase, round, result).into_iter();
        problems.extend(of_check.map(|problem| (check_identity(result), problem)));
    }
    problems
}

/// Returns the problems that a reviewer withdrew in a round, each with the exchange.
fn withdrawn_problems<'a>(
    phase: &'a PhaseState,
    round: &'a Round,
    changed: &'a ChangedVerdict,
) -> impl Iterator<Item = (String, Problem)> + 'a {
    let exchange = VerdictExchange::of(changed);
    merge_findings(&changed.withdrawn).into_iter().map(move |(fingerprint, finding)| {
        let problem = problem_of(phase, round, fingerprint.clone(), finding);
        (fingerprint, Problem { withdrawn: Some(exchange.clone()), ..problem })
    })
}

/// Returns findings by their fingerprints, each with everything that was said of it.
fn merge_findings(findings: &[Finding]) -> BTreeMap<String, Finding> {
    let mut merged: BTreeMap<String, Finding> = BTreeMap::new();
    for finding in findings {
        let known = merged.entry(finding.fingerprint()).and_modify(|known| {
            *known = known.with_also(&[finding.also()]);
            known.severity = known.severity.max(finding.severity);
        });
        known.or_insert_with(|| finding.clone());
    }
    merged
}

fn problem_of(phase: &PhaseState, round: &Round, fingerprint: String, finding: Finding) -> Problem {
    Problem {
        phase: phase.name().clone(),
        category: finding.category,
        severity: finding.severity,
        file: finding.file,
        line: finding.line,
        issue: finding.issue,
        suggestion: finding.suggestion,
        first_round: round.n,
        last_round: round.n,
        open: false,
        disposition: Disposition::Open,
        reason: None,
        answered: false,
        answered_by: None,
        withdrawn: None,
        fingerprint,
    }
}

/// Returns the problems of a failed check, one for each place that it names; where it names none, what is wrong is the problem.
fn problems_of_check(phase: &PhaseState, round: &Round, result: &CheckResult) -> Vec<Problem> {
    let noted = result.asks || phase.on_fail(&result.check) == OnFail::Note;
    let severity = if noted { Severity::Info } else { Severity::Major };
    let finding = |place: &Place| Finding {
        file: place.file.clone(),
        line: place.line,
        suggestion: place.suggestion.clone(),
        ..Finding::new(severity, format!("check/{}", result.check), place.what.clone())
    };
    let problem = |place: &Place| problem_of(phase, round, fingerprint(result, place), finding(place));
    places_or_summary(result).iter().map(problem).collect()
}

/// Returns the places that a check names; where it names none, what is wrong as one without a file.
pub(super) fn places_or_summary(result: &CheckResult) -> Cow<'_, [Place]> {
    if result.places.is_empty() {
        Cow::Owned(vec![Place { what: result.summary.clone(), ..Place::default() }])
    } else {
        Cow::Borrowed(&result.places)
    }
}

/// Returns the identity of a place of a check: two places of one file are two problems.
pub(super) fn fingerprint(result: &CheckResult, place: &Place) -> String {
    let file = place.file.as_deref().unwrap_or("");
    let line = place.line.map_or(String::new(), |line| format!(":{line}"));
    format!("check/{}|{file}{line}|{}", result.check, normalised(&place.what))
}
