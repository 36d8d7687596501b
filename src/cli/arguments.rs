//! The command line as a person types it. Names, defaults and help texts; no behaviour.

#![expect(clippy::struct_excessive_bools, reason = "each is a flag that a person gives or leaves out")]

mod inspect;
mod runs;

use std::path::PathBuf;

use clap::{ArgMatches, Args, Parser, Subcommand};

pub use inspect::{
    Check, CommonFlags, Completions, Config, ConfigCommand, Demo, Explain, Findings, FindingsFormat, Init,
    InitGithub, InitPlace, ParseReview, Replay, ReplayFormat, Status, Validate,
};
pub use runs::{
    Apply, Cleanup, DocReview, Event, EventSource, Execute, Finalize, OneIssue, PrFeedback, Resume, Rollback,
    RollbackStep,
};

/// GitHub issue in, reviewed pull request out, without ever taking the agent's word for it.
#[derive(Debug, Parser)]
#[command(name = "ai-workflow", bin_name = "ai-workflow", version, propagate_version = true)]
#[command(after_help = include_str!("arguments/help/ai-workflow.txt"))]
pub struct Arguments {
    /// What is to be done.
    #[command(subcommand)]
    pub command: Command,
}

/// A command of the program with its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write `.ai-workflow/config.toml` and what else a repository needs
    Init(Init),
    /// Take an issue through its phases; begins, resumes or goes on, whatever there is to do
    Execute(Execute),
    /// Show where a run stands; works while it runs
    Status(Status),
    /// Review the documents of a run before code is written: one round, or with `--autofix` until nothing is left
    DocReview(DocReview),
    /// Answer the question of a paused run and go on
    Resume(Resume),
    /// End a run for good; asks the process that holds it to stop
    Cancel(OneIssue),
    /// Open a phase again, with a reason that stands on top of its next prompt
    Rollback(Rollback),
    /// Take up what reviewers of the pull request asked for: revise, push, answer each thread once
    PrFeedback(PrFeedback),
    /// Make the branch of a completed run ready: remove the run's files, squash, mark the pull request ready
    Finalize(Finalize),
    /// Do what an event of GitHub asks for: a label, a comment with a command, a dispatch
    Event(Event),
    /// Publish what `event --bundle` handed over, after judging all of it; asks no agent
    Apply(Apply),
    /// Remove a run: its branch, its worktree, its files
    Cleanup(Cleanup),
    /// List the presets and their phases
    ListPresets(CommonFlags),
    /// List the phases with their policy, limits and needs
    Phases(CommonFlags),
    /// Judge the working tree, and an agent's answer, by the checks of a run; needs no run
    Check(Check),
    /// Read a verdict out of a review, the way a run does
    ParseReview(ParseReview),
    /// Tell what reviewers and checks found and what is open, for people, scripts or code scanners (SARIF)
    Findings(Findings),
    /// Tell which rule led to each ruling of a run, or what differs between two runs
    Explain(Explain),
    /// Fold the log of a run again and show every fact
    Replay(Replay),
    /// Make a small project with a bug and take its issue through all phases
    Demo(Demo),
    /// Show or check the configuration
    Config(Config),
    /// Check what a run would need on this machine
    Doctor(CommonFlags),
    /// Run the conditions of a step of `.ai-workflow/steps_registry.json` and show the retry prompt
    Validate(Validate),
    /// Print a completion script for a shell
    Completions(Completions),
}

impl Command {
    /// Tells whether it takes a run further, so that a job wants to know how that ended.
    pub fn drives(&self) -> bool {
        matches!(
            self,
            Self::Execute(_) | Self::Resume(_) | Self::DocReview(_) | Self::Event(_) | Self::Apply(_)
        )
    }
}

/// Tells whether a JSON document is wanted on stdout.
pub fn wants_json(matches: &ArgMatches) -> bool {
    if let Some((_, of_command)) = matches.subcommand() {
        return wants_json(of_command);
    }
    let format = matches.try_get_one::<FindingsFormat>("format");
    matches!(matches.try_get_one("json"), Ok(Some(true)))
        || matches!(format, Ok(Some(FindingsFormat::Json | FindingsFormat::Sarif)))
}

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
