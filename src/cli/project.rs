//! Opens the repository for a command.

use crate::arguments::SettingFlags;
use app::failure::Failure;
use app::project::Project;
use app::setting_overrides::SettingOverrides;

/// Opens the repository and loads the settings.
pub(crate) fn open(flags: &SettingFlags) -> Result<Project, Failure> {
    open_with(flags.overrides())
}

/// Opens the repository and loads the settings with these overrides.
pub(crate) fn open_with(overrides: SettingOverrides) -> Result<Project, Failure> {
    Project::open(overrides, command_line())
}

/// Opens the repository for looking at runs or ending them, without its settings.
pub(crate) fn open_without_settings() -> Result<Project, Failure> {
    Project::open_without_settings(command_line())
}

fn command_line() -> String {
    let words: Vec<String> = std::env::args().collect();
    words.join(" ")
}

impl SettingFlags {
    /// Returns what the flags say about settings.
    pub(crate) fn overrides(&self) -> SettingOverrides {
        let flags = self.clone();
        SettingOverrides {
            config: flags.config,
            agent: flags.agent,
            reviewer: flags.reviewer,
            second_reviewer: flags.second_reviewer,
            language: flags.language,
            base_branch: flags.base_branch,
            preset: flags.preset,
            skip_phases: flags.skip_phases,
            forge: flags.forge,
            worktree: flags.worktree,
            push: flags.push,
            no_wait: flags.no_wait,
            auto_model: flags.auto_model,
            fresh_sessions: flags.fresh_sessions,
            set: flags.set,
        }
    }
}
