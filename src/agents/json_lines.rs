//! Reads output that is one JSON object per line, as it comes, and the texts in such objects. A line that is too long is
//! cut and marked, so that no line costs more than its limit; what is not UTF-8 is replaced; what is no object is
//! ignored. Knows nothing of what the objects mean.

use serde_json::Value;

/// How many bytes a line gets. An event with a whole file in it is shorter; what is longer is no event that we need.
pub(super) const LINE_LIMIT: usize = 4 * 1024 * 1024;
/// How many characters the name of a session, model or version gets.
const NAME_LIMIT: usize = 128;

/// Splits output into objects.
#[derive(Debug, Default)]
pub(super) struct JsonLines {
    lines: LineSplitter,
    /// A line was too long to be read.
    pub has_cut: bool,
}

impl JsonLines {
    /// Takes output and returns the objects that its complete lines are; an end of line completes the last one.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<Value> {
        let mut objects = Vec::new();
        for line in self.lines.push(bytes) {
            let object = serde_json::from_str(&line.text).ok().filter(Value::is_object);
            self.has_cut |= line.is_cut && object.is_none();
            objects.extend(object);
        }
        objects
    }
}

/// One line without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// The line as text.
    pub text: String,
    /// The line was longer; this is its beginning.
    pub is_cut: bool,
}

/// Splits output into lines.
#[derive(Debug)]
pub(super) struct LineSplitter {
    /// The line that has no end yet.
    unfinished: Vec<u8>,
    is_cut: bool,
    limit: usize,
}

impl Default for LineSplitter {
    fn default() -> Self {
        Self::new(LINE_LIMIT)
    }
}

impl LineSplitter {
    /// Splits into lines of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { unfinished: Vec::new(), is_cut: false, limit }
    }

    /// Takes output and returns the lines that it completes; blank ones are left out.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.extend(&rest[..end]);
            lines.extend(self.finish());
            rest = &rest[end + 1..];
        }
        self.extend(rest);
        lines
    }

    /// Returns the line that has no end yet, unless it is blank.
    fn finish(&mut self) -> Option<Line> {
        let bytes = std::mem::take(&mut self.unfinished);
        let is_cut = std::mem::take(&mut self.is_cut);
        let text = String::from_utf8_lossy(&bytes).trim_end_matches('\r').to_owned();
        if text.is_empty() { None } else { Some(Line { text, is_cut }) }
    }

    fn extend(&mut self, bytes: &[u8]) {
        let free = self.limit - self.unfinished.len();
        self.is_cut |= bytes.len() > free;
        self.unfinished.extend_from_slice(&bytes[..free.min(bytes.len())]);
    }
}

/// Returns a field that is a text; an empty text when it is missing or something else.
pub(super) fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object[name].as_str().unwrap_or_default()
}

/// Returns the elements of a field that is a list; none when it is missing or something else.
pub(super) fn list<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Returns a session id that can stand on a command line, where nothing may look like a flag.
pub(super) fn session_id(text: &str) -> Option<&str> {
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let is_word = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    if is_plain && is_word && text.len() <= NAME_LIMIT { Some(text) } else { None }
}

/// Returns a name that a program gives (a model, a version) without control characters and not too long; nothing when
/// nothing is left. Whether it is right is not asked.
pub(super) fn sanitize_name(text: &str) -> Option<String> {
    let name: String = text.chars().filter(|c| !c.is_control()).take(NAME_LIMIT).collect();
    let name = name.trim();
    if name.is_empty() { None } else { Some(name.to_owned()) }
}

#[cfg(test)]
mod tests;
