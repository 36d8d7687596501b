//! The commands of a project that sets none: what its maintainers would type, told by the files at its top, as
//! `data/commands.toml` says. Reads files and starts nothing. What is set is never replaced.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use model::data_file;

/// The commands of the check `integration` by their keys, in the order in which they are run. The tests of a language have keys of
/// their own, because `test` is one command for the whole project.
pub const INTEGRATION: [&str; 8] =
    ["validate", "consistency", "test", "package_test", "lint", "pytest", "cargo_test", "go_test"];

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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    locks: Vec<String>,
    managers: Vec<Manager>,
    script: Vec<Command>,
    project: Vec<Kind>,
}

#[derive(Deserialize)]
struct Manager {
    lock: String,
    program: String,
    dashes: String,
}

/// A kind of project.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    /// The key of its tests where a project of several kinds is integrated.
    #[serde(default)]
    tests: String,
    all: Command,
    commands: Vec<Command>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Command {
    key: String,
    name: Option<String>,
    line: Option<String>,
    files: Option<Vec<String>>,
    script: Option<String>,
    has: Option<String>,
    lacks: Option<String>,
    installed: Option<String>,
    what: Option<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| data_file::read(include_str!("data/commands.toml")));

/// Returns the names of the files whose change makes a new setup of a project necessary.
pub(super) fn lock_files() -> &'static [String] {
    &TABLE.locks
}

/// Returns the commands of the project in a folder, one for each key at most.
pub fn detect(root: &Path) -> Vec<Detected> {
    detect_with(root, &is_installed)
}

/// Returns what the project runs at its end besides, each with a key of its own: the scripts that validate the repository, and the
/// tests of each of its languages; nothing where one `test` is all there is. `is_test_set` says that its tests are known.
pub fn detect_integration(root: &Path, is_test_set: bool) -> Vec<Detected> {
    let project = Project { root, is_installed: &is_installed };
    let scripts: Vec<Detected> =
        TABLE.script.iter().filter_map(|script| project.find(script, &Command::default())).collect();
    let of_kind = |key: &&'static str| {
        let kinds = TABLE.project.iter().filter(|kind| kind.tests == **key);
        let test = kinds.flat_map(|kind| project.commands(kind)).find(|command| command.key == "test")?;
        Some(Detected { key, ..test })
    };
    let tests: Vec<Detected> =
        if is_test_set { Vec::new() } else { INTEGRATION.iter().filter_map(of_kind).collect() };
    if scripts.is_empty() && tests.len() < 2 { Vec::new() } else { [scripts, tests].concat() }
}

fn is_installed(program: &str) -> bool {
    agents::find_program(program.as_ref()).is_ok()
}

fn detect_with(root: &Path, is_installed: &dyn Fn(&str) -> bool) -> Vec<Detected> {
    let project = Project { root, is_installed };
    let mut found: Vec<Detected> = Vec::new();
    for detected in TABLE.project.iter().flat_map(|kind| project.commands(kind)) {
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
    fn commands(&self, kind: &'static Kind) -> Vec<Detected> {
        kind.commands.iter().filter_map(|command| self.find(command, &kind.all)).collect()
    }

    fn find(&self, command: &'static Command, all: &Command) -> Option<Detected> {
        let name = command.name.as_ref().or(command.script.as_ref()).map_or("", String::as_str);
        let fits = |text: &str| {
            let is_in =
                |pattern: &str| Regex::new(&pattern.replace("{name}", name)).expect("sound").is_match(text);
            command.has.as_ref().or(all.has.as_ref()).is_none_or(|has| is_in(has))
                && !command.lacks.as_ref().or(all.lacks.as_ref()).is_some_and(|lacks| is_in(lacks))
        };
        let files = command.files.as_ref().or(all.files.as_ref())?;
        let mut there = files.iter().filter_map(|file| self.path(file));
        let file = there.find(|file| self.text(file, command).is_some_and(|text| fits(&text)))?;
        let program = command.installed.as_deref();
        if program.is_some_and(|program| !(self.is_installed)(program)) {
            return None;
        }
        let what = command.what.as_ref().or(all.what.as_ref()).map_or("is there", String::as_str);
        let mut because = format!("{file} {}", what.replace("{name}", name));
        because.extend(program.map(|program| format!(" and {program} is installed")));
        let line =
            command.line.as_ref().or(all.line.as_ref())?.replace("{name}", name).replace("{file}", &file);
        let line = if line.contains("{manager}") { self.with_manager(&line, &mut because) } else { line };
        Some(Detected { key: &command.key, line: self.with_python(&line), because })
    }

    /// Returns the path of a file that is there; of several the first by its name.
    fn path(&self, pattern: &str) -> Option<String> {
        let Some((front, end)) = pattern.split_once('*') else {
            return self.root.join(pattern).exists().then(|| pattern.to_owned());
        };
        let (folder, start) = front.rsplit_once('/').unwrap_or((".", front));
        let entries = fs::read_dir(self.root.join(folder)).ok()?.flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let name = names.filter(|name| name.starts_with(start) && name.ends_with(end)).min()?;
        Some(format!("{}{name}", &front[..front.len() - start.len()]))
    }

    /// Returns what a command looks at: a file that is there, or the script of its name in it.
    fn text(&self, file: &str, command: &Command) -> Option<String> {
        let text = fs::read_to_string(self.root.join(file)).unwrap_or_default();
        let Some(script) = &command.script else { return Some(text) };
        let manifest: Value = serde_json::from_str(&text).ok()?;
        let script = manifest["scripts"][script.as_str()].as_str()?;
        (!script.trim().is_empty()).then(|| script.to_owned())
    }

    fn with_manager(&self, line: &str, because: &mut String) -> String {
        let found = TABLE.managers.iter().find(|manager| self.root.join(&manager.lock).exists());
        because.extend(found.map(|manager| format!(", and {} is there", manager.lock)));
        let (program, dashes) =
            found.map_or(("npm", " --"), |manager| (manager.program.as_str(), manager.dashes.as_str()));
        line.replace("{manager}", program).replace("{dashes}", dashes)
    }

    fn with_python(&self, line: &str) -> String {
        let python =
            [".venv/bin/python", "venv/bin/python"].iter().find(|path| self.root.join(path).exists());
        let python = python.copied().unwrap_or("python3");
        line.replace("{python}", python).replace("{bin}", python.strip_suffix("python").unwrap_or_default())
    }
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
                "mutants: cargo mutants",
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
    fn tools_of_mutation_testing_are_used_where_they_are_installed_or_set_up() {
        let mutants = |files: &[(&str, &str)], missing: &str| {
            let mut found = found_without(files, missing);
            found.retain(|line| line.starts_with("mutants: "));
            found
        };
        let cargo = [("Cargo.toml", "[package]\nname = \"a\"\n")];
        assert_eq!(mutants(&cargo, ""), ["mutants: cargo mutants"]);
        assert_eq!(mutants(&cargo, "cargo-mutants"), [""; 0]);
        let package = ("package.json", "{}");
        let stryker = [package, ("node_modules/.bin/stryker", "")];
        assert_eq!(mutants(&stryker, ""), ["mutants: node_modules/.bin/stryker run"]);
        assert_eq!(mutants(&[package], ""), [""; 0]);
        let mutmut =
            [("pyproject.toml", "[tool.mutmut]\nsource_paths = [\"src\"]\n"), (".venv/bin/python", "")];
        assert_eq!(mutants(&mutmut, ""), ["mutants: .venv/bin/mutmut run"]);
        assert_eq!(mutants(&[("setup.cfg", "[mutmut]\n")], ""), ["mutants: mutmut run"]);
        assert_eq!(mutants(&[("pyproject.toml", "[project]\nname = \"a\"\n")], ""), [""; 0]);
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
