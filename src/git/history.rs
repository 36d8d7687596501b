//! What the commits of a history say: their order, who made them, their messages, and what they did to a file.
//! A commit with more in it than the engine writes is read as none.

use std::collections::BTreeSet;
use std::fmt;

use crate::objects::parse_batch;
use crate::program::Call;
use crate::workspace::Workspace;
use crate::{CommitId, Error, Result, Tree};

/// How much of the texts of commits is read, in bytes.
const LONGEST_TEXTS: usize = 8 << 20;
/// More texts of commits are not read.
const MOST_TEXTS: &str = "--max-count=1000";
/// More messages are not read; the newest count.
const MOST_MESSAGES: &str = "--max-count=200";
/// Authors of more commits are not looked at.
const MOST_AUTHORED: &str = "--max-count=500";
/// So many lines around a place belong to it.
const MARGIN: u64 = 3;
/// How the engine's own messages begin.
const OUR_SUBJECT: &str = "[ai-workflow]";
/// The trailer by which a message names another author.
const CO_AUTHOR: &str = "co-authored-by:";
/// Stands for the phase in a record of how a run halted.
pub const NO_PHASE: &str = "-";

/// What a commit says about the run it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trailers {
    /// The id of the run.
    pub run: String,
    /// The name of the phase; `NO_PHASE` in a record of how the run halted.
    pub phase: String,
    /// The number of the fact that announced the commit.
    pub seq: u64,
    /// The hash of the log up to that fact.
    pub chain: String,
}

impl fmt::Display for Trailers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, phase, seq, chain } = self;
        writeln!(f, "AI-Workflow-Run: {run}")?;
        writeln!(f, "AI-Workflow-Phase: {phase}")?;
        writeln!(f, "AI-Workflow-Seq: {seq}")?;
        writeln!(f, "AI-Workflow-Chain: {chain}")
    }
}

impl Trailers {
    /// Reads the trailers from the last paragraph of a message; the text above it may hold anything.
    pub fn read(message: &str) -> Option<Self> {
        let last = message.trim_end().rsplit("\n\n").next()?;
        let value = |key: &str| {
            let mut values = last.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
            // A key that is there twice does not count.
            match (values.next(), values.next()) {
                (Some(value), None) => Some(value.to_owned()),
                _ => None,
            }
        };
        Some(Self {
            run: value("AI-Workflow-Run")?,
            phase: value("AI-Workflow-Phase")?,
            seq: value("AI-Workflow-Seq")?.parse().ok()?,
            chain: value("AI-Workflow-Chain")?,
        })
    }
}

/// A commit with those before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitWithParents {
    /// The commit.
    pub commit: CommitId,
    /// Its parents, in the order in which it names them.
    pub parents: Vec<CommitId>,
}

impl CommitWithParents {
    /// Returns the tree before a commit with one parent, and its own.
    pub fn trees(&self) -> Option<(Tree, Tree)> {
        let [parent] = self.parents.as_slice() else { return None };
        Some((parent.as_tree(), self.commit.as_tree()))
    }
}

/// What a commit says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitText {
    /// The id of the commit.
    pub commit: String,
    /// Who made the change, as `Name <mail>`.
    pub author: String,
    /// Who made the commit, as `Name <mail>`.
    pub committer: String,
    /// The message.
    pub message: String,
    /// Everything, with the signature.
    pub whole: String,
}

/// A person as git names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The name.
    pub name: String,
    /// The mail address.
    pub mail: String,
}

impl Signature {
    /// Reads `Name <mail>`; nothing where a line of a message could not hold it.
    fn read(text: &str) -> Option<Self> {
        let (name, rest) = text.trim().split_once('<')?;
        let (mail, _) = rest.split_once('>')?;
        let (name, mail) = (name.trim(), mail.trim());
        let plain =
            |text: &str| !text.is_empty() && !text.contains(['<', '>', '\n', '\r']) && text.len() < 200;
        if !plain(name) || !plain(mail) || !mail.contains('@') {
            return None;
        }
        Some(Self { name: name.to_owned(), mail: mail.to_owned() })
    }
}

/// What changed in a file since a commit, at a line or in the whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineRangeChange {
    /// Nothing changed in the file.
    Untouched,
    /// The file changed, these lines did not.
    Elsewhere(CommitId),
    /// These lines changed.
    Changed(CommitId),
}

/// The commits of a repository.
#[derive(Debug, Clone)]
pub struct History<'a> {
    pub(crate) workspace: &'a Workspace,
}

impl History<'_> {
    /// Returns the commits after one up to another, oldest first, at most so many.
    pub fn commits_between(
        &self,
        after: &CommitId,
        to: &CommitId,
        most: usize,
    ) -> Result<Vec<CommitWithParents>> {
        let (most, after) = (format!("--max-count={most}"), format!("^{after}"));
        let words = ["rev-list", "--topo-order", "--parents", &most, to.as_str(), &after, "--"];
        let output = self.workspace.ask(words)?;
        let mut commits = Vec::new();
        for line in output.text().lines() {
            let mut ids = line.split(' ').map(CommitId::try_from);
            let commit = ids.next().ok_or_else(|| output.unexpected_answer())??;
            commits.push(CommitWithParents { commit, parents: ids.collect::<std::result::Result<_, _>>()? });
        }
        commits.reverse();
        Ok(commits)
    }

    /// Returns the commit before a commit.
    pub fn parent(&self, commit: &CommitId) -> Result<CommitId> {
        self.workspace.ask(["rev-parse", "--verify", "--end-of-options", &format!("{commit}^")])?.id()
    }

    /// Tells whether a commit is among those that led to another one.
    pub fn is_ancestor(&self, commit: &CommitId, later: &CommitId) -> Result<bool> {
        let words = ["merge-base", "--is-ancestor", commit.as_str(), later.as_str()];
        Ok(self.workspace.try_ask(words)?.succeeded())
    }

    /// Returns the latest commit that two have in common.
    pub(crate) fn merge_base(&self, one: &CommitId, other: &CommitId) -> Result<Option<CommitId>> {
        let output = self.workspace.try_ask(["merge-base", one.as_str(), other.as_str()])?;
        if !output.succeeded() {
            return Ok(None);
        }
        Ok(output.text().lines().next().and_then(|line| CommitId::try_from(line).ok()))
    }

    /// Returns the commit that removed a file from a branch whose tip does not have it; nothing where it was never there.
    pub fn find_removal(&self, tip: &CommitId, path: &str) -> Result<Option<CommitId>> {
        let words = ["log", "--max-count=1", "--diff-filter=D", "--format=%H", tip.as_str(), "--", path];
        let text = self.workspace.ask(words)?.text();
        Ok(text.lines().next().map(CommitId::try_from).transpose()?)
    }

    /// Returns the paths outside `.ai-workflow/` that a commit changed and that HEAD still has differently from before it.
    pub fn list_still_changed_paths(&self, commit: &CommitId) -> Result<Vec<String>> {
        let before = format!("{commit}^");
        let changed = |to: &str| -> Result<Vec<String>> {
            let words = ["diff", "--name-only", "--no-renames", "-z", &before, to, "--"];
            Ok(self.workspace.ask(words)?.paths())
        };
        let (then, now) = (changed(commit.as_str())?, changed("HEAD")?);
        Ok(then.into_iter().filter(|path| now.contains(path) && !path.starts_with(".ai-workflow/")).collect())
    }

    /// Returns what changed at a line of a file, or in the whole file, between a commit and HEAD.
    pub fn place_change(&self, from: &CommitId, path: &str, line: Option<u64>) -> Result<LineRangeChange> {
        let range = format!("{from}..HEAD");
        let text = self.workspace.ask(["log", "-1", "--format=%H", &range, "--", path])?.text();
        let Some(commit) = text.lines().next() else { return Ok(LineRangeChange::Untouched) };
        let commit = CommitId::try_from(commit)?;
        let spans = self.changed_spans(from, path)?;
        let Some(line) = line else { return Ok(LineRangeChange::Changed(commit)) };
        // Taken back again, or no text.
        if spans.is_empty() {
            return Ok(LineRangeChange::Untouched);
        }
        let is_near = |&(first, last): &(u64, u64)| {
            line.saturating_add(MARGIN) >= first && line <= last.saturating_add(MARGIN)
        };
        let is_changed = spans.iter().any(is_near);
        Ok(if is_changed { LineRangeChange::Changed(commit) } else { LineRangeChange::Elsewhere(commit) })
    }

    /// Returns the first and last lines of what differs, as they were numbered in the commit.
    fn changed_spans(&self, from: &CommitId, path: &str) -> Result<Vec<(u64, u64)>> {
        let options = ["diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"];
        let scope = [from.as_str(), "HEAD", "--", path];
        let output = self.workspace.ask(options.into_iter().chain(scope))?;
        Ok(output.text().lines().filter_map(parse_hunk_range).collect())
    }

    /// Returns the messages of the commits that are on HEAD and not on a commit, oldest first; merges left out, since
    /// git writes what they say.
    pub fn messages_since(&self, commit: &CommitId) -> Result<Vec<String>> {
        let range = format!("{commit}..HEAD");
        let words = ["log", "-z", "--reverse", "--no-merges", "--format=%B", MOST_MESSAGES, &range, "--"];
        let text = self.workspace.ask(words)?.text();
        Ok(text.split('\0').filter(|message| !message.trim().is_empty()).map(str::to_owned).collect())
    }

    /// Returns what the commits after one up to another say; nothing where one holds other things than we write, or where
    /// they are too long.
    pub fn commit_texts(&self, after: &CommitId, to: &CommitId) -> Result<Option<Vec<CommitText>>> {
        let ids =
            self.workspace.ask(["rev-list", MOST_TEXTS, to.as_str(), &format!("^{after}"), "--"])?.stdout;
        let call = Call::new(["cat-file", "--batch"]).stdin(ids).with_limit(LONGEST_TEXTS).read_only();
        let output = self.workspace.run(&call)?;
        Ok(if output.truncated { None } else { parse_commit_texts(&output.stdout) })
    }

    /// Returns author and committer of what is committed here now, each as `Name <mail>`.
    pub fn identities(&self) -> Result<(String, String)> {
        let asked = |name: &str| {
            let output = self.workspace.ask(["var", name])?;
            let nobody =
                || Error::Unexpected { command: output.command.clone(), detail: "nobody".to_owned() };
            strip_time(&output.text()).map(str::to_owned).ok_or_else(nobody)
        };
        Ok((asked("GIT_AUTHOR_IDENT")?, asked("GIT_COMMITTER_IDENT")?))
    }

    /// Checks that git knows who commits.
    pub fn check_identity(&self) -> Result<()> {
        let output = self.workspace.try_ask(["var", "GIT_COMMITTER_IDENT"])?;
        if output.succeeded() { Ok(()) } else { Err(Error::NoIdentity { detail: reason(&output.stderr()) }) }
    }

    /// Returns the authors and co-authors of the commits on top of a commit, without the present author, oldest first, each
    /// once. The commits that a merge brought in do not count.
    pub fn other_authors(&self, base: &CommitId) -> Result<Vec<Signature>> {
        let myself = self.workspace.ask(["var", "GIT_AUTHOR_IDENT"])?.text();
        let mut known: BTreeSet<String> = BTreeSet::new();
        known.extend(Signature::read(&myself).map(|author| author.mail.to_lowercase()));
        let range = format!("{base}..HEAD");
        let options = ["log", "-z", "--reverse", "--first-parent", "--no-merges", "--format=%an <%ae>%n%B"];
        let text = self.workspace.ask(options.into_iter().chain([MOST_AUTHORED, &range, "--"]))?.text();
        let commits = text.split('\0').filter_map(|commit| commit.split_once('\n'));
        let theirs = commits.filter(|(_, message)| !is_ours(message));
        let co_authors = |message: &str| message.lines().filter_map(parse_co_author).collect::<Vec<_>>();
        let all = theirs
            .flat_map(|(author, message)| Signature::read(author).into_iter().chain(co_authors(message)));
        Ok(all.filter(|author| known.insert(author.mail.to_lowercase())).collect())
    }
}

/// Reads the texts of all commits of an answer of `cat-file --batch`.
fn parse_commit_texts(answer: &[u8]) -> Option<Vec<CommitText>> {
    let commits = parse_batch(answer, "commit")?;
    commits.into_iter().map(|(id, text)| parse_commit_text(id, std::str::from_utf8(text).ok()?)).collect()
}

fn parse_commit_text(commit: &str, text: &str) -> Option<CommitText> {
    let (head, message) = text.split_once("\n\n")?;
    let mut lines = head.lines();
    lines.next()?.strip_prefix("tree ")?;
    lines.next()?.strip_prefix("parent ")?;
    let author = strip_time(lines.next()?.strip_prefix("author ")?)?;
    let committer = strip_time(lines.next()?.strip_prefix("committer ")?)?;
    let is_signature = |line: &str| line.starts_with("gpgsig") || line.starts_with(' ');
    if !lines.all(is_signature) {
        return None;
    }
    Some(CommitText {
        commit: commit.to_owned(),
        author: author.to_owned(),
        committer: committer.to_owned(),
        message: message.to_owned(),
        whole: text.to_owned(),
    })
}

/// Returns `Name <mail>` without the time behind it.
fn strip_time(text: &str) -> Option<&str> {
    text.rfind('>').map(|end| &text[..=end])
}

fn is_ours(message: &str) -> bool {
    message.starts_with(OUR_SUBJECT) || Trailers::read(message).is_some()
}

fn parse_co_author(line: &str) -> Option<Signature> {
    let (key, rest) = line.split_at_checked(CO_AUTHOR.len())?;
    if key.eq_ignore_ascii_case(CO_AUTHOR) { Signature::read(rest) } else { None }
}

/// Reads `@@ -3,2 +3,4 @@`: what was there before.
fn parse_hunk_range(line: &str) -> Option<(u64, u64)> {
    let (before, _) = line.strip_prefix("@@ -")?.split_once(' ')?;
    let (first, count) = before.split_once(',').unwrap_or((before, "1"));
    let (first, count): (u64, u64) = (first.parse().ok()?, count.parse().ok()?);
    Some((first, first + count.saturating_sub(1)))
}

/// Returns the reason in git's errors, without the advice that git adds.
fn reason(errors: &str) -> String {
    let fatal = errors.lines().rev().find_map(|line| line.strip_prefix("fatal: "));
    fatal.unwrap_or("no name or address is set").to_owned()
}

#[cfg(test)]
mod tests;
