//! Tests of five languages: what is one, what it is called, what it asserts, what skips it.

use super::*;
use crate::tokens::joined;

fn found(path: &str, text: &str) -> Vec<Test> {
    SourceFile::parse(path, text).expect("the language has a grammar").tests()
}

fn ids(path: &str, text: &str) -> Vec<String> {
    found(path, text).iter().map(Test::id).collect()
}

/// The name of each test, the lines of its asserts, and what skips it in which line.
fn seen(path: &str, text: &str) -> Vec<String> {
    let describe = |test: &Test| {
        let asserts: Vec<String> = test.asserts.iter().map(|assert| assert.line.to_string()).collect();
        let skips: String = test.skips.iter().map(|skip| format!(" {:?}@{}", skip.kind, skip.line)).collect();
        format!("{}:{} [{}]{skips}", test.name, test.line, asserts.join(","))
    };
    found(path, text).iter().map(describe).collect()
}

const RUST: &str = r##"
fn adds() { assert!(true) }
#[cfg(test)]
mod tests {
    use super::*;
    /// Adds.
    #[test]
    #[should_panic(expected = "x")]
    fn adds() {}
    // #[test]
    // fn not() {}
    const TEXT: &str = "#[test] fn not() {}";
    #[tokio::test(flavor = "multi_thread")]
    async fn waits() -> Result<(), Error> { check(1).await?; Ok(()) }
    #[allow(dead_code)]
    #[rstest]
    #[case(1)]
    #[case(2)]
    fn cases(#[case] a: u8) { assert_eq!(a, 1); }
    async fn check(a: u8) { assert!(a > 0); }
    mod inner {
        proptest! {
            #![proptest_config(Config::default())]
            /// Any.
            #[test]
            fn any(a in 0..9u8) { prop_assert!(a < 9); helper(a); }
            fn not(a in 0..9u8) {}
        }
        #[cfg_attr(not(target_arch = "wasm32"), test)]
        fn here() {}
        #[bench]
        fn not(b: &mut Bencher) {}
    }
    #[test_case(1; "one")]
    fn with_name(a: u8) { fn not_here() {} }
}
"##;

const PYTHON: &str = r#"
"""
def test_not(): assert 1
"""
import unittest
# def test_not(): pass
class TestA(unittest.TestCase):
    class Inner:
        async def test_inner(self):
            await self.assertThat(x)
    def test_a(self):
        self.assertEqual(1, f(1))
        with self.assertRaises(ValueError) as caught:
            f(2)
        text = "assert 1"
    def helper(self): assert self.x
    def test_b(self): self.helper()
class Helper:
    @staticmethod
    def test_in_helper(): pass
@pytest.mark.parametrize("a,b", [(1, 2), (3, 4)])
@mark
async def test_cases(a, b):
    def test_nested(): assert a
    assert (
        a == b
    )
@pytest.fixture(scope="module")
def test_client(): return 1
def contest(): pass
"#;

const SCRIPT: &str = r#"
import { it, test, describe, expect } from 'vitest';
// it('not', () => {});
const text = "it('not', () => {})";
describe('sum', () => {
  const check = (a) => { expect(a).toBe(1); };
  it('adds', async () => {
    await expect(sum(1)).resolves.toBe(1); // expect(2).toBe(2)
    expect(sum(1));
  });
  it(`is ${name}`, function () { check(1) });
  describe.each([[1], [2]])('of %i', (n) => {
    test.each`a | b
      ${1} | ${2}`('it\'s $a', ({ a }) => expect(a).not.toBe(n));
  });
  for (const row of rows) test(row.name, () => { assert.deepEqual(f(row), row.expected) });
});
if (/x/.test('not')) { suite.run(); }
Deno.test({ name: 'deno', fn() { assertEquals(1, 1); } });
Deno.test(function named() {});
test('outer', async (t) => { await t.test('inner', () => { t.assert.ok(1); }); });
test.describe('page', () => { test('opens', async ({ page }) => { await expect(page).toHaveTitle('a'); }); });
"#;

const GO: &str = r#"package a
// func TestNot(t *testing.T) {}
func TestMain(m *testing.M) { os.Exit(m.Run()) }
func Testify(t *testing.T) {}
func TestA(t *testing.T) {
	t.Parallel()
	got, err := f()
	if err != nil {
		t.Fatal(err)
	}
	require.Equal(t, 1, got)
	t.Run("sub a", func(t *testing.T) {
		if diff := cmp.Diff(1, got); diff != "" {
			t.Errorf("x %s", diff)
		}
	})
	for _, tc := range []struct{ name string }{{"x"}} {
		t.Run(tc.name, func(t *testing.T) { check(t, tc) })
	}
}
func check(t *testing.T, tc T) {
	t.Helper()
	if tc.a != 1 { t.Error(fmt.Errorf("x: %s", err.Error())) }
}
func (s *Suite) TestB() { s.Equal(1, 2) }
func FuzzC(f *testing.F) {}
func ExampleD() {}
func BenchmarkE(b *testing.B) {}
var text = `func TestNot(t *testing.T) {}`
"#;

#[test]
fn tests_of_five_languages_are_found_with_their_groups() {
    let rust = ["adds", "waits", "cases", "inner::any", "inner::here", "with_name"];
    assert_eq!(ids("a.rs", RUST), rust.map(|name| format!("tests::{name}")));
    let python = [
        "TestA::Inner::test_inner",
        "TestA::test_a",
        "TestA::test_b",
        "Helper::test_in_helper",
        "test_cases",
    ];
    assert_eq!(ids("a.py", PYTHON), python);
    let script = [
        "sum > adds",
        "sum > is ${name}",
        "sum > of %i > it's $a",
        "sum > row.name",
        "deno",
        "named",
        "outer",
        "outer > inner",
        "page > opens",
    ];
    for path in ["a.test.js", "a.test.ts", "a.test.tsx"] {
        assert_eq!(ids(path, SCRIPT), script, "{path}");
    }
    let go = ["TestA", "TestA/sub_a", "Suite/TestB", "FuzzC", "ExampleD"];
    assert_eq!(ids("a_test.go", GO), go);
}

#[test]
fn asserts_count_where_they_stand_and_in_functions_that_are_called() {
    let lines = |path: &str, text: &str| {
        seen(path, text)
            .into_iter()
            .map(|test| test[test.rfind('[').expect("a list")..].to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(lines("a.rs", RUST), ["[8]", "[20]", "[19]", "[26]", "[]", "[]"]);
    assert_eq!(lines("a.py", PYTHON), ["[10]", "[12,13]", "[16]", "[]", "[25]"]);
    assert_eq!(lines("a.ts", SCRIPT), ["[8]", "[6]", "[14]", "[16]", "[19]", "[]", "[]", "[21]", "[22]"]);
    assert_eq!(lines("a.go", GO), ["[8,11,23]", "[13]", "[25]", "[]", "[]"]);
}

#[test]
fn a_function_inside_of_a_test_asserts_for_it_where_the_test_names_it() {
    let python = "def test_a():\n    x = f()\n    def check():\n        assert x == 1\n";
    let script = "it('a', () => {\n  function check() {\n    expect(f()).toBe(1);\n  }\n});\n";
    let rust = "#[test]\nfn a() {\n    fn check() {\n        assert_eq!(f(), 1);\n    }\n}\n";
    let asserts = |path: &str, text: &str| found(path, text)[0].asserts.len();
    for (path, text, end) in [("a.py", python, ""), ("a.test.js", script, "});\n"), ("a.rs", rust, "}\n")] {
        assert_eq!(asserts(path, text), 0, "{text}");
        let front = text.strip_suffix(end).expect("an end");
        assert_eq!(asserts(path, &format!("{front}    check()\n{end}")), 1, "{text}");
        assert_eq!(asserts(path, &format!("{front}    each(check)\n{end}")), 1, "{text}");
    }
    let method = "it('a', () => {\n  f({\n    done() {\n      expect(1).toBe(g());\n    },\n  });\n});\n";
    assert_eq!(asserts("a.test.js", method), 1);
    let registered = python.replace("    def", "    @on_end\n    def");
    assert_eq!(asserts("a.py", &registered), 1);
}

#[test]
fn an_assert_reads_the_same_whatever_its_form() {
    let texts = |path: &str, text: &str| {
        let tests = found(path, text);
        let words = |assert: &Assert| joined(assert.words.iter().map(|word| word.text.as_str()));
        tests[0].asserts.iter().map(words).collect::<Vec<_>>()
    };
    let one = texts("a.rs", "#[test]\nfn a() { assert_eq!(f( 1 ), \"a  b\"); }");
    let other = texts(
        "a.rs",
        "#[test]\nfn a() {\n    assert_eq!(\n        f(1), // One.\n        \"a  b\",\n    );\n}",
    );
    assert_eq!(one, ["assert_eq ! ( f ( 1 ) , a  b )"]);
    assert_eq!(one, other);
    let one = texts("a.js", "it('a', () => { expect(f({ a: 'x' })).toEqual(1); });");
    let other = texts("a.js", "it(\"a\", () => {\n  expect(\n    f({ a: \"x\", }),\n  ).toEqual(1)\n})");
    assert_eq!(one, other);
    assert_ne!(one, texts("a.js", "it('a', () => { expect(f({ a: 'y' })).toEqual(1); });"));
    let chain = texts("a.rs", "#[test]\nfn a() { cmd().assert().success(); }");
    assert_eq!(chain, ["cmd ( ) . assert ( ) . success ( )"]);
}

#[test]
fn asserts_are_found_through_two_calls_and_no_function_calls_itself_for_ever() {
    let python = "def test_a():\n    outer(1)\ndef outer(a):\n    inner(a)\n    outer(a)\ndef inner(a):\n    assert a\n    test_a()\n";
    let test = &found("test_a.py", python)[0];
    let found: Vec<_> = test.asserts.iter().map(|assert| assert.line).collect();
    assert_eq!(found, [7]);
    let asks: Vec<&str> = test.asks().iter().map(|ask| ask.text.as_str()).collect();
    assert_eq!(asks, ["outer ( 1 )"]);
    let rust = "macro_rules! same { ($a:expr) => { assert_eq!($a, 1) } }\n#[test]\nfn a() { same!(f()); }";
    assert_eq!(seen("a.rs", rust), ["a:3 [1]"]);
    let go = "package a\nfunc TestA(t *testing.T) {\n\tcheck := func(a int) {\n\t\tif a != 1 { t.Fail() }\n\t}\n\tcheck(f())\n}\n";
    assert_eq!(seen("a_test.go", go), ["TestA:2 [4]"]);
}

#[test]
fn what_is_no_assert_is_not_counted() {
    let go = "package a\nfunc TestA(t *testing.T) {\n\tx := err.Error()\n\tlog.Fatal(\"x\")\n\treturn fmt.Errorf(\"x\")\n}\n";
    assert_eq!(seen("a_test.go", go), ["TestA:2 []"]);
    let script = "it('a', () => { expectation(1); const s = 'expect(1).toBe(1)'; render(<p>expect(1).toBe(1)</p>); });";
    assert_eq!(seen("a.test.jsx", script), ["a:1 []"]);
    assert_eq!(
        seen("test_a.py", "def test_a():\n    asserted = 1\n    f('assert x')\n    # assert x\n"),
        ["test_a:1 []"]
    );
}

#[test]
fn skips_of_rust_are_found() {
    let text = "#[test]\n#[ignore = \"slow\"]\nfn a() {}\n#[test]\n#[cfg_attr(windows, ignore)]\nfn b() {}\n#[cfg(unix)]\n#[test]\nfn c() {\n    #[cfg(windows)]\n    f();\n}\n#[cfg(any())]\nmod m {\n    #[test]\n    fn d() {}\n}\n#[cfg(all(test, feature = \"x\"))]\nmod n {\n    #[test]\n    fn e() {}\n}\n#[cfg(test)]\nmod o {\n    #[test]\n    // #[ignore]\n    fn f() {}\n}\n";
    let expected = [
        "a:3 [] Unconditional@2",
        "b:6 [] Conditional@5",
        "c:9 [] Conditional@7",
        "d:16 [] Unconditional@13",
        "e:21 [] Conditional@18",
        "f:27 []",
    ];
    assert_eq!(seen("a.rs", text), expected);
    assert_eq!(seen("tests/a.rs", "#![cfg(unix)]\n#[test]\nfn a() {}\n"), ["a:3 [] Conditional@1"]);
}

#[test]
fn skips_of_python_are_found() {
    for (mark, kind) in [
        ("@unittest.skip('x')", "Unconditional"),
        ("@skip", "Unconditional"),
        ("@pytest.mark.skip", "Unconditional"),
        ("@pytest.mark.skip(reason='x')", "Unconditional"),
        ("@pytest.mark.skipif(True, reason='x')", "Unconditional"),
        ("@pytest.mark.skipif(sys.platform == 'win32', reason='x')", "Conditional"),
        ("@unittest.skipUnless(HAS_X, 'x')", "Conditional"),
        ("@requires_network", "Conditional"),
        ("@pytest.mark.xfail(sys.version_info < (3, 9), reason='x')", "Conditional"),
        ("@pytest.mark.parametrize('a', [1, pytest.param(2, marks=pytest.mark.skip)])", "Conditional"),
        ("@pytest.mark.xfail", "ExpectedFailure"),
        ("@pytest.mark.xfail(reason='x', strict=True)", "ExpectedFailure"),
        ("@unittest.expectedFailure", "ExpectedFailure"),
    ] {
        let text = format!("{mark}\ndef test_a():\n    assert f()\n");
        assert_eq!(seen("test_a.py", &text), [format!("test_a:2 [3] {kind}@1")], "{mark}");
        let text = format!("{mark}\nclass TestA:\n    def test_a(self):\n        assert f()\n");
        assert_eq!(seen("test_a.py", &text), [format!("test_a:3 [4] {kind}@1")], "{mark}");
    }
    for (statements, skips) in [
        ("pytest.skip('x')", " Unconditional@2"),
        ("self.skipTest('x')", " Unconditional@2"),
        ("raise unittest.SkipTest('x')", " Unconditional@2"),
        ("if windows:\n        pytest.skip('x')", " Conditional@3"),
        ("try:\n        import x\n    except ImportError:\n        raise SkipTest", " Conditional@5"),
        ("if here:\n        return\n    pytest.skip('x')", " Conditional@4"),
        ("x = pytest.importorskip('x')", " Conditional@2"),
        ("x.skip(2)", ""),
    ] {
        let text = format!("def test_a(self):\n    {statements}\n");
        assert_eq!(seen("test_a.py", &text), [format!("test_a:1 []{skips}")], "{statements}");
    }
    for (text, skips) in [
        ("pytestmark = pytest.mark.skip\ndef test_a(): pass\n", "test_a:2 [] Unconditional@1"),
        (
            "pytestmark = [pytest.mark.skipif(x, reason='y')]\ndef test_a(): pass\n",
            "test_a:2 [] Conditional@1",
        ),
        ("pytest.skip('x', allow_module_level=True)\ndef test_a(): pass\n", "test_a:2 [] Unconditional@1"),
        (
            "if x:\n    pytest.skip('x', allow_module_level=True)\ndef test_a(): pass\n",
            "test_a:3 [] Conditional@2",
        ),
        ("class A:\n    __test__ = False\n    def test_a(self): pass\n", "test_a:3 [] Unconditional@2"),
        (
            "class A:\n    def setUp(self):\n        self.skipTest('x')\n    def test_a(self): pass\n",
            "test_a:4 [] Unconditional@3",
        ),
        (
            "class A:\n    def helper(self):\n        self.skipTest('x')\n    def test_a(self): pass\n",
            "test_a:4 []",
        ),
    ] {
        assert_eq!(seen("test_a.py", text), [skips], "{text}");
    }
}

#[test]
fn a_call_is_a_test_of_a_script_by_what_it_is_given() {
    for (text, tests) in [
        ("it('a', () => {}); it(`b`, function () {}); it(title, check); it('c' + d, checks.e, 5);", 4),
        ("it('a', check(1)); it(title(1), { timeout: 5 }, () => {});", 2),
        ("it(5, () => {}); it(['a'], () => {}); it('a', 5); it('a', 'b'); it(() => {}); it('a', ...b);", 0),
        ("it.skip(5, () => {}); it.failing('a', 5); it.skipIf(b)('a', [c]);", 0),
    ] {
        for path in ["a.test.js", "a.test.ts", "a.test.tsx"] {
            assert_eq!(found(path, text).len(), tests, "{path}: {text}");
        }
    }
    let steps = "run(function* () { yield load(); return 1; /* c */ });\nco(function* () { this.skip(); });";
    assert_eq!(seen("a.test.ts", &format!("{steps}\nit('a', () => {{}});")), ["a:3 [] Conditional@2"]);
    let groups = |text: &str| found("a.test.ts", text)[0].groups.len();
    assert_eq!(groups("describe('b', { timeout: 5 }, () => { it('a', () => {}); });"), 1);
    assert_eq!(groups("describe('b', () => { it('a', () => {}); }, 5);"), 0);
}

#[test]
fn skips_of_scripts_are_found() {
    for (text, skips) in [
        ("it.skip('a', () => {});", "Unconditional"),
        ("xit('a', () => {});", "Unconditional"),
        ("test.todo('a');", "Unconditional"),
        ("it('a');", "Unconditional"),
        ("it.skip.each([1])('a', () => {});", "Unconditional"),
        ("test('a', { skip: true }, () => {});", "Unconditional"),
        ("test('a', { skip: 'later' }, () => {});", "Unconditional"),
        ("Deno.test({ name: 'a', ignore: true, fn() {} });", "Unconditional"),
        ("it('a', function () { this.skip(); });", "Unconditional"),
        ("describe.skip('b', () => { it('a', () => {}); });", "Unconditional"),
        ("xdescribe('b', () => { it('a', () => {}); });", "Unconditional"),
        (
            "describe('b', () => { beforeEach(function () { this.skip(); }); it('a', () => {}); });",
            "Unconditional",
        ),
        ("it.skipIf(true)('a', () => {});", "Unconditional"),
        ("it.skipIf(isWindows)('a', () => {});", "Conditional"),
        ("test('a', { skip: process.platform === 'win32' }, () => {});", "Conditional"),
        ("it('a', function () { if (windows) { this.skip(); } });", "Conditional"),
        ("it('a', function () { rows.forEach(() => { this.skip(); }) });", "Conditional"),
        ("test('a', async () => { test.skip(isMobile, 'not there'); });", "Conditional"),
        ("it.failing('a', () => {});", "ExpectedFailure"),
        ("it.only('a', () => {});", "Only"),
        ("fit('a', () => {});", "Only"),
        ("describe.only('b', () => { it('a', () => {}); });", "Only"),
        ("fdescribe('b', () => { it('a', () => {}); });", "Only"),
        ("test('a', { only: true }, () => {});", "Only"),
    ] {
        for path in ["a.test.js", "a.test.ts"] {
            assert_eq!(seen(path, text), [format!("a:1 [] {skips}@1")], "{text}");
        }
    }
    for text in [
        "it('a', () => { queue.skip(1); });",
        "test('a', { skip: false, timeout: 1 }, () => {});",
        "it('a', () => { list.only(1); f({ skip: true }); });",
        "describe('skip', () => { it('a', () => {}); });",
    ] {
        assert_eq!(seen("a.test.ts", text), ["a:1 []"], "{text}");
    }
}

#[test]
fn skips_of_go_are_found() {
    for (body, skips) in [
        ("t.Skip(\"x\")", " Unconditional@3"),
        ("t.Parallel()\n\tt.SkipNow()", " Unconditional@4"),
        ("if testing.Short() {\n\t\tt.Skip()\n\t}", " Conditional@4"),
        ("if ok {\n\t\treturn\n\t}\n\tt.Skip()", " Conditional@6"),
        ("defer func() { t.Skip() }()", " Conditional@3"),
        ("reader.Skip2(1)", ""),
    ] {
        let text = format!("package a\nfunc TestA(t *testing.T) {{\n\t{body}\n}}\n");
        assert_eq!(seen("a_test.go", &text), [format!("TestA:2 []{skips}")], "{body}");
    }
    let groups = "package a\nfunc TestA(t *testing.T) {\n\tt.Run(\"a\", func(t *testing.T) {\n\t\tt.Skip()\n\t})\n}\nvar _ = FDescribe(\"g\", func() {\n\tPIt(\"b\", func() { Expect(1).To(Equal(1)) })\n})\n";
    assert_eq!(
        seen("a_test.go", groups),
        ["TestA:2 []", "a:3 [] Unconditional@4", "b:8 [8] Unconditional@8 Only@7"]
    );
}

#[test]
fn a_runner_may_report_a_test_with_its_modules_and_parameters() {
    let rust = &found("src/a/b.rs", "mod tests {\n    #[test]\n    fn adds() {}\n}\n")[0];
    let python = &found("tests/test_a.py", "class TestA:\n    def test_b(self): pass\n")[0];
    let package = &found("tests/__init__.py", "class TestA:\n    def test_b(self): pass\n")[0];
    let script = &found("a.test.js", "describe('a', () => { it('b c', () => {}) })")[0];
    let go = &found(
        "a_test.go",
        "package a\nfunc TestA(t *testing.T) { t.Run(\"b c\", func(t *testing.T) {}) }\n",
    )[1];
    for (test, reported, is_same) in [
        (rust, "tests::adds", true),
        (rust, "a::b::tests::adds", true),
        (rust, "a::b::tests::also_adds", false),
        (rust, "adds", false),
        (python, "tests/test_a.py::TestA::test_b", true),
        (python, "tests/test_a.py::TestA::test_b[1-x/y.z]", true),
        (python, "tests.test_a.TestA.test_b", true),
        (python, "tests/test_a.py::TestB::test_b", false),
        (python, "__main__.TestA.test_b", true),
        (python, "tests.test_b.TestA › test_b", false),
        (python, "a.TestA.test_b", false),
        (package, "tests.TestA.test_b", true),
        (script, "a > b c", true),
        (script, "a › b c", true),
        (script, "a.test.js > a > b c", true),
        (script, "web/a.test.js › a › b c", true),
        (script, "web/b.test.js › a › b c", false),
        (script, "b c", false),
        (go, "TestA/b_c", true),
        (go, "example.com/x/TestA/b_c", true),
        (go, "TestA", false),
    ] {
        assert_eq!(test.is_reported_as(reported), is_same, "{} as {reported}", test.id());
    }
}

#[test]
fn the_range_of_a_test_holds_its_attributes() {
    let range = |path: &str, text: &str| {
        let test = found(path, text).remove(0);
        text[test.range].to_owned()
    };
    assert_eq!(
        range("a.rs", "use a;\n/// One.\n#[test]\n// Two.\n#[ignore]\nfn a() {}\nfn b() {}"),
        "/// One.\n#[test]\n// Two.\n#[ignore]\nfn a() {}"
    );
    assert_eq!(
        range("a.py", "@a\nx = 1\n@b(1)\n# c\n@d\ndef test_a(): pass\n").trim_end(),
        "@b(1)\n# c\n@d\ndef test_a(): pass"
    );
    assert_eq!(range("a.js", "f();\nit('a', () => {});"), "it('a', () => {})");
}

#[test]
fn what_an_assert_waits_for_and_what_leaves_a_test_is_counted() {
    let counted = |path: &str, text: &str| {
        let file = SourceFile::parse(path, text).expect("it is read");
        let test = file.tests().remove(0);
        (test.asserts.iter().map(|assert| assert.conditions).collect::<Vec<_>>(), test.exits)
    };
    let python = "def test_a():\n    if x:\n        return\n    assert a\n    try:\n        assert b\n    except E:\n        pass\n    try:\n        assert c\n    finally:\n        d()\n";
    assert_eq!(counted("test_a.py", python), (vec![0, 1, 0], 1));
    let go = "func TestA(t *testing.T) {\n\tfor _, c := range cs {\n\t\tif c.skip {\n\t\t\tcontinue\n\t\t}\n\t\tif f() != 2 {\n\t\t\tt.Error(1)\n\t\t}\n\t}\n}\n";
    assert_eq!(counted("a_test.go", go), (vec![1], 1));
    let script =
        "it('a', () => {\n  if (x) return;\n  expect(a).toBe(1);\n  if (y) { expect(b).toBe(1); }\n});\n";
    assert_eq!(counted("a.test.js", script), (vec![0, 1], 1));
    let rust = "#[test]\nfn a() {\n    let Some(x) = f() else { return };\n    assert_eq!(x, 1);\n    if let Ok(y) = g() { assert_eq!(y, 2); }\n}\n";
    assert_eq!(counted("a.rs", rust), (vec![0, 1], 1));
}

#[test]
fn what_a_loop_or_a_table_of_cases_passes_over_leaves_a_test() {
    let exits = |path: &str, text: &str| {
        let file = SourceFile::parse(path, text).expect("it is read");
        file.tests()[0].exits
    };
    for (cases, expected) in [
        ("cases[1:]", 1),
        ("list(cases)[:0]", 1),
        ("[x for x in cases if f(x)]", 1),
        ("(x for x in cases if f(x))", 1),
        ("enumerate(cases[2:])", 1),
        ("itertools.islice(cases, 2)", 1),
        ("sorted(cases)", 0),
        ("cases[1]", 0),
        ("[g(x) for x in cases]", 0),
    ] {
        let over = format!("def test_a():\n    for x in {cases}:\n        assert f(x)\n");
        assert_eq!(exits("test_a.py", &over), expected, "{cases}");
        let table = format!("@pytest.mark.parametrize('x', {cases})\ndef test_a(x):\n    assert f(x)\n");
        assert_eq!(
            exits("test_a.py", &table),
            usize::from(expected > 0 && !cases.starts_with("enum")),
            "{cases}"
        );
    }
    for (cases, expected) in [
        ("cases.iter().skip(1)", 1),
        ("cases.iter().filter(|x| f(x))", 1),
        ("&cases[1..]", 1),
        ("cases.iter().enumerate()", 0),
        ("&cases", 0),
    ] {
        let over =
            format!("#[test]\nfn a() {{\n    for x in {cases} {{\n        assert!(f(x));\n    }}\n}}\n");
        assert_eq!(exits("a.rs", &over), expected, "{cases}");
    }
    for (cases, expected) in
        [("cases.filter(f)", 1), ("cases.slice(1)", 1), ("cases.map(f)", 0), ("cases", 0)]
    {
        let over = format!("it('a', () => {{\n  for (const x of {cases}) expect(f(x)).toBe(1);\n}});\n");
        assert_eq!(exits("a.test.js", &over), expected, "{cases}");
        let each =
            format!("it('a', () => {{\n  {cases}.forEach((x) => {{ expect(f(x)).toBe(1); }});\n}});\n");
        assert_eq!(exits("a.test.js", &each), expected, "{cases}");
    }
    for (cases, expected) in [("cases[1:]", 1), ("cases", 0)] {
        let over = format!(
            "func TestA(t *testing.T) {{\n\tfor _, c := range {cases} {{\n\t\tif f(c) != 2 {{\n\t\t\tt.Error(1)\n\t\t}}\n\t}}\n}}\n"
        );
        assert_eq!(exits("a_test.go", &over), expected, "{cases}");
    }
    let told = "func TestA(t *testing.T) {\n\tif f() {\n\t\treturn // not here\n\t}\n\tt.Error(1)\n}\n";
    assert_eq!(exits("a_test.go", told), 1);
}

#[test]
fn a_loop_over_a_list_with_elements_is_no_condition() {
    let conditions = |path: &str, text: &str| {
        let file = SourceFile::parse(path, text).expect("it is read");
        file.tests()[0].asserts[0].conditions
    };
    for (list, expected) in [
        ("(\"a\", \"b\")", 0),
        ("[1]", 0),
        ("[]", 1),
        ("[*cases]", 1),
        ("[f(x) for x in y]", 1),
        ("(a or b)", 1),
        ("cases", 1),
    ] {
        let python = format!("def test_a():\n    for x in {list}:\n        assert f(x)\n");
        assert_eq!(conditions("test_a.py", &python), expected, "{list}");
    }
    for (list, expected) in [("[1, 2]", 0), ("[]", 1), ("[...cases]", 1), ("cases", 1)] {
        let script = format!("it('a', () => {{ for (const x of {list}) {{ expect(f(x)).toBe(1); }} }});\n");
        assert_eq!(conditions("a.test.js", &script), expected, "{list}");
    }
    for (list, expected) in [("[1, 2]", 0), ("&[1]", 0), ("vec![1]", 0), ("[]", 1), ("cases()", 1)] {
        let rust = format!("#[test]\nfn a() {{\n    for x in {list} {{ assert_eq!(f(x), 1); }}\n}}\n");
        assert_eq!(conditions("a.rs", &rust), expected, "{list}");
    }
}

#[test]
fn a_title_with_values_is_reported_with_them() {
    let one = |title: &str| {
        let text = format!("describe('pages', () => {{ it({title}, () => {{ expect(f(n)).toBe(1); }}); }});");
        found("a.test.js", &text).remove(0)
    };
    for (title, reported) in [
        ("`counts ${a.total} by ${size}`", "a.test.js › pages › counts 9.5 by 3"),
        ("'%i by %i'", "pages > 9 by 3"),
        ("'takes $total.value'", "pages › takes 9"),
    ] {
        assert!(one(title).may_be_reported_as(reported), "{title}");
        assert!(!one(title).may_be_reported_as("pages › refuses none"), "{title}");
        assert!(!one(title).may_be_reported_as("books › counts"), "{title}");
    }
    assert!(!one("'adds'").fits_title("pages › adds"), "it has no values");
}

#[test]
fn an_assert_holds_the_text_around_escapes() {
    let python = "def test_a():\n    assert f() == 'one\\ntwo'\n";
    let asserts = SourceFile::parse("test_a.py", python).expect("a grammar").tests()[0].asserts.clone();
    assert!(asserts[0].text.contains("one") && asserts[0].text.contains("two"), "{}", asserts[0].text);
}
