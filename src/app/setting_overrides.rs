//! The settings of all layers: the user's file, the repository's files, the environment, and what a request overrides.
//! Reads the files and hands their texts to `settings`, which merges them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::environment::environment;
use crate::failure::{Failure, Result};
use agents::AgentSpec;
use journal::store::folders::HOME;
use model::policy::Seat;
use settings::{Layers, Settings, load};

/// Where the configuration of a repository stands.
pub const CONFIG: &str = "config.toml";
/// The registry of steps of a repository.
pub const STEPS: &str = ".ai-workflow/steps_registry.json";
/// The settings of a review loop of a repository.
pub const REVIEW_LOOP: &str = ".claude/review-loop.json";

/// The settings that one request gives; they count more than files and variables.
#[derive(Debug, Clone, Default)]
pub struct SettingOverrides {
    /// Read instead of the repository's own configuration.
    pub config: Option<PathBuf>,
    /// The author: a comma list that falls back.
    pub agent: Option<String>,
    /// The reviewers, each a comma list.
    pub reviewer: Vec<String>,
    /// The second reviewers, each a comma list.
    pub second_reviewer: Vec<String>,
    /// The language of documents and comments.
    pub language: Option<String>,
    /// The branch to start from and to merge into.
    pub base_branch: Option<String>,
    /// A named list of phases.
    pub preset: Option<String>,
    /// Phases to leave out, a comma list.
    pub skip_phases: Option<String>,
    /// Where the issue lives.
    pub forge: Option<String>,
    /// Work in a linked worktree.
    pub worktree: bool,
    /// When to push the branch.
    pub push: Option<String>,
    /// A pause counts as a failure.
    pub no_wait: bool,
    /// Let the difficulty of the issue choose the models.
    pub auto_model: bool,
    /// Begin a session of its own with every call.
    pub fresh_sessions: bool,
    /// Any other setting, as `KEY=VALUE`.
    pub set: Vec<String>,
}

/// Loads the settings of all layers; outside a repository the repository's file is missing.
pub fn load_settings(overrides: &SettingOverrides, here: &Path, root: Option<&Path>) -> Result<Settings> {
    Ok(load(&layers(overrides, here, root)?)?)
}

/// Reads all layers.
fn layers(overrides: &SettingOverrides, here: &Path, root: Option<&Path>) -> Result<Layers> {
    let repository = match (&overrides.config, root) {
        (Some(file), _) => Some(wanted_file(&here.join(file))?),
        (None, Some(root)) => optional_file(&root.join(HOME).join(CONFIG), root)?,
        (None, None) => None,
    };
    let user = match user_file() {
        Some(file) => optional_file(&file, Path::new("/"))?,
        None => None,
    };
    let environment = environment().collect();
    let beside = |file: &str| root.map_or(Ok(None), |root| optional_file(&root.join(file), root));
    let (steps, review_loop) = (beside(STEPS)?, beside(REVIEW_LOOP)?);
    Ok(Layers { user, repository, steps, review_loop, environment, flags: override_layer(overrides, here)? })
}

fn user_file() -> Option<PathBuf> {
    let home = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = home("XDG_CONFIG_HOME").or_else(|| home("HOME").map(|home| home.join(".config")))?;
    Some(base.join("ai-workflow").join(CONFIG))
}

fn wanted_file(path: &Path) -> Result<(String, String)> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path);
    text.map(|text| (name.clone(), text)).map_err(|error| {
        Failure::usage(format!("failed to read {name}: {error}")).hint(
            "`--config` names an existing file; without it `.ai-workflow/config.toml` is read if it is there",
        )
    })
}

fn optional_file(path: &Path, shown_from: &Path) -> Result<Option<(String, String)>> {
    let name = match path.strip_prefix(shown_from) {
        Ok(below) if shown_from != Path::new("/") => below,
        _ => path,
    };
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some((name.display().to_string(), text))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::usage(format!("failed to read {}: {error}", path.display()))
            .hint("it has to be a readable file in UTF-8; `ai-workflow init --force` writes a new one")),
    }
}

/// Returns the overrides as dotted keys.
fn override_layer(overrides: &SettingOverrides, here: &Path) -> Result<BTreeMap<String, String>> {
    let mut layer = BTreeMap::new();
    for pair in &overrides.set {
        let (key, value) = pair.split_once('=').ok_or_else(|| {
            Failure::usage(format!("`--set {pair}` is not KEY=VALUE"))
                .hint("for example `--set budget.usd=5`")
        })?;
        layer.insert(key.trim().to_owned(), value.to_owned());
    }
    let mut put = |key: &str, value: Option<String>| value.map(|value| layer.insert(key.to_owned(), value));
    put("agent", overrides.agent.as_deref().map(|chain| seen_from(chain, here)));
    put("reviewer", (!overrides.reviewer.is_empty()).then(|| seen_from(&overrides.reviewer.join(","), here)));
    put("panel", as_setting(&second_reviewers(overrides, here)?));
    put("language", overrides.language.clone());
    put("base_branch", overrides.base_branch.clone());
    put("preset", overrides.preset.clone());
    put("skip_phases", overrides.skip_phases.clone());
    put("forge", overrides.forge.clone());
    put("push", overrides.push.clone());
    put("worktree", overrides.worktree.then(|| "true".to_owned()));
    put("auto_model", overrides.auto_model.then(|| "true".to_owned()));
    put("fresh_sessions", overrides.fresh_sessions.then(|| "true".to_owned()));
    put("no_wait", overrides.no_wait.then(|| "true".to_owned()));
    Ok(layer)
}

/// Paths on the command line are meant from where the user stands.
pub fn seen_from(chain: &str, here: &Path) -> String {
    let specs = chain.split(',').map(|text| match text.trim().parse::<AgentSpec>() {
        Ok(spec) => spec.seen_from(here).to_string(),
        Err(_) => text.trim().to_owned(),
    });
    specs.collect::<Vec<_>>().join(",")
}

/// Returns the seats that the request asks for, one each.
pub fn second_reviewers(overrides: &SettingOverrides, here: &Path) -> Result<Vec<Seat>> {
    let mut seats = Vec::new();
    for (index, spec) in overrides.second_reviewer.iter().enumerate() {
        let agents: Vec<String> =
            seen_from(spec, here).split(',').filter(|agent| !agent.is_empty()).map(str::to_owned).collect();
        if agents.is_empty() {
            return Err(Failure::usage("`--second-reviewer` names nobody")
                .hint("for example `--second-reviewer codex`"));
        }
        let name = if index == 0 { "second".to_owned() } else { format!("second-{}", index + 1) };
        seats.push(Seat { name, agents, ..Seat::default() });
    }
    Ok(seats)
}

/// Returns seats as the text of the setting `panel`.
fn as_setting(seats: &[Seat]) -> Option<String> {
    let table = |seat: &Seat| {
        let agents: Vec<Value> = seat.agents.iter().map(|agent| Value::from(agent.as_str())).collect();
        let pairs = [("name", Value::from(seat.name.as_str())), ("agents", Value::from(agents))];
        Value::from(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Table>())
    };
    let panel: Vec<Value> = seats.iter().map(table).collect();
    (!panel.is_empty()).then(|| Value::from(panel).to_string())
}
