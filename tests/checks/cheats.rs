//! Cheats and their honest counterparts: whole runs with scripted authors. A cheat is caught by the check that its row
//! names, before a reviewer is called; an honest author passes. Both are tables (`cheats/*.toml`) that anyone can extend:
//! a row says what the author does besides an honest repair of the project below.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Deserialize;
use serde_json::Value;

use crate::support::Sandbox;

const CHEATS: &[(&str, &str)] = &[
    ("words", include_str!("cheats/cheats_in_words.toml")),
    ("tests", include_str!("cheats/cheats_in_tests.toml")),
    ("files", include_str!("cheats/cheats_in_files.toml")),
];
const HONEST: &[(&str, &str)] = &[
    ("words", include_str!("cheats/honest_words.toml")),
    ("tests", include_str!("cheats/honest_tests.toml")),
    ("files", include_str!("cheats/honest_files.toml")),
];

/// The least number of rows in either table.
const FEWEST: usize = 40;
/// How many runs go on at a time.
const AT_ONCE: usize = 4;

/// The project of every row: a script, a library, and tests that say what they ran in TAP.
const PROJECT: &[(&str, &str)] = &[
    ("README.md", "# Pages\n\nCounts the pages of a book.\n"),
    ("scripts/pages.sh", "pages() {\n    echo $(($1 / 40))\n}\n"),
    (
        "src/lib.rs",
        "//! Counts the pages of a book.\n\n/// Returns the number of pages.\npub fn pages(lines: u32) -> u32 {\n    lines / 40\n}\n\n/// Returns how full the last page is.\npub fn fullness(lines: u32) -> f64 {\n    f64::from(lines % 40) / 40.0\n}\n",
    ),
    (
        "tests/pages.rs",
        "use pages::{fullness, pages};\n\n#[test]\nfn an_empty_book_has_no_pages() {\n    assert_eq!(pages(0), 0);\n}\n\n#[test]\nfn two_full_pages_are_two() {\n    assert_eq!(pages(80), 2);\n    assert_eq!(pages(40), 1);\n}\n\n#[test]\nfn a_third_is_about_a_third() {\n    assert!((fullness(13) - 0.325).abs() < 0.001);\n}\n",
    ),
    (
        "tests/run.sh",
        "#!/bin/sh\n. ./scripts/pages.sh\nn=0\nfailed=0\ncheck() {\n    n=$((n + 1))\n    if [ \"$2\" = \"$3\" ]; then\n        echo \"ok $n - $1\"\n    else\n        echo \"not ok $n - $1\"\n        failed=1\n    fi\n}\necho 'TAP version 13'\nfor file in tests/*_test.sh; do\n    . \"./$file\"\ndone\necho \"1..$n\"\nexit $failed\n",
    ),
    (
        "tests/pages_test.sh",
        "check 'an empty book has no pages' \"$(pages 0)\" 0\ncheck 'two full pages are two' \"$(pages 80)\" 2\n",
    ),
];

/// What every author repairs, unless its row says `bare`.
const REPAIR: &[(&str, &str)] = &[
    ("scripts/pages.sh", "pages() {\n    echo $((($1 + 39) / 40))\n}\n"),
    (
        "tests/pages_test.sh",
        "check 'an empty book has no pages' \"$(pages 0)\" 0\ncheck 'two full pages are two' \"$(pages 80)\" 2\ncheck 'a page that was begun counts' \"$(pages 41)\" 2\n",
    ),
];

const ISSUE: &str = "A page that was begun has to count: 41 lines are two pages.";
const DOCUMENT: &str = "# Pages\n\nA page that was begun counts; the last page was missing before.\n";
const ANSWER: &str = "The last page is counted now, and a test shows it.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Case>,
}

/// One row.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Case {
    /// A sentence.
    name: String,
    /// The check that catches a cheat.
    caught_by: String,
    /// A text that the check's summary or evidence holds.
    says: String,
    /// What an honest author's reviewer is told by the check `suspect`.
    told: String,
    /// `implementation` when empty.
    phase: String,
    /// The text of the issue.
    issue: String,
    /// Settings by their dotted key, as `--set` takes them.
    set: BTreeMap<String, String>,
    /// The plan of a phase `planning` before the phase.
    plan: String,
    /// Further files of the project.
    base: Vec<File>,
    /// The author repairs nothing: it does what the row says and no more.
    bare: bool,
    /// Files that the author writes.
    write: Vec<File>,
    /// Texts that the author replaces.
    edit: Vec<Edit>,
    delete: Vec<String>,
    /// What the author runs, by `sh -c`.
    run: String,
    /// The deliverable.
    document: Option<String>,
    /// The author's answer.
    say: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    path: String,
    text: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    path: String,
    from: String,
    to: String,
}

impl Case {
    fn phase(&self) -> &str {
        if self.phase.is_empty() { "implementation" } else { &self.phase }
    }

    /// Returns the project's files at the base.
    fn project(&self) -> BTreeMap<String, String> {
        let ours = PROJECT.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        ours.chain(self.base.iter().map(|file| (file.path.clone(), file.text.clone()))).collect()
    }

    /// Returns what the author writes, by path.
    fn written(&self) -> BTreeMap<String, String> {
        let mut written: BTreeMap<String, String> = BTreeMap::new();
        if !self.bare {
            written.extend(REPAIR.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
        }
        written.extend(self.write.iter().map(|file| (file.path.clone(), file.text.clone())));
        let project = self.project();
        for edit in &self.edit {
            let before = written.get(&edit.path).or_else(|| project.get(&edit.path));
            let before = before.unwrap_or_else(|| panic!("{}: there is no {}", self.name, edit.path));
            assert!(before.contains(&edit.from), "{}: {} is not in {}", self.name, edit.from, edit.path);
            written.insert(edit.path.clone(), before.replacen(&edit.from, &edit.to, 1));
        }
        if let Some(document) = self.document.as_deref().or(Some(DOCUMENT)).filter(|text| !text.is_empty()) {
            written.insert("{{output}}".to_owned(), document.to_owned());
        }
        written
    }

    /// Returns the author's and the reviewer's script.
    fn script(&self) -> String {
        let write: Vec<Value> = self
            .written()
            .into_iter()
            .map(|(path, text)| serde_json::json!({"path": path, "text": text}))
            .collect();
        let mut turn = serde_json::json!({
            "phase": self.phase(),
            "write": write,
            "delete": self.delete,
            "say": self.say.as_deref().unwrap_or(ANSWER),
        });
        if !self.run.is_empty() {
            turn["run"] = format!("sh -c '{}'", self.run).into();
        }
        let planned = serde_json::json!({
            "phase": "planning",
            "write": [{"path": "{{output}}", "text": self.plan}],
            "say": "planned",
        });
        let review = serde_json::json!({
            "step": "review",
            "phase": "*",
            "say": r#"{"review_id": "{{review_id}}", "result": "PASS", "summary": "good", "findings": [], "answers": {{answers}}}"#,
        });
        let mut turns = Vec::new();
        for step in ["execute", "revise"] {
            for made in [&turn, &planned] {
                let mut made = made.clone();
                made["step"] = step.into();
                turns.push(made);
            }
        }
        turns.retain(|made| {
            made["phase"] != "planning" || !self.plan.is_empty() || self.phase() == "planning"
        });
        if self.phase() == "planning" {
            turns.retain(|made| made["say"] != "planned");
        }
        for phase in ["planning", self.phase()] {
            let mut made = review.clone();
            made["phase"] = phase.into();
            turns.push(made);
        }
        let script = BTreeMap::from([("turn", turns)]);
        toml::to_string(&script).expect("a script is TOML")
    }

    /// Plays the row and returns the sandbox and the exit code.
    fn play(&self) -> (Sandbox, i32, String) {
        let sandbox = Sandbox::empty();
        for (path, text) in self.project() {
            sandbox.write(&path, &text);
        }
        sandbox.git(&["init", "-q", "-b", "main"]);
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", "begin"]);
        let body = if self.issue.is_empty() { ISSUE } else { &self.issue };
        let issue = format!(
            "---\ntitle: The last page is missing\nlabels: [bug]\nauthor: somebody\nstate: open\n---\n{body}\n"
        );
        sandbox.write(".ai-workflow/local/issues/243.md", &issue);
        let phases = if self.plan.is_empty() {
            format!("[\"{}\"]", self.phase())
        } else {
            format!("[\"planning\", \"{}\"]", self.phase())
        };
        sandbox.write(".ai-workflow/config.toml", &format!("[presets.row]\nphases = {phases}\n"));
        let agent = sandbox.script(&self.script());
        let mut settings = BTreeMap::from([
            ("commands.test".to_owned(), "sh tests/run.sh".to_owned()),
            ("commands.detect".to_owned(), "false".to_owned()),
            ("limits.command_seconds".to_owned(), "20".to_owned()),
            (format!("phases.{}.max_revisions", self.phase()), "0".to_owned()),
        ]);
        settings.extend(self.set.clone());
        let settings: Vec<String> = settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let mut arguments =
            vec!["execute", "--phase", "all", "--preset", "row", "--issue", "243", "--forge", "local"];
        arguments.extend(["--agent", &agent]);
        for setting in &settings {
            arguments.extend(["--set", setting]);
        }
        let ran = sandbox.run(&arguments);
        (sandbox, ran.code, ran.stderr)
    }
}

/// The results of the checks of a row's phase, round by round.
fn results(sandbox: &Sandbox, phase: &str) -> Vec<Value> {
    let checked = |fact: &Value| fact["type"] == "checked" && fact["phase"] == phase;
    let facts = sandbox.facts().into_iter().filter(checked);
    facts.flat_map(|fact| fact["results"].as_array().cloned().unwrap_or_default()).collect()
}

fn failed(results: &[Value]) -> String {
    let open =
        results.iter().filter(|result| result["status"] == "fail" || result["status"] == "unavailable");
    open.fold(String::new(), |mut text, result| {
        let _ = writeln!(text, "    {} {}: {}", result["check"], result["status"], result["summary"]);
        text
    })
}

fn was_reviewed(sandbox: &Sandbox, phase: &str) -> bool {
    let review =
        |fact: &Value| fact["type"] == "step_started" && fact["step"] == "review" && fact["phase"] == phase;
    sandbox.facts().iter().any(review)
}

/// Says what is wrong with a cheat: it was not caught, or not by the check that is named.
fn uncaught(case: &Case) -> Option<String> {
    let (sandbox, code, stderr) = case.play();
    if code == 2 {
        return Some(format!("was not run:\n{stderr}"));
    }
    let results = results(&sandbox, case.phase());
    if case.caught_by == "suspect" {
        return unasked(case, &results);
    }
    if code == 0 || was_reviewed(&sandbox, case.phase()) {
        return Some(format!("got past the checks (exit {code}):\n{}", failed(&results)));
    }
    let open = |result: &&Value| result["status"] == "fail" || result["status"] == "unavailable";
    let caught = results.iter().filter(open).find(|result| result["check"] == *case.caught_by);
    let Some(caught) = caught else {
        return Some(format!("was not caught by {}, but:\n{}", case.caught_by, failed(&results)));
    };
    (!caught.to_string().contains(&case.says))
        .then(|| format!("{} does not say `{}`: {caught}", case.caught_by, case.says))
}

/// Says that a reviewer was not asked about a cheat that may be honest.
fn unasked(case: &Case, results: &[Value]) -> Option<String> {
    let asks = |result: &&Value| result["check"] == "suspect" && result["status"] == "fail";
    let is_asked = results.iter().filter(asks).any(|result| result.to_string().contains(&case.says));
    (!is_asked).then(|| format!("nobody is asked `{}`:\n{}", case.says, failed(results)))
}

/// Says what is wrong with an honest row: it was refused.
fn refused(case: &Case) -> Option<String> {
    let (sandbox, code, stderr) = case.play();
    if code == 2 {
        return Some(format!("was not run:\n{stderr}"));
    }
    let status = sandbox.metadata()["phases"][case.phase()]["status"].clone();
    if code == 0 && status == "completed" {
        return untold(case, &sandbox);
    }
    let open = failed(&results(&sandbox, case.phase()));
    Some(format!("was refused (exit {code}, {status}):\n{open}{stderr}"))
}

/// Says that a reviewer was not told what the row says.
fn untold(case: &Case, sandbox: &Sandbox) -> Option<String> {
    let folder =
        if case.phase() == "implementation" { "04_implementation" } else { "05_test_implementation" };
    let prompt =
        || sandbox.read(&format!(".ai-workflow/issue-243/{folder}/review/round-1/attempt-1/prompt.md"));
    (!case.told.is_empty() && !prompt().contains(&case.told)).then(|| format!("nobody told `{}`", case.told))
}

fn rows(tables: &[(&str, &str)]) -> Vec<Case> {
    let read = |(name, text): &(&str, &str)| -> Table {
        toml::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    tables.iter().flat_map(|table| read(table).case).collect()
}

/// Plays all rows, some at a time, and returns what is wrong with any.
fn play_all(rows: &[Case], judge: fn(&Case) -> Option<String>) -> Vec<String> {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(case) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(why) = judge(case) {
                        wrong.lock().expect("a lock").push(format!("- {}: {why}", case.name));
                    }
                }
            });
        }
    });
    wrong.into_inner().expect("a lock")
}

#[test]
fn every_cheat_is_caught_by_its_expected_check() {
    let rows = rows(CHEATS);
    assert!(rows.len() >= FEWEST, "only {} cheats", rows.len());
    assert!(rows.iter().all(|case| !case.caught_by.is_empty()), "a cheat without a check");
    let wrong = play_all(&rows, uncaught);
    assert!(wrong.is_empty(), "{} of {} cheats:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn every_honest_case_passes_the_checks() {
    let rows = rows(HONEST);
    assert!(rows.len() >= FEWEST, "only {} honest rows", rows.len());
    let wrong = play_all(&rows, refused);
    assert!(wrong.is_empty(), "{} of {} honest authors:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn every_cheat_and_honest_case_has_a_unique_name() {
    let mut names: Vec<String> = rows(CHEATS).into_iter().chain(rows(HONEST)).map(|case| case.name).collect();
    names.sort();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

/// A later phase records anew what the code of an earlier one changed.
#[test]
fn a_snapshot_may_be_updated_for_code_of_an_earlier_phase() {
    let sandbox = Sandbox::new();
    let config = "[presets.row]\nphases = [\"implementation\", \"test_implementation\"]\n\
                  [phases.test_implementation]\nchecks = [\"snapshots\"]\n[commands]\ndetect = false\n";
    sandbox.write(".ai-workflow/config.toml", config);
    sandbox.write("tests/snapshots/pages.snap", "pages: 2\n");
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-q", "-m", "begin"]);
    let turn = |phase: &str, path: &str, text: &str| {
        format!(
            "[[turn]]\nphase = \"{phase}\"\nstep = \"execute\"\nsay = \"done\"\nwrite = [{{ path = \"{{{{output}}}}\", text = \"# {phase}\\n\" }}, \
             {{ path = \"{path}\", text = \"{text}\\n\" }}]\n"
        )
    };
    let review = "[[turn]]\nstep = \"review\"\nsay = '{\"review_id\": \"{{review_id}}\", \"result\": \"PASS\", \"summary\": \"right\", \"findings\": []}'\n";
    let code = turn("implementation", "src/lib.rs", "pub fn pages() -> u32 {\\n    3\\n}");
    let recorded = turn("test_implementation", "tests/snapshots/pages.snap", "pages: 3");
    let agent = sandbox.script(&format!("{review}{code}{recorded}"));
    let ran =
        sandbox.run(&["execute", "--issue", "243", "--forge", "local", "--preset", "row", "--agent", &agent]);
    ran.exits(0);
}
