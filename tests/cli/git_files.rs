//! What agents plant in git's own files is never executed, is gone afterwards, is told, and voids a review. What people have there
//! stays as it is, and is not run.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::line_with;
use crate::support::{Ran, Sandbox, honest_script, make_executable};

const SETTINGS: &str = r#"
[presets.planted]
phases = ["requirements", "implementation"]

[commands]
test = ["sh", "-c", "git status --short && git log --oneline -1"]

[policies.phase-review.limits]
backoff_ms = 1
"#;

/// Every hook that a command of git runs, and every setting by which one starts a program or talks to another place.
const PLANT: &str = r#"#!/bin/sh
set -eu
beside=$(dirname "$0")
[ ! -e "$beside/once-$1" ] || exit 0
touch "$beside/once-$1"
common=$(git rev-parse --path-format=absolute --git-common-dir)
canary="$beside/canary.sh"
for hook in pre-commit post-commit commit-msg pre-push post-checkout post-index-change reference-transaction; do
    cp "$canary" "$common/hooks/$hook"
done
git config core.fsmonitor "$canary"
git config core.hooksPath "$beside"
git config core.sshCommand "$canary"
git config remote.origin.receivepack "$canary"
git config filter.planted.clean "$canary"
git config filter.planted.smudge "$canary"
git config commit.gpgSign true
git config gpg.program "$canary"
mkdir -p "$common/info" "$common/objects/info"
echo '* filter=planted' >> "$common/info/attributes"
echo 'hidden.txt' >> "$common/info/exclude"
echo "$beside" > "$common/objects/info/alternates"
git init -q src
git -C src config core.fsmonitor "$canary"
"#;

/// A sandbox with a server, in which a user has a hook, and the script that plants.
struct Scene {
    sandbox: Sandbox,
    origin: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let (sandbox, origin) = (Sandbox::new(), tempfile::tempdir().expect("a folder"));
        let address = origin.path().to_string_lossy().into_owned();
        sandbox.git(&["init", "-q", "--bare", &address]);
        sandbox.git(&["remote", "add", "origin", &address]);
        sandbox.git(&["push", "-q", "origin", "main"]);
        sandbox.write(".ai-workflow/config.toml", SETTINGS);
        let canary = format!("#!/bin/sh\ntouch '{}'\ncat\n", Self::beside(&sandbox, "canary").display());
        sandbox.executable("canary.sh", &canary);
        sandbox.executable("plant.sh", PLANT);
        let hook = format!("#!/bin/sh\ntouch '{}'\n", Self::beside(&sandbox, "users-hook").display());
        sandbox.write(".git/hooks/prepare-commit-msg", &hook);
        make_executable(&sandbox.root().join(".git/hooks/prepare-commit-msg"));
        Self { sandbox, origin }
    }

    fn beside(sandbox: &Sandbox, name: &str) -> PathBuf {
        sandbox.root().with_file_name(name)
    }

    /// Runs two phases, in which these turns do more than honest ones.
    fn run(&self, turns: &str, more: &[&str]) -> Ran {
        let agent = self.sandbox.script(&honest_script(turns));
        let command =
            ["execute", "--preset", "planted", "--issue", "243", "--forge", "local", "--push", "phase"];
        self.sandbox.run(&[&command[..], &["--agent", &agent], more].concat())
    }

    /// Has the checks run a script as the tests of the repository.
    fn use_test_command(&self, script: &str) {
        let script = Self::beside(&self.sandbox, script);
        let test = format!("test = [\"sh\", \"{}\", \"test\"]", script.display());
        let settings: Vec<&str> =
            SETTINGS.lines().map(|line| if line.starts_with("test") { &test } else { line }).collect();
        self.sandbox.write(".ai-workflow/config.toml", &settings.join("\n"));
    }

    /// Returns a turn of the implementation in which an agent runs a script.
    fn turn(&self, step: &str, script: &str, does: &str) -> String {
        let script = Self::beside(&self.sandbox, script);
        format!(
            "\n[[turn]]\nphase = \"implementation\"\nstep = \"{step}\"\nrun = \"sh {} {step}\"\n{does}\n",
            script.display()
        )
    }

    fn author(&self) -> String {
        let lines = r##"write = [{ path = "{{output}}", text = "# done\n" }, { path = "src/lib.rs", text = "// 3\n" }]
say = "done""##;
        self.turn("execute", "plant.sh", lines)
    }

    fn reviewer(&self, script: &str) -> String {
        let answer = r#"{"review_id": "{{review_id}}", "result": "PASS", "summary": "good", "findings": []}"#;
        self.turn("review", script, &format!("say = '{answer}'"))
    }

    /// Everything in git's folder that could be planted.
    fn own_files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let git = self.sandbox.root().join(".git");
        let mut found = BTreeMap::new();
        for folder in ["hooks", "info", "objects/info"] {
            let entries = fs::read_dir(git.join(folder)).into_iter().flatten().flatten();
            found.extend(entries.map(|entry| (entry.path(), fs::read(entry.path()).expect("a file"))));
        }
        found.insert(git.join("config"), fs::read(git.join("config")).expect("a file"));
        found
    }

    #[track_caller]
    fn nothing_ran(&self) {
        for name in ["canary", "users-hook"] {
            assert!(!Self::beside(&self.sandbox, name).exists(), "{name} was executed");
        }
    }

    fn pushed(&self) -> String {
        let origin = self.origin.path().to_string_lossy();
        self.sandbox.git(&["-C", &origin, "rev-parse", "ai-workflow/issue-243"])
    }
}

/// Returns a line with `[ID]` in the place of the tips of references.
fn without_ids(line: &str) -> String {
    let words = line.split_inclusive("(was at ");
    let rest = |word: &str| word.trim_start_matches(|c: char| c.is_ascii_hexdigit()).to_owned();
    let mut words = words.map(str::to_owned);
    let first = words.next().unwrap_or_default();
    words.fold(first, |line, word| line + "[ID]" + &rest(&word))
}

#[test]
fn git_files_planted_by_agents_are_never_executed_and_are_gone() {
    for more in [&[][..], &["--worktree"]] {
        let scene = Scene::new();
        let before = scene.own_files();
        let ran = scene.run(&(scene.author() + &scene.reviewer("plant.sh")), more).exits(0);
        scene.nothing_ran();
        assert_eq!(scene.own_files(), before);
        let worktree = if more.is_empty() { "repo" } else { "repo-issue-243" };
        assert!(!Scene::beside(&scene.sandbox, worktree).join("src/.git").exists());
        assert_eq!(scene.pushed(), scene.sandbox.git(&["rev-parse", "ai-workflow/issue-243"]));
        insta::allow_duplicates! {
            insta::assert_snapshot!(line_with(&ran.stderr, "The author changed git's own files"), @" WARN Phase implementation: The author changed git's own files, which was undone: .git/config, .git/hooks/commit-msg, .git/hooks/post-checkout, .git/hooks/post-commit, .git/hooks/post-index-change, .git/hooks/pre-commit, .git/hooks/pre-push, .git/hooks/reference-transaction, .git/info/attributes, .git/info/exclude, .git/objects/info/alternates, src/.git (kept in .git/ai-workflow/issue-243/removed)");
            insta::assert_snapshot!(line_with(&ran.stderr, "The review step broke"), @" WARN Phase implementation: The review step broke: the reviewer changed files, which was undone: .git/config, .git/hooks/commit-msg, .git/hooks/post-checkout, .git/hooks/post-commit, .git/hooks/post-index-change, .git/hooks/pre-commit, .git/hooks/pre-push, .git/hooks/reference-transaction, .git/info/attributes, .git/info/exclude, .git/objects/info/alternates, src/.git");
        }
    }
}

#[test]
fn git_files_planted_by_a_command_of_the_repository_are_gone() {
    let scene = Scene::new();
    scene.use_test_command("plant.sh");
    let before = scene.own_files();
    let ran = scene.run("", &[]).exits(0);
    assert!(Scene::beside(&scene.sandbox, "once-test").exists(), "it ran");
    scene.nothing_ran();
    assert_eq!(scene.own_files(), before);
    insta::assert_snapshot!(line_with(&ran.stderr, "changed git's own files"), @" WARN Phase implementation: A command of the repository changed git's own files, which was undone: .git/config, .git/hooks/commit-msg, .git/hooks/post-checkout, .git/hooks/post-commit, .git/hooks/post-index-change, .git/hooks/pre-commit, .git/hooks/pre-push, .git/hooks/reference-transaction, .git/info/attributes, .git/info/exclude, .git/objects/info/alternates (kept in .git/ai-workflow/issue-243/removed)");
}

#[test]
fn references_that_a_command_of_the_repository_moves_are_told_and_those_of_the_run_are_put_back() {
    let scene = Scene::new();
    let moves_once = "[ ! -e \"$0.once\" ] || exit 0\ntouch \"$0.once\"\n\
        clean=$(git commit-tree -m clean -p HEAD 'HEAD^{tree}')\n\
        git switch -q -c planted\n\
        for name in heads/main heads/ai-workflow/issue-243 ai-workflow/issue-243; do\n\
        git update-ref \"refs/$name\" \"$clean\"; done\n";
    scene.sandbox.executable("move.sh", moves_once);
    scene.use_test_command("move.sh");
    let ran = scene.run("", &[]).exits(0);
    let noted = |words: &str| without_ids(&line_with(&ran.stderr, words));
    insta::assert_snapshot!(noted("and restored:"), @" WARN moved or new while a command of the repository ran, and restored: refs/heads/ai-workflow/issue-243 (was at [ID])");
    insta::assert_snapshot!(noted("and not restored:"), @" WARN moved or new while a command of the repository ran, and not restored: refs/heads/main (was at [ID]), refs/heads/planted (was not there)");
    assert_eq!(scene.sandbox.git(&["for-each-ref", "refs/ai-workflow"]), "");
    assert_eq!(scene.pushed(), scene.sandbox.git(&["rev-parse", "refs/heads/ai-workflow/issue-243"]));
}

#[test]
fn locks_that_an_agent_leaves_are_removed_and_void_a_review() {
    let scene = Scene::new();
    let leaves_once = "[ ! -e \"$0.once-$1\" ] || exit 0\ntouch \"$0.once-$1\"\n\
        touch .git/HEAD.lock .git/index.lock .git/config.lock .git/refs/heads/ai-workflow/issue-243.lock\n";
    scene.sandbox.executable("leave.sh", leaves_once);
    let author = scene.author().replace("plant.sh", "leave.sh");
    let ran = scene.run(&(author + &scene.reviewer("leave.sh")), &[]).exits(0);
    insta::assert_snapshot!(line_with(&ran.stderr, "The author changed git's own files"), @" WARN Phase implementation: The author changed git's own files, which was undone: .git/HEAD.lock, .git/config.lock, .git/index.lock, .git/refs/heads/ai-workflow/issue-243.lock (kept in .git/ai-workflow/issue-243/removed)");
    insta::assert_snapshot!(line_with(&ran.stderr, "The review step broke"), @" WARN Phase implementation: The review step broke: the reviewer changed files, which was undone: .git/HEAD.lock, .git/config.lock, .git/index.lock, .git/refs/heads/ai-workflow/issue-243.lock");
}

#[test]
fn a_signing_program_that_fails_is_told_with_a_command_that_helps() {
    let scene = Scene::new();
    scene.sandbox.write("tools/sign.sh", "#!/bin/sh\nexit 0\n");
    make_executable(&scene.sandbox.root().join("tools/sign.sh"));
    scene.sandbox.git(&["add", "tools"]);
    scene.sandbox.git(&["commit", "-q", "-m", "tools"]);
    scene.sandbox.git(&["config", "commit.gpgSign", "true"]);
    scene.sandbox.git(&["config", "gpg.program", "./tools/sign.sh"]);
    let refused = scene.run("", &[]).exits(2);
    insta::assert_snapshot!(line_with(&refused.stderr, "error: "), @"error: git could not sign a commit, and made none: error: gpg failed to sign the data:; (no gpg output); fatal: failed to write commit object");
    insta::assert_snapshot!(line_with(&refused.stderr, "hint: "), @"hint: commits are made without a signature after `git config commit.gpgSign false`; or repair what signs them: `git config --show-origin --get-regexp 'gpg|sign'` shows the settings, and the program that they name may be one that an author changed; then run again");
    let hint = line_with(&refused.stderr, "hint: ");
    let command = hint.split('`').nth(1).expect("a command");
    assert!(scene.sandbox.command("sh").args(["-c", command]).status().expect("a shell").success());
    scene.run("", &[]).exits(0);
}

#[test]
fn a_repository_that_a_reviewer_makes_in_the_worktree_voids_its_review() {
    let scene = Scene::new();
    let made_once = "[ -e \"$0.once\" ] || { touch \"$0.once\"; git init -q made; echo x > made/file; }\n";
    scene.sandbox.executable("make.sh", made_once);
    let ran = scene.run(&scene.reviewer("make.sh"), &[]).exits(0);
    assert!(!scene.sandbox.has("made"), "{}", ran.stderr);
    insta::assert_snapshot!(line_with(&ran.stderr, "The review step broke"), @" WARN Phase implementation: The review step broke: the reviewer changed files, which was undone: made/file, made/.git");
}

#[test]
fn a_review_in_which_a_linked_worktree_is_made_is_void() {
    let scene = Scene::new();
    let makes_once =
        "[ -e \"$0.once\" ] || { touch \"$0.once\"; git worktree add -q --detach \"$0.tree\"; }\n";
    scene.sandbox.executable("make.sh", makes_once);
    let ran = scene.run(&scene.reviewer("make.sh"), &[]).exits(0);
    insta::assert_snapshot!(line_with(&ran.stderr, "The review step broke"), @" WARN Phase implementation: The review step broke: while the reviewer worked this moved or was made in git, and was left as it is: .git/worktrees/make.sh.tree");
}

#[test]
fn a_rebase_that_a_reviewer_leaves_is_ended_and_its_commands_are_not_executed() {
    let scene = Scene::new();
    let rebases_once = "[ ! -e \"$0.once\" ] || exit 0\ntouch \"$0.once\"\ngit stash -q -u\n\
        GIT_SEQUENCE_EDITOR=\"printf 'break\\nexec $(dirname \"$0\")/canary.sh\\n' >\" git -c core.hooksPath=/dev/null rebase -q -i HEAD\n\
        git stash pop -q\n";
    scene.sandbox.executable("rebase.sh", rebases_once);
    let ran = scene.run(&scene.reviewer("rebase.sh"), &[]).exits(0);
    insta::assert_snapshot!(line_with(&ran.stderr, "The review step broke"), @" WARN Phase implementation: The review step broke: the reviewer changed files, which was undone: .git/HEAD, .git/rebase-merge");
    assert!(!scene.sandbox.has(".git/rebase-merge"));
    scene.nothing_ran();
}

#[test]
fn an_ignored_hook_in_a_tracked_folder_of_hooks_voids_a_review_and_is_gone() {
    let scene = Scene::new();
    scene.sandbox.write(".githooks/pre-commit", "#!/bin/sh\nexit 0\n");
    scene.sandbox.git(&["config", "core.hooksPath", ".githooks"]);
    scene.sandbox.git(&["add", ".githooks"]);
    scene.sandbox.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "hooks"]);
    let plants_once = "[ ! -e \"$0.once\" ] || exit 0\ntouch \"$0.once\"\necho '*' > .githooks/.gitignore\n\
        cp \"$(dirname \"$0\")/canary.sh\" .githooks/post-commit\n";
    scene.sandbox.executable("hide.sh", plants_once);
    let ran = scene.run(&scene.reviewer("hide.sh"), &[]).exits(0);
    insta::assert_snapshot!(line_with(&ran.stderr, "The review step broke"), @" WARN Phase implementation: The review step broke: the reviewer changed files, which was undone: .githooks/.gitignore, .githooks/post-commit");
    assert!(!scene.sandbox.has(".githooks/post-commit"));
    scene.nothing_ran();
}
