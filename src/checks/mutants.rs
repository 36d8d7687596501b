//! Code that no test holds: a tool of mutation testing that the project has changes lines of the run, and where no test fails, the
//! reviewer is asked. Where the tests leave a report of coverage, what no test runs is asked about, too. Makes no mutant itself
//! and refuses nothing.

mod tool;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use super::command::{self, End};
use super::test_runs::{Compared, NotCompared, TestRuns};
pub(super) use super::test_trees::MUTANTS as ID;
use super::{
    Change, CheckResult, LanguageFamily, Place, Published, Site, asking, at, gathered, is_code, judged,
    one_line,
};
use git::Tree;
use process::Stop;
use source::{Role, SourceFile};
use tool::ToolRuns;
use tool_output::{LineHits, Mutant};
use views::summary::counted;

/// More mutants, functions or lines than this are counted in a question and not named.
const MOST_NAMED: usize = 8;
/// So much of a mutant is shown, in characters.
const MOST_SHOWN: usize = 160;

pub(super) async fn examine(site: &Site<'_>, stop: &mut Stop) -> Compared<CheckResult> {
    let runs = TestRuns::of(site)?;
    let code = ChangedCode::all(runs.published, &runs.published.tree)?;
    if code.is_empty() {
        return Err(NotCompared::Skipped("the run changed no code of the product".into()));
    }
    let now = runs.now(stop).await?;
    if now.end != End::Green {
        return Err(NotCompared::Skipped("the tests do not pass".into()));
    }
    let unrun = code.iter().filter_map(|code| code.unrun(&now.hits)).collect();
    let found = match command::asked(ID, ID, site) {
        Some(asked) => match ToolRuns::new(asked.line, &runs, site) {
            Ok(tool) => tool.believed(stop).await,
            Err(why) => Err(NotCompared::Unavailable(why)),
        },
        None => Err(NotCompared::Skipped("no `[commands] mutants` is set or detected".into())),
    };
    judge(found, unrun)
}

/// Asks about the mutants that survived, and about what no test runs in other files.
fn judge(found: Compared<Vec<Mutant>>, unrun: Vec<Place>) -> Compared<CheckResult> {
    let mut doubts = survived(found.as_deref().unwrap_or_default());
    let asked: BTreeSet<Option<String>> = doubts.iter().map(|doubt| doubt.file.clone()).collect();
    doubts.extend(unrun.into_iter().filter(|place| !asked.contains(&place.file)));
    let mut problem = "no test holds what changed".to_owned();
    let clean = match found {
        Ok(found) => match found.iter().filter(|mutant| mutant.is_caught == Some(true)).count() as u64 {
            0 => "no mutant was made of the changed lines".to_owned(),
            caught => format!("{} of the changed lines: a test fails with each", counted(caught, "mutant")),
        },
        Err(why) if doubts.is_empty() => return Err(why),
        Err(NotCompared::Skipped(_)) => String::new(),
        Err(NotCompared::Unavailable(why)) => {
            problem = format!("{why}; {problem}");
            String::new()
        }
    };
    Ok(asking(judged(ID, "hollow-tests", gathered(doubts), &problem, &clean)))
}

/// Returns a question for each file with mutants that no test noticed.
fn survived(found: &[Mutant]) -> Vec<Place> {
    let mut files: BTreeMap<&str, Vec<&Mutant>> = BTreeMap::new();
    for mutant in found.iter().filter(|mutant| mutant.is_caught == Some(false)) {
        files.entry(&mutant.file).or_default().push(mutant);
    }
    let question = |(file, mutants): (&str, Vec<&Mutant>)| {
        let count = counted(mutants.len() as u64, "mutant");
        let shown =
            |mutant: &&Mutant| format!("line {}: {}", mutant.line, one_line(&mutant.what, MOST_SHOWN));
        let shown = named(mutants.iter().map(shown).collect(), "; ");
        at(file, mutants[0].line, format!("no test fails with {count}: {shown}"))
    };
    files.into_iter().map(question).collect()
}

/// Joins the first few names and says how many more there are.
fn named(mut names: Vec<String>, between: &str) -> String {
    if names.len() > MOST_NAMED {
        let more = names.split_off(MOST_NAMED).len();
        names.push(format!("{more} more"));
    }
    names.join(between)
}

/// A changed file of the product.
struct ChangedCode {
    path: String,
    /// The lines that are new or changed and hold code, by their numbers from 1.
    lines: BTreeMap<usize, String>,
    /// The functions with the lines of their bodies; none of a language without a grammar.
    functions: Vec<(String, RangeInclusive<usize>)>,
}

impl ChangedCode {
    /// Returns what differs between the base of a run and a tree.
    fn all(published: &Published<'_>, tree: &Tree) -> Compared<Vec<Self>> {
        let changes = published.space.workspace().changes();
        let changes = changes.all_between(&published.base.as_tree(), tree);
        let changes = changes.map_err(|error| NotCompared::Unavailable(error.to_string()))?;
        Ok(changes.iter().filter_map(Self::of).collect())
    }

    fn of(change: &Change) -> Option<Self> {
        let path = &change.path;
        if Role::of(path) != Role::Product || !is_code(path) {
            return None;
        }
        let source = SourceFile::parse(path, change.new_text()?);
        let is_test = |line: usize| source.as_ref().is_some_and(|source| source.is_test_code(line));
        let is_comment = |text: &str| LanguageFamily::of(path).comment(text) == Some(text);
        let holds_code = |line: usize, text: &str| {
            text.contains(char::is_alphanumeric) && !is_comment(text.trim()) && !is_test(line)
        };
        let lines = change.added_lines().filter(|(line, text)| holds_code(*line, text));
        let lines: BTreeMap<usize, String> = lines.map(|(line, text)| (line, text.to_owned())).collect();
        let functions = source.as_deref().map(bodies).unwrap_or_default();
        (!lines.is_empty()).then(|| Self { path: path.clone(), lines, functions })
    }

    /// Asks about the functions of which no changed line ran; nothing where the report says nothing of the file.
    fn unrun(&self, hits: &LineHits) -> Option<Place> {
        let path = Path::new(&self.path);
        // A report may name files from another folder than the top.
        let is_here = |file: &str| Path::new(file).ends_with(path) || path.ends_with(file);
        let (_, hits) = hits.iter().find(|(file, _)| is_here(file))?;
        let (mut names, mut lines) = (Vec::new(), BTreeSet::new());
        for (name, body) in &self.functions {
            let changed = self.lines.range(body.clone()).map(|(line, _)| line);
            let counted: Vec<_> = changed.filter_map(|line| Some((*line, *hits.get(line)?))).collect();
            if !counted.is_empty() && counted.iter().all(|(_, count)| *count == 0) {
                names.push(format!("`{name}`"));
                lines.extend(counted.into_iter().map(|(line, _)| line));
            }
        }
        let first = *lines.first()?;
        let lines = named(lines.iter().map(usize::to_string).collect(), ", ");
        let what = format!("no test runs what changed in {}: lines {lines}", named(names, ", "));
        Some(at(&self.path, first, what))
    }
}

/// Returns the functions of a file with the lines of their bodies.
fn bodies(file: &SourceFile) -> Vec<(String, RangeInclusive<usize>)> {
    let lines = |body: Range<usize>| file.line(body.start)..=file.line(body.end);
    let functions = file.functions().into_iter();
    functions.filter_map(|function| Some((function.name, lines(function.body?)))).collect()
}
