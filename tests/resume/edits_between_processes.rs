//! A person works on the files between two processes of a run, the first of which ended while, or before, a reviewer looked:
//! everything stays, the next reviewer is shown it, and what it approves is what is published.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::world::{BRANCH, World, calls, ends_within};
use crate::support::Ran;

const NOTES: &str = "NOTES.md";
const CODE: &str = "pub fn pages() -> u32 {\n    3 // by hand\n}\n";
const WARNED: &str = "Phase implementation: Changed by hand since the last step, judged as it is: ";
/// Nobody can tell who wrote what where the run was killed.
const WARNED_AFTER_KILL: &str = "Phase implementation: Changed, by a program that was at work when the run was killed or by a \
                                 person, judged as it is: ";

/// A run that ended while the reviewer of its second phase was at work.
fn ended_by(signal: Option<Signal>) -> World {
    let world = World::new();
    let child = world.start_until("implementation/review");
    match signal {
        Some(signal) => {
            let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
            kill_process(process, signal).expect("it runs");
            assert_eq!(ends_within(child, Duration::from_secs(10)).0, 130);
        }
        None => world.kill(child),
    }
    world.let_go();
    world
}

/// A run whose budget ended before the reviewer of its second phase.
fn out_of_budget() -> World {
    let world = World::new();
    world.beside("lenient", "");
    let arguments = world.arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    world.sandbox.run(&[&arguments[..], &["--set", "budget.calls=3"]].concat()).exits(3);
    assert_eq!(calls(&world.sandbox).len(), 3);
    world
}

fn edit(world: &World) {
    world.sandbox.write(NOTES, "by hand\n");
    world.sandbox.write("src/lib.rs", CODE);
}

fn commit(world: &World) -> String {
    world.sandbox.git(&["add", NOTES, "src/lib.rs"]);
    world.sandbox.git(&["commit", "-q", "-m", "by hand"]);
    world.sandbox.git(&["rev-parse", "HEAD"])
}

fn facts(world: &World, kind: &str) -> Vec<Value> {
    world.sandbox.facts().into_iter().filter(|fact| fact["type"] == kind).collect()
}

/// Asserts that what the person changed is there, was reviewed and is published.
#[track_caller]
fn is_kept_and_reviewed(world: &World, ran: &Ran, attempt: u32, warned: &str) {
    assert_eq!(ran.stderr.matches(warned).count(), 1, "{}", ran.stderr);
    assert!(!ran.stderr.contains("which was undone"), "{}", ran.stderr);
    assert_eq!(
        (world.sandbox.read(NOTES), world.sandbox.read("src/lib.rs")),
        ("by hand\n".into(), CODE.into())
    );
    let on_branch = |path: &str| world.sandbox.git(&["show", &format!("{BRANCH}:{path}")]);
    assert_eq!((on_branch(NOTES), on_branch("src/lib.rs")), ("by hand".into(), CODE.trim_end().into()));
    let prompt =
        format!(".ai-workflow/issue-243/04_implementation/review/round-1/attempt-{attempt}/prompt.md");
    let prompt = world.sandbox.read(&prompt);
    assert!(prompt.contains(NOTES) && prompt.contains("3 // by hand"), "{prompt}");
    let changed = facts(world, "changed_by_hand");
    assert_eq!(changed.len(), 1, "{changed:?}");
    let reviewed = facts(world, "reviewed").pop().expect("a review");
    assert_eq!(reviewed["tree"], changed[0]["tree"]);
    assert_eq!(calls(&world.sandbox)["implementation/execute/1"], 1, "no author is paid twice");
    let evidence = facts(world, "checked").into_iter().filter(|fact| fact["phase"] == "implementation");
    assert_eq!(evidence.count(), 2, "the evidence is gathered anew");
    world.sandbox.run(&["replay", "--issue", "243"]).exits(0);
    world.sandbox.run(&["finalize", "--issue", "243"]).exits(0);
    let published = world.sandbox.git(&["diff", "--name-only", "main", BRANCH]);
    assert_eq!(published, "NOTES.md\nsrc/lib.rs");
}

#[track_caller]
fn holds(world: &World, commit: &str) {
    let branches = world.sandbox.git(&["branch", "--format=%(refname:short)", "--contains", commit]);
    assert_eq!(branches, BRANCH, "{commit} is off the branch");
}

fn warning_after(signal: Option<Signal>) -> &'static str {
    if signal.is_some() { WARNED } else { WARNED_AFTER_KILL }
}

#[test]
fn edits_after_an_interrupted_or_killed_reviewer_are_kept_and_reviewed() {
    for signal in [Some(Signal::INT), Some(Signal::TERM), None] {
        let world = ended_by(signal);
        edit(&world);
        let ran = world.execute().exits(0);
        is_kept_and_reviewed(&world, &ran, 2, warning_after(signal));
    }
}

#[test]
fn commits_after_an_interrupted_or_killed_reviewer_are_kept_and_reviewed() {
    for signal in [Some(Signal::INT), None] {
        let world = ended_by(signal);
        edit(&world);
        let by_hand = commit(&world);
        let ran = world.execute().exits(0);
        holds(&world, &by_hand);
        is_kept_and_reviewed(&world, &ran, 2, warning_after(signal));
    }
}

#[test]
fn change_during_a_budget_pause_before_a_review_is_reviewed() {
    let more = ["--issue", "243", "--set", "budget.calls=20"];
    for (command, commits) in
        [(vec!["execute"], true), (vec!["resume", "--continue"], true), (vec!["execute"], false)]
    {
        let world = out_of_budget();
        edit(&world);
        let by_hand = commits.then(|| commit(&world));
        let ran = world.sandbox.run(&[&command[..], &more].concat()).exits(0);
        if let Some(by_hand) = by_hand {
            holds(&world, &by_hand);
        }
        is_kept_and_reviewed(&world, &ran, 1, WARNED);
    }
}

#[test]
fn a_manual_commit_after_an_interrupted_author_is_kept() {
    let world = World::new();
    let child = world.start_until("implementation/execute");
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(process, Signal::INT).expect("it runs");
    assert_eq!(ends_within(child, Duration::from_secs(10)).0, 130);
    world.let_go();
    world.sandbox.write(NOTES, "by hand\n");
    world.sandbox.git(&["add", NOTES]);
    world.sandbox.git(&["commit", "-q", "-m", "by hand"]);
    let by_hand = world.sandbox.git(&["rev-parse", "HEAD"]);
    world.execute().exits(0);
    holds(&world, &by_hand);
    assert_eq!(world.sandbox.git(&["show", &format!("{BRANCH}:{NOTES}")]), "by hand");
}

/// A world whose code nobody reviews.
fn unreviewed() -> World {
    let world = World::new();
    let config = world.sandbox.read(".ai-workflow/config.toml");
    let unreviewed = "[phases.implementation]\npolicy = \"quality-gate\"\n";
    world.sandbox.write(".ai-workflow/config.toml", &format!("{config}\n{unreviewed}"));
    world
}

/// Has its author stopped, does something, and goes on to the end.
fn after_an_author_nobody_reviews_was_stopped(signal: Signal, by_hand: impl FnOnce(&World)) -> World {
    let world = unreviewed();
    let child = world.start_until("implementation/execute");
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(process, signal).expect("it runs");
    assert_eq!(ends_within(child, Duration::from_secs(10)).0, 130);
    world.let_go();
    assert!(world.sandbox.has("unfinished.txt"), "the author had begun");
    by_hand(&world);
    world.execute().exits(0);
    world
}

#[test]
fn edit_after_a_stopped_unreviewed_author_counts_as_manual() {
    for signal in [Signal::INT, Signal::TERM] {
        let world = after_an_author_nobody_reviews_was_stopped(signal, |world| {
            world.sandbox.write(NOTES, "by hand\n");
            std::fs::remove_file(world.sandbox.root().join("README.md")).expect("a file");
        });
        let changed = facts(&world, "changed_by_hand");
        assert_eq!(changed.len(), 1, "{changed:?}");
        assert_eq!(changed[0]["changed"], serde_json::json!([NOTES, "README.md"]));
        assert_eq!(world.sandbox.git(&["show", &format!("{BRANCH}:{NOTES}")]), "by hand");
        let told = "not reviewed: 2 files changed and shown to no reviewer: NOTES.md, README.md";
        world.sandbox.run(&["finalize", "--issue", "243"]).refuses(2, told);
        assert_eq!(calls(&world.sandbox)["implementation/execute/1"], 2, "the call is taken up again");
        world.sandbox.run(&["replay", "--issue", "243"]).exits(0);
    }
}

/// Nobody can tell then who wrote what.
#[test]
fn changes_after_a_killed_unreviewed_author_are_reported() {
    let world = unreviewed();
    world.kill(world.start_until("implementation/execute"));
    world.let_go();
    world.sandbox.write(NOTES, "by hand\n");
    world.execute().exits(0).says("by it or by a person, and nobody reviews it: NOTES.md, unfinished.txt");
}

#[test]
fn changes_of_a_stopped_author_count_as_its_own() {
    let world = after_an_author_nobody_reviews_was_stopped(Signal::INT, |_| {});
    assert!(facts(&world, "changed_by_hand").is_empty());
    world.sandbox.run(&["finalize", "--issue", "243"]).exits(0);
}

#[test]
fn changes_of_an_interrupted_reviewer_are_undone() {
    let world = World::new();
    world.beside("lenient", "");
    world.beside(
        "meddle-review",
        "if [ \"$AI_WORKFLOW_PHASE\" = implementation ] && [ ! -e \"$here/held\" ]; then\n\
         echo evil > evil.txt; touch \"$here/held\"; sleep 20; fi\n",
    );
    let child = world.start();
    crate::support::eventually("the reviewer is at work", || world.path_beside("held").exists());
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(process, Signal::INT).expect("it runs");
    assert_eq!(ends_within(child, Duration::from_secs(10)).0, 130);
    assert!(!world.sandbox.has("evil.txt"));
    world.execute().exits(0);
    assert!(facts(&world, "changed_by_hand").is_empty());
}

const PLAN: &str = ".ai-workflow/issue-243/00_planning/output/planning.md";

/// Runs until a program that must not write has written into the approved plan, and kills the run.
fn kill_when_held(world: &World) {
    let child = world.start();
    crate::support::eventually("the plan is changed", || world.path_beside("held").exists());
    world.kill(child);
}

#[track_caller]
fn plan_is_put_back(world: &World, ran: &Ran) {
    let told = format!(
        "Phase implementation: {PLAN} is approved and was changed or removed, by a program that was at work when the run was killed or by a person; it is put back; `git show "
    );
    assert!(ran.stderr.contains(&told), "{}", ran.stderr);
    let plan = world.sandbox.git(&["show", &format!("{BRANCH}:{PLAN}")]);
    assert!(plan.starts_with("# planning"), "{plan}");
    assert!(facts(world, "changed_by_hand").is_empty());
}

#[test]
fn approved_document_that_a_killed_reviewer_changed_is_put_back() {
    let world = World::new();
    world.beside("lenient", "");
    let meddle = format!(
        "if [ \"$AI_WORKFLOW_PHASE\" = implementation ] && [ ! -e \"$here/held\" ]; then\n\
         echo evil > {PLAN}; touch \"$here/held\"; sleep 20; fi\n"
    );
    world.beside("meddle-review", &meddle);
    kill_when_held(&world);
    let ran = world.execute().exits(0);
    plan_is_put_back(&world, &ran);
}

#[test]
fn approved_document_that_a_killed_command_changed_is_put_back() {
    let world = World::new();
    world.beside("lenient", "");
    let (held, plan) = (world.path_beside("held"), world.sandbox.root().join(PLAN));
    let build = format!(
        "if [ -e {plan} ] && [ ! -e {held} ]; then echo evil > {plan}; touch {held}; sleep 20; fi\n",
        plan = plan.display(),
        held = held.display()
    );
    let command = format!("sh {}", world.path_beside("build.sh").display());
    world.beside("build.sh", &build);
    let config = world.sandbox.read(".ai-workflow/config.toml");
    let checked = format!(
        "{config}\n[commands]\nbuild = \"{command}\"\n\n[phases.implementation]\nchecks = [\"build\"]\n"
    );
    world.sandbox.write(".ai-workflow/config.toml", &checked);
    kill_when_held(&world);
    let ran = world.execute().exits(0);
    plan_is_put_back(&world, &ran);
}

#[test]
fn approved_document_that_a_person_changed_after_an_interrupted_reviewer_is_kept_and_told() {
    let world = ended_by(Some(Signal::INT));
    world.sandbox.write(PLAN, "# by hand\n");
    let ran = world.execute().exits(0).says(&format!("{WARNED}{PLAN}"));
    assert!(!ran.stderr.contains("put back"), "{}", ran.stderr);
    assert_eq!(world.sandbox.git(&["show", &format!("{BRANCH}:{PLAN}")]), "# by hand");
    let review = ".ai-workflow/issue-243/04_implementation/review/round-1/attempt-2/prompt.md";
    assert!(world.sandbox.read(review).contains("\n+# by hand"));
    let request = world.sandbox.read(".ai-workflow/local/issues/243.pr.md");
    let told = format!("`{PLAN}`: changed by a person after its approval, and committed with implementation");
    assert!(request.contains(&told), "{request}");
}

fn roll_back(world: &World) -> Ran {
    let words = ["--to-phase", "implementation", "--to-step", "execute", "--reason", "again"];
    world.sandbox.run(&[&["rollback", "--issue", "243"][..], &words[..]].concat())
}

#[test]
fn approved_document_that_changed_in_a_killed_run_is_put_back_before_a_rollback() {
    for step in ["execute", "review"] {
        let world = World::new();
        world.beside("lenient", "");
        let child = world.start_until(&format!("implementation/{step}"));
        world.sandbox.write(PLAN, "# evil\n");
        world.kill(child);
        world.let_go();
        let rolled_back = roll_back(&world).exits(0);
        plan_is_put_back(&world, &rolled_back);
        let ran = world.execute().exits(0);
        assert!(!ran.stderr.contains("by hand"), "{}", ran.stderr);
        let plan = world.sandbox.git(&["show", &format!("{BRANCH}:{PLAN}")]);
        assert!(plan.starts_with("# planning"), "{plan}");
    }
}

/// Nobody can tell then who wrote it.
#[test]
fn code_that_changed_in_a_killed_run_is_no_persons_after_a_rollback() {
    for step in ["execute", "review"] {
        let world = World::new();
        world.beside("lenient", "");
        let child = world.start_until(&format!("implementation/{step}"));
        world.sandbox.write(NOTES, "written\n");
        world.kill(child);
        world.let_go();
        let told = "Phase implementation: Changed, by a program that was at work when the run was killed or by a person; it \
                    stays in the worktree: NOTES.md";
        let rolled_back = roll_back(&world).exits(0).says(told);
        assert!(!rolled_back.stderr.contains(PLAN), "{}", rolled_back.stderr);
        let ran = world.execute().exits(0);
        assert!(!ran.stderr.contains("by hand"), "{}", ran.stderr);
        assert_eq!(world.sandbox.read(NOTES), "written\n");
    }
}

#[test]
fn code_that_changed_when_a_reviewer_was_killed_is_told_as_unknown() {
    let world = World::new();
    world.beside("lenient", "");
    let child = world.start_until("implementation/review");
    world.sandbox.write(NOTES, "written\n");
    world.kill(child);
    world.let_go();
    let ran = world.execute().exits(0).says(&format!("{WARNED_AFTER_KILL}{NOTES}"));
    assert!(!ran.stderr.contains("by hand"), "{}", ran.stderr);
    let changed = facts(&world, "changed_by_hand");
    assert_eq!(changed[0]["after_kill"], true);
}

#[test]
fn approved_document_that_a_person_changed_between_an_interruption_and_a_rollback_is_kept() {
    let world = ended_by(Some(Signal::INT));
    world.sandbox.write(PLAN, "# by hand\n");
    let rolled_back = roll_back(&world).exits(0);
    assert!(!rolled_back.stderr.contains("put back"), "{}", rolled_back.stderr);
    world.execute().exits(0).says("Phase implementation: Changed by hand after its approval");
    assert_eq!(world.sandbox.git(&["show", &format!("{BRANCH}:{PLAN}")]), "# by hand");
}
