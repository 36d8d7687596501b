//! Every problem of a run, each once: who saw it, in which rounds, and whether it is still there.
//! What is done about one is the policy's; a problem that never stopped a phase may stay open to the end.

use std::collections::BTreeMap;

use serde::Serialize;

use engine::{Listed, PhaseState, Round, Run, Standing, check_identity};
use model::event::{CheckResult, CheckStatus, Place};
use model::finding::{Disposition, Finding, Severity, normalised};
use model::phase::PhaseName;
use model::policy::OnFail;

/// One problem of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub phase: PhaseName,
    /// A reviewer's category, or `check/` and the name of the check.
    pub category: String,
    pub severity: Severity,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    pub issue: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    pub first_round: u32,
    pub last_round: u32,
    /// Nobody has seen it gone, accepted it, or answered that it needs no fix.
    pub open: bool,
    /// What is to be done about it, where anybody has said so.
    #[serde(skip_serializing_if = "is_open")]
    pub disposition: Disposition,
    /// Why, as it was answered; of what a person accepted, that person's reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The latest round still named it, and it was answered or accepted all the same.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub answered: bool,
    pub fingerprint: String,
}

/// Returns the problems of a run in the order of its phases; in a phase the open ones first, the worst before the others.
pub fn problems(run: &Run) -> Vec<Problem> {
    run.phases.iter().flat_map(of_phase).collect()
}

/// Returns what each round came to and what is open, one line each, for the author of the report.
pub fn history(run: &Run) -> Vec<String> {
    let rounds = run.phases.iter().flat_map(|phase| {
        phase.rounds.iter().map(move |round| format!("{} round {}", phase.name(), told(round)))
    });
    let open = problems(run).into_iter().filter(|problem| problem.open);
    rounds.chain(open.map(|problem| format!("open in {}: {}", problem.phase, problem.line()))).collect()
}

fn told(round: &Round) -> String {
    let verdict = round.verdict.map_or("no verdict", |verdict| verdict.as_str());
    let grade = round.grade.map_or(String::new(), |grade| format!(" (grade {})", grade.as_str()));
    let findings = super::counted(round.findings.len() as u64, "finding");
    let checks = super::counted(round.failed.len() as u64, "failed check");
    format!("{}: {verdict}{grade}, {findings}, {checks}, {}", round.n, round.ruling)
}

impl Problem {
    /// Returns what was said about it, in a few words behind a comma; nothing where nobody said anything.
    pub fn answer(&self) -> String {
        let word = match self.disposition {
            _ if self.answered && self.disposition != Disposition::NoFix => "accepted",
            Disposition::Open => return String::new(),
            disposition => disposition.words(),
        };
        let why = self.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
        format!(", {word}{why}")
    }

    /// Returns the problem in one line.
    pub fn line(&self) -> String {
        let place = match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}: "),
            (Some(file), None) => format!("{file}: "),
            (None, _) => String::new(),
        };
        let (severity, category, issue) = (self.severity.as_str(), &self.category, &self.issue);
        let category = if category.is_empty() { String::new() } else { format!(" [{category}]") };
        format!("{severity} {place}{issue}{category}")
    }
}

fn of_phase(phase: &PhaseState) -> Vec<Problem> {
    let latest = phase.rounds.last().map_or(0, |round| round.n);
    let listed: BTreeMap<&str, &Listed> =
        phase.ledger.all().iter().map(|listed| (listed.identity(), listed)).collect();
    let mut known: BTreeMap<String, Problem> = BTreeMap::new();
    for (identity, problem) in phase.rounds.iter().flat_map(|round| of_round(phase, round)) {
        let first_round = known.get(&problem.fingerprint).map_or(problem.first_round, |it| it.first_round);
        let listed = listed.get(identity.as_str()).copied().filter(|listed| is_told(listed));
        let (named, over) = (problem.last_round == latest, listed.is_some_and(is_over));
        let answered = named && listed.is_some_and(is_answered);
        // A round that is not over names nothing, and a seat that went without has not looked: then the ledger knows.
        let open = listed.filter(|listed| !listed.is_of_checks()).map_or(named, |_| true) && !over;
        let told = Problem { first_round, open, answered, ..problem };
        known.insert(told.fingerprint.clone(), with_answer(phase, listed, told));
    }
    let mut all: Vec<Problem> = known.into_values().collect();
    all.sort_by_key(|problem| (!problem.open, std::cmp::Reverse(problem.severity), problem.first_round));
    all
}

/// Of a failed check the ledger tells only that a person accepted it: whether it is there the checks say themselves.
fn is_told(listed: &Listed) -> bool {
    !listed.is_of_checks() || listed.standing == Standing::Waived
}

fn is_over(listed: &Listed) -> bool {
    !listed.is_open() || listed.disposition == Disposition::NoFix
}

/// Tells whether it was there when it was accepted, or answered that it needs no fix.
fn is_answered(listed: &Listed) -> bool {
    listed.standing == Standing::Waived || (listed.is_open() && listed.disposition == Disposition::NoFix)
}

/// Adds what the ledger has about a problem: what is to be done about it, and why.
fn with_answer(phase: &PhaseState, listed: Option<&Listed>, problem: Problem) -> Problem {
    let Some(listed) = listed else { return problem };
    let waived = listed.standing == Standing::Waived;
    let reason = if waived { phase.accepted_because.clone() } else { listed.evidence.clone() };
    // Of what seats said in other words the ledger knows, of that round.
    let is_of_round = !listed.is_of_checks() && listed.last_round == problem.last_round;
    let issue = if is_of_round { listed.told().issue } else { problem.issue };
    Problem { disposition: listed.disposition, reason, issue, ..problem }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_open(disposition: &Disposition) -> bool {
    *disposition == Disposition::Open
}

/// Returns the problems of a round, each with what the ledger knows it by.
fn of_round(phase: &PhaseState, round: &Round) -> Vec<(String, Problem)> {
    let findings = told_once(&round.findings).into_iter();
    let findings = findings.map(|(print, finding)| {
        let problem = of_finding(phase, round, &print, &finding);
        (print, problem)
    });
    let failed = round.failed.iter().filter(|result| result.status == CheckStatus::Fail);
    let of_check = |result| {
        let problems = of_check(phase, round, result).into_iter();
        problems.map(move |problem| (check_identity(result), problem))
    };
    findings.chain(failed.flat_map(of_check)).collect()
}

/// Returns findings by what tells them from others, each with everything that was told of it.
fn told_once(findings: &[Finding]) -> Vec<(String, Finding)> {
    let mut told: Vec<(String, Finding)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for finding in findings {
        let print = finding.fingerprint();
        if let Some(place) = places.get(&print) {
            let known = &mut told[*place].1;
            *known = known.with_also(&[finding.also()]);
            known.severity = known.severity.max(finding.severity);
        } else {
            places.insert(print.clone(), told.len());
            told.push((print, finding.clone()));
        }
    }
    told
}

fn of_finding(phase: &PhaseState, round: &Round, print: &str, finding: &Finding) -> Problem {
    Problem {
        phase: phase.name().clone(),
        category: finding.category.clone(),
        severity: finding.severity,
        file: finding.file.clone(),
        line: finding.line,
        issue: finding.issue.clone(),
        suggestion: finding.suggestion.clone(),
        first_round: round.n,
        last_round: round.n,
        open: false,
        disposition: Disposition::Open,
        reason: None,
        answered: false,
        fingerprint: print.to_owned(),
    }
}

/// A check names places, or only what is wrong.
fn of_check(phase: &PhaseState, round: &Round, result: &CheckResult) -> Vec<Problem> {
    let whole = [Place { what: result.summary.clone(), ..Place::default() }];
    let places = if result.places.is_empty() { &whole[..] } else { &result.places[..] };
    let noted = phase.on_fail(&result.check) == OnFail::Note;
    let of_place = |place: &Place| Problem {
        phase: phase.name().clone(),
        category: format!("check/{}", result.check),
        severity: if noted { Severity::Info } else { Severity::Major },
        file: place.file.clone(),
        line: place.line,
        issue: place.what.clone(),
        suggestion: place.suggestion.clone(),
        first_round: round.n,
        last_round: round.n,
        open: false,
        disposition: Disposition::Open,
        reason: None,
        answered: false,
        fingerprint: identity(result, place),
    };
    places.iter().map(of_place).collect()
}

/// Two places of one file are two problems.
fn identity(result: &CheckResult, place: &Place) -> String {
    let file = place.file.as_deref().unwrap_or("");
    let line = place.line.map_or(String::new(), |line| format!(":{line}"));
    format!("check/{}|{file}{line}|{}", result.check, normalised(&place.what))
}
