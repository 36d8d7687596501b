//! What a person reads when something does not work: what, why, and what to do next. Turns the errors of all crates below
//! into a [`Failure`]. The number of each [`FailureKind`] is the exit code of the program.

use std::fmt;

use serde_json::Value;

use engine::Run;
use model::redact::Masker;
use views::summary::{RunEnding, plain};

/// The code of a bundle that the other process did not leave.
pub(crate) const BUNDLE_MISSING: &str = "E_BUNDLE_MISSING";
/// The code of a run whose issue was written by an account that is not trusted.
pub(crate) const TEXT_NOT_TRUSTED: &str = "E_TEXT_NOT_TRUSTED";

/// What sort of thing went wrong, with its documented exit code. Scripts know each by one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FailureKind {
    /// A phase failed or ended incomplete.
    PhaseFailed = 1,
    /// Usage, configuration, unknown or closed issue, refusal to start.
    Usage = 2,
    /// The run waits for a person, a budget or a quota.
    Waiting = 3,
    /// No agent program can be used.
    NoAgent = 4,
    /// The forge: the issue, the pull request or the push.
    Forge = 5,
    /// Damaged or foreign state, disk full.
    State = 6,
    /// A bug of this program.
    #[strum(serialize = "bug")]
    OurBug = 70,
    /// Another process holds the issue or its checkout.
    Busy = 75,
    /// A signal stopped the run.
    Interrupted = 130,
}

/// What the halt of a run counts as: nothing where all went well, else the kind of failure that decides the exit code.
pub type Halt = Option<FailureKind>;

/// Returns the exit code of a run that came to its halt.
pub fn exit_code(halt: Halt) -> u8 {
    halt.map_or(0, FailureKind::exit_code)
}

/// How a run came to its halt, or why it could not be worked on.
pub(crate) type HaltResult = Result<Halt, Failure>;

impl FailureKind {
    /// Returns the exit code of the program.
    pub fn exit_code(self) -> u8 {
        self as u8
    }
}

/// What a use case comes to, or why it was not carried out.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a use case was not carried out: one error line and any number of hints.
#[derive(Debug, thiserror::Error)]
#[error("error: {message}{}", .hints.iter().map(|hint| format!("\nhint: {hint}")).collect::<String>())]
pub struct Failure {
    /// What sort of thing went wrong.
    pub kind: FailureKind,
    /// What went wrong, in one line.
    pub message: String,
    /// What to do next, one line each.
    pub hints: Vec<String>,
    /// Where the run stands, when one was stopped.
    pub report: Option<Box<Value>>,
    /// How the run ended that takes no such request any more.
    pub ending: Option<Box<RunEnding>>,
}

impl Failure {
    /// Makes a failure of a kind.
    pub fn new(kind: FailureKind, message: impl fmt::Display) -> Self {
        Self { kind, message: message.to_string(), hints: Vec::new(), report: None, ending: None }
    }

    /// Makes a failure of usage or settings.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::new(FailureKind::Usage, message)
    }

    /// Makes a failure of damaged or foreign state.
    pub(crate) fn state(message: impl fmt::Display) -> Self {
        Self::new(FailureKind::State, message)
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hints.push(hint.to_string());
        self
    }

    /// Adds how the run ended that takes no such request any more.
    #[must_use]
    pub(crate) fn of_ended(self, run: &Run) -> Self {
        Self { ending: Some(Box::new(RunEnding::of(run))), ..self }
    }

    /// Adds the name that was meant instead of an unknown one, or else all that there are of its kind.
    #[must_use]
    pub(crate) fn hint_names(self, unknown: &str, kind: &str, known: &[&str]) -> Self {
        match settings::suggestion(unknown, known.iter().copied()) {
            Some(near) => self.hint(format!("did you mean `{near}`?")),
            None => self.hint(format!("the {kind} are: {}", known.join(", "))),
        }
    }

    /// Returns what went wrong and the first thing to do next, in one line.
    pub(crate) fn with_first_hint(&self) -> String {
        let hint = self.hints.first().map_or(String::new(), |hint| format!(" ({hint})"));
        format!("{}{hint}", self.message)
    }

    /// Tells whether the same may work later without any change.
    pub(crate) fn passes(&self) -> bool {
        // The bundle of another job can be lost on the way.
        matches!(self.kind, FailureKind::Forge | FailureKind::Busy | FailureKind::Interrupted)
            || self.code() == BUNDLE_MISSING
    }

    /// Returns the same failure without secrets and control characters, each text on one line.
    #[must_use]
    pub fn masked(self, masker: &Masker) -> Self {
        let calm = |text: &str| plain(masker.mask(text).as_str());
        let hints = self.hints.iter().map(|hint| calm(hint)).collect();
        let ending =
            self.ending.map(|ending| RunEnding { task: calm(&ending.task), ..*ending }).map(Box::new);
        Self { message: calm(&self.message), hints, ending, ..self }
    }

    /// Returns one stable word for scripts: the code that its message begins with, else its kind.
    pub(crate) fn code(&self) -> &str {
        let is_code = |word: &&str| {
            word.starts_with("E_") && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        };
        let first = self.message.split([':', ' ']).next().filter(is_code);
        first.unwrap_or_else(|| self.kind.into())
    }
}

impl From<git::Error> for Failure {
    fn from(error: git::Error) -> Self {
        use git::Error as Git;
        let kind = match &error {
            Git::RemoteMoved { .. } | Git::PushFailed { .. } | Git::Unreachable { .. } => FailureKind::Forge,
            Git::WrongBranch { .. }
            | Git::BranchGone { .. }
            | Git::ConfigChanged { .. }
            | Git::ConfigUnknown { .. }
            | Git::RepositoryReplaced { .. }
            | Git::DamagedHead { .. }
            | Git::LostBranch { .. }
            | Git::LostReferences { .. }
            | Git::DamagedReferences { .. }
            | Git::LostObjects { .. }
            | Git::DamagedObjects { .. }
            | Git::MissingObjects { .. }
            | Git::DamagedIndex { .. }
            | Git::DamagedConfig { .. }
            | Git::Pipe { .. }
            | Git::DiskFull { .. }
            | Git::File { .. } => FailureKind::State,
            Git::BadObjectId(_) | Git::Unexpected { .. } => FailureKind::OurBug,
            _ => FailureKind::Usage,
        };
        let hint = error.hint();
        let failure = Self::new(kind, &error);
        hint.into_iter().fold(failure, Self::hint)
    }
}

impl From<model::object_id::BadObjectId> for Failure {
    fn from(error: model::object_id::BadObjectId) -> Self {
        git::Error::from(error).into()
    }
}

impl From<journal::store::StoreError> for Failure {
    fn from(error: journal::store::StoreError) -> Self {
        Self::state(&error).hint(error.hint())
    }
}

impl From<journal::JournalError> for Failure {
    fn from(error: journal::JournalError) -> Self {
        use journal::JournalError as Journal;
        match error {
            Journal::Store(error) => error.into(),
            Journal::DoesNotFit { .. } => Self::state(&error).hint("the log was written by another program or is damaged; nothing was changed"),
            // Where the files of the run are known, a command is named in place of this.
            Journal::TakenBack { .. } => Self::state(&error).hint("nothing was changed"),
            Journal::Edited(ref view) => Self::state(&error).hint(format!(
                "the log is intact; delete the view with `rm {view}`, and it is rebuilt from the log; to go back to an earlier \
                 phase use `ai-workflow rollback`"
            )),
        }
    }
}

impl From<forge::ForgeError> for Failure {
    fn from(error: forge::ForgeError) -> Self {
        use forge::ForgeError as Forge;
        let kind = match &error {
            Forge::NotFound { .. }
            | Forge::Unreadable { .. }
            | Forge::NoIssue { .. }
            | Forge::Access { .. } => FailureKind::Usage,
            Forge::OtherHead { .. }
            | Forge::Token { .. }
            | Forge::Refused { .. }
            | Forge::Limited { .. }
            | Forge::Unreachable { .. }
            | Forge::ReadsOnly { .. }
            | Forge::Unexpected { .. } => FailureKind::Forge,
            // The files of the local forge are on the same disk as everything else.
            Forge::Io { .. } => FailureKind::State,
        };
        Self::new(kind, &error).hint(error.hint())
    }
}

/// Tells whether a place is in a file of JSON, whose keys the schema of the configuration does not have.
fn is_json(place: &settings::Origin) -> bool {
    matches!(place, settings::Origin::File { name, .. } if std::path::Path::new(name).extension().is_some_and(|ending| ending == "json"))
}

impl From<settings::ConfigError> for Failure {
    fn from(error: settings::ConfigError) -> Self {
        use settings::ConfigError as Config;
        let hint = match &error {
            Config::Syntax { .. } => "correct the file; `ai-workflow config validate` checks it",
            Config::Unfit { place, .. } | Config::Contradiction { place, .. } if is_json(place) => {
                "correct the file; `ai-workflow config validate` checks it, and docs/checks.md shows its form"
            }
            Config::ShellSyntax { .. } => {
                "say plainly that a shell is meant, `[\"sh\", \"-c\", \"…\"]`, or put the line into a script and name that; \
                 a sign that belongs to an argument goes in quotes"
            }
            Config::UnknownPreset { .. } => "`ai-workflow list-presets` lists them",
            Config::Contradiction { key, .. } if key == "preset" => "`ai-workflow list-presets` lists them",
            Config::Contradiction { key, .. } if key == "skip_phases" => "`ai-workflow phases` lists them",
            _ => {
                "`ai-workflow config schema` lists every key; `ai-workflow config show` shows what is in force"
            }
        };
        Self::usage(&error).hint(hint)
    }
}

impl From<runner::RunError> for Failure {
    fn from(error: runner::RunError) -> Self {
        use runner::RunError as Run;
        match error {
            Run::Journal(error) => error.into(),
            Run::Workspace(error) => error.into(),
            Run::Forge(error) => error.into(),
            Run::Store(error) => error.into(),
            Run::Prompt(error) => {
                Self::usage(&error).hint("look at the template under `.ai-workflow/prompts/`")
            }
            Run::Interrupted => Self::new(FailureKind::Interrupted, "interrupted; nothing finished is lost")
                .hint("run the same command again to go on"),
            Run::Unjudged { .. } => Self::state(&error).hint("nothing of it was published"),
            Run::DocumentLost { ref path, ref commit } => {
                let back =
                    format!("git checkout {} -- {path} && git commit -m 'put {path} back'", &commit[..9]);
                Self::state(&error).hint(format!("`{back}`, then run the same command again"))
            }
            Run::Bug(_) => Self::new(FailureKind::OurBug, &error),
        }
    }
}

#[cfg(test)]
mod tests;
