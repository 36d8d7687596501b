//! What `execute` would do: what it would begin, or with what it would go on. Calls no agent, writes nothing, and refuses what
//! `execute` would refuse.

use crate::begin::{RunPlan, plan};
use crate::execute::refuse;
use crate::failure::Result;
use crate::project::Project;
use crate::run_location::{RunLocation, RunView, locate, view};
use crate::run_request::ExecuteRequest;
use journal::store::common_dir::FinalizedRun;
use model::policy::PhaseDef;

/// What `execute` would find.
pub enum DryRun {
    /// The run is over and its log is gone.
    Finalized(FinalizedRun),
    /// The run has begun.
    Begun(Box<RunView>),
    /// A run would begin.
    New(Box<RunPlan>),
}

/// Returns what `execute` would do.
pub fn dry_run(project: &Project, request: &ExecuteRequest) -> Result<DryRun> {
    Ok(match locate(project, request.issue)? {
        RunLocation::Finalized(record) => DryRun::Finalized(record),
        RunLocation::Worktree(_) | RunLocation::OnBranch(_) => {
            let view = view(project, request.issue)?;
            refuse(project, view.run(), request)?;
            DryRun::Begun(Box::new(view))
        }
        RunLocation::LogRemoved(_) | RunLocation::Missing => DryRun::New(Box::new(plan(project, request)?)),
    })
}

impl RunPlan {
    /// Returns why a phase is left out, if it is.
    pub fn skip_reason(&self, phase: &PhaseDef) -> Option<&str> {
        self.skipped.iter().find(|(name, _)| *name == phase.name).map(|(_, why)| why.as_str())
    }

    /// Returns how many agent calls the run makes at best and at worst, redos of broken calls apart.
    pub fn calls(&self) -> (u32, u32) {
        let phases = self.started.agreement.phases.iter().filter(|phase| self.skip_reason(phase).is_none());
        phases
            .fold((0, 0), |(best, worst), phase| (best + calls_at_best(phase), worst + calls_at_worst(phase)))
    }
}

/// Returns how many agent calls a phase makes when its first review passes.
pub fn calls_at_best(phase: &PhaseDef) -> u32 {
    let seats = u32::try_from(phase.panel.len()).unwrap_or(u32::MAX);
    1 + if phase.policy.review.is_some() { 1 + seats } else { 0 }
}

/// Returns how many agent calls a phase makes when it uses all its revisions.
pub fn calls_at_worst(phase: &PhaseDef) -> u32 {
    let most = phase.policy.limits.max_revisions;
    if phase.policy.triage { 2 * most } else { calls_at_best(phase) * (most + 1) }
}
