//! Secrets and control characters: what must not be seen is in no file, no comment, no commit and on no screen.

use crate::support::{Ran, Sandbox};

const TOKEN: &str = "ghp_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const OURS: &str = "correct-horse-battery-staple";

/// An agent that prints and writes everything it should not, and a reviewer that does the same.
const LEAKY: &str = r#"#!/bin/sh
set -eu
cat > /dev/null
token=ghp_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
ours=correct-horse-battery-staple
case "$AI_WORKFLOW_STEP" in
review)
    printf '{"review_id": "%s", "result": "PASS_WITH_SUGGESTIONS", "summary": "%s", "findings": [{"severity": "info", "category": "x", "issue": "\\u001b[31m%s\\u0007", "suggestion": "use %s"}]}\n' "$AI_WORKFLOW_REVIEW_ID" "$token" "$ours" "$token" ;;
*)
    mkdir -p "$(dirname "$AI_WORKFLOW_OUTPUT")"
    printf '# %s\n' "$AI_WORKFLOW_PHASE" > "$AI_WORKFLOW_OUTPUT"
    printf '\033]52;c;ZXZpbA==\007\033[2Jsaid %s and %s\n' "$token" "$ours"
    printf 'complained %s and %s\n' "$token" "$ours" >&2 ;;
esac
"#;

fn leaky_run() -> (Sandbox, Ran) {
    let sandbox = Sandbox::new().with("DEPLOY_TOKEN", OURS);
    sandbox.write(
        ".ai-workflow/local/issues/243.md",
        &format!(
            "---\ntitle: \"Use {TOKEN} \\e[31mnow\"\n---\nThe token is {TOKEN}, the other one {OURS}.\n"
        ),
    );
    let agent = format!("command:{}", sandbox.executable("leaky.sh", LEAKY).display());
    let ran = sandbox.run(&[
        "execute",
        "--issue",
        "243",
        "--agent",
        &agent,
        "--preset",
        "review-requirements",
        "--json",
    ]);
    let ran = ran.exits(0);
    (sandbox, ran)
}

#[test]
fn a_secret_printed_by_an_agent_appears_nowhere_after_the_run() {
    let (sandbox, ran) = leaky_run();
    let mut places = sandbox.everything();
    places.retain(|name, _| {
        name.contains("issue-243/") || name.contains("243.comments") || name.contains("243.pr")
    });
    assert!(places.keys().any(|name| name.ends_with("raw.jsonl")), "{places:?}");
    assert!(places.keys().any(|name| name.ends_with("prompt.md")), "{places:?}");
    places.insert("stdout".into(), ran.stdout);
    places.insert("stderr".into(), ran.stderr);
    places.insert("commits".into(), sandbox.git(&["log", "--format=%B", "main..ai-workflow/issue-243"]));
    places.insert("diff".into(), sandbox.git(&["diff", "main", "ai-workflow/issue-243"]));
    for command in ["status", "explain", "replay"] {
        let ran = sandbox.run(&[command, "--issue", "243"]).exits(0);
        places.insert(command.into(), format!("{}{}", ran.stdout, ran.stderr));
    }
    for (name, text) in places {
        assert!(!text.contains(TOKEN), "the token is in {name}:\n{text}");
        assert!(!text.contains(OURS), "our secret is in {name}:\n{text}");
    }
}

#[test]
fn control_sequences_are_removed_from_terminal_and_comments() {
    let (sandbox, ran) = leaky_run();
    let mut places = vec![
        ("stdout", ran.stdout),
        ("stderr", ran.stderr),
        ("pull request", sandbox.read(".ai-workflow/local/issues/243.pr.md")),
        ("commits", sandbox.git(&["log", "--format=%B", "main..ai-workflow/issue-243"])),
    ];
    for command in ["status", "explain", "replay"] {
        places.push((command, sandbox.run(&[command, "--issue", "243"]).exits(0).stdout));
    }
    places.push(("all runs", sandbox.run(&["status"]).exits(0).stdout));
    for (name, text) in places {
        let bad = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(bad, None, "in {name}: {text:?}");
    }
}

#[test]
fn secret_too_short_for_masking_gives_a_warning() {
    let sandbox = Sandbox::new().with("SHORT_TOKEN", "abc").with("LONG_TOKEN", OURS);
    let ran = sandbox.short("", &[]).exits(0).says("W_SHORT_SECRET: the value of SHORT_TOKEN");
    assert!(!ran.stderr.contains("LONG_TOKEN"), "{}", ran.stderr);
}

#[test]
fn a_secret_quoted_in_an_error_is_masked() {
    let sandbox = Sandbox::new().with("DEPLOY_TOKEN", OURS);
    let ran = sandbox.run(&["parse-review", OURS]).refuses(2, "[MASKED:DEPLOY_TOKEN]");
    assert!(!ran.stderr.contains(OURS), "{}", ran.stderr);
    sandbox
        .run(&["execute", "--issue", "243", "--phase", "\u{1b}[31mred"])
        .refuses(2, "there is no phase `red`");
}

#[test]
fn the_api_key_of_an_agent_is_masked_for_every_variable_name() {
    let sandbox = Sandbox::new().with("MY_OLLAMA", OURS);
    sandbox.write(".ai-workflow/config.toml", "[agents.claude]\napi_key_env = 'MY_OLLAMA'\n");
    let breaks = "#!/bin/sh\necho \"said $1 correct-horse-battery-staple\"\necho \"cried correct-horse-battery-staple\" >&2\nexit 3\n";
    let agent = format!("command:{}", sandbox.executable("breaks.sh", breaks).display());
    let ran = sandbox.run(&["execute", "--issue", "243", "--agent", &agent, "--json"]).exits(1);
    let mut places = sandbox.everything();
    places.insert("stdout".into(), ran.stdout);
    places.insert("stderr".into(), ran.stderr);
    assert!(places.values().any(|text| text.contains("[MASKED:MY_OLLAMA]")), "{places:?}");
    for (name, text) in places {
        assert!(!text.contains(OURS), "the key is in {name}:\n{text}");
    }
    let ran = sandbox.run(&["execute", "--issue", "244", "--phase", OURS]).exits(2);
    assert!(!ran.stderr.contains(OURS), "{}", ran.stderr);
}
