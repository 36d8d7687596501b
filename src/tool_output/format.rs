//! Which files a formatter would change: cargo fmt, prettier, ruff and black, gofmt, deno fmt.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::pattern::{self, part};
use super::plain::{lines, plain};
use super::{MOST_KEPT, Printed};

static FORMATTERS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let patterns = pattern::lines(include_str!("data/formatters.regex")).map(Regex::new);
    patterns.collect::<Result<_, _>>().expect("the patterns are constants")
});

/// Returns the files that are not formatted, each once.
pub fn format(printed: &Printed) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    for stream in [printed.stdout, printed.stderr] {
        let text = plain(stream);
        for file in lines(&text).into_iter().filter_map(file) {
            if files.len() < MOST_KEPT && known.insert(file.to_owned()) {
                files.push(file.to_owned());
            }
        }
    }
    files
}

fn file(line: &str) -> Option<&str> {
    part(&FORMATTERS.iter().find_map(|pattern| pattern.captures(line))?, "file")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let clean =
            "All matched files use Prettier code style!\n3 files already formatted\nChecked 2 files\n";
        assert_eq!(format(&Printed { stdout: clean, stderr: "", exit: Some(0) }), Vec::<String>::new());
    }
}
