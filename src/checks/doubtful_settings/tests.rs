//! Which settings are asked about, and which are not.

use super::*;
use crate::scene::Scene;

fn asked(path: &str, before: &str, after: &str) -> usize {
    questions(&Scene::changing(path, before, after).site()).len()
}

#[test]
fn a_key_that_decides_what_tests_or_checkers_see_is_asked_about() {
    for (path, before, after) in [
        ("package.json", r#"{"scripts": {"test": "jest"}}"#, r#"{"scripts": {"test": "jest -t adds"}}"#),
        ("web/tsconfig.json", "{\n// all\n\"include\": [\"src\", \"test\"]}", "{\"include\": [\"src\"]}"),
        ("pyproject.toml", "[tool.mypy]\nstrict = true\n", "[tool.mypy]\n"),
        ("Cargo.toml", "[package]\nname = \"a\"\n", "[package]\nname = \"a\"\nautotests = false\n"),
        (
            "pyproject.toml",
            "[tool.ruff]\nselect = [\"E\"]\nignore = [\"B904\"]\n",
            "[tool.ruff.lint]\nselect = [\"E\"]\nignore = [\"B904\", \"E501\"]\n",
        ),
        ("tox.ini", "[testenv]\ncommands =\n  pytest\n", "[testenv]\ncommands =\n  true\n"),
        ("vitest.config.ts", "export default {};\n", "export default { exclude: ['a'] };\n"),
        ("Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test -run ^$ ./...\n"),
        ("ci/run.sh", "set -e\npytest\n", "pytest\n"),
        ("run_tests.sh", "cd app\n", "cd app\nexport PYTHONOPTIMIZE=1\n"),
        ("tox.ini", "[testenv]\ndeps = a\n", "[testenv]\ndeps = a\nsetenv =\n    PYTHONOPTIMIZE = 1\n"),
        ("Makefile", "GOTESTFLAGS ?= -race\n", "GOTESTFLAGS ?= -race -run '^NONE$$'\n"),
    ] {
        assert_eq!(asked(path, before, after), 1, "{path}");
    }
}

#[test]
fn what_a_project_needs_otherwise_is_no_question() {
    for (path, before, after) in [
        (
            "package.json",
            r#"{"dependencies": {"a": "1"}}"#,
            r#"{"dependencies": {"a": "2"}, "version": "3"}"#,
        ),
        (
            "pyproject.toml",
            "[project]\nversion = \"1\"\n",
            "[project]\nversion = \"2\"\ndependencies = [\"a\"]\n",
        ),
        ("Cargo.toml", "[dependencies]\na = \"1\"\n", "[dependencies]\na = \"2\"\n"),
        (
            "tsconfig.json",
            r#"{"compilerOptions": {"target": "es5"}}"#,
            r#"{"compilerOptions": {"target": "es6"}}"#,
        ),
        (
            "pyproject.toml",
            "[tool.ruff]\nselect = [\"E\"]\nignore = [\"B904\"]\n",
            "[tool.ruff.lint]\nselect = [\"E\"]\nignore = [\"B904\"]\n",
        ),
        ("Makefile", "build:\n\tgo build\n", "build:\n\tgo build -v\n"),
        ("Makefile", "test:\n\tgo test\n", "# all\ntest:\n\tgo test\n"),
        ("tests/fixtures/package.json", r#"{"scripts": {"test": "a"}}"#, r#"{"scripts": {"test": "b"}}"#),
        ("src/config.ts", "a", "b"),
        ("tests/pages_test.sh", "check 'one' 1\n", "check 'one' 1\ncheck 'two' 2\n"),
    ] {
        assert_eq!(asked(path, before, after), 0, "{path}");
    }
}

#[test]
fn a_rule_by_which_git_passes_over_tests_is_asked_about() {
    let places = |path: &str, rule: &str| {
        let scene = Scene::changing(path, "dist/\n", &format!("dist/\n{rule}\n"));
        let scene = scene.on_disk("test_pages.py", "").on_disk("web/test/pages.test.js", "");
        questions(&scene.site()).len()
    };
    for (path, rule) in [
        (".gitignore", "*.py"),
        (".gitignore", "test_*.py"),
        (".gitignore", "/web/test/"),
        (".gitignore", "web/**/*.test.js"),
        (".gitignore", "test"),
        ("web/.gitignore", "test/"),
        ("web/.gitignore", "/test/*.js"),
    ] {
        assert_eq!(places(path, rule), 1, "{path}: {rule}");
    }
    for (path, rule) in [
        (".gitignore", "*.log"),
        (".gitignore", "# test_pages.py"),
        (".gitignore", "!test_pages.py"),
        (".gitignore", "/test/"),
        (".gitignore", ""),
        ("web/.gitignore", "*.py"),
    ] {
        assert_eq!(places(path, rule), 0, "{path}: {rule}");
    }
}
