//! A run whose log, view, branch or repository was damaged: the message names what is intact and a command, and that command,
//! as it is printed, brings the run back. Nothing is begun over a run that is there.

use std::fs;

use serde_json::Value;

use super::world::{BRANCH, LOG, VIEW, World, calls};

/// A run that was killed in a step, and whose agent would go on.
fn killed_in(step: &str) -> World {
    let world = World::new();
    world.kill(world.start_until(step));
    world.let_go();
    world
}

/// Where a run was killed: before its first commit and after it.
const STEPS: [&str; 2] = ["planning/execute", "implementation/execute"];

#[track_caller]
fn shell(world: &World, line: &str) {
    let done = world.sandbox.command("sh").args(["-c", line]).status().expect("a shell");
    assert!(done.success(), "{line}");
}

/// Damages something, expects a refusal that says this, does what its first hint says, and expects the run to go on to its end
/// with all its facts.
#[track_caller]
fn comes_back(world: &World, damage: &str, says: &str) {
    let facts = world.sandbox.facts();
    shell(world, damage);
    comes_back_to(world, &facts, says);
}

/// Expects a refusal that says this and leaves the run's branch alone, does what its first hint says, and expects the run to go
/// on to its end from these facts.
#[track_caller]
fn comes_back_to(world: &World, facts: &[Value], says: &str) {
    follows_the_hint(world, says);
    world.execute().exits(0);
    let now = world.sandbox.facts();
    assert_eq!(now[..facts.len()], *facts, "the run was begun anew");
    assert_eq!(world.sandbox.metadata()["outcome"], "completed");
}

/// Expects a refusal that says this, and does what its first hint says.
#[track_caller]
fn follows_the_hint(world: &World, says: &str) {
    let refused = world.execute().exits(6);
    assert!(refused.stderr.contains(says), "`{says}` is not in\n{}", refused.stderr);
    let hint = refused.stderr.lines().find(|line| line.starts_with("hint: ")).expect("a hint");
    let command = hint.split('`').nth(1).expect("a command");
    shell(world, &command.replace("PATH_OR_URL", &world.path_beside("other").display().to_string()));
}

/// Returns the shell line that cuts a file after so many lines.
fn cut(file: &str, lines: usize) -> String {
    format!("head -n {lines} {file} > cut && mv cut {file}")
}

const COPY: &str = ".git/ai-workflow/issue-243/events.jsonl";
const TAKEN_BACK: &str = "the log was taken back to an earlier state";

/// Returns the facts in the last commit on the run's branch.
fn committed_facts(world: &World) -> Vec<Value> {
    let log = world.sandbox.git(&["show", &format!("{BRANCH}:{LOG}")]);
    let line = |line: &str| serde_json::from_str::<Value>(line).expect("a line is JSON")["fact"].clone();
    log.lines().map(line).collect()
}

#[test]
fn a_log_that_is_gone_before_the_first_commit_is_brought_back_from_its_copy() {
    for damage in [
        format!(": > {LOG}"),
        format!("rm {LOG} {VIEW}"),
        "rm -r .ai-workflow/issue-243".to_owned(),
        format!("printf '{{\"chain' > {LOG}"),
    ] {
        let world = killed_in(STEPS[0]);
        comes_back(&world, &damage, "events.jsonl is gone or holds no facts; its copy ");
    }
}

#[test]
fn a_log_that_was_emptied_after_the_first_commit_is_brought_back_from_the_branch() {
    let world = killed_in(STEPS[1]);
    comes_back(
        &world,
        &format!(": > {LOG}"),
        "events.jsonl is gone; the branch ai-workflow/issue-243 still has it",
    );
}

#[test]
fn a_log_that_is_gone_beside_uncommitted_work_is_brought_back_and_the_work_stays() {
    for damage in [format!(": > {LOG}"), format!("rm {LOG}"), format!("rm {LOG} {VIEW}")] {
        let world = killed_in("implementation/review");
        let asked = world.sandbox.facts().len();
        comes_back(&world, &damage, "events.jsonl is gone; the branch ai-workflow/issue-243 still has it");
        let again = world.sandbox.facts().split_off(asked);
        let is_author = |fact: &&Value| fact["type"] == "worked" && fact["phase"] == "implementation";
        assert_eq!(again.iter().filter(is_author).count(), 0, "the work is not paid twice");
    }
}

#[test]
fn a_damaged_log_is_brought_back_from_its_copy() {
    let world = killed_in(STEPS[0]);
    comes_back(
        &world,
        &format!("sed -i '2s/\"seq\":2/\"seq\":9/' {LOG}"),
        "events.jsonl is damaged at line 2",
    );
}

#[test]
fn a_lost_branch_is_made_again_at_its_last_commit() {
    for damage in [format!(": > .git/refs/heads/{BRANCH}"), format!("rm .git/refs/heads/{BRANCH}")] {
        let world = killed_in(STEPS[1]);
        comes_back(
            &world,
            &damage,
            "the branch `ai-workflow/issue-243`, which is checked out, is gone or damaged",
        );
    }
}

#[test]
fn a_folder_in_place_of_a_branch_is_removed() {
    let world = killed_in(STEPS[1]);
    comes_back(
        &world,
        &format!(
            "rm .git/refs/heads/{BRANCH} && mkdir -p .git/refs/heads/{BRANCH}/x && echo bad > .git/refs/heads/{BRANCH}/x/y"
        ),
        "the branch `ai-workflow/issue-243`, which is checked out, is gone or damaged",
    );
}

#[test]
fn a_lost_branch_without_a_reflog_is_made_again_where_the_run_left_it() {
    let world = killed_in(STEPS[1]);
    let damage = format!("rm -r .git/logs .git/refs/heads/{BRANCH}");
    comes_back(
        &world,
        &damage,
        "the branch `ai-workflow/issue-243`, which is checked out, is gone or damaged",
    );
}

#[test]
fn damaged_packed_references_lose_only_what_is_no_reference() {
    let world = killed_in(STEPS[1]);
    comes_back(
        &world,
        "git pack-refs --all && echo garbage >> .git/packed-refs",
        "git cannot read its list of branches and tags",
    );
}

#[test]
fn lost_references_are_made_again_at_their_last_commits() {
    for step in STEPS {
        let world = killed_in(step);
        let base = world.sandbox.git(&["rev-parse", "main"]);
        comes_back(&world, "rm -r .git/refs", ".git/refs is gone, and with it the branches and tags");
        assert_eq!(world.sandbox.git(&["rev-parse", "main"]), base);
    }
    let world = killed_in(STEPS[1]);
    comes_back(&world, "rm -r .git/refs .git/HEAD", ".git/refs is gone, and with it the branches and tags");
}

/// Keeps a clone beside the repository that has all its branches.
fn keep_clone(world: &World) {
    let other = world.path_beside("other").display().to_string();
    shell(
        world,
        &format!(
            "git clone -q --mirror --no-hardlinks . {other} && git -C {other} symbolic-ref HEAD refs/heads/main"
        ),
    );
}

#[test]
fn damaged_objects_come_from_another_clone() {
    let world = killed_in(STEPS[1]);
    keep_clone(&world);
    let damage = "for f in $(find .git/objects -type f -path '*/??/*'); do chmod u+w $f; echo x > $f; done";
    comes_back(&world, damage, "objects of git are damaged");
}

#[test]
fn a_lost_git_folder_comes_from_another_clone() {
    for damage in [
        "rm -r .git",
        "rm -r .git && git init -q",
        "find .git -mindepth 1 -maxdepth 1 ! -name ai-workflow -exec rm -r {} +",
    ] {
        let world = killed_in(STEPS[1]);
        keep_clone(&world);
        let facts = world.sandbox.facts();
        shell(&world, damage);
        follows_the_hint(&world, "events.jsonl, and the files in the worktree are intact");
        comes_back_to(&world, &facts, "events.jsonl are intact");
    }
}

#[test]
fn a_run_does_not_go_on_without_its_commits() {
    let world = killed_in(STEPS[1]);
    let facts = world.sandbox.facts();
    keep_clone(&world);
    shell(
        &world,
        "rm -r .git && git init -q && git add -A && git commit -qm start && git switch -qc ai-workflow/issue-243",
    );
    shell(&world, &format!("git rm -q --cached {LOG} && git commit -qm other"));
    comes_back_to(&world, &facts, "of the run is not in this repository");
}

#[test]
fn damaged_settings_are_put_back_where_an_agent_was_at_work() {
    let world = World::new();
    shell(&world, "git config core.autocrlf input");
    let settings = world.sandbox.read(".git/config");
    world.kill(world.start_until(STEPS[1]));
    world.let_go();
    comes_back(&world, "echo '[broken' > .git/config", "git cannot read its settings");
    assert_eq!(world.sandbox.read(".git/config"), settings);
}

#[test]
fn a_pipe_in_place_of_a_file_that_git_opens_is_named_at_once_and_what_a_killed_author_found_is_put_back() {
    for file in [".git/config", ".git/HEAD", ".git/packed-refs", ".git/refs/heads/ai-workflow/issue-243"] {
        let world = World::new();
        if file.ends_with("packed-refs") {
            shell(&world, "git pack-refs --all");
        }
        world.kill(world.start_until(STEPS[1]));
        world.let_go();
        let before = world.sandbox.read(file);
        comes_back(&world, &format!("rm {file} && mkfifo {file}"), "is a pipe or a device");
        let is_moved_by_the_run = file.ends_with("issue-243");
        assert!(is_moved_by_the_run || world.sandbox.read(file) == before, "{file}");
    }
}

#[test]
fn a_damaged_head_or_index_is_made_again() {
    let world = killed_in(STEPS[1]);
    comes_back(&world, "echo garbage > .git/HEAD", ".git/HEAD names no branch and no commit");
    let world = killed_in(STEPS[0]);
    comes_back(&world, "echo garbage > .git/index", "git's index is damaged");
}

#[test]
fn a_damaged_index_of_a_snapshot_is_made_again_without_a_word() {
    for damage in
        [": > $index", "truncate -s 100 $index", "rm $index && mkdir $index", "rm $index && mkfifo $index"]
    {
        let world = killed_in(STEPS[1]);
        shell(
            &world,
            &format!("for index in .git/ai-workflow/issue-243/snapshots/*.index; do {damage}; done"),
        );
        world.execute().exits(0);
        assert_eq!(world.sandbox.metadata()["outcome"], "completed", "{damage}");
    }
}

#[test]
fn a_damaged_pointer_is_moved_away() {
    let world = killed_in(STEPS[0]);
    comes_back(&world, "echo garbage > .git/ai-workflow/issue-243/pointer.json", "pointer.json is damaged");
}

#[test]
fn missing_objects_are_no_bug_of_the_program_and_come_from_another_clone() {
    let world = killed_in(STEPS[1]);
    shell(&world, "git clone -q --no-hardlinks . ../other && rm -r .git/objects/??");
    let refused = world.execute().exits(6);
    assert!(refused.stderr.contains("objects of the commit "), "{}", refused.stderr);
    assert!(refused.stderr.contains("`git fetch PATH_OR_URL`"), "{}", refused.stderr);
}

#[test]
fn a_run_that_was_begun_anew_on_purpose_needs_the_copy_removed() {
    let world = killed_in(STEPS[0]);
    let copy = world.sandbox.root().join(".git/ai-workflow/issue-243/events.jsonl");
    fs::remove_dir_all(world.sandbox.root().join(".ai-workflow/issue-243")).expect("the folder of the run");
    world.sandbox.run(&["status", "--issue", "243"]).exits(6);
    fs::remove_file(copy).expect("the copy");
    world.execute().exits(0);
    world.ended_undisturbed();
}

#[test]
fn a_log_that_its_view_is_ahead_of_comes_from_the_branch_which_is_not_moved() {
    for damage in [
        format!("{} && rm -r .git/ai-workflow", cut(LOG, 5)),
        format!("{} && {}", cut(LOG, 8), cut(COPY, 8)),
        format!("{} && rm -r .git/ai-workflow {VIEW}", cut(LOG, 5)),
    ] {
        let world = killed_in(STEPS[1]);
        let (tip, committed) = (world.sandbox.git(&["rev-parse", BRANCH]), committed_facts(&world));
        shell(&world, &damage);
        world.sandbox.run(&["resume", "--issue", "243"]).exits(6);
        comes_back_to(&world, &committed, TAKEN_BACK);
        world.sandbox.git(&["merge-base", "--is-ancestor", &tip, BRANCH]);
        assert_eq!(calls(&world.sandbox)["planning/execute/1"], 1, "{damage}");
        world.sandbox.run(&["replay", "--issue", "243"]).exits(0);
    }
}

#[test]
fn a_completed_run_whose_log_is_taken_back_in_a_clone_is_not_repeated() {
    let world = World::new();
    world.execute().exits(0);
    let facts = world.sandbox.facts();
    shell(&world, &format!("rm -r .git/ai-workflow && git checkout -q HEAD~2 -- {LOG}"));
    world.sandbox.run(&["status", "--issue", "243"]).exits(6);
    follows_the_hint(&world, TAKEN_BACK);
    world.execute().exits(0);
    assert_eq!(world.sandbox.facts(), facts);
    world.ended_undisturbed();
}

#[test]
fn a_log_that_its_view_is_ahead_of_comes_from_its_copy() {
    let world = killed_in(STEPS[1]);
    let facts = world.sandbox.facts();
    // A person moved the branch, so that the log is not put back without a question.
    shell(&world, "git commit -q --allow-empty -m mine");
    shell(&world, &cut(LOG, facts.len() - 1));
    comes_back_to(&world, &facts, TAKEN_BACK);
}

#[test]
fn a_log_of_which_no_copy_has_more_goes_on_from_what_is_left_when_the_view_is_removed() {
    let world = killed_in("planning/review");
    let facts = world.sandbox.facts();
    let left = facts.len() - 2;
    shell(&world, &format!("{} && rm {COPY}", cut(LOG, left)));
    comes_back_to(&world, &facts[..left], TAKEN_BACK);
}

#[test]
fn no_run_is_begun_over_a_view_that_knows_another() {
    for damage in [
        format!("rm {LOG} {COPY}"),
        format!(": > {LOG} && : > {COPY}"),
        format!("rm -r .git/ai-workflow {LOG}"),
    ] {
        let world = killed_in(STEPS[0]);
        shell(&world, &damage);
        world.sandbox.run(&["status", "--issue", "243"]).exits(6);
        follows_the_hint(&world, "events.jsonl is gone or holds no facts, and so is its copy; only ");
        world.execute().exits(0);
        assert_eq!(world.sandbox.metadata()["outcome"], "completed");
    }
}

#[test]
fn a_log_that_is_damaged_in_its_copy_too_goes_on_from_the_facts_before_the_damage() {
    let world = killed_in("planning/review");
    let facts = world.sandbox.facts();
    let at = facts.len() - 1;
    shell(&world, &format!("sed -i '{at}s/\"seq\"/\"sex\"/' {LOG} {COPY}"));
    comes_back_to(&world, &facts[..at - 1], &format!("events.jsonl is damaged at line {at}"));
    let world = killed_in(STEPS[1]);
    let committed = committed_facts(&world);
    shell(&world, &format!("sed -i '3s/\"seq\"/\"sex\"/' {LOG} {COPY}"));
    comes_back_to(&world, &committed, "events.jsonl is damaged at line 3");
}

#[test]
fn a_log_that_is_damaged_in_the_facts_it_was_begun_with_is_moved_away() {
    let world = killed_in(STEPS[0]);
    shell(&world, &format!("sed -i '2s/\"seq\"/\"sex\"/' {LOG} {COPY}"));
    follows_the_hint(&world, "events.jsonl is damaged at line 2");
    world.execute().exits(0);
    assert!(world.sandbox.has(&format!("{LOG}.damaged")));
}

#[test]
fn a_log_that_was_cut_inside_a_line_is_put_back_from_its_copy() {
    for step in STEPS {
        let world = killed_in(step);
        let facts = world.sandbox.facts();
        shell(&world, &format!("truncate -s -7 {LOG}"));
        let ran = world.execute().exits(0);
        assert!(ran.stderr.contains("was cut inside a line; what was written is put back"), "{}", ran.stderr);
        assert_eq!(world.sandbox.facts()[..facts.len()], facts);
        world.ended_undisturbed();
    }
}
