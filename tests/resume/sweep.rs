//! The named full suite: kill -9 at every durable call of a run of two phases, in the runner, in every git it starts
//! and at the start of every agent, and a disk that is full at every write. strace injects the faults. After each, the
//! same command finishes the run, to the same end, and repeats at most the step that was under way.
//!
//! `when=N` of strace counts per call name and per process. The runner is therefore traced alone, call by call, until
//! nothing is killed any more; a git is traced alone, too, by a program in its place that knows which one is meant.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, ExitStatus};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::world::{Kept, World, calls, ending, git_program};

/// The calls that leave something behind, each by all its names; a name that this machine does not know is passed over.
const DURABLE: [&str; 9] = [
    "write,?pwrite64,?writev",
    "fsync,fdatasync",
    "?rename,?renameat,?renameat2",
    "?unlink,?unlinkat,?rmdir",
    "?mkdir,?mkdirat",
    "?link,?linkat,?symlink,?symlinkat",
    "ftruncate,?copy_file_range,?sendfile",
    "execve",
    // Starting a program begins with this one in the runner; the program's own `execve` is in another process.
    "?clone,?clone3,?fork,?vfork",
];

/// A git that is killed, or traced, when its turn comes. The turn stands in `plan`.
const GIT: &str = r#"#!/bin/sh
here=$(dirname "$0")
if [ ! -e "$here/plan" ]; then exec GIT "$@"; fi
read -r turn calls number whom < "$here/plan"
now=$(($(cat "$here/turn" 2>/dev/null || echo 0) + 1))
echo "$now" > "$here/turn"
if [ "$turn" = all ]; then exec strace -f -qq -o "$here/seen-$now" -e trace="$calls" GIT "$@"; fi
if [ "$turn" != "$now" ]; then exec GIT "$@"; fi
rm "$here/plan"
if [ "$calls" = execve ]; then
    # strace does not strike at the program it starts itself.
    echo > "$here/killed"
    if [ "$whom" = both ]; then kill -9 "$PPID"; fi
    kill -9 $$
fi
code=0
strace -f -qq -o /dev/null -e trace="$calls" -e inject="$calls":signal=KILL:when="$number" GIT "$@" || code=$?
if [ "$code" -ge 128 ]; then
    echo > "$here/killed"
    if [ "$whom" = both ]; then kill -9 "$PPID"; fi
fi
exit "$code"
"#;

/// One place to strike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Runner {
        calls: &'static str,
        number: usize,
    },
    /// The git with this number in the run; alone or together with the runner.
    Git {
        turn: usize,
        calls: &'static str,
        number: usize,
        alone: bool,
    },
    /// The agent call with this number, killed as it begins: alone, with its reaper, or with the runner.
    Agent {
        turn: usize,
        whom: &'static str,
    },
    /// A write of the runner that finds no room.
    NoRoom {
        number: usize,
    },
}

/// A repository before its run, where one place after the other is struck.
struct Range {
    world: World,
    fresh: Kept,
    undisturbed: Value,
}

impl Range {
    fn new() -> Self {
        let world = World::new();
        world.beside("lenient", "");
        let folder = world.path_beside("programs");
        std::fs::create_dir(&folder).expect("a folder");
        let git = world
            .sandbox
            .executable("programs/git", &GIT.replace("GIT", &git_program().display().to_string()));
        let world = world.with_program(git.parent().expect("a folder"));
        let fresh = world.keep();
        world.execute().exits(0);
        let undisturbed = ending(&world.sandbox);
        Self { world, fresh, undisturbed }
    }

    /// Runs under strace with this fault; the runner alone, not what it starts. Returns what was seen, too.
    fn under_strace(&self, calls: &str, fault: &str) -> (ExitStatus, String) {
        let seen = self.world.path_beside("struck");
        let mut command = self.world.sandbox.command("strace");
        command.args(["-qq", "-y", "-o", &seen.display().to_string(), "-e", &format!("trace={calls}")]);
        command.args(["-e", &format!("inject={calls}:{fault}")]);
        command.arg(env!("CARGO_BIN_EXE_ai-workflow")).args(self.world.arguments());
        let status = command.output().expect("strace starts").status;
        (status, std::fs::read_to_string(seen).expect("what was seen"))
    }

    /// Strikes at a place; tells whether the run came so far.
    fn strike(&self, place: &Place) -> bool {
        match place {
            Place::Runner { calls, number } => {
                let (status, _) = self.under_strace(calls, &format!("signal=KILL:when={number}"));
                status.signal() == Some(9)
            }
            Place::NoRoom { number } => {
                let (status, seen) = self.under_strace("write", &format!("error=ENOSPC:when={number}"));
                let root = self.world.sandbox.root().display().to_string();
                let struck = seen.lines().find(|line| line.ends_with("(INJECTED)"));
                // A pipe or an event has no disk behind it.
                let Some(line) = struck.filter(|line| line.contains(&root)) else { return false };
                // What is only kept or shown, such as the progress comment, stops nothing.
                assert!(matches!(status.code(), Some(0 | 6)), "{status} after {line}");
                true
            }
            Place::Agent { turn, whom } => {
                let _ = std::fs::remove_file(self.world.path_beside("turn"));
                self.world.beside("strike", &format!("{turn} {whom}\n"));
                let code = self.world.execute().code;
                assert_eq!(
                    code,
                    if *whom == "runner" { -1 } else { 0 },
                    "a broken call is redone by the same run"
                );
                std::fs::remove_file(self.world.path_beside("strike")).is_err()
            }
            Place::Git { turn, calls, number, alone } => {
                let whom = if *alone { "git" } else { "both" };
                self.plan(&format!("{turn} {calls} {number} {whom}"));
                let status = self.world.execute();
                let killed = self.world.path_beside("programs/killed");
                let _ = std::fs::remove_file(self.world.path_beside("programs/plan"));
                assert!(*alone || !killed.exists() || status.code == -1, "the runner survived its death");
                std::fs::remove_file(killed).is_ok()
            }
        }
    }

    fn plan(&self, text: &str) {
        let _ = std::fs::remove_file(self.world.path_beside("programs/turn"));
        self.world.beside("programs/plan", &format!("{text}\n"));
    }

    /// Strikes and repairs; tells whether anything was struck.
    fn survives(&self, place: &Place) -> bool {
        self.fresh.bring_back();
        let was_struck = self.strike(place);
        // A call that failed on a pipe ends the runner, too, and its agent a moment later.
        self.world.is_alone_within(Duration::from_secs(5));
        if !was_struck {
            return false;
        }
        let before = whole_lines(&self.world.log());
        let finished = finished_steps(&before);
        let tries = (1..=3).find(|_| self.world.execute().code == 0);
        assert!(tries.is_some(), "not completed by three further runs: {}", self.world.execute().stderr);
        assert_eq!(ending(&self.world.sandbox), self.undisturbed);
        let after = whole_lines(&self.world.log());
        assert!(after.starts_with(&before), "facts that were there have changed");
        let repeated: BTreeSet<String> =
            begun_steps(&after[before.len()..]).intersection(&finished).cloned().collect();
        assert_eq!(repeated, BTreeSet::new(), "finished steps are repeated");
        assert!(
            calls(&self.world.sandbox).values().all(|calls| *calls <= 2),
            "{:?}",
            calls(&self.world.sandbox)
        );
        self.world.sandbox.run(&["replay", "--issue", "243"]).exits(0);
        self.world.is_alone_within(Duration::ZERO);
        self.leaves_no_lock();
        true
    }

    fn leaves_no_lock(&self) {
        let found = Command::new("find").arg(self.world.sandbox.root()).args(["-name", "*.lock"]).output();
        let found = String::from_utf8_lossy(&found.expect("find starts").stdout).into_owned();
        assert_eq!(found, "");
        self.world.sandbox.git(&["fsck", "--connectivity-only"]);
    }

    /// Returns how often each git of an undisturbed run makes each of the calls, at most in one process.
    fn git_places(&self) -> Vec<Place> {
        self.fresh.bring_back();
        self.plan(&format!("all {} 0 -", DURABLE.join(",")));
        self.world.execute().exits(0);
        std::fs::remove_file(self.world.path_beside("programs/plan")).expect("the plan is over");
        let seen = |turn: &usize| {
            std::fs::read_to_string(self.world.path_beside(&format!("programs/seen-{turn}"))).ok()
        };
        let turns = (1..).map_while(|turn| seen(&turn).map(|text| (turn, text)));
        turns.flat_map(|(turn, text)| places_in(turn, &text)).collect()
    }
}

fn places_in(turn: usize, seen: &str) -> Vec<Place> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for line in seen.lines() {
        // `PID NAME(ARGUMENTS) = RESULT`
        let Some((process, call)) = line.split_once(' ') else { continue };
        let Some((name, _)) = call.trim_start().split_once('(') else { continue };
        *counts.entry((process, name)).or_default() += 1;
    }
    let most = |calls: &str| {
        let names: Vec<&str> = calls.split(',').map(|name| name.trim_start_matches('?')).collect();
        counts
            .iter()
            .filter(|((_, name), _)| names.contains(name))
            .map(|(_, count)| *count)
            .max()
            .unwrap_or(0)
    };
    // The runner alone starts programs that matter.
    let calls = DURABLE.iter().copied().filter(|calls| !calls.contains("clone"));
    let places = calls.flat_map(|calls| (1..=most(calls)).map(move |number| (calls, number)));
    places
        .map(|(calls, number)| Place::Git { turn, calls, number, alone: (turn + number).is_multiple_of(2) })
        .collect()
}

fn whole_lines(log: &[u8]) -> Vec<Value> {
    let lines = log.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    lines.map(|line| serde_json::from_slice(line).expect("a whole line is JSON")).collect()
}

fn step_of(fact: &Value, step: &str) -> String {
    format!("{}/{step}/{}", fact["phase"].as_str().unwrap_or_default(), fact["round"])
}

/// Returns the calls whose end is written down.
fn finished_steps(lines: &[Value]) -> BTreeSet<String> {
    let facts = lines.iter().map(|line| &line["fact"]);
    facts
        .filter_map(|fact| match fact["type"].as_str()? {
            "worked" => Some(step_of(fact, fact["step"].as_str()?)),
            "reviewed" => Some(step_of(fact, "review")),
            _ => None,
        })
        .collect()
}

/// Returns the calls that are begun.
fn begun_steps(lines: &[Value]) -> BTreeSet<String> {
    let begun = lines.iter().map(|line| &line["fact"]).filter(|fact| fact["type"] == "step_started");
    begun.map(|fact| step_of(fact, fact["step"].as_str().unwrap_or_default())).collect()
}

/// What came of a sweep.
#[derive(Default)]
struct Tally {
    struck: BTreeMap<String, usize>,
    failed: Vec<String>,
}

#[expect(clippy::print_stdout, reason = "the figures are what a sweep is read for")]
/// Strikes at all places of a list, on all processors; a place that a run does not reach ends nothing.
fn sweep(name: &str, places: &[Place]) {
    let began = Instant::now();
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| work_off(places, &next, &tally));
        }
    });
    let Tally { struck, failed } = tally.into_inner().expect("nobody panics with it in hand");
    let total: usize = struck.values().sum();
    println!("{name}: {total} places struck in {:.0?}: {struck:?}", began.elapsed());
    assert!(failed.is_empty(), "{} of {total} places:\n{}", failed.len(), failed.join("\n"));
    assert!(total > 0, "nothing was struck");
}

fn work_off(places: &[Place], next: &AtomicUsize, tally: &Mutex<Tally>) {
    let range = Range::new();
    while let Some(place) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
        let survived = catch_unwind(AssertUnwindSafe(|| range.survives(place)));
        let mut tally = tally.lock().expect("nobody panics with it in hand");
        match survived {
            Ok(true) => *tally.struck.entry(kind(place)).or_default() += 1,
            Ok(false) => {}
            Err(panic) => {
                let why = panic.downcast_ref::<String>().map_or("?", String::as_str);
                tally.failed.push(format!("{place:?}: {why}"));
            }
        }
    }
}

fn kind(place: &Place) -> String {
    let first = |calls: &str| calls.split(',').next().unwrap_or_default().trim_start_matches('?').to_owned();
    match place {
        Place::Runner { calls, .. } | Place::Git { calls, .. } => first(calls),
        Place::Agent { whom, .. } => (*whom).to_owned(),
        Place::NoRoom { .. } => "write".to_owned(),
    }
}

/// Returns how often the runner makes each call in an undisturbed run, and a few more, because no two runs are equal.
fn runner_places(range: &Range) -> Vec<Place> {
    range.fresh.bring_back();
    let file = range.world.path_beside("seen");
    let mut command = range.world.sandbox.command("strace");
    command.args(["-qq", "-o", &file.display().to_string(), "-e", &format!("trace={}", DURABLE.join(","))]);
    command.arg(env!("CARGO_BIN_EXE_ai-workflow")).args(range.world.arguments());
    assert!(command.output().expect("strace starts").status.success());
    let seen = std::fs::read_to_string(file).expect("what was seen");
    let count = |calls: &str| {
        let names = calls.split(',').map(|name| name.trim_start_matches('?'));
        names
            .map(|name| seen.lines().filter(|line| line.split('(').next() == Some(name)).count())
            .max()
            .unwrap_or(0)
    };
    let places = |calls: &'static str| (1..=count(calls)).map(move |number| Place::Runner { calls, number });
    DURABLE.iter().copied().flat_map(places).collect()
}

#[expect(clippy::print_stdout, reason = "what is skipped is said loudly")]
/// Says loudly when the sweep cannot be made here.
fn is_possible() -> bool {
    let possible = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    let possible = possible.is_ok_and(|status| status.success());
    if !possible {
        println!("SKIPPED: no working strace on this machine, nothing was swept");
    }
    possible
}

#[test]
#[ignore = "full suite: some minutes under strace"]
fn kill_sweep_at_every_durable_call_of_the_runner() {
    if is_possible() {
        let places = runner_places(&Range::new());
        sweep("runner killed", &places);
    }
}

#[test]
#[ignore = "full suite: some minutes under strace"]
fn kill_sweep_at_every_durable_call_of_git() {
    if is_possible() {
        let places = Range::new().git_places();
        sweep("git killed", &places);
    }
}

#[test]
#[ignore = "full suite: belongs to the sweep"]
fn kill_sweep_at_the_start_of_every_agent() {
    let whom = ["agent", "reaper", "runner"];
    let places: Vec<Place> = (1..=4).flat_map(|turn| whom.map(|whom| Place::Agent { turn, whom })).collect();
    sweep("agent killed", &places);
}

#[test]
#[ignore = "full suite: a minute under strace"]
fn kill_sweep_with_a_disk_that_is_full_at_every_write() {
    if is_possible() {
        let writes = |place: &Place| match place {
            Place::Runner { calls, number } if calls.starts_with("write") => {
                Some(Place::NoRoom { number: *number })
            }
            _ => None,
        };
        let places: Vec<Place> = runner_places(&Range::new()).iter().filter_map(writes).collect();
        sweep("no room", &places);
    }
}
