//! What has to be true before a phase may advance, derived from the facts before the ruling and from nothing else.
//! Written without the engine's own functions, so that it cannot repeat their mistakes.

use std::collections::BTreeMap;

use model::event::{
    CheckStatus, Checked, ClaimStatus, Entry, EvaluationDecision, ExecOutcome, Fact, PauseChoice, Reviewed,
    Ruled, Ruling, Triaged, Worked,
};
use model::phase::PhaseName;
use model::policy::{OnFail, OnUnavailable, PhaseDef, Policy, ReviewRule};
use model::verdict::{ReadAs, Verdict};

use super::world::phase_of;

/// The latest facts of one phase, each with its place in the log.
#[derive(Default)]
struct Latest<'a> {
    work: Option<(usize, &'a Worked)>,
    checks: Option<(usize, &'a Checked)>,
    review: Option<(usize, &'a Reviewed)>,
    /// The same for each seat of the panel.
    seats: BTreeMap<&'a str, (usize, &'a Reviewed)>,
    /// When a seat was last done without.
    left_out: BTreeMap<&'a str, usize>,
    triage: Option<(usize, &'a Triaged)>,
    /// The round that the triage counts for, as for the review.
    triage_round: u32,
    /// The decision of the latest work that ended; a reopening to the review keeps it.
    decided: Option<&'a EvaluationDecision>,
    /// A person accepted the work as it was then, even if its author broke.
    accepted: usize,
    /// A person changed the files and answers for them instead of the author.
    edited: usize,
    /// The round that the review counts for: an approval may stand for a later one.
    review_round: u32,
    voided: usize,
    begun: usize,
}

/// Says what is missing before the phase may advance at this round.
pub fn lack(entries: &[Entry], def: &PhaseDef, round: u32) -> Option<&'static str> {
    if accepted(entries, &def.name) {
        return None;
    }
    let latest = latest(entries, &def.name);
    let lacks = [
        (!work_is_fine(&latest, def), "the author broke, is not finished, or has not decided"),
        (!checks_are_fine(&latest, &def.policy, round), "a check of this round and these files did not pass"),
        (!review_is_fine(&latest, &def.policy, round), "the review is old, unreadable, or not an approval"),
        (leaves_questions_open(&latest, &def.policy), "a question of the checks is not answered"),
        (
            !panel_is_fine(&latest, def, round),
            "a second opinion is missing, old, unreadable, or not an approval",
        ),
        (
            !triage_is_fine(&latest, &def.policy, round),
            "the triage is old, changed files, or left something open",
        ),
        (!anything_judged(&latest, &def.policy), "nothing judged it"),
    ];
    lacks.into_iter().find(|(lacks, _)| *lacks).map(|(_, what)| what)
}

/// The latest thing that happened in the phase, apart from records, is that a person accepted it.
fn accepted(entries: &[Entry], phase: &PhaseName) -> bool {
    let last = entries.iter().rev().find(|entry| match &entry.fact {
        Fact::Answered(_) => true,
        fact => phase_of(fact) == Some(phase),
    });
    last.is_some_and(
        |entry| matches!(&entry.fact, Fact::Answered(answer) if answer.choice == PauseChoice::Accept),
    )
}

fn latest<'a>(entries: &'a [Entry], phase: &PhaseName) -> Latest<'a> {
    let mut latest = Latest::default();
    for (index, entry) in entries.iter().enumerate() {
        if matches!(&entry.fact, Fact::Answered(answer) if answer.choice == PauseChoice::Accept) {
            latest.accepted = index;
        }
        if matches!(&entry.fact, Fact::Answered(answer) if answer.choice == PauseChoice::Edited) {
            latest.edited = index;
        }
        if phase_of(&entry.fact) != Some(phase) {
            continue;
        }
        match &entry.fact {
            Fact::PhaseStarted { .. } => {
                let decided = latest.decided.take();
                latest = Latest { begun: index, decided, ..Latest::default() };
            }
            Fact::Worked(worked) => {
                latest.work = Some((index, worked));
                if ended(worked) {
                    latest.decided = worked.evaluation.as_ref().map(|evaluation| &evaluation.decision);
                }
            }
            Fact::Checked(checked) => latest.checks = Some((index, checked)),
            Fact::Reviewed(reviewed) => {
                if let Some(seat) = &reviewed.seat {
                    latest.seats.insert(seat, (index, reviewed));
                } else {
                    latest.review = Some((index, reviewed));
                    latest.review_round = reviewed.round;
                }
            }
            Fact::ReviewStands { round, .. } => latest.stands(index, *round),
            Fact::Ruled(Ruled { ruling: Ruling::LeaveOut { seat }, .. }) => {
                latest.left_out.insert(seat, index);
            }
            Fact::Triaged(triaged) => {
                latest.triage = Some((index, triaged));
                latest.triage_round = triaged.round;
            }
            Fact::ApprovalVoided { .. } => latest.voided = index,
            _ => {}
        }
    }
    latest
}

impl Latest<'_> {
    /// An approval stands with everybody who was heard for it, and without those it was given without.
    fn stands(&mut self, at: usize, round: u32) {
        self.review = self.review.map(|(_, review)| (at, review));
        self.triage = self.triage.map(|(_, triage)| (at, triage));
        (self.review_round, self.triage_round) = (round, round);
        for (seat, heard) in &mut self.seats {
            if self.left_out.get(seat).is_none_or(|left_out| *left_out < heard.0) {
                heard.0 = at;
            }
        }
        let heard: Vec<&str> =
            self.seats.iter().filter(|(_, heard)| heard.0 == at).map(|(seat, _)| *seat).collect();
        for (seat, left_out) in &mut self.left_out {
            if !heard.contains(seat) {
                *left_out = at;
            }
        }
    }

    /// Since when the files are as they are.
    fn settled(&self) -> usize {
        self.work.map_or(0, |(index, _)| index).max(self.voided).max(self.begun).max(self.edited)
    }
}

fn ended(work: &Worked) -> bool {
    matches!(work.ended.outcome, ExecOutcome::Done | ExecOutcome::Partial | ExecOutcome::NoOutput)
}

fn work_is_fine(latest: &Latest<'_>, def: &PhaseDef) -> bool {
    let good = matches!(latest.decided, Some(EvaluationDecision::Pass | EvaluationDecision::PassWithIssues));
    if def.decides && !good {
        return false;
    }
    let Some((index, work)) = latest.work.filter(|(index, _)| latest.edited < *index) else { return true };
    let unfinished = work.claim.as_ref().is_some_and(|claim| claim.status != ClaimStatus::Completed);
    (ended(work) || latest.accepted > index) && !unfinished
}

fn checks_are_fine(latest: &Latest<'_>, policy: &Policy, round: u32) -> bool {
    if policy.checks.is_empty() {
        return true;
    }
    let Some((index, checks)) = latest.checks else { return false };
    let passed = policy.checks.iter().all(|rule| {
        let result = checks.results.iter().find(|result| result.check == rule.id);
        let asks = result.is_some_and(|result| result.asks);
        match result.map(|result| result.status) {
            Some(CheckStatus::Pass | CheckStatus::Skipped | CheckStatus::FailedBefore) => true,
            Some(CheckStatus::Fail) => asks || rule.on_fail == OnFail::Note,
            Some(CheckStatus::Unavailable) => rule.on_unavailable == OnUnavailable::Note,
            None => false,
        }
    });
    index > latest.settled() && checks.round == round && passed
}

fn review_is_fine(latest: &Latest<'_>, policy: &Policy, round: u32) -> bool {
    let Some(rule) = &policy.review else { return true };
    latest.review.is_some_and(|review| opinion_is_fine(latest, policy, rule, round, review))
}

/// The latest checks ask something that the first reviewer does not answer.
fn leaves_questions_open(latest: &Latest<'_>, policy: &Policy) -> bool {
    let results = latest.checks.iter().flat_map(|(_, checks)| &checks.results);
    let asked: usize = results.filter(|result| result.asks).map(|result| result.places.len()).sum();
    let answers =
        latest.review.and_then(|(_, review)| review.reading.as_ref()).map(|reading| &reading.answers);
    let is_answered = |n| answers.is_some_and(|answers| answers.contains_key(&format!("S{n}")));
    policy.review.is_some() && !(1..=asked).all(is_answered)
}

/// A seat that is not required may be left out after its last call broke.
fn panel_is_fine(latest: &Latest<'_>, def: &PhaseDef, round: u32) -> bool {
    let policy = &def.policy;
    let Some(rule) = policy.review.as_ref().filter(|_| !policy.triage && !policy.llm_judge) else {
        return true;
    };
    def.panel.iter().all(|seat| {
        let name = seat.name.as_str();
        let heard = latest.seats.get(name);
        let since = latest.settled().max(heard.map_or(0, |(index, _)| *index));
        let left_out = latest.left_out.get(name).is_some_and(|index| *index > since) && !seat.required;
        left_out || heard.is_some_and(|review| opinion_is_fine(latest, policy, rule, round, *review))
    })
}

fn opinion_is_fine(
    latest: &Latest<'_>,
    policy: &Policy,
    rule: &ReviewRule,
    round: u32,
    (index, review): (usize, &Reviewed),
) -> bool {
    let Some(reading) = &review.reading else { return false };
    let after = index > latest.settled() && latest.checks.is_none_or(|(checks, _)| index > checks);
    let same = latest.checks.is_none_or(|(_, checks)| checks.tree == review.tree);
    let here = latest.review_round == round && review.ended.outcome == ExecOutcome::Done && after && same;
    let approves = reading.read_as != ReadAs::Default
        && reading.result != Verdict::Fail
        && reading.judgment.approves()
        && !review.ended.truncated
        && reading.findings.iter().all(|finding| finding.severity < rule.blocking);
    here && (approves || policy.triage)
}

fn triage_is_fine(latest: &Latest<'_>, policy: &Policy, round: u32) -> bool {
    if !policy.triage {
        return true;
    }
    let (Some((index, triage)), Some((reviewed, review))) = (latest.triage, latest.review) else {
        return false;
    };
    let Some(table) = triage.table else { return false };
    // An approval that stands puts both at one place.
    index >= reviewed
        && latest.triage_round == round
        && matches!(triage.ended.outcome, ExecOutcome::Done | ExecOutcome::Partial)
        && triage.changed.is_empty()
        && triage.tree == review.tree
        && table.fix_required == 0
        && table.needs_discussion == 0
}

fn anything_judged(latest: &Latest<'_>, policy: &Policy) -> bool {
    let passed = |checks: &Checked| checks.results.iter().any(|result| result.status == CheckStatus::Pass);
    policy.review.is_some() || latest.checks.is_some_and(|(_, checks)| passed(checks))
}
