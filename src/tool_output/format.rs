//! Which files a formatter would change: cargo fmt, prettier, ruff and black, gofmt, deno fmt.

use std::collections::HashSet;

use super::place::place;
use super::plain::{lines, plain};
use super::{MOST_KEPT, Printed};

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
    rustfmt(line)
        .or_else(|| prettier(line))
        .or_else(|| ruff(line))
        .or_else(|| deno(line))
        .or_else(|| gofmt(line))
}

/// Reads `Diff in /x/src/main.rs:1:`, formerly `Diff in /x/src/main.rs at line 1:`.
fn rustfmt(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("Diff in ")?;
    if let Some((file, _)) = rest.rsplit_once(" at line ") {
        return Some(file);
    }
    let found = place(rest)?;
    rest.get(..found.file.len()).or(Some(rest))
}

/// Reads `[warn] src/a.js`; the last such line is a sentence.
fn prettier(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("[error] ") {
        let (file, _) = rest.split_once(": SyntaxError")?;
        return Some(file);
    }
    let file = line.strip_prefix("[warn] ")?;
    let sentence =
        file.starts_with("Code style issues ") || file.starts_with("Ignored ") || file.ends_with('.');
    (!sentence).then_some(file)
}

/// Reads `Would reformat: a.py`, and black's `would reformat a.py`.
fn ruff(line: &str) -> Option<&str> {
    line.strip_prefix("Would reformat: ").or_else(|| line.strip_prefix("would reformat "))
}

/// Reads `from /x/a.ts:`.
fn deno(line: &str) -> Option<&str> {
    let file = line.strip_prefix("from ")?.strip_suffix(':')?;
    Some(file.strip_prefix("file://").unwrap_or(file))
}

/// `gofmt -l` prints names and nothing else.
fn gofmt(line: &str) -> Option<&str> {
    (line.strip_suffix(".go").is_some()
        && !line.contains(": ")
        && !line.starts_with([' ', '+', '-', '#', '\t']))
    .then_some(line)
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
