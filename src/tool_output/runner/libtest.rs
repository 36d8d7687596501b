//! `cargo test`: the harness of the standard library, several binaries one after another.
//! A result line counts only when its numbers add up to the tests announced, so a test cannot print one for itself.

use std::borrow::Cow;

use super::found::{Detail, Found, SEPARATOR};
use super::panicked::detail;
use super::tally::sum;
use crate::{Counts, TestOutcome, TestResult};

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
            if let Some((name, outcome)) = outcome(line) {
                see(name, outcome, section, found);
            } else if let Some(name) = header(line) {
                next = body_end(lines, at + 1, name);
                failed(name, detail(lines[at + 1..next].iter().copied()), found);
                lines[at..next].fill("");
            } else if line == "failures:" {
                next = names_end(lines, at + 1);
                lines[at + 1..next].iter().for_each(|name| failed(name, Detail::default(), found));
            } else if let Some(counts) = result(line, section.announced) {
                found.count(counts);
                lines[section.start..=at].fill("");
                open = None;
            }
        } else if let Some(name) = overflowed(line) {
            failed(name, Detail::error("the test overflowed its stack"), found.get_or_insert_default());
        }
        at = next;
    }
    leave(open, &mut found);
    found
}

fn announced(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("running ")?;
    rest.strip_suffix(" tests").or_else(|| rest.strip_suffix(" test"))?.parse().ok()
}

/// A binary that broke off: what it said until then, where that is anything.
fn leave(section: Option<TestSection>, found: &mut Option<Found>) {
    let said = |section: &TestSection| section.announced == 0 || section.seen != Counts::default();
    if let (Some(section), Some(found)) = (section.filter(said), found) {
        found.count(section.seen);
    }
}

/// Reads `test NAME ... ok`.
fn outcome(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("test ")?.rsplit_once(" ... ")
}

fn see(name: &str, outcome: &str, section: &mut TestSection, found: &mut Found) {
    let seen = &mut section.seen;
    let outcome = if outcome.starts_with("ok") {
        seen.passed += 1;
        TestOutcome::Passed
    } else if outcome.starts_with("ignored") {
        seen.ignored += 1;
        TestOutcome::Skipped
    } else if outcome.starts_with("FAILED") {
        seen.failed += 1;
        failed(name, Detail::default(), found);
        TestOutcome::Failed
    } else {
        return;
    };
    found.result(TestResult::new(id(section.binary, name), outcome));
}

/// The line of a documentation test is left out, because it changes with each line above it.
fn id(binary: &str, name: &str) -> String {
    let name = bare(name);
    let name = if documented(name).is_some() {
        name.rsplit_once(" (line ").map_or(name, |(name, _)| name)
    } else {
        name
    };
    if binary.is_empty() { name.to_owned() } else { format!("{binary}{SEPARATOR}{name}") }
}

/// Reads `     Running unittests src/lib.rs (target/debug/deps/pager-5d41402abc4b2a76)` and `   Doc-tests pager`, which cargo
/// writes to the standard error.
fn heading(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(name) = line.strip_prefix("Doc-tests ") {
        return Some(name.trim());
    }
    let path = line.strip_prefix("Running ")?.strip_suffix(')')?.rsplit_once('(')?.1;
    let name = path.rsplit(['/', '\\']).next()?;
    let stem = name.strip_suffix(".exe").unwrap_or(name);
    Some(stem.rsplit_once('-').map_or(stem, |(stem, _)| stem))
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

/// Returns a name without what the harness says of it.
fn bare(name: &str) -> &str {
    let suffixes = [" - should panic", " - compile fail", " - compile"];
    suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name)
}

fn failed(name: &str, mut detail: Detail, found: &mut Found) {
    let name = bare(name);
    if let Some((file, line)) = documented(name) {
        (detail.file, detail.line) = (Some(file), Some(line));
    }
    found.fail(name, detail);
}

/// A documentation test is named by its place: `src/lib.rs - add (line 1)`.
fn documented(name: &str) -> Option<(String, u32)> {
    let (file, rest) = name.trim().split_once(" - ")?;
    let line = rest.rsplit_once("(line ")?.1.strip_suffix(')')?.parse().ok()?;
    Some((file.to_owned(), line))
}

fn header(line: &str) -> Option<&str> {
    let name = line.strip_prefix("---- ")?.strip_suffix(" ----")?;
    name.strip_suffix(" stdout").or_else(|| name.strip_suffix(" stderr"))
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
    let rest = line.strip_prefix("test result: ")?;
    let (passed, failed, ignored) = (sum(rest, &["passed"]), sum(rest, &["failed"]), sum(rest, &["ignored"]));
    let total = [passed, failed, ignored, sum(rest, &["measured"])].into_iter().try_fold(0, u64::checked_add);
    (total == Some(announced)).then_some(Counts { passed, failed, ignored })
}

fn overflowed(line: &str) -> Option<&str> {
    let (name, rest) = line.strip_prefix("thread '")?.split_once('\'')?;
    rest.ends_with("has overflowed its stack").then_some(name)
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
