//! Something else than a file stands where a file of ours or of git's is: a folder, or a pipe, which nobody waits for. The message
//! names it and a command, and with that command the run goes on.

use std::time::{Duration, Instant};

use super::world::{LOG, VIEW, World};
use crate::line_with;
use crate::support::Ran;

/// Files of ours that are read or written whenever a run goes on.
const OURS: [&str; 13] = [
    VIEW,
    ".git/ai-workflow/checkout/lock",
    ".git/ai-workflow/checkout/work.json",
    ".git/ai-workflow/issue-243/lock",
    ".git/ai-workflow/issue-243/pointer.json",
    ".git/ai-workflow/issue-243/events.jsonl",
    ".git/ai-workflow/issue-243/git-files.ended",
    ".git/ai-workflow/issue-243/left-at",
    ".git/ai-workflow/issue-243/rests-at",
    ".git/ai-workflow/spent/*.jsonl",
    ".git/ai-workflow/issue-243",
    ".git/ai-workflow",
    ".git/index",
];

/// Longer than any command takes that does not wait.
const LONG: Duration = Duration::from_secs(60);

#[track_caller]
fn shell(world: &World, line: &str) {
    let done = world.sandbox.command("sh").args(["-c", line]).status().expect("a shell");
    assert!(done.success(), "{line}");
}

/// A run that was killed in the review of its second phase.
fn killed() -> World {
    let world = World::new();
    world.kill(world.start_until("implementation/review"));
    world.let_go();
    world
}

/// Runs the command until it is not refused any more, and does each time what the first hint says.
#[track_caller]
fn goes_on(world: &World, what: &str) {
    for _ in 0..4 {
        let ran = world.execute();
        if ran.code == 0 {
            assert_eq!(world.sandbox.metadata()["outcome"], "completed", "{what}");
            return;
        }
        shell(world, &command_of_hint(&ran, what));
    }
    panic!("{what}: the commands of the hints do not help");
}

#[track_caller]
fn command_of_hint(ran: &Ran, what: &str) -> String {
    let hint = ran.stderr.lines().find(|line| line.starts_with("hint: "));
    let hint = hint.unwrap_or_else(|| panic!("{what}: no hint in\n{}", ran.stderr));
    hint.split('`').nth(1).unwrap_or_else(|| panic!("{what}: no command in {hint}")).to_owned()
}

#[test]
fn a_folder_in_the_place_of_a_file_is_named_with_the_command_that_moves_it_away() {
    for file in OURS {
        let world = killed();
        let facts = world.sandbox.facts();
        shell(&world, &format!("f=$(echo {file}); rm -rf $f && mkdir $f && touch $f/inside"));
        goes_on(&world, file);
        assert_eq!(world.sandbox.facts()[..facts.len()], facts, "{file}: the run was begun anew");
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    for file in OURS {
        let world = killed();
        let facts = world.sandbox.facts();
        shell(&world, &format!("f=$(echo {file}); rm -rf $f && mkfifo $f"));
        let began = Instant::now();
        let _ = world.sandbox.run(&["status", "--issue", "243"]);
        goes_on(&world, file);
        assert!(began.elapsed() < LONG, "{file}");
        assert_eq!(world.sandbox.facts()[..facts.len()], facts, "{file}: the run was begun anew");
    }
}

#[test]
fn settings_that_are_no_file_are_refused_and_not_waited_for() {
    for make in ["mkdir", "mkfifo"] {
        let world = World::new();
        shell(&world, &format!("rm .ai-workflow/config.toml && {make} .ai-workflow/config.toml"));
        let refused = world.execute().exits(2);
        shell(&world, &command_of_hint(&refused, make));
        world.sandbox.run(&["config", "validate"]).exits(0);
    }
}

#[test]
fn a_view_that_was_edited_is_made_again_from_the_log() {
    let world = killed();
    shell(&world, &format!("echo edited > {VIEW}"));
    let refused = world.execute().exits(6);
    insta::assert_snapshot!(line_with(&refused.stderr, "hint: "), @"hint: the log is intact; delete the view with `rm [REPO]/.ai-workflow/issue-243/metadata.json`, and it is rebuilt from the log; to go back to an earlier phase use `ai-workflow rollback`");
    goes_on(&world, VIEW);
}

#[test]
fn a_log_of_a_completed_run_that_was_overwritten_comes_from_its_copy() {
    let world = World::new();
    world.execute().exits(0);
    let facts = world.sandbox.facts();
    shell(&world, &format!("printf garbage > {LOG}"));
    let refused = world.execute().exits(6);
    insta::assert_snapshot!(line_with(&refused.stderr, "error: "), @"error: [REPO]/.ai-workflow/issue-243/events.jsonl is gone or holds no facts; its copy [REPO]/.git/ai-workflow/issue-243/events.jsonl is intact");
    insta::assert_snapshot!(line_with(&refused.stderr, "hint: "), @"hint: nothing was changed; the copy of the log, [REPO]/.git/ai-workflow/issue-243/events.jsonl, is intact with 35 facts, bring it back with `mkdir -p [REPO]/.ai-workflow/issue-243 && cp [REPO]/.git/ai-workflow/issue-243/events.jsonl [REPO]/.ai-workflow/issue-243/events.jsonl && rm -f [REPO]/.ai-workflow/issue-243/metadata.json` and run the same command again");
    goes_on(&world, LOG);
    assert_eq!(world.sandbox.facts(), facts);
}
