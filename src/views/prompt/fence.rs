//! Text from outside as data: cleaned of what no reader sees, cut to a length, and put into a fence that it cannot close, with
//! a line that says where it comes from. The fence is longer than any run of backticks inside, and the marks around it are
//! made anew for every prompt or run.

use crate::text::{clean, line};
use model::text::{head, tail};

/// The longest text of several lines that a tool gives.
pub(super) const TOOL_TEXT: Truncation = Truncation::End(8 * 1024);

/// How much of a text that is too long is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Truncation {
    /// The first bytes: the point comes first.
    Start(usize),
    /// The last bytes: what a command said last counts most.
    End(usize),
}

/// Returns a text in its fence, or nothing when there is no text.
fn block(mark: &str, source: &str, raw: &str, keep: Truncation) -> String {
    let cleaned = clean(raw).replace(mark, "[mark]");
    let text = cut(cleaned.trim_matches('\n'), keep);
    if text.trim().is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    format!("[data {mark}: {source}]\n{fence}\n{text}\n{fence}\n[end of data {mark}]")
}

/// Returns a text that is not too long, with a line that says how much is missing.
pub(super) fn cut(text: &str, keep: Truncation) -> String {
    match keep {
        Truncation::Start(most) if text.len() > most => {
            let kept = head(text, most);
            format!("{kept}\n[truncated {} bytes]", text.len() - kept.len())
        }
        Truncation::End(most) if text.len() > most => {
            let kept = tail(text, most);
            format!("[truncated {} bytes]\n{kept}", text.len() - kept.len())
        }
        Truncation::Start(_) | Truncation::End(_) => text.to_owned(),
    }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// The marks around data in one prompt: that of the call, and that of the run.
#[derive(Clone, Copy)]
pub(super) struct FenceMarks<'a> {
    pub(super) call: &'a str,
    pub(super) run: &'a str,
}

impl FenceMarks<'_> {
    /// Returns a text in a fence with the mark of the call.
    pub(super) fn block(&self, source: &str, raw: &str, keep: Truncation) -> String {
        block(self.call, source, &self.remove_marks(raw), keep)
    }

    /// Returns a text in a fence with the mark of the run, so that prompts of the run have the same bytes there.
    pub(super) fn block_of_run(&self, source: &str, raw: &str, keep: Truncation) -> String {
        block(self.run, source, &self.remove_marks(raw), keep)
    }

    /// Returns a foreign text as one short line that may stand anywhere.
    pub(super) fn line(&self, raw: &str) -> String {
        remove_fences(&line(&self.remove_marks(raw)))
    }

    /// Returns a foreign text of several lines that may stand inside a fence.
    pub(super) fn text(&self, raw: &str) -> String {
        let text = cut(clean(&self.remove_marks(raw)).trim_matches('\n'), TOOL_TEXT);
        remove_fences(&text)
    }

    /// Takes both marks out of a text. Cleaned first: a hidden character must not hide a mark.
    fn remove_marks(&self, raw: &str) -> String {
        clean(raw).replace(self.call, "[mark]").replace(self.run, "[mark]")
    }
}

/// Returns a text without runs of three or more backticks or tildes, which could open or close a fence.
fn remove_fences(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let (mut last, mut run) = (' ', 0);
    for c in text.chars() {
        run = if c == last && matches!(c, '`' | '~') { run + 1 } else { 1 };
        if run == 3 {
            whole.push(' ');
            run = 1;
        }
        whole.push(c);
        last = c;
    }
    whole
}

#[cfg(test)]
mod tests;
