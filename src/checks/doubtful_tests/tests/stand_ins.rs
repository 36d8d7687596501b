//! Asserts about a stand-in, and runners that find fewer tests, beside honest changes.

use super::*;

#[test]
fn asserts_about_a_stand_in_are_caught() {
    let python = "from app import greet\n\n\ndef test_greets():\n    assert greet('Ann') == 'Hello Ann'\n";
    let owned = "import app\n\n\ndef test_greets(monkeypatch):\n    assert app.greet('Ann') == 'Hello Ann'\n";
    let script = "import { greet } from './greet';\n\nit('greets', () => {\n  expect(greet('Ann')).toBe('Hello Ann');\n});\n";
    let rust =
        "use app::greet;\n\n#[test]\nfn greets() {\n    assert_eq!(greet(\"Ann\"), \"Hello Ann\");\n}\n";
    let inline = "fn greet(name: &str) -> String {\n    format!(\"Hello {name}\")\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn greets() {\n        assert_eq!(greet(\"Ann\"), \"Hello Ann\");\n    }\n}\n";
    let own = "    fn greet(name: &str) -> String {\n        \"Hello Ann\".into()\n    }\n\n    #[test]\n";
    each_is_caught(&[
        (
            "defined",
            &[(
                "test_a.py",
                python,
                &python.replace("from app import greet\n", "def greet(name):\n    return 'Hello Ann'\n"),
            )],
            "takes the place",
        ),
        (
            "shadowed",
            &[(
                "test_a.py",
                python,
                &python.replace("import greet\n", "import greet\n\n\ngreet = lambda name: 'Hello Ann'\n"),
            )],
            "takes the place",
        ),
        (
            "script",
            &[(
                "a.test.ts",
                script,
                &script.replace("import { greet } from './greet';", "const greet = () => 'Hello Ann';"),
            )],
            "takes the place",
        ),
        (
            "mocked",
            &[(
                "a.test.ts",
                script,
                &script
                    .replace("\nit(", "\njest.mock('./greet', () => ({ greet: () => 'Hello Ann' }));\n\nit("),
            )],
            "`./greet` is mocked",
        ),
        (
            "rust",
            &[(
                "tests/a.rs",
                rust,
                &rust.replace("use app::greet;", "fn greet(_: &str) -> &str {\n    \"Hello Ann\"\n}"),
            )],
            "takes the place",
        ),
        ("inside", &[("src/a.rs", inline, &inline.replace("    #[test]\n", own))], "takes the place"),
        (
            "patched",
            &[(
                "test_a.py",
                owned,
                &owned.replace(
                    "    assert",
                    "    monkeypatch.setattr(app, 'greet', lambda name: 'Hello Ann')\n    assert",
                ),
            )],
            "`app.greet` is replaced",
        ),
    ]);
    each_is_caught(&[(
        "what it answers is said",
        &[(
            "a.test.ts",
            script,
            &script.replace("\nit(", "\njest.mock('./greet');\ngreet.mockReturnValue('Hello Ann');\n\nit("),
        )],
        "replaces what the tests are about",
    )]);
    each_passes(&[
        ("what it needs answers", &[("a.test.ts", script, &script.replace("\nit(", "\nclock.mockReturnValue(0);\n\nit("))]),
        ("what it needs is patched", &[("test_a.py", owned, &owned.replace("    assert", "    monkeypatch.setattr(app, 'clock', lambda: 0)\n    assert"))]),
        ("what it needs is mocked", &[("a.test.ts", script, &script.replace("\nit(", "\njest.mock('./clock');\n\nit("))]),
        (
            "partly mocked",
            &[("a.test.ts", script, &script.replace("\nit(", "\njest.mock('./greet', () => ({\n  ...jest.requireActual('./greet'),\n  log: () => {},\n}));\n\nit("))],
        ),
        ("a wrapper", &[("src/a.rs", inline, &inline.replace("    #[test]\n", "    fn greet(name: &str) -> String {\n        super::greet(name).trim().into()\n    }\n\n    #[test]\n"))]),
        ("required now", &[("a.test.js", script, &script.replace("import { greet } from './greet';", "const { greet } = require('./greet');"))]),
        (
            "a helper of tests",
            &[("test_a.py", &python.replace("from app", "from tests.helpers"), &python.replace("from app import greet\n", "def greet(name):\n    return 'Hello Ann'\n"))],
        ),
        (
            "gone from the product",
            &[
                ("test_a.py", python, &python.replace("from app import greet\n", "def greet(name):\n    return 'Hello Ann'\n")),
                ("app.py", "def greet(name):\n    return name\n", "x = 1\n"),
            ],
        ),
        ("a fixture", &[("test_a.py", python, &python.replace("from app import greet\n", "@pytest.fixture\ndef greet(name):\n    return greet_of(name)\n"))]),
    ]);
}

#[test]
fn a_method_that_is_patched_by_its_class_is_caught() {
    let method = "from shop import Basket\n\n\ndef test_total(basket):\n    assert basket.total() == 9\n";
    each_is_caught(&[(
        "a method patched around the test",
        &[(
            "test_a.py",
            method,
            &method.replace("def test", "@patch('shop.Basket.total', lambda self: 9)\ndef test"),
        )],
        "replaces what the tests are about",
    )]);
    each_passes(&[(
        "another method is patched",
        &[(
            "test_a.py",
            method,
            &method.replace("def test", "@patch('shop.Clock.now', lambda self: 9)\ndef test"),
        )],
    )]);
}

#[test]
fn a_runner_that_finds_fewer_tests_is_caught() {
    let files = ["tests/a.rs", "tests/unit/x.py", "web/a.js", "web/a.spec.ts", "tests/test_b.py"];
    let on_disk =
        |scene: Scene| files.iter().fold(scene, |scene, path| scene.on_disk(path, "#[test]\nfn a() {}\n"));
    let said = |path: &str, before: &str, after: &str| {
        let scene = on_disk(made(&[(path, before, after)]));
        let site = scene.site();
        (tampering::places(&site).len(), suspect::examine(&site).places.len())
    };
    for (path, before, after) in [
        ("pytest.ini", "[pytest]\ntestpaths = tests web\n", "[pytest]\ntestpaths = web\n"),
        ("pytest.ini", "[pytest]\ntestpaths =\n    tests\n    web\n", "[pytest]\ntestpaths =\n    web\n"),
        ("pytest.ini", "[pytest]\ntestpaths = tests\n", "[pytest]\ntestpaths = tests/unit\n"),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\ntestpaths = [\"tests\", \"web\"]\n",
            "[tool.pytest.ini_options]\ntestpaths = [\"web\"]\n",
        ),
        ("pytest.ini", "[pytest]\n", "[pytest]\npython_files = test_a*.py\n"),
        ("setup.cfg", "[tool:pytest]\n", "[tool:pytest]\npython_functions = test_fast_*\n"),
        (
            "jest.config.js",
            "module.exports = {\n  testMatch: ['**/*.test.ts', '**/*.spec.ts'],\n};\n",
            "module.exports = {\n  testMatch: ['**/*.test.ts'],\n};\n",
        ),
        (
            "vitest.config.ts",
            "export default {\n  exclude: ['dist'],\n};\n",
            "export default {\n  exclude: ['dist', 'src/a.test.ts'],\n};\n",
        ),
        ("Cargo.toml", "[package]\n", "[package]\n\n[[test]]\nname = \"a\"\nharness = false\n"),
        (
            "test_x.py",
            "import unittest\n",
            "import unittest\n\n\ndef load_tests(loader, standard, pattern):\n    return unittest.TestSuite()\n",
        ),
        ("tests/run.sh", "set -e\n./a\n", "./a\n"),
        ("tests/run.sh", "./a --all\n", "./a --all || true\n"),
        ("scripts/check.sh", "sh tests/a.sh\n", "sh tests/a.sh || :\n"),
    ] {
        assert_eq!(said(path, before, after), (0, 1), "{path}: {after}");
    }
    for (path, before, after) in [
        ("pytest.ini", "[pytest]\ntestpaths = tests\n", "[pytest]\ntestpaths = tests web\n"),
        ("pytest.ini", "[pytest]\ntestpaths = tests old\n", "[pytest]\ntestpaths = tests\n"),
        ("pytest.ini", "[pytest]\npython_files = test_*.py\n", "[pytest]\npython_files = *.py\n"),
        ("pytest.ini", "[pytest]\n", "[pytest]\ntestpaths = tests\n"),
        (
            "jest.config.js",
            "module.exports = {\n  testMatch: ['**/*.test.ts', '**/*.old.ts'],\n};\n",
            "module.exports = {\n  testMatch: ['**/*.test.ts'],\n};\n",
        ),
        ("pytest.ini", "[pytest]\n", "[pytest]\npython_files = test_*.py *_test.py check_*.py\n"),
        (
            "jest.config.js",
            "module.exports = {\n  testMatch: ['**/*.test.js'],\n};\n",
            "module.exports = {\n  testMatch: ['**/*.test.[jt]s', '**/*.test.js'],\n};\n",
        ),
        (
            "vitest.config.ts",
            "export default {\n  exclude: ['dist'],\n};\n",
            "export default {\n  exclude: ['dist', 'e2e/**'],\n};\n",
        ),
        ("Cargo.toml", "[package]\n", "[package]\n\n[[bench]]\nname = \"a\"\nharness = false\n"),
        ("Cargo.toml", "[package]\n", "[package]\n\n[[test]]\nname = \"none\"\nharness = false\n"),
        (
            "test_x.py",
            "import unittest\n",
            "import unittest\n\n\ndef load_tests(loader, tests, pattern):\n    tests.addTests(doctests())\n    return tests\n",
        ),
        ("tests/run.sh", "set -e\n./a\n", "set -euo pipefail\n./a\n"),
        ("tests/run.sh", "set -e\n./a\n", "./a || failed=1\nexit $failed\n"),
        ("tests/run.sh", "kill $pid\n", "kill $pid || true\n"),
        ("scripts/build.sh", "set -e\n./a\n", "./a\n"),
    ] {
        assert_eq!(said(path, before, after).0, 0, "{path}: {after}");
    }
}
