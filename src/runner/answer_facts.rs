//! Makes a fact of what came of a call: work, a review, a triage, an answer to questions. Of a review it sees which findings are
//! out of scope: new, and where nothing changed since the review before by the same reviewer. Where that cannot be seen, such as
//! when the files of that review are on another machine, every finding is in scope.

use std::collections::BTreeSet;
use std::fs;

use crate::active_run::ActiveRun;
use crate::error::{Result, RunError};
use crate::review;
use agents::Answer;
use content_parser::Terms;
use engine::{Call, Delta, PhaseState};
use git::{Tree, is_engines_own};
use model::event::{Ended, Evaluation, Fact, Replied, Reviewed, Triaged, Worked};
use model::finding::Finding;
use model::phase::Step;
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

pub(super) fn record(active: &mut ActiveRun, ending: Ending) -> Result<()> {
    match ending.call.step {
        Step::Execute | Step::Revise => record_work(active, ending),
        Step::Review => record_review(active, ending),
        Step::Triage => record_triage(active, ending),
        Step::Answer => record_reply(active, ending),
        Step::Check => Err(RunError::Bug(format!("{} is no call of the cycle", ending.call.step))),
    }
}

fn record_reply(active: &mut ActiveRun, ending: Ending) -> Result<()> {
    let Ending { call, answer, ended, .. } = ending;
    let Call { phase, round, attempt, .. } = call;
    let text = if ended.outcome.ended() { content_parser::read_reply(&answer.text) } else { None };
    active.record(Fact::Replied(Replied { phase, round, attempt, ended, text }))
}

fn record_work(active: &mut ActiveRun, ending: Ending) -> Result<()> {
    let evaluation = evaluation(active, &ending)?;
    let Ending { call, answer, ended, tree, changed, .. } = ending;
    let Call { phase, step, round, attempt, .. } = call;
    let (claim, tree) = (content_parser::read_claim(&answer.text), tree.to_string());
    let worked = Worked { phase, step, round, attempt, ended, tree, changed, claim, evaluation };
    active.record(Fact::Worked(worked))
}

/// The decision stands in the answer, the deliverable or both.
fn evaluation(active: &ActiveRun, ending: &Ending) -> Result<Option<Evaluation>> {
    let (run, phase) = (active.run()?, active.phase(&ending.call.phase)?);
    if !phase.def.decides {
        return Ok(None);
    }
    let path = active.folder.at(&deliverable_path(run, phase));
    let deliverable = fs::read(path).unwrap_or_default();
    let deliverable = String::from_utf8_lossy(&deliverable);
    Ok(content_parser::read_evaluations(&[&ending.answer.text, &deliverable]))
}

fn record_review(active: &mut ActiveRun, mut ending: Ending) -> Result<()> {
    ending.answer.outcome = ending.ended.outcome;
    let phase = active.phase(&ending.call.phase)?;
    let rule = phase.def.policy.review.as_ref();
    let words = rule.map(|rule| rule.verdict_map.clone()).unwrap_or_default();
    let require_review_id = active.run()?.started.agreement.require_review_id;
    let terms =
        Terms { review_id: ending.review_id.as_deref(), require_review_id, words: &words, beyond: &[] };
    let mut reading = review::reading(&ending.answer, &terms);
    let beyond = match &reading {
        Some(reading) => out_of_scope(active, phase, &ending, &reading.findings),
        None => Vec::new(),
    };
    if !beyond.is_empty() {
        reading = review::reading(&ending.answer, &Terms { beyond: &beyond, ..terms });
    }
    if phase.may_doubt(ending.call.seat.as_deref()) {
        reading = reading.map(|reading| review::doubted(reading, &ending.answer.text));
    }
    let Ending { call, ended, tree, .. } = ending;
    let Call { phase, round, attempt, agent: reviewer, seat, .. } = call;
    let tree = tree.to_string();
    let reviewed = Reviewed { phase, round, attempt, reviewer, ended, reading, tree, seat };
    active.record(Fact::Reviewed(reviewed))?;
    export_review(active)
}

/// Writes the latest verdict where scripts look for it, over whatever an agent may have left there.
pub(super) fn export_review(active: &ActiveRun) -> Result<()> {
    let path = active.folder.review_result();
    let Some(value) = review::result_file(active.run()?) else {
        return Ok(active.folder.remove(&path)?);
    };
    Ok(active.folder.write(&path, &active.masker.mask(&format!("{value:#}\n")))?)
}

fn record_triage(active: &mut ActiveRun, ending: Ending) -> Result<()> {
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
    let Ending { call, ended, tree, changed, .. } = ending;
    let Call { phase, round, attempt, .. } = call;
    let tree = tree.to_string();
    let triaged = Triaged { phase, round, attempt, ended, table, unread, judgments, tree, changed };
    active.record(Fact::Triaged(triaged))?;
    export_review(active)
}

/// Returns the findings that are out of scope; none where that cannot be seen.
fn out_of_scope(active: &ActiveRun, phase: &PhaseState, ending: &Ending, all: &[Finding]) -> Vec<Finding> {
    let Ending { call, tree, .. } = ending;
    let Some(delta) = Delta::of(phase, call.seat.as_deref(), &call.agent) else { return Vec::new() };
    beyond(active, &delta, tree, all).unwrap_or_else(|error| {
        tracing::warn!("what changed since the last review of {} cannot be seen: {error}", call.phase);
        Vec::new()
    })
}

/// Returns the findings beyond what changed. A path that is no file of ours may mean anything.
fn beyond(active: &ActiveRun, delta: &Delta, tree: &Tree, all: &[Finding]) -> Result<Vec<Finding>> {
    let named = all.iter().filter_map(|finding| finding.file.clone());
    let named: BTreeSet<String> = named.filter(|path| !is_engines_own(path)).collect();
    let workspace = active.space.workspace();
    let files = workspace.objects().plain_files(tree, &named)?;
    let changes = workspace.changes().between(&Tree::try_from(delta.tree.as_str())?, tree, &files)?;
    let is_placed = |finding: &&Finding| finding.file.as_ref().is_some_and(|file| files.contains(file));
    let placed: Vec<Finding> = all.iter().filter(is_placed).cloned().collect();
    Ok(delta.beyond(&placed, &changes))
}
