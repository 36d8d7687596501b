//! A disk without room and folders that cannot be written: the run stops, says why, and goes on when there is room.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::json;

use super::world::World;
use crate::line_with;
use crate::support::{Ran, Sandbox};

/// Runs the command where no file may become longer than about this many bytes, at most 1023 less. The signal that would end the process is
/// ignored, so that the write fails, as it does on a full disk.
fn with_room_for(world: &World, bytes: usize) -> Ran {
    let shell = "trap '' XFSZ; ulimit -f \"$0\"; exec \"$@\"";
    let mut command = world.sandbox.command("bash");
    // Blocks of 1024 bytes.
    command.args(["-c", shell, &(bytes / 1024).to_string()]);
    command.arg(env!("CARGO_BIN_EXE_ai-workflow")).args(world.arguments());
    Sandbox::finish(command)
}

#[test]
fn a_full_disk_stops_the_run_and_free_space_continues_it() {
    let world = World::new();
    world.kill(world.start_until("planning/revise"));
    world.let_go();
    let log = world.log();
    // Everything written until now fits; a few facts later the log does not.
    let ran = with_room_for(&world, log.len() + 2048).exits(6);
    insta::assert_snapshot!(line_with(&ran.stderr, "error: "), @"error: cannot write to [REPO]/.ai-workflow/issue-243/events.jsonl: File too large (os error 27)");
    insta::assert_snapshot!(line_with(&ran.stderr, "hint: "), @"hint: free some space, then run the same command again");
    assert!(world.log().starts_with(&log) && world.log().ends_with(b"\n"), "whole lines only");
    let before = world.every_byte();
    with_room_for(&world, world.log().len()).exits(6);
    world.is_unchanged_since(&before);
    world.execute().exits(0);
    assert_eq!(world.sandbox.metadata()["outcome"], json!("completed"));
    world.ended_undisturbed();
}

/// Returns a command that has no right to write where the permissions forbid it, even for the administrator.
fn bound_by_permissions(world: &World) -> Option<Command> {
    let probe = world.path_beside("probe");
    fs::write(&probe, "").expect("a file");
    fs::set_permissions(&probe, fs::Permissions::from_mode(0o400)).expect("read-only");
    if fs::OpenOptions::new().append(true).open(&probe).is_err() {
        return Some(world.sandbox.command(env!("CARGO_BIN_EXE_ai-workflow")));
    }
    let mut command = world.sandbox.command("setpriv");
    command.arg("--bounding-set=-dac_override").arg("--inh-caps=-dac_override");
    let mut test = world.sandbox.command("setpriv");
    test.args(["--bounding-set=-dac_override", "--inh-caps=-dac_override", "sh", "-c", "! echo x >> \"$0\""]);
    if !test.arg(&probe).output().is_ok_and(|output| output.status.success()) {
        return None;
    }
    command.arg(env!("CARGO_BIN_EXE_ai-workflow"));
    Some(command)
}

/// Forbids or allows writing into a folder and everything below it.
fn permit(world: &World, folder: &str, mode: &str) {
    let status = Command::new("chmod").args(["-R", mode]).arg(world.sandbox.root().join(folder)).status();
    assert!(status.expect("chmod starts").success());
}

#[test]
fn an_unwritable_folder_stops_the_run_before_any_call() {
    let world = World::new();
    world.kill(world.start_until("planning/revise"));
    world.let_go();
    for folder in [".ai-workflow/issue-243", ".git"] {
        let Some(mut command) = bound_by_permissions(&world) else {
            eprintln!(
                "SKIPPED: the administrator cannot give up the right to write anywhere here (no setpriv)"
            );
            return;
        };
        let calls = super::world::calls(&world.sandbox);
        permit(&world, folder, "a-w");
        command.args(world.arguments());
        let ran = Sandbox::finish(command);
        permit(&world, folder, "u+w");
        let ran = ran.exits(6);
        assert!(ran.stderr.contains(folder) && ran.stderr.contains("ermission denied"), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
        assert_eq!(super::world::calls(&world.sandbox), calls, "no agent is called");
    }
    world.execute().exits(0);
    world.ended_undisturbed();
}
