//! Reads the world once at the door: folder, environment, configuration files, repository. Everything behind it is handed in.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::RwLock;

use tracing_subscriber::EnvFilter;

use super::arguments::SettingFlags;
use super::failure::{Failure, Kind};
use super::profiles::profiles;
use super::seconds;
use agents::{AgentSpec, Profile};
use app::report::{StderrBeside, Terminal};
use app::runner::JobRole;
use git::Workspace;
use journal::clock::Clock;
use journal::store::folders::HOME;
use model::issue::AsOf;
use model::policy::C3l;
use model::redact::{Masker, SHORTEST_SECRET, is_secret_name};
use settings::{Layers, Settings, load};
use views::prompt::{is_retry, retry_folder};

/// Where the configuration of a repository stands.
pub(super) const CONFIG: &str = "config.toml";
/// The registry of steps of a repository.
pub(super) const STEPS: &str = ".ai-workflow/steps_registry.json";
/// The settings of a review loop of a repository.
pub(super) const REVIEW_LOOP: &str = ".claude/review-loop.json";

/// What the commands work with.
pub(super) struct Door {
    /// The folder the user stands in.
    pub(super) here: PathBuf,
    pub(super) workspace: Workspace,
    pub(super) settings: Settings,
    pub(super) masker: Masker,
    pub(super) clock: Clock,
    /// Who asks for this: the person at the keyboard, or whom an event names.
    pub(super) person: String,
    /// What an event brought, when one opened this door.
    pub(super) as_of: Option<AsOf>,
    /// The part of runs that is done here.
    pub(super) role: JobRole,
}

impl Door {
    /// Opens the repository and loads the settings.
    pub(super) fn open(flags: &SettingFlags) -> Result<Self, Failure> {
        let here = here()?;
        let workspace = Workspace::open(&here)?;
        let settings = settings(flags, &here, Some(workspace.root()))?;
        let masker = Masker::new(secrets(&settings));
        remember(&masker);
        let (clock, person) = (Clock::Real, person());
        Ok(Self { here, workspace, settings, masker, clock, person, as_of: None, role: JobRole::Both })
    }

    /// Opens the repository for looking at runs or ending them: no settings are needed, so none can be in the way.
    pub(super) fn open_plain() -> Result<Self, Failure> {
        let here = here()?;
        let workspace = Workspace::open(&here)?;
        let settings = load(&Layers::default())?;
        let masker = Masker::from_environment(environment());
        let (clock, person) = (Clock::Real, person());
        Ok(Self { here, workspace, settings, masker, clock, person, as_of: None, role: JobRole::Both })
    }

    /// Warns of secrets that are too short to be masked by value.
    pub(super) fn warn_of_short_secrets(&self) {
        let short =
            secrets(&self.settings).filter(|(_, value)| (1..SHORTEST_SECRET).contains(&value.trim().len()));
        for (name, _) in short {
            tracing::warn!(
                "W_SHORT_SECRET: the value of {name} has fewer than {SHORTEST_SECRET} characters and cannot be masked"
            );
        }
    }

    /// Returns the top of the checkout the user stands in.
    pub(super) fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// Returns the prompt templates that the repository brings, by path below `prompts/`.
    pub(super) fn prompts(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        collect_prompts(&self.root().join(HOME).join("prompts"), "", &mut found);
        found
    }

    /// Returns the templates that fill what authors read: the repository's own, and the retry texts of steps of a registry.
    /// Other files beside those texts are prompts of other programs, and none of ours.
    pub(super) fn overrides<'a>(&self, steps: impl IntoIterator<Item = &'a C3l>) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        for folder in steps.into_iter().map(retry_folder) {
            collect_prompts(&self.root().join(&folder), &format!("{folder}/"), &mut found);
        }
        found.retain(|path, _| is_retry(path));
        found.extend(self.prompts());
        found
    }

    /// Returns the retry prompts that stand where the registry of steps says, by path below the top of the repository.
    pub(super) fn step_prompts(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        if let Some(registry) = self.settings.registry() {
            collect_prompts(&self.root().join(&registry.base), &format!("{}/", registry.base), &mut found);
        }
        found
    }

    /// Returns the configured agents.
    pub(super) fn profiles(&self) -> BTreeMap<String, Profile> {
        profiles(&self.settings)
    }
}

/// Returns the environment of this process as far as its names are text.
pub(super) fn environment() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(as_text)
}

/// Returns a variable of this process; one that is empty counts as missing.
pub(super) fn variable(name: &str) -> Option<String> {
    environment().find(|(found, value)| found == name && !value.trim().is_empty()).map(|(_, value)| value)
}

/// Returns everything that by its name is a secret, of our variables and of those that agents are given by settings,
/// and the keys of agents, whatever their variables are called.
fn secrets(settings: &Settings) -> impl Iterator<Item = (String, String)> {
    let keys: Vec<&str> = settings.agents.values().filter_map(|agent| agent.api_key_env.as_deref()).collect();
    let given = settings.agents.values().flat_map(|agent| agent.env.clone());
    let is_secret = move |name: &str| is_secret_name(name) || keys.contains(&name);
    environment().chain(given).filter(move |(name, _)| is_secret(name))
}

/// The secrets of the settings that were loaded last; logs and failures are masked by them.
static KNOWN: RwLock<Option<Masker>> = RwLock::new(None);

/// Returns what masks everything this process tells: the secrets of the settings, or else of our environment alone.
pub(super) fn masker() -> Masker {
    let known = KNOWN.read().ok().and_then(|known| known.clone());
    known.unwrap_or_else(|| Masker::from_environment(environment()))
}

fn remember(masker: &Masker) {
    if let Ok(mut known) = KNOWN.write() {
        *known = Some(masker.clone());
    }
}

fn as_text((name, value): (std::ffi::OsString, std::ffi::OsString)) -> Option<(String, String)> {
    Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
}

/// Returns the folder the user stands in.
pub(super) fn here() -> Result<PathBuf, Failure> {
    std::env::current_dir()
        .map_err(|error| Failure::usage(format!("the current folder cannot be read: {error}")))
}

/// Returns the name of the person at the keyboard, as far as the environment knows it.
fn person() -> String {
    std::env::var("USER").ok().filter(|name| !name.is_empty()).unwrap_or_else(|| "a person".into())
}

/// Returns the top of the repository the user stands in, if there is one.
pub(super) fn repository_root(here: &Path) -> Option<PathBuf> {
    Workspace::open(here).ok().map(|workspace| workspace.root().to_owned())
}

/// Loads the settings of all layers; outside a repository the repository's file is missing.
pub(super) fn settings(flags: &SettingFlags, here: &Path, root: Option<&Path>) -> Result<Settings, Failure> {
    Ok(load(&layers(flags, here, root)?)?)
}

/// Reads all layers.
pub(super) fn layers(flags: &SettingFlags, here: &Path, root: Option<&Path>) -> Result<Layers, Failure> {
    let repository = match (&flags.config, root) {
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
    Ok(Layers { user, repository, steps, review_loop, environment, flags: flag_layer(flags, here)? })
}

fn user_file() -> Option<PathBuf> {
    let home = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = home("XDG_CONFIG_HOME").or_else(|| home("HOME").map(|home| home.join(".config")))?;
    Some(base.join("ai-workflow").join(CONFIG))
}

fn wanted_file(path: &Path) -> Result<(String, String), Failure> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path);
    text.map(|text| (name.clone(), text)).map_err(|error| {
        Failure::usage(format!("failed to read {name}: {error}")).hint(
            "`--config` names an existing file; without it `.ai-workflow/config.toml` is read if it is there",
        )
    })
}

fn optional_file(path: &Path, shown_from: &Path) -> Result<Option<(String, String)>, Failure> {
    let name = path.strip_prefix(shown_from).ok().filter(|_| shown_from != Path::new("/")).unwrap_or(path);
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some((name.display().to_string(), text))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::usage(format!("failed to read {}: {error}", path.display()))
            .hint("it has to be a readable file in UTF-8; `ai-workflow init --force` writes a new one")),
    }
}

/// Returns the flags as dotted keys.
fn flag_layer(flags: &SettingFlags, here: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let mut layer = BTreeMap::new();
    for pair in &flags.set {
        let (key, value) = pair.split_once('=').ok_or_else(|| {
            Failure::usage(format!("`--set {pair}` is not KEY=VALUE"))
                .hint("for example `--set budget.usd=5`")
        })?;
        layer.insert(key.trim().to_owned(), value.to_owned());
    }
    let mut put = |key: &str, value: Option<String>| value.map(|value| layer.insert(key.to_owned(), value));
    put("agent", flags.agent.as_deref().map(|chain| seen_from(chain, here)));
    put("reviewer", (!flags.reviewer.is_empty()).then(|| seen_from(&flags.reviewer.join(","), here)));
    put("panel", seconds::as_setting(&seconds::asked(flags, here)?));
    put("language", flags.language.clone());
    put("base_branch", flags.base_branch.clone());
    put("preset", flags.preset.clone());
    put("skip_phases", flags.skip_phases.clone());
    put("forge", flags.forge.clone());
    put("push", flags.push.clone());
    put("worktree", flags.worktree.then(|| "true".to_owned()));
    put("auto_model", flags.auto_model.then(|| "true".to_owned()));
    put("fresh_sessions", flags.fresh_sessions.then(|| "true".to_owned()));
    put("no_wait", flags.no_wait.then(|| "true".to_owned()));
    Ok(layer)
}

/// Paths on the command line are meant from where the user stands.
pub(super) fn seen_from(chain: &str, here: &Path) -> String {
    let specs = chain.split(',').map(|text| match text.trim().parse::<AgentSpec>() {
        Ok(spec) => spec.seen_from(here).to_string(),
        Err(_) => text.trim().to_owned(),
    });
    specs.collect::<Vec<_>>().join(",")
}

fn collect_prompts(folder: &Path, below: &str, found: &mut BTreeMap<String, String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        if path.is_dir() {
            collect_prompts(&path, &format!("{name}/"), found);
        } else if let Ok(text) = fs::read_to_string(&path) {
            found.insert(name, text);
        }
    }
}

/// Sends log lines, masked, to stderr, beside the live line. `AI_WORKFLOW_LOG` filters them; `info` is the default.
pub(super) fn log_to(terminal: &Terminal) {
    let filter = EnvFilter::try_from_env("AI_WORKFLOW_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let terminal = terminal.clone();
    let lines = tracing_subscriber::fmt().with_env_filter(filter).without_time().with_target(false);
    // A second call in one process keeps the first subscriber.
    let _ =
        lines.with_ansi(false).with_writer(move || StderrBeside::new(terminal.clone(), masker())).try_init();
}

/// Starts the runtime all asynchronous work happens on: one thread, so that children die with the right parent.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::new(Kind::OurBug, format!("the runtime cannot be started: {error}")))
}
