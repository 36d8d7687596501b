//! What commits say, as they are kept: who made them, and the whole text. A commit with more in it than we write is none.

use super::call::Call;
use super::names::CommitId;
use super::{Result, Workspace};

/// How much of the texts of commits is read, in bytes.
const LONGEST: usize = 8 << 20;
/// More commits are not looked at.
const MOST: &str = "--max-count=1000";

/// What a commit says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub commit: String,
    /// `Name <mail>`.
    pub author: String,
    pub committer: String,
    pub message: String,
    /// Everything, with the signature.
    pub whole: String,
}

impl Workspace {
    /// Returns author and committer of what is committed here now, each as `Name <mail>`.
    pub fn identities(&self) -> Result<(String, String)> {
        let asked = |name: &str| {
            let call = Call::new(["var", name]).reading();
            let text = self.git(&call)?.text();
            person(&text).map(str::to_owned).ok_or_else(|| super::Error::Unexpected {
                command: call.shown(),
                detail: "nobody".to_owned(),
            })
        };
        Ok((asked("GIT_AUTHOR_IDENT")?, asked("GIT_COMMITTER_IDENT")?))
    }

    /// Returns what the commits after one up to another say; nothing where one holds other things than we write, or where
    /// they are too long.
    pub fn said(&self, after: &CommitId, to: &CommitId) -> Result<Option<Vec<Said>>> {
        let call = Call::new(["rev-list", MOST, to.as_str(), &format!("^{after}"), "--"]).reading();
        let ids = self.git(&call)?.stdout;
        let call = Call::new(["cat-file", "--batch"]).fed_with(ids).at_most(LONGEST).reading();
        let output = self.git(&call)?;
        Ok(if output.truncated { None } else { all(&output.stdout) })
    }
}

/// Reads `ID commit SIZE`, the text and an end of line, again and again.
fn all(mut bytes: &[u8]) -> Option<Vec<Said>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let line = std::str::from_utf8(&bytes[..end]).ok()?;
        let (commit, size) = line.split_once(" commit ")?;
        let from = end + 1;
        let to = from.checked_add(size.parse().ok()?)?;
        let text = std::str::from_utf8(bytes.get(from..to)?).ok()?;
        found.push(read(commit, text)?);
        bytes = bytes.get(to + 1..)?;
    }
    Some(found)
}

fn read(commit: &str, text: &str) -> Option<Said> {
    let (head, message) = text.split_once("\n\n")?;
    let mut lines = head.lines();
    lines.next()?.strip_prefix("tree ")?;
    lines.next()?.strip_prefix("parent ")?;
    let author = person(lines.next()?.strip_prefix("author ")?)?;
    let committer = person(lines.next()?.strip_prefix("committer ")?)?;
    let is_signature = |line: &str| line.starts_with("gpgsig") || line.starts_with(' ');
    lines.all(is_signature).then(|| Said {
        commit: commit.to_owned(),
        author: author.to_owned(),
        committer: committer.to_owned(),
        message: message.to_owned(),
        whole: text.to_owned(),
    })
}

/// Returns `Name <mail>` without the time behind it.
fn person(text: &str) -> Option<&str> {
    text.rfind('>').map(|end| &text[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "tree 1\nparent 2\nauthor A <a@b> 1 +0000\ncommitter B <b@c> 1 +0000\n";

    #[test]
    fn what_a_commit_says_is_read_as_it_is_kept() {
        let text = format!("{PLAIN}gpgsig -----\n x\n\nwords\n");
        let bytes = format!("abc commit {}\n{text}\n", text.len());
        let said = all(bytes.as_bytes()).expect("it is read");
        assert_eq!((said[0].author.as_str(), said[0].committer.as_str()), ("A <a@b>", "B <b@c>"));
        assert_eq!((said[0].message.as_str(), said[0].whole.as_str()), ("words\n", text.as_str()));
    }

    #[test]
    fn a_commit_with_more_in_it_is_none_of_ours() {
        for more in ["encoding latin1\n", "parent 3\n", "mergetag object 1\n"] {
            let text = format!("{PLAIN}{more}\nwords\n");
            assert_eq!(read("abc", &text), None, "{more}");
        }
    }
}
