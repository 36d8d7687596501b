//! What the documents of a run say of a test that its author removes, in a line that names the test and has some words beside, and
//! whether they say that the behaviour stays as it was. Whether that holds is for the reviewer to say.

use std::fs;

use super::suite::name;
use super::{CheckResult, Site, asking, judged, of_answer};
use model::change::LONGEST_TEXT;
use model::issue::Issue;

/// A shorter name says nothing in a sentence.
const SHORTEST_NAME: usize = 4;
/// So many characters say why, at least.
const SHORTEST_REASON: usize = 12;
/// So much of a line is told, in characters.
const MOST_TOLD: usize = 400;

/// The document of this phase, and those that were reviewed before.
#[derive(Default)]
pub(super) struct Announced {
    documents: Vec<String>,
}

impl Announced {
    pub(super) fn read(site: &Site<'_>) -> Self {
        let paths = site.reviewed.iter().map(String::as_str).chain([site.output]);
        let read = |path: &str| {
            let path = site.worktree.join(path);
            let found = fs::symlink_metadata(&path).ok()?;
            (found.is_file() && found.len() <= LONGEST_TEXT).then(|| fs::read_to_string(path).ok()).flatten()
        };
        Self { documents: paths.filter(|path| !path.is_empty()).filter_map(read).collect() }
    }

    /// Returns what is announced in a phase after which tests are still to be written; nothing in the others.
    pub(super) fn of_later_tests(site: &Site<'_>) -> Self {
        let phase = &site.phase.properties;
        if phase.has_tests || phase.judges_tests { Self::default() } else { Self::read(site) }
    }

    /// Returns the line that names a test in backquotes, alone or behind its file and class, and says something of it.
    pub(super) fn entry(&self, name: &str) -> Option<String> {
        let lines = self.documents.iter().flat_map(|document| document.lines());
        let mut entries = lines.filter(|line| says_why(line, name));
        entries.next().map(|line| line.trim().chars().take(MOST_TOLD).collect())
    }

    /// Returns what the author or the issue says of a test that is gone.
    pub(super) fn reason(&self, id: &str, issue: &Issue) -> Option<String> {
        let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
        let is_told = |part: &&str| part.contains('_') && issue.names(part);
        let said = self.entry(name(id)).map(|said| format!("the author says: {said}"));
        let named = || id.split(|c| !is_of_name(c)).find(is_told);
        said.or_else(|| Some(format!("the issue names `{}`", named()?)))
    }

    /// Returns the line that says that the behaviour stays as it was, with the reason.
    pub(super) fn unchanged_behaviour(&self) -> Option<String> {
        let mut lines = self.documents.iter().flat_map(|document| document.lines());
        let line = lines.find_map(unchanged)?;
        Some(line.chars().take(MOST_TOLD).collect())
    }
}

/// Makes a failure a question to the reviewer where the author says that the behaviour stays as it was. `problem` says in few words
/// what is missing.
pub(super) fn unless_unchanged(failure: CheckResult, problem: &str, site: &Site<'_>) -> CheckResult {
    let said = Announced::read(site).unchanged_behaviour();
    let (Some(said), Some(pattern), true) = (said, &failure.pattern, site.phase.policy.review.is_some())
    else {
        return failure;
    };
    let what = format!("the author says that the behaviour stays as it was ({said}); {}", failure.summary);
    asking(judged(&failure.check, pattern, vec![of_answer(what)], problem, ""))
}

/// Returns the line where it says that the behaviour stays as it was, and why: `Behaviour: unchanged, only names are others`.
fn unchanged(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches(['#', '-', '*', '>', ' ']);
    let (head, rest) = line.split_once(':')?;
    let is_head = ["behaviour", "behavior"].contains(&head.trim_matches(['*', ' ']).to_lowercase().as_str());
    let why = rest.trim_start_matches(['*', ' ']);
    let (word, why) = why.split_at_checked("unchanged".len())?;
    (is_head && word.eq_ignore_ascii_case("unchanged") && letters(why) >= SHORTEST_REASON).then_some(line)
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphabetic()).count()
}

fn says_why(line: &str, name: &str) -> bool {
    let quoted = line.split('`').skip(1).step_by(2);
    let is_name = |quoted: &str| {
        let end = quoted.trim_end_matches("()");
        end.strip_suffix(name).is_some_and(|before| {
            before.is_empty() || before.ends_with(|c: char| !c.is_alphanumeric() && c != '_')
        })
    };
    let beside: String = line.split('`').step_by(2).collect();
    name.len() >= SHORTEST_NAME && letters(&beside) >= SHORTEST_REASON && quoted.into_iter().any(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_names_a_test_and_says_why_is_found() {
        let announced = |line: &str| Announced { documents: vec![format!("# Tests\n\n{line}\n")] };
        let entry = |line: &str| announced(line).entry("test_table").is_some();
        assert!(entry("- `test_table`: the issue asks for another table"));
        assert!(entry("| `tests/test_core.py::PageTest::test_table` | the table is gone with the feature |"));
        for line in [
            "- `test_table`",
            "- `test_table`: gone",
            "test_table is wrong for many reasons",
            "- `my_test_table`: the issue asks for it",
        ] {
            assert!(!entry(line), "{line}");
        }
    }

    #[test]
    fn a_line_that_says_that_the_behaviour_stays_has_a_reason() {
        let said = |line: &str| Announced { documents: vec![line.to_owned()] }.unchanged_behaviour();
        let line = "Behaviour: unchanged, page() is only easier to read";
        assert_eq!(said(&format!("# A\n\n- {line}\n")).as_deref(), Some(line));
        assert!(said("**Behavior:** unchanged; only documentation is added").is_some());
        for line in [
            "Behaviour: unchanged",
            "Behaviour: changed, because the issue asks for it",
            "The behaviour: unchanged for all who ask",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
    }
}
