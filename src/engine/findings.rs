//! Enters the findings of a round in the ledger of its phase, and makes tasks of those that have to be fixed. A finding belongs
//! to each reviewer whose own opinion names it. Only a review by one of these, or a round in which all reviewers judged, can
//! resolve it.

use std::collections::BTreeSet;

use crate::fix_tasks::{FixTask, FixTasks, TaskState, items};
use crate::ledger::{
    FindingId, FindingSource, LastReview, Ledger, LedgerFinding, NamedFinding, PUT_BACK, check_identity,
};
use crate::panel;
use crate::phase_state::{PhaseState, StepPosition};
use model::event::{CheckResult, Reviewed};
use model::finding::{Disposition, Finding, Severity};
use model::phase::Step;
use model::policy::TaskRule;
use model::verdict::ReadAs;

/// The check of the approved documents.
const DOCUMENTS: &str = "documents";

/// Enters what the phase shows when it is ruled on; a second call changes nothing.
pub(crate) fn take_up_findings(phase: &mut PhaseState) {
    if !matches!(phase.evidence.broken, Some(Step::Execute | Step::Revise)) {
        let mut ledger = std::mem::take(&mut phase.ledger);
        enter_round(phase, &mut ledger);
        phase.ledger = ledger;
    }
    take_up_put_back(phase);
    if phase.person.accepted_by.is_some() {
        phase.ledger.waive_open();
    }
}

/// Enters the approved documents that a call changed, and that were put back, where no check has seen that: the call broke, was
/// stopped, or left nothing to check. The next checks resolve it.
pub(crate) fn take_up_put_back(phase: &mut PhaseState) {
    if !has_unchecked_work(phase) {
        return;
    }
    for path in &phase.files.put_back {
        phase.ledger.enter(phase.round, finding_of_put_back(path), true);
    }
    phase.ledger.count_open(phase.round);
}

/// Tells whether the latest call of an author has not come to the checks.
fn has_unchecked_work(phase: &PhaseState) -> bool {
    let is_at_work = matches!(phase.position, StepPosition::Working(step) if step.writes());
    let is_broken = phase.evidence.broken.is_some_and(Step::writes);
    !phase.files.put_back.is_empty() && (is_at_work || is_broken || phase.evidence.checks.is_none())
}

fn finding_of_put_back(path: &str) -> NamedFinding {
    let issue = "the approved document was changed or removed, and is put back".to_owned();
    let finding = Finding {
        file: Some(path.to_owned()),
        disposition: Disposition::FixRequired,
        ..Finding::new(Severity::Major, DOCUMENTS, issue)
    };
    let found_by = vec![FindingSource::Check(DOCUMENTS.to_owned())];
    NamedFinding { identity: format!("{PUT_BACK}{path}"), finding, found_by }
}

/// Takes up what was found outside of the run, as if the latest round had shown it: the revision that comes repairs it.
pub(crate) fn take_up_feedback(phase: &mut PhaseState, findings: &[Finding]) {
    let round = phase.history.rounds.last().map_or(phase.round, |round| round.n);
    for finding in findings {
        let identity = finding.fingerprint();
        let mut of_round = phase.ledger.all().iter().filter(|listed| listed.last_round == round);
        let is_first = of_round.all(|listed| listed.identity != identity);
        let named =
            NamedFinding { identity, finding: finding.clone(), found_by: vec![FindingSource::Outside] };
        phase.ledger.enter(round, named, is_first);
    }
}

/// Enters what the review and the checks of the round name. A finding is resolved when its reviewer or check ran again and did
/// not name it.
fn enter_round(phase: &PhaseState, ledger: &mut Ledger) {
    let (review, checks) = (readable_review(phase), phase.evidence.checks.as_ref());
    if review.is_none() && checks.is_none() {
        return;
    }
    let mut named = review.map_or_else(Vec::new, |review| findings_of_round(phase, review));
    named.extend(phase.failed_checks().map(finding_of_check));
    let looked_again = |listed: &LedgerFinding| {
        if listed.is_of_checks() {
            checks.is_some()
        } else {
            review.is_some() && was_looked_for(phase, listed)
        }
    };
    let withdrawn: Vec<NamedFinding> = if review.is_some() { withdrawn_findings(phase) } else { Vec::new() };
    ledger.resolve_unnamed(&[&named[..], &withdrawn[..]].concat(), looked_again);
    let mut identities = BTreeSet::new();
    for finding in named {
        let is_first = identities.insert(finding.identity.clone());
        ledger.enter(phase.round, finding, is_first);
    }
    for finding in withdrawn {
        ledger.withdraw(phase.round, finding);
    }
    if let Some(review) = review {
        let round_is_vague = is_vague(phase, review);
        for opinion in phase.reviews.opinions.iter().filter(|opinion| is_readable(opinion)) {
            let is_vague = round_is_vague || is_vague(phase, opinion);
            let (reviewer, tree) = (opinion.reviewer.clone(), opinion.tree.clone());
            let last = LastReview { reviewer, round: phase.round, tree, is_vague };
            ledger.last_reviews.insert(opinion.seat.clone(), last);
        }
    }
    if let Some(triage) = &phase.evidence.triage {
        ledger.dispose(phase.round, triage, &phase.evidence.triaged_by);
    }
    ledger.count_open(phase.round);
}

/// Returns the findings that reviewers named in this round and did not name when they were asked again.
fn withdrawn_findings(phase: &PhaseState) -> Vec<NamedFinding> {
    let mut named = Vec::new();
    for changed in phase.changed_verdicts() {
        for finding in changed.withdrawn {
            let found_by = vec![FindingSource::Reviewer(changed.first.reviewer.clone())];
            named.push(NamedFinding { identity: finding.fingerprint(), finding, found_by });
        }
    }
    named
}

/// Returns the review of this round, when its findings are all that it names.
fn readable_review(phase: &PhaseState) -> Option<&Reviewed> {
    let review = phase.reviews.current.as_ref()?;
    if review.round == phase.round && is_readable(review) { Some(review) } else { None }
}

/// Tells whether a review did not approve and has no finding that says why.
fn is_vague(phase: &PhaseState, review: &Reviewed) -> bool {
    let reading = review.reading.as_ref();
    let approves = reading.is_some_and(|reading| reading.judgment.approves());
    let blocking = phase.def.policy.review.as_ref().map_or(Severity::Info, |rule| rule.blocking);
    let says_why = reading.is_some_and(|reading| reading.worst() >= Some(blocking));
    !approves && !says_why
}

/// Returns the findings of a round, each with the reviewers whose own opinions name it, then the same findings in the words of
/// other reviewers.
fn findings_of_round(phase: &PhaseState, review: &Reviewed) -> Vec<NamedFinding> {
    let mut named = Vec::new();
    for finding in findings_of(review) {
        let identity = finding.fingerprint();
        let names = |opinion: &&Reviewed| findings_of(opinion).any(|own| own.fingerprint() == identity);
        let mut finders: Vec<&str> =
            phase.reviews.opinions.iter().filter(names).map(|opinion| opinion.reviewer.as_str()).collect();
        if finders.is_empty() {
            finders.push(&review.reviewer);
        }
        let found_by = finders.into_iter().map(|finder| FindingSource::Reviewer(finder.to_owned())).collect();
        named.push(NamedFinding { identity, finding: finding.clone(), found_by });
    }
    named.extend(reworded_findings(phase, review));
    named
}

/// Returns the findings of seats that repeat a finding of the review in other words, each under the identity of that one.
fn reworded_findings(phase: &PhaseState, review: &Reviewed) -> Vec<NamedFinding> {
    let standing: BTreeSet<String> = findings_of(review).map(Finding::fingerprint).collect();
    let mut named = Vec::new();
    for opinion in &phase.reviews.opinions {
        for own in findings_of(opinion).filter(|own| !standing.contains(&own.fingerprint())) {
            if let Some(known) = findings_of(review).find(|known| panel::are_alike(known, own)) {
                let found_by = vec![FindingSource::Reviewer(opinion.reviewer.clone())];
                named.push(NamedFinding { identity: known.fingerprint(), finding: own.clone(), found_by });
            }
        }
    }
    named
}

/// Tells whether a review of this round could have named a finding again: all reviewers judged, or one of those who found it.
/// A seat that was left out has not looked.
fn was_looked_for(phase: &PhaseState, listed: &LedgerFinding) -> bool {
    let judged: Vec<&Reviewed> =
        phase.reviews.opinions.iter().filter(|opinion| is_readable(opinion)).collect();
    let has_judged = |reviewer: &String| judged.iter().any(|opinion| opinion.reviewer == *reviewer);
    let found =
        |finder: &FindingSource| matches!(finder, FindingSource::Reviewer(reviewer) if has_judged(reviewer));
    judged.len() > phase.seats().len() || listed.found_by.iter().any(found)
}

/// Makes tasks of what the latest review demands, for the revision that begins.
pub(crate) fn hand_out_tasks(phase: &mut PhaseState) {
    let ids: Vec<FindingId> = findings_to_fix(phase).iter().map(|listed| listed.id).collect();
    phase.tasks = tasks_now(phase);
    phase.ledger.demand_fix(&ids);
}

fn tasks_now(phase: &PhaseState) -> FixTasks {
    let mut tasks = phase.tasks.clone();
    let blocking = phase.def.policy.review.as_ref().map_or(Severity::Info, |rule| rule.blocking);
    tasks.hand_out(phase.round, findings_to_fix(phase), blocking);
    tasks
}

/// Returns the tasks of a revision that is ruled now.
pub(crate) fn next_tasks(phase: &PhaseState) -> FixTasks {
    let mut ruled = phase.clone();
    take_up_findings(&mut ruled);
    tasks_now(&ruled)
}

/// Returns the findings of this round's review that are to be repaired.
fn findings_to_fix(phase: &PhaseState) -> Vec<&LedgerFinding> {
    let Some(rule) = &phase.def.policy.review else { return Vec::new() };
    let named: Vec<&LedgerFinding> =
        phase.ledger.open().filter(|listed| is_named_now(phase, listed)).collect();
    let blocking: Vec<&LedgerFinding> =
        named.iter().copied().filter(|listed| listed.finding.weight() >= rule.blocking).collect();
    let all = rule.tasks == TaskRule::All || blocking.is_empty();
    if all { named } else { blocking }
}

fn is_named_now(phase: &PhaseState, listed: &LedgerFinding) -> bool {
    let settled = matches!(listed.disposition, Disposition::NoFix | Disposition::NeedsDiscussion);
    listed.last_round == phase.round && !listed.is_of_checks() && !settled
}

/// Returns the open findings of this round's review that are no task: the author need not fix them.
pub fn remarks(phase: &PhaseState) -> Vec<&LedgerFinding> {
    let (given, later) = phase.tasks.latest();
    let is_task = |id: FindingId| given.iter().chain(&later).any(|task| task.findings.contains(&id));
    let named = phase.ledger.open().filter(|listed| is_named_now(phase, listed));
    named.filter(|listed| !is_task(listed.id)).collect()
}

/// Returns the state of a task.
pub fn state_of(phase: &PhaseState, task: &FixTask) -> TaskState {
    let items: Vec<&LedgerFinding> = items(task, &phase.ledger).collect();
    let Some(given) = task.given_in.last().copied() else {
        let gone = items.iter().all(|listed| listed.is_gone());
        return if gone { TaskState::Done } else { TaskState::Open };
    };
    if !items.iter().any(|listed| listed.is_open()) {
        return TaskState::Done;
    }
    if items.iter().any(|listed| listed.is_open() && listed.last_round > given) {
        return TaskState::Failed;
    }
    let waits = phase.round == given && phase.position == StepPosition::Ready(Step::Revise);
    let began = phase.calls.attempts.contains_key(&(given, Step::Revise)) && !waits;
    if began { TaskState::Claimed } else { TaskState::Open }
}

fn findings_of(review: &Reviewed) -> impl Iterator<Item = &Finding> {
    review.reading.iter().flat_map(|reading| &reading.findings)
}

fn is_readable(review: &Reviewed) -> bool {
    let read = review.reading.as_ref().is_some_and(|reading| reading.read_as != ReadAs::Default);
    read && !review.ended.truncated
}

fn finding_of_check(result: &CheckResult) -> NamedFinding {
    let only = if let [place] = &result.places[..] { Some(place) } else { None };
    let finding = Finding {
        file: only.and_then(|place| place.file.clone()),
        line: only.and_then(|place| place.line),
        suggestion: only.and_then(|place| place.suggestion.clone()),
        disposition: Disposition::FixRequired,
        ..Finding::new(Severity::Major, &result.check, result.summary.clone())
    };
    let found_by = vec![FindingSource::Check(result.check.clone())];
    NamedFinding { identity: check_identity(result), finding, found_by }
}
