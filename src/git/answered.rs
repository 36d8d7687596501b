//! What became of a place since a commit: whether its lines changed, and which commit changed its file last.

use super::call::Call;
use super::names::CommitId;
use super::{Result, Workspace};

/// So many lines around a place belong to it.
const MARGIN: u64 = 3;

/// What became of a place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Became {
    /// Nothing changed in the file.
    Untouched,
    /// The file changed, these lines did not.
    Elsewhere(CommitId),
    Changed(CommitId),
}

impl Workspace {
    /// Returns what became of a line of a file, or of the whole file, between a commit and HEAD.
    pub fn became(&self, from: &CommitId, path: &str, line: Option<u64>) -> Result<Became> {
        let range = format!("{from}..HEAD");
        let call = Call::new(["log", "-1", "--format=%H", &range, "--"]).arg(path).reading();
        let Some(commit) = self.git(&call)?.text().lines().next().map(CommitId::try_from).transpose()? else {
            return Ok(Became::Untouched);
        };
        let spans = self.changed_spans(from, path)?;
        let near = |span: &(u64, u64), line: u64| {
            let (first, last) = *span;
            line.saturating_add(MARGIN) >= first && line <= last.saturating_add(MARGIN)
        };
        let changed = match line {
            None => true,
            Some(line) => spans.iter().any(|span| near(span, line)),
        };
        Ok(match (spans.is_empty(), changed) {
            // Taken back again, or no text.
            (true, _) if line.is_some() => Became::Untouched,
            (_, true) => Became::Changed(commit),
            (_, false) => Became::Elsewhere(commit),
        })
    }

    /// Returns the first and last lines of what differs, as they were numbered in the commit.
    fn changed_spans(&self, from: &CommitId, path: &str) -> Result<Vec<(u64, u64)>> {
        let call = Call::new(["diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv"])
            .args(["--no-renames", from.as_str(), "HEAD", "--"])
            .arg(path)
            .reading();
        let output = self.git(&call)?;
        Ok(output.text().lines().filter_map(span).collect())
    }
}

/// Reads `@@ -3,2 +3,4 @@`: what was there before.
fn span(line: &str) -> Option<(u64, u64)> {
    let (before, _) = line.strip_prefix("@@ -")?.split_once(' ')?;
    let (first, count) = before.split_once(',').unwrap_or((before, "1"));
    let (first, count): (u64, u64) = (first.parse().ok()?, count.parse().ok()?);
    Some((first, first + count.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_of_a_difference_says_which_lines_it_is_about() {
        for (line, expected) in [
            ("@@ -3,2 +3,4 @@ fn x()", Some((3, 4))),
            ("@@ -7 +7 @@", Some((7, 7))),
            ("@@ -7,0 +8,2 @@", Some((7, 7))),
            ("--- a/x", None),
            ("@@ broken", None),
        ] {
            assert_eq!(span(line), expected, "{line}");
        }
    }
}
