//! What authors tell those that come after them (seed 001, pattern D): a new helper, a constraint, a changed interface. Kept
//! as it was said, for the prompts of later authors; nothing else follows from it, and a reviewer never sees it.

use super::state::{PhaseState, Run};
use model::event::Worked;
use model::phase::PhaseName;

/// More than so many are not kept.
const MOST: usize = 20;
/// The longest notice, in characters.
const LONGEST: usize = 300;

/// What an author told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub phase: PhaseName,
    pub agent: String,
    pub text: String,
}

impl Run {
    /// Keeps what an author told, the newest first. The same once more is only newer.
    pub(super) fn keep_notices(&mut self, worked: &Worked) {
        if !worked.ended.outcome.ended() {
            return;
        }
        let Some(agent) = self.phase(&worked.phase).map(|phase| phase.calls.last_agent.clone()) else {
            return;
        };
        for text in worked.claim.iter().flat_map(|claim| claim.notices.iter().rev()) {
            let text = shortened(text);
            self.notices.retain(|known| known.text != text);
            let notice = Notice { phase: worked.phase.clone(), agent: agent.clone(), text };
            self.notices.insert(0, notice);
        }
        self.notices.retain(|known| !known.text.is_empty());
        self.notices.truncate(MOST);
    }

    /// Returns what a call of an author is told: all but what it said itself in the session that goes on.
    pub fn notices_for(&self, phase: &PhaseState, agent: &str, resumes: bool) -> Vec<&Notice> {
        let own = |notice: &Notice| resumes && notice.phase == *phase.name() && notice.agent == agent;
        self.notices.iter().filter(|notice| !own(notice)).collect()
    }
}

/// One line, not too long.
fn shortened(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(LONGEST).collect()
}
