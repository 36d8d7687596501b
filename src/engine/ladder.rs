//! The ladder of a task that stays open (seed 001, pattern C): the same agent a few times, then the next one of its chain
//! once, then the next, and at the end of the revisions a person. A step that breaks has its own ladder in `redo`.

use std::fmt;

use super::fix_tasks::{FixTask, TaskId};
use super::state::{PhaseState, Run};
use model::event::{Ruled, Ruling};
use model::phase::Step;

/// How often an agent that takes over is given a task before the next one is.
const TRIES_OF_ANOTHER: u32 = 1;

/// A task that stays open, and who gets the revision therefore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Climb {
    task: TaskId,
    from: String,
    to: String,
    turn: usize,
}

impl fmt::Display for Climb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} stays open after {}, {} takes over", self.task, self.from, self.to)
    }
}

impl Run {
    /// Returns who takes over the revision that is ruled, where its author has had its tries.
    pub(super) fn climb(&self, phase: &PhaseState) -> Option<Climb> {
        let most = phase.def.policy.limits.max_tries?;
        let (place, from) = self.usable_from(phase, Step::Revise, phase.turn(Step::Revise))?;
        let (turn, to) = self.usable_from(phase, Step::Revise, place + 1)?;
        let tasks = phase.tasks_to_come();
        let task = tasks.latest().0.into_iter().find(|task| has_had_its_tries(task, &from, most))?.id;
        Some(Climb { task, from, to, turn })
    }

    /// Hands the revision that is ruled to the next agent of the chain, where a task of it stays open.
    pub(super) fn hand_on(&mut self, ruled: &Ruled) {
        if ruled.ruling != Ruling::Revise {
            return;
        }
        let climb = self.phase(&ruled.phase).and_then(|phase| self.climb(phase));
        if let Some(climb) = climb {
            self.phase_mut(&ruled.phase).set_turn(Step::Revise, climb.turn);
        }
    }
}

fn has_had_its_tries(task: &FixTask, agent: &str, most: u32) -> bool {
    let tries = task.tried_by.iter().filter(|by| *by == agent).count();
    let first = task.tried_by.first().is_some_and(|first| first == agent);
    tries >= (if first { most } else { TRIES_OF_ANOTHER }) as usize
}

/// Tells who has tried the tasks that several agents could not solve.
pub(super) fn tries_told(phase: &PhaseState) -> Vec<String> {
    let open = phase.tasks_to_come();
    let (given, later) = open.latest();
    let several = |task: &&FixTask| task.tried_by.iter().any(|by| *by != task.tried_by[0]);
    given.into_iter().chain(later).filter(several).map(told).collect()
}

fn told(task: &FixTask) -> String {
    let owns = task.owns.as_deref().unwrap_or("no file");
    format!("{} {owns}: tried by {}", task.id, task.tried_by.join(", "))
}
