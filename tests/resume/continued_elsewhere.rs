//! A run that another machine went on with: the first machine sees it before an agent is paid, and the commands that it prints take
//! the run over, or go on from here.

use serde_json::Value;

use super::world::{BRANCH, World, calls};
use crate::support::Ran;

/// Two phases, and a person is asked before the second one; each phase is pushed.
const CONFIG: &str = "push = \"phase\"\n\n[presets.two]\nphases = [\"planning\", \"implementation\"]\n\n\
     [phases.implementation]\ngate = \"ask\"\n\n[policies.phase-review.limits]\nbackoff_ms = 1\n";

#[track_caller]
fn shell(world: &World, line: &str) {
    let done = world.sandbox.command("sh").args(["-c", line]).status().expect("a shell");
    assert!(done.success(), "{line}");
}

/// A run that waits for a person before its second phase, and is on origin.
fn paused() -> World {
    let world = World::new();
    world.beside("lenient", "");
    world.sandbox.write(".ai-workflow/config.toml", CONFIG);
    shell(&world, "git init -q --bare ../origin.git && git remote add origin ../origin.git");
    world.execute().exits(3);
    world
}

fn resume(world: &World) -> Ran {
    world.sandbox.run(&["resume", "--issue", "243", "--continue"])
}

/// Has another machine do something with the run; its clone is beside the repository.
#[track_caller]
fn on_another_machine(world: &World, then: &str) {
    let local = "mkdir -p .ai-workflow/local/issues && cp ../repo/.ai-workflow/local/issues/243.md .ai-workflow/local/issues \
                 && cp ../repo/.ai-workflow/config.toml .ai-workflow";
    let clone = format!("git clone -q -b {BRANCH} ../origin.git ../clone && cd ../clone && {local}");
    let program = env!("CARGO_BIN_EXE_ai-workflow");
    shell(world, &format!("{clone} && {}", then.replace("ai-workflow ", &format!("{program} "))));
}

const ENDS_IT: &str = "ai-workflow resume --issue 243 --continue 2> ended";

/// Returns the command of a hint by its number, from 0.
#[track_caller]
fn command_of_hint(ran: &Ran, number: usize) -> String {
    let hint = ran.stderr.lines().filter(|line| line.starts_with("hint: ")).nth(number).expect("a hint");
    hint.split('`').nth(1).expect("a command").to_owned()
}

fn facts_on_origin(world: &World) -> Vec<Value> {
    let log = world.sandbox.git(&[
        "--git-dir=../origin.git",
        "show",
        &format!("{BRANCH}:.ai-workflow/issue-243/events.jsonl"),
    ]);
    let line = |line: &str| serde_json::from_str::<Value>(line).expect("a line is JSON")["fact"].clone();
    log.lines().map(line).collect()
}

#[test]
fn a_run_that_another_machine_completed_is_taken_over_without_a_call() {
    let world = paused();
    let before = calls(&world.sandbox);
    on_another_machine(&world, ENDS_IT);
    let refused = resume(&world).exits(6).says("the run of issue 243 was continued on another machine");
    assert!(
        refused.stderr.contains("on origin it is completed (last phase: implementation)"),
        "{}",
        refused.stderr
    );
    world.execute().exits(6).says("was continued on another machine");
    assert_eq!(calls(&world.sandbox), before, "no agent is called");
    shell(&world, &command_of_hint(&refused, 0));
    assert_eq!(world.sandbox.facts(), facts_on_origin(&world));
    world.execute().exits(0).says("is completed; nothing is left to do");
    assert_eq!(world.sandbox.facts(), facts_on_origin(&world));
}

#[test]
fn status_shows_a_run_that_was_continued_elsewhere_as_unknown() {
    let world = paused();
    on_another_machine(&world, ENDS_IT);
    let status = || world.sandbox.run(&["status", "--issue", "243"]).exits(0).stdout;
    assert!(!status().contains("unknown"), "status asks no server");
    shell(&world, "git fetch -q");
    let text = status();
    assert!(text.starts_with("#243 The last page is missing: unknown\n"), "{text}");
    assert!(text.contains("another machine went on: on origin it is completed"), "{text}");
    let next = text.lines().find_map(|line| line.strip_prefix("next: ")).expect("a command");
    let value = world.sandbox.run(&["status", "--issue", "243", "--json"]).exits(0).json();
    assert_eq!(value["unknown"]["what"], "continued_elsewhere");
    assert_eq!(value["unknown"]["state"]["outcome"], "completed");
    assert_eq!(value["next"], next);
    shell(&world, next);
    world.execute().exits(0);
    shell(&world, "git switch -q main");
    shell(&world, &format!("git branch -q -f {BRANCH} {BRANCH}~1"));
    let text = status();
    assert!(text.contains("another machine went on"), "{text}");
    shell(&world, text.lines().find_map(|line| line.strip_prefix("next: ")).expect("a command"));
    world.execute().exits(0).says("is completed; nothing is left to do");
}

#[test]
fn work_of_both_machines_is_told_and_either_of_them_can_go_on() {
    for hint in [0, 1] {
        let world = paused();
        shell(&world, "git remote rename origin away");
        world.beside("hold", "implementation/review");
        let holds = ["resume", "--issue", "243", "--continue"];
        let working = world.sandbox.start(&holds);
        crate::support::eventually("the reviewer works", || world.path_beside("held").exists());
        world.kill(working);
        world.let_go();
        shell(&world, "git remote rename away origin");
        on_another_machine(&world, ENDS_IT);
        let refused = world.execute().exits(6).says("was continued on another machine");
        assert!(refused.stderr.contains("that are only here"), "{}", refused.stderr);
        shell(&world, &command_of_hint(&refused, hint));
        world.execute().exits(0);
        assert_eq!(world.sandbox.metadata()["outcome"], "completed");
        assert_eq!(world.sandbox.facts(), facts_on_origin(&world));
        let authors = calls(&world.sandbox)["implementation/execute/1"];
        assert_eq!(authors, 1, "no author is paid again");
    }
}

#[test]
fn commits_of_people_on_origin_are_brought_here_before_an_agent_is_paid() {
    let world = paused();
    let before = calls(&world.sandbox);
    on_another_machine(
        &world,
        "echo theirs > theirs.txt && git add theirs.txt && git commit -qm theirs && git push -q",
    );
    let refused =
        resume(&world).exits(2).says("origin has commits on ai-workflow/issue-243 that are not here");
    assert_eq!(calls(&world.sandbox), before, "no agent is called");
    shell(&world, &command_of_hint(&refused, 0));
    resume(&world).exits(0);
    assert_eq!(world.sandbox.read("theirs.txt"), "theirs\n");
}

#[test]
fn a_run_that_was_finalized_elsewhere_is_removed_here_by_the_command() {
    let world = paused();
    on_another_machine(
        &world,
        &format!(
            "{ENDS_IT} && ai-workflow finalize --issue 243 2>> ended && git push -q --force origin {BRANCH}"
        ),
    );
    let refused = resume(&world).exits(6).says("has no log that can be read, as after `finalize`");
    shell(&world, &command_of_hint(&refused, 0));
    world.sandbox.run(&["status", "--issue", "243"]).exits(2).says("there is no run of issue 243");
}

#[test]
fn an_origin_that_cannot_be_asked_stops_no_run() {
    let world = paused();
    shell(&world, "git remote set-url origin ../nowhere.git");
    let ran = world.sandbox.run(&["resume", "--issue", "243", "--continue", "--push", "never"]);
    ran.exits(0);
    let asked = world.execute();
    assert!(
        asked.stderr.contains("origin could not be asked whether another machine went on"),
        "{}",
        asked.stderr
    );
}
