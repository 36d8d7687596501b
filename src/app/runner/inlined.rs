//! Reads documents for agents that cannot open files by themselves. The prompt limits what of them is shown.

use std::fs::{self, File};
use std::io::Read;

use super::PhaseRunner;
use agents::AgentSpec;
use views::prompt::Inlined;

/// More of one document is in no prompt.
const MOST: u64 = 64 * 1024;

impl PhaseRunner {
    /// Returns the texts of these files when the agent cannot open them; nothing for all others.
    pub(super) fn inlined<'a>(&self, agent: &str, paths: impl IntoIterator<Item = &'a str>) -> Vec<Inlined> {
        if !self.inlines(agent) {
            return Vec::new();
        }
        let texts = paths.into_iter().filter_map(|path| Some((path, self.text_of(path)?)));
        texts.map(|(path, text)| Inlined { path: path.to_owned(), text }).collect()
    }

    /// Tells whether an agent cannot open files.
    pub(super) fn inlines(&self, agent: &str) -> bool {
        let name = match agent.parse() {
            Ok(AgentSpec::Profile { name }) => name,
            Ok(AgentSpec::Claude { .. }) => "claude".to_owned(),
            Ok(AgentSpec::Codex { .. }) => "codex".to_owned(),
            _ => return false,
        };
        self.profiles.get(&name).is_some_and(|profile| profile.inlines)
    }

    /// Reads a plain file; a link that an agent left could lead anywhere.
    fn text_of(&self, path: &str) -> Option<String> {
        let path = self.folder.at(path);
        fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let mut bytes = Vec::new();
        File::open(&path).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}
