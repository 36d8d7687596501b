//! One agent call from prompt to fact. What the agent says is kept as it was said, masked; what counts is what we see.

use std::fs;
use std::time::Duration;

use super::{PhaseRunner, RunError};
use crate::agent::{self, AgentSpec, Answer, Job};
use crate::content_parser::{self, Terms};
use crate::event::{Ended, Evaluation, ExecOutcome, Fact, Reviewed, StepStarted, Triaged, Worked};
use crate::flow::{Call, PhaseState};
use crate::phase::Step;
use crate::process::{self, Urgency};
use crate::prompt::{reviewer_schema, template_digest};
use crate::redact::Masked;
use crate::review;
use crate::store::folders;
use crate::summary::deliverable_path;
use crate::verdict::Judgment;
use crate::workspace::Tree;

/// What came of a call, before it becomes a fact.
struct Ending {
    call: Call,
    review_id: Option<String>,
    answer: Answer,
    ended: Ended,
    tree: Tree,
    changed: Vec<String>,
}

impl PhaseRunner {
    /// Calls an agent and records how it ended.
    pub(super) async fn call(&mut self, call: &Call) -> Result<(), RunError> {
        self.wait(call.delay_ms).await;
        if self.stopping() {
            return Ok(());
        }
        let before = Tree::try_from(self.phase(&call.phase)?.tree.as_str())?;
        let review_id = matches!(call.step, Step::Review | Step::Triage).then(super::nonce);
        let prompt = self.masker.mask(&self.compose(call, review_id.as_deref(), &before)?);
        let def = self.phase(&call.phase)?.def.clone();
        let place = folders::Call { phase: &def, step: call.step, round: call.round, attempt: call.attempt };
        let prompt_file = self.folder.write_prompt(place, &prompt)?;
        let raw_file = self.folder.raw_stream(place)?;
        self.folder.make_output(&def)?;
        self.started(call, review_id.as_deref(), &prompt)?;
        self.seen = None;
        let answer = self.ask(call, review_id.as_deref(), &prompt_file, &raw_file).await?;
        self.journal.verify()?;
        let kept = self.masker.mask(&answer.text);
        self.folder.write_answer(place, &kept)?;
        if def.policy.triage {
            // Before the files are looked at, so that the commit sees it.
            self.folder.write(&self.output_path(call)?, &kept)?;
        }
        if self.stopping() {
            return Ok(());
        }
        let ending = self.ending(call, review_id, answer, &before)?;
        self.note_spending(&ending.ended)?;
        self.record_ending(ending)
    }

    async fn wait(&mut self, delay_ms: u64) {
        if delay_ms > 0 {
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(delay_ms)) => {}
                _ = self.stop.beyond(Urgency::Running) => {}
            }
        }
    }

    fn started(&mut self, call: &Call, review_id: Option<&str>, prompt: &Masked) -> Result<(), RunError> {
        Ok(self.journal.record(Fact::StepStarted(StepStarted {
            phase: call.phase.clone(),
            step: call.step,
            round: call.round,
            attempt: call.attempt,
            agent: call.agent.clone(),
            review_id: review_id.map(str::to_owned),
            prompt: super::digest(prompt.as_str()),
            template: template_digest(&call.phase, call.step, &self.prompts).unwrap_or_default(),
            prompt_bytes: prompt.as_str().len() as u64,
            resumes: call.resumes.as_ref().map(|resume| resume.session.clone()),
        }))?)
    }

    async fn ask(
        &mut self,
        call: &Call,
        review_id: Option<&str>,
        prompt_file: &str,
        raw_file: &str,
    ) -> Result<Answer, RunError> {
        let run = self.run_state()?;
        let issue = run.started.issue.number;
        let output = self.output_path(call)?;
        let time = run.started.agreement.time.clone();
        let commands = run.started.agreement.commands.clone();
        let reviewing = call.step == Step::Review;
        let rule = self.phase(&call.phase)?.def.policy.review.as_ref();
        let schema = reviewing.then(|| reviewer_schema(rule));
        let (prompt_file, raw_file) = (self.folder.at(prompt_file), self.folder.at(raw_file));
        let job = Job {
            issue,
            phase: &call.phase,
            step: call.step,
            round: call.round,
            attempt: call.attempt,
            prompt_file: &prompt_file,
            output: &output,
            review_id,
            worktree: self.folder.root(),
            raw_file: &raw_file,
            time: &time,
            masker: &self.masker,
            own_program: &process::own_program(),
            resumes: call.resumes.as_ref(),
            allowance: call.allowance,
            schema: schema.as_ref(),
            commands: &commands,
        };
        let spec = self.spec(&call.agent)?;
        let journal = &mut self.journal;
        let mut on_line = |line: &crate::redact::Masked| journal.progress(line);
        Ok(agent::call(&spec, &self.profiles, &job, &mut on_line, &mut self.stop).await)
    }

    /// Paths in a spec are relative to the checkout the run was started from.
    pub(super) fn spec(&self, text: &str) -> Result<AgentSpec, RunError> {
        let spec: AgentSpec = text.parse().map_err(|error| RunError::Bug(format!("{error}")))?;
        Ok(spec.seen_from(&self.checkout))
    }

    /// Returns what `AI_WORKFLOW_OUTPUT` names: the phase's deliverable, or the document of a document review.
    pub(super) fn output_path(&self, call: &Call) -> Result<String, RunError> {
        let def = &self.phase(&call.phase)?.def;
        Ok(match call.step {
            _ if !def.policy.triage => self.folder.deliverable(def),
            Step::Triage => self.folder.reply_document(def, call.round),
            _ => self.folder.review_document(def, call.round),
        })
    }

    /// Sees what the call did to the files. A reviewer that wrote is undone and its review is void.
    fn ending(
        &mut self,
        call: &Call,
        review_id: Option<String>,
        answer: Answer,
        before: &Tree,
    ) -> Result<Ending, RunError> {
        let snapshot = self.space.snapshot(Some(before))?;
        let mut ended = ended(&answer);
        let (mut tree, mut changed) = (snapshot.tree.clone(), snapshot.changed.clone());
        self.seen = Some(snapshot);
        if call.step == Step::Review && !changed.is_empty() {
            self.space.restore(before)?;
            self.seen = None;
            ended.outcome = ExecOutcome::Crashed;
            ended.reason =
                Some(format!("the reviewer changed files, which was undone: {}", changed.join(", ")));
            tree = before.clone();
            changed.clear();
        }
        let strays = &self.run_state()?.started.strays;
        changed.retain(|path| !strays.contains(path));
        Ok(Ending { call: call.clone(), review_id, answer, ended, tree, changed })
    }

    fn record_ending(&mut self, ending: Ending) -> Result<(), RunError> {
        match ending.call.step {
            Step::Execute | Step::Revise => self.record_work(ending),
            Step::Review => self.record_review(ending),
            Step::Triage => self.record_triage(ending),
            Step::Check | Step::Answer => {
                Err(RunError::Bug(format!("{} is no call of the cycle", ending.call.step)))
            }
        }
    }

    fn record_work(&mut self, ending: Ending) -> Result<(), RunError> {
        let evaluation = self.evaluation(&ending)?;
        let claim = content_parser::read_claim(&ending.answer.text);
        Ok(self.journal.record(Fact::Worked(Worked {
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

    /// The decision stands in the answer, else in the deliverable.
    fn evaluation(&self, ending: &Ending) -> Result<Option<Evaluation>, RunError> {
        let (run, phase) = (self.run_state()?, self.phase(&ending.call.phase)?);
        if !phase.def.decides {
            return Ok(None);
        }
        let in_answer = content_parser::read_evaluation(&ending.answer.text);
        let path = self.folder.at(&deliverable_path(run, phase));
        let in_deliverable =
            || content_parser::read_evaluation(&fs::read_to_string(path).unwrap_or_default());
        Ok(in_answer.or_else(in_deliverable))
    }

    fn record_review(&mut self, ending: Ending) -> Result<(), RunError> {
        let phase = self.phase(&ending.call.phase)?;
        let words = words(phase);
        let require_review_id = self.run_state()?.started.agreement.require_review_id;
        let terms = Terms { review_id: ending.review_id.as_deref(), require_review_id, words: &words };
        let said = review::Said {
            text: &ending.answer.text,
            outcome: ending.ended.outcome,
            truncated: ending.answer.truncated,
            structured: ending.answer.structured,
            schema_missed: ending.answer.schema_missed,
        };
        let reading = review::reading(&said, &terms);
        let reviewed = Reviewed {
            phase: ending.call.phase,
            round: ending.call.round,
            attempt: ending.call.attempt,
            reviewer: ending.call.agent,
            ended: ending.ended,
            reading,
            tree: ending.tree.to_string(),
        };
        self.journal.record(Fact::Reviewed(reviewed.clone()))?;
        self.export_review(&reviewed)
    }

    fn export_review(&self, reviewed: &Reviewed) -> Result<(), RunError> {
        let (run, phase) = (self.run_state()?, self.phase(&reviewed.phase)?);
        let value = review::result_file(run, phase, reviewed, run.updated_at);
        Ok(self.folder.write(&self.folder.review_result(), &self.masker.mask(&format!("{value:#}\n")))?)
    }

    fn record_triage(&mut self, ending: Ending) -> Result<(), RunError> {
        let whole = !ending.answer.truncated && ending.ended.outcome.ended();
        let table = content_parser::read_triage(&ending.answer.text, ending.review_id.as_deref());
        if let (true, Err(why)) = (whole, &table) {
            tracing::warn!("Phase {}: The triage table cannot be read: {why}", ending.call.phase);
        }
        Ok(self.journal.record(Fact::Triaged(Triaged {
            phase: ending.call.phase,
            round: ending.call.round,
            attempt: ending.call.attempt,
            ended: ending.ended,
            table: table.ok().filter(|_| whole),
            tree: ending.tree.to_string(),
            changed: ending.changed,
        }))?)
    }
}

fn words(phase: &PhaseState) -> std::collections::BTreeMap<String, Judgment> {
    phase.def.policy.review.as_ref().map(|rule| rule.verdict_map.clone()).unwrap_or_default()
}

pub(super) fn ended(answer: &Answer) -> Ended {
    Ended {
        outcome: answer.outcome,
        reason: answer.reason.clone(),
        millis: answer.millis,
        usage: answer.usage,
        truncated: answer.truncated,
        simulated: answer.simulated,
        resets_at: answer.resets_at,
        session: answer.session.clone(),
        program: answer.program.clone(),
    }
}
