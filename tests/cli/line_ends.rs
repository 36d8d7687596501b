//! The files of a run stay byte for byte as they were written, whatever the repository, its settings or an author say of line ends.

use crate::support::{Ran, Sandbox, filtered, honest_script};

const SETTINGS: &str = r#"
[phases.report]
gate = "ask"

[presets.two]
phases = ["requirements", "report"]
"#;
const ATTRIBUTES: &str = ".ai-workflow/issue-243/.gitattributes";
const BRANCH: &str = "ai-workflow/issue-243";

/// What makes git write files with other line ends than they were stored with.
const CONVERTING: [(&str, &str); 3] = [
    ("", "* text=auto eol=crlf\n"),
    ("true", ""),
    ("", "* text=auto eol=crlf\n*.jsonl ident\nrequirements.md working-tree-encoding=UTF-16LE\n"),
];

/// Returns a run that waits before its last phase, in a repository with a setting and attributes.
fn waiting(autocrlf: &str, attributes: &str, turns: &str) -> (Sandbox, Vec<String>, Ran) {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", SETTINGS);
    if !autocrlf.is_empty() {
        sandbox.git(&["config", "core.autocrlf", autocrlf]);
    }
    if !attributes.is_empty() {
        sandbox.write(".gitattributes", attributes);
        sandbox.git(&["add", ".gitattributes"]);
        sandbox.git(&["commit", "-q", "-m", "attributes"]);
    }
    let agent = sandbox.script(&honest_script(turns));
    let flags = ["--issue", "243", "--forge", "local", "--agent", &agent].map(str::to_owned).to_vec();
    let ran = run(&sandbox, &["execute", "--preset", "two"], &flags).exits(3);
    (sandbox, flags, ran)
}

fn run(sandbox: &Sandbox, command: &[&str], flags: &[String]) -> Ran {
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    sandbox.run(&[command, &flags].concat())
}

/// Goes to the base branch and back, which has git write the files of the run anew.
fn there_and_back(sandbox: &Sandbox) {
    sandbox.git(&["switch", "-q", "main"]);
    sandbox.git(&["switch", "-q", BRANCH]);
}

fn warnings(ran: &Ran) -> Vec<String> {
    ran.stderr.lines().filter(|line| line.contains("WARN")).map(filtered).collect()
}

#[test]
fn switching_branches_damages_no_file_of_a_run_and_accuses_nobody() {
    for (autocrlf, attributes) in CONVERTING {
        let (sandbox, flags, _) = waiting(autocrlf, attributes, "");
        there_and_back(&sandbox);
        let ran = run(&sandbox, &["resume", "--continue"], &flags).exits(0);
        assert_eq!(warnings(&ran), [""; 0], "{attributes}");
        let text = sandbox.read(".ai-workflow/local/issues/243.pr.md");
        assert!(!text.contains("a person"), "{text}");
        sandbox.git(&["switch", "-q", "main"]);
        let ran = sandbox.run(&["finalize", "--issue", "243", "--keep-files"]).exits(0);
        assert_eq!(warnings(&ran), [""; 0], "{attributes}");
        assert_eq!(sandbox.git(&["status", "--porcelain", "-uno"]), "");
    }
}

#[test]
fn attributes_of_a_run_go_with_its_folder_and_hold_in_a_clone() {
    let (sandbox, flags, _) = waiting("", CONVERTING[0].1, "");
    let clone = sandbox.root().with_file_name("clone");
    let path = clone.display().to_string();
    sandbox.git(&["clone", "-q", "-c", "core.autocrlf=true", "-b", BRANCH, ".", &path]);
    let log = ".ai-workflow/issue-243/events.jsonl";
    assert!(std::fs::read(clone.join(log)).expect("a log") == sandbox.read_bytes(log));
    run(&sandbox, &["resume", "--continue"], &flags).exits(0);
    sandbox.run(&["finalize", "--issue", "243"]).exits(0);
    assert_eq!(sandbox.git(&["ls-tree", "-r", "--name-only", BRANCH, ".ai-workflow"]), "");
    assert!(!sandbox.has(ATTRIBUTES));
}

/// A turn of the author of the report that writes another file besides.
fn writing(path: &str, text: &str) -> String {
    format!(
        "\n[[turn]]\nphase = \"report\"\nstep = \"execute\"\nwrite = [{{ path = \"{{{{output}}}}\", text = \"# report\\n\" }}, \
         {{ path = \"{path}\", text = \"{text}\" }}]\nsay = \"done\"\n"
    )
}

#[test]
fn an_author_that_sets_line_ends_for_documents_is_not_accused() {
    let (sandbox, flags, _) = waiting("", "", &writing(".gitattributes", "*.md text eol=crlf\\n"));
    let ran = run(&sandbox, &["resume", "--continue"], &flags).exits(0);
    let told = " WARN Phase report: Noted by check noted: worth a look: .gitattributes: changed";
    assert_eq!(warnings(&ran), [told]);
    there_and_back(&sandbox);
    let ran = run(&sandbox, &["rollback", "--to-phase", "report", "--reason", "again"], &flags[..2]).exits(0);
    assert_eq!(warnings(&ran), [""; 0]);
    let ran = run(&sandbox, &["execute"], &flags).exits(3);
    assert!(!ran.stderr.contains("requirements.md"), "{}", ran.stderr);
}

#[test]
fn attributes_that_an_agent_plants_among_the_files_of_a_run_are_undone_and_told() {
    let put_back = "was changed and is put back: nobody writes it but us";
    let removed = "is removed: git keeps the files of a run as they are";
    for (path, told) in [
        (ATTRIBUTES, put_back),
        (".ai-workflow/issue-243/01_requirements/.gitattributes", removed),
        (".ai-workflow/issue-243/01_requirements/output/.gitattributes", removed),
        (".ai-workflow/issue-243/08_report/output/a/.gitattributes", removed),
    ] {
        let (sandbox, flags, _) = waiting("", "", &writing(path, "* text eol=crlf\\n"));
        let kept = sandbox.read(ATTRIBUTES);
        let ran = run(&sandbox, &["resume", "--continue"], &flags).exits(0).says(&format!("{path} {told}"));
        assert_eq!(warnings(&ran).len(), 1, "{}", ran.stderr);
        assert_eq!(sandbox.read(ATTRIBUTES), kept);
        let files = sandbox.git(&["ls-tree", "-r", "--name-only", BRANCH]);
        assert_eq!(
            files.lines().filter(|line| line.ends_with(".gitattributes")).collect::<Vec<_>>(),
            [ATTRIBUTES]
        );
    }
}
