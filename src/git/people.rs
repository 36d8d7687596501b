//! Who else worked on the branch: people who committed to it, and those whom they named. The engine's own commits carry the
//! name of whoever runs it, and that is the author of the one commit in the end.

use std::collections::BTreeSet;

use super::call::Call;
use super::names::CommitId;
use super::trailers::Trailers;
use super::{Result, Workspace};

/// How the engine's own messages begin.
const OURS: &str = "[ai-workflow]";
/// How people name others in a message.
const NAMED: &str = "co-authored-by:";
/// More commits are not looked at.
const MOST: &str = "--max-count=500";

/// Somebody as git knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    pub name: String,
    pub mail: String,
}

impl Author {
    /// Reads `Name <mail>`; nothing where a line of a message could not hold it.
    fn read(text: &str) -> Option<Self> {
        let (name, rest) = text.trim().split_once('<')?;
        let (mail, _) = rest.split_once('>')?;
        let (name, mail) = (name.trim(), mail.trim());
        let plain =
            |text: &str| !text.is_empty() && !text.contains(['<', '>', '\n', '\r']) && text.len() < 200;
        (plain(name) && plain(mail) && mail.contains('@'))
            .then(|| Self { name: name.to_owned(), mail: mail.to_owned() })
    }
}

impl Workspace {
    /// Returns those who committed on top of a commit and are not who commits now, oldest first, each once. What came
    /// with a merge is not theirs.
    pub fn other_authors(&self, base: &CommitId) -> Result<Vec<Author>> {
        let myself = self.git(&Call::new(["var", "GIT_AUTHOR_IDENT"]).reading())?.text();
        let mut known: BTreeSet<String> = BTreeSet::new();
        known.extend(Author::read(&myself).map(|author| author.mail.to_lowercase()));
        let range = format!("{base}..HEAD");
        let call = Call::new(["log", "-z", "--reverse", "--first-parent", "--no-merges"])
            .args(["--format=%an <%ae>%n%B", MOST, &range, "--"])
            .reading();
        let output = self.git(&call)?;
        let text = output.text();
        let commits = text.split('\0').filter_map(|commit| commit.split_once('\n'));
        let theirs = commits.filter(|(_, message)| !is_ours(message));
        let named = |message: &str| message.lines().filter_map(named).collect::<Vec<_>>();
        let all = theirs.flat_map(|(author, message)| Author::read(author).into_iter().chain(named(message)));
        Ok(all.filter(|author| known.insert(author.mail.to_lowercase())).collect())
    }
}

fn is_ours(message: &str) -> bool {
    message.starts_with(OURS) || Trailers::read(message).is_some()
}

fn named(line: &str) -> Option<Author> {
    let (key, rest) = line.split_at_checked(NAMED.len())?;
    Author::read(rest).filter(|_| key.eq_ignore_ascii_case(NAMED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_with_an_address() {
        let author = |name: &str, mail: &str| Some(Author { name: name.into(), mail: mail.into() });
        assert_eq!(named("Co-authored-by: Alice A <a@b>"), author("Alice A", "a@b"));
        assert_eq!(named("co-authored-BY:Bob <b@c> x"), author("Bob", "b@c"));
        for bad in
            ["Co-authored-by: Alice", "Signed-off-by: A <a@b>", "Co-authored-by: <a@b>", "x", "é: A <a@b>"]
        {
            assert_eq!(named(bad), None, "{bad}");
        }
    }
}
