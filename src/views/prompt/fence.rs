//! Text from outside as data: cleaned of what no reader sees, cut to a length, and put into a fence that it cannot close, with
//! a line that says where it comes from. The fence is longer than any run of backticks inside, and the marks around it are
//! made anew for every prompt or run.

/// The longest title, path or other text of one line, in characters.
const LONGEST_LINE: usize = 256;
/// The longest text of several lines that a tool gives.
pub(super) const TOOL_TEXT: Keep = Keep::End(8 * 1024);

/// How much of a text that is too long is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// The first bytes: the point comes first.
    Start(usize),
    /// The last bytes: what a command said last counts most.
    End(usize),
}

/// Returns a text in its fence, or nothing when there is no text.
fn block(mark: &str, source: &str, raw: &str, keep: Keep) -> String {
    let cleaned = clean(raw).replace(mark, "[mark]");
    let text = cut(cleaned.trim_matches('\n'), keep);
    if text.trim().is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    format!("[data {mark}: {source}]\n{fence}\n{text}\n{fence}\n[end of data {mark}]")
}

/// Returns a text that is not too long, with a line that says how much is missing.
pub(super) fn cut(text: &str, keep: Keep) -> String {
    match keep {
        Keep::Start(most) if text.len() > most => {
            let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let kept = &text[..end];
            format!("{kept}\n[truncated {} bytes]", text.len() - kept.len())
        }
        Keep::End(most) if text.len() > most => {
            let start =
                (text.len() - most..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
            let kept = &text[start..];
            format!("[truncated {} bytes]\n{kept}", text.len() - kept.len())
        }
        Keep::Start(_) | Keep::End(_) => text.to_owned(),
    }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// The marks around data in one prompt: that of the call, and that of the run.
#[derive(Clone, Copy)]
pub(super) struct Marks<'a> {
    pub(super) call: &'a str,
    pub(super) run: &'a str,
}

impl Marks<'_> {
    /// Returns a text in a fence with the mark of the call.
    pub(super) fn block(&self, source: &str, raw: &str, keep: Keep) -> String {
        block(self.call, source, &self.without(raw), keep)
    }

    /// Returns a text in a fence with the mark of the run, so that prompts of the run have the same bytes there.
    pub(super) fn block_of_run(&self, source: &str, raw: &str, keep: Keep) -> String {
        block(self.run, source, &self.without(raw), keep)
    }

    /// Returns a foreign text as one short line that may stand anywhere.
    pub(super) fn line(&self, raw: &str) -> String {
        unfenced(&line(&self.without(raw)))
    }

    /// Returns a foreign text of several lines that may stand inside a fence.
    pub(super) fn text(&self, raw: &str) -> String {
        let text = cut(clean(&self.without(raw)).trim_matches('\n'), TOOL_TEXT);
        unfenced(&text)
    }

    /// Takes both marks out of a text. Cleaned first: a hidden character must not hide a mark.
    fn without(&self, raw: &str) -> String {
        clean(raw).replace(self.call, "[mark]").replace(self.run, "[mark]")
    }
}

/// Returns a text with `\n` and tabs as its only control characters, and without characters that hide or reorder others.
pub(super) fn clean(raw: &str) -> String {
    raw.chars().filter(|c| matches!(c, '\n' | '\t') || !(c.is_control() || hides(*c))).collect()
}

/// Returns a text as one short line.
pub(super) fn line(raw: &str) -> String {
    let spaced = raw.replace(['\n', '\t'], " ");
    let cleaned = clean(&spaced);
    let mut letters = cleaned.trim().chars();
    let mut short: String = letters.by_ref().take(LONGEST_LINE).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

/// Returns a text without runs of three or more backticks or tildes, which could open or close a fence.
fn unfenced(text: &str) -> String {
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

/// Tells whether a character changes the order of others or is made to be invisible: bidirectional controls and tags.
fn hides(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{E0000}'..='\u{E007F}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests;
