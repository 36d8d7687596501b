//! The command line of a call: the sandbox, what is switched off, and which limits are handed on.

use std::ffi::OsString;
use std::path::Path;

use crate::Job;
use crate::lookup::Resolved;
use crate::names::session;

/// What a call has no use for: everything that reaches out, goes on afterwards, or comes from the user's own setup.
const OFF: [&str; 10] = [
    "features.apps",
    "features.goals",
    "features.hooks",
    "features.image_generation",
    "features.multi_agent",
    "features.plugins",
    "features.remote_plugin",
    // Else a provider that is not there is waited for without an end.
    "features.unbounded_connection_retries",
    "analytics.enabled",
    "check_for_update_on_startup",
];

/// How often a provider that we name ourselves is asked again; for others the program knows no such limit.
const RETRIES: u32 = 1;

/// Files and names of this call.
pub(super) struct Place<'a> {
    /// The folder for temporary files.
    pub temporary: &'a Path,
    pub schema: Option<&'a Path>,
    /// The variable that holds the key, when there is one.
    pub key: Option<&'static str>,
    /// What the commands of an author need besides the core.
    pub toolchains: &'a [(&'static str, String)],
}

/// Returns the arguments of a call.
pub(super) fn of(agent: &Resolved, job: &Job<'_>, place: &Place<'_>) -> Result<Vec<OsString>, String> {
    let mut arguments = Arguments(vec!["exec".into()]);
    for flag in ["--json", "--skip-git-repo-check", "--ignore-user-config", "--ignore-rules"] {
        arguments.0.push(flag.into());
    }
    for switch in OFF {
        arguments.set(switch, "false");
    }
    arguments.text("web_search", "disabled");
    arguments.text("shell_environment_policy.inherit", "core");
    if job.step.writes() {
        author(&mut arguments, place);
    } else {
        reviewer(&mut arguments);
    }
    model(&mut arguments, agent);
    if let Some(address) = &agent.profile.base_url {
        provider(&mut arguments, address, place.key);
    }
    if let Some(schema) = place.schema {
        arguments.0.extend(["--output-schema".into(), schema.into()]);
    }
    if let Some(resume) = job.resumes {
        let name = session(&resume.session).ok_or("the session to continue has no good name")?;
        arguments.0.extend(["resume".into(), name.into()]);
    }
    arguments.0.push("-".into());
    Ok(arguments.0)
}

fn author(arguments: &mut Arguments, place: &Place<'_>) {
    let folder = place.temporary.display().to_string();
    arguments.0.extend(["-s".into(), "workspace-write".into()]);
    arguments.set("sandbox_workspace_write.network_access", "false");
    arguments.set("sandbox_workspace_write.exclude_slash_tmp", "true");
    arguments.set("sandbox_workspace_write.exclude_tmpdir_env_var", "true");
    arguments.set("sandbox_workspace_write.writable_roots", &format!("[{}]", quoted(&folder)));
    arguments.text("shell_environment_policy.set.TMPDIR", &folder);
    for (name, value) in place.toolchains {
        arguments.text(&format!("shell_environment_policy.set.{name}"), value);
    }
}

/// A reviewer is not told what the repository wants from agents: an earlier agent may have written it.
fn reviewer(arguments: &mut Arguments) {
    arguments.0.extend(["-s".into(), "read-only".into()]);
    arguments.set("project_doc_max_bytes", "0");
    arguments.set("skills.include_instructions", "false");
}

fn model(arguments: &mut Arguments, agent: &Resolved) {
    if let Some(model) = &agent.model {
        arguments.text("model", model);
    }
    if let Some(effort) = &agent.profile.effort {
        arguments.text("model_reasoning_effort", effort);
    }
}

fn provider(arguments: &mut Arguments, address: &str, key: Option<&str>) {
    let key = key.map(|key| format!("env_key={},", quoted(key))).unwrap_or_default();
    let (name, address) = (quoted("configured"), quoted(address));
    let table = format!(
        "{{name={name},base_url={address},{key}wire_api=\"responses\",request_max_retries={RETRIES},stream_max_retries={RETRIES}}}"
    );
    arguments.text("model_provider", "configured");
    arguments.set("model_providers.configured", &table);
}

/// A command line in the making.
struct Arguments(Vec<OsString>);

impl Arguments {
    fn set(&mut self, key: &str, value: &str) {
        self.0.extend(["-c".into(), format!("{key}={value}").into()]);
    }

    /// Sets a text; quoted, because a value is read as TOML.
    fn text(&mut self, key: &str, value: &str) {
        self.set(key, &quoted(value));
    }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
