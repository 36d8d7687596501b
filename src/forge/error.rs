//! Why a forge did not do what it was asked, and what a person can do about it.

use std::path::PathBuf;

use jiff::Timestamp;

use model::issue::IssueNumber;

/// What a function of this crate returns.
pub(crate) type Result<T> = std::result::Result<T, ForgeError>;

/// Says why a forge did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ForgeError {
    /// The issue is not there.
    #[error("issue {number} does not exist: there is no {place}")]
    NotFound {
        /// The issue.
        number: IssueNumber,
        /// Where it was looked for: a file, or "such issue in" a repository.
        place: String,
    },
    /// A file of the local forge cannot be read.
    #[error("{file}, line {line}: {why}")]
    Unreadable {
        /// The file, relative to the top of the repository.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// The file of a pull request is about another branch.
    #[error("{file} is the pull request of {found}, not of {head}")]
    OtherHead {
        /// The file, relative to the top of the repository.
        file: String,
        /// The branch that it is about.
        found: String,
        /// The branch that was asked for.
        head: String,
    },
    /// A file of the local forge cannot be read or written.
    #[error("cannot {action} {}: {source}", .file.display())]
    Io {
        /// What was tried, after "cannot".
        action: &'static str,
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Repository, address or token are not given, or not as they have to be.
    #[error("GitHub cannot be used: {why}")]
    Access {
        /// What is missing or wrong.
        why: String,
    },
    /// GitHub answered 401.
    #[error("{server} does not accept the token")]
    Token {
        /// The address of the server.
        server: String,
    },
    /// The number is that of a pull request.
    #[error("{number} of {repository} is a pull request, no issue")]
    NoIssue {
        /// The number.
        number: IssueNumber,
        /// The repository, as `owner/name`.
        repository: String,
    },
    /// GitHub refused for good.
    #[error("cannot {action}: GitHub answered {status} {message}")]
    Refused {
        /// What was tried, after "cannot".
        action: &'static str,
        /// The status of the answer.
        status: u16,
        /// GitHub's own words.
        message: String,
        /// The permissions that the token would have needed; empty when GitHub does not name them.
        needs: String,
    },
    /// A limit of GitHub lasts longer than we wait.
    #[error("cannot {action}: GitHub asks to wait until {until}")]
    Limited {
        /// What was tried, after "cannot".
        action: &'static str,
        /// When it may be tried again.
        until: Timestamp,
    },
    /// GitHub gave no answer, several times.
    #[error("cannot {action}: {server} gave no answer: {why}")]
    Unreachable {
        /// What was tried, after "cannot".
        action: &'static str,
        /// The address of the server.
        server: String,
        /// What the last try ended with.
        why: String,
    },
    /// The answer has another form than GitHub documents.
    #[error("cannot {action}: the answer is not what it should be: {why}")]
    Unexpected {
        /// What was tried, after "cannot".
        action: &'static str,
        /// What is wrong with the answer.
        why: String,
    },
    /// A write in a process that may only read.
    #[error("cannot {action}: this process only reads from GitHub")]
    ReadsOnly {
        /// What was tried, after "cannot".
        action: &'static str,
    },
}

impl ForgeError {
    pub(crate) fn unexpected(action: &'static str, why: impl Into<String>) -> Self {
        Self::Unexpected { action, why: why.into() }
    }

    /// Returns what a person can do about it.
    pub fn hint(&self) -> String {
        let hint = match self {
            Self::Refused { .. } if self.has_message(NO_REQUESTS) => {
                "allow it in the settings of the repository: Settings, Actions, General, Workflow permissions, \
                 \"Allow GitHub Actions to create and approve pull requests\"; or use the token of an app"
            }
            Self::Refused { status, needs, .. } => return hint_for_refusal(*status, needs),
            Self::NotFound { .. } => "look at the number, or write the issue into that file",
            Self::Unreadable { .. } => "correct the file; nothing was changed",
            Self::OtherHead { .. } => "move the file out of the way, or delete it",
            Self::Io { .. } => "look at the permissions and the disk",
            Self::Access { .. } => {
                "set GITHUB_TOKEN, and GITHUB_REPOSITORY or the address of origin; or use `--forge local`"
            }
            Self::Token { .. } => {
                "make a new token: the one in GITHUB_TOKEN or GH_TOKEN is wrong or has expired"
            }
            Self::NoIssue { .. } => "give the number of the issue that the pull request is about",
            Self::ReadsOnly { .. } => "the job that applies what this one hands over writes",
            Self::Limited { .. } => "go on after that time with the same command; nothing is lost",
            Self::Unreachable { .. } | Self::Unexpected { .. } => {
                "go on with the same command when GitHub works again; nothing is lost"
            }
        };
        hint.to_owned()
    }

    /// Tells whether trying again later is of no use.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Limited { .. } | Self::Unreachable { .. } | Self::Unexpected { .. })
    }

    /// Tells whether what was asked for is not there, or not for us to see.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Refused { status: 404 | 410, .. })
    }

    /// Tells whether GitHub refused with these words.
    pub(crate) fn has_message(&self, words: &str) -> bool {
        matches!(self, Self::Refused { message, .. } if message.to_lowercase().contains(words))
    }
}

/// What GitHub says where the repository's settings let no workflow open pull requests, whatever the token may do.
const NO_REQUESTS: &str = "not permitted to create or approve pull requests";

fn hint_for_refusal(status: u16, needs: &str) -> String {
    match status {
        _ if !needs.is_empty() => format!("the token lacks a permission; it needs {}", format_permissions(needs)),
        301 | 302 | 307 | 308 => "the repository has another name now: correct the address of origin".into(),
        403 | 404 => "look at the name of the repository and at what the token may do".into(),
        _ => "this was not done, what was done before it stays; go on with the same command when the cause is gone"
            .into(),
    }
}

/// GitHub writes `a=write,b=write; c=write` for: both of the first, or the last.
fn format_permissions(needs: &str) -> String {
    let set = |set: &str| set.split(',').map(str::trim).collect::<Vec<_>>().join(" and ");
    needs.split(';').map(set).collect::<Vec<_>>().join(", or ")
}
