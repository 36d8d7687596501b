//! What a release holds and which tags are refused: `.ci/release` in a copy of the sources, with a program that is built already
//! and a fake `gh`. Signing is left to GitHub.

use std::fs;
use std::path::PathBuf;

use crate::support::{Ran, Sandbox};

const TARGET: &str = "x86_64-unknown-linux-gnu";
const CHANGELOG: &str = "# Changelog\n\n## [Unreleased]\n\n- later\n\n## [0.1.0] - 2026-01-01\n\n- **First**\n\n## [0.0.1]\n\n- old\n";

/// The sources of a release that is not made yet: our scripts and documents, on `main` of a repository on GitHub.
pub(crate) struct Sources {
    pub(crate) sandbox: Sandbox,
}

impl Sources {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::empty().with("GITHUB_REPOSITORY", "octo/ai-workflow");
        for name in [".ci/release", ".ci/install", "README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            let text = fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name));
            sandbox.write(name, &text.expect("a file"));
        }
        sandbox.write("CHANGELOG.md", CHANGELOG);
        sandbox.write(
            "Cargo.toml",
            "[workspace.package]\nversion = \"0.1.0\"\n\n[package]\nrepository = \"https://github.com/octo/ai-workflow\"\n",
        );
        sandbox.git(&["init", "-q"]);
        let sources = Self { sandbox };
        sources.commit();
        sources
    }

    /// Commits what is there, as the end of `main`.
    fn commit(&self) {
        self.sandbox.git(&["add", "-A"]);
        self.sandbox.git(&["commit", "-q", "-m", "release"]);
        self.sandbox.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    }

    /// Runs `.ci/release` with a program that is built already.
    pub(crate) fn release(&self, arguments: &[&str], program: &str) -> Ran {
        let mut bash = self.sandbox.command("bash");
        bash.arg(".ci/release").args(arguments).env("PROGRAM", program);
        Sandbox::finish(bash)
    }

    /// Packs a program for a target, and returns the name without its ending.
    pub(crate) fn packed(&self, target: &str, program: &str) -> String {
        let name = format!("ai-workflow-0.1.0-{target}");
        self.sandbox.write(&format!("target/dist/{name}.cdx.json"), "{}\n");
        self.release(&["archive", target], program).exits(0);
        name
    }

    /// Runs another program in the folder of the release.
    fn in_release(&self, program: &str, arguments: &[&str]) -> Ran {
        let mut command = self.sandbox.command(program);
        command.args(arguments).current_dir(self.sandbox.root().join("target/dist"));
        Sandbox::finish(command)
    }
}

/// Stands for our binary, which is large before it is optimised.
fn program(sandbox: &Sandbox) -> String {
    let binary = env!("CARGO_BIN_EXE_ai-workflow");
    sandbox.executable("built", &format!("#!/bin/sh\nexec '{binary}' \"$@\"\n")).display().to_string()
}

#[test]
fn an_archive_holds_the_program_with_its_pages_completions_and_parts() {
    let sources = Sources::new();
    let name = sources.packed(TARGET, &program(&sources.sandbox));
    sources.in_release("tar", &["-x", "-z", "-f", &format!("{name}.tar.gz")]).exits(0);
    let version = sources.in_release(&format!("./{name}/ai-workflow"), &["--version"]).exits(0);
    assert_eq!(version.stdout, format!("ai-workflow {}\n", env!("CARGO_PKG_VERSION")));
    let read = |file: &str| sources.sandbox.read(&format!("target/dist/{name}/{file}"));
    for (file, text) in [
        ("completions/ai-workflow.bash", "complete -F"),
        ("completions/_ai-workflow", "#compdef ai-workflow"),
        ("completions/ai-workflow.fish", "complete -c ai-workflow"),
        ("completions/ai-workflow.elv", "edit:completion"),
        ("completions/_ai-workflow.ps1", "Register-ArgumentCompleter"),
        ("man/man1/ai-workflow.1", "ai\\-workflow\\-execute(1)"),
        ("man/man1/ai-workflow-execute.1", "\\-\\-issue"),
        ("CHANGELOG.md", "[0.1.0]"),
        ("README.md", "# ai-workflow"),
        ("LICENSE-MIT", "MIT License"),
        ("LICENSE-APACHE", "Apache License"),
        ("ai-workflow.cdx.json", "{}"),
    ] {
        assert!(read(file).contains(text), "{file}");
    }
}

#[test]
fn the_same_program_gives_the_same_archive_and_checksums_that_verify() {
    let sources = Sources::new();
    let program = program(&sources.sandbox);
    let name = sources.packed(TARGET, &program);
    let archive = format!("target/dist/{name}.tar.gz");
    let first = sources.sandbox.read_bytes(&archive);
    sources.packed(TARGET, &program);
    assert!(first == sources.sandbox.read_bytes(&archive));
    sources.release(&["checksums"], "").exits(0);
    let verify =
        "if command -v sha256sum; then sha256sum -c SHA256SUMS; else shasum -a 256 -c SHA256SUMS; fi";
    let verified = sources.in_release("sh", &["-c", verify]).exits(0).stdout;
    for file in [format!("{name}.tar.gz: OK"), format!("{name}.cdx.json: OK")] {
        assert!(verified.contains(&file), "{verified}");
    }
    sources.sandbox.write(&archive, "something else");
    sources.in_release("sh", &["-c", verify]).exits(1);
}

#[test]
fn a_tag_that_does_not_fit_the_sources_is_refused() {
    let sources = Sources::new();
    let check = |tag: &str| sources.release(&["check", tag], "");
    check("v0.1.0").exits(0);
    for tag in ["v0.1.1", "0.1.0", "v0.1.0-rc.1"] {
        check(tag).exits(1).says(&format!("the tag {tag} is not v0.1.0, the version of Cargo.toml"));
    }
    sources.sandbox.git(&["commit", "-q", "--allow-empty", "-m", "elsewhere"]);
    check("v0.1.0").exits(1).says("the tag v0.1.0 is not on the branch main");
    sources.sandbox.write("CHANGELOG.md", "# Changelog\n\n## [0.1.0]\n\n## [0.0.1]\n\n- old\n");
    check("v0.1.0").exits(1).says("CHANGELOG.md has no section [0.1.0]");
    let sources = Sources { sandbox: Sources::new().sandbox.with("GITHUB_REPOSITORY", "octo/fork") };
    let fork = sources.release(&["check", "v0.1.0"], "");
    fork.exits(1).says("Cargo.toml has no line: repository = \"https://github.com/octo/fork\"");
}

/// A `gh` that writes down what it is asked, says that there is a draft already, and fails where it is told to.
fn with_fake_gh(fails: &str) -> Sources {
    let sandbox = Sources::new().sandbox;
    let text = "#!/bin/sh\necho \"$*\" >> gh.log\n\
                case \"$2\" in view) echo true ;; create) cat > notes ;; esac\n\
                [ \"$2\" != \"$FAILS\" ]\n";
    let gh = sandbox.executable("gh", text);
    let folder = gh.parent().expect("a folder").display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    sandbox.write("attestation.json", "{}\n");
    Sources {
        sandbox: sandbox.with("PATH", &path).with("ATTESTATION", "attestation.json").with("FAILS", fails),
    }
}

#[test]
fn a_release_is_shown_only_when_it_has_all_its_files() {
    let sources = with_fake_gh("");
    sources.sandbox.write("target/dist/SHA256SUMS", "");
    sources.release(&["publish", "v0.1.0"], "").exits(0);
    insta::assert_snapshot!(sources.sandbox.read("gh.log"), @r"
    release view v0.1.0 --json isDraft --jq .isDraft
    release delete v0.1.0 --yes
    release create v0.1.0 --draft --verify-tag --title v0.1.0 --notes-file - target/dist/SHA256SUMS target/dist/ai-workflow-0.1.0.attestation.json
    release edit v0.1.0 --draft=false
    ");
    assert_eq!(sources.sandbox.read("notes"), "\n- **First**\n\n");
    let sources = with_fake_gh("create");
    sources.sandbox.write("target/dist/SHA256SUMS", "");
    sources.release(&["publish", "v0.1.0"], "").exits(1);
    assert!(!sources.sandbox.read("gh.log").contains("release edit"));
}

/// Where cargo-binstall looks for a program is where `.ci/release` puts it.
#[test]
fn cargo_binstall_finds_the_archive_by_its_name() {
    let sources = Sources::new();
    let name = sources.packed(TARGET, &program(&sources.sandbox));
    let text = include_str!("../../Cargo.toml");
    let manifest: toml::Table = text.parse().expect("TOML");
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let filled = |key: &str| {
        let values = [
            ("repo", "https://github.com/octo/ai-workflow"),
            ("name", "ai-workflow"),
            ("bin", "ai-workflow"),
        ];
        let values = values.into_iter().chain([("version", "0.1.0"), ("target", TARGET), ("binary-ext", "")]);
        let template = binstall[key].as_str().expect("a text").to_owned();
        values.fold(template, |text, (key, value)| text.replace(&format!("{{ {key} }}"), value))
    };
    let place = "https://github.com/octo/ai-workflow/releases/download/v0.1.0";
    assert_eq!(filled("pkg-url"), format!("{place}/{name}.tar.gz"));
    let listed = sources.in_release("tar", &["-t", "-z", "-f", &format!("{name}.tar.gz")]).exits(0).stdout;
    assert!(listed.lines().any(|line| line == filled("bin-dir")), "{listed}");
}
