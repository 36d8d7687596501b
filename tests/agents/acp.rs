//! Agents that speak the Agent Client Protocol, as real processes: what they may do, and how their calls may end.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::{AgentAnswer, AgentCall, call};
use model::call::{CallBudget, ResumableSession};
use model::event::{CostBasis, ExecOutcome, ReportedProgram, Usage};
use model::phase::{PhaseName, Step};
use model::policy::TimeLimits;
use model::redact::Masker;
use process::Stop;
use serde_json::{Value, json};
use settings::{AgentKeys, AgentKind};

use crate::support::{SHORT, Sandbox};

const AGENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agents/acp_agent.sh");

/// A worktree, and an agent that plays a turn in it.
struct Scene {
    folder: tempfile::TempDir,
    step: Step,
    idle_seconds: u64,
    profile: AgentKeys,
    resumes: Option<ResumableSession>,
}

impl Scene {
    /// Makes a scene with an agent that plays this turn; `before` changes how it opens a session.
    fn new(turn: &str, before: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("worktree")).expect("a worktree");
        fs::write(folder.path().join("prompt.md"), "please plan\n").expect("a prompt");
        let command = [AGENT, turn, before].map(str::to_owned).to_vec();
        let profile = AgentKeys { kind: Some(AgentKind::Acp), command, ..AgentKeys::default() };
        Self { folder, step: Step::Execute, idle_seconds: 60, profile, resumes: None }
    }

    fn reviewing(turn: &str) -> Self {
        Self { step: Step::Review, ..Self::new(turn, "") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the message that the agent put into a file.
    fn was_told(&self, name: &str) -> Value {
        let told = fs::read_to_string(self.path(name)).expect("it was told");
        serde_json::from_str(&told).unwrap_or_else(|error| panic!("{error}: {told}"))
    }

    fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    async fn call(&self) -> AgentAnswer {
        self.watch(&mut Stop::new().1).await.0
    }

    /// Calls the agent and returns its answer and the lines that a watcher saw.
    async fn watch(&self, stop: &mut Stop) -> (AgentAnswer, Vec<String>) {
        let phase: PhaseName = "planning".parse().expect("a good name");
        let time = TimeLimits { step_seconds: 60, idle_seconds: self.idle_seconds, ..TimeLimits::default() };
        let masker = Masker::new([("MY_TOKEN".to_owned(), "correct horse".to_owned())]);
        let (prompt, worktree, raw) = (self.path("prompt.md"), self.path("worktree"), self.path("raw.jsonl"));
        let commands = BTreeMap::from([("test".to_owned(), "cargo test --locked".to_owned())]);
        let job = AgentCall {
            copy_after_end: None,
            issue: 243.try_into().expect("a good number"),
            phase: &phase,
            step: self.step,
            round: 1,
            attempt: 1,
            prompt_file: &prompt,
            output: "planning.md",
            review_id: Some("r-1"),
            seat: None,
            worktree: &worktree,
            raw_file: &raw,
            time: &time,
            masker: &masker,
            own_program: Path::new(env!("CARGO_BIN_EXE_ai-workflow")),
            resumes: self.resumes.as_ref(),
            allowance: CallBudget::default(),
            schema: None,
            commands: &commands,
        };
        let profiles = BTreeMap::from([("mine".to_owned(), self.profile.clone())]);
        let mut lines = Vec::new();
        let spec = "mine".parse().expect("a good name");
        let answer = call(&spec, &profiles, &job, &mut |line| lines.push(line.to_string()), stop).await;
        (answer, lines)
    }

    /// Returns which option each request for leave was answered with, and `error` for what was refused otherwise.
    fn replies(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("replies")).expect("the agent asked");
        let reply = |line: &str| {
            let reply: serde_json::Value = serde_json::from_str(line).expect("an answer is JSON");
            let option =
                reply.pointer("/result/outcome/optionId").or_else(|| reply.pointer("/result/content"));
            let other = if reply.get("error").is_some() { "error" } else { "done" };
            option.and_then(|option| option.as_str()).unwrap_or(other).to_owned()
        };
        text.lines().map(reply).collect()
    }
}

/// Plays a turn and returns the class of its end and the reason.
async fn ended(turn: &str, before: &str) -> (ExecOutcome, String) {
    let answer = Scene::new(turn, before).call().await;
    (answer.outcome, answer.reason.unwrap_or_default())
}

// What an agent gets and gives.

#[tokio::test]
async fn an_agent_gets_the_prompt_and_its_answer_comes_back() {
    let turn = r#"
        printf '%s\n' "$line" > ../asked
        chunk 'I look at '
        chunk 'it.'
        update '{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read a file","kind":"read"}'
        chunk 'Done, correct '
        chunk 'horse.'
        answer '{"stopReason":"end_turn","usage":{"totalTokens":130,"inputTokens":20,"outputTokens":10,"cachedReadTokens":100}}'
    "#;
    let scene = Scene::new(turn, "");
    let (answer, lines) = scene.watch(&mut Stop::new().1).await;
    let expected = AgentAnswer {
        outcome: ExecOutcome::Done,
        text: "I look at it.\n\nDone, correct horse.".into(),
        usage: Usage {
            input_tokens: Some(120),
            cached_tokens: Some(100),
            output_tokens: Some(10),
            cost_basis: Some(CostBasis::Unknown),
            ..Usage::default()
        },
        millis: answer.millis,
        program: Some(ReportedProgram { name: "shell".into(), version: Some("1.0".into()), model: None }),
        ..AgentAnswer::default()
    };
    assert_eq!(answer, expected);
    assert_eq!(lines.last().map(String::as_str), Some("Done, [MASKED:MY_TOKEN]."));
    let raw = fs::read_to_string(scene.path("raw.jsonl")).expect("the raw file");
    assert!(
        raw.contains("I look at it.") && raw.contains("Read a file") && !raw.contains("correct"),
        "{raw}"
    );
    let asked = scene.was_told("asked");
    let text = &asked["params"]["prompt"][0]["text"];
    assert_eq!((&asked["method"], text), (&"session/prompt".into(), &"please plan\n".into()), "{asked}");
}

#[tokio::test]
async fn cost_reported_over_acp_is_recorded() {
    let turn = r#"
        update '{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":0.25,"currency":"USD"}}'
        update '{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":9.0,"currency":"EUR"}}'
        chunk x; end
    "#;
    let usage = Usage { cost_usd: Some(0.25), cost_basis: Some(CostBasis::Reported), ..Usage::default() };
    assert_eq!(Scene::new(turn, "").call().await.usage, usage);
}

#[tokio::test]
async fn a_run_completes_with_an_acp_agent() {
    let sandbox = Sandbox::new();
    let agent = format!("acp:{AGENT}");
    let ran =
        sandbox.run(&["execute", "--issue", "243", "--forge", "local", "--agent", &agent, "--preset", SHORT]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let metadata = sandbox.metadata();
    assert_eq!((&metadata["outcome"], &metadata["simulated"]), (&"completed".into(), &false.into()));
}

// What an agent may do.

#[tokio::test]
async fn an_author_reads_and_writes_in_the_worktree_only() {
    let turn = r#"
        ln -s ../secret link
        write "$PWD/src/new.rs"; write "$PWD/../outside"; write /tmp/x/../../../etc/x; write "$PWD/link"; write "$PWD/.git/config"
        read_file "$PWD/src/new.rs"; read_file "$PWD/../prompt.md"; read_file "$PWD/link"; read_file "$PWD/none"
        chunk x; end
    "#;
    let scene = Scene::new(turn, "");
    let answer = scene.call().await;
    assert_eq!(answer.outcome, ExecOutcome::Done, "{:?}", answer.reason);
    let error = "error";
    assert_eq!(scene.replies(), ["done", error, error, error, error, "written\n", error, error, error]);
    assert!(scene.has("worktree/src/new.rs") && !scene.has("outside") && !scene.has("secret"));
    assert_eq!(answer.notices.len(), 6, "{:?}", answer.notices);
    assert!(answer.notices[0].starts_with("refused: write a file: "), "{}", answer.notices[0]);
}

#[tokio::test]
async fn an_author_may_only_edit_the_worktree_and_run_allowed_commands() {
    let turn = r#"
        permit edit "$(location "$PWD/a")"; permit edit "$(location /etc/a)"; permit delete "$(location "$PWD/../a")"
        permit read "$(location "$PWD/a")"; permit fetch ''; permit switch_mode ''; permit other ''
        permit execute ',"rawInput":{"command":"cargo test"}'
        permit execute ',"rawInput":{"command":"cargo test && rm -rf /"}'; permit execute ''
        chunk x; end
    "#;
    let scene = Scene::new(turn, "");
    let answer = scene.call().await;
    let expected = ["once", "no", "no", "once", "no", "no", "no", "once", "no", "no"];
    assert_eq!((answer.outcome, scene.replies()), (ExecOutcome::Done, expected.map(str::to_owned).to_vec()));
    assert_eq!(answer.notices.len(), 7, "{:?}", answer.notices);
}

#[tokio::test]
async fn commands_that_a_profile_allows_may_run() {
    let turn = r#"permit execute ',"rawInput":{"command":"npm run x"}'; chunk x; end"#;
    let mut scene = Scene::new(turn, "");
    scene.profile.allow = vec!["npm run".into()];
    scene.call().await;
    assert_eq!(scene.replies(), ["once"]);
}

#[tokio::test]
async fn a_reviewer_may_read_and_is_denied_every_change() {
    let turn = r#"
        write "$PWD/new"; touch there; read_file "$PWD/there"
        permit edit "$(location "$PWD/a")"; permit delete "$(location "$PWD/a")"; permit move "$(location "$PWD/a")"
        permit execute ',"rawInput":{"command":"cargo test"}'; permit read "$(location "$PWD/a")"
        chunk x; end
    "#;
    let scene = Scene::reviewing(turn);
    let answer = scene.call().await;
    let expected = ["error", "", "no", "no", "no", "no", "once"];
    assert_eq!((answer.outcome, scene.replies()), (ExecOutcome::Done, expected.map(str::to_owned).to_vec()));
    assert!(!scene.has("worktree/new"));
}

#[tokio::test]
async fn a_reviewer_gets_no_write_capability() {
    let before = r#"initialize() { printf '%s' "$line" > ../told; answer '{"protocolVersion":1}'; }"#;
    for (step, offered) in [(Step::Execute, true), (Step::Review, false), (Step::Triage, true)] {
        let scene = Scene { step, ..Scene::new("chunk x; end", before) };
        scene.call().await;
        let told = scene.was_told("told")["params"]["clientCapabilities"].take();
        let files = json!({"readTextFile": true, "writeTextFile": offered});
        assert_eq!((&told["fs"], &told["terminal"]), (&files, &json!(false)), "{told}");
    }
}

// How a call ends.

#[tokio::test]
async fn every_acp_stop_reason_is_classified() {
    for (stop, class) in [
        ("end_turn", ExecOutcome::Done),
        ("max_tokens", ExecOutcome::LimitReached),
        ("max_turn_requests", ExecOutcome::LimitReached),
        ("refusal", ExecOutcome::Refused),
        ("cancelled", ExecOutcome::Crashed),
        ("invented", ExecOutcome::Crashed),
    ] {
        assert_eq!(ended(&format!("chunk x; end {stop}"), "").await.0, class, "{stop}");
    }
    assert_eq!(ended("end", "").await.0, ExecOutcome::NoOutput);
}

#[tokio::test]
async fn acp_errors_are_classified_by_code_and_kind() {
    let sign_in = r#"open() { fail '{"code":-32000,"message":"Authentication required"}'; }"#;
    assert_eq!(
        ended("end", sign_in).await,
        (
            ExecOutcome::SignedOut,
            "the agent answered session/new with error -32000: Authentication required".into()
        )
    );
    let limit = r#"fail '{"code":-32603,"message":"m","data":{"errorKind":"rate_limit"}}'"#;
    assert_eq!(
        ended(limit, "").await,
        (
            ExecOutcome::RateLimited,
            "the agent answered session/prompt with error -32603 (rate_limit): m".into()
        )
    );
    let words = r#"fail '{"code":-32603,"message":"authentication_error: rate_limit"}'"#;
    assert_eq!(ended(words, "").await.0, ExecOutcome::Crashed);
}

#[tokio::test]
async fn error_of_a_crashed_acp_agent_contains_its_exit_status_and_stderr() {
    let (class, reason) = ended("chunk half; echo 'out of luck' >&2; exit 3", "").await;
    let expected = "the agent ended with exit code 3 before its turn was over: out of luck";
    assert_eq!((class, reason.as_str()), (ExecOutcome::Crashed, expected));
    let (class, reason) = ended("kill -9 $$", "").await;
    let expected = "the agent was ended by signal 9 before its turn was over";
    assert_eq!((class, reason.as_str()), (ExecOutcome::Crashed, expected));
}

#[tokio::test]
async fn output_outside_the_protocol_counts_as_a_crash() {
    for garbage in ["say hello", "say '[]'", "say '{\"id\":1'", "printf '\\377\\n'"] {
        let (class, reason) = ended(&format!("chunk x; {garbage}; sleep 60"), "").await;
        assert!(
            class == ExecOutcome::Crashed && reason.starts_with("what the agent says is not"),
            "{reason}"
        );
    }
    let (class, reason) = ended("answer '{\"stopped\":1}'; sleep 60", "").await;
    let expected = "the answer of the agent to session/prompt cannot be read";
    assert_eq!((class, reason.as_str()), (ExecOutcome::Crashed, expected));
}

#[tokio::test]
async fn an_acp_agent_with_another_protocol_version_is_not_started() {
    let before = "initialize() { answer '{\"protocolVersion\":2}'; }";
    let expected = "the agent speaks version 2 of the protocol, and we speak version 1";
    assert_eq!(ended("end", before).await, (ExecOutcome::NotStarted, expected.into()));
    let mut scene = Scene::new("", "");
    scene.profile.command = vec!["/no/such/agent".into()];
    assert_eq!(scene.call().await.outcome, ExecOutcome::NotStarted);
}

#[tokio::test]
async fn oversized_acp_output_is_truncated_or_ends_the_call() {
    let many =
        "big=$(head -c 1000000 /dev/zero | tr '\\0' x); for _ in 1 2 3 4 5 6; do chunk $big; done; end";
    let answer = Scene::new(many, "").call().await;
    assert_eq!((answer.outcome, answer.truncated, answer.text.len()), (ExecOutcome::Done, true, 4 << 20));
    let (class, reason) = ended("tr '\\0' x < /dev/zero", "").await;
    let expected = "the agent sent a message longer than any is";
    assert_eq!((class, reason.as_str()), (ExecOutcome::Crashed, expected));
}

#[tokio::test]
async fn a_silent_acp_agent_is_ended_by_the_idle_timeout() {
    let scene = Scene { idle_seconds: 1, ..Scene::new("chunk x; sleep 1000", "") };
    let answer = scene.call().await;
    assert_eq!(answer.outcome, ExecOutcome::Idle);
}

#[tokio::test]
async fn stopping_an_acp_agent_sends_session_cancel() {
    let turn = r#"
        trap '' TERM
        chunk x; touch ../ready
        next; printf '%s\n' "$line" > ../told
        end cancelled
    "#;
    let scene = Scene::new(turn, "");
    let (handle, mut stop) = Stop::new();
    let ready = async {
        while !scene.has("ready") {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        handle.stop();
        std::future::pending::<()>().await;
    };
    let answer = tokio::select! {
        (answer, _) = scene.watch(&mut stop) => answer,
        () = ready => unreachable!("it waits for ever"),
    };
    assert_eq!(answer.outcome, ExecOutcome::Cancelled);
    let told = scene.was_told("told");
    assert_eq!((&told["method"], &told["params"]["sessionId"]), (&"session/cancel".into(), &"s-1".into()));
}

// Model and session.

#[tokio::test]
async fn the_configured_model_is_selected_when_the_agent_offers_it() {
    let before = r#"
        open() {
            answer '{"sessionId":"s-1","configOptions":[{"id":"m","name":"Model","category":"model","type":"select","currentValue":"small","options":[{"value":"small","name":"S"},{"value":"large","name":"L"}]}]}'
            next; printf '%s\n' "$line" > ../chosen; answer '{"configOptions":[]}'
        }
    "#;
    let mut scene = Scene::new("chunk x; end", before);
    scene.profile.model = Some("large".into());
    assert_eq!(scene.call().await.outcome, ExecOutcome::Done);
    let chosen = scene.was_told("chosen")["params"].take();
    assert_eq!((&chosen["configId"], &chosen["value"]), (&"m".into(), &"large".into()), "{chosen}");
    scene.profile.model = Some("huge".into());
    let answer = scene.call().await;
    let expected = "the agent does not offer the model `huge`";
    assert_eq!((answer.outcome, answer.reason.as_deref()), (ExecOutcome::ModelUnknown, Some(expected)));
}

#[tokio::test]
async fn an_acp_session_is_resumed_when_the_agent_supports_it() {
    let before = r#"
        initialize() { answer '{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"resume":{}}}}'; }
        open() { printf '%s\n' "$line" > ../opened; case $line in *session/new*) answer '{"sessionId":"s-1"}' ;; *) answer '{}' ;; esac; }
    "#;
    let turn = r#"
        update '{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":0.75,"currency":"USD"}}'
        chunk x; answer '{"stopReason":"end_turn","usage":{"totalTokens":12,"inputTokens":10,"outputTokens":2}}'
    "#;
    let mut scene = Scene::new(turn, before);
    let first = scene.call().await;
    let usage = |cost| Usage {
        input_tokens: Some(10),
        output_tokens: Some(2),
        cost_usd: Some(cost),
        cost_basis: Some(CostBasis::Reported),
        ..Usage::default()
    };
    assert_eq!((first.session.as_deref(), first.usage), (Some("s-1"), usage(0.75)));
    let used = Usage { input_tokens: Some(7), cost_usd: Some(0.5), ..Usage::default() };
    scene.resumes = Some(ResumableSession { session: "s-1".into(), used });
    let second = scene.call().await;
    assert_eq!((second.outcome, second.usage), (ExecOutcome::Done, usage(0.25)));
    let opened = scene.was_told("opened");
    assert_eq!(
        (&opened["method"], &opened["params"]["sessionId"]),
        (&"session/resume".into(), &"s-1".into())
    );
    let cannot = Scene { resumes: scene.resumes.clone(), ..Scene::new(turn, "") };
    assert_eq!(cannot.call().await.reason.as_deref(), Some("the agent cannot continue a session"));
}
