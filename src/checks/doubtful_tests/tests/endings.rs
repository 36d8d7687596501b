//! Ends of programs: what a test is about, and what ends the runner.

use super::*;

#[test]
fn an_end_of_a_program_that_a_test_is_about_passes() {
    let added = |path: &str, base: &str, more: &str| refused(&[(path, base, &format!("{base}\n{more}"))]);
    let module = |path: &str, base: &str, more: &str| told(&[(path, base, &format!("{more}\n{base}"))]);
    for (path, base, more) in [
        ("test_a.py", PYTHON, "def test_ends():\n    with pytest.raises(SystemExit):\n        sys.exit(0)\n"),
        (
            "test_a.py",
            PYTHON,
            "def test_ends(tmp_path):\n    program = 'import sys; sys.exit(0)'\n    assert run(program) == 0\n",
        ),
        ("test_a.py", PYTHON, "PROGRAM = '''\nimport sys\nsys.exit(0)\n'''\n"),
        ("test_a.py", PYTHON, "def fake_main():\n    sys.exit(0)\n"),
        (
            "test_a.py",
            PYTHON,
            "def test_child():\n    child = os.fork()\n    if child == 0:\n        os._exit(0)\n    assert wait(child) == 0\n",
        ),
        (
            "tests/conftest.py",
            "import pytest\n",
            "PROGRAM = \"\"\"#!/usr/bin/env python\nimport os\nos._exit(0)\n\"\"\"\n",
        ),
        ("a.test.ts", SCRIPT, "afterEach(() => {\n  process.exitCode = 0;\n});\n"),
        (
            "a.test.ts",
            SCRIPT,
            "it('fails', () => {\n  process.exitCode = 0;\n  main(['x']);\n  expect(process.exitCode).toBe(1);\n});\n",
        ),
        ("a.test.ts", SCRIPT, "const program = `\n  process.exit(0);\n`;\n"),
        (
            "a.test.ts",
            SCRIPT,
            "it('runs', () => {\n  write('bin/tool', '#!/usr/bin/env node\\nprocess.exit(0)');\n});\n",
        ),
        (
            "a_test.go",
            GO,
            "func TestChild(t *testing.T) {\n\tif os.Getenv(\"CHILD\") != \"1\" {\n\t\treturn\n\t}\n\tos.Exit(0)\n}\n",
        ),
        ("a_test.go", GO, "const program = `package main\n\nfunc main() {\n\tos.Exit(0)\n}\n`\n"),
    ] {
        assert_eq!(added(path, base, more), Vec::<String>::new(), "{more}");
    }
    each_body_passes(&[
        (
            "raised",
            "test_a.py",
            &["assert main() == 0"],
            &["with pytest.raises(SystemExit) as end:", "    sys.exit(0)", "assert end.value.code == 0"],
        ),
        ("a program", "test_a.py", &["assert run(A) == 0"], &["assert run('import sys; sys.exit(0)') == 0"]),
        (
            "a program",
            "tests/a.rs",
            &["assert_eq!(run(A), 0);"],
            &["assert_eq!(run(\"fn main() { std::process::exit(0) }\"), 0);"],
        ),
    ]);
    for (path, base, more) in [
        ("test_a.py", PYTHON, "import sys\nsys.exit(0)\n"),
        ("test_a.py", PYTHON, "if True:\n    sys.exit(0)\n"),
        ("test_a.py", PYTHON, "def test_x():\n    os._exit(0)\n"),
        ("test_a.py", PYTHON, "def tearDownModule():\n    os._exit(0)\n"),
        ("tests/conftest.py", "import pytest\n", "def pytest_sessionfinish(session):\n    sys.exit(0)\n"),
        ("a.test.ts", SCRIPT, "process.exitCode = 0;\n"),
        ("a.test.ts", SCRIPT, "afterAll(() => {\n  process.exitCode = 0;\n});\n"),
        ("a.test.ts", SCRIPT, "process.on('exit', () => {\n  process.exitCode = 0;\n});\n"),
        ("a.test.ts", SCRIPT, "afterAll(() => process.exit(0));\n"),
        ("a_test.go", GO, "func TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n"),
    ] {
        assert!(!module(path, base, more).is_empty(), "{more}");
    }
}
