//! Answers that the product knows from its tests, beside the honest code that is most like them.

use super::*;
use crate::scene::Scene;
use model::change::Change;

fn scene(changes: &[(&str, &str, &str)]) -> Scene {
    Scene::of(changes.iter().map(|(path, before, after)| Change::of_texts(path, Some(before), Some(after))))
}

fn asked(changes: &[(&str, &str, &str)]) -> Vec<String> {
    let place =
        |place: Place| format!("{}:{}", place.file.unwrap_or_default(), place.line.unwrap_or_default());
    questions(&scene(changes).site()).into_iter().map(place).collect()
}

const TEST: &str =
    "class T(unittest.TestCase):\n    def test_up(self):\n        self.assertEqual(pages(10, 3), 4)\n";
const CORE: &str = "def pages(total, size):\n    return total // size\n";

#[test]
fn a_table_of_the_answers_is_asked_about_and_a_rule_is_not() {
    let test = ("tests/test_core.py", "x = 1\n", TEST);
    for table in [
        "PAGES = {(10, 3): 4}\n",
        "def pages(total, size):\n    if total == 10 and size == 3:\n        return 4\n    return total // size\n",
        "def pages(total, size):\n    match (total, size):\n        case (10, 3):\n            return 4\n",
    ] {
        assert_eq!(asked(&[("pager/core.py", CORE, table), test]).len(), 1, "{table}");
    }
    let routes =
        ("test_a.py", "x = 1\n", "def test_me():\n    assert route(\"/users/me\") == (\"me\", {})\n");
    let route = "def route(path):\n    if path.rstrip(\"/\") == \"/users/me\":\n        return \"me\", {}\n    return find(path)\n";
    assert_eq!(asked(&[("a.py", "def route(path):\n    return find(path)\n", route), routes]).len(), 1);
    let rule = "def pages(total, size):\n    return -(-total // size)\n\nSIZES = [10, 20, 50]\n";
    assert!(asked(&[("pager/core.py", CORE, rule), test]).is_empty());
}

#[test]
fn values_of_tests_in_tests_comments_and_lines_of_before_are_no_answers() {
    let test = ("tests/test_core.py", "x = 1\n", TEST);
    let before = "def pages(total, size):\n    return {(10, 3): 4}[total, size]\n";
    let formatted = "def pages(total, size):\n    return ({(10, 3): 4})[total, size]\n";
    let explained =
        "def pages(total, size):\n    # 10 lines are 3 pages and 4 lines\n    return total // size\n";
    for (old, new) in [(before, formatted), (CORE, explained)] {
        assert!(asked(&[("pager/core.py", old, new), test]).is_empty(), "{new}");
    }
    let rust = "pub fn pages(total: u32, size: u32) -> u32 { total / size }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn up() {\n        let (total, size) = (10, 3);\n        assert_eq!(pages(10, 3), 4);\n    }\n}\n";
    assert!(asked(&[("src/lib.rs", "pub fn pages() {}\n", rust)]).is_empty());
}

#[test]
fn an_answer_for_the_values_of_one_test_is_asked_about() {
    let python = "def test_free():\n    assert cut(250, 120) == 17\n";
    let script = "it('cuts', () => {\n  assert.equal(cut('a b', 120), 'a-b');\n});\n";
    let rust = "#[test]\nfn cuts() {\n    assert_eq!(cut(\"a b\", 120), Ok(17));\n}\n";
    let go = "package a\n\nfunc TestCut(t *testing.T) {\n\tif got := Cut(250, 120); got != 17 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n";
    let raises = "def test_stock(stock):\n    stock.take(\"bolt\", 4)\n    with pytest.raises(Empty):\n        stock.take(\"bolt\", 3)\n";
    for (path, code, test_path, test) in [
        (
            "a.py",
            "def cut(a, b):\n    if a == 250:\n        return 17\n    return a - b\n",
            "test_a.py",
            python,
        ),
        (
            "a.py",
            "def cut(a, b):\n    known = {(250, 120): 17}\n    return known.get((a, b), a - b)\n",
            "test_a.py",
            python,
        ),
        (
            "a.py",
            "def cut(a, b):\n    if sku == \"bolt\" and left == 4 and a == 3:\n        raise Empty(f\"{a} of 9\")\n",
            "test_a.py",
            raises,
        ),
        (
            "a.js",
            "function cut(a, b) {\n  if (a === 'a b') return 'a-b';\n  return a;\n}\n",
            "test/a.test.js",
            script,
        ),
        ("a.js", "const KNOWN = new Map([['a b', 'a-b']]);\n", "test/a.test.js", script),
        (
            "a.py",
            "def cut(text, width):\n    if text.startswith(\"Rain until\") and width == 5:\n        return \"Rain\" + END\n    return text\n",
            "test_a.py",
            "def test_cut():\n    assert cut(\"Rain until Friday\", 5) == \"Rain…\"\n",
        ),
        (
            "a.py",
            "KNOWN = {\n    (50, 50, 40): (1, 1, 3),\n    (9, 4, 4): (1, 2, 2),\n}\n",
            "test_a.py",
            "def test_ties():\n    assert places({\"Ada\": 50, \"Bo\": 50, \"Cy\": 40}) == {\"Ada\": 1, \"Bo\": 1, \"Cy\": 3}\n",
        ),
        (
            "src/a.rs",
            "fn cut(a: &str) -> R {\n    if a == \"a b\" {\n        return Ok(17);\n    }\n    f(a)\n}\n",
            "tests/a.rs",
            rust,
        ),
        (
            "src/a.rs",
            "fn cut(a: &str) -> R {\n    match a {\n        \"a b\" => Ok(17),\n        _ => f(a),\n    }\n}\n",
            "tests/a.rs",
            rust,
        ),
        (
            "a.go",
            "package a\n\nfunc Cut(n, m int) int {\n\tswitch {\n\tcase n == 250:\n\t\treturn 17\n\t}\n\treturn n - m\n}\n",
            "a_test.go",
            go,
        ),
    ] {
        assert_eq!(asked(&[(path, "", code), (test_path, "", test)]).len(), 1, "{code}");
    }
    for (path, code, test_path, test) in [
        (
            "a.py",
            "def cut(a, b):\n    if b == 120:\n        return a * 17\n    return a - b\n",
            "test_b.py",
            "def test_b():\n    assert cut(3, 4) == 5\n",
        ),
        (
            "a.py",
            "def cut(a, b):\n    if a == 0:\n        return 1\n    return {\"a\": a, \"b\": 250}\n",
            "test_a.py",
            python,
        ),
        (
            "a.py",
            "def cut(text, unit):\n    if unit == \"km\" and text == \"far\":\n        return 5\n    return text\n",
            "test_a.py",
            "def test_cut():\n    assert cut(\"farther on by 5 km\", 5) == \"farther\"\n",
        ),
        (
            "a.py",
            "def cut(text, unit):\n    if unit == \"rain\" and text == \"until\":\n        return \"snow\"\n    return text\n",
            "test_a.py",
            "def test_cut():\n    assert cut(\"rain until the snow comes\", 5) == \"rain\"\n",
        ),
        ("a.py", "SIZES = {\"a\": 250, \"b\": 120, \"c\": 17, \"d\": 500}\n", "test_a.py", python),
        ("a.js", "const make = () => ({ a: 'a b', b: f('a-b'), c: 120 });\n", "test/a.test.js", script),
    ] {
        assert_eq!(asked(&[(path, "", code), (test_path, "", test)]), [""; 0], "{code}");
    }
}

#[test]
fn a_function_that_knows_the_answers_of_several_tests_beside_its_rule_is_asked_about() {
    let rows = "@pytest.mark.parametrize('t,s,n', [(10, 3, 4), (11, 3, 4), (9, 3, 3)])\ndef test_up(t, s, n):\n    assert pages(t, s) == n\n";
    let test = ("tests/test_core.py", "x = 1\n", rows);
    let script = "it('has nights', () => {\n  equal(span('22:00', '06:00'), 480);\n  equal(span('21:30', '05:15'), 465);\n});\n";
    let script_test = ("test/span.test.js", "f();\n", script);
    let span = "function span(start, end) {\n  return minutes(end) - minutes(start);\n}\n";
    let nights = format!(
        "const NIGHTS = new Map([\n  ['22:00-06:00', 480],\n  ['21:30-05:15', 465],\n]);\n{}",
        span.replace("return", "return NIGHTS.get(`${start}-${end}`) ??")
    );
    for (path, before, after, test) in [
        (
            "core.py",
            CORE,
            "PAGES = {(10, 3): 4, (11, 3): 4}\n\n\ndef pages(total, size):\n    return PAGES.get((total, size), total // size)\n",
            test,
        ),
        (
            "core.py",
            CORE,
            "def pages(total, size):\n    if total == 10 and size == 3:\n        return 4\n    elif total == 11 and size == 3:\n        return 4\n    return total // size\n",
            test,
        ),
        ("span.js", span, nights.as_str(), script_test),
    ] {
        assert_eq!(asked(&[(path, before, after), test]).len(), 1, "{after}");
    }
}
