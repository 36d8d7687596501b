//! A command of the repository, run by us without a shell: tests, build, lint, types, format; in a clean worktree at the
//! tree that will be published. A tool that is missing is unavailable, never "tests failed", and never a pass.
//! What failed already at the base of the run is told and not charged, except to the phase whose subject the tests are.
//! A command besides the tests that nobody set and that fails at the base is told and never charged. A check that a person listed
//! does not pass without a command, nor where the failures of the base and of the author cannot be told apart.

mod charged;
mod ground;
mod running;
mod test_request;

use std::collections::BTreeMap;
use std::path::Path;

use super::announced::Announced;
use super::{ChangedTests, CheckResult, CheckStatus, MOST_PLACES, Place, Site, failure, passed, skipped};
use charged::{Charge, charge};
use git::Tree;
use model::text::tail;
use process::Stop;
use tool_output::{FailedTest, LineHits, Printed, Problem, Severity, TestReport, below};
use views::summary::counted;

pub(super) use charged::{End, Look};
pub(super) use ground::Ground;
pub use ground::{Memory, Published};
pub use running::environment;
pub(super) use running::{Ran, start};

/// How much of each output is kept as evidence, in bytes.
const KEPT: usize = 4000;

/// A command that is asked for evidence.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub id: &'a str,
    pub line: &'a str,
    /// Nobody set it.
    pub is_detected: bool,
    /// How long it may take.
    pub seconds: u64,
}

/// Returns the command behind a key, when there is one.
pub(super) fn asked<'a>(id: &'a str, key: &str, site: &'a Site<'_>) -> Option<Asked<'a>> {
    let line = site.commands.get(key).filter(|line| !line.trim().is_empty())?;
    let (is_detected, seconds) = (site.detected_commands.contains(key), site.time.command_seconds);
    Some(Asked { id, line, is_detected, seconds })
}

pub(super) async fn examine(id: &str, key: &str, site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let Some(asked) = asked(id, key, site) else {
        let why = format!("no `[commands] {key}` is set or detected");
        let is_required = is_required(id, site);
        return if is_required {
            unavailable(id, &format!("it is listed, and {why}"))
        } else {
            skipped(id, &why)
        };
    };
    let now = look(asked, site.published.map(|published| &published.tree), site, stop).await;
    // A later look at the same files does not run it again.
    if let Some(published) = site.published {
        published.memory.remember(asked.line, &published.tree, &now);
    }
    judge(asked, now, site, stop).await
}

/// Tells whether a check of the phase has to be judged, so that doubt does not pass.
fn is_required(id: &str, site: &Site<'_>) -> bool {
    site.phase.policy.required.iter().any(|required| required == id)
}

fn unavailable(id: &str, summary: &str) -> CheckResult {
    let failure = failure(id, "command-unavailable", summary, &[]);
    CheckResult { status: CheckStatus::Unavailable, ..failure }
}

/// Judges a command that another check of the same round may have run already on the same files.
pub(super) async fn examine_again(asked: Asked<'_>, site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let now = look_once(asked, site.published.map(|published| &published.tree), site, stop).await;
    judge(asked, now, site, stop).await
}

/// Returns what a command says about a tree; it is run there once.
async fn look_once(asked: Asked<'_>, tree: Option<&Tree>, site: &Site<'_>, stop: &mut Stop) -> Look {
    match site.published.zip(tree) {
        Some((published, tree)) => {
            published.memory.once(asked.line, tree, look(asked, Some(tree), site, stop)).await
        }
        None => look(asked, None, site, stop).await,
    }
}

async fn judge(asked: Asked<'_>, now: Look, site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let result = match &now.end {
        End::Unavailable(why) => asked.unavailable(why),
        End::Green => green(asked, &now, site, stop).await,
        End::NoTests | End::Red(_) | End::Broken(_) => red(asked, &now, site, stop).await,
    };
    with_command(with_evidence(result, &now), asked.line, now.exit)
}

/// Runs a command at a tree and reads what it says; outside a run in the worktree as it is.
pub(super) async fn look(asked: Asked<'_>, tree: Option<&Tree>, site: &Site<'_>, stop: &mut Stop) -> Look {
    try_look(asked, tree, site, stop).await.unwrap_or_else(Look::unavailable)
}

async fn try_look(
    asked: Asked<'_>,
    tree: Option<&Tree>,
    site: &Site<'_>,
    stop: &mut Stop,
) -> Result<Look, String> {
    let ground = Ground::prepare(site, tree, stop).await?;
    if asked.id != "tests" {
        let ran = running::run(asked.line, &ground, asked.seconds, stop).await?;
        return Ok(read(asked, &ran, TestReport::default(), ground, site));
    }
    let (ran, reports) = test_request::run(asked.line, &ground, asked.seconds, stop).await?;
    // A runner may name a file by its whole path, which is another one in each worktree.
    let root = format!("{}/", ground.folder.display());
    let [stdout, stderr] = [&ran.stdout, &ran.stderr].map(|text| text.replace(&root, ""));
    let printed = Printed { stdout: &stdout, stderr: &stderr, ..ran.printed() };
    let report = tool_output::tests(&printed).with_report_files(reports);
    Ok(read(asked, &ran, report, ground, site))
}

/// Returns what a command says at the base of the run; each is run there once.
pub(super) async fn look_at_base(asked: Asked<'_>, site: &Site<'_>, stop: &mut Stop) -> Option<Look> {
    let base = site.published?.base.as_tree();
    Some(look_once(asked, Some(&base), site, stop).await)
}

fn read(asked: Asked<'_>, ran: &Ran, report: TestReport, ground: Ground, site: &Site<'_>) -> Look {
    let printed = ran.printed();
    let end = match ran.code() {
        Ok(0) => green_end(&report),
        Ok(code) => match tool_output::unavailable(&printed) {
            Some(why) => End::Unavailable(why),
            None => End::Red(format!("exit code {code}")),
        },
        Err(end) => end,
    };
    let failures = failures(asked, &printed, &report, &ground.folder, site);
    let output = format!("{}\n{}", shown(&ran.stdout, site), shown(&ran.stderr, site)).trim().to_owned();
    let hits = if asked.id == "tests" { ground::line_hits(&ground.folder) } else { LineHits::new() };
    let (counts, results, linked) = (report.counts, report.results.into(), ground.linked);
    let (exit, millis) = (printed.exit, ran.millis);
    Look { end, exit, failures, counts, results, hits: hits.into(), output, millis, linked }
}

/// An exit code is believed when the output does not contradict it.
fn green_end(report: &TestReport) -> End {
    match report.counts {
        Some(counts) if counts.collected() == 0 => End::NoTests,
        Some(counts) if counts.failed > 0 => {
            End::Red(format!("exit code 0, although {} failed", counted(counts.failed, "test")))
        }
        None if report.known => End::Red("exit code 0, although its report of the tests breaks off".into()),
        _ => End::Green,
    }
}

/// Returns the end of an output. Masked before it is cut, so that no half of a secret is left at its beginning.
fn shown(output: &str, site: &Site<'_>) -> String {
    let masked = site.masker.mask(tail(output, 4 * KEPT));
    tail(masked.as_str(), KEPT).to_owned()
}

/// Returns what failed, by what names it from one tree to the next.
fn failures(
    asked: Asked<'_>,
    printed: &Printed<'_>,
    report: &TestReport,
    folder: &Path,
    site: &Site<'_>,
) -> BTreeMap<String, Place> {
    let masked = |text: &str| site.masker.mask(text).as_str().to_owned();
    let named = |file: &str| folder.to_str().map_or_else(|| file.to_owned(), |root| below(file, root));
    let place = |file: Option<&str>, line: Option<u32>, what: &str| Place {
        file: file.map(named),
        line: line.map(u64::from),
        what: masked(what),
        ..Place::default()
    };
    let test = |test: &FailedTest| {
        let told = [test.name.as_str(), first_line(&test.error)].into_iter().filter(|part| !part.is_empty());
        let told = told.collect::<Vec<_>>().join(": ");
        (masked(&test.name), place(test.file.as_deref(), test.line, &told))
    };
    let problem = |problem: Problem| {
        let code = problem.code.unwrap_or_default();
        let told = format!("{code} {}", first_line(&problem.message));
        let place = place(problem.file.as_deref(), problem.line, told.trim());
        let file = place.file.as_deref().unwrap_or_default();
        // Compilers name a lint below the first of its problems alone.
        (format!("{file}\n{}", masked(&problem.message)), place)
    };
    match asked.id {
        "tests" => report.failed.iter().map(test).collect(),
        "lint" => weightiest(tool_output::lints(printed)).map(problem).collect(),
        "format" => {
            let files = tool_output::format(printed).into_iter();
            files.map(|file| (named(&file), place(Some(&file), None, "is not formatted"))).collect()
        }
        _ => weightiest(tool_output::types(printed)).map(problem).collect(),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Warnings beside errors are not why a command failed.
fn weightiest(problems: Vec<Problem>) -> impl Iterator<Item = Problem> {
    let only_warnings = problems.iter().all(|problem| problem.severity == Severity::Warning);
    problems.into_iter().filter(move |problem| only_warnings || problem.severity == Severity::Error)
}

async fn green(asked: Asked<'_>, now: &Look, site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    if let Some(missing) = fewer_tests(asked, now, site, stop).await {
        return missing;
    }
    let told = match now.counts {
        Some(counts) => format!(", {}", counted(counts.collected(), "test")),
        None if asked.id == "tests" => format!("; {UNCOUNTED}"),
        None => String::new(),
    };
    passed(asked.id, &format!("`{}` passed in {} ms with exit code 0{told}", asked.line, now.millis))
}

/// What is said of a green test command that does not count.
const UNCOUNTED: &str = "its output does not say how many tests ran";

/// Returns the failure of a green command that ran fewer tests than at the base, or no longer says how many: a green exit says
/// nothing of tests that nobody ran. Where each is named, `pass_to_pass` compares them.
async fn fewer_tests(asked: Asked<'_>, now: &Look, site: &Site<'_>, stop: &mut Stop) -> Option<CheckResult> {
    let published = site.published.filter(|_| asked.id == "tests")?;
    let base = look_at_base(asked, site, stop).await?;
    if !base.results.is_empty() && !now.results.is_empty() {
        return None;
    }
    let (pattern, said) = compare_counts(now, &base, |lost| are_explained(lost, site, published))?;
    Some(asked.failed(pattern, &format!("`{}` {said}", asked.line)))
}

/// Tells whether the tests that are missed went with what they are about, or are named by the issue or with a reason in a
/// document of the run.
fn are_explained(lost: u64, site: &Site<'_>, published: &Published<'_>) -> bool {
    let Ok(tests) = ChangedTests::of_run(site, published) else { return false };
    let announced = Announced::read(site);
    let is_named = |test: &&source::Test| {
        let name = &test.name;
        announced.entry(name).is_some() || site.issue.names(name)
    };
    tests.removed_as_asked(site.issue) || tests.lost().filter(is_named).count() as u64 >= lost
}

/// Says what is wrong with the number of tests, by the name of its prompt.
fn compare_counts(
    now: &Look,
    base: &Look,
    are_explained: impl Fn(u64) -> bool,
) -> Option<(&'static str, String)> {
    let before = base.counts.map_or(0, |counts| counts.collected());
    let said = match now.counts.map(|counts| counts.collected()) {
        Some(now) if now < before && !are_explained(before - now) => {
            format!("ran {}; at the base of the run there are {before}", counted(now, "test"))
        }
        None if before > 0 => {
            let there = counted(before, "test");
            format!("no longer says how many tests ran; at the base it counts {there}")
        }
        None if now.output.is_empty() && !base.output.is_empty() => {
            return Some(("no-tests-run", format!("ended well and printed nothing: {UNCOUNTED}")));
        }
        Some(_) | None => return None,
    };
    Some(("fewer-tests", said))
}

async fn red(asked: Asked<'_>, now: &Look, site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    let is_tests = asked.id == "tests";
    let is_subject = is_tests && site.phase.properties.judges_tests;
    let base = if is_subject { None } else { look_at_base(asked, site, stop).await };
    let Some(base) = base else { return asked.red(now, &now.failures, "") };
    let is_required = is_required(asked.id, site);
    let (new, which) = match charge(now, &base, &|file| !is_tests && is_untouched(file, site)) {
        // A check that is listed does not pass on a doubt about whose failure it is.
        Charge::Unknown(why) if is_required => {
            let result = asked.red(now, &now.failures, "");
            let summary = format!("{}; {why}; it is listed and has to pass", result.summary);
            return CheckResult { summary, ..result };
        }
        Charge::Unknown(why) | Charge::Nothing(why) => return asked.not_charged(now, &why),
        Charge::New(new) => (new, " that the base does not have"),
        Charge::All => (now.failures.clone(), ""),
    };
    if is_required || is_tests || !asked.is_detected || !fails(&base.end) {
        return asked.red(now, &new, which);
    }
    // A command that nobody set and that fails at the base is no measure of the author's work: the reviewer judges.
    let named = number_of(&new, which);
    let why = format!("it was detected, not set, and fails at the base as well{named}");
    CheckResult { places: first_places(&new), ..asked.not_charged(now, &why) }
}

fn first_places(failures: &BTreeMap<String, Place>) -> Vec<Place> {
    failures.values().take(MOST_PLACES).cloned().collect()
}

pub(super) fn fails(end: &End) -> bool {
    matches!(end, End::Red(_) | End::Broken(_))
}

/// Tells whether the run left a file as the base has it.
fn is_untouched(file: &str, site: &Site<'_>) -> bool {
    !site.changed.contains(file) && !site.changed_before.contains(file)
}

/// Tells whether tests that were run without the code they are about fail, and not only as the base does.
pub(super) fn proves(without: &Look, base: &Look) -> bool {
    let is_old = || matches!(charge(without, base, &|_| false), Charge::Nothing(_) | Charge::Unknown(_));
    fails(&without.end) && (without.failures.is_empty() || !is_old())
}

/// Says how a command ended.
pub(super) fn how(end: &End) -> String {
    match end {
        End::Green => "passed".into(),
        End::NoTests => "ran no test".into(),
        End::Red(why) => format!("failed: {why}"),
        End::Broken(why) => format!("failed: it {why}"),
        End::Unavailable(why) => format!("could not run: {why}"),
    }
}

impl Asked<'_> {
    fn red(self, now: &Look, failures: &BTreeMap<String, Place>, which: &str) -> CheckResult {
        let pattern = match (&now.end, self.id) {
            (End::NoTests, _) => "no-tests-run",
            (_, "tests") => "tests-failed",
            _ => "command-failed",
        };
        let summary = format!("`{}` {}{}", self.line, how(&now.end), number_of(failures, which));
        let mut result = self.failed(pattern, &summary);
        if self.id == "tests" {
            result.params.insert("failedTests".into(), named_with_places(failures).into());
        }
        result.params.insert("errorOutput".into(), now.output.as_str().into());
        CheckResult { places: first_places(failures), ..result }
    }

    fn not_charged(self, now: &Look, why: &str) -> CheckResult {
        let summary = format!("`{}` {}; not charged: {why}", self.line, how(&now.end));
        let mut result = CheckResult { status: CheckStatus::FailedBefore, ..passed(self.id, &summary) };
        if matches!(now.end, End::NoTests) {
            result.params.insert("tests_run".into(), 0.into());
        }
        result
    }

    fn failed(self, pattern: &str, summary: &str) -> CheckResult {
        failure(self.id, pattern, summary, &[("code", &format!("{}_failed", self.id))])
    }

    pub(super) fn unavailable(self, why: &str) -> CheckResult {
        let line = self.line;
        let told = format!("`{line}` could not run: {why}; install what is missing, or change `[commands]`");
        unavailable(self.id, &told)
    }
}

/// Says how many failures there are; nothing where none has a name.
fn number_of(failures: &BTreeMap<String, Place>, which: &str) -> String {
    match failures.len() as u64 {
        0 => String::new(),
        count => format!("; {}{which}", counted(count, "failure")),
    }
}

/// Names what failed, each with its file and line where the tool says them, and how many more there are.
fn named_with_places(failures: &BTreeMap<String, Place>) -> Vec<String> {
    let named = failures.iter().take(MOST_PLACES).map(|(name, place)| match (&place.file, place.line) {
        (Some(file), Some(line)) => format!("{name} ({file}:{line})"),
        (Some(file), None) if !name.starts_with(file.as_str()) => format!("{name} ({file})"),
        _ => name.clone(),
    });
    let more = failures.len().saturating_sub(MOST_PLACES);
    named.chain((more > 0).then(|| format!("… and {more} more"))).collect()
}

/// Says by which command a result came about, and how that ended.
pub(super) fn with_command(mut result: CheckResult, line: &str, exit: Option<i32>) -> CheckResult {
    result.params.insert("command".into(), line.into());
    result.params.extend(exit.map(|code| ("exitCode".to_owned(), code.into())));
    result
}

/// What a command printed, unless all is well; and what it used that is not in the tree.
fn with_evidence(result: CheckResult, look: &Look) -> CheckResult {
    let linked = look.linked.join("\n");
    let output = if look.end == End::Green { "" } else { look.output.as_str() };
    let parts: Vec<&str> = [linked.as_str(), output].into_iter().filter(|part| !part.is_empty()).collect();
    CheckResult { evidence: parts.join("\n"), ..result }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_output::Counts;

    #[test]
    fn failed_tests_are_named_with_their_places_and_the_rest_is_counted() {
        let at = |file: Option<&str>, line: Option<u64>| Place {
            file: file.map(str::to_owned),
            line,
            ..Place::default()
        };
        let mut failures: BTreeMap<String, Place> = BTreeMap::new();
        failures.insert("a::one".into(), at(Some("src/a.rs"), Some(12)));
        failures.insert("b.py::two".into(), at(Some("b.py"), None));
        failures.insert("c three".into(), at(Some("c.ts"), None));
        failures.insert("d four".into(), at(None, None));
        let named = named_with_places(&failures);
        assert_eq!(named, ["a::one (src/a.rs:12)", "b.py::two", "c three (c.ts)", "d four"]);
        failures.extend((0..93).map(|number| (format!("e{number:02}"), Place::default())));
        let named = named_with_places(&failures);
        assert_eq!((named.len(), named[MOST_PLACES].as_str()), (MOST_PLACES + 1, "… and 57 more"));
    }

    fn look(counts: Option<u64>, output: &str) -> Look {
        let counts = counts.map(|passed| Counts { passed, ..Counts::default() });
        Look { end: End::Green, counts, output: output.into(), ..Look::unavailable(String::new()) }
    }

    fn pattern(now: &Look, base: &Look) -> Option<&'static str> {
        compare_counts(now, base, |_| false).map(|(pattern, _)| pattern)
    }

    #[test]
    fn counts_that_shrink_or_go_are_missed() {
        let base = look(Some(3), "1..3");
        assert_eq!(pattern(&look(Some(2), "1..2"), &base), Some("fewer-tests"));
        assert_eq!(pattern(&look(None, "all is well"), &base), Some("fewer-tests"));
        assert_eq!(pattern(&look(None, ""), &base), Some("fewer-tests"));
        assert_eq!(pattern(&look(Some(3), "1..3"), &base), None);
        assert_eq!(
            compare_counts(&look(Some(2), "1..2"), &base, |lost| lost == 1),
            None,
            "somebody wants fewer"
        );
    }

    #[test]
    fn silence_is_suspicious_where_the_base_spoke() {
        assert_eq!(pattern(&look(None, ""), &look(None, "3 pages checked")), Some("no-tests-run"));
        assert_eq!(pattern(&look(None, ""), &look(None, "")), None);
        assert_eq!(pattern(&look(None, "4 pages checked"), &look(None, "3 pages checked")), None);
    }
}
