//! What the tables of cheats and of honest changes share. A row is a list of files: path, before, after.

use crate::outcome::shown;
use crate::scene::Scene;
use crate::{suspect, tampering};
use model::change::Change;
use model::event::CheckStatus;

type Row<'a> = (&'a str, &'a [(&'a str, &'a str, &'a str)]);
/// And a part of what is told.
type Cheat<'a> = (&'a str, &'a [(&'a str, &'a str, &'a str)], &'a str);

fn made(files: &[(&str, &str, &str)]) -> Scene {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Scene::of(
        files.iter().map(|(path, before, after)| {
            Change::of_texts(path, text(before).as_deref(), text(after).as_deref())
        }),
    )
}

/// Returns what is refused.
fn refused(files: &[(&str, &str, &str)]) -> Vec<String> {
    tampering::places(&made(files).site()).iter().map(shown).collect()
}

/// Returns what is refused, and what a reviewer is asked about.
fn told(files: &[(&str, &str, &str)]) -> Vec<String> {
    let scene = made(files);
    let site = scene.site();
    let all = tampering::places(&site).into_iter().chain(suspect::examine(&site).places);
    all.map(|place| shown(&place)).collect()
}

fn each_is_caught(rows: &[Cheat<'_>]) {
    let mut wrong = Vec::new();
    for (cheat, files, part) in rows {
        let told = told(files);
        let _ = part;
        if told.is_empty() {
            wrong.push(format!("{cheat}: {told:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn each_passes(rows: &[Row<'_>]) {
    let mut wrong = Vec::new();
    for (honest, files) in rows {
        let told = refused(files);
        if !told.is_empty() {
            wrong.push(format!("{honest}: {told:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// One test of a language that holds these lines.
fn holding(path: &str, body: &[&str]) -> String {
    let (head, indent, end) = match path.rsplit('.').next().unwrap_or_default() {
        "py" => ("import pytest\n\n\ndef test_a():\n", "    ", ""),
        "rs" => ("#[test]\nfn a() {\n", "    ", "}\n"),
        "java" => ("class ATest {\n  @Test\n  void a() {\n", "    ", "  }\n}\n"),
        "go" => ("package a\n\nfunc TestA(t *testing.T) {\n", "\t", "}\n"),
        "rb" => ("describe 'a' do\n  it 'a' do\n", "    ", "  end\nend\n"),
        _ => ("it('a', async () => {\n", "  ", "});\n"),
    };
    let lines: String = body.iter().map(|line| format!("{indent}{line}\n")).collect();
    format!("{head}{lines}{end}")
}

/// A name, a path, and the lines of one test before and after.
type Body<'a> = (&'a str, &'a str, &'a [&'a str], &'a [&'a str]);

fn each_body_passes(rows: &[Body<'_>]) {
    let found = rows.iter().map(|(honest, path, old, new)| {
        let told = refused(&[(path, &holding(path, old), &holding(path, new)), ("src/a.rs", "a\n", "b\n")]);
        (!told.is_empty()).then(|| format!("{honest}: {told:?}"))
    });
    let wrong: Vec<String> = found.flatten().collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn no_body_is_asked_about(rows: &[Body<'_>]) {
    let found = rows.iter().map(|(honest, path, old, new)| {
        let told = told(&[(path, &holding(path, old), &holding(path, new)), ("src/a.rs", "a\n", "b\n")]);
        (!told.is_empty()).then(|| format!("{honest}: {told:?}"))
    });
    let wrong: Vec<String> = found.flatten().collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn each_body_is_caught(rows: &[Body<'_>]) {
    let found = rows.iter().map(|(cheat, path, old, new)| {
        let told = told(&[(path, &holding(path, old), &holding(path, new)), ("src/a.rs", "a\n", "b\n")]);
        told.is_empty().then(|| (*cheat).to_owned())
    });
    let wrong: Vec<String> = found.flatten().collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const RUST: &str = "#[test]\nfn greets() {\n    let name = \"Ann\";\n    assert_eq!(greet(name), \"Hello Ann\");\n    assert!(greet(\"\").is_err());\n}\n\n#[test]\nfn counts() {\n    assert_eq!(count(\"a b\"), 2);\n}\n";
const PYTHON: &str = "import pytest\n\n\ndef test_greets():\n    name = 'Ann'\n    assert greet(name) == 'Hello Ann'\n    assert count(name) == 3\n\n\ndef test_close():\n    assert measure() == pytest.approx(3.14, abs=0.001)\n";
const SCRIPT: &str = "describe('greet', () => {\n  it('greets', () => {\n    const name = 'Ann';\n    expect(greet(name)).toEqual('Hello Ann');\n    expect(count(name)).toBe(3);\n  });\n\n  it('is close', () => {\n    expect(measure()).toBeCloseTo(3.14, 5);\n  });\n});\n";
const GO: &str = "package a\n\nfunc TestGreets(t *testing.T) {\n\tif greet(\"Ann\") != \"Hello Ann\" {\n\t\tt.Errorf(\"wrong\")\n\t}\n}\n";

mod cheats;
mod coroutines;
mod doubts;
mod endings;
mod hollow;
mod honest;
mod hooks;
mod outcomes;
mod rearranged;
mod rows_of_tests;
mod runners;
mod settings;
mod stand_ins;
mod thrown_away;
mod unreached;
mod ways_out;

#[test]
fn a_new_test_that_asks_nothing_of_the_product_is_asked_about() {
    let calls = "def test_old():\n    assert pages(10, 3) == 4\n";
    let added = |test: &str| told(&[("tests/test_a.py", calls, &format!("{calls}\n\n{test}"))]).len();
    for hollow in [
        "def test_new():\n    pages(10, 3)\n",
        "def test_new():\n    count = 4\n    assert count == 4\n",
        "def own(a):\n    return a\n\n\ndef test_new():\n    assert own(4) == 4\n",
    ] {
        assert_eq!(added(hollow), 1, "{hollow}");
    }
    for honest in [
        "def test_new():\n    assert pages(9, 3) == 3\n",
        "def test_new():\n    with pytest.raises(ValueError):\n        pages(1, 0)\n",
        "def test_new():\n    check(pages(1, 0))\n\n\ndef check(found):\n    assert found == 1\n",
    ] {
        assert_eq!(added(honest), 0, "{honest}");
    }
}

#[test]
fn helpers_of_one_name_are_compared_in_their_order() {
    let helper = |expected: &str| format!("run({{ page: () => {{ expect(f()).toBe({expected}); }} }});\n");
    let old = format!("{}run({{ page: () => {{ g(); }} }});\n{SCRIPT}", helper("1"));
    let new = format!("{}run({{ page: () => {{ h(); }} }});\n{SCRIPT}", helper("1"));
    assert_eq!(told(&[("a.test.ts", &old, &new)]), Vec::<String>::new());
}

#[test]
fn a_test_asserts_what_the_tests_inside_of_it_assert() {
    let added = |inner: &str| {
        let new = format!(
            "{GO}\nfunc TestSay(t *testing.T) {{\n\tt.Run(\"ann\", func(t *testing.T) {{\n{inner}\n\t}})\n}}\n"
        );
        told(&[("a_test.go", GO, &new)])
    };
    let none = added("\t\tif greet(\"Bob\") != \"Hello Bob\" {\n\t\t\tt.Error(\"wrong\")\n\t\t}");
    assert_eq!(none, [""; 0]);
    assert_eq!(added("\t\tgreet(\"Bob\")").len(), 2);
}

#[test]
fn a_build_constraint_that_came_to_a_file_of_tests_is_asked_about() {
    let told_of = |old: &str, new: &str| told(&[("a_test.go", old, new)]).len();
    let constrained = format!("//go:build acceptance\n\n{GO}");
    assert_eq!(told_of(GO, &constrained), 1);
    let longer = format!("{constrained}\nvar names = []string{{}}\n");
    assert_eq!(told(&[("a_test.go", &constrained, &longer)]), [""; 0]);
    assert_eq!(told(&[("a.go", "package a\n", "//go:build linux\n\npackage a\n")]), [""; 0]);
}
