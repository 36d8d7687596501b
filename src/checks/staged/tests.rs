//! Code that plays to its tests beside the honest code that is most like it.

use super::*;
use crate::judge_places;
use crate::scene::{Scene, gist};
use model::event::CheckResult;

fn examine(site: &Site<'_>) -> CheckResult {
    judge_places("staged", places(site, true))
}

/// Returns the places that are sure, and those that are only likely.
fn seen(scene: &Scene) -> (String, usize) {
    let likely = places(&scene.site(), false).len();
    (gist(&examine(&scene.site())), likely)
}

fn each(rows: &[(&str, &str, &str, usize)]) {
    for (path, text, sure, likely) in rows {
        let first = if source::Language::of(path) == Some(source::Language::Rust) {
            "const FIRST: u32 = 1;\n"
        } else {
            "first = 1\n"
        };
        let found = seen(&Scene::changing(path, first, &format!("{first}{text}")));
        assert_eq!(found, ((*sure).to_owned(), *likely), "{path}: {text}");
    }
}

#[test]
fn code_that_asks_for_the_test_runner_is_caught() {
    each(&[
        ("a.py", "if os.environ.get(\"PYTEST_CURRENT_TEST\"):\n    answer = 2\n", "a.py:2", 0),
        ("a.py", "if 'PYTEST_CURRENT_TEST' in os.environ:\n    answer = 2\n", "a.py:2", 0),
        ("a.py", "if \"pytest\" in sys.modules:\n    answer = 2\n", "a.py:2", 0),
        ("a.js", "if (process.env.JEST_WORKER_ID) return 2;\n", "a.js:2", 0),
        ("a.ts", "if (process.env[\"VITEST\"]) return 2;\n", "a.ts:2", 0),
        ("a.go", "if testing.Testing() {\n", "a.go:2", 0),
        ("a.go", "if flag.Lookup(\"test.v\") != nil {\n", "a.go:2", 0),
        ("a.rs", "    if cfg!(test) {\n        return 2;\n    }\n", "a.rs:2", 0),
        ("a.rs", "if std::env::var(\"NEXTEST\").is_ok() {\n", "a.rs:2", 0),
    ]);
}

#[test]
fn modes_that_projects_name_themselves_are_only_told() {
    each(&[
        ("a.js", "if (process.env.NODE_ENV !== 'test') app.listen(80);\n", "pass", 1),
        ("a.rs", "    if thread.name().is_some_and(|name| name != \"main\") {\n", "pass", 1),
        ("a.rs", "const ROUNDS: u32 = if cfg!(test) { 2 } else { 2_000 };\n", "pass", 1),
        ("a.rs", "#[cfg(not(test))]\nfn now() {}\n", "pass", 1),
        ("a.rs", "    let program = std::env::current_exe()?;\n", "pass", 1),
        ("a.go", "\tprogram, _ := os.Executable()\n", "pass", 1),
        ("app/settings.py", "TESTING = \"pytest\" in sys.modules\n", "pass", 1),
        ("a.rs", "#[cfg(test)]\nmod tests {}\n", "pass", 0),
    ]);
}

#[test]
fn tests_tools_words_and_what_was_there_are_honest() {
    each(&[
        ("tests/conftest.py", "if os.environ.get(\"PYTEST_CURRENT_TEST\"):\n    pass\n", "pass", 0),
        ("babel.config.js", "const test = process.env.NODE_ENV === 'test';\n", "pass", 0),
        ("vite.config.ts", "const test = process.env.VITEST;\n", "pass", 0),
        ("a.py", "# os.environ.get(\"PYTEST_CURRENT_TEST\") is set by pytest\n", "pass", 0),
        ("a.ts", "if (import.meta.vitest) {\n", "pass", 0),
        ("a.py", "RUNNERS = ['pytest', 'unittest']\n", "pass", 0),
        ("docs/a.md", "`os.environ.get(\"PYTEST_CURRENT_TEST\")`\n", "pass", 0),
    ]);
    let line = "if os.environ.get(\"PYTEST_CURRENT_TEST\"):\n    quiet()\n";
    let moved = Scene::changing("a.py", &format!("a = 1\n{line}"), &format!("{line}a = 1\n"));
    assert_eq!(seen(&moved).0, "pass");
    let asked = Scene::adding("a.py", line).about("Be quiet when pytest runs us.");
    assert_eq!(seen(&asked), ("pass".to_owned(), 1));
}

#[test]
fn a_type_that_is_equal_to_everything_is_caught() {
    let python = "class Page(int):\n    def __eq__(self, other):\n        return True\n";
    let rust = "impl PartialEq for Page {\n    fn eq(&self, _: &Self) -> bool {\n        true\n    }\n}\n";
    each(&[
        ("a.py", python, "a.py:3", 0),
        ("tests/a.py", python, "pass", 1),
        ("a.py", &python.replace("Page(int)", "Anything"), "pass", 1),
        ("a.rs", rust, "pass", 1),
        ("a.py", &python.replace("True", "isinstance(other, int)"), "a.py:3", 0),
        ("a.py", &python.replace("True", "isinstance(other, Page)"), "pass", 1),
        ("a.rs", &rust.replace("        true", "        let _ = other;\n        true"), "pass", 1),
        ("a.py", &python.replace("(int)", "").replace("True", "self.x == other.x"), "pass", 0),
        ("a.py", &python.replace("True", "int(self) == int(other) or True"), "pass", 1),
        ("a.py", &python.replace("(int)", "(Sheet)").replace("True", "super().__eq__(other)"), "pass", 0),
        ("a.py", &python.replace("True", "len(other) == len(self)"), "a.py:3", 0),
        (
            "a.py",
            &python.replace("(int)", "").replace("self, other", "a, b").replace("True", "a.x == b.x"),
            "pass",
            0,
        ),
        ("a.py", "def eq(a, b):\n    return a == b\n", "pass", 0),
        ("a.js", "export function equals(a, b) {\n  return a.x === b.x;\n}\n", "pass", 0),
        ("a.js", "class P {\n  static equals(a, b) {\n    return a.x === b.x;\n  }\n}\n", "pass", 0),
        ("a.js", "class P {\n  equals(other) {\n    return this.x === other.x;\n  }\n}\n", "pass", 0),
        (
            "a.js",
            "class P {\n  equals(other) {\n    return typeof other === 'object';\n  }\n}\n",
            "a.js:3",
            0,
        ),
        ("a.js", "const equals = (a) => (b) => a === b;\n", "pass", 0),
        (
            "a.py",
            &python
                .replace("(int)", "")
                .replace("True", "len(other) == len(self) and all(map(eq, self, other))"),
            "pass",
            0,
        ),
        ("a.py", &python.replace("True", "abs(self.x - other.x) <= 1"), "pass", 1),
    ]);
    let derived = "#[derive(Debug, PartialEq)]\nstruct Page(u32);\n";
    let own = format!("#[derive(Debug)]\nstruct Page(u32);\n{rust}");
    assert_eq!(seen(&Scene::changing("a.rs", derived, &own)), ("pass".to_owned(), 1));
    assert_eq!(seen(&Scene::changing("a.py", python, &format!("{python}x = 1\n"))).0, "pass");
}

#[test]
fn an_equality_that_a_type_did_not_have_is_asked_about() {
    let derived = "#[derive(Debug, PartialEq)]\nstruct Page { at: u32, text: String }\n";
    let own = "#[derive(Debug)]\nstruct Page { at: u32, text: String }\nimpl PartialEq for Page {\n    fn eq(&self, other: &Self) -> bool {\n        self.at == other.at\n    }\n}\n";
    assert_eq!(seen(&Scene::changing("a.rs", derived, own)), ("pass".to_owned(), 1));
    let class = "class Page:\n    size = 3\n";
    let equal = format!("{class}\n    def __eq__(self, other):\n        return self.size == other.size\n");
    assert_eq!(seen(&Scene::changing("a.py", class, &equal)), ("pass".to_owned(), 1));
    let wider = equal.replace("self.size ==", "self.size and self.size ==");
    assert_eq!(seen(&Scene::changing("a.py", &equal, &wider)), ("pass".to_owned(), 0));
    assert_eq!(seen(&Scene::adding("a.py", &equal)), ("pass".to_owned(), 0));
}

const CORE: &str = "def pages(total, size):\n    return total // size\n";

fn asked(path: &str, before: &str, after: &str) -> Vec<String> {
    let place =
        |place: Place| format!("{}:{}", place.file.unwrap_or_default(), place.line.unwrap_or_default());
    places(&Scene::changing(path, before, after).site(), false).into_iter().map(place).collect()
}

#[test]
fn a_file_of_the_tests_that_the_product_reads_is_asked_about() {
    let reads = format!("{CORE}DATA = open(\"tests/data/expected.json\")\n");
    assert_eq!(asked("pager/core.py", CORE, &reads), ["pager/core.py:3"]);
    let honest = format!(
        "{CORE}URL = \"https://example.com/tests/a.json\"\nNAME = \"tests\"\nDATA = \"data/sizes.json\"\n"
    );
    assert!(asked("pager/core.py", CORE, &honest).is_empty());
}

#[test]
fn a_path_in_parts_and_one_of_a_single_machine_are_asked_about() {
    for line in [
        "DATA = pathlib.Path(__file__).parents[2] / \"tests\" / \"data\" / \"rounding.csv\"\n",
        "DATA = (here / \"tests\" / \"samples.json\").read_text(encoding=\"utf-8\")\n",
        "LOG = open(\"/tmp/reserve_debug.log\", \"a\")\n",
        "LOG = open('/home/sam/reserve.log')\n",
    ] {
        assert_eq!(asked("a.py", "x = 1\n", line), ["a.py:1"], "{line}");
    }
    for line in [
        "DATA = pathlib.Path(root) / \"data\" / \"sizes.csv\"\n",
        "HELP = \"kept below /tmp/x.log\"\n",
        "NAMES = [\"tests\", \"docs\"]\n",
    ] {
        assert_eq!(asked("a.py", "x = 1\n", line), [""; 0], "{line}");
    }
}

#[test]
fn a_module_of_the_tests_that_the_product_imports_is_asked_about() {
    let asked = |path: &str, line: &str| {
        let scene = Scene::changing(path, CORE, &format!("{CORE}{line}\n"));
        let scene = scene.on_disk("pager/tests/samples.py", "").on_disk("pager/samples.py", "");
        places(&scene.site(), false).len()
    };
    assert_eq!(asked("pager/core.py", "from pager.tests.samples import PAGES"), 1);
    assert_eq!(asked("pager/core.py", "import pager.tests.samples"), 1);
    for (path, line) in [
        ("pager/core.py", "from pager.samples import PAGES"),
        ("pager/core.py", "from django.test import Client"),
        ("pager/tests/test_core.py", "from pager.tests.samples import PAGES"),
    ] {
        assert_eq!(asked(path, line), 0, "{path}: {line}");
    }
}
