//! What the checks of a server report about a commit. Doubt never passes: a word that is not known counts as failed.
//! Asks no server: `forge` does.

/// The longest text of one check, in characters.
const LONGEST: usize = 1_500;

/// One check of a server, on one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteCheck {
    /// The name of the check run, or the context of the commit status.
    pub name: String,
    /// What the server's word counts as.
    pub state: RemoteCheckState,
    /// The server's own word: a conclusion, a status or a state.
    pub word: String,
    /// What the check prints: its title and summary, or its description. Length-limited.
    pub output: String,
}

/// Whether a check of a server passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteCheckState {
    /// It ended, and with a word that is known to be good.
    Passed,
    /// It ended in any other way.
    Failed,
    /// It has not ended yet.
    Running,
}

impl RemoteCheck {
    /// Makes one of a check run: one that is not completed has no conclusion that counts.
    pub fn of_run(name: &str, status: &str, conclusion: Option<&str>, output: &[Option<&str>]) -> Self {
        let state = match (status, conclusion) {
            ("completed", Some("success" | "neutral" | "skipped")) => RemoteCheckState::Passed,
            ("completed", _) => RemoteCheckState::Failed,
            _ => RemoteCheckState::Running,
        };
        let word = if status == "completed" { conclusion.unwrap_or(status) } else { status };
        Self { name: name.to_owned(), state, word: word.to_owned(), output: shorten(output) }
    }

    /// Makes one of a status of a commit.
    pub fn of_status(context: &str, word: &str, description: Option<&str>) -> Self {
        let state = match word {
            "success" => RemoteCheckState::Passed,
            "pending" => RemoteCheckState::Running,
            _ => RemoteCheckState::Failed,
        };
        Self { name: context.to_owned(), state, word: word.to_owned(), output: shorten(&[description]) }
    }

    /// Returns the name with the server's word, for people.
    pub fn label(&self) -> String {
        format!("{} ({})", self.name, self.word)
    }
}

fn shorten(texts: &[Option<&str>]) -> String {
    let filled = texts.iter().flatten().map(|text| text.trim()).filter(|text| !text.is_empty());
    filled.collect::<Vec<_>>().join("\n").chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests;
