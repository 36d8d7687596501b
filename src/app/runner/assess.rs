//! Asks how hard the issue is, once and before the first phase. Nothing it says can do more than choose models:
//! what cannot be read, or what wrote, counts as the hardest.

use std::collections::BTreeMap;

use super::{PhaseRunner, RunError, nonce};
use agents::{AgentCall, Answer};
use content_parser::{Estimate, read_difficulty};
use engine::Assess;
use journal::store::folders::Call;
use model::event::{Assessed, Ended, ExecOutcome, Fact};
use model::phase::Step;
use model::policy::Difficulty;
use views::prompt::difficulty;

/// Before every round.
const ROUND: u32 = 0;

impl PhaseRunner {
    /// Asks an agent and records what its answer amounts to.
    pub(super) async fn assess(&mut self, assess: &Assess) -> Result<(), RunError> {
        let before = self.look(None)?.tree.clone();
        let answer = self.ask_how_hard(assess).await?;
        self.journal.verify()?;
        self.job.verify()?;
        if self.stopping() {
            return Ok(());
        }
        let mut ended = super::call::ended(&answer);
        let seen = self.space.snapshots().take(Some(&before))?;
        if !seen.changed.is_empty() {
            self.space.snapshots().restore(&before)?;
            ended.outcome = ExecOutcome::Crashed;
            ended.reason = Some(format!("it changed files, which was undone: {}", seen.changed.join(", ")));
        }
        self.note_spending(&ended)?;
        let estimate = read_difficulty(&answer.text).filter(|_| !answer.truncated);
        Ok(self.journal.record(Fact::Assessed(Box::new(assessed(assess, estimate, ended))))?)
    }

    async fn ask_how_hard(&mut self, assess: &Assess) -> Result<Answer, RunError> {
        let run = self.run_state()?;
        let (issue, time) = (run.started.issue.number, run.started.agreement.time.clone());
        let prompt = difficulty(&run.started.issue, &nonce(), &self.prompts)?;
        let def = self.phase(&assess.phase)?.def.clone();
        let place = Call { phase: &def, step: Step::Answer, round: ROUND, attempt: 1 };
        let prompt_file = self.folder.at(&self.folder.write_prompt(place, &self.masker.mask(&prompt))?);
        let raw_file = self.folder.at(&self.folder.raw_stream(place)?);
        let output = self.folder.deliverable(&def);
        let spec = self.spec(&assess.agent)?;
        let job = AgentCall {
            copy_after_end: None,
            issue,
            phase: &assess.phase,
            step: Step::Answer,
            round: ROUND,
            attempt: 1,
            prompt_file: &prompt_file,
            output: &output,
            review_id: None,
            seat: None,
            worktree: self.folder.root(),
            raw_file: &raw_file,
            time: &time,
            masker: &self.masker,
            own_program: &process::own_program(),
            resumes: None,
            allowance: assess.allowance,
            schema: None,
            commands: &BTreeMap::new(),
        };
        self.seen = None;
        let journal = &mut self.journal;
        let mut on_line = |line: &model::redact::Masked| journal.progress(line);
        let answer = agents::call(&spec, &self.profiles, &job, &mut on_line, &mut self.stop).await;
        self.folder.write_answer(place, &self.masker.mask(&answer.text))?;
        Ok(answer)
    }
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
