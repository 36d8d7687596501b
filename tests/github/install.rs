//! How the action comes to its program: the step of `action.yml` with a fake release, and with fakes of `curl`, `gh` and `cargo`.
//! The fake `gh` compares the digest of an archive and the commit with what is attested, as the real one does by signatures.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::release::Sources;
use crate::support::{Ran, Sandbox};

const REPOSITORY: &str = "octo/ai-workflow";

/// What a step that installs must not see.
const KEYS: [&str; 6] = [
    "ANTHROPIC_API_KEY",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CODEX_API_KEY",
    "OPENAI_API_KEY",
    "GH_TOKEN",
    "GITHUB_TOKEN",
];

/// What each fake program does; `@ASSETS@` is the folder of the release, `@KEYS@` all that is to be kept away.
const CURL: &str = r#"#!/bin/sh
while [ $# -gt 1 ]; do
    case $1 in --output) out=$2; shift ;; esac
    shift
done
case $1 in https://github.com/octo/ai-workflow/releases/download/v0.1.0/*) ;; *) exit 22 ;; esac
cp "@ASSETS@/${1##*/}" "$out" 2> /dev/null || exit 22
"#;
const GH: &str = r#"#!/bin/sh
[ "$1 $2" = "attestation verify" ] && [ -z "$GH_TOKEN$GITHUB_TOKEN$ANTHROPIC_API_KEY$CODEX_API_KEY" ] || exit 1
archive=$3
shift 3
while [ $# -gt 0 ]; do
    case $1 in
        --bundle) bundle=$2 ;;
        --repo) repository=$2 ;;
        --signer-workflow) workflow=$2 ;;
        --source-digest) commit=$2 ;;
        --source-ref) tag=$2 ;;
    esac
    shift
done
digest=$( (sha256sum "$archive" 2> /dev/null || shasum -a 256 "$archive") | cut -d ' ' -f 1)
echo "$digest $repository $workflow $commit $tag" | cmp -s - "$bundle"
"#;
const CARGO: &str = "#!/bin/sh\nmkdir -p \"$RUNNER_TEMP/ai-workflow/bin\"\necho built > \"$RUNNER_TEMP/ai-workflow/bin/ai-workflow\"\n";
/// What is released: a program that leaves a sign when it is started.
const PROGRAM: &str = "#!/bin/sh\n[ \"$1\" != --version ] || { echo started >> \"${SIGN:-/dev/null}\"; echo 'ai-workflow 0.1.0'; }\n";

/// The target that the action takes on the machine of this test.
fn target() -> String {
    let system = if cfg!(target_os = "macos") { "apple-darwin" } else { "unknown-linux-musl" };
    format!("{}-{system}", std::env::consts::ARCH)
}

/// A released commit, and a job that uses the action of it.
struct Job {
    sources: Sources,
    commit: String,
    archive: String,
}

impl Job {
    fn new(program: &str) -> Self {
        let sources = Sources::new();
        let program = sources.sandbox.executable("program", program).display().to_string();
        let archive = format!("target/dist/{}.tar.gz", sources.packed(&target(), &program));
        let commit = sources.sandbox.git(&["rev-parse", "HEAD"]);
        sources.sandbox.git(&["tag", "-a", "-m", "release", "v0.1.0"]);
        let job = Self { sources, commit, archive };
        let there = format!("url.file://{}.insteadOf", job.root().display());
        job.sources.sandbox.git(&["config", "--global", &there, &format!("https://github.com/{REPOSITORY}")]);
        for (name, text) in [("curl", CURL), ("gh", GH), ("cargo", CARGO)] {
            job.fake(name, text);
        }
        let digest = job.digest();
        job.attest(&digest, &job.commit);
        job
    }

    fn root(&self) -> PathBuf {
        self.sources.sandbox.root()
    }

    fn fake(&self, name: &str, text: &str) {
        let assets = self.root().join("target/dist").display().to_string();
        let keys = KEYS.map(|key| format!("${key}")).concat();
        let path = self
            .sources
            .sandbox
            .executable(name, &text.replace("@ASSETS@", &assets).replace("@KEYS@", &keys));
        fs::create_dir_all(self.root().join("fakes")).expect("a folder");
        fs::rename(path, self.root().join("fakes").join(name)).expect("a file");
    }

    fn digest(&self) -> String {
        let bytes = self.sources.sandbox.read_bytes(&self.archive);
        <sha2::Sha256 as sha2::Digest>::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Attests that a file of this digest was made from a commit.
    fn attest(&self, digest: &str, commit: &str) {
        let workflow = format!("{REPOSITORY}/.github/workflows/release.yml");
        self.sources.sandbox.write(
            "target/dist/ai-workflow-0.1.0.attestation.json",
            &format!("{digest} {REPOSITORY} {workflow} {commit} refs/tags/v0.1.0\n"),
        );
    }

    /// Runs the step of the action, pinned to a commit, and returns what it put in place.
    fn installs(&self, reference: &str, path: &str) -> (Ran, String) {
        let text = include_str!("../../action.yml");
        let action: serde_norway::Value = serde_norway::from_str(text).expect("YAML");
        let step = &action["runs"]["steps"][0];
        let mut bash = self.sources.sandbox.command("bash");
        bash.args([
            "--noprofile",
            "--norc",
            "-eo",
            "pipefail",
            "-c",
            step["run"].as_str().expect("a command"),
        ])
        .env("PATH", path)
        .env("GITHUB_ACTION_PATH", self.root())
        .env("RUNNER_TEMP", self.root().join("runner temp"))
        .env("SIGN", self.root().join("sign"))
        .envs(KEYS.map(|key| (key, step["env"][key].as_str().unwrap_or("secret"))))
        .envs([("ACTION_REPOSITORY", REPOSITORY), ("ACTION_REF", reference), ("MODE", "run")]);
        let ran = Sandbox::finish(bash).exits(0);
        (ran, self.sources.sandbox.read("runner temp/ai-workflow/bin/ai-workflow"))
    }

    /// Returns what is in place after the step, whether a warning was given, and whether the released program was started.
    fn outcome(&self, reference: &str) -> (String, bool, bool) {
        let path =
            format!("{}:{}", self.root().join("fakes").display(), std::env::var("PATH").unwrap_or_default());
        let (ran, program) = self.installs(reference, &path);
        let started = self.sources.sandbox.has("sign");
        (program, ran.stdout.contains("::warning title=ai-workflow::"), started)
    }
}

fn built(warned: bool, started: bool) -> (String, bool, bool) {
    ("built\n".to_owned(), warned, started)
}

#[test]
fn the_action_takes_the_released_program_of_its_own_commit() {
    let job = Job::new(PROGRAM);
    assert_eq!(job.outcome(&job.commit), (PROGRAM.to_owned(), false, true));
}

#[test]
fn a_program_with_another_digest_or_commit_is_never_started() {
    let job = Job::new(PROGRAM);
    job.attest(&"0".repeat(64), &job.commit);
    assert_eq!(job.outcome(&job.commit), built(true, false));
    let job = Job::new(PROGRAM);
    let digest = job.digest();
    job.attest(&digest, &"0".repeat(40));
    assert_eq!(job.outcome(&job.commit), built(true, false));
}

#[test]
fn the_action_builds_where_its_commit_was_not_released() {
    let job = Job::new(PROGRAM);
    for reference in ["", "v0.1.0", "main", &"0".repeat(40)] {
        assert_eq!(job.outcome(reference), built(false, false), "{reference}");
    }
    job.sources.sandbox.git(&["tag", "-d", "v0.1.0"]);
    assert_eq!(job.outcome(&job.commit), built(false, false));
}

#[test]
fn the_action_builds_where_a_file_of_the_release_is_missing() {
    let job = Job::new(PROGRAM);
    fs::remove_file(job.root().join("target/dist/ai-workflow-0.1.0.attestation.json")).expect("a file");
    assert_eq!(job.outcome(&job.commit), built(true, false));
}

#[test]
fn the_action_builds_where_the_released_program_does_not_start() {
    let job = Job::new("#!/bin/sh\n[ \"$1\" != --version ] || { echo started >> \"$SIGN\"; exit 1; }\n");
    assert_eq!(job.outcome(&job.commit), built(true, true));
}

#[test]
fn the_action_builds_where_no_program_can_verify_an_attestation() {
    let job = Job::new(PROGRAM);
    let tools = job.root().join("tools");
    fs::create_dir_all(&tools).expect("a folder");
    for name in ["bash", "dirname", "sed", "uname", "mktemp", "rm", "mkdir", "git", "sh"] {
        let found = Sandbox::finish({
            let mut which = job.sources.sandbox.command("sh");
            which.args(["-c", "command -v \"$0\"", name]);
            which
        });
        symlink(found.exits(0).stdout.trim(), tools.join(name)).expect("a link");
    }
    for name in ["curl", "cargo"] {
        symlink(job.root().join("fakes").join(name), tools.join(name)).expect("a link");
    }
    let (ran, program) = job.installs(&job.commit, &tools.display().to_string());
    assert_eq!(program, "built\n");
    assert!(ran.stdout.contains("curl, gh and git are needed"), "{}", ran.stdout);
}
