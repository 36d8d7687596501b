//! Reads the session file of a call, while it works and after its end: version, model, turns, totals, and the class of an
//! error, which the events do not name. Only fields at the top of a line count. From a missing file nothing is known.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;

use crate::json_lines::{JsonLines, sanitize_name, text};

/// How many folders of days are looked through, the newest first.
const MOST_DAYS: usize = 400;
/// How many bytes of the file are read at its end.
const MOST_BYTES: u64 = 1024 * 1024 * 1024;
/// How many times in a row a file that is not there is looked for; after that only every so many times.
const LOOKUPS: usize = 50;
/// From this percentage on a limit is reached.
const FULL: f64 = 100.0;

/// Input, cached input and output, in tokens.
pub(super) type TurnTokens = [Option<f64>; 3];

/// Returns the tokens of a usage object; nothing when it is none.
pub(super) fn turn_tokens(usage: &Value) -> Option<TurnTokens> {
    let usage = usage.as_object()?;
    Some(["input_tokens", "cached_input_tokens", "output_tokens"].map(|name| usage.get(name)?.as_f64()))
}

/// What the session file says about the last turn.
#[derive(Debug, Default, PartialEq)]
pub(super) struct SessionRecord {
    /// The version of the program.
    pub version: Option<String>,
    /// The model that was asked.
    pub model: Option<String>,
    /// How often the model was asked.
    pub turns: u64,
    /// The totals of the session.
    pub total: Option<TurnTokens>,
    /// The same after the last request after which the model went on.
    pub settled: Option<TurnTokens>,
    /// The model has called a tool since the last total.
    calls_tool: bool,
    /// The class of the error that ended the turn.
    pub error: Option<String>,
    /// The status of HTTP that came with the error.
    pub status: Option<u64>,
    /// The tool that was called last.
    pub last_tool: String,
    /// When the limit that is reached ends.
    pub resets_at: Option<Timestamp>,
}

impl SessionRecord {
    fn parse(source: impl Read) -> Self {
        let mut record = Self::default();
        record.extend(source, &mut JsonLines::default());
        record
    }

    /// Takes what the source holds by now.
    fn extend(&mut self, mut source: impl Read, lines: &mut JsonLines) {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = source.read(&mut buffer) {
            for entry in lines.push(&buffer[..length]) {
                self.handle_entry(&entry);
            }
        }
    }

    fn handle_entry(&mut self, entry: &Value) {
        let payload = &entry["payload"];
        if !payload.is_object() {
            return;
        }
        match (text(entry, "type"), text(payload, "type")) {
            ("session_meta", _) => self.version = sanitize_name(text(payload, "cli_version")),
            ("turn_context", _) => self.model = sanitize_name(text(payload, "model")),
            ("event_msg", "task_started") => {
                *self = Self { version: self.version.take(), model: self.model.take(), ..Self::default() };
            }
            ("event_msg", "token_count") => self.handle_token_count(payload),
            ("event_msg", "task_complete") => self.handle_task_complete(payload),
            ("response_item", "function_call" | "custom_tool_call") => {
                text(payload, "name").clone_into(&mut self.last_tool);
                self.calls_tool = true;
            }
            _ => {}
        }
    }

    fn handle_token_count(&mut self, payload: &Value) {
        let total = turn_tokens(&payload["info"]["total_token_usage"]);
        self.turns += u64::from(total.is_some());
        // A total that is repeated says nothing new.
        if total.is_some() && total != self.total {
            self.settled = if self.calls_tool { total } else { self.total };
            self.total = total;
            self.calls_tool = false;
        }
        let windows = ["primary", "secondary"].map(|window| &payload["rate_limits"][window]);
        let full = windows
            .into_iter()
            .filter(|window| window["used_percent"].as_f64().is_some_and(|used| used >= FULL));
        let ends = full.filter_map(|window| window["resets_at"].as_i64());
        self.resets_at = ends.max().and_then(|seconds| Timestamp::from_second(seconds).ok());
    }

    fn handle_task_complete(&mut self, payload: &Value) {
        match &payload["error"]["codex_error_info"] {
            Value::String(class) => self.error = sanitize_name(class),
            Value::Object(class) => {
                self.error = class.keys().next().and_then(|class| sanitize_name(class));
                self.status = class.values().next().and_then(|more| more["http_status_code"].as_u64());
            }
            _ => {}
        }
    }
}

/// The session files of the program; the file of the call is followed while the program writes it.
#[derive(Default)]
pub(super) struct SessionFiles {
    /// The folder that holds them, where it is known.
    folder: Option<PathBuf>,
    followed: Option<File>,
    lines: JsonLines,
    record: SessionRecord,
    lookups: usize,
}

impl SessionFiles {
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, ..Self::default() }
    }

    /// Reads the whole file of a session.
    pub(super) fn read(&self, session: &str) -> SessionRecord {
        self.open(session).map(|file| SessionRecord::parse(file.take(MOST_BYTES))).unwrap_or_default()
    }

    /// Returns what the file says by now; one that is not there yet is looked for from time to time.
    pub(super) fn follow(&mut self, session: &str) -> &SessionRecord {
        if self.followed.is_none() && (self.lookups < LOOKUPS || self.lookups.is_multiple_of(LOOKUPS)) {
            self.followed = self.open(session);
        }
        self.lookups += 1;
        if let Some(file) = &self.followed {
            self.record.extend(file, &mut self.lines);
        }
        &self.record
    }

    fn open(&self, session: &str) -> Option<File> {
        File::open(find_session_file(self.folder.as_deref()?, session)?).ok()
    }
}

/// Finds the file in `YEAR/MONTH/DAY/`; a session that is continued stays where it began.
fn find_session_file(sessions: &Path, session: &str) -> Option<PathBuf> {
    let ending = format!("-{session}.jsonl");
    let days =
        list_newest(sessions).flat_map(|year| list_newest(&year)).flat_map(|month| list_newest(&month));
    days.take(MOST_DAYS).flat_map(|day| list_newest(&day)).find(|file| {
        file.file_name().is_some_and(|name| name.to_string_lossy().ends_with(&ending)) && file.is_file()
    })
}

fn list_newest(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let mut entries: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort_unstable_by(|one, other| other.cmp(one));
    entries.into_iter()
}

#[cfg(test)]
mod tests;
