//! Files of five languages, parsed and asked for their parts.

use super::*;

fn file(path: &str, text: &str) -> Arc<SourceFile> {
    SourceFile::parse(path, text).expect("the language has a grammar")
}

fn texts<'f>(parts: &[Part<'f>]) -> Vec<&'f str> {
    parts.iter().map(|part| part.text).collect()
}

#[test]
fn a_path_names_its_language() {
    for (path, language) in [
        ("src/a.rs", Some(Language::Rust)),
        ("a.PY", Some(Language::Python)),
        ("a/b.test.tsx", Some(Language::Tsx)),
        ("a.d.ts", Some(Language::TypeScript)),
        ("a.mjs", Some(Language::JavaScript)),
        ("a_test.go", Some(Language::Go)),
        ("rs", None),
        ("a.java", None),
        ("Makefile", None),
    ] {
        assert_eq!(Language::of(path), language, "{path}");
    }
    assert!(SourceFile::parse("a.rb", "x").is_none());
}

#[test]
fn comments_are_found_and_texts_like_them_are_not() {
    for (path, text, expected) in [
        ("a.rs", "// one\nlet x = \"// no\"; /* two */\n/// three", vec!["// one", "/* two */", "/// three"]),
        ("a.py", "x = '# no'  # one\n'''# no'''\n", vec!["# one"]),
        ("a.js", "const a = '// no'; // one\nconst b = /\\/\\/ no/; /* two */", vec!["// one", "/* two */"]),
        ("a.ts", "const a = `// no ${b /* one */}`;", vec!["/* one */"]),
        ("a.go", "package a\nvar x = `// no` // one\n", vec!["// one"]),
    ] {
        assert_eq!(texts(&file(path, text).comments()), expected, "{text}");
    }
}

#[test]
fn a_tree_is_gone_when_all_was_read_of_it_and_each_question_is_still_answered() {
    let file = file("a.test.ts", "// one\nit('a', () => { expect(b(1)).toBe(2);\n");
    let holds_tree = || file.tree.lock().expect(UNHARMED).is_some();
    assert!(file.broken().is_some() && holds_tree());
    assert_eq!(file.names(&(0..file.text.len())).len(), 4);
    assert!(holds_tree());
    assert_eq!(texts(&file.comments()), ["// one"]);
    assert!(!holds_tree());
    assert_eq!(texts(&file.values()), ["'a'", "1", "2"]);
    assert_eq!(file.names(&(0..file.text.len())).len(), 4);
    assert!(file.broken().is_some());
}

#[test]
fn words_that_are_read_after_the_outline_are_all_there() {
    let file = file("a.rs", "/// Adds.\nfn add(a: u8) -> u8 { a + 1 }");
    assert_eq!(file.functions().len(), 1);
    let words: Vec<&str> = file.words(&(0..file.text.len())).map(|word| word.text).collect();
    assert_eq!(words.join(" "), "fn add ( a : u8 ) -> u8 { a + 1 }");
}

#[test]
fn imports_name_their_modules() {
    for (path, text, expected) in [
        ("a.rs", "use a::{b, c};\nextern crate d;\n// use e;", vec!["a::{b, c}", "d"]),
        ("a.py", "import a.b, c as d\nfrom . import e\nfrom ..f import g\n", vec!["a.b", "c", ".", "..f"]),
        (
            "a.js",
            "import a from 'a';\nconst b = require(\"b\");\nawait import('c');\nexport * from './d';\nrequired('e');",
            vec!["a", "b", "c", "./d"],
        ),
        ("a.tsx", "import type { A } from 'a';", vec!["a"]),
        ("a.go", "package a\nimport (\n\t\"x\"\n\ty \"z/w\"\n)\n", vec!["x", "z/w"]),
    ] {
        assert_eq!(texts(&file(path, text).imports()), expected, "{text}");
    }
}

#[test]
fn strings_and_lines_are_found() {
    let python = file("a.py", "x = 1\ny = [\n    'a',\n    f'{b}c',\n]\n");
    let found: Vec<_> = python.strings().iter().map(|part| (part.line, part.text)).collect();
    assert_eq!(found, [(3, "'a'"), (4, "f'{b}c'")]);
    assert_eq!(texts(&file("a.rs", "const A: &str = r#\"a\"#;").strings()), ["r#\"a\"#"]);
    assert_eq!(texts(&file("a.ts", "f(`a ${'b'}`)").strings()), ["`a ${'b'}`"]);
    assert_eq!(texts(&file("a.go", "package a\nvar x = \"a\" + `b`\n").strings()), ["\"a\"", "`b`"]);
}

#[test]
fn names_are_those_that_code_uses() {
    let text = "fn f() { let x: Page = pages(2).count; } // other";
    let rust = file("a.rs", text);
    assert_eq!(rust.names(&(0..text.len())), BTreeSet::from(["Page", "count", "f", "pages", "x"]));
}

#[test]
fn a_text_that_is_no_code_is_read_without_end_or_panic() {
    let deep = "[".repeat(2_000) + "(((" + &"{".repeat(500);
    for path in ["a.rs", "a.py", "a.js", "a.ts", "a.tsx", "a.go"] {
        for text in [
            deep.as_str(),
            "",
            "\u{feff}#[test]\nfn ü() {",
            "@",
            "#[test]",
            "it(",
            "def test(",
            "'''",
            "é\0test",
        ] {
            if let Some(file) = SourceFile::parse(path, text) {
                let _ = (file.tests(), file.functions(), file.comments(), file.strings(), file.imports());
            }
        }
    }
}

#[test]
fn what_replaces_a_runner_is_told_from_what_decides_for_it() {
    let text = "unittest.TestCase.run = lambda self: None\nreport.outcome = 'passed'\nTestCase.maxDiff = None\n\
        def pytest_collection_modifyitems(items):\n    items.clear()\nos._exit(0)\ntest_a = None\nsys.exit(1)\n";
    let file = file("conftest.py", text);
    assert_eq!(
        texts(&file.runner_patches()),
        ["unittest.TestCase.run = lambda self: None", "report.outcome = 'passed'"]
    );
    let hooks = file.runner_hooks();
    let first_lines: Vec<&str> = hooks.iter().filter_map(|hook| hook.text.lines().next()).collect();
    assert_eq!(first_lines, ["def pytest_collection_modifyitems(items):", "os._exit(0)", "test_a = None"]);
}

#[test]
fn a_part_of_a_runner_is_known_by_the_name_of_its_import() {
    let python = "from _pytest.python import Function\nfrom _pytest import python as p\nimport unittest.case as c\n\
        from unittest import mock\nfrom book import Page\nFunction.runtest = lambda self: None\nsetattr(p.Function, 'setup', no)\n\
        c.TestCase.maxDiff = None\nmock.patch.TEST_PREFIX = 'foo'\nPage.runtest = 1\nbuiltins.AssertionError = Exception\n\
        def f(self):\n    self.x = 1\n";
    let python = file("a.py", python);
    let expected = ["Function.runtest", "p.Function", "builtins.AssertionError = Exception"];
    assert_eq!(texts(&python.runner_patches()), expected);
    let script = "import assert, { strict as s } from 'node:assert';\nimport * as v from \"vitest\";\nconst { expect } = require('chai');\n\
        import page from './page';\nassert.deepStrictEqual = () => {};\ns.equal = no;\nv.expect = no;\nObject.assign(assert, all);\n\
        page.equal = 1;\nassert.isPage = (x) => x.page;\nObject.assign(page, all);\n";
    let script = file("a.mjs", script);
    assert_eq!(texts(&script.runner_patches()), ["assert.deepStrictEqual", "s.equal", "v.expect", "assert"]);
}

#[test]
fn values_and_constants_are_whole() {
    let text = "const CASES = [[1, 'a b'], [-2.5, `c`]];\nit('adds', () => { expect(f(/x y/)).toBe(3); });\n";
    let file = file("a.test.js", text);
    assert_eq!(texts(&file.values()), ["1", "'a b'", "2.5", "`c`", "'adds'", "/x y/", "3"]);
    let constants: Vec<(&str, &str)> =
        file.constants().into_iter().map(|(name, part)| (name, part.text)).collect();
    assert_eq!(constants, [("CASES", "CASES = [[1, 'a b'], [-2.5, `c`]]")]);
}

#[test]
fn stand_ins_and_errors_that_nobody_sees_are_found() {
    let python = "with patch('app.f'):\n    pass\nmonkeypatch.setattr(app, 'g', 1)\ntry:\n    f()\nexcept Exception:\n    pass\n\
        try:\n    f()\nexcept ImportError:\n    pass\n";
    let file = file("a.py", python);
    assert_eq!(texts(&file.stand_ins()), ["patch('app.f')", "monkeypatch.setattr(app, 'g', 1)"]);
    assert_eq!(texts(&file.swallowed_errors()), ["except Exception:\n    pass"]);
}

#[test]
fn docstrings_are_strings_that_stand_alone() {
    let text = "\"\"\"Module.\"\"\"\nclass A:\n    '''A.'''\n    def f(self):\n        r\"\"\"F.\"\"\"\n        return \"x\"\n";
    let found: Vec<_> = file("a.py", text).docstrings().iter().map(|part| part.line).collect();
    assert_eq!(found, [1, 3, 5]);
}

#[test]
fn statements_of_open_work_are_those_of_the_language() {
    for (path, text, expected) in [
        ("a.rs", "fn f() { todo!(\"later\") }\nfn g() { todo() }", vec!["todo!(\"later\")"]),
        (
            "a.ts",
            "it.todo('adds');\nlist.todo('adds');\ntest.todo('subtracts')",
            vec!["it.todo('adds')", "test.todo('subtracts')"],
        ),
        ("a.py", "todo()\n", vec![]),
    ] {
        assert_eq!(texts(&file(path, text).open_statements()), expected, "{text}");
    }
}

#[test]
fn code_is_what_comments_and_white_space_leave() {
    for (path, before, after, same) in [
        ("a.rs", "fn a() { b }", "fn a()\n{\n    b // c\n}", true),
        ("a.rs", "a();\n", "/// does a\na();\n", true),
        ("a.rs", "a();", "// a();", false),
        ("a.rs", "\"a b\"", "\"ab\"", false),
        ("a.rs", "let a = r\"x\\n\";", "let a = r#\"x\\n\"#;", false),
        ("a.py", "if a:\n  b\nc", "if a:\n  b\n  c", false),
        ("a.py", "a # b\n\n", "a\n# c\n", true),
        ("a.py", "def f():\n    '''A.'''\n    b\n", "def f():\n    \"\"\"B.\"\"\"\n    b\n", true),
        ("a.py", "x = 'a\\n'\n", "x = 'b\\n'\n", false),
        ("a.js", "x = `a ${b}`", "x = `a  ${b}`", false),
        ("a.go", "package a\nvar x = \"a\\n\"", "package a\nvar x = \"b\\n\"", false),
    ] {
        assert_eq!(file(path, before).is_same_code(&file(path, after)), same, "{after}");
    }
}

#[test]
fn test_code_stands_in_modules_for_tests() {
    let rust =
        file("a.rs", "fn f() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n}\nfn g() {}\n");
    let lines: Vec<usize> = (1..=7).filter(|line| rust.is_test_code(*line)).collect();
    assert_eq!(lines, [2, 3, 4, 5, 6]);
}

#[test]
fn asserts_are_found_outside_of_tests_too() {
    assert_eq!(texts(&file("a.ts", "expect(a).toBe(b)").asserts()), ["expect(a).toBe(b)"]);
    assert_eq!(texts(&file("a.py", "def check(x):\n    assert x == 1\n").asserts()), ["assert x == 1"]);
}

#[test]
fn all_queries_fit_their_grammars() {
    for path in ["a.rs", "a.py", "a.js", "a.ts", "a.tsx", "a.go"] {
        let file = SourceFile::parse(path, "test").expect("it has a grammar");
        let found = [
            file.comments().len(),
            file.runner_hooks().len(),
            file.values().len(),
            file.swallowed_errors().len(),
            file.functions().len(),
            file.tests().len(),
        ];
        assert_eq!(found, [0; 6], "{path}");
    }
}
