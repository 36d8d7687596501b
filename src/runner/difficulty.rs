//! Asks how hard the issue is, once and before the first phase. Nothing it says can do more than choose models:
//! what cannot be read, or what wrote, counts as the hardest.

use std::collections::BTreeMap;

use crate::active_run::ActiveRun;
use crate::agent_call;
use crate::agent_programs::AgentPrograms;
use crate::digest::nonce;
use crate::error::Result;
use crate::prompt::PreparedCall;
use agents::Answer;
use content_parser::{Estimate, read_difficulty};
use engine::{Assess, Call};
use git::Diff;
use journal::store::folders;
use model::event::{Assessed, Ended, ExecOutcome, Fact};
use model::phase::Step;
use model::policy::Difficulty;
use views::prompt::difficulty;

/// Before every round.
const ROUND: u32 = 0;

/// Asks an agent and records what its answer amounts to.
pub(super) async fn assess(active: &mut ActiveRun, programs: &AgentPrograms, assess: &Assess) -> Result<()> {
    let before = active.look(None)?.tree.clone();
    let answer = ask(active, programs, assess).await?;
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
    active.record(Fact::Assessed(Box::new(assessed(assess, estimate, ended))))
}

async fn ask(active: &mut ActiveRun, programs: &AgentPrograms, assess: &Assess) -> Result<Answer> {
    let prompt = difficulty(&active.run()?.started.issue, &nonce(), &programs.prompts)?;
    let def = active.phase(&assess.phase)?.def.clone();
    let place = folders::Call { phase: &def, step: Step::Answer, round: ROUND, attempt: 1 };
    let prompt_file = active.folder.write_prompt(place, &active.masker.mask(&prompt))?;
    let raw_file = active.folder.raw_stream(place)?;
    let call = Call {
        phase: assess.phase.clone(),
        step: place.step,
        round: place.round,
        attempt: place.attempt,
        agent: assess.agent.clone(),
        seat: None,
        delay_ms: 0,
        resumes: None,
        allowance: assess.allowance,
    };
    let prepared = PreparedCall {
        programs,
        call: &call,
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

fn assessed(assess: &Assess, estimate: Option<Estimate>, ended: Ended) -> Assessed {
    let agent = assess.agent.clone();
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
