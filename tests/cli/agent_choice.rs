//! Which agents are pinned when a run begins: `auto`, and the reviewer that fits.

use serde_json::{Value, json};

use crate::support::{Ran, Sandbox};

/// A machine with these programs and git on it. None of them is ever called: the run is only planned.
fn machine(programs: &[&str]) -> Sandbox {
    let mut sandbox = Sandbox::new();
    let mut folder = sandbox.executable("unused", "");
    for program in programs {
        folder = sandbox.executable(program, "#!/bin/sh\nexit 0\n");
    }
    let folder = folder.parent().expect("a folder").display().to_string();
    // What this machine itself has installed must not count.
    let system: Vec<String> = std::env::var("PATH")
        .unwrap_or_default()
        .split(':')
        .filter(|folder| {
            ["claude", "codex"].iter().all(|name| !std::path::Path::new(folder).join(name).exists())
        })
        .map(str::to_owned)
        .collect();
    sandbox = sandbox.with("PATH", &format!("{folder}:{}", system.join(":")));
    sandbox
}

fn plan(sandbox: &Sandbox, more: &[&str]) -> (Value, Value, Ran) {
    let plan = ["execute", "--issue", "243", "--forge", "local", "--dry-run", "--json"];
    let ran = sandbox.run(&[&plan[..], more].concat()).exits(0);
    let first = ran.json()["phases"][0].clone();
    (first["agent"].clone(), first["reviewer"].clone(), ran)
}

#[test]
fn auto_agent_is_resolved_at_the_start_with_its_reason() {
    let (agent, reviewer, ran) = plan(&machine(&["claude", "codex"]), &[]);
    assert_eq!((agent, reviewer), (json!(["claude"]), json!(["codex", "claude:opus"])));
    let _ = ran.says("auto is claude: it is there, and asked first");
    let (agent, reviewer, ran) = plan(&machine(&["codex"]), &[]);
    assert_eq!((agent, reviewer), (json!(["codex"]), json!(["codex:gpt-6-sol"])));
    let _ = ran
        .says("auto is codex: the agent program `claude` was not found")
        .says("codex:gpt-6-sol reviews the work of codex: the agent program `claude` was not found");
    machine(&[])
        .run(&["execute", "--issue", "243", "--forge", "local", "--dry-run"])
        .exits(4)
        .says("the agent `auto` cannot be used");
}

/// Programs that answer as claude and codex do when they are asked about themselves.
const CLAUDE: &str = "#!/bin/sh\ncase \"$*\" in --version) echo '2.1.329 (Claude Code)';; 'auth status') echo '{\"loggedIn\": LOGGED}';; esac\n";
const CODEX: &str =
    "#!/bin/sh\ncase \"$*\" in *--version) echo 'codex-cli 0.169.0';; *'login status') exit STATUS;; esac\n";

#[test]
fn doctor_shows_the_state_of_each_agent_and_the_choice_of_auto() {
    let sandbox = machine(&["claude", "codex"]);
    let doctor = |logged: &str, status: &str, more: &[&str]| {
        sandbox.executable("claude", &CLAUDE.replace("LOGGED", logged));
        sandbox.executable("codex", &CODEX.replace("STATUS", status));
        sandbox.run(&[&["doctor", "--json"], more].concat())
    };
    let of = |report: &Value, name: &str| {
        let findings = report["findings"].as_array().expect("findings").clone();
        findings.into_iter().find(|it| it["agent"]["agent"] == name).expect(name)
    };
    let told = |report: &Value, name: &str| {
        let findings = report["findings"].as_array().expect("findings").clone();
        findings.into_iter().find(|it| it["name"] == name).expect(name)["told"].clone()
    };
    let well = doctor("true", "0", &[]).exits(0).json();
    let claude = of(&well, "claude")["agent"].clone();
    assert!(claude["found"].as_str().is_some_and(|path| path.ends_with("/claude")), "{claude}");
    let known = json!({"agent": "claude", "found": claude["found"], "version": "2.1.329", "signed_in": true,
        "read_only": true, "schema": true, "remark": null});
    assert_eq!(claude, known);
    assert_eq!(of(&well, "codex")["agent"]["version"], "0.169.0");
    assert_eq!(told(&well, "auto"), "auto is claude: it is there, and asked first");
    let second = doctor("false", "0", &[]).exits(0).json();
    assert_eq!(told(&second, "auto"), "auto is codex: claude is not signed in");
    let ill = doctor("false", "1", &[]).exits(2).json();
    assert_eq!(
        told(&ill, "auto"),
        "the agent `auto` cannot be used: claude is not signed in, codex is not signed in"
    );
    let unneeded = doctor("false", "1", &["--agent", "scripted:/no/such"]).exits(2).json();
    let bad: Vec<_> =
        unneeded["findings"].as_array().expect("findings").iter().filter(|it| it["ok"] == false).collect();
    assert_eq!(bad.len(), 1, "{bad:?}");
    assert_eq!(bad[0]["agent"]["agent"], "scripted:/no/such");
}

#[test]
fn a_named_reviewer_is_kept_and_auto_in_its_list_is_resolved() {
    let sandbox = machine(&["claude", "codex"]);
    let (_, reviewer, _) = plan(&sandbox, &["--agent", "claude", "--reviewer", "claude:haiku,auto"]);
    assert_eq!(reviewer, json!(["claude:haiku", "claude"]));
    sandbox.write(".ai-workflow/config.toml", "[phases.planning]\nreviewer = 'claude'\n");
    assert_eq!(plan(&sandbox, &["--agent", "claude"]).1, json!(["claude"]));
    sandbox.write(".ai-workflow/config.toml", "[second_models.claude]\ndefault = 'haiku'\n");
    assert_eq!(plan(&sandbox, &["--agent", "claude"]).1, json!(["codex", "claude:haiku"]));
}

#[test]
fn agent_that_reviews_its_own_work_gives_a_warning() {
    let sandbox = machine(&["claude", "codex"]);
    let local = "[agents.local]\nkind = 'claude'\nbase_url = 'http://localhost:11434'\nmodel = 'qwen'\n";
    sandbox.write(".ai-workflow/config.toml", local);
    let (_, reviewer, ran) = plan(&sandbox, &["--agent", "local"]);
    assert_eq!(reviewer, json!(["local"]));
    let _ = ran.says("local reviews its own work, in a fresh process: it is the only agent at its address");
}

#[test]
fn a_missing_agent_is_skipped_when_another_agent_is_available() {
    let sandbox = machine(&["claude"]);
    let (agent, _, ran) = plan(&sandbox, &["--agent", "codex,claude"]);
    assert_eq!(agent, json!(["codex", "claude"]));
    let _ = ran.says("it is passed over");
}
