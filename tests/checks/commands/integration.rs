//! What a project runs at its end: its scripts, the tests of each of its languages and the lint, up to the first failure.

use serde_json::json;

use super::{WORK, commit, work};
use crate::support::{Sandbox, make_executable};

/// In the order in which they have to run.
const ALL: [&str; 7] = [
    "sh tests/validate.sh",
    "sh scripts/check-consistency.sh",
    "npm test",
    "sh lint.sh",
    "python3 -m pytest",
    "cargo test",
    "go test ./...",
];

/// A project of four languages whose programs write down that they were called, and fail when they are told to.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().with_file_name("bin");
    std::fs::create_dir_all(&folder).expect("a folder");
    let called = format!(
        "echo \"$line\" >> '{0}/called'\n[ \"$(cat '{0}/failing' 2>/dev/null)\" != \"$line\" ]\n",
        folder.display()
    );
    for name in ["npm", "python3", "cargo", "go"] {
        let program = folder.join(name);
        // Without what asks the runner for the result of each test.
        let line = format!("$(echo \"{name} $*\" | sed 's/ -- --json.*//; s/ --no-fail-fast//; s/ -v / /')");
        std::fs::write(&program, format!("#!/bin/sh\nline=\"{line}\"\n{called}")).expect("a program");
        make_executable(&program);
    }
    for script in ["tests/validate.sh", "scripts/check-consistency.sh", "lint.sh"] {
        sandbox.write(script, &format!("line=\"sh {script}\"\n{called}"));
    }
    sandbox.write("package.json", r#"{"scripts": {"test": "jest"}}"#);
    sandbox.write("pytest.ini", "[pytest]\n");
    sandbox.write("Cargo.toml", "[package]\nname = \"a\"\n");
    sandbox.write("go.mod", "module a\n");
    commit(&sandbox);
    sandbox.write(".ai-workflow/config.toml", "[commands]\nlint = \"sh lint.sh\"\n");
    let path = std::env::var("PATH").expect("a path");
    sandbox.with("PATH", &format!("{}:{path}", folder.display()))
}

/// Runs the check while this line fails, and returns what was called with what the check says.
fn called(sandbox: &Sandbox, failing: &str) -> (Vec<String>, String) {
    let file = |name: &str| sandbox.root().with_file_name("bin").join(name);
    std::fs::write(file("failing"), failing).expect("a file");
    std::fs::write(file("called"), "").expect("a file");
    let arguments = ["check", "--only", "integration", "--in-place"];
    let ran = sandbox.run(&arguments).exits(i32::from(!failing.is_empty()));
    let called = std::fs::read_to_string(file("called")).expect("a text");
    (called.lines().map(str::to_owned).collect(), ran.stdout)
}

#[test]
fn integration_runs_everything_in_its_order_up_to_the_first_failure() {
    let sandbox = project();
    assert_eq!(called(&sandbox, "").0, ALL);
    for (index, line) in ALL.iter().enumerate() {
        let (lines, told) = called(&sandbox, line);
        assert_eq!(lines, ALL[..=index], "{told}");
        let rest: Vec<String> = ALL[index + 1..].iter().map(|line| format!("`{line}`")).collect();
        let not_run =
            if rest.is_empty() { String::new() } else { format!("not run after it: {}", rest.join(", ")) };
        assert!(told.contains(&format!("`{line}` failed")) && told.contains(&not_run), "{told}");
    }
}

#[test]
fn a_missing_program_is_told_and_the_rest_is_run() {
    let sandbox = project();
    std::fs::write(sandbox.root().with_file_name("bin").join("go"), "#!/bin/sh\nexit 127\n")
        .expect("a program");
    let ran = sandbox.run(&["check", "--only", "integration"]);
    assert!(
        ran.stdout.contains("`go test ./...` could not run") && ran.stdout.contains("`cargo test`"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("✓ integration"), "{}", ran.stdout);
}

#[test]
fn integration_is_checked_in_the_last_phase_that_looks_at_the_code() {
    let sandbox = Sandbox::new();
    sandbox.write("scripts/check-consistency.sh", "grep -q 3 src/lib.rs\n");
    commit(&sandbox);
    sandbox.write(".ai-workflow/config.toml", WORK);
    work(&sandbox, &[], &[]).exits(0);
    let checked = sandbox.facts().into_iter().filter(|fact| fact["type"] == "checked");
    let results = checked.flat_map(|fact| {
        let results = fact["results"].as_array().cloned().unwrap_or_default();
        let of = results.into_iter().filter(|result| result["check"] == "integration");
        of.map(|result| json!([fact["phase"], result["status"], result["summary"]])).collect::<Vec<_>>()
    });
    let passed = "passed in this order: `sh scripts/check-consistency.sh`";
    assert_eq!(results.collect::<Vec<_>>(), [json!(["testing", "pass", passed])]);
}
