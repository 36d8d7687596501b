//! The commands of a project that sets none: what its maintainers would type, told by the files at its top.
//! Reads files and starts nothing; languages first, Make for what they leave open. What is set is never replaced.

mod cargo;
mod deno;
mod go;
mod integration;
mod make;
mod node;
mod python;

use std::fs;
use std::path::Path;

/// A command that was found, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    /// Its key in `[commands]`, or the one by which `integration` knows it.
    pub key: &'static str,
    /// The command, as it would stand in the settings.
    pub line: String,
    /// The file that it was concluded from.
    pub because: String,
}

/// How the commands of a language, or of a tool, are found.
type Detection = fn(&Project<'_>) -> Vec<Detected>;

/// The ways to look, in the order in which they count.
const WAYS: [Detection; 6] =
    [cargo::commands, node::commands, python::commands, go::commands, deno::commands, make::commands];

/// Returns the commands of the project in a folder, one for each key at most.
pub fn detect(root: &Path) -> Vec<Detected> {
    detect_with(root, &|program| agents::find_program(program.as_ref()).is_ok())
}

/// Returns what the project runs at its end besides, each with a key of its own; `is_test_set` says that its tests are known.
pub fn detect_integration(root: &Path, is_test_set: bool) -> Vec<Detected> {
    let is_installed = |program: &str| agents::find_program(program.as_ref()).is_ok();
    integration::commands(&Project { root, is_installed: &is_installed }, is_test_set)
}

fn detect_with(root: &Path, is_installed: &dyn Fn(&str) -> bool) -> Vec<Detected> {
    let project = Project { root, is_installed };
    let mut found: Vec<Detected> = Vec::new();
    for detected in WAYS.iter().flat_map(|look| look(&project)) {
        if found.iter().all(|known| known.key != detected.key) {
            found.push(detected);
        }
    }
    found
}

/// A project that is looked at.
struct Project<'a> {
    root: &'a Path,
    is_installed: &'a dyn Fn(&str) -> bool,
}

impl Project<'_> {
    fn has(&self, path: &str) -> bool {
        self.root.join(path).exists()
    }

    /// Returns the first of these files that is there.
    fn first_of<'p>(&self, paths: &[&'p str]) -> Option<&'p str> {
        paths.iter().find(|path| self.has(path)).copied()
    }

    /// Returns the text of a file; nothing when there is none.
    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_default()
    }
}

fn detected(key: &'static str, line: impl Into<String>, because: impl Into<String>) -> Detected {
    Detected { key, line: line.into(), because: because.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `key: line` for what is found among these files, with every program installed.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        found_without(files, "")
    }

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        folder
    }

    fn found_without(files: &[(&str, &str)], missing: &str) -> Vec<String> {
        let folder = folder(files);
        let found = detect_with(folder.path(), &|program| program != missing);
        assert!(found.iter().all(|command| !command.because.is_empty()));
        found.into_iter().map(|command| format!("{}: {}", command.key, command.line)).collect()
    }

    #[test]
    fn a_folder_without_a_project_has_no_commands() {
        assert_eq!(found(&[("README.md", "# cargo test\n"), ("src/lib.rs", "")]), [""; 0]);
    }

    #[test]
    fn cargo_tests_a_workspace_whole_and_lints_where_clippy_is_installed() {
        let package = [("Cargo.toml", "[package]\nname = \"a\"\n")];
        assert_eq!(
            found(&package),
            [
                "test: cargo test",
                "lint: cargo clippy --all-targets --keep-going",
                "typecheck: cargo check --all-targets --keep-going",
                "format: cargo fmt --check",
            ]
        );
        let lines = found_without(&package, "cargo-clippy");
        assert!(lines.iter().all(|line| !line.contains("clippy")), "{lines:?}");
        let workspace = found(&[("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n")]);
        assert_eq!(workspace[0], "test: cargo test --workspace");
        assert_eq!(workspace[2], "typecheck: cargo check --workspace --all-targets --keep-going");
        let chosen = found(&[("Cargo.toml", "[workspace]\nmembers = [\"a\"]\ndefault-members = [\"a\"]\n")]);
        assert_eq!(chosen[0], "test: cargo test");
    }

    #[test]
    fn a_package_manager_is_known_by_its_lock_file() {
        let scripts = r#"{"scripts": {"test": "jest", "lint": "eslint .", "type-check": "tsc", "build": "x", "format:check": "prettier -c ."}}"#;
        let lines = |lock: &str| found(&[("package.json", scripts), (lock, "")]);
        assert_eq!(
            lines("package-lock.json"),
            [
                "test: npm test",
                "lint: npm run lint",
                "typecheck: npm run type-check",
                "build: npm run build",
                "format: npm run format:check",
            ]
        );
        assert_eq!(lines("pnpm-lock.yaml")[..2], ["test: pnpm test", "lint: pnpm run lint"]);
        assert_eq!(lines("yarn.lock")[..2], ["test: yarn test", "lint: yarn run lint"]);
    }

    #[test]
    fn the_placeholder_of_npm_is_no_test() {
        let placeholder = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
        assert_eq!(found(&[("package.json", placeholder)]), [""; 0]);
        assert_eq!(found(&[("package.json", "not json")]), [""; 0]);
    }

    #[test]
    fn a_test_script_that_would_watch_is_told_not_to() {
        let watching = r#"{"scripts": {"test": "react-scripts test"}}"#;
        assert_eq!(found(&[("package.json", watching)]), ["test: npm test -- --watchAll=false"]);
    }

    #[test]
    fn pytest_is_used_where_it_is_set_up_or_has_tests() {
        for files in [
            [("pytest.ini", "[pytest]\n")],
            [("pyproject.toml", "[tool.pytest.ini_options]\n")],
            [("tox.ini", "[pytest]\n")],
            [("tests/test_a.py", "def test_a(): pass\n")],
        ] {
            assert_eq!(found(&files), ["test: python3 -m pytest"], "{files:?}");
        }
        assert_eq!(found(&[("pyproject.toml", "[project]\nname = \"a\"\n")]), [""; 0]);
    }

    #[test]
    fn mypy_and_ruff_are_used_only_where_they_are_set_up() {
        let set_up = "[tool.mypy]\nstrict = true\n[tool.ruff]\nline-length = 100\n[tool.ruff.format]\n";
        assert_eq!(
            found(&[("pyproject.toml", set_up)]),
            ["lint: ruff check", "typecheck: python3 -m mypy .", "format: ruff format --check"]
        );
        let with_files = "[mypy]\nfiles = src\n";
        assert_eq!(found(&[("mypy.ini", with_files)]), ["typecheck: python3 -m mypy"]);
    }

    #[test]
    fn a_virtual_environment_is_used_where_it_stands() {
        let files = [("pytest.ini", ""), (".venv/bin/python", "")];
        assert_eq!(found(&files), ["test: .venv/bin/python -m pytest"]);
    }

    #[test]
    fn go_deno_and_make_are_known() {
        assert_eq!(found(&[("go.mod", "module a\n")]), ["test: go test ./...", "lint: go vet ./..."]);
        assert_eq!(
            found(&[("deno.json", "{}")]),
            ["test: deno test", "lint: deno lint", "typecheck: deno check", "format: deno fmt --check"]
        );
        let task = r#"{"tasks": {"test": "deno test -A"}}"#;
        assert_eq!(found(&[("deno.jsonc", task)])[0], "test: deno task test");
        let makefile = ".PHONY: test\nTEST := 1\ntest: build\n\tx\nlint:\n\ty\ntested:\n";
        assert_eq!(found(&[("Makefile", makefile)]), ["test: make test", "lint: make lint"]);
        assert_eq!(found(&[("Makefile", "check::\n\tx\n")]), ["test: make check"]);
    }

    #[test]
    fn a_language_counts_before_make_and_make_fills_what_is_open() {
        let files = [("go.mod", "module a\n"), ("Makefile", "test:\n\tx\ntypecheck:\n\ty\n")];
        assert_eq!(found(&files), ["test: go test ./...", "lint: go vet ./...", "typecheck: make typecheck"]);
    }

    #[test]
    fn scripts_and_the_tests_of_several_languages_are_what_a_project_runs_at_its_end() {
        let files = [
            ("package.json", r#"{"scripts": {"test": "jest", "lint": "eslint ."}}"#),
            ("scripts/ci/check-consistency.sh", ""),
            ("tests/validate-plugin.sh", ""),
            ("go.mod", "module a\n"),
            ("Cargo.toml", "[package]\n"),
            ("pytest.ini", ""),
        ];
        let scripts =
            ["validate: sh tests/validate-plugin.sh", "consistency: sh scripts/ci/check-consistency.sh"];
        let tests = [
            "package_test: npm test",
            "pytest: python3 -m pytest",
            "cargo_test: cargo test",
            "go_test: go test ./...",
        ];
        assert_eq!(at_the_end(&files, false), [&scripts[..], &tests].concat());
        assert_eq!(at_the_end(&files, true), scripts, "what is set says what the tests are");
        assert_eq!(at_the_end(&files[3..4], false), [""; 0], "one language has one `test`");
        assert_eq!(at_the_end(&files[3..5], false), ["cargo_test: cargo test", "go_test: go test ./..."]);
    }

    fn at_the_end(files: &[(&str, &str)], is_test_set: bool) -> Vec<String> {
        let folder = folder(files);
        let found = detect_integration(folder.path(), is_test_set);
        found.into_iter().map(|command| format!("{}: {}", command.key, command.line)).collect()
    }
}
