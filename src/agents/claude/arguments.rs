//! The command line of a call: what the author and the reviewer may do, and which limits are handed on.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use crate::Job;
use crate::lookup::Resolved;
use crate::names::session;
use settings::split_words;

/// What an author works with: nothing that reaches the web or outlives the call.
const AUTHOR: &str = "Bash,Edit,Read,Write,Grep,Glob,NotebookEdit,TodoWrite";
/// What a reviewer works with: it can read inside the worktree and do nothing else.
const REVIEWER: &str = "Read,Grep,Glob";

/// Programs that run whatever they are told.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "fish", "env", "sudo", "xargs"];

/// The memory files of a repository; settings files are left out, and these with them.
const INSTRUCTIONS: [&str; 2] = ["CLAUDE.md", "AGENTS.md"];

/// Returns the arguments of a call.
pub(super) fn of(agent: &Resolved, job: &Job<'_>) -> Result<Vec<OsString>, String> {
    let mut arguments = Arguments::default();
    for flag in ["-p", "--verbose", "--strict-mcp-config", "--setting-sources="] {
        arguments.flag(flag);
    }
    arguments.with("--output-format", "stream-json");
    if job.step.writes() {
        author(&mut arguments, agent, job);
    } else {
        reviewer(&mut arguments);
    }
    limits(&mut arguments, agent, job);
    if let Some(schema) = job.schema {
        arguments.with("--json-schema", &schema.to_string());
    }
    if let Some(resume) = job.resumes {
        arguments
            .with("--resume", session(&resume.session).ok_or("the session to continue has no good name")?);
    }
    Ok(arguments.0)
}

fn author(arguments: &mut Arguments, agent: &Resolved, job: &Job<'_>) {
    arguments.with("--permission-mode", "acceptEdits");
    arguments.with("--tools", AUTHOR);
    for rule in own_programs(job.commands).iter().chain(&agent.profile.allow) {
        arguments.flag(&format!("--allowedTools={rule}"));
    }
    if let Some(file) = INSTRUCTIONS.iter().find(|file| job.worktree.join(file).is_file()) {
        let told =
            format!("The instructions of this repository are in {file}. Read it before you change anything.");
        arguments.with("--append-system-prompt", &told);
    }
}

/// The programs of the repository's commands; of a shell, which could run anything, only the very command.
fn own_programs(commands: &BTreeMap<String, String>) -> BTreeSet<String> {
    let rule = |command: &String| {
        let program = split_words(command).ok()?.first()?.clone();
        let name = program.rsplit('/').next().unwrap_or_default().to_owned();
        let plain = program.chars().all(|c| c.is_ascii_alphanumeric() || "./_+-".contains(c));
        match plain {
            _ if SHELLS.contains(&name.as_str()) => Some(format!("Bash({command})")),
            true => Some(format!("Bash({program} *)")),
            false => None,
        }
    };
    commands.values().filter_map(rule).collect()
}

fn reviewer(arguments: &mut Arguments) {
    arguments.with("--permission-mode", "dontAsk");
    arguments.with("--tools", REVIEWER);
}

fn limits(arguments: &mut Arguments, agent: &Resolved, job: &Job<'_>) {
    let turns = [agent.profile.max_turns, job.allowance.turns].into_iter().flatten().min();
    let usd = job.allowance.usd.filter(|usd| usd.is_finite()).map(|usd| format!("{:.4}", usd.max(0.0001)));
    for (flag, value) in [
        ("--model", agent.model.clone()),
        ("--effort", agent.profile.effort.clone()),
        ("--max-turns", turns.map(|turns| turns.max(1).to_string())),
        ("--max-budget-usd", usd),
    ] {
        if let Some(value) = value {
            arguments.with(flag, &value);
        }
    }
}

/// A command line in the making. A value is never taken for a flag, whatever it begins with.
#[derive(Default)]
struct Arguments(Vec<OsString>);

impl Arguments {
    fn flag(&mut self, flag: &str) {
        self.0.push(flag.into());
    }

    fn with(&mut self, flag: &str, value: &str) {
        self.0.push(format!("{flag}={value}").into());
    }
}
