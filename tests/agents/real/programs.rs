//! Where the real programs are. They are installed by npm; whoever asks for these tests without them is told loudly.

use std::fs;
use std::path::{Path, PathBuf};

/// Set where the programs have to be there: a test that would be skipped fails.
const REQUIRED: &str = "AI_WORKFLOW_REAL_REQUIRED";

/// Returns the program of Claude Code.
pub fn claude() -> Option<PathBuf> {
    let found = below("@anthropic-ai", "claude-code-").map(|folder| folder.join("claude"));
    told("claude", found.into_iter().find(|file| file.is_file()))
}

/// Returns the program of Codex: the native one, whose wrapper would leave it alive when it is killed.
pub fn codex() -> Option<PathBuf> {
    let vendors = below("@openai", "codex-").map(|folder| folder.join("vendor"));
    let found = vendors.flat_map(|vendor| entries(&vendor)).map(|target| target.join("bin/codex"));
    told("codex", found.into_iter().find(|file| file.is_file()))
}

/// Returns the adapter that speaks the Agent Client Protocol for Claude Code, a script for node.
pub fn claude_adapter() -> Option<PathBuf> {
    let script = installed().join("@agentclientprotocol/claude-agent-acp/dist/index.js");
    told("claude-agent-acp", Some(script).filter(|file| file.is_file()))
}

fn installed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/node_modules")
}

/// Returns the packages of a scope whose names begin so: those of other machines are not installed.
fn below(scope: &str, start: &'static str) -> impl Iterator<Item = PathBuf> {
    let named =
        move |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start));
    entries(&installed().join(scope)).into_iter().filter(named)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

fn told(name: &str, found: Option<PathBuf>) -> Option<PathBuf> {
    if found.is_none() {
        let text = format!("the real {name} is not installed: run `npm ci --prefix tests/agents`");
        assert!(std::env::var_os(REQUIRED).is_none(), "{text}");
        eprintln!("SKIPPED: {text}");
    }
    found
}
