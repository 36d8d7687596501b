//! A log or a view that is torn, damaged, newer, edited, or changed by an agent.

use std::fs;
use std::path::Path;

use super::world::{BRANCH, LOG, VIEW, World};
use crate::line_with;

/// A run that was killed in its second phase, with everything it left.
fn stopped_in_the_middle() -> World {
    let world = World::new();
    world.kill(world.start_until("implementation/review"));
    world.let_go();
    world
}

/// Asserts that the command refuses with exit 6, says this, and changes nothing.
#[track_caller]
fn refuses(world: &World, says: &[&str]) {
    let before = world.every_byte();
    let ran = world.execute().exits(6);
    for text in says {
        assert!(ran.stderr.contains(text), "`{text}` is not in\n{}", ran.stderr);
    }
    assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
    world.is_unchanged_since(&before);
}

/// Returns where the lines of a log begin.
fn line_starts(log: &[u8]) -> Vec<usize> {
    let ends = log.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).collect()
}

/// Returns where the facts begin that came after the beginning of the run, which is written as a whole.
fn end_of_beginning(log: &[u8]) -> usize {
    let asked = log.windows(14).position(|window| window == b"\"type\":\"asked\"").expect("a request");
    log[..asked].iter().rposition(|byte| *byte == b'\n').expect("a line before it") + 1
}

/// What is committed is not done again: a log that ends before it is refused, and the hint brings it back.
#[track_caller]
fn bring_back_from_the_branch(world: &World) {
    let tip = world.sandbox.git(&["rev-parse", BRANCH]);
    let refused = world.execute().exits(6);
    let hint = refused.stderr.lines().find(|line| line.starts_with("hint: ")).expect("a hint");
    let command = hint.split('`').nth(1).expect("a command");
    assert!(
        world.sandbox.command("sh").args(["-c", command]).status().expect("a shell").success(),
        "{command}"
    );
    assert_eq!(world.sandbox.git(&["rev-parse", BRANCH]), tip, "the branch stays where it is");
}

#[test]
fn a_log_truncated_at_any_byte_resumes_to_the_same_result() {
    let world = World::new();
    // Facts that are cut off were synced, so files that they tell of may stand there already: each call adds one.
    world.beside("meddle-execute", "echo work > $(mktemp ./work-XXXXXXXX)");
    world.kill(world.start_until("implementation/review"));
    world.let_go();
    let (kept, log) = (world.keep(), world.log());
    let begun = end_of_beginning(&log);
    let committed = world.sandbox.git(&["show", &format!("{BRANCH}:{LOG}")]).len();
    // A prime step meets beginnings, middles and ends of lines.
    let places = (0..20).map(|place| begun + place * 7919 % (log.len() - begun));
    for cut in places {
        kept.bring_back();
        world.set_log(&log[..cut]);
        let mut torn = log[cut - 1] != b'\n';
        if cut < committed {
            bring_back_from_the_branch(&world);
            torn = false;
        }
        let ran = world.execute().exits(0);
        assert_eq!(ran.stderr.contains("was not written to its end"), torn, "cut at {cut}: {}", ran.stderr);
        assert_eq!(world.sandbox.metadata()["outcome"], "completed", "cut at {cut}");
        world.sandbox.run(&["replay", "--issue", "243"]).exits(0);
    }
}

#[test]
fn a_truncated_last_log_line_loses_only_its_own_event() {
    let world = stopped_in_the_middle();
    let (kept, log) = (world.keep(), world.log());
    let starts = line_starts(&log);
    let last = starts[starts.len() - 2];
    for cut in [last, last + 1, usize::midpoint(last, log.len()), log.len() - 1] {
        kept.bring_back();
        world.set_log(&log[..cut]);
        world.execute().exits(0);
        world.ended_undisturbed();
    }
}

#[test]
fn a_changed_byte_in_the_log_is_reported_with_its_line() {
    let world = stopped_in_the_middle();
    let log = world.log();
    let starts = line_starts(&log);
    for line in [1, starts.len() / 2, starts.len() - 2] {
        let mut flipped = log.clone();
        let at = usize::midpoint(starts[line - 1], starts[line]);
        flipped[at] ^= 1;
        world.set_log(&flipped);
        refuses(&world, &[LOG, &format!("is damaged at line {line}")]);
    }
}

#[test]
fn a_missing_log_line_is_reported_as_damage() {
    let world = stopped_in_the_middle();
    let log = world.log();
    let starts = line_starts(&log);
    world.set_log([&log[..starts[4]], &log[starts[5]..]].concat());
    refuses(&world, &[LOG, "is damaged at line 5"]);
}

#[test]
fn a_log_of_a_newer_version_is_refused() {
    let world = stopped_in_the_middle();
    let log = String::from_utf8(world.log()).expect("text");
    world.set_log(log.replacen("\"format\":1", "\"format\":99", 1));
    refuses(&world, &[LOG, "has format 99", "use the version of ai-workflow that wrote it"]);
}

#[test]
fn missing_empty_or_older_metadata_is_rebuilt() {
    let world = World::new();
    let child = world.start_until("planning/review");
    let view = world.sandbox.root().join(VIEW);
    let older = fs::read(&view).expect("a view");
    world.kill(child);
    world.beside("hold", "implementation/execute");
    let _ = fs::remove_file(world.path_beside("held"));
    let child = world.start_until("implementation/execute");
    world.kill(child);
    world.let_go();
    let kept = world.keep();
    let lose: [fn(&Path, &[u8]); 4] = [
        |view, _| fs::remove_file(view).expect("removed"),
        |view, _| fs::write(view, "").expect("emptied"),
        |view, _| fs::write(view, [0; 4096]).expect("lost by a power cut"),
        |view, older| fs::write(view, older).expect("an older one"),
    ];
    for lose in lose {
        kept.bring_back();
        lose(&view, &older);
        world.execute().exits(0);
        world.ended_undisturbed();
    }
}

#[test]
fn manually_edited_metadata_is_refused() {
    let world = stopped_in_the_middle();
    let view = world.sandbox.read(VIEW);
    let edits = [
        view.replacen("\"in_progress\"", "\"completed\"", 1),
        view.replacen("\"retry_count\": 1", "\"retry_count\": 0", 1),
        view.replacen('{', "{\"outcome\": \"completed\",", 1),
        "{}".to_owned(),
        "not JSON".to_owned(),
    ];
    for edited in edits {
        assert_ne!(edited, view);
        world.sandbox.write(VIEW, &edited);
        refuses(&world, &[VIEW, "was edited by hand", "ai-workflow rollback"]);
    }
    world.sandbox.write(VIEW, &view);
    world.execute().exits(0);
    world.ended_undisturbed();
}

/// Lets an agent do something to the log; the run has to stop at once and say so.
fn an_agent_changes_the_log(shell: &str, says: &str) -> World {
    let world = World::new();
    world.beside("meddle-revise", &shell.replace("LOG", LOG));
    let ran = world.execute().exits(6);
    let told = line_with(&ran.stderr, "was changed by somebody else while the run was going on");
    assert!(told.contains(says), "{told}");
    insta::allow_duplicates! { insta::assert_snapshot!(line_with(&ran.stderr, "hint: "), @"hint: only ai-workflow writes this file; look at what was running, restore the file, then run the same command again") };
    world.is_alone_within(std::time::Duration::ZERO);
    fs::remove_file(world.path_beside("meddle-revise")).expect("the agent behaves from now on");
    world
}

#[test]
fn an_agent_that_appends_to_the_log_stops_the_run() {
    let line = r#"printf '{"chain":"x","seq":99}\n' >> LOG"#;
    let world = an_agent_changes_the_log(line, "bytes long where");
    refuses(&world, &[LOG, "is damaged at line"]);
}

#[test]
fn an_agent_that_truncates_the_log_stops_the_run() {
    let world = an_agent_changes_the_log(": > LOG", "it is 0 bytes long");
    assert_eq!(world.log(), b"");
}

#[test]
fn an_agent_that_removes_the_log_stops_the_run() {
    an_agent_changes_the_log("rm LOG", "it is gone");
}

#[test]
fn an_agent_that_changes_the_log_without_changing_its_length_stops_the_run() {
    let rewrite =
        r#"sed 's/"approve"/"APPROVE"/; s/"revise"/"advise"/' LOG > "$here/other"; cat "$here/other" > LOG"#;
    an_agent_changes_the_log(rewrite, "its content is not what was written");
}

#[test]
fn an_agent_that_replaces_the_log_with_a_link_stops_the_run() {
    let link = r#"mv LOG "$here/elsewhere"; ln -s "$here/elsewhere" LOG"#;
    an_agent_changes_the_log(link, "no ordinary file");
}
