//! The judge of the quality criteria as a scripted reviewer.

use model::event::{ExecOutcome, Fact};
use model::phase::Step;
use model::policy::{Policy, ReviewRule};
use model::verdict::{Judgment, Verdict};

use super::policies::{phase, quality_gate};
use super::world::{Review, Script, World, no_answer, states};

/// The policy as an agreement holds it.
pub fn judged() -> Policy {
    Policy { llm_judge: true, review: Some(ReviewRule::of_judge()), ..quality_gate() }
}

pub fn rejects() -> Review {
    states("REJECT", Verdict::Fail, Judgment::Revise)
}

pub fn asks_again() -> Review {
    states("RETRY", Verdict::Fail, Judgment::Redo)
}

/// An answer without a word.
pub fn silent(outcome: ExecOutcome) -> Review {
    Review { outcome, ..no_answer() }
}

pub fn play(reviews: Vec<Review>) -> World {
    World::play(phase("implementation", judged()), Script { reviews, ..Script::default() })
}

pub fn calls(world: &World, step: Step) -> usize {
    world.count(|fact| matches!(fact, Fact::StepStarted(call) if call.step == step))
}
