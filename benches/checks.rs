//! How long the checks of big changes take, as a user sees it: the whole command with git's share, without the project's own
//! commands. Changes of code, of tests, of both, and of one file of tests that is huge. Exits 1 beyond a row's limit.

#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used, reason = "a benchmark")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// So much new text has the code of the first row, and about as much the tests of the second.
const BYTES: usize = 5 * 1024 * 1024;
const FILES: usize = 2_000;
const TESTS: usize = 50;
/// What the checks of a big change may take.
const TARGET: Duration = Duration::from_secs(1);
const RUNS: usize = 5;
const MOST_TRIES: usize = 6;
const PAUSE: Duration = Duration::from_secs(10);

/// A change: so many files of code, half of them new; so many files of tests that were there; how many tests each holds.
struct Row {
    name: &'static str,
    code: usize,
    tests: usize,
    each: usize,
    /// The median beyond which the benchmark fails. What is nothing but tests has a hundred thousand of them to compare,
    /// which takes longer than the target; the limit sees to it that it does not take longer still.
    limit: Duration,
}

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const HUGE: &str = "one huge file of tests in each language";

const ROWS: [Row; 4] = [
    Row { name: "code", code: FILES, tests: 0, each: 0, limit: Duration::from_millis(1300) },
    Row { name: "tests", code: 0, tests: FILES, each: TESTS, limit: seconds(12) },
    Row { name: "code and tests", code: FILES * 4 / 5, tests: FILES / 5, each: TESTS, limit: seconds(4) },
    Row { name: HUGE, code: 0, tests: FRAMES.len(), each: 10_000, limit: seconds(6) },
];

/// A language: its ending, and a line of a file with `N` for a number.
const LANGUAGES: [(&str, &str, &str, &str); 7] = [
    (
        "rs",
        "//! Pages.\n",
        "/// Page N.\npub fn page_N(lines: u32) -> u32 {\n    lines / 40 + N // begun pages count\n}\n",
        "",
    ),
    (
        "py",
        "import math\n",
        "def page_N(lines):\n    # begun pages count\n    return math.ceil(lines / 40) + N\n\n",
        "",
    ),
    (
        "ts",
        "// Pages.\n",
        "export function pageN(lines: number): number {\n  return Math.ceil(lines / 40) + N;\n}\n",
        "",
    ),
    ("js", "// Pages.\n", "export const pageN = (...lines) => lines.map((line) => line + N);\n", ""),
    (
        "go",
        "package pages\n\n",
        "// PageN counts.\nfunc PageN(lines int) int {\n\treturn lines/40 + N\n}\n\n",
        "",
    ),
    ("json", "{\n", "  \"pageN\": {\"lines\": [N, 40], \"full\": true},\n", "  \"end\": null\n}\n"),
    ("md", "# Pages\n\n", "Page N holds forty lines; a page that was begun counts.\n\n", ""),
];

/// How a language writes tests: the name of a file, its head, and a test of `N` that expects `M`.
const FRAMES: [(&str, &str, &str); 4] = [
    (
        "tests/part/pages_N.rs",
        "use book::pages;\n\nfn full(lines: u32) -> u32 {\n    if lines > M { 1 } else { 0 }\n}\n\n",
        "#[test]\nfn page_N() {\n    assert_eq!(pages(N), M);\n}\n\n",
    ),
    (
        "tests/part/test_pages_N.py",
        "from book import pages\n\n\ndef full(lines):\n    if lines > M:\n        return 1\n    return 0\n\n\n",
        "def test_page_N():\n    assert pages(N) == M\n\n\n",
    ),
    (
        "src/part/pages_N.test.ts",
        "import { pages } from './pages';\n\nconst full = (lines: number) => {\n  if (lines > M) return 1;\n  return 0;\n};\n\n",
        "it('has N lines', () => {\n  expect(pages(N)).toBe(M);\n});\n\n",
    ),
    (
        "part/pages_N_test.go",
        "package part\n\nimport \"testing\"\n\n",
        "func TestPageN(t *testing.T) {\n\tif pages(N) != M {\n\t\tt.Error(N)\n\t}\n}\n\n",
    ),
];

/// Returns a file of code; other salt, other code.
fn code(file: usize, salt: usize) -> String {
    let (_, head, line, end) = LANGUAGES[file % LANGUAGES.len()];
    let mut text = head.to_owned();
    let mut number = 0;
    while text.len() < BYTES / FILES {
        let _ = write!(text, "{}", line.replace('N', &(number * 7 + salt).to_string()));
        number += 1;
    }
    text + end
}

/// Returns a file of tests whose names stay; other salt, other values.
fn tests(file: usize, each: usize, salt: usize) -> String {
    let (_, head, test) = FRAMES[file % FRAMES.len()];
    let value = |number: usize| (number / 40 + salt).to_string();
    let mut text = head.replace('M', &value(file));
    for number in 0..each {
        text += &test.replace('N', &number.to_string()).replace('M', &value(number));
    }
    text
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

impl Row {
    /// Writes the files as they were, or as they are now.
    fn write(&self, root: &Path, now: bool) {
        let salt = if now { 2 } else { 1 };
        for file in (0..self.code).filter(|file| now || file % 2 == 0) {
            let (ending, ..) = LANGUAGES[file % LANGUAGES.len()];
            write(root, &format!("src/part{}/page{file}.{ending}", file % 40), &code(file, salt));
        }
        for file in 0..self.tests {
            let (path, ..) = FRAMES[file % FRAMES.len()];
            let path = path.replace("part", &format!("part{}", file % 40)).replace('N', &file.to_string());
            write(root, &path, &tests(file, self.each, salt));
        }
    }

    /// Tells whether the target was met.
    fn measure(&self) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "-q", "-b", "main"]);
        self.write(root, false);
        git(root, &["add", "-A"]);
        git(root, &["commit", "-q", "-m", "begin"]);
        self.write(root, true);
        let times = self.undisturbed(root);
        println!(
            "checks of {}: {} files, {} tests: fastest {:.2} s, median {:.2} s, slowest {:.2} s (target {:.0} s, limit {:.1} s)",
            self.name,
            self.code + self.tests,
            self.tests * self.each,
            times[0].as_secs_f64(),
            times[RUNS / 2].as_secs_f64(),
            times[RUNS - 1].as_secs_f64(),
            TARGET.as_secs_f64(),
            self.limit.as_secs_f64()
        );
        times[RUNS / 2] < self.limit
    }

    /// Returns the times of several runs, the shortest first. A machine that was busy with something else gets more tries: a
    /// neighbour's load lasts for some minutes, and the command can become no faster than it is.
    fn undisturbed(&self, root: &Path) -> Vec<Duration> {
        let mut best = self.times(root);
        for _ in 1..MOST_TRIES {
            if best[RUNS / 2] < self.limit {
                break;
            }
            std::thread::sleep(PAUSE);
            let times = self.times(root);
            if times[RUNS / 2] < best[RUNS / 2] {
                best = times;
            }
        }
        best
    }

    fn times(&self, root: &Path) -> Vec<Duration> {
        let mut times: Vec<Duration> = (0..RUNS).map(|_| self.check(root)).collect();
        times.sort();
        times
    }

    /// Runs the command and sees that it looked at every file: more was added than anybody may add here.
    fn check(&self, root: &Path) -> Duration {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ai-workflow"));
        // What configures the program of whoever measures must not configure this one.
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AI_WORKFLOW_"))
        {
            command.env_remove(name);
        }
        let began = Instant::now();
        let output = command
            .current_dir(root)
            .args(["check", "--base", "HEAD", "--no-commands", "--json", "--set", "checks.max_kilobytes=1"])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let took = began.elapsed();
        let said = String::from_utf8_lossy(&output.stdout);
        let seen = format!("{} files changed", self.code + self.tests);
        assert!(output.status.code() == Some(1) && said.contains(&seen), "{said}");
        took
    }
}

fn git(root: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"];
    let status = Command::new("git").current_dir(root).args(identity).args(arguments).status().unwrap();
    assert!(status.success(), "git {arguments:?}");
}

/// Measures all rows, or those whose names hold the words of the command line.
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |row: &&Row| words.is_empty() || words.iter().any(|word| row.name.contains(word.as_str()));
    let met: Vec<bool> = ROWS.iter().filter(wanted).map(Row::measure).collect();
    ExitCode::from(u8::from(met.contains(&false)))
}
