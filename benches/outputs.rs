//! How long large outputs of commands take to read: two megabytes of each form, by the reader of test runners and by every
//! other one. Exits 1 beyond the limit. The question is whether the readers stay linear.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark")]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use tool_output::{
    Printed, changes, format as unformatted, lints, named, report_files, tests, types, unavailable,
};

const BYTES: usize = 2 * 1024 * 1024;
const TARGET: Duration = Duration::from_millis(500);
/// The benchmark fails beyond it: a machine that is busy with something else is no failure.
const LIMIT: Duration = Duration::from_millis(1500);
const TRIES: usize = 9;

/// One block of each form; repeated, it is an output of any length.
const BLOCKS: [(&str, &str); 14] = [
    (
        "cargo test",
        "running 2 tests\ntest a@ ... ok\ntest b@ ... FAILED\n\nfailures:\n\n---- b@ stdout ----\nthread 'b@' panicked at a.rs:1:2:\nx\n\nfailures:\n    b@\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured\n",
    ),
    (
        "nextest",
        "    Starting 1 tests across 1 binary\n        FAIL [   0.1s] (1/2) demo a@\n  stderr ───\n\n    é\n     Summary [   0.1s] 2 tests run: 1 passed, 1 failed\n",
    ),
    (
        "pytest",
        "==== FAILURES ====\n____ test_@ ____\nE   é\na.py:1: Error\n==== short test summary info ====\nFAILED a.py::b@ - é\n==== 1 failed in 0.1s ====\n",
    ),
    (
        "unittest",
        "FAIL: a@ (b)\n-----\n  File \"a\", line 3, in b\nRan 1 test in 0.1s\n\nFAILED (failures=1)\n",
    ),
    (
        "go test -json",
        "{\"Action\":\"output\",\"Package\":\"p\",\"Test\":\"a@\",\"Output\":\"x\\n\"}\n{\"Action\":\"fail\",\"Package\":\"p\",\"Test\":\"a@\"}\n",
    ),
    ("go test", "=== RUN   A@\n--- FAIL: A@ (0.00s)\n    a.go:1: é\n"),
    ("vitest", " FAIL  a@.ts > b\n ❯ a.ts:1:2\n⎯⎯⎯⎯\n      Tests  1 failed (1)\n"),
    ("jest", "FAIL @.js (5 s)\n  ● é › b\n\n    é\n    > 4 | é\n      at x (é.js:1:2)\n"),
    ("deno", " ERRORS \né@ => ./a.ts:1:2\nerror: é\nFAILED | é\nFAILED | 1 passed | 1 failed\n"),
    ("node", "✖ é@ (1.0ms)\n  é\ntest at é:1:2\nℹ tests 1\nℹ fail 1\n"),
    ("TAP", "not ok @ - é\n  ---\n  error: |-\n    é\n  ...\n"),
    ("mocha", "  1) é@\n       b:\n     é\n      at a (é.js:1:2)\n  1 failing\n"),
    ("rustc", "error[E1]: é\n  --> é.rs:@:2\n   |\n   = note: é\n"),
    ("words", "--- stdout ----\nfailures:\n    x@\n\nrunning x\n"),
];

fn main() -> ExitCode {
    let met: Vec<bool> = BLOCKS.iter().map(|(form, block)| measure(form, &repeated(block))).collect();
    ExitCode::from(u8::from(met.contains(&false)))
}

fn repeated(block: &str) -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < BYTES {
        text += &block.replace('@', &number.to_string());
        number += 1;
    }
    text
}

/// Prints the times of one output; tells whether all were within the limit.
fn measure(form: &str, text: &str) -> bool {
    let printed = Printed { stdout: text, stderr: "", exit: Some(1) };
    let times = [
        ("tests", shortest(|| drop(black_box(tests(&printed))))),
        ("types", shortest(|| drop(black_box(types(&printed))))),
        ("lints", shortest(|| drop(black_box(lints(&printed))))),
        ("format", shortest(|| drop(black_box(unformatted(&printed))))),
        (
            "git",
            shortest(|| {
                drop(black_box((changes(text), named("parseDiff", &printed), named("parseFiles", &printed))));
            }),
        ),
        ("junit", shortest(|| drop(black_box(report_files([text], "/x"))))),
        ("no tool", shortest(|| drop(black_box(unavailable(&printed))))),
    ];
    let shown: Vec<String> =
        times.iter().map(|(what, took)| format!("{what} {:.0}", took.as_secs_f64() * 1000.0)).collect();
    let (target, limit) = (TARGET.as_millis(), LIMIT.as_millis());
    println!("{form:<13} {} ms (target {target} ms, limit {limit} ms)", shown.join(", "));
    times.iter().all(|(_, took)| *took < LIMIT)
}

/// Returns the time of one reading, or the shortest of several while none is within the target.
fn shortest(work: impl Fn()) -> Duration {
    let mut shortest = Duration::MAX;
    for _ in 0..TRIES {
        let began = Instant::now();
        work();
        shortest = shortest.min(began.elapsed());
        if shortest < TARGET {
            break;
        }
    }
    shortest
}
