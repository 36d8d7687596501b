//! Runs a tool of mutation testing on changed lines in the clean worktree, and says whether it is believed. How each is asked
//! stands in `data/mutation_tools.toml`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;
use std::{fs, io};

use serde::Deserialize;

use super::ChangedCode;
use crate::command::{self, Ground, Ran};
use crate::test_runs::{Compared, NotCompared, TestRuns};
use crate::{MOST_TOLD, Site, ending, one_line};
use git::Tree;
use model::data_file;
use process::{Environment, ProgramExit, Stop};
use settings::split_words;
use tool_output::{Mutant, mutants, mutmut_mutants};

/// About so many mutants are made of a change.
const MOST_MUTANTS: usize = 20;
/// So long a tool may run in a round of checks.
const MOST_TIME: Duration = Duration::from_secs(180);
/// The file of the difference that a tool is given.
const DIFF: &str = "lines.diff";

/// A tool, as the table describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    word: String,
    endings: Vec<String>,
    mutants_a_line: usize,
    starts: Vec<Vec<String>>,
    report: String,
    generated: Option<String>,
}

static TOOLS: LazyLock<BTreeMap<String, Vec<Tool>>> =
    LazyLock::new(|| data_file::read(include_str!("../data/mutation_tools.toml")));

/// A tool on the trees of a run.
pub(super) struct ToolRuns<'s> {
    tool: &'static Tool,
    line: &'s str,
    words: Vec<String>,
    runs: &'s TestRuns<'s>,
    site: &'s Site<'s>,
    /// How long it may still run.
    left: Duration,
}

/// What a tool said about a tree.
struct ToolReport {
    mutants: Vec<Mutant>,
    exit: ProgramExit,
    /// How it ended, with the last line that it printed.
    end: String,
}

impl ToolReport {
    fn has(&self, is_caught: bool) -> bool {
        self.mutants.iter().any(|mutant| mutant.is_caught == Some(is_caught))
    }
}

impl<'s> ToolRuns<'s> {
    /// Recognises the tool of a command.
    pub(super) fn new(line: &'s str, runs: &'s TestRuns<'s>, site: &'s Site<'s>) -> Result<Self, String> {
        let words = split_words(line).map_err(|why| format!("`{line}` {why}"))?;
        let is_named = |tool: &&Tool| words.iter().any(|word| word.rsplit('/').next() == Some(&tool.word));
        let tool = TOOLS["tool"].iter().find(is_named);
        let tool = tool.ok_or_else(|| format!("`{line}` is none of cargo-mutants, Stryker and mutmut"))?;
        Ok(Self { tool, line, words, runs, site, left: MOST_TIME })
    }

    /// Returns the mutants of what will be published, where the tool sees tests fail: it caught a mutant, or it stops where the
    /// functions of the changed files fail.
    pub(super) async fn believed(mut self, stop: &mut Stop) -> Compared<Vec<Mutant>> {
        let (line, published) = (self.line, self.runs.published);
        let refused = |why: &str| Err(NotCompared::Unavailable(format!("`{line}` {why}")));
        let report = self.ask(&published.tree, stop).await?;
        match (report.has(true), report.has(false), &report.exit) {
            (true, ..) | (_, false, ProgramExit::Code(0)) => return Ok(report.mutants),
            (_, false, _) => return refused(&format!("gives no result: it {}", report.end)),
            (_, true, _) => {}
        }
        for planted in &published.test_trees.planted {
            // It fails by itself and judges no mutant, as where the tests fail before anything is changed.
            let planted = self.ask(planted, stop).await?;
            if !planted.has(true) && !planted.has(false) && matches!(planted.exit, ProgramExit::Code(1..)) {
                return Ok(report.mutants);
            }
        }
        refused("is not believed: it catches no mutant, and goes on where the functions of the change fail")
    }

    async fn ask(&mut self, tree: &Tree, stop: &mut Stop) -> Compared<ToolReport> {
        let code = ChangedCode::all(self.runs.published, tree)?;
        let lines = self.tool.chosen(&code);
        if lines.is_empty() {
            return Err(NotCompared::Skipped(format!("`{}` reads none of the changed files", self.line)));
        }
        self.start(tree, &lines, stop).await.map_err(NotCompared::Unavailable)
    }

    async fn start(&mut self, tree: &Tree, lines: &Lines<'_>, stop: &mut Stop) -> Result<ToolReport, String> {
        if let Some(why) = self.runs.exhausted() {
            return Err(why);
        }
        let no_folder = |error: io::Error| format!("no folder for what it is given: {error}");
        let folder = tempfile::tempdir().map_err(no_folder)?;
        fs::write(folder.path().join(DIFF), diff_of(lines)).map_err(no_folder)?;
        let ground = Ground::prepare(self.site, Some(tree), stop).await?;
        let mut report = ToolReport { mutants: Vec::new(), exit: ProgramExit::Lost, end: String::new() };
        for arguments in &self.tool.starts {
            let arguments = filled(arguments, folder.path(), lines, &report.mutants);
            if arguments.is_empty() {
                // It looked at the files, and has nothing to change on the lines.
                report.exit = if self.tool.has_generated(&ground.folder, lines) {
                    ProgramExit::Code(0)
                } else {
                    report.exit
                };
                break;
            }
            let words = [&self.words[..], &arguments].concat();
            let seconds = self.site.time.command_seconds.min(self.left.as_secs());
            let ran = command::start(&words, &ground, Environment::default(), seconds, stop).await;
            self.left = self.left.saturating_sub(Duration::from_millis(ran.millis));
            self.runs.spend(ran.millis);
            let mutants = self.tool.reported(&ground.folder, folder.path(), lines);
            report = ToolReport { mutants, end: self.end(&ran), exit: ran.exit };
        }
        Ok(report)
    }

    fn end(&self, ran: &Ran) -> String {
        let mut lines = ran.stdout.lines().chain(ran.stderr.lines()).filter(|line| !line.trim().is_empty());
        let error = lines.clone().rfind(|line| line.contains("rror:")).or_else(|| lines.next_back());
        let error = self.site.masker.mask(error.unwrap_or_default());
        format!("{}: {}", ran.exit, one_line(error.as_str(), MOST_TOLD))
    }
}

/// The lines that a tool is asked to change, by their files and their numbers from 1.
type Lines<'c> = BTreeMap<&'c str, BTreeMap<usize, &'c str>>;

impl Tool {
    /// Returns lines that the tool can change, spread over the change.
    fn chosen<'c>(&self, code: &'c [ChangedCode]) -> Lines<'c> {
        let mut all = Vec::new();
        for ChangedCode { path, lines, .. } in code {
            if self.endings.iter().any(|own| own == ending(path)) {
                all.extend(lines.iter().map(|(number, text)| (path, *number, text)));
            }
        }
        let step = all.len().div_ceil(MOST_MUTANTS / self.mutants_a_line).max(1);
        let mut chosen = Lines::new();
        for (path, number, text) in all.into_iter().step_by(step) {
            chosen.entry(path).or_default().insert(number, text);
        }
        chosen
    }

    fn has_generated(&self, root: &Path, lines: &Lines<'_>) -> bool {
        let is_there = |path: &str, file: &&str| root.join(path.replace("{file}", file)).exists();
        self.generated.as_ref().is_some_and(|path| lines.keys().any(|file| is_there(path, file)))
    }

    /// Returns the mutants of the lines, as the report says that the tool wrote.
    fn reported(&self, root: &Path, folder: &Path, lines: &Lines<'_>) -> Vec<Mutant> {
        let read = |path: &str| {
            let path = path.replace("{folder}", &folder.to_string_lossy());
            fs::read_to_string(root.join(path)).unwrap_or_default()
        };
        let Some(generated) = &self.generated else { return mutants(&read(&self.report)) };
        let of_file = |(file, lines): (&&str, &BTreeMap<usize, &str>)| {
            let [report, generated] =
                [&self.report, generated].map(|path| read(&path.replace("{file}", file)));
            let line_of = |old: &str| Some(*lines.iter().find(|(_, text)| text.trim() == old)?.0);
            mutmut_mutants(file, &report, &generated, line_of)
        };
        lines.iter().flat_map(of_file).collect()
    }
}

/// Fills in what the arguments of a start leave open; nothing is left of names where there are none.
fn filled(arguments: &[String], folder: &Path, lines: &Lines<'_>, known: &[Mutant]) -> Vec<String> {
    let filled = |argument: &String| match argument.as_str() {
        "{names}" => known.iter().take(MOST_MUTANTS).map(|mutant| mutant.name.clone()).collect(),
        "{diff}" => vec![folder.join(DIFF).to_string_lossy().into_owned()],
        "{ranges}" => vec![ranges_of(lines)],
        other => vec![other.replace("{folder}", &folder.to_string_lossy())],
    };
    arguments.iter().flat_map(filled).collect()
}

/// Returns a difference that has these lines and nothing around them.
fn diff_of(lines: &Lines<'_>) -> String {
    let hunk = |(number, text): (&usize, &&str)| format!("@@ -{number},0 +{number},1 @@\n+{text}\n");
    let of_file = |(file, lines): (&&str, &BTreeMap<usize, &str>)| {
        let hunks: String = lines.iter().map(hunk).collect();
        format!("--- a/{file}\n+++ b/{file}\n{hunks}")
    };
    lines.iter().map(of_file).collect()
}

fn ranges_of(lines: &Lines<'_>) -> String {
    let of_file = |(file, lines): (&&str, &BTreeMap<usize, &str>)| -> Vec<String> {
        lines.keys().map(|number| format!("{file}:{number}-{number}")).collect()
    };
    lines.iter().flat_map(of_file).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::change::Change;

    #[test]
    fn every_tool_is_asked_for_the_lines_that_changed() {
        let old = "pub fn a() -> u8 { 1 }\n";
        let new = "pub fn a() -> u8 { 1 }\n\n/// More.\npub fn b() -> u8 {\n    2\n}\n#[cfg(test)]\nmod tests { fn t() {} }\n";
        let code =
            ChangedCode::of(&Change::of_texts("src/a.rs", Some(old), Some(new))).expect("changed code");
        let [cargo, stryker, mutmut] = &TOOLS["tool"][..] else { panic!("three tools") };
        let code = [code];
        let lines = cargo.chosen(&code);
        let expected =
            "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -4,0 +4,1 @@\n+pub fn b() -> u8 {\n@@ -5,0 +5,1 @@\n+    2\n";
        assert_eq!(diff_of(&lines), expected);
        assert_eq!(ranges_of(&lines), "src/a.rs:4-4,src/a.rs:5-5");
        assert!(stryker.chosen(&code).is_empty() && mutmut.chosen(&code).is_empty());
    }

    #[test]
    fn a_long_change_is_asked_about_here_and_there() {
        let new: String = (0..95).map(|number| format!("x{number} = {number}\n")).collect();
        let code = [ChangedCode::of(&Change::of_texts("a.py", None, Some(&new))).expect("changed code")];
        let lines = TOOLS["tool"][2].chosen(&code);
        let numbers: Vec<usize> = lines["a.py"].keys().copied().collect();
        assert_eq!((numbers.len(), numbers[0], numbers[18]), (19, 1, 91));
    }
}
