//! Finds text in what git calls binary: a single NUL, and the name of a picture, would hide code from every reviewer.
//! By content, not by name.

use std::collections::BTreeSet;

use super::diff::{Diff, diff_call, is_picture_or_archive};
use super::{IssueSpace, Result, Tree};
use model::change::{Change, Content};

impl IssueSpace {
    /// Adds the text of files that git takes for binary to a difference, as far as they are text. Those in an encoding that
    /// a difference cannot show are named.
    pub(super) fn show_disguised(
        &self,
        diff: &mut Diff,
        left_out: &[String],
        from: &str,
        to: &Tree,
        limit: usize,
    ) -> Result<()> {
        let binaries = self.binaries(left_out, from, to)?;
        let changes = self.changes_between(&Tree::try_from(from)?, to, &binaries)?;
        let wide = changes.iter().filter(|change| is_wide(change)).map(|change| change.path.clone());
        diff.not_shown.extend(wide.filter(|path| is_picture_or_archive(path)));
        let texts = changes.iter().filter(|change| is_text(change)).map(|change| &change.path);
        let texts: BTreeSet<&String> = texts.collect();
        if texts.is_empty() {
            return Ok(());
        }
        let paths: Vec<String> = texts.iter().map(|path| format!(":(top,literal){path}")).collect();
        let room = limit.saturating_sub(diff.text.len());
        let more = self.read_diff(diff_call(&["--text", "--no-renames"], from, to, &paths), room)?;
        diff.not_shown.retain(|file| !texts.contains(file));
        diff.text.push_str(&more.text);
        diff.truncated |= more.truncated;
        Ok(())
    }

    /// Returns the paths of which git counts no lines.
    fn binaries(&self, left_out: &[String], from: &str, to: &Tree) -> Result<BTreeSet<String>> {
        let call = diff_call(&["--numstat", "-z", "--no-renames"], from, to, left_out);
        let counted = self.git_without_files(call)?.text();
        let binary = counted.split('\0').filter_map(|entry| entry.strip_prefix("-\t-\t"));
        Ok(binary.map(str::to_owned).collect())
    }
}

fn is_text(change: &Change) -> bool {
    let after = change.after.as_ref().map(|after| &after.content);
    matches!(after, Some(Content::Binary(bytes)) if std::str::from_utf8(bytes).is_ok())
}

fn is_wide(change: &Change) -> bool {
    change.after.as_ref().is_some_and(|after| after.content.text().is_some())
}
