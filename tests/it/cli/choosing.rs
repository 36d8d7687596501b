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
fn auto_is_resolved_when_the_run_begins_and_the_reason_is_told() {
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

#[test]
fn a_reviewer_that_is_named_stands_and_auto_in_it_is_resolved_too() {
    let sandbox = machine(&["claude", "codex"]);
    let (_, reviewer, _) = plan(&sandbox, &["--agent", "claude", "--reviewer", "claude:haiku,auto"]);
    assert_eq!(reviewer, json!(["claude:haiku", "claude"]));
    sandbox.write(".ai-workflow/config.toml", "[phases.planning]\nreviewer = 'claude'\n");
    assert_eq!(plan(&sandbox, &["--agent", "claude"]).1, json!(["claude"]));
    sandbox.write(".ai-workflow/config.toml", "[second_models.claude]\ndefault = 'haiku'\n");
    assert_eq!(plan(&sandbox, &["--agent", "claude"]).1, json!(["codex", "claude:haiku"]));
}

#[test]
fn who_reviews_its_own_work_is_warned_of() {
    let sandbox = machine(&["claude", "codex"]);
    let local = "[agents.local]\nkind = 'claude'\nbase_url = 'http://localhost:11434'\nmodel = 'qwen'\n";
    sandbox.write(".ai-workflow/config.toml", local);
    let (_, reviewer, ran) = plan(&sandbox, &["--agent", "local"]);
    assert_eq!(reviewer, json!(["local"]));
    let _ = ran.says("local reviews its own work, in a fresh process: it is the only agent at its address");
}
