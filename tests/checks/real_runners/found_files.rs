//! Which files Jest, pytest, Ruff and `ESLint` find: in the clean worktree the same as in the checkout.

use std::collections::BTreeSet;
use std::fs;

use regex::Regex;

use super::project::{branch, is_installed};
use crate::support::Sandbox;

const FILES: [(&str, &str); 10] = [
    (".gitignore", "node_modules/\n.venv/\n.pytest_cache/\n.ruff_cache/\n__pycache__/\n"),
    ("package.json", "{ \"name\": \"pager\", \"private\": true }"),
    ("eslint.config.js", "module.exports = [{}];\n"),
    ("src/pager.js", "exports.pages = (items, size) => Math.ceil(items / size);\n"),
    ("src/pager.test.js", "test('pages', () => {});\n"),
    ("src/__tests__/books.js", "test('books', () => {});\n"),
    ("packages/inner/inner.test.js", "test('inner', () => {});\n"),
    ("pager.py", "def pages(items, size):\n    return -(-items // size)\n"),
    ("tests/test_pager.py", "def test_pages():\n    pass\n"),
    ("packages/inner/test_inner.py", "def test_inner():\n    pass\n"),
];

/// Asserts which files a tool finds in both places; the program comes from the folder of dependencies.
fn finds(program: &str, linked: &str, command: &str, expected: &[&str]) {
    if !is_installed(program, false) {
        return;
    }
    let branch = branch(FILES.into_iter(), Some(linked), "build", "true");
    let list = "#!/bin/sh\nset -e\nout=$({ COMMAND; } 2>&1)\n\
        printf '%s\\n' \"$out\" | sed \"s#$PWD/##g\" > \"../found-by-$(basename \"$PWD\")\"\n";
    let list = branch.executable("list", &list.replace("COMMAND", command));
    Sandbox::finish(branch.command(&list.to_string_lossy())).exits(0);
    let set = format!("commands.build={}", list.display());
    branch.run(&["check", "--base", "main", "--only", "build", "--set", &set]).exits(0);
    for place in ["repo", "repo-check-clean"] {
        let found = fs::read_to_string(branch.root().with_file_name(format!("found-by-{place}")));
        assert_eq!(files_in(&found.expect("what was found")), expected.iter().copied().collect(), "{place}");
    }
}

/// Returns the files of JavaScript and Python that a text names.
fn files_in(text: &str) -> BTreeSet<&str> {
    let file = Regex::new(r"[\w./-]+\.(?:js|py)\b").expect("a constant");
    file.find_iter(text).map(|found| found.as_str()).filter(|path| !path.starts_with('/')).collect()
}

#[test]
#[ignore = "needs the real runners of tests: .ci/full runners"]
fn jest_finds_the_same_files_in_the_clean_worktree() {
    let expected = ["packages/inner/inner.test.js", "src/__tests__/books.js", "src/pager.test.js"];
    finds("jest", "node_modules", "npx jest --listTests", &expected);
}

#[test]
#[ignore = "needs the real runners of tests: .ci/full runners"]
fn pytest_finds_the_same_files_in_the_clean_worktree() {
    let expected = ["packages/inner/test_inner.py", "tests/test_pager.py"];
    finds("pytest", ".venv", ".venv/bin/pytest --collect-only -q", &expected);
}

#[test]
#[ignore = "needs the real runners of tests: .ci/full runners"]
fn ruff_finds_the_same_files_in_the_clean_worktree() {
    let expected = ["packages/inner/test_inner.py", "pager.py", "tests/test_pager.py"];
    finds("ruff", ".venv", ".venv/bin/ruff check --show-files", &expected);
}

#[test]
#[ignore = "needs the real runners of tests: .ci/full runners"]
fn eslint_finds_the_same_files_in_the_clean_worktree() {
    let expected = [
        "eslint.config.js",
        "packages/inner/inner.test.js",
        "src/__tests__/books.js",
        "src/pager.js",
        "src/pager.test.js",
    ];
    finds("eslint", "node_modules", "npx eslint --format json .", &expected);
}
