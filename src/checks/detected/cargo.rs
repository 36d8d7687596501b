//! The commands of a Rust project. Clippy and rustfmt are used only where they are installed. What compiles goes on after
//! the first target that fails, so that all of them are heard each time.

use super::{Detected, Project, detected};

const MANIFEST: &str = "Cargo.toml";

pub(super) fn commands(project: &Project<'_>) -> Vec<Detected> {
    if !project.has(MANIFEST) {
        return Vec::new();
    }
    let all = if is_whole_workspace(&project.read(MANIFEST)) { " --workspace" } else { "" };
    let because = format!("{MANIFEST} is there");
    let with = |program: &str| format!("{because} and {program} is installed");
    let mut found = vec![detected("test", format!("cargo test{all}"), &because)];
    if (project.is_installed)("cargo-clippy") {
        found.push(detected("lint", format!("cargo clippy{all} --all-targets --keep-going"), with("clippy")));
    }
    found.push(detected("typecheck", format!("cargo check{all} --all-targets --keep-going"), &because));
    if (project.is_installed)("cargo-fmt") {
        found.push(detected("format", "cargo fmt --check", with("rustfmt")));
    }
    found
}

/// Who names default members has chosen what a plain `cargo test` is about.
fn is_whole_workspace(manifest: &str) -> bool {
    let lines = || manifest.lines().map(str::trim);
    lines().any(|line| line == "[workspace]") && !lines().any(|line| line.starts_with("default-members"))
}
