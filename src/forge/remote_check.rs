//! What the checks of a server said about a commit. Doubt never passes: a word that is not known counts as failed. Pure.

/// The longest text of one check, in characters.
const LONGEST: usize = 1_500;

/// One check of a server, on one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteCheck {
    pub name: String,
    pub standing: Standing,
    /// The server's own word.
    pub word: String,
    /// What it says besides: its title and summary.
    pub said: String,
}

/// How a check stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Passed,
    Failed,
    Running,
}

impl RemoteCheck {
    /// Makes one of a check run: one that is not completed has no conclusion that counts.
    pub fn of_run(name: &str, status: &str, conclusion: Option<&str>, said: &[Option<&str>]) -> Self {
        let standing = match (status, conclusion) {
            ("completed", Some("success" | "neutral" | "skipped")) => Standing::Passed,
            ("completed", _) => Standing::Failed,
            _ => Standing::Running,
        };
        let word = conclusion.filter(|_| status == "completed").unwrap_or(status);
        Self { name: name.to_owned(), standing, word: word.to_owned(), said: short(said) }
    }

    /// Makes one of a status of a commit.
    pub fn of_status(context: &str, state: &str, description: Option<&str>) -> Self {
        let standing = match state {
            "success" => Standing::Passed,
            "pending" => Standing::Running,
            _ => Standing::Failed,
        };
        Self { name: context.to_owned(), standing, word: state.to_owned(), said: short(&[description]) }
    }

    /// Returns the name with the server's word.
    pub fn told(&self) -> String {
        format!("{} ({})", self.name, self.word)
    }
}

fn short(said: &[Option<&str>]) -> String {
    let told = said.iter().flatten().map(|text| text.trim()).filter(|text| !text.is_empty());
    told.collect::<Vec<_>>().join("\n").chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_words_pass_and_what_is_not_completed_goes_on() {
        let run = |status: &str, conclusion| RemoteCheck::of_run("ci", status, conclusion, &[]).standing;
        for word in ["success", "neutral", "skipped"] {
            assert_eq!(run("completed", Some(word)), Standing::Passed, "{word}");
        }
        for word in ["failure", "timed_out", "cancelled", "action_required", "stale", "new word"] {
            assert_eq!(run("completed", Some(word)), Standing::Failed, "{word}");
        }
        assert_eq!(run("completed", None), Standing::Failed);
        assert_eq!(run("in_progress", Some("success")), Standing::Running);
        let status = |state: &str| RemoteCheck::of_status("ci", state, None).standing;
        assert_eq!([status("success"), status("pending")], [Standing::Passed, Standing::Running]);
        assert_eq!([status("error"), status("failure"), status("?")], [Standing::Failed; 3]);
    }
}
