//! Real tools of mutation testing, each on a small project: what no test notices is asked about, and the tool is believed because it
//! sees tests fail. cargo-mutants takes minutes to install; it is shown by its recorded report in `tests/checks/mutants.rs`.

use serde_json::{Value, json};

use super::project::{branch, is_installed};
use super::{places, result};

/// A project with a function, and what a branch makes of it.
struct Project {
    tool: &'static str,
    linked: &'static str,
    commands: [&'static str; 2],
    files: &'static [(&'static str, &'static str)],
    /// The file of the code, and how it begins and ends.
    code: (&'static str, &'static str),
    tests: &'static str,
    /// A test that holds the change, and one that holds nothing.
    held: &'static str,
    hollow: &'static str,
    /// What survives the one that holds nothing.
    survivor: &'static str,
}

const STRYKER: Project = Project {
    tool: "stryker",
    linked: "node_modules",
    commands: ["node --test", "node_modules/.bin/stryker run --testRunner command"],
    files: &[
        (".gitignore", "node_modules/\nreports/\n"),
        (
            "package.json",
            "{ \"name\": \"pager\", \"private\": true, \"scripts\": { \"test\": \"node --test\" } }\n",
        ),
        ("src/pager.js", "exports.pages = (items) => Math.floor(items / 3);\n"),
    ],
    code: ("src/pager.js", "exports.books = (pages) => {\n  return pages > 2;\n};\n"),
    tests: "test/books.test.js",
    held: "const assert = require('node:assert/strict');\nconst { test } = require('node:test');\n\
        const { books } = require('../src/pager');\n\ntest('books', () => {\n  assert.equal(books(3), true);\n\
        \x20 assert.equal(books(2), false);\n  assert.equal(books(1), false);\n});\n",
    hollow: "const { test } = require('node:test');\nconst { books } = require('../src/pager');\n\n\
        test('books', () => {\n  if (books(3) === undefined) throw new Error('nothing');\n});\n",
    survivor: "replace `pages > 2` with `false`",
};

const MUTMUT: Project = Project {
    tool: "mutmut",
    linked: ".venv",
    commands: [".venv/bin/pytest", ".venv/bin/mutmut run"],
    files: &[
        (".gitignore", ".venv/\n__pycache__/\n.pytest_cache/\nmutants/\n"),
        (
            "pyproject.toml",
            "[tool.mutmut]\nsource_paths = [\"src\"]\n\n[tool.pytest.ini_options]\npythonpath = [\"src\"]\ntestpaths = [\"tests\"]\n",
        ),
        ("src/pager.py", "def pages(items):\n    return items // 3\n"),
    ],
    code: ("src/pager.py", "\n\ndef books(pages):\n    return pages > 2\n"),
    tests: "tests/test_books.py",
    held: "from pager import books\n\n\ndef test_books():\n    assert books(3) is True\n    assert books(2) is False\n",
    hollow: "from pager import books\n\n\ndef test_books():\n    assert books(3) is not None\n",
    survivor: "replace `return pages > 2` with `return pages >= 2`",
};

/// Returns what the check says of a branch with this test; nothing where the tool is not installed.
fn judged(project: &Project, test: &str) -> Option<Value> {
    is_installed(project.tool, false).then_some(())?;
    let [suite, tool] = project.commands;
    let sandbox = branch(project.files.iter().copied(), Some(project.linked), "test", suite);
    let config = sandbox.read(".ai-workflow/config.toml");
    sandbox.write(".ai-workflow/config.toml", &format!("{config}mutants = \"{tool}\"\n"));
    let (file, added) = project.code;
    sandbox.write(file, &(sandbox.read(file) + added));
    sandbox.write(project.tests, test);
    let ran = sandbox.run(&["check", "--base", "main", "--only", "tests,mutants", "--json"]).exits(0);
    Some(result(&ran, "mutants"))
}

fn what_no_test_notices_is_asked(project: &Project) {
    let Some(result) = judged(project, project.hollow) else { return };
    assert_eq!((&result["status"], &result["required"]), (&json!("fail"), &json!(false)), "{result}");
    let asked = places(&result);
    assert!(asked.len() == 1 && asked[0].contains(project.survivor), "{result}");
    assert_eq!(result["places"][0]["file"], project.code.0);
}

fn a_change_that_tests_hold_is_not_asked_about(project: &Project) {
    let Some(result) = judged(project, project.held) else { return };
    assert_eq!(result["status"], "pass", "{result}");
    assert!(
        result["summary"].as_str().is_some_and(|text| text.contains("a test fails with each")),
        "{result}"
    );
}

/// Makes the tests of each tool.
macro_rules! tools {
    ($($name:ident: $project:expr),+ $(,)?) => {$(
        mod $name {
            #[test]
            #[ignore = "needs the real tools of mutation testing: .ci/full runners"]
            fn what_no_test_notices_is_asked() {
                super::what_no_test_notices_is_asked(&$project);
            }

            #[test]
            #[ignore = "needs the real tools of mutation testing: .ci/full runners"]
            fn a_change_that_tests_hold_is_not_asked_about() {
                super::a_change_that_tests_hold_is_not_asked_about(&$project);
            }
        }
    )+};
}

tools![stryker: super::STRYKER, mutmut: super::MUTMUT];
