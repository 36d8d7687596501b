//! Asks the runner of the tests for the result of each test: adds arguments and variables to the command, and reads the report
//! files that come of it. Which runner is asked how stands in `data/test_runners.toml`; a runner that is not known is run as it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use super::Ground;
use super::running::{self, Ran};
use crate::paths::walk;
use model::data_file;
use process::{Environment, Stop};
use settings::split_words;
use tool_output::{TestReport, report_files, tests};

/// More report files than this are not read.
const MOST_REPORTS: usize = 5000;
/// A report file of more bytes is not read.
const LARGEST_REPORT: u64 = 64 * 1024 * 1024;

#[derive(Deserialize)]
struct TestRunners {
    wrappers: Vec<String>,
    script_runners: Vec<String>,
    variables: BTreeMap<String, String>,
    runner: Vec<TestRunner>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct TestRunner {
    programs: Vec<String>,
    subcommands: Vec<String>,
    first: Vec<String>,
    last: Vec<String>,
    text_reporter: Option<String>,
    reports: Vec<String>,
}

static KNOWN: LazyLock<TestRunners> =
    LazyLock::new(|| data_file::read(include_str!("data/test_runners.toml")));

/// Runs the tests so that each has a result, and returns what the report files say. Where the runner refuses what it is asked
/// for, the command is run once more as it stands.
pub(super) async fn run(
    line: &str,
    ground: &Ground,
    seconds: u64,
    stop: &mut Stop,
) -> Result<(Ran, Option<TestReport>), String> {
    let words = running::words(line)?;
    let request = TestRequest::new(&words, &ground.folder)?;
    let ran = running::start(&request.words, ground, request.variables.clone(), seconds, stop).await;
    if !request.is_refused(&words, &ran) {
        return Ok((ran, request.reports(&ground.folder)));
    }
    Ok((running::start(&words, ground, Environment::default(), seconds, stop).await, None))
}

/// A command that says what became of each test, as far as its runner can.
pub(super) struct TestRequest {
    pub words: Vec<String>,
    pub variables: Environment,
    /// Holds the report files that the runner is asked for.
    folder: TempDir,
    /// Folders of reports that the runner writes by itself.
    own_reports: &'static [String],
}

impl TestRequest {
    /// Adds to a command what its runner needs to be told; `root` is where it runs. An error where no folder can be made.
    pub(super) fn new(words: &[String], root: &Path) -> Result<Self, String> {
        let folder = tempfile::Builder::new().prefix("test-report-").tempdir();
        let folder = folder.map_err(|error| format!("no folder for its report: {error}"))?;
        let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let report = path("report");
        let mut words = words.to_vec();
        let runner = KNOWN.add_arguments(&mut words, root, &report);
        let own_reports = runner.map_or(&[][..], |runner| &runner.reports);
        let variable = |(name, value): (&String, &String)| {
            (name.into(), value.replace("{report}", &path("pytest")).into())
        };
        Ok(Self { words, variables: KNOWN.variables.iter().map(variable).collect(), folder, own_reports })
    }

    /// Tells whether a command ended because its runner does not know an option that was added: no test ran, and the option
    /// is named.
    fn is_refused(&self, words: &[String], ran: &Ran) -> bool {
        let added = self.words.iter().filter(|word| !words.contains(word)).map(String::as_str);
        let values = self.variables.values().filter_map(|value| value.to_str());
        let options =
            added.chain(values.flat_map(str::split_whitespace)).filter(|word| word.starts_with('-'));
        let mut names = options.map(|option| option.split('=').next().unwrap_or(option));
        ran.code().is_ok_and(|code| code != 0)
            && tests(&ran.printed()).counts.is_none()
            && names.any(|name| name.len() > 2 && (ran.stdout.contains(name) || ran.stderr.contains(name)))
    }

    /// Returns what the report files say, once the command has ended in `root`.
    pub(super) fn reports(&self, root: &Path) -> Option<TestReport> {
        let mut paths = files_below(self.folder.path());
        if !self.own_reports.is_empty() {
            paths.extend(files_below(root).into_iter().filter(|path| self.is_own_report(path)));
        }
        let shown = root.to_string_lossy();
        report_files(paths.iter().filter_map(|path| read(path)), &shown)
    }

    fn is_own_report(&self, path: &Path) -> bool {
        let is_xml = path.extension().is_some_and(|ending| ending == "xml");
        let folders = path.components().filter_map(|part| part.as_os_str().to_str());
        is_xml && folders.into_iter().any(|folder| self.own_reports.iter().any(|own| own == folder))
    }
}

impl TestRunners {
    /// Adds the arguments of the runner that a command starts, and returns that runner.
    fn add_arguments(&self, words: &mut Vec<String>, root: &Path, report: &str) -> Option<&TestRunner> {
        let filled = |arguments: &[String]| -> Vec<String> {
            arguments.iter().map(|argument| argument.replace("{report}", report)).collect()
        };
        if let Some((at, runner)) = self.find(words) {
            let first = at + 1..at + 1;
            words.splice(first, filled(&runner.first));
            let last = filled(&runner.last_arguments(words));
            let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
            words.splice(end..end, last);
            return Some(runner);
        }
        let (script, runner) = self.find_in_script(words, root)?;
        let needs_dashes = words.first().is_some_and(|program| name(program) == "npm");
        if needs_dashes && !runner.last.is_empty() && !words.iter().any(|word| word == "--") {
            words.push("--".to_owned());
        }
        words.extend(filled(&runner.last_arguments(&[words.as_slice(), &script].concat())));
        Some(runner)
    }

    /// Finds the runner that a command starts, and the word behind which its first arguments belong.
    fn find(&self, words: &[String]) -> Option<(usize, &TestRunner)> {
        let is_skipped = |word: &str| {
            let is_wrapper = self.wrappers.iter().any(|wrapper| wrapper == name(word));
            is_wrapper || word.starts_with('-') || word.contains('=')
        };
        let at = words.iter().position(|word| !is_skipped(word))?;
        let runner =
            self.runner.iter().find(|runner| runner.programs.iter().any(|own| own == name(&words[at])))?;
        if runner.subcommands.is_empty() {
            return Some((at, runner));
        }
        let rest = words[at + 1..].iter().position(|word| !word.starts_with(['+', '-']))?;
        let at = at + 1 + rest;
        runner.subcommands.contains(&words[at]).then_some((at, runner))
    }

    /// Finds the last command of a script of package.json, and the runner that it starts. Arguments reach that command alone.
    fn find_in_script(&self, words: &[String], root: &Path) -> Option<(Vec<String>, &TestRunner)> {
        self.script_runners.iter().find(|runner| *runner == name(&words[0]))?;
        let name = match words.get(1)?.as_str() {
            "run" | "run-script" => words.get(2)?.as_str(),
            "t" | "tst" => "test",
            name => name,
        };
        let package = fs::read_to_string(root.join("package.json")).ok()?;
        let package: Value = serde_json::from_str(&package).ok()?;
        let script = package.get("scripts")?.get(name)?.as_str()?;
        let last = script.rsplit(['&', ';', '|']).next()?.trim();
        let last = split_words(last).ok()?;
        let (_, runner) = self.find(&last)?;
        runner.first.is_empty().then_some((last, runner))
    }
}

impl TestRunner {
    /// Returns what stands at the end of a command of these words.
    fn last_arguments(&self, words: &[String]) -> Vec<String> {
        let is_given = |reporter: &&String| {
            let option = reporter.split('=').next().unwrap_or_default();
            words.iter().any(|word| word.split('=').next() == Some(option))
        };
        let text = self.text_reporter.iter().filter(|reporter| !is_given(reporter));
        text.chain(&self.last).cloned().collect()
    }
}

/// Returns the name of a program without its folder, its ending, and a version as in `python3.12`.
fn name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.split_once('.').map_or(name, |(name, _)| name);
    name.strip_prefix("python").map_or(name, |_| "python")
}

/// Returns the files below a folder, links left out.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    walk(folder, |path, kind| {
        if kind.is_file() && files.len() < MOST_REPORTS {
            files.push(folder.join(path));
        }
        true
    });
    files.sort();
    files
}

fn read(path: &Path) -> Option<String> {
    let size = fs::symlink_metadata(path).ok()?.len();
    if size > LARGEST_REPORT { None } else { fs::read_to_string(path).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str, package: &str) -> String {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join("package.json"), package).expect("a file");
        let mut words = split_words(line).expect("words");
        KNOWN.add_arguments(&mut words, root.path(), "R");
        words.join(" ")
    }

    #[test]
    fn each_runner_is_asked_in_its_own_way() {
        for (line, expected) in [
            ("python3 -m unittest discover -s tests", "python3 -m unittest discover -s tests -v"),
            (
                "cargo +nightly test --locked -- --test-threads 1",
                "cargo +nightly test --locked --no-fail-fast -- --test-threads 1",
            ),
            ("cargo nextest run", "cargo nextest run --no-fail-fast"),
            ("cargo build", "cargo build"),
            ("go test ./...", "go test -v ./..."),
            ("go vet ./...", "go vet ./..."),
            ("npx jest --ci", "npx jest --ci --json --outputFile=R"),
            ("./node_modules/.bin/jest", "./node_modules/.bin/jest --json --outputFile=R"),
            (
                "npx vitest run --reporter verbose",
                "npx vitest run --reporter verbose --reporter=json --outputFile.json=R",
            ),
            ("prove -lq t", "prove -lq t"),
            ("make test", "make test"),
            ("uv run pytest -q", "uv run pytest -q"),
            ("sh -c 'go test'", "sh -c go test"),
        ] {
            assert_eq!(asked(line, "{}"), expected);
        }
    }

    #[test]
    fn the_last_command_of_a_script_gets_the_arguments() {
        let package = r#"{"scripts": {"test": "eslint . && NODE_ENV=test jest --ci", "unit": "vitest run", "go": "go test",
            "dots": "vitest run --reporter=dot", "piped": "jest | tee log", "node": "node --test test/"}}"#;
        for (line, expected) in [
            ("npm test", "npm test -- --json --outputFile=R"),
            ("npm test -- --silent", "npm test -- --silent --json --outputFile=R"),
            ("yarn unit", "yarn unit --reporter=default --reporter=json --outputFile.json=R"),
            ("pnpm run unit", "pnpm run unit --reporter=default --reporter=json --outputFile.json=R"),
            ("pnpm run dots", "pnpm run dots --reporter=json --outputFile.json=R"),
            ("npm run go", "npm run go"),
            ("npm run piped", "npm run piped"),
            ("npm run node", "npm run node"),
            ("npm run missing", "npm run missing"),
        ] {
            assert_eq!(asked(line, package), expected);
        }
    }
}
