//! Scripted reviewers: whole runs of one phase in which the author is honest and a reviewer is not, or not always. Every
//! run ends within its limits in the ruling that its row names, for the calls that it names, and what was committed is
//! what was reviewed. The rows stand in tables (`reviewers/*.toml`) that anyone can extend: what the reviewer does, and
//! what that leads to when it is the first reviewer, a second opinion, or a second opinion that is required.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Deserialize;
use serde_json::{Value, json};

mod code;
mod unreviewed;

use crate::support::Sandbox;
use unreviewed::unreviewed;

const JUDGING: &str = include_str!("reviewers/judging.toml");
const SILENT: &str = include_str!("reviewers/silent.toml");
const UNREADABLE: &str = include_str!("reviewers/unreadable.toml");
const MEDDLING: &str = include_str!("reviewers/meddling.toml");

/// The least number of runs of each table.
const FEWEST: usize = 20;
/// How many runs of a table go on at a time.
const AT_ONCE: usize = 2;

const CONFIG: &str =
    "[presets.row]\nphases = [\"planning\"]\n\n[policies.phase-review.limits]\nbackoff_ms = 1\n";
/// Lets a reviewer that is a shell script find its own notes and the folder of the run.
const SHELL: &str = "#!/bin/sh\nset -eu\nnotes=$(dirname \"$0\")\nrun=.ai-workflow/issue-243\n";

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
    /// Settings by their dotted key, as `--set` takes them.
    set: BTreeMap<String, String>,
    /// What the author adds to its document.
    document: String,
    /// Files that the author writes besides.
    file: BTreeMap<String, String>,
    /// What the first reviewer does beside a second one; elsewhere it approves.
    beside: Vec<Turn>,
    /// What the reviewer does; elsewhere it approves.
    turn: Vec<Turn>,
    /// The reviewer is this shell script instead of turns.
    shell: String,
    /// What it leads to as the first reviewer.
    first: Option<Expected>,
    /// What it leads to as a second opinion beside an honest first reviewer.
    second: Option<Expected>,
    /// The same, when nothing may be approved without it.
    required: Option<Expected>,
}

/// What a reviewer does in a call; what is not said fits every call.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Turn {
    round: Option<u32>,
    attempt: Option<u32>,
    /// Its verdict, with the findings below, as the prompt asks for it.
    result: String,
    finding: Vec<Found>,
    /// Its whole answer, instead of a verdict.
    say: String,
    exit: u8,
    sleep_ms: u64,
    write: Vec<Value>,
    delete: Vec<String>,
}

/// A finding about the planning document.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Found {
    severity: String,
    line: u32,
    issue: String,
}

/// What a run leads to.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// In their order.
    rulings: Vec<String>,
    /// `completed`, `failed: REASON`, `paused: REASON`, or `exit CODE` where the run does not end by a ruling.
    ends: String,
    /// Calls of the author, of the first reviewer, and of the second opinion.
    calls: [usize; 3],
    /// Texts of the rules, of how calls ended, and of what was noted or asked.
    #[serde(default)]
    told: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Role {
    First,
    Second,
    Required,
}

impl Role {
    fn seat(self) -> &'static str {
        if self == Self::First { "" } else { "second" }
    }
}

/// One run: a row in one of its roles.
struct Run<'a> {
    case: &'a Case,
    role: Role,
    expected: &'a Expected,
}

impl Turn {
    fn answer(&self) -> String {
        if self.result.is_empty() {
            return self.say.clone();
        }
        let finding = |found: &Found| {
            json!({
                "severity": found.severity, "category": "plan", "line": found.line, "issue": found.issue,
                "file": ".ai-workflow/issue-243/00_planning/output/planning.md",
            })
        };
        let findings: Vec<Value> = self.finding.iter().map(finding).collect();
        let answer = json!({"review_id": "{{review_id}}", "result": self.result, "summary": "seen", "findings": findings});
        answer.to_string()
    }

    fn script(&self, seat: &str) -> Value {
        let mut turn = json!({
            "phase": "planning", "step": "review", "seat": if seat.is_empty() { "*" } else { seat },
            "say": self.answer(), "exit": self.exit, "sleep_ms": self.sleep_ms,
            "write": self.write, "delete": self.delete,
        });
        let places = [("round", self.round), ("attempt", self.attempt)];
        for (key, number) in places.into_iter().filter_map(|(key, number)| Some((key, number?))) {
            turn[key] = number.into();
        }
        turn
    }
}

impl Case {
    /// Returns the runs that the row asks for.
    fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let roles =
            [(Role::First, &self.first), (Role::Second, &self.second), (Role::Required, &self.required)];
        roles
            .into_iter()
            .filter_map(|(role, expected)| Some(Run { case: self, role, expected: expected.as_ref()? }))
    }

    /// Returns a document of forty lines whose fifth is another one in each round.
    fn document(&self, fifth: &str) -> String {
        let line = |line: u32| if line == 5 { format!("{fifth}\n") } else { format!("step {line}\n") };
        (1..=40).map(line).chain([self.document.clone()]).collect()
    }

    fn script(&self, seat: &str) -> String {
        let author = |step: &str, fifth: &str| {
            let mut files = vec![json!({"path": "{{output}}", "text": self.document(fifth)})];
            files.extend(self.file.iter().map(|(path, text)| json!({"path": path, "text": text})));
            json!({"phase": "planning", "step": step, "write": files, "say": "done"})
        };
        let honest = Turn { result: "PASS".into(), ..Turn::default() };
        let mut turns = vec![author("execute", "written"), author("revise", "revised after round {{round}}")];
        turns.push(honest.script(""));
        turns.extend(self.beside.iter().map(|turn| turn.script("")));
        turns.extend(self.turn.iter().map(|turn| turn.script(seat)));
        toml::to_string(&BTreeMap::from([("turn", turns)])).expect("a script is TOML")
    }
}

impl Run<'_> {
    fn name(&self) -> String {
        format!("{} ({:?})", self.case.name, self.role)
    }

    /// Plays the row and returns the sandbox with the exit code.
    fn play(&self) -> (Sandbox, i32, String) {
        let sandbox = Sandbox::new();
        let honest = sandbox.script(&self.case.script(self.role.seat()));
        let reviewer = if self.case.shell.is_empty() {
            honest.clone()
        } else {
            let script = sandbox.executable("reviewer.sh", &format!("{SHELL}{}", self.case.shell));
            format!("command:{}", script.display())
        };
        let seat = "[[phases.planning.panel]]\nname = \"second\"\nrequired = true\nagents";
        let panel = match self.role {
            Role::Required => format!("\n{seat} = [\"{reviewer}\"]\n"),
            Role::First | Role::Second => String::new(),
        };
        sandbox.write(".ai-workflow/config.toml", &format!("{CONFIG}{panel}"));
        let mut arguments = vec!["execute", "--phase", "all", "--preset", "row", "--issue", "243"];
        arguments.extend(["--forge", "local", "--agent", &honest]);
        match self.role {
            Role::First => arguments.extend(["--reviewer", &reviewer]),
            Role::Second => arguments.extend(["--second-reviewer", &reviewer]),
            Role::Required => {}
        }
        let settings: Vec<String> =
            self.case.set.iter().map(|(key, value)| format!("{key}={value}")).collect();
        for setting in &settings {
            arguments.extend(["--set", setting]);
        }
        let ran = sandbox.run(&arguments);
        (sandbox, ran.code, ran.stderr)
    }

    /// Says what is wrong with the run.
    fn wrong(&self) -> Option<String> {
        let (sandbox, code, stderr) = self.play();
        if !sandbox.has(".ai-workflow/issue-243/events.jsonl") {
            return Some(format!("was not run (exit {code}):\n{stderr}"));
        }
        let facts = sandbox.facts();
        let ends = ends(&sandbox, code);
        let seen = (rulings(&facts), ends.clone(), calls(&facts));
        let expected = (self.expected.rulings.clone(), self.expected.ends.clone(), self.expected.calls);
        let told = told(&facts) + &stderr;
        if seen != expected {
            return Some(format!("{seen:?}\n  is not\n  {expected:?}\n{told}"));
        }
        let untold = self.expected.told.iter().find(|text| !told.contains(*text));
        let untold = untold.map(|text| format!("`{text}` is not told in\n{told}"));
        untold.or_else(|| touched(&sandbox, self.case)).or_else(|| unreviewed(&sandbox, &facts))
    }
}

fn ends(sandbox: &Sandbox, code: i32) -> String {
    let metadata = sandbox.metadata();
    let word = |value: &Value| value.as_str().unwrap_or("nothing").to_owned();
    match (code, word(&metadata["outcome"]).as_str()) {
        (0, "completed") => "completed".into(),
        (1, "failed") => format!("failed: {}", word(&metadata["phases"]["planning"]["reason"])),
        (3, "paused") => format!("paused: {}", word(&metadata["paused"]["reason"])),
        _ => format!("exit {code}"),
    }
}

fn rulings(facts: &[Value]) -> Vec<String> {
    let ruled = facts.iter().filter(|fact| fact["type"] == "ruled");
    ruled.map(|fact| fact["ruling"]["do"].as_str().expect("a word").to_owned()).collect()
}

fn calls(facts: &[Value]) -> [usize; 3] {
    let begun: Vec<&Value> = facts.iter().filter(|fact| fact["type"] == "step_started").collect();
    let reviews = |seat: &dyn Fn(&Value) -> bool| {
        begun.iter().filter(|fact| fact["step"] == "review" && seat(&fact["seat"])).count()
    };
    let (first, second) = (reviews(&Value::is_null), reviews(&Value::is_string));
    [begun.len() - first - second, first, second]
}

/// Returns what people can read of a run's reasons.
fn told(facts: &[Value]) -> String {
    let telling = ["ruled", "paused", "noted", "reviewed"];
    let facts = facts.iter().filter(|fact| telling.iter().any(|kind| fact["type"] == *kind));
    facts.map(|fact| format!("    {fact}\n")).collect()
}

/// Says what a reviewer could change outside the run's own folder, or could make us publish: nothing.
fn touched(sandbox: &Sandbox, case: &Case) -> Option<String> {
    let changed = sandbox.git(&["status", "--porcelain", "--untracked-files=all"]);
    let ours = ["local/", "config.toml", "issue-243/"].map(|name| format!("?? .ai-workflow/{name}"));
    let strange: Vec<&str> =
        changed.lines().filter(|line| !ours.iter().any(|known| line.starts_with(known.as_str()))).collect();
    if !strange.is_empty() {
        return Some(format!("left behind: {strange:?}"));
    }
    let branch =
        sandbox.git(&["log", "--name-only", "--format=%s", "main..HEAD", "--", ".", ":!.ai-workflow"]);
    let subjects = sandbox.git(&["log", "--format=%s", "main..HEAD"]);
    let foreign = branch.lines().any(|path| !subjects.contains(path) && !case.file.contains_key(path));
    if foreign || subjects.contains("FORGED") {
        return Some(format!("on the branch: {subjects}\n{branch}"));
    }
    let references = sandbox.git(&["for-each-ref", "--format=%(refname) %(subject)"]);
    if references.contains("FORGED") {
        return Some(format!("a reference is the reviewer's: {references}"));
    }
    let published = ["issue-243/metadata.json", "issue-243/review-result.json", "local/issues/243.pr.md"];
    let forged = published
        .iter()
        .map(|name| format!(".ai-workflow/{name}"))
        .find(|path| sandbox.has(path) && sandbox.read(path).contains("FORGED"));
    forged.map(|path| format!("{path} is the reviewer's"))
}

fn rows(table: &str) -> Vec<Case> {
    let table: Table = toml::from_str(table).unwrap_or_else(|error| panic!("{error}"));
    table.case
}

/// Plays all rows of a table, some at a time.
fn play_all(table: &str) {
    let rows = rows(table);
    let runs: Vec<Run<'_>> = rows.iter().flat_map(Case::runs).collect();
    assert!(runs.len() >= FEWEST, "only {} runs", runs.len());
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(why) = run.wrong() {
                        wrong.lock().expect("a lock").push(format!("- {}: {why}", run.name()));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("a lock");
    assert!(wrong.is_empty(), "{} of {} reviewers:\n{}", wrong.len(), runs.len(), wrong.join("\n"));
}

#[test]
fn the_strictest_verdict_and_finding_of_a_readable_review_count() {
    play_all(JUDGING);
}

#[test]
fn reviewer_without_an_answer_is_asked_again_then_paused_or_skipped() {
    play_all(SILENT);
}

#[test]
fn reviews_without_a_valid_verdict_never_approve() {
    play_all(UNREADABLE);
}

#[test]
fn files_written_by_a_reviewer_void_its_review() {
    play_all(MEDDLING);
}

#[test]
fn every_reviewer_case_has_a_unique_name_and_an_expected_result() {
    let mut names = BTreeSet::new();
    for case in [JUDGING, SILENT, UNREADABLE, MEDDLING].into_iter().flat_map(rows) {
        assert!(case.runs().count() > 0, "{} leads to nothing", case.name);
        assert!(case.shell.is_empty() || case.turn.is_empty(), "{} has turns and a shell", case.name);
        assert!(names.insert(case.name.clone()), "{} is there twice", case.name);
    }
}
