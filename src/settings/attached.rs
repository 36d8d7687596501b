//! What a step of a registry makes of the phase that it is attached to. It adds evidence and never takes any away: the
//! phase keeps its own checks and its review.

use super::registry::{FailureAction, RegistryStep};
use model::policy::{CheckRule, DefinedCheck, Ending, Look, OnFail, OnUnavailable, Policy};

/// The policy whose cycle a step follows.
pub(super) const CYCLE: &str = "completion";

/// Lays a step over the policy of its phase: checked on declaration, up to the first failure, as often as it says.
pub(super) fn attach(step: &RegistryStep, policy: &mut Policy, cycle: &Policy) {
    policy.check_when = cycle.check_when;
    policy.check_mode = cycle.check_mode;
    policy.limits.max_passes = step.max_attempts.or(cycle.limits.max_passes);
    policy.limits.max_revisions =
        step.max_attempts.map_or(cycle.limits.max_revisions, |attempts| attempts.saturating_sub(1));
    policy.outcomes.exhausted = cycle.outcomes.exhausted;
    policy.outcomes.blocked = cycle.outcomes.blocked;
    if step.on_failure == FailureAction::Abort {
        policy.outcomes.blocked = Ending::Fail;
    }
    policy.checks.extend(step.rules());
}

impl RegistryStep {
    /// Returns what the results of its conditions mean.
    pub fn rules(&self) -> Vec<CheckRule> {
        self.checks.iter().map(|(id, check)| rule(id, check, self.on_failure)).collect()
    }
}

/// A tool that is missing ends the phase whatever the step says: no author could repair it.
fn rule(id: &str, check: &DefinedCheck, action: FailureAction) -> CheckRule {
    let on_fail = match (action, check.recoverable) {
        (FailureAction::Abort, _) | (FailureAction::Retry, Some(false)) => OnFail::Stop,
        (FailureAction::Retry, _) => OnFail::Revise,
        (FailureAction::Skip, _) => OnFail::Note,
    };
    CheckRule { id: id.to_owned(), on_fail, on_unavailable: OnUnavailable::Block }
}

/// In a run it is the engine that commits, after the checks: what git lists by then is the work itself. The usual command
/// for "everything is committed" therefore asks whether something lies there that no commit will take.
pub(super) fn in_a_run(check: &DefinedCheck) -> DefinedCheck {
    let lists_all = |run: &str| run.split_whitespace().eq(["git", "status", "--porcelain"]);
    match &check.look {
        Look::Command { run, .. } if lists_all(run) && check.success_when == "empty" => DefinedCheck {
            look: Look::GitClean,
            success_when: String::new(),
            timeout_seconds: None,
            ..check.clone()
        },
        _ => check.clone(),
    }
}
