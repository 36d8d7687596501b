//! `init`: writes `.ai-workflow/config.toml` and the `.gitignore` beside it. Existing files stay unless forced.

use std::fs;

use serde_json::json;

use super::Answer;
use super::arguments::Init;
use super::door::here;
use super::failure::{Failure, Kind};
use super::show::show;
use crate::store::folders::{HOME, RunFolder};
use crate::workspace::Workspace;

/// The commented configuration: our own file is the example.
const EXAMPLE: &str = include_str!("../../.ai-workflow/config.toml");

pub(super) fn run(arguments: &Init) -> Answer {
    let workspace = Workspace::open(&here()?)?;
    let path = workspace.root().join(HOME).join("config.toml");
    if path.exists() && !arguments.force {
        return Err(
            Failure::usage(format!("{HOME}/config.toml exists already")).hint("`--force` writes over it")
        );
    }
    let first = 1_u64.try_into().map_err(|error| Failure::new(Kind::OurBug, error))?;
    RunFolder::new(workspace.root(), first).prepare_home()?;
    fs::write(&path, EXAMPLE)
        .map_err(|error| Failure::new(Kind::State, format!("failed to write {HOME}/config.toml: {error}")))?;
    let next = "ai-workflow execute --phase all --issue N";
    show(
        arguments.json,
        &json!({"written": [format!("{HOME}/config.toml")], "next": next}),
        &format!("{HOME}/config.toml is written; look at `agent` and `[commands] test`\nnext: {next}\n"),
    );
    Ok(0)
}
