//! Claude Code, headless. Checked with 2.1.329, the oldest version that is known to work.
//!
//! It relies on: the prompt on standard input; `--output-format stream-json`, one event per line; a last event
//! `result` with `subtype`, `is_error`, `api_error_status` and `model_usage_since_last_result`; exit code 0 only where
//! that event says success. A tool that `--tools` does not name cannot be called, also not by a name that the model
//! makes up. `--setting-sources=` leaves out every settings file with its hooks, skills and memory files, the user's
//! and the repository's; `--strict-mcp-config` leaves out every server that the repository names.
//!
//! What it cannot do: the commands of an author see the key that the program signs in with. The program could hide it
//! (`CLAUDE_CODE_SUBPROCESS_ENV_SCRUB`), but then does not start where bubblewrap is missing; a profile may set it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use jiff::Timestamp;
use serde_json::Value;

use model::event::{CostBasis, ExecOutcome, ReportedProgram, Usage};
use process::{Launch, ProgramEnd, ProgramExit, Stream};
use settings::split_words;

use super::call::{AgentAnswer, AgentCall, OutputParser, PreparedCall};
use super::json_lines::{JsonLines, list, sanitize_name, session_id, text};
use super::launch::{SignInVariables, make_launch, program_variables, read_api_key};
use super::lookup::ResolvedAgent;
use super::transcript::Transcript;
use super::usage::{ReportedUsage, TokenCounts, float};

/// The oldest version that is known to work; one that ends before it begins may be older.
pub(super) const OLDEST_VERSION: &str = "2.1.329";

/// What the program signs in with.
pub(super) const SIGN_IN: SignInVariables = SignInVariables {
    home: "CLAUDE_CONFIG_DIR",
    address: "ANTHROPIC_BASE_URL",
    keys: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
};

/// Variables with their values: no telemetry, no updates, nothing that outlives the call, and an end in seconds when
/// the provider fails.
const SWITCHES: &str = include_str!("data/claude_switches.txt");

/// What an author works with: nothing that reaches the web or outlives the call.
const AUTHOR_TOOLS: &str = "Bash,Edit,Read,Write,Grep,Glob,NotebookEdit,TodoWrite";
/// What a reviewer works with: it can read inside the worktree and do nothing else.
const REVIEWER_TOOLS: &str = "Read,Grep,Glob";

/// Programs that run any command line that they are given.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "fish", "env", "sudo", "xargs"];

/// The memory files of a repository; settings files are left out, and these with them.
const MEMORY_FILES: [&str; 2] = ["CLAUDE.md", "AGENTS.md"];

/// Tools that wait for a person.
const QUESTION_TOOLS: [&str; 2] = ["AskUserQuestion", "ExitPlanMode"];

/// How many messages of one call are counted.
const MOST_MESSAGES: usize = 100_000;

/// What the counts of a usage object are called.
const COUNTS: [&str; 4] =
    ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"];
/// What they are called where they stand by model.
const COUNTS_OF_MODEL: [&str; 4] =
    ["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "outputTokens"];

/// Makes the launch and the parser of a call of this program.
pub(super) fn prepare(mut agent: ResolvedAgent, call: &AgentCall<'_>) -> Result<PreparedCall, String> {
    let arguments = arguments(&agent, call)?;
    agent.arguments.extend(arguments);
    configure_environment(&mut agent)?;
    let sign_in = SIGN_IN.variables(&agent.profile);
    let mut launch = make_launch(&agent, &program_variables(&sign_in), call);
    launch.stdout_limit = 0;
    let cost_before = call.resumes.and_then(|resume| resume.used.cost_usd).unwrap_or_default();
    let parser = ClaudeParser {
        program: ReportedProgram { name: "claude".to_owned(), ..ReportedProgram::default() },
        usage: UsageCounter { cost_before, ..UsageCounter::default() },
        schema: call.schema.cloned(),
        worktree: format!("{}/", call.worktree.display()),
        ..ClaudeParser::default()
    };
    Ok((launch, Box::new(parser)))
}

/// Puts address, key and switches into the profile's environment; what the profile sets itself stays.
pub(super) fn configure_environment(agent: &mut ResolvedAgent) -> Result<(), String> {
    let profile = &mut agent.profile;
    if let Some(address) = &profile.base_url {
        profile.env.insert("ANTHROPIC_BASE_URL".to_owned(), address.clone());
    }
    if let Some(name) = profile.api_key_env.clone() {
        let is_known = SIGN_IN.keys.contains(&name.as_str());
        let variable = if is_known { &name } else { "ANTHROPIC_API_KEY" };
        profile.env.insert(variable.to_owned(), read_api_key(&name)?);
    }
    for (name, value) in SWITCHES.lines().filter_map(|line| line.split_once('=')) {
        profile.env.entry(name.to_owned()).or_insert_with(|| value.to_owned());
    }
    Ok(())
}

/// Returns the arguments of a call.
fn arguments(agent: &ResolvedAgent, call: &AgentCall<'_>) -> Result<Vec<OsString>, String> {
    let mut arguments: Vec<OsString> =
        ["-p", "--verbose", "--strict-mcp-config", "--setting-sources=", "--output-format=stream-json"]
            .map(OsString::from)
            .into();
    if call.step.writes() {
        arguments.extend(author_arguments(agent, call));
    } else {
        arguments.push(option("--permission-mode", "dontAsk"));
        arguments.push(option("--tools", REVIEWER_TOOLS));
    }
    arguments.extend(limit_arguments(agent, call));
    if let Some(schema) = call.schema {
        arguments.push(option("--json-schema", &schema.to_string()));
    }
    if let Some(resume) = call.resumes {
        let session = session_id(&resume.session).ok_or("the session to continue has no good name")?;
        arguments.push(option("--resume", session));
    }
    Ok(arguments)
}

/// Returns a flag with its value, which is never taken for a flag, whatever it begins with.
fn option(flag: &str, value: &str) -> OsString {
    format!("{flag}={value}").into()
}

fn author_arguments(agent: &ResolvedAgent, call: &AgentCall<'_>) -> Vec<OsString> {
    let mut arguments = vec![option("--permission-mode", "acceptEdits"), option("--tools", AUTHOR_TOOLS)];
    let rules: BTreeSet<_> = call.commands.values().filter_map(|command| permission_rule(command)).collect();
    for rule in rules.iter().chain(&agent.profile.allow) {
        arguments.push(option("--allowedTools", rule));
    }
    if let Some(file) = MEMORY_FILES.iter().find(|file| call.worktree.join(file).is_file()) {
        let instruction =
            format!("The instructions of this repository are in {file}. Read it before you change anything.");
        arguments.push(option("--append-system-prompt", &instruction));
    }
    arguments
}

/// Returns the permission rule for a program with any arguments; for a shell, which could run anything, only for the very command.
fn permission_rule(command: &str) -> Option<String> {
    let program = split_words(command).ok()?.first()?.clone();
    let name = program.rsplit('/').next().unwrap_or_default();
    if SHELLS.contains(&name) {
        Some(format!("Bash({command})"))
    } else if program.chars().all(|c| c.is_ascii_alphanumeric() || "./_+-".contains(c)) {
        Some(format!("Bash({program} *)"))
    } else {
        None
    }
}

fn limit_arguments(agent: &ResolvedAgent, call: &AgentCall<'_>) -> Vec<OsString> {
    let turns = [agent.profile.max_turns, call.allowance.turns].into_iter().flatten().min();
    let usd = call.allowance.usd.filter(|usd| usd.is_finite()).map(|usd| format!("{:.4}", usd.max(0.0001)));
    let options = [
        ("--model", agent.profile.model.clone()),
        ("--effort", agent.profile.effort.clone()),
        ("--max-turns", turns.map(|turns| turns.max(1).to_string())),
        ("--max-budget-usd", usd),
    ];
    options.into_iter().filter_map(|(flag, value)| Some(option(flag, &value?))).collect()
}

/// The parser of the event stream. Only events at the top of a line count: what a tool printed or the model quoted is
/// text inside of them. Unknown events and fields are kept in the raw file and otherwise ignored.
#[derive(Default)]
struct ClaudeParser {
    lines: JsonLines,
    /// The event `init` came.
    has_begun: bool,
    /// The last result: an earlier one is not the end.
    result: Option<Value>,
    /// The class that the program gives the error of its last message.
    error: Option<String>,
    /// The tools that were refused.
    denied: BTreeSet<String>,
    question: QuestionState,
    /// A limit of the subscription was reached.
    is_used_up: bool,
    resets_at: Option<Timestamp>,
    session: Option<String>,
    program: ReportedProgram,
    usage: UsageCounter,
    schema: Option<Value>,
    /// The worktree with a slash at its end: what is shown leaves it out.
    worktree: String,
}

/// What became of the last question to a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum QuestionState {
    #[default]
    None,
    Asked,
    /// The program told the agent that no answer comes.
    Refused,
    /// The agent went on without an answer.
    Dropped,
}

impl OutputParser for ClaudeParser {
    fn push(&mut self, stream: Stream, bytes: &[u8], transcript: &mut Transcript<'_>) {
        transcript.keep(stream, bytes);
        if stream == Stream::Stdout {
            for event in self.lines.push(bytes) {
                self.handle_event(&event, transcript);
            }
        }
    }

    fn usage_so_far(&mut self) -> Usage {
        if self.result.is_some() { Usage::default() } else { self.usage.settled }
    }

    fn finish(
        mut self: Box<Self>,
        launch: &Launch,
        end: ProgramEnd,
        transcript: &mut Transcript<'_>,
    ) -> AgentAnswer {
        // The last line may lack its end.
        for event in self.lines.push(b"\n") {
            self.handle_event(&event, transcript);
        }
        let outcome = self.outcome(launch, &end);
        let result = self.result.as_ref().unwrap_or(&Value::Null);
        let object = &result["structured_output"];
        let outcome = outcome.with_text(text(result, "result"), object, self.schema.as_ref());
        let (usage, mut notices) = self.usage.total(result["num_turns"].as_f64());
        notices.extend(self.notices());
        AgentAnswer { usage, session: self.session, program: Some(self.program), notices, ..outcome }
    }
}

impl ClaudeParser {
    fn handle_event(&mut self, event: &Value, transcript: &mut Transcript<'_>) {
        let kind = text(event, "type");
        if matches!(kind, "assistant" | "user") {
            // The call goes on: the earlier result was not the end.
            self.result = None;
        }
        let message = &event["message"];
        if kind == "assistant" && message.is_object() {
            self.usage.add_message(message);
        }
        let is_subagents = !event["parent_tool_use_id"].is_null();
        match (kind, text(event, "subtype")) {
            ("system", "init") => self.handle_init(event),
            ("system", "permission_denied") => self.denied.extend(sanitize_name(text(event, "tool_name"))),
            ("assistant", _) if !is_subagents => self.handle_message(event, transcript),
            // The result of the tool that asks.
            ("user", _) if !is_subagents && self.question == QuestionState::Asked => {
                self.question = QuestionState::Refused;
            }
            ("rate_limit_event", _) => self.handle_rate_limit(&event["rate_limit_info"]),
            ("result", _) => self.handle_result(event),
            _ => {}
        }
    }

    fn handle_init(&mut self, event: &Value) {
        self.has_begun = true;
        self.session = session_id(text(event, "session_id")).map(str::to_owned);
        self.program.version = sanitize_name(text(event, "claude_code_version"));
        self.program.model = sanitize_name(text(event, "model"));
    }

    fn handle_message(&mut self, event: &Value, transcript: &mut Transcript<'_>) {
        self.error = sanitize_name(text(event, "error"));
        let message = &event["message"];
        if self.error.is_some() || !message.is_object() {
            return;
        }
        self.usage.count_turn(text(message, "id"));
        for block in list(message, "content") {
            match text(block, "type") {
                "text" => {
                    if !text(block, "text").trim().is_empty() {
                        self.note_progress();
                    }
                    transcript.show_line(text(block, "text"));
                }
                "tool_use" => {
                    if QUESTION_TOOLS.contains(&text(block, "name")) {
                        self.question = QuestionState::Asked;
                    } else {
                        self.note_progress();
                    }
                    transcript.show_line(&self.describe_tool_use(block));
                }
                _ => {}
            }
        }
    }

    /// The agent writes or does something.
    fn note_progress(&mut self) {
        if self.question == QuestionState::Refused {
            self.question = QuestionState::Dropped;
        }
    }

    /// Describes the use of a tool in a few words.
    fn describe_tool_use(&self, block: &Value) -> String {
        let input = &block["input"];
        let subject = ["file_path", "notebook_path", "pattern", "path"].map(|key| text(input, key));
        let subject = subject.into_iter().find(|subject| !subject.is_empty()).unwrap_or_default();
        match text(block, "name") {
            "Bash" => format!("$ {}", text(input, "command").lines().next().unwrap_or_default()),
            tool => format!("{tool} {}", subject.strip_prefix(&self.worktree).unwrap_or(subject)),
        }
    }

    /// Takes what the program reports about the limits of the subscription.
    fn handle_rate_limit(&mut self, info: &Value) {
        if info.is_object() {
            self.is_used_up = text(info, "status") == "rejected";
            let end = info["resetsAt"].as_i64();
            self.resets_at = end.and_then(|seconds| Timestamp::from_second(seconds).ok());
        }
    }

    fn handle_result(&mut self, event: &Value) {
        self.usage.add_result(event);
        if let Some(session) = session_id(text(event, "session_id")) {
            self.session = Some(session.to_owned());
        }
        self.result = Some(event.clone());
    }

    /// Returns what is worth reporting besides the end.
    fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if !self.denied.is_empty() {
            let denied: Vec<_> = self.denied.iter().map(String::as_str).collect();
            notices.push(format!("refused to the agent: {}", denied.join(", ")));
        }
        if self.lines.has_cut {
            notices.push("an event of the agent was too long to be read".to_owned());
        }
        if self.question == QuestionState::Dropped {
            notices.push("the agent asked a person, was refused, and went on".to_owned());
        }
        notices
    }

    /// Returns how the call ended, from structured fields only. Success is exit code 0, and a result, and its subtype
    /// `success`, and no error, and an answer.
    fn outcome(&self, launch: &Launch, finish: &ProgramEnd) -> AgentAnswer {
        match (&finish.exit, &self.result) {
            (ProgramExit::Code(0), Some(result)) if !is_error(result) => self.success(result),
            (ProgramExit::Code(1..), Some(result)) if is_error(result) => self.failure(result),
            (ProgramExit::Code(_), Some(result)) => {
                let sentence = format!("its exit code and its result disagree: {}", error_text(result));
                AgentAnswer::with_quote(ExecOutcome::Crashed, &sentence)
            }
            _ => AgentAnswer::no_report(launch, finish, self.has_begun, &format!("claude {OLDEST_VERSION}")),
        }
    }

    fn success(&self, result: &Value) -> AgentAnswer {
        let has_object = !result["structured_output"].is_null();
        if matches!(self.question, QuestionState::Asked | QuestionState::Refused) && !has_object {
            AgentAnswer::with_quote(ExecOutcome::BlockedOnPrompt, text(result, "result"))
        } else if text(result, "result").trim().is_empty() && !has_object {
            AgentAnswer::with_quote(ExecOutcome::NoOutput, "")
        } else {
            AgentAnswer::done()
        }
    }

    fn failure(&self, result: &Value) -> AgentAnswer {
        let class = match text(result, "subtype") {
            "error_max_turns" => ExecOutcome::LimitReached,
            "error_max_budget_usd" => ExecOutcome::OverBudget,
            "error_max_structured_output_retries" => ExecOutcome::NoOutput,
            "success" => self.error_class(result),
            _ => ExecOutcome::Crashed,
        };
        let mut outcome = AgentAnswer::with_quote(class, &error_text(result));
        if self.is_used_up && matches!(class, ExecOutcome::RateLimited | ExecOutcome::QuotaExhausted) {
            outcome.resets_at = self.resets_at;
        }
        outcome
    }

    fn error_class(&self, result: &Value) -> ExecOutcome {
        let error = self.error.as_deref().unwrap_or_default();
        let status = result["api_error_status"].as_u64().unwrap_or_default();
        match (text(result, "terminal_reason"), text(result, "stop_reason"), error, status) {
            ("prompt_too_long", _, _, _) | (_, _, _, 413) => ExecOutcome::ContextTooLong,
            (_, "refusal", _, _) => ExecOutcome::Refused,
            (_, _, "billing_error", _) | (_, _, _, 402) => ExecOutcome::QuotaExhausted,
            // A limit of the subscription is a quota; one of the interface passes soon.
            (_, _, "rate_limit", _) | (_, _, _, 429) if self.is_used_up => ExecOutcome::QuotaExhausted,
            (_, _, "rate_limit", _) | (_, _, _, 429) => ExecOutcome::RateLimited,
            (_, _, "authentication_failed" | "oauth_org_not_allowed", _) | (_, _, _, 401 | 403) => {
                ExecOutcome::SignedOut
            }
            (_, _, "model_not_found", _) | (_, _, _, 404) => ExecOutcome::ModelUnknown,
            (_, _, "overloaded", _) | (_, _, _, 503 | 529) => ExecOutcome::Overloaded,
            // Without a status there was no answer of the interface, but a page of a proxy or half a stream.
            (_, _, "server_error", _) | (_, _, _, 500..=599) | ("api_error", _, "unknown", 0) => {
                ExecOutcome::ProviderFailed
            }
            _ => ExecOutcome::Crashed,
        }
    }
}

/// Tells whether a result is an error: all but a plain `false` with the subtype `success` is one.
fn is_error(result: &Value) -> bool {
    result["is_error"] != Value::Bool(false) || text(result, "subtype") != "success"
}

/// Returns the program's own sentence about its end.
fn error_text(result: &Value) -> String {
    let errors: Vec<_> = list(result, "errors").iter().filter_map(Value::as_str).collect();
    if errors.is_empty() { text(result, "result").to_owned() } else { errors.join("; ") }
}

/// Adds up what a call has used. A `result` event counts all that was used since the last one. What messages report for
/// which no result has come is an estimate, and never too much: the program reports the input of a message with each of
/// its events, and of the output only the beginning.
#[derive(Debug, Default)]
struct UsageCounter {
    /// What the results have reported.
    reported: ReportedUsage,
    /// What messages since the last result have used, by their ids.
    open_messages: BTreeMap<String, TokenCounts>,
    /// What the messages have used after which it went on.
    settled: Usage,
    basis: Option<CostBasis>,
    /// The turns of the model so far, and the id of the last one's message: one message comes as several events.
    turns: u64,
    last_message: String,
    /// What the continued session had cost before, in US dollars.
    cost_before: f64,
}

impl UsageCounter {
    /// Takes the usage of a message. One that calls a tool counts as settled, because the model is asked again after it.
    fn add_message(&mut self, message: &Value) {
        let id = text(message, "id");
        let is_new = !self.open_messages.contains_key(id);
        if is_new {
            self.settled = self.total(None).0;
        }
        let is_counted = !is_new || self.open_messages.len() < MOST_MESSAGES;
        if is_counted && message["usage"].is_object() {
            self.add_message_usage(id, &message["usage"]);
        }
        if calls_tool(message) {
            self.settled = self.total(None).0;
        }
    }

    /// Counts the input of a message once, however many events it comes in, and the most that its output was.
    fn add_message_usage(&mut self, id: &str, usage: &Value) {
        let [input @ .., output] = self.open_messages.entry(id.to_owned()).or_default();
        let [input_now @ .., output_now] = token_counts(usage, COUNTS);
        for (known, now) in input.iter_mut().zip(input_now) {
            *known = known.or(now);
        }
        *output = [*output, output_now].into_iter().flatten().reduce(f64::max);
    }

    /// Counts a turn of the model, once for each message.
    fn count_turn(&mut self, message: &str) {
        if self.last_message != message {
            message.clone_into(&mut self.last_message);
            self.turns += 1;
        }
    }

    /// Adds what was used since the last result; the totals of a session would count its earlier calls again.
    fn add_result(&mut self, result: &Value) {
        self.open_messages.clear();
        let Value::Object(models) = &result["model_usage_since_last_result"] else {
            let cost = result["total_cost_usd"].as_f64().map(|cost| (cost - self.cost_before).max(0.0));
            self.reported.add(token_counts(&result["usage"], COUNTS), cost);
            return;
        };
        for model in models.values() {
            self.reported.add(token_counts(model, COUNTS_OF_MODEL), model["costUSD"].as_f64());
            if text(model, "costBasis") == "unknown" {
                self.basis = Some(CostBasis::Unknown);
            }
        }
    }

    /// Returns all that was used, with the turns as the result reports them or as they were counted, and one line for
    /// each figure that cannot be true.
    fn total(&self, turns: Option<f64>) -> (Usage, Vec<String>) {
        let mut sum = self.reported;
        for message in self.open_messages.values() {
            sum.add(*message, None);
        }
        sum.turns = match turns {
            None if self.turns > 0 => Some(float(self.turns)),
            turns => turns,
        };
        let (mut usage, dropped) = sum.check();
        let basis = if self.open_messages.is_empty() { self.basis } else { Some(CostBasis::Unknown) };
        usage.cost_basis = basis.or(usage.cost_basis).or(usage.cost_usd.map(|_| CostBasis::Reported));
        if usage.cost_basis == Some(CostBasis::Unknown) {
            usage.cost_usd = None;
        }
        (usage, dropped)
    }
}

/// Tells whether the model wants a tool, and goes on with its result; the tool that takes the answer ends the call.
fn calls_tool(message: &Value) -> bool {
    let calls = |block| text(block, "type") == "tool_use" && text(block, "name") != "StructuredOutput";
    list(message, "content").iter().any(calls)
}

fn token_counts(usage: &Value, names: [&str; 4]) -> TokenCounts {
    names.map(|name| usage[name].as_f64())
}
