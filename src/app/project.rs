//! The repository that a use case works with, and what it needs of the process it runs in: folder, environment, settings,
//! secrets. They are read here once; everything behind is handed a [`Project`]. The settings come from the user's file, the
//! repository's files, the environment, and what a request overrides; `settings` merges the texts of all these layers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::environment::{command_line, current_folder, environment, remember, user_name};
use crate::failure::{Failure, Result};
use crate::lost_repository::open_failure;
use agents::AgentSpec;
use git::Workspace;
use git::regular_file::read_text;
use journal::store::folders::HOME;
use model::issue::IssueSnapshot;
use model::policy::{PanelReviewer, RetryPromptPath};
use model::redact::{Masker, SHORTEST_SECRET, is_secret_name};
use runner::JobRole;
use settings::{ConfigTexts, Settings, load};
use views::prompt::{is_retry, retry_folder};

/// Where the configuration of a repository stands.
pub(crate) const CONFIG: &str = "config.toml";
/// The registry of steps of a repository.
pub(crate) const STEPS: &str = ".ai-workflow/steps_registry.json";
/// The settings of a review loop of a repository.
pub(crate) const REVIEW_LOOP: &str = ".claude/review-loop.json";

/// The repository that a use case works with, its settings, and who asks.
pub struct Project {
    /// The folder the user stands in.
    pub here: PathBuf,
    /// The checkout that holds that folder.
    pub workspace: Workspace,
    /// The settings that are given now; they count more than files and variables.
    pub overrides: SettingOverrides,
    /// The settings in force.
    pub settings: Settings,
    /// Masks the secrets of the settings and of the environment.
    pub masker: Masker,
    /// Who asks for this: the person at the keyboard, or whom an event names.
    pub person: String,
    /// The issue as it was at the event that asks for this, if one does.
    pub as_of: Option<IssueSnapshot>,
    /// The part of a run that this process does.
    pub role: JobRole,
    /// How this process was called, for those who find its locks.
    pub command_line: String,
}

impl Project {
    /// Opens the repository that holds the current folder, and loads the settings.
    pub fn open(overrides: SettingOverrides) -> Result<Self> {
        let project = Self::open_without_settings()?;
        let settings = load_settings(&overrides, &project.here, Some(project.root()))?;
        let masker = Masker::new(secrets(&settings));
        remember(&masker);
        Ok(Self { overrides, settings, masker, ..project })
    }

    /// Opens the repository for looking at runs or ending them: no settings are needed, so none can be in the way.
    pub fn open_without_settings() -> Result<Self> {
        let here = current_folder()?;
        Ok(Self {
            workspace: Workspace::open(&here).map_err(|error| open_failure(&here, error))?,
            here,
            overrides: SettingOverrides::default(),
            settings: load(&ConfigTexts::default())?,
            masker: Masker::from_environment(environment()),
            person: user_name(),
            as_of: None,
            role: JobRole::Both,
            command_line: command_line(),
        })
    }

    /// Warns of secrets that are too short to be masked by value.
    pub fn warn_of_short_secrets(&self) {
        let short =
            secrets(&self.settings).filter(|(_, value)| (1..SHORTEST_SECRET).contains(&value.trim().len()));
        for (name, _) in short {
            tracing::warn!(
                "W_SHORT_SECRET: the value of {name} has fewer than {SHORTEST_SECRET} characters and cannot be masked"
            );
        }
    }

    /// Returns the top of the checkout the user stands in.
    pub fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// Opens a worktree of the repository, which may be the checkout the user stands in.
    pub(crate) fn open_worktree(&self, root: &Path) -> Result<Workspace> {
        if root == self.root() { Ok(self.workspace.clone()) } else { Ok(Workspace::open(root)?) }
    }

    /// Returns an agent as it is pinned: a path inside the checkout is relative, so that the log names no machine.
    pub(crate) fn relative_spec(&self, spec: &str) -> String {
        let prefix = format!("{}/", self.root().display());
        spec.replacen(&prefix, "", 1)
    }

    /// Returns the prompt templates that the repository brings, by path below `prompts/`.
    pub(crate) fn prompts(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        collect_texts(&self.root().join(HOME).join("prompts"), "", &mut found);
        found
    }

    /// Returns the templates that fill what authors read: the repository's own, and the retry texts of steps of a registry.
    /// Other files beside those texts are prompts of other programs, and none of ours.
    pub(crate) fn templates<'a>(
        &self,
        steps: impl IntoIterator<Item = &'a RetryPromptPath>,
    ) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        for folder in steps.into_iter().map(retry_folder) {
            collect_texts(&self.root().join(&folder), &format!("{folder}/"), &mut found);
        }
        found.retain(|path, _| is_retry(path));
        found.extend(self.prompts());
        found
    }

    /// Returns the retry prompts that stand where the registry of steps says, by path below the top of the repository.
    pub(crate) fn step_prompts(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        if let Some(registry) = self.settings.registry() {
            collect_texts(&self.root().join(&registry.base), &format!("{}/", registry.base), &mut found);
        }
        found
    }
}

/// Returns everything that by its name is a secret, of our variables and of those that agents are given by settings,
/// and the keys of agents, whatever their variables are called.
fn secrets(settings: &Settings) -> impl Iterator<Item = (String, String)> {
    let keys: Vec<&str> = settings.agents.values().filter_map(|agent| agent.api_key_env.as_deref()).collect();
    let given = settings.agents.values().flat_map(|agent| agent.env.clone());
    let is_secret = move |name: &str| is_secret_name(name) || keys.contains(&name);
    environment().chain(given).filter(move |(name, _)| is_secret(name))
}

/// Returns the top of the repository the user stands in, if there is one.
pub fn repository_root(here: &Path) -> Option<PathBuf> {
    Workspace::open(here).ok().map(|workspace| workspace.root().to_owned())
}

/// Refuses a prompt of the repository that cannot be read: ours would be used in its place, and nobody would see why.
pub(crate) fn refuse_unreadable_prompts(project: &Project) -> Result<()> {
    refuse_unreadable(&project.root().join(HOME).join("prompts"), &format!("{HOME}/prompts"))
}

fn refuse_unreadable(folder: &Path, shown: &str) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), format!("{shown}/{}", entry.file_name().to_string_lossy()));
        let is_prompt = path.extension().is_some_and(|ending| ending == "md");
        if path.is_dir() {
            refuse_unreadable(&path, &name)?;
        } else if let (true, Err(error)) = (is_prompt, read_text(&path)) {
            return Err(Failure::usage(format!("failed to read {name}: {error}"))
                .hint("a prompt is a readable file in UTF-8; without it ours is used"));
        }
    }
    Ok(())
}

fn collect_texts(folder: &Path, below: &str, found: &mut BTreeMap<String, String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        if path.is_dir() {
            collect_texts(&path, &format!("{name}/"), found);
        } else if let Ok(text) = read_text(&path) {
            found.insert(name, text);
        }
    }
}

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
fn layers(overrides: &SettingOverrides, here: &Path, root: Option<&Path>) -> Result<ConfigTexts> {
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
    Ok(ConfigTexts {
        user,
        repository,
        steps,
        review_loop,
        environment,
        flags: override_layer(overrides, here)?,
    })
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
    match read_text(path) {
        Ok(text) => Ok(Some((name.display().to_string(), text))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let failure = Failure::usage(format!("failed to read {}: {error}", path.display()));
            Err(failure.hint(if path.is_file() {
                "it has to be a readable file in UTF-8; `ai-workflow init --force` writes a new one"
                    .to_owned()
            } else {
                format!(
                    "move it away with `mv {0} {0}.damaged`; without it the settings are ours",
                    path.display()
                )
            }))
        }
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
    put("fresh_sessions", overrides.fresh_sessions.then(|| "true".to_owned()));
    Ok(layer)
}

/// Paths on the command line are meant from where the user stands.
pub(crate) fn seen_from(chain: &str, here: &Path) -> String {
    let specs = chain.split(',').map(|text| match text.trim().parse::<AgentSpec>() {
        Ok(spec) => spec.resolve_from(here).to_string(),
        Err(_) => text.trim().to_owned(),
    });
    specs.collect::<Vec<_>>().join(",")
}

/// Returns the seats that the request asks for, one each.
pub(crate) fn second_reviewers(overrides: &SettingOverrides, here: &Path) -> Result<Vec<PanelReviewer>> {
    let mut seats = Vec::new();
    for (index, spec) in overrides.second_reviewer.iter().enumerate() {
        let agents: Vec<String> =
            seen_from(spec, here).split(',').filter(|agent| !agent.is_empty()).map(str::to_owned).collect();
        if agents.is_empty() {
            return Err(Failure::usage("`--second-reviewer` names nobody")
                .hint("for example `--second-reviewer codex`"));
        }
        let name = if index == 0 { "second".to_owned() } else { format!("second-{}", index + 1) };
        seats.push(PanelReviewer { name, agents, ..PanelReviewer::default() });
    }
    Ok(seats)
}

/// Returns seats as the text of the setting `panel`.
fn as_setting(seats: &[PanelReviewer]) -> Option<String> {
    let table = |seat: &PanelReviewer| {
        let agents: Vec<Value> = seat.agents.iter().map(|agent| Value::from(agent.as_str())).collect();
        let pairs = [("name", Value::from(seat.name.as_str())), ("agents", Value::from(agents))];
        Value::from(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Table>())
    };
    let panel: Vec<Value> = seats.iter().map(table).collect();
    (!panel.is_empty()).then(|| Value::from(panel).to_string())
}
