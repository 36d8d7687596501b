//! The agents that a run may call: how each one is started, which templates its prompts come from, and which documents have
//! to stand in a prompt, because the agent cannot open files by itself. The prompt limits what of them is shown.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;

use crate::error::{Result, RunError};
use agents::{AgentSpec, Profiles};
use journal::store::folders::RunFolder;
use views::prompt::Inlined;

/// More of one document is in no prompt.
const LONGEST_INLINED: u64 = 64 * 1024;

/// The agent programs and prompt templates of a run.
pub struct AgentContext {
    /// How programs are called, by name.
    pub profiles: Profiles,
    /// Prompt templates of the repository, by path below `prompts/`.
    pub prompts: BTreeMap<String, String>,
    /// The checkout that the run was started from; the worktree may be another one.
    pub checkout: PathBuf,
}

impl AgentContext {
    /// Paths in a spec are relative to the checkout the run was started from.
    pub(super) fn spec(&self, text: &str) -> Result<AgentSpec> {
        let spec: AgentSpec = text.parse().map_err(|error| RunError::Bug(format!("{error}")))?;
        Ok(spec.seen_from(&self.checkout))
    }

    /// Returns the texts of these files when the agent cannot open them; nothing for all others.
    pub(super) fn inlined(&self, folder: &RunFolder, agent: &str, paths: &[&str]) -> Vec<Inlined> {
        if !self.inlines(agent) {
            return Vec::new();
        }
        let inlined =
            |path: &&str| Some(Inlined { path: (*path).to_owned(), text: read_document(folder, path)? });
        paths.iter().filter_map(inlined).collect()
    }

    /// Tells whether an agent cannot open files.
    pub(super) fn inlines(&self, agent: &str) -> bool {
        let name = match agent.parse() {
            Ok(AgentSpec::Profile(name)) => name,
            Ok(AgentSpec::Claude(_)) => "claude".to_owned(),
            Ok(AgentSpec::Codex(_)) => "codex".to_owned(),
            _ => return false,
        };
        self.profiles.get(&name).is_some_and(|profile| profile.reads_files == Some(false))
    }
}

/// Reads a plain file; a link that an agent left could lead anywhere.
fn read_document(folder: &RunFolder, path: &str) -> Option<String> {
    let path = folder.at(path);
    fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    File::open(&path).ok()?.take(LONGEST_INLINED).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
