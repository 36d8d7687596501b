//! Settings of runners beside settings that only look like them.

use super::*;

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn settings_that_have_nothing_to_do_with_tests_pass() {
    each_passes(&[
        (
            "retries of a tool",
            &[("pyproject.toml", "[tool.fetch]\n", "[tool.fetch]\nretries = 3\ntest = false\n")],
        ),
        (
            "metadata",
            &[("Cargo.toml", "[package.metadata.x]\n", "[package.metadata.x]\ntest = false\nretries = 2\n")],
        ),
        (
            "an example is no test",
            &[("Cargo.toml", "[package]\n", "[package]\n\n[[example]]\nname = \"a\"\ntest = false\n")],
        ),
        ("a list of a tool", &[("setup.cfg", "[flake8]\n", "[flake8]\nnorecursedirs = src\n")]),
        (
            "new jest",
            &[(
                "jest.config.js",
                "",
                "module.exports = {\n  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/dist/'],\n  modulePathIgnorePatterns: [\n    '<rootDir>/build',\n  ],\n};\n",
            )],
        ),
        ("new pytest", &[("pytest.ini", "", "[pytest]\nnorecursedirs = .git build *.egg\n")]),
        ("usual folders", &[("pytest.ini", "[pytest]\n", "[pytest]\nnorecursedirs = .git build\n")]),
        (
            "usual folders, a list",
            &[(
                "pyproject.toml",
                "[tool.pytest.ini_options]\n",
                "[tool.pytest.ini_options]\nnorecursedirs = [\n    \".git\",\n    \"node_modules\",\n]\n",
            )],
        ),
        ("data", &[("pytest.ini", "[pytest]\n", "[pytest]\naddopts = -q --ignore=tests/data\n")]),
        (
            "data, below",
            &[(
                "tox.ini",
                "[pytest]\naddopts =\n    -q\n",
                "[pytest]\naddopts =\n    -q\n    --ignore=tests/data\n",
            )],
        ),
        ("setup", &[("conftest.py", "import x\n", "import x\ncollect_ignore = [\"setup.py\"]\n")]),
        (
            "in package.json",
            &[(
                "package.json",
                "{\n  \"jest\": {}\n}\n",
                "{\n  \"jest\": {\n    \"testPathIgnorePatterns\": [\"/node_modules/\", \"/dist/\"]\n  }\n}\n",
            )],
        ),
    ]);
    each_is_caught(&[
        (
            "retries",
            &[(".config/nextest.toml", "[profile.default]\n", "[profile.default]\nretries = 3\n")],
            "leaves tests out",
        ),
        (
            "retries of pytest",
            &[("pyproject.toml", "[tool.pytest.ini_options]\n", "[tool.pytest.ini_options]\nretries = 3\n")],
            "leaves tests out",
        ),
        (
            "retries of a runner",
            &[("playwright.config.ts", "export default {\n", "export default {\n  retries: 3,\n")],
            "leaves tests out",
        ),
        (
            "a library without tests",
            &[("Cargo.toml", "[lib]\n", "[lib]\ntest = false\n")],
            "leaves tests out",
        ),
        (
            "a target without tests",
            &[("Cargo.toml", "[[test]]\nname = \"a\"\n", "[[test]]\nname = \"a\"\ntest = false\n")],
            "leaves tests out",
        ),
        (
            "a folder of tests",
            &[("pytest.ini", "[pytest]\n", "[pytest]\nnorecursedirs = .git unit\n")],
            "leaves tests out",
        ),
        (
            "a file beside data",
            &[("pytest.ini", "[pytest]\n", "[pytest]\naddopts = --ignore=tests/data --ignore=tests/unit\n")],
            "leaves tests out",
        ),
        (
            "one pattern of several",
            &[(
                "jest.config.js",
                "",
                "module.exports = {\n  testPathIgnorePatterns: [\n    '/node_modules/',\n    'a.test.ts',\n  ],\n};\n",
            )],
            "leaves tests out",
        ),
        (
            "a file of tests",
            &[("conftest.py", "import x\n", "import x\ncollect_ignore = [\"test_a.py\"]\n")],
            "leaves tests out",
        ),
    ]);
}
