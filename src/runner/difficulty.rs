//! Asks how hard the issue is, once and before the first phase. Nothing it says can do more than choose models:
//! what cannot be read, or what wrote, counts as the hardest.

use std::collections::BTreeMap;

use crate::active_run::ActiveRun;
use crate::agent_call;
use crate::agent_context::AgentContext;
use crate::digest::nonce;
use crate::error::Result;
use crate::prompt::PreparedCall;
use agents::Answer;
use content_parser::{Estimate, read_difficulty};
use engine::Call;
use git::Diff;
use journal::store::folders;
use model::event::{Assessed, Ended, ExecOutcome, Fact};
use model::policy::Difficulty;
use views::prompt::difficulty;

/// Asks an agent and records what its answer amounts to.
pub(super) async fn assess(active: &mut ActiveRun, programs: &AgentContext, call: &Call) -> Result<()> {
    let before = active.look(None)?.tree.clone();
    let answer = ask(active, programs, call).await?;
    active.journal.verify()?;
    active.job_files.verify()?;
    if active.is_stopping() {
        return Ok(());
    }
    let mut ended = agent_call::ended(&answer);
    let seen = active.space.snapshots().take(Some(&before))?;
    if !seen.changed.is_empty() {
        active.space.snapshots().restore(&before)?;
        ended.outcome = ExecOutcome::Crashed;
        ended.reason = Some(format!("it changed files, which was undone: {}", seen.changed.join(", ")));
    }
    active.note_spending(&ended)?;
    let estimate = if answer.truncated { None } else { read_difficulty(&answer.text) };
    active.record(Fact::Assessed(Box::new(assessed(call, estimate, ended))))
}

async fn ask(active: &mut ActiveRun, programs: &AgentContext, call: &Call) -> Result<Answer> {
    let prompt = difficulty(&active.run()?.started.issue, &nonce(), &programs.prompts)?;
    let def = active.phase(&call.phase)?.def.clone();
    let place = folders::Call { phase: &def, step: call.step, round: call.round, attempt: call.attempt };
    let prompt_file = active.folder.write_prompt(place, &active.masker.mask(&prompt))?;
    let raw_file = active.folder.raw_stream(place)?;
    let prepared = PreparedCall {
        programs,
        call,
        review_id: None,
        tree: active.look(None)?.tree.clone(),
        diff: Diff::default(),
        output: active.folder.deliverable(&def),
        commands: BTreeMap::new(),
    };
    active.snapshot = None;
    let answer = agent_call::ask(active, &prepared, (&prompt_file, &raw_file)).await?;
    active.folder.write_answer(place, &active.masker.mask(&answer.text))?;
    Ok(answer)
}

fn assessed(call: &Call, estimate: Option<Estimate>, ended: Ended) -> Assessed {
    let agent = call.agent.clone();
    let Some(Estimate { word, confidence, reason }) = estimate else {
        let reason = ended.reason.clone().unwrap_or_else(|| "the answer states no difficulty".into());
        return Assessed { agent, difficulty: None, confidence: None, reason, ended };
    };
    Assessed { agent, difficulty: difficulty_of(&word), confidence, reason, ended }
}

fn difficulty_of(text: &str) -> Option<Difficulty> {
    let all = [Difficulty::Simple, Difficulty::Moderate, Difficulty::Complex];
    all.into_iter().find(|difficulty| difficulty.as_str() == text)
}
