//! Why a run came to where it is: which rule led to each ruling, with the limits used, and what was found; and what differs
//! between two runs: programs, versions, models, prompts, limits. Judges nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::json;

use crate::run_location::RunView;
use engine::{ChangedVerdict, Exchange, PhaseState, Round, Run};
use model::event::{Entry, Fact, Replied, Reviewed, Ruled, Ruling};
use model::phase::PhaseName;
use model::policy::{PanelReviewer, PhaseDef};
use views::metadata::{AgentProgram, provenance};
use views::summary::{self, VerdictExchange, plain};

/// How many digits of a digest tell two prompts apart for people.
const SHORT: usize = 12;

/// What explains how a run went on.
pub enum Explanation<'a> {
    /// A ruling, and the rule that led to it.
    Ruling(&'a Ruled),
    /// What a reviewer asked the author, and where the author's call ended.
    Question(&'a Replied, &'a Exchange),
    /// The answer of a reviewer that changed its verdict, and the exchange before it.
    ChangedVerdict(&'a Reviewed, &'a ChangedVerdict),
    /// An approval of this phase and round was used again instead of another review.
    ReusedApproval(&'a PhaseName, u32),
}

/// Returns the entries of a log that explain how the run went on.
pub fn explanations(view: &RunView) -> impl Iterator<Item = (&Entry, Explanation<'_>)> {
    let mut approvals = Approvals::default();
    view.entries.iter().filter_map(move |entry| {
        let reused = approvals.reused_by(&entry.fact);
        let explanation = match &entry.fact {
            Fact::Ruled(ruled) => Explanation::Ruling(ruled),
            Fact::Replied(replied) => Explanation::Question(replied, exchange_of(view.run(), replied)?),
            Fact::Reviewed(reviewed) => {
                Explanation::ChangedVerdict(reviewed, changed_by(view.run(), reviewed)?)
            }
            _ => {
                let (phase, round) = reused.filter(|(phase, _)| is_reviewed(view.run(), phase))?;
                Explanation::ReusedApproval(phase, round)
            }
        };
        Some((entry, explanation))
    })
}

fn is_reviewed(run: &Run, phase: &PhaseName) -> bool {
    run.phase(phase).is_some_and(|phase| phase.def.policy.review.is_some() && !phase.def.policy.triage)
}

/// The approvals of a run so far.
#[derive(Default)]
struct Approvals<'a> {
    rounds: BTreeMap<&'a PhaseName, u32>,
    /// Another process has taken the run since the latest of them.
    is_taken_over: bool,
}

impl<'a> Approvals<'a> {
    /// Returns the phase and the round of an approval that the fact uses again: for another review of the same files, or for a
    /// commit that the process which approved did not come to.
    fn reused_by(&mut self, fact: &'a Fact) -> Option<(&'a PhaseName, u32)> {
        match fact {
            Fact::Ruled(ruled) if ruled.ruling == Ruling::Advance => {
                self.is_taken_over = false;
                let is_reviewed = ruled.judgment.approves();
                if is_reviewed {
                    self.rounds.insert(&ruled.phase, ruled.round)
                } else {
                    self.rounds.remove(&ruled.phase)
                };
            }
            Fact::RunRequested(_) => self.is_taken_over = true,
            Fact::ReviewStands { phase, .. } => return self.approval_of(phase),
            Fact::Committed { phase, .. } if self.is_taken_over => return self.approval_of(phase),
            _ => {}
        }
        None
    }

    fn approval_of(&self, phase: &'a PhaseName) -> Option<(&'a PhaseName, u32)> {
        self.rounds.get(phase).map(|round| (phase, *round))
    }
}

fn exchange_of<'a>(run: &'a Run, replied: &Replied) -> Option<&'a Exchange> {
    let phase = run.phase(&replied.phase)?;
    let recorded = phase.history.rounds.iter().filter_map(|round| round.exchange.as_ref());
    let mut all = recorded.chain(&phase.reviews.exchange);
    all.find(|exchange| exchange.reply.as_ref() == Some(replied))
}

fn changed_by<'a>(run: &'a Run, reviewed: &Reviewed) -> Option<&'a ChangedVerdict> {
    let phase = run.phase(&reviewed.phase)?;
    let mut all = phase.history.rounds.iter().flat_map(|round| &round.changed_verdicts);
    all.find(|changed| changed.last == *reviewed)
}

/// Returns the rulings of a run with the limits used, and what was found.
pub fn text(view: &RunView) -> String {
    let run = view.run();
    let mut text = format!("#{}, run {}\n\nLimits used:\n", run.started.issue.number, run.started.run_id);
    for phase in &run.phases {
        let (used, most) = phase.used_of_limit();
        let _ = writeln!(text, "  {:<20} {} {used}/{most}", phase.name().as_str(), phase.def.policy_name);
    }
    text.push_str("\nRulings:\n");
    for (entry, explanation) in explanations(view) {
        let _ = write!(text, "  {:>4}  ", entry.seq);
        match explanation {
            Explanation::Ruling(ruled) => add_ruling(&mut text, ruled, round_of(run, ruled)),
            Explanation::Question(replied, exchange) => {
                let line = plain(&summary::exchange_line(exchange));
                let _ = writeln!(text, "{} round {}: {line}", replied.phase, replied.round);
            }
            Explanation::ChangedVerdict(reviewed, changed) => {
                let line = plain(&VerdictExchange::of(changed).line());
                let _ = writeln!(text, "{} round {}: {line}", reviewed.phase, reviewed.round);
                for finding in &changed.withdrawn {
                    let _ = writeln!(text, "        {}", plain(&summary::withdrawn_line(finding)));
                }
            }
            Explanation::ReusedApproval(phase, round) => {
                let _ = writeln!(text, "{phase}: {}", summary::reused_approval_line(round));
            }
        }
    }
    for phase in &run.phases {
        let questions = summary::review_question_lines(phase);
        if !questions.is_empty() {
            let _ = writeln!(text, "\nQuestions of the checks in {}:", phase.name());
        }
        for line in questions {
            let _ = writeln!(text, "  {}", plain(&line));
        }
        if !phase.ledger.all().is_empty() {
            add_findings(&mut text, phase);
        }
    }
    text
}

/// Returns the round that a ruling closed; nothing for one that closed none.
pub fn round_of<'a>(run: &'a Run, ruled: &Ruled) -> Option<&'a Round> {
    let mut rounds = run.phase(&ruled.phase)?.history.rounds.iter();
    rounds.find(|round| round.n == ruled.round && round.rule == ruled.rule)
}

fn add_ruling(text: &mut String, ruled: &Ruled, round: Option<&Round>) {
    let judgment = json!(ruled.judgment);
    let (judgment, ruling) = (judgment.as_str().unwrap_or_default(), ruled.ruling.word());
    let _ =
        writeln!(text, "{} round {}: {judgment} because {} → {ruling}", ruled.phase, ruled.round, ruled.rule);
    if let Some(standstill) = &ruled.standstill {
        let _ = writeln!(text, "        standstill: {standstill}");
    }
    for line in round.into_iter().flat_map(summary::refusal_lines) {
        let _ = writeln!(text, "        {}", plain(&line));
    }
}

/// Lists everything that was found in a phase, with what became of it and the tasks made of it.
fn add_findings(text: &mut String, phase: &PhaseState) {
    let _ = writeln!(text, "\nFindings of {}:", phase.name());
    for listed in phase.ledger.all() {
        let by: Vec<String> = listed.found_by.iter().map(ToString::to_string).collect();
        let line = summary::finding_line(listed);
        let _ = writeln!(text, "  {}, by {}", plain(&line), plain(&by.join(", ")));
    }
    for task in phase.tasks.all() {
        let findings: Vec<String> = task.findings.iter().map(ToString::to_string).collect();
        let (state, owns) = (engine::state_of(phase, task), task.owns.as_deref().unwrap_or("no file"));
        let tries = if task.tries() == 1 { "1 try".to_owned() } else { format!("{} tries", task.tries()) };
        let (owns, findings) = (plain(owns), findings.join(", "));
        let _ = writeln!(text, "  {} {owns}: {state}, {tries}, for {findings}", task.id);
    }
}

/// Something that two runs do not have in common.
#[derive(Debug, Serialize)]
pub struct RunDifference {
    /// What it is.
    pub what: String,
    /// How it is in the one run.
    pub this: Option<String>,
    /// How it is in the other run.
    pub other: Option<String>,
}

/// Returns what differs between two runs, by name.
pub fn differences(one: &Run, two: &Run) -> Vec<RunDifference> {
    let (one, two) = (traits(one), traits(two));
    let names: BTreeSet<&String> = one.keys().chain(two.keys()).collect();
    let differ = names.into_iter().filter(|name| one.get(*name) != two.get(*name));
    let of = |name: &String| RunDifference {
        what: name.clone(),
        this: one.get(name).cloned(),
        other: two.get(name).cloned(),
    };
    differ.map(of).collect()
}

/// Returns what made a run what it is, by name.
fn traits(run: &Run) -> BTreeMap<String, String> {
    let (started, agreement) = (&run.started, &run.started.agreement);
    let mut traits = BTreeMap::from([
        ("ai-workflow".to_owned(), started.version.clone()),
        ("language".to_owned(), started.language.clone()),
        ("base commit".to_owned(), started.base_commit.clone()),
        ("preset".to_owned(), agreement.preset.clone().unwrap_or_default()),
        ("difficulty".to_owned(), run.difficulty.map(|it| it.as_str().to_owned()).unwrap_or_default()),
        ("limits: times".to_owned(), json_text(&agreement.time)),
        ("limits: budget".to_owned(), json_text(&run.spending.budget)),
        ("limits: budget of call, phase, day".to_owned(), json_text(&run.spending.scopes)),
        ("commands".to_owned(), json_text(&agreement.commands)),
    ]);
    let called = provenance(run);
    traits.extend(called.agents.iter().map(|agent| (format!("program of {}", agent.agent), program(agent))));
    traits.extend(called.prompts.into_iter().map(|(place, digest)| {
        (format!("prompt of {place}"), digest.get(..SHORT).unwrap_or(&digest).to_owned())
    }));
    for PhaseState { def, .. } in &run.phases {
        let rule = format!("{}, at most {} revisions", def.policy_name, def.policy.limits.max_revisions);
        traits.insert(format!("{}: agents", def.name), author_and_reviewers(def));
        traits.insert(format!("{}: policy", def.name), rule);
    }
    traits
}

/// Names the agents of a phase: its author, its reviewer, its second reviewers.
pub fn author_and_reviewers(def: &PhaseDef) -> String {
    let (author, reviewer) = (def.agents.join(", then "), def.reviewers.join(", then "));
    format!("{author}, reviewed by {reviewer}{}", second_reviewers(def))
}

/// Returns the second reviewers of a phase, as text behind its reviewer.
pub fn second_reviewers(def: &PhaseDef) -> String {
    let seat = |seat: &PanelReviewer| match seat.agents.as_slice() {
        [] => seat.name.clone(),
        agents => format!("{} ({})", seat.name, agents.join(", then ")),
    };
    let seats: Vec<String> = def.panel.iter().map(seat).collect();
    if seats.is_empty() { String::new() } else { format!(", with second opinions: {}", seats.join(", ")) }
}

fn program(agent: &AgentProgram) -> String {
    let parts = [&agent.name, &agent.version, &agent.model];
    parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
}

fn json_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
