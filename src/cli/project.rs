//! Opens the repository for a command.

use crate::arguments::SettingFlags;
use app::failure::Failure;
use app::project::{Project, SettingOverrides};

/// Opens the repository and loads the settings.
pub(crate) fn open(flags: &SettingFlags) -> Result<Project, Failure> {
    Project::open(flags.overrides())
}

impl SettingFlags {
    /// Returns what the flags say about settings.
    pub(crate) fn overrides(&self) -> SettingOverrides {
        let flags = self.clone();
        let mut set = flags.set;
        let given = [("forge", flags.forge), ("push", flags.push)];
        set.extend(given.into_iter().filter_map(|(key, value)| Some(format!("{key}={}", value?))));
        let switches =
            [("worktree", flags.worktree), ("auto_model", flags.auto_model), ("no_wait", flags.no_wait)];
        set.extend(switches.iter().filter(|(_, on)| *on).map(|(key, _)| format!("{key}=true")));
        SettingOverrides {
            config: flags.config,
            agent: flags.agent,
            reviewer: flags.reviewer,
            second_reviewer: flags.second_reviewer,
            language: flags.language,
            base_branch: flags.base_branch,
            preset: flags.preset,
            skip_phases: flags.skip_phases,
            fresh_sessions: flags.fresh_sessions,
            set,
        }
    }
}
