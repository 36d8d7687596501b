//! `init`: writes `.ai-workflow/config.toml` and the `.gitignore` beside it; for GitHub a workflow, too. Existing files stay
//! unless forced.

mod github;
mod workflow;

use std::fs;
use std::path::Path;

use serde_json::json;

use super::CommandResult;
use super::arguments::{Init, InitPlace};
use super::output::show;
use app::environment::current_folder;
use app::failure::{Failure, FailureKind};
use git::Workspace;
use journal::store::folders::RunFolder;

/// Where the configuration stands.
const CONFIGURATION: &str = ".ai-workflow/config.toml";

/// The commented configuration: our own file is the example.
const EXAMPLE: &str = include_str!("init/example_config.toml");

pub(super) fn run(arguments: &Init) -> CommandResult {
    match &arguments.place {
        Some(InitPlace::Github(arguments)) => github::run(arguments),
        None => here_alone(arguments),
    }
}

fn here_alone(arguments: &Init) -> CommandResult {
    let workspace = Workspace::open(&current_folder()?)?;
    let path = workspace.root().join(CONFIGURATION);
    if path.exists() && !arguments.force {
        return Err(
            Failure::usage(format!("{CONFIGURATION} exists already")).hint("`--force` writes over it")
        );
    }
    configure(workspace.root())?;
    let next = "ai-workflow execute --phase all --issue N";
    show(
        arguments.json,
        &json!({"written": [CONFIGURATION], "next": next}),
        &format!("{CONFIGURATION} is written; look at `agent` and `[commands] test`\nnext: {next}\n"),
    )
}

/// Writes the commented configuration and what belongs to it.
fn configure(root: &Path) -> Result<(), Failure> {
    home(root)?.prepare_home()?;
    fs::write(root.join(CONFIGURATION), EXAMPLE).map_err(|error| {
        Failure::new(FailureKind::State, format!("failed to write {CONFIGURATION}: {error}"))
    })
}

/// Where files of the repository are written; of which issue makes no difference to that.
fn home(root: &Path) -> Result<RunFolder, Failure> {
    let first = 1_u64.try_into().map_err(|error| Failure::new(FailureKind::OurBug, error))?;
    Ok(RunFolder::new(root, first))
}
