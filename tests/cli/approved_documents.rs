//! Documents that were approved stay what they were when a later phase removes, empties or rewrites them, and so do the
//! documents that the engine makes of the answers of a document review.

use serde_json::{Value, json};

use crate::line_with;
use crate::support::{Ran, Sandbox, filtered, honest_script};

const SETTINGS: &str = r#"
[phases.document_review]
needs = ["requirements"]
max_revisions = 3

[presets.reviewed]
phases = ["requirements", "document_review", "report"]

[presets.planned]
phases = ["planning", "requirements", "document_review"]

[presets.short]
phases = ["requirements", "report"]

[presets.code]
phases = ["requirements", "implementation"]
"#;
const REQUIREMENTS: &str = ".ai-workflow/issue-243/01_requirements/output/requirements.md";
const REVIEW: &str = ".ai-workflow/issue-243/document_review/output/document-review-1.md";
const REPLY: &str = ".ai-workflow/issue-243/document_review/output/document-review-1-reply.md";

/// Runs a preset with agents that do more than an honest one.
fn run(preset: &str, settings: &str, turns: &str) -> (Sandbox, Ran) {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", &format!("{SETTINGS}{settings}"));
    let agent = sandbox.script(&honest_script(turns));
    let ran = sandbox
        .run(&["execute", "--preset", preset, "--issue", "243", "--forge", "local", "--agent", &agent]);
    (sandbox, ran)
}

/// A turn of one phase, with what it does besides.
fn turn(phase: &str, step: &str, round: u32, does: &str) -> String {
    format!("\n[[turn]]\nphase = \"{phase}\"\nstep = \"{step}\"\nround = {round}\n{does}\n")
}

/// A triage that judges nothing, and does something besides.
fn triage(round: u32, does: &str) -> String {
    let table = "review_id: {{review_id}}\n\n| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n| Info | 0 | 0 | 0 | 0 |\n";
    turn("document_review", "triage", round, &format!("{does}\nsay = \"\"\"\n{table}\"\"\""))
}

fn removed() -> String {
    triage(1, &format!("delete = [\"{REQUIREMENTS}\"]"))
}

/// A turn that writes its deliverable and another text where the requirements stand.
fn rewriting(phase: &str, text: &str) -> String {
    let files = format!(
        "write = [{{ path = \"{{{{output}}}}\", text = \"# {phase}\\n\" }}, {{ path = \"{REQUIREMENTS}\", text = \"{text}\" }}]"
    );
    turn(phase, "execute", 1, &format!("{files}\nsay = \"done\""))
}

/// The verdicts of the rounds of a phase; null where a check ended the round.
fn verdicts(sandbox: &Sandbox, phase: &str) -> Vec<Value> {
    let rounds = sandbox.metadata()["phases"][phase]["rounds"].clone();
    rounds.as_array().expect("rounds").iter().map(|round| round["verdict"].clone()).collect()
}

fn on_branch(sandbox: &Sandbox, path: &str) -> String {
    sandbox.git(&["show", &format!("ai-workflow/issue-243:{path}")])
}

#[test]
fn a_document_removed_by_triage_is_put_back_and_counts_against_the_phase() {
    let (sandbox, ran) = run("reviewed", "", &removed());
    let ran = ran.exits(0);
    insta::assert_snapshot!(line_with(&ran.stderr, "it is put back"), @" WARN Phase document_review: .ai-workflow/issue-243/01_requirements/output/requirements.md is approved and was changed or removed; it is put back");
    insta::assert_snapshot!(line_with(&ran.stderr, "check documents"), @" INFO Phase document_review: Round 2 not approved: check documents: an approved document changed: .ai-workflow/issue-243/01_requirements/output/requirements.md: was changed or removed, and is put back; round 2/3");
    assert!(on_branch(&sandbox, REQUIREMENTS).starts_with("# requirements"));
    assert_eq!(verdicts(&sandbox, "document_review"), [json!("FAIL"), json!(null), json!("PASS")]);
}

#[test]
fn a_removed_and_rewritten_document_is_reviewed_again_and_committed() {
    let again =
        format!("write = [{{ path = \"{REQUIREMENTS}\", text = \"# again\\n\" }}]\nsay = \"put back\"");
    let (sandbox, ran) = run("reviewed", "", &(removed() + &turn("document_review", "revise", 2, &again)));
    ran.exits(0);
    assert_eq!(on_branch(&sandbox, REQUIREMENTS), "# again");
    assert_eq!(verdicts(&sandbox, "document_review"), [json!("FAIL"), json!(null), json!("PASS")]);
}

#[test]
fn the_check_for_approved_documents_cannot_be_disabled() {
    let nothing = "\n[checks]\nevery_phase = []\ndocument_phases = []\ndisabled = [\"documents\"]\n";
    let (sandbox, ran) = run("short", nothing, &rewriting("report", " \\n"));
    ran.exits(0).says("requirements.md: was changed or removed, and is put back");
    assert!(on_branch(&sandbox, REQUIREMENTS).starts_with("# requirements"));
    assert_eq!(sandbox.metadata()["phases"]["report"]["retry_count"], 1);
}

#[test]
fn approved_document_rewritten_in_a_phase_without_review_is_put_back() {
    let without_reviewer = "\n[phases.report]\npolicy = \"completion\"\n";
    let (sandbox, ran) = run("short", without_reviewer, &rewriting("report", "# less is asked\\n"));
    let ran = ran.exits(0).says("requirements.md: was changed or removed, and is put back");
    assert!(on_branch(&sandbox, REQUIREMENTS).starts_with("# requirements"));
    let line = line_with(&ran.stderr, "`git show ");
    let (_, shown) = line.split_once("`git show ").expect("a command");
    let blob = shown.split('`').next().expect("the id of a blob");
    assert_eq!(sandbox.git(&["show", blob]), "# less is asked");
}

#[test]
fn approved_document_rewritten_by_calls_that_break_is_a_finding_against_their_phase() {
    let breaks = rewriting("report", "# less is asked\\n") + "exit = 3\n";
    let (sandbox, ran) = run("short", "", &breaks);
    ran.exits(1);
    let findings = || filtered(&sandbox.run(&["findings", "--issue", "243"]).exits(0).stdout);
    insta::assert_snapshot!(findings(), @r"
    #243 The last page is missing: 1 open, 0 settled
      major .ai-workflow/issue-243/01_requirements/output/requirements.md: the approved document was changed or removed, and is put back [check/documents] (report, since round 1)
    ");
    let agent = sandbox.script(&honest_script(""));
    let again = ["execute", "--phase", "all", "--retry-failed", "--issue", "243", "--agent", &agent];
    sandbox.run(&again).exits(0);
    insta::assert_snapshot!(findings(), @"#243 The last page is missing: 0 open, 1 settled");
    assert_eq!(verdicts(&sandbox, "report").last(), Some(&json!("PASS")));
}

/// What an author does to the requirements, and a name for it.
const TAMPERING: [(&str, &str); 7] = [
    ("design", "rm \"$1\""),
    ("test_scenario", ": > \"$1\""),
    ("documentation", "echo less > \"$1\""),
    ("report", "rm \"$1\"; ln -s ../../../../README.md \"$1\""),
    ("special", "rm \"$1\"; mkfifo \"$1\""),
    ("extra", "mv \"$1\" \"$1.old\"; mkdir \"$1\"; echo less > \"$1/requirements.md\""),
    (
        "last",
        "d=$(dirname \"$1\"); mv \"$d\" \"$d.moved\"; mkdir elsewhere; echo less > elsewhere/requirements.md; ln -s ../../../elsewhere \"$d\"",
    ),
];

#[test]
fn whatever_a_later_author_does_to_an_approved_document_it_is_put_back() {
    let sandbox = Sandbox::new();
    let phases: Vec<&str> = TAMPERING.iter().map(|(phase, _)| *phase).collect();
    let own = phases.iter().fold(String::new(), |own, phase| {
        own + &format!("[phases.{phase}]\noutput = \"{phase}.md\"\nneeds = [\"requirements\"]\n")
    });
    let settings =
        format!("{own}[presets.tampered]\nphases = {:?}\n", [&["requirements"], &phases[..]].concat());
    sandbox.write(".ai-workflow/config.toml", &settings);
    let mut turns = String::new();
    for (phase, does) in TAMPERING {
        sandbox.write(&format!("tamper-{phase}.sh"), &format!("{does}\n"));
        turns += &turn(
            phase,
            "execute",
            1,
            &format!(
                "write = [{{ path = \"{{{{output}}}}\", text = \"# {phase}\\n\" }}]\nrun = \"sh tamper-{phase}.sh {REQUIREMENTS}\"\nsay = \"done\""
            ),
        );
    }
    sandbox.git(&["add", "tamper-*.sh"]);
    sandbox.git(&["commit", "-q", "-m", "scripts"]);
    let agent = sandbox.script(&honest_script(&turns));
    let ran = sandbox
        .run(&["execute", "--preset", "tampered", "--issue", "243", "--forge", "local", "--agent", &agent]);
    let ran = ran.exits(0);
    let metadata = sandbox.metadata();
    for phase in phases {
        assert_eq!(metadata["phases"][phase]["retry_count"], 1, "{phase}: {}", ran.stderr);
        let told =
            format!("Phase {phase}: {REQUIREMENTS} is approved and was changed or removed; it is put back");
        assert!(ran.stderr.contains(&told), "{phase}: {}", ran.stderr);
    }
    assert!(on_branch(&sandbox, REQUIREMENTS).starts_with("# requirements"));
    assert!(sandbox.read(REQUIREMENTS).starts_with("# requirements"));
}

#[test]
fn a_document_repaired_by_its_review_is_in_the_diff_that_the_next_reviewer_sees() {
    let finding = r#"say = '{"review_id": "{{review_id}}", "result": "FAIL", "summary": "a limit is missing", "findings": []}'"#;
    let turns = turn("document_review", "review", 1, finding)
        + &triage(1, &format!("write = [{{ path = \"{REQUIREMENTS}\", text = \"# more is asked\\n\" }}]"));
    let (sandbox, ran) = run("reviewed", "", &turns);
    ran.exits(0);
    assert_eq!(on_branch(&sandbox, REQUIREMENTS), "# more is asked");
    let prompt = sandbox.read(".ai-workflow/issue-243/document_review/review/round-2/attempt-1/prompt.md");
    let changed = prompt.lines().filter(|line| line.starts_with("-#") || line.starts_with("+#"));
    insta::assert_snapshot!(changed.collect::<Vec<_>>().join("\n"), @r"
    -# requirements
    +# more is asked
    ");
}

#[test]
fn a_document_that_its_author_committed_and_that_was_put_back_is_held_against_it_once() {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", SETTINGS);
    let commit = "git add -A\ngit -c user.name=a -c user.email=a@b.c commit -q -m mine\n";
    sandbox.write("tools/commit.sh", &format!("echo less >> {REQUIREMENTS}\n{commit}"));
    sandbox.git(&["add", "tools"]);
    sandbox.git(&["commit", "-q", "-m", "tools"]);
    let report = "write = [{ path = \"{{output}}\", text = \"# report\\n\" }]\nrun = \"sh tools/commit.sh\"\nsay = \"done\"";
    let agent = sandbox.script(&honest_script(&turn("report", "execute", 1, report)));
    let flags = ["--issue", "243", "--forge", "local", "--agent", &agent];
    let ran = sandbox.run(&[&["execute", "--preset", "short"][..], &flags[..]].concat());
    ran.exits(0).says("requirements.md: was changed or removed, and is put back");
    assert_eq!(sandbox.metadata()["phases"]["report"]["retry_count"], 1);
    assert!(!on_branch(&sandbox, REQUIREMENTS).contains("less"));
}

#[test]
fn a_document_review_repairs_every_document_that_its_prompt_lists() {
    let plan = ".ai-workflow/issue-243/00_planning/output/planning.md";
    let finding = r#"say = '{"review_id": "{{review_id}}", "result": "FAIL", "summary": "the plan lacks a step", "findings": []}'"#;
    let turns = turn("document_review", "review", 1, finding)
        + &triage(1, &format!("write = [{{ path = \"{plan}\", text = \"# one step more\\n\" }}]"));
    let (sandbox, ran) = run("planned", "", &turns);
    let ran = ran.exits(0);
    assert!(!ran.stderr.contains("put back"), "{}", ran.stderr);
    assert_eq!(verdicts(&sandbox, "document_review"), [json!("FAIL"), json!("PASS")]);
    assert_eq!(on_branch(&sandbox, plan), "# one step more");
    let prompt = sandbox.read(".ai-workflow/issue-243/document_review/review/round-2/attempt-1/prompt.md");
    assert!(prompt.contains("+# one step more"), "{prompt}");
}

#[test]
fn review_records_on_the_branch_are_as_the_engine_wrote_them() {
    let forged = format!(
        "write = [{{ path = \"{REVIEW}\", text = \"all is well\" }}, {{ path = \"{REPLY}\", text = \"so it is\" }}"
    );
    let finding = r#"say = '{"review_id": "{{review_id}}", "result": "FAIL", "summary": "a limit is missing", "findings": []}'"#;
    let turns = turn("document_review", "review", 1, finding)
        + &triage(1, &format!("write = [{{ path = \"{REQUIREMENTS}\", text = \"# with a limit\\n\" }}]"))
        + &triage(2, &format!("{forged}]"))
        + &turn(
            "report",
            "execute",
            1,
            &format!("{forged}, {{ path = \"{{{{output}}}}\", text = \"# report\\n\" }}]\nsay = \"done\""),
        );
    let (sandbox, ran) = run("reviewed", "", &turns);
    ran.exits(0).says("document-review-1.md was changed and is put back");
    for path in [REVIEW, REPLY] {
        assert_eq!(on_branch(&sandbox, path), sandbox.read(path).trim_end(), "{path}");
    }
    insta::assert_snapshot!(filtered(&on_branch(&sandbox, REVIEW)), @r#"{"review_id": "[RUN]", "result": "FAIL", "summary": "a limit is missing", "findings": []}"#);
    insta::assert_snapshot!(filtered(&on_branch(&sandbox, REPLY)), @r"
    review_id: [RUN]

    | Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |
    |---|---|---|---|---|
    | Info | 0 | 0 | 0 | 0 |
    ");
    assert_eq!(on_branch(&sandbox, REQUIREMENTS), "# with a limit");
    assert_eq!(
        sandbox.git(&["status", "--porcelain"]),
        "?? .ai-workflow/config.toml\n?? .ai-workflow/local/"
    );
}

#[cfg(unix)]
#[test]
fn review_records_replaced_by_links_and_folders_are_restored_and_the_user_is_told() {
    let (folder, result) =
        (".ai-workflow/issue-243/document_review", ".ai-workflow/issue-243/review-result.json");
    let links = format!(
        "cp {REVIEW} ../1.md\nln -sf $PWD/../1.md {REVIEW}\nrm -r {folder}/review\nrm {result}\nmkdir {result}\n"
    );
    let moves =
        format!("mv {folder}/output ../moved\nln -s $PWD/../moved {folder}/output\necho '{{}}' > {result}\n");
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", SETTINGS);
    sandbox.write("tools/links.sh", &links);
    sandbox.write("tools/moves.sh", &moves);
    sandbox.git(&["add", "tools"]);
    sandbox.git(&["commit", "-q", "-m", "tools"]);
    let report = "run = \"sh tools/moves.sh\"\nwrite = [{ path = \"{{output}}\", text = \"# report\\n\" }]\nsay = \"done\"";
    let turns = triage(1, "run = \"sh tools/links.sh\"") + &turn("report", "execute", 1, report);
    let agent = sandbox.script(&honest_script(&turns));
    let flags = ["--issue", "243", "--forge", "local", "--agent", &agent];
    let ran = sandbox.run(&[&["execute", "--preset", "reviewed"][..], &flags[..]].concat()).exits(0);
    let told: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("put back")).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    WARN .ai-workflow/issue-243/document_review/output/document-review-1.md was changed and is put back: nobody writes it but us
    WARN .ai-workflow/issue-243/review-result.json was changed and is put back: nobody writes it but us
    WARN .ai-workflow/issue-243/document_review/output/document-review-1-reply.md was changed and is put back: nobody writes it but us
    WARN .ai-workflow/issue-243/document_review/output/document-review-1.md was changed and is put back: nobody writes it but us
    WARN .ai-workflow/issue-243/review-result.json was changed and is put back: nobody writes it but us
    ");
    for path in [REVIEW, REPLY, result] {
        let listed = sandbox.git(&["ls-tree", "ai-workflow/issue-243", path]);
        assert!(listed.starts_with("100644 blob"), "{path}: {listed}");
        assert_eq!(on_branch(&sandbox, path), sandbox.read(path).trim_end(), "{path}");
    }
    let status = sandbox.git(&["status", "--porcelain"]);
    assert_eq!(status, "?? .ai-workflow/config.toml\n?? .ai-workflow/local/");
}

/// A command of the repository that is run for a check of the implementation.
const BUILD: &str = "[commands]\nbuild = \"sh build.sh\"\n\n[phases.implementation]\nchecks = [\"build\"]\n";

#[test]
fn a_document_that_a_command_of_the_repository_changes_is_put_back_and_told() {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", &format!("{SETTINGS}{BUILD}"));
    sandbox.write("build.sh", "true\n");
    sandbox.git(&["add", "build.sh"]);
    sandbox.git(&["commit", "-q", "-m", "build"]);
    let document = sandbox.root().join(REQUIREMENTS);
    let build = |does: &str| {
        format!(
            "write = [{{ path = \"{{{{output}}}}\", text = \"# implementation\\n\" }}, {{ path = \"src/lib.rs\", text = \"pub fn pages() -> u32 {{\\n    3\\n}}\\n\" }}, {{ path = \"build.sh\", text = \"{does}\\n\" }}]\nsay = \"done\""
        )
    };
    let turns = turn("implementation", "execute", 1, &build(&format!("echo less > {}", document.display())))
        + &turn("implementation", "revise", 1, &build("true"));
    let agent = sandbox.script(&honest_script(&turns));
    let flags = ["--issue", "243", "--forge", "local", "--agent", &agent];
    let ran = sandbox.run(&[&["execute", "--preset", "code"][..], &flags[..]].concat()).exits(0);
    let told = line_with(&ran.stderr, "it is put back");
    let who = "was changed or removed by a command that was run for the checks (build)";
    assert!(
        told.contains(&format!("{REQUIREMENTS} is approved and {who}; it is put back; `git show ")),
        "{told}"
    );
    let ran = ran.says(&format!("an approved document changed: {REQUIREMENTS}: {who}, and is put back"));
    assert!(!ran.stderr.contains("check build"), "{}", ran.stderr);
    assert!(on_branch(&sandbox, REQUIREMENTS).starts_with("# requirements"));
    assert_eq!(sandbox.metadata()["phases"]["implementation"]["retry_count"], 1);
}

#[cfg(unix)]
#[test]
fn a_document_that_goes_away_while_the_run_waits_is_put_back_and_nobody_is_blamed() {
    for away in ["rm $1", "rm $1; mkfifo $1", "rm -r $(dirname $1)", "git rm -q $1; git commit -q -m mine"] {
        let sandbox = Sandbox::new();
        sandbox.write(".ai-workflow/config.toml", &format!("{SETTINGS}\n[phases.report]\ngate = \"ask\"\n"));
        let agent = sandbox.script(&honest_script(""));
        let flags = ["--issue", "243", "--forge", "local", "--agent", &agent];
        sandbox.run(&[&["execute", "--preset", "short"][..], &flags[..]].concat()).exits(3);
        let away = ["-c", away, "sh", REQUIREMENTS];
        assert!(sandbox.command("sh").args(away).status().expect("sh").success(), "{away:?}");
        let ran = sandbox.run(&[&["resume", "--continue"][..], &flags[..]].concat());
        let told = format!(
            "Phase report: {REQUIREMENTS} is approved and was changed or removed while no step was under way; it is put back"
        );
        ran.exits(0).says(&told);
        assert!(on_branch(&sandbox, REQUIREMENTS).starts_with("# requirements"), "{away:?}");
        assert_eq!(sandbox.metadata()["phases"]["report"]["retry_count"], 0, "{away:?}");
    }
}

#[test]
fn a_document_that_a_person_changes_between_two_phases_is_told_reviewed_and_in_the_pull_request() {
    for commits in [false, true] {
        let sandbox = Sandbox::new();
        sandbox.write(".ai-workflow/config.toml", &format!("{SETTINGS}\n[phases.report]\ngate = \"ask\"\n"));
        let agent = sandbox.script(&honest_script(""));
        let flags = ["--issue", "243", "--forge", "local", "--agent", &agent];
        sandbox.run(&[&["execute", "--preset", "short"][..], &flags[..]].concat()).exits(3);
        sandbox.write(REQUIREMENTS, "# requirements by hand\n");
        if commits {
            sandbox.git(&["commit", "-q", "-a", "-m", "mine"]);
        }
        let ran = sandbox.run(&[&["resume", "--continue"][..], &flags[..]].concat());
        let ran = ran.exits(0).says(&format!(
            "Phase report: Changed by hand after its approval, and committed with this phase; its reviewer is shown the change: {REQUIREMENTS}"
        ));
        assert!(!ran.stderr.contains("put back"), "{}", ran.stderr);
        assert_eq!(on_branch(&sandbox, REQUIREMENTS), "# requirements by hand");
        let prompt = sandbox.read(".ai-workflow/issue-243/08_report/review/round-1/attempt-1/prompt.md");
        assert!(prompt.contains("\n+# requirements by hand"), "{commits}: {prompt}");
        let stands = format!("the approved documents stand, with what a person changed in {REQUIREMENTS}");
        assert!(prompt.contains(&stands), "{commits}: {prompt}");
        let request = sandbox.read(".ai-workflow/local/issues/243.pr.md");
        let told =
            format!("- `{REQUIREMENTS}`: changed by a person after its approval, and committed with report");
        assert!(request.contains(&told), "{commits}: {request}");
    }
}

#[test]
fn a_branch_without_an_approved_document_is_not_pushed() {
    let sandbox = Sandbox::new();
    sandbox.git(&["init", "-q", "--bare", "../origin.git"]);
    sandbox.git(&["remote", "add", "origin", "../origin.git"]);
    sandbox.git(&["push", "-q", "origin", "main"]);
    sandbox.write(".ai-workflow/config.toml", &format!("{SETTINGS}\n[phases.report]\ngate = \"ask\"\n"));
    let agent = sandbox.script(&honest_script(""));
    let flags = ["--issue", "243", "--forge", "local", "--agent", &agent, "--push", "halt"];
    sandbox.run(&[&["execute", "--preset", "short"][..], &flags[..]].concat()).exits(3);
    sandbox.git(&["rm", "-q", REQUIREMENTS]);
    sandbox.git(&["commit", "-q", "-m", "mine"]);
    let ran = sandbox.run(&[&["resume", "--give-up"][..], &flags[..]].concat());
    let ran = ran.exits(6).says(&format!("the branch has lost {REQUIREMENTS}, which was approved"));
    ran.says(&format!("-- {REQUIREMENTS} && git commit"));
    let on_origin = "refs/remotes/origin/ai-workflow/issue-243";
    assert_eq!(sandbox.git(&["ls-tree", "-r", "--name-only", on_origin, REQUIREMENTS]), REQUIREMENTS);
}
