//! Makes a fact of what came of a call: work, a review, a triage, an answer to questions. Of a review it sees which findings are
//! out of scope: new, and where nothing changed since the review before by the same reviewer. Where that cannot be seen, such as
//! when the files of that review are on another machine, every finding is in scope.

use std::collections::BTreeSet;
use std::fs;

use crate::active_run::ActiveRun;
use crate::error::RunError;
use crate::review::{self, ReviewAnswer};
use agents::Answer;
use content_parser::{self, Terms};
use engine::{Call, Delta, PhaseState};
use git::{Tree, is_engines_own};
use model::event::{Ended, Evaluation, Fact, Reading, Replied, Reviewed, Triaged, Worked};
use model::finding::Finding;
use model::phase::Step;
use model::verdict::Judgment;
use views::summary::deliverable_path;

/// What came of a call, before it becomes a fact.
pub(super) struct Ending {
    pub(super) call: Call,
    pub(super) review_id: Option<String>,
    pub(super) answer: Answer,
    pub(super) ended: Ended,
    pub(super) tree: Tree,
    pub(super) changed: Vec<String>,
}

pub(super) fn record(active: &mut ActiveRun, ending: Ending) -> Result<(), RunError> {
    match ending.call.step {
        Step::Execute | Step::Revise => record_work(active, ending),
        Step::Review => record_review(active, ending),
        Step::Triage => record_triage(active, ending),
        Step::Answer => record_reply(active, ending),
        Step::Check => Err(RunError::Bug(format!("{} is no call of the cycle", ending.call.step))),
    }
}

fn record_reply(active: &mut ActiveRun, ending: Ending) -> Result<(), RunError> {
    let said = ending.ended.outcome.ended().then(|| content_parser::read_reply(&ending.answer.text));
    Ok(active.journal.record(Fact::Replied(Replied {
        phase: ending.call.phase,
        round: ending.call.round,
        attempt: ending.call.attempt,
        ended: ending.ended,
        text: said.flatten(),
    }))?)
}

fn record_work(active: &mut ActiveRun, ending: Ending) -> Result<(), RunError> {
    let evaluation = evaluation(active, &ending)?;
    let claim = content_parser::read_claim(&ending.answer.text);
    Ok(active.journal.record(Fact::Worked(Worked {
        phase: ending.call.phase,
        step: ending.call.step,
        round: ending.call.round,
        attempt: ending.call.attempt,
        ended: ending.ended,
        tree: ending.tree.to_string(),
        changed: ending.changed,
        claim,
        evaluation,
    }))?)
}

/// The decision stands in the answer, the deliverable or both.
fn evaluation(active: &ActiveRun, ending: &Ending) -> Result<Option<Evaluation>, RunError> {
    let (run, phase) = (active.run()?, active.phase(&ending.call.phase)?);
    if !phase.def.decides {
        return Ok(None);
    }
    let path = active.folder.at(&deliverable_path(run, phase));
    let deliverable = fs::read(path).unwrap_or_default();
    let deliverable = String::from_utf8_lossy(&deliverable);
    Ok(content_parser::read_evaluations(&[&ending.answer.text, &deliverable]))
}

fn record_review(active: &mut ActiveRun, ending: Ending) -> Result<(), RunError> {
    let phase = active.phase(&ending.call.phase)?;
    let words = words(phase);
    let require_review_id = active.run()?.started.agreement.require_review_id;
    let terms =
        Terms { review_id: ending.review_id.as_deref(), require_review_id, words: &words, beyond: &[] };
    let said = ReviewAnswer {
        text: &ending.answer.text,
        outcome: ending.ended.outcome,
        truncated: ending.answer.truncated,
        structured: ending.answer.structured,
        schema_missed: ending.answer.schema_missed,
    };
    let reading = read_review(active, &ending.call, &ending.tree, &said, &terms);
    let may_doubt = phase.may_doubt(ending.call.seat.as_deref());
    let reading = reading.map(|reading| if may_doubt { review::doubted(reading, &said) } else { reading });
    active.journal.record(Fact::Reviewed(Reviewed {
        phase: ending.call.phase,
        round: ending.call.round,
        attempt: ending.call.attempt,
        reviewer: ending.call.agent,
        ended: ending.ended,
        reading,
        tree: ending.tree.to_string(),
        seat: ending.call.seat,
    }))?;
    export_review(active)
}

/// Writes the latest verdict where scripts look for it, over whatever an agent may have left there.
pub(super) fn export_review(active: &ActiveRun) -> Result<(), RunError> {
    let path = active.folder.review_result();
    let Some(value) = review::result_file(active.run()?) else {
        return Ok(active.folder.remove(&path)?);
    };
    Ok(active.folder.write(&path, &active.masker.mask(&format!("{value:#}\n")))?)
}

fn record_triage(active: &mut ActiveRun, ending: Ending) -> Result<(), RunError> {
    let phase = active.phase(&ending.call.phase)?;
    let findings = phase.findings().to_vec();
    let reading = phase.reviews.current.as_ref().and_then(|review| review.reading.as_ref());
    let failed = reading.is_some_and(|reading| !reading.judgment.approves());
    let (table, unread) = if !ending.ended.outcome.ended() {
        (None, None)
    } else if ending.answer.truncated {
        (None, Some("the answer was cut off".to_owned()))
    } else {
        let read = content_parser::read_triage(&ending.answer.text, ending.review_id.as_deref());
        match read.and_then(|table| content_parser::answering(table, findings.len(), failed)) {
            Ok(table) => (Some(table), None),
            Err(why) => (None, Some(why)),
        }
    };
    let judgments = match table {
        Some(_) => content_parser::read_dispositions(&ending.answer.text, &findings),
        None => Vec::new(),
    };
    active.journal.record(Fact::Triaged(Triaged {
        phase: ending.call.phase,
        round: ending.call.round,
        attempt: ending.call.attempt,
        ended: ending.ended,
        table,
        unread,
        judgments,
        tree: ending.tree.to_string(),
        changed: ending.changed,
    }))?;
    export_review(active)
}

/// Returns what a reviewer of these files says; nothing when there is no answer.
pub(super) fn read_review(
    active: &ActiveRun,
    call: &Call,
    tree: &Tree,
    said: &ReviewAnswer<'_>,
    terms: &Terms<'_>,
) -> Option<Reading> {
    let reading = review::reading(said, terms)?;
    let phase = active.phase(&call.phase).ok();
    let Some(delta) = phase.and_then(|phase| Delta::of(phase, call.seat.as_deref(), &call.agent)) else {
        return Some(reading);
    };
    let beyond = out_of_scope(active, &delta, tree, &reading.findings).unwrap_or_else(|error| {
        tracing::warn!("what changed since the last review of {} cannot be seen: {error}", call.phase);
        Vec::new()
    });
    if beyond.is_empty() {
        return Some(reading);
    }
    review::reading(said, &Terms { beyond: &beyond, ..*terms })
}

/// Returns the findings that are out of scope. A path that is no file of ours may mean anything.
fn out_of_scope(
    active: &ActiveRun,
    delta: &Delta,
    tree: &Tree,
    findings: &[Finding],
) -> Result<Vec<Finding>, RunError> {
    let named = findings.iter().filter_map(|finding| finding.file.clone());
    let named: BTreeSet<String> = named.filter(|path| !is_engines_own(path)).collect();
    let files = active.space.workspace().objects().plain_files(tree, &named)?;
    let changes =
        active.space.workspace().changes().between(&Tree::try_from(delta.tree.as_str())?, tree, &files)?;
    let placed: Vec<Finding> = findings.iter().filter(|finding| is_in(finding, &files)).cloned().collect();
    Ok(delta.beyond(&placed, &changes))
}

fn words(phase: &PhaseState) -> std::collections::BTreeMap<String, Judgment> {
    phase.def.policy.review.as_ref().map(|rule| rule.verdict_map.clone()).unwrap_or_default()
}

fn is_in(finding: &Finding, files: &BTreeSet<String>) -> bool {
    finding.file.as_ref().is_some_and(|file| files.contains(file))
}
