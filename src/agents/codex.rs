//! Codex, headless. Checked with 0.169.0, the oldest version that is known to work.
//!
//! It relies on: the prompt on standard input, asked for by `-`; `--json`, one event per line; the last event
//! `turn.completed` or `turn.failed`; and the session file below `CODEX_HOME`, whose `task_complete` names the class
//! of an error, which the events do not. Without that file the status at the beginning of the program's own error
//! sentence is all there is.
//!
//! The sandbox of the program holds what its commands may do: a reviewer writes nowhere, an author in the worktree and
//! in a folder of this call for temporary files; none reaches the network, and the folders of git are read-only. No
//! settings of the user count, and none of the repository: it is not trusted, so that neither its hooks nor its servers
//! start. Limits of turns and of cost cannot be handed on: the program has none.

mod session;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::time::Instant;

use content_parser::read_object;
use model::event::{ExecOutcome, ReportedProgram, Usage};
use process::{Environment, Launch, ProgramEnd, ProgramExit, Stream, TOOLCHAINS};

use super::call::{AgentAnswer, AgentCall, OutputParser, PreparedCall, error_class};
use super::json_lines::{JsonLines, list, sanitize_name, session_id, text};
use super::launch::{SignInVariables, make_launch, program_variables, read_api_key};
use super::lookup::ResolvedAgent;
use super::schema;
use super::transcript::Transcript;
use super::usage::{ReportedUsage, float, with_cost};
use session::{SessionFiles, SessionRecord, TurnTokens, turn_tokens};

/// The oldest version that is known to work; one that ends before it begins may be older.
pub(super) const OLDEST_VERSION: &str = "0.169.0";

/// What the program signs in with.
pub(super) const SIGN_IN: SignInVariables =
    SignInVariables { home: "CODEX_HOME", address: "OPENAI_BASE_URL", keys: &[KEY, "OPENAI_API_KEY"] };

/// The variable under which the program takes a key for one run.
const KEY: &str = "CODEX_API_KEY";

/// Features that are switched off: those that use the network, go on after the call, or come from the user's own setup.
/// With `unbounded_connection_retries` the program would wait for a missing provider without an end.
const SWITCHED_OFF: &str = include_str!("data/codex_switched_off.txt");

/// How often a provider that we name ourselves is asked again; for others the program knows no such limit.
const RETRIES: u32 = 1;

/// A tool that waits for a person.
const QUESTION_TOOL: &str = "request_user_input";
/// How the program's own sentence begins when a stream broke off.
const DISCONNECTED: &str = "stream disconnected before completion: ";
/// How many notices of the program are reported.
const MOST_NOTICES: usize = 5;
/// How long the program may go on reconnecting before it is ended; it may itself wait for an hour.
const MOST_RECONNECTING: Duration = Duration::from_secs(30);

/// Makes the launch and the parser of a call of this program.
pub(super) fn prepare(mut agent: ResolvedAgent, call: &AgentCall<'_>) -> Result<PreparedCall, String> {
    configure_environment(&mut agent)?;
    let temporary = tempfile::Builder::new().prefix("ai-workflow-").tempdir();
    let temporary = temporary.map_err(|error| format!("no folder for temporary files: {error}"))?;
    let sign_in = SIGN_IN.variables(&agent.profile);
    let mut launch = make_launch(&agent, &program_variables(&sign_in), call);
    let arguments = arguments(&agent, call, temporary.path(), &launch.environment)?;
    launch.arguments.extend(arguments);
    launch.stdout_limit = 0;
    let parser = CodexParser {
        has_begun: call.resumes.is_some(),
        schema: call.schema.cloned(),
        worktree: format!("{}/", call.worktree.display()),
        used_before: call.resumes.map(|resume| resume.used).unwrap_or_default(),
        model: agent.profile.model,
        sessions: SessionFiles::new(home_folder(&launch.environment).map(|home| home.join("sessions"))),
        _temporary: Some(temporary),
        ..CodexParser::default()
    };
    Ok((launch, Box::new(parser)))
}

/// Puts the key into the profile's environment.
pub(super) fn configure_environment(agent: &mut ResolvedAgent) -> Result<(), String> {
    if let Some(name) = &agent.profile.api_key_env {
        agent.profile.env.insert(KEY.to_owned(), read_api_key(name)?);
    }
    Ok(())
}

/// Returns the value of a variable that is set and not empty.
fn variable<'a>(environment: &'a Environment, name: &str) -> Option<&'a OsString> {
    environment.get(&OsString::from(name)).filter(|value| !value.is_empty())
}

/// Returns where the program keeps its settings and sessions.
fn home_folder(environment: &Environment) -> Option<PathBuf> {
    let home = variable(environment, "CODEX_HOME").map(PathBuf::from);
    home.or_else(|| Some(Path::new(variable(environment, "HOME")?).join(".codex")))
}

/// Writes the schema beside the raw file: the program takes it from a file only. Its service generates strictly and refuses
/// any other schema; the prompt asks for such a one in words.
fn write_schema(call: &AgentCall<'_>) -> Result<Option<PathBuf>, String> {
    let Some(schema) = call.schema.filter(|schema| schema::is_strict(schema)) else { return Ok(None) };
    let file = call.raw_file.with_file_name("schema.json");
    let file = std::path::absolute(&file).unwrap_or(file);
    let written = std::fs::write(&file, schema.to_string());
    written.map_err(|error| format!("the schema cannot be written to `{}`: {error}", file.display()))?;
    Ok(Some(file))
}

/// Returns the arguments of a call: the sandbox, what is switched off, and which limits are handed on.
fn arguments(
    agent: &ResolvedAgent,
    call: &AgentCall<'_>,
    temporary: &Path,
    environment: &Environment,
) -> Result<Vec<OsString>, String> {
    let mut arguments: Vec<OsString> =
        ["exec", "--json", "--skip-git-repo-check", "--ignore-user-config", "--ignore-rules"]
            .map(OsString::from)
            .into();
    for switch in SWITCHED_OFF.lines() {
        set_key(&mut arguments, switch, "false");
    }
    set_text(&mut arguments, "web_search", "disabled");
    set_text(&mut arguments, "shell_environment_policy.inherit", "core");
    if call.step.writes() {
        add_author_arguments(&mut arguments, temporary, environment);
    } else {
        // A reviewer does not get the instructions of the repository: an earlier agent may have written them.
        arguments.extend(["-s".into(), "read-only".into()]);
        set_key(&mut arguments, "project_doc_max_bytes", "0");
        set_key(&mut arguments, "skills.include_instructions", "false");
    }
    if let Some(model) = &agent.profile.model {
        set_text(&mut arguments, "model", model);
    }
    if let Some(effort) = &agent.profile.effort {
        set_text(&mut arguments, "model_reasoning_effort", effort);
    }
    if let Some(address) = &agent.profile.base_url {
        add_provider_arguments(&mut arguments, address, environment);
    }
    if let Some(schema) = write_schema(call)? {
        arguments.extend(["--output-schema".into(), schema.into()]);
    }
    if let Some(resume) = call.resumes {
        let session = session_id(&resume.session).ok_or("the session to continue has no good name")?;
        arguments.extend(["resume".into(), session.into()]);
    }
    arguments.push("-".into());
    Ok(arguments)
}

fn add_author_arguments(arguments: &mut Vec<OsString>, temporary: &Path, environment: &Environment) {
    let folder = temporary.display().to_string();
    arguments.extend(["-s".into(), "workspace-write".into()]);
    set_key(arguments, "sandbox_workspace_write.network_access", "false");
    set_key(arguments, "sandbox_workspace_write.exclude_slash_tmp", "true");
    set_key(arguments, "sandbox_workspace_write.exclude_tmpdir_env_var", "true");
    set_key(arguments, "sandbox_workspace_write.writable_roots", &format!("[{}]", quote(&folder)));
    set_text(arguments, "shell_environment_policy.set.TMPDIR", &folder);
    for name in TOOLCHAINS.iter() {
        if let Some(value) = environment.get(&OsString::from(name)).and_then(|value| value.to_str()) {
            set_text(arguments, &format!("shell_environment_policy.set.{name}"), value);
        }
    }
}

fn add_provider_arguments(arguments: &mut Vec<OsString>, address: &str, environment: &Environment) {
    let key = [KEY, "OPENAI_API_KEY"].into_iter().find(|name| variable(environment, name).is_some());
    let key = key.map(|key| format!("env_key={},", quote(key))).unwrap_or_default();
    let (name, address) = (quote("configured"), quote(address));
    let table = format!(
        "{{name={name},base_url={address},{key}wire_api=\"responses\",request_max_retries={RETRIES},stream_max_retries={RETRIES}}}"
    );
    set_text(arguments, "model_provider", "configured");
    set_key(arguments, "model_providers.configured", &table);
}

/// Sets a key of the program's configuration; the value is read as TOML.
fn set_key(arguments: &mut Vec<OsString>, key: &str, value: &str) {
    arguments.extend(["-c".into(), format!("{key}={value}").into()]);
}

/// Sets a key of the program's configuration to a text.
fn set_text(arguments: &mut Vec<OsString>, key: &str, text: &str) {
    set_key(arguments, key, &quote(text));
}

fn quote(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// The parser of the event stream. Only events at the top of a line count: what a command printed or the model quoted is
/// text inside of them. Unknown events and fields are kept in the raw file and otherwise ignored.
#[derive(Default)]
struct CodexParser {
    lines: JsonLines,
    /// The event `thread.started` came, or a session is continued.
    has_begun: bool,
    /// Whether the turn was completed or failed; the last event counts.
    end: Option<TurnEnd>,
    /// The program's own sentence about an error, also about one after which it tries again.
    error: String,
    session: Option<String>,
    /// The last message of the agent.
    answer: String,
    /// The totals of the session, as the last turn reports them.
    total: Option<TurnTokens>,
    notices: BTreeSet<String>,
    reconnects: Reconnects,
    schema: Option<Value>,
    /// The worktree with a slash at its end: what is shown leaves it out.
    worktree: String,
    /// What the continued session had used before.
    used_before: Usage,
    /// The model that was asked for.
    model: Option<String>,
    /// The session files of the program.
    sessions: SessionFiles,
    /// The folder for temporary files, which is removed with the call.
    _temporary: Option<TempDir>,
}

/// The end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnEnd {
    Completed,
    Failed,
}

impl OutputParser for CodexParser {
    fn push(&mut self, stream: Stream, bytes: &[u8], transcript: &mut Transcript<'_>) {
        transcript.keep(stream, bytes);
        if stream == Stream::Stdout {
            for event in self.lines.push(bytes) {
                self.handle_event(&event, transcript);
            }
        }
    }

    fn is_hopeless(&self) -> bool {
        self.reconnects.is_hopeless()
    }

    fn usage_so_far(&mut self) -> Usage {
        let (Some(session), None) = (&self.session, self.end) else { return Usage::default() };
        let record = self.sessions.follow(session);
        let model = record.model.as_ref().or(self.model.as_ref());
        call_usage(record.settled, &self.used_before, record.turns, model).0
    }

    fn finish(
        mut self: Box<Self>,
        launch: &Launch,
        end: ProgramEnd,
        transcript: &mut Transcript<'_>,
    ) -> AgentAnswer {
        let gave_up = self.is_hopeless();
        // The last line may lack its end.
        for event in self.lines.push(b"\n") {
            self.handle_event(&event, transcript);
        }
        if self.lines.has_cut {
            self.notices.insert("an event of the agent was too long to be read".to_owned());
        }
        let record = self.session.as_deref().map(|id| self.sessions.read(id)).unwrap_or_default();
        let outcome = self.outcome(&record, launch, &end, gave_up);
        // An answer that names a key twice is no object: it is not known which of the two counts.
        let object = read_object(&self.answer).into();
        let outcome = outcome.with_text(&self.answer, &object, self.schema.as_ref());
        let total = self.total.or(record.total);
        let model = record.model.or(self.model);
        let (usage, dropped) = call_usage(total, &self.used_before, record.turns, model.as_ref());
        AgentAnswer {
            usage,
            program: Some(ReportedProgram { name: "codex".to_owned(), version: record.version, model }),
            notices: self.notices.into_iter().take(MOST_NOTICES).chain(dropped).collect(),
            session: self.session,
            ..outcome
        }
    }
}

impl CodexParser {
    fn handle_event(&mut self, event: &Value, transcript: &mut Transcript<'_>) {
        let kind = text(event, "type");
        if kind != "error" {
            self.reconnects.reset();
        }
        if (kind == "turn.started" || kind.starts_with("item.")) && self.end == Some(TurnEnd::Completed) {
            // The turn that was completed was not the last one, and its message is not the answer.
            self.end = None;
            self.answer.clear();
        }
        match kind {
            "thread.started" => {
                self.has_begun = true;
                self.session = session_id(text(event, "thread_id")).map(str::to_owned);
            }
            "turn.completed" => {
                self.end = Some(TurnEnd::Completed);
                self.total = turn_tokens(&event["usage"]);
            }
            "turn.failed" => {
                self.end = Some(TurnEnd::Failed);
                if event["error"].is_object() {
                    text(&event["error"], "message").clone_into(&mut self.error);
                }
            }
            "error" => {
                self.reconnects.add_report(Instant::now());
                text(event, "message").clone_into(&mut self.error);
                transcript.show_line(&self.error);
            }
            "item.started" | "item.completed" => {
                self.handle_item(&event["item"], kind == "item.completed", transcript);
            }
            _ => {}
        }
    }

    fn handle_item(&mut self, item: &Value, is_completed: bool, transcript: &mut Transcript<'_>) {
        match (text(item, "type"), is_completed) {
            ("agent_message", true) => {
                text(item, "text").clone_into(&mut self.answer);
                transcript.show_line(&self.answer);
            }
            ("command_execution", false) => {
                transcript.show_line(&format!("$ {}", strip_shell(text(item, "command"))));
            }
            ("file_change", true) => self.handle_file_change(item, transcript),
            ("error", true) => self.notices.extend(sanitize_name(text(item, "message"))),
            _ => {}
        }
    }

    fn handle_file_change(&mut self, item: &Value, transcript: &mut Transcript<'_>) {
        if text(item, "status") != "completed" {
            self.notices.insert("a change of files was refused to the agent".to_owned());
        }
        for change in list(item, "changes") {
            let path = text(change, "path");
            transcript.show_line(&format!("Edit {}", path.strip_prefix(&self.worktree).unwrap_or(path)));
        }
    }

    /// Returns how the call ended, from structured fields only: exit code, last event of the turn, class of the error.
    /// `gave_up` says that we ended it because it went on reconnecting to a provider.
    fn outcome(
        &self,
        record: &SessionRecord,
        launch: &Launch,
        finish: &ProgramEnd,
        gave_up: bool,
    ) -> AgentAnswer {
        match (&finish.exit, self.end) {
            (ProgramExit::Stopped, _) if gave_up => match self.error_class(record) {
                // It does not always say why it reconnects.
                ExecOutcome::Crashed => self.failure(ExecOutcome::ProviderFailed, record),
                known => self.failure(known, record),
            },
            (ProgramExit::Code(0), Some(TurnEnd::Completed)) => self.success(record),
            (ProgramExit::Code(1..), Some(TurnEnd::Failed)) => self.failure(self.error_class(record), record),
            (ProgramExit::Code(_), Some(_)) => {
                let sentence = format!("its exit code and its last event disagree: {}", self.error);
                AgentAnswer::with_quote(ExecOutcome::Crashed, &sentence)
            }
            _ => AgentAnswer::no_report(launch, finish, self.has_begun, &format!("codex {OLDEST_VERSION}")),
        }
    }

    fn success(&self, record: &SessionRecord) -> AgentAnswer {
        if record.last_tool == QUESTION_TOOL {
            AgentAnswer::with_quote(ExecOutcome::BlockedOnPrompt, "")
        } else if self.answer.trim().is_empty() {
            AgentAnswer::with_quote(ExecOutcome::NoOutput, "")
        } else {
            AgentAnswer::done()
        }
    }

    fn failure(&self, class: ExecOutcome, record: &SessionRecord) -> AgentAnswer {
        let mut outcome = AgentAnswer::with_quote(class, &self.error);
        if matches!(class, ExecOutcome::RateLimited | ExecOutcome::QuotaExhausted) {
            outcome.resets_at = record.resets_at;
        }
        outcome
    }

    fn error_class(&self, record: &SessionRecord) -> ExecOutcome {
        let error = record.error.as_deref().unwrap_or_default();
        if let Some(class) = error_class("codex.error", error) {
            return class;
        }
        match record.status.or_else(|| parse_status(&self.error)) {
            Some(status) => class_of_status(status),
            None if is_lost_connection(error, &self.error) => ExecOutcome::ProviderFailed,
            None => ExecOutcome::Crashed,
        }
    }
}

/// Returns what this call used, and one line for each figure that cannot be true: the program reports the totals of the
/// session.
fn call_usage(
    total: Option<TurnTokens>,
    used_before: &Usage,
    turns: u64,
    model: Option<&String>,
) -> (Usage, Vec<String>) {
    let [input, cached, output] = total.unwrap_or_default();
    let reported = ReportedUsage {
        input_tokens: subtract_used(input, used_before.input_tokens),
        cached_tokens: subtract_used(cached, used_before.cached_tokens),
        output_tokens: subtract_used(output, used_before.output_tokens),
        turns: if turns > 0 { Some(float(turns)) } else { None },
        cost_usd: None,
    };
    let (usage, dropped) = reported.check();
    (with_cost(usage, model.map(String::as_str)), dropped)
}

/// Takes from a total what was used before; a total that is smaller than that did not begin there.
fn subtract_used(total: Option<f64>, used: Option<u64>) -> Option<f64> {
    let (total, used) = (total?, float(used.unwrap_or_default()));
    Some(if total < used { total } else { total - used })
}

/// Returns the command without the shell around it, its first line only.
fn strip_shell(line: &str) -> &str {
    let inner = line.split_once(" -lc ").map_or(line, |(_, inner)| inner);
    inner.trim_matches(['\'', '"']).lines().next().unwrap_or_default()
}

/// Tells whether the program says that it lost its connection, or that a stream broke off: by the class of the error, or
/// by the beginning of its own sentence.
fn is_lost_connection(class: &str, error: &str) -> bool {
    let is_named_so = matches!(
        class,
        "http_connection_failed"
            | "response_stream_connection_failed"
            | "response_stream_disconnected"
            | "response_too_many_failed_attempts"
    );
    let disconnected = error.strip_prefix(DISCONNECTED);
    // The service cut such an answer off on purpose, and would do so again.
    let is_cut_off = disconnected.is_some_and(|rest| rest.starts_with("Incomplete response returned"));
    !is_cut_off && (is_named_so || disconnected.is_some() || error.starts_with("Connection failed: "))
}

fn class_of_status(status: u64) -> ExecOutcome {
    match error_class("codex.status", &status.to_string()) {
        Some(class) => class,
        None if (500..600).contains(&status) => ExecOutcome::ProviderFailed,
        None => ExecOutcome::Crashed,
    }
}

/// Returns the status at the beginning of the program's own sentence; one further inside may be quoted text.
fn parse_status(error: &str) -> Option<u64> {
    let reconnecting = error.strip_prefix("Reconnecting... ").and_then(|rest| rest.split_once(" ("));
    let error = reconnecting.map_or(error, |(_, why)| why);
    let starts = ["unexpected status ", "exceeded retry limit, last status: "];
    let rest = starts.iter().find_map(|start| error.strip_prefix(start))?;
    rest.split(' ').next()?.parse().ok()
}

/// Reports that the provider is asked again, with nothing else between them: the first and the latest. Only reports
/// count: silence after one may be a model that thinks, and has a limit of its own.
#[derive(Debug, Default)]
struct Reconnects(Option<(Instant, Instant)>);

impl Reconnects {
    /// Takes a report. One that comes long after the last begins anew.
    fn add_report(&mut self, now: Instant) {
        let first = match self.0 {
            Some((first, last)) if now.duration_since(last) <= MOST_RECONNECTING => first,
            _ => now,
        };
        self.0 = Some((first, now));
    }

    /// Forgets the reports: the provider answered.
    fn reset(&mut self) {
        self.0 = None;
    }

    /// Tells whether the program reconnects for longer than the limit.
    fn is_hopeless(&self) -> bool {
        self.0.is_some_and(|(first, last)| last.duration_since(first) > MOST_RECONNECTING)
    }
}

#[cfg(test)]
mod tests;
