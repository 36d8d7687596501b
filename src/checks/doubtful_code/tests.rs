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
fn a_file_of_the_tests_that_the_product_reads_is_asked_about() {
    let reads = format!("{CORE}DATA = open(\"tests/data/expected.json\")\n");
    assert_eq!(asked(&[("pager/core.py", CORE, &reads)]), ["pager/core.py:3"]);
    let honest = format!(
        "{CORE}URL = \"https://example.com/tests/a.json\"\nNAME = \"tests\"\nDATA = \"data/sizes.json\"\n"
    );
    assert!(asked(&[("pager/core.py", CORE, &honest)]).is_empty());
}
