//! `cargo test`: the harness of the standard library, several binaries one after another.
//! A result line counts only when its numbers add up to the tests announced, so a test cannot print one for itself.

use std::borrow::Cow;

use super::found::{Detail, Found, SEPARATOR};
use super::panicked::detail;
use crate::pattern::{LazyPattern, number, part};
use crate::{Counts, TestOutcome, TestResult};

static ANNOUNCED: LazyPattern = LazyPattern::new(r"^running (\d+) tests?$");
static OUTCOME: LazyPattern = LazyPattern::new(r"^test (.*) \.\.\. (ok|ignored|FAILED)");
static HEADER: LazyPattern = LazyPattern::new(r"^---- (.*) (?:stdout|stderr) ----$");
static RESULT: LazyPattern =
    LazyPattern::new(r"^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured");
static OVERFLOWED: LazyPattern = LazyPattern::new(r"^thread '(.*?)'.*has overflowed its stack$");

/// `     Running unittests src/lib.rs (target/debug/deps/pager-5d41402abc4b2a76)` and `   Doc-tests pager`, which cargo writes
/// to the standard error.
static HEADING: LazyPattern =
    LazyPattern::new(r"^\s*(?:Running .*[(/\\]([^(/\\]+?)(?:-[^-(/\\]*?)?(?:\.exe)?\)|Doc-tests (.*))$");

/// A name without what the harness says of it. A documentation test is named by its place: `src/lib.rs - add (line 1)`.
static NAME: LazyPattern = LazyPattern::new(
    r"^\s*(?<name>(?<place>(?<file>.*?) - .*) \(line (?<line>\d+)\)|.*?)(?: - should panic| - compile fail| - compile)?$",
);

/// One binary that has begun and not ended.
struct TestSection<'t> {
    start: usize,
    /// What its heading calls it; empty where none was seen.
    binary: &'t str,
    announced: u64,
    seen: Counts,
}

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut found: Option<Found> = None;
    let mut open: Option<TestSection> = None;
    let mut binary = "";
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let mut next = at + 1;
        if let Some(named) = heading(line) {
            binary = named;
        } else if let Some(announced) = announced(line) {
            let section = TestSection {
                start: at,
                binary: std::mem::take(&mut binary),
                announced,
                seen: Counts::default(),
            };
            leave(open.replace(section), &mut found);
            found.get_or_insert_default();
        } else if let Some(section) = open.as_mut() {
            let found = found.get_or_insert_default();
            if let Some(parts) = OUTCOME.captures(line) {
                see(&parts[1], &parts[2], section, found);
            } else if let Some(name) = header(line) {
                next = body_end(lines, at + 1, name);
                failed(name, detail(&lines[at + 1..next].join("\n")), found);
                lines[at..next].fill("");
            } else if line == "failures:" {
                next = names_end(lines, at + 1);
                lines[at + 1..next].iter().for_each(|name| failed(name, Detail::default(), found));
            } else if let Some(counts) = result(line, section.announced) {
                found.count(counts);
                lines[section.start..=at].fill("");
                open = None;
            }
        } else if let Some(parts) = OVERFLOWED.captures(line) {
            failed(&parts[1], Detail::error("the test overflowed its stack"), found.get_or_insert_default());
        }
        at = next;
    }
    leave(open, &mut found);
    found
}

fn announced(line: &str) -> Option<u64> {
    ANNOUNCED.captures(line)?[1].parse().ok()
}

/// A binary that broke off: what it said until then, where that is anything.
fn leave(section: Option<TestSection>, found: &mut Option<Found>) {
    let said = |section: &TestSection| section.announced == 0 || section.seen != Counts::default();
    if let (Some(section), Some(found)) = (section.filter(said), found) {
        found.count(section.seen);
    }
}

fn see(name: &str, word: &str, section: &mut TestSection, found: &mut Found) {
    let outcome = match word {
        "ok" => TestOutcome::Passed,
        "ignored" => TestOutcome::Skipped,
        _ => TestOutcome::Failed,
    };
    if outcome == TestOutcome::Failed {
        failed(name, Detail::default(), found);
    }
    section.seen = section.seen.plus(Counts::of(outcome));
    found.result(TestResult::new(id(section.binary, name), outcome));
}

/// The line of a documentation test is left out, because it changes with each line above it.
fn id(binary: &str, name: &str) -> String {
    let parts = NAME.captures(name).expect("it matches every line");
    let name = part(&parts, "place").unwrap_or(&parts["name"]);
    if binary.is_empty() { name.to_owned() } else { format!("{binary}{SEPARATOR}{name}") }
}

fn heading(line: &str) -> Option<&str> {
    let parts = HEADING.captures(line)?;
    parts.get(1).or(parts.get(2)).map(|name| name.as_str().trim())
}

/// Returns the standard output with the headings of the standard error where they belong, one in front of each binary.
pub(super) fn with_headings<'t>(stdout: &'t str, stderr: &str) -> Cow<'t, str> {
    let headings: Vec<&str> = stderr.lines().filter(|line| heading(line).is_some()).collect();
    let begins = stdout.lines().filter(|line| announced(line).is_some()).count();
    if headings.is_empty() || headings.len() != begins {
        return Cow::Borrowed(stdout);
    }
    let mut headings = headings.into_iter();
    let mut text = String::with_capacity(stdout.len() + 100 * begins);
    for line in stdout.split_inclusive('\n') {
        if announced(line.trim_end()).is_some() {
            text.extend(headings.next().into_iter().chain(["\n"]));
        }
        text.push_str(line);
    }
    Cow::Owned(text)
}

fn failed(name: &str, mut detail: Detail, found: &mut Found) {
    let parts = NAME.captures(name).expect("it matches every line");
    if let (Some(file), line @ Some(_)) = (part(&parts, "file"), number(&parts, "line")) {
        (detail.file, detail.line) = (Some(file.to_owned()), line);
    }
    found.fail(&parts["name"], detail);
}

fn header(line: &str) -> Option<&str> {
    HEADER.captures(line)?.get(1).map(|name| name.as_str())
}

/// What a test printed ends at the next test's header or at the list of names that has its own.
fn body_end(lines: &[&str], from: usize, name: &str) -> usize {
    let ends = |index: &usize| header(lines[*index]).is_some() || lists(lines, *index, name);
    (from..lines.len()).find(ends).unwrap_or(lines.len())
}

fn lists(lines: &[&str], at: usize, name: &str) -> bool {
    lines[at] == "failures:" && lines[at + 1..names_end(lines, at + 1)].iter().any(|line| line.trim() == name)
}

fn names_end(lines: &[&str], from: usize) -> usize {
    (from..lines.len()).find(|index| !lines[*index].starts_with("    ")).unwrap_or(lines.len())
}

fn result(line: &str, announced: u64) -> Option<Counts> {
    let (_, numbers) = RESULT.captures(line)?.extract::<4>();
    let [passed, failed, ignored, measured] = numbers.map(|number| number.parse::<u64>().unwrap_or(u64::MAX));
    let total = [passed, failed, ignored, measured].into_iter().try_fold(0, u64::checked_add);
    (total == Some(announced)).then_some(Counts { passed, failed, ignored })
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_stdout;
    use crate::{Counts, FailedTest};

    const RECORDED: &str = r#"
running 5 tests
test tests::ignored ... ignored, slow
test tests::passes ... ok
test tests::returns_error ... FAILED
test tests::should - should panic ... FAILED
test tests::fails ... FAILED

failures:

---- tests::returns_error stdout ----
Error: "Permission denied"

---- tests::should stdout ----
note: test did not panic as expected at src/lib.rs:15:8
---- tests::fails stdout ----
running 1 test
test nested ... FAILED

failures:
    nested

test result: ok. 99 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out

thread 'tests::fails' (5712) panicked at src/lib.rs:10:107:
assertion `left == right` failed: sum
is wrong
  left: 2
 right: 3
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/59807616/library/std/src/panicking.rs:689:5
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.


failures:
    tests::fails
    tests::returns_error
    tests::should

test result: FAILED. 1 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.09s

   Doc-tests demo

running 2 tests
test src/lib.rs - add (line 1) ... FAILED
test src/lib.rs - sub (line 9) - compile ... ok

failures:

---- src/lib.rs - add (line 1) stdout ----
Test executable failed (exit status: 101).

stderr:

thread 'main' (5732) panicked at src/lib.rs:5:1:
assertion `left == right` failed
  left: 2
 right: 3
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace



failures:
    src/lib.rs - add (line 1)

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.19s
"#;

    fn failed(name: &str, place: Option<(&str, u32)>, error: &str) -> FailedTest {
        let (file, line) = place.map(|(file, line)| (file.to_owned(), line)).unzip();
        FailedTest { name: name.into(), file, line, error: error.into() }
    }

    #[test]
    fn failures_carry_their_panics_and_binaries_are_summed() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 2, failed: 4, ignored: 1 }));
        let sum = "assertion `left == right` failed: sum\nis wrong\n  left: 2\n right: 3";
        let add = "assertion `left == right` failed\n  left: 2\n right: 3";
        assert_eq!(
            report.failed,
            [
                failed("tests::returns_error", None, "Error: \"Permission denied\""),
                failed("tests::should", None, "note: test did not panic as expected at src/lib.rs:15:8"),
                failed("tests::fails", Some(("src/lib.rs", 10)), sum),
                failed("src/lib.rs - add (line 1)", Some(("src/lib.rs", 1)), add),
            ]
        );
    }

    #[test]
    fn a_test_cannot_print_a_result_of_its_own() {
        let forged = "running 2 tests\ntest a ... ok\n\
            test result: ok. 500 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\ntest b ... ok\n\n\
            test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        assert_eq!(of_stdout(forged).counts, Some(Counts { passed: 2, failed: 0, ignored: 0 }));
    }

    #[test]
    fn a_binary_that_broke_off_counts_what_it_said() {
        let broken = "running 3 tests\ntest a ... ok\n\nrunning 1 test\ntest c ... ok\n\n\
            test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(of_stdout(broken).counts, Some(Counts { passed: 2, failed: 0, ignored: 0 }));
        let silent = of_stdout("running 3 tests\n");
        assert_eq!((silent.known, silent.counts), (true, None));
        let overflow =
            of_stdout("\nthread 'deep' (12) has overflowed its stack\nfatal runtime error: stack overflow\n");
        assert_eq!(overflow.failed, [failed("deep", None, "the test overflowed its stack")]);
    }

    #[test]
    fn quiet_output_and_old_panics_are_read() {
        let quiet = "\nrunning 2 tests\n.F\nfailures:\n\n---- t::a stdout ----\n\
            thread 't::a' panicked at 'it's wrong', src/a.rs:3:5\nnote: run with `RUST_BACKTRACE=1` environment\n\n\n\
            failures:\n    t::a\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let report = of_stdout(quiet);
        assert_eq!(report.failed, [failed("t::a", Some(("src/a.rs", 3)), "it's wrong")]);
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 1, ignored: 0 }));
    }
}
