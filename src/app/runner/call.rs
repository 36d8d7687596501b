//! One agent call from prompt to fact. What the agent says is kept as it was said, masked; what counts is what we see.

use std::fs;
use std::time::Duration;

use super::{PhaseRunner, RunError};
use crate::review;
use agents::{AgentCall, AgentSpec, Answer};
use content_parser::{self, Terms};
use engine::{Call, PhaseState};
use git::Tree;
use journal::store::folders;
use model::event::{Ended, Evaluation, ExecOutcome, Fact, Replied, Reviewed, StepStarted, Triaged, Worked};
use model::phase::Step;
use model::redact::Masked;
use model::verdict::Judgment;
use process::{self, Urgency};
use views::prompt::{reviewer_schema, template_digest};
use views::summary::deliverable_path;

/// What came of a call, before it becomes a fact.
struct Ending {
    call: Call,
    review_id: Option<String>,
    answer: Answer,
    ended: Ended,
    tree: Tree,
    changed: Vec<String>,
}

/// The kind of the note that tells of branches and tags.
const MOVED: &str = "references_moved";

impl PhaseRunner {
    /// Calls an agent and records how it ended.
    pub(super) async fn call(&mut self, call: &Call) -> Result<(), RunError> {
        self.wait(call.delay_ms).await;
        if self.stopping() {
            return Ok(());
        }
        let before = Tree::try_from(self.phase(&call.phase)?.files.tree.as_str())?;
        if self.takes_up_work_by_hand(&call.phase, call.step, &before)? {
            return Ok(());
        }
        let review_id = matches!(call.step, Step::Review | Step::Triage).then(super::nonce);
        let shown = self.shown(call, &before)?;
        let prompt = self.masker.mask(&self.compose(call, review_id.as_deref(), &before, &shown)?);
        let def = self.phase(&call.phase)?.def.clone();
        let place = folders::Call { phase: &def, step: call.step, round: call.round, attempt: call.attempt };
        let prompt_file = self.folder.write_prompt(place, &prompt)?;
        let raw_file = self.folder.raw_stream(place)?;
        self.folder.make_output(&def)?;
        self.started(call, review_id.as_deref(), &prompt)?;
        self.seen = None;
        let watched = !call.step.writes();
        let documents = self.made_documents()?;
        let references = watched.then(|| self.space.references().now()).transpose()?;
        if watched {
            self.space.run_branch().remember_resting_tip()?;
        } else {
            self.space.run_branch().forget_resting_tip();
        }
        let answer = match self.unseen(call, &before, &shown)? {
            Some(unasked) => unasked,
            None => self.ask(call, review_id.as_deref(), &prompt_file, &raw_file).await?,
        };
        let log_was_taken_back = self.journal.verify()?;
        self.job.verify()?;
        let moved = references.map(|before| self.space.references().put_back(&before)).transpose()?;
        let moved = moved.unwrap_or_default();
        let kept = self.masker.mask(&answer.text);
        self.folder.write_answer(place, &kept)?;
        self.put_documents_back(&documents)?;
        // Before the files are looked at, so that the commit sees it.
        let document = self.make_document(call, &kept)?;
        let was_stopped = self.stopping();
        if was_stopped && watched {
            return self.undo_of_stopped_reader(&before);
        }
        let log = (watched && log_was_taken_back).then(|| self.folder.events());
        let mut ending = self.ending(call, review_id, answer, &before, (&moved.undone, log))?;
        ending.ended.document = document;
        if was_stopped {
            // What it left is known to be its own, and nothing else of it counts.
            ending.ended.outcome = ExecOutcome::Cancelled;
        }
        self.note_spending(&ending.ended)?;
        self.record_ending(ending)?;
        self.tell_what_moved(&moved.left)
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
            template: template_digest(&self.phase(&call.phase)?.def, call.step, &self.prompts)
                .unwrap_or_default(),
            prompt_bytes: prompt.as_str().len() as u64,
            resumes: call.resumes.as_ref().map(|resume| resume.session.clone()),
            seat: call.seat.clone(),
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
        let phase = self.phase(&call.phase)?;
        let def = &phase.def;
        let schema = match call.step {
            Step::Review => {
                let viewpoints = phase.viewpoints_of(call.seat.as_deref());
                Some(reviewer_schema(def.policy.review.as_ref(), viewpoints))
            }
            Step::Execute | Step::Revise => def.output_schema.clone(),
            Step::Check | Step::Triage | Step::Answer => None,
        };
        let (prompt_file, raw_file) = (self.folder.at(prompt_file), self.folder.at(raw_file));
        let copy_after_end = call.step.writes().then(|| self.space.run_branch().tip_files());
        let job = AgentCall {
            issue,
            phase: &call.phase,
            step: call.step,
            round: call.round,
            attempt: call.attempt,
            prompt_file: &prompt_file,
            output: &output,
            review_id,
            seat: call.seat.as_deref(),
            worktree: self.folder.root(),
            raw_file: &raw_file,
            time: &time,
            masker: &self.masker,
            own_program: &process::own_program(),
            resumes: call.resumes.as_ref(),
            allowance: call.allowance,
            schema: schema.as_ref(),
            commands: &commands,
            copy_after_end: copy_after_end.as_ref().map(|(from, to)| (from.as_path(), to.as_path())),
        };
        let spec = self.spec(&call.agent)?;
        let journal = &mut self.journal;
        let mut on_line = |line: &model::redact::Masked| journal.progress(line);
        Ok(agents::call(&spec, &self.profiles, &job, &mut on_line, &mut self.stop).await)
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
            Step::Triage | Step::Revise => self.folder.reply_document(def, call.round),
            _ => self.folder.review_document(def, call.round),
        })
    }

    /// Somebody moved them while a reader worked: it, or a person.
    fn tell_what_moved(&mut self, left: &[String]) -> Result<(), RunError> {
        if left.is_empty() {
            return Ok(());
        }
        let text = format!("moved while nobody was to write, and left alone: {}", left.join(", "));
        tracing::warn!("{text}");
        Ok(self.journal.record(Fact::Noted { kind: MOVED.to_owned(), text })?)
    }

    /// Sees what the call did to the files. What a reviewer wrote, or an author that was only asked, is undone and voids its
    /// answer.
    fn ending(
        &mut self,
        call: &Call,
        review_id: Option<String>,
        answer: Answer,
        before: &Tree,
        (moved, log): (&[String], Option<String>),
    ) -> Result<Ending, RunError> {
        let snapshot = self.space.snapshots().take(Some(before))?;
        let mut ended = ended(&answer);
        let (mut tree, mut changed) = (snapshot.tree.clone(), snapshot.changed.clone());
        changed.extend(log);
        self.seen = Some(snapshot);
        let who = if call.step == Step::Review { "the reviewer" } else { "the author that was asked" };
        if !moved.is_empty() {
            self.seen = None;
            ended.outcome = ExecOutcome::Crashed;
            let moved = moved.join(", ");
            ended.reason = Some(format!("{who} moved references of git, which was undone: {moved}"));
        }
        if !call.step.writes() && !changed.is_empty() {
            self.space.snapshots().restore(before)?;
            self.seen = None;
            ended.outcome = ExecOutcome::Crashed;
            ended.reason = Some(format!("{who} changed files, which was undone: {}", changed.join(", ")));
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
            Step::Answer => self.record_reply(ending),
            Step::Check => Err(RunError::Bug(format!("{} is no call of the cycle", ending.call.step))),
        }
    }

    fn record_reply(&mut self, ending: Ending) -> Result<(), RunError> {
        let said = ending.ended.outcome.ended().then(|| content_parser::read_reply(&ending.answer.text));
        Ok(self.journal.record(Fact::Replied(Replied {
            phase: ending.call.phase,
            round: ending.call.round,
            attempt: ending.call.attempt,
            ended: ending.ended,
            text: said.flatten(),
        }))?)
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

    /// The decision stands in the answer, the deliverable or both.
    fn evaluation(&self, ending: &Ending) -> Result<Option<Evaluation>, RunError> {
        let (run, phase) = (self.run_state()?, self.phase(&ending.call.phase)?);
        if !phase.def.decides {
            return Ok(None);
        }
        let path = self.folder.at(&deliverable_path(run, phase));
        let deliverable = fs::read(path).unwrap_or_default();
        let deliverable = String::from_utf8_lossy(&deliverable);
        Ok(content_parser::read_evaluations(&[&ending.answer.text, &deliverable]))
    }

    fn record_review(&mut self, ending: Ending) -> Result<(), RunError> {
        let phase = self.phase(&ending.call.phase)?;
        let words = words(phase);
        let require_review_id = self.run_state()?.started.agreement.require_review_id;
        let terms =
            Terms { review_id: ending.review_id.as_deref(), require_review_id, words: &words, beyond: &[] };
        let said = review::ReviewAnswer {
            text: &ending.answer.text,
            outcome: ending.ended.outcome,
            truncated: ending.answer.truncated,
            structured: ending.answer.structured,
            schema_missed: ending.answer.schema_missed,
        };
        let reading = self.read_review(&ending.call, &ending.tree, &said, &terms);
        let may_doubt = phase.may_doubt(ending.call.seat.as_deref());
        let reading =
            reading.map(|reading| if may_doubt { review::doubted(reading, &said) } else { reading });
        self.journal.record(Fact::Reviewed(Reviewed {
            phase: ending.call.phase,
            round: ending.call.round,
            attempt: ending.call.attempt,
            reviewer: ending.call.agent,
            ended: ending.ended,
            reading,
            tree: ending.tree.to_string(),
            seat: ending.call.seat,
        }))?;
        self.export_review()
    }

    /// Writes the latest verdict where scripts look for it, over whatever an agent may have left there.
    pub(super) fn export_review(&self) -> Result<(), RunError> {
        let path = self.folder.review_result();
        let Some(value) = review::result_file(self.run_state()?) else {
            return Ok(self.folder.remove(&path)?);
        };
        Ok(self.folder.write(&path, &self.masker.mask(&format!("{value:#}\n")))?)
    }

    fn record_triage(&mut self, ending: Ending) -> Result<(), RunError> {
        let phase = self.phase(&ending.call.phase)?;
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
        self.journal.record(Fact::Triaged(Triaged {
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
        self.export_review()
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
        document: None,
    }
}
