//! One call of git as it is going to be made: arguments, input, and what it needs. Starting it is `git`'s.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// One call of git that is going to be made.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) options: Vec<OsString>,
    pub(super) arguments: Vec<OsString>,
    pub(super) input: Option<Vec<u8>>,
    pub(super) index: Option<PathBuf>,
    pub(super) read_only: bool,
    pub(super) network: bool,
    pub(super) asks_person: bool,
    pub(super) without_user_settings: bool,
    pub(super) limit: Option<usize>,
}

impl Call {
    /// Makes a call with these arguments.
    pub(super) fn new<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Self {
        Self { arguments: arguments.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Adds an argument.
    pub(super) fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments.
    pub(super) fn args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets a configuration value for this call.
    pub(super) fn setting(mut self, setting: &str) -> Self {
        self.options.extend(["-c".into(), setting.into()]);
        self
    }

    /// Adds an option of git itself.
    pub(super) fn option(mut self, option: impl Into<OsString>) -> Self {
        self.options.push(option.into());
        self
    }

    /// Works on another index than the worktree's. Such an index is a plain one, whatever the user prefers for the own.
    pub(super) fn on_index(mut self, index: &Path) -> Self {
        self.index = Some(index.to_owned());
        self.setting("core.splitIndex=false")
            .setting("core.untrackedCache=false")
            .setting("index.sparse=false")
    }

    /// Feeds the standard input.
    pub(super) fn fed_with(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = Some(input.into());
        self
    }

    /// Feeds paths, each ended by NUL.
    pub(super) fn fed_with_paths<'a>(self, paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut input = Vec::new();
        for path in paths {
            input.extend_from_slice(path.as_bytes());
            input.push(0);
        }
        self.fed_with(input)
    }

    /// Takes no lock that is not needed for the answer.
    pub(super) fn reading(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Talks to a remote, with the user's credentials.
    pub(super) fn over_network(mut self) -> Self {
        self.network = true;
        self.asking_person()
    }

    /// Talks to a remote with nobody to ask, so that it can be ended with everything that it started.
    pub(super) fn over_network_alone(mut self) -> Self {
        self.network = true;
        self
    }

    /// May ask the person at the terminal, for a passphrase say; therefore Ctrl-C reaches it.
    pub(super) fn asking_person(mut self) -> Self {
        self.asks_person = true;
        self
    }

    /// Reads no settings of the user or the system, which an agent could write too.
    pub(super) fn without_user_settings(mut self) -> Self {
        self.without_user_settings = true;
        self
    }

    /// Takes its paths as patterns; in all other calls a path is a path.
    pub(super) fn with_patterns(mut self) -> Self {
        self.options.push("--no-literal-pathspecs".into());
        self
    }

    /// Reads so many bytes of the answer and no more.
    pub(super) fn at_most(mut self, bytes: usize) -> Self {
        self.limit = Some(bytes);
        self
    }

    /// Returns the command as a person would write it, without our standing options.
    pub(super) fn shown(&self) -> String {
        let mut shown = "git".to_owned();
        for argument in &self.arguments {
            let text: String = argument.to_string_lossy().escape_debug().take(80).collect();
            // Writing into a text cannot fail.
            let _ = write!(shown, " {text}");
            if shown.len() > 200 {
                shown.push_str(" …");
                break;
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_short_and_escaped() {
        let call = Call::new(["log", "a\nb"]).args(vec!["x".repeat(100); 4]);
        assert!(call.shown().starts_with("git log a\\nb xxx"), "{}", call.shown());
        assert!(call.shown().ends_with(" …"), "{}", call.shown());
    }
}
