//! The arguments of `init`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Init {
    #[command(subcommand)]
    pub place: Option<InitPlace>,
    /// Write over an existing configuration
    #[arg(long)]
    pub force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

impl Init {
    /// Tells whether a JSON document is wanted on stdout.
    pub fn json(&self) -> bool {
        match &self.place {
            Some(InitPlace::Github(github)) => github.json,
            None => self.json,
        }
    }
}

/// Where runs are to happen besides this machine.
#[derive(Debug, Subcommand)]
pub enum InitPlace {
    /// Write a workflow that runs ai-workflow on GitHub, and make its labels
    Github(InitGithub),
}

#[derive(Debug, Args)]
pub struct InitGithub {
    /// The action that the workflow uses, pinned by its commit; without it the one that this program was built for
    #[arg(long, value_name = "OWNER/NAME@COMMIT")]
    pub action: Option<String>,
    /// Keep the agents in a job that can only read; another job judges and publishes what they made
    #[arg(long)]
    pub two_job: bool,
    /// Write over an existing workflow
    #[arg(long)]
    pub force: bool,
    /// Only show what would happen
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
