//! Whether a command failed because of its surroundings: a tool that is missing, a file that may not be opened. An
//! agent cannot repair that. Output that names what is wrong in the code is no such failure, whatever else it says.

use std::sync::LazyLock;

use regex::RegexSet;

use super::plain::plain;
use super::{Printed, lints, pattern, types};

static SURROUNDINGS: LazyLock<RegexSet> =
    LazyLock::new(|| pattern::set(include_str!("data/surroundings.regex")));

/// Returns why a command could not do its work; none when it did, successfully or not.
pub fn unavailable(printed: &Printed) -> Option<String> {
    let by_code = match printed.exit {
        Some(0) => return None,
        Some(126) => Some("exit code 126: found and not executable".to_owned()),
        Some(127) => Some("exit code 127: not found".to_owned()),
        _ => None,
    };
    let reason = by_code.or_else(|| said(printed.stderr)).or_else(|| said(printed.stdout))?;
    if names_what_is_wrong(printed) { None } else { Some(reason) }
}

/// Returns the line that says so.
fn said(stream: &str) -> Option<String> {
    let text = plain(stream);
    let line = text.lines().find(|line| SURROUNDINGS.is_match(line))?;
    Some(super::cut(line.trim()))
}

/// A test about permissions fails like any other test; a compiler may quote anything.
fn names_what_is_wrong(printed: &Printed) -> bool {
    !super::tests(printed).failed.is_empty()
        || types(printed).iter().chain(&lints(printed)).any(|problem| problem.line.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(exit: i32, stderr: &str) -> Option<String> {
        unavailable(&Printed { stdout: "", stderr, exit: Some(exit) })
    }

    #[test]
    fn environment_failures_make_a_check_unavailable() {
        let cases = [
            (127, ""),
            (126, ""),
            (1, "Error: EACCES: permission denied, open '/etc/config'"),
            (1, "bash: ./script.sh: Permission denied"),
            (
                101,
                "error: failed to open: /target/debug/.cargo-lock\n\nCaused by:\n  Permission denied (os error 13)",
            ),
            (2, "/bin/sh: 1: jest: not found\nmake: *** [Makefile:2: test] Error 127"),
            (2, "make: jest: No such file or directory\nmake: *** [Makefile:2: test] Error 1"),
            (1, "npm error Missing script: \"test\"\nnpm error\n"),
            (
                101,
                "error: no such command: `nextest`\n\nhelp: view all installed commands with `cargo --list`",
            ),
            (1, "error: 'cargo-clippy' is not installed for the toolchain 'stable-x86_64-unknown-linux-gnu'"),
            (1, "/usr/bin/python3: No module named pytest"),
            (
                1,
                "'jest' is not recognized as an internal or external command,\r\noperable program or batch file.",
            ),
            (2, "sh: 0: can't cd to web"),
            (1, "bash: line 1: \u{1b}[31mruff\u{1b}[0m: command not found"),
        ];
        for (exit, stderr) in cases {
            assert!(of(exit, stderr).is_some(), "{exit} {stderr}");
        }
        assert_eq!(of(2, "first\nsh: 0: can't cd to web\nlast").as_deref(), Some("sh: 0: can't cd to web"));
    }

    #[test]
    fn failures_of_the_code_do_not_make_a_check_unavailable() {
        let test = "running 1 test\ntest opens ... FAILED\n\nfailures:\n\n---- opens stdout ----\n\
            thread 'opens' panicked at src/a.rs:3:5:\nPermission denied (os error 13)\n\nfailures:\n    opens\n\n\
            test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(unavailable(&Printed { stdout: test, stderr: "", exit: Some(101) }), None);
        let compiler = "error[E0308]: mismatched types\n --> src/a.rs:3:5\n  |\n3 |     \"Permission denied\"\n  |     ^^^\n";
        let cases = [
            (1, "FAILED: 3 tests failed"),
            (1, "cat: missing.txt: No such file or directory"),
            (1, "error: Found 5 lint violations"),
            (0, "warning: cache: Permission denied"),
            (101, compiler),
            (1, "some error"),
        ];
        for (exit, stderr) in cases {
            assert_eq!(of(exit, stderr), None, "{stderr}");
        }
    }
}
