//! Reads the session file of a call, while it works and after its end: version, model, turns, totals, and the class of an
//! error, which the events do not tell. Only what stands at the top of a line counts. A file that is not there tells nothing.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::lines::Lines;
use crate::names::name;

/// How many folders of days are looked through, the newest first.
const DAYS: usize = 400;
/// How much of the file is looked at.
const MOST: u64 = 1024 * 1024 * 1024;
/// How often a file that is not there is looked for; after that only at one of so many looks.
const LOOKS: usize = 50;
/// A limit is reached from this on.
const FULL: f64 = 100.0;

/// What the session file says about the last turn.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Record {
    pub version: Option<String>,
    pub model: Option<String>,
    /// How often the model was asked.
    pub turns: u64,
    /// The totals of the session: input, cached input, output.
    pub total: Option<[Option<f64>; 3]>,
    /// The same after the last request after which the model went on.
    pub settled: Option<[Option<f64>; 3]>,
    /// The model has called a tool since the last total.
    calls_tool: bool,
    /// The class of the error that ended the turn.
    pub error: Option<String>,
    pub status: Option<u64>,
    pub last_tool: String,
    pub resets_at: Option<Timestamp>,
}

impl Record {
    /// Reads the file of a session.
    pub(super) fn read(sessions: &Path, session: &str) -> Self {
        let file = find(sessions, session).and_then(|path| File::open(path).ok());
        file.map(|file| Self::listen(file.take(MOST))).unwrap_or_default()
    }

    fn listen(source: impl Read) -> Self {
        let mut record = Self::default();
        record.take(source, &mut Lines::default());
        record
    }

    /// Takes what is there now.
    fn take(&mut self, mut source: impl Read, lines: &mut Lines) {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = source.read(&mut buffer) {
            for line in lines.take(&buffer[..length]) {
                self.line(&line.text);
            }
        }
    }

    fn line(&mut self, line: &str) {
        let Ok(Value::Object(entry)) = serde_json::from_str(line) else { return };
        let Some(Value::Object(payload)) = entry.get("payload") else { return };
        match (text(&entry, "type"), text(payload, "type")) {
            ("session_meta", _) => self.version = name(text(payload, "cli_version")),
            ("turn_context", _) => self.model = name(text(payload, "model")),
            ("event_msg", "task_started") => self.begin_turn(),
            ("event_msg", "token_count") => self.count(payload),
            ("event_msg", "task_complete") => self.complete(payload),
            ("response_item", "function_call" | "custom_tool_call") => {
                text(payload, "name").clone_into(&mut self.last_tool);
                self.calls_tool = true;
            }
            _ => {}
        }
    }

    fn begin_turn(&mut self) {
        *self = Self { version: self.version.take(), model: self.model.take(), ..Self::default() };
    }

    fn count(&mut self, payload: &Map<String, Value>) {
        if let Some(Value::Object(total)) = payload.get("info").and_then(|info| info.get("total_token_usage"))
        {
            self.turns += 1;
            self.add_up(tokens(total));
        }
        let windows = ["primary", "secondary"].map(|window| payload.get("rate_limits")?.get(window));
        let full = |window: &&Value| window["used_percent"].as_f64().is_some_and(|used| used >= FULL);
        let ends =
            windows.into_iter().flatten().filter(full).filter_map(|window| window["resets_at"].as_i64());
        self.resets_at = ends.max().and_then(|seconds| Timestamp::from_second(seconds).ok());
    }

    /// A total that is told once more says nothing new.
    fn add_up(&mut self, total: [Option<f64>; 3]) {
        let total = Some(total);
        if total != self.total {
            self.settled = if self.calls_tool { total } else { self.total };
            (self.total, self.calls_tool) = (total, false);
        }
    }

    fn complete(&mut self, payload: &Map<String, Value>) {
        match payload.get("error").and_then(|error| error.get("codex_error_info")) {
            Some(Value::String(class)) => self.error = name(class),
            Some(Value::Object(class)) => {
                self.error = class.keys().next().and_then(|class| name(class));
                self.status = class.values().next().and_then(|more| more.get("http_status_code")?.as_u64());
            }
            _ => {}
        }
    }
}

/// Follows the file of a session while the program writes it.
#[derive(Default)]
pub(super) struct Follower {
    source: Option<File>,
    lines: Lines,
    record: Record,
    looks: usize,
}

impl Follower {
    /// Returns what the file says by now; one that is not there yet is looked for from time to time.
    pub(super) fn look(&mut self, sessions: &Path, session: &str) -> &Record {
        if self.source.is_none() && (self.looks < LOOKS || self.looks.is_multiple_of(LOOKS)) {
            self.source = find(sessions, session).and_then(|path| File::open(path).ok());
        }
        self.looks += 1;
        if let Some(source) = &self.source {
            self.record.take(source, &mut self.lines);
        }
        &self.record
    }
}

/// Returns input, cached input and output of a usage object.
pub(super) fn tokens(usage: &Map<String, Value>) -> [Option<f64>; 3] {
    ["input_tokens", "cached_input_tokens", "output_tokens"].map(|name| usage.get(name)?.as_f64())
}

/// Returns a field that is a text, or nothing.
pub(super) fn text<'a>(object: &'a Map<String, Value>, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Finds the file in `YEAR/MONTH/DAY/`; a session that is continued stays where it began.
fn find(sessions: &Path, session: &str) -> Option<PathBuf> {
    let ending = format!("-{session}.jsonl");
    let days =
        newest_first(sessions).flat_map(|year| newest_first(&year)).flat_map(|month| newest_first(&month));
    days.take(DAYS).flat_map(|day| newest_first(&day)).find(|file| {
        file.file_name().is_some_and(|name| name.to_string_lossy().ends_with(&ending)) && file.is_file()
    })
}

fn newest_first(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let mut entries: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort_unstable_by(|one, other| other.cmp(one));
    entries.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listened(lines: &[&str]) -> Record {
        Record::listen((lines.join("\n") + "\n").as_bytes())
    }

    #[test]
    fn the_last_turn_counts_and_the_totals_are_the_sessions() {
        let record = listened(&[
            r#"{"type":"session_meta","payload":{"cli_version":"1.2.3"}}"#,
            r#"{"type":"event_msg","payload":{"type":"task_started"}}"#,
            r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":7,"output_tokens":1}}}}"#,
            r#"{"type":"event_msg","payload":{"type":"task_complete","error":{"codex_error_info":"other"}}}"#,
            r#"{"type":"event_msg","payload":{"type":"task_started"}}"#,
            r#"{"type":"turn_context","payload":{"model":"gpt-9"}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call","name":"exec_command"}}"#,
            r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":9,"cached_input_tokens":3,"output_tokens":2}}}}"#,
            r#"{"type":"event_msg","payload":{"type":"task_complete"}}"#,
        ]);
        let expected = Record {
            version: Some("1.2.3".into()),
            model: Some("gpt-9".into()),
            turns: 1,
            total: Some([Some(9.0), Some(3.0), Some(2.0)]),
            settled: Some([Some(9.0), Some(3.0), Some(2.0)]),
            last_tool: "exec_command".into(),
            ..Record::default()
        };
        assert_eq!(record, expected);
    }

    #[test]
    fn a_file_that_grows_is_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let day = folder.path().join("2026/01/31");
        fs::create_dir_all(&day).expect("a day");
        let count = |tokens: f64| {
            let total = format!(r#"{{"total_token_usage":{{"input_tokens":{tokens}}}}}"#);
            format!(r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{total}}}}}"#)
        };
        let (mut follower, mut text) = (Follower::default(), String::new());
        for tokens in [7.0, 9.0] {
            text += &(count(tokens) + "\n");
            fs::write(day.join("rollout-x-a-1.jsonl"), &text).expect("a file");
            let total = follower.look(folder.path(), "a-1").total;
            assert_eq!(total.and_then(|[input, ..]| input), Some(tokens));
        }
        assert_eq!(follower.record.turns, 2);
    }

    #[test]
    fn an_error_has_its_class_and_its_status_and_a_full_window_its_end() {
        let record = listened(&[
            r#"{"type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":{"primary":{"used_percent":100.0,"resets_at":1795300000},"secondary":{"used_percent":12,"resets_at":1799999999}}}}"#,
            r#"{"type":"event_msg","payload":{"type":"task_complete","error":{"codex_error_info":{"http_connection_failed":{"http_status_code":401}}}}}"#,
        ]);
        let expected = Record {
            error: Some("http_connection_failed".into()),
            status: Some(401),
            resets_at: Timestamp::from_second(1_795_300_000).ok(),
            ..Record::default()
        };
        assert_eq!(record, expected);
    }

    #[test]
    fn what_a_tool_printed_is_no_entry() {
        let quoted = r#"{"type":"response_item","payload":{"type":"function_call_output","output":"{\"type\":\"event_msg\",\"payload\":{\"type\":\"task_complete\",\"error\":{\"codex_error_info\":\"unauthorized\"}}}"}}"#;
        assert_eq!(listened(&[quoted, "rubbish", "[]", "{}"]), Record::default());
    }

    #[test]
    fn a_session_is_found_by_its_name_and_a_missing_one_tells_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let day = folder.path().join("2026/01/31");
        fs::create_dir_all(&day).expect("a day");
        fs::write(
            day.join("rollout-x-a-1.jsonl"),
            r#"{"type":"session_meta","payload":{"cli_version":"1"}}"#.to_owned() + "\n",
        )
        .expect("a file");
        assert_eq!(Record::read(folder.path(), "a-1").version.as_deref(), Some("1"));
        assert_eq!(Record::read(folder.path(), "a-2"), Record::default());
        assert_eq!(Record::read(Path::new("/no/such/folder"), "a-1"), Record::default());
    }
}
