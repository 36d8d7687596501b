//! The flags that are settings: each can stand in a file or a variable, too.

use std::path::PathBuf;

use clap::Args;

/// Settings that can stand in a file, a variable or here; here they win.
#[derive(Debug, Clone, Default, Args)]
pub struct SettingFlags {
    /// Read this file instead of `.ai-workflow/config.toml`
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub config: Option<PathBuf>,
    /// The author: claude[:MODEL], codex[:MODEL], command:PATH, scripted:FILE, auto, ...; a comma list falls back
    #[arg(long, value_name = "SPEC", help_heading = "Settings")]
    pub agent: Option<String>,
    /// The reviewer, in the same words; without it one that fits the author
    #[arg(long, value_name = "SPEC", help_heading = "Settings")]
    pub reviewer: Vec<String>,
    /// A second reviewer, in the same words, whose opinion only tightens; may be given several times
    #[arg(long, value_name = "SPEC", help_heading = "Settings")]
    pub second_reviewer: Vec<String>,
    /// The language of documents and comments, such as en or ja
    #[arg(long, value_name = "CODE", help_heading = "Settings")]
    pub language: Option<String>,
    /// The branch to start from and to merge into
    #[arg(long, value_name = "BRANCH", help_heading = "Settings")]
    pub base_branch: Option<String>,
    /// Run a named list of phases only; `list-presets` shows them
    #[arg(long, value_name = "NAME", help_heading = "Settings")]
    pub preset: Option<String>,
    /// Leave these phases out
    #[arg(long, value_name = "A,B", help_heading = "Settings")]
    pub skip_phases: Option<String>,
    /// Where the issue lives: github or local
    #[arg(long, value_name = "FORGE", help_heading = "Settings")]
    pub forge: Option<String>,
    /// Work in a linked worktree and leave the checkout alone
    #[arg(long, help_heading = "Settings")]
    pub worktree: bool,
    /// When to push the branch: never, halt or phase
    #[arg(long, value_name = "WHEN", help_heading = "Settings")]
    pub push: Option<String>,
    /// Exit with 1 instead of 3 where a person would be asked
    #[arg(long, help_heading = "Settings")]
    pub no_wait: bool,
    /// Assess the difficulty first and let it choose the models of agents named without one
    #[arg(long, help_heading = "Settings")]
    pub auto_model: bool,
    /// Begin a session of its own with every call
    #[arg(long, help_heading = "Settings")]
    pub fresh_sessions: bool,
    /// Any other setting by its dotted key, such as budget.usd=5; may be given several times
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Settings")]
    pub set: Vec<String>,
}
