//! What an author's own word leads to. Its "complete" is never believed; that it is not finished always is: it only costs
//! itself a revision. An author that is blocked is asked once more with its own words, then a person is asked.

use super::judge::Judged;
use super::state::PhaseState;
use model::event::{Claim, ClaimStatus, Worked};
use model::finding::{Disposition, Finding, Severity};
use model::policy::CheckWhen;
use model::verdict::Judgment;

/// How often in a row an author may say that it is blocked before it is believed to be.
const MOST_BLOCKED: u32 = 2;
/// The most characters of an author's words in a ruling.
const LONGEST_WORDS: usize = 160;

impl PhaseState {
    /// Tells whether the author says of its latest work that it is not finished.
    pub(super) fn declared_unfinished(&self) -> bool {
        self.unfinished().is_some()
    }

    /// Tells whether the author's word alone leads to a ruling: the policy runs its checks on a declaration.
    pub(super) fn sent_on_unchecked(&self) -> bool {
        self.def.policy.check_when == CheckWhen::OnDeclaration && self.declared_unfinished()
    }

    /// Returns what the author's own word demands; nothing when it does not say that it is unfinished.
    pub(super) fn unfinished_judgment(&self) -> Option<Judged> {
        let claim = self.unfinished()?;
        let words = words(claim);
        Some(match claim.status {
            ClaimStatus::Blocked if self.counters.blocked >= MOST_BLOCKED => {
                (Judgment::Block, format!("the author says again that it is blocked{words}"))
            }
            ClaimStatus::Blocked => (Judgment::Revise, format!("the author says that it is blocked{words}")),
            ClaimStatus::Incomplete | ClaimStatus::Completed => {
                (Judgment::Revise, format!("the author says that it is not finished{words}"))
            }
        })
    }

    /// Returns what an author reads that said it was not finished.
    pub(super) fn unfinished_hint(&self) -> Option<String> {
        let claim = self.unfinished()?;
        let words = claim.summary.trim();
        Some(match claim.status {
            ClaimStatus::Blocked => {
                format!(
                    "You said that you are blocked. Find another way, or say what a person has to do. {words}"
                )
            }
            ClaimStatus::Incomplete | ClaimStatus::Completed => {
                format!("You said yourself that it is not finished. Finish what is missing. {words}")
            }
        })
    }

    /// Returns the finding that the author declared what our checks refute: on record for people, asks for nothing itself.
    pub(super) fn false_claim(&self) -> Option<Finding> {
        let claim = self.evidence.work.as_ref()?.claim.as_ref()?;
        let failed: Vec<&str> = self.failed_checks().map(|result| result.check.as_str()).collect();
        let refuted = claim.status == ClaimStatus::Completed && !failed.is_empty();
        refuted.then(|| Finding {
            severity: Severity::Minor,
            category: "early_termination".into(),
            file: None,
            line: None,
            issue: format!(
                "the author says that it is complete, and these checks failed: {}",
                failed.join(", ")
            ),
            suggestion: None,
            auto_fixable: false,
            disposition: Disposition::Open,
            in_scope: true,
        })
    }

    /// Counts how often in a row the author was blocked.
    pub(super) fn count_blocked(&mut self, worked: &Worked) {
        let blocked = worked.claim.as_ref().is_some_and(|claim| claim.status == ClaimStatus::Blocked);
        self.counters.blocked = if blocked { self.counters.blocked + 1 } else { 0 };
    }

    fn unfinished(&self) -> Option<&Claim> {
        let claim = self.evidence.work.as_ref()?.claim.as_ref()?;
        (claim.status != ClaimStatus::Completed).then_some(claim)
    }
}

/// Returns the author's words on one line, after a colon.
fn words(claim: &Claim) -> String {
    let line = claim.summary.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = line.chars().take(LONGEST_WORDS).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    if short.is_empty() { short } else { format!(": {short}") }
}
