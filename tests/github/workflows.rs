//! Every workflow and action that we ship or write for others, held to rules of our own.
//! Linters of others look at the same files in the full suite (`.ci/full workflows`).

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_norway::Value;

use crate::job::OUTPUTS;
use crate::support::{Sandbox, make_executable};
use crate::{Fault, Github, Kind};

const ACTION: &str = "octo/ai-workflow@0123456789abcdef0123456789abcdef01234567";
const WORKFLOW: &str = ".github/workflows/ai-workflow.yml";
const TWO_JOBS: &str = "init github --two-job";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns every file by name: those of this repository and those that `init github` writes.
fn all() -> Vec<(String, String)> {
    let mut found =
        vec![("action.yml".to_owned(), fs::read_to_string(root().join("action.yml")).expect("a file"))];
    for entry in fs::read_dir(root().join(".github/workflows")).expect("a folder") {
        let path = entry.expect("an entry").path();
        found.push((path.display().to_string(), fs::read_to_string(&path).expect("a file")));
    }
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "github", "--action", ACTION]).exits(0);
    found.push(("init github".to_owned(), sandbox.read(WORKFLOW)));
    init(&sandbox, &["--two-job", "--force"]).exits(0);
    found.push((TWO_JOBS.to_owned(), sandbox.read(WORKFLOW)));
    assert!(found.len() >= 4);
    found
}

/// Returns every file but the action.
fn workflows() -> Vec<(String, Value)> {
    let parsed = all().into_iter().map(|(name, text)| {
        let value: Value = serde_norway::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, value)
    });
    parsed.filter(|(_, value)| value.get("jobs").is_some()).collect()
}

/// Returns the workflows that start runs; `ci.yml` and `release.yml` test and release this project.
fn workflows_of_runs() -> Vec<(String, Value)> {
    let found: Vec<_> = workflows()
        .into_iter()
        .filter(|(name, _)| !name.ends_with("/ci.yml") && !name.ends_with("/release.yml"))
        .collect();
    assert!(found.len() >= 3, "{found:?}");
    found
}

fn jobs(workflow: &Value) -> impl Iterator<Item = &Value> {
    workflow["jobs"].as_mapping().expect("jobs").values()
}

/// Returns each text of a document with the keys that lead to it.
fn texts(value: &Value, path: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => found.push((path.to_owned(), text.clone())),
        Value::Sequence(items) => items.iter().for_each(|item| texts(item, path, found)),
        Value::Mapping(fields) => {
            for (key, value) in fields {
                texts(value, &format!("{path}/{}", key.as_str().unwrap_or("?")), found);
            }
        }
        _ => {}
    }
}

fn each_text(mut look: impl FnMut(&str, &str, &str)) {
    for (name, text) in all() {
        let value: Value = serde_norway::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut found = Vec::new();
        texts(&value, "", &mut found);
        for (path, text) in &found {
            look(&name, path, text);
        }
    }
}

#[test]
fn no_workflow_expression_is_in_a_shell_command() {
    let mut commands = 0;
    each_text(|name, path, text| {
        if path.ends_with("/run") {
            commands += 1;
            assert!(!text.contains("${{"), "{name} {path}: {text}");
        }
        if path.ends_with("/shell") {
            assert_eq!(text, "bash", "{name}");
        }
    });
    assert!(commands >= 3, "nothing was looked at");
}

#[test]
fn event_fields_are_used_only_in_conditions_and_run_names() {
    each_text(|name, path, text| {
        let asked = path.ends_with("/if") || path.ends_with("/concurrency/group") || path == "/run-name";
        let foreign = ["github.event", "github.head_ref", "github.ref_name", "github.actor", "inputs.issue"];
        let stands_there = foreign.iter().any(|word| text.contains(word));
        assert!(asked || !stands_there, "{name} {path}: {text}");
    });
}

/// Returns the command by which the action hands over the event.
fn handing_over() -> String {
    let text = fs::read_to_string(root().join("action.yml")).expect("a file");
    let action: Value = serde_norway::from_str(&text).expect("YAML");
    let steps = action["runs"]["steps"].as_sequence().expect("steps");
    let step = steps.iter().find(|step| step["id"].as_str() == Some("run")).expect("the step");
    step["run"].as_str().expect("a command").to_owned()
}

/// A program that says what it is sent, and takes its time to end; forgotten, it ends by itself.
const LISTENS: &str = r"#!/bin/sh
trap 'echo told >> heard; sleep 0.3; echo ended >> heard; exit 130' TERM
echo here > heard
for _ in $(seq 200); do sleep 0.05; done
";

/// Has bash send itself a signal right before the one command that is named, when the program is there to hear it.
fn signalled_before(command: &str, signal: &str) -> String {
    let there = "until [ -s heard ]; do sleep 0.01; done";
    format!(
        "struck() {{ if [ \"$BASH_COMMAND\" = '{command}' ]; then trap - DEBUG; {there}; kill -{signal} $$; fi; }}\n\
         trap struck DEBUG\n{}",
        handing_over()
    )
}

/// Where the signal may meet the shell: before it knows the program, before it looks back, and while it waits.
#[test]
fn job_cancellation_signals_the_program_once_and_waits() {
    for signal in ["INT", "TERM"] {
        for command in ["program=$!", r#"[ -n "$told" ]"#, r#"wait "$program""#] {
            let folder = tempfile::tempdir().expect("a folder");
            let program = folder.path().join("ai-workflow/bin/ai-workflow");
            fs::create_dir_all(program.parent().expect("a folder")).expect("a folder");
            fs::write(&program, LISTENS).expect("a file");
            make_executable(&program);
            // A suite in the background of a shell ignores SIGINT, and no shell below it could take it up again.
            let ended = Command::new("env")
                .args(["--default-signal=INT", "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"])
                .arg(signalled_before(command, signal))
                .current_dir(folder.path())
                .env("RUNNER_TEMP", folder.path())
                .envs([("GITHUB_EVENT_PATH", "event.json"), ("AGENT", ""), ("REVIEWER", ""), ("PRESET", "")])
                .status()
                .expect("bash starts");
            assert_eq!(ended.code(), Some(130), "{signal} before `{command}`");
            let heard = fs::read_to_string(folder.path().join("heard")).unwrap_or_default();
            assert_eq!(heard, "here\ntold\nended\n", "{signal} before `{command}`");
        }
    }
}

/// The command of the action itself, with hostile texts wherever somebody could put one.
#[test]
fn action_passes_hostile_text_as_data() {
    let script = handing_over();
    let folder = tempfile::tempdir().expect("a folder");
    let bin = folder.path().join("ai-workflow/bin");
    fs::create_dir_all(&bin).expect("a folder");
    let (seen, sentinel) = (folder.path().join("seen"), folder.path().join("SENTINEL"));
    let evil = format!("a\"; touch {0} # `touch {0}` $(touch {0})", sentinel.display());
    let event = folder.path().join("event $(touch SENTINEL).json");
    fs::write(&event, format!("{{\"issue\":{{\"title\":{evil:?}}}}}")).expect("a file");
    let handed = folder.path().join("ai-workflow/handed").display().to_string();
    let (event_alone, to_hand_over, to_apply) =
        (vec!["event"], vec!["event", "--bundle", &handed], vec!["apply", "--bundle", &handed]);
    for (part, command, code, expected) in [
        ("", &event_alone, 0, 0),
        ("all", &event_alone, 1, 1),
        ("agent", &to_hand_over, 3, 0),
        ("apply", &to_apply, 70, 70),
        (evil.as_str(), &vec![], 0, 2),
    ] {
        let program = bin.join("ai-workflow");
        fs::write(
            &program,
            format!(
                "#!/bin/sh\nprintf '%s\\n' \"$@\" \"${{CODEX_API_KEY+set}}\" > '{}'\nexit {code}\n",
                seen.display()
            ),
        )
        .expect("a file");
        make_executable(&program);
        let status = Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &script])
            .current_dir(folder.path())
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap_or_default())
            .env("RUNNER_TEMP", folder.path())
            .env("GITHUB_EVENT_PATH", &event)
            .envs([
                ("AGENT", evil.as_str()),
                ("REVIEWER", ""),
                ("PRESET", "quick"),
                ("CODEX_API_KEY", ""),
                ("PART", part),
            ])
            .status()
            .expect("bash starts");
        assert_eq!(status.code(), Some(expected));
        let words = fs::read_to_string(&seen).unwrap_or_default();
        let _ = fs::remove_file(&seen);
        let path = event.display().to_string();
        let rest = ["--path", &path, "--agent", &evil, "--preset", "quick", ""];
        let wanted: Vec<&str> = command.iter().copied().chain(rest).collect();
        assert_eq!(words.lines().collect::<Vec<_>>(), if command.is_empty() { vec![] } else { wanted });
    }
    assert!(!sentinel.exists() && !folder.path().join("SENTINEL").exists());
}

#[test]
fn every_action_is_pinned_by_commit_with_a_version_comment() {
    let pinned = regex::Regex::new(r"^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$").expect("a constant");
    let mut seen = 0;
    for (name, text) in all() {
        let uses =
            text.lines().filter_map(|line| line.trim_start_matches([' ', '#', '-']).strip_prefix("uses: "));
        for used in uses {
            seen += 1;
            let ours = used.starts_with("./ ") || used == ACTION;
            assert!(ours || pinned.is_match(used), "{name}: {used}");
        }
    }
    assert!(seen >= 5, "nothing was looked at");
}

#[test]
fn no_workflow_uses_a_cache() {
    each_text(|name, path, text| {
        assert!(!text.contains("actions/cache") && !path.ends_with("/with/cache"), "{name} {path}: {text}");
    });
}

#[test]
fn every_workflow_job_has_minimal_permissions_a_timeout_and_concurrency() {
    for (name, workflow) in workflows() {
        assert!(workflow["permissions"].as_mapping().is_some_and(serde_norway::Mapping::is_empty), "{name}");
        for trigger in ["pull_request_target", "workflow_run"] {
            assert!(workflow["on"].get(trigger).is_none(), "{name}: {trigger}");
        }
        for job in jobs(&workflow) {
            let rights = job["permissions"].as_mapping().expect("every job says what it may do");
            assert!(!rights.is_empty() && rights.values().all(Value::is_string), "{name}");
            assert!(job["timeout-minutes"].as_u64().is_some_and(|minutes| minutes < 360), "{name}");
        }
    }
    for (name, workflow) in workflows_of_runs() {
        for job in jobs(&workflow) {
            // Two jobs of one run hold one place together.
            let held = if name == TWO_JOBS { &workflow["concurrency"] } else { &job["concurrency"] };
            assert_eq!(held["cancel-in-progress"].as_bool(), Some(false), "{name}");
            assert_eq!(held["queue"].as_str(), Some("max"), "{name}");
            let group = held["group"].as_str().expect("a group");
            assert!(group.contains("github.event.issue.number || inputs.issue"), "{name}: {group}");
        }
    }
}

#[test]
fn the_job_that_reads_checks_has_permission_also_with_an_app_token() {
    let texts: BTreeMap<String, String> = all().into_iter().collect();
    for (name, workflow) in workflows_of_runs() {
        let job = jobs(&workflow).find(|job| job["permissions"]["contents"].as_str() == Some("write"));
        let rights = job.expect("one job pushes")["permissions"].as_mapping().expect("rights");
        for right in ["checks", "statuses"] {
            assert_eq!(rights.get(right).and_then(Value::as_str), Some("read"), "{name}: {right}");
        }
        let text = &texts[&name];
        for (right, value) in rights {
            let (right, value) = (right.as_str().expect("a word"), value.as_str().expect("a word"));
            assert!(text.contains(&format!("#     permission-{right}: {value}\n")), "{name}: {right}");
        }
    }
}

#[test]
fn a_comment_of_a_person_outside_the_project_starts_no_job() {
    for (name, workflow) in workflows_of_runs() {
        for job in jobs(&workflow) {
            let asked = job["if"].as_str().expect("a condition");
            if job["needs"].is_string() {
                assert!(asked.contains("needs.agent.result != 'skipped'"), "{name}: {asked}");
                continue;
            }
            let known = "contains(fromJSON('[\"OWNER\", \"MEMBER\", \"COLLABORATOR\", \"CONTRIBUTOR\"]'), \
                         github.event.comment.author_association)";
            assert!(asked.contains(known), "{name}: {asked}");
            assert!(asked.contains("github.event.comment.user.type != 'Bot' &&"), "{name}: {asked}");
            assert!(
                asked.ends_with("contains(fromJSON('[]'), github.event.comment.user.login)))"),
                "{name}: {asked}"
            );
        }
    }
}

#[test]
fn action_runs_one_install_script_only() {
    let text = fs::read_to_string(root().join("action.yml")).expect("a file");
    for line in text.lines().filter(|line| line.contains("npm ")) {
        assert!(line.contains("npm ci ") && line.contains(" --ignore-scripts "), "{line}");
    }
    let scripts: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("node ")).collect();
    assert_eq!(scripts.len(), 1, "{scripts:?}");
}

#[test]
fn two_job_workflow_separates_agents_from_write_access() {
    let workflow =
        workflows().into_iter().find(|(name, _)| name == TWO_JOBS).expect("the form with two jobs").1;
    let (agent, apply) = (&workflow["jobs"]["agent"], &workflow["jobs"]["apply"]);
    assert_eq!(workflow["jobs"].as_mapping().map(serde_norway::Mapping::len), Some(2));
    let rights = agent["permissions"].as_mapping().expect("rights");
    assert!(rights.values().all(|right| right.as_str() == Some("read")), "{rights:?}");
    assert_eq!(apply["permissions"]["contents"].as_str(), Some("write"));
    let (mut of_agent, mut of_apply) = (Vec::new(), Vec::new());
    texts(agent, "", &mut of_agent);
    texts(apply, "", &mut of_apply);
    let names = |texts: &[(String, String)], word: &str| texts.iter().any(|(_, text)| text.contains(word));
    assert!(names(&of_agent, "secrets.ANTHROPIC_API_KEY"));
    for word in ["secrets.", "API_KEY", "OAUTH"] {
        assert!(!names(&of_apply, word), "the job that may write has {word}");
    }
    assert!(apply["environment"].is_null(), "its secrets are not for the job that may write");
    assert_eq!(apply["needs"].as_str(), Some("agent"));
    let steps = |job: &Value| {
        let steps = job["steps"].as_sequence().expect("steps").iter();
        steps.map(|step| step["with"].clone()).collect::<Vec<_>>()
    };
    let (worked, taken) = (steps(agent), steps(apply));
    let place = |with: &Value| (with["name"].clone(), with["path"].clone());
    assert_eq!(worked[1]["part"].as_str(), Some("agent"));
    assert_eq!(taken[2]["part"].as_str(), Some("apply"));
    assert_eq!(place(&worked[2]), place(&taken[1]), "what is handed over is what is taken");
}

#[test]
fn checkout_does_not_persist_credentials() {
    for (name, workflow) in workflows() {
        let steps = jobs(&workflow).flat_map(|job| job["steps"].as_sequence().expect("steps"));
        let checkouts: Vec<&Value> = steps
            .filter(|step| step["uses"].as_str().is_some_and(|used| used.contains("/checkout@")))
            .collect();
        assert!(!checkouts.is_empty(), "{name}");
        for checkout in checkouts {
            assert_eq!(checkout["with"]["persist-credentials"].as_bool(), Some(false), "{name}");
            assert_eq!(checkout["with"]["fetch-depth"].as_u64(), Some(0), "{name}");
        }
    }
}

#[test]
fn the_action_passes_on_every_output() {
    let text = fs::read_to_string(root().join("action.yml")).expect("a file");
    let action: Value = serde_norway::from_str(&text).expect("YAML");
    let outputs = action["outputs"].as_mapping().expect("outputs");
    let mut names: Vec<&str> = outputs.keys().filter_map(Value::as_str).collect();
    for name in &names {
        let value = action["outputs"][*name]["value"].as_str();
        assert_eq!(value, Some(format!("${{{{ steps.run.outputs.{name} }}}}").as_str()));
    }
    names.sort_unstable();
    assert_eq!(names, OUTPUTS);
}

fn init(sandbox: &Sandbox, more: &[&str]) -> crate::support::Ran {
    sandbox.run(&[&["init", "github", "--action", ACTION], more].concat())
}

#[test]
fn init_github_writes_a_workflow_and_lists_the_next_steps() {
    let sandbox = Sandbox::new();
    let ran = init(&sandbox, &[]).exits(0);
    assert!(sandbox.read(WORKFLOW).contains(&format!("uses: {ACTION}\n")));
    assert!(sandbox.has(".ai-workflow/config.toml") && sandbox.has(".ai-workflow/.gitignore"));
    for told in [
        "gh label create 'ai-workflow'",
        "gh secret set ANTHROPIC_API_KEY",
        "Allow GitHub Actions",
        "github-token",
    ] {
        assert!(ran.stdout.contains(told), "{told} is not in\n{}", ran.stdout);
    }
    init(&sandbox, &[]).refuses(2, "exists already");
    sandbox.write(".ai-workflow/config.toml", "[github]\ntrigger_label = \"agents, please\"\n");
    init(&sandbox, &["--force"]).refuses(2, "the label `agents, please` cannot stand in a workflow");
    let named = "allowed_actors = [\"renovate[bot]\", \"carol\"]";
    sandbox.write(".ai-workflow/config.toml", &format!("[github]\ntrigger_label = \"agents\"\n{named}\n"));
    init(&sandbox, &["--force"]).exits(0);
    assert!(sandbox.read(WORKFLOW).contains("fromJSON('[\"renovate[bot]\",\"carol\"]')"));
    assert!(sandbox.read(WORKFLOW).contains("github.event.label.name == 'agents'"));
    assert!(sandbox.read(".ai-workflow/config.toml").contains("agents"), "the configuration is the user's");
}

#[test]
fn init_github_needs_an_action_pinned_by_commit() {
    let sandbox = Sandbox::new();
    let before = sandbox.everything();
    sandbox.run(&["init", "github"]).refuses(2, "nobody says which action the workflow is to use");
    sandbox
        .run(&["init", "github", "--action", "octo/ai-workflow@v1"])
        .refuses(2, "is not OWNER/NAME@COMMIT");
    let shown = init(&sandbox, &["--dry-run", "--json"]).exits(0).json();
    assert_eq!(shown["would_write"][0], WORKFLOW);
    assert_eq!(sandbox.everything(), before);
}

#[test]
fn init_github_creates_each_label_once() {
    let github = Github::start();
    let sandbox = Sandbox::new()
        .with("GITHUB_API_URL", &github.url())
        .with("GITHUB_REPOSITORY", "octo/pages")
        .with("GITHUB_TOKEN", "ghp_0123456789abcdefghijABCDEFGHIJ012345");
    for _ in 0..2 {
        let ran = init(&sandbox, &["--force"]).exits(0);
        assert!(
            ran.stdout.contains("octo/pages has the labels ai-workflow, ai-workflow:queued, "),
            "{}",
            ran.stdout
        );
        assert!(!ran.stdout.contains("gh label create"));
    }
    let made = github.calls().iter().filter(|call| call.to_string().starts_with("POST")).count();
    assert_eq!((made, github.state().labels.iter().any(|label| label == "ai-workflow")), (7, true));
    assert_eq!(github.violations(), Vec::<String>::new());
}

#[test]
fn init_without_arguments_writes_only_the_configuration() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init"]).exits(0);
    assert!(sandbox.has(".ai-workflow/config.toml") && !sandbox.has(".github"));
    sandbox.run(&["init"]).refuses(2, "exists already");
    sandbox.run(&["init", "--force", "--json"]).exits(0).json();
}

#[test]
fn init_github_shows_how_to_create_labels_that_the_token_may_not() {
    let github = Github::start();
    github.fault(Fault { method: "POST", path_contains: "/labels", nth: 0, kind: Kind::Before(403) });
    let sandbox = Sandbox::new()
        .with("GITHUB_API_URL", &github.url())
        .with("GITHUB_REPOSITORY", "octo/pages")
        .with("GITHUB_TOKEN", "ghp_0123456789abcdefghijABCDEFGHIJ012345");
    let ran = init(&sandbox, &[]).exits(0).says("cannot make a label");
    assert!(ran.stdout.contains("gh label create 'ai-workflow'") && sandbox.has(WORKFLOW));
}
