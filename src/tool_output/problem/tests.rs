//! Outputs of compilers, type checkers and linters.

use super::*;

/// A problem as one line, for tests.
fn gist(problem: &Problem) -> String {
    let Problem { file, line, column, code, severity, message } = problem;
    let number = |number: &Option<u32>| number.map(|number| format!(":{number}")).unwrap_or_default();
    let place = file.as_ref().map(|file| format!("{file}{}{} ", number(line), number(column)));
    let code = code.as_ref().map(|code| format!("[{code}] ")).unwrap_or_default();
    format!("{}{code}{severity:?}: {message}", place.unwrap_or_default())
}

fn types_of(stdout: &str) -> Vec<String> {
    types(&Printed { stdout, stderr: "", exit: Some(1) }).iter().map(gist).collect()
}

fn lints_of(stdout: &str) -> Vec<String> {
    lints(&Printed { stdout, stderr: "", exit: Some(1) }).iter().map(gist).collect()
}

#[test]
fn errors_come_first_and_nothing_twice() {
    let text = "a.go:1:2: warning: w\na.go:3:2: error: e\na.go:3:2: error: e\n";
    assert_eq!(types_of(text), ["a.go:3:2 Error: e", "a.go:1:2 Warning: w"]);
}

#[test]
fn only_so_many_are_kept_and_messages_are_cut() {
    let long = "x".repeat(5000);
    let more: String = (1..6000).map(|line| format!("a.go:{line}:1: x\n")).collect();
    let text = format!("a.go:0:1: {long}\n{more}");
    let all = types(&Printed { stdout: &text, stderr: "", exit: Some(1) });
    assert_eq!(all.len(), MOST_KEPT);
    assert_eq!(all[0].message.chars().count(), super::super::LONGEST_MESSAGE + 1);
}

#[test]
fn prose_is_no_problem() {
    let prose =
        "Note: see https://example.com:443/x for more\nelapsed: 12:30:05\nall good\n  at x (y.js:1:2)\n";
    assert_eq!((types_of(prose), lints_of(prose)), (Vec::<String>::new(), Vec::new()));
}

mod rustc {
    use super::{lints_of, types_of};

    const RECORDED: &str = r#"    Checking demo v0.1.0 (/x)
error[E0308]: mismatched types
  --> src/main.rs:2:18
   |
2  |     let x: i32 = "a";
   |            ---   ^^^ expected `i32`, found `&str`
   |            |
   |            expected due to this

warning: unused variable: `x`
 --> src/main.rs:2:9
  |
2 |     let x: i32 = "a";
  |         ^ help: if this is intentional, prefix it with an underscore: `_x`
  |
  = note: `#[warn(unused_variables)]` (part of `#[warn(unused)]`) on by default

error: this comparison involving the minimum or maximum element for this type contains a case that
       is always true or always false
 --> src/main.rs:4:8
  |
  = help: for further information visit https://rust-lang.github.io/rust-clippy/master/index.html#absurd_extreme_comparisons
  = note: `#[deny(clippy::absurd_extreme_comparisons)]` on by default

For more information about this error, try `rustc --explain E0308`.
warning: `demo` (bin "demo") generated 1 warning
error: could not compile `demo` (bin "demo") due to 2 previous errors; 1 warning emitted
"#;

    #[test]
    fn heads_are_joined_with_their_places_and_lints_named() {
        let expected = [
            "src/main.rs:2:18 [E0308] Error: mismatched types",
            "src/main.rs:4:8 [clippy::absurd_extreme_comparisons] Error: this comparison involving the minimum or maximum \
             element for this type contains a case that\n       is always true or always false",
            "src/main.rs:2:9 [unused_variables] Warning: unused variable: `x`",
        ];
        assert_eq!(types_of(RECORDED), expected);
        assert_eq!(lints_of(RECORDED), expected);
    }

    #[test]
    fn an_error_without_a_place_is_kept_and_an_echo_is_not() {
        let text = "error: linking with `cc` failed: exit status: 1\n  |\n  = note: ld: cannot find -lx\n\n\
            error: aborting due to 1 previous error\nwarning: build failed, waiting for other jobs to finish...\n\
            error: 2 targets failed:\n    `--lib`\n";
        assert_eq!(types_of(text), ["Error: linking with `cc` failed: exit status: 1"]);
    }

    #[test]
    fn pages_name_lints_too_and_deno_lint_has_the_same_form() {
        let implied =
            "error: odd\n --> src/a.rs:3:5\n  |\n  = note: `-D clippy::odd-name` implied by `-D warnings`\n";
        assert_eq!(lints_of(implied), ["src/a.rs:3:5 [clippy::odd_name] Error: odd"]);
        let below_another = format!("error[E1]: bad\n --> src/a.rs:1:1\n{implied}");
        assert_eq!(
            lints_of(&below_another),
            ["src/a.rs:1:1 [E1] Error: bad", "src/a.rs:3:5 [clippy::odd_name] Error: odd"]
        );
        let unnamed = format!("warning: bad\n --> src/a.rs:1:1\n{implied}");
        assert_eq!(
            lints_of(&unnamed),
            ["src/a.rs:3:5 [clippy::odd_name] Error: odd", "src/a.rs:1:1 Warning: bad"]
        );
        let text = "warning: unneeded `return` statement\n --> src/a.rs:3:5\n  |\n  = help: for further information visit \
            https://rust-lang.github.io/rust-clippy/rust-1.90.0/index.html#needless_return\n\n\
            error[no-unused-vars]: `x` is never used\n --> /x/a.ts:1:7\n  |\n";
        let expected = [
            "/x/a.ts:1:7 [no-unused-vars] Error: `x` is never used",
            "src/a.rs:3:5 [clippy::needless_return] Warning: unneeded `return` statement",
        ];
        assert_eq!(lints_of(text), expected);
    }
}

mod tsc {
    use super::types_of;

    #[test]
    fn plain_and_pretty_are_read() {
        let plain = "src/a b.ts(10,5): error TS2345: Argument of type 'string' is not assignable.\n  Type 'x' is odd.\n\
            error TS5023: Unknown compiler option 'y'.\n";
        let expected = [
            "src/a b.ts:10:5 [TS2345] Error: Argument of type 'string' is not assignable.\n  Type 'x' is odd.",
            "[TS5023] Error: Unknown compiler option 'y'.",
        ];
        assert_eq!(types_of(plain), expected);
        let pretty = "src/a.ts:1:7 - error TS2322: Type 'string' is not assignable to type 'number'.\n\n\
            1 const x: number = 'a'\n        ~\n\n\nFound 1 error in src/a.ts:1\n";
        assert_eq!(
            types_of(pretty),
            ["src/a.ts:1:7 [TS2322] Error: Type 'string' is not assignable to type 'number'."]
        );
    }
}

mod mypy {
    use super::types_of;

    #[test]
    fn codes_are_taken_off_and_notes_left_out() {
        let text = "a.py:3: error: Incompatible types in assignment (expression has type \"str\")  [assignment]\n\
            a.py:3:5: note: See https://mypy.rtfd.io\nb.py:9:1: error: Name \"x\" is not defined  [name-defined]\n\
            Found 2 errors in 2 files (checked 3 source files)\n";
        let expected = [
            "a.py:3 [assignment] Error: Incompatible types in assignment (expression has type \"str\")",
            "b.py:9:1 [name-defined] Error: Name \"x\" is not defined",
        ];
        assert_eq!(types_of(text), expected);
    }
}

mod deno_check {
    use super::types_of;

    #[test]
    fn heads_are_joined_with_their_places() {
        let text = "Check file:///x/a.ts\nerror: TS2322 [ERROR]: Type 'string' is not assignable to type 'number'.\n\
            const x: number = 'a';\n      ^\n    at file:///x/a.ts:1:7\n\nTS2304 [ERROR]: Cannot find name 'y'.\ny;\n^\n\
            \x20   at file:///x/a.ts:2:1\n\nFound 2 errors.\n";
        let expected = [
            "/x/a.ts:1:7 [TS2322] Error: Type 'string' is not assignable to type 'number'.",
            "/x/a.ts:2:1 [TS2304] Error: Cannot find name 'y'.",
        ];
        assert_eq!(types_of(text), expected);
    }
}

mod eslint {
    use super::lints_of;

    #[test]
    fn stylish_lines_stand_below_their_file() {
        let text = "\n/x/src/a b.js\n  1:5   error    'y' is assigned a value but never used  no-unused-vars\n\
            \x20 2:1   warning  Unexpected console statement                      no-console\n\
            \x20 9:10  error    Parsing error: Unexpected token\n\n✖ 3 problems (2 errors, 1 warning)\n";
        let expected = [
            "/x/src/a b.js:1:5 [no-unused-vars] Error: 'y' is assigned a value but never used",
            "/x/src/a b.js:9:10 Error: Parsing error: Unexpected token",
            "/x/src/a b.js:2:1 [no-console] Warning: Unexpected console statement",
        ];
        assert_eq!(lints_of(text), expected);
    }

    #[test]
    fn compact_lines_stand_alone() {
        let text = "/x/a.js: line 1, col 5, Error - 'y' is never used (really). (no-unused-vars)\n\
            /x/a.js: line 2, col 1, Warning - Odd.\n\n2 problems\n";
        let expected =
            ["/x/a.js:1:5 [no-unused-vars] Error: 'y' is never used (really).", "/x/a.js:2:1 Warning: Odd."];
        assert_eq!(lints_of(text), expected);
    }
}

mod ruff {
    use super::lints_of;

    #[test]
    fn both_forms_are_read() {
        let concise = "a.py:1:8: F401 [*] `os` imported but unused\nb.py:2:1: E999 SyntaxError: oops\nFound 2 errors.\n\
            [*] 1 fixable with the `--fix` option.\n";
        let expected =
            ["a.py:1:8 [F401] Error: `os` imported but unused", "b.py:2:1 [E999] Error: SyntaxError: oops"];
        assert_eq!(lints_of(concise), expected);
        let full = "F401 [*] `os` imported but unused\n --> a.py:1:8\n  |\n1 | import os\n  |        ^^\n  |\n\
            help: Remove unused import: `os`\n\nFound 1 error.\n";
        assert_eq!(lints_of(full), ["a.py:1:8 [F401] Error: `os` imported but unused"]);
    }
}

mod unix {
    use super::{lints_of, types_of};

    #[test]
    fn the_common_form_is_read() {
        let text = "# example.com/a\n./a.go:3:2: undefined: x\nvet: ./b.go:4:2: declared and not used: y\n\
            src/main.rs:2:18: error[E0308]: mismatched types\n";
        let expected = ["./a.go:3:2 Error: undefined: x", "src/main.rs:2:18 [E0308] Error: mismatched types"];
        assert_eq!(types_of(text), expected);
        let eslint = "/x/a.js:1:5: 'y' is never used. [Error/no-unused-vars]\n/x/a.js:2:1: Odd [Warning/no-odd]\n\n2 problems\n";
        let expected =
            ["/x/a.js:1:5 [no-unused-vars] Error: 'y' is never used.", "/x/a.js:2:1 [no-odd] Warning: Odd"];
        assert_eq!(lints_of(eslint), expected);
    }
}

#[test]
fn every_formatter_names_its_files() {
    let cases = [
        (
            "Diff in /x/src/main.rs:1:\n-fn main(){}\n+fn main() {}\nDiff in /x/src/main.rs:9:\n",
            "/x/src/main.rs",
        ),
        ("Diff in /x/src/a b.rs at line 1:\n-x\n+y\n", "/x/src/a b.rs"),
        (
            "Checking formatting...\n[warn] src/a.js\n[warn] Code style issues found in the above file. Run Prettier \
          with --write to fix.\n",
            "src/a.js",
        ),
        ("Checking formatting...\n[error] src/a.js: SyntaxError: Unexpected token (1:3)\n", "src/a.js"),
        ("Would reformat: a.py\n1 file would be reformatted, 3 files already formatted\n", "a.py"),
        ("would reformat a.py\n\nOh no!\n1 file would be reformatted.\n", "a.py"),
        ("cmd/a b.go\n", "cmd/a b.go"),
        (
            "\nfrom /x/a.ts:\n1 | -const a=1\n1 | +const a = 1;\n\nerror: Found 1 not formatted file in 2 files\n",
            "/x/a.ts",
        ),
    ];
    for (text, file) in cases {
        assert_eq!(format(&Printed { stdout: text, stderr: "", exit: Some(1) }), [file], "{text}");
    }
    let clean = "All matched files use Prettier code style!\n3 files already formatted\nChecked 2 files\n";
    assert_eq!(format(&Printed { stdout: clean, stderr: "", exit: Some(0) }), Vec::<String>::new());
}
