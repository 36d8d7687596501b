//! What is asked about, and what is not.

use super::*;
use crate::scene::Scene;
use model::change::Change;

fn asked(changes: &[(&str, &str, &str)]) -> Vec<String> {
    let changes =
        changes.iter().map(|(path, before, after)| Change::of_texts(path, Some(before), Some(after)));
    let scene = Scene::of(changes);
    let place =
        |place: Place| format!("{}:{}", place.file.unwrap_or_default(), place.line.unwrap_or_default());
    questions(&scene.site()).into_iter().map(place).collect()
}

const TEST: &str =
    "class T(unittest.TestCase):\n    def test_up(self):\n        self.assertEqual(pages(10, 3), 4)\n";
const CORE: &str = "def pages(total, size):\n    return total // size\n";

#[test]
fn a_new_function_that_does_nothing_is_asked_about() {
    for stub in [
        "    pass\n",
        "    \"\"\"The last page.\"\"\"\n    pass\n",
        "    raise NotImplementedError\n",
        "    return None\n",
    ] {
        let after = format!("{CORE}\n\ndef last(items):\n{stub}");
        assert_eq!(asked(&[("pager/core.py", CORE, &after)]), ["pager/core.py:5"], "{stub}");
    }
    let script = "export function last(items) {\n  throw new Error('not implemented');\n}\n";
    assert_eq!(asked(&[("src/a.ts", "", script)]), ["src/a.ts:1"]);
}

#[test]
fn a_class_to_extend_and_a_stub_of_before_are_honest() {
    let base =
        "class Base(ABC):\n    @abstractmethod\n    def last(self):\n        raise NotImplementedError\n";
    assert!(asked(&[("a.py", "x = 1\n", base)]).is_empty());
    let stub = "def last():\n    pass\n";
    assert!(asked(&[("a.py", stub, &format!("import b\n{stub}"))]).is_empty());
    assert!(asked(&[("tests/helper.py", "x = 1\n", "def noop():\n    pass\n")]).is_empty());
}

#[test]
fn a_function_of_go_for_other_platforms_is_honest() {
    let written = ("a/pattern.go", "", "//go:build go1.23\n\npackage a\n\nfunc set(r *R) { r.p = 1 }\n");
    let empty = "//go:build !go1.23\n\npackage a\n\nfunc set(r *R) {}\n";
    assert!(asked(&[written, ("a/fallback.go", "", empty)]).is_empty());
    assert_eq!(asked(&[("a/fallback.go", "", empty)]), ["a/fallback.go:5"]);
    assert_eq!(asked(&[written, ("b/fallback.go", "", empty)]), ["b/fallback.go:5"]);
}

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
fn a_file_of_the_tests_that_the_product_reads_is_asked_about() {
    let reads = format!("{CORE}DATA = open(\"tests/data/expected.json\")\n");
    assert_eq!(asked(&[("pager/core.py", CORE, &reads)]), ["pager/core.py:3"]);
    let honest = format!(
        "{CORE}URL = \"https://example.com/tests/a.json\"\nNAME = \"tests\"\nDATA = \"data/sizes.json\"\n"
    );
    assert!(asked(&[("pager/core.py", CORE, &honest)]).is_empty());
}
