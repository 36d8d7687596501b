//! Marks that keep a test from running or from failing: skipped, expected to fail, run again until it passes, failures caught.

use std::sync::LazyLock;

use regex::Regex;

use super::cases::Case;
use super::tolerance::{is_wider, skeleton};

// Any mark of a skip, conditional ones included: an existing test gets none.
pattern!(
    SKIPPED,
    r"(?xm) \#\[\s*ignore\b | \#\[\s*cfg(?:_attr)?\([^\n]*\] | skip(?:if|If|Unless|Test)?\b\s*\( | \.(?:skip|only|todo|fixme)\b | \bt\.Skip
      | pytest\.mark\.(?:skip|xfail)\w* | unittest\.skip\w* | expectedFailure | importorskip | \b(?:xit|xtest|xspecify|fit)\s*\( | \.(?:fails|failing)\b
      | @(?:Disabled|Ignore|Enabled(?:If|On)|Disabled(?:If|On))\w* | \[Ignore | Skip\s*=\s*\x22 | \bignore:\s*true | \bskip:\s*true | should_panic\s*\]
      | \brunIf\b | ^\s*(?:skip|pending)\b"
);
pattern!(
    SWALLOWED,
    r"(?x) except\b[^\n:]*:\s*pass\b | catch\s*(?:\([^)]*\)\s*)?\{\s*\} | \.catch\(\s*\(\w*\)\s*=>\s*\{?\s*\}?\s*\) | catch_unwind | suppress\(\s*(?:Exception|AssertionError|BaseException)
      | \bif\s*\(?\s*(?:false|False|0)\b\s*\)?\s*[:{] | \brescue\s*(?:nil|=>\s*\w+\s*$)"
);
pattern!(
    REPEATED,
    r"(?x) pytest\.mark\.flaky | @flaky\b | @(?:Retry|RetryingTest|RepeatedIfExceptionsTest)\b | \bretryTimes\( | this\.retries\( | \bretry:\s*[1-9] | describe\.configure\([^)]*retries"
);
pattern!(TIMEOUT, r"(?i)\w*timeout\w*['\x22]?\s*[(:=]\s*\d");

/// A mark that a test has more often now.
pub(super) struct Counted {
    pub(super) what: &'static str,
    pub(super) line: usize,
}

// One of these stands in every mark above; most tests hold none.
pattern!(
    MAY_HOLD_A_MARK,
    r"ignore|cfg|skip|Skip|xfail|only|todo|fixme|expectedFailure|xit|xtest|xspecify|fit|fails|failing|Disabled|Ignore|Enabled|should_panic|runIf|pending|except|catch|suppress|if\s*\(?\s*(?:false|False|0)|rescue|flaky|Retry|retr|RepeatedIf|im[eE][oO]ut|IMEOUT"
);

/// Returns the marks that a test has more often than before.
pub(super) fn marks(old: &Case, new: &Case) -> Vec<Counted> {
    if !MAY_HOLD_A_MARK.is_match(&new.text) {
        return Vec::new();
    }
    let kinds: [(&Regex, &'static str); 3] = [
        (&SKIPPED, "a skip was added"),
        (&SWALLOWED, "failures are swallowed"),
        (&REPEATED, "a retry was added"),
    ];
    let grown = kinds
        .into_iter()
        .filter(|(pattern, _)| pattern.find_iter(&new.text).count() > pattern.find_iter(&old.text).count());
    let grown = grown.map(|(_, what)| Counted { what, line: new.line });
    grown.chain(longer(old, new).map(|line| Counted { what: "a time-out is longer", line })).collect()
}

/// Returns where a time-out grew.
fn longer(old: &Case, new: &Case) -> Option<usize> {
    let limits = |case: &Case| -> Vec<String> {
        let may = |line: &&str| ["imeout", "imeOut", "IMEOUT"].iter().any(|part| line.contains(part));
        let lines = case.text.lines().filter(may).filter(|line| TIMEOUT.is_match(line));
        lines.map(|line| line.trim().to_owned()).collect()
    };
    let before = limits(old);
    let grew = |line: &String| {
        before.iter().take(50).any(|old| skeleton(old) == skeleton(line) && is_wider(old, line))
    };
    limits(new).iter().take(50).any(grew).then_some(new.line)
}

// Skips that depend on nothing, anywhere in a file of tests, a new one included.
pattern!(
    UNCONDITIONAL,
    r#"(?xm) \#\[\s*ignore\b[^\n]* | \#!?\[\s*cfg\(\s*(?:any\(\s*\)|FALSE|false|not\(test\)|feature\s*=\s*"(?:never|disabled|broken|off)[^"]*")\s*\)\s*\]
      | @(?:pytest\.mark\.(?:skip|xfail)|unittest\.(?:skip|expectedFailure)|skip|expectedFailure)\s*(?:\(|$) | ^pytestmark\s*=[^\n]*\b(?:skip|xfail)\b
      | allow_module_level\s*=\s*True | skip[iI]f\(\s*(?:True|1|true)\b | ^\s*__test__\s*=\s*False | runIf\(\s*(?:false|0)\b
      | \b(?:it|test|describe|suite|context|specify|Deno\.test)\.(?:skip|only|todo|fixme|fails|failing)(?:\.each|\s*\(\s*['"`])
      | \b(?:xit|xtest|xdescribe|xcontext|xspecify|fit|fdescribe|ftest)\s*\(\s*['"`] | ^\s*ignore:\s*true | \{\s*(?:ignore|skip|only|todo):\s*true
      | @(?:Disabled|Ignore)(?:\(|\s*$) | ^\s*\[Ignore | \[(?:Fact|Theory)\(\s*Skip | ^//go:build\s+(?:ignore|never|disabled)\b"#
);

// One of these stands in every skip above; most files hold none.
pattern!(
    MAY_HOLD_A_SKIP,
    r"ignore|cfg|skip|Skip|xfail|expectedFailure|allow_module_level|__test__|runIf|only|todo|fixme|fails|failing|xit|xtest|xdescribe|xcontext|xspecify|fit|fdescribe|ftest|Disabled|Ignore|go:build"
);

/// Returns where the skips of a text stand that depend on nothing: the byte, and the mark as written.
pub(super) fn unconditional(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = if MAY_HOLD_A_SKIP.is_match(text) { text } else { "" };
    UNCONDITIONAL.find_iter(text).map(|found| {
        let space = found.as_str().len() - found.as_str().trim_start().len();
        (found.start() + space, found.as_str().trim())
    })
}
