//! The repository that a use case works with, and what it needs of the process it runs in: folder, environment, settings,
//! secrets. They are read here once; everything behind is handed a [`Project`].

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::environment::{current_folder, environment, remember, user_name};
use crate::failure::Result;
use crate::setting_overrides::{SettingOverrides, load_settings};
use git::Workspace;
use journal::store::folders::HOME;
use model::issue::AsOf;
use model::policy::C3l;
use model::redact::{Masker, SHORTEST_SECRET, is_secret_name};
use runner::JobRole;
use settings::{Layers, Settings, load};
use views::prompt::{is_retry, retry_folder};

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
    pub as_of: Option<AsOf>,
    /// The part of a run that this process does.
    pub role: JobRole,
    /// How this process was called, for those who find its locks.
    pub command_line: String,
}

impl Project {
    /// Opens the repository that holds the current folder, and loads the settings.
    pub fn open(overrides: SettingOverrides, command_line: String) -> Result<Self> {
        let project = Self::open_without_settings(command_line)?;
        let settings = load_settings(&overrides, &project.here, Some(project.root()))?;
        let masker = Masker::new(secrets(&settings));
        remember(&masker);
        Ok(Self { overrides, settings, masker, ..project })
    }

    /// Opens the repository for looking at runs or ending them: no settings are needed, so none can be in the way.
    pub fn open_without_settings(command_line: String) -> Result<Self> {
        let here = current_folder()?;
        Ok(Self {
            workspace: Workspace::open(&here)?,
            here,
            overrides: SettingOverrides::default(),
            settings: load(&Layers::default())?,
            masker: Masker::from_environment(environment()),
            person: user_name(),
            as_of: None,
            role: JobRole::Both,
            command_line,
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
    pub fn open_worktree(&self, root: &Path) -> Result<Workspace> {
        if root == self.root() { Ok(self.workspace.clone()) } else { Ok(Workspace::open(root)?) }
    }

    /// Returns an agent as it is pinned: a path inside the checkout is relative, so that the log names no machine.
    pub fn relative_spec(&self, spec: &str) -> String {
        let prefix = format!("{}/", self.root().display());
        spec.replacen(&prefix, "", 1)
    }

    /// Returns the prompt templates that the repository brings, by path below `prompts/`.
    pub fn prompts(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        collect_texts(&self.root().join(HOME).join("prompts"), "", &mut found);
        found
    }

    /// Returns the templates that fill what authors read: the repository's own, and the retry texts of steps of a registry.
    /// Other files beside those texts are prompts of other programs, and none of ours.
    pub fn templates<'a>(&self, steps: impl IntoIterator<Item = &'a C3l>) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        for folder in steps.into_iter().map(retry_folder) {
            collect_texts(&self.root().join(&folder), &format!("{folder}/"), &mut found);
        }
        found.retain(|path, _| is_retry(path));
        found.extend(self.prompts());
        found
    }

    /// Returns the retry prompts that stand where the registry of steps says, by path below the top of the repository.
    pub fn step_prompts(&self) -> BTreeMap<String, String> {
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

fn collect_texts(folder: &Path, below: &str, found: &mut BTreeMap<String, String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        if path.is_dir() {
            collect_texts(&path, &format!("{name}/"), found);
        } else if let Ok(text) = fs::read_to_string(&path) {
            found.insert(name, text);
        }
    }
}
